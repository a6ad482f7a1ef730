//! Faults of the world around a run: full disks, signals, files that change, names that are no text.
#![cfg(unix)]
// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
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

/// A command that may make files of so many 512-byte blocks at the most.
fn with_small_files<I: AsRef<OsStr>>(blocks: u32, arguments: impl IntoIterator<Item = I>) -> Command {
    let mut limited = command([] as [&str; 0]);
    let binary = limited.get_program().to_owned();
    limited = Command::new("sh");
    limited.current_dir(fixtures()).arg("-c").arg(format!("ulimit -f {blocks}; exec \"$0\" \"$@\""));
    limited.arg(binary).args(arguments);
    limited
}

/// `ulimit -f` stops a file from growing as a full disk does, and needs no disk and no privilege.
#[test]
fn a_file_that_cannot_grow_is_told_and_not_left() {
    let folder = tempfile::tempdir().unwrap();
    let (out, target) = (folder.path().join("out"), folder.path().join("keys.csv"));
    fs::write(&target, "precious").unwrap();
    for arguments in [
        [OsStr::new("keys"), "-o".as_ref(), target.as_os_str(), "shop.rdb".as_ref()],
        [OsStr::new("report"), "--out".as_ref(), out.as_os_str(), "shop.rdb".as_ref()],
    ] {
        let output = with_small_files(16, arguments).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("File too large") && stderr.lines().count() == 1, "{stderr}");
    }
    assert_eq!(fs::read(&target).unwrap(), b"precious");
    assert_eq!(names_in(&out), [] as [&str; 0]);
    // Standard output as well.
    let stdout = File::create(folder.path().join("stdout")).unwrap();
    let output =
        with_small_files(16, ["keys", "shop.rdb"]).stdout(stdout).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("File too large"));
}

/// A real disk of 64 KiB, where the system lets anybody mount one.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=64k none \"$1\" || exit 99\n\
                  \"$0\" keys -o \"$1/keys.csv\" shop.rdb; echo \"code $?\"; ls -A \"$1\"";
    let output = Command::new("unshare")
        .current_dir(fixtures())
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_rdblens")])
        .arg(folder.path())
        .output();
    let Ok(output) = output.ok().filter(|output| output.status.code() == Some(0)).ok_or(()) else {
        // The test above needs no such right.
        eprintln!("no disk can be mounted here");
        return;
    };
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("No space left on device"), "{stderr}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "code 1\n");
}

#[test]
fn one_output_that_fails_takes_the_others_along() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("summary.json"), "precious").unwrap();
    fs::create_dir(folder.path().join("prefixes.csv")).unwrap();
    let output =
        rdblens([OsStr::new("report"), "shop.rdb".as_ref(), "--out".as_ref(), folder.path().as_os_str()]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{stderr}");
    assert!(stderr.contains("prefixes.csv"), "{stderr}");
    assert_eq!(fs::read(folder.path().join("summary.json")).unwrap(), b"precious");
    let mut names = names_in(folder.path());
    names.sort();
    assert_eq!(names, ["prefixes.csv", "summary.json"]);
}

/// The binary as somebody who has no special rights: permissions do not stop root.
struct Nobody {
    folder: tempfile::TempDir,
}

