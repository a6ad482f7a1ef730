//! Faults of the world around a run: full disks, signals, files that change, names that are no text.
#![cfg(unix)]
// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rdb_synth::RdbBuilder;
use support::{fixtures, rdblens, rows};

/// The binary, in the folder of fixtures, with all its streams in our hands.
fn command<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rdblens"));
    command.current_dir(fixtures()).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Starts a run that writes a file and waits for more input, and ends it once the file has begun.
fn interrupted_by(name: &str) -> (Option<i32>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("keys.csv");
    let mut child =
        command([OsStr::new("keys"), OsStr::new("-o"), out.as_os_str(), OsStr::new("-")]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&fs::read(fixtures().join("shop.rdb")).unwrap()[..100_000]).unwrap();
    let started = Instant::now();
    while names_in(folder.path()).is_empty() {
        assert!(started.elapsed() < Duration::from_secs(60), "the output is never begun");
        sleep(Duration::from_millis(5));
    }
    signal(&child, name);
    (child.wait().unwrap().code(), names_in(folder.path()))
}

#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    assert_eq!(interrupted_by("-INT"), (Some(130), vec![]));
    assert_eq!(interrupted_by("-TERM"), (Some(143), vec![]));
}

#[test]
fn a_file_that_shrinks_ends_in_a_message() {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("shrinks.rdb");
    let value = vec![b'v'; 1000];
    let text = [&[0x43, 0xe8][..], &value].concat(); // a length of fourteen bits
    let keys = (0..100_000)
        .fold(RdbBuilder::redis(11).select_db(0), |dump, n| dump.key(0, format!("key:{n}"), &text));
    fs::write(&dump, keys.eof()).unwrap();

    let mut child = command([OsStr::new("keys"), dump.as_os_str()]).spawn().unwrap();
    // Rows are coming, and the pipe is soon full: the run stands still with most of the file unread.
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    OpenOptions::new().write(true).open(&dump).unwrap().set_len(4096).unwrap();
    stdout.read_to_end(&mut Vec::new()).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("made shorter while it was read"), "{stderr}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    for arguments in [["keys"].as_slice(), &["report", "--format", "json"], &["prefixes", "--format", "csv"]]
    {
        let to_stdout = command([arguments, &["shop.rdb"]].concat())
            .stdout(File::create("/dev/full").unwrap())
            .output()
            .unwrap();
        let to_file = rdblens([arguments, &["-o", "/dev/full", "shop.rdb"]].concat());
        for output in [to_stdout, to_file] {
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{stderr}");
            assert!(stderr.contains("No space left on device"), "{stderr}");
        }
    }
}

#[test]
fn an_input_that_cannot_be_read_is_told() {
    let output = command(["keys", "-"]).stdin(File::open(fixtures()).unwrap()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{stderr}");
    assert!(stderr.contains("directory"), "{stderr}");
}

#[test]
fn names_of_files_need_not_be_text() {
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join(OsStr::from_bytes(b"nightly-\xff\x1b[2J.rdb"));
    fs::copy(fixtures().join("shop.rdb"), &dump).unwrap();
    for command in ["info", "report", "keys"] {
        let output = rdblens([OsStr::new(command), dump.as_os_str()]);
        assert_eq!(output.status.code(), Some(0));
        assert!(!output.stdout.contains(&0x1b), "{command} passes an escape sequence on");
    }
}

#[test]
fn no_name_is_a_formula() {
    let names = ["=cmd|' /C calc'!A0", "+1", "-2", "@SUM(A1)", "\u{ff1d}1", "\t=1", "a=1", "plain", "\"=1\""];
    let dump =
        names.iter().fold(RdbBuilder::redis(11).select_db(0), |dump, name| dump.key(0, name, b"\x01v"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("formulas.rdb");
    fs::write(&path, dump.eof()).unwrap();
    let path = path.to_str().unwrap();
    for (arguments, column) in [
        (["keys", "--csv-safe", path].as_slice(), "key"),
        (&["keys", "--csv-safe", "--format", "rdbtools", path], "key"),
        (&["top", "--csv-safe", path], "key"),
        (&["prefixes", "--csv-safe", "--raw", path], "prefix"),
        (&["prefixes", "--csv-safe", "--raw", path], "largest_key"),
    ] {
        let output = rdblens(arguments);
        assert_eq!(output.status.code(), Some(0));
        let cells: Vec<_> = rows(&output.stdout).into_iter().map(|row| row[column].clone()).collect();
        assert!(cells.len() >= names.len(), "{cells:?}");
        for cell in &cells {
            assert!(
                !cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\u{ff1d}']),
                "{cell:?} of {arguments:?}"
            );
        }
        assert!(cells.iter().any(|cell| cell == r"\x3dcmd|' /C calc'!A0"), "{cells:?}");
    }
    let base64 = rdblens(["keys", "--csv-safe", "--key-encoding", "base64", path]);
    assert_eq!(base64.status.code(), Some(2));
}
