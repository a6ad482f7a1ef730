//! The primitives: lengths, strings and numbers. Every function appends to a buffer.

use crate::lzf;

/// How to write a length. Readers accept each form for every number that fits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LenForm {
    /// The shortest form, as servers write.
    #[default]
    Minimal,
    /// One byte, below 64.
    Six,
    /// Two bytes, below 16384.
    Fourteen,
    /// `80` and a big-endian u32.
    ThirtyTwo,
    /// `81` and a big-endian u64 (RDB 8 and later).
    SixtyFour,
}

/// How to write a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StrForm {
    /// A length and the bytes.
    #[default]
    Plain,
    /// Length in a form of the caller's choice, and the bytes.
    PlainWith(LenForm),
    /// An integer form if the text is a canonical i32, else plain.
    Int,
    /// LZF, however short or incompressible; only the empty string stays plain.
    Lzf,
    /// As a server with compression does: integer, else LZF if over 20 bytes and it saves at least 4, else plain.
    Auto,
}

/// Appends a length in its shortest form.
pub fn put_len(out: &mut Vec<u8>, n: u64) {
    put_len_as(out, n, LenForm::Minimal);
}

/// Appends a length in the form asked for; one that does not fit moves up to the next that does.
pub fn put_len_as(out: &mut Vec<u8>, n: u64, form: LenForm) {
    let rank = match form {
        LenForm::Minimal | LenForm::Six => 0,
        LenForm::Fourteen => 1,
        LenForm::ThirtyTwo => 2,
        LenForm::SixtyFour => 3,
    };
    if rank == 0 && n < 1 << 6 {
        out.push(n as u8);
    } else if rank <= 1 && n < 1 << 14 {
        out.extend_from_slice(&(0x4000 | n as u16).to_be_bytes());
    } else if rank <= 2 && n <= u64::from(u32::MAX) {
        out.push(0x80);
        out.extend_from_slice(&(n as u32).to_be_bytes());
    } else {
        out.push(0x81);
        out.extend_from_slice(&n.to_be_bytes());
    }
}

