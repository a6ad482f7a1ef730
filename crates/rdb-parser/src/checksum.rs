//! The checksum of a file, computed in pieces.
//!
//! CRC-64 with polynomial 0xad93d23594c935a9, reflected, initial value and final xor 0. Source:
//! `src/crc64.c` of Redis 7.0. The sums come from the `crc-fast` crate; only joining the sums of
//! two pieces is done here, since that crate's way takes a quarter of a millisecond each time.

use std::sync::OnceLock;

use crc_fast::{CrcParams, Digest};

/// The polynomial, bit-reversed.
const POLYNOMIAL: u64 = 0x95ac_9329_ac4b_c9b5;

/// The checksum of a run of bytes. Runs that follow each other can be joined in any grouping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    value: u64,
    len: u64,
}

impl Checksum {
    /// The checksum of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        static PARAMS: OnceLock<CrcParams> = OnceLock::new();
        let params = PARAMS.get_or_init(|| {
            CrcParams::new("CRC-64/REDIS", 64, 0xad93_d235_94c9_35a9, 0, true, 0, 0xe9c6_d914_c4b8_d9ca)
        });
        let mut digest = Digest::new_with_params(*params);
        digest.update(bytes);
        Self { value: digest.finalize(), len: bytes.len() as u64 }
    }

    /// The checksum of the bytes of `self` followed by those of `next`.
    #[must_use]
    pub fn followed_by(self, next: Self) -> Self {
        let value = multiply(x_to_the_8_times(next.len), self.value) ^ next.value;
        Self { value, len: self.len.saturating_add(next.len) }
    }

    /// The value, as it stands little-endian at the end of a file.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.value
    }

    /// How many bytes were summed.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.len
    }

    /// Whether no bytes were summed.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// x to the power of 8 `bytes`, modulo the polynomial: the operator that feeds that many zero bytes.
fn x_to_the_8_times(bytes: u64) -> u64 {
    // x^8 first, then squared once per bit of the exponent.
    let (mut square, mut power, mut left) = (1u64 << (63 - 8), 1u64 << 63, bytes);
    while left != 0 {
        if left & 1 != 0 {
            power = multiply(square, power);
        }
        square = multiply(square, square);
        left >>= 1;
    }
    power
}

/// The product of two polynomials modulo the polynomial; the highest bit is the power 0.
fn multiply(a: u64, mut b: u64) -> u64 {
    let mut product = 0;
    let mut bit = 1u64 << 63;
    while bit != 0 {
        if a & bit != 0 {
            product ^= b;
        }
        b = (b >> 1) ^ (POLYNOMIAL & (b & 1).wrapping_neg());
        bit >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value() {
        assert_eq!(Checksum::of(b"123456789").value(), 0xe9c6_d914_c4b8_d9ca);
        assert_eq!(Checksum::of(b"").value(), 0);
    }

    #[test]
    fn pieces_join_in_any_grouping() {
        let bytes: Vec<u8> = (0..5000u32).map(|n| (n * n % 251) as u8).collect();
        let whole = Checksum::of(&bytes);
        for at in [0, 1, 7, 63, 64, 1000, 4999, 5000] {
            let (a, b) = bytes.split_at(at);
            assert_eq!(Checksum::of(a).followed_by(Checksum::of(b)), whole);
            let (b, c) = b.split_at(b.len() / 3);
            let late = Checksum::of(b).followed_by(Checksum::of(c));
            assert_eq!(Checksum::of(a).followed_by(late), whole);
        }
    }
}
