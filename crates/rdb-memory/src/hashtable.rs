//! Valkey's `hashtable`: buckets of one cache line that hold seven entries and chain when they are full.
//!
//! Which buckets overflow depends on the hash seed; here it is the expectation.
//! Source: `src/hashtable.c` of Valkey 8.1 to 9.1.

use crate::bytes::rounded;

/// Bytes of a bucket.
pub(crate) const BUCKET_BYTES: u64 = 64;
/// Entries of a bucket.
const BUCKET_ENTRIES: u64 = 7;

/// More entries than any memory holds; files may declare more.
const MOST: u64 = 1 << 48;

/// The bucket arrays of a hashtable that is being filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hashtable {
    buckets: u64,
    /// Buckets of the array that is moved to, 0 when none is.
    target: u64,
    len: u64,
    /// Buckets moved so far.
    moved: u64,
}

/// Buckets for `len` entries: a power of two, so that at most 32 of 35 places are taken.
pub(crate) fn buckets_for(len: u64) -> u64 {
    let least = len.min(MOST).saturating_mul(5).saturating_sub(1) / 32 + 1;
    least.next_power_of_two()
}

/// Further buckets that `len` entries need in chains behind `buckets` buckets, on average.
///
/// A bucket that chains holds six entries and a pointer: `k` entries take ceil((k - 7) / 6) more buckets.
pub(crate) fn expected_chained(len: u64, buckets: u64) -> f64 {
    let more = |entries: u64| entries.saturating_sub(BUCKET_ENTRIES).div_ceil(BUCKET_ENTRIES - 1) as f64;
    if buckets <= 1 {
        return more(len);
    }
    if len <= BUCKET_ENTRIES {
        return 0.0;
    }
    // The number of entries in one bucket is binomial.
    let p = 1.0 / buckets as f64;
    let odds = p / (1.0 - p);
    let mean = len as f64 * p;
    let mut probability = (len as f64 * (-p).ln_1p()).exp();
    let mut sum = 0.0;
    for entries in 0..=len {
        if entries as f64 >= mean && probability <= 1e-12 {
            break;
        }
        sum += probability * more(entries);
        probability *= (len - entries) as f64 / (entries + 1) as f64 * odds;
    }
    sum * buckets as f64
}

impl Hashtable {
    /// Entries.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Buckets of the array and of the one that is moved to, if any.
    pub(crate) fn arrays(&self) -> [u64; 2] {
        [self.buckets, self.target]
    }

    /// Buckets in chains, on average.
    pub(crate) fn chained(&self) -> u64 {
        let newest = if self.target != 0 { self.target } else { self.buckets };
        rounded(expected_chained(self.len, newest.max(1)))
    }

    /// All buckets.
    pub(crate) fn all_buckets(&self) -> u64 {
        self.buckets.saturating_add(self.target).saturating_add(self.chained())
    }

    /// Whether the hash seed can make a difference.
    pub(crate) fn is_expected(&self) -> bool {
        self.len > BUCKET_ENTRIES && self.buckets.max(self.target) > 1
    }

    /// `hashtableExpand`: room for `len` entries, unless buckets are being moved or there is no need.
    pub(crate) fn hint(&mut self, len: u64) {
        if self.target != 0 || len == 0 || len < self.len {
            return;
        }
        let buckets = buckets_for(len);
        if buckets == self.buckets {
            return;
        }
        if self.len == 0 {
            self.buckets = buckets;
        } else {
            (self.target, self.moved) = (buckets, 0);
        }
    }

    /// `count` more entries; each moves one bucket while buckets are being moved.
    ///
    /// The step is part of the search that goes before an insertion, so that the entry for which the table grows
    /// moves none. Source: `hashtableFindPositionForInsert`.
    pub(crate) fn add_many(&mut self, count: u64) {
        let mut count = count.min(MOST.saturating_sub(self.len));
        while count > 0 {
            if self.target == 0 {
                let free = self.buckets.saturating_mul(BUCKET_ENTRIES).saturating_sub(self.len).min(count);
                if free > 0 {
                    self.len += free;
                    count -= free;
                    continue;
                }
                self.hint(self.len.saturating_add(1));
                if self.target != 0 {
                    self.len += 1;
                    count -= 1;
                }
                continue;
            }
            let quiet = (self.buckets - self.moved).max(1).min(count);
            self.moved += quiet;
            self.len = self.len.saturating_add(quiet);
            count -= quiet;
            if self.moved >= self.buckets {
                (self.buckets, self.target) = (self.target, 0);
            }
        }
    }

    /// The smallest table for its entries, with nothing left to move.
    pub(crate) fn settle(&mut self) {
        (self.buckets, self.target) = (buckets_for(self.len), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_by_hint() {
        for (len, want) in [(1, 1), (6, 1), (7, 2), (12, 2), (13, 4), (100, 16), (1000, 256)] {
            assert_eq!(buckets_for(len), want, "{len}");
        }
    }

    #[test]
    fn grows_when_seven_eighths_of_all_bytes_are_taken() {
        let mut table = Hashtable::default();
        table.add_many(7);
        assert_eq!((table.buckets, table.target), (1, 0));
        table.add_many(1);
        assert_eq!((table.buckets, table.target, table.len), (1, 2, 8));
        table.add_many(1);
        assert_eq!((table.buckets, table.target), (2, 0), "the next one moves the only bucket");
        let mut single = Hashtable::default();
        for len in 1..5000 {
            single.add_many(1);
            let mut bulk = Hashtable::default();
            bulk.add_many(len);
            assert_eq!(single, bulk, "{len}");
        }
    }

    #[test]
    fn chains_are_expected() {
        assert_eq!(expected_chained(7, 1), 0.0);
        assert_eq!(expected_chained(8, 1), 1.0);
        assert_eq!(expected_chained(14, 1), 2.0);
        let full = expected_chained(6 * 1024, 1024);
        assert!((200.0..400.0).contains(&full), "{full}");
    }

    #[test]
    fn hostile_counts_end_soon() {
        let mut table = Hashtable::default();
        table.hint(u64::MAX);
        table.add_many(u64::MAX);
        table.add_many(u64::MAX);
        table.all_buckets();
    }
}
