//! One pass over a snapshot: keys become observations, observations become summaries.
