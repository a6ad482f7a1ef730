//! The tables of a database: what keys cost beside themselves.

use std::collections::BTreeMap;

use crate::SizeModel;
use crate::bytes::rounded;
use crate::dict::buckets_for;
use crate::facts::TableKind;
use crate::hashtable::{self, BUCKET_BYTES};

/// How many keys there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyCounts {
    /// All keys.
    pub keys: u64,
    /// Those with an expiry.
    pub expires: u64,
}

/// Bytes allocated for the tables of one database or slot, beside what each key counts for itself in its
/// [`Estimate::allocated_bytes`](crate::Estimate::allocated_bytes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSizes {
    /// The main table: buckets and, in cluster mode, what each slot has.
    pub main_bytes: u64,
    /// The expires table.
    pub expires_bytes: u64,
    /// The part of both that are buckets. A live server's table may have twice as many, and these beside the old
    /// ones for a while: then the tables have as much once or twice more.
    pub bucket_bytes: u64,
}

impl TableSizes {
    /// Both tables.
    #[must_use]
    pub fn total(self) -> u64 {
        self.main_bytes.saturating_add(self.expires_bytes)
    }
}

impl std::ops::Add for TableSizes {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            main_bytes: self.main_bytes.saturating_add(other.main_bytes),
            expires_bytes: self.expires_bytes.saturating_add(other.expires_bytes),
            bucket_bytes: self.bucket_bytes.saturating_add(other.bucket_bytes),
        }
    }
}

impl std::iter::Sum for TableSizes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| sum + one)
    }
}

/// Counts keys per database and slot, and prices the tables that hold them.
///
/// The sum of all keys' [`Estimate::allocated_bytes`](crate::Estimate::allocated_bytes), the tables' total and
/// [`SizeModel::base_bytes`] is what `used_memory` says after the load.
///
/// ```
/// use rdb_format::ServerVersion;
/// use rdb_memory::{Keyspace, SizeModel, Target};
///
/// let model = SizeModel::new(&Target::new(ServerVersion::redis(7, 2, 6)));
/// let mut keyspace = Keyspace::default();
/// for n in 0..1000u16 {
///     keyspace.count(0, n % 16_384, n % 10 == 0);
/// }
/// // A thousand keys take 1,024 buckets of eight bytes, the hundred with an expiry 128.
/// assert_eq!(keyspace.tables(&model).total(), 8192 + 1024);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyspace {
    /// By database and slot.
    slots: BTreeMap<(u64, u16), KeyCounts>,
}

impl Keyspace {
    /// Counts a key of this database and cluster slot.
    ///
    /// Callers that do not care for cluster mode may pass slot 0 throughout.
    pub fn count(&mut self, db: u64, slot: u16, expires: bool) {
        let counts = self.slots.entry((db, slot)).or_default();
        counts.keys = counts.keys.saturating_add(1);
        counts.expires = counts.expires.saturating_add(u64::from(expires));
    }

    /// Adds keys that were counted elsewhere.
    pub fn add(&mut self, db: u64, slot: u16, more: KeyCounts) {
        let counts = self.slots.entry((db, slot)).or_default();
        counts.keys = counts.keys.saturating_add(more.keys);
        counts.expires = counts.expires.saturating_add(more.expires);
    }

    /// Adds everything that another one counted.
    pub fn merge(&mut self, other: &Self) {
        for (&(db, slot), &counts) in &other.slots {
            self.add(db, slot, counts);
        }
    }

    /// Keys of each database, in the order of their numbers.
    #[must_use]
    pub fn databases(&self) -> BTreeMap<u64, KeyCounts> {
        let mut databases = BTreeMap::<u64, KeyCounts>::new();
        for (&(db, _), &counts) in &self.slots {
            let sum = databases.entry(db).or_default();
            sum.keys = sum.keys.saturating_add(counts.keys);
            sum.expires = sum.expires.saturating_add(counts.expires);
        }
        databases
    }

    /// How many tables of keys the model's server has: one for each database, or for each slot.
    #[must_use]
    pub fn tables_count(&self, model: &SizeModel) -> u64 {
        if model.has_slot_tables() { self.slots.len() as u64 } else { self.databases().len() as u64 }
    }

    /// The tables of all databases.
    #[must_use]
    pub fn tables(&self, model: &SizeModel) -> TableSizes {
        self.tables_by_database(model).into_values().sum()
    }

    /// The tables of each database.
    #[must_use]
    pub fn tables_by_database(&self, model: &SizeModel) -> BTreeMap<u64, TableSizes> {
        if !model.has_slot_tables() {
            let tables = |(db, counts)| {
                let mut tables = model.database_tables(counts);
                if db > 0 {
                    tables.main_bytes = tables.main_bytes.saturating_add(model.facts.further_database);
                }
                (db, tables)
            };
            return self.databases().into_iter().map(tables).collect();
        }
        let mut tables = BTreeMap::<u64, TableSizes>::new();
        for (&(db, _), &counts) in &self.slots {
            let sum = tables.entry(db).or_default();
            *sum = *sum + model.slot_tables(counts);
        }
        tables
    }

