//! LZF compression, as RDB strings use it.
//!
//! A greedy matcher over short hash chains. Its output differs from what a server would write, but any decoder of
//! the format undoes it: literal runs of 1..=32 bytes, references of 3..=264 bytes at a distance of 1..=8192.

const WINDOW: usize = 8192;
const RING: usize = 2 * WINDOW;
const HASH_BITS: u32 = 14;
const LONGEST: usize = 264;
const TRIES: usize = 6;

/// Keeps its tables between calls, so that many short strings cost no more than their bytes.
#[derive(Debug)]
pub struct Compressor {
    /// The newest position of each hash, plus `base`; smaller than `base` = of an earlier input.
    head: Vec<u32>,
    /// The position before that of the same hash, by position modulo the ring.
    before: Vec<u32>,
    base: u32,
}

impl Default for Compressor {
    fn default() -> Self {
        Self { head: vec![0; 1 << HASH_BITS], before: vec![0; RING], base: 1 }
    }
}

impl Compressor {
    /// Appends the compressed form of `input` to `out`, even if it is longer than the input.
    pub fn compress_into(&mut self, input: &[u8], out: &mut Vec<u8>) {
        self.begin(input.len());
        let (mut pos, mut unsent) = (0, 0);
        while pos + 3 <= input.len() {
            let (len, distance) = self.longest_match(input, pos);
            if len < 3 {
                self.remember(input, pos);
                pos += 1;
                continue;
            }
            put_literals(out, &input[unsent..pos]);
            put_reference(out, len, distance);
            for at in pos..pos + len {
                self.remember(input, at);
            }
            pos += len;
            unsent = pos;
        }
        put_literals(out, &input[unsent..]);
        self.base += input.len() as u32;
    }

    fn begin(&mut self, len: usize) {
        if u64::from(self.base) + len as u64 >= u64::from(u32::MAX) {
            self.head.fill(0);
            self.base = 1;
        }
    }

    fn hash(input: &[u8], pos: usize) -> Option<usize> {
        let three = input.get(pos..pos + 3)?;
        let word = u32::from_le_bytes([three[0], three[1], three[2], 0]);
        Some((word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize)
    }

    fn remember(&mut self, input: &[u8], pos: usize) {
        if let Some(hash) = Self::hash(input, pos) {
            self.before[pos % RING] = self.head[hash];
            self.head[hash] = self.base + pos as u32;
        }
    }

    fn longest_match(&self, input: &[u8], pos: usize) -> (usize, usize) {
        let (mut best, mut best_distance) = (0, 0);
        let Some(hash) = Self::hash(input, pos) else { return (0, 0) };
        let limit = LONGEST.min(input.len() - pos);
        let mut candidate = self.head[hash];
        for _ in 0..TRIES {
            if candidate < self.base {
                break;
            }
            let at = (candidate - self.base) as usize;
            let distance = pos - at;
            if distance > WINDOW {
                break;
            }
            let len = input[at..].iter().zip(&input[pos..pos + limit]).take_while(|(a, b)| a == b).count();
            if len > best {
                (best, best_distance) = (len, distance);
            }
            if best == limit {
                break;
            }
            candidate = self.before[at % RING];
        }
        (best, best_distance)
    }
}

/// Appends literal runs for all of `bytes`.
pub fn put_literals(out: &mut Vec<u8>, bytes: &[u8]) {
    for run in bytes.chunks(32) {
        out.push((run.len() - 1) as u8);
        out.extend_from_slice(run);
    }
}

/// Appends one back reference. `len` is 3..=264 and `distance` 1..=8192; other numbers wrap into nonsense, which
/// tests of damaged input may want.
pub fn put_reference(out: &mut Vec<u8>, len: usize, distance: usize) {
    let offset = distance.wrapping_sub(1);
    let high = ((offset >> 8) & 0x1f) as u8;
    let short = len.wrapping_sub(2);
    if short < 7 {
        out.push(((short as u8) << 5) | high);
    } else {
        out.push(0xe0 | high);
        out.push((short - 7) as u8);
    }
    out.push(offset as u8);
}

/// The compressed form of these bytes.
pub fn compress(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    compress_into(input, &mut out);
    out
}

/// Appends the compressed form of `input`, using tables kept for this thread.
pub fn compress_into(input: &[u8], out: &mut Vec<u8>) {
    thread_local! {
        static SHARED: std::cell::RefCell<Compressor> = std::cell::RefCell::default();
    }
    SHARED.with_borrow_mut(|c| c.compress_into(input, out));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prng::Prng;

    fn naive_decompress(mut input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some((&control, rest)) = input.split_first() {
            let control = usize::from(control);
            if control < 32 {
                out.extend_from_slice(&rest[..=control]);
                input = &rest[control + 1..];
                continue;
            }
            let (len, rest) = match control >> 5 {
                7 => (usize::from(rest[0]) + 9, &rest[1..]),
                n => (n + 2, rest),
            };
            let distance = ((control & 0x1f) << 8 | usize::from(rest[0])) + 1;
            assert!(distance <= out.len(), "distance {distance} of {}", out.len());
            for _ in 0..len {
                out.push(out[out.len() - distance]);
            }
            input = &rest[1..];
        }
        out
    }

    #[test]
    fn everything_comes_back() {
        let mut p = Prng::new(3);
        let mut compressor = Compressor::default();
        for round in 0..300 {
            let n = p.size(0, if round % 10 == 0 { 40_000 } else { 300 });
            let alphabet = p.between(1, 256);
            let input: Vec<u8> = (0..n).map(|_| p.below(alphabet) as u8).collect();
            let mut out = Vec::new();
            compressor.compress_into(&input, &mut out);
            assert_eq!(naive_decompress(&out), input, "round {round}");
        }
    }

    #[test]
    fn repeats_shrink_to_the_known_bound() {
        let packed = compress(&[b'a'; 100_000]);
        assert!(packed.len() < 100_000 / 85, "{}", packed.len());
        let far = [vec![1, 2, 3, 4, 5, 6, 7, 8], vec![0; 8184], vec![1, 2, 3, 4, 5, 6, 7, 8]].concat();
        assert_eq!(naive_decompress(&compress(&far)), far);
    }

    #[test]
    fn literal_runs_end_at_32() {
        let mut out = Vec::new();
        put_literals(&mut out, &[7; 33]);
        assert_eq!((out[0], out[33], out.len()), (31, 0, 35));
    }
}
