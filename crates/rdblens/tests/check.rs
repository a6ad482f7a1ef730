//! `check`: what it says of files with faults, for whom, and how it ends.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rdb_synth::enc::put_str;
use rdb_synth::packed::Listpack;
use rdb_synth::{RdbBuilder, StrForm};
use serde_json::Value as Json;

use crate::support::rdblens;

mod support;

fn written(name: &str, file: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rdblens-test-check-{name}-{}.rdb", std::process::id()));
    std::fs::write(&path, file).unwrap();
    path
}

/// The file of that name in `faults.json`.
fn fault(name: &str) -> PathBuf {
    let cases = support::json("faults.json");
    let case = cases.as_array().unwrap().iter().find(|case| case["name"] == name).unwrap();
    let digits = case["file"].as_str().unwrap().as_bytes().chunks(2);
    let file = digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap());
    written(name, &file.collect::<Vec<_>>())
}

/// Exit code and lines of JSON.
fn lines(path: &Path, options: &[&str]) -> (Option<i32>, Vec<Json>) {
    let mut arguments = vec!["check", "--format", "jsonl"];
    arguments.extend(options);
    arguments.push(path.to_str().unwrap());
    let output = rdblens(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    (output.status.code(), text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn text(path: &Path, options: &[&str]) -> (Option<i32>, String) {
    let mut arguments = vec!["check"];
    arguments.extend(options);
    arguments.push(path.to_str().unwrap());
    let output = rdblens(arguments);
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_last_line_is_the_verdict() {
    let path = support::fixtures().join("format/redis-8.2.3/hash_field_ttl.rdb");
    let (code, found) = lines(&path, &["--for", "valkey-9.1"]);
    assert_eq!(code, Some(4));
    let verdict = &found.last().unwrap()["verdict"];
    assert_eq!(verdict["server"], "Valkey 9.1.0");
    assert_eq!(verdict["reads"], false);
    assert_eq!(verdict["answer"], "refuses");
    assert_eq!(verdict["lowest"], serde_json::json!({ "redis": "7.4", "valkey": null }));
    let obstacles = verdict["obstacles"].as_array().unwrap();
    assert_eq!((&obstacles[0]["kind"], &obstacles[0]["name"]), (&"version".into(), &"REDIS0012".into()));
    let kinds: BTreeSet<_> = obstacles[1..].iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["HASH_LISTPACK_EX", "HASH_METADATA"]));
    assert!(obstacles[1]["count"].as_u64().unwrap() > 0);
    assert!(obstacles[1]["first"]["key"].is_string());

    let (code, found) = lines(&path, &["--for", "redis-8.2"]);
    assert_eq!((code, found.len()), (Some(0), 1));
    assert_eq!(found[0]["verdict"]["reads"], true);
    assert_eq!(lines(&path, &[]), (Some(0), Vec::new()));
}

#[test]
fn damage_comes_before_a_refusal() {
    // Redis loads it unless it is told to look closely.
    let path = fault("listpack-behind");
    let (code, found) = lines(&path, &["--for", "redis-8.10"]);
    assert_eq!(code, Some(3));
    assert_eq!(found[0]["kind"], "entry-size-behind");
    assert_eq!(found[0]["refused_by"], serde_json::json!(["redis-8.10-sanitizing", "valkey-9.1"]));
    let verdict = &found[1]["verdict"];
    assert_eq!((&verdict["reads"], &verdict["faults"]), (&true.into(), &0.into()));
    assert_eq!(verdict["overlooked"], 1);
    let (_, page) = text(&path, &["--for", "redis-8.10"]);
    assert!(page.contains("may answer wrongly or crash"), "{page}");
    let (code, page) = text(&path, &["--for", "valkey-9.1"]);
    assert_eq!(code, Some(3));
    assert!(page.contains("It refuses the file: see the faults above."), "{page}");
}

#[test]
fn what_one_family_refuses() {
    // Redis 8.10 refuses what Redis 7.0 and Valkey write.
    let path = fault("group-read-beyond");
    let (code, page) = text(&path, &[]);
    assert_eq!(code, Some(3));
    assert!(page.contains("REFUSED BY SOME: Redis 8.10 refuses this file (1 fault)"), "{page}");
    assert!(page.contains("1 × group-read, refused by Redis 8.10"), "{page}");
    assert_eq!(lines(&path, &["--for", "valkey-9.1"]).1[1]["verdict"]["reads"], true);
    assert_eq!(lines(&path, &["--for", "redis-8.10"]).1[1]["verdict"]["reads"], false);
    assert_eq!(lines(&path, &["--for", "redis-8.6"]).1[1]["verdict"]["reads"], true);
}

#[test]
fn a_fault_of_a_template_is_no_keys() {
    let path = support::fixtures().join("format/crafted/tmpl_unsorted.rdb");
    let (code, found) = lines(&path, &[]);
    assert_eq!(code, Some(3));
    // The second name. The server says offset 21: it has read it there.
    assert_eq!(
        (&found[0]["kind"], &found[0]["key"], found[0]["offset"].as_u64().unwrap()),
        (&"template-order".into(), &Json::Null, 17)
    );
}

#[test]
fn more_faults_than_are_told_are_counted() {
    let entries: Vec<_> = (0..60).rev().flat_map(|score| [format!("m{score}"), score.to_string()]).collect();
    let mut value = Vec::new();
    put_str(&mut value, &Listpack::of(&entries).finish(), StrForm::Plain);
    let path = written("many", &RdbBuilder::redis(11).select_db(0).key(17, "z", &value).eof());
    let (code, found) = lines(&path, &[]);
    assert_eq!((code, found.len()), (Some(0), 21));
    assert_eq!((&found[20]["kind"], &found[20]["more"]), (&"score-order".into(), &39.into()));
    assert_eq!(found[20]["message"], "and 39 more of this kind in this value");
    assert!(text(&path, &[]).1.contains("59 × score-order"));
}

#[test]
fn a_version_that_nobody_reads_is_said() {
    let path = support::fixtures().join("format/crafted/future_0016.rdb");
    let (code, page) = text(&path, &[]);
    assert_eq!(code, Some(0));
    assert!(page.contains("in a version that no release known here reads"), "{page}");
    assert!(page.contains("no release known here"), "{page}");
    assert_eq!(text(&path, &["--for", "redis-8.10"]).0, Some(4));
}

#[test]
fn modules_and_databases_are_a_matter_of_setup() {
    let path = support::fixtures().join("format/redis-7.2.0/module_datatype.rdb");
    let (code, page) = text(&path, &["--for", "7.2"]);
    assert_eq!(code, Some(4));
    assert!(page.contains("It reads the file only if it is set up for it:"), "{page}");
    assert!(page.contains("module type test___dt: "), "{page}");
    assert_eq!(text(&path, &["--for", "7.2", "--with-module", "test___dt"]).0, Some(0));
    let (code, page) = text(&fault("database-16"), &["--for", "7.2"]);
    assert_eq!(code, Some(4));
    assert!(page.contains("it must have `databases 17`"), "{page}");
    // Vector sets are built in.
    let path = support::fixtures().join("format/redis-8.2.3/vectorset.rdb");
    assert_eq!(text(&path, &["--for", "8.0"]).0, Some(0));
}

#[test]
fn every_kind_of_fault_is_documented() {
    let page = std::fs::read_to_string(support::fixtures().join("../docs/CHECK.md")).unwrap();
    let cases = support::json("faults.json");
    for case in cases.as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        for found in lines(&fault(name), &[]).1 {
            let kind = found["kind"].as_str().unwrap();
            assert!(page.contains(&format!("`{kind}`")), "{name}: {kind}");
        }
    }
}
