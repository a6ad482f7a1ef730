//! Telling random text from words.
//!
//! In words some letters follow each other often and others hardly ever, capitals stand at the
//! beginning or together, and digits stand together. Each step from one byte to the next has a
//! cost (in `letters`), and text that costs clearly more than random text of the same alphabet
//! would was written by nobody.

use super::bytes::Class;
use super::letters::{COSTS, DIGIT, SLASH, STOP, SYMBOLS};

/// Of a longer run the beginning is judged.
const MAX_JUDGED: usize = 96;
/// A shorter run of base64 letters is judged as an ordinary word.
pub(super) const MIN_BASE64: usize = 12;
/// A word without digits is only judged from this length on.
pub(super) const MIN_LETTERS: usize = 16;
/// One of small letters only, or capitals only, from this one.
pub(super) const MIN_ONE_CASE: usize = 20;
/// Random text of both cases is called base64 from this length on.
const MIN_CALLED_BASE64: usize = 16;
/// Lengths that 15, 16, 18, 20, 24, 30, 32, 48 and 64 bytes have in base64, with and without padding.
const BASE64_LENGTHS: [usize; 12] = [20, 22, 24, 27, 28, 32, 40, 43, 44, 64, 86, 88];

const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const NUMBER: u8 = 4;
const MARK: u8 = 8;
const BOTH_CASES: u8 = SMALL | CAPITAL;
const SMALL_OR_NUMBER: u8 = SMALL | NUMBER;
const CAPITAL_OR_NUMBER: u8 = CAPITAL | NUMBER;

/// What each symbol is.
static KINDS: [u8; 64] = {
    let mut kinds = [MARK; 64];
    let mut rest: &mut [u8] = &mut kinds;
    let mut symbol = 0_u8;
    while let Some((kind, others)) = rest.split_first_mut() {
        match symbol {
            0..26 => *kind = SMALL,
            26..52 => *kind = CAPITAL,
            52 => *kind = NUMBER,
            _ => {}
        }
        symbol += 1;
        rest = others;
    }
    kinds
};

/// The symbols of a text, added up.
#[derive(Clone, Copy)]
struct Text {
    len: usize,
    kinds: u8,
    /// Runs of digits.
    numbers: u32,
    /// Quarters of a bit.
    cost: u32,
    before: u8,
}

impl Text {
    const EMPTY: Self = Self { len: 0, kinds: 0, numbers: 0, cost: 0, before: STOP };

    fn of(text: &[u8]) -> Self {
        let mut found = Self::EMPTY;
        text.iter().for_each(|&byte| found.push(symbol_of(byte)));
        found
    }

    #[inline]
    fn push(&mut self, symbol: u8) {
        let step = usize::from(self.before) << 6 | usize::from(symbol);
        self.cost += u32::from(COSTS.get(step).copied().unwrap_or(0));
        self.kinds |= KINDS.get(usize::from(symbol)).copied().unwrap_or(MARK);
        self.numbers += u32::from((symbol == DIGIT) & (self.before != DIGIT));
        self.before = symbol;
        self.len += 1;
    }

    /// How much more the text costs than random text, in quarters of a bit; below 0 it reads like words.
    fn surprise(self) -> i32 {
        // What a step costs in random text: the bits of one letter of its alphabet.
        let usual = match self.kinds {
            SMALL | CAPITAL => 19,
            NUMBER => 13,
            SMALL_OR_NUMBER | CAPITAL_OR_NUMBER => 21,
            BOTH_CASES => 23,
            _ => 24,
        };
        // At most `MAX_JUDGED` steps of a byte each, so nothing is lost here.
        let steps = i32::try_from(self.len).unwrap_or(0) - 1;
        i32::try_from(self.cost).unwrap_or(0) - steps * usual
    }

    /// Whether nobody would write this. What is short must be the more surprising.
    fn is_random(self) -> bool {
        let least = match (self.len, self.numbers) {
            (0..=4, _) => return false,
            (5..=7, 2..) => 44,
            (8..=11, 2..) => 36,
            (8..=11, 1) => 52,
            (12..=15, 1..) => 36,
            (12..=15, 0) if self.kinds & BOTH_CASES == BOTH_CASES => 64,
            (16..=19, 1..) => 36,
            (MIN_LETTERS.., 0) if self.kinds & BOTH_CASES == BOTH_CASES => 48,
            (20.., 2..) => 8,
            (MIN_ONE_CASE.., _) => 28,
            _ => return false,
        };
        self.surprise() >= least
    }
}

#[inline]
fn symbol_of(byte: u8) -> u8 {
    SYMBOLS.get(usize::from(byte)).copied().unwrap_or(STOP)
}

