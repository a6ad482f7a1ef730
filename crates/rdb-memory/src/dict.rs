//! `dict`: how many buckets it has after being filled, without filling it.
//!
//! A dict doubles when it holds as many entries as buckets. The old buckets stay until they are emptied:
//! each addition moves one that is not empty, and both arrays count meanwhile. How many there are to move
//! depends on the hash seed; here it is the expectation. Source: `src/dict.c` of Redis 5.0 to 8.10.

use crate::bytes::rounded;

/// The bucket arrays of a dict that is being filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dict {
    /// Buckets of the array in use, 0 before the first entry.
    buckets: u64,
    /// Buckets of the array that is moved to, 0 when none is.
    target: u64,
    /// Entries.
    len: u64,
    /// Buckets that are still to be moved.
    left: u64,
    /// Whether a hint replaces the array of an empty dict at once.
    replaces_empty: bool,
    /// Whether the number of buckets rests on the expectation.
    expected: bool,
}

/// More entries than any memory holds; files may declare more.
const MOST: u64 = 1 << 48;

/// Buckets for `len` entries: a power of two, four at least.
pub(crate) fn buckets_for(len: u64) -> u64 {
    len.clamp(4, MOST).next_power_of_two()
}

/// Buckets of `buckets` that hold at least one of `len` entries, on average.
pub(crate) fn expected_nonempty(len: u64, buckets: u64) -> f64 {
    let buckets = buckets as f64;
    -buckets * (len as f64 * (-1.0 / buckets).ln_1p()).exp_m1()
}

impl Dict {
    /// An empty dict.
    pub(crate) fn new(replaces_empty: bool) -> Self {
        Self { replaces_empty, ..Self::default() }
    }

    /// Buckets of the array in use, and of the one that is moved to (0 when none is).
    pub(crate) fn arrays(&self) -> (u64, u64) {
        (self.buckets, self.target)
    }

    /// Entries.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether the hash seed can make a difference.
    pub(crate) fn is_expected(&self) -> bool {
        self.expected
    }

    /// `dictExpand`: room for `len` entries, unless buckets are being moved or there is no need.
    pub(crate) fn hint(&mut self, len: u64) {
        if self.target != 0 || self.len > len {
            return;
        }
        let buckets = buckets_for(len);
        if buckets == self.buckets {
            return;
        }
        if self.buckets == 0 || (self.replaces_empty && self.len == 0) {
            self.buckets = buckets;
            return;
        }
        self.target = buckets;
        self.left = rounded(expected_nonempty(self.len, self.buckets));
        self.finish_if_moved();
    }

    fn finish_if_moved(&mut self) {
        if self.left == 0 {
            (self.buckets, self.target) = (self.target, 0);
        }
    }

    /// One more entry.
    pub(crate) fn add(&mut self) {
        if self.target != 0 {
            self.left = self.left.saturating_sub(1);
            self.expected = true;
            self.finish_if_moved();
        }
        if self.target == 0 {
            if self.buckets == 0 {
                self.buckets = buckets_for(0);
            } else if self.len >= self.buckets {
                self.hint(self.len.saturating_add(1));
            }
        }
        self.len = self.len.saturating_add(1);
    }

    /// `count` more entries, in as many steps as the dict doubles.
    pub(crate) fn add_many(&mut self, count: u64) {
        let mut count = count.min(MOST.saturating_sub(self.len));
        while count > 0 {
            // What can be added before anything but the length changes.
            let quiet = if self.target != 0 {
                self.left.saturating_sub(1)
            } else {
                self.buckets.saturating_sub(self.len)
            }
            .min(count);
            if quiet > 0 {
                if self.target != 0 {
                    self.left -= quiet;
                }
                self.len = self.len.saturating_add(quiet);
                count -= quiet;
            } else {
                self.add();
                count -= 1;
            }
        }
        self.expected |= self.target != 0;
    }

    /// The smallest dict for its entries, with nothing left to move.
    pub(crate) fn settle(&mut self) {
        (self.buckets, self.target) = (buckets_for(self.len), 0);
        self.expected = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_as_good_as_one_by_one() {
        for replaces_empty in [false, true] {
            for hint in [0, 3, 5, 100, 513] {
                for first in [0, 1, 4, 5, 63, 64, 65, 200] {
                    for then in [0, 1, 7, 64, 1000, 4097] {
                        let mut bulk = Dict::new(replaces_empty);
                        let mut single = bulk;
                        bulk.add_many(first);
                        bulk.hint(hint);
                        bulk.add_many(then);
                        (0..first).for_each(|_| single.add());
                        single.hint(hint);
                        (0..then).for_each(|_| single.add());
                        assert_eq!(
                            (bulk.buckets, bulk.target, bulk.len, bulk.left),
                            (single.buckets, single.target, single.len, single.left),
                            "{first} {hint} {then}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_hint_makes_the_array_at_once() {
        let mut dict = Dict::new(false);
        dict.hint(1000);
        dict.add_many(1000);
        assert_eq!(dict.arrays(), (1024, 0));
    }

    #[test]
    fn without_one_two_arrays_stay_for_a_while() {
        let mut dict = Dict::new(false);
        dict.add_many(4);
        assert_eq!(dict.arrays(), (4, 0));
        dict.add_many(1);
        assert_eq!(dict.arrays(), (4, 8), "about three buckets are to be moved");
        dict.add_many(3);
        assert_eq!(dict.arrays(), (8, 0));
    }

    #[test]
    fn hostile_counts_end_soon() {
        let mut dict = Dict::new(true);
        dict.hint(u64::MAX);
        dict.add_many(u64::MAX);
        dict.add_many(u64::MAX);
        let mut dict = Dict::new(true);
        dict.add_many(u64::MAX);
    }
}
