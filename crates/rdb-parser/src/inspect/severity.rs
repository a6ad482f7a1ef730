//! What servers make of a fault.

use rdb_format::TypeCode;

use crate::ErrorKind;

/// What servers make of a fault in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Redis 8.10 and Valkey 9.1 refuse the whole file, whatever their settings. Older servers look at less.
    Fatal,
    /// Servers that look closely refuse the whole file: Valkey 9, and Redis with `sanitize-dump-payload yes`.
    /// Others load it and may answer wrongly or crash later.
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

    /// What servers make of such a fault in a value of this type. Source: `rdbLoadObject` in `src/rdb.c` of
    /// Redis 7.0 to 8.10 and Valkey 9.1.
    #[must_use]
    pub const fn of(kind: ErrorKind, code: TypeCode) -> Self {
        // Ziplists and zipmaps are turned into listpacks on load, which reads every entry.
        let is_converted = matches!(code.0, 9 | 10 | 12 | 13 | 14);
        match kind {
            // "Empty array (count == 0) is invalid".
            ErrorKind::EmptyValue if code.0 == TypeCode::ARRAY.0 => Self::Fatal,
            ErrorKind::EmptyValue => Self::Dropped,
            ErrorKind::EmptyNode
            | ErrorKind::ScoreOrder
            | ErrorKind::StreamEntryOrder
            | ErrorKind::StreamDeletedCount { .. } => Self::Odd,
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
                Self::Deep
            }
            // Small plain hashes become a listpack, which is looked through only on request.
            ErrorKind::Duplicate if matches!(code.0, 4 | 16 | 17 | 20 | 22..=25) => Self::Deep,
            ErrorKind::IntsetOrder
            | ErrorKind::BadStreamEntry
            | ErrorKind::NotAnInteger
            | ErrorKind::FieldTtlOrder
            | ErrorKind::PendingUnowned => Self::Deep,
            // Scores of packed sorted sets are taken as they are.
            ErrorKind::NanScore | ErrorKind::BadScore if matches!(code.0, 12 | 17) => Self::Odd,
            _ => Self::Fatal,
        }
    }
}
