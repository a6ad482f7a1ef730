//! Identifiers with a fixed form: numbers, dates, addresses, UUIDs, ULIDs, hex, emails, JSON.
//!
//! Every function looks at the bytes from one place of a key on and answers how many of them
//! the identifier takes. None looks at anything but the key.

/// A label and how many bytes of the key it stands for.
type Found = (&'static [u8], usize);

fn at(text: &[u8], pos: usize) -> Option<u8> {
    text.get(pos).copied()
}

fn is_word(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
}

/// The value of the `len` digits at `pos`.
fn digits(text: &[u8], pos: usize, len: usize) -> Option<u32> {
    let mut value = 0_u32;
    for &byte in text.get(pos..pos + len)? {
        value = value.checked_mul(10)?.checked_add(u32::from(byte.checked_sub(b'0').filter(|&d| d < 10)?))?;
    }
    Some(value)
}

fn digits_within(text: &[u8], pos: usize, len: usize, range: std::ops::RangeInclusive<u32>) -> bool {
    digits(text, pos, len).is_some_and(|value| range.contains(&value))
}

/// What begins with a word of `len` digits.
#[inline]
pub(super) fn number(rest: &[u8], len: usize, after: Option<u8>) -> Found {
    let found = match (len, after) {
        (1..=3, Some(b'.')) => ip(rest),
        (4, Some(b'-')) => date(rest),
        (4, Some(b'/')) => slash_date(rest),
        (4, Some(b':')) => ip6(rest),
        (8, Some(b'-')) => uuid(rest),
        _ => None,
    };
    found.unwrap_or_else(|| match len {
        8 if is_compact_date(rest, 2000..=2049) => (b"{date}", len),
        14 | 17 | 20 if is_compact_date(rest, 1990..=2099) && is_compact_time(rest, 8) => {
            (b"{datetime}", len)
        }
        _ => (b"{int}", len),
    })
}

/// What begins with a word of letters only: an IPv6 address or a UUID can.
#[inline]
pub(super) fn address(rest: &[u8], len: usize, after: Option<u8>) -> Option<Found> {
    match (len, after) {
        (4, Some(b':')) => ip6(rest),
        (8, Some(b'-')) => uuid(rest),
        _ => None,
    }
}

/// What begins with a word of letters and digits.
#[inline]
pub(super) fn mixed(rest: &[u8], len: usize, after: Option<u8>) -> Option<Found> {
    if let found @ Some(_) = address(rest, len, after) {
        return found;
    }
    if len < 6 {
        return None;
    }
    let word = rest.get(..len)?;
    if len == 26 && is_ulid(word) {
        return Some((b"{ulid}", len));
    }
    if len >= 8 && is_hex(word) {
        return Some((b"{hex}", len));
    }
    if let Some(digits) = word.strip_prefix(b"0x")
        && digits.iter().all(u8::is_ascii_hexdigit)
    {
        return Some((b"{hex}", len));
    }
    if (15..=16).contains(&len)
        && at(word, 8) == Some(b'T')
        && is_compact_date(word, 1970..=2099)
        && is_compact_time(word, 9)
        && matches!(at(word, 15), None | Some(b'Z'))
    {
        return Some((b"{datetime}", len));
    }
    None
}

fn is_compact_date(text: &[u8], years: std::ops::RangeInclusive<u32>) -> bool {
    digits_within(text, 0, 4, years) && digits_within(text, 4, 2, 1..=12) && digits_within(text, 6, 2, 1..=31)
}

fn is_compact_time(text: &[u8], pos: usize) -> bool {
    digits_within(text, pos, 2, 0..=23)
        && digits_within(text, pos + 2, 2, 0..=59)
        && digits_within(text, pos + 4, 2, 0..=60)
}

/// `2026-11`, `2026-11-01`, `2026-11-01T10:00:00Z` and its relatives.
fn date(rest: &[u8]) -> Option<Found> {
    if !digits_within(rest, 0, 4, 1970..=2099) || !digits_within(rest, 5, 2, 1..=12) {
        return None;
    }
    if at(rest, 7) == Some(b'-') && digits_within(rest, 8, 2, 1..=31) {
        if let Some(len) = time_of_day(rest, 10) {
            return Some((b"{datetime}", len));
        }
        return (!is_word(at(rest, 10))).then_some((b"{date}", 10));
    }
    (!is_word(at(rest, 7))).then_some((b"{date}", 7))
}

/// `2026/11/30`. A year and a month alone could be any two numbers.
fn slash_date(rest: &[u8]) -> Option<Found> {
    let whole = digits_within(rest, 0, 4, 1970..=2099)
        && digits_within(rest, 5, 2, 1..=12)
        && at(rest, 7) == Some(b'/')
        && digits_within(rest, 8, 2, 1..=31)
        && !is_word(at(rest, 10));
    whole.then_some((b"{date}", 10))
}

/// Whether an IP address stands behind a separator, as in `rl6:2001:db8::7`.
pub(super) fn is_before_address(after: &[u8]) -> bool {
    match after {
        [b':' | b'/' | b'|', address @ ..] => ip6(address).is_some() || ip(address).is_some(),
        _ => false,
    }
}

/// The letters in front of a size, numbers with an `x` between: none in `320x240`.
#[inline]
pub(super) fn before_size(word: &[u8]) -> Option<&[u8]> {
    if word.len() > 32 || !word.last().is_some_and(u8::is_ascii_digit) || word.starts_with(b"0x") {
        return None;
    }
    let letters = word.iter().take_while(|byte| !byte.is_ascii_digit()).count();
    let (stem, size) = word.split_at_checked(letters)?;
    let mut sides = 0;
    for side in size.split(|&byte| matches!(byte, b'x' | b'X')) {
        if side.is_empty() || !side.iter().all(u8::is_ascii_digit) {
            return None;
        }
        sides += 1;
    }
    (sides > 1).then_some(stem)
}

/// The end of the time that follows a date at `pos`.
fn time_of_day(rest: &[u8], pos: usize) -> Option<usize> {
    let strict = match at(rest, pos)? {
        b'T' | b't' => false,
        b' ' | b'_' => true,
        _ => return None,
    };
    if !digits_within(rest, pos + 1, 2, 0..=23) {
        return None;
    }
    let mut end = pos + 3;
    let mut fields = 1;
    while fields < 3 {
        let mark = usize::from(matches!(at(rest, end), Some(b':' | b'-' | b'.')));
        if !digits_within(rest, end + mark, 2, 0..=60) {
            break;
        }
        end += mark + 2;
        fields += 1;
    }
    if fields == 3 && at(rest, end) == Some(b'.') {
        let fraction = rest.iter().skip(end + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if fraction > 0 {
            end += 1 + fraction;
        }
    }
    if matches!(at(rest, end), Some(b'Z' | b'z')) {
        end += 1;
    } else if matches!(at(rest, end), Some(b'+' | b'-')) && digits_within(rest, end + 1, 2, 0..=14) {
        let mark = usize::from(at(rest, end + 3) == Some(b':'));
        if digits_within(rest, end + 3 + mark, 2, 0..=59) {
            end += 5 + mark;
        }
    }
    ((!strict || fields >= 2) && !is_word(at(rest, end))).then_some(end)
}

/// Four numbers up to 255 with dots between.
fn ip(rest: &[u8]) -> Option<Found> {
    let mut pos = 0;
    for part in 0..4 {
        let len = rest.iter().skip(pos).take(4).take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=3).contains(&len) || !digits_within(rest, pos, len, 0..=255) {
            return None;
        }
        pos += len;
        if part < 3 {
            if at(rest, pos) != Some(b'.') {
                return None;
            }
            pos += 1;
        }
    }
    let goes_on = is_word(at(rest, pos))
        || (at(rest, pos) == Some(b'.') && at(rest, pos + 1).is_some_and(|byte| byte.is_ascii_digit()));
    (!goes_on).then_some((b"{ip}", pos))
}

/// An IPv6 address whose first group is written with four digits, as all public, private and
/// link-local addresses are. `::1` and `::ffff:10.0.0.1` are left to the other rules: their
/// colons cannot be told from separators.
fn ip6(rest: &[u8]) -> Option<Found> {
    if !matches!(at(rest, 0)?, b'2' | b'3' | b'f' | b'F') {
        return None;
    }
    let mut pos = 0;
    let mut groups = 0;
    let mut gap = false;
    let mut end = 0;
    let mut letters = false;
    while groups < 8 {
        let group = rest.iter().skip(pos).take(5).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let next = at(rest, pos + group);
        if !(1..=4).contains(&group) || (is_word(next) && next.is_some()) {
            break;
        }
        letters |= rest.iter().skip(pos).take(group).any(u8::is_ascii_alphabetic);
        groups += 1;
        pos += group;
        end = pos;
        if next != Some(b':') {
            break;
        }
        pos += 1;
        if at(rest, pos) == Some(b':') {
            if gap {
                break;
            }
            gap = true;
            pos += 1;
            if !at(rest, pos).is_some_and(|byte| byte.is_ascii_hexdigit()) {
                end = pos;
                break;
            }
        }
    }
    let whole =
        if gap { (2..8).contains(&groups) && (groups > 2 || letters) } else { groups == 8 && letters };
    whole.then_some((b"{ip6}", end))
}

/// 8-4-4-4-12 hex digits.
#[inline]
pub(super) fn uuid(rest: &[u8]) -> Option<Found> {
    let (text, after) = rest.split_first_chunk::<36>()?;
    if [8, 13, 18, 23].iter().any(|&pos| at(text, pos) != Some(b'-')) {
        return None;
    }
    let group = |range| text.get::<std::ops::Range<usize>>(range).map_or(NOT_HEX, hex_kinds);
    let kinds = group(0..8) | group(9..13) | group(14..18) | group(19..23) | group(24..36);
    (kinds & NOT_HEX == 0 && !is_word(at(after, 0))).then_some((b"{uuid}", 36))
}

const HEX_DIGIT: u8 = 1;
const HEX_LOWER: u8 = 2;
const HEX_UPPER: u8 = 4;
const NOT_HEX: u8 = 8;

/// What each byte is among hex digits.
static HEX_KINDS: [u8; 256] = {
    let mut kinds = [NOT_HEX; 256];
    let mut rest: &mut [u8] = &mut kinds;
    let mut byte = 0_u8;
    while let Some((kind, others)) = rest.split_first_mut() {
        match byte {
            b'0'..=b'9' => *kind = HEX_DIGIT,
            b'a'..=b'f' => *kind = HEX_LOWER,
            b'A'..=b'F' => *kind = HEX_UPPER,
            _ => {}
        }
        byte = byte.wrapping_add(1);
        rest = others;
    }
    kinds
};

/// The kinds of all bytes of a text together. Without a branch: the bytes are often random.
#[inline]
fn hex_kinds(text: &[u8]) -> u8 {
    text.iter().fold(0, |kinds, &byte| kinds | HEX_KINDS.get(usize::from(byte)).copied().unwrap_or(NOT_HEX))
}

/// Hex digits of one case.
#[inline]
fn is_hex(word: &[u8]) -> bool {
    !matches!(hex_kinds(word), kinds if kinds & NOT_HEX != 0 || kinds & (HEX_LOWER | HEX_UPPER) == HEX_LOWER | HEX_UPPER)
}

/// 26 letters and digits of Crockford's alphabet with a time between 2004 and 2074.
fn is_ulid(word: &[u8]) -> bool {
    let lower = word.iter().any(u8::is_ascii_lowercase);
    if lower && word.iter().any(u8::is_ascii_uppercase) {
        return false;
    }
    at(word, 0) == Some(b'0')
        && matches!(at(word, 1), Some(b'1' | b'2'))
        && word.iter().all(|byte| {
            byte.is_ascii_alphanumeric() && !matches!(byte.to_ascii_uppercase(), b'I' | b'L' | b'O' | b'U')
        })
}

/// The letters in front of a digest of 64, 40 or 32 hex digits, as in `list00c2ce…`.
pub(super) fn glued_hex(word: &[u8]) -> Option<&[u8]> {
    [64, 40, 32].into_iter().find_map(|digest| {
        let (stem, tail) = word.split_at_checked(word.len().checked_sub(digest)?)?;
        let letters = stem.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
        (!stem.is_empty() && stem.len() <= 32 && letters && is_hex(tail)).then_some(stem)
    })
}

/// The most bytes that an email address has in front of its `@`.
pub(super) const MAX_EMAIL_LOCAL: usize = 64;

/// An email address.
pub(super) fn email(rest: &[u8]) -> Option<usize> {
    let is_local = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._%+-'".contains(byte) || **byte >= 0x80;
    let local = rest.iter().take(MAX_EMAIL_LOCAL).take_while(is_local).count();
    if local == 0 || at(rest, local) != Some(b'@') {
        return None;
    }
    let domain = rest.get(local + 1..)?;
    let is_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let len = domain.iter().take(254).take_while(is_domain).count();
    let domain = domain.get(..len)?;
    let dot = domain.iter().rposition(|&byte| byte == b'.')?;
    let top = domain.get(dot + 1..)?;
    let good_top = dot > 0 && top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic);
    let end = local + 1 + len;
    (good_top && !is_word(at(rest, end))).then_some(end)
}

/// The most bytes that are searched for the end of JSON.
const MAX_JSON: usize = 1024;

/// Whether the text begins like a JSON object, or an array of strings or objects.
pub(super) fn opens_json(rest: &[u8]) -> bool {
    matches!(rest, [b'{', b'"', ..] | [b'[', b'"' | b'{', ..])
}

/// JSON from its first bracket to the last, once it opens like that. Only brackets and strings are
/// looked at.
pub(super) fn json(rest: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut escaped = false;
    for (pos, &byte) in rest.iter().take(MAX_JSON).enumerate() {
        if quoted {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => quoted = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(pos + 1);
                }
            }
            _ => {}
        }
    }
    None
}
