//! What can be wrong, and the words for it.

use std::fmt;

use crate::StreamId;

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
    /// A packed value whose last byte is no end mark.
    NoEndMark,
    /// A node of a stream whose entries are all deleted, or that has none.
    StreamNodeEmpty,
    /// A stream that names another first entry than it has.
    StreamFirstId(StreamId),
    /// A stream with entries behind the last identifier that it says it ever had.
    StreamLastId(StreamId),
    /// A stream whose largest deleted identifier is behind the last one it says it ever had.
    StreamDeletedId(StreamId),
    /// A stream with more entries than were ever added to it.
    StreamAdded {
        /// Entries ever added, as it says.
        added: u64,
        /// Entries it has, as it says.
        len: u64,
    },
    /// A consumer group that has read more entries than were ever added to its stream.
    GroupRead {
        /// Entries read, as the group says.
        read: u64,
        /// Entries ever added, as the stream says.
        added: u64,
    },
    /// An entry that was given back, and that its group does not have.
    NackedUnknown,
    /// An entry that was given back, and that a consumer has.
    NackedOwned,
    /// An entry that was given back twice.
    NackedTwice,
    /// A stream that remembers producers for a time that servers do not accept.
    IdmpDuration(u64),
    /// A stream that remembers a number of identifiers that servers do not accept.
    IdmpMaxEntries(u64),
    /// A producer, or one of its identifiers, that stands twice.
    ProducerTwice,
    /// A hash whose least expiry is no time that servers accept.
    LeastExpiry(i64),
    /// A hash template without fields.
    TemplateEmpty,
    /// A hash template whose fields do not ascend by length, then bytes.
    TemplateOrder,
    /// A hash template whose names cannot be read.
    TemplateNames,
    /// A templated hash with another number of values than its template has fields.
    TemplateValues {
        /// Values it has.
        values: u64,
        /// Fields of its template.
        fields: u64,
    },
    /// An array element at an index that no array reaches.
    ArrayIndex(u64),
    /// An array whose insert cursor is at an index that no array reaches.
    ArrayCursor(u64),
    /// An array element of more bytes than its tag allows.
    ArrayShortText(u64),
    /// An array whose indexes do not ascend.
    ArrayOrder,
    /// A vector set that has other parts than it announces.
    VectorParts,
    /// A vector set written in a version of its format that no release knows.
    VectorEncoding(u16),
    /// A vector set with a number of dimensions that servers do not accept.
    VectorDim(u64),
    /// A vector set with an unknown quantisation.
    VectorQuantisation(u64),
    /// A vector, or a projection matrix, of another size than its vector set announces.
    VectorSize {
        /// Bytes it has.
        bytes: u64,
        /// Bytes it must have.
        expected: u64,
    },
    /// A node of a vector set's graph that cannot be read.
    VectorNode,
    /// A vector set with links that nothing links back, or that lead to the same element.
    VectorLinks,
    /// An identifier that two elements of a vector set share.
    VectorIdTwice(u64),
    /// A function library as release candidates of Redis 7.0 wrote it.
    FunctionPreGa,
    /// A function library whose source does not start with its engine and name.
    FunctionHeader,
    /// A function library whose name another one has.
    FunctionTwice,
    /// A value of a type that no release reads.
    UnreleasedType(u8),
    /// An idle time that servers take for damage.
    IdleTime,
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
            Self::NoEndMark => write!(f, "packed value does not end with its end mark"),
            Self::StreamNodeEmpty => write!(f, "stream node without live entries"),
            Self::StreamFirstId(id) => write!(f, "stream says that its first entry is {id}, it is another"),
            Self::StreamLastId(id) => write!(f, "stream says that it never had an entry behind {id}, it has"),
            Self::StreamDeletedId(id) => {
                write!(f, "stream says that entry {id} was deleted, it is behind the last one ever added")
            }
            Self::StreamAdded { added, len } => {
                write!(f, "stream says that {added} entries were ever added to it, it has {len}")
            }
            Self::GroupRead { read, added } => {
                write!(f, "group says that it has read {read} entries, {added} were ever added to the stream")
            }
            Self::NackedUnknown => write!(f, "entry was given back that its group does not have"),
            Self::NackedOwned => write!(f, "entry was given back and belongs to a consumer"),
            Self::NackedTwice => write!(f, "entry was given back twice"),
            Self::IdmpDuration(seconds) => {
                write!(f, "stream remembers producers for {seconds} seconds instead of 1 to 86400")
            }
            Self::IdmpMaxEntries(entries) => {
                write!(f, "stream remembers {entries} identifiers of a producer instead of 1 to 10000")
            }
            Self::ProducerTwice => write!(f, "producer, or an identifier of it, stands twice"),
            Self::LeastExpiry(ms) => write!(f, "least expiry of the fields is {ms}, which servers refuse"),
            Self::TemplateEmpty => write!(f, "hash template without fields"),
            Self::TemplateOrder => {
                write!(f, "fields of the hash template do not ascend by length, then bytes")
            }
            Self::TemplateNames => write!(f, "names of the hash template cannot be read"),
            Self::TemplateValues { values, fields } => {
                write!(f, "hash has {values} values, its template has {fields} fields")
            }
            Self::ArrayIndex(index) => write!(f, "array element at index {index}, which no array reaches"),
            Self::ArrayCursor(index) => write!(f, "array cursor at index {index}, which no array reaches"),
            Self::ArrayShortText(len) => write!(f, "array element of {len} bytes is tagged as of 7 at most"),
            Self::ArrayOrder => write!(f, "array indexes do not ascend"),
            Self::VectorParts => write!(f, "vector set has other parts than it announces"),
            Self::VectorEncoding(version) => write!(f, "vector set in the unknown format version {version}"),
            Self::VectorDim(dim) => write!(f, "vector set of {dim} dimensions instead of 1 to 65536"),
            Self::VectorQuantisation(kind) => write!(f, "vector set with unknown quantisation {kind}"),
            Self::VectorSize { bytes, expected } => {
                write!(f, "vector or projection matrix has {bytes} bytes instead of {expected}")
            }
            Self::VectorNode => write!(f, "node of the vector set's graph does not add up"),
            Self::VectorLinks => {
                write!(f, "links of the vector set's graph do not all lead to another element and back")
            }
            Self::VectorIdTwice(id) => write!(f, "two elements of the vector set have the identifier {id}"),
            Self::FunctionPreGa => {
                write!(
                    f,
                    "function library in the form of Redis 7.0 release candidates, which servers refuse"
                )
            }
            Self::FunctionHeader => {
                write!(f, "function library does not start with `#!` and engine, `name=` and a name")
            }
            Self::FunctionTwice => write!(f, "function library stands twice"),
            Self::UnreleasedType(code) => write!(f, "type {code} was in no release"),
            Self::IdleTime => write!(f, "idle time of 2^64-1 seconds, which servers take for damage"),
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
