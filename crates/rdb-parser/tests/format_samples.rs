//! Every sample dump reads to its end and says what the server that wrote it says.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use rdb_format::ObjectType;
use rdb_parser::{Depth, Element, Frames, KeyHead, Limits, Record, Scanner, Shape, Sink, Stop};
use serde_json::Value as Json;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The dumps of `fixtures/format` that real servers wrote, each with the server's own answers.
fn samples() -> Vec<(PathBuf, Json)> {
    let mut samples = Vec::new();
    for folder in fs::read_dir(fixtures().join("format")).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() || folder.ends_with("crafted") {
            continue;
        }
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let answers = path.with_extension("json");
            if path.extension().is_some_and(|extension| extension == "rdb") && answers.exists() {
                let answers: Json = serde_json::from_slice(&fs::read(answers).unwrap()).unwrap();
                samples.push((path, answers));
            }
        }
    }
    assert!(samples.len() > 300, "{} samples", samples.len());
    samples.sort_by(|a, b| a.0.cmp(&b.0));
    samples
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).unwrap() as u8;
    text.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The strings and integers of an answer, in order.
fn flatten(value: &Json, out: &mut Vec<Vec<u8>>) {
    match value {
        Json::String(text) => out.push(text.as_bytes().to_vec()),
        Json::Number(number) => out.push(number.to_string().into_bytes()),
        Json::Array(values) => values.iter().for_each(|value| flatten(value, out)),
        Json::Object(object) => out.push(unhex(object["hex"].as_str().unwrap())),
        other => panic!("{other}"),
    }
}

/// What one key tells, with its shape.
struct Seen {
    db: u64,
    key: Vec<u8>,
    type_code: u8,
    object_type: Option<ObjectType>,
    module: Option<String>,
    elements: Option<u64>,
    expire_at_ms: Option<i64>,
    idle: Option<u64>,
    freq: Option<u8>,
    items: Vec<Vec<u8>>,
}

struct Collect<'a> {
    shape: Shape<'a>,
    templates: rdb_parser::HashTemplates,
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
        let mut scratch = Vec::new();
        let mut items = Vec::new();
        record
            .for_each_element(&self.templates, Limits::default(), |element| match element {
                Element::Item(item) | Element::TemplateValue(item) | Element::Slot(_, item) => {
                    items.push(item.to_vec())
                }
                Element::Field(field, value, _) => items.extend([field.to_vec(), value.to_vec()]),
                Element::StreamEntry(entry) => {
                    let (mut field_text, mut value_text) = (Vec::new(), Vec::new());
                    items.push(entry.id.ms.to_string().into_bytes());
                    items.push(entry.id.seq.to_string().into_bytes());
                    for (field, value) in entry.fields() {
                        items.push(field.bytes(&mut field_text).to_vec());
                        items.push(value.bytes(&mut value_text).to_vec());
                    }
                }
                _ => {}
            })
            .unwrap();
        self.seen.push(Seen {
            db: head.db,
            key: head.key.bytes(Limits::default(), &mut scratch).unwrap().to_vec(),
            type_code: head.type_code.0,
            object_type: head.type_code.object_type(head.version),
            module: self.shape.module().map(|id| id.to_string()),
            elements: self.shape.elements(),
            expire_at_ms: head.attrs.expire_at_ms,
            idle: head.attrs.idle_seconds,
            freq: head.attrs.freq,
            items,
        });
    }
}

fn read(file: &[u8], depth: Depth) -> Vec<Seen> {
    let mut scanner = Scanner::new(Limits::default());
    let mut sink = Collect {
        shape: Shape::new(depth, Limits::default()),
        templates: scanner.templates().clone(),
        seen: Vec::new(),
    };
    let scanned = scanner.scan(file, usize::MAX, &mut sink).unwrap();
    assert_eq!(scanned.stop, Stop::End);
    assert_eq!(scanned.consumed, file.len());
    sink.seen
}

#[test]
fn every_sample_says_what_its_server_says() {
    for (path, answers) in samples() {
        let file = fs::read(&path).unwrap();
        let name = path.display();
        let keys = answers["keys"].as_array().unwrap();
        for depth in [Depth::Count, Depth::Elements] {
            let seen = read(&file, depth);
            assert_eq!(seen.len(), keys.len(), "{name}: number of keys");
            for (seen, want) in seen.iter().zip(keys) {
                let key = format!("{name}: key {}", want["key"]);
                assert_eq!(seen.db, want["db"].as_u64().unwrap(), "{key}");
                assert_eq!(seen.key, unhex(want["key_hex"].as_str().unwrap()), "{key}");
                assert_eq!(u64::from(seen.type_code), want["rdb_type"].as_u64().unwrap(), "{key}");
                let type_word = match &seen.module {
                    Some(module) => module.as_str(),
                    None => seen.object_type.unwrap().as_str(),
                };
                assert_eq!(type_word, want["type"].as_str().unwrap(), "{key}");
                if let Some(count) = want["count"].as_u64() {
                    assert_eq!(seen.elements, Some(count), "{key}: elements");
                }
                assert_eq!(seen.expire_at_ms, want["expire_ms"].as_i64(), "{key}: expiry");
                if let Some(idle) = want.get("idle").and_then(Json::as_u64) {
                    assert_eq!(seen.idle, Some(idle), "{key}: idle");
                }
                if let Some(freq) = want.get("freq").and_then(Json::as_u64) {
                    assert_eq!(seen.freq.map(u64::from), Some(freq), "{key}: freq");
                }
            }
        }
    }
}

#[test]
fn elements_are_the_ones_that_were_stored() {
    let mut compared = 0;
    for (path, answers) in samples() {
        let file = fs::read(&path).unwrap();
        for (seen, want) in read(&file, Depth::Count).iter().zip(answers["keys"].as_array().unwrap()) {
            // Scores, expiries and template identifiers stand among the elements in other answers.
            let plain = matches!(seen.type_code, 0..=2 | 4 | 9..=11 | 13..=16 | 18..=21 | 26..=27);
            if let Some(value) = want.get("value").filter(|value| plain && !value.is_null()) {
                let mut items = Vec::new();
                flatten(value, &mut items);
                assert_eq!(seen.items, items, "{}: key {}", path.display(), want["key"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared} values compared");
}

#[test]
fn frames_are_the_records_of_the_scanner() {
    for (path, answers) in samples() {
        let file = fs::read(&path).unwrap();
        let mut end = 0;
        let mut keys = 0;
        for record in Frames::new(&file) {
            let record = record.unwrap();
            assert!(record.head.offset >= end, "{}: records do not overlap", path.display());
            end = record.head.offset + record.serialized_bytes;
            assert_eq!(record.value_offset + record.value.len() as u64, end);
            let (from, to) = (record.value_offset as usize, end as usize);
            assert_eq!(record.value, &file[from..to]);
            keys += 1;
        }
        assert_eq!(keys, answers["keys"].as_array().unwrap().len(), "{}", path.display());
    }
}
