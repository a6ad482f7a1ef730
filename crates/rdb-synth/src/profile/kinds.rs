//! The values that families of keys hold.

use super::text;
use crate::enc::LenForm;
use crate::enc::{StrForm, put_ascii_f64, put_f64, put_len, put_plain, put_str, score_text};
use crate::packed::{Listpack, StreamId, StreamNode, Ziplist, Zipmap, intset};
use crate::prng::Prng;
use crate::type_code::types;

/// What a key holds, with the fewest and the most bytes or elements. Large ones are rarer than small ones.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A string.
    String(Text, usize, usize),
    /// A list of this type code.
    List(u8, usize, usize),
    /// A set of this type code.
    Set(u8, usize, usize),
    /// A sorted set of this type code.
    Zset(u8, usize, usize),
    /// A hash of this type code.
    Hash(u8, usize, usize),
    /// A stream of this type code.
    Stream(u8, usize, usize),
    /// A hash whose values are JSON texts.
    HashOfDocuments(usize, usize),
    /// A list of JSON texts.
    ListOfDocuments(usize, usize),
}

/// What a string is made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Text {
    /// A number of so many digits.
    Number,
    /// Letters and digits without order.
    Token,
    /// Words.
    Words,
    /// A JSON object.
    Json,
    /// A page.
    Html,
    /// Random bytes.
    Binary,
}

impl Text {
    pub(super) fn put(self, out: &mut Vec<u8>, rng: &mut Prng, len: usize) {
        match self {
            Self::Number => {
                let most = 10u64.saturating_pow(len as u32);
                text::number(out, rng.between(most / 10, most - 1));
            }
            Self::Token => text::token(out, rng, len),
            Self::Words => text::words(out, rng, len),
            Self::Json => text::json(out, rng, len),
            Self::Html => text::html(out, rng, len),
            Self::Binary => rng.fill(out, len),
        }
    }
}

/// A value in the making. Kept from key to key for its memory.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub(super) type_code: u8,
    pub(super) value: Vec<u8>,
    pub(super) elements: u64,
    /// LZF strings so far: how many, bytes before, bytes after.
    pub(super) lzf: (u64, u64, u64),
    a: Vec<u8>,
    b: Vec<u8>,
}

impl Record {
    /// Appends a string as a server writes it.
    pub(super) fn put_str(&mut self, text: &[u8]) {
        if let Some(stored) = put_str(&mut self.value, text, StrForm::Auto) {
            self.lzf.0 += 1;
            self.lzf.1 += text.len() as u64;
            self.lzf.2 += stored as u64;
        }
    }

    fn put_len(&mut self, n: usize) {
        put_len(&mut self.value, n as u64);
    }

    /// Appends a string that a function makes.
    fn put_made(&mut self, make: impl FnOnce(&mut Vec<u8>)) {
        let mut made = std::mem::take(&mut self.a);
        made.clear();
        make(&mut made);
        self.put_str(&made);
        self.a = made;
    }

    /// Makes a value of this kind in place of the one before.
    pub(super) fn fill(&mut self, kind: Kind, ctime: u64, rng: &mut Prng) {
        self.value.clear();
        match kind {
            Kind::String(content, lo, hi) => {
                (self.type_code, self.elements) = (types::STRING, 1);
                let len = skewed(rng, lo, hi);
                self.put_made(|out| content.put(out, rng, len));
            }
            Kind::List(code, lo, hi) => self.list(code, skewed(rng, lo, hi), rng),
            Kind::Set(code, lo, hi) => self.set(code, skewed(rng, lo, hi), rng),
            Kind::Zset(code, lo, hi) => self.zset(code, skewed(rng, lo, hi), rng),
            Kind::Hash(code, lo, hi) => self.hash(code, skewed(rng, lo, hi), rng),
            Kind::Stream(code, lo, hi) => self.stream(code, skewed(rng, lo, hi), ctime, rng),
            Kind::HashOfDocuments(lo, hi) => {
                let n = skewed(rng, lo, hi);
                self.start(types::HASH, n);
                self.put_len(n);
                for serial in 0..n {
                    self.put_made(|out| {
                        out.extend_from_slice(b"doc-");
                        text::number(out, serial as u64);
                    });
                    let len = rng.size(150, 1800);
                    self.put_made(|out| text::json(out, rng, len));
                }
            }
            Kind::ListOfDocuments(lo, hi) => {
                let n = skewed(rng, lo, hi);
                self.list_in_nodes(n, 12, rng, |out, rng, _| {
                    let len = rng.size(150, 900);
                    text::json(out, rng, len);
                });
            }
        }
    }

    fn start(&mut self, type_code: u8, elements: usize) {
        self.type_code = type_code;
        self.elements = elements as u64;
    }

