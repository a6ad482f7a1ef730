//! No sequence of calls, whatever it declares, panics, overflows or takes long.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use rdb_format::{Dialect, FileVersion, ServerVersion, TypeCode};
use rdb_memory::{Allocator, Mode, Pricer, SizeModel, Target};
use rdb_parser::lzf::Lzf;
use rdb_parser::{
    ArrayValue, Container, Limits, ModuleId, ModulePart, PendingEntry, RdbStr, StreamConsumer, StreamGroup,
    StreamId, ValueVisitor,
};

/// A small generator of numbers that like the edges.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Any size, small ones and those around powers of two most of all.
    fn size(&mut self) -> u64 {
        let bits = self.below(65) as u32;
        let base = 1u64.checked_shl(bits).unwrap_or(0);
        base.wrapping_add(self.below(5)).wrapping_sub(2)
    }

    fn text<'b>(&mut self, bytes: &'b [u8]) -> RdbStr<'b> {
        match self.below(4) {
            0 => RdbStr::Int(self.next() as i32),
            1 => {
                let len = self.size();
                let packed = &bytes[..self.below(40) as usize];
                RdbStr::Lzf(Lzf { packed, len })
            }
            _ => {
                let len = self.below(bytes.len() as u64) as usize;
                let start = self.below((bytes.len() - len) as u64) as usize;
                RdbStr::Raw(&bytes[start..start + len])
            }
        }
    }

    fn id(&mut self) -> StreamId {
        StreamId { ms: self.size(), seq: self.size() }
    }
}

fn call(pricer: &mut Pricer<'_>, random: &mut Random, bytes: &[u8]) {
    match random.below(20) {
        0 => pricer.string(random.text(bytes)),
        1 => pricer.count(random.size()),
        2..5 => pricer.element(random.text(bytes)),
        5 => pricer.scored(random.text(bytes), f64::from_bits(random.next())),
        6..8 => {
            let expiry = (random.below(2) == 0).then(|| random.size() as i64);
            pricer.field(random.text(bytes), random.text(bytes), expiry);
        }
        8 => pricer.packed(random.text(bytes)),
        9 => pricer.node(Container::Plain, random.text(bytes)),
        10 => pricer.node(Container::Packed, random.text(bytes)),
        11 => pricer.stream_node(random.id(), random.text(bytes)),
        12 => {
            let (last_id, pending) = (random.id(), random.size());
            pricer.stream_group(&StreamGroup {
                name: random.text(bytes),
                last_id,
                entries_read: None,
                pending,
            });
        }
        13 => {
            let (id, deliveries) = (random.id(), random.size());
            pricer.stream_pending(&PendingEntry { id, delivered_at_ms: 0, deliveries });
        }
        14 => {
            let pending = &bytes[..random.below(200) as usize];
            let name = random.text(bytes);
            pricer.stream_consumer(&StreamConsumer { name, seen_at_ms: 0, active_at_ms: None, pending });
        }
        15 => pricer.stream_producer(random.text(bytes), random.size()),
        16 => pricer.array_slot(random.size(), ArrayValue::Text(random.text(bytes))),
        17 => pricer.module(ModuleId(0xbde7_2da2_bb1e_b400)),
        18 => pricer.module_part(ModulePart::Unsigned(random.size())),
        _ => pricer.module_part(ModulePart::Text(random.text(bytes))),
    }
}

#[test]
fn random_calls_never_panic() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let bytes: Vec<u8> = (0..600).map(|_| random.next() as u8).collect();
    let servers = [
        ServerVersion::redis(2, 4, 18),
        ServerVersion::redis(5, 0, 14),
        ServerVersion::redis(7, 2, 6),
        ServerVersion::redis(8, 10, 2),
        ServerVersion::valkey(8, 0, 1),
        ServerVersion::valkey(9, 1, 2),
    ];
    for server in servers {
        for mode in [Mode::Saved, Mode::Loaded] {
            for allocator in [Allocator::Jemalloc16, Allocator::Libc] {
                let mut target = Target { mode, allocator, ..Target::new(server) };
                target.config.list_compress_depth = random.below(3);
                target.config.list_max_listpack_size = random.below(8) as i64 - 5;
                let model = SizeModel::new(&target);
                let mut pricer = Pricer::new(&model, Limits { inflated_bytes: 1 << 16, ..Limits::default() });
                for _ in 0..3000 {
                    let dialect = if random.below(2) == 0 { Dialect::Redis } else { Dialect::Valkey };
                    let key = &bytes[..random.below(300) as usize];
                    pricer.start(
                        key,
                        (random.below(2) == 0).then_some(1),
                        FileVersion { dialect, number: 12 },
                    );
                    pricer.begin(TypeCode(random.below(34) as u8));
                    for _ in 0..random.below(30) {
                        call(&mut pricer, &mut random, &bytes);
                    }
                    let estimate = pricer.finish();
                    let parts = estimate.parts;
                    assert!(estimate.memory_bytes >= parts.value_bytes);
                    if estimate.memory_bytes < u64::MAX / 2 {
                        assert_eq!(
                            parts.key_bytes + parts.value_bytes,
                            estimate.memory_bytes,
                            "{estimate:?}"
                        );
                    }
                }
            }
        }
    }
}
