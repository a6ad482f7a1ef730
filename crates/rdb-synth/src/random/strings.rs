//! Random texts, numbers and names.

use crate::prng::Prng;

const WORDS: [&str; 24] = [
    "alpha", "beta", "cart", "delta", "event", "feed", "graph", "home", "item", "job", "key", "log", "mail",
    "node", "order", "page", "queue", "rate", "score", "token", "user", "view", "week", "zone",
];

/// Lengths at which some form of a string or entry ends.
const EDGES: [usize; 18] =
    [0, 1, 20, 21, 44, 45, 63, 64, 65, 127, 128, 253, 254, 255, 4095, 4096, 16383, 16384];

pub(super) fn word(rng: &mut Prng) -> &'static str {
    rng.pick::<&str>(&WORDS)
}

/// A name no other serial number has.
pub(super) fn key_name(serial: usize, rng: &mut Prng) -> Vec<u8> {
    match (serial, rng.below(12)) {
        (17, _) => Vec::new(),
        (_, 0) => serial.to_string().into_bytes(),
        (_, 1) => [format!("bin:{serial}:").into_bytes(), rng.bytes(9)].concat(),
        (_, 2) => format!("{}:{{tag{}}}:{serial}", word(rng), serial % 7).into_bytes(),
        (_, 3) => format!("a,\"quoted\"\r\n\u{1b}[31m\u{e9}:{serial}").into_bytes(),
        (_, 4) if serial.is_multiple_of(5) => format!("long:{serial}:{}", "k".repeat(300)).into_bytes(),
        _ => format!("{}:{serial}:{}", word(rng), word(rng)).into_bytes(),
    }
}

/// An integer of any width, as text.
pub(super) fn integer(rng: &mut Prng) -> i64 {
    let bits = rng.between(1, 63);
    let n = (rng.next_u64() >> (64 - bits)) as i64;
    match rng.below(20) {
        0 => *rng.pick(&[
            0,
            12,
            13,
            127,
            128,
            -128,
            -129,
            255,
            4095,
            4096,
            -4096,
            -4097,
            32767,
            32768,
            -32768,
            -32769,
            8_388_607,
            8_388_608,
            -8_388_608,
            -8_388_609,
            2_147_483_647,
            2_147_483_648,
            -2_147_483_648,
            -2_147_483_649,
            i64::MAX,
            i64::MIN,
        ]),
        1..=5 => -n,
        _ => n,
    }
}

/// Any bytes: numbers, words, binary, repetitions, and lengths at the edges of forms.
pub(super) fn any(rng: &mut Prng) -> Vec<u8> {
    match rng.below(100) {
        0..30 => integer(rng).to_string().into_bytes(),
        30..65 => {
            let n = rng.between(1, 6);
            (0..n).map(|_| word(rng)).collect::<Vec<_>>().join(" ").into_bytes()
        }
        65..80 => {
            let n = rng.size(1, 60);
            rng.bytes(n)
        }
        80..92 => word(rng).repeat(rng.size(5, 60)).into_bytes(),
        92..99 => {
            let n = *rng.pick(&EDGES[..14]);
            vec![b'a' + rng.below(26) as u8; n]
        }
        _ => {
            let n = *rng.pick(&EDGES);
            rng.bytes(n)
        }
    }
}

/// Distinct elements, at least one.
pub(super) fn distinct(rng: &mut Prng, n: usize) -> Vec<Vec<u8>> {
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::with_capacity(n);
    for serial in 0..n.max(1) {
        let mut text = any(rng);
        if seen.contains(&text) {
            text.extend_from_slice(format!("#{serial}").as_bytes());
        }
        if seen.insert(text.clone()) {
            out.push(text);
        }
    }
    out
}
