//! Finds what stands twice, with bounded memory.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// The most elements that are remembered: their table takes 35 MB then.
pub(super) const MAX_REMEMBERED: usize = (1 << 21) / 8 * 7;

/// A table that is larger than this is given back before the next value.
const KEPT: usize = 1 << 16;

/// Digests of what was seen: 128 bits under secret keys, so that no file can make two of them equal.
#[derive(Debug, Default)]
pub(super) struct Seen {
    digests: HashSet<u128>,
    keys: (RandomState, RandomState),
    pub is_full: bool,
}

impl Seen {
    pub(super) fn clear(&mut self) {
        if self.digests.capacity() > KEPT {
            self.digests = HashSet::new();
        }
        self.digests.clear();
        self.is_full = false;
    }

    /// Whether these bytes were seen before. Nothing is, once too much was.
    pub(super) fn is_twice(&mut self, bytes: &[u8]) -> bool {
        if self.digests.len() >= MAX_REMEMBERED {
            self.is_full = true;
            return false;
        }
        let (low, high) = &self.keys;
        !self.digests.insert(u128::from(low.hash_one(bytes)) << 64 | u128::from(high.hash_one(bytes)))
    }
}
