//! Errors: what happened, where, and what is still known.

use std::fmt;

use rdb_format::{FileVersion, OpCode, TypeCode};

/// What an error leaves to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// The record's end is known: this value is lost, everything after it is read exactly.
    Value,
    /// Where the next record starts is unknown: everything before this offset stands.
    Framing,
    /// Nothing can be read.
    File,
}

/// What is wrong. Variants carry the offending value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file does not start like an RDB file; `looks_like` says what it seems to be.
    NotRdb {
        /// A few words about what starts like this, if known.
        looks_like: &'static str,
    },
    /// The bytes do not look like an answer of DUMP.
    NotPayload {
        /// A few words about what they look like.
        looks_like: &'static str,
    },
    /// Where an answer of DUMP has its RDB version stands a number that is none.
    PayloadVersion(u16),
    /// The value of an answer of DUMP does not end where its version stands.
    PayloadEnd {
        /// Where the version stands.
        footer: u64,
    },
    /// The magic is right, the digits after it are no version number.
    BadVersion,
    /// The bytes end inside something that needs more of them.
    Truncated {
        /// How many bytes are missing at least.
        missing: u64,
    },
    /// A first byte that starts no length.
    BadLengthByte(u8),
    /// A length where a string form stands that has no length.
    BadStringForm(u8),
    /// A length that does not fit into memory of any machine.
    LengthOverflow(u64),
    /// A byte that is neither a known opcode nor a known value type of this file's dialect and version.
    UnknownType(u8),
    /// A module value of a Redis 4.0 release candidate, which carries no framing.
    UnframedModule,
    /// A tag inside module data that has no meaning.
    BadModuleTag(u64),
    /// Module data outside keys that does not start with its `when` field.
    BadModuleAux(u64),
    /// A templated hash refers to a template that the file has not defined.
    UnknownTemplate(u64),
    /// A template that is already defined.
    DuplicateTemplate(u64),
    /// A templated hash names its fields in a format that is neither 0 nor 1.
    BadTemplateFormat(u64),
    /// An array whose cursor flag is neither 0 nor 1.
    BadArrayCursor(u64),
    /// An array element with a tag above 3.
    BadArrayTag(u64),
    /// More key metadata classes than the seven that exist.
    TooManyKeyMeta(u64),
    /// Something other than a value type after key metadata.
    DanglingKeyMeta(u8),
    /// LZF data that ends inside an instruction.
    LzfCut,
    /// An LZF back reference to before the start of the output.
    LzfBadDistance(u32),
    /// LZF data that makes more bytes than it declares.
    LzfTooLong {
        /// Bytes declared.
        declared: u64,
    },
    /// LZF data that makes fewer bytes than it declares.
    LzfTooShort {
        /// Bytes declared.
        declared: u64,
        /// Bytes made.
        made: u64,
    },
    /// LZF data that declares more than its input can ever make.
    LzfRatio {
        /// Bytes declared.
        declared: u64,
        /// Bytes of LZF data.
        packed: u64,
    },
    /// LZF data that declares more than the reader has allowed ([`Limits`](crate::Limits)).
    LzfLimit {
        /// Bytes declared.
        declared: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A packed value (listpack, ziplist, intset, zipmap) whose header names another size than its own.
    PackedSize {
        /// Size in its header.
        declared: u64,
        /// Size it has.
        actual: u64,
    },
    /// A packed value that is too short for its header.
    PackedHeader,
    /// An entry of a packed value that starts with a byte without meaning.
    BadEntry(u8),
    /// An entry of a packed value that passes its end.
    EntryPastEnd,
    /// A packed value with bytes behind its end mark, or without one.
    BadTerminator,
    /// A packed value with another number of entries than its header says.
    EntryCount {
        /// Number in the header.
        declared: u64,
        /// Number of entries found.
        found: u64,
    },
    /// A packed value whose entries do not come in whole groups (pairs, triples).
    UnevenEntries {
        /// Number of entries.
        entries: u64,
        /// Size of a group.
        group: u64,
    },
    /// An entry that must be an integer and is not.
    NotAnInteger,
    /// An intset whose element width is not 2, 4 or 8.
    IntsetWidth(u32),
    /// A quicklist node that is neither plain (1) nor packed (2).
    BadContainer(u64),
    /// A stream node whose key is not 16 bytes.
    StreamNodeKey(u64),
    /// A stream entry whose structure does not add up.
    BadStreamEntry,
    /// A field's expiry that overflows 64 bits.
    TtlOverflow,
    /// A score text that is no number.
    BadScore,
    /// A listpack entry with another size behind it than its own.
    EntrySizeBehind {
        /// Size behind it.
        stored: u64,
        /// Size it has.
        actual: u64,
    },
    /// A ziplist entry with another size in front of it than that of the entry before.
    EntrySizeBefore {
        /// Size in front of it.
        stored: u64,
        /// Size of the entry before.
        actual: u64,
    },
    /// A ziplist whose header says that its last entry is elsewhere.
    TailOffset {
        /// Place in the header.
        stored: u64,
        /// Where it is.
        actual: u64,
    },
    /// An intset whose elements do not ascend.
    IntsetOrder,
    /// A member, field, group, consumer or pending entry that stands twice in its value.
    Duplicate,
    /// A score that is not a number.
    NanScore,
    /// A packed sorted set whose scores do not ascend.
    ScoreOrder,
    /// A collection without elements.
    EmptyValue,
    /// A node of a list or stream without elements.
    EmptyNode,
    /// A stream whose length is not the number of its live entries.
    StreamLength {
        /// Length it states.
        declared: u64,
        /// Live entries that its nodes count.
        found: u64,
    },
    /// Stream nodes, or the entries in them, whose identifiers do not ascend.
    StreamEntryOrder,
    /// A stream node with another number of deleted entries than it says.
    StreamDeletedCount {
        /// Number it says.
        declared: u64,
        /// Number found.
        found: u64,
    },
    /// A pending entry of a consumer that its group does not have.
    PendingUnknown,
    /// A pending entry of a consumer that another consumer has.
    PendingTwice,
    /// A pending entry of a group that no consumer has.
    PendingUnowned,
    /// A field whose expiry is no time that servers accept.
    FieldTtlRange(i64),
    /// Fields of a packed hash that do not stand in the order of their expiries.
    FieldTtlOrder,
    /// A key that stands twice in its database.
    DuplicateKey,
    /// A run of zero bytes that would read like records: strings without a name and without bytes.
    ZeroRun,
    /// The checksum at the end does not match the bytes before it.
    Checksum {
        /// What the file says.
        stored: u64,
        /// What its bytes give.
        computed: u64,
    },
}

