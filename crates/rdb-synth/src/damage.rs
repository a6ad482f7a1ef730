//! Recipes that turn a good file into a bad one. Each leaves its input alone and returns the damaged copy.

use std::ops::Range;

use crate::crc64;
use crate::prng::Prng;

/// The first `n` bytes.
pub fn cut(bytes: &[u8], n: usize) -> Vec<u8> {
    bytes[..n.min(bytes.len())].to_vec()
}

/// With one bit turned over; bits count from the lowest of the first byte, modulo the length.
pub fn flip_bit(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut out = bytes.to_vec();
    if !out.is_empty() {
        let at = (bit / 8) % out.len();
        out[at] ^= 1 << (bit % 8);
    }
    out
}

/// With one byte set.
pub fn set_byte(bytes: &[u8], at: usize, to: u8) -> Vec<u8> {
    splice(bytes, at..at + 1, &[to])
}

/// With a range replaced by other bytes, of any number. The range is cut to what there is.
pub fn splice(bytes: &[u8], range: Range<usize>, with: &[u8]) -> Vec<u8> {
    let start = range.start.min(bytes.len());
    let end = range.end.clamp(start, bytes.len());
    [&bytes[..start], with, &bytes[end..]].concat()
}

/// With a length of `width` bytes replaced by the largest there is, `81` and eight times `FF`.
pub fn huge_length(bytes: &[u8], at: usize, width: usize) -> Vec<u8> {
    splice(bytes, at..at + width, &[0x81, 255, 255, 255, 255, 255, 255, 255, 255])
}

/// With a length of `width` bytes replaced by another number in nine bytes.
pub fn other_length(bytes: &[u8], at: usize, width: usize, n: u64) -> Vec<u8> {
    let mut form = vec![0x81];
    form.extend_from_slice(&n.to_be_bytes());
    splice(bytes, at..at + width, &form)
}

/// With a range overwritten by zeros, as a file system may leave after a crash.
pub fn zeros(bytes: &[u8], range: Range<usize>) -> Vec<u8> {
    let hole = vec![0; range.len().min(bytes.len().saturating_sub(range.start))];
    splice(bytes, range, &hole)
}

/// With one to four changes drawn by chance: a bit, a byte, bytes put in, left out, set to zero, or standing twice.
pub fn random(bytes: &[u8], prng: &mut Prng) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..prng.size(1, 4) {
        let at = prng.size(0, out.len());
        let most = 1 << prng.size(0, 8);
        let len = prng.size(1, most);
        let range = at..at.saturating_add(len).min(out.len());
        out = match prng.below(6) {
            0 => flip_bit(&out, prng.size(0, out.len().saturating_mul(8))),
            // Of bytes that lengths and opcodes begin with, rather more.
            1 if prng.chance(300) => set_byte(&out, at, *prng.pick(&[0, 0x80, 0x81, 0xc3, 0xfa, 0xfe, 0xff])),
            1 => set_byte(&out, at, prng.next_u64() as u8),
            2 => {
                let bytes: Vec<u8> = (0..len).map(|_| prng.next_u64() as u8).collect();
                splice(&out, at..at, &bytes)
            }
            3 => splice(&out, range, &[]),
            4 => zeros(&out, range),
            _ => {
                let again = out[range.clone()].to_vec();
                splice(&out, range.end..range.end, &again)
            }
        };
    }
    out
}

/// As a conversion to UTF-8 text leaves it: each byte from 80 up has become `EF BF BD`.
pub fn as_text(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        if byte < 0x80 { out.push(byte) } else { out.extend_from_slice(&[0xef, 0xbf, 0xbd]) }
    }
    out
}

/// With the checksum in the last eight bytes put right, so that only the damage inside is left to find.
pub fn repair_checksum(bytes: &[u8]) -> Vec<u8> {
    let (body, _) = bytes.split_at(bytes.len().saturating_sub(8));
    [body, &crc64::crc64(body).to_le_bytes()].concat()
}

/// With a checksum that is wrong in every bit.
pub fn wrong_checksum(bytes: &[u8]) -> Vec<u8> {
    let (body, crc) = bytes.split_at(bytes.len().saturating_sub(8));
    body.iter().copied().chain(crc.iter().map(|b| !b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::RdbBuilder;

    #[test]
    fn recipes() {
        let good = [1, 2, 3, 4];
        assert_eq!(cut(&good, 2), [1, 2]);
        assert_eq!(cut(&good, 9), good);
        assert_eq!(flip_bit(&good, 9), [1, 0, 3, 4]);
        assert_eq!(flip_bit(&[], 9), []);
        assert_eq!(set_byte(&good, 3, 9), [1, 2, 3, 9]);
        assert_eq!(huge_length(&good, 1, 1), [1, 0x81, 255, 255, 255, 255, 255, 255, 255, 255, 3, 4]);
        assert_eq!(other_length(&good, 3, 1, 258), [1, 2, 3, 0x81, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(zeros(&good, 1..3), [1, 0, 0, 4]);
        assert_eq!(zeros(&good, 3..9), [1, 2, 3, 0]);
        assert_eq!(as_text(&[b'R', 0xfa, 1]), [b'R', 0xef, 0xbf, 0xbd, 1]);
    }

    #[test]
    fn checksums() {
        let good = RdbBuilder::redis(9).select_db(0).eof();
        assert_eq!(repair_checksum(&good), good);
        assert_eq!(repair_checksum(&wrong_checksum(&good)), good);
        assert_ne!(wrong_checksum(&good), good);
    }
}
