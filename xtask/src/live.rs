//! `cargo xtask live`: the comparison of `docs/ACCURACY.md` with the servers of this machine.
//!
//! `fixtures/live.py` starts each server, fills it from a fresh seed, saves, starts it again from its dump and asks
//! for every key; then it loads that dump into all newer servers. Nothing is taken from the fixtures.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use rdb_memory::{Allocator, Mode};

use crate::accuracy::{Measured, sets, table_of_sets};

/// Error of the sum that still passes, in percent: chance moves a small keyspace by about half of it.
const MOST_TOTAL: f64 = 0.5;
/// Keys to the byte that must be reached, in percent: skip lists are never, and libc hits a few of each kind.
const LEAST_EXACT: (f64, f64) = (93.0, 85.0);

/// Compares with the servers in these folders or at these paths; without any, with those in PATH.
pub(crate) fn run(places: &[String]) -> anyhow::Result<()> {
    let servers = servers(places)?;
    ensure!(
        !servers.is_empty(),
        "no server found. Name folders or binaries: cargo xtask live /usr/bin/redis-server\n\
         fixtures/servers/fetch.sh FOLDER collects six releases from package registries"
    );
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/live.py");
    let status = Command::new("python3")
        .arg(script)
        .arg("--out")
        .arg(folder.path())
        .args(&servers)
        .status()
        .context("cannot run python3")?;
    ensure!(status.success(), "fixtures/live.py failed");

    let measured: anyhow::Result<Vec<_>> =
        sets::in_folder(folder.path())?.into_iter().map(Measured::new).collect();
    let measured = measured?;
    println!("\n{}", table_of_sets(&measured));
    let failures: Vec<_> = measured.iter().filter_map(failure).collect();
    if failures.is_empty() {
        println!("{} sets agree", measured.len());
        return Ok(());
    }
    bail!("{}", failures.join("\n"));
}

/// What is wrong with a set, if anything is.
fn failure(one: &Measured) -> Option<String> {
    let loaded = &one.loaded;
    let libc = one.set.target(Mode::Loaded).is_ok_and(|target| target.allocator == Allocator::Libc);
    let least = if libc { LEAST_EXACT.1 } else { LEAST_EXACT.0 };
    let problem = if loaded.encodings_missed > 0 {
        format!("{} keys have another encoding", loaded.encodings_missed)
    } else if loaded.all.exact_percent() < least {
        format!("{:.2} % of the keys are exact", loaded.all.exact_percent())
    } else if loaded.all.total_percent().abs() > MOST_TOTAL {
        format!("the sum is off by {:+.3} %", loaded.all.total_percent())
    } else {
        return None;
    };
    Some(format!("{}: {problem}", one.set.name))
}

/// Servers among files and folders.
fn servers(places: &[String]) -> anyhow::Result<Vec<PathBuf>> {
    if places.is_empty() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let candidates = std::env::split_paths(&path)
            .flat_map(|folder| ["redis-server", "valkey-server"].map(|name| folder.join(name)));
        let mut found: Vec<_> = candidates.filter(|path| path.is_file()).collect();
        found.dedup();
        return Ok(found);
    }
    let mut found = Vec::new();
    for place in places.iter().map(PathBuf::from) {
        if !place.is_dir() {
            ensure!(place.exists(), "{} does not exist", place.display());
            found.push(place);
            continue;
        }
        for entry in std::fs::read_dir(&place).with_context(|| format!("cannot read {}", place.display()))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().display().to_string();
            let is_server = ["redis-", "valkey-"].iter().any(|vendor| {
                name.strip_prefix(vendor)
                    .is_some_and(|rest| rest == "server" || rest.starts_with(|c: char| c.is_ascii_digit()))
            });
            if is_server {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
