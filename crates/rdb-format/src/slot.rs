//! Which cluster slot a key belongs to.

/// How many slots a cluster has.
pub const SLOT_COUNT: u16 = 16_384;

/// CRC16 (CCITT, polynomial 0x1021, initial value 0) of one byte in the high half of the register.
const TABLE: [u16; 256] = {
    let mut table = [0u16; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = (n as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 0x8000 != 0 { (c << 1) ^ 0x1021 } else { c << 1 };
            bit += 1;
        }
        #[allow(clippy::indexing_slicing)] // n < 256, checked by the loop
        {
            table[n] = c;
        }
        n += 1;
    }
    table
};

/// The slot of a key: CRC16 modulo 16,384 of the key, or of what stands in its first pair of
/// braces when that is not empty. Source: `keyHashSlot` in `src/cluster.c` of Redis 7.0.
#[must_use]
pub fn key_hash_slot(key: &[u8]) -> u16 {
    let tag = key.iter().position(|&b| b == b'{').and_then(|open| {
        let inside = key.get(open + 1..)?;
        let close = inside.iter().position(|&b| b == b'}')?;
        (close > 0).then(|| inside.get(..close)).flatten()
    });
    let crc = tag.unwrap_or(key).iter().fold(0u16, |crc, &byte| {
        let index = usize::from((crc >> 8) as u8 ^ byte);
        (crc << 8) ^ TABLE.get(index).copied().unwrap_or(0)
    });
    crc & (SLOT_COUNT - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_equal_cluster_keyslot() {
        // The first is the CRC16 check value of the cluster specification, modulo 16,384.
        assert_eq!(key_hash_slot(b"123456789"), 0x31c3);
        assert_eq!(key_hash_slot(b"foo"), 12182);
        assert_eq!(key_hash_slot(b"{foo}bar"), 12182);
        assert_eq!(key_hash_slot(b"x{}{foo}"), key_hash_slot(b"x{}{foo}"));
        assert_ne!(key_hash_slot(b"x{}{foo}"), 12182);
        assert_eq!(key_hash_slot(b""), 0);
    }
}
