//! From a key to the text of its path and the places where its levels end.
//!
//! This is the loop that every key of a file goes through; it allocates nothing once its buffers
//! have grown. What a segment folds to is decided in `fold`.

use super::binary;
use super::bytes::{Bytes, CUT, Class, DIGIT, DOT, LONG, LOWER, MARK, ODD, OTHER, UPPER};
use super::fold::{Fold, fold_segment, push_literal};
use super::identifiers::MAX_EMAIL_LOCAL;
use super::options::{PrefixOptions, Separators};
use super::random;

/// The most levels a path can have, whatever the options say.
pub const MAX_DEPTH: usize = 64;
/// Bytes of one label; a longer one is cut and ends in `{...}`.
const MAX_LABEL: usize = 384;
/// Bytes of the longest segment that is searched for identifiers; a longer one can only be one.
const MAX_FOLDED: usize = 1024;
/// Bytes of a path after which the rest of the key belongs to the last node.
const MAX_PATH: usize = 1024;
/// Every path begins with the number of its database.
pub(super) const DB_BYTES: usize = 8;
/// What stands at the end of a label that was cut.
const CUT_MARK: &[u8] = b"{...}";

/// How far a key was cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// All of it is in the path.
    Whole,
    /// The path is as long as it may be.
    Short,
    /// There is a byte that is no printable ASCII.
    Odd,
}

/// Cuts keys, one at a time, into a path that stays valid until the next key.
#[derive(Clone, Debug)]
pub(super) struct Cutter {
    bytes: Bytes,
    fold: bool,
    /// Whether a separator may contain a brace.
    braces: bool,
    max_depth: usize,
    path: Vec<u8>,
    ends: Vec<usize>,
}

impl Cutter {
    pub(super) fn new(options: &PrefixOptions) -> Self {
        Self {
            bytes: Bytes::new(&options.separators),
            fold: options.fold,
            braces: options.separators != Separators::Usual,
            max_depth: options.max_depth.min(MAX_DEPTH),
            path: Vec::with_capacity(MAX_PATH),
            ends: Vec::with_capacity(MAX_DEPTH + 1),
        }
    }

    /// The whole path: eight bytes of database number, then the text of every label.
    #[inline]
    pub(super) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Where each level ends in the path. The first is the database itself.
    #[inline]
    pub(super) fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Cuts one key.
    #[inline]
    pub(super) fn cut(&mut self, db: u64, key: &[u8]) {
        if self.cut_text(db, key, if self.fold { ODD } else { 0 }) == Cut::Odd {
            self.cut_odd(db, key);
        }
    }

    /// Cuts a key that may end in binary data.
    #[cold]
    #[inline(never)]
    fn cut_odd(&mut self, db: u64, key: &[u8]) {
        let text = binary::text(&self.bytes, key);
        if self.cut_text(db, text, 0) == Cut::Whole && text.len() < key.len() {
            self.push_bytes();
        }
    }

    /// Adds to the last label that binary data follows. Of a key that has no text it is the only label.
    fn push_bytes(&mut self) {
        if self.ends.len() > 1 {
            self.ends.pop();
        } else if self.max_depth == 0 {
            return;
        }
        self.path.extend_from_slice(b"{bytes}");
        self.ends.push(self.path.len());
    }

