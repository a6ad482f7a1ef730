//! Keys as the scanner finds them.

use rdb_format::{FileVersion, TypeCode};

use crate::hash_templates::HashTemplates;
use crate::value::{self, Surroundings};
use crate::{Context, Error, ErrorKind, Fault, Limits, RdbStr, Reach, ValueVisitor};

/// What the file says about a key beside its value. Each is consumed by exactly one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyAttrs {
    /// When the key expires, in milliseconds since 1970.
    pub expire_at_ms: Option<i64>,
    /// Seconds since the key was last used (only under an LRU `maxmemory-policy`).
    pub idle_seconds: Option<u64>,
    /// The logarithmic LFU counter (only under an LFU `maxmemory-policy`).
    pub freq: Option<u8>,
    /// How many classes of module metadata the key carries (Redis 8.6).
    pub meta_classes: u8,
    /// How many of them a server must know that is to read the key.
    pub meta_needed: u8,
}

/// A key whose value is about to be walked.
#[derive(Clone, Copy, Debug)]
pub struct KeyHead<'a> {
    /// The database.
    pub db: u64,
    /// The key's name.
    pub key: RdbStr<'a>,
    /// How the value is written.
    pub type_code: TypeCode,
    /// What the file says about the key.
    pub attrs: KeyAttrs,
    /// The file's dialect and version.
    pub version: FileVersion,
    /// Where the record starts, attributes included, in bytes from the start of the RDB data.
    pub offset: u64,
}

/// A whole record: a key, and where its value stands.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The key and what the file says about it.
    pub head: KeyHead<'a>,
    /// The value's bytes, undecoded.
    pub value: &'a [u8],
    /// Where the value starts, in bytes from the start of the RDB data.
    pub value_offset: u64,
    /// Length of the record in the file: attributes, type, key and value.
    pub serialized_bytes: u64,
}

impl<'a> Record<'a> {
    /// Walks the value again, with a visitor of the caller.
    ///
    /// # Errors
    ///
    /// None for records that the scanner found: it has walked them before.
    pub fn walk<V: ValueVisitor<'a>>(&self, templates: &HashTemplates, visitor: &mut V) -> Result<(), Error> {
        let around = Surroundings { version: self.head.version, templates, limits: Limits::default() };
        match value::walk(self.value, self.head.type_code, around, visitor) {
            Ok(_) => Ok(()),
            Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => {
                Err(self.error_in_string(fault, RdbStr::Raw(self.value)))
            }
            Err(nom::Err::Incomplete(_)) => {
                Err(self.error_at(ErrorKind::Truncated { missing: 1 }, self.value))
            }
        }
    }

    /// An error about this record's value, which the walk told a visitor of ([`ValueVisitor::fault`]).
    #[must_use]
    pub fn error_at(&self, kind: ErrorKind, at: &[u8]) -> Error {
        Error::new(kind, self.position_of(at), Reach::Value, self.context())
    }

    /// An error about the decoded bytes of a string of this record's value.
    ///
    /// The offset is that of the fault in the file; where LZF data stands between, that of the data,
    /// and the place in the inflated bytes is told beside it.
    #[must_use]
    pub fn error_in_string(&self, fault: Fault, within: RdbStr<'a>) -> Error {
        let mut context = self.context();
        let offset = match within {
            RdbStr::Raw(bytes) => self.position_of(bytes) + bytes.len().saturating_sub(fault.left) as u64,
            RdbStr::Int(_) => self.value_offset,
            RdbStr::Lzf(lzf) if fault.kind.is_about_lzf() => {
                self.position_of(lzf.packed) + lzf.packed.len().saturating_sub(fault.left) as u64
            }
            RdbStr::Lzf(lzf) => {
                context.inflated_pos = lzf.len.checked_sub(fault.left as u64);
                self.position_of(lzf.packed)
            }
        };
        Error::new(fault.kind, offset, Reach::Value, context)
    }

    /// Where a slice of this record's value stands in the RDB data; the value's start for a
    /// slice that is none of it.
    fn position_of(&self, within: &[u8]) -> u64 {
        let distance = (within.as_ptr() as usize).wrapping_sub(self.value.as_ptr() as usize);
        if distance <= self.value.len() { self.value_offset + distance as u64 } else { self.value_offset }
    }

    /// Which key and type an error about this record belongs to.
    #[must_use]
    pub fn context(&self) -> Context {
        self.head.context()
    }
}

impl KeyHead<'_> {
    /// How many bytes of a name an error keeps.
    const MAX_NAMED_BYTES: u64 = 1024;

    pub(crate) fn context(&self) -> Context {
        // The start of a name is enough to find it, and an error must not take more room than the file.
        let mut scratch = Vec::new();
        let start = self.key.prefix(Self::MAX_NAMED_BYTES, Limits::default(), &mut scratch).ok();
        let key = start.map(|start| Box::from(start.get(..Self::MAX_NAMED_BYTES as usize).unwrap_or(start)));
        Context {
            db: Some(self.db),
            key,
            type_code: Some(self.type_code),
            version: Some(self.version),
            record_offset: Some(self.offset),
            ..Context::default()
        }
    }
}
