//! Errors: what happened, where, and what is still known.

use std::fmt;

use rdb_format::{FileVersion, OpCode, TypeCode};

use crate::ErrorKind;

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
