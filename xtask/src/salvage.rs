//! `cargo xtask salvage`: how much of a damaged dump comes back, and whether a server loads it.

// Places are chosen inside the dump.
#![allow(clippy::indexing_slicing)]

// The same server that the tests load files into; it panics as tests do.
#[allow(clippy::unwrap_used, clippy::expect_used, dead_code)]
#[path = "../../crates/rdblens/tests/support/server.rs"]
mod loading;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};
use rdb_synth::profile::{Plan, Profile, generate};

use self::loading::Server;

/// Damages a dump at the given place; 4,096 bytes and more follow it.
type Damage = fn(&mut Vec<u8>, usize);

const KINDS: &[(&str, Damage)] = &[
    ("a bit flipped", |bytes, at| bytes[at] ^= 0x10),
    ("a byte overwritten", |bytes, at| bytes[at] = 0xee),
    ("16 bytes of zeros", |bytes, at| bytes[at..at + 16].fill(0)),
    ("a sector of zeros (512)", |bytes, at| bytes[at..at + 512].fill(0)),
    ("a page of zeros (4 KiB)", |bytes, at| bytes[at..at + 4096].fill(0)),
    ("a page of a pattern", |bytes, at| bytes[at..at + 4096].fill(0xa5)),
    ("a page of noise", |bytes, at| noise(&mut bytes[at..at + 4096], at as u64)),
    ("a page from elsewhere", |bytes, at| bytes.copy_within(at / 2..at / 2 + 4096, at)),
    ("100 bytes missing", |bytes, at| drop(bytes.drain(at..at + 100))),
    ("100 bytes too many", |bytes, at| drop(bytes.splice(at..at, [0x20; 100]))),
];

fn noise(bytes: &mut [u8], seed: u64) {
    let mut state = seed | 1;
    for byte in bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *byte = (state >> 56) as u8;
    }
}

/// Damages the dump at this path, or a generated one of 100 MB, in ten ways, one by one and all at once.
pub(crate) fn run(path: Option<&str>) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let rdblens = crate::build_release()?;
    let whole = match path {
        Some(path) => PathBuf::from(path),
        None => {
            let path = folder.path().join("whole.rdb");
            let file = fs::File::create(&path)?;
            generate(&Plan::new(Profile::Mixed, 100_000_000, 1), std::io::BufWriter::new(file))
                .map_err(|error| anyhow::anyhow!("cannot generate a dump: {error}"))?;
            path
        }
    };
    let bytes = fs::read(&whole)?;
    ensure!(bytes.len() > 1 << 20, "a dump of a megabyte at least is needed");
    let truth = keys(&rdblens, &whole)?;
    let all: usize = truth.values().sum();
    println!("{} bytes, {all} keys", bytes.len());
    println!("| damage | losses told | recovered | of all | changed | seconds | a server has |");
    println!("|---|---|---|---|---|---|---|");
    let step = bytes.len() / (KINDS.len() + 1);
    let places = (1..).map(|n| n * step + 7);
    for (at, (name, damage)) in places.clone().zip(KINDS) {
        let mut damaged = bytes.clone();
        damage(&mut damaged, at);
        one(&rdblens, folder.path(), name, &damaged, &truth)?;
    }
    let mut damaged = bytes.clone();
    // From the back, so that each place is still where it was.
    for (at, (_, damage)) in places.zip(KINDS).collect::<Vec<_>>().into_iter().rev() {
        damage(&mut damaged, at);
    }
    one(&rdblens, folder.path(), "all ten", &damaged, &truth)?;
    damaged.truncate(bytes.len() / 10 * 9);
    one(&rdblens, folder.path(), "all ten, and cut at 90 %", &damaged, &truth)
}

fn one(rdblens: &Path, folder: &Path, name: &str, damaged: &[u8], truth: &Rows) -> anyhow::Result<()> {
    let (file, new) = (folder.join("damaged.rdb"), folder.join("new.rdb"));
    fs::write(&file, damaged)?;
    let start = Instant::now();
    let mut command = Command::new(rdblens);
    let written =
        command.args(["extract", "--salvage", "--no-progress", "-o"]).arg(&new).arg(&file).output()?;
    let seconds = start.elapsed().as_secs_f64();
    ensure!(written.status.code() == Some(3), "{name}: {}", String::from_utf8_lossy(&written.stderr));
    let found = keys(rdblens, &new)?;
    let (all, taken): (usize, usize) = (truth.values().sum(), found.values().sum());
    let right: usize = found.iter().map(|(row, count)| *truth.get(row).unwrap_or(&0).min(count)).sum();
    let server = Server::loading(&new);
    let loaded = server.keys();
    ensure!(loaded == taken as u64, "{name}: the server has {loaded} keys of {taken}");
    let told = String::from_utf8_lossy(&written.stderr).lines().count().saturating_sub(1);
    println!(
        "| {name} | {told} | {right} | {:.4} % | {} | {seconds:.2} | {loaded} |",
        100.0 * right as f64 / all as f64,
        taken - right
    );
    Ok(())
}

/// Rows of all keys without their offsets, and how often each is there.
type Rows = HashMap<String, usize>;

fn keys(rdblens: &Path, file: &Path) -> anyhow::Result<Rows> {
    let output = Command::new(rdblens).args(["keys", "--no-progress"]).arg(file).output()?;
    let text = String::from_utf8(output.stdout).context("the rows are no text")?;
    let mut rows = Rows::new();
    for line in text.lines().skip(1) {
        let (row, _offset) = line.rsplit_once(',').unwrap_or((line, ""));
        *rows.entry(row.to_owned()).or_default() += 1;
    }
    Ok(rows)
}
