//! What one key tells about itself.

use rdb_format::{Encoding, ObjectType, TypeCode, key_hash_slot};

use crate::{Basis, Measure};

/// The nine letters that name a module's data type, such as `ReJSON-RL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleName(pub [u8; 9]);

impl ModuleName {
    /// The name as text. Module names are made of letters, digits, `-` and `_`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("?")
    }
}

/// One key of the snapshot, seen by every aggregate.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Which input it came from: 0 for the first file named.
    pub file: u32,
    /// The database.
    pub db: u64,
    /// The key's name, or the start of it. Any bytes.
    pub key: &'a [u8],
    /// Length of the whole name in bytes. More than the length of `key` where the name is so long that
    /// only its start is kept.
    pub key_len: u64,
    /// How the file writes the value.
    pub type_code: TypeCode,
    /// What `TYPE` answers.
    pub object_type: ObjectType,
    /// For module values: the name that `TYPE` answers.
    pub module: Option<ModuleName>,
    /// What `OBJECT ENCODING` answers.
    pub encoding: Encoding,
    /// What STRLEN, LLEN, SCARD, HLEN, ZCARD or XLEN answers; `None` when not known.
    pub elements: Option<u64>,
    /// Bytes that `MEMORY USAGE key SAMPLES 0` answers.
    pub memory_bytes: u64,
    /// Bytes that the allocator holds for the key and its entry in the expires table.
    pub allocated_bytes: u64,
    /// Bytes that the allocator of a server of the same release would hold for them after loading the file, if
    /// somebody asked for it and `allocated_bytes` is something else.
    pub loaded_bytes: Option<u64>,
    /// How far `memory_bytes` and `allocated_bytes` can be trusted.
    pub basis: Basis,
    /// Bytes of the key's record in the file, attributes included.
    pub serialized_bytes: u64,
    /// Bytes of the largest element, if somebody asked for it.
    pub largest_element_bytes: Option<u64>,
    /// When the key expires, in milliseconds since 1970 (may be absurd: files say what they like).
    pub expire_at_ms: Option<i64>,
    /// Seconds since the key was last used, if the file says.
    pub idle_seconds: Option<u64>,
    /// The LFU counter, if the file says.
    pub freq: Option<u8>,
    /// Where the key's record starts, in bytes from the start of the RDB data.
    pub offset: u64,
}

impl Observation<'_> {
    /// The size that `measure` names, in bytes.
    #[must_use]
    pub const fn bytes(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Memory => self.memory_bytes,
            Measure::Allocated => self.allocated_bytes,
            Measure::Serialized => self.serialized_bytes,
        }
    }

    /// The word that `TYPE` answers.
    #[must_use]
    pub fn type_word(&self) -> &str {
        self.module.as_ref().map_or(self.object_type.as_str(), ModuleName::as_str)
    }

    /// The cluster slot of the key; `None` when only the start of its name is known.
    #[must_use]
    pub fn slot(&self) -> Option<u16> {
        (self.key.len() as u64 == self.key_len).then(|| key_hash_slot(self.key))
    }
}