#[inline]
fn kind_of(byte: u8) -> u8 {
    KINDS.get(usize::from(symbol_of(byte))).copied().unwrap_or(MARK)
}

/// Whether a word of letters and digits looks random.
pub(super) fn is_random(word: &[u8]) -> bool {
    word.is_ascii() && Text::of(word.get(..MAX_JUDGED).unwrap_or(word)).is_random()
}

/// What random text is called: with both cases and long enough it may be base64.
pub(super) fn label(word: &[u8], seen: Class) -> &'static [u8] {
    let both = super::bytes::LOWER | super::bytes::UPPER;
    label_of(word.len(), seen & both == both)
}

const fn label_of(len: usize, both_cases: bool) -> &'static [u8] {
    if both_cases && len >= MIN_CALLED_BASE64 { b"{base64}" } else { b"{alnum}" }
}

/// The letters in front of a token of 32 small letters and digits, as in `cache011lxkid0e41…`.
pub(super) fn glued_token(word: &[u8]) -> Option<&[u8]> {
    let (stem, token) = word.split_at_checked(word.len().checked_sub(32)?)?;
    let one_case = !word.iter().any(u8::is_ascii_uppercase);
    let reads = (5..=20).contains(&stem.len())
        && stem.iter().all(u8::is_ascii_lowercase)
        && reads_like_a_word(stem, true);
    (one_case && reads && token.iter().any(u8::is_ascii_digit) && is_random(token)).then_some(stem)
}

/// The base64 text, standard or URL-safe, that `rest` begins with: its label and its length.
///
/// Its marks (`-`, `_`, `+`, `/`) are also what separates words in names, so the text must be
/// random and contain no word. A slash is only taken where the length then is one that base64 of
/// a usual digest or token has.
pub(super) fn base64(rest: &[u8]) -> Option<(&'static [u8], usize)> {
    let mut text = Text::EMPTY;
    let mut plain = None;
    let mut slashes = 0;
    for &byte in rest.iter().take(MAX_JUDGED) {
        let symbol = symbol_of(byte);
        if symbol >= SLASH {
            if symbol == STOP {
                break;
            }
            plain = plain.or(Some(text));
            slashes += 1;
        }
        text.push(symbol);
    }
    if text.len == MAX_JUDGED && slashes == 0 {
        let tail = rest.iter().skip(text.len).take_while(|&&byte| symbol_of(byte) < SLASH);
        return is_base64(rest, text, false).then(|| (label_of(text.len, true), text.len + tail.count()));
    }
    let padding = rest.iter().skip(text.len).take(2).take_while(|&&byte| byte == b'=').count();
    let usual = BASE64_LENGTHS.contains(&(text.len + padding));
    if slashes > 0 && slashes * 8 <= text.len + 4 && usual && is_base64(rest, text, usual) {
        return Some((label_of(text.len, true), text.len + padding));
    }
    let (text, padding) = plain.map_or((text, padding), |plain| (plain, 0));
    let usual = BASE64_LENGTHS.contains(&(text.len + padding));
    is_base64(rest, text, usual).then_some((label_of(text.len, true), text.len + padding))
}

fn is_base64(rest: &[u8], text: Text, usual: bool) -> bool {
    text.len >= MIN_BASE64
        && text.kinds & BOTH_CASES == BOTH_CASES
        && text.is_random()
        && (text.kinds & MARK == 0 || rest.get(..text.len).is_some_and(|text| !has_words(text, usual)))
}

/// Whether a piece between two marks reads like a word or a number somebody chose. Short words also
/// come up by chance, so a usual length makes up for them.
fn has_words(text: &[u8], usual: bool) -> bool {
    let mut parts = text.split(|byte| matches!(byte, b'-' | b'_' | b'+' | b'/'));
    let first = parts.next().unwrap_or_default();
    let (first_min, min) = if usual { (4, 6) } else { (3, 4) };
    let is_name = |part: &[u8], min| is_name(part, min) && reads_like_a_word(part, usual);
    is_name(first, first_min) || parts.any(|part| is_name(part, min))
}

/// Whether letters or digits follow each other as they do in words.
fn reads_like_a_word(part: &[u8], surely: bool) -> bool {
    let len = i32::try_from(part.len()).unwrap_or(i32::MAX);
    Text::of(part).surprise() <= if surely { -2 * len } else { 0 }
}

/// Small letters with or without a capital in front, capitals, or digits, at least `min` of them.
fn is_name(part: &[u8], min: usize) -> bool {
    let Some((&first, tail)) = part.split_first() else { return false };
    // Without a branch: the bytes are mostly random.
    let tail = tail.iter().fold(0, |kinds, &byte| kinds | kind_of(byte));
    part.len() >= min && (tail == kind_of(first) || tail == SMALL && kind_of(first) == CAPITAL)
}
