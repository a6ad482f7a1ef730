//! Reading on behind damage: where the framing is lost, the next believable record is looked for.
//!
//! A file has no marks to find one's way by, so going on is a guess, and a careful one: what is believed is a
//! chain of records that fit each other to the byte (`chain`). What lies between is a [`Gap`].

mod chain;
mod trail;

use rdb_format::{Dialect, FileVersion};

use self::chain::Prober;
use self::trail::{Names, Trail};
use crate::{Checksum, Context, Error, ErrorKind, Limits, Reach, Scanner, Stop};

/// A part of a damaged file. Parts follow each other without a byte between them.
#[derive(Clone, Debug)]
pub enum Part {
    /// Records that stand where they should.
    Frames(Stretch),
    /// Bytes that could not be told apart.
    Gap(Gap),
}

/// Records and other items without a fault in their framing.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The scanner as it stood in front of them, for reading them again.
    pub scanner: Scanner,
    /// Where the first starts, in bytes from the start of the RDB data.
    pub start: u64,
    /// Where the last ends.
    pub end: u64,
}

/// Bytes of which nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where it starts, in bytes from the start of the RDB data.
    pub start: u64,
    /// Where reading goes on: at the next believable record, or at the end of the data.
    pub end: u64,
    /// What the reader stumbled over. It may stand in front of the gap or behind it: a wrong length is noticed where
    /// it leads to.
    pub error: Error,
}

impl Gap {
    /// How many bytes it has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Takes a file that is all there apart into [`Part`]s, damaged or not.
///
/// A whole file is one stretch. The parts cover the file from its first byte to the end of its records, or to the
/// end of the file where that was not found: [`Self::position`] tells. The last gap may be empty: then nothing is
/// missing but the mark of the end.
///
/// How much work the search is follows from the length of the file, not from what stands in it.
///
/// ```
/// use rdb_parser::{Limits, Part, Salvage};
///
/// let mut file = b"REDIS0011\xfe\x00".to_vec();
/// for n in 0..100 {
///     file.extend(format!("\x00\x07user:{n:02}\x02ok").bytes());
/// }
/// file.extend(b"\xff\0\0\0\0\0\0\0\0");
/// file[311] = 0xee; // the type of a record in the middle
///
/// let parts: Vec<_> = Salvage::new(&file, Limits::default()).collect();
/// let [Part::Frames(before), Part::Gap(gap), Part::Frames(behind)] = &parts[..] else { panic!("{parts:?}") };
/// // The record in front of the damage may have a wrong length, so it is not believed either.
/// assert_eq!((before.end, gap.start, gap.end, behind.start), (299, 299, 323, 323));
/// ```
#[derive(Debug)]
pub struct Salvage<'a> {
    bytes: &'a [u8],
    prober: Prober<'a>,
    scanner: Scanner,
    names: Names,
    position: u64,
    pending: Option<Gap>,
    is_done: bool,
}

impl<'a> Salvage<'a> {
    /// The parts of `bytes`, which should start with the magic.
    #[must_use]
    pub fn new(bytes: &'a [u8], limits: Limits) -> Self {
        Self {
            bytes,
            prober: Prober::new(bytes, limits),
            scanner: Scanner::new(limits),
            names: Names::new(),
            position: 0,
            pending: None,
            is_done: false,
        }
    }

