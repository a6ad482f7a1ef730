//! The checksum at the end of an RDB file: a reflected CRC-64 with initial value and final xor 0.

const POLY: u64 = 0x95ac_9329_ac4b_c9b5;

const TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut t = [[0; 256]; 8];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u64;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 1 == 1 { (c >> 1) ^ POLY } else { c >> 1 };
            bit += 1;
        }
        t[0][n] = c;
        n += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut n = 0;
        while n < 256 {
            let before = t[k - 1][n];
            t[k][n] = t[0][(before & 0xff) as usize] ^ (before >> 8);
            n += 1;
        }
        k += 1;
    }
    t
}

/// Continues a checksum over more bytes. A new one starts from 0.
pub fn update(crc: u64, bytes: &[u8]) -> u64 {
    let mut crc = crc;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let x = crc ^ u64::from_le_bytes(*word);
        crc = 0;
        for (k, table) in TABLES.iter().rev().enumerate() {
            crc ^= table[((x >> (8 * k)) & 0xff) as usize];
        }
    }
    for &byte in rest {
        crc = TABLES[0][((crc ^ u64::from(byte)) & 0xff) as usize] ^ (crc >> 8);
    }
    crc
}

/// The checksum of these bytes.
pub fn crc64(bytes: &[u8]) -> u64 {
    update(0, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values() {
        assert_eq!(crc64(b"123456789"), 0xe9c6_d914_c4b8_d9ca);
        assert_eq!(crc64(b""), 0);
    }

    #[test]
    fn pieces_equal_the_whole() {
        let bytes: Vec<u8> = (0..100u8).map(|n| n.wrapping_mul(37)).collect();
        for cut in 0..bytes.len() {
            assert_eq!(update(crc64(&bytes[..cut]), &bytes[cut..]), crc64(&bytes), "cut at {cut}");
        }
    }
}