impl Nobody {
    const UID: u32 = 65534;

    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let nobody = Self { folder };
        nobody.allow(nobody.folder.path(), 0o755);
        // Where the binary is built nobody else may look.
        let binary = nobody.path("rdblens");
        fs::copy(env!("CARGO_BIN_EXE_rdblens"), &binary).unwrap();
        nobody.allow(&binary, 0o755);
        fs::copy(fixtures().join("shop.rdb"), nobody.path("shop.rdb")).unwrap();
        nobody.allow(&nobody.path("shop.rdb"), 0o644);
        nobody
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn allow(&self, path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(self.path("rdblens"));
        command.current_dir(self.folder.path()).args(arguments);
        if fs::metadata(self.folder.path()).unwrap().uid() == 0 {
            command.uid(Self::UID).gid(Self::UID);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

#[test]
fn what_may_not_be_read_or_written_is_told() {
    let nobody = Nobody::new();
    let denied = |arguments: &[&str], name: &str| {
        let (code, stderr) = nobody.run(arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {stderr}");
        assert!(
            stderr.to_lowercase().contains("permission denied") && stderr.contains(name),
            "{arguments:?}: {stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    };
    assert_eq!(nobody.run(&["info", "shop.rdb"]), (Some(0), String::new()));

    fs::copy(nobody.path("shop.rdb"), nobody.path("secret.rdb")).unwrap();
    nobody.allow(&nobody.path("secret.rdb"), 0);
    for command in ["report", "keys", "top", "prefixes", "info", "check"] {
        denied(&[command, "secret.rdb"], "secret.rdb");
        denied(&[command, "shop.rdb", "secret.rdb"], "secret.rdb");
    }
    denied(&["keys", "--dump-payload", "secret.rdb"], "secret.rdb");

    // A folder that may be looked into and not written, and one that may not even be entered.
    for (folder, mode) in [("shelf", 0o555), ("closed", 0)] {
        fs::create_dir(nobody.path(folder)).unwrap();
        fs::write(nobody.path(folder).join("old.csv"), "precious").unwrap();
        nobody.allow(&nobody.path(folder), mode);
        denied(&["keys", "shop.rdb", "-o", &format!("{folder}/new.csv")], folder);
        denied(&["keys", "shop.rdb", "-o", &format!("{folder}/old.csv")], folder);
        denied(&["report", "shop.rdb", "--out", folder], folder);
        denied(&["report", "shop.rdb", "--out", &format!("{folder}/new")], folder);
        nobody.allow(&nobody.path(folder), 0o755);
        assert_eq!(fs::read(nobody.path(folder).join("old.csv")).unwrap(), b"precious");
        assert_eq!(names_in(&nobody.path(folder)), ["old.csv"]);
    }
    nobody.allow(&nobody.path("closed"), 0);
    denied(&["keys", "closed"], "closed");
    nobody.allow(&nobody.path("closed"), 0o755);

    // A file that may not be written is replaced all the same where its folder allows it, as `mv` does.
    fs::create_dir(nobody.path("open")).unwrap();
    nobody.allow(&nobody.path("open"), 0o777);
    fs::write(nobody.path("open/old.csv"), "old").unwrap();
    nobody.allow(&nobody.path("open/old.csv"), 0o444);
    assert_eq!(nobody.run(&["keys", "shop.rdb", "-o", "open/old.csv"]), (Some(0), String::new()));
    assert!(fs::read(nobody.path("open/old.csv")).unwrap().starts_with(b"db,key"));
}

/// A connection that is reset under way: the read fails, which is another thing than an end.
#[test]
fn a_read_that_fails_half_way_leaves_nothing() {
    let dump = fs::read(fixtures().join("shop.rdb")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for packed in [false, true] {
        let out = folder.path().join("keys.csv");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut reader = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut writer, _) = listener.accept().unwrap();
        // Bytes that the other side never reads make its closing a reset.
        reader.write_all(b"unread").unwrap();
        let mut child = command([OsStr::new("keys"), "-o".as_ref(), out.as_os_str(), "-".as_ref()])
            .stdin(Stdio::from(OwnedFd::from(reader)))
            .spawn()
            .unwrap();
        let sent = if packed { zstd::encode_all(dump.as_slice(), 1).unwrap() } else { dump.clone() };
        writer.write_all(&sent[..sent.len() - 1000]).unwrap();
        let started = Instant::now();
        while names_in(folder.path()).is_empty() && started.elapsed() < Duration::from_secs(60) {
            sleep(Duration::from_millis(5));
        }
        drop(writer);
        let code = child.wait().unwrap().code();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains("cannot read stdin") && stderr.contains("reset"), "{stderr}");
        assert_eq!(names_in(folder.path()), [] as [&str; 0]);
    }
}

/// The kernel refuses to read what is mapped at the start of a process: nothing is.
#[test]
#[cfg(target_os = "linux")]
fn an_input_output_error_is_told() {
    for command in ["report", "keys", "top", "prefixes", "info", "check"] {
        let output = rdblens([command, "/proc/self/mem"]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{stderr}");
        assert!(stderr.contains("/proc/self/mem") && stderr.contains("os error 5"), "{stderr}");
    }
}

#[test]
fn a_writer_that_dies_leaves_what_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    let dump = fs::read(fixtures().join("shop.rdb")).unwrap();
    let target = path.clone();
    let half = dump[..dump.len() / 2].to_vec();
    let writer = std::thread::spawn(move || fs::write(target, half).unwrap());
    let output = rdblens([OsStr::new("keys"), path.as_os_str()]);
    writer.join().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains(&format!("({})", dump.len() / 2)), "{stderr}");
    let whole = rdblens(["keys", "shop.rdb"]).stdout;
    assert!(whole.starts_with(&output.stdout) && output.stdout.len() > 1000);
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