/// The integer whose decimal text is exactly these bytes: no sign `+`, no leading zeros, no `-0`, no space.
pub fn canonical_int(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let canonical = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.len() < 19 && rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !canonical {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Appends a string in the form asked for. Returns the number of stored bytes if it became LZF.
pub fn put_str(out: &mut Vec<u8>, text: &[u8], form: StrForm) -> Option<usize> {
    match form {
        StrForm::Plain => put_plain(out, text, LenForm::Minimal),
        StrForm::PlainWith(len) => put_plain(out, text, len),
        StrForm::Int => {
            if !put_int(out, text) {
                put_plain(out, text, LenForm::Minimal);
            }
        }
        StrForm::Lzf if !text.is_empty() => return Some(put_lzf_of(out, text)),
        StrForm::Lzf => put_plain(out, text, LenForm::Minimal),
        StrForm::Auto => return put_auto(out, text),
    }
    None
}

/// Appends a length and the bytes.
pub fn put_plain(out: &mut Vec<u8>, text: &[u8], form: LenForm) {
    put_len_as(out, text.len() as u64, form);
    out.extend_from_slice(text);
}

/// Appends an integer form if this is the canonical text of an i32; else nothing, and returns false.
pub fn put_int(out: &mut Vec<u8>, text: &[u8]) -> bool {
    match canonical_int(text).map(i32::try_from) {
        Some(Ok(n)) => {
            put_int_str(out, n);
            true
        }
        _ => false,
    }
}

/// Appends a number as a string in the narrowest of the three integer forms.
pub fn put_int_str(out: &mut Vec<u8>, n: i32) {
    if let Ok(n) = i8::try_from(n) {
        out.push(0xc0);
        out.push(n as u8);
    } else if let Ok(n) = i16::try_from(n) {
        out.push(0xc1);
        out.extend_from_slice(&n.to_le_bytes());
    } else {
        out.push(0xc2);
        out.extend_from_slice(&n.to_le_bytes());
    }
}

/// Appends an LZF string from its parts: what is stored, and the length it claims to inflate to.
pub fn put_lzf(out: &mut Vec<u8>, stored: &[u8], raw_len: u64) {
    out.push(0xc3);
    put_len(out, stored.len() as u64);
    put_len(out, raw_len);
    out.extend_from_slice(stored);
}

fn put_lzf_of(out: &mut Vec<u8>, text: &[u8]) -> usize {
    let stored = lzf::compress(text);
    put_lzf(out, &stored, text.len() as u64);
    stored.len()
}

fn put_auto(out: &mut Vec<u8>, text: &[u8]) -> Option<usize> {
    if text.len() <= 11 && put_int(out, text) {
        return None;
    }
    if text.len() > 20 {
        thread_local! {
            static STORED: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
        }
        let stored = STORED.with_borrow_mut(|stored| {
            stored.clear();
            lzf::compress_into(text, stored);
            let worth_it = stored.len() + 4 <= text.len();
            if worth_it {
                put_lzf(out, stored, text.len() as u64);
            }
            worth_it.then_some(stored.len())
        });
        if stored.is_some() {
            return stored;
        }
    }
    put_plain(out, text, LenForm::Minimal);
    None
}

/// Appends a binary double.
pub fn put_f64(out: &mut Vec<u8>, n: f64) {
    out.extend_from_slice(&n.to_le_bytes());
}

/// Appends a time or another signed 64-bit number, little-endian.
pub fn put_i64(out: &mut Vec<u8>, n: i64) {
    out.extend_from_slice(&n.to_le_bytes());
}

/// Appends a double as the oldest zsets store it: a length byte and decimal text, or one of three special bytes.
pub fn put_ascii_f64(out: &mut Vec<u8>, n: f64) {
    if n.is_nan() {
        out.push(253);
    } else if n.is_infinite() {
        out.push(if n > 0.0 { 254 } else { 255 });
    } else {
        let text = score_text(n);
        out.push(text.len() as u8);
        out.extend_from_slice(text.as_bytes());
    }
}

/// The text of a score inside a ziplist or listpack: an integer where exact, else the shortest that reads back.
pub fn score_text(n: f64) -> String {
    if n == n.trunc() && n.abs() < 1e17 {
        return format!("{}", n as i64);
    }
    if n.is_infinite() {
        return if n > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let size = n.abs();
    if (1e-5..1e17).contains(&size) { format!("{n}") } else { format!("{n:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(f: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        f(&mut out);
        out
    }

    #[test]
    fn lengths_in_every_form() {
        let len = |n, form| made(|out| put_len_as(out, n, form));
        assert_eq!(len(63, LenForm::Minimal), [0x3f]);
        assert_eq!(len(64, LenForm::Minimal), [0x40, 0x40]);
        assert_eq!(len(16383, LenForm::Minimal), [0x7f, 0xff]);
        assert_eq!(len(16384, LenForm::Minimal), [0x80, 0, 0, 0x40, 0]);
        assert_eq!(len(1 << 32, LenForm::Minimal), [0x81, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(len(1, LenForm::Fourteen), [0x40, 1]);
        assert_eq!(len(1, LenForm::ThirtyTwo), [0x80, 0, 0, 0, 1]);
        assert_eq!(len(1, LenForm::SixtyFour), [0x81, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(len(u64::MAX, LenForm::Six), [0x81, 255, 255, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn strings_in_every_form() {
        let auto = |text: &str| {
            made(|out| {
                put_str(out, text.as_bytes(), StrForm::Auto);
            })
        };
        assert_eq!(auto("-128"), [0xc0, 0x80]);
        assert_eq!(auto("128"), [0xc1, 0x80, 0]);
        assert_eq!(auto("32768"), [0xc2, 0, 0x80, 0, 0]);
        assert_eq!(auto("2147483648"), b"\x0a2147483648");
        for text in ["007", "-0", "+1", " 1", "", "-", "1a"] {
            assert_eq!(canonical_int(text.as_bytes()), None, "{text:?}");
            assert_eq!(auto(text), made(|out| put_plain(out, text.as_bytes(), LenForm::Minimal)));
        }
        assert_eq!(canonical_int(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(canonical_int(b"9223372036854775808"), None);
        assert_eq!(auto(&"ab".repeat(100))[0], 0xc3);
        assert_eq!(auto("abcdefghijklmnopqrstuvwxyz")[0], 26);
    }

    #[test]
    fn doubles() {
        let ascii = |n| made(|out| put_ascii_f64(out, n));
        assert_eq!(ascii(2.5), b"\x032.5");
        assert_eq!(ascii(3.0), b"\x013");
        assert_eq!(
            (ascii(f64::INFINITY), ascii(f64::NEG_INFINITY), ascii(f64::NAN)),
            (vec![254], vec![255], vec![253])
        );
        for n in [0.1, 1e100, -1e-9, 9007199254740992.0, 1e17, -2.5, f64::MAX, f64::MIN_POSITIVE] {
            assert_eq!(score_text(n).parse::<f64>(), Ok(n));
        }
        assert_eq!(made(|out| put_f64(out, 0.1)), [0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0x3f]);
    }
}
