//! Listpacks: packed lists of Redis 7.0 and later, and the nodes of streams.
//!
//! `u32 LE size · u16 LE count · entries · FF`, each entry followed by its own size so that it can be
//! read from the right. Source: `src/listpack.c` of Redis 7.0.

use nom::bytes::complete::take;
use nom::number::complete::{le_i16, le_i24, le_i32, le_i64, le_u16, le_u32, u8};

use super::Entry;
use crate::primitive::Parsed;
use crate::{ErrorKind, Fault};

/// Bytes of the header.
pub const HEADER_BYTES: u64 = 6;

/// What the count field says when the count does not fit it.
const UNKNOWN_COUNT: u16 = u16::MAX;

/// The number of entries that the header declares, `None` when it must be counted by walking.
///
/// `start` is the start of the listpack, at least [`HEADER_BYTES`] of it.
///
/// # Errors
///
/// When there are fewer bytes than that.
pub fn declared_count(start: &[u8]) -> Result<Option<u16>, Fault> {
    match start {
        [_, _, _, _, low, high, ..] => {
            let count = u16::from_le_bytes([*low, *high]);
            Ok((count != UNKNOWN_COUNT).then_some(count))
        }
        _ => Err(Fault::at(ErrorKind::PackedHeader, start)),
    }
}

/// A reader of the entries of a listpack.
#[derive(Clone, Debug)]
pub struct Listpack<'a> {
    rest: &'a [u8],
    declared: Option<u16>,
    found: u64,
    failed: bool,
}

impl<'a> Listpack<'a> {
    /// Opens a listpack.
    ///
    /// # Errors
    ///
    /// When the size in its header is not its own, or it is too short for its header.
    pub fn new(blob: &'a [u8]) -> Result<Self, Fault> {
        let header: Parsed<'a, (u32, u16)> = (|input| {
            let (rest, size) = le_u32(input)?;
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
            [] if self.found > 0 || self.failed => Ok(None),
            [] | [0xff, ..] => Err(Fault::at(ErrorKind::BadTerminator, self.rest)),
            _ => match entry(self.rest) {
                Ok((rest, entry)) => {
                    self.rest = rest;
                    self.found = self.found.saturating_add(1);
                    if rest.is_empty() {
                        return Err(Fault::at(ErrorKind::BadTerminator, rest));
                    }
                    Ok(Some(entry))
                }
                Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => Err(fault),
                Err(nom::Err::Incomplete(_)) => Err(Fault::at(ErrorKind::EntryPastEnd, self.rest)),
            },
        }
    }
}

impl<'a> Iterator for Listpack<'a> {
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

/// One entry and the size behind it.
#[inline]
fn entry(input: &[u8]) -> Parsed<'_, Entry<'_>> {
    let (rest, first) = u8(input)?;
    let (rest, entry) = match first {
        0x00..=0x7f => (rest, Entry::Int(i64::from(first))),
        0x80..=0xbf => text(rest, usize::from(first & 0x3f))?,
        0xc0..=0xdf => {
            let (rest, low) = u8(rest)?;
            let value = i64::from(first & 0x1f) << 8 | i64::from(low);
            (rest, Entry::Int(if value >= 1 << 12 { value - (1 << 13) } else { value }))
        }
        0xe0..=0xef => {
            let (rest, low) = u8(rest)?;
            text(rest, usize::from(first & 0x0f) << 8 | usize::from(low))?
        }
        0xf0 => {
            let (rest, len) = le_u32(rest)?;
            text(rest, len as usize)?
        }
        0xf1 => le_i16(rest).map(|(rest, value)| (rest, Entry::Int(i64::from(value))))?,
        0xf2 => le_i24(rest).map(|(rest, value)| (rest, Entry::Int(i64::from(value))))?,
        0xf3 => le_i32(rest).map(|(rest, value)| (rest, Entry::Int(i64::from(value))))?,
        0xf4 => le_i64(rest).map(|(rest, value)| (rest, Entry::Int(value)))?,
        0xf5..=0xff => return Fault::fail(ErrorKind::BadEntry(first), input),
    };
    let size = input.len() - rest.len();
    let (rest, _) = take(backlen_bytes(size as u64) as usize)(rest)?;
    Ok((rest, entry))
}

#[inline]
fn text(input: &[u8], len: usize) -> Parsed<'_, Entry<'_>> {
    let (rest, bytes) = take(len)(input)?;
    Ok((rest, Entry::Str(bytes)))
}

/// The size of an entry, and the size that is stored behind it: `raw` is the entry and that field.
pub(crate) fn sizes_of(raw: &[u8]) -> (u64, Option<u64>) {
    let whole = raw.len() as u64;
    let field =
        (1..=5u64).find(|&field| whole.checked_sub(field).is_some_and(|size| backlen_bytes(size) == field));
    let Some(field) = field else { return (whole, None) };
    let mut stored = 0u64;
    for (at, byte) in raw.iter().rev().take(field as usize).enumerate() {
        stored |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return (whole - field, (at as u64 + 1 == field).then_some(stored));
        }
    }
    (whole - field, None)
}

