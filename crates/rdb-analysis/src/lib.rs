//! One pass over a snapshot: keys become observations, observations become summaries.
//!
//! An [`Observation`] is everything one key tells about itself. An [`Aggregate`] sees observations
//! in any order and in any number of pieces, merges with its like, and finishes into a summary.
//! [`run()`] passes over a file: a scanner cuts it into runs of records, and workers observe them.

mod account;
mod aggregate;
mod breakdown;
mod check;
mod coverage;
mod cutter;
mod expiry;
mod extract;
mod facts;
mod filter;
mod key_set;
pub mod laws;
mod loaded;
mod notes;
mod observation;
mod ordered;
pub mod prefixes;
mod prologue;
mod reads;
mod report;
mod run;
mod slots;
mod source;
mod summary;
mod tally;
mod top_keys;
mod worker;

pub use account::{Account, ModuleShare, TypeShare, modules};
pub use aggregate::Aggregate;
pub use breakdown::{Breakdown, GroupKey, regroup, total};
pub use check::{Checked, FaultGroup, Refusals, Usage, check};
pub use coverage::{ChecksumVerdict, Coverage, Gaps, Warning};
pub use cutter::survey;
pub use expiry::{Expiry, ExpirySummary, Released, Span};
pub use extract::{ExtractError, Extracted, extract};
pub use facts::{AuxField, DbHint, FileFacts, Function, ModuleAux};
pub use filter::{Filter, NamePattern, PatternError, TtlFilter, TypeFilter};
pub use loaded::{Loaded, LoadedTally};
pub use notes::{Note, notes};
pub use observation::{ModuleName, Observation};
pub use prefixes::{PrefixNode, PrefixOptions, PrefixRoot, PrefixSummary, PrefixTree, Separators};
pub use prologue::prologue;
pub use rdb_memory::{Basis, TableSizes};
pub use reads::{Answer, Obstacle, Verdict, lowest_reader, verdict};
pub use report::{Report, ReportOptions, ReportParts};
pub use run::{Aggregates, Plan, Progress, Rows, RunError, run};
pub use slots::SlotCounts;
pub use source::{Source, Window};
pub use summary::{FileSummary, ReferenceSource, ReferenceTime, Summary, TargetSummary};
pub use tally::{Measure, Tally};
pub use top_keys::{KeyRow, Ranking, TopKeys};
pub use worker::RowWriter;
