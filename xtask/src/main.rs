//! Chores of this repository: `cargo xtask check` is everything that must pass before a change lands.

mod accuracy;
mod live;
mod salvage;
mod server;
#[cfg(unix)]
mod torture;

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, bail};

/// What must pass, cheapest first. The tests come last, so that their summary ends the output.
const STEPS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]),
    ("docs", &["doc", "--workspace", "--no-deps", "--locked", "--document-private-items"]),
];

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let done = match task.as_str() {
        "check" => check(),
        "accuracy" => accuracy::run(false),
        "salvage" => salvage::run(std::env::args().nth(2).as_deref()),
        "live" => live::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        #[cfg(unix)]
        "torture" => torture::run(&std::env::args().skip(2).collect::<Vec<_>>()),
        _ => {
            eprintln!(
                "usage: cargo xtask check       formatting, lints, docs and all tests\n\
                        cargo xtask accuracy    writes docs/ACCURACY.md from the fixtures\n\
                        cargo xtask salvage [DUMP]\n\
                 \x20                             damages a dump in ten ways and tells what comes back\n\
                        cargo xtask live [SERVER or FOLDER ...]\n\
                 \x20                             fills servers of this machine and compares key by key\n\
                        cargo xtask torture     cuts every dump at every byte, and damages inputs of every kind\n\
                 \x20                             by chance; --flips N, --seed N, --threads N, --cuts no, --case N"
            );
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).env("RUSTDOCFLAGS", "-D warnings");
    command
}

fn check() -> anyhow::Result<()> {
    for (name, arguments) in STEPS {
        println!("== {name}: cargo {}", arguments.join(" "));
        let status = cargo(arguments).status().with_context(|| format!("cannot run cargo for {name}"))?;
        if !status.success() {
            bail!("{name} failed");
        }
    }
    server::ensure()?;
    test()
}

/// The binary as users have it.
fn build_release() -> anyhow::Result<std::path::PathBuf> {
    let status = cargo(&["build", "--release", "-p", "rdblens"]).status().context("cannot run cargo")?;
    if !status.success() {
        bail!("cannot build rdblens");
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), std::path::PathBuf::from);
    Ok(target.join("release/rdblens"))
}

/// Runs all tests and sums what the test programs say of themselves.
fn test() -> anyhow::Result<()> {
    let arguments = ["test", "--workspace", "--locked", "--no-fail-fast"];
    println!("== tests: cargo {}", arguments.join(" "));
    let mut child = cargo(&arguments).stdout(Stdio::piped()).spawn().context("cannot run cargo test")?;
    let output = child.stdout.take().context("cargo test has no output")?;
    let (mut passed, mut failed) = (0u64, 0u64);
    for line in BufReader::new(output).lines() {
        let line = line.context("cannot read the output of cargo test")?;
        println!("{line}");
        if line.starts_with("test result:") {
            passed += number_before(&line, " passed");
            failed += number_before(&line, " failed");
        }
    }
    let status = child.wait().context("cargo test did not end")?;
    println!("\n{passed} passed, {failed} failed");
    if !status.success() || failed > 0 || passed == 0 {
        bail!("tests failed");
    }
    Ok(())
}

fn number_before(line: &str, word: &str) -> u64 {
    let before = line.split(word).next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
