//! How the bytes of a key are written in machine formats.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rdb_parser::EscapedKey;

/// How the bytes of a key are written in machine formats. Each can be undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyEncoding {
    /// Printable UTF-8 as it is, `\\` for a backslash, `\xNN` for every other byte.
    #[default]
    Escaped,
    /// The same, and so for what spreadsheets take for the start of a formula at the start of a key.
    Guarded,
    /// Base64 with padding (RFC 4648).
    Base64,
    /// Two lower-case digits for each byte.
    Hex,
}

impl KeyEncoding {
    /// Appends a key to `out`.
    pub fn write(self, key: &[u8], out: &mut Vec<u8>) {
        match self {
            // Writing to a Vec never fails.
            Self::Escaped => drop(write!(out, "{}", EscapedKey(key))),
            Self::Guarded => {
                let (formula, rest) = split_formula(key);
                formula.iter().for_each(|byte| drop(write!(out, "\\x{byte:02x}")));
                Self::Escaped.write(rest, out);
            }
            Self::Base64 => {
                let start = out.len();
                out.resize(start + key.len().div_ceil(3) * 4, 0);
                let room = out.get_mut(start..).unwrap_or_default();
                let written = STANDARD.encode_slice(key, room).unwrap_or(0);
                out.truncate(start + written);
            }
            Self::Hex => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'?');
                out.extend(key.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
            }
        }
    }

    /// A key as text.
    #[must_use]
    pub fn text(self, key: &[u8]) -> String {
        let mut out = Vec::with_capacity(key.len());
        self.write(key, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }
}

/// What a spreadsheet takes for the start of a formula, the wide forms of East Asian input among it, and the
/// rest. Tabs and line breaks are escaped anyway.
fn split_formula(key: &[u8]) -> (&[u8], &[u8]) {
    const STARTS: [&str; 8] = ["=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}"];
    let start = STARTS.iter().find(|start| key.starts_with(start.as_bytes()));
    key.split_at_checked(start.map_or(0, |start| start.len())).unwrap_or((&[], key))
}

/// A word that names no key encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKeyEncoding(String);

impl fmt::Display for UnknownKeyEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no key encoding; there are escaped, base64 and hex", self.0)
    }
}

impl std::error::Error for UnknownKeyEncoding {}

impl FromStr for KeyEncoding {
    type Err = UnknownKeyEncoding;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "escaped" => Ok(Self::Escaped),
            "base64" => Ok(Self::Base64),
            "hex" => Ok(Self::Hex),
            _ => Err(UnknownKeyEncoding(word.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_tells_the_bytes() {
        let key = b"a\xff\\,\"";
        assert_eq!(KeyEncoding::Escaped.text(key), r#"a\xff\\,""#);
        assert_eq!(KeyEncoding::Base64.text(key), "Yf9cLCI=");
        assert_eq!(KeyEncoding::Hex.text(key), "61ff5c2c22");
        assert_eq!(KeyEncoding::Guarded.text(b"=1+1"), r"\x3d1+1");
        assert_eq!(KeyEncoding::Guarded.text("\u{ff1d}1".as_bytes()), r"\xef\xbc\x9d1");
        assert_eq!(KeyEncoding::Guarded.text(b"a=1"), "a=1");
        for encoding in ["escaped", "base64", "hex"] {
            assert_eq!(encoding.parse::<KeyEncoding>().unwrap().text(b""), "");
        }
        assert!("utf8".parse::<KeyEncoding>().is_err());
    }
}
