//! `cargo xtask torture`: dumps cut at every byte, and damage drawn by chance on every way into the binary.
//!
//! Rules: a run ends with exit code 0, 1 or 3, within ten seconds and 512 MiB of address space, without a panic. It says
//! what is wrong where something is. What is left of a file gives the rows that the whole file gives, as far as it
//! goes, and never passes for whole.

mod child;
mod cuts;
mod flips;
mod wrap;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

/// What can be chosen.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// How many damaged inputs are given to the binary.
    flips: u64,
    /// What all chance follows from.
    seed: u64,
    /// Only this one of them, which is kept and printed.
    case: Option<u64>,
    threads: usize,
    skip_cuts: bool,
    /// What is run, if not the release build.
    binary: Option<PathBuf>,
}

impl Options {
    fn of(arguments: &[String]) -> anyhow::Result<Self> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options =
            Self { flips: 100_000, seed: 1, case: None, threads, skip_cuts: false, binary: None };
        for pair in arguments.chunks(2) {
            let number = |text: &String| text.parse::<u64>().with_context(|| format!("{text} is no number"));
            match pair {
                [name, value] if name == "--flips" => options.flips = number(value)?,
                [name, value] if name == "--seed" => options.seed = number(value)?,
                [name, value] if name == "--case" => options.case = Some(number(value)?),
                [name, value] if name == "--threads" => options.threads = number(value)?.max(1) as usize,
                [name, value] if name == "--binary" => {
                    options.binary = Some(PathBuf::from(value).canonicalize()?)
                }
                [name, value] if name == "--cuts" => options.skip_cuts = value == "no",
                _ => bail!(
                    "usage: cargo xtask torture [--flips N] [--seed N] [--threads N] [--cuts no] [--case N] [--binary FILE]"
                ),
            }
        }
        Ok(options)
    }
}

/// Cuts and flips, and tells of both.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = Options::of(arguments)?;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").canonicalize()?;
    let dumps = files(&fixtures, "rdb")?;
    let binary = options.binary.clone().map_or_else(crate::build_release, Ok)?.canonicalize()?;
    let mut faults = flips::run(&binary, &dumps, &files(&fixtures, "dump")?, &options)?;
    if !options.skip_cuts && options.case.is_none() {
        faults += cuts::run(&dumps, options.threads)?;
    }
    ensure!(faults == 0, "{faults} faults");
    Ok(())
}

/// All files below a folder with this extension, in an order that does not change.
fn files(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|of| of == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
