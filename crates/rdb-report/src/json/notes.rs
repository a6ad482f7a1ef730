//! What is worth acting on.

use rdb_analysis::Note;
use serde::Serialize;

use super::keys::escaped;
use super::tally::{ReleasedDoc, TallyDoc};

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum NoteDoc {
    BigKeys {
        keys: u64,
        memory_bytes: u64,
        permille: u64,
    },
    PrefixWithoutTtl {
        db: Option<u64>,
        prefix: String,
        prefix_escaped: bool,
        #[serde(flatten)]
        sums: TallyDoc,
    },
    ExpiryBurst {
        minutes_after_reference: u64,
        #[serde(flatten)]
        released: ReleasedDoc,
    },
    ExpiredKeys {
        #[serde(flatten)]
        released: ReleasedDoc,
    },
    MistypedPrefix {
        db: Option<u64>,
        prefix: String,
        prefix_escaped: bool,
        meant: String,
        meant_escaped: bool,
        keys: u64,
        meant_keys: u64,
    },
    AssumedMemory {
        keys: u64,
        memory_bytes: u64,
    },
}

impl From<&Note> for NoteDoc {
    fn from(note: &Note) -> Self {
        match *note {
            Note::BigKeys { keys, memory_bytes, permille } => Self::BigKeys { keys, memory_bytes, permille },
            Note::PrefixWithoutTtl { db, ref path, tally } => {
                let (prefix, prefix_escaped) = escaped(path);
                Self::PrefixWithoutTtl { db, prefix, prefix_escaped, sums: tally.into() }
            }
            Note::ExpiryBurst { minute, released } => {
                Self::ExpiryBurst { minutes_after_reference: minute, released: released.into() }
            }
            Note::ExpiredKeys(released) => Self::ExpiredKeys { released: released.into() },
            Note::MistypedPrefix { db, ref path, ref meant, keys, meant_keys } => {
                let (prefix, prefix_escaped) = escaped(path);
                let (meant, meant_escaped) = escaped(meant);
                Self::MistypedPrefix { db, prefix, prefix_escaped, meant, meant_escaped, keys, meant_keys }
            }
            Note::AssumedMemory { keys, memory_bytes } => Self::AssumedMemory { keys, memory_bytes },
        }
    }
}
