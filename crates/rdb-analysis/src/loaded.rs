//! What the keys take in a server that has just loaded them.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use crate::{Aggregate, Observation, Span};

/// What keys take after a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadedTally {
    /// What the allocator holds for all of them.
    pub bytes: u64,
    /// How many had expired at the reference time. A primary drops these when it loads the file.
    pub expired_keys: u64,
    /// What the allocator would hold for them; part of `bytes`.
    pub expired_bytes: u64,
}

impl AddAssign for LoadedTally {
    fn add_assign(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.expired_keys = self.expired_keys.saturating_add(other.expired_keys);
        self.expired_bytes = self.expired_bytes.saturating_add(other.expired_bytes);
    }
}

/// Sums, by file, what keys take after a load. Memory: a few numbers for each file.
#[derive(Clone, Debug)]
pub struct Loaded {
    now_ms: Vec<i64>,
    files: BTreeMap<u32, LoadedTally>,
    /// The file that the last keys came from: most often the only one, whose sum is not looked for every time.
    last: Option<(u32, LoadedTally)>,
}

impl Loaded {
    /// Keys have expired by these reference times, one for each file, in milliseconds since 1970.
    #[must_use]
    pub fn new(now_ms: &[i64]) -> Self {
        Self { now_ms: now_ms.to_vec(), files: BTreeMap::new(), last: None }
    }
}

impl Aggregate for Loaded {
    /// By file.
    type Summary = BTreeMap<u32, LoadedTally>;

    #[inline]
    fn observe(&mut self, seen: &Observation<'_>) {
        let bytes = seen.loaded_bytes.unwrap_or(seen.allocated_bytes);
        let mut tally = LoadedTally { bytes, ..LoadedTally::default() };
        if let Some(at) = seen.expire_at_ms {
            let now = self.now_ms.get(seen.file as usize).copied().unwrap_or(0);
            if Span::of(Some(at.saturating_sub(now))) == Span::Expired {
                tally.expired_keys = 1;
                tally.expired_bytes = bytes;
            }
        }
        match &mut self.last {
            Some((file, sum)) if *file == seen.file => *sum += tally,
            last => {
                if let Some((file, sum)) = last.replace((seen.file, tally)) {
                    *self.files.entry(file).or_default() += sum;
                }
            }
        }
    }

    fn merge(&mut self, other: Self) {
        for (file, tally) in other.finish() {
            *self.files.entry(file).or_default() += tally;
        }
    }

    fn finish(mut self) -> Self::Summary {
        if let Some((file, tally)) = self.last.take() {
            *self.files.entry(file).or_default() += tally;
        }
        self.files
    }
}
