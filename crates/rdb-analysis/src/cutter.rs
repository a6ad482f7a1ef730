//! The scanner's side of a pass: cuts a file into runs of whole records.

use std::io;
use std::ops::ControlFlow;

use rdb_parser::{Checksum, Error, Item, KeyHead, Limits, Part, Record, Salvage, Scanner, Sink, Stop};

use crate::source::{Tail, Window};
use crate::{ChecksumVerdict, Coverage, FileFacts, Gaps, Source, Warning};

/// A run of whole records, and the scanner as it stood in front of it.
pub(crate) struct Batch<B> {
    /// Runs are numbered from 0 in the order of the file.
    pub number: usize,
    /// For reading the run again.
    pub scanner: Scanner,
    /// The run.
    pub bytes: B,
    /// How many of the last bytes are not part of the file's checksum.
    pub unsummed: usize,
}

impl<B: AsRef<[u8]>> Batch<B> {
    /// The checksum of the run.
    pub(crate) fn checksum(&self) -> Checksum {
        let bytes = self.bytes.as_ref();
        let summed = bytes.len().saturating_sub(self.unsummed);
        Checksum::of(bytes.get(..summed).unwrap_or_default())
    }
}

/// What was gathered from the runs of a file.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub keys: u64,
    pub empty_keys: u64,
    pub damaged_keys: u64,
    pub errors: Vec<Error>,
    /// Of all runs, joined.
    pub checksum: Checksum,
}

/// Cuts a file into runs of whole records, and takes note of everything that is no key.
pub(crate) struct Cutter {
    scanner: Scanner,
    batch_bytes: usize,
    facts: FileFacts,
    db: u64,
    keys: u64,
    next_batch: usize,
    stopped_by: Option<Error>,
    /// Whether reading goes on behind damage.
    salvages: bool,
    gaps: Gaps,
    /// Where the last part of a salvaged file ends.
    salvaged_to: u64,
    limits: Limits,
    /// Where the checksummed part of the file ends, once known.
    summed_bytes: u64,
    dangling_attributes: bool,
}

impl Cutter {
    /// A cutter for this source.
    pub(crate) fn new(source: &Source<'_>, limits: Limits, batch_bytes: usize) -> Self {
        Self {
            salvages: matches!(source, Source::Salvage(_)),
            gaps: Gaps::default(),
            salvaged_to: 0,
            limits,
            scanner: source.scanner(limits),
            batch_bytes,
            facts: FileFacts::default(),
            db: 0,
            keys: 0,
            next_batch: 0,
            stopped_by: None,
            summed_bytes: u64::MAX,
            dangling_attributes: false,
        }
    }

    /// How far into the file it came.
    pub(crate) fn position(&self) -> u64 {
        if self.salvages { self.salvaged_to } else { self.scanner.offset() }
    }

    /// How many keys were framed so far.
    pub(crate) fn keys(&self) -> u64 {
        self.keys
    }

    /// Scans from the start of `bytes` and returns how many make whole records, and why it stopped:
    /// `None` when the framing is lost behind them.
    fn scan(&mut self, bytes: &[u8], cut: usize) -> (usize, Option<Stop>) {
        let start = self.scanner.offset();
        let mut sink = Notes { facts: &mut self.facts, db: &mut self.db, keys: 0, end: None, visitor: () };
        let scanned = self.scanner.scan(bytes, cut, &mut sink);
        self.keys += sink.keys;
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

    /// Cuts a file that is all there, until it ends or `take` has enough.
    pub(crate) fn cut_whole<'b>(
        &mut self,
        bytes: &'b [u8],
        mut take: impl FnMut(&Self, Batch<&'b [u8]>) -> ControlFlow<()>,
    ) {
        if self.salvages {
            // What breaks off is told by who does it.
            let _ = self.cut_parts(bytes, &mut take);
        } else if let ControlFlow::Continue(Some(rest)) = self.cut_stretch(bytes, &mut take) {
            self.stopped_by = Some(self.scanner.truncated(rest));
        }
    }

    /// Cuts what can be believed of a damaged file, stretch by stretch.
    fn cut_parts<'b>(
        &mut self,
        bytes: &'b [u8],
        take: &mut impl FnMut(&Self, Batch<&'b [u8]>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut salvage = Salvage::new(bytes, self.limits);
        while let Some(part) = salvage.next() {
            match part {
                Part::Frames(stretch) => {
                    let range = usize::try_from(stretch.start).ok().zip(usize::try_from(stretch.end).ok());
                    let run = range.and_then(|(start, end)| bytes.get(start..end)).unwrap_or_default();
                    self.scanner = stretch.scanner;
                    self.db = self.scanner.db();
                    self.facts.version = self.scanner.version();
                    // It was framed before, so whatever is left is the end of the stretch.
                    let _ = self.cut_stretch(run, take)?;
                }
                Part::Gap(gap) => self.gaps.note(gap),
            }
            self.salvaged_to = salvage.position();
        }
        ControlFlow::Continue(())
    }

    /// Cuts up to the end of `bytes`, or of the records. Returns what is left where more bytes are needed.
    fn cut_stretch<'b>(
        &mut self,
        bytes: &'b [u8],
        take: &mut impl FnMut(&Self, Batch<&'b [u8]>) -> ControlFlow<()>,
    ) -> ControlFlow<(), Option<&'b [u8]>> {
        let mut rest = bytes;
        loop {
            let before = self.scanner.replay();
            let (consumed, stop) = self.scan(rest, self.batch_bytes);
            let Some((run, after)) = rest.split_at_checked(consumed) else { break };
            rest = after;
            if !run.is_empty() {
                let batch = self.batch(before, run);
                take(self, batch)?;
            }
            match stop {
                Some(Stop::Cut) => {}
                Some(Stop::End) | None => break,
                Some(Stop::NeedMore(_)) => return ControlFlow::Continue(Some(rest)),
            }
        }
        ControlFlow::Continue(None)
    }