/// Bytes of the size field behind an entry of `size` bytes.
///
/// The thresholds are the server's own, off by one as they look. Source: `lpEncodeBacklen`.
#[inline]
#[must_use]
pub const fn backlen_bytes(size: u64) -> u64 {
    match size {
        0..=127 => 1,
        128..16_383 => 2,
        16_383..2_097_151 => 3,
        2_097_151..268_435_455 => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(blob: &[u8]) -> Result<Vec<Entry<'_>>, ErrorKind> {
        Listpack::new(blob).and_then(Iterator::collect).map_err(|fault| fault.kind)
    }

    #[test]
    fn every_integer_width_a_server_writes() {
        // Redis 7.0.15, the list l:ints of format/redis-7.0.15/lists.rdb.
        let blob = [
            0x43, 0, 0, 0, 0x0f, 0, 0x00, 0x01, 0x0c, 0x01, 0x0d, 0x01, 0xdf, 0xff, 0x02, 0x7f, 0x01, 0xc0,
            0x80, 0x02, 0xc0, 0xff, 0x02, 0xdf, 0x80, 0x02, 0xf1, 0xff, 0x7f, 0x03, 0xf1, 0x00, 0x80, 0x03,
            0xf2, 0xff, 0xff, 0x7f, 0x04, 0xf2, 0x00, 0x00, 0x80, 0x04, 0xf3, 0xff, 0xff, 0xff, 0x7f, 0x05,
            0xf3, 0x00, 0x00, 0x00, 0x80, 0x05, 0xf4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x09,
            0xff,
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
    fn strings_of_every_form() {
        let mut blob = vec![0; 6];
        let (short, medium, long) = (vec![b'a'; 63], vec![b'b'; 4095], vec![b'c'; 4096]);
        blob.push(0x80 | 63);
        blob.extend_from_slice(&short);
        blob.push(64);
        blob.extend_from_slice(&[0xef, 0xff]);
        blob.extend_from_slice(&medium);
        blob.extend_from_slice(&[0x20, 0x81]);
        blob.extend_from_slice(&[0xf0, 0, 0x10, 0, 0]);
        blob.extend_from_slice(&long);
        blob.extend_from_slice(&[0x20, 0x85]);
        blob.push(0xff);
        let size = blob.len() as u32;
        blob[..4].copy_from_slice(&size.to_le_bytes());
        blob[4..6].copy_from_slice(&3u16.to_le_bytes());
        assert_eq!(entries(&blob), Ok(vec![Entry::Str(&short), Entry::Str(&medium), Entry::Str(&long)]));
        blob[4..6].copy_from_slice(&u16::MAX.to_le_bytes());
        assert_eq!(entries(&blob).map(|found| found.len()), Ok(3), "65535 means: count them");
        blob[4..6].copy_from_slice(&4u16.to_le_bytes());
        assert_eq!(entries(&blob), Err(ErrorKind::EntryCount { declared: 4, found: 3 }));
    }

    #[test]
    fn every_kind_of_damage_is_named() {
        assert_eq!(entries(&[7, 0, 0, 0, 0]), Err(ErrorKind::PackedHeader));
        assert_eq!(entries(&[8, 0, 0, 0, 0, 0, 0xff]), Err(ErrorKind::PackedSize { declared: 8, actual: 7 }));
        assert_eq!(entries(&[6, 0, 0, 0, 0, 0]), Err(ErrorKind::BadTerminator));
        assert_eq!(entries(&[9, 0, 0, 0, 1, 0, 1, 1, 1]), Err(ErrorKind::EntryPastEnd));
        assert_eq!(entries(&[8, 0, 0, 0, 1, 0, 1, 1]), Err(ErrorKind::BadTerminator));
        assert_eq!(entries(&[8, 0, 0, 0, 0, 0, 0xff, 0xff]), Err(ErrorKind::BadTerminator));
        assert_eq!(entries(&[9, 0, 0, 0, 1, 0, 0x85, b'a', 0xff]), Err(ErrorKind::EntryPastEnd));
        assert_eq!(entries(&[9, 0, 0, 0, 1, 0, 0xf5, 1, 0xff]), Err(ErrorKind::BadEntry(0xf5)));
        assert_eq!(entries(&[7, 0, 0, 0, 0, 0, 0xff]), Ok(vec![]));
    }
}