    fn list(&mut self, code: u8, n: usize, rng: &mut Prng) {
        let style = rng.below(3);
        let item = |out: &mut Vec<u8>, rng: &mut Prng, serial: usize| match style {
            0 => text::number(out, rng.below(1 << 34)),
            1 => {
                out.extend_from_slice(text::word(rng).as_bytes());
                out.push(b':');
                text::number(out, serial as u64 * 17);
            }
            _ => text::token(out, rng, 24),
        };
        self.start(code, n);
        match code {
            types::LIST => {
                self.put_len(n);
                for serial in 0..n {
                    self.put_made(|out| item(out, rng, serial));
                }
            }
            types::LIST_ZIPLIST => {
                let zl = self.ziplist_of(0..n, rng, item);
                self.put_str(&zl);
            }
            types::LIST_QUICKLIST => {
                self.put_len(n.div_ceil(128));
                for from in (0..n).step_by(128) {
                    let zl = self.ziplist_of(from..n.min(from + 128), rng, item);
                    self.put_str(&zl);
                }
            }
            _ => self.list_in_nodes(n, 128, rng, item),
        }
    }

    fn ziplist_of(
        &mut self,
        serials: std::ops::Range<usize>,
        rng: &mut Prng,
        item: impl Fn(&mut Vec<u8>, &mut Prng, usize),
    ) -> Vec<u8> {
        let mut zl = Ziplist::new();
        for serial in serials {
            self.a.clear();
            item(&mut self.a, rng, serial);
            zl.push(&self.a);
        }
        zl.finish()
    }

    /// Type 18; now and then an element is too large for a packed node.
    fn list_in_nodes(
        &mut self,
        n: usize,
        per_node: usize,
        rng: &mut Prng,
        item: impl Fn(&mut Vec<u8>, &mut Prng, usize),
    ) {
        let giant = rng.chance(4);
        self.start(types::LIST_QUICKLIST_2, n + usize::from(giant));
        self.put_len(n.div_ceil(per_node) + usize::from(giant));
        for from in (0..n).step_by(per_node) {
            let mut lp = Listpack::new();
            for serial in from..n.min(from + per_node) {
                self.b.clear();
                item(&mut self.b, rng, serial);
                lp.push(&self.b);
            }
            self.put_len(2);
            self.put_str(&lp.finish());
        }
        if giant {
            self.put_len(1);
            self.put_made(|out| text::json(out, rng, 9000));
        }
    }

    fn set(&mut self, code: u8, n: usize, rng: &mut Prng) {
        self.start(code, n);
        if code == types::SET_INTSET {
            let step = 1u64 << rng.between(1, 36);
            let mut at = rng.below(step);
            let numbers: Vec<i64> = (0..n)
                .map(|_| {
                    at += rng.between(1, step);
                    at as i64
                })
                .collect();
            self.put_str(&intset(&numbers));
            return;
        }
        let numbers = rng.chance(300);
        self.put_len(n);
        for serial in 0..n as u64 {
            self.put_made(|out| {
                if numbers {
                    text::number(out, serial * 97 + rng.below(97));
                } else {
                    member(out, rng, serial);
                }
            });
        }
    }

    fn zset(&mut self, code: u8, n: usize, rng: &mut Prng) {
        self.start(code, n);
        let whole = rng.chance(600);
        let mut score = rng.below(1000) as f64;
        let mut next = |rng: &mut Prng| {
            score += if whole {
                rng.below(50) as f64
            } else {
                (rng.unit() * 5000.0).round() / 100.0 + rng.unit() / 1e6
            };
            score
        };
        match code {
            types::ZSET | types::ZSET_2 => {
                self.put_len(n);
                for serial in 0..n as u64 {
                    self.put_made(|out| member(out, rng, serial));
                    let put = if code == types::ZSET { put_ascii_f64 } else { put_f64 };
                    put(&mut self.value, next(rng));
                }
            }
            types::ZSET_ZIPLIST => {
                let mut zl = Ziplist::new();
                for serial in 0..n as u64 {
                    self.a.clear();
                    member(&mut self.a, rng, serial);
                    zl.push(&self.a);
                    zl.push(score_text(next(rng)).as_bytes());
                }
                self.put_str(&zl.finish());
            }
            _ => {
                let mut lp = Listpack::new();
                for serial in 0..n as u64 {
                    self.a.clear();
                    member(&mut self.a, rng, serial);
                    lp.push(&self.a);
                    lp.push(score_text(next(rng)).as_bytes());
                }
                self.put_str(&lp.finish());
            }
        }
    }

    fn hash(&mut self, code: u8, n: usize, rng: &mut Prng) {
        self.start(code, n);
        let (mut a, mut b) = (std::mem::take(&mut self.a), std::mem::take(&mut self.b));
        let (mut zm, mut zl, mut lp) = (Zipmap::new(), Ziplist::new(), Listpack::new());
        if code == types::HASH {
            self.put_len(n);
        }
        for serial in 0..n {
            a.clear();
            field_name(&mut a, serial, n, rng);
            b.clear();
            field_value(&mut b, rng);
            match code {
                types::HASH => {
                    self.put_str(&a);
                    self.put_str(&b);
                }
                types::HASH_ZIPMAP => zm = zm.pair_with_free(&a, &b, rng.below(3) as u8),
                types::HASH_ZIPLIST => {
                    zl.push(&a);
                    zl.push(&b);
                }
                _ => {
                    lp.push(&a);
                    lp.push(&b);
                }
            }
        }
        match code {
            types::HASH => {}
            types::HASH_ZIPMAP => self.put_str(&zm.finish()),
            types::HASH_ZIPLIST => self.put_str(&zl.finish()),
            _ => self.put_str(&lp.finish()),
        }
        (self.a, self.b) = (a, b);
    }

