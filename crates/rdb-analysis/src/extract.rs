//! Writes another file from what can be trusted of one.
//!
//! Two passes over the same bytes: the first decides which keys are taken, with one bit for each; the second copies
//! them. So the new file can say in front of each database how many keys it has, and holds nothing that servers
//! refuse.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;

use rdb_format::{Dialect, FileVersion};
use rdb_parser::{
    Checksum, Error, ErrorKind, Inspector, Item, KeyHead, Limits, RdbStr, Reach, Record, Scanner, Severity,
    Sink,
};
use rdb_write::Writer;

use crate::cutter::{Batch, Cutter, Gathered};
use crate::key_set::{KeySet, Met};
use crate::reads::version_of;
use crate::source::Tail;
use crate::{Coverage, DbHint, FileFacts, Progress, Source};

/// What was taken into the new file, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Keys in the new file.
    pub keys: u64,
    /// The version of the format of the new file; `None` when none was written.
    pub version: Option<FileVersion>,
    /// Whether the version had to be guessed, since the header is lost.
    pub version_is_guessed: bool,
    /// Keys left out because their value is damaged, even if their frame is intact.
    pub damaged: u64,
    /// Keys left out because their database has one of that name already.
    pub duplicates: u64,
    /// Collections without elements, which servers drop or refuse.
    pub empty: u64,
    /// Keys that were not compared with those before them, since they are too many.
    pub unchecked: u64,
}

impl Extracted {
    /// Keys that were read and left out.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.damaged.saturating_add(self.duplicates).saturating_add(self.empty)
    }
}

/// Why no file was written.
#[derive(Debug)]
pub enum ExtractError {
    /// The source must be all there: [`Source::Whole`] or [`Source::Salvage`].
    NotWhole,
    /// The new file could not be written.
    Write(io::Error),
}

impl fmt::Display for ExtractError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotWhole => f.write_str("it must be all there, since it is read twice"),
            Self::Write(error) => write!(f, "cannot write: {error}"),
        }
    }
}

impl std::error::Error for ExtractError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotWhole => None,
            Self::Write(error) => Some(error),
        }
    }
}

/// Writes to `out` what can be trusted of a source that is all there.
///
/// `out` is asked for once it is known that there is something to write.
///
/// # Errors
///
/// When the source is a stream, or writing fails.
pub fn extract<W: Write>(
    source: &Source<'_>,
    limits: Limits,
    progress: &dyn Progress,
    out: impl FnOnce() -> W,
) -> Result<(FileFacts, Coverage, Extracted), ExtractError> {
    let (Source::Whole(bytes) | Source::Salvage(bytes)) = *source else { return Err(ExtractError::NotWhole) };
    let mut judge = Judge::new(limits);
    let mut cutter = Cutter::new(source, limits, RUN_BYTES);
    let mut checksum = Checksum::default();
    cutter.cut_whole(bytes, |_, batch| {
        checksum = checksum.followed_by(batch.checksum());
        let before = judge.plan.taken.len;
        judge.look(&batch);
        progress.advance(batch.bytes.len() as u64, judge.plan.taken.len - before);
        ControlFlow::Continue(())
    });
    let tail = Tail::behind(bytes, cutter.position());
    let Judge { plan, mut extracted, errors, .. } = judge;
    let gathered = Gathered {
        keys: extracted.keys,
        empty_keys: extracted.empty,
        damaged_keys: extracted.damaged.saturating_add(extracted.duplicates),
        errors,
        checksum,
    };
    let (facts, coverage) = cutter.conclude(gathered, tail);
    let Some(version) = facts.version else { return Ok((facts, coverage, extracted)) };
    extracted.version_is_guessed = !plan.has_header;
    let version = if plan.has_header {
        version
    } else {
        FileVersion { number: plan.lowest(version.dialect), ..version }
    };
    extracted.version = Some(version);
    let is_all = coverage.is_whole() && extracted.left_out() == 0;
    copy(source, bytes, limits, plan, is_all, Writer::new(out(), version)).map_err(ExtractError::Write)?;
    Ok((facts, coverage, extracted))
}

