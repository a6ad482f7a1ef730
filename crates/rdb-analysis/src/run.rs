//! The single pass over a file: the scanner cuts it into runs of records, workers observe them.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{Scope, ThreadPool};
use rdb_memory::SizeModel;
use rdb_parser::{Checksum, Depth, Error, Item, KeyHead, Limits, Record, Scanner, Sink, Stop};

use crate::ordered::OrderedWriter;
use crate::source::Window;
use crate::worker::{Harvest, Job, work};
use crate::{Aggregate, ChecksumVerdict, Coverage, FileFacts, Filter, RowWriter, Source, Warning};

/// How the keys of one file are looked at, and with what means.
#[derive(Clone, Copy)]
pub struct Plan<'p> {
    /// Which input it is: 0 for the first file named.
    pub file: u32,
    /// Whose memory is asked about.
    pub model: &'p SizeModel,
    /// Which keys are observed.
    pub filter: &'p Filter,
    /// How closely values are looked at.
    pub depth: Depth,
    /// How much the file may ask for.
    pub limits: Limits,
    /// Bytes of a run of records that one worker takes at a time.
    pub batch_bytes: usize,
}

impl Plan<'_> {
    /// Large enough that handing a run over costs nothing, small enough to stay in cache.
    pub const BATCH_BYTES: usize = 1 << 20;
}

/// Told how far the pass has come.
pub trait Progress: Sync {
    /// More bytes are done with, and more keys were seen in them.
    fn advance(&self, bytes: u64, keys: u64);
}

/// Nobody watches.
impl Progress for () {
    fn advance(&self, _: u64, _: u64) {}
}

/// Rows that are written while the pass goes on, in the order of the file.
pub struct Rows<'w> {
    /// Makes the text of each row.
    pub writer: &'w dyn RowWriter,
    /// Where it goes.
    pub out: &'w mut (dyn Write + Send),
}

/// Aggregates that wait for a worker to go on with them: one per thread at the most.
///
/// Which worker sees which keys does not matter, by the laws of [`Aggregate`].
#[derive(Debug)]
pub struct Aggregates<A>(Mutex<Vec<A>>);

impl<A: Aggregate> Default for Aggregates<A> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<A: Aggregate> Aggregates<A> {
    fn take(&self, fresh: &(impl Fn() -> A + Sync)) -> A {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        waiting.unwrap_or_else(fresh)
    }

    fn put_back(&self, aggregate: A) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(aggregate);
    }

    /// Merges them all into one.
    pub fn merge(self, fresh: impl FnOnce() -> A) -> A {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.into_iter()
            .reduce(|mut merged, next| {
                merged.merge(next);
                merged
            })
            .unwrap_or_else(fresh)
    }
}

/// Passes over one file once: `aggregates` observe every key that passes the filter, rows are written.
///
/// Returns what the file says about itself and how much of it the result rests on. Damage is no
/// error: it is in the coverage.
///
/// # Errors
///
/// When reading the source or writing rows fails.
pub fn run<'p, A: Aggregate>(
    pool: &ThreadPool,
    source: &mut Source<'_>,
    plan: Plan<'p>,
    aggregates: &'p Aggregates<A>,
    fresh: &'p (impl Fn() -> A + Sync),
    rows: Option<Rows<'p>>,
    progress: &'p dyn Progress,
) -> io::Result<(FileFacts, Coverage)> {
    let (row_writer, out) = rows.map_or((None, None), |rows| (Some(rows.writer), Some(rows.out)));
    let job = Job {
        file: plan.file,
        model: plan.model,
        filter: plan.filter,
        depth: plan.depth,
        limits: plan.limits,
        rows: row_writer,
    };
    let pass = Pass {
        job,
        aggregates,
        fresh,
        threads: pool.current_num_threads(),
        in_flight: AtomicUsize::new(0),
        gathered: Mutex::new(Gathered::default()),
        rows: out.map(OrderedWriter::new),
        progress,
    };
    let mut cutter = Cutter::new(plan);
    let mut tail = 0;
    // The scanner runs inside the pool and lends a hand when the workers have enough to do.
    let read = match source {
        Source::Whole(bytes) => pool.scope(|scope| cutter.cut_whole(bytes, &pass, scope)),
        Source::Stream(window) => {
            let read = pool.scope(|scope| cutter.cut_stream(window, &pass, scope));
            // What is behind the records, or behind damage, is counted all the same.
            if !pass.is_unwanted() {
                tail = window.drain()?;
            }
            read
        }
    };
    read?;
    let Pass { gathered, rows, .. } = pass;
    if let Some(rows) = rows {
        rows.finish()?;
    }
    let gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(cutter.conclude(gathered, source.len(), tail))
}