impl ErrorKind {
    /// One word for it, for machines: the variant's name in small letters with hyphens.
    #[must_use]
    pub fn word(self) -> String {
        let name = format!("{self:?}");
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let mut word = String::with_capacity(name.len() + 4);
        for c in name.chars() {
            if c.is_ascii_uppercase() && !word.is_empty() {
                word.push('-');
            }
            word.push(c.to_ascii_lowercase());
        }
        word
    }

    /// Whether it is about LZF data itself, not about what the data inflates to.
    pub(crate) const fn is_about_lzf(self) -> bool {
        matches!(
            self,
            Self::LzfCut
                | Self::LzfBadDistance(_)
                | Self::LzfTooLong { .. }
                | Self::LzfTooShort { .. }
                | Self::LzfRatio { .. }
                | Self::LzfLimit { .. }
        )
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotRdb { looks_like: "" } => {
                write!(f, "not an RDB file: it starts with neither REDIS nor VALKEY")
            }
            Self::NotRdb { looks_like } => write!(f, "not an RDB file: {looks_like}"),
            Self::NotPayload { looks_like } => write!(f, "not an answer of DUMP: {looks_like}"),
            Self::PayloadVersion(number) => write!(
                f,
                "not a whole answer of DUMP: the RDB version in its last ten bytes would be {number}"
            ),
            Self::PayloadEnd { footer } => {
                write!(f, "the value ends here, the RDB version that follows it stands at {footer}")
            }
            Self::BadVersion => write!(f, "the magic is not followed by a version number"),
            Self::Truncated { missing: 0 | 1 } => write!(f, "the file ends here, at least 1 byte is missing"),
            Self::Truncated { missing } => {
                write!(f, "the file ends here, at least {missing} bytes are missing")
            }
            Self::BadLengthByte(byte) => write!(f, "byte 0x{byte:02x} starts no length"),
            Self::BadStringForm(byte) => write!(f, "byte 0x{byte:02x} starts no string"),
            Self::LengthOverflow(len) => write!(f, "length {len} is larger than any memory"),
            Self::UnknownType(byte) => write!(f, "unknown type or opcode {byte} (0x{byte:02x})"),
            Self::UnframedModule => {
                write!(
                    f,
                    "module value of type 6 (Redis 4.0 release candidates), whose end only the module knows"
                )
            }
            Self::BadModuleTag(tag) => write!(f, "module data has the unknown tag {tag}"),
            Self::BadModuleAux(tag) => {
                write!(f, "module data outside keys starts with tag {tag} instead of 2")
            }
            Self::UnknownTemplate(id) => write!(f, "hash template {id} is not defined in this file"),
            Self::DuplicateTemplate(id) => write!(f, "hash template {id} is defined twice"),
            Self::BadTemplateFormat(format) => write!(f, "hash template format {format} is neither 0 nor 1"),
            Self::BadArrayCursor(flag) => write!(f, "array cursor flag {flag} is neither 0 nor 1"),
            Self::BadArrayTag(tag) => write!(f, "array element with unknown tag {tag}"),
            Self::TooManyKeyMeta(classes) => write!(f, "{classes} classes of key metadata, 7 is the most"),
            Self::DanglingKeyMeta(byte) => {
                write!(f, "key metadata is followed by byte 0x{byte:02x} instead of a value type")
            }
            Self::LzfCut => write!(f, "LZF data ends inside an instruction"),
            Self::LzfBadDistance(distance) => {
                write!(f, "LZF back reference of {distance} bytes reaches before the start")
            }
            Self::LzfTooLong { declared } => {
                write!(f, "LZF data makes more than the {declared} bytes it declares")
            }
            Self::LzfTooShort { declared, made } => {
                write!(f, "LZF data makes {made} bytes, {declared} are declared")
            }
            Self::LzfRatio { declared, packed } => {
                write!(f, "{packed} bytes of LZF data declare {declared} bytes, more than they may make")
            }
            Self::LzfLimit { declared, limit } => write!(
                f,
                "LZF data declares {declared} bytes, and no more than {limit} are allowed (--max-inflated)"
            ),
            Self::PackedSize { declared, actual } => {
                write!(f, "packed value of {actual} bytes says it has {declared}")
            }
            Self::PackedHeader => write!(f, "packed value is too short for its header"),
            Self::BadEntry(byte) => write!(f, "packed entry starts with the unknown byte 0x{byte:02x}"),
            Self::EntryPastEnd => write!(f, "packed entry passes the end of its value"),
            Self::BadTerminator => write!(f, "packed value does not end at its end mark"),
            Self::EntryCount { declared, found } => {
                write!(f, "packed value has {found} entries, its header says {declared}")
            }
            Self::UnevenEntries { entries, group } => {
                write!(f, "{entries} packed entries do not make whole groups of {group}")
            }
            Self::NotAnInteger => write!(f, "a packed entry that must be an integer is not"),
            Self::IntsetWidth(width) => write!(f, "intset with elements of {width} bytes"),
            Self::BadContainer(container) => write!(f, "quicklist node of unknown kind {container}"),
            Self::StreamNodeKey(len) => write!(f, "stream node with a key of {len} bytes instead of 16"),
            Self::BadStreamEntry => write!(f, "stream entry does not add up"),
            Self::TtlOverflow => write!(f, "field expiry does not fit 64 bits"),
            Self::BadScore => write!(f, "score is no number"),
            Self::EntrySizeBehind { stored, actual } => {
                write!(f, "packed entry of size {actual} is followed by the size {stored}")
            }
            Self::EntrySizeBefore { stored, actual } => {
                write!(f, "packed entry says that the one before it has {stored} bytes, it has {actual}")
            }
            Self::TailOffset { stored, actual } => {
                write!(f, "last packed entry is at {actual}, the header says {stored}")
            }
            Self::IntsetOrder => write!(f, "intset does not ascend"),
            Self::Duplicate => write!(f, "stands twice in its value"),
            Self::NanScore => write!(f, "score is not a number (NaN)"),
            Self::ScoreOrder => write!(f, "sorted set is not in the order of its scores"),
            Self::ZeroRun => write!(f, "zero bytes stand where a record should"),
            Self::EmptyValue => write!(f, "collection without elements"),
            Self::EmptyNode => write!(f, "node without elements"),
            Self::StreamLength { declared, found } => {
                write!(f, "stream says it has {declared} entries, its nodes have {found}")
            }
            Self::StreamEntryOrder => write!(f, "stream entries do not ascend"),
            Self::StreamDeletedCount { declared, found } => {
                write!(f, "stream node says it has {declared} deleted entries, it has {found}")
            }
            Self::PendingUnknown => write!(f, "consumer has a pending entry that its group does not have"),
            Self::PendingTwice => write!(f, "pending entry belongs to two consumers"),
            Self::PendingUnowned => write!(f, "pending entry belongs to no consumer"),
            Self::FieldTtlRange(ms) => write!(f, "field expires at {ms}, which servers refuse"),
            Self::FieldTtlOrder => write!(f, "fields are not in the order of their expiries"),
            Self::DuplicateKey => write!(f, "key stands twice in its database"),
            Self::Checksum { stored, computed } => {
                write!(
                    f,
                    "checksum (CRC64) mismatch: the file says {stored:016x}, its bytes give {computed:016x}"
                )
            }
        }
    }
}

