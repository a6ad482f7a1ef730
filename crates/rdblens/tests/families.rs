//! The prefix tree shows the families of keys that real applications make, with the right sums.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod support;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use support::{answers, json, stdout_of};

/// A node of the tree as JSON tells it: database, path, keys, memory.
#[derive(Debug)]
struct Node {
    db: u64,
    path: String,
    keys: u64,
    own_keys: u64,
}

fn nodes_of(file: &str) -> Vec<Node> {
    fn visit(db: u64, node: &Json, found: &mut Vec<Node>) {
        let children = node["children"].as_array().cloned().unwrap_or_default();
        let keys = node["keys"].as_u64().unwrap();
        let below: u64 = children.iter().map(|child| child["keys"].as_u64().unwrap()).sum();
        found.push(Node {
            db,
            path: node["prefix"].as_str().unwrap().to_owned(),
            keys,
            own_keys: keys - below,
        });
        children.iter().for_each(|child| visit(db, child, found));
    }
    let tree: Json = serde_json::from_str(&stdout_of(["prefixes", "--format", "json", file])).unwrap();
    let mut found = Vec::new();
    for root in tree["roots"].as_array().unwrap() {
        visit(root["db"].as_u64().unwrap(), root, &mut found);
    }
    found
}

/// Whether a path is of this pattern: `{word}` stands for any text without separators, and a number
/// that is a segment may have become `{int}`.
fn fits(pattern: &str, path: &str) -> bool {
    let fold = |segment: &str| {
        let number = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        if number { "{int}".to_owned() } else { segment.to_owned() }
    };
    let folded: Vec<String> = pattern.split(':').map(fold).collect();
    fits_exactly(pattern, path) || fits_exactly(&folded.join(":"), path)
}

fn fits_exactly(pattern: &str, path: &str) -> bool {
    match pattern.split_once("{word}") {
        None => pattern == path,
        Some((start, rest)) => path.strip_prefix(start).is_some_and(|path| {
            let word = path.find([':', '/', '{', '|', '\\']).unwrap_or(path.len());
            (1..=word).filter(|end| path.is_char_boundary(*end)).any(|end| fits_exactly(rest, &path[end..]))
        }),
    }
}

/// Families that come out otherwise, how many of their keys still lie in nodes of the pattern, and why.
const DEVIATING: [(&str, &str, u64, &str); 6] = [
    ("jobs", "{word}", 6, "three of the BID-{alnum} that stay look like it"),
    ("jobs", "{word}:{int}:{hex}", 0, "the word is a host with a number: app-{int}"),
    ("jobs", "{word}:{int}:{hex}:work", 0, "the same host"),
    ("jobs", "BID-{alnum}", 67, "fourteen random bytes can read like a name in mixed case"),
    ("jobs", "unacked{word}", 1, "the word may be empty: unacked"),
    ("web", "doc|{int}|v{int}", 0, "versions are names: v1, v2"),
];

#[test]
fn families_come_out_with_their_sums() {
    let families = json("app/families.json");
    let mut deviating = Vec::new();
    for (name, dump) in families.as_object().unwrap() {
        let Some(file) = dump.get("file").and_then(Json::as_str) else { continue };
        let nodes = nodes_of(&format!("app/{file}"));
        let total: u64 = nodes.iter().filter(|node| node.path.is_empty()).map(|node| node.keys).sum();
        assert_eq!(total, dump["keys"].as_u64().unwrap(), "{name}");
        let families = dump["families"].as_array().unwrap();
        // A node is of the pattern that says most.
        let mut found = vec![(0, 0); families.len()];
        for node in nodes.iter().filter(|node| node.own_keys > 0) {
            let fitting = families.iter().enumerate().filter(|(_, family)| {
                family["dbs"].as_array().unwrap().iter().any(|db| db.as_u64() == Some(node.db))
                    && fits(family["pattern"].as_str().unwrap(), &node.path)
            });
            let words = |family: &Json| family["pattern"].as_str().unwrap().matches("{word}").count();
            if let Some((at, _)) = fitting.min_by_key(|(_, family)| words(family)) {
                found[at] = (found[at].0 + node.own_keys, found[at].1 + 1);
            }
        }
        for (family, (keys, rows)) in families.iter().zip(found) {
            let pattern = family["pattern"].as_str().unwrap();
            assert!(rows <= 60, "{name}: {pattern} must fold, and takes {rows} rows");
            if keys != family["keys"].as_u64().unwrap() {
                deviating.push((name.as_str(), pattern.to_owned(), keys));
            }
        }
    }
    let expected = DEVIATING.map(|(name, pattern, keys, _)| (name, pattern.to_owned(), keys));
    assert_eq!(deviating, expected);
}

#[test]
fn sums_of_families_are_sums_of_keys() {
    for (dump, folder) in [("jobs", "app"), ("web", "app")] {
        let answers = answers(format!("{folder}/{dump}.keys.csv.gz"));
        let mut by_db = BTreeMap::<u64, u64>::new();
        answers.keys().for_each(|(db, _)| *by_db.entry(*db).or_default() += 1);
        for node in nodes_of(&format!("{folder}/{dump}.rdb")) {
            if node.path.is_empty() {
                assert_eq!(node.keys, by_db[&node.db], "{dump}, db {}", node.db);
            }
        }
    }
}

#[test]
fn separators_in_a_row_count_once() {
    let nodes = nodes_of("bugs/seps.rdb");
    let keys = |path: &str| nodes.iter().find(|node| node.path == path).map(|node| node.keys);
    assert_eq!(keys(""), Some(4));
    assert_eq!(keys("f"), Some(3));
    assert_eq!(keys("g"), Some(1));
}