/// What all workers share while a file is passed over.
struct Pass<'p, A, F> {
    job: Job<'p>,
    aggregates: &'p Aggregates<A>,
    fresh: &'p F,
    threads: usize,
    in_flight: AtomicUsize,
    gathered: Mutex<Gathered>,
    rows: Option<OrderedWriter<'p>>,
    progress: &'p dyn Progress,
}

/// What the workers brought home.
#[derive(Debug, Default)]
struct Gathered {
    keys: u64,
    empty_keys: u64,
    damaged_keys: u64,
    errors: Vec<Error>,
    checksums: BTreeMap<usize, Checksum>,
}

/// A run of whole records, and the scanner as it stood in front of it.
struct Batch<B> {
    number: usize,
    scanner: Scanner,
    bytes: B,
    unsummed: usize,
}

impl<A: Aggregate, F: Fn() -> A + Sync> Pass<'_, A, F> {
    /// Hands a batch to a worker, or does it here when enough of them are under way.
    fn dispatch<'s, B: AsRef<[u8]> + Send + 's>(&'s self, batch: Batch<B>, scope: &Scope<'s>) {
        if self.threads == 1 || self.in_flight.load(Ordering::Relaxed) >= 2 * self.threads {
            self.observe(batch);
        } else {
            self.in_flight.fetch_add(1, Ordering::Relaxed);
            scope.spawn(move |_| {
                self.observe(batch);
                self.in_flight.fetch_sub(1, Ordering::Relaxed);
            });
        }
        // Rows that wait for a slow batch must not pile up: help until it is through.
        while self.rows.as_ref().is_some_and(|rows| rows.waiting() > 4 * self.threads) {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
        }
    }

    fn observe<B: AsRef<[u8]>>(&self, batch: Batch<B>) {
        let Batch { number, scanner, bytes, unsummed } = batch;
        let bytes = bytes.as_ref();
        let mut aggregate = self.aggregates.take(self.fresh);
        let harvest = work(self.job, scanner, bytes, unsummed, &mut aggregate);
        self.aggregates.put_back(aggregate);
        self.progress.advance(bytes.len() as u64, harvest.keys);
        let Harvest { keys, empty_keys, damaged_keys, errors, rows, checksum } = harvest;
        if let Some(writer) = &self.rows {
            writer.put(number, rows);
        }
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        gathered.keys += keys;
        gathered.empty_keys += empty_keys;
        gathered.damaged_keys += damaged_keys;
        gathered.checksums.insert(number, checksum);
        if !errors.is_empty() {
            gathered.errors.extend(errors);
            gathered.errors.sort_by_key(Error::offset);
            gathered.errors.truncate(Coverage::MAX_ERRORS);
        }
    }

    fn is_unwanted(&self) -> bool {
        self.rows.as_ref().is_some_and(OrderedWriter::has_failed)
    }
}

/// The scanner's side of the pass.
struct Cutter {
    scanner: Scanner,
    batch_bytes: usize,
    facts: FileFacts,
    db: u64,
    next_batch: usize,
    stopped_by: Option<Error>,
    summed_bytes: u64,
    dangling_attributes: bool,
}

impl Cutter {
    fn new(plan: Plan<'_>) -> Self {
        Self {
            scanner: Scanner::new(plan.limits),
            batch_bytes: plan.batch_bytes,
            facts: FileFacts::default(),
            db: 0,
            next_batch: 0,
            stopped_by: None,
            summed_bytes: u64::MAX,
            dangling_attributes: false,
        }
    }

    /// Scans from the start of `bytes` and returns how many make whole records, and why it stopped.
    ///
    /// `None` when the framing is lost behind them.
    fn scan(&mut self, bytes: &[u8], cut: usize) -> (usize, Option<Stop>) {
        let start = self.scanner.offset();
        let mut sink = Facts { cutter_facts: &mut self.facts, db: &mut self.db, end: None, visitor: () };
        let scanned = self.scanner.scan(bytes, cut, &mut sink);
        if let Some((summed_bytes, dangling)) = sink.end {
            self.summed_bytes = summed_bytes;
            self.dangling_attributes = dangling;
        }
        match scanned {
            Ok(scanned) => (scanned.consumed, Some(scanned.stop)),
            Err(error) => {
                self.stopped_by = Some(error);
                ((self.scanner.offset() - start) as usize, None)
            }
        }
    }

    fn batch<B: AsRef<[u8]>>(&mut self, scanner: Scanner, bytes: B) -> Batch<B> {
        let number = self.next_batch;
        self.next_batch += 1;
        let unsummed = self.scanner.offset().saturating_sub(self.summed_bytes) as usize;
        Batch { number, scanner, bytes, unsummed }
    }