/// An error inside one slice: what, and how many bytes were left where the offending field starts.
///
/// This is what the nom parsers of this crate return. It is small and knows no offsets; where the
/// slice's place in the file is known it becomes an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Bytes from the start of the offending field to the end of the slice that was parsed.
    pub left: usize,
}

impl Fault {
    /// A fault at the start of `input`.
    #[cold]
    #[must_use]
    pub fn at(kind: ErrorKind, input: &[u8]) -> Self {
        Self { kind, left: input.len() }
    }

    /// The same as an unrecoverable nom error.
    #[cold]
    pub(crate) fn fail<T>(kind: ErrorKind, input: &[u8]) -> Result<T, nom::Err<Self>> {
        Err(nom::Err::Failure(Self::at(kind, input)))
    }
}

impl nom::error::ParseError<&[u8]> for Fault {
    /// Only the complete combinators on packed values come here, and they only run out of bytes.
    #[cold]
    fn from_error_kind(input: &[u8], _: nom::error::ErrorKind) -> Self {
        Self::at(ErrorKind::EntryPastEnd, input)
    }

    fn append(_: &[u8], _: nom::error::ErrorKind, other: Self) -> Self {
        other
    }
}

/// Which key and type an error belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The database.
    pub db: Option<u64>,
    /// The key, when its name was read.
    pub key: Option<Box<[u8]>>,
    /// The value's type code, when it was read.
    pub type_code: Option<TypeCode>,
    /// For faults inside LZF data: the position in the inflated bytes.
    pub inflated_pos: Option<u64>,
    /// The file's magic and version, when they were read.
    pub version: Option<FileVersion>,
    /// Where the record that the error is in starts.
    pub record_offset: Option<u64>,
}

