//! Damaged files end in an error that says where, and what was read before it stands.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

use rdb_parser::{Depth, ErrorKind, Frames, KeyHead, Limits, Reach, Record, Scanner, Shape, Sink, Stop};
use rdb_synth::{Magic, RandomOptions, random_dump};

/// The offset and key of each record, and the error at the end.
fn outcome(file: &[u8]) -> (Vec<(u64, u64)>, Option<rdb_parser::Error>) {
    let mut records = Vec::new();
    for record in Frames::new(file) {
        match record {
            Ok(record) => records.push((record.head.offset, record.serialized_bytes)),
            Err(error) => return (records, Some(error)),
        }
    }
    (records, None)
}

#[test]
fn a_file_cut_at_any_byte_says_where_it_ends() {
    for magic in [Magic::Redis(1), Magic::Redis(9), Magic::Redis(15), Magic::Valkey(80)] {
        let (file, keys) = random_dump(11, &RandomOptions { keys: 60, ..RandomOptions::everything(magic) });
        for len in 0..file.len() {
            let (records, error) = outcome(&file[..len]);
            let error = error.unwrap_or_else(|| panic!("{magic:?} cut at {len} must fail"));
            assert_eq!(error.offset(), len as u64, "{error}");
            if len > 0 {
                assert!(matches!(error.kind(), ErrorKind::Truncated { missing } if missing > 0), "{error}");
            }
            let whole = keys.iter().take_while(|key| key.record.end <= len).count();
            assert_eq!(records.len(), whole, "{magic:?} cut at {len}: records before the end");
        }
    }
}

/// Walks a file closely, so that everything that can be wrong in a value is met.
struct Close<'a> {
    shape: Shape<'a>,
    lost: u64,
}

impl<'a> Sink<'a> for Close<'a> {
    type Visitor = Shape<'a>;

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Shape<'a> {
        &mut self.shape
    }

    fn record(&mut self, record: &Record<'a>) {
        if let Some(error) = self.shape.error(record) {
            assert_eq!(error.reach(), Reach::Value);
            let value_end = record.value_offset + record.value.len() as u64;
            assert!((record.head.offset..=value_end).contains(&error.offset()), "{error}");
            self.lost += 1;
        }
    }
}

#[test]
fn flipped_bits_never_break_the_reader() {
    let mut lost = 0;
    for (seed, magic) in
        [(1, Magic::Redis(2)), (2, Magic::Redis(9)), (3, Magic::Redis(15)), (4, Magic::Valkey(80))]
    {
        let (file, _) = random_dump(seed, &RandomOptions { keys: 40, ..RandomOptions::everything(magic) });
        let mut damaged = file.clone();
        // A few thousand flips of each file, evenly spread.
        for at in (9..file.len()).step_by(1 + file.len() / 2000 * 2) {
            for bit in [0, 3, 7] {
                damaged[at] ^= 1 << bit;
                let mut sink = Close { shape: Shape::new(Depth::Elements, Limits::default()), lost: 0 };
                let mut scanner = Scanner::new(Limits::default());
                match scanner.scan(&damaged, usize::MAX, &mut sink) {
                    Ok(scanned) if matches!(scanned.stop, Stop::NeedMore(_)) => {
                        let error = scanner.truncated(&damaged[scanned.consumed..]);
                        assert_eq!(error.offset(), file.len() as u64);
                    }
                    Ok(_) => {}
                    Err(error) => {
                        assert_eq!(error.reach(), Reach::Framing);
                        assert!(error.offset() <= file.len() as u64, "{error}");
                    }
                }
                lost += sink.lost;
                damaged[at] = file[at];
            }
        }
    }
    assert!(lost > 100, "{lost} values were seen to be damaged");
}

/// What servers did with hand-made files (fixtures/format/crafted), and what we must say of them.
#[test]
fn crafted_files_end_as_servers_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/format/crafted");
    for (name, keys, error) in [
        ("array_bad_tag", 0, Some(ErrorKind::BadArrayTag(4))),
        ("array_dup_index", 1, None),
        ("array_unsorted", 1, None),
        ("attr_before_aux", 2, None),
        ("attr_before_selectdb", 1, None),
        ("bad_len_82", 0, Some(ErrorKind::BadStringForm(0x82))),
        ("dup_key", 2, None),
        ("empty_list", 2, None),
        ("future_0016", 1, None),
        ("no_selectdb", 1, None),
        ("non_minimal_len", 1, None),
        ("redis12_plain", 1, None),
        ("stream_v4_type26", 1, None),
        ("tmpl_dup_id", 0, Some(ErrorKind::DuplicateTemplate(5))),
        ("tmpl_mid_db", 2, None),
        ("tmpl_sparse_id", 1, None),
        ("tmpl_unknown_id", 0, Some(ErrorKind::UnknownTemplate(6))),
        ("type29_in_file", 1, None),
        ("type8", 0, Some(ErrorKind::UnknownType(8))),
        ("valkey_magic", 1, None),
    ] {
        let file = fs::read(folder.join(name).with_extension("rdb")).unwrap();
        let (records, found) = outcome(&file);
        assert_eq!(records.len(), keys, "{name}: {found:?}");
        assert_eq!(found.map(|found| found.kind()), error, "{name}");
    }
}

