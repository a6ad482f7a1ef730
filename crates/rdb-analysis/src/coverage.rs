//! How much of a file a result rests on, and what was lost.

use rdb_parser::{Error, ErrorKind, Gap};

/// What the checksum says about the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumVerdict {
    /// The file's bytes are the ones that were written.
    Ok(u64),
    /// They are not.
    Mismatch {
        /// What the file says.
        stored: u64,
        /// What its bytes give.
        computed: u64,
    },
    /// The server was told not to write one (`rdbchecksum no`).
    Disabled,
    /// The file's version has none (RDB 1 to 4).
    Absent,
    /// The end of the file was not reached, so nothing can be said.
    NotReached,
    /// Nobody asked.
    NotVerified,
}

/// Something odd that does not make the file damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The file's version is newer than any that is known.
    NewerVersion,
    /// Bytes follow the end of the records.
    TrailingBytes(u64),
    /// The file is the preamble of an append-only file: so many bytes of commands follow, which change
    /// the data and were not read.
    AofTail(u64),
    /// The file is the base of an append-only directory: its increments have so many bytes of commands,
    /// which change the data and were not read.
    AofIncrements(u64),
    /// The data stands in a replication capture: so many bytes of commands follow, which were not read.
    ReplicationTail(u64),
    /// The data stands in a replication capture, and does not end where that says: the length in front
    /// of it is another one, or the mark behind it is missing.
    CaptureFrame,
    /// So many bytes follow the compressed data that the input consists of.
    PackedTail(u64),
    /// The answer of DUMP is followed by a line break, as redis-cli prints it.
    PayloadLineBreak,
    /// The answer of DUMP stands in quotes, as redis-cli prints it for a terminal.
    PayloadQuotes,
    /// Collections without elements, which servers drop when they load the file.
    EmptyKeys(u64),
    /// An expiry, idle time or frequency at the end that no key followed.
    DanglingAttributes,
}

/// What could not be told apart of a file that was read on behind damage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// How many gaps there are.
    pub count: u64,
    /// Their bytes in all.
    pub bytes: u64,
    /// The first of them, by offset: [`Coverage::MAX_ERRORS`] at the most.
    pub first: Vec<Gap>,
}

impl Gaps {
    pub(crate) fn note(&mut self, gap: Gap) {
        self.count += 1;
        self.bytes = self.bytes.saturating_add(gap.bytes());
        if self.first.len() < Coverage::MAX_ERRORS {
            self.first.push(gap);
        }
    }
}

/// How much of one file a result rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Length of the RDB data and what follows it, in bytes.
    pub total_bytes: u64,
    /// Bytes up to which everything was framed; of a file that was read on behind damage, all that were.
    pub read_bytes: u64,
    /// Keys that were read whole, before any filter.
    pub keys: u64,
    /// Keys that the databases announced as far as the file was read (RESIZEDB). A hint of the writer,
    /// and all there is to say how much is missing at the end of a file that was cut.
    pub announced_keys: Option<u64>,
    /// Keys whose value is damaged inside an intact frame: they are in no sum.
    pub damaged_keys: u64,
    /// The first errors, by offset: damaged values, and what ended the reading.
    pub errors: Vec<Error>,
    /// Why reading stopped before the end of the records, if it did.
    pub stopped_by: Option<Error>,
    /// What lies between the parts that were read, if reading went on behind damage.
    pub gaps: Gaps,
    /// Why the compressed input gave no more bytes before its own end, if it was compressed and did not.
    pub unpacking: Option<String>,
    /// The first bytes behind the end of the records, [`MAX_TAIL`](Self::MAX_TAIL) at most.
    pub tail_start: Vec<u8>,
    /// What the checksum says.
    pub checksum: ChecksumVerdict,
    /// Oddities.
    pub warnings: Vec<Warning>,
}

impl Coverage {
    /// The most errors that are kept.
    pub const MAX_ERRORS: usize = 100;

    /// How many bytes are kept of what follows the records: enough for the mark of a replication capture.
    pub const MAX_TAIL: usize = 40;

    /// The coverage when only the start of a file was asked for.
    #[must_use]
    pub fn of_start(total_bytes: Option<u64>) -> Self {
        Self {
            total_bytes: total_bytes.unwrap_or(0),
            read_bytes: 0,
            keys: 0,
            announced_keys: None,
            damaged_keys: 0,
            errors: Vec::new(),
            stopped_by: None,
            gaps: Gaps::default(),
            unpacking: None,
            tail_start: Vec::new(),
            checksum: ChecksumVerdict::NotVerified,
            warnings: Vec::new(),
        }
    }

    /// How many keys are missing by what the databases announced; `None` where that says nothing.
    #[must_use]
    pub fn missing_keys(&self) -> Option<u64> {
        let found = self.keys.saturating_add(self.damaged_keys);
        self.announced_keys?.checked_sub(found).filter(|missing| *missing > 0)
    }

    /// Whether reading went on behind damage.
    #[must_use]
    pub fn is_salvaged(&self) -> bool {
        self.gaps.count > 0
    }

    /// Whether the bytes end although the records do not.
    #[must_use]
    pub fn is_cut_short(&self) -> bool {
        self.stopped_by.as_ref().is_some_and(|error| matches!(error.kind(), ErrorKind::Truncated { .. }))
    }

    /// Whether the file is whole: read to its end, unpacked to its end, no value damaged, no wrong checksum.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.stopped_by.is_none()
            && !self.is_salvaged()
            && self.unpacking.is_none()
            && self.damaged_keys == 0
            && !matches!(self.checksum, ChecksumVerdict::Mismatch { .. })
    }
}
