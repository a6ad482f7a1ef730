//! The sums that every table of a report is made of.

use std::ops::AddAssign;

use crate::Observation;

/// Which of the sizes of a key is ranked and shared out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measure {
    /// What `MEMORY USAGE key SAMPLES 0` answers.
    #[default]
    Memory,
    /// What the allocator holds for the key.
    Allocated,
    /// The length of the key's record in the file.
    Serialized,
}

/// Sums over a set of keys. All sizes are bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Number of keys.
    pub keys: u64,
    /// Sum of what `MEMORY USAGE key SAMPLES 0` answers.
    pub memory_bytes: u64,
    /// Sum of what the allocator holds for the keys, their entries in the expires table included.
    pub allocated_bytes: u64,
    /// Sum of the lengths of the records in the file.
    pub serialized_bytes: u64,
    /// Sum of the element counts that are known.
    pub elements: u64,
    /// Number of keys that never expire.
    pub keys_without_ttl: u64,
}

impl Tally {
    /// The tally of one key.
    #[must_use]
    pub fn of(seen: &Observation<'_>) -> Self {
        Self {
            keys: 1,
            memory_bytes: seen.memory_bytes,
            allocated_bytes: seen.allocated_bytes,
            serialized_bytes: seen.serialized_bytes,
            elements: seen.elements.unwrap_or(0),
            keys_without_ttl: u64::from(seen.expire_at_ms.is_none()),
        }
    }

    /// The sum that `measure` names.
    #[must_use]
    pub const fn bytes(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Memory => self.memory_bytes,
            Measure::Allocated => self.allocated_bytes,
            Measure::Serialized => self.serialized_bytes,
        }
    }
}

impl AddAssign for Tally {
    /// Adds field by field. Sums of file-declared counts saturate instead of wrapping.
    fn add_assign(&mut self, other: Self) {
        self.keys = self.keys.saturating_add(other.keys);
        self.memory_bytes = self.memory_bytes.saturating_add(other.memory_bytes);
        self.allocated_bytes = self.allocated_bytes.saturating_add(other.allocated_bytes);
        self.serialized_bytes = self.serialized_bytes.saturating_add(other.serialized_bytes);
        self.elements = self.elements.saturating_add(other.elements);
        self.keys_without_ttl = self.keys_without_ttl.saturating_add(other.keys_without_ttl);
    }
}
