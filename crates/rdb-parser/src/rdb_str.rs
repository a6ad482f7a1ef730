//! Strings of the file, undecoded.

use crate::lzf::Lzf;
use crate::{Fault, Limits};

/// A string as the file holds it. Borrowed, copyable, and decoded only when somebody asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RdbStr<'a> {
    /// The bytes themselves.
    Raw(&'a [u8]),
    /// An integer that stands for its decimal text.
    Int(i32),
    /// LZF data.
    Lzf(Lzf<'a>),
}

impl<'a> RdbStr<'a> {
    /// Length of the decoded string in bytes; for LZF data what it declares.
    #[inline]
    #[must_use]
    pub fn len(self) -> u64 {
        match self {
            Self::Raw(bytes) => bytes.len() as u64,
            Self::Int(value) => decimal_len(i64::from(value)),
            Self::Lzf(lzf) => lzf.len,
        }
    }

    /// Whether the decoded string is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The integer that the text is, exactly as servers decide it: at most 20 characters, a
    /// canonical decimal (no sign `+`, no leading zeros) that fits a signed 64-bit integer.
    ///
    /// Source: `string2ll` in `src/util.c`. LZF data is never one: it is longer than 20 bytes.
    #[inline]
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Self::Raw(bytes) => parse_i64(bytes),
            Self::Int(value) => Some(i64::from(value)),
            Self::Lzf(_) => None,
        }
    }

    /// The decoded bytes: borrowed from the file where they stand there, else made in `scratch`.
    ///
    /// # Errors
    ///
    /// When LZF data is damaged or asks for more than `limits` allow.
    pub fn bytes<'s>(self, limits: Limits, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], Fault>
    where
        'a: 's,
    {
        match self {
            Self::Raw(bytes) => Ok(bytes),
            Self::Int(value) => {
                scratch.clear();
                write_decimal(i64::from(value), scratch);
                Ok(scratch)
            }
            Self::Lzf(lzf) => {
                lzf.inflate(limits, scratch)?;
                Ok(scratch)
            }
        }
    }

    /// The first decoded bytes, at least `want` of them unless the string is shorter.
    ///
    /// # Errors
    ///
    /// When LZF data is damaged before `want` bytes are made.
    pub fn prefix<'s>(self, want: u64, limits: Limits, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], Fault>
    where
        'a: 's,
    {
        match self {
            Self::Lzf(lzf) => {
                lzf.inflate_prefix(want, limits, scratch)?;
                Ok(scratch)
            }
            _ => self.bytes(limits, scratch),
        }
    }

    /// The bytes as they stand in the file, if they stand there undecoded or as LZF data.
    #[inline]
    #[must_use]
    pub fn stored(self) -> Option<&'a [u8]> {
        match self {
            Self::Raw(bytes) => Some(bytes),
            Self::Int(_) => None,
            Self::Lzf(lzf) => Some(lzf.packed),
        }
    }
}

/// Reads a canonical decimal that fits 64 bits. See [`RdbStr::to_i64`].
#[inline]
#[must_use]
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [] => return None,
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut value: u64 = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
    }
    // Nineteen digits stay below 10^19, which fits u64.
    if negative {
        if value <= 1 << 63 { Some((value as i64).wrapping_neg()) } else { None }
    } else {
        i64::try_from(value).ok()
    }
}

/// Number of characters of the decimal text of `value`, sign included.
#[inline]
#[must_use]
pub fn decimal_len(value: i64) -> u64 {
    let digits = value.unsigned_abs().checked_ilog10().unwrap_or(0) + 1;
    u64::from(digits) + u64::from(value < 0)
}

/// Appends the decimal text of `value`.
pub fn write_decimal(value: i64, out: &mut Vec<u8>) {
    use std::io::Write;
    // Writing to a Vec never fails.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_what_the_server_takes_for_integers() {
        // Redis 7.0.15, OBJECT ENCODING: int for these …
        for (text, want) in [
            ("0", 0),
            ("-1", -1),
            ("123", 123),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(parse_i64(text.as_bytes()), Some(want));
        }
        // … and embstr or raw for these.
        for text in [
            "",
            "-",
            "-0",
            "+5",
            "007",
            " 1",
            "1 ",
            "1_000",
            "9223372036854775808",
            "-9223372036854775809",
            "99999999999999999999",
            "3.14",
        ] {
            assert_eq!(parse_i64(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn decimal_lengths() {
        for value in [0, 9, 10, 99, 100, -1, -10, i64::MAX, i64::MIN] {
            assert_eq!(decimal_len(value), value.to_string().len() as u64);
        }
    }
}