    /// Cuts what a reader brings, until it ends or `take` has enough. Returns what follows the part that
    /// was framed.
    pub(crate) fn cut_stream(
        &mut self,
        window: &mut Window<'_>,
        mut take: impl FnMut(&Self, Batch<Vec<u8>>) -> ControlFlow<()>,
    ) -> io::Result<Tail> {
        let mut want = self.batch_bytes;
        loop {
            window.fill(want)?;
            let before = self.scanner.replay();
            let (consumed, stop) = self.scan(window.bytes(), usize::MAX);
            if consumed > 0 {
                let run = window.take(consumed);
                let batch = self.batch(before, run);
                if take(self, batch).is_break() {
                    return Ok(Tail::default());
                }
            }
            match stop {
                // Of what is no RDB file nobody wants to know how long it is; it may have no end.
                None if self.facts.version.is_none() => return Ok(Tail::behind(window.bytes(), 0)),
                Some(Stop::End) | None => return window.drain(),
                Some(Stop::NeedMore(_)) if window.has_ended() => {
                    self.stopped_by = Some(self.scanner.truncated(window.bytes()));
                    return window.drain();
                }
                // A record larger than the window is scanned again from its start each time; doubling
                // keeps that within twice its size.
                _ if consumed == 0 => want = window.bytes().len().max(want).saturating_mul(2),
                _ => want = window.bytes().len().saturating_add(self.batch_bytes),
            }
        }
    }

    /// What is to be said of the file. `tail`: what follows the part that was framed.
    pub(crate) fn conclude(mut self, gathered: Gathered, tail: Tail) -> (FileFacts, Coverage) {
        let Tail { bytes: mut tail, start: tail_start } = tail;
        if self.facts.version.is_none() && self.gaps.count > 0 {
            // Nothing could be believed, so nothing is salvaged.
            let gaps = std::mem::take(&mut self.gaps);
            tail = tail.saturating_add(gaps.bytes);
            self.stopped_by = gaps.first.into_iter().next().map(|gap| gap.error);
            self.salvaged_to = 0;
        }
        let position = self.position();
        let read_bytes = position.saturating_sub(self.gaps.bytes);
        let total_bytes = position.saturating_add(tail);
        let computed = gathered.checksum.value();
        let checksum = match (self.facts.ended, self.facts.checksum) {
            // It can only be wrong, and that is known already.
            _ if self.gaps.count > 0 => ChecksumVerdict::NotVerified,
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
        if self.facts.ended && tail > 0 {
            let is_preamble = self.facts.aux_number("aof-preamble") == Some(1);
            warnings.push(if is_preamble { Warning::AofTail(tail) } else { Warning::TrailingBytes(tail) });
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
            announced_keys: self.facts.announced_keys(),
            damaged_keys: gathered.damaged_keys,
            errors: gathered.errors,
            stopped_by: self.stopped_by,
            gaps: self.gaps,
            unpacking: None,
            tail_start,
            checksum,
            warnings,
        };
        (self.facts, coverage)
    }
}

/// Reads a file at framing speed: what it says about itself, how many keys it has, and its checksum.
///
/// Values are framed and not looked at, so damage inside them stays unseen.
///
/// # Errors
///
/// When reading the source fails.
pub fn survey(
    source: &mut Source<'_>,
    limits: Limits,
    progress: &dyn crate::Progress,
) -> io::Result<(FileFacts, Coverage)> {
    /// Small enough that the bytes are still in cache when they are summed.
    const RUN_BYTES: usize = 256 << 10;
    let mut cutter = Cutter::new(source, limits, RUN_BYTES);
    let mut checksum = Checksum::default();
    let mut keys = 0;
    let mut take = |cutter: &Cutter, len: usize, sum: Checksum| {
        checksum = checksum.followed_by(sum);
        progress.advance(len as u64, cutter.keys() - keys);
        keys = cutter.keys();
        ControlFlow::Continue(())
    };
    let tail = match source {
        Source::Whole(bytes) | Source::Salvage(bytes) | Source::Payload(bytes, _) => {
            cutter.cut_whole(bytes, |cutter, batch| take(cutter, batch.bytes.len(), batch.checksum()));
            Tail::behind(bytes, cutter.position())
        }
        Source::Stream(window) => {
            cutter.cut_stream(window, |cutter, batch| take(cutter, batch.bytes.len(), batch.checksum()))?
        }
    };
    let gathered = Gathered { keys: cutter.keys(), checksum, ..Gathered::default() };
    Ok(cutter.conclude(gathered, tail))
}

/// Takes note of everything but keys, and counts those.
struct Notes<'f> {
    facts: &'f mut FileFacts,
    db: &'f mut u64,
    keys: u64,
    end: Option<(u64, bool)>,
    visitor: (),
}

impl<'a> Sink<'a> for Notes<'_> {
    type Visitor = ();

    #[inline]
    fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
        &mut self.visitor
    }

    #[inline]
    fn record(&mut self, _: &Record<'a>) {
        self.keys += 1;
    }

    fn item(&mut self, item: Item<'a>, _: u64, bytes: u64) {
        if let Item::End { summed_bytes, dangling_attributes, .. } = item {
            self.end = Some((summed_bytes, dangling_attributes));
        }
        self.facts.note(&item, self.db, bytes);
    }
}
