//! A small seeded generator of pseudo-random numbers: xoshiro256** seeded by splitmix64.
//!
//! Hand-written so that a seed means the same bytes in every version of every dependency. Not for secrets.

/// One step of splitmix64. It is a bijection of `u64`, so distinct inputs give distinct outputs.
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The generator. Equal seeds give equal sequences.
#[derive(Debug, Clone)]
pub struct Prng {
    state: [u64; 4],
}

impl Prng {
    /// A generator for this seed.
    pub fn new(seed: u64) -> Self {
        let mut state = [0; 4];
        let mut z = seed;
        for word in &mut state {
            *word = mix(z);
            z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
        }
        Self { state }
    }

    /// The generator number `stream` of a seed: any of many independent sequences, without running the others.
    pub fn split(seed: u64, stream: u64) -> Self {
        Self::new(mix(seed) ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0..n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// A number in `lo..=hi`.
    pub fn between(&mut self, lo: u64, hi: u64) -> u64 {
        lo + self.below(hi.saturating_sub(lo).saturating_add(1))
    }

    /// Like [`Prng::between`], for sizes.
    pub fn size(&mut self, lo: usize, hi: usize) -> usize {
        self.between(lo as u64, hi as u64) as usize
    }

    /// True `per_mille` times in a thousand.
    pub fn chance(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    /// One element of a slice that is not empty.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// A number in `0.0..1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Appends `n` random bytes.
    pub fn fill(&mut self, out: &mut Vec<u8>, n: usize) {
        let mut left = n;
        while left > 0 {
            let word = self.next_u64().to_le_bytes();
            let take = left.min(8);
            out.extend_from_slice(&word[..take]);
            left -= take;
        }
    }

    /// `n` random bytes.
    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(n);
        self.fill(&mut out, n);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_agree_and_others_do_not() {
        let take = |mut p: Prng| (0..8).map(|_| p.next_u64()).collect::<Vec<_>>();
        assert_eq!(take(Prng::new(7)), take(Prng::new(7)));
        assert_ne!(take(Prng::new(7)), take(Prng::new(8)));
        assert_ne!(take(Prng::split(7, 0)), take(Prng::split(7, 1)));
    }

    #[test]
    fn ranges_hold_at_both_ends() {
        let mut p = Prng::new(1);
        let seen: Vec<u64> = (0..500).map(|_| p.between(3, 5)).collect();
        assert!(seen.iter().all(|n| (3..=5).contains(n)) && seen.contains(&3) && seen.contains(&5));
        assert!((0..100).all(|_| p.below(1) == 0));
        assert_eq!(p.bytes(13).len(), 13);
    }
}