    /// Cuts a key as text. Gives up at the first byte of a class that is unwanted.
    #[inline(always)]
    fn cut_text(&mut self, db: u64, key: &[u8], unwanted: Class) -> Cut {
        self.path.clear();
        self.path.extend_from_slice(&db.to_le_bytes());
        self.ends.clear();
        self.ends.push(DB_BYTES);
        let mut separators = CUT | LONG | DOT;
        let mut undecided = self.bytes.dot_by_key;
        let mut ends = std::mem::take(&mut self.ends);
        let mut pos = 0;
        // Words and separators are copied together, up to the next identifier.
        let mut copied = 0;
        while pos < key.len() && ends.len() <= self.max_depth {
            let label_start = self.path.len() + (pos - copied);
            if label_start >= MAX_PATH {
                break;
            }
            let source = pos;
            let rest = key.get(pos..).unwrap_or_default();
            let (run, between) = self.separator_run(rest, separators);
            if run > 0 {
                let separator = rest.get(..run).unwrap_or_default();
                if undecided {
                    separators = self.separators_after(separator, separators);
                    undecided = false;
                }
                if self.braces && separator.iter().any(|byte| matches!(byte, b'{' | b'}')) {
                    self.copy(key, copied, pos);
                    push_literal(&mut self.path, separator);
                    copied = pos + run;
                }
                pos += run;
            }
            let rest = rest.get(run..).unwrap_or_default();
            let (len, seen) = self.segment(rest, separators);
            if (between | seen) & unwanted != 0 {
                self.ends = ends;
                return Cut::Odd;
            }
            if self.is_literal(rest, len, seen) {
                pos += len;
            } else {
                self.copy(key, copied, pos);
                pos += self.push_segment(rest, len, seen, separators);
                copied = pos;
            }
            let end = self.path.len() + (pos - copied);
            if end - label_start > MAX_LABEL {
                self.copy(key, copied, source);
                copied = pos;
                self.shorten(label_start, key.get(source..pos).unwrap_or_default());
            }
            ends.push(self.path.len() + (pos - copied));
        }
        self.ends = ends;
        self.copy(key, copied, pos);
        if pos < key.len() { Cut::Short } else { Cut::Whole }
    }

    /// Appends a part of the key; nothing where it would end before it begins.
    #[inline]
    fn copy(&mut self, key: &[u8], from: usize, to: usize) {
        self.path.extend_from_slice(key.get(from..to).unwrap_or_default());
    }

    /// The separator of one byte that a label begins with.
    pub(super) fn lead(&self, label: &[u8]) -> Option<u8> {
        label.first().copied().filter(|&first| self.bytes.class(first) & (CUT | DOT) != 0)
    }

    /// How many bytes at the start of `rest` are separators, and their classes.
    #[inline]
    fn separator_run(&self, rest: &[u8], separators: Class) -> (usize, Class) {
        let mut pos = 0;
        let mut seen = 0;
        while let Some(&byte) = rest.get(pos) {
            let all = self.bytes.class(byte);
            let class = all & separators;
            if class == 0 {
                break;
            }
            seen |= all;
            pos += if class & !LONG != 0 {
                1
            } else {
                match rest.get(pos..).and_then(|rest| self.bytes.long_separator(rest)) {
                    Some(len) => len,
                    None => break,
                }
            };
        }
        (pos, seen)
    }

    /// The first separator of a key decides whether its dots separate.
    #[inline]
    fn separators_after(&self, run: &[u8], separators: Class) -> Class {
        match run.first() {
            Some(&first) if self.bytes.class(first) & DOT != 0 => separators,
            _ => separators & !DOT,
        }
    }

    /// The length of the segment that `rest` begins with, and the classes of its bytes.
    #[inline]
    fn segment(&self, rest: &[u8], separators: Class) -> (usize, Class) {
        let mut seen = 0;
        for (pos, &byte) in rest.iter().enumerate() {
            let class = self.bytes.class(byte);
            let stop = class & separators;
            if stop != 0
                && (stop & !LONG != 0
                    || rest.get(pos..).and_then(|rest| self.bytes.long_separator(rest)).is_some())
            {
                return (pos, seen);
            }
            seen |= class;
        }
        (rest.len(), seen)
    }

    /// Whether the segment's label is the segment itself.
    #[inline]
    fn is_literal(&self, rest: &[u8], len: usize, seen: Class) -> bool {
        let one_case = seen & (LOWER | UPPER) != LOWER | UPPER;
        let too_short = len < if one_case { random::MIN_ONE_CASE } else { random::MIN_LETTERS };
        (seen & (DIGIT | MARK) == 0 && too_short && !self.goes_on(rest, len, seen))
            || (!self.fold && seen & MARK == 0)
    }

    /// Appends the segment's label and tells how many bytes of `rest` it stands for.
    #[inline]
    fn push_segment(&mut self, rest: &[u8], len: usize, seen: Class, separators: Class) -> usize {
        if !self.fold || len > MAX_FOLDED {
            return self.push_unfolded(rest, len);
        }
        let mut used =
            fold_segment(&mut self.path, &Fold { bytes: &self.bytes, rest, len, seen: seen & !ODD });
        // An identifier may contain separators (IPv6, a time of day, an address with dots): the
        // segment then goes on behind it.
        while used > len {
            let Some(after) = rest.get(used..) else { break };
            let (more, seen) = self.segment(after, separators);
            if more == 0 {
                break;
            }
            let next = fold_segment(
                &mut self.path,
                &Fold { bytes: &self.bytes, rest: after, len: more, seen: seen & !ODD },
            );
            used += next;
            if next <= more {
                break;
            }
        }
        used
    }

