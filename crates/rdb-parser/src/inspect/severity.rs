//! What servers make of a fault.

use rdb_format::{Dialect, FileVersion, TypeCode};

use crate::ErrorKind;

/// Which of the newest servers refuse the whole file for a fault.
///
/// What is said here was asked of servers: `fixtures/faults.json` has a file for each kind and their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Refusers {
    /// Redis 8.10 as it comes.
    pub redis: bool,
    /// Redis 8.10 with `sanitize-dump-payload yes`.
    pub sanitizing: bool,
    /// Valkey 9.1, which looks as closely whatever its settings.
    pub valkey: bool,
}

impl Refusers {
    /// All of them.
    pub const ALL: Self = Self { redis: true, sanitizing: true, valkey: true };
    /// None of them.
    pub const NONE: Self = Self { redis: false, sanitizing: false, valkey: false };
    /// Those that look at every entry.
    const CLOSE: Self = Self { redis: false, ..Self::ALL };
    const REDIS: Self = Self { valkey: false, ..Self::ALL };
    const VALKEY: Self = Self { valkey: true, ..Self::NONE };

    /// Those of either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self {
            redis: self.redis || other.redis,
            sanitizing: self.sanitizing || other.sanitizing,
            valkey: self.valkey || other.valkey,
        }
    }

    /// Those that read files of this version at all.
    #[must_use]
    pub const fn that_read(self, version: FileVersion) -> Self {
        let redis = matches!(version.dialect, Dialect::Redis);
        // Valkey keeps to what it shares with Redis 7.2 (`rdb-version-check strict`).
        let valkey = matches!(version.dialect, Dialect::Valkey) || version.number <= 11;
        Self {
            redis: self.redis && redis,
            sanitizing: self.sanitizing && redis,
            valkey: self.valkey && valkey,
        }
    }

    /// Their names, for machines.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [(self.redis, "redis-8.10"), (self.sanitizing, "redis-8.10-sanitizing"), (self.valkey, "valkey-9.1")]
            .into_iter()
            .filter_map(|(refuses, name)| refuses.then_some(name))
    }

    /// Who refuses a file for such a fault in a value of this type.
    ///
    /// `is_table`: the value passes the limits within which servers pack such values, so that they turn it
    /// into a table as they load it, and look at every element.
    ///
    /// Source: `rdbLoadObject` in `src/rdb.c` of Redis 8.10 and Valkey 9.1.
    #[must_use]
    pub const fn of(kind: ErrorKind, code: TypeCode, version: FileVersion, is_table: bool) -> Self {
        let of_redis = matches!(version.dialect, Dialect::Redis);
        // Ziplists and zipmaps are turned into listpacks on load, which reads every entry.
        let is_converted = matches!(code.0, 9 | 10 | 12 | 13 | 14);
        let refusers = match kind {
            // "Empty array (count == 0) is invalid".
            ErrorKind::EmptyValue if code.0 == TypeCode::ARRAY.0 => Self::ALL,
            ErrorKind::EmptyNode if is_stream(code) => Self::ALL,
            ErrorKind::EmptyValue
            | ErrorKind::EmptyNode
            | ErrorKind::ScoreOrder
            | ErrorKind::StreamEntryOrder
            | ErrorKind::StreamFirstId(_)
            | ErrorKind::StreamLastId(_)
            | ErrorKind::StreamDeletedId(_)
            | ErrorKind::NackedTwice
            | ErrorKind::ProducerTwice
            | ErrorKind::ArrayOrder
            | ErrorKind::VectorIdTwice(_) => Self::NONE,
            ErrorKind::EntrySizeBehind { .. }
            | ErrorKind::EntrySizeBefore { .. }
            | ErrorKind::TailOffset { .. }
            | ErrorKind::BadEntry(_)
            | ErrorKind::EntryPastEnd
            | ErrorKind::EntryCount { .. }
            | ErrorKind::UnevenEntries { .. }
            | ErrorKind::BadTerminator
                if !is_converted =>
            {
                Self::CLOSE
            }
            // The element stands in its graph, and its name leads to the later one.
            ErrorKind::Duplicate if code.0 == TypeCode::MODULE_2.0 => Self::NONE,
            // A listpack is looked through only on request; a table refuses to hold a name twice.
            ErrorKind::Duplicate
                if matches!(code.0, 4 | 11 | 16 | 17 | 20) || (matches!(code.0, 22..=25) && of_redis) =>
            {
                if is_table {
                    Self::ALL
                } else {
                    Self::CLOSE
                }
            }
            // `listpackExAddNew` asserts that expiries are integers.
            ErrorKind::NotAnInteger if matches!(code.0, 23 | 25 | 29 | 30) => Self::ALL,
            ErrorKind::FieldTtlRange(_) if matches!(code.0, 23 | 25) => Self::CLOSE,
            // Valkey takes any that is not negative.
            ErrorKind::FieldTtlRange(0..) if code.0 == 22 && !of_redis => Self::NONE,
            ErrorKind::IntsetOrder
            | ErrorKind::BadStreamEntry
            | ErrorKind::NotAnInteger
            | ErrorKind::StreamDeletedCount { .. }
            | ErrorKind::FieldTtlOrder
            | ErrorKind::PendingUnowned => Self::CLOSE,
            // "Stream listpack bad entry count", "entries_added inconsistent with length", "cgroup
            // entries_read inconsistent with entries_added".
            ErrorKind::StreamNodeEmpty | ErrorKind::StreamAdded { .. } | ErrorKind::GroupRead { .. } => {
                Self::REDIS
            }
            // Redis takes the scores of packed sorted sets as they are, and words are 0 to Valkey.
            ErrorKind::NanScore if matches!(code.0, 12 | 17) => Self::VALKEY,
            ErrorKind::BadScore if matches!(code.0, 12 | 17) => Self::NONE,
            _ => Self::ALL,
        };
        refusers.that_read(version)
    }
}

const fn is_stream(code: TypeCode) -> bool {
    matches!(code.0, 15 | 19 | 21 | 26 | 27)
}

/// What servers make of a fault in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Redis 8.10 and Valkey 9.1, as far as they read files of this version, refuse the whole file, whatever
    /// their settings. Older servers look at less.
    Fatal,
    /// Some of them refuse the whole file; [`Refusers`] tells which. Mostly it is those that look closely:
    /// Valkey 9, and Redis with `sanitize-dump-payload yes`. Others load it and may answer wrongly or crash
    /// later.
    Deep,
    /// Servers since 7.0 load the file without this key.
    Dropped,
    /// The file loads, but no server would have written this.
    Odd,
}

impl Severity {
    /// One word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fatal => "fatal",
            Self::Deep => "deep",
            Self::Dropped => "dropped",
            Self::Odd => "odd",
        }
    }

    /// Whether some server refuses the file for it.
    #[must_use]
    pub const fn is_damage(self) -> bool {
        matches!(self, Self::Fatal | Self::Deep)
    }

    /// How bad a fault of this kind is in a file of this version that these refuse.
    #[must_use]
    pub const fn of(kind: ErrorKind, refusers: Refusers, version: FileVersion) -> Self {
        let readers = Refusers::ALL.that_read(version);
        let Refusers { redis, sanitizing, valkey } = refusers;
        // A version that nobody reads yet is told beside the faults.
        if redis >= readers.redis && valkey >= readers.valkey && (redis || valkey) {
            Self::Fatal
        } else if redis || sanitizing || valkey {
            Self::Deep
        } else if matches!(kind, ErrorKind::EmptyValue) {
            Self::Dropped
        } else {
            Self::Odd
        }
    }
}
