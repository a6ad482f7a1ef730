//! The report on the shop's snapshot finds what was planted in it, and every figure adds up.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value as Json;
use support::{answers, fixtures, json, rdblens, rows, stdout_of};

fn summary() -> Json {
    serde_json::from_str(&stdout_of([
        "report", "--as", "loaded", "--format", "json", "-n", "1000", "shop.rdb",
    ]))
    .unwrap()
}

#[test]
fn totals_are_the_servers() {
    let (mine, theirs) = (summary(), json("shop.json"));
    assert_eq!(mine["totals"]["keys"], theirs["keys"]);
    let with_ttl =
        mine["totals"]["keys"].as_u64().unwrap() - mine["totals"]["keys_without_ttl"].as_u64().unwrap();
    assert_eq!(Some(with_ttl), theirs["with_ttl"].as_u64());
    let (memory, answered) =
        (mine["totals"]["memory_bytes"].as_f64().unwrap(), theirs["usage"].as_f64().unwrap());
    // Three sorted sets are skiplists, whose levels are drawn at every start.
    assert!((memory / answered - 1.0).abs() < 0.002, "{memory} instead of {answered}");
    for row in mine["by_type"].as_array().unwrap() {
        assert_eq!(row["keys"], theirs["types"][row["type"].as_str().unwrap()]["keys"], "{row}");
    }
    for row in mine["by_db"].as_array().unwrap() {
        let theirs = theirs["dbs"].as_array().unwrap().iter().find(|db| db["db"] == row["db"]).unwrap();
        assert_eq!(row["keys"], theirs["keys"], "{row}");
    }
}

#[test]
fn all_tables_add_up_to_the_total() {
    let mine = summary();
    let total = &mine["totals"];
    for table in ["by_type", "by_encoding", "by_db"] {
        for figure in
            ["keys", "memory_bytes", "allocated_bytes", "serialized_bytes", "elements", "keys_without_ttl"]
        {
            let sum: u64 =
                mine[table].as_array().unwrap().iter().map(|row| row[figure].as_u64().unwrap()).sum();
            assert_eq!(Some(sum), total[figure].as_u64(), "{table}: {figure}");
        }
    }
}

#[test]
fn planted_troubles_are_found() {
    let planted = &json("shop.json")["planted"];
    let report = stdout_of(["report", "shop.rdb"]);
    let top = rows(stdout_of(["top", "-n", "10", "shop.rdb"]).as_bytes());
    for big in planted["big_keys"].as_array().unwrap() {
        let key = big["key"].as_str().unwrap();
        assert!(top.iter().any(|row| row["key"] == key), "{key}");
    }
    for sentence in [
        "No key under cache:fragment in db 1 ever expires",
        "850 keys (127.0 KiB) expire within one minute, from 2026-11-27 20:00:00 UTC",
        "sesion in db 0 (64 keys) looks like a slip of the pen for session",
        "prodcut in db 0 (9 keys) looks like a slip of the pen for product",
        "131 keys (17.0 KiB) had expired",
    ] {
        assert!(report.split_whitespace().collect::<Vec<_>>().join(" ").contains(sentence), "{sentence}");
    }
}

#[test]
fn filters_choose_what_the_server_would() {
    let answers = answers("shop.keys.csv.gz");
    let count = |arguments: &[&str]| {
        let text = stdout_of(["keys"].iter().chain(arguments).chain(&["shop.rdb"]));
        rows(text.as_bytes()).len()
    };
    let want = |wanted: &dyn Fn(u64, &[u8], &support::Answer) -> bool| {
        answers.iter().filter(|((db, key), answer)| wanted(*db, key, answer)).count()
    };
    assert_eq!(count(&[]), answers.len());
    assert_eq!(count(&["--db", "1,3"]), want(&|db, _, _| db == 1 || db == 3));
    assert_eq!(count(&["--type", "zset"]), want(&|_, _, answer| answer.object_type == "zset"));
    assert_eq!(count(&["--ttl", "none"]), want(&|_, _, answer| answer.expire_ms.is_none()));
    assert_eq!(count(&["--match", "session:*"]), want(&|_, key, _| key.starts_with(b"session:")));
    assert_eq!(
        count(&["--regex", "^se?sion:"]),
        want(&|_, key, _| key.starts_with(b"sesion:") || key.starts_with(b"ssion:"))
    );
    assert_eq!(count(&["--match", "*:*", "--regex", "stock$"]), want(&|_, key, _| key.ends_with(b"stock")));
    let burst = 1_795_809_600_000;
    assert_eq!(
        count(&["--expires-after", "2026-11-27T20:00:00Z", "--expires-before", "2026-11-27T20:01:00Z"]),
        want(&|_, _, answer| answer.expire_ms.is_some_and(|at| (burst..burst + 60_000).contains(&at)))
    );
    assert_eq!(count(&["--expires-before", "+0s"]), 131);
    assert_eq!(
        count(&["--min-elements", "1k", "--type", "hash,zset"]),
        want(&|_, _, answer| ["hash", "zset"].contains(&answer.object_type.as_str())
            && answer.elements >= Some(1000))
    );
    assert_eq!(
        count(&["--min-memory", "100KB", "--as", "loaded"]),
        want(&|_, _, answer| answer.usage >= 100_000)
    );
}

#[test]
fn a_pipe_reads_like_a_file() {
    let bytes = std::fs::read(fixtures().join("shop.rdb")).unwrap();
    for command in
        [&["keys"][..], &["top", "-n", "50"], &["prefixes"], &["report", "--format", "json"], &["info"]]
    {
        let from_file = stdout_of(command.iter().chain(&["shop.rdb"]));
        let mut child = Command::new(env!("CARGO_BIN_EXE_rdblens"))
            .args(command.iter().chain(&["-"]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = bytes.clone();
        let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let from_pipe = String::from_utf8(output.stdout).unwrap();
        assert_eq!(from_pipe.replace("stdin", "shop.rdb"), from_file, "{command:?}");
    }
}

#[test]
fn a_folder_of_results() {
    let folder = std::env::temp_dir().join("rdblens-test-out");
    let _ = std::fs::remove_dir_all(&folder);
    let shown = folder.display().to_string();
    stdout_of(["report", "--out", &shown, "shop.rdb"]);
    let mut names: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["prefixes.csv", "summary.json", "top-keys.csv"]);
    let text = std::fs::read(folder.join("summary.json")).unwrap();
    let summary: Json = serde_json::from_slice(&text).unwrap();
    assert_eq!(summary["schema_version"], 1);
    let top = rows(&std::fs::read(folder.join("top-keys.csv")).unwrap());
    assert_eq!((top[0]["rank"].as_str(), top[0]["key"].as_str()), ("1", "leaderboard:loyalty"));
    let prefixes = rows(&std::fs::read(folder.join("prefixes.csv")).unwrap());
    let roots: u64 = prefixes
        .iter()
        .filter(|row| row["depth"] == "0")
        .map(|row| row["keys"].parse::<u64>().unwrap())
        .sum();
    assert_eq!(roots, 11_743);
    // What cannot be written is told before the work starts, and leaves nothing behind.
    let output = rdblens(["report", "-o", "/no/such/folder/report.txt", "shop.rdb"]);
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true));
}