#[test]
fn an_expiry_belongs_to_one_key_only() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/format/crafted");
    let file = fs::read(folder.join("attr_before_aux.rdb")).unwrap();
    let expiries: Vec<_> =
        Frames::new(&file).map(|record| record.unwrap().head.attrs.expire_at_ms.is_some()).collect();
    assert_eq!(expiries, [true, false]);
}

#[test]
fn messages_tell_key_place_and_what_follows() {
    let mut file =
        b"REDIS0011\xfe\x00\x10\x07user:17\x0d\x0d\x00\x00\x00\x02\x00\x81f\x02\x9fv\x02\xff\xff".to_vec();
    file.extend_from_slice(&[0; 8]);
    let mut sink = Messages { shape: Shape::new(Depth::Elements, Limits::default()), messages: Vec::new() };
    Scanner::new(Limits::default()).scan(&file, usize::MAX, &mut sink).unwrap();
    assert_eq!(
        sink.messages,
        [
            "offset 0x1f (31): HASH_LISTPACK of key \"user:17\" in db 0: packed entry passes the end of its value"
        ]
    );
}

struct Messages<'a> {
    shape: Shape<'a>,
    messages: Vec<String>,
}

impl<'a> Sink<'a> for Messages<'a> {
    type Visitor = Shape<'a>;

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Shape<'a> {
        &mut self.shape
    }

    fn record(&mut self, record: &Record<'a>) {
        self.messages.extend(self.shape.error(record).map(|error| error.to_string()));
    }
}

/// The messages of a close look at the values of a file, while it is scanned and once more after that.
fn messages_of(file: &[u8]) -> [Vec<String>; 2] {
    let mut sink = Messages { shape: Shape::new(Depth::Elements, Limits::default()), messages: Vec::new() };
    Scanner::new(Limits::default()).scan(file, usize::MAX, &mut sink).unwrap();
    let mut again = Vec::new();
    let frames = Frames::new(file);
    let templates = frames.scanner().templates().clone();
    for record in frames {
        let record = record.unwrap();
        let mut shape = Shape::new(Depth::Elements, Limits::default());
        record.walk(&templates, &mut shape).unwrap();
        again.extend(shape.error(&record).map(|error| error.to_string()));
        let decoded = record.for_each_element(&templates, Limits::default(), |_| {});
        assert_eq!(decoded.is_err(), shape.error(&record).is_some());
    }
    [sink.messages, again]
}

#[test]
fn a_place_is_the_same_however_it_is_found() {
    // A list with a node of kind 3, then LZF data that ends inside an instruction, then that inflates to
    // a listpack whose entry passes its end.
    let mut file = b"REDIS0011\xfe\x00\x12\x01l\x02\x02\x07\x07\x00\x00\x00\x00\x00\xff\x03\x01x".to_vec();
    file.extend_from_slice(b"\x00\x01s\xc3\x04\x08\x00a\xe0\x20");
    file.extend_from_slice(b"\x10\x01h\xc3\x0a\x09\x08\x09\x00\x00\x00\x02\x00\x85a\xff\xff");
    file.extend_from_slice(&[0; 8]);
    let [scanned, again] = messages_of(&file);
    assert_eq!(scanned, again);
    assert_eq!(
        scanned,
        [
            "offset 0x18 (24): LIST_QUICKLIST_2 of key \"l\" in db 0: quicklist node of unknown kind 3",
            "offset 0x23 (35): STRING of key \"s\" in db 0: LZF data ends inside an instruction",
            "offset 0x2b (43): HASH_LISTPACK of key \"h\" in db 0: packed entry passes the end of its value \
             (byte 7 of the inflated data)",
        ]
    );
}

#[test]
fn an_expiry_of_minus_one_is_none() {
    // Redis 7.0.15 and 8.2.3 load this as a key without expiry.
    let mut file = b"REDIS0011\xfe\x00\xfc".to_vec();
    file.extend_from_slice(&[0xff; 8]);
    file.extend_from_slice(b"\x00\x01a\x01v\xff");
    file.extend_from_slice(&[0; 8]);
    let records: Vec<_> = Frames::new(&file).map(Result::unwrap).collect();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].head.attrs.expire_at_ms, None);
}

#[test]
fn lengths_that_cannot_be_true_are_refused_however_little_is_looked_at() {
    let mut field = b"REDIS0011\xfe\x00\x04\x01s\x01\x01f\xc3\x04\x81".to_vec();
    field.extend_from_slice(&(1u64 << 62).to_be_bytes());
    field.extend_from_slice(b"\x00a\x20\x00\xff");
    let set = b"REDIS0011\xfe\x00\x14\x01s\x0d\x0d\x00\x00\x00\x60\xea\x81a\x02\x81b\x02\xff\xff";
    for (mut file, kind) in [
        (field, ErrorKind::LzfRatio { declared: 1 << 62, packed: 4 }),
        (set.to_vec(), ErrorKind::EntryCount { declared: 60_000, found: 3 }),
    ] {
        file.extend_from_slice(&[0; 8]);
        for record in Frames::new(&file) {
            let record = record.unwrap();
            let mut shape = Shape::new(Depth::Count, Limits::default());
            record.walk(&Default::default(), &mut shape).unwrap();
            assert_eq!(shape.error(&record).map(|error| error.kind()), Some(kind));
        }
    }
}
