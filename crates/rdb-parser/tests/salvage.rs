//! What is read behind damage is what the undamaged file has there, and nothing is told twice or passed over.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use rdb_parser::{Depth, ErrorKind, Frames, Gap, KeyHead, Limits, Part, Record, Salvage, Shape, Sink, Stop};
use rdb_synth::{RdbBuilder, StrForm, value};

/// Database, name, type and value of a record.
type Key = (u64, Vec<u8>, u8, Vec<u8>);

struct Collect<'a> {
    visitor: Shape<'a>,
    records: Vec<(u64, Key)>,
}

impl<'a> Sink<'a> for Collect<'a> {
    type Visitor = Shape<'a>;

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Shape<'a> {
        &mut self.visitor
    }

    fn record(&mut self, record: &Record<'a>) {
        if self.visitor.error(record).is_some() {
            return;
        }
        let mut scratch = Vec::new();
        let name = record.head.key.bytes(Limits::default(), &mut scratch).unwrap_or_default().to_vec();
        let key = (record.head.db, name, record.head.type_code.0, record.value.to_vec());
        self.records.push((record.head.offset, key));
    }
}

/// Takes a file apart, and checks that the parts follow each other and that each stretch reads without an error.
fn salvaged(file: &[u8]) -> (Vec<(u64, Key)>, Vec<Gap>) {
    let mut salvage = Salvage::new(file, Limits::default());
    let (mut collect, mut gaps, mut position) = (
        Collect { visitor: Shape::new(Depth::Elements, Limits::default()), records: Vec::new() },
        Vec::new(),
        0,
    );
    while let Some(part) = salvage.next() {
        let (start, end) = match &part {
            Part::Frames(stretch) => (stretch.start, stretch.end),
            Part::Gap(gap) => (gap.start, gap.end),
        };
        assert_eq!(start, position, "parts follow each other");
        assert!(end >= start && end <= file.len() as u64);
        position = end;
        assert_eq!(salvage.position(), position);
        match part {
            Part::Gap(gap) => gaps.push(gap),
            Part::Frames(mut stretch) => {
                let bytes = &file[start as usize..end as usize];
                let scanned = stretch.scanner.scan(bytes, usize::MAX, &mut collect).unwrap();
                assert_eq!(scanned.consumed, bytes.len());
                assert!(scanned.stop == Stop::End || scanned.stop == Stop::NeedMore(1), "{scanned:?}");
            }
        }
    }
    (collect.records, gaps)
}

fn dumps() -> Vec<(PathBuf, Vec<u8>)> {
    fn look(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rdb") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    look(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"), &mut found);
    found.sort();
    assert!(found.len() > 100);
    found.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// Numbers that look drawn.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

/// Dumps that read without a gap, with their records.
fn sound_dumps() -> impl Iterator<Item = (PathBuf, Vec<u8>, Vec<(u64, Key)>)> {
    dumps().into_iter().filter_map(|(path, file)| {
        let (records, gaps) = salvaged(&file);
        gaps.is_empty().then_some((path, file, records))
    })
}

#[test]
fn a_file_is_one_stretch_exactly_if_it_can_be_framed() {
    let (mut whole, mut damaged) = (0, 0);
    for (path, file) in dumps() {
        let is_framed = Frames::new(&file).all(|record| record.is_ok());
        let (_, gaps) = salvaged(&file);
        assert_eq!(gaps.is_empty(), is_framed, "{}: {gaps:?}", path.display());
        whole += usize::from(is_framed);
        damaged += usize::from(!is_framed);
    }
    assert!(whole > 100 && damaged >= 5, "{whole} whole, {damaged} damaged");
}

/// What stands behind a hole is found again, nothing is told that is not there, and little is lost around it.
#[test]
fn holes() {
    let mut draw = Draw(1);
    let (mut all, mut kept, mut holes) = (0, 0, 0);
    for (path, file, records) in
        sound_dumps().filter(|(_, file, records)| file.len() > 10_000 && records.len() > 100)
    {
        // The first record behind a hole may have lost its expiry there, and so start later; and the database that
        // was chosen there is not known.
        let known: HashSet<_> =
            records.iter().map(|(_, (_, name, code, value))| (name, code, value)).collect();
        let is_known = |(_, (_, name, code, value)): &(u64, Key)| known.contains(&(name, code, value));
        for (len, byte) in [(1, 0xff), (8, 0), (64, 0), (512, 0), (512, 0xa5), (4096, 0)] {
            let at = 9 + draw.below(file.len() - 9 - len);
            let mut damaged = file.clone();
            damaged[at..at + len].fill(byte);
            let (found, gaps) = salvaged(&damaged);
            for record in found.iter().filter(|record| !is_known(record)) {
                let is_touched = record.0 < (at + len) as u64;
                assert!(is_touched, "{}: {len} bytes at {at}: {record:?} behind {gaps:?}", path.display());
            }
            all += records.len();
            kept += found.iter().filter(|record| is_known(record)).count();
            holes += 1;
        }
    }
    assert!(holes > 100);
    let lost = (all - kept) as f64 / f64::from(holes);
    assert!(lost < 12.0, "{lost} keys lost for each hole, of {} in a dump", all / holes as usize);
}

