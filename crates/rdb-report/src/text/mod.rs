//! Summaries as text for a terminal or a page of plain text.

mod account;
mod aux_fields;
mod biggest;
mod check;
mod expiry;
mod groups;
mod header;
mod incomplete;
mod info;
mod notes;
mod prefixes;
mod report;
mod table;
mod top;
mod totals;
mod tree;

pub use check::{Check, check};
pub use info::{Info, info};
pub use prefixes::prefixes;
pub use report::report;
pub use top::{TopView, top};