    /// Where the parts told so far end, in bytes.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    fn behind(&self, offset: u64) -> &'a [u8] {
        usize::try_from(offset).ok().and_then(|at| self.bytes.get(at..)).unwrap_or_default()
    }

    /// The version to read on with when that of the file is lost. All but the newest types and opcodes mean the same
    /// in both families.
    fn version(&self) -> FileVersion {
        const FIELD: &[u8] = b"valkey-ver";
        let start = self.bytes.get(..4096).unwrap_or(self.bytes);
        let is_valkey = start.windows(FIELD.len()).any(|window| window == FIELD);
        let dialect = if is_valkey { Dialect::Valkey } else { Dialect::Redis };
        let guess = FileVersion { dialect, number: FileVersion::newest_known(dialect) };
        self.scanner.version().unwrap_or(guess)
    }

    /// Reads on until the framing is lost, and notes the gap behind, if there is one.
    fn stretch(&mut self) -> Stretch {
        let start = self.position;
        let before = self.scanner.replay();
        let mut trail = Trail::new(std::mem::replace(&mut self.names, Names::new()));
        let (end, error) = match self.read_on(&mut trail) {
            Ok(None) => {
                let end = self.scanner.offset();
                match self.doubt_the_end(&trail, end) {
                    Some(error) => (trail.end_mark(), error),
                    None => {
                        self.is_done = true;
                        return Stretch { scanner: before, start, end };
                    }
                }
            }
            Ok(Some(zeros)) => (zeros, self.error_at(ErrorKind::ZeroRun, zeros)),
            Err(error) => match trail.zeros() {
                Some(zeros) => (zeros, self.error_at(ErrorKind::ZeroRun, zeros)),
                None => (self.scanner.record_start(), error),
            },
        };
        let version = self.version();
        let doubted = trail.doubted_from(end);
        let found = self.prober.find(&self.scanner, version, trail.names(), doubted.saturating_add(1), end);
        let swallowed = found.and_then(|at| trail.frame_around(at));
        let (end, db) = match swallowed {
            // What looked like whole records was one with a wrong length that has swallowed others.
            Some(record) => record,
            // A file that was cut is no reason to doubt its last record.
            None if found.is_none() && matches!(error.kind(), ErrorKind::Truncated { .. }) => {
                (end, self.scanner.db())
            }
            None => (trail.trusted_end(end, &error, self.bytes), self.scanner.db()),
        };
        self.pending = Some(Gap { start: end, end: found.unwrap_or(self.bytes.len() as u64), error });
        match found {
            Some(at) => self.scanner = self.scanner.resumed_at(at, db, version),
            None => self.is_done = true,
        }
        self.names = trail.into_names();
        Stretch { scanner: before, start, end }
    }

    /// Reads until the records end, or until a run of zeros is met, which starts where this returns.
    fn read_on(&mut self, trail: &mut Trail) -> Result<Option<u64>, Error> {
        /// How far reading goes until it is asked whether there were zeros.
        const STEP: usize = 1 << 20;
        loop {
            let rest = self.behind(self.scanner.offset());
            let scanned = self.scanner.scan(rest, STEP, trail)?;
            match scanned.stop {
                _ if trail.zeros().is_some() => return Ok(trail.zeros()),
                Stop::Cut => {}
                Stop::End => return Ok(None),
                Stop::NeedMore(_) => return Err(self.scanner.truncated(self.behind(self.scanner.offset()))),
            }
        }
    }

    fn error_at(&self, kind: ErrorKind, offset: u64) -> Error {
        let context = Context { version: self.scanner.version(), ..Context::default() };
        Error::new(kind, offset, Reach::Framing, context)
    }

    /// Why the end of the records that was met is none, if so: the checksum there is wrong, and believable records
    /// stand behind it.
    fn doubt_the_end(&mut self, trail: &Trail, end: u64) -> Option<Error> {
        let (stored, summed) = trail.checksum()?;
        if self.behind(end).is_empty() || stored == 0 {
            return None;
        }
        let summed = usize::try_from(summed).ok().and_then(|summed| self.bytes.get(..summed))?;
        let computed = Checksum::of(summed).value();
        if computed == stored {
            return None;
        }
        let version = self.version();
        self.prober.find(&self.scanner, version, trail.names(), trail.end_mark().saturating_add(1), 0)?;
        Some(self.error_at(ErrorKind::Checksum { stored, computed }, trail.end_mark()))
    }
}

impl Iterator for Salvage<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        if let Some(gap) = self.pending.take() {
            self.position = gap.end;
            return Some(Part::Gap(gap));
        }
        if self.is_done {
            return None;
        }
        let stretch = self.stretch();
        self.position = stretch.end;
        // Nothing stands in front of a damaged header.
        if stretch.start == stretch.end && self.pending.is_some() {
            return self.next();
        }
        Some(Part::Frames(stretch))
    }
}
