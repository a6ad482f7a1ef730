//! What the tests of the command line share: the binary, the fixtures, the servers' answers.

#![allow(dead_code)] // each test program uses some of it

pub(crate) mod server;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value as Json;

/// The folder of fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").canonicalize().unwrap()
}

/// Runs the binary in the folder of fixtures.
pub(crate) fn rdblens<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rdblens"))
        .current_dir(fixtures())
        .args(arguments)
        .env_remove("NO_COLOR")
        .output()
        .unwrap()
}

/// Standard output of a run that must find everything whole.
pub(crate) fn stdout_of<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> String {
    let output = rdblens(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// A JSON fixture.
pub(crate) fn json(path: impl AsRef<Path>) -> Json {
    let path = fixtures().join(path);
    serde_json::from_slice(&fs::read(&path).unwrap_or_else(|_| panic!("{}", path.display()))).unwrap()
}

/// Rows of a CSV text, each by its columns' names.
pub(crate) fn rows(text: &[u8]) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text);
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// Bytes of a base64 text.
pub(crate) fn unbase64(text: &str) -> Vec<u8> {
    BASE64.decode(text).unwrap()
}

/// What a server answers for one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) object_type: String,
    pub(crate) encoding: String,
    pub(crate) elements: Option<u64>,
    pub(crate) expire_ms: Option<i64>,
    pub(crate) usage: u64,
    pub(crate) family: Option<usize>,
}

/// Keys by database and name.
pub(crate) type Answers = BTreeMap<(u64, Vec<u8>), Answer>;

/// The answers of a server, from its table (plain or gzipped).
pub(crate) fn answers(path: impl AsRef<Path>) -> Answers {
    let path = fixtures().join(path);
    let mut text = Vec::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let file = fs::File::open(&path).unwrap();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(file), &mut text).unwrap();
    } else {
        text = fs::read(&path).unwrap_or_else(|_| panic!("{}", path.display()));
    }
    let number = |text: &String| text.parse().ok();
    rows(&text)
        .into_iter()
        .map(|row| {
            let answer = Answer {
                object_type: row["type"].clone(),
                encoding: row["encoding"].clone(),
                elements: row["elements"].parse().ok(),
                expire_ms: row["expire_ms"].parse().ok(),
                usage: row.get("usage_loaded").or_else(|| row.get("usage")).and_then(number).unwrap(),
                family: row.get("family").and_then(|family| family.parse().ok()),
            };
            ((row["db"].parse().unwrap(), unbase64(&row["key_b64"])), answer)
        })
        .collect()
}

/// What `keys` says of a file, with these options.
pub(crate) fn keys_of(file: &Path, options: &[String]) -> Answers {
    let mut arguments = vec!["keys".to_owned(), "--key-encoding".to_owned(), "base64".to_owned()];
    arguments.extend_from_slice(options);
    arguments.push(file.display().to_string());
    let text = stdout_of(&arguments);
    rows(text.as_bytes())
        .into_iter()
        .map(|row| {
            let answer = Answer {
                object_type: row["type"].clone(),
                encoding: row["encoding"].clone(),
                elements: row["elements"].parse().ok(),
                expire_ms: row["expire_at_ms"].parse().ok(),
                usage: row["memory_bytes"].parse().unwrap(),
                family: None,
            };
            ((row["db"].parse().unwrap(), unbase64(&row["key"])), answer)
        })
        .collect()
}

/// Every dump among the fixtures.
pub(crate) fn dumps() -> Vec<PathBuf> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rdb") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    visit(&fixtures(), &mut found);
    found.sort();
    assert!(found.len() > 300);
    found
}
