//! Types, encodings, counts, expiries and memory are what real servers answer.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use support::{answers, dumps, fixtures, json, keys_of, rdblens, unbase64};

/// A dump, the server that loaded it, and what is to be told of that server on the command line.
struct Set {
    name: String,
    dump: PathBuf,
    table: PathBuf,
    facts: Json,
    options: Vec<String>,
}

fn sets() -> Vec<Set> {
    let mut sets = Vec::new();
    for parent in ["servers", "clusters", "cross"] {
        for entry in fs::read_dir(fixtures().join(parent)).unwrap() {
            let folder = entry.unwrap().path();
            if !folder.is_dir() {
                continue;
            }
            let name = format!("{parent}/{}", folder.file_name().unwrap().display());
            let facts = json(folder.join("server.json"));
            let (vendor, version) = (facts["vendor"].as_str().unwrap(), facts["version"].as_str().unwrap());
            let allocator = match (facts["mem_allocator"].as_str().unwrap(), version) {
                ("libc", _) => "libc",
                // Debian's build; see fixtures/README.md.
                (_, "7.0.15") => "jemalloc-16",
                _ => "jemalloc",
            };
            let conf = std::env::temp_dir().join(format!("rdblens-test-{}.conf", name.replace('/', "-")));
            let directives = facts["config"].as_object().unwrap().iter().map(|(name, value)| match value {
                Json::String(text) => format!("{name} {text}\n"),
                other => format!("{name} {other}\n"),
            });
            fs::write(&conf, directives.collect::<String>()).unwrap();
            let options = [
                "--as=loaded".to_owned(),
                format!("--target={vendor}-{version}"),
                format!("--allocator={allocator}"),
                format!("--config={}", conf.display()),
            ];
            let dump = match facts["dump"].as_str() {
                Some(path) => fixtures().join(path),
                None => folder.join("dump.rdb"),
            };
            let zipped = folder.join("keys.csv.gz");
            let table = if zipped.exists() { zipped } else { folder.join("keys.csv") };
            sets.push(Set { name, dump, table, facts, options: options.to_vec() });
        }
    }
    assert!(sets.len() >= 40);
    sets
}

#[test]
fn every_key_is_what_the_server_says_it_is() {
    for set in sets() {
        let mine = keys_of(&set.dump, &set.options);
        let theirs = answers(&set.table);
        assert_eq!(mine.len(), theirs.len(), "{}", set.name);
        for (key, theirs) in &theirs {
            let name = format!("{}: {:?}", set.name, String::from_utf8_lossy(&key.1));
            let mine = mine.get(key).unwrap_or_else(|| panic!("{name} is missing"));
            assert_eq!(mine.object_type, theirs.object_type, "{name}");
            assert_eq!(mine.encoding, theirs.encoding, "{name}");
            assert_eq!(mine.elements, theirs.elements, "{name}");
            assert_eq!(mine.expire_ms, theirs.expire_ms, "{name}");
        }
    }
}

/// Keys whose answer differs from one start of the server to the next: see fixtures/README.md.
fn varying(facts: &Json) -> BTreeSet<(u64, Vec<u8>)> {
    let keys = facts["usage_varies"].as_array().unwrap();
    keys.iter().map(|key| (key["db"].as_u64().unwrap(), unbase64(key["key_b64"].as_str().unwrap()))).collect()
}

#[test]
fn memory_is_what_the_server_answers() {
    for set in sets() {
        let mine = keys_of(&set.dump, &set.options);
        let theirs = answers(&set.table);
        let varying = varying(&set.facts);
        let jemalloc = set.facts["mem_allocator"] != "libc";
        // Nodes that were ziplists are compressed anew, and no file tells how well that goes.
        let repacked = set.facts["config"]["list-compress-depth"] != 0 && set.name.contains("redis-6.2.5-to");
        let (mut sum, mut answered, mut wrong) = (0, 0, Vec::new());
        for (key, theirs) in &theirs {
            let mine = &mine[key];
            sum += mine.usage;
            answered += theirs.usage;
            let is_random = varying.contains(key)
                || theirs.encoding == "skiplist"
                || (repacked && theirs.encoding == "quicklist");
            if !is_random && mine.usage != theirs.usage {
                wrong.push(format!(
                    "{:?} {}/{}: {} instead of {}",
                    String::from_utf8_lossy(&key.1),
                    mine.object_type,
                    mine.encoding,
                    mine.usage,
                    theirs.usage
                ));
            }
        }
        let error = sum.abs_diff(answered) as f64 / answered as f64;
        assert!(error < 0.005, "{}: {sum} instead of {answered}, {:.3} %", set.name, 100.0 * error);
        // Under libc the history of the heap moves single answers by a few bytes.
        let tolerated = if jemalloc { 0 } else { theirs.len() / 9 };
        assert!(wrong.len() <= tolerated, "{}: {} wrong, {:#?}", set.name, wrong.len(), wrong);
    }
}

