//! Files of a few giant collections, written piece by piece.

use std::io::{self, Write};

use super::kinds::{Record, member};
use super::manifest::{DbCounts, Manifest};
use super::{Plan, text};
use crate::builder::RdbWriter;
use crate::enc::{LenForm, put_f64, put_len, put_plain};
use crate::packed::{Listpack, StreamId, StreamNode, Ziplist};
use crate::prng::Prng;
use crate::record::Attrs;
use crate::type_code::types;

/// Keys of the file.
const KEYS: u64 = 51;
/// Elements of one node of a list or stream, and of one piece of anything else.
const PIECE: u64 = 100;
/// Pieces made on trial, to find how many elements fill the size.
const TRIAL: u64 = 20;

const STREAM_FIELDS: [&str; 3] = ["kind", "user", "amount"];

#[derive(Debug, Clone, Copy)]
enum Giant {
    Hash,
    Set,
    Numbers,
    Zset,
    List,
    OldList,
    Stream,
    Documents,
    Text,
}

/// The collections in turn.
const KINDS: [Giant; 17] = [
    Giant::Hash,
    Giant::Zset,
    Giant::List,
    Giant::Set,
    Giant::Hash,
    Giant::Zset,
    Giant::Stream,
    Giant::List,
    Giant::Set,
    Giant::Documents,
    Giant::Hash,
    Giant::OldList,
    Giant::Numbers,
    Giant::Zset,
    Giant::List,
    Giant::Text,
    Giant::Stream,
];

struct Maker {
    giant: Giant,
    rng: Prng,
    record: Record,
    scratch: Vec<u8>,
    id: StreamId,
}

pub(super) fn write<W: Write>(plan: &Plan, writer: &mut RdbWriter<W>) -> io::Result<Manifest> {
    let mut manifest = Manifest::new(plan);
    manifest.dbs.push(DbCounts { db: 0, keys: KEYS, expires: 0 });
    writer.select_db(0)?;
    writer.resize_db(KEYS, 0)?;
    let weight = |serial: u64| 1 + (KEYS - serial) * (KEYS - serial) / 100;
    let weights: u64 = (0..KEYS).map(weight).sum();
    let mut lzf = (0, 0, 0);
    for serial in 0..KEYS {
        let giant = KINDS[(serial % KINDS.len() as u64) as usize];
        let share = (u128::from(plan.bytes) * u128::from(weight(serial)) / u128::from(weights)) as u64;
        let new = |stream| Maker {
            giant,
            rng: Prng::split(plan.seed, stream),
            record: Record::default(),
            scratch: Vec::new(),
            id: StreamId::new(plan.ctime * 1000 - 4_000_000_000, 0),
        };
        let elements = new(KEYS + serial).elements_that_fill(share);
        let mut maker = new(serial);
        let name = format!("huge:{}:{serial}", maker.word());
        writer.begin_key(&Attrs::default(), maker.type_code(), name.as_bytes())?;
        maker.write(elements, writer)?;
        manifest.count(maker.type_code(), if matches!(giant, Giant::Text) { 1 } else { elements });
        let (strings, raw, stored) = maker.record.lzf;
        lzf = (lzf.0 + strings, lzf.1 + raw, lzf.2 + stored);
    }
    manifest.lzf = lzf;
    Ok(manifest)
}

impl Maker {
    fn type_code(&self) -> u8 {
        match self.giant {
            Giant::Hash | Giant::Documents => types::HASH,
            Giant::Set | Giant::Numbers => types::SET,
            Giant::Zset => types::ZSET_2,
            Giant::List => types::LIST_QUICKLIST_2,
            Giant::OldList => types::LIST_QUICKLIST,
            Giant::Stream => types::STREAM_LISTPACKS_2,
            Giant::Text => types::STRING,
        }
    }