/// An error with its place in the file. One word wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    offset: u64,
    reach: Reach,
    context: Context,
}

impl Error {
    /// An error of `kind` at `offset`, in bytes from the start of the RDB data.
    #[cold]
    #[must_use]
    pub fn new(kind: ErrorKind, offset: u64, reach: Reach, context: Context) -> Self {
        Self(Box::new(Inner { kind, offset, reach, context }))
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Where the offending field starts, in bytes from the start of the RDB data.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// What can still be trusted.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.0.reach
    }

    /// Which key and type it belongs to.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.0.context
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, offset, context, .. } = &*self.0;
        write!(f, "offset 0x{offset:x} ({offset}): ")?;
        let type_name = context.type_code.zip(context.version).and_then(|(code, version)| code.name(version));
        let mut parts = 0;
        if let Some(name) = type_name {
            write!(f, "{name}")?;
            parts += 1;
        }
        if let Some(key) = &context.key {
            let of = if parts > 0 { " of " } else { "" };
            write!(f, "{of}key \"{}\"", crate::KeyExcerpt(key))?;
            parts += 1;
        }
        if let Some(db) = context.db {
            let within = if parts > 0 { " in " } else { "" };
            write!(f, "{within}db {db}")?;
            parts += 1;
        }
        if parts > 0 {
            write!(f, ": ")?;
        }
        write!(f, "{kind}")?;
        if let Some(pos) = context.inflated_pos {
            write!(f, " (byte {pos} of the inflated data)")?;
        }
        if let (ErrorKind::Truncated { .. }, Some(start)) = (kind, context.record_offset) {
            write!(f, " (the record starts at {start})")?;
        }
        if let (ErrorKind::UnknownType(byte), Some(version)) = (kind, context.version) {
            write!(f, "; the file says {version}")?;
            if version.is_newer_than_known() {
                let newest = FileVersion::newest_known(version.dialect);
                write!(f, ", the newest version known is {newest}")?;
            } else if let Some(hint) = foreign_hint(*byte, version) {
                write!(f, ", {hint}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// What an unknown byte suggests about the writer of the file. Source: the forks' own sources.
fn foreign_hint(byte: u8, version: FileVersion) -> Option<&'static str> {
    match byte {
        64 => Some("this looks like a KeyDB cron job"),
        107 | 121 | 101 | 102 => Some("this looks like a Redis Enterprise file"),
        200..=220 => Some("this looks like a Dragonfly file"),
        0xef => Some("bytes EF BF BD in place of others mean that the file was converted as if it were text"),
        22..=33 if TypeCode(byte).object_type(version).is_none() => {
            Some("a type of a newer format under an older version number")
        }
        _ if OpCode(byte).name(version).is_some() => {
            Some("an opcode of a newer format under an older version number")
        }
        _ => None,
    }
}
