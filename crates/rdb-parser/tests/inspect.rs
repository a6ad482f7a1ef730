//! The inspector finds every fault that is made, and none in what is whole.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use rdb_parser::{ErrorKind, Finding, Frames, Inspector, Limits, Severity};
use rdb_synth::enc::{put_f64, put_len, put_str};
use rdb_synth::packed::{Listpack, StreamId, StreamNode, Ziplist, intset};
use rdb_synth::value::{Consumer, Group, PendingEntry, Stream, StreamVersion};
use rdb_synth::{Magic, RandomOptions, RdbBuilder, StrForm, random_dump};

/// What is found in the values of a file that can be read to its end.
fn findings(file: &[u8]) -> Vec<Finding> {
    let frames = Frames::new(file);
    let mut found = Vec::new();
    let mut frames = frames;
    let mut inspector = Inspector::new(Limits::default(), frames.scanner().templates().clone());
    loop {
        let Some(record) = frames.next() else { return found };
        let record = record.unwrap();
        let templates = frames.scanner().templates().clone();
        record.walk(&templates, &mut inspector).unwrap();
        let here = inspector.findings(&record);
        assert!(!here.is_too_large);
        found.extend(here.findings);
    }
}

/// Kinds and severities of what is found in one value.
fn of_value(code: u8, value: &[u8]) -> Vec<(ErrorKind, Severity)> {
    // The last version that Redis and Valkey share, where the type allows it.
    let version = if code < 22 { 11 } else { 15 };
    let file = RdbBuilder::redis(version).select_db(0).key(code, "key", value).eof();
    let end = file.len() as u64;
    findings(&file)
        .into_iter()
        .map(|finding| {
            assert!((9..end).contains(&finding.error.offset()));
            (finding.error.kind(), finding.severity)
        })
        .collect()
}

fn blob(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_str(&mut out, bytes, StrForm::Plain);
    out
}

fn strings(texts: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, texts.len() as u64);
    for text in texts {
        put_str(&mut out, text.as_bytes(), StrForm::Plain);
    }
    out
}

fn dumps(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("crafted") && !path.ends_with("bugs") {
                dumps(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rdb") {
            found.push(path);
        }
    }
}

