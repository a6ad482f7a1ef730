//! Texts of the kinds that applications store.

use crate::prng::Prng;

const WORDS: [&str; 64] = [
    "account",
    "active",
    "address",
    "amount",
    "archive",
    "balance",
    "billing",
    "browser",
    "cache",
    "campaign",
    "cart",
    "category",
    "channel",
    "city",
    "comment",
    "country",
    "coupon",
    "created",
    "currency",
    "customer",
    "default",
    "delivery",
    "device",
    "discount",
    "draft",
    "email",
    "enabled",
    "event",
    "feature",
    "gateway",
    "group",
    "image",
    "index",
    "invoice",
    "language",
    "locale",
    "message",
    "method",
    "mobile",
    "name",
    "network",
    "note",
    "order",
    "owner",
    "payment",
    "pending",
    "phone",
    "price",
    "product",
    "profile",
    "quantity",
    "region",
    "request",
    "review",
    "score",
    "session",
    "shipping",
    "status",
    "stock",
    "summary",
    "ticket",
    "title",
    "updated",
    "warehouse",
];

pub(super) fn word(rng: &mut Prng) -> &'static str {
    rng.pick::<&str>(&WORDS)
}

/// Appends a decimal number.
pub(super) fn number(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number with leading zeros.
pub(super) fn padded(out: &mut Vec<u8>, n: u64, width: usize) {
    let start = out.len();
    number(out, n);
    let missing = width.saturating_sub(out.len() - start);
    out.splice(start..start, std::iter::repeat_n(b'0', missing));
}

/// Appends the hexadecimal digits of the low `digits` half-bytes.
pub(super) fn hex(out: &mut Vec<u8>, n: u64, digits: u32) {
    out.extend((0..digits).rev().map(|d| b"0123456789abcdef"[((n >> (4 * d)) & 15) as usize]));
}

/// Appends letters and digits without any order.
pub(super) fn token(out: &mut Vec<u8>, rng: &mut Prng, len: usize) {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut left = len;
    while left > 0 {
        let mut bits = rng.next_u64();
        for _ in 0..left.min(10) {
            out.push(ALPHABET[(bits & 63) as usize]);
            bits >>= 6;
        }
        left -= left.min(10);
    }
}

/// Appends words between spaces, about so many bytes.
pub(super) fn words(out: &mut Vec<u8>, rng: &mut Prng, len: usize) {
    let end = out.len() + len;
    loop {
        out.extend_from_slice(word(rng).as_bytes());
        if out.len() >= end {
            return;
        }
        out.push(b' ');
    }
}

/// Appends a JSON object, about so many bytes.
pub(super) fn json(out: &mut Vec<u8>, rng: &mut Prng, len: usize) {
    let end = out.len() + len.saturating_sub(12);
    out.extend_from_slice(b"{\"id\":");
    number(out, rng.below(1 << 40));
    while out.len() < end {
        out.extend_from_slice(b",\"");
        out.extend_from_slice(word(rng).as_bytes());
        out.extend_from_slice(b"\":");
        match rng.below(6) {
            0 => number(out, rng.below(1_000_000)),
            1 => out.extend_from_slice(b"true"),
            2 => {
                out.push(b'"');
                token(out, rng, 22);
                out.push(b'"');
            }
            3 => {
                out.push(b'"');
                hex(out, rng.next_u64(), 16);
                out.push(b'"');
            }
            _ => {
                out.push(b'"');
                let n = rng.size(6, 40);
                words(out, rng, n);
                out.push(b'"');
            }
        }
    }
    out.push(b'}');
}

/// Appends a piece of a page, about so many bytes.
pub(super) fn html(out: &mut Vec<u8>, rng: &mut Prng, len: usize) {
    let end = out.len() + len;
    out.extend_from_slice(b"<!doctype html><html><body>");
    while out.len() < end {
        out.extend_from_slice(b"<div class=\"row item\" data-id=\"");
        number(out, rng.below(1 << 30));
        out.extend_from_slice(b"\"><a href=\"/");
        out.extend_from_slice(word(rng).as_bytes());
        out.extend_from_slice(b"/\">");
        let n = rng.size(20, 120);
        words(out, rng, n);
        out.extend_from_slice(b"</a></div>\n");
    }
    out.extend_from_slice(b"</body></html>");
}
