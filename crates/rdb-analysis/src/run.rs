//! The single pass over a file: the scanner cuts it into runs of records, workers observe them.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{Scope, ThreadPool};
use rdb_memory::SizeModel;
use rdb_parser::{Checksum, Depth, Error, Limits};

use crate::cutter::{Batch, Cutter, Gathered};
use crate::ordered::OrderedWriter;
use crate::source::Tail;
use crate::worker::{Harvest, Job, work};
use crate::{Aggregate, Coverage, FileFacts, Filter, RowWriter, Source};

/// How the keys of one file are looked at, and with what means.
#[derive(Clone, Copy)]
pub struct Plan<'p> {
    /// Which input it is: 0 for the first file named.
    pub file: u32,
    /// Whose memory is asked about.
    pub model: &'p SizeModel,
    /// A second model, for what the same keys take after a load: see [`Observation::loaded_bytes`].
    ///
    /// [`Observation::loaded_bytes`]: crate::Observation::loaded_bytes
    pub loaded: Option<&'p SizeModel>,
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

/// Why a pass ended without a result.
#[derive(Debug)]
pub enum RunError {
    /// The input could not be read.
    Read(io::Error),
    /// Rows could not be written.
    Write(io::Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "cannot read: {error}"),
            Self::Write(error) => write!(f, "cannot write rows: {error}"),
        }
    }
}

impl std::error::Error for RunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) | Self::Write(error) => Some(error),
        }
    }
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
) -> Result<(FileFacts, Coverage), RunError> {
    let (row_writer, out) = rows.map_or((None, None), |rows| (Some(rows.writer), Some(rows.out)));
    let job = Job {
        file: plan.file,
        model: plan.model,
        loaded: plan.loaded,
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
        home: Mutex::new(Home::default()),
        rows: out.map(OrderedWriter::new),
        progress,
    };
    let mut cutter = Cutter::new(source, plan.limits, plan.batch_bytes);
    // The scanner runs inside the pool and lends a hand when the workers have enough to do.
    let tail = match source {
        Source::Whole(bytes) | Source::Salvage(bytes) | Source::Payload(bytes, _) => {
            let bytes = *bytes;
            pool.scope(|scope| cutter.cut_whole(bytes, |_, batch| pass.dispatch(batch, scope)));
            Tail::behind(bytes, cutter.position())
        }
        Source::Stream(window) => {
            let cut = pool.scope(|scope| cutter.cut_stream(window, |_, batch| pass.dispatch(batch, scope)));
            cut.map_err(RunError::Read)?
        }
    };
    let Pass { home, rows, .. } = pass;
    if let Some(rows) = rows {
        rows.finish().map_err(RunError::Write)?;
    }
    let Home { mut gathered, checksums } = home.into_inner().unwrap_or_else(PoisonError::into_inner);
    gathered.checksum = checksums.into_values().fold(Checksum::default(), Checksum::followed_by);
    Ok(cutter.conclude(gathered, tail))
}

/// What all workers share while a file is passed over.
struct Pass<'p, A, F> {
    job: Job<'p>,
    aggregates: &'p Aggregates<A>,
    fresh: &'p F,
    threads: usize,
    in_flight: AtomicUsize,
    home: Mutex<Home>,
    rows: Option<OrderedWriter<'p>>,
    progress: &'p dyn Progress,
}

/// What the workers brought home: sums, and the checksums that must be joined in order.
#[derive(Debug, Default)]
struct Home {
    gathered: Gathered,
    checksums: BTreeMap<usize, Checksum>,
}

impl<A: Aggregate, F: Fn() -> A + Sync> Pass<'_, A, F> {
    /// Hands a run to a worker, or does it here when enough of them are under way.
    ///
    /// Breaks off when nobody wants the rows any more.
    fn dispatch<'s, B: AsRef<[u8]> + Send + 's>(
        &'s self,
        batch: Batch<B>,
        scope: &Scope<'s>,
    ) -> ControlFlow<()> {
        if self.threads == 1 || self.in_flight.load(Ordering::Relaxed) >= 2 * self.threads {
            self.observe(batch);
        } else {
            self.in_flight.fetch_add(1, Ordering::Relaxed);
            scope.spawn(move |_| {
                self.observe(batch);
                self.in_flight.fetch_sub(1, Ordering::Relaxed);
            });
        }
        let Some(rows) = &self.rows else { return ControlFlow::Continue(()) };
        // Rows that wait for a slow run must not pile up: help until it is through.
        while rows.waiting() > 4 * self.threads {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
        }
        if rows.has_failed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn observe<B: AsRef<[u8]>>(&self, batch: Batch<B>) {
        let checksum = batch.checksum();
        let Batch { number, scanner, bytes, .. } = batch;
        let bytes = bytes.as_ref();
        let mut aggregate = self.aggregates.take(self.fresh);
        let harvest = work(self.job, scanner, bytes, &mut aggregate);
        self.aggregates.put_back(aggregate);
        self.progress.advance(bytes.len() as u64, harvest.keys);
        let Harvest { keys, empty_keys, damaged_keys, errors, rows } = harvest;
        if let Some(writer) = &self.rows {
            writer.put(number, rows);
        }
        let mut home = self.home.lock().unwrap_or_else(PoisonError::into_inner);
        home.checksums.insert(number, checksum);
        let gathered = &mut home.gathered;
        gathered.keys += keys;
        gathered.empty_keys += empty_keys;
        gathered.damaged_keys += damaged_keys;
        if !errors.is_empty() {
            gathered.errors.extend(errors);
            gathered.errors.sort_by_key(Error::offset);
            gathered.errors.truncate(Coverage::MAX_ERRORS);
        }
    }
}
