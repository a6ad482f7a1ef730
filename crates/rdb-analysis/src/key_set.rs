//! The keys that were met, for finding one that stands twice.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// Digests of databases and keys, 128 bits under secret keys.
#[derive(Debug, Default)]
pub(crate) struct KeySet {
    digests: HashSet<u128>,
    hashers: (RandomState, RandomState),
}

/// What is known of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// It is the first of its name.
    New,
    /// Its database has it already.
    Twice,
    /// Nothing: too many are remembered.
    Unknown,
}

impl KeySet {
    /// The most keys that are remembered: their table takes 142 MB then.
    pub(crate) const MAX_KEYS: usize = (1 << 23) / 8 * 7;

    /// Takes note of a key.
    pub(crate) fn meet(&mut self, db: u64, name: &[u8]) -> Met {
        if self.digests.len() >= Self::MAX_KEYS {
            return Met::Unknown;
        }
        let (low, high) = &self.hashers;
        let key = (db, name);
        let digest = u128::from(low.hash_one(key)) << 64 | u128::from(high.hash_one(key));
        if self.digests.insert(digest) { Met::New } else { Met::Twice }
    }
}