/// Bytes that are read at a time.
const RUN_BYTES: usize = 1 << 20;

/// What the first pass decides.
#[derive(Debug, Default)]
struct Plan {
    /// For each record in the order of the file, whether it is taken.
    taken: Bits,
    /// Keys that are taken, by database.
    dbs: BTreeMap<u64, DbHint>,
    has_header: bool,
    /// The lowest version of the format that has everything that is taken.
    number: u32,
}

impl Plan {
    /// The most databases whose size is told.
    const MAX_DBS: usize = 10_000;

    fn count(&mut self, db: u64, expires: bool) {
        if self.dbs.len() < Self::MAX_DBS || self.dbs.contains_key(&db) {
            let hint = self.dbs.entry(db).or_default();
            hint.keys += 1;
            hint.expires += u64::from(expires);
        }
    }

    fn lowest(&self, dialect: Dialect) -> u32 {
        match dialect {
            // That of Redis 5.0 to 6.2: older servers than that are hardly asked to read it.
            Dialect::Redis => self.number.max(9),
            Dialect::Valkey => FileVersion::newest_known(dialect),
        }
    }
}

/// One bit after another.
#[derive(Debug, Default)]
struct Bits {
    words: Vec<u64>,
    len: u64,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        if let Some(word) = self.words.last_mut() {
            *word |= u64::from(bit) << (self.len % 64);
        }
        self.len += 1;
    }

    fn get(&self, at: u64) -> bool {
        let word = usize::try_from(at / 64).ok().and_then(|at| self.words.get(at));
        word.is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}

/// Decides of each record whether it is taken.
struct Judge {
    limits: Limits,
    plan: Plan,
    extracted: Extracted,
    errors: Vec<Error>,
    keys: KeySet,
    name: Vec<u8>,
}

impl Judge {
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            plan: Plan::default(),
            extracted: Extracted::default(),
            errors: Vec::new(),
            keys: KeySet::default(),
            name: Vec::new(),
        }
    }

    fn look(&mut self, batch: &Batch<&[u8]>) {
        let mut scanner = batch.scanner.clone();
        let inspector = Inspector::new(self.limits, scanner.templates().clone());
        let mut sink = Look { inspector, judge: self };
        // It was framed before, so what stops the scanner is the end of the run.
        let _ = scanner.scan(batch.bytes, usize::MAX, &mut sink);
    }

    fn lose(&mut self, error: Error) {
        if self.errors.len() < Coverage::MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Whether this record may stand in a file that servers load.
    fn takes<'a>(&mut self, record: &Record<'a>, inspector: &mut Inspector<'a>) -> bool {
        let findings = inspector.findings(record).findings;
        if let Some(worst) = findings.iter().find(|finding| finding.severity.is_damage()) {
            self.extracted.damaged += 1;
            self.lose(worst.error.clone());
            return false;
        }
        if findings.iter().any(|finding| finding.severity == Severity::Dropped) {
            self.extracted.empty += 1;
            return false;
        }
        let name = match record.head.key.bytes(self.limits.for_packed(), &mut self.name) {
            Ok(name) => name,
            Err(fault) => {
                self.extracted.damaged += 1;
                self.lose(record.error_in_string(fault, record.head.key));
                return false;
            }
        };
        match self.keys.meet(record.head.db, name) {
            Met::New => {}
            Met::Unknown => self.extracted.unchecked += 1,
            Met::Twice => {
                self.extracted.duplicates += 1;
                let context = record.context();
                self.lose(Error::new(ErrorKind::DuplicateKey, record.head.offset, Reach::Value, context));
                return false;
            }
        }
        true
    }
}

struct Look<'a, 'j> {
    inspector: Inspector<'a>,
    judge: &'j mut Judge,
}

