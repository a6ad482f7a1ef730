//! From one segment of a key to its label: identifiers become `{int}`, `{uuid}` and so on.
//!
//! A segment is read as words (runs of letters and digits) and what stands between them. Each
//! word is looked at once; what an identifier looks like is written in `identifiers` and `random`.

use super::bytes::{Bytes, Class, DIGIT, LOWER, MARK, OTHER, UPPER, WORD};
use super::{identifiers, random};

/// One segment and what follows it in the key.
#[derive(Clone, Copy)]
pub(super) struct Fold<'a> {
    pub(super) bytes: &'a Bytes,
    /// The key from the segment's first byte on.
    pub(super) rest: &'a [u8],
    /// The length of the segment.
    pub(super) len: usize,
    /// The classes of the segment's bytes.
    pub(super) seen: Class,
}

/// Appends `text` with every brace doubled.
#[inline]
pub(super) fn push_literal(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        out.push(byte);
        if matches!(byte, b'{' | b'}') {
            out.push(byte);
        }
    }
}

/// Appends the label of the segment. Answers how many bytes of the key it stands for: the
/// segment's length, or more when an identifier reaches over separators.
#[inline]
pub(super) fn fold_segment(out: &mut Vec<u8>, fold: &Fold<'_>) -> usize {
    if fold.seen == DIGIT && !fold.may_be_base64(fold.rest) {
        let (label, used) = identifiers::number(fold.rest, fold.len, fold.rest.get(fold.len).copied());
        out.extend_from_slice(label);
        return used;
    }
    fold_words(out, fold)
}

fn fold_words(out: &mut Vec<u8>, fold: &Fold<'_>) -> usize {
    let mut pos = 0;
    let mut joined = true;
    if (fold.seen & MARK != 0 || fold.rest.get(fold.len) == Some(&b'.'))
        && let Some(len) = identifiers::email(fold.rest)
    {
        out.extend_from_slice(b"{email}");
        pos = len;
        joined = false;
    }
    let mut tried_json = false;
    while pos < fold.len {
        let Some(rest) = fold.rest.get(pos..) else { break };
        let Some(&first) = rest.first() else { break };
        let class = fold.class(first);
        if class & WORD == 0 {
            // One search for the end of JSON in a segment is enough.
            let opens_json = class & MARK != 0 && identifiers::opens_json(rest);
            let may_be_json = opens_json && !tried_json;
            tried_json |= opens_json;
            if let Some((label, len)) = fold.identifier_at_mark(rest, first, may_be_json, joined) {
                out.extend_from_slice(label);
                pos += len;
                joined = false;
                continue;
            }
            push_literal(out, &[first]);
            pos += 1;
            joined = true;
            continue;
        }
        if joined
            && fold.may_be_base64(rest)
            && let Some((label, used)) = random::base64(rest)
        {
            out.extend_from_slice(label);
            pos += used;
            joined = false;
            continue;
        }
        let (len, seen) = if fold.seen & !WORD == 0 && pos == 0 {
            (fold.len, fold.seen)
        } else {
            fold.word(rest, fold.len - pos)
        };
        pos += fold.push_word(out, rest, len, seen);
        joined = false;
    }
    // Standard base64 may begin with a slash: `cache_/Qx7…`.
    if joined
        && pos > 0
        && let Some(rest) = fold.rest.get(pos..)
        && rest.first() == Some(&b'/')
        && let Some((label, len)) = random::base64(rest)
    {
        out.extend_from_slice(label);
        pos += len;
    }
    pos
}

