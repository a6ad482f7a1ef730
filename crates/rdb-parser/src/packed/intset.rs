//! Intsets: packed sets of integers.
//!
//! `u32 LE width · u32 LE count · integers`, ascending. Source: `src/intset.c` of Redis 7.0.

use crate::{ErrorKind, Fault};

/// Bytes of the header.
pub const HEADER_BYTES: u64 = 8;

/// An intset.
#[derive(Clone, Copy, Debug)]
pub struct Intset<'a> {
    width: usize,
    values: &'a [u8],
}

/// The element width and count that the header declares.
///
/// `start` is the start of the intset, at least [`HEADER_BYTES`] of it.
///
/// # Errors
///
/// When there are fewer bytes than that, or the width is not 2, 4 or 8.
pub fn header(start: &[u8]) -> Result<(u32, u32), Fault> {
    match start {
        &[a, b, c, d, e, f, g, h, ..] => {
            let (width, count) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
            if !matches!(width, 2 | 4 | 8) {
                return Err(Fault::at(ErrorKind::IntsetWidth(width), start));
            }
            Ok((width, count))
        }
        _ => Err(Fault::at(ErrorKind::PackedHeader, start)),
    }
}

impl<'a> Intset<'a> {
    /// Opens an intset.
    ///
    /// # Errors
    ///
    /// When the width is unknown or the size is not what width and count make.
    pub fn new(blob: &'a [u8]) -> Result<Self, Fault> {
        let (width, count) = header(blob)?;
        let declared = HEADER_BYTES + u64::from(width) * u64::from(count);
        if declared != blob.len() as u64 {
            let kind = ErrorKind::PackedSize { declared, actual: blob.len() as u64 };
            return Err(Fault::at(kind, blob));
        }
        Ok(Self { width: width as usize, values: blob.get(8..).unwrap_or_default() })
    }

    /// Bytes of each element: 2, 4 or 8.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> u64 {
        (self.values.len() / self.width) as u64
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The elements, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = i64> + 'a {
        self.values.chunks_exact(self.width).map(|bytes| match *bytes {
            [a, b] => i64::from(i16::from_le_bytes([a, b])),
            [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => i64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => 0, // no other width passes `header`
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width() {
        let narrow = [2, 0, 0, 0, 5, 0, 0, 0, 0xfb, 0xff, 1, 0, 2, 0, 3, 0, 0xff, 0x7f];
        assert_eq!(Intset::new(&narrow).unwrap().iter().collect::<Vec<_>>(), [-5, 1, 2, 3, 32_767]);
        let wide = [
            8, 0, 0, 0, 3, 0, 0, 0, 0, 0x0e, 0xfa, 0xd5, 0xfe, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0,
            0xf2, 0x05, 0x2a, 1, 0, 0, 0,
        ];
        assert_eq!(
            Intset::new(&wide).unwrap().iter().collect::<Vec<_>>(),
            [-5_000_000_000, 1, 5_000_000_000]
        );
    }

    #[test]
    fn damage_is_named() {
        assert_eq!(Intset::new(&[2, 0, 0]).unwrap_err().kind, ErrorKind::PackedHeader);
        assert_eq!(Intset::new(&[3, 0, 0, 0, 0, 0, 0, 0]).unwrap_err().kind, ErrorKind::IntsetWidth(3));
        // CVE-2021-32687: a count that overflows 32 bits when multiplied.
        let huge = [8, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        let declared = 8 + 8 * u64::from(u32::MAX);
        assert_eq!(Intset::new(&huge).unwrap_err().kind, ErrorKind::PackedSize { declared, actual: 8 });
    }
}
