//! Dumps cut at every byte, through the libraries.

use std::fs;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rdb_analysis::{
    Aggregate, Aggregates, Coverage, FileFacts, Filter, Measure, Plan, PrefixOptions, Report, ReportOptions,
    Rows, Source, check, prologue, run as pass, survey,
};
use rdb_memory::{SizeModel, Target};
use rdb_parser::{Depth, Limits};
use rdb_report::csv::{KeyEncoding, KeyRows, RowFormat};

/// Up to how many bytes a file is read in full at each cut, by all that commands do. Larger ones are framed.
const SMALL: usize = 64 << 10;
/// How far cuts of larger files are apart: without optimization there is no time for all.
const STEP: usize = if cfg!(debug_assertions) { 997 } else { 1 };
/// Cuts of a large file that one thread takes at a time.
const CUTS_AT_ONCE: usize = 16 << 10;

/// Some cuts of one file.
struct Job {
    path: PathBuf,
    cuts: Range<usize>,
    is_small: bool,
}

/// What is known of the whole file.
struct Whole {
    rows: Vec<u8>,
    coverage: Coverage,
}

/// Cuts all dumps. Returns how many faults were found.
pub(super) fn run(dumps: &[PathBuf], threads: usize) -> anyhow::Result<u64> {
    let began = Instant::now();
    let jobs = jobs(dumps)?;
    let total: usize = jobs.iter().map(|job| job.cuts.len()).sum();
    let (next, faults, done) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let longest = Mutex::new((Duration::ZERO, String::new()));
    let work = || -> anyhow::Result<()> {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().context("cannot start a thread")?;
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let file = fs::read(&job.path)?;
            let whole = catch_unwind(AssertUnwindSafe(|| look(&pool, &file)))
                .map_err(|_| anyhow!("panic on {}", job.path.display()))??;
            let step = if job.is_small { 1 } else { STEP };
            for len in job.cuts.clone().step_by(step) {
                let started = Instant::now();
                let one = || {
                    if job.is_small { small(&pool, &file, len, &whole) } else { large(&file, len, &whole) }
                };
                let fault = match catch_unwind(AssertUnwindSafe(one)) {
                    Ok(fault) => fault?,
                    Err(_) => Some("panic".to_owned()),
                };
                let took = started.elapsed();
                if let Some(fault) = fault {
                    faults.fetch_add(1, Ordering::Relaxed);
                    println!("{} cut at {len}: {fault}", job.path.display());
                }
                let mut longest = longest.lock().unwrap_or_else(PoisonError::into_inner);
                if took > longest.0 {
                    *longest = (took, format!("{} cut at {len}", job.path.display()));
                }
                drop(longest);
                let done = done.fetch_add(step as u64, Ordering::Relaxed);
                if done / 500_000 != (done + step as u64) / 500_000 {
                    println!("{done} of {total} cuts in {} s", began.elapsed().as_secs());
                }
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let (took, of) = longest.into_inner().unwrap_or_else(PoisonError::into_inner);
    let faults = faults.into_inner();
    println!(
        "{faults} faults in {total} cuts of {} dumps (those beyond {} KiB framed at every byte divisible by {STEP}), {} s; \
         the longest took {} ms ({of})",
        dumps.len(),
        SMALL >> 10,
        began.elapsed().as_secs(),
        took.as_millis()
    );
    Ok(faults)
}

/// The small files first, then pieces of the large ones.
fn jobs(dumps: &[PathBuf]) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for path in dumps {
        let len = usize::try_from(fs::metadata(path)?.len())?;
        let is_small = len <= SMALL;
        let at_once = if is_small { SMALL } else { CUTS_AT_ONCE };
        for start in (0..len).step_by(at_once) {
            let end = (start + at_once).min(len);
            // Pieces begin at multiples of the step, so that together they make all of them.
            let start = if is_small { start } else { start.next_multiple_of(STEP) };
            jobs.push(Job { path: path.clone(), cuts: start..end.max(start), is_small });
        }
    }
    jobs.sort_by_key(|job| (!job.is_small, job.path.clone(), job.cuts.start));
    Ok(jobs)
}

/// Rows and report of a file.
fn look(pool: &ThreadPool, file: &[u8]) -> anyhow::Result<Whole> {
    let (rows, (_, coverage)) = pass_over(pool, file)?;
    Ok(Whole { rows, coverage })
}

fn pass_over(pool: &ThreadPool, file: &[u8]) -> anyhow::Result<(Vec<u8>, (FileFacts, Coverage))> {
    let facts = prologue(&mut Source::Whole(file), Limits::default())?;
    let model = SizeModel::new(&Target::new(facts.writer()));
    let plan = Plan {
        file: 0,
        model: &model,
        loaded: None,
        filter: &Filter::default(),
        depth: Depth::Elements,
        limits: Limits::default(),
        batch_bytes: Plan::BATCH_BYTES,
    };
    let options = ReportOptions {
        measure: Measure::default(),
        top_keys: 10,
        prefixes: PrefixOptions::default(),
        now_ms: vec![0],
        count_slots: true,
    };
    let (aggregates, fresh) = (Aggregates::default(), || Report::new(&options));
    let writer = KeyRows::new(RowFormat::Csv, KeyEncoding::Escaped, None);
    let mut out = Vec::new();
    let rows = Some(Rows { writer: &writer, out: &mut out });
    let read = pass(pool, &mut Source::Whole(file), plan, &aggregates, &fresh, rows, &())?;
    drop(aggregates.merge(fresh).finish());
    Ok((out, read))
}

fn small(pool: &ThreadPool, file: &[u8], len: usize, whole: &Whole) -> anyhow::Result<Option<String>> {
    let cut = file.get(..len).unwrap_or(file);
    let (rows, (facts, coverage)) = pass_over(pool, cut)?;
    if !whole.rows.starts_with(&rows) {
        return Ok(Some("other rows than those of the whole file".to_owned()));
    }
    let (_, checked, _) = check(&mut Source::Whole(cut), Limits::default(), &(), &mut |_| Ok(()))?;
    if checked.is_whole() != coverage.is_whole() {
        return Ok(Some("check and report disagree whether it is whole".to_owned()));
    }
    Ok(judge(len, &facts, &coverage, whole))
}

fn large(file: &[u8], len: usize, whole: &Whole) -> anyhow::Result<Option<String>> {
    let cut = file.get(..len).unwrap_or(file);
    let (facts, coverage) = survey(&mut Source::Whole(cut), Limits::default(), &())?;
    Ok(judge(len, &facts, &coverage, whole))
}

/// What breaks the rules in what is said of the first bytes of a file.
fn judge(len: usize, facts: &FileFacts, coverage: &Coverage, whole: &Whole) -> Option<String> {
    let is_short = (len as u64) < whole.coverage.read_bytes || whole.coverage.stopped_by.is_some();
    if is_short && coverage.is_whole() {
        return Some("passes for whole".to_owned());
    }
    if facts.version.is_some() != (len >= 9) && whole.coverage.read_bytes >= 9 {
        return Some("the header is read from too little, or not".to_owned());
    }
    if coverage.total_bytes != len as u64 || coverage.read_bytes > len as u64 {
        return Some(format!("read {} of {} bytes", coverage.read_bytes, coverage.total_bytes));
    }
    if coverage.keys > whole.coverage.keys + whole.coverage.damaged_keys {
        return Some("more keys than the whole file has".to_owned());
    }
    let place = coverage.stopped_by.as_ref().map(rdb_parser::Error::offset);
    place.filter(|place| *place > len as u64).map(|place| format!("an error at {place}, behind the end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole of it takes a while; some small dumps of every kind of server do for a test.
    #[test]
    fn cut_dumps_keep_the_rules() {
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/format");
        let dumps: Vec<_> = super::super::files(&fixtures, "rdb")
            .unwrap()
            .into_iter()
            .filter(|path| fs::metadata(path).unwrap().len() < 600)
            .step_by(5)
            .collect();
        assert!(dumps.len() > 20, "{}", dumps.len());
        assert_eq!(run(&dumps, 2).unwrap(), 0);
    }
}
