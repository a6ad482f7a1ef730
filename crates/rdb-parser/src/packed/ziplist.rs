//! Ziplists: packed lists of Redis up to 6.2.
//!
//! `u32 LE size · u32 LE offset of the last entry · u16 LE count · entries · FF`. An entry starts with
//! the size of the one before it. Source: `src/ziplist.c` of Redis 6.2.

use nom::bytes::complete::take;
use nom::number::complete::{be_u32, le_i16, le_i24, le_i32, le_i64, le_u16, le_u32, u8};

use super::Entry;
use crate::primitive::Parsed;
use crate::{ErrorKind, Fault};

/// Bytes of the header.
pub const HEADER_BYTES: u64 = 10;

/// What the count field says when the count does not fit it.
const UNKNOWN_COUNT: u16 = u16::MAX;

/// The number of entries that the header declares, `None` when it must be counted by walking.
///
/// `start` is the start of the ziplist, at least [`HEADER_BYTES`] of it.
///
/// # Errors
///
/// When there are fewer bytes than that.
pub fn declared_count(start: &[u8]) -> Result<Option<u16>, Fault> {
    match start.get(8..10) {
        Some(&[low, high]) => {
            let count = u16::from_le_bytes([low, high]);
            Ok((count != UNKNOWN_COUNT).then_some(count))
        }
        _ => Err(Fault::at(ErrorKind::PackedHeader, start)),
    }
}

/// A reader of the entries of a ziplist.
#[derive(Clone, Debug)]
pub struct Ziplist<'a> {
    rest: &'a [u8],
    declared: Option<u16>,
    found: u64,
    failed: bool,
}

impl<'a> Ziplist<'a> {
    /// Opens a ziplist.
    ///
    /// # Errors
    ///
    /// When the size in its header is not its own, or it is too short for its header.
    pub fn new(blob: &'a [u8]) -> Result<Self, Fault> {
        let header: Parsed<'a, (u32, u16)> = (|input| {
            let (rest, size) = le_u32(input)?;
            let (rest, _tail) = le_u32(rest)?;
            let (rest, count) = le_u16(rest)?;
            Ok((rest, (size, count)))
        })(blob);
        let Ok((rest, (size, count))) = header else {
            return Err(Fault::at(ErrorKind::PackedHeader, blob));
        };
        if u64::from(size) != blob.len() as u64 {
            let kind = ErrorKind::PackedSize { declared: u64::from(size), actual: blob.len() as u64 };
            return Err(Fault::at(kind, blob));
        }
        Ok(Self { rest, declared: (count != UNKNOWN_COUNT).then_some(count), found: 0, failed: false })
    }

    /// The number of entries that the header declares, if it does.
    #[must_use]
    pub fn declared_count(&self) -> Option<u64> {
        self.declared.map(u64::from)
    }

    /// Bytes that are not read yet, for saying where something stands.
    #[must_use]
    pub fn bytes_left(&self) -> usize {
        self.rest.len()
    }

    fn step(&mut self) -> Result<Option<Entry<'a>>, Fault> {
        match self.rest {
            [0xff] => {
                self.rest = &[];
                match self.declared {
                    Some(count) if u64::from(count) != self.found => Err(Fault::at(
                        ErrorKind::EntryCount { declared: u64::from(count), found: self.found },
                        self.rest,
                    )),
                    _ => Ok(None),
                }
            }
            [] | [0xff, ..] => Err(Fault::at(ErrorKind::BadTerminator, self.rest)),
            _ => match entry(self.rest) {
                Ok((rest, entry)) => {
                    self.rest = rest;
                    self.found = self.found.saturating_add(1);
                    Ok(Some(entry))
                }
                Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => Err(fault),
                Err(nom::Err::Incomplete(_)) => Err(Fault::at(ErrorKind::EntryPastEnd, self.rest)),
            },
        }
    }
}

