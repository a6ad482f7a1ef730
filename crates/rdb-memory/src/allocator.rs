//! What an allocator hands out for a request.

use std::fmt;
use std::str::FromStr;

/// The allocator a server is linked with.
///
/// A snapshot does not name it. The two builds of jemalloc cannot be told apart from `INFO memory`
/// either: both answer `mem_allocator:jemalloc-5.3.0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Allocator {
    /// jemalloc as bundled with Redis and Valkey (`LG_QUANTUM` 3): every official Linux package and image.
    #[default]
    Jemalloc,
    /// jemalloc as distributions build it (`LG_QUANTUM` 4): Debian's and Ubuntu's own packages.
    Jemalloc16,
    /// glibc `malloc`, x86-64. Its answers are right for 96 to 99 % of single allocations: when splitting a
    /// free block would leave less than 32 bytes, glibc hands out 16 bytes more than this says.
    Libc,
}

/// Requests that reach this many bytes with their header are mapped on their own (glibc `M_MMAP_THRESHOLD`,
/// before it grows).
const MMAP_THRESHOLD: u64 = 128 * 1024;

impl Allocator {
    /// Usable bytes of the block that a request of `bytes` gets.
    ///
    /// Sources: jemalloc's size classes (8, 16 … 64, then four per doubling); glibc `request2size` and
    /// `sysmalloc_mmap` in `malloc/malloc.c`.
    #[inline]
    #[must_use]
    pub const fn usable(self, bytes: u64) -> u64 {
        match self {
            Self::Jemalloc if bytes <= 64 => round_up(at_least(bytes, 1), 8),
            Self::Jemalloc16 if bytes <= 8 => 8,
            Self::Jemalloc16 if bytes <= 64 => round_up(bytes, 16),
            Self::Jemalloc | Self::Jemalloc16 => {
                // Four classes between each power of two and the next one.
                let below = 63 - (bytes - 1).leading_zeros();
                round_up(bytes, 1 << (below - 2))
            }
            Self::Libc if bytes > MMAP_THRESHOLD - 8 => round_up(bytes.saturating_add(16), 4096) - 16,
            Self::Libc => at_least(round_up(bytes + 8, 16) - 8, 24),
        }
    }

    /// The name used on command lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jemalloc => "jemalloc",
            Self::Jemalloc16 => "jemalloc-16",
            Self::Libc => "libc",
        }
    }
}

impl fmt::Display for Allocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A text that names no allocator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseAllocatorError(String);

impl fmt::Display for ParseAllocatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no known allocator; write jemalloc, jemalloc-16 or libc", self.0)
    }
}

impl std::error::Error for ParseAllocatorError {}

impl FromStr for Allocator {
    type Err = ParseAllocatorError;

    /// Reads the names above, and what servers answer as `mem_allocator` (`jemalloc-5.3.0`).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "jemalloc-16" => Ok(Self::Jemalloc16),
            "libc" => Ok(Self::Libc),
            _ if text == "jemalloc" || text.starts_with("jemalloc-5") || text.starts_with("jemalloc-4") => {
                Ok(Self::Jemalloc)
            }
            _ => Err(ParseAllocatorError(text.to_owned())),
        }
    }
}

#[inline]
const fn at_least(n: u64, least: u64) -> u64 {
    if n < least { least } else { n }
}

/// `n` rounded up to a multiple of `step`, a power of two; saturates instead of overflowing.
#[inline]
pub(crate) const fn round_up(n: u64, step: u64) -> u64 {
    n.saturating_add(step - 1) & !(step - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size classes as jemalloc's documentation lists them.
    fn classes(quantum: u64) -> Vec<u64> {
        let mut classes = vec![8];
        classes.extend((quantum..=64).step_by(quantum as usize).filter(|&c| c > 8));
        let mut base = 64;
        while base < 1 << 20 {
            classes.extend((1..=4).map(|k| base + k * base / 4));
            base *= 2;
        }
        classes
    }

    #[test]
    fn jemalloc_hands_out_the_next_size_class() {
        for (allocator, quantum) in [(Allocator::Jemalloc, 8), (Allocator::Jemalloc16, 16)] {
            let classes = classes(quantum);
            for n in 0..200_000 {
                let want = classes.iter().copied().find(|&c| c >= n).unwrap();
                assert_eq!(allocator.usable(n), want, "{allocator} {n}");
            }
        }
    }

    #[test]
    fn glibc_rounds_to_sixteen_less_eight() {
        for (n, want) in [(0, 24), (1, 24), (24, 24), (25, 40), (40, 40), (56, 56), (57, 72)] {
            assert_eq!(Allocator::Libc.usable(n), want);
        }
        assert_eq!(Allocator::Libc.usable(131_064), 131_064);
        assert_eq!(Allocator::Libc.usable(131_065), 135_168 - 16);
    }

    #[test]
    fn nothing_overflows() {
        for allocator in [Allocator::Jemalloc, Allocator::Jemalloc16, Allocator::Libc] {
            assert!(allocator.usable(u64::MAX) > u64::MAX / 2);
            assert!(allocator.usable(u64::MAX - 100) > u64::MAX / 2);
        }
    }

    #[test]
    fn reads_its_own_names_and_the_servers() {
        for allocator in [Allocator::Jemalloc, Allocator::Jemalloc16, Allocator::Libc] {
            assert_eq!(allocator.to_string().parse(), Ok(allocator));
        }
        assert_eq!("jemalloc-5.3.0".parse(), Ok(Allocator::Jemalloc));
        assert!("tcmalloc".parse::<Allocator>().is_err());
    }
}