    /// Appends a segment as it is, but of one that is too long no more than makes the label too long.
    fn push_unfolded(&mut self, rest: &[u8], len: usize) -> usize {
        if self.fold
            && let Some((label, used)) = random::base64(rest)
            && used >= len
        {
            self.path.extend_from_slice(label);
            return used;
        }
        push_literal(&mut self.path, rest.get(..len.min(MAX_LABEL + 1)).unwrap_or_default());
        len
    }

    /// Whether what looks like a segment of words may be the beginning of something longer: base64 with
    /// a slash in it, or an address with a dot.
    #[inline]
    fn goes_on(&self, rest: &[u8], len: usize, seen: Class) -> bool {
        match rest.get(len) {
            Some(b'/') => {
                seen & OTHER != 0
                    && (seen & UPPER != 0
                        || rest
                            .get(len.saturating_sub(4)..len)
                            .is_some_and(|end| end.iter().any(|&byte| self.bytes.class(byte) & OTHER != 0)))
            }
            Some(b'.') => rest.iter().take(MAX_EMAIL_LOCAL + 1).any(|&byte| byte == b'@'),
            _ => false,
        }
    }

    /// Replaces a label that grew too long by the first bytes of what it stands for.
    #[cold]
    fn shorten(&mut self, label_start: usize, source: &[u8]) {
        self.path.truncate(label_start);
        push_literal(&mut self.path, source.get(..MAX_LABEL / 3).unwrap_or(source));
        self.path.extend_from_slice(CUT_MARK);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    const PIECES: [&str; 42] = [
        "a",
        "user",
        ":",
        "::",
        "/",
        "|",
        ".",
        "-",
        "_",
        "\0",
        "{",
        "}",
        "{\"",
        "\"}",
        "7",
        "12",
        "2026",
        "2026-11-01",
        "2026-11-01T10:00:00.5Z",
        "T10:15",
        "10.0.0.1",
        "1.5",
        "2001:db8::7",
        "fe80",
        "jo.do@x.org",
        "@x.org",
        "v2",
        "6fa459ea-ee8a-3ca4-894e-db77e160355e",
        "9e107d9d372bb682",
        "+Wg10P1spHLzo0JxOgZ9mG",
        "k9x8y7",
        "ü",
        "0x12ab",
        "Ab",
        "\u{1}\u{2}",
        "\u{7f}x",
        "{*}",
        "{int}",
        "...",
        "{...}",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        " ",
    ];

    /// Nodes are told apart by the text of their paths alone, so one text must have one cut, and a
    /// text that another path begins with must be a node of that path.
    #[test]
    fn the_text_of_a_path_says_where_it_is_cut() {
        for separators in [
            Separators::Usual,
            Separators::Only(vec![b"-".to_vec(), b"{".to_vec()]),
            Separators::Only(vec![b"::".to_vec(), b"1.".to_vec(), b"a".to_vec()]),
        ] {
            for (fold, max_depth) in [(true, 32), (true, 3), (false, 32)] {
                let options =
                    PrefixOptions { separators: separators.clone(), fold, max_depth, ..Default::default() };
                check(&options);
            }
        }
    }

    fn check(options: &PrefixOptions) {
        let mut cutter = Cutter::new(options);
        let mut cuts: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        let mut state = 1_u64;
        let mut roll = |sides: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).expect("31 bits") % sides
        };
        for _ in 0..100_000 {
            let mut key: Vec<u8> =
                (0..1 + roll(9)).flat_map(|_| PIECES[roll(PIECES.len())].bytes()).collect();
            if roll(4) == 0 {
                // Not UTF-8.
                key.insert(roll(key.len() + 1), 0xff);
            }
            cutter.cut(0, &key);
            assert_eq!(cutter.ends().last(), Some(&cutter.path().len()));
            for level in 0..cutter.ends().len() {
                let ends = &cutter.ends()[..=level];
                let text = &cutter.path()[..ends[level]];
                let known = cuts.entry(text.to_vec()).or_insert_with(|| ends.to_vec());
                assert_eq!(known, ends, "{} by {key:?} {options:?}", text.escape_ascii());
            }
        }
    }
}
