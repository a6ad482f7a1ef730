//! How usual it is that one letter or digit follows another in words and names.
//!
//! The costs are counts turned into bits: over English, German and French word lists, names of
//! packages, and identifiers in C, Python and Rust. What costs more than it would in random
//! text of the same alphabet speaks for random text. `random` decides what follows from that.

/// A byte that belongs to no word.
pub(super) const STOP: u8 = 63;
/// A slash: it belongs to base64, but it is usually a separator.
pub(super) const SLASH: u8 = 62;
/// The other marks that base64 has: `-`, `_`, `+`.
pub(super) const JOIN: u8 = 61;
/// All digits together, which leaves room for the marks.
pub(super) const DIGIT: u8 = 52;

/// Small letters, capitals, digits, marks: 0, 26, 52, 61 and on.
pub(super) static SYMBOLS: [u8; 256] = {
    let mut symbols = [STOP; 256];
    let mut rest: &mut [u8] = &mut symbols;
    let mut byte = 0_u8;
    while let Some((symbol, others)) = rest.split_first_mut() {
        match byte {
            b'a'..=b'z' => *symbol = byte - b'a',
            b'A'..=b'Z' => *symbol = 26 + byte - b'A',
            b'0'..=b'9' => *symbol = DIGIT,
            b'-' | b'_' | b'+' => *symbol = JOIN,
            b'/' => *symbol = SLASH,
            _ => {}
        }
        byte = byte.wrapping_add(1);
        rest = others;
    }
    symbols
};

/// For each letter and each that may follow it: half bits, in base 36.
const FOLLOWS: [&[u8; 26]; 26] = [
    b"h979hd9f8je797k9j6769deecf",
    b"5dcf5gdh7bg6fe7ck79d7hhibg",
    b"7gde7gj5ak79dh5ek9b6bikiek",
    b"7cda3cde6haaef8fk9ad9gggdk",
    b"9c99ccceaig995fcf468dceaec",
    b"7eee68ei5kh7fe6ek7a99jhjah",
    b"8feh3hba6jh8d99fk78b9jifgi",
    b"5ehf4ggi7jgabb7gd9a7akdkch",
    b"bc897a9kijf8957bga77hbjekc",
    b"7hgg6ikiakgjci8dci2g7hdkkk",
    b"7dcb3edf6hg9fb7eka889gfkdh",
    b"6efa4efj5kf7fe6dkh998fhkbi",
    b"59dc4ggi6jgb8e76igadaiikfk",
    b"7f966a6g8hcdga9ejf75bchjfe",
    b"cb99hcbgcgc884a9j5998cbegi",
    b"6gde5dga7kd6ee69k6b8aiikdk",
    b"fhfgfhhkekk5fggfhbde1igjkj",
    b"6dbb4ecg6iccab7eka88adgkbh",
    b"9e7c5ee97jcacd99ef65aeejci",
    b"7fce4eg95hiceh7dk78aaief9e",
    b"aaab7a8i8kg786g9k777ifjckh",
    b"5hdh2fdh5kjgeg8ckecd9iigik",
    b"5gcd4ggb4kgdg97ek88edkijik",
    b"af8d7efd7gicafa5jec3ehhb9i",
    b"9bbd9cdhcff897a3kc68dhdjhe",
    b"8egg3ghf6kfcfh8gkhea5hajcc",
];

/// What it costs, in quarters of a bit, that one symbol follows another; indexed by `64 * first + second`.
pub(super) static COSTS: [u8; 4096] = {
    let mut costs = [0; 4096];
    let mut rest: &mut [u8] = &mut costs;
    let mut index = 0_u16;
    while let Some((cost, others)) = rest.split_first_mut() {
        *cost = cost_of((index >> 6) as u8, (index & 63) as u8);
        index += 1;
        rest = others;
    }
    costs
};

#[expect(clippy::indexing_slicing, reason = "only the compiler runs this")]
const fn cost_of(first: u8, second: u8) -> u8 {
    if first == STOP {
        // The first byte of a text follows nothing.
        return 0;
    }
    match (kind(first), kind(second)) {
        (Kind::Small | Kind::Capital, Kind::Small) | (Kind::Capital, Kind::Capital) => {
            let row = FOLLOWS[(first % 26) as usize];
            let letter = 2 * half_bits(row[(second % 26) as usize]);
            if matches!((kind(first), kind(second)), (Kind::Capital, Kind::Small)) {
                12 + letter
            } else {
                letter
            }
        }
        (Kind::Small, Kind::Capital) => 38,
        (Kind::Small, Kind::Digit) => 40,
        (Kind::Capital, Kind::Digit) | (Kind::Digit, Kind::Small | Kind::Capital) => 34,
        (Kind::Digit, Kind::Digit) => 14,
        (Kind::Mark, Kind::Mark) => 40,
        (_, Kind::Mark) => 16,
        (Kind::Mark, Kind::Digit) => 26,
        (Kind::Mark, _) => 20,
    }
}

enum Kind {
    Small,
    Capital,
    Digit,
    Mark,
}

const fn kind(symbol: u8) -> Kind {
    match symbol {
        0..26 => Kind::Small,
        26..52 => Kind::Capital,
        DIGIT => Kind::Digit,
        _ => Kind::Mark,
    }
}

const fn half_bits(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => digit - b'a' + 10,
    }
}