impl<'a> Sink<'a> for Look<'a, '_> {
    type Visitor = Inspector<'a>;

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Inspector<'a> {
        &mut self.inspector
    }

    fn record(&mut self, record: &Record<'a>) {
        let takes = self.judge.takes(record, &mut self.inspector);
        let plan = &mut self.judge.plan;
        plan.taken.push(takes);
        if takes {
            let head = &record.head;
            plan.count(head.db, head.attrs.expire_at_ms.is_some());
            let number = if head.attrs.meta_classes > 0 { 13 } else { version_of(head.type_code) };
            plan.number = plan.number.max(number);
            self.judge.extracted.keys += 1;
        }
    }

    fn item(&mut self, item: Item<'a>, _: u64, _: u64) {
        let plan = &mut self.judge.plan;
        plan.number = plan.number.max(match item {
            Item::Header(_) => {
                plan.has_header = true;
                1
            }
            Item::Function { .. } => 10,
            Item::HashTemplate { .. } => 15,
            _ => 1,
        });
    }
}

/// Copies what was decided on.
fn copy<W: Write>(
    source: &Source<'_>,
    bytes: &[u8],
    limits: Limits,
    plan: Plan,
    is_all: bool,
    writer: io::Result<Writer<W>>,
) -> io::Result<()> {
    let mut copier = Copier { bytes, plan, is_all, at: 0, writer: writer?, visitor: (), failed: None };
    Cutter::new(source, limits, RUN_BYTES).cut_whole(bytes, |_, Batch { mut scanner, bytes, .. }| {
        let _: Result<_, Error> = Scanner::scan(&mut scanner, bytes, usize::MAX, &mut copier);
        if copier.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    match copier.failed {
        Some(error) => Err(error),
        None => copier.writer.finish().map(drop),
    }
}

struct Copier<'b, W> {
    bytes: &'b [u8],
    plan: Plan,
    /// Whether the new file has all that the old one has.
    is_all: bool,
    /// The number of the next record.
    at: u64,
    writer: Writer<W>,
    visitor: (),
    failed: Option<io::Error>,
}

impl<'b, W: Write> Copier<'b, W> {
    /// Bytes of the source.
    fn slice(&self, offset: u64, len: u64) -> &'b [u8] {
        let range = usize::try_from(offset).ok().zip(usize::try_from(len).ok());
        range.and_then(|(start, len)| self.bytes.get(start..)?.get(..len)).unwrap_or_default()
    }

    fn take(&mut self, record: &Record<'_>) -> io::Result<()> {
        let head = &record.head;
        if self.writer.select_db(head.db)?
            && let Some(DbHint { keys, expires }) = self.plan.dbs.remove(&head.db)
            && self.writer.has_hints()
        {
            self.writer.resize_db(keys, expires)?;
        }
        self.writer.record(&head.attrs, self.slice(head.offset, record.serialized_bytes))
    }

    fn take_item(&mut self, item: Item<'_>, offset: u64, len: u64) -> io::Result<()> {
        match item {
            // Made anew.
            Item::Header(_) | Item::SelectDb(_) | Item::ResizeDb { .. } | Item::End { .. } => Ok(()),
            Item::SlotInfo { .. } if !self.is_all => Ok(()),
            Item::Aux { name: RdbStr::Raw(name), .. } if !self.keeps_field(name) => Ok(()),
            _ => self.writer.copy(self.slice(offset, len)),
        }
    }

    /// Whether a field is as true of the new file as of the old one.
    fn keeps_field(&self, name: &[u8]) -> bool {
        match name {
            // The new file stands alone.
            b"aof-base" | b"aof-preamble" => false,
            // A replica that starts from it would ask to go on at an offset that is not its own.
            b"repl-stream-db" | b"repl-id" | b"repl-offset" => false,
            b"used-mem" | b"slot-info" => self.is_all,
            _ => true,
        }
    }

    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
        }
    }
}

impl<'a, W: Write> Sink<'a> for Copier<'_, W> {
    type Visitor = ();

    fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
        &mut self.visitor
    }

    fn record(&mut self, record: &Record<'a>) {
        if self.plan.taken.get(self.at) && self.failed.is_none() {
            let result = self.take(record);
            self.note(result);
        }
        self.at += 1;
    }

    fn item(&mut self, item: Item<'a>, offset: u64, bytes: u64) {
        if self.failed.is_none() {
            let result = self.take_item(item, offset, bytes);
            self.note(result);
        }
    }
}
