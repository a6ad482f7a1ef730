//! Rows for machines: read back what was written.

use crate::support;
use rdb_analysis::prefixes::RowLimits;
use rdb_analysis::{KeyRow, RowWriter};
use rdb_format::{Encoding, ObjectType, TypeCode};
use rdb_report::csv::{KeyEncoding, KeyRows, PREFIX_COLUMNS, RowFormat, prefixes};

fn written(writer: &KeyRows, rows: &[KeyRow]) -> Vec<u8> {
    let mut out = writer.header();
    rows.iter().for_each(|row| writer.row(&row.observation(), &mut out));
    out
}

fn text(writer: &KeyRows, rows: &[KeyRow]) -> String {
    String::from_utf8(written(writer, rows)).unwrap()
}

/// Undoes the escaping of keys.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, tail) {
            (b'\\', [b'\\', tail @ ..]) => {
                bytes.push(b'\\');
                rest = tail;
            }
            (b'\\', [b'x', a, b, tail @ ..]) => {
                let digits = [*a, *b];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
                rest = tail;
            }
            (b'\\', _) => panic!("{text}"),
            _ => bytes.push(byte),
        }
    }
    bytes
}

fn undone(encoding: KeyEncoding, text: &str) -> Vec<u8> {
    use base64::Engine;
    match encoding {
        KeyEncoding::Escaped | KeyEncoding::Guarded => unescaped(text),
        KeyEncoding::Base64 => base64::engine::general_purpose::STANDARD.decode(text).unwrap(),
        KeyEncoding::Hex => {
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
        }
    }
}

const ENCODINGS: [KeyEncoding; 4] =
    [KeyEncoding::Escaped, KeyEncoding::Guarded, KeyEncoding::Base64, KeyEncoding::Hex];

#[test]
fn a_csv_reader_gets_every_key_back() {
    let rows = support::hard_keys();
    for (format, key_column, columns) in
        [(RowFormat::Csv, 1, 14), (RowFormat::Rdbtools, 2, 8), (RowFormat::Hdt, 1, 8)]
    {
        for encoding in ENCODINGS {
            let out = written(&KeyRows::new(format, encoding, None), &rows);
            let mut reader = csv::Reader::from_reader(&out[..]);
            assert_eq!(reader.headers().unwrap().len(), columns);
            let keys: Vec<_> =
                reader.records().map(|record| undone(encoding, &record.unwrap()[key_column])).collect();
            let wanted: Vec<_> = rows.iter().map(|row| row.key.clone()).collect();
            assert_eq!(keys, wanted, "{format:?} {encoding:?}");
        }
    }
}

#[test]
fn json_lines_carry_the_same_as_csv() {
    let rows = support::hard_keys();
    // What guards spreadsheets is for CSV alone.
    for encoding in ENCODINGS.into_iter().filter(|encoding| *encoding != KeyEncoding::Guarded) {
        let files = Some(vec!["a \"b\",\\ \u{e9}.rdb".to_owned()]);
        let csv = written(&KeyRows::new(RowFormat::Csv, encoding, files.clone()), &rows);
        let json = text(&KeyRows::new(RowFormat::Jsonl, encoding, files), &rows);
        let mut reader = csv::Reader::from_reader(&csv[..]);
        let names = reader.headers().unwrap().clone();
        assert_eq!(&names[0], "file");
        let mut lines = json.lines();
        for record in reader.records() {
            let object: serde_json::Value = serde_json::from_str(lines.next().unwrap()).unwrap();
            let object = object.as_object().unwrap();
            assert!(object.keys().eq(names.iter()), "{object:?}");
            for ((name, field), value) in names.iter().zip(&record.unwrap()).zip(object.values()) {
                let said = match value {
                    serde_json::Value::Null => String::new(),
                    serde_json::Value::String(text) => text.clone(),
                    number => number.to_string(),
                };
                assert_eq!(said, field, "{name}");
            }
        }
        assert_eq!(lines.next(), None);
    }
}

#[test]
fn native_rows_and_ranks() {
    let mut rows = support::hard_keys();
    rows.truncate(6);
    rows[1].expire_at_ms = Some(-5);
    rows[1].idle_seconds = Some(7);
    rows[2].freq = Some(9);
    rows[3].elements = None;
    rows[3].largest_element_bytes = None;
    insta::assert_snapshot!(
        "keys_csv",
        text(&KeyRows::new(RowFormat::Csv, KeyEncoding::Escaped, None), &rows)
    );
    insta::assert_snapshot!(
        "keys_jsonl",
        text(&KeyRows::new(RowFormat::Jsonl, KeyEncoding::Escaped, None), &rows)
    );
    rows[4].object_type = ObjectType::Hash;
    let files = Some(vec!["shard,1.rdb".to_owned()]);
    let ranked = KeyRows::new(RowFormat::Csv, KeyEncoding::Escaped, files.clone()).ranked(&rows, true);
    insta::assert_snapshot!("top_csv", String::from_utf8(ranked).unwrap());
    let ranked = KeyRows::new(RowFormat::Jsonl, KeyEncoding::Hex, files).ranked(&rows[..2], false);
    insta::assert_snapshot!("top_jsonl", String::from_utf8(ranked).unwrap());
}

#[test]
fn rows_of_other_tools() {
    let mut rows = vec![
        support::key("text", ObjectType::String, Encoding::Embstr, 64),
        support::key("number", ObjectType::String, Encoding::Int, 56),
        support::key("board", ObjectType::Zset, Encoding::Skiplist, 5168),
        support::key("log", ObjectType::Stream, Encoding::Stream, 1536),
        support::key("fields", ObjectType::Hash, Encoding::ListpackEx, 980),
        support::key("doc", ObjectType::Module, Encoding::Raw, 1 << 20),
        support::key("ids", ObjectType::Set, Encoding::Intset, 72),
        support::key("items", ObjectType::List, Encoding::Quicklist, 300),
    ];
    let codes = [0, 0, 5, 21, 25, 7, 11, 18];
    rows.iter_mut().zip(codes).for_each(|(row, code)| row.type_code = TypeCode(code));
    rows[5].module = Some(rdb_analysis::ModuleName(*b"ReJSON-RL"));
    rows[0].expire_at_ms = Some(1_671_963_072_573);
    rows[1].expire_at_ms = Some(1_671_963_072_000);
    rows[2].expire_at_ms = Some(i64::MAX);
    for (name, format) in [("rdbtools_csv", RowFormat::Rdbtools), ("hdt_csv", RowFormat::Hdt)] {
        insta::assert_snapshot!(name, text(&KeyRows::new(format, KeyEncoding::Escaped, None), &rows));
    }
}

#[test]
fn rows_of_prefixes_add_up() {
    let summary = support::one();
    let limits = RowLimits { min_share: 0.02, ..RowLimits::default() };
    let mut out = Vec::new();
    prefixes(&summary.prefixes, &limits, KeyEncoding::Escaped, &mut out).unwrap();
    insta::assert_snapshot!("prefixes_csv", String::from_utf8(out.clone()).unwrap());
    let mut reader = csv::Reader::from_reader(&out[..]);
    assert!(reader.headers().unwrap().iter().eq(PREFIX_COLUMNS));
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    let number = |record: &csv::StringRecord, column: usize| record[column].parse::<u64>().unwrap();
    for column in [3, 4, 6, 7, 8, 9] {
        let below: u64 = records
            .iter()
            .filter(|row| &row[0] == "0" && &row[2] == "1")
            .map(|row| number(row, column))
            .sum();
        assert_eq!(below, number(&records[0], column), "{}", PREFIX_COLUMNS[column]);
    }
}
