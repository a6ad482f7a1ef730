//! Damage drawn by chance, given to the binary on every way in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use rdb_synth::prng::Prng;

use super::Options;
use super::child::{self, Ended};
use super::wrap::Way;

/// How the binary may be asked. What is printed by the first three does not name the input.
const COMMANDS: [&[&str]; 11] = [
    &["keys"],
    &["top", "--format", "csv"],
    &["prefixes", "--format", "csv"],
    &["report"],
    &["report", "--format", "json", "--as", "loaded"],
    &["info"],
    &["check"],
    &["check", "--format", "jsonl"],
    &["keys", "--salvage"],
    &["report", "--salvage"],
    &["extract", "--salvage"],
];

/// What the runs of one way in took.
#[derive(Debug, Default)]
struct Figures {
    runs: u64,
    codes: BTreeMap<i32, u64>,
    longest: Duration,
    peak: u64,
}

/// Gives so many damaged inputs to the binary. Returns how many faults were found.
pub(super) fn run(
    binary: &Path,
    dumps: &[PathBuf],
    payloads: &[PathBuf],
    options: &Options,
) -> anyhow::Result<u64> {
    child::watch()?;
    let began = Instant::now();
    let cases = options.case.map_or(0..options.flips, |case| case..case + 1);
    let next = AtomicU64::new(cases.start);
    let all = Mutex::new(BTreeMap::<Way, Figures>::new());
    let faults = AtomicU64::new(0);
    let work = || -> anyhow::Result<()> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        loop {
            let case = next.fetch_add(1, Ordering::Relaxed);
            if case >= cases.end {
                return Ok(());
            }
            if case.is_multiple_of(5000) && case > 0 {
                println!("{case} of {} runs in {} s", cases.end, began.elapsed().as_secs());
            }
            let one = one(binary, folder.path(), dumps, payloads, options.seed, case)?;
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            let figures = all.entry(one.way).or_default();
            figures.runs += 1;
            *figures.codes.entry(one.ended.code.unwrap_or(-1)).or_default() += 1;
            figures.longest = figures.longest.max(one.ended.took);
            figures.peak = figures.peak.max(one.ended.peak);
            drop(all);
            for fault in &one.faults {
                faults.fetch_add(1, Ordering::Relaxed);
                println!(
                    "case {case}: {fault}: {} {} of {}",
                    one.command,
                    one.way.name(),
                    one.dump.display()
                );
                println!("    {}", one.ended.stderr.lines().next().unwrap_or_default());
            }
            if options.case.is_some() {
                let kept = folder.keep();
                println!("{} {}: {:?}", one.command, kept.display(), one.ended);
                return Ok(());
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;

    println!(
        "{:<22} {:>7}  {:>22}  {:>9}  {:>9}",
        "way in", "runs", "exit codes 0 / 1 / 3", "longest", "peak RSS"
    );
    for (way, figures) in all.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let code = |code| figures.codes.get(&code).copied().unwrap_or_default();
        println!(
            "{:<22} {:>7}  {:>22}  {:>6} ms  {:>5} MiB",
            way.name(),
            figures.runs,
            format!("{} / {} / {}", code(0), code(1), code(3)),
            figures.longest.as_millis(),
            figures.peak >> 20
        );
    }
    let faults = faults.into_inner();
    println!(
        "{faults} faults in {} damaged inputs, seed {}, {} s",
        options.flips,
        options.seed,
        began.elapsed().as_secs()
    );
    Ok(faults)
}

struct Case {
    way: Way,
    dump: PathBuf,
    command: String,
    ended: Ended,
    faults: Vec<String>,
}

/// Makes and gives one damaged input. Everything follows from the seed and the number.
fn one(
    binary: &Path,
    folder: &Path,
    dumps: &[PathBuf],
    payloads: &[PathBuf],
    seed: u64,
    case: u64,
) -> anyhow::Result<Case> {
    let prng = &mut Prng::split(seed, case);
    let way = *prng.pick(&Way::ALL);
    let dump = prng.pick(if way == Way::Payload { payloads } else { dumps }).clone();
    let command = match *prng.pick(&COMMANDS) {
        // An answer of DUMP has nothing behind its value.
        [_, "--salvage"] if way == Way::Payload => COMMANDS.first().copied().unwrap_or_default(),
        command => command,
    };
    let input = folder.join("input");
    if input.is_dir() {
        fs::remove_dir_all(&input)?;
    }
    way.write(folder, &fs::read(&dump)?, prng)?;
    // Every third input other than a directory comes through a pipe.
    let is_piped = way == Way::Pipe || way != Way::Mapped && way != Way::AofDirectory && prng.chance(333);
    let give = |is_piped: bool| {
        let mut arguments = command.to_vec();
        if way == Way::Payload {
            arguments.push("--dump-payload=key");
        }
        arguments.push(if is_piped { "-" } else { "input" });
        child::run(binary, folder, &arguments, is_piped.then_some(input.as_path()))
    };
    let ended = give(is_piped)?;
    let mut faults = judge(&ended, command);
    if matches!(command, ["keys" | "top" | "prefixes", ..]) && way != Way::AofDirectory && prng.chance(100) {
        let other = give(!is_piped)?;
        faults.extend(judge(&other, command));
        if (other.code, &other.stdout) != (ended.code, &ended.stdout) {
            faults.push(format!("file and pipe differ, exit codes {:?} and {:?}", ended.code, other.code));
        }
    }
    if command.contains(&"extract") && ended.code != Some(1) {
        fs::write(folder.join("extracted"), &ended.stdout)?;
        let checked = child::run(binary, folder, &["check", "extracted"], None)?;
        if checked.code != Some(0) {
            faults.push(format!(
                "what was extracted is not sound: {}",
                String::from_utf8_lossy(&checked.stdout)
            ));
        }
    }
    Ok(Case { way, dump, command: command.join(" "), ended, faults })
}

/// What breaks the rules in the end of a run.
fn judge(ended: &Ended, command: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    if !matches!(ended.code, Some(0 | 1 | 3)) {
        faults.push(format!("exit code {:?} after {} ms", ended.code, ended.took.as_millis()));
    }
    if ended.stderr.contains("panicked") {
        faults.push("panic".to_owned());
    }
    let says_nothing = ended.stderr.is_empty() && (ended.stdout.is_empty() || !command.contains(&"check"));
    if matches!(ended.code, Some(1 | 3)) && says_nothing {
        faults.push("nothing is said".to_owned());
    }
    // Lines of faults come as they are met, before it is known that there is nothing else.
    if ended.code == Some(1) && !ended.stdout.is_empty() && !command.contains(&"jsonl") {
        faults.push("a result, and exit code 1".to_owned());
    }
    faults
}