    fn cut_whole<'s, A: Aggregate, F: Fn() -> A + Sync>(
        &mut self,
        bytes: &'s [u8],
        pass: &'s Pass<'_, A, F>,
        scope: &Scope<'s>,
    ) -> io::Result<()> {
        let mut rest = bytes;
        loop {
            let before = self.scanner.replay();
            let (consumed, stop) = self.scan(rest, self.batch_bytes);
            let Some((run, after)) = rest.split_at_checked(consumed) else { return Ok(()) };
            rest = after;
            if !run.is_empty() {
                pass.dispatch(self.batch(before, run), scope);
            }
            match stop {
                Some(Stop::Cut) if pass.is_unwanted() => return Ok(()),
                Some(Stop::Cut) => {}
                Some(Stop::End) | None => return Ok(()),
                Some(Stop::NeedMore(_)) => {
                    self.stopped_by = Some(self.scanner.truncated(rest));
                    return Ok(());
                }
            }
        }
    }

    fn cut_stream<'s, A: Aggregate, F: Fn() -> A + Sync>(
        &mut self,
        window: &mut Window<'_>,
        pass: &'s Pass<'_, A, F>,
        scope: &Scope<'s>,
    ) -> io::Result<()> {
        let mut want = self.batch_bytes;
        loop {
            window.fill(want)?;
            let before = self.scanner.replay();
            let (consumed, stop) = self.scan(window.bytes(), usize::MAX);
            if consumed > 0 {
                let run = window.take(consumed);
                pass.dispatch(self.batch(before, run), scope);
                want = self.batch_bytes;
            }
            match stop {
                Some(Stop::End) | None => return Ok(()),
                Some(Stop::Cut) => {}
                Some(Stop::NeedMore(_)) if window.has_ended() => {
                    self.stopped_by = Some(self.scanner.truncated(window.bytes()));
                    return Ok(());
                }
                // Doubling keeps the cost of scanning a large record again in bounds.
                Some(Stop::NeedMore(_)) if consumed == 0 => {
                    want = want.max(window.bytes().len()).saturating_mul(2)
                }
                Some(Stop::NeedMore(_)) => want = want.max(window.bytes().len() + self.batch_bytes),
            }
            if pass.is_unwanted() {
                return Ok(());
            }
        }
    }

    fn conclude(self, gathered: Gathered, total: Option<u64>, tail: u64) -> (FileFacts, Coverage) {
        let read_bytes = self.scanner.offset();
        let total_bytes = total.unwrap_or(read_bytes + tail);
        let computed =
            gathered.checksums.into_values().fold(Checksum::default(), Checksum::followed_by).value();
        let checksum = match (self.facts.ended, self.facts.checksum) {
            (false, _) => ChecksumVerdict::NotReached,
            (true, None) => ChecksumVerdict::Absent,
            (true, Some(0)) => ChecksumVerdict::Disabled,
            (true, Some(stored)) if stored == computed => ChecksumVerdict::Ok(stored),
            (true, Some(stored)) => ChecksumVerdict::Mismatch { stored, computed },
        };
        let mut warnings = Vec::new();
        if self.facts.version.is_some_and(|version| version.is_newer_than_known()) {
            warnings.push(Warning::NewerVersion);
        }
        if self.facts.ended && total_bytes > read_bytes {
            warnings.push(Warning::TrailingBytes(total_bytes - read_bytes));
        }
        if gathered.empty_keys > 0 {
            warnings.push(Warning::EmptyKeys(gathered.empty_keys));
        }
        if self.dangling_attributes {
            warnings.push(Warning::DanglingAttributes);
        }
        let coverage = Coverage {
            total_bytes,
            read_bytes,
            keys: gathered.keys,
            damaged_keys: gathered.damaged_keys,
            errors: gathered.errors,
            stopped_by: self.stopped_by,
            checksum,
            warnings,
        };
        (self.facts, coverage)
    }
}

/// Takes note of everything but keys.
struct Facts<'f> {
    cutter_facts: &'f mut FileFacts,
    db: &'f mut u64,
    end: Option<(u64, bool)>,
    visitor: (),
}

impl<'a> Sink<'a> for Facts<'_> {
    type Visitor = ();

    #[inline]
    fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
        &mut self.visitor
    }

    #[inline]
    fn record(&mut self, _: &Record<'a>) {}

    fn item(&mut self, item: Item<'a>, _: u64, bytes: u64) {
        if let Item::End { summed_bytes, dangling_attributes, .. } = item {
            self.end = Some((summed_bytes, dangling_attributes));
        }
        self.cutter_facts.note(&item, self.db, bytes);
    }
}
