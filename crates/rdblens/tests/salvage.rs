//! What lies behind damage is read, and written into a file that servers load.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![cfg(unix)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use support::server::Server;
use support::{fixtures, rdblens, rows};
use tempfile::TempDir;

/// A dump with holes: `count` of them, `len` bytes long, evenly spread.
fn with_holes(name: &str, count: usize, len: usize) -> Vec<u8> {
    let mut bytes = fs::read(fixtures().join(name)).unwrap();
    let step = bytes.len() / (count + 1);
    for hole in 1..=count {
        bytes[hole * step..hole * step + len].fill(0);
    }
    bytes
}

fn keep(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn run(arguments: &[&str], file: &Path) -> Output {
    rdblens(arguments.iter().map(|argument| argument.as_ref()).chain([file.as_os_str()]))
}

/// Database, key, type, encoding, elements and expiry of all keys.
fn keys(output: &Output) -> BTreeSet<[String; 6]> {
    let columns = ["db", "key", "type", "encoding", "elements", "expire_at_ms"];
    rows(&output.stdout).into_iter().map(|row| columns.map(|column| row[column].clone())).collect()
}

#[test]
fn a_sound_file_is_written_as_it_is() {
    let folder = TempDir::new().unwrap();
    for name in [
        "shop.rdb",
        "servers/redis-8.10.2/dump.rdb",
        "servers/valkey-9.1.2/dump.rdb",
        "modules/redis-stack-7.4.1/dump.rdb",
    ] {
        let new = folder.path().join("new.rdb");
        let source = fixtures().join(name);
        let written = run(&["extract", "-o", new.to_str().unwrap()], &source);
        assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
        let old_rows = rows(&run(&["keys"], &source).stdout);
        let new_rows = rows(&run(&["keys"], &new).stdout);
        assert!(old_rows.len() > 50);
        // All figures are the same but the offset: the fields in front may be others.
        let without_offset = |mut rows: Vec<std::collections::BTreeMap<String, String>>| {
            rows.iter_mut().for_each(|row| drop(row.remove("offset")));
            rows
        };
        assert_eq!(without_offset(old_rows), without_offset(new_rows), "{name}");
        assert_eq!(run(&["check"], &new).status.code(), run(&["check"], &source).status.code());
    }
}

#[test]
fn keys_behind_damage_are_read_however_the_bytes_arrive() {
    let folder = TempDir::new().unwrap();
    let bytes = with_holes("shop.rdb", 10, 700);
    let file = keep(&folder, "damaged.rdb", &bytes);
    let whole = keys(&run(&["keys"], &fixtures().join("shop.rdb")));
    let salvaged = run(&["keys", "--salvage"], &file);
    assert_eq!(salvaged.status.code(), Some(3));
    let found = keys(&salvaged);
    // 700 bytes hold four records or so; two more may be lost around them.
    assert!(found.len() + 10 * 20 > whole.len(), "{} of {}", found.len(), whole.len());
    let made_up = found.difference(&whole).count();
    assert!(made_up <= 10, "a key behind a hole may have lost its expiry, no more: {made_up}");

    let mut child = Command::new(env!("CARGO_BIN_EXE_rdblens"))
        .args(["keys", "--salvage", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || stdin.write_all(&bytes));
    let piped = child.wait_with_output().unwrap();
    feeder.join().unwrap().unwrap();
    assert_eq!(piped.stdout, salvaged.stdout);
    assert_eq!(piped.status.code(), Some(3));

    for threads in ["1", "2", "5"] {
        let again = run(&["keys", "--salvage", "--threads", threads], &file);
        assert_eq!(again.stdout, salvaged.stdout);
    }
}

#[test]
fn every_command_says_what_lies_between() {
    let folder = TempDir::new().unwrap();
    let file = keep(&folder, "damaged.rdb", &with_holes("shop.rdb", 3, 700));
    let json = run(&["report", "--salvage", "--format", "json"], &file);
    assert_eq!(json.status.code(), Some(3));
    let summary: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let coverage = &summary["files"][0]["coverage"];
    let gaps = coverage["gaps"]["first"].as_array().unwrap();
    assert_eq!(coverage["gaps"]["count"], 3);
    let sum: u64 = gaps.iter().map(|gap| gap["end"].as_u64().unwrap() - gap["start"].as_u64().unwrap()).sum();
    assert_eq!(coverage["gaps"]["bytes"], sum);
    // Frames and gaps make the file.
    assert_eq!(coverage["read_bytes"].as_u64().unwrap() + sum, fs::metadata(&file).unwrap().len());
    // All of them leave out the same keys.
    let keys = rows(&run(&["keys", "--salvage"], &file).stdout).len();
    assert_eq!(summary["totals"]["keys"], keys, "{summary}");
    for command in ["report", "keys", "top", "prefixes", "info"] {
        let output = run(&[command, "--salvage"], &file);
        assert_eq!(output.status.code(), Some(3), "{command}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(stderr.lines().filter(|line| line.contains("could not be read")).count(), 3, "{stderr}");
        assert!(stderr.contains("that the databases announced"), "{stderr}");
    }
    // Without it, reading ends at the first.
    let stopped = run(&["keys"], &file);
    assert!(String::from_utf8_lossy(&stopped.stderr).contains("--salvage goes on behind it"));
    // What is no snapshot is no more of one.
    let text = keep(&folder, "notes.txt", b"buy milk");
    for command in ["report", "keys", "extract"] {
        let output = run(&[command, "--salvage"], &text);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{command}");
    }
}

/// Redis 7.0 loads what is written, and has exactly the keys that are told.
#[test]
fn a_server_loads_what_is_salvaged() {
    let folder = TempDir::new().unwrap();
    let whole = fixtures().join("servers/redis-7.0.15/dump.rdb");
    let all = keys(&run(&["keys"], &whole)).len();
    for (count, len) in [(10, 1), (10, 64), (10, 512), (3, 8192)] {
        let file = keep(&folder, "damaged.rdb", &with_holes("servers/redis-7.0.15/dump.rdb", count, len));
        let new = folder.path().join("new.rdb");
        let written = run(&["extract", "--salvage", "-o", new.to_str().unwrap()], &file);
        assert_eq!(written.status.code(), Some(3), "{}", String::from_utf8_lossy(&written.stderr));
        let found = keys(&run(&["keys"], &new));
        let server = Server::loading(&new);
        assert_eq!(server.keys(), found.len() as u64, "{count} holes of {len} bytes");
        assert!(found.len() + count * 20 > all, "{} of {all}", found.len());
        // Names that need no quotes, of keys that stay.
        let is_plain =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"'\\".contains(&byte));
        let asked: Vec<_> = found
            .iter()
            .filter(|key| !key[1].is_empty() && is_plain(&key[1]) && key[5].is_empty())
            .step_by(7)
            .collect();
        assert!(asked.len() > 20);
        for [db, name, object_type, _, _, _] in asked {
            assert_eq!(
                server.ask_in(db, &format!("TYPE {name}")),
                Some(format!("+{object_type}")),
                "{name} in db {db}"
            );
        }
    }
}
