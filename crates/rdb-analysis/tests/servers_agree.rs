//! What is said of files with faults, against what servers did with them.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::{Path, PathBuf};

use rdb_analysis::{Answer, Checked, FileFacts, Source, check, verdict};
use rdb_format::{ServerVersion, Vendor};
use rdb_parser::{Finding, Limits, Severity};
use serde_json::Value;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn look(file: &[u8]) -> (FileFacts, Checked, Vec<Finding>) {
    let mut told = Vec::new();
    let mut each = |finding: &Finding| {
        told.push(finding.clone());
        Ok(())
    };
    let looked = check(&mut Source::Whole(file), Limits::default(), &(), &mut each).unwrap();
    let (facts, _, checked) = looked;
    (facts, checked, told)
}

fn reads(server: &str, facts: &FileFacts, checked: &Checked) -> bool {
    verdict(server.parse().unwrap(), &[], facts, checked).answer == Answer::Reads
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Libraries that only running them would show to be broken, or that want an engine nobody knows here.
const NOT_RUN: [&str; 4] = ["function-engine", "function-broken", "function-none", "function-same"];

#[test]
fn every_fault_is_judged_as_servers_judge_it() {
    let cases: Vec<Value> =
        serde_json::from_slice(&fs::read(fixtures().join("faults.json")).unwrap()).unwrap();
    assert!(cases.len() > 250);
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        if NOT_RUN.contains(&name) {
            continue;
        }
        let loads = |server: &str| case["servers"][server].as_str().unwrap().starts_with("loads");
        let (facts, checked, told) = look(&hex(case["file"].as_str().unwrap()));
        for server in ["redis-8.10.2", "valkey-9.1.2"] {
            assert_eq!(reads(server, &facts, &checked), loads(server), "{name} on {server}: {told:#?}");
        }
        let sanitizes = reads("redis-8.10.2", &facts, &checked) && checked.refusals.sanitizing == 0;
        assert_eq!(sanitizes, loads("redis-8.10.2+sanitize"), "{name}: {told:#?}");
        // Older servers are said to refuse what they were seen to refuse, or else it is said with a doubt.
        let old = verdict("redis-8.2.3".parse().unwrap(), &[], &facts, &checked);
        match old.answer {
            Answer::Reads => assert!(loads("redis-8.2.3"), "{name}: {told:#?}"),
            Answer::Refuses => assert!(!loads("redis-8.2.3"), "{name}: {told:#?}"),
            Answer::ReadsIfSetUp | Answer::ProbablyRefuses => {}
        }
        if case["what"] == "nothing" {
            assert_eq!(told, [], "{name}");
        }
        let has = |severity| told.iter().any(|finding| finding.severity == severity);
        let loads_somewhere = loads("redis-8.10.2") || loads("valkey-9.1.2");
        if has(Severity::Fatal) {
            assert!(!loads_somewhere, "{name}: {told:#?}");
        } else if !has(Severity::Deep) && !told.is_empty() {
            assert!(loads_somewhere, "{name}: {told:#?}");
        }
    }
}

#[test]
fn crafted_files_are_answered_as_servers_answered() {
    let folder = fixtures().join("format/crafted");
    let probes: Vec<Value> = serde_json::from_slice(&fs::read(folder.join("crafted.json")).unwrap()).unwrap();
    assert!(probes.len() > 20);
    for probe in &probes {
        let name = probe["file"].as_str().unwrap();
        let (facts, checked, told) = look(&fs::read(folder.join(name)).unwrap());
        for (server, answer) in probe["servers"].as_object().unwrap() {
            let loaded = answer["loaded"].as_bool().unwrap();
            assert_eq!(reads(server, &facts, &checked), loaded, "{name} on {server}: {told:#?}");
        }
    }
}

#[test]
fn vector_sets_are_part_of_redis_8() {
    let file = fs::read(fixtures().join("format/redis-8.2.3/vectorset.rdb")).unwrap();
    let (facts, checked, told) = look(&file);
    assert_eq!(told, []);
    assert!(reads("redis-8.0", &facts, &checked));
    assert!(!reads("redis-7.4", &facts, &checked));
    let lowest = |vendor| rdb_analysis::lowest_reader(vendor, &facts, &checked);
    assert_eq!(lowest(Vendor::Redis), Some(ServerVersion::redis(8, 0, 0)));
    assert_eq!(lowest(Vendor::Valkey), None);
}

#[test]
fn modules_are_a_matter_of_setup() {
    let file = fs::read(fixtures().join("format/redis-7.2.0/module_datatype.rdb")).unwrap();
    let (facts, checked, _) = look(&file);
    let answer = |modules: &[String]| verdict("7.2".parse().unwrap(), modules, &facts, &checked).answer;
    assert_eq!(answer(&[]), Answer::ReadsIfSetUp);
    assert_eq!(answer(&["test___dt".to_owned()]), Answer::Reads);
}
