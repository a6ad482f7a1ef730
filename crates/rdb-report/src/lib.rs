//! Finished summaries as terminal text, CSV and JSON.