    fn word(&self) -> &'static str {
        match self.giant {
            Giant::Hash => "hash",
            Giant::Documents => "docs",
            Giant::Set => "set",
            Giant::Numbers => "numbers",
            Giant::Zset => "zset",
            Giant::List => "list",
            Giant::OldList => "quicklist",
            Giant::Stream => "stream",
            Giant::Text => "text",
        }
    }

    /// Elements grow with their serial numbers, so the trial pieces spread over as many as a first guess says.
    fn elements_that_fill(mut self, share: u64) -> u64 {
        let mut elements = share / 40;
        for _ in 0..2 {
            let mut sum = 0;
            for piece in 0..TRIAL {
                let from = elements * piece / TRIAL;
                self.piece(from..from + PIECE);
                sum += self.record.value.len() as u64;
            }
            elements = (u128::from(share) * u128::from(TRIAL * PIECE) / u128::from(sum.max(1))).max(1) as u64;
        }
        elements
    }

    fn write<W: Write>(&mut self, elements: u64, writer: &mut RdbWriter<W>) -> io::Result<()> {
        let nodes = elements.div_ceil(PIECE);
        let in_nodes = matches!(self.giant, Giant::List | Giant::OldList | Giant::Stream);
        let first = self.id;
        writer.with(|out| put_len(out, if in_nodes { nodes } else { elements }))?;
        for from in (0..elements).step_by(PIECE as usize) {
            self.piece(from..elements.min(from + PIECE));
            writer.raw(&self.record.value)?;
        }
        if matches!(self.giant, Giant::Stream) {
            let last = StreamId::new(self.id.ms - 1, 0);
            let lens = [elements, last.ms, last.seq, first.ms, first.seq, 0, 0, elements, 0];
            writer.with(|out| lens.iter().for_each(|n| put_len(out, *n)))?;
        }
        Ok(())
    }

    /// Makes the bytes of some elements, in place of those before.
    fn piece(&mut self, serials: std::ops::Range<u64>) {
        self.record.value.clear();
        let mut made = std::mem::take(&mut self.scratch);
        match self.giant {
            Giant::List => {
                let mut lp = Listpack::new();
                for serial in serials {
                    made.clear();
                    self.item(&mut made, serial);
                    lp.push(&made);
                }
                put_len(&mut self.record.value, 2);
                put_plain(&mut self.record.value, &lp.finish(), LenForm::Minimal);
            }
            Giant::OldList => {
                let mut zl = Ziplist::new();
                for serial in serials {
                    made.clear();
                    self.item(&mut made, serial);
                    zl.push(&made);
                }
                put_plain(&mut self.record.value, &zl.finish(), LenForm::Minimal);
            }
            Giant::Stream => self.stream_node(serials),
            Giant::Text => self.rng.fill(&mut self.record.value, (serials.end - serials.start) as usize),
            _ => {
                for serial in serials {
                    self.element(&mut made, serial);
                }
            }
        }
        self.scratch = made;
    }

    fn element(&mut self, made: &mut Vec<u8>, serial: u64) {
        made.clear();
        match self.giant {
            Giant::Numbers => text::number(made, serial * 4099 + self.rng.below(4099)),
            Giant::Documents => text::padded(made, serial, 8),
            _ => member(made, &mut self.rng, serial),
        }
        self.record.put_str(made);
        match self.giant {
            Giant::Hash => {
                made.clear();
                self.item(made, serial);
                self.record.put_str(made);
            }
            Giant::Documents => {
                made.clear();
                let len = self.rng.size(1000, 7000);
                text::json(made, &mut self.rng, len);
                self.record.put_str(made);
            }
            Giant::Zset => put_f64(&mut self.record.value, (self.rng.unit() * 1e9).round() / 64.0),
            _ => {}
        }
    }

    fn item(&mut self, made: &mut Vec<u8>, serial: u64) {
        match self.rng.below(3) {
            0 => text::number(made, self.rng.below(1 << 36)),
            1 => member(made, &mut self.rng, serial),
            _ => text::token(made, &mut self.rng, 18),
        }
    }

    fn stream_node(&mut self, serials: std::ops::Range<u64>) {
        let mut node = StreamNode::new(self.id, STREAM_FIELDS);
        for serial in serials {
            let (user, amount) = (self.rng.below(1 << 24).to_string(), serial.to_string());
            let pairs =
                [("kind", text::word(&mut self.rng)), ("user", user.as_str()), ("amount", amount.as_str())];
            node.push(self.id, &pairs, false);
            self.id.ms += 1;
        }
        put_plain(&mut self.record.value, &node.key(), LenForm::Minimal);
        put_plain(&mut self.record.value, &node.finish(), LenForm::Minimal);
    }
}
