//! No input, however damaged, makes the reader panic, hang or guess.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use rdb_synth::prng::Prng;
use rdb_synth::{Magic, RandomOptions, damage, random_dump};
use support::{dumps, fixtures, rdblens, rows};

/// Runs `keys` on bytes through standard input.
fn keys_of_bytes(bytes: &[u8]) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rdblens"))
        .args(["keys", "--key-encoding", "hex", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = bytes.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn a_cut_file_gives_its_whole_keys_and_the_place() {
    let (file, keys) =
        random_dump(5, &RandomOptions { keys: 30, ..RandomOptions::everything(Magic::Redis(12)) });
    let first = keys[0].record.start;
    for len in (0..file.len()).step_by(1 + file.len() / 60) {
        let (code, stdout, stderr) = keys_of_bytes(&file[..len]);
        assert_eq!(code, Some(if len < 9 { 1 } else { 3 }), "cut at {len}: {stderr}");
        assert!(stderr.contains(&format!("({len})")), "cut at {len}: {stderr}");
        let found = rows(stdout.as_bytes());
        let whole = keys.iter().take_while(|key| key.record.end <= len).count();
        assert_eq!(found.len(), whole, "cut at {len}, first key at {first}");
        for (row, want) in found.iter().zip(&keys) {
            let hex: String = want.key.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(row["key"], hex);
            assert_eq!(row["type"], want.type_word.to_string());
        }
    }
}

#[test]
fn a_wrong_checksum_is_told_and_the_keys_stand() {
    let (file, keys) =
        random_dump(6, &RandomOptions { keys: 20, ..RandomOptions::everything(Magic::Valkey(80)) });
    let (code, stdout, stderr) = keys_of_bytes(&rdb_synth::damage::wrong_checksum(&file));
    assert_eq!(code, Some(3));
    assert!(stderr.contains("checksum"), "{stderr}");
    assert_eq!(rows(stdout.as_bytes()).len(), keys.len());
}

#[test]
fn what_is_no_snapshot_is_refused_with_a_reason() {
    for (bytes, reason) in [
        (&b""[..], "empty"),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\0", "gzip"),
        (b"*3\r\n$3\r\nSET\r\n", "append-only"),
        (b"hello, world", "not an RDB file"),
        (&[&[b'x'; 257][..], b"ustar  "].concat(), "tar archive"),
        (b"REDIS00x1", "version"),
    ] {
        let (code, stdout, stderr) = keys_of_bytes(bytes);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(reason), "{stderr}");
        assert_eq!(stdout, "", "there is no result");
    }
    assert_eq!(rdblens(["keys", "no-such-file.rdb"]).status.code(), Some(1));
    assert_eq!(rdblens(["keys", "."]).status.code(), Some(1));
    assert_eq!(rdblens(["keys"]).status.code(), Some(2));
    assert_eq!(rdblens(["keys", "--min-memory", "lots", "shop.rdb"]).status.code(), Some(2));
}

/// A small part of `cargo xtask torture`, which also measures and covers more ways in.
#[test]
fn chance_damage_keeps_the_rules() {
    let small: Vec<_> =
        dumps().into_iter().filter(|dump| fs::metadata(dump).unwrap().len() < 16 << 10).collect();
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    for case in 0..400 {
        let prng = &mut Prng::split(1, case);
        let dump = prng.pick(&small).clone();
        let mut bytes = damage::random(&fs::read(&dump).unwrap(), prng);
        if prng.chance(300) {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&bytes).unwrap();
            bytes = damage::random(&encoder.finish().unwrap(), prng);
        }
        fs::write(&input, bytes).unwrap();
        let command = *prng.pick(&["report", "keys", "top", "prefixes", "info", "check"]);
        let output = rdblens([command.as_ref(), input.as_os_str()]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        let what = format!("case {case}, {command} on {}: {stderr}", dump.display());
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{:?} of {what}", output.status);
        assert!(!stderr.contains("panicked"), "{what}");
        let is_quiet = stderr.is_empty() && (command != "check" || output.stdout.is_empty());
        assert!(output.status.code() == Some(0) || !is_quiet, "nothing is said: {what}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rdblens"))
        .current_dir(fixtures())
        .args(["keys", "shop.rdb"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn any_number_of_threads_prints_the_same() {
    let commands: [&[&str]; 5] = [
        &["report", "--color", "never"],
        &["keys", "--format", "jsonl"],
        &["top", "--format", "csv", "--per-type", "-n", "3"],
        &["prefixes", "--format", "csv"],
        &["info"],
    ];
    for dump in dumps() {
        for command in commands {
            let run = |threads: &str| {
                let arguments = command.iter().copied().chain(["--threads", threads]);
                let output = rdblens(arguments.map(Into::into).chain([dump.clone().into_os_string()]));
                (output.status.code(), output.stdout, output.stderr)
            };
            let one = run("1");
            for threads in ["2", "7"] {
                assert_eq!(run(threads), one, "{command:?} {} with {threads} threads", dump.display());
            }
        }
    }
}