    /// Tables of slots without keys. Servers from Redis 8.6 on make one for each of the 16,384 slots when they
    /// load a file that tells how many keys there are (RESIZEDB) but not in which slots (SLOT_INFO), as files
    /// of older servers and of servers without cluster mode are.
    #[must_use]
    pub fn idle_slot_tables(&self, model: &SizeModel) -> TableSizes {
        const SLOTS: u64 = 16_384;
        let Some(slot) = model.facts.slot_tables.filter(|_| model.facts.idle_slot_tables) else {
            return TableSizes::default();
        };
        if !model.clustered() || self.slots.is_empty() {
            return TableSizes::default();
        }
        let idle = |bytes: u64, used: usize| model.usable(bytes) * SLOTS.saturating_sub(used as u64);
        let expiring = self.slots.values().filter(|counts| counts.expires > 0).count();
        TableSizes {
            main_bytes: idle(slot.main, self.slots.len()),
            expires_bytes: idle(slot.expires, expiring),
            bucket_bytes: 0,
        }
    }
}

impl SizeModel {
    /// Whether each slot that holds keys has tables of its own: cluster mode of Redis 7.4, Valkey 8.0 and later.
    #[must_use]
    pub fn has_slot_tables(&self) -> bool {
        self.clustered() && self.facts.slot_tables.is_some()
    }

    /// The tables of a database with so many keys, where slots have none of their own.
    ///
    /// A file says how many keys there are before it brings them, so the tables are made in the right size
    /// ([`Mode::Loaded`](crate::Mode::Loaded)). A live server's table can be twice that size, or two of them for a while.
    #[must_use]
    pub fn database_tables(&self, counts: KeyCounts) -> TableSizes {
        let dict = self.facts.database_dict;
        let table = |keys: u64, beside: u64| match (keys, beside) {
            (0, _) => 0,
            (_, 0) => self.keyspace_table(keys),
            _ => self.usable(beside).saturating_add(self.keyspace_table(keys)),
        };
        TableSizes {
            main_bytes: table(counts.keys, dict.main),
            expires_bytes: table(counts.expires, dict.expires),
            bucket_bytes: self.buckets(counts.keys).saturating_add(self.buckets(counts.expires)),
        }
    }

    /// The tables of a slot with so many keys, where slots have their own.
    #[must_use]
    pub fn slot_tables(&self, counts: KeyCounts) -> TableSizes {
        let Some(slot) = self.facts.slot_tables else { return self.database_tables(counts) };
        let table = |keys: u64, beside: u64| match keys {
            0 => 0,
            _ => self.usable(beside).saturating_add(self.keyspace_table(keys)),
        };
        TableSizes {
            main_bytes: table(counts.keys, slot.main),
            expires_bytes: table(counts.expires, slot.expires),
            bucket_bytes: self.buckets(counts.keys).saturating_add(self.buckets(counts.expires)),
        }
    }

    /// The buckets of one table.
    fn buckets(&self, keys: u64) -> u64 {
        match (keys, self.facts.table) {
            (0, _) => 0,
            (_, TableKind::Dict) => self.usable(buckets_for(keys).saturating_mul(8)),
            (_, TableKind::Hashtable) => hashtable::buckets_for(keys).saturating_mul(BUCKET_BYTES),
        }
    }

    /// One table without the entries that are counted with their keys.
    fn keyspace_table(&self, keys: u64) -> u64 {
        if keys == 0 {
            return 0;
        }
        match self.facts.table {
            TableKind::Dict => {
                let buckets = buckets_for(keys);
                let chains = if self.facts.keyspace_chained { self.chain_bytes(keys, buckets) } else { 0 };
                self.usable(buckets.saturating_mul(8)).saturating_add(chains)
            }
            TableKind::Hashtable => {
                let buckets = hashtable::buckets_for(keys);
                let chained = rounded(hashtable::expected_chained(keys, buckets));
                self.usable(buckets.saturating_mul(BUCKET_BYTES))
                    .saturating_add(self.usable(BUCKET_BYTES).saturating_mul(chained))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn clustered(server: ServerVersion) -> SizeModel {
        let mut target = Target::new(server);
        target.config.cluster_enabled = true;
        SizeModel::new(&target)
    }

    #[test]
    fn each_slot_has_a_dict_and_histograms_from_8_0() {
        let one = KeyCounts { keys: 1, expires: 0 };
        assert_eq!(clustered(ServerVersion::redis(7, 4, 1)).slot_tables(one).main_bytes, 64 + 32);
        assert_eq!(clustered(ServerVersion::redis(8, 2, 3)).slot_tables(one).main_bytes, 2560 + 32);
        assert_eq!(clustered(ServerVersion::redis(8, 2, 3)).slot_tables(one).bucket_bytes, 32);
        assert!(!clustered(ServerVersion::redis(7, 2, 6)).has_slot_tables());
    }

    #[test]
    fn merging_is_counting_on() {
        let (mut whole, mut left, mut right) =
            (Keyspace::default(), Keyspace::default(), Keyspace::default());
        for n in 0..100u16 {
            whole.count(u64::from(n % 3), n % 7, n % 2 == 0);
            let half = if n < 50 { &mut left } else { &mut right };
            half.count(u64::from(n % 3), n % 7, n % 2 == 0);
        }
        left.merge(&right);
        assert_eq!(whole, left);
        assert_eq!(whole.databases().values().map(|counts| counts.keys).sum::<u64>(), 100);
    }
}
