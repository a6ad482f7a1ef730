//! Sums.

use rdb_analysis::{Released, Tally};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct TallyDoc {
    keys: u64,
    memory_bytes: u64,
    allocated_bytes: u64,
    serialized_bytes: u64,
    elements: u64,
    keys_without_ttl: u64,
}

impl From<Tally> for TallyDoc {
    fn from(tally: Tally) -> Self {
        let Tally { keys, memory_bytes, allocated_bytes, serialized_bytes, elements, keys_without_ttl } =
            tally;
        Self { keys, memory_bytes, allocated_bytes, serialized_bytes, elements, keys_without_ttl }
    }
}

#[derive(Serialize)]
pub(super) struct ReleasedDoc {
    keys: u64,
    memory_bytes: u64,
}

impl From<Released> for ReleasedDoc {
    fn from(released: Released) -> Self {
        Self { keys: released.keys, memory_bytes: released.memory_bytes }
    }
}

/// A sum and what it is about.
#[derive(Serialize)]
pub(super) struct Sum<T> {
    #[serde(flatten)]
    pub(super) of: T,
    #[serde(flatten)]
    pub(super) sums: TallyDoc,
}

/// A part of 1, to six decimals.
#[expect(clippy::cast_precision_loss, reason = "a share is for reading")]
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64 * 1e6).round() / 1e6 }
}
