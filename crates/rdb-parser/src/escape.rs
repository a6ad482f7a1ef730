//! The one reversible way in which keys become text.

use std::fmt;

/// A key shown as text: printable UTF-8 as it is, `\\` for a backslash, `\xNN` for every other byte.
///
/// Control characters, invisible marks and characters that change the direction of text count as
/// not printable, so that nothing a key contains can act on a terminal.
#[derive(Clone, Copy, Debug)]
pub struct EscapedKey<'a>(pub &'a [u8]);

/// The start of a key, for messages: at most [`KeyExcerpt::BYTES`] bytes of it, and its length if it
/// is longer.
#[derive(Clone, Copy, Debug)]
pub struct KeyExcerpt<'a>(pub &'a [u8]);

impl KeyExcerpt<'_> {
    /// How many bytes of a key are shown.
    pub const BYTES: usize = 80;
}

impl fmt::Display for KeyExcerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.get(..Self::BYTES) {
            Some(start) if self.0.len() > Self::BYTES => {
                write!(f, "{}… ({} bytes)", EscapedKey(start), self.0.len())
            }
            _ => write!(f, "{}", EscapedKey(self.0)),
        }
    }
}

impl fmt::Display for EscapedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            let text = chunk.valid();
            let mut plain_from = 0;
            for (at, c) in text.char_indices() {
                if c != '\\' && is_printable(c) {
                    continue;
                }
                f.write_str(text.get(plain_from..at).unwrap_or_default())?;
                plain_from = at + c.len_utf8();
                if c == '\\' {
                    f.write_str("\\\\")?;
                } else {
                    let mut buffer = [0; 4];
                    for byte in c.encode_utf8(&mut buffer).bytes() {
                        write!(f, "\\x{byte:02x}")?;
                    }
                }
            }
            f.write_str(text.get(plain_from..).unwrap_or_default())?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Whether a character may reach a terminal as it is.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    !c.is_control()
        && !c.is_whitespace()
        && !matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}' | '\u{e000}'..='\u{f8ff}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_printable_text_and_escapes_the_rest() {
        for (key, want) in [
            (&b"user:1001"[..], "user:1001"),
            (b"a\\b", r"a\\b"),
            (b"line1\nline2", r"line1\x0aline2"),
            (b"\x00\xff\xfe,\"", r#"\x00\xff\xfe,""#),
            ("caf\u{e9} \u{1f600}".as_bytes(), "caf\u{e9} \u{1f600}"),
            ("\u{202e}evil".as_bytes(), r"\xe2\x80\xaeevil"),
            (b"\x1b[31mred", r"\x1b[31mred"),
            ("\u{85}".as_bytes(), r"\xc2\x85"),
            (b"", ""),
        ] {
            assert_eq!(EscapedKey(key).to_string(), want);
        }
    }
}
