//! Lengths, strings and numbers, as streaming parsers.
//!
//! They ask for more bytes ([`nom::Err::Incomplete`]) where the input ends too early; what that
//! means is the scanner's to decide.

use nom::bytes::streaming::take;
use nom::number::streaming::{be_u32, be_u64, le_f32, le_f64, le_i16, le_i32, le_i64, le_u32, u8};

use crate::lzf::Lzf;
use crate::{ErrorKind, Fault, RdbStr, StreamId};

/// What a parser of this crate returns.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Fault>;

/// A byte.
#[inline]
pub(crate) fn byte(input: &[u8]) -> Parsed<'_, u8> {
    u8(input)
}

/// A length: six bits, 14 bits, or 32 or 64 bits big-endian. Source: `rdbLoadLenByRef` in `src/rdb.c`.
#[inline]
pub(crate) fn length(input: &[u8]) -> Parsed<'_, u64> {
    let (rest, first) = u8(input)?;
    match first {
        0x00..=0x3f => Ok((rest, u64::from(first))),
        0x40..=0x7f => {
            let (rest, low) = u8(rest)?;
            Ok((rest, u64::from(first & 0x3f) << 8 | u64::from(low)))
        }
        0x80 => {
            let (rest, len) = be_u32(rest)?;
            Ok((rest, u64::from(len)))
        }
        0x81 => be_u64(rest),
        _ => Fault::fail(ErrorKind::BadLengthByte(first), input),
    }
}

/// `len` bytes, borrowed.
#[inline]
pub(crate) fn bytes(input: &[u8], len: u64) -> Parsed<'_, &[u8]> {
    match usize::try_from(len) {
        Ok(len) => take(len)(input),
        Err(_) => Fault::fail(ErrorKind::LengthOverflow(len), input),
    }
}

/// A string in any of its four forms. Source: `rdbGenericLoadStringObject` in `src/rdb.c`.
#[inline]
pub(crate) fn string(input: &[u8]) -> Parsed<'_, RdbStr<'_>> {
    match input.first() {
        Some(0..=0x81) => {
            let (rest, len) = length(input)?;
            let (rest, raw) = bytes(rest, len)?;
            Ok((rest, RdbStr::Raw(raw)))
        }
        _ => string_special(input),
    }
}

/// The integer and LZF forms.
fn string_special(input: &[u8]) -> Parsed<'_, RdbStr<'_>> {
    let (rest, first) = u8(input)?;
    match first {
        0xc0 => {
            let (rest, value) = u8(rest)?;
            Ok((rest, RdbStr::Int(i32::from(value as i8))))
        }
        0xc1 => {
            let (rest, value) = le_i16(rest)?;
            Ok((rest, RdbStr::Int(i32::from(value))))
        }
        0xc2 => {
            let (rest, value) = le_i32(rest)?;
            Ok((rest, RdbStr::Int(value)))
        }
        0xc3 => {
            let (rest, packed_len) = length(rest)?;
            let (rest, len) = length(rest)?;
            let (rest, packed) = bytes(rest, packed_len)?;
            Ok((rest, RdbStr::Lzf(Lzf { packed, len })))
        }
        _ => Fault::fail(ErrorKind::BadStringForm(first), input),
    }
}

/// A millisecond time, or any other signed 64-bit number, little-endian.
#[inline]
pub(crate) fn int64(input: &[u8]) -> Parsed<'_, i64> {
    le_i64(input)
}

/// A time in seconds.
#[inline]
pub(crate) fn int32(input: &[u8]) -> Parsed<'_, i32> {
    le_i32(input)
}

/// The class word of key metadata.
#[inline]
pub(crate) fn uint32(input: &[u8]) -> Parsed<'_, u32> {
    le_u32(input)
}

/// A binary double.
#[inline]
pub(crate) fn double(input: &[u8]) -> Parsed<'_, f64> {
    le_f64(input)
}

/// A module's float.
#[inline]
pub(crate) fn float(input: &[u8]) -> Parsed<'_, f32> {
    le_f32(input)
}

/// A stream identifier as two lengths.
#[inline]
pub(crate) fn stream_id(input: &[u8]) -> Parsed<'_, StreamId> {
    let (rest, ms) = length(input)?;
    let (rest, seq) = length(rest)?;
    Ok((rest, StreamId { ms, seq }))
}

/// A stream identifier as sixteen bytes.
#[inline]
pub(crate) fn raw_stream_id(input: &[u8]) -> Parsed<'_, StreamId> {
    let (rest, ms) = be_u64(input)?;
    let (rest, seq) = be_u64(rest)?;
    Ok((rest, StreamId { ms, seq }))
}

/// A score as text: one byte of length, where 253 to 255 stand for NaN and the infinities.
/// `None` when the text is no number. Source: `rdbLoadDoubleValue` in `src/rdb.c`.
pub(crate) fn ascii_double(input: &[u8]) -> Parsed<'_, Option<f64>> {
    let (rest, len) = u8(input)?;
    match len {
        255 => Ok((rest, Some(f64::NEG_INFINITY))),
        254 => Ok((rest, Some(f64::INFINITY))),
        253 => Ok((rest, Some(f64::NAN))),
        _ => {
            let (rest, text) = bytes(rest, u64::from(len))?;
            Ok((rest, std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_in_every_form() {
        for (input, want) in [
            (&[0x3f][..], 63),
            (&[0x40, 0x40], 64),
            (&[0x7f, 0xff], 16_383),
            (&[0x80, 0, 0, 0x40, 0], 16_384),
            (&[0x80, 0, 0, 0, 1], 1), // not minimal, and legal
            (&[0x81, 0, 0, 0, 1, 0, 0, 0, 0], 1 << 32),
        ] {
            assert_eq!(length(input), Ok((&[][..], want)));
            assert!(matches!(length(&input[..input.len() - 1]), Err(nom::Err::Incomplete(_))));
        }
        for first in [0x82, 0xbf, 0xc0, 0xff] {
            assert_eq!(length(&[first, 0]), Fault::fail(ErrorKind::BadLengthByte(first), &[first, 0]));
        }
    }

    #[test]
    fn strings_in_every_form() {
        for (input, want) in [
            (&[0x00][..], RdbStr::Raw(b"")),
            (&[0x02, b'h', b'i'], RdbStr::Raw(b"hi")),
            (&[0xc0, 0x80], RdbStr::Int(-128)),
            (&[0xc1, 0x80, 0x00], RdbStr::Int(128)),
            (&[0xc2, 0x00, 0x80, 0x00, 0x00], RdbStr::Int(32_768)),
            (&[0xc3, 0x02, 0x05, 1, 2], RdbStr::Lzf(Lzf { packed: &[1, 2], len: 5 })),
        ] {
            assert_eq!(string(input), Ok((&[][..], want)));
        }
        assert_eq!(string(&[0xc4, 1]), Fault::fail(ErrorKind::BadStringForm(0xc4), &[0xc4, 1]));
        assert_eq!(string(&[0x82]), Fault::fail(ErrorKind::BadStringForm(0x82), &[0x82]));
    }

    #[test]
    fn text_scores() {
        assert_eq!(ascii_double(&[3, b'2', b'.', b'5']), Ok((&[][..], Some(2.5))));
        assert_eq!(ascii_double(&[255]), Ok((&[][..], Some(f64::NEG_INFINITY))));
        assert_eq!(ascii_double(&[1, b'x']), Ok((&[][..], None)));
    }
}
