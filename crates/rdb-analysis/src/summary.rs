//! The finished report, as plain values that renderers print and never compute.

use rdb_format::ServerVersion;

use crate::prefixes::PrefixSummary;
use crate::{Account, Coverage, ExpirySummary, FileFacts, GroupKey, KeyRow, Measure, Note, Tally};

/// Everything that a report says about one or several files.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The inputs, in the order named.
    pub files: Vec<FileSummary>,
    /// Sums by file, database, type and encoding. Each key is in exactly one.
    pub groups: Vec<(GroupKey, Tally)>,
    /// The biggest keys, by `measure`.
    pub top_keys: Vec<KeyRow>,
    /// The prefix tree.
    pub prefixes: PrefixSummary,
    /// When keys expire.
    pub expiry: ExpirySummary,
    /// What is worth acting on, the most important first.
    pub notes: Vec<Note>,
    /// The size that ranks keys and prefixes.
    pub measure: Measure,
    /// Whether only some of the keys were looked at, because a filter was given.
    pub filtered: bool,
    /// The filter as options of the command line, each with its values, for commands that show more.
    pub filter_words: Vec<Vec<String>>,
    /// How many of the biggest keys a reader wants to see at once.
    pub shown_keys: usize,
}

/// What a report says about one input.
#[derive(Clone, Debug)]
pub struct FileSummary {
    /// The input as it was named.
    pub name: String,
    /// Whether it is standard input.
    pub is_stdin: bool,
    /// What the file says about itself.
    pub facts: FileFacts,
    /// How much of it the result rests on.
    pub coverage: Coverage,
    /// Whose memory was asked about.
    pub target: TargetSummary,
    /// The time that everything is measured from, in milliseconds since 1970.
    pub now: ReferenceTime,
    /// Where the memory of the server that wrote the file went; `None` when keys were filtered.
    pub account: Option<Account>,
}

/// Whose memory was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetSummary {
    /// The release.
    pub server: ServerVersion,
    /// Whether the release is the one that wrote the file, as the file says itself.
    pub is_writer: bool,
    /// Whether the model was checked against this release; else the nearest known one stands in.
    pub is_known: bool,
    /// The allocator's name: `jemalloc`, `jemalloc-16` or `libc`.
    pub allocator: &'static str,
    /// Whether the allocator was named by the user. No file tells it; the usual one is assumed.
    pub allocator_is_given: bool,
    /// `saved` or `loaded`.
    pub mode: &'static str,
}

/// A time that figures are measured from, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceTime {
    /// Milliseconds since 1970.
    pub ms: i64,
    /// Where it comes from.
    pub source: ReferenceSource,
}

/// Where a reference time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceSource {
    /// It was given.
    Given,
    /// The file says when it was saved.
    SavedAt,
    /// The file does not say; this is when it was last changed.
    FileModified,
    /// Nothing says; this is the time of the report.
    Clock,
}

impl Summary {
    /// The sum over all keys looked at.
    #[must_use]
    pub fn total(&self) -> Tally {
        crate::total(&self.groups)
    }

    /// Where the memory of all servers went; `None` when keys were filtered.
    #[must_use]
    pub fn account(&self) -> Option<Account> {
        let accounts = self.files.iter().filter_map(|file| file.account.as_ref());
        accounts.clone().next()?;
        Some(Account::sum(accounts))
    }

    /// Whether every input is whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.files.iter().all(|file| file.coverage.is_whole())
    }
}
