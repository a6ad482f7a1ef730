//! Zipmaps: packed hashes of Redis up to 2.4.
//!
//! `u8 count · pairs · FF`; a pair is length, field, length, u8 free, value, `free` unused bytes.
//! Source: `src/zipmap.c` of Redis 7.0.

use nom::bytes::complete::take;
use nom::number::complete::{le_u32, u8};

use crate::primitive::Parsed;
use crate::{ErrorKind, Fault};

/// A field and its value.
pub type Pair<'a> = (&'a [u8], &'a [u8]);

/// A reader of the pairs of a zipmap.
#[derive(Clone, Debug)]
pub struct Zipmap<'a> {
    rest: &'a [u8],
    declared: u8,
    found: u64,
    failed: bool,
}

impl<'a> Zipmap<'a> {
    /// Opens a zipmap.
    ///
    /// # Errors
    ///
    /// When there are no bytes for its header.
    pub fn new(blob: &'a [u8]) -> Result<Self, Fault> {
        match blob.split_first() {
            Some((&declared, rest)) => Ok(Self { rest, declared, found: 0, failed: false }),
            None => Err(Fault::at(ErrorKind::PackedHeader, blob)),
        }
    }

    /// The number of pairs that the header declares; 254 and more mean that they must be counted.
    #[must_use]
    pub fn declared_count(&self) -> Option<u64> {
        (self.declared < 254).then(|| u64::from(self.declared))
    }

    /// Bytes that are not read yet, for saying where something stands.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    fn step(&mut self) -> Result<Option<Pair<'a>>, Fault> {
        match self.rest {
            [0xff] => {
                self.rest = &[];
                match self.declared_count() {
                    Some(declared) if declared != self.found => {
                        Err(Fault::at(ErrorKind::EntryCount { declared, found: self.found }, self.rest))
                    }
                    _ => Ok(None),
                }
            }
            [] | [0xff, ..] => Err(Fault::at(ErrorKind::BadTerminator, self.rest)),
            _ => match pair(self.rest) {
                Ok((rest, pair)) => {
                    self.rest = rest;
                    self.found = self.found.saturating_add(1);
                    Ok(Some(pair))
                }
                Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => Err(fault),
                Err(nom::Err::Incomplete(_)) => Err(Fault::at(ErrorKind::EntryPastEnd, self.rest)),
            },
        }
    }
}

impl<'a> Iterator for Zipmap<'a> {
    type Item = Result<Pair<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}

/// A field and its value.
fn pair(input: &[u8]) -> Parsed<'_, Pair<'_>> {
    let (rest, len) = size(input)?;
    let (rest, field) = take(len)(rest)?;
    let (rest, len) = size(rest)?;
    let (rest, free) = u8(rest)?;
    let (rest, value) = take(len)(rest)?;
    let (rest, _) = take(free)(rest)?;
    Ok((rest, (field, value)))
}

/// One byte, or 254 and four bytes. The long form of a short length is what CVE-2026-25243 was made
/// of: servers refuse it, and so does this reader.
fn size(input: &[u8]) -> Parsed<'_, usize> {
    let (rest, first) = u8(input)?;
    match first {
        0..=253 => Ok((rest, usize::from(first))),
        254 => {
            let (rest, len) = le_u32(rest)?;
            if len < 254 {
                return Fault::fail(ErrorKind::BadEntry(first), input);
            }
            Ok((rest, len as usize))
        }
        255 => Fault::fail(ErrorKind::BadEntry(first), input),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(blob: &[u8]) -> Result<Vec<Pair<'_>>, ErrorKind> {
        Zipmap::new(blob).and_then(Iterator::collect).map_err(|fault| fault.kind)
    }

    #[test]
    fn pairs_with_free_bytes() {
        // Redis 2.4.18, then one pair with two unused bytes behind its value.
        let blob = [3, 2, b'f', b'1', 2, 0, b'v', b'1', 1, b'n', 1, 2, b'5', 0, 0, 0, 0, 0, 0xff];
        assert_eq!(pairs(&blob), Ok(vec![(&b"f1"[..], &b"v1"[..]), (b"n", b"5"), (b"", b"")]));
    }

    #[test]
    fn damage_is_named() {
        assert_eq!(pairs(&[]), Err(ErrorKind::PackedHeader));
        assert_eq!(pairs(&[0]), Err(ErrorKind::BadTerminator));
        assert_eq!(pairs(&[1, 0xff]), Err(ErrorKind::EntryCount { declared: 1, found: 0 }));
        assert_eq!(pairs(&[1, 9, b'f', 0xff]), Err(ErrorKind::EntryPastEnd));
        assert_eq!(pairs(&[1, 254, 1, 0, 0, 0, b'f', 1, 0, b'v', 0xff]), Err(ErrorKind::BadEntry(254)));
        assert_eq!(pairs(&[0, 0xff, 0]), Err(ErrorKind::BadTerminator));
    }
}
