//! How long a listpack gets. Source: `src/listpack.c` of Redis 7.0.

use rdb_parser::packed::listpack::backlen_bytes;

/// Header and end mark.
pub(crate) const EMPTY: u64 = 7;

/// Bytes of an integer.
#[inline]
pub(crate) const fn integer(value: i64) -> u64 {
    let encoded = match value {
        0..=127 => 1,
        -4096..=4095 => 2,
        -0x8000..=0x7fff => 3,
        -0x80_0000..=0x7f_ffff => 4,
        -0x8000_0000..=0x7fff_ffff => 5,
        _ => 9,
    };
    encoded + 1
}

/// Bytes of a text that is no integer.
#[inline]
pub(crate) const fn text(len: u64) -> u64 {
    let header = match len {
        0..64 => 1,
        64..4096 => 2,
        _ => 5,
    };
    let encoded = len.saturating_add(header);
    encoded.saturating_add(backlen_bytes(encoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_as_a_server_writes_them() {
        // Redis 7.0.15, the list l:ints: fifteen integers in 67 bytes.
        let ints = [
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
        assert_eq!(EMPTY + ints.into_iter().map(integer).sum::<u64>(), 67);
        assert_eq!((text(0), text(63), text(64), text(4095), text(4096)), (2, 65, 67, 4099, 4103));
        assert_eq!(text(u64::MAX), u64::MAX);
    }
}
