//! The N biggest keys, by any of their figures.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use rdb_format::{Encoding, ObjectType};

use crate::{Aggregate, Basis, Measure, ModuleName, Observation};

/// What keys are ranked by, largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ranking {
    /// What `MEMORY USAGE key SAMPLES 0` answers.
    #[default]
    Memory,
    /// What the allocator holds.
    Allocated,
    /// Number of elements.
    Elements,
    /// Bytes of the largest element.
    Largest,
    /// Bytes of the record in the file.
    Serialized,
    /// Seconds since the key was last used.
    Idle,
    /// The LFU counter.
    Freq,
}

impl From<Measure> for Ranking {
    fn from(measure: Measure) -> Self {
        match measure {
            Measure::Memory => Self::Memory,
            Measure::Allocated => Self::Allocated,
            Measure::Serialized => Self::Serialized,
        }
    }
}

impl Ranking {
    /// The figure of a key that this ranks by; `None` when the key has none and is left out.
    #[must_use]
    pub fn value(self, seen: &Observation<'_>) -> Option<u64> {
        match self {
            Self::Memory => Some(seen.memory_bytes),
            Self::Allocated => Some(seen.allocated_bytes),
            Self::Elements => seen.elements,
            Self::Largest => seen.largest_element_bytes,
            Self::Serialized => Some(seen.serialized_bytes),
            Self::Idle => seen.idle_seconds,
            Self::Freq => seen.freq.map(u64::from),
        }
    }
}

/// An [`Observation`] that owns its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// Which input: 0 for the first file named.
    pub file: u32,
    /// The database.
    pub db: u64,
    /// The key's name, or the first [`KeyRow::MAX_KEY_BYTES`] of it.
    pub key: Vec<u8>,
    /// Length of the whole name in bytes.
    pub key_len: u64,
    /// What `TYPE` answers.
    pub object_type: ObjectType,
    /// For module values: the module type.
    pub module: Option<ModuleName>,
    /// What `OBJECT ENCODING` answers.
    pub encoding: Encoding,
    /// How many elements, if known.
    pub elements: Option<u64>,
    /// What `MEMORY USAGE key SAMPLES 0` answers.
    pub memory_bytes: u64,
    /// What the allocator holds.
    pub allocated_bytes: u64,
    /// How far the two figures above can be trusted.
    pub basis: Basis,
    /// Bytes of the record in the file.
    pub serialized_bytes: u64,
    /// Bytes of the largest element, if asked for.
    pub largest_element_bytes: Option<u64>,
    /// When the key expires, in milliseconds since 1970.
    pub expire_at_ms: Option<i64>,
    /// Seconds since the key was last used.
    pub idle_seconds: Option<u64>,
    /// The LFU counter.
    pub freq: Option<u8>,
    /// Where the record starts.
    pub offset: u64,
    /// How the file writes the value.
    pub type_code: rdb_format::TypeCode,
}

impl KeyRow {
    /// The most bytes of a name that are kept: names may have 512 MB, and a list of them must not.
    pub const MAX_KEY_BYTES: usize = 64 << 10;

    /// Takes a copy of an observation.
    #[must_use]
    pub fn of(seen: &Observation<'_>) -> Self {
        Self {
            file: seen.file,
            db: seen.db,
            key: seen.key.get(..Self::MAX_KEY_BYTES).unwrap_or(seen.key).to_vec(),
            key_len: seen.key_len,
            object_type: seen.object_type,
            module: seen.module,
            encoding: seen.encoding,
            elements: seen.elements,
            memory_bytes: seen.memory_bytes,
            allocated_bytes: seen.allocated_bytes,
            basis: seen.basis,
            serialized_bytes: seen.serialized_bytes,
            largest_element_bytes: seen.largest_element_bytes,
            expire_at_ms: seen.expire_at_ms,
            idle_seconds: seen.idle_seconds,
            freq: seen.freq,
            offset: seen.offset,
            type_code: seen.type_code,
        }
    }

    /// The observation again.
    #[must_use]
    pub fn observation(&self) -> Observation<'_> {
        Observation {
            file: self.file,
            db: self.db,
            key: &self.key,
            key_len: self.key_len,
            type_code: self.type_code,
            object_type: self.object_type,
            module: self.module,
            encoding: self.encoding,
            elements: self.elements,
            memory_bytes: self.memory_bytes,
            allocated_bytes: self.allocated_bytes,
            loaded_bytes: None,
            basis: self.basis,
            serialized_bytes: self.serialized_bytes,
            largest_element_bytes: self.largest_element_bytes,
            expire_at_ms: self.expire_at_ms,
            idle_seconds: self.idle_seconds,
            freq: self.freq,
            offset: self.offset,
        }
    }
}

/// The N biggest keys, over all or for each type.
///
/// The order is total, so that ties cannot depend on the order of arrival: the figure (largest
/// first), then file, db, key and offset (smallest first). Memory: N keys per list.
#[derive(Debug)]
pub struct TopKeys {
    ranking: Ranking,
    limit: usize,
    per_type: bool,
    lists: BTreeMap<Option<TypeWord>, BinaryHeap<Ranked>>,
}

type TypeWord = (ObjectType, Option<ModuleName>);

/// The least of a list is on top of its heap.
#[derive(Debug)]
struct Ranked {
    value: u64,
    row: KeyRow,
}

impl Ranked {
    fn rank(&self) -> (Reverse<u64>, u32, u64, &[u8], u64) {
        (Reverse(self.value), self.row.file, self.row.db, &self.row.key, self.row.offset)
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl TopKeys {
    /// Keeps the first `limit` keys by `ranking`, of each type if `per_type`.
    #[must_use]
    pub fn new(ranking: Ranking, limit: usize, per_type: bool) -> Self {
        Self { ranking, limit, per_type, lists: BTreeMap::new() }
    }
}

impl Aggregate for TopKeys {
    /// The keys in order of rank; with `per_type` one list after the other, in the order of types.
    type Summary = Vec<KeyRow>;

    #[inline]
    fn observe(&mut self, seen: &Observation<'_>) {
        let Some(value) = self.ranking.value(seen) else { return };
        let list = self.per_type.then_some((seen.object_type, seen.module));
        let heap = self.lists.entry(list).or_default();
        if heap.len() >= self.limit {
            // Most keys end here, without a copy.
            let last = match heap.peek() {
                Some(last) => last,
                None => return,
            };
            let key = seen.key.get(..KeyRow::MAX_KEY_BYTES).unwrap_or(seen.key);
            let rank = (Reverse(value), seen.file, seen.db, key, seen.offset);
            if rank >= last.rank() {
                return;
            }
            heap.pop();
        }
        heap.push(Ranked { value, row: KeyRow::of(seen) });
    }

    fn merge(&mut self, other: Self) {
        for (list, theirs) in other.lists {
            let heap = self.lists.entry(list).or_default();
            for ranked in theirs {
                heap.push(ranked);
                if heap.len() > self.limit {
                    heap.pop();
                }
            }
        }
    }

    fn finish(self) -> Self::Summary {
        self.lists.into_values().flat_map(|heap| heap.into_sorted_vec()).map(|ranked| ranked.row).collect()
    }
}
