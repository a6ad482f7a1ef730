//! Estimates against what real servers answered after loading the same file.
//!
//! `cargo test -p rdb-memory --test servers -- --nocapture` prints the table of accuracy.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rdb_memory::{Allocator, Basis, SizeModel};
use serde_json::Value as Json;

use common::{Priced, fixtures, json, price, target};

/// One server's file, its description and its answers by database and key.
struct Server {
    folder: PathBuf,
    description: Json,
    answers: HashMap<(u64, Vec<u8>), Answer>,
}

#[derive(Debug)]
struct Answer {
    object_type: String,
    encoding: String,
    usage: u64,
}

fn servers() -> Vec<Server> {
    let mut servers: Vec<_> = ["servers", "clusters"]
        .iter()
        .flat_map(|kind| std::fs::read_dir(fixtures().join(kind)).unwrap())
        .map(|folder| folder.unwrap().path())
        .filter(|folder| folder.join("server.json").exists())
        .map(|folder| Server {
            description: json(&folder.join("server.json")),
            answers: answers(&std::fs::read_to_string(folder.join("keys.csv")).unwrap()),
            folder,
        })
        .collect();
    servers.sort_by(|a, b| a.folder.cmp(&b.folder));
    assert!(servers.len() >= 8, "{} servers", servers.len());
    servers
}

fn answers(table: &str) -> HashMap<(u64, Vec<u8>), Answer> {
    let mut lines = table.lines();
    let header: Vec<_> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|&title| title == name).unwrap();
    let columns = ["db", "key_b64", "type", "encoding", "usage_loaded"].map(column);
    lines
        .map(|line| {
            let fields: Vec<_> = line.split(',').collect();
            let [db, key, object_type, encoding, usage] = columns.map(|column| fields[column]);
            let answer = Answer {
                object_type: object_type.to_owned(),
                encoding: encoding.to_owned(),
                usage: usage.parse().unwrap(),
            };
            ((db.parse().unwrap(), STANDARD.decode(key).unwrap()), answer)
        })
        .collect()
}

impl Server {
    fn name(&self) -> String {
        let [kind, name] =
            [self.folder.parent().unwrap(), &self.folder].map(|path| path.file_name().unwrap());
        format!("{}/{}", kind.display(), name.display())
    }

    fn dump(&self) -> Vec<u8> {
        std::fs::read(self.folder.join("dump.rdb")).unwrap()
    }

    /// Keys whose answer is not the same at every load.
    fn varying(&self) -> HashSet<(u64, Vec<u8>)> {
        let keys = self.description["usage_varies"].as_array().unwrap();
        keys.iter()
            .map(|key| {
                (key["db"].as_u64().unwrap(), STANDARD.decode(key["key_b64"].as_str().unwrap()).unwrap())
            })
            .collect()
    }

    fn answer(&self, priced: &Priced) -> &Answer {
        &self.answers[&(priced.db, priced.key.clone())]
    }
}

/// How well a group of keys is estimated.
#[derive(Default)]
struct Accuracy {
    keys: u64,
    exact: u64,
    answered: u64,
    estimated: u64,
}

impl Accuracy {
    fn add(&mut self, answered: u64, estimated: u64) {
        self.keys += 1;
        self.exact += u64::from(answered == estimated);
        self.answered += answered;
        self.estimated += estimated;
    }

    /// In percent of what was answered.
    fn error(&self) -> f64 {
        100.0 * (self.estimated as f64 - self.answered as f64) / self.answered as f64
    }
}

#[test]
fn every_encoding_is_the_servers() {
    for server in servers() {
        let model = SizeModel::new(&target(&server.description));
        let (keys, _) = price(&server.dump(), &model).unwrap();
        assert_eq!(keys.len(), server.answers.len(), "{}", server.name());
        for priced in keys {
            let answer = server.answer(&priced);
            let name = priced.key.escape_ascii().to_string();
            assert_eq!(priced.estimate.encoding.as_str(), answer.encoding, "{} {name:?}", server.name());
            assert_eq!(priced.fault, None);
        }
    }
}

#[test]
fn what_is_called_exact_is_exact() {
    for server in servers() {
        let model = SizeModel::new(&target(&server.description));
        let varying = server.varying();
        for priced in price(&server.dump(), &model).unwrap().0 {
            if priced.estimate.basis != Basis::Exact || varying.contains(&(priced.db, priced.key.clone())) {
                continue;
            }
            let name = priced.key.escape_ascii().to_string();
            let answer = server.answer(&priced);
            assert_eq!(priced.estimate.memory_bytes, answer.usage, "{} {name:?} {answer:?}", server.name());
        }
    }
}

#[test]
fn sums_are_within_half_a_percent() {
    println!(
        "{:24} {:12} {:>6} {:>8} {:>9} {:>12}",
        "server", "allocator", "keys", "exact", "error", "used_memory"
    );
    for server in servers() {
        let target = target(&server.description);
        let model = SizeModel::new(&target);
        let (keys, keyspace) = price(&server.dump(), &model).unwrap();
        let mut kinds = BTreeMap::<String, Accuracy>::new();
        let mut all = Accuracy::default();
        let mut allocated = keyspace.tables(&model).total();
        for priced in &keys {
            let (estimate, answer) = (priced.estimate, server.answer(priced));
            assert_eq!(estimate.parts.key_bytes + estimate.parts.value_bytes, estimate.memory_bytes);
            allocated += estimate.allocated_bytes;
            all.add(answer.usage, estimate.memory_bytes);
            let kind = format!("{}/{}", answer.object_type, answer.encoding);
            kinds.entry(kind).or_default().add(answer.usage, estimate.memory_bytes);
        }
        let used = |state: &str| server.description["memory"][state]["used_memory"].as_f64().unwrap();
        let grown = used("loaded") - used("empty");
        let growth_error = 100.0 * (allocated as f64 - grown) / grown;
        println!(
            "{:24} {:12} {:6} {:7.2}% {:+8.4}% {:+11.3}%",
            server.name(),
            target.allocator,
            all.keys,
            100.0 * all.exact as f64 / all.keys as f64,
            all.error(),
            growth_error,
        );
        for (kind, accuracy) in &kinds {
            if accuracy.exact < accuracy.keys {
                let Accuracy { keys, exact, .. } = accuracy;
                println!("    {kind:24} {exact:5} of {keys:5} {:+8.4}%", accuracy.error());
            }
        }
        let least_exact = if target.allocator == Allocator::Libc { 0.85 } else { 0.95 };
        assert!(all.exact as f64 >= least_exact * all.keys as f64, "{}", server.name());
        assert!(all.error().abs() < 0.5, "{}: {:+.3} %", server.name(), all.error());
        assert!(growth_error.abs() < 0.6, "{}: {growth_error:+.3} %", server.name());
    }
}
