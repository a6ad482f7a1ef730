//! A pair of sizes that must not be mixed.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// What the server answers, and what the allocator handed out. Sums saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes {
    /// Part of the answer of `MEMORY USAGE`.
    pub answered: u64,
    /// Part of `used_memory`.
    pub allocated: u64,
}

impl Bytes {
    /// Different sizes for the two.
    #[inline]
    pub(crate) const fn new(answered: u64, allocated: u64) -> Self {
        Self { answered, allocated }
    }

    /// The server answers the truth.
    #[inline]
    pub(crate) const fn both(bytes: u64) -> Self {
        Self::new(bytes, bytes)
    }

    /// Allocated, never answered.
    #[inline]
    pub(crate) const fn unanswered(bytes: u64) -> Self {
        Self::new(0, bytes)
    }

    /// `count` of these.
    #[inline]
    pub(crate) const fn times(self, count: u64) -> Self {
        Self::new(self.answered.saturating_mul(count), self.allocated.saturating_mul(count))
    }
}

impl Add for Bytes {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self::new(
            self.answered.saturating_add(other.answered),
            self.allocated.saturating_add(other.allocated),
        )
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

/// The nearest integer of an expected number of bytes; halves go to the even one.
#[inline]
pub(crate) fn rounded(expected: f64) -> u64 {
    expected.round_ties_even() as u64
}
