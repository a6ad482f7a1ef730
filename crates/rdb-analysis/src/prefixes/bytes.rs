//! What one byte of a key can be: the table behind the tight loops.

use super::options::Separators;

/// One bit for each thing that a byte can be; several bytes together have all of theirs.
pub(super) type Class = u16;
/// `a` to `z`, and every byte of a non-ASCII character.
pub(super) const LOWER: Class = 1;
/// `A` to `Z`.
pub(super) const UPPER: Class = 2;
/// `0` to `9`.
pub(super) const DIGIT: Class = 4;
/// Any of the three above.
pub(super) const WORD: Class = LOWER | UPPER | DIGIT;
/// Bytes that matter although they are no word: braces, brackets, quotes, `@`.
pub(super) const MARK: Class = 8;
/// Every other byte.
pub(super) const OTHER: Class = 16;
/// A separator in every key.
pub(super) const CUT: Class = 32;
/// The dot, where it separates only in keys that begin with it.
pub(super) const DOT: Class = 64;
/// The first byte of a separator of several bytes.
pub(super) const LONG: Class = 128;
/// No printable ASCII: a control byte or a part of a non-ASCII character.
pub(super) const ODD: Class = 256;

/// The classes of all bytes, for one choice of separators.
#[derive(Clone, Debug)]
pub(super) struct Bytes {
    classes: [Class; 256],
    /// Separators of several bytes, longest first.
    long: Vec<Vec<u8>>,
    /// Whether the first separator of a key decides about the dot.
    pub(super) dot_by_key: bool,
}

impl Bytes {
    pub(super) fn new(separators: &Separators) -> Self {
        let mut classes = [OTHER; 256];
        for (byte, class) in (0_u8..=255).zip(classes.iter_mut()) {
            *class = plain_class(byte);
            if *separators == Separators::Usual {
                match byte {
                    b':' | b'/' | b'|' | 0..0x20 | 0x7f => *class |= CUT,
                    b'.' => *class |= DOT,
                    _ => {}
                }
            }
        }
        let mut long = Vec::new();
        if let Separators::Only(strings) = separators {
            for string in strings {
                let Some(class) = string.first().and_then(|&first| classes.get_mut(usize::from(first)))
                else {
                    continue;
                };
                if string.len() == 1 {
                    *class |= CUT;
                } else {
                    *class |= LONG;
                    long.push(string.clone());
                }
            }
            long.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        }
        Self { classes, long, dot_by_key: *separators == Separators::Usual }
    }

    #[inline]
    pub(super) fn class(&self, byte: u8) -> Class {
        self.classes.get(usize::from(byte)).copied().unwrap_or(OTHER)
    }

    /// The length of the separator of several bytes that `rest` begins with.
    #[cold]
    pub(super) fn long_separator(&self, rest: &[u8]) -> Option<usize> {
        self.long.iter().find(|string| rest.starts_with(string)).map(Vec::len)
    }
}

const fn plain_class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => LOWER,
        0x80.. => LOWER | ODD,
        0..0x20 | 0x7f => OTHER | ODD,
        b'A'..=b'Z' => UPPER,
        b'0'..=b'9' => DIGIT,
        b'{' | b'}' | b'[' | b'"' | b'@' => MARK,
        _ => OTHER,
    }
}
