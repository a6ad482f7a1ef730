//! The table of a collection, whichever kind the server has, and what it costs.

use crate::SizeModel;
use crate::bytes::{Bytes, rounded};
use crate::dict::{self, Dict};
use crate::facts::{EntryCount, TableKind};
use crate::hashtable::{BUCKET_BYTES, Hashtable};

/// The table of a collection that is being filled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Table {
    Dict(Dict),
    Hashtable(Hashtable),
}

/// What a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableUse {
    Set,
    Hash,
    Zset,
}

/// What a table costs, without the elements themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableBytes {
    /// The struct and its buckets.
    pub buckets: Bytes,
    /// The entries that hold the elements.
    pub entries: Bytes,
    /// Whether the hash seed can make a difference to what is answered.
    pub expected: bool,
}

/// Smallest usable block of an entry without a value.
const CHAIN_ENTRY: u64 = 16;
/// An entry with a value.
const ENTRY: u64 = 24;

impl Table {
    /// Makes room for `len` elements.
    pub(crate) fn hint(&mut self, len: u64) {
        match self {
            Self::Dict(dict) => dict.hint(len),
            Self::Hashtable(table) => table.hint(len),
        }
    }

    /// Adds `count` elements.
    pub(crate) fn add_many(&mut self, count: u64) {
        match self {
            Self::Dict(dict) => dict.add_many(count),
            Self::Hashtable(table) => table.add_many(count),
        }
    }

    /// Elements.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Dict(dict) => dict.len(),
            Self::Hashtable(table) => table.len(),
        }
    }

    /// The smallest table for its elements.
    pub(crate) fn settle(&mut self) {
        match self {
            Self::Dict(dict) => dict.settle(),
            Self::Hashtable(table) => table.settle(),
        }
    }
}

impl SizeModel {
    /// Whether a table is made in the right size when a collection is loaded element by element.
    pub(crate) fn hints_tables(&self) -> bool {
        self.facts.load_hint || self.facts.table == TableKind::Hashtable
    }

    /// An empty table.
    pub(crate) fn table(&self) -> Table {
        match self.facts.table {
            TableKind::Dict => Table::Dict(Dict::new(self.facts.hint_replaces_empty)),
            TableKind::Hashtable => Table::Hashtable(Hashtable::default()),
        }
    }

    /// A table with these elements, hinted their number.
    pub(crate) fn hinted_table(&self, len: u64) -> Table {
        let mut table = self.table();
        table.hint(len);
        table.add_many(len);
        table
    }

    /// What a table costs.
    pub(crate) fn table_bytes(&self, table: &Table, used_for: TableUse) -> TableBytes {
        match table {
            Table::Dict(dict) => self.dict_bytes(dict, used_for),
            Table::Hashtable(table) => {
                let extra = if used_for == TableUse::Hash { self.facts.hash_table_extra } else { 0 };
                let head = self.facts.table_struct + extra;
                let buckets = table.all_buckets().saturating_mul(BUCKET_BYTES);
                // Arrays are blocks of their own, and so is each bucket of a chain.
                let arrays = table.arrays().map(|buckets| match buckets {
                    0 => 0,
                    _ => self.usable(buckets.saturating_mul(BUCKET_BYTES)),
                });
                let chained = self.usable(BUCKET_BYTES).saturating_mul(table.chained());
                let allocated =
                    arrays.iter().fold(self.usable(head), |sum, &array| sum.saturating_add(array));
                TableBytes {
                    buckets: Bytes::new(buckets.saturating_add(head), allocated.saturating_add(chained)),
                    entries: Bytes::default(),
                    expected: table.is_expected(),
                }
            }
        }
    }

    fn dict_bytes(&self, dict: &Dict, used_for: TableUse) -> TableBytes {
        let facts = &self.facts;
        let (buckets, target) = dict.arrays();
        let [now, later] = [buckets, target].map(|count| count.saturating_mul(8));
        let later_usable = if later > 0 { self.usable(later) } else { 0 };
        let answered = now.saturating_add(later).saturating_add(facts.table_struct);
        let allocated = Bytes::unanswered(self.usable(facts.table_struct))
            + Bytes::unanswered(if now > 0 { self.usable(now) } else { 0 })
            + Bytes::unanswered(later_usable);
        let (count, chained) = match used_for {
            TableUse::Set => (facts.set_entry, facts.set_entries_chained),
            TableUse::Hash => (facts.hash_entry, facts.entries_chained),
            TableUse::Zset => (facts.zset_entry, facts.entries_chained),
        };
        let chain = self.chain_entries(dict.len(), buckets);
        let answered_entries = match count {
            EntryCount::Each(bytes) => dict.len().saturating_mul(bytes),
            EntryCount::Chained => rounded(chain * CHAIN_ENTRY as f64),
        };
        let allocated_entries = if chained {
            rounded(chain * self.usable(CHAIN_ENTRY) as f64)
        } else {
            self.usable(ENTRY).saturating_mul(dict.len())
        };
        TableBytes {
            buckets: Bytes::new(answered, allocated.allocated),
            entries: Bytes::new(answered_entries, allocated_entries),
            expected: dict.is_expected() || count == EntryCount::Chained,
        }
    }

    /// Entries of a dict without values: all but the last one of each bucket, on average.
    fn chain_entries(&self, len: u64, buckets: u64) -> f64 {
        if len == 0 || buckets == 0 { 0.0 } else { len as f64 - dict::expected_nonempty(len, buckets) }
    }

    /// Bytes allocated for the entries of a table whose last entries stand in their buckets.
    pub(crate) fn chain_bytes(&self, len: u64, buckets: u64) -> u64 {
        rounded(self.chain_entries(len, buckets) * self.usable(CHAIN_ENTRY) as f64)
    }
}
