//! Answers of DUMP, as servers give them and as redis-cli prints them.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rdb_synth::damage;
use serde_json::Value as Json;
use support::{fixtures, json, rdblens, rows, stdout_of};

/// `set k hello`, `dump k` on Redis 7.0.15. The last byte of its checksum is a line break.
fn hello() -> Vec<u8> {
    let mut printed = fs::read(fixtures().join("payloads/printed/raw.txt")).unwrap();
    printed.pop();
    printed
}

fn from_pipe(arguments: &[&str], bytes: &[u8]) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rdblens"))
        .args(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(bytes);
    told(child.wait_with_output().unwrap())
}

fn told(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Checks one payload against what its server said of the key.
fn check(answer: &Json, payload: &Path, key: &str, options: &[&str]) {
    let key_option = format!("--dump-payload={key}");
    let arguments =
        [&["keys", "--as", "loaded", &key_option], options, &[payload.to_str().unwrap()]].concat();
    let row = rows(stdout_of(&arguments).as_bytes()).remove(0);
    let what = format!("{key} in {}", payload.display());
    assert_eq!((row["key"].as_str(), row["db"].as_str(), row["offset"].as_str()), (key, "0", "0"));
    assert_eq!(row["type"], answer["type"].as_str().unwrap(), "{what}");
    assert_eq!(row["encoding"], answer["encoding"].as_str().unwrap(), "{what}");
    assert_eq!(row["elements"], answer["elements"].to_string(), "{what}");
    let (got, want) = (row["memory_bytes"].parse::<f64>().unwrap(), answer["usage"].as_f64().unwrap());
    // Chance has a say in hash tables.
    let tolerated = if row["encoding"] == "hashtable" { 0.01 } else { 0.0 };
    assert!((got / want - 1.0).abs() <= tolerated, "{what}: {got} and {want} bytes");
    // Type, value, version and checksum.
    assert_eq!(row["serialized_bytes"], (fs::metadata(payload).unwrap().len() - 10).to_string(), "{what}");
    for command in ["report", "top", "prefixes", "info", "check"] {
        let (code, stdout, stderr) = told(rdblens([command, &key_option, payload.to_str().unwrap()]));
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{command} {what}");
        assert!(command == "info" || command == "check" || stdout.contains(key), "{command} {what}");
    }
}

#[test]
fn payloads_of_servers() {
    for (server, options) in [
        ("redis-6.2.14", ["--target=6.2.14", "--allocator=libc"].as_slice()),
        ("redis-7.0.15", &["--allocator=jemalloc-16"]),
        ("redis-8.2.3", &[]),
        ("valkey-9.1.2", &["--allocator=libc"]),
    ] {
        let folder = Path::new("payloads").join(server);
        let answers = json(folder.join("answers.json"));
        let keys = answers["keys"].as_object().unwrap();
        assert!(keys.len() >= 10);
        for (key, answer) in keys {
            check(answer, &fixtures().join(&folder).join(format!("{key}.dump")), key, options);
        }
    }
}

#[test]
fn payloads_that_no_file_has() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    for server in ["redis-8.10.2", "valkey-9.1.2"] {
        for payload in json(format!("format/{server}/dump_payloads.json"))["payloads"].as_array().unwrap() {
            let hex = payload["payload_hex"].as_str().unwrap();
            let bytes: Vec<u8> = (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(hex.get(at..at + 2).unwrap(), 16).unwrap())
                .collect();
            let path = folder.path().join(payload["key"].as_str().unwrap());
            fs::write(&path, bytes).unwrap();
            let row =
                rows(stdout_of(["keys", "--dump-payload", path.to_str().unwrap()]).as_bytes()).remove(0);
            assert_eq!(row["encoding"], payload["encoding"].as_str().unwrap());
            // Named like its file.
            assert_eq!(row["key"], payload["key"].as_str().unwrap());
            let info: Json = serde_json::from_str(&stdout_of([
                "info",
                "--format=json",
                "--dump-payload",
                path.to_str().unwrap(),
            ]))
            .unwrap();
            let version = payload["rdb_version"].as_u64().unwrap();
            assert!(info.to_string().contains(&format!("{version}")), "{info}");
            seen += 1;
        }
    }
    assert_eq!(seen, 9);
}

#[test]
fn however_it_was_printed() {
    let want = from_pipe(&["keys", "--dump-payload=k"], &hello());
    assert_eq!((want.0, want.2.as_str()), (Some(0), ""));
    for (printed, warning) in [("raw.txt", "line break"), ("quoted.txt", "in quotes")] {
        let path = fixtures().join("payloads/printed").join(printed);
        let from_file = told(rdblens(["keys", "--dump-payload=k", path.to_str().unwrap()]));
        assert_eq!((from_file.0, &from_file.1), (Some(0), &want.1));
        assert!(from_file.2.contains(warning), "{}", from_file.2);
        assert_eq!(from_pipe(&["keys", "--dump-payload=k"], &fs::read(path).unwrap()).1, want.1);
    }
    // Compressed, from a pipe; the file's name is not known.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&hello()).unwrap();
    let packed = encoder.finish().unwrap();
    assert_eq!(from_pipe(&["keys", "--dump-payload=k"], &packed), want);
    let (_, stdout, _) = from_pipe(&["keys", "--dump-payload"], &packed);
    assert_eq!(rows(stdout.as_bytes())[0]["key"], "stdin");
}

#[test]
fn several_payloads_are_several_keys() {
    let (text, list) = ("payloads/redis-7.0.15/text.dump", "payloads/redis-7.0.15/list.dump");
    let found = rows(stdout_of(["keys", "--dump-payload", text, list]).as_bytes());
    let names: Vec<_> = found.iter().map(|row| (row["file"].as_str(), row["key"].as_str())).collect();
    assert_eq!(names, [(text, "text.dump"), (list, "list.dump")]);
}

#[test]
fn what_is_no_payload_is_told() {
    let hello = hello();
    let nil = fs::read(fixtures().join("payloads/printed/nil.txt")).unwrap();
    let changed = damage::flip_bit(&hello, 8 * 3);
    for (bytes, code, reason) in [
        (&b""[..], 1, "empty"),
        (&nil, 1, "does not exist"),
        (&hello[..9], 1, "(9)"),
        (&hello[..16], 1, "offset 0x6 (6): not a whole answer of DUMP"),
        (&fs::read(fixtures().join("shop.rdb")).unwrap(), 1, "starts like an RDB file"),
        (&changed, 3, "checksum"),
        (&[&b"\x00\x04"[..], &hello[2..]].concat(), 3, "(6): the value ends here"),
        (&[&b"\xfc"[..], &hello[1..]].concat(), 1, "unknown type or opcode 252"),
        (b"\"\\x00", 1, "(5): the file ends here"),
    ] {
        for command in ["keys", "report", "check", "info"] {
            let got = from_pipe(&[command, "--dump-payload"], bytes);
            let told = got.1.clone() + &got.2;
            assert!(told.contains(reason), "{command}: {told}");
            assert_eq!(got.0, Some(code), "{command}: {told}");
        }
    }
    let (code, _, stderr) = from_pipe(&["keys"], &hello);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("--dump-payload"), "{stderr}");
    assert_eq!(told(rdblens(["keys", "--dump-payload", "no-such-file"])).0, Some(1));
    assert_eq!(told(rdblens(["keys", "--dump-payload", "servers"])).0, Some(1));
}