impl<'a> Iterator for Ziplist<'a> {
    type Item = Result<Entry<'a>, Fault>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}

/// The size of the entry before that stands at the start of this one.
pub(crate) fn size_before(raw: &[u8]) -> u64 {
    match *raw {
        [0xfe, a, b, c, d, ..] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [size, ..] => u64::from(size),
        [] => 0,
    }
}

/// Where the last entry starts, as the header says.
pub(crate) fn tail_offset(blob: &[u8]) -> u64 {
    match *blob {
        [_, _, _, _, a, b, c, d, ..] => u64::from(u32::from_le_bytes([a, b, c, d])),
        _ => 0,
    }
}

/// The size of the entry before, then one entry.
#[inline]
fn entry(input: &[u8]) -> Parsed<'_, Entry<'_>> {
    let (rest, previous) = u8(input)?;
    let (rest, _) = if previous == 0xfe { take(4usize)(rest)? } else { (rest, &[][..]) };
    let at = rest;
    let (rest, first) = u8(rest)?;
    match first {
        0x00..=0x3f => text(rest, usize::from(first)),
        0x40..=0x7f => {
            let (rest, low) = u8(rest)?;
            text(rest, usize::from(first & 0x3f) << 8 | usize::from(low))
        }
        0x80..=0xbf => {
            let (rest, len) = be_u32(rest)?;
            text(rest, len as usize)
        }
        0xc0 => le_i16(rest).map(|(rest, value)| (rest, Entry::Int(i64::from(value)))),
        0xd0 => le_i32(rest).map(|(rest, value)| (rest, Entry::Int(i64::from(value)))),
        0xe0 => le_i64(rest).map(|(rest, value)| (rest, Entry::Int(value))),
        0xf0 => le_i24(rest).map(|(rest, value)| (rest, Entry::Int(i64::from(value)))),
        0xfe => u8(rest).map(|(rest, value)| (rest, Entry::Int(i64::from(value as i8)))),
        0xf1..=0xfd => Ok((rest, Entry::Int(i64::from(first & 0x0f) - 1))),
        _ => Fault::fail(ErrorKind::BadEntry(first), at),
    }
}

#[inline]
fn text(input: &[u8], len: usize) -> Parsed<'_, Entry<'_>> {
    let (rest, bytes) = take(len)(input)?;
    Ok((rest, Entry::Str(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(blob: &[u8]) -> Result<Vec<Entry<'_>>, ErrorKind> {
        Ziplist::new(blob).and_then(Iterator::collect).map_err(|fault| fault.kind)
    }

    #[test]
    fn every_integer_width_a_server_writes() {
        // Redis 6.2.5, the list l:ints of format/redis-6.2.5/lists.rdb.
        let blob = [
            0x4b, 0, 0, 0, 0x40, 0, 0, 0, 0x0f, 0, 0x00, 0xf1, 0x02, 0xfd, 0x02, 0xfe, 0x0d, 0x03, 0xfe,
            0xff, 0x03, 0xfe, 0x7f, 0x03, 0xc0, 0x80, 0x00, 0x04, 0xc0, 0xff, 0x00, 0x04, 0xfe, 0x80, 0x03,
            0xc0, 0xff, 0x7f, 0x04, 0xc0, 0x00, 0x80, 0x04, 0xf0, 0xff, 0xff, 0x7f, 0x05, 0xf0, 0x00, 0x00,
            0x80, 0x05, 0xd0, 0xff, 0xff, 0xff, 0x7f, 0x06, 0xd0, 0x00, 0x00, 0x00, 0x80, 0x06, 0xe0, 0xff,
            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff,
        ];
        let want = [
            0,
            12,
            13,
            -1,
            127,
            128,
            255,
            -128,
            32_767,
            -32_768,
            8_388_607,
            -8_388_608,
            2_147_483_647,
            -2_147_483_648,
            i64::MAX,
        ];
        assert_eq!(entries(&blob), Ok(want.map(Entry::Int).to_vec()));
    }

    #[test]
    fn five_byte_prevlen_and_long_strings() {
        let long = vec![b'w'; 300];
        let mut blob = vec![0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x00, 0x41, 0x2c];
        blob.extend_from_slice(&long);
        blob.extend_from_slice(&[0xfe, 0x2f, 0x01, 0, 0, 0x80, 0, 0, 0, 1, b'x', 0xff]);
        let size = blob.len() as u32;
        blob[..4].copy_from_slice(&size.to_le_bytes());
        assert_eq!(entries(&blob), Ok(vec![Entry::Str(&long), Entry::Str(b"x")]));
    }

    #[test]
    fn every_kind_of_damage_is_named() {
        assert_eq!(entries(&[11, 0, 0, 0]), Err(ErrorKind::PackedHeader));
        assert_eq!(
            entries(&[12, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0xff]),
            Err(ErrorKind::PackedSize { declared: 12, actual: 11 })
        );
        assert_eq!(entries(&[10, 0, 0, 0, 10, 0, 0, 0, 0, 0]), Err(ErrorKind::BadTerminator));
        assert_eq!(entries(&[12, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0xf2]), Err(ErrorKind::BadTerminator));
        assert_eq!(entries(&[13, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0xc5, 0xff]), Err(ErrorKind::BadEntry(0xc5)));
        assert_eq!(entries(&[13, 0, 0, 0, 10, 0, 0, 0, 1, 0, 0, 0x05, 0xff]), Err(ErrorKind::EntryPastEnd));
        assert_eq!(
            entries(&[13, 0, 0, 0, 10, 0, 0, 0, 2, 0, 0, 0xf2, 0xff]),
            Err(ErrorKind::EntryCount { declared: 2, found: 1 })
        );
        assert_eq!(entries(&[11, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0xff]), Ok(vec![]));
    }
}
