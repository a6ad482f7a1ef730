//! How long a ziplist gets. Source: `src/ziplist.c` of Redis 6.2.

/// Header and end mark.
pub(crate) const EMPTY: u64 = 11;

/// Longest text that is tried as an integer. Source: `zipTryEncoding`.
pub(crate) const LONGEST_INTEGER: u64 = 31;

/// Bytes of the size of the entry before.
#[inline]
const fn previous_bytes(previous: u64) -> u64 {
    if previous < 254 { 1 } else { 5 }
}

/// Bytes of an integer behind an entry of `previous` bytes.
#[inline]
pub(crate) const fn integer(value: i64, previous: u64) -> u64 {
    let encoded = match value {
        0..=12 => 1,
        -0x80..=0x7f => 2,
        -0x8000..=0x7fff => 3,
        -0x80_0000..=0x7f_ffff => 4,
        -0x8000_0000..=0x7fff_ffff => 5,
        _ => 9,
    };
    encoded + previous_bytes(previous)
}

/// Bytes of a text that is no integer, behind an entry of `previous` bytes.
#[inline]
pub(crate) const fn text(len: u64, previous: u64) -> u64 {
    let header = match len {
        0..64 => 1,
        64..16_384 => 2,
        _ => 5,
    };
    len.saturating_add(header + previous_bytes(previous))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_as_a_server_writes_them() {
        // Redis 6.2.5, the list l:ints: fifteen integers in 75 bytes.
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
        assert_eq!(EMPTY + ints.into_iter().map(|value| integer(value, 3)).sum::<u64>(), 75);
        assert_eq!((text(63, 0), text(64, 253), text(64, 254), text(16_384, 0)), (65, 67, 71, 16_390));
    }
}
