//! What one key costs.

use rdb_format::Encoding;

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Basis {
    /// Follows from the file alone: what a server answers, to the byte.
    #[default]
    Exact,
    /// Near what a server answers. The true number depends on something that the file does not tell: a hash
    /// seed, the levels that a skiplist draws anew at every load, free blocks of glibc (the estimate is the
    /// mean then), or the slack of a live server ([`Mode::Saved`](crate::Mode::Saved): there is next to none in it).
    Expected,
    /// Derived from the sizes in the file by a rule that was not measured against a server.
    Assumed,
}

impl Basis {
    /// Every value, the most certain one first.
    pub const ALL: &'static [Self] = &[Self::Exact, Self::Expected, Self::Assumed];

    /// One word for reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Expected => "expected",
            Self::Assumed => "assumed",
        }
    }
}

/// Where the bytes of an estimate are.
///
/// `key_bytes + value_bytes` is [`Estimate::memory_bytes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Object header, key name and entry of the main table, as far as the server's answer counts them.
    pub key_bytes: u64,
    /// Everything else of the answer.
    pub value_bytes: u64,
    /// Allocated for the key's entry in the expires table; part of [`Estimate::allocated_bytes`].
    ///
    /// Zero for keys without expiry, and on servers that keep the expiry in the object (Redis 8.2,
    /// Valkey 8.1), where all that is left is a share of the table: see [`Keyspace`](crate::Keyspace).
    pub expires_entry_bytes: u64,
}

/// What one key costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// What `MEMORY USAGE key SAMPLES 0` answers.
    pub memory_bytes: u64,
    /// What the allocator hands out for the key, its entry in the expires table included.
    pub allocated_bytes: u64,
    /// What `OBJECT ENCODING` answers.
    pub encoding: Encoding,
    /// What `memory_bytes` rests on.
    pub basis: Basis,
    /// Where the bytes are.
    pub parts: Parts,
}
