//! Everything that a report sums, in one aggregate, so that one pass serves it all.

use std::collections::BTreeMap;

use rdb_memory::Keyspace;

use crate::slots::SlotCounts;
use crate::{
    Aggregate, Breakdown, Expiry, ExpirySummary, FileSummary, GroupKey, KeyRow, Loaded, LoadedTally, Measure,
    Observation, PrefixOptions, PrefixSummary, PrefixTree, Ranking, Summary, Tally, TopKeys, notes,
};

/// What a report is to hold.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// The size that ranks keys and prefixes.
    pub measure: Measure,
    /// How many of the biggest keys.
    pub top_keys: usize,
    /// How names become prefixes. Its measure is replaced by the one above.
    pub prefixes: PrefixOptions,
    /// The reference time of each file, in milliseconds since 1970.
    pub now_ms: Vec<i64>,
    /// Whether a server keeps a table for each slot, so that keys must be counted by slot.
    pub count_slots: bool,
}

/// The aggregates of a report.
#[derive(Debug)]
pub struct Report {
    breakdown: Breakdown,
    top_keys: TopKeys,
    prefixes: PrefixTree,
    expiry: Expiry,
    loaded: Loaded,
    slots: Option<SlotCounts>,
}

/// What the aggregates of a report end in.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportParts {
    /// Sums by file, database, type and encoding.
    pub groups: Vec<(GroupKey, Tally)>,
    /// The biggest keys.
    pub top_keys: Vec<KeyRow>,
    /// The prefix tree.
    pub prefixes: PrefixSummary,
    /// When keys expire.
    pub expiry: ExpirySummary,
    /// What keys take after a load, by file.
    pub loaded: BTreeMap<u32, LoadedTally>,
    /// Keys by file and slot, if they were counted.
    pub slots: Option<BTreeMap<u32, Keyspace>>,
}

impl Report {
    /// Aggregates that have seen nothing yet.
    #[must_use]
    pub fn new(options: &ReportOptions) -> Self {
        Self {
            breakdown: Breakdown::default(),
            top_keys: TopKeys::new(Ranking::from(options.measure), options.top_keys, false),
            prefixes: PrefixTree::new(PrefixOptions { measure: options.measure, ..options.prefixes.clone() }),
            expiry: Expiry::new(&options.now_ms),
            loaded: Loaded::new(&options.now_ms),
            slots: options.count_slots.then(SlotCounts::default),
        }
    }
}

impl Aggregate for Report {
    type Summary = ReportParts;

    #[inline]
    fn observe(&mut self, seen: &Observation<'_>) {
        self.breakdown.observe(seen);
        self.top_keys.observe(seen);
        self.prefixes.observe(seen);
        self.expiry.observe(seen);
        self.loaded.observe(seen);
        self.slots.observe(seen);
    }

    fn merge(&mut self, other: Self) {
        self.breakdown.merge(other.breakdown);
        self.top_keys.merge(other.top_keys);
        self.prefixes.merge(other.prefixes);
        self.expiry.merge(other.expiry);
        self.loaded.merge(other.loaded);
        self.slots.merge(other.slots);
    }

    fn finish(self) -> Self::Summary {
        ReportParts {
            groups: self.breakdown.finish(),
            top_keys: self.top_keys.finish(),
            prefixes: self.prefixes.finish(),
            expiry: self.expiry.finish(),
            loaded: self.loaded.finish(),
            slots: self.slots.finish(),
        }
    }
}

impl ReportParts {
    /// The whole report, with what is known of the files.
    #[must_use]
    pub fn into_summary(
        self,
        files: Vec<FileSummary>,
        measure: Measure,
        filter_words: Vec<Vec<String>>,
        shown_keys: usize,
    ) -> Summary {
        let notes = notes(&self.groups, &self.top_keys, &self.prefixes, &self.expiry);
        Summary {
            files,
            groups: self.groups,
            top_keys: self.top_keys,
            prefixes: self.prefixes,
            expiry: self.expiry,
            notes,
            measure,
            filtered: !filter_words.is_empty(),
            filter_words,
            shown_keys,
        }
    }
}
