//! LZF, as the servers use it: bounded inflation into a buffer of the caller.
//!
//! A control byte below 32 copies that many bytes plus one from the input; any other is a back
//! reference of at least three bytes at most 8,192 bytes back. Source: `src/lzf_d.c` of Redis 7.0.

use crate::{ErrorKind, Fault, Limits};

/// LZF data and the length it declares to inflate to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lzf<'a> {
    /// The compressed bytes.
    pub packed: &'a [u8],
    /// Declared number of inflated bytes. Not to be believed before the data is inflated.
    pub len: u64,
}

impl Lzf<'_> {
    /// Inflates everything into `out`, replacing what is there.
    ///
    /// # Errors
    ///
    /// When the data is damaged, declares another length than it makes, or asks for more than `limits`
    /// allow; then `out` holds the bytes made until there.
    pub fn inflate(&self, limits: Limits, out: &mut Vec<u8>) -> Result<(), Fault> {
        let made = self.inflate_at_least(self.len, limits, out)?;
        if made {
            return Ok(());
        }
        let made = out.len() as u64;
        Err(Fault::at(ErrorKind::LzfTooShort { declared: self.len, made }, &[]))
    }

    /// Inflates until `out` holds `want` bytes, a few more, or everything.
    ///
    /// # Errors
    ///
    /// As [`Self::inflate`], but only for damage that is met on the way. Data that ends early is
    /// not an error here.
    pub fn inflate_prefix(&self, want: u64, limits: Limits, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.inflate_at_least(want.min(self.len), limits, out).map(drop)
    }

    /// Checks that the data inflates to what it declares, without inflating it.
    ///
    /// Whether an instruction is sound depends on how many bytes were made before it, not on which.
    ///
    /// # Errors
    ///
    /// As [`Self::inflate`].
    pub fn check(&self) -> Result<(), Fault> {
        let declared = self.len;
        self.check_ratio()?;
        let mut input = self.packed;
        let mut made = 0u64;
        while let Some((instruction, rest)) = Instruction::read(input)? {
            match instruction {
                Instruction::Literal(run) => made += run.len() as u64,
                Instruction::Back { distance, len } => {
                    if distance as u64 > made {
                        return Err(Fault::at(ErrorKind::LzfBadDistance(distance as u32), input));
                    }
                    made += len as u64;
                }
            }
            if made > declared {
                return Err(Fault::at(ErrorKind::LzfTooLong { declared }, input));
            }
            input = rest;
        }
        if made < declared {
            return Err(Fault::at(ErrorKind::LzfTooShort { declared, made }, input));
        }
        Ok(())
    }

    /// Checks what can be told without reading the data: that it may make as much as it declares.
    ///
    /// # Errors
    ///
    /// When it declares more than its length can ever make: three bytes make 264 at the most.
    pub fn check_ratio(&self) -> Result<(), Fault> {
        let packed = self.packed.len() as u64;
        if self.len <= packed.saturating_mul(88).saturating_add(32) {
            return Ok(());
        }
        Err(self.refused())
    }

    #[cold]
    fn refused(&self) -> Fault {
        let kind = ErrorKind::LzfRatio { declared: self.len, packed: self.packed.len() as u64 };
        Fault::at(kind, self.packed)
    }

    /// Returns whether `want` bytes were made.
    fn inflate_at_least(&self, want: u64, limits: Limits, out: &mut Vec<u8>) -> Result<bool, Fault> {
        out.clear();
        let declared = self.len;
        self.check_ratio()?;
        if want > limits.inflated_bytes {
            let kind = ErrorKind::LzfLimit { declared: self.len, limit: limits.inflated_bytes };
            return Err(Fault::at(kind, self.packed));
        }
        // The ratio check above bounds this by 88 times the bytes that are really there.
        out.reserve(usize::try_from(want).unwrap_or(0));
        let mut input = self.packed;
        let whole = want == declared;
        while whole || (out.len() as u64) < want {
            let Some((instruction, rest)) = Instruction::read(input)? else { break };
            match instruction {
                Instruction::Literal(run) => out.extend_from_slice(run),
                Instruction::Back { distance, len } => {
                    let Some(from) = out.len().checked_sub(distance) else {
                        return Err(Fault::at(ErrorKind::LzfBadDistance(distance as u32), input));
                    };
                    copy_back(out, from, distance, len);
                }
            }
            input = rest;
            if out.len() as u64 > declared {
                return Err(Fault::at(ErrorKind::LzfTooLong { declared }, input));
            }
        }
        Ok(out.len() as u64 >= want)
    }
}

/// A step of LZF data.
enum Instruction<'a> {
    /// These bytes are the next ones.
    Literal(&'a [u8]),
    /// The next `len` bytes are those that stand `distance` before.
    Back { distance: usize, len: usize },
}

