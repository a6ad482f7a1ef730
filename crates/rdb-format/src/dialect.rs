//! Which family of writers a file comes from, and its version number.

use std::fmt;

/// The family whose numbering of types and opcodes a file follows, told by its magic.
///
/// Valkey up to 8.x still writes the magic `REDIS` and RDB version 11, whose numbers both
/// families share; only Valkey 9 and later write `VALKEY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Magic `REDIS` and four digits.
    Redis,
    /// Magic `VALKEY` and three digits (Valkey 9.0, `src/rdb.c`).
    Valkey,
}

/// The magic and version number at the start of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileVersion {
    /// The family that the magic names.
    pub dialect: Dialect,
    /// The RDB version: 1 and up for Redis, 80 and up for Valkey.
    pub number: u32,
}

impl FileVersion {
    /// The newest RDB version whose layout this crate family knows: 15 (Redis 8.10), 80 (Valkey 9.0).
    #[must_use]
    pub const fn newest_known(dialect: Dialect) -> u32 {
        match dialect {
            Dialect::Redis => 15,
            Dialect::Valkey => 80,
        }
    }

    /// Whether no release known to us writes this version.
    #[must_use]
    pub const fn is_newer_than_known(self) -> bool {
        self.number > Self::newest_known(self.dialect)
    }

    /// Whether the file ends with an eight-byte checksum: RDB 5 and later.
    #[must_use]
    pub const fn has_checksum(self) -> bool {
        match self.dialect {
            Dialect::Redis => self.number >= 5,
            Dialect::Valkey => true,
        }
    }

    /// Whether numbers added by Redis 7.4 and later (RDB 12) may be read with Redis' meaning.
    ///
    /// Up to RDB 11 both families share one table, and type codes from 22 up do not exist.
    #[must_use]
    pub const fn is_redis_12_or_later(self) -> bool {
        matches!(self.dialect, Dialect::Redis) && self.number >= 12
    }

    /// The releases that write this version, for messages.
    #[must_use]
    pub const fn writers(self) -> &'static str {
        match (self.dialect, self.number) {
            (Dialect::Redis, 1) => "Redis up to 2.2",
            (Dialect::Redis, 2) => "Redis 2.4",
            (Dialect::Redis, 3..=5) => "development builds before Redis 2.6",
            (Dialect::Redis, 6) => "Redis 2.6 to 3.0",
            (Dialect::Redis, 7) => "Redis 3.2",
            (Dialect::Redis, 8) => "Redis 4.0",
            (Dialect::Redis, 9) => "Redis 5.0 to 6.2",
            (Dialect::Redis, 10) => "Redis 7.0",
            (Dialect::Redis, 11) => "Redis 7.2, Valkey 7.2 to 8.1",
            (Dialect::Redis, 12) => "Redis 7.4 to 8.4",
            (Dialect::Redis, 13) => "Redis 8.6",
            (Dialect::Redis, 14) => "Redis 8.8",
            (Dialect::Redis, 15) => "Redis 8.10",
            (Dialect::Valkey, 80) => "Valkey 9.0 and 9.1",
            _ => "no release known to rdblens",
        }
    }
}

impl fmt::Display for FileVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.dialect {
            Dialect::Redis => write!(f, "REDIS{:04}", self.number),
            Dialect::Valkey => write!(f, "VALKEY{:03}", self.number),
        }
    }
}