fn strings(count: usize) -> RdbBuilder {
    (0..count).fold(RdbBuilder::redis(11).select_db(0), |file, n| {
        file.key(0, format!("user:{n:04}"), value::string(format!("value {n}").as_bytes(), StrForm::Plain))
    })
}

fn names(records: &[(u64, Key)]) -> Vec<String> {
    records.iter().map(|(_, key)| String::from_utf8_lossy(&key.1).into_owned()).collect()
}

#[test]
fn a_record_that_has_swallowed_others_is_given_up_for_them() {
    let file = strings(100).eof();
    let (records, _) = salvaged(&file);
    // The value of one record claims 30 bytes more: it ends inside the one behind the next.
    let (mut damaged, at) = (file.clone(), records[50].0 as usize);
    damaged[at + 11] += 30;
    let (found, gaps) = salvaged(&damaged);
    assert_eq!(gaps.len(), 1);
    assert_eq!((gaps[0].start, gaps[0].end), (records[50].0, records[51].0));
    let expected: Vec<_> =
        records.iter().enumerate().filter(|(n, _)| *n != 50).map(|(_, r)| r.clone()).collect();
    assert_eq!(found, expected);
}

#[test]
fn an_end_in_the_middle_is_none() {
    let file = strings(100).eof();
    let (records, _) = salvaged(&file);
    let (mut damaged, at) = (file.clone(), records[50].0 as usize);
    damaged[at] = 0xff;
    let (found, gaps) = salvaged(&damaged);
    assert_eq!(gaps.len(), 1, "{gaps:?}");
    assert!(matches!(gaps[0].error.kind(), ErrorKind::Checksum { .. }));
    assert!(found.len() >= 98, "{:?}", names(&found));

    // Commands behind the end of a whole file are no part of it.
    let mut preamble = file.clone();
    preamble.extend(b"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n");
    assert_eq!(salvaged(&preamble), (records, Vec::new()));
}

#[test]
fn a_lost_header_is_guessed() {
    let file = strings(100).eof();
    let (records, _) = salvaged(&file);
    let mut damaged = file;
    damaged[..9].fill(0);
    let (found, gaps) = salvaged(&damaged);
    assert_eq!(found, records);
    assert_eq!((gaps.len(), gaps[0].start, gaps[0].end), (1, 0, 9));
}

#[test]
fn a_cut_file_ends_in_a_gap() {
    let file = strings(100).eof();
    let (records, _) = salvaged(&file);
    let end = records[60].0 as usize;
    for (len, whole) in [(end, 60), (end + 5, 60), (end + 12, 60)] {
        let (found, gaps) = salvaged(&file[..len]);
        assert_eq!(found[..], records[..whole]);
        assert_eq!(gaps.len(), 1);
        assert_eq!((gaps[0].start, gaps[0].end), (end as u64, len as u64));
        assert!(matches!(gaps[0].error.kind(), ErrorKind::Truncated { .. }));
    }
    assert_eq!(salvaged(b"").1.len(), 1);
    assert_eq!(salvaged(b"a picture of a cat").1.len(), 1);
}

/// Megabytes of zeros, or of bytes that look like the start of something, are passed over in one go.
#[test]
fn large_holes_take_time_by_their_length() {
    let (front, back) = (strings(100), strings(200).eof());
    for pattern in [
        &b"\0"[..],
        b"\x00\x01",
        b"\xfe\x00",
        b"\xff",
        b"\xfa\x01a",
        b"\x00\x01a\x01b",
        b"\x02\x01k\x80\0\x01\0\0",
    ] {
        let mut file = front.clone().into_bytes();
        let front_len = file.len();
        file.extend(pattern.iter().cycle().take(1 << 20));
        let at = file.len();
        file.extend(&back[11..]);
        let (found, gaps) = salvaged(&file);
        let behind = found.iter().filter(|(offset, _)| *offset >= at as u64).count();
        assert!(behind >= 199, "{pattern:?}: {behind} {gaps:?}");
        assert!(found.iter().filter(|(offset, _)| *offset < front_len as u64).count() >= 99);
    }
}
