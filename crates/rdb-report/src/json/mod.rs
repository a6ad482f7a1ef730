//! Summaries as JSON, in a versioned schema that `docs/REPORT_SCHEMA.md` describes.
//!
//! Fields are only ever added within a version. Sizes are plain integers in bytes, times are
//! milliseconds since 1970, and what is not known is `null`. Keys are escaped text beside a flag that
//! says whether there is anything to undo.

mod account;
mod facts;
mod files;
mod finding;
mod keys;
mod notes;
mod prefixes;
mod summary;
mod tally;

use std::io::{self, Write};

use rdb_analysis::prefixes::RowLimits;
use rdb_analysis::{PrefixSummary, Summary};
use serde::Serialize;

use crate::text::Info;

pub use finding::{finding, verdict};

/// The version of the schema.
pub const SCHEMA_VERSION: u32 = 1;

/// The least share of a prefix that has a node of its own in the summary; others are in `other`.
pub const SUMMARY_MIN_SHARE: f64 = 0.001;

/// Writes the whole summary.
///
/// # Errors
///
/// When writing fails.
pub fn summary(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let limits = RowLimits { min_share: SUMMARY_MIN_SHARE, ..RowLimits::default() };
    write(&Document::of(summary::SummaryDoc::of(summary, &limits)), out)
}

/// Writes the prefix tree, nested, as far as the limits allow.
///
/// # Errors
///
/// When writing fails.
pub fn prefixes(prefixes: &PrefixSummary, limits: &RowLimits, out: &mut dyn Write) -> io::Result<()> {
    write(&Document::of(prefixes::TreeDoc::of(prefixes, limits)), out)
}

/// Writes what each file says about itself.
///
/// # Errors
///
/// When writing fails.
pub fn info(files: &[Info<'_>], out: &mut dyn Write) -> io::Result<()> {
    let files = files.iter().map(files::InfoDoc::of).collect();
    write(&Document::of(Files { files }), out)
}

#[derive(Serialize)]
struct Files<'a> {
    files: Vec<files::InfoDoc<'a>>,
}

/// What every document starts with.
#[derive(Serialize)]
struct Document<T> {
    schema_version: u32,
    generator: &'static str,
    #[serde(flatten)]
    body: T,
}

impl<T> Document<T> {
    const fn of(body: T) -> Self {
        Self { schema_version: SCHEMA_VERSION, generator: GENERATOR, body }
    }
}

/// Who made the document.
const GENERATOR: &str = concat!("rdblens ", env!("CARGO_PKG_VERSION"));

fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    out.write_all(b"\n")
}
