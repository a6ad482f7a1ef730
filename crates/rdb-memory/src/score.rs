//! The text of a score, as servers write it into packed sorted sets.

use std::fmt::Write;

use rdb_parser::parse_i64;

/// Longest text: a sign, 17 digits, a point and `e-308`, or a plain integer.
const MOST: usize = 32;

/// A score's text on the stack.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScoreText {
    bytes: [u8; MOST],
    len: usize,
}

impl Write for ScoreText {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(std::fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

impl ScoreText {
    /// The text. `shortest`: the fewest digits that read back (Redis 7.2), else 17 significant digits.
    ///
    /// Source: `d2string` in `src/util.c`.
    pub(crate) fn new(score: f64, shortest: bool) -> Self {
        let mut text = Self::default();
        // A text that does not fit stays cut; none does not fit.
        let _ = text.write(score, shortest);
        text
    }

    /// The characters.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Number of characters.
    pub(crate) fn len(&self) -> u64 {
        self.len as u64
    }

    /// The integer that the text is, as a packed value stores it.
    pub(crate) fn to_i64(self) -> Option<i64> {
        parse_i64(self.as_bytes())
    }

    fn write(&mut self, score: f64, shortest: bool) -> std::fmt::Result {
        // Up to which magnitude whole numbers are written as such: `double2ll`, and its predecessor.
        let most = if shortest { (1u64 << 62) as f64 } else { (1u64 << 52) as f64 };
        if score.is_nan() {
            return self.write_str("nan");
        }
        if score.is_infinite() {
            return self.write_str(if score > 0.0 { "inf" } else { "-inf" });
        }
        if score == 0.0 {
            return self.write_str(if score.is_sign_negative() { "-0" } else { "0" });
        }
        if score == score.trunc() && score.abs() < most {
            return write!(self, "{}", score as i64);
        }
        if score < 0.0 {
            self.write_str("-")?;
        }
        let mut scientific = Self::default();
        if shortest {
            write!(scientific, "{:e}", score.abs())?;
        } else {
            write!(scientific, "{:.16e}", score.abs())?;
        }
        let Some(digits) = Digits::read(scientific.as_bytes()) else { return Err(std::fmt::Error) };
        if shortest { digits.write_fpconv(self, score < 0.0) } else { digits.write_general(self) }
    }
}

/// Decimal digits and the power of ten of the first one.
struct Digits {
    digits: [u8; MOST],
    len: usize,
    exponent: i32,
}

impl Digits {
    /// Reads Rust's scientific notation, without zeros at the end.
    fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (mantissa, exponent) = text.split_once('e')?;
        let mut read = Self { digits: [b'0'; MOST], len: 0, exponent: exponent.parse().ok()? };
        let digits = mantissa.bytes().filter(u8::is_ascii_digit);
        for (slot, digit) in read.digits.iter_mut().zip(digits) {
            *slot = digit;
            read.len += 1;
        }
        while read.len > 1 && read.digits.get(read.len - 1) == Some(&b'0') {
            read.len -= 1;
        }
        Some(read)
    }

    fn part(&self, range: std::ops::Range<usize>) -> &str {
        self.digits.get(range).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default()
    }

    /// Digits without an exponent: `0.00012`, `12.5`, `1200`.
    fn write_plain(&self, out: &mut ScoreText) -> std::fmt::Result {
        if self.exponent < 0 {
            out.write_str("0.")?;
            for _ in 1..-self.exponent {
                out.write_str("0")?;
            }
            return out.write_str(self.part(0..self.len));
        }
        let whole = self.exponent as usize + 1;
        out.write_str(self.part(0..whole.min(self.len)))?;
        for _ in self.len..whole {
            out.write_str("0")?;
        }
        if whole < self.len {
            out.write_str(".")?;
            out.write_str(self.part(whole..self.len))?;
        }
        Ok(())
    }

    /// `1.25e+20`, with `width` digits of exponent at least.
    fn write_scientific(&self, out: &mut ScoreText, width: usize) -> std::fmt::Result {
        out.write_str(self.part(0..1))?;
        if self.len > 1 {
            out.write_str(".")?;
            out.write_str(self.part(1..self.len))?;
        }
        let sign = if self.exponent < 0 { '-' } else { '+' };
        write!(out, "e{sign}{:0width$}", self.exponent.unsigned_abs())
    }

    /// C's `%.17g`.
    fn write_general(&self, out: &mut ScoreText) -> std::fmt::Result {
        if self.exponent < -4 || self.exponent >= 17 {
            self.write_scientific(out, 2)
        } else {
            self.write_plain(out)
        }
    }

    /// Redis' own choice of notation. Source: `emit_digits` in `deps/fpconv/fpconv_dtoa.c` of Redis 7.2.
    fn write_fpconv(mut self, out: &mut ScoreText, negative: bool) -> std::fmt::Result {
        let len = self.len as i32;
        // The power of ten of the last digit.
        let scale = self.exponent - (len - 1);
        let magnitude = self.exponent.abs();
        let whole = scale >= 0 && magnitude < len + 7;
        let fraction = scale < 0 && (scale > -7 || magnitude < 4);
        if whole || fraction {
            return self.write_plain(out);
        }
        self.len = self.len.min(18 - usize::from(negative));
        self.write_scientific(out, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(score: f64, shortest: bool) -> String {
        String::from_utf8(ScoreText::new(score, shortest).as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn seventeen_digits_up_to_7_0() {
        for (score, want) in [
            (0.1, "0.10000000000000001"),
            (2.5, "2.5"),
            (-3.0, "-3"),
            (1e100, "1e+100"),
            (1e-5, "1.0000000000000001e-05"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (0.0001, "0.0001"),
            (123_456.789, "123456.789"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (-f64::MAX, "-1.7976931348623157e+308"),
        ] {
            assert_eq!(text(score, false), want);
        }
    }

    #[test]
    fn shortest_from_7_2() {
        for (score, want) in [
            (0.1, "0.1"),
            (-1.5, "-1.5"),
            (1e100, "1e+100"),
            (1e-5, "0.00001"),
            (1.5e-9, "1.5e-9"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (1e17, "100000000000000000"),
            (1e19, "1e+19"),
            (12_345_678.123_456_8, "1.23456781234568e+7"),
            (1_234.123_456_789, "1234.123456789"),
            (f64::NEG_INFINITY, "-inf"),
            (-0.0, "-0"),
        ] {
            assert_eq!(text(score, true), want);
        }
        assert_eq!(ScoreText::new(42.0, true).to_i64(), Some(42));
        assert_eq!(ScoreText::new(-0.0, true).to_i64(), None);
        assert_eq!(ScoreText::new(0.5, true).to_i64(), None);
    }
}
