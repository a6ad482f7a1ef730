//! Intsets: ascending integers of one width.

/// An intset of these numbers, sorted and without repeats, in the smallest width that fits all.
pub fn intset(numbers: &[i64]) -> Vec<u8> {
    let fits = |lo: i64, hi: i64| numbers.iter().all(|n| (lo..=hi).contains(n));
    let width = if fits(i16::MIN.into(), i16::MAX.into()) {
        2
    } else if fits(i32::MIN.into(), i32::MAX.into()) {
        4
    } else {
        8
    };
    intset_as(numbers, width)
}

/// An intset whose header says this width; each number is cut to so many bytes (at most 8).
pub fn intset_as(numbers: &[i64], width: u32) -> Vec<u8> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut out = Vec::with_capacity(8 + sorted.len() * width as usize);
    out.extend_from_slice(&width.to_le_bytes());
    out.extend_from_slice(&(sorted.len() as u32).to_le_bytes());
    for n in sorted {
        out.extend_from_slice(&n.to_le_bytes()[..width.min(8) as usize]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        assert_eq!(
            intset(&[32767, 3, 2, 1, -5, 3]),
            [2, 0, 0, 0, 5, 0, 0, 0, 0xfb, 0xff, 1, 0, 2, 0, 3, 0, 0xff, 0x7f]
        );
        assert_eq!(intset(&[1, 40_000])[..8], [4, 0, 0, 0, 2, 0, 0, 0]);
        let wide = intset(&[-5_000_000_000, 1, 5_000_000_000]);
        assert_eq!(wide.len(), 32);
        assert_eq!(wide[8..16], [0x00, 0x0e, 0xfa, 0xd5, 0xfe, 0xff, 0xff, 0xff]);
    }
}
