//! Key names by pattern.

use super::text;
use crate::prng::{Prng, mix};

/// Appends the name that a pattern gives the key of this serial number.
///
/// `#i` the serial number, `#h` 16 hexadecimal digits and `#u` a UUID are different for every serial number, and each
/// pattern needs one of them. `#w` a word, `#n` a small number, `#d` a date and `#e` an email address may repeat.
pub(super) fn put(out: &mut Vec<u8>, pattern: &str, serial: u64, rng: &mut Prng) {
    let mut rest = pattern.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'#' {
            out.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'i') => text::number(out, serial),
            Some(b'h') => text::hex(out, mix(serial), 16),
            Some(b'u') => uuid(out, serial, rng),
            Some(b'w') => out.extend_from_slice(text::word(rng).as_bytes()),
            Some(b'n') => text::number(out, rng.below(500)),
            Some(b'd') => date(out, rng),
            Some(b'e') => {
                out.extend_from_slice(text::word(rng).as_bytes());
                text::number(out, rng.below(100_000));
                out.extend_from_slice(b"@example.com");
            }
            _ => {}
        }
    }
}

fn uuid(out: &mut Vec<u8>, serial: u64, rng: &mut Prng) {
    let (high, low) = (mix(serial), rng.next_u64());
    text::hex(out, high >> 32, 8);
    for (n, digits) in [(high >> 16, 4), (high, 4), (low >> 48, 4), (low, 12)] {
        out.push(b'-');
        text::hex(out, n, digits);
    }
}

fn date(out: &mut Vec<u8>, rng: &mut Prng) {
    text::number(out, rng.between(2026, 2029));
    for most in [12, 28] {
        out.push(b'-');
        text::padded(out, rng.between(1, most), 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::families;
    use std::collections::HashSet;

    #[test]
    fn serial_numbers_make_names_distinct() {
        for set in [&families::SMALL, &families::MIXED, &families::LZF, &families::DEEP] {
            let mut seen = HashSet::new();
            for family in set.families {
                assert!(
                    ["#i", "#h", "#u"].iter().any(|mark| family.pattern.contains(mark)),
                    "{}",
                    family.pattern
                );
                for serial in 0..200 {
                    let mut name = Vec::new();
                    put(&mut name, family.pattern, serial, &mut Prng::split(1, serial));
                    assert!(seen.insert(name), "{} {serial}", family.pattern);
                }
            }
        }
    }

    #[test]
    fn marks_are_replaced() {
        let mut name = Vec::new();
        put(&mut name, "a:#i:#d:#h:#u:#e:#w", 7, &mut Prng::new(1));
        let name = String::from_utf8(name).unwrap();
        assert!(name.starts_with("a:7:202") && !name.contains('#'), "{name}");
    }
}
