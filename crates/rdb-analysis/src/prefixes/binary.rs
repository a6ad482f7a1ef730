//! Where the text of a key ends and binary data begins: packed numbers, digests, MessagePack.
//!
//! Control bytes are separators in the keys of some frameworks (`default\x06\x163`,
//! `tagged:\0tags\0all`), so they alone make no key binary. Between two printable separators, binary is
//! what is not valid UTF-8, what has three control bytes in a row, or three different ones. From
//! there on the key is one `{bytes}`, whatever follows. A name in front of it stays if it has three
//! letters and ends in a mark or a separator: `cache_`, `tag\0`.
//!
//! Names in an old one-byte character set are not valid UTF-8 either, so they are binary too.

use super::bytes::{Bytes, CUT, Class, DOT, LOWER, UPPER};

/// Bytes of a key that are looked at. Its path is hardly ever longer.
const MAX_LOOKED: usize = 2048;
/// Bytes in front of binary data that are searched for a name.
const MAX_NAME: usize = 64;

/// The part of a key that is text; the rest is binary data.
pub(super) fn text<'a>(bytes: &Bytes, key: &'a [u8]) -> &'a [u8] {
    let looked = key.get(..MAX_LOOKED).unwrap_or(key);
    let end = binary_data(bytes, looked, looked.len() == key.len());
    end.and_then(|end| key.get(..end)).unwrap_or(key)
}

/// Where binary data begins in a key, or in the beginning of a longer one.
fn binary_data(bytes: &Bytes, key: &[u8], whole: bool) -> Option<usize> {
    let invalid = match std::str::from_utf8(key) {
        // The last character of what is looked at may go on behind it.
        Err(error) if whole || error.error_len().is_some() => Some(error.valid_up_to()),
        _ => None,
    };
    let valid = invalid.and_then(|end| key.get(..end)).unwrap_or(key);
    let is_separator = |byte: u8, kinds: Class| bytes.class(byte) & kinds != 0;
    let first = key.iter().find(|&&byte| is_separator(byte, CUT | DOT));
    let cuts = if first.is_some_and(|&byte| is_separator(byte, DOT)) { CUT | DOT } else { CUT };
    let mut start = 0;
    let mut controls = Controls::default();
    for (pos, &byte) in valid.iter().enumerate() {
        if byte.is_ascii_control() {
            if let Some(first) = controls.are_binary_with(byte, pos) {
                return Some(start + name_in_front(bytes, key.get(start..=first)?));
            }
        } else if is_separator(byte, cuts) {
            (start, controls) = (pos + 1, Controls::default());
        } else {
            controls.run = 0;
        }
    }
    Some(start + name_in_front(bytes, key.get(start..invalid?)?))
}

/// How much of the text in front of binary data is a name.
fn name_in_front(bytes: &Bytes, piece: &[u8]) -> usize {
    let is_letter = |byte: &u8| bytes.class(*byte) & (LOWER | UPPER) != 0;
    if !piece.get(..3).is_some_and(|start| start.iter().all(is_letter)) {
        return 0;
    }
    let is_end = |byte: &u8| byte.is_ascii_control() || matches!(byte, b'_' | b'-' | b'.' | b'=' | b'#');
    piece.iter().take(MAX_NAME).rposition(is_end).map_or(0, |end| end + 1)
}

/// The control bytes of a piece.
#[derive(Default)]
struct Controls {
    /// A bit for each value that was seen.
    seen: u64,
    run: usize,
    first: Option<usize>,
}

impl Controls {
    /// Adds the control byte at `pos`. Answers where the first one was once there are too many.
    fn are_binary_with(&mut self, byte: u8, pos: usize) -> Option<usize> {
        let first = *self.first.get_or_insert(pos);
        self.run += 1;
        self.seen |= 1 << (byte & 0x3f);
        (self.run >= 3 || self.seen.count_ones() >= 3).then_some(first)
    }
}
