//! What a packed value holds.

use crate::rdb_str::{decimal_len, parse_i64, write_decimal};
use crate::{ErrorKind, Fault};

/// An entry of a packed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A string.
    Str(&'a [u8]),
    /// An integer that stands for its decimal text.
    Int(i64),
}

impl<'a> Entry<'a> {
    /// Length of the text in bytes.
    #[inline]
    #[must_use]
    pub fn len(self) -> u64 {
        match self {
            Self::Str(bytes) => bytes.len() as u64,
            Self::Int(value) => decimal_len(value),
        }
    }

    /// Whether the text is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The integer that the text is, if it is one.
    #[inline]
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Self::Str(bytes) => parse_i64(bytes),
            Self::Int(value) => Some(value),
        }
    }

    /// The integer of an entry that must be stored as one.
    ///
    /// # Errors
    ///
    /// When the entry is a string.
    #[inline]
    pub fn int(self) -> Result<i64, Fault> {
        match self {
            Self::Int(value) => Ok(value),
            Self::Str(bytes) => Err(Fault::at(ErrorKind::NotAnInteger, bytes)),
        }
    }

    /// The text, made in `scratch` when it is an integer.
    #[must_use]
    pub fn bytes<'s>(self, scratch: &'s mut Vec<u8>) -> &'s [u8]
    where
        'a: 's,
    {
        match self {
            Self::Str(bytes) => bytes,
            Self::Int(value) => {
                scratch.clear();
                write_decimal(value, scratch);
                scratch
            }
        }
    }
}