#[test]
fn what_servers_wrote_is_clean() {
    let mut paths = Vec::new();
    dumps(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"), &mut paths);
    assert!(paths.len() > 300);
    for path in paths {
        let found = findings(&fs::read(&path).unwrap());
        assert_eq!(found, [], "{}", path.display());
    }
}

#[test]
fn random_dumps_are_clean() {
    for magic in (1..=15).map(Magic::Redis).chain([Magic::Valkey(80)]) {
        for seed in 1..=3 {
            let options = RandomOptions { keys: 120, odd_forms: true, ..RandomOptions::everything(magic) };
            let (file, _) = random_dump(seed, &options);
            let found = findings(&file);
            // Type 33 is legal to the grammar, and no release reads it.
            let is_released = |finding: &&Finding| {
                finding.severity.is_damage() && finding.error.kind() != ErrorKind::UnreleasedType(33)
            };
            let damage: Vec<_> = found.iter().filter(is_released).collect();
            assert!(damage.is_empty(), "{magic:?} seed {seed}: {damage:#?}");
        }
    }
}

#[test]
fn a_listpack_that_cannot_be_read_from_the_right() {
    let mut bytes = Listpack::of(["a", "1", "b", "2"]).finish();
    assert_eq!(of_value(16, &blob(&bytes)), []);
    bytes[8] = 3; // behind the two bytes of "a"
    assert_eq!(
        of_value(16, &blob(&bytes)),
        [(ErrorKind::EntrySizeBehind { stored: 3, actual: 2 }, Severity::Deep)]
    );
    let bytes = Listpack::of(["a", "1", "b", "2"]).finish_with_count(6);
    assert_eq!(
        of_value(16, &blob(&bytes)),
        [(ErrorKind::EntryCount { declared: 6, found: 4 }, Severity::Deep)]
    );
}

#[test]
fn a_ziplist_that_cannot_be_read_from_the_right() {
    let whole = Ziplist::of(["a", "1", "b", "2"]).finish();
    assert_eq!(of_value(13, &blob(&whole)), []);
    let mut bytes = whole.clone();
    bytes[13] = 9; // in front of "1"
    assert_eq!(
        of_value(13, &blob(&bytes)),
        [(ErrorKind::EntrySizeBefore { stored: 9, actual: 3 }, Severity::Fatal)]
    );
    let mut bytes = whole;
    let actual = u64::from(bytes[4]);
    bytes[4] -= 1;
    assert_eq!(
        of_value(13, &blob(&bytes)),
        [(ErrorKind::TailOffset { stored: actual - 1, actual }, Severity::Fatal)]
    );
}

#[test]
fn what_may_stand_once_only() {
    let twice = |severity| [(ErrorKind::Duplicate, severity)];
    assert_eq!(of_value(2, &strings(&["a", "b", "a"])), twice(Severity::Fatal));
    assert_eq!(of_value(1, &strings(&["a", "b", "a"])), []);
    assert_eq!(of_value(20, &blob(&Listpack::of(["a", "b", "a"]).finish())), twice(Severity::Deep));
    assert_eq!(of_value(16, &blob(&Listpack::of(["a", "1", "a", "2"]).finish())), twice(Severity::Deep));
    assert_eq!(of_value(13, &blob(&Ziplist::of(["a", "1", "a", "2"]).finish())), twice(Severity::Fatal));
    let mut hash = strings(&["a", "1", "a", "2"]);
    hash[0] = 2;
    assert_eq!(of_value(4, &hash), twice(Severity::Deep));
}

#[test]
fn order_and_scores() {
    let ascending = blob(&intset(&[1, 2, 3]));
    assert_eq!(of_value(11, &ascending), []);
    let mut swapped = ascending;
    swapped[9] = 9;
    assert_eq!(of_value(11, &swapped), [(ErrorKind::IntsetOrder, Severity::Deep)]);

    let zset = |entries: [&str; 4]| of_value(17, &blob(&Listpack::of(entries).finish()));
    assert_eq!(zset(["a", "-inf", "b", "1.5"]), []);
    assert_eq!(zset(["a", "2", "b", "1.5"]), [(ErrorKind::ScoreOrder, Severity::Odd)]);
    // Valkey 9.1 refuses it, Redis 8.10 does not.
    assert_eq!(zset(["a", "nan", "b", "1.5"]), [(ErrorKind::NanScore, Severity::Deep)]);

    let mut plain = vec![1];
    put_str(&mut plain, b"a", StrForm::Plain);
    put_f64(&mut plain, f64::NAN);
    assert_eq!(of_value(5, &plain), [(ErrorKind::NanScore, Severity::Fatal)]);
}

#[test]
fn fields_that_expire() {
    let hash = |entries: [&str; 6]| {
        let mut value = vec![0; 8];
        value.extend(blob(&Listpack::of(entries).finish()));
        of_value(25, &value)
    };
    assert_eq!(hash(["a", "1", "100", "b", "2", "0"]), []);
    assert_eq!(hash(["a", "1", "0", "b", "2", "100"]), [(ErrorKind::FieldTtlOrder, Severity::Deep)]);
    assert_eq!(hash(["a", "1", "x", "b", "2", "0"]), [(ErrorKind::NotAnInteger, Severity::Fatal)]);
    assert_eq!(
        hash(["a", "1", "281474976710656", "b", "2", "0"]),
        [(ErrorKind::FieldTtlRange(1 << 48), Severity::Deep)]
    );
}

#[test]
fn collections_without_elements() {
    assert_eq!(of_value(2, &[0]), [(ErrorKind::EmptyValue, Severity::Dropped)]);
    assert_eq!(of_value(0, &[0]), []);
    // Redis 8.10.2 refuses this file: "Empty array (count == 0) is invalid".
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/format/crafted/array_empty.rdb");
    let found = findings(&fs::read(path).unwrap());
    assert_eq!(found.iter().map(|finding| finding.severity).collect::<Vec<_>>(), [Severity::Fatal]);
}

/// A stream of two entries, the first of which is pending for a consumer.
fn stream() -> Stream {
    let ids = [StreamId::new(1, 1), StreamId::new(1, 2)];
    let mut node = StreamNode::new(ids[0], ["f"]);
    ids.iter().for_each(|id| node.push(*id, &[("f", "v")], false));
    let consumer = Consumer { name: b"c".to_vec(), seen_ms: 5, active_ms: 5, pending: vec![ids[0]] };
    let group = Group {
        name: b"g".to_vec(),
        last_id: ids[0],
        entries_read: 1,
        pending: vec![PendingEntry { id: ids[0], delivery_ms: 5, deliveries: 1 }],
        consumers: vec![consumer],
        nacked: Vec::new(),
    };
    Stream {
        nodes: vec![(node.key().to_vec(), node.finish())],
        live: 2,
        last_id: ids[1],
        first_id: ids[0],
        entries_added: 2,
        groups: vec![group],
        ..Stream::default()
    }
}

#[test]
fn streams_whose_parts_disagree() {
    let of = |change: &dyn Fn(&mut Stream)| {
        let mut stream = stream();
        change(&mut stream);
        of_value(21, &stream.finish(StreamVersion::V3, StrForm::Plain))
    };
    let (one, other) = (StreamId::new(1, 1), StreamId::new(1, 2));
    let id = |ms, seq| rdb_parser::StreamId { ms, seq };
    let fatal = |kind| vec![(kind, Severity::Fatal)];
    assert_eq!(of(&|_| ()), []);
    assert_eq!(
        of(&|s| (s.live, s.entries_added) = (3, 3)),
        fatal(ErrorKind::StreamLength { declared: 3, found: 2 })
    );
    // Redis 8.10 refuses these two, Valkey 9.1 does not.
    assert_eq!(of(&|s| s.entries_added = 1), [(ErrorKind::StreamAdded { added: 1, len: 2 }, Severity::Deep)]);
    assert_eq!(
        of(&|s| s.groups[0].entries_read = 3),
        [(ErrorKind::GroupRead { read: 3, added: 2 }, Severity::Deep)]
    );
    assert_eq!(of(&|s| s.groups[0].entries_read = u64::MAX), []);
    let odd = |kind| vec![(kind, Severity::Odd)];
    assert_eq!(of(&|s| s.first_id = other), odd(ErrorKind::StreamFirstId(id(1, 2))));
    assert_eq!(of(&|s| s.last_id = one), odd(ErrorKind::StreamLastId(id(1, 1))));
    assert_eq!(of(&|s| s.max_deleted_id = StreamId::new(1, 3)), odd(ErrorKind::StreamDeletedId(id(1, 3))));
    assert_eq!(
        of(&|s| s.groups[0].consumers[0].pending = vec![one, other]),
        fatal(ErrorKind::PendingUnknown)
    );
    assert_eq!(of(&|s| s.groups[0].consumers[0].pending = vec![one, one]), fatal(ErrorKind::PendingTwice));
    assert_eq!(
        of(&|s| s.groups[0].consumers[0].pending.clear()),
        [(ErrorKind::PendingUnowned, Severity::Deep)]
    );
    let twice = |s: &mut Stream| {
        s.nodes.push(s.nodes[0].clone());
        (s.live, s.entries_added) = (4, 4);
    };
    assert!(of(&twice).contains(&(ErrorKind::Duplicate, Severity::Fatal)));
    assert!(of(&|s| s.groups.push(s.groups[0].clone())).contains(&(ErrorKind::Duplicate, Severity::Fatal)));
}

#[test]
fn many_faults_of_one_kind_do_not_hide_another() {
    let mut entries: Vec<_> =
        (0..40).rev().flat_map(|score| [format!("m{score}"), score.to_string()]).collect();
    entries.extend(["m7".to_owned(), "50".to_owned()]);
    let value = blob(&Listpack::of(&entries).finish());
    let file = RdbBuilder::redis(11).select_db(0).key(17, "key", &value).eof();
    let found = findings(&file);
    let of = |kind| found.iter().filter(move |finding| finding.error.kind() == kind).collect::<Vec<_>>();
    let order = of(ErrorKind::ScoreOrder);
    assert_eq!(order.len() as u64, Inspector::MAX_FINDINGS);
    assert_eq!(order.iter().map(|finding| finding.more).sum::<u64>(), 39 - Inspector::MAX_FINDINGS);
    assert_eq!(of(ErrorKind::Duplicate).len(), 1);
}
