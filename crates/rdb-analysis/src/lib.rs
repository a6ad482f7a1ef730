//! One pass over a snapshot: keys become observations, observations become summaries.
//!
//! An [`Observation`] is everything one key tells about itself. An [`Aggregate`] sees observations
//! in any order and in any number of pieces, merges with its like, and finishes into a summary.

mod aggregate;
pub mod laws;
mod observation;
pub mod prefixes;
mod tally;

pub use aggregate::Aggregate;
pub use observation::{Basis, ModuleName, Observation};
pub use prefixes::{PrefixNode, PrefixOptions, PrefixRoot, PrefixSummary, PrefixTree, Separators};
pub use tally::{Measure, Tally};
