//! Random dumps of every type and form read back as what they were made from.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use rdb_parser::{Depth, KeyHead, Limits, Record, Scanner, Shape, Sink, Stop};
use rdb_synth::{ExpectedKey, Magic, RandomOptions, random_dump};

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    db: u64,
    key: Vec<u8>,
    type_code: u8,
    type_word: String,
    elements: Option<u64>,
    expire_at_ms: Option<i64>,
    idle: Option<u64>,
    freq: Option<u8>,
    offset: u64,
    serialized_bytes: u64,
}

struct Collect<'a> {
    shape: Shape<'a>,
    seen: Vec<Seen>,
}

impl<'a> Sink<'a> for Collect<'a> {
    type Visitor = Shape<'a>;

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Shape<'a> {
        &mut self.shape
    }

    fn record(&mut self, record: &Record<'a>) {
        assert_eq!(self.shape.error(record), None);
        let head = &record.head;
        let object_type = head.type_code.object_type(head.version).unwrap();
        let mut scratch = Vec::new();
        self.seen.push(Seen {
            db: head.db,
            key: head.key.bytes(Limits::default(), &mut scratch).unwrap().to_vec(),
            type_code: head.type_code.0,
            type_word: self.shape.module().map_or(object_type.to_string(), |id| id.to_string()),
            elements: self.shape.elements(),
            expire_at_ms: head.attrs.expire_at_ms,
            idle: head.attrs.idle_seconds,
            freq: head.attrs.freq,
            offset: head.offset,
            serialized_bytes: record.serialized_bytes,
        });
    }
}

impl Collect<'_> {
    fn new(depth: Depth) -> Self {
        Self { shape: Shape::new(depth, Limits::default()), seen: Vec::new() }
    }
}

fn dumps() -> Vec<(String, Vec<u8>, Vec<ExpectedKey>)> {
    let magics = (1..=15).map(Magic::Redis).chain([Magic::Valkey(80)]);
    magics
        .flat_map(|magic| {
            (1..=3).map(move |seed| {
                let options =
                    RandomOptions { keys: 120, odd_forms: true, ..RandomOptions::everything(magic) };
                let (file, keys) = random_dump(seed, &options);
                (format!("{magic:?} seed {seed}"), file, keys)
            })
        })
        .collect()
}

#[test]
fn every_key_comes_back() {
    for (name, file, keys) in dumps() {
        for depth in [Depth::Count, Depth::Elements] {
            let mut sink = Collect::new(depth);
            let scanned = Scanner::new(Limits::default()).scan(&file, usize::MAX, &mut sink);
            assert_eq!(scanned.unwrap().stop, Stop::End, "{name}");
            assert_eq!(sink.seen.len(), keys.len(), "{name}");
            for (seen, want) in sink.seen.iter().zip(&keys) {
                let want = Seen {
                    db: want.db,
                    key: want.key.clone(),
                    type_code: want.type_code,
                    type_word: want.type_word.to_string(),
                    elements: want.elements,
                    // Servers take an expiry of -1 for none.
                    expire_at_ms: want.expire_ms.filter(|at| *at != -1),
                    idle: want.idle,
                    freq: want.freq,
                    offset: want.record.start as u64,
                    serialized_bytes: want.record.len() as u64,
                };
                assert_eq!(*seen, want, "{name}");
            }
        }
    }
}

/// Feeds the file in windows that end after `step`, then two times `step` bytes, and so on.
fn read_in_windows(file: &[u8], step: usize) -> Vec<Seen> {
    let mut scanner = Scanner::new(Limits::default());
    let mut seen = Vec::new();
    let (mut start, mut end) = (0, 0);
    loop {
        end = (end + step).min(file.len());
        let mut sink = Collect::new(Depth::Count);
        let scanned = scanner.scan(&file[start..end], usize::MAX, &mut sink).unwrap();
        seen.extend(sink.seen);
        start += scanned.consumed;
        match scanned.stop {
            Stop::End => return seen,
            Stop::NeedMore(missing) => {
                assert!(missing > 0);
                assert!(end < file.len(), "a whole file needs no more");
            }
            Stop::Cut => panic!("nobody asked for a cut"),
        }
    }
}

#[test]
fn windows_of_any_size_read_the_same() {
    for magic in [Magic::Redis(2), Magic::Redis(9), Magic::Redis(15), Magic::Valkey(80)] {
        let options = RandomOptions { keys: 40, odd_forms: true, ..RandomOptions::everything(magic) };
        let (file, _) = random_dump(7, &options);
        let mut whole = Collect::new(Depth::Count);
        Scanner::new(Limits::default()).scan(&file, usize::MAX, &mut whole).unwrap();
        for step in [1, 2, 3, 7, 64, 1000, file.len()] {
            assert_eq!(read_in_windows(&file, step), whole.seen, "{magic:?}, windows of {step} bytes");
        }
    }
}

#[test]
fn a_replay_from_any_cut_reads_the_same() {
    for magic in [Magic::Redis(6), Magic::Redis(15), Magic::Valkey(80)] {
        let (file, keys) = random_dump(3, &RandomOptions { keys: 60, ..RandomOptions::everything(magic) });
        let mut scanner = Scanner::new(Limits::default());
        let mut seen = Vec::new();
        let mut rest = &file[..];
        loop {
            let replay = scanner.replay();
            let mut deaf = Collect::new(Depth::Count);
            let scanned = scanner.scan(rest, 200, &mut deaf).unwrap();
            let mut sink = Collect::new(Depth::Count);
            let again = replay.clone().scan(&rest[..scanned.consumed], usize::MAX, &mut sink).unwrap();
            assert_eq!(again.consumed, scanned.consumed);
            assert_eq!(sink.seen, deaf.seen);
            seen.extend(sink.seen);
            rest = &rest[scanned.consumed..];
            if scanned.stop == Stop::End {
                break;
            }
        }
        assert_eq!(seen.len(), keys.len());
    }
}
