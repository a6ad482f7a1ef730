//! JSON documents: their shape is a contract.

use crate::support;
use rdb_analysis::Summary;
use rdb_analysis::prefixes::RowLimits;
use rdb_report::json;
use rdb_report::text::Info;
use serde_json::Value;

fn document(summary: &Summary) -> (String, Value) {
    let mut out = Vec::new();
    json::summary(summary, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let value = serde_json::from_str(&text).unwrap();
    (text, value)
}

fn pinned(text: &str) -> String {
    text.replace(concat!("rdblens ", env!("CARGO_PKG_VERSION")), "rdblens VERSION")
}

#[test]
fn summary_of_shards() {
    let (text, value) = document(&support::shards());
    insta::assert_snapshot!("summary_json", pinned(&text));
    assert_eq!(value["schema_version"], 1);
    assert_eq!(value["complete"], false);
    let sum = |list: &str| {
        value[list].as_array().unwrap().iter().map(|row| row["memory_bytes"].as_u64().unwrap()).sum::<u64>()
    };
    let total = value["totals"]["memory_bytes"].as_u64().unwrap();
    for list in ["by_type", "by_encoding", "by_db", "by_file", "by_basis"] {
        assert_eq!(sum(list), total, "{list}");
    }
}

#[test]
fn every_key_can_be_undone() {
    let (_, value) = document(&support::hard());
    let keys = value["top_keys"].as_array().unwrap();
    let find = |text: &str| keys.iter().find(|key| key["key"] == text).unwrap();
    assert_eq!(find(r"line1\x0aline2")["key_escaped"], true);
    assert_eq!(find("First,Second")["key_escaped"], false);
    assert_eq!(find("absurd:size")["memory_bytes"], u64::MAX);
}

#[test]
fn nodes_of_the_tree_add_up() {
    fn check(node: &Value) {
        let children = node["children"].as_array().unwrap();
        children.iter().for_each(check);
        if children.is_empty() {
            assert!(node["other"].is_null(), "{node}");
            return;
        }
        for field in
            ["keys", "memory_bytes", "allocated_bytes", "serialized_bytes", "elements", "keys_without_ttl"]
        {
            let below: u64 =
                children.iter().chain([&node["other"]]).filter_map(|child| child[field].as_u64()).sum();
            assert_eq!(Some(below), node[field].as_u64(), "{field} of {}", node["prefix"]);
        }
    }
    let mut out = Vec::new();
    json::prefixes(&support::one().prefixes, &RowLimits { max_depth: 2, ..RowLimits::default() }, &mut out)
        .unwrap();
    let text = String::from_utf8(out).unwrap();
    insta::assert_snapshot!("prefixes_json", pinned(&text));
    let value: Value = serde_json::from_str(&text).unwrap();
    value["roots"].as_array().unwrap().iter().for_each(check);
}

#[test]
fn info_of_a_file() {
    let file = support::talkative();
    let info = Info { name: &file.name, facts: &file.facts, coverage: &file.coverage, now_ms: None };
    let mut out = Vec::new();
    json::info(&[info], &mut out).unwrap();
    insta::assert_snapshot!("info_json", pinned(&String::from_utf8(out).unwrap()));
}

#[test]
fn every_field_is_documented() {
    fn names<'v>(value: &'v Value, found: &mut std::collections::BTreeSet<&'v str>) {
        match value {
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                found.insert(name);
                names(value, found);
            }),
            Value::Array(items) => items.iter().for_each(|item| names(item, found)),
            _ => {}
        }
    }
    let mut talkative = support::shards();
    talkative.files[0] = support::talkative();
    let (_, value) = document(&talkative);
    let mut found = std::collections::BTreeSet::new();
    names(&value, &mut found);
    let page = include_str!("../../../../docs/REPORT_SCHEMA.md");
    let missing: Vec<_> = found.into_iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "not in docs/REPORT_SCHEMA.md: {missing:?}");
}
