//! Telling random text from words.
//!
//! Random letters and digits change their kind every second or third byte; words and names do
//! not. A word is cut into *pieces*: capital letters with the small ones behind them, and runs
//! of digits. Many short pieces mean that nobody wrote it.

/// Of a longer run the beginning is judged.
const MAX_JUDGED: usize = 96;
/// A shorter run of base64 letters is judged as an ordinary word.
pub(super) const MIN_BASE64: usize = 16;
/// Lengths that 16, 18, 20, 24, 32, 48 and 64 bytes have in base64, with and without padding.
const BASE64_LENGTHS: [usize; 10] = [22, 24, 27, 28, 32, 43, 44, 64, 86, 88];

/// What a run of letters and digits is made of.
#[derive(Default)]
struct Pieces {
    len: usize,
    pieces: usize,
    numbers: usize,
    /// Runs of two and more capitals.
    shouts: usize,
}

impl Pieces {
    fn of(text: &[u8]) -> Self {
        let mut found = Self::default();
        // Without a branch: where this matters, the bytes are random.
        let mut before = MARK;
        let mut capitals = 0_u8;
        for &byte in text {
            let kind = kind_of(byte);
            // A piece begins where the kind changes, except from capitals to small letters.
            let begins = (kind != before) & (kind & WORD != 0) & !((kind == SMALL) & (before == CAPITAL));
            capitals = (capitals << 1) | u8::from(kind == CAPITAL);
            found.shouts += usize::from(capitals & 0b111 == 0b011);
            found.pieces += usize::from(begins);
            found.numbers += usize::from(begins & (kind == NUMBER));
            before = kind;
        }
        found.len = text.len();
        found
    }

    fn are_random(&self) -> bool {
        let Self { len, pieces, numbers, shouts } = *self;
        match len {
            0..=4 => false,
            5..=7 => numbers >= 2 && pieces >= 4,
            8..=11 => numbers >= 1 && (numbers >= 2 && pieces >= 4 || pieces * 2 >= len),
            12..=19 => {
                numbers >= 2 && pieces >= 5
                    || numbers >= 1 && (pieces + shouts) * 3 >= len + usize::from(shouts == 0)
                    || len >= 16 && self.is_dense()
            }
            _ => numbers >= 2 && pieces >= 4 || self.is_dense(),
        }
    }

    /// Whether a change comes more often than every third byte. Names in camel case stay below
    /// this, even those with many short words or long abbreviations.
    fn is_dense(&self) -> bool {
        let per_hundred = if self.len < 20 { 40 } else { 35 };
        (self.pieces + self.shouts) * 100 > self.len * per_hundred
    }
}

const MARK: u8 = 0;
const SMALL: u8 = 1;
const CAPITAL: u8 = 2;
const NUMBER: u8 = 4;
/// A mark that base64 has: `-`, `_`, `+`.
const BASE64_MARK: u8 = 8;
/// Letters and digits.
const WORD: u8 = SMALL | CAPITAL | NUMBER;
/// The one that is usually a separator.
const SLASH: u8 = 16;

static KINDS: [u8; 256] = {
    let mut kinds = [MARK; 256];
    let mut rest: &mut [u8] = &mut kinds;
    let mut byte = 0_u8;
    while let Some((kind, others)) = rest.split_first_mut() {
        match byte {
            b'a'..=b'z' => *kind = SMALL,
            b'A'..=b'Z' => *kind = CAPITAL,
            b'0'..=b'9' => *kind = NUMBER,
            b'-' | b'_' | b'+' => *kind = BASE64_MARK,
            b'/' => *kind = SLASH,
            _ => {}
        }
        byte = byte.wrapping_add(1);
        rest = others;
    }
    kinds
};

#[inline]
fn kind_of(byte: u8) -> u8 {
    KINDS.get(usize::from(byte)).copied().unwrap_or(MARK)
}

/// Whether a word of letters and digits looks random.
pub(super) fn is_random(word: &[u8]) -> bool {
    word.is_ascii() && Pieces::of(word).are_random()
}

/// What a random word is called: with both cases and long enough it may be base64.
pub(super) fn label(word: &[u8], seen: u8) -> &'static [u8] {
    let both = super::bytes::LOWER | super::bytes::UPPER;
    if seen & both == both && word.len() >= MIN_BASE64 { b"{base64}" } else { b"{alnum}" }
}

/// The length of the base64 text, standard or URL-safe, that `rest` begins with.
///
/// Its marks (`-`, `_`, `+`, `/`) are also what separates words in names, so the text must be
/// random and contain no word. A slash is only taken where the length then is one that base64 of
/// a usual digest or token has.
pub(super) fn base64(rest: &[u8]) -> Option<usize> {
    let mut plain = None;
    let mut end = 0;
    let mut slashes = 0;
    for &byte in rest.iter().take(MAX_JUDGED) {
        let kind = kind_of(byte);
        if kind & (WORD | BASE64_MARK) == 0 {
            if kind != SLASH {
                break;
            }
            plain = plain.or(Some(end));
            slashes += 1;
        }
        end += 1;
    }
    let text = end;
    if text == MAX_JUDGED && slashes == 0 {
        let tail = rest.iter().skip(text).take_while(|&&byte| kind_of(byte) & (WORD | BASE64_MARK) != 0);
        return looks_random(rest, text, false).then(|| text + tail.count());
    }
    let padding = rest.iter().skip(text).take(2).take_while(|&&byte| byte == b'=').count();
    let usual = BASE64_LENGTHS.contains(&(text + padding));
    if slashes > 0 && slashes * 8 <= text + 4 && usual && looks_random(rest, text, usual) {
        return Some(text + padding);
    }
    let (text, padding) = plain.map_or((text, padding), |plain| (plain, 0));
    let usual = BASE64_LENGTHS.contains(&(text + padding));
    looks_random(rest, text, usual).then_some(text + padding)
}

fn looks_random(rest: &[u8], len: usize, usual: bool) -> bool {
    let Some(text) = rest.get(..len) else { return false };
    if len < MIN_BASE64 {
        return false;
    }
    let kinds = text.iter().fold(0, |kinds, &byte| kinds | kind_of(byte));
    kinds & (SMALL | CAPITAL) == SMALL | CAPITAL
        && Pieces::of(text).is_dense()
        && (kinds & (BASE64_MARK | SLASH) == 0 || !has_words(text, usual))
}

/// Whether a piece between two marks reads like a word or a number somebody chose. Short words also
/// come up by chance, so a usual length makes up for them.
fn has_words(text: &[u8], usual: bool) -> bool {
    let mut parts = text.split(|byte| matches!(byte, b'-' | b'_' | b'+' | b'/'));
    let first = parts.next().unwrap_or_default();
    let lone = first.len() == text.len();
    let (first_min, min) = if usual { (4, 6) } else { (3, 4) };
    let is_name = |part: &[u8], min| is_name(part, min) && (!usual || has_vowel(part));
    !lone && (is_name(first, first_min) || parts.any(|part| is_name(part, min)))
}

fn has_vowel(part: &[u8]) -> bool {
    part.iter().any(|byte| b"aeiouAEIOU0123456789".contains(byte))
}

/// Small letters with or without a capital in front, capitals, or digits, at least `min` of them.
fn is_name(part: &[u8], min: usize) -> bool {
    let tail = part.get(1..).unwrap_or_default();
    part.len() >= min
        && (part.iter().all(u8::is_ascii_digit)
            || part.iter().all(u8::is_ascii_uppercase)
            || (part.first().is_some_and(u8::is_ascii_alphabetic) && tail.iter().all(u8::is_ascii_lowercase)))
}