    fn stream(&mut self, code: u8, n: usize, ctime: u64, rng: &mut Prng) {
        const PER_NODE: usize = 100;
        const FIELDS: [&str; 3] = ["kind", "user", "amount"];
        self.type_code = code;
        let mut id = StreamId::new(ctime * 1000 - 1_000_000_000, 0);
        let (first, mut last, mut live, mut deleted) = (id, id, 0, StreamId::default());
        let mut delivered = Vec::new();
        self.put_len(n.div_ceil(PER_NODE));
        for from in (0..n).step_by(PER_NODE) {
            let mut node = StreamNode::new(id, FIELDS);
            for serial in from..n.min(from + PER_NODE) {
                let user = rng.below(1 << 24).to_string();
                let amount = rng.below(100_000).to_string();
                let gone = serial > from && rng.chance(20);
                node.push(id, &[("kind", text::word(rng)), ("user", &user), ("amount", &amount)], gone);
                if gone {
                    deleted = id;
                } else if delivered.len() < 10 {
                    delivered.push(id);
                }
                last = id;
                id = if rng.chance(200) {
                    StreamId::new(id.ms, id.seq + 1)
                } else {
                    StreamId::new(id.ms + rng.between(1, 2000), 0)
                };
            }
            live += node.live();
            put_plain(&mut self.value, &node.key(), LenForm::Minimal);
            self.put_str(&node.finish());
        }
        self.elements = live;
        let v2 = code == types::STREAM_LISTPACKS_2;
        let mut lens = vec![live, last.ms, last.seq];
        if v2 {
            lens.extend([first.ms, first.seq, deleted.ms, deleted.seq, n as u64]);
        }
        lens.into_iter().for_each(|n| put_len(&mut self.value, n));
        self.groups(&delivered, last, v2, ctime, n, rng);
    }

    fn groups(
        &mut self,
        delivered: &[StreamId],
        last: StreamId,
        v2: bool,
        ctime: u64,
        n: usize,
        rng: &mut Prng,
    ) {
        let seen = (ctime as i64 * 1000 - 5000).to_le_bytes();
        let groups = rng.size(0, 2);
        self.put_len(groups);
        for group in 0..groups {
            self.put_made(|out| {
                out.extend_from_slice(b"workers-");
                text::number(out, group as u64);
            });
            put_len(&mut self.value, last.ms);
            put_len(&mut self.value, last.seq);
            if v2 {
                self.put_len(n);
            }
            self.put_len(delivered.len());
            for id in delivered {
                self.value.extend_from_slice(&id.raw());
                self.value.extend_from_slice(&seen);
                self.put_len(1);
            }
            let (left, right) = delivered.split_at(delivered.len() / 2);
            self.put_len(2);
            for (name, pending) in [("alpha", left), ("beta", right)] {
                self.put_str(name.as_bytes());
                self.value.extend_from_slice(&seen);
                self.put_len(pending.len());
                for id in pending {
                    self.value.extend_from_slice(&id.raw());
                }
            }
        }
    }
}

/// A member that no other serial number has.
pub(super) fn member(out: &mut Vec<u8>, rng: &mut Prng, serial: u64) {
    out.extend_from_slice(text::word(rng).as_bytes());
    out.push(b':');
    text::number(out, serial * 131 + rng.below(131));
}

fn field_name(out: &mut Vec<u8>, serial: usize, of: usize, rng: &mut Prng) {
    const NAMES: [&str; 12] = [
        "id",
        "name",
        "email",
        "created_at",
        "status",
        "plan",
        "country",
        "visits",
        "score",
        "balance",
        "token",
        "note",
    ];
    match NAMES.get(serial) {
        Some(name) if of <= 24 => out.extend_from_slice(name.as_bytes()),
        _ => {
            out.extend_from_slice(b"field:");
            text::number(out, serial as u64 * 7 + rng.below(7));
        }
    }
}

fn field_value(out: &mut Vec<u8>, rng: &mut Prng) {
    match rng.below(10) {
        0..4 => text::number(out, rng.below(1 << 30)),
        4..7 => out.extend_from_slice(text::word(rng).as_bytes()),
        7 => text::token(out, rng, 20),
        8 => text::words(out, rng, 30),
        _ => text::number(out, rng.below(100)),
    }
}

/// A number from `lo` to `hi`, small ones far more often.
fn skewed(rng: &mut Prng, lo: usize, hi: usize) -> usize {
    let at = rng.unit();
    lo + ((hi - lo + 1) as f64 * at * at * at) as usize
}
