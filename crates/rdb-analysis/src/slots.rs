//! Keys per cluster slot, for servers that keep a table for each.

use std::collections::BTreeMap;

use rdb_memory::{KeyCounts, Keyspace};

use crate::{Aggregate, Observation};

/// Counts keys by file, database and slot. Memory: 16 bytes for each slot that holds keys.
#[derive(Clone, Debug, Default)]
pub struct SlotCounts {
    files: BTreeMap<u32, Keyspace>,
}

impl Aggregate for SlotCounts {
    /// By file.
    type Summary = BTreeMap<u32, Keyspace>;

    fn observe(&mut self, seen: &Observation<'_>) {
        let counts = KeyCounts { keys: 1, expires: u64::from(seen.expire_at_ms.is_some()) };
        self.files.entry(seen.file).or_default().add(seen.db, seen.slot().unwrap_or(0), counts);
    }

    fn merge(&mut self, other: Self) {
        for (file, keyspace) in other.files {
            self.files.entry(file).or_default().merge(&keyspace);
        }
    }

    fn finish(self) -> Self::Summary {
        self.files
    }
}
