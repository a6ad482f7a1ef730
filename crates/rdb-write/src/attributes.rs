//! What stands in front of a record's type, and what has to be put there.

use rdb_format::OpCode;
use rdb_parser::KeyAttrs;

use crate::writer::length;

/// Appends those attributes of a record that do not stand in front of its bytes: something that is no key
/// stood between, and is not copied with it.
pub(crate) fn missing(attrs: &KeyAttrs, record: &[u8], out: &mut Vec<u8>) {
    let there = Present::of(record);
    if let Some(ms) = attrs.expire_at_ms.filter(|_| !there.expiry) {
        out.push(OpCode::EXPIRETIME_MS.0);
        out.extend(ms.to_le_bytes());
    }
    if let Some(seconds) = attrs.idle_seconds.filter(|_| !there.idle) {
        out.push(OpCode::IDLE.0);
        length(seconds, out);
    }
    if let Some(freq) = attrs.freq.filter(|_| !there.freq) {
        out.extend([OpCode::FREQ.0, freq]);
    }
}

/// Which attributes a record begins with.
#[derive(Default)]
struct Present {
    expiry: bool,
    idle: bool,
    freq: bool,
}

impl Present {
    fn of(mut record: &[u8]) -> Self {
        let mut there = Self::default();
        while let [opcode, rest @ ..] = record {
            let bytes = match OpCode(*opcode) {
                OpCode::EXPIRETIME_MS => {
                    there.expiry = true;
                    8
                }
                OpCode::EXPIRETIME => {
                    there.expiry = true;
                    4
                }
                OpCode::FREQ => {
                    there.freq = true;
                    1
                }
                OpCode::IDLE => {
                    there.idle = true;
                    match rest {
                        [0x00..=0x3f, ..] => 1,
                        [0x40..=0x7f, ..] => 2,
                        [0x80, ..] => 5,
                        _ => 9,
                    }
                }
                // Module metadata stands directly in front of the type.
                _ => break,
            };
            record = rest.get(bytes..).unwrap_or_default();
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_there() {
        let attrs =
            KeyAttrs { expire_at_ms: Some(1), idle_seconds: Some(300), freq: Some(7), ..KeyAttrs::default() };
        let put = |record: &[u8]| {
            let mut out = Vec::new();
            missing(&attrs, record, &mut out);
            out
        };
        let expiry = b"\xfc\x01\0\0\0\0\0\0\0";
        assert_eq!(put(b"\x00\x01k\x01v"), [&expiry[..], b"\xf8\x41\x2c\xf9\x07"].concat());
        assert_eq!(put(&[&expiry[..], b"\x00\x01k\x01v"].concat()), b"\xf8\x41\x2c\xf9\x07");
        assert_eq!(put(b"\xf8\x41\x2c\xf9\x07\xfd\0\0\0\0\x00\x01k\x01v"), b"");
        missing(&KeyAttrs::default(), b"\x00\x01k\x01v", &mut Vec::new());
    }
}