impl<'a> Instruction<'a> {
    /// The instruction at the start of `input` and what is behind it; `None` at the end.
    #[inline]
    fn read(input: &'a [u8]) -> Result<Option<(Self, &'a [u8])>, Fault> {
        let Some((&control, rest)) = input.split_first() else { return Ok(None) };
        let control = usize::from(control);
        let cut = || Fault::at(ErrorKind::LzfCut, input);
        if control < 32 {
            let (run, rest) = rest.split_at_checked(control + 1).ok_or_else(cut)?;
            return Ok(Some((Self::Literal(run), rest)));
        }
        let (extra, rest) = match (control >> 5, rest) {
            (7, [extra, rest @ ..]) => (usize::from(*extra), rest),
            (7, []) => return Err(cut()),
            (_, rest) => (0, rest),
        };
        let (&low, rest) = rest.split_first().ok_or_else(cut)?;
        let len = (control >> 5) + extra + 2;
        let distance = ((control & 31) << 8 | usize::from(low)) + 1;
        Ok(Some((Self::Back { distance, len }, rest)))
    }
}

/// Appends `len` bytes that start at `from`; where source and target overlap the bytes repeat.
#[inline]
fn copy_back(out: &mut Vec<u8>, from: usize, distance: usize, len: usize) {
    if len <= distance {
        out.extend_from_within(from..from + len);
        return;
    }
    // Each round doubles what can be copied at once.
    let end = out.len() + len;
    while out.len() < end {
        let available = out.len() - from;
        out.extend_from_within(from..from + available.min(end - out.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inflate(packed: &[u8], len: u64) -> Result<Vec<u8>, ErrorKind> {
        let mut out = Vec::new();
        let lzf = Lzf { packed, len };
        let inflated = lzf.inflate(Limits::default(), &mut out);
        let checked = lzf.check();
        assert_eq!(
            checked.map_err(|fault| fault.kind),
            inflated.map_err(|fault| fault.kind),
            "check and inflate agree"
        );
        inflated.map_err(|fault| fault.kind)?;
        Ok(out)
    }

    #[test]
    fn inflates_what_a_server_wrote() {
        // Redis 7.0.15: "ab" repeated to 200 bytes, and 100 times "L".
        let packed = [0x02, 0x61, 0x62, 0x61, 0xe0, 0xba, 0x01, 0x01, 0x61, 0x62];
        assert_eq!(inflate(&packed, 200), Ok(b"ab".repeat(100)));
        let packed = [0x01, 0x4c, 0x4c, 0xe0, 0x57, 0x00, 0x01, 0x4c, 0x4c];
        assert_eq!(inflate(&packed, 100), Ok(vec![b'L'; 100]));
    }

    #[test]
    fn agrees_with_the_lzf_crate() {
        let mut text = Vec::new();
        for n in 0u32..3000 {
            text.extend_from_slice(format!("{{\"id\":{n},\"name\":\"user {}\"}}", n * n % 977).as_bytes());
        }
        for len in [40, 1_000, 8_191, 20_000, text.len()] {
            let raw = &text[..len];
            let packed = lzf::compress(raw).unwrap();
            assert_eq!(lzf::decompress(&packed, len).unwrap(), raw);
            assert_eq!(inflate(&packed, len as u64).unwrap(), raw);
            for want in [1, 6, 10, 33, len as u64 / 2] {
                let mut out = Vec::new();
                Lzf { packed: &packed, len: len as u64 }
                    .inflate_prefix(want, Limits::default(), &mut out)
                    .unwrap();
                assert!(out.len() as u64 >= want && raw.starts_with(&out));
            }
        }
    }

    #[test]
    fn every_kind_of_damage_is_named() {
        assert_eq!(inflate(&[5, 1, 2], 6), Err(ErrorKind::LzfCut));
        assert_eq!(inflate(&[0, 1, 0xe0], 30), Err(ErrorKind::LzfCut));
        assert_eq!(inflate(&[0, 1, 0xe0, 1], 30), Err(ErrorKind::LzfCut));
        assert_eq!(inflate(&[0, 1, 0x20], 30), Err(ErrorKind::LzfCut));
        assert_eq!(inflate(&[0, 1, 0x20, 1], 4), Err(ErrorKind::LzfBadDistance(2)));
        assert_eq!(inflate(&[0, 1, 0x20, 0], 3), Err(ErrorKind::LzfTooLong { declared: 3 }));
        assert_eq!(inflate(&[0, 1, 0x20, 0], 5), Err(ErrorKind::LzfTooShort { declared: 5, made: 4 }));
        let huge = ErrorKind::LzfRatio { declared: 1 << 60, packed: 2 };
        assert_eq!(inflate(&[0, 1], 1 << 60), Err(huge));
    }
}