impl Fold<'_> {
    #[inline]
    fn class(&self, byte: u8) -> Class {
        self.bytes.class(byte)
    }

    /// The length of the word that `rest` begins with, at most `limit`, and its classes.
    #[inline]
    fn word(&self, rest: &[u8], limit: usize) -> (usize, Class) {
        let mut seen = 0;
        for (pos, &byte) in rest.iter().take(limit).enumerate() {
            let class = self.class(byte) & (WORD | MARK | OTHER);
            if class & WORD == 0 {
                return (pos, seen);
            }
            seen |= class;
        }
        (rest.len().min(limit), seen)
    }

    /// Whether it is worth looking for base64: both cases in the segment, or a slash behind it.
    #[inline]
    fn may_be_base64(&self, rest: &[u8]) -> bool {
        rest.len() >= random::MIN_BASE64
            && (self.seen & (UPPER | LOWER) == UPPER | LOWER || self.rest.get(self.len) == Some(&b'/'))
    }

    /// Identifiers that begin with a byte that is no letter and no digit.
    fn identifier_at_mark(
        &self,
        rest: &[u8],
        first: u8,
        may_be_json: bool,
        joined: bool,
    ) -> Option<(&'static [u8], usize)> {
        if may_be_json {
            return identifiers::json(rest).map(|len| (b"{json}".as_slice(), len));
        }
        if joined && matches!(first, b'-' | b'_' | b'+') && self.may_be_base64(rest) {
            return random::base64(rest);
        }
        None
    }

    /// Appends the label of one word. Answers how many bytes it stands for.
    #[inline]
    fn push_word(&self, out: &mut Vec<u8>, rest: &[u8], len: usize, seen: Class) -> usize {
        let word = rest.get(..len).unwrap_or(rest);
        let after = rest.get(len).copied();
        if seen == DIGIT {
            let (label, used) = identifiers::number(rest, len, after);
            out.extend_from_slice(label);
            return used;
        }
        if seen & DIGIT == 0 {
            // Letters alone: only an address can begin like this, or a long jumble.
            if let Some((label, used)) = identifiers::address(rest, len, after) {
                out.extend_from_slice(label);
                return used;
            }
            if len >= random::MIN_LETTERS && random::is_random(word) {
                out.extend_from_slice(random::label(word, seen));
                return len;
            }
            out.extend_from_slice(word);
            return len;
        }
        if let Some((label, used)) = identifiers::mixed(rest, len, after) {
            out.extend_from_slice(label);
            return used;
        }
        if len > 32
            && let Some(stem) = identifiers::glued_hex(word)
        {
            out.extend_from_slice(stem);
            out.extend_from_slice(b"{hex}");
            return len;
        }
        if let Some(stem) = identifiers::before_size(word) {
            out.extend_from_slice(stem);
            push_numbers(out, word.get(stem.len()..).unwrap_or_default(), 1);
            return len;
        }
        if len > 36
            && let Some(stem) = random::glued_token(word)
        {
            out.extend_from_slice(stem);
            out.extend_from_slice(b"{alnum}");
            return len;
        }
        if len > 4 && random::is_random(word) && !is_early_version(word) {
            out.extend_from_slice(random::label(word, seen));
            return len;
        }
        // The protocol's version in front of an address is part of the name.
        if matches!(word, [.., before, b'4' | b'6'] if !before.is_ascii_digit())
            && identifiers::is_before_address(rest.get(len..).unwrap_or_default())
        {
            out.extend_from_slice(word);
            return len;
        }
        push_numbered(out, word);
        len
    }
}

/// Words that carry a number as part of their name.
const NAMED_WITH_NUMBER: [&[u8]; 22] = [
    b"md5", b"sha1", b"sha224", b"sha256", b"sha384", b"sha512", b"crc32", b"crc64", b"utf8", b"utf16",
    b"base32", b"base64", b"s3", b"ec2", b"http2", b"http3", b"oauth1", b"oauth2", b"ipv4", b"ipv6", b"mp3",
    b"mp4",
];

/// Appends a word of letters and digits that is not random: `k17` becomes `k{int}`.
fn push_numbered(out: &mut Vec<u8>, word: &[u8]) {
    let letters = word.iter().take_while(|byte| !byte.is_ascii_digit()).count();
    let Some((stem, tail)) = word.split_at_checked(letters) else { return };
    let only_tail = tail.iter().all(u8::is_ascii_digit);
    let keeps_number = if only_tail {
        (matches!(stem, b"v" | b"V") && tail.len() <= 3)
            || (word.len() <= 6 && NAMED_WITH_NUMBER.iter().any(|name| name.eq_ignore_ascii_case(word)))
    } else {
        word.len() <= 4
    };
    if keeps_number {
        out.extend_from_slice(word);
        return;
    }
    // The number behind the first letters folds; digits elsewhere do when they are many.
    push_numbers(out, word, if only_tail { 1 } else { 3 });
}

/// Whether the word is a version like `v1beta1`.
fn is_early_version(word: &[u8]) -> bool {
    word.len() <= 12
        && matches!(word, [b'v', b'0'..=b'9', ..])
        && [&b"alpha"[..], b"beta"].iter().any(|stage| word.windows(stage.len()).any(|part| part == *stage))
}

/// Appends a word with `{int}` for its runs of at least so many digits.
fn push_numbers(out: &mut Vec<u8>, word: &[u8], least: usize) {
    let mut rest = word;
    while !rest.is_empty() {
        let digit = rest.first().is_some_and(u8::is_ascii_digit);
        let run = rest.iter().take_while(|byte| byte.is_ascii_digit() == digit).count();
        let Some((piece, after)) = rest.split_at_checked(run) else { return };
        out.extend_from_slice(if digit && run >= least { b"{int}" } else { piece });
        rest = after;
    }
}