/// The account of a file, with these options.
fn account(file: &Path, options: &[String]) -> Json {
    let mut arguments = vec!["report".to_owned(), "--format=json".to_owned()];
    arguments.extend_from_slice(options);
    arguments.push(file.display().to_string());
    let output = rdblens(&arguments);
    let summary: Json = serde_json::from_slice(&output.stdout).unwrap_or(Json::Null);
    summary["account"].clone()
}

#[test]
fn used_memory_of_a_server_that_loaded_the_file() {
    for set in sets() {
        let Some(used) = set.facts["memory"]["loaded"]["used_memory"].as_f64() else { continue };
        // As saved, which is the default, with the figure for a fresh server on the side.
        let options = &set.options[1..];
        let account = account(&set.dump, options);
        let told = account["loaded"]["used_memory_bytes"].as_f64().unwrap();
        let error = 100.0 * (told - used) / used;
        // Under libc the history of the heap has a say.
        let tolerated = if set.facts["mem_allocator"] == "libc" { 0.5 } else { 0.2 };
        assert!(error.abs() < tolerated, "{}: {told} instead of {used}, {error:+.3} %", set.name);
        // A live server has slack, and never less than what is accounted for.
        if set.name.starts_with("cross/") {
            continue;
        }
        let live = account["used_mem_bytes"].as_i64().unwrap();
        let rest = account["unexplained_bytes"].as_i64().unwrap();
        assert!((0..live / 2).contains(&rest), "{}: {rest} of {live}", set.name);
    }
}

#[test]
fn a_fresh_server_is_the_same_whatever_was_asked() {
    let mut compared = 0;
    for file in dumps() {
        for target in [None, Some("--target=5.0.14"), Some("--target=valkey-9.1.2")] {
            let mut options: Vec<String> = target.into_iter().map(str::to_owned).collect();
            let saved = account(&file, &options);
            options.push("--as=loaded".to_owned());
            let loaded = account(&file, &options);
            assert_eq!(saved["loaded"], loaded["loaded"], "{} {target:?}", file.display());
            assert_eq!(loaded["loaded"]["used_memory_bytes"], loaded["explained_bytes"]);
            compared += u32::from(!saved.is_null());
        }
    }
    assert!(compared > 600, "{compared}");
}

#[test]
fn inputs_that_others_misread() {
    let facts = json("bugs/facts.json");
    for input in facts["inputs"].as_array().unwrap() {
        let file = fixtures().join("bugs").join(input["file"].as_str().unwrap());
        let options = ["--as=loaded", "--allocator=jemalloc-16"].map(str::to_owned);
        let mine = keys_of(&file, &options);
        let keys = input["keys"].as_array().unwrap();
        assert_eq!(mine.len(), keys.len(), "{}", file.display());
        for theirs in keys {
            let key = (theirs["db"].as_u64().unwrap(), unbase64(theirs["key_b64"].as_str().unwrap()));
            let mine = &mine[&key];
            let name = format!("{}: {}", file.display(), theirs["key"]);
            assert_eq!(mine.object_type, theirs["type"].as_str().unwrap(), "{name}");
            assert_eq!(mine.encoding, theirs["encoding"].as_str().unwrap(), "{name}");
            assert_eq!(mine.elements, theirs["elements"].as_u64(), "{name}");
            assert_eq!(mine.expire_ms, theirs["expire_ms"].as_i64(), "{name}");
            // The levels of a skiplist are drawn at every start: there the answer is a range.
            match theirs["memory_bytes_range"].as_array() {
                Some(range) => {
                    let (least, most) = (range[0].as_u64().unwrap(), range[1].as_u64().unwrap());
                    assert!((least..=most).contains(&mine.usage), "{name}: {}", mine.usage);
                }
                None => assert_eq!(Some(mine.usage), theirs["memory_bytes"].as_u64(), "{name}"),
            }
        }
    }
}
