//! A close look at a whole file: every fault, in the order of the file.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;

use rdb_format::TypeCode;
use rdb_parser::{
    Checksum, Context, Error, ErrorKind, Finding, Findings, Inspector, KeyHead, Limits, ModuleId, Reach,
    Record, Scanner, Severity, Sink,
};

use crate::cutter::{Cutter, Gathered};
use crate::key_set::{KeySet, Met};
use crate::source::Tail;
use crate::{ChecksumVerdict, Coverage, FileFacts, Progress, Source};

/// Faults of one kind and severity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultGroup {
    /// How many there are.
    pub count: u64,
    /// The first of them: [`Checked::MAX_EXAMPLES`] at the most.
    pub examples: Vec<Error>,
}

/// How many values are of a kind, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How many there are.
    pub count: u64,
    /// The database, the start of the key, and where the first record starts.
    pub first: (u64, Box<[u8]>, u64),
}

/// What a close look at a file has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Faults by severity and by the word for their kind.
    pub groups: BTreeMap<(Severity, String), FaultGroup>,
    /// Faults that are counted and not told: a value has too many.
    pub untold: u64,
    /// Values with more elements than are remembered: whether one stands twice is not known for all.
    pub too_large: u64,
    /// Keys behind the first [`Self::MAX_KEYS`]: whether they stand twice is not known.
    pub keys_unchecked: u64,
    /// Values by the code of their type.
    pub types: BTreeMap<TypeCode, Usage>,
    /// Values of modules by the name of their type: [`Self::MAX_MODULES`] names at the most.
    pub modules: BTreeMap<String, Usage>,
}

impl Checked {
    /// The most examples of each kind of fault that are kept.
    pub const MAX_EXAMPLES: usize = 3;
    /// The most names of module types that are kept.
    pub const MAX_MODULES: usize = 1000;
    /// The most keys that are remembered for finding one that stands twice: their table takes 142 MB then.
    pub const MAX_KEYS: usize = KeySet::MAX_KEYS;

    /// How many faults of this severity were told.
    #[must_use]
    pub fn count(&self, severity: Severity) -> u64 {
        self.groups.iter().filter(|((of, _), _)| *of == severity).map(|(_, group)| group.count).sum()
    }

    /// Whether some server refuses the file for what was found.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.groups.keys().any(|(severity, _)| severity.is_damage())
    }

    fn count_value(&mut self, record: &Record<'_>, module: Option<ModuleId>) {
        let first = || {
            let context = record.context();
            (record.head.db, context.key.unwrap_or_default(), record.head.offset)
        };
        let code = record.head.type_code;
        self.types.entry(code).or_insert_with(|| Usage { count: 0, first: first() }).count += 1;
        if let Some(id) = module {
            let name = id.to_string();
            if self.modules.len() < Self::MAX_MODULES || self.modules.contains_key(&name) {
                self.modules.entry(name).or_insert_with(|| Usage { count: 0, first: first() }).count += 1;
            }
        }
    }

    fn note(&mut self, finding: &Finding) {
        let group = self.groups.entry((finding.severity, finding.error.kind().word())).or_default();
        group.count = group.count.saturating_add(1);
        if group.examples.len() < Self::MAX_EXAMPLES {
            group.examples.push(finding.error.clone());
        }
    }
}

/// Looks closely at every value of a file, one after the other, telling `each` about every fault in the
/// order of the file. A wrong checksum comes last.
///
/// # Errors
///
/// When reading the source fails, or when `each` does.
pub fn check(
    source: &mut Source<'_>,
    limits: Limits,
    progress: &dyn Progress,
    each: &mut dyn FnMut(&Finding) -> io::Result<()>,
) -> io::Result<(FileFacts, Coverage, Checked)> {
    const RUN_BYTES: usize = 1 << 20;
    let mut cutter = Cutter::new(source, limits, RUN_BYTES);
    let mut looker = Looker {
        limits,
        checked: Checked::default(),
        keys: KeySet::default(),
        count: 0,
        empty: 0,
        name: Vec::new(),
        failed: None,
        each,
    };
    let mut checksum = Checksum::default();
    let mut look = |looker: &mut Looker<'_>, scanner: Scanner, bytes: &[u8], sum: Checksum| {
        checksum = checksum.followed_by(sum);
        let before = looker.count;
        looker.run(scanner, bytes);
        progress.advance(bytes.len() as u64, looker.count - before);
        if looker.failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let tail = match source {
        Source::Whole(bytes) | Source::Salvage(bytes) | Source::Payload(bytes, _) => {
            cutter.cut_whole(bytes, |_, batch| {
                let sum = batch.checksum();
                look(&mut looker, batch.scanner, batch.bytes, sum)
            });
            Tail::behind(bytes, cutter.position())
        }
        Source::Stream(window) => cutter.cut_stream(window, |_, batch| {
            let sum = batch.checksum();
            look(&mut looker, batch.scanner, &batch.bytes, sum)
        })?,
    };
    let gathered = Gathered { keys: looker.count, empty_keys: looker.empty, checksum, ..Gathered::default() };
    let (facts, coverage) = cutter.conclude(gathered, tail);
    let lost = coverage.gaps.first.iter().map(|gap| &gap.error);
    for error in lost.chain(&coverage.stopped_by) {
        looker.tell(&Finding { severity: Severity::Fatal, error: error.clone() });
    }
    if let ChecksumVerdict::Mismatch { stored, computed } = coverage.checksum {
        let offset = coverage.read_bytes.saturating_sub(8);
        let kind = ErrorKind::Checksum { stored, computed };
        let error = Error::new(kind, offset, Reach::Value, Context::default());
        looker.tell(&Finding { severity: Severity::Fatal, error });
    }
    match looker.failed {
        Some(error) => Err(error),
        None => Ok((facts, coverage, looker.checked)),
    }
}

/// Looks at records and remembers their keys.
struct Looker<'l> {
    limits: Limits,
    checked: Checked,
    keys: KeySet,
    count: u64,
    empty: u64,
    name: Vec<u8>,
    failed: Option<io::Error>,
    each: &'l mut dyn FnMut(&Finding) -> io::Result<()>,
}

impl Looker<'_> {
    fn run(&mut self, mut scanner: Scanner, bytes: &[u8]) {
        let mut sink = Look { inspector: Inspector::new(self.limits), looker: self };
        // What stopped the scanner when it was here first is told by it, at the end.
        let scanned = scanner.scan(bytes, usize::MAX, &mut sink);
        debug_assert!(scanned.is_ok(), "{scanned:?}");
    }

    fn tell(&mut self, finding: &Finding) {
        self.checked.note(finding);
        if self.failed.is_none() {
            self.failed = (self.each)(finding).err();
        }
    }

    fn key(&mut self, record: &Record<'_>) {
        let name = match record.head.key.bytes(self.limits.for_packed(), &mut self.name) {
            Ok(name) => name,
            Err(fault) => {
                let error = record.error_in_string(fault, record.head.key);
                return self.tell(&Finding { severity: Severity::Fatal, error });
            }
        };
        match self.keys.meet(record.head.db, name) {
            Met::New => {}
            Met::Unknown => self.checked.keys_unchecked += 1,
            Met::Twice => {
                let error =
                    Error::new(ErrorKind::DuplicateKey, record.head.offset, Reach::Value, record.context());
                self.tell(&Finding { severity: Severity::Fatal, error });
            }
        }
    }
}

struct Look<'a, 'l, 'k> {
    inspector: Inspector<'a>,
    looker: &'k mut Looker<'l>,
}

impl<'a> Sink<'a> for Look<'a, '_, '_> {
    type Visitor = Inspector<'a>;

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Inspector<'a> {
        &mut self.inspector
    }

    fn record(&mut self, record: &Record<'a>) {
        let Findings { findings, more, is_too_large } = self.inspector.findings(record);
        let looker = &mut *self.looker;
        looker.checked.count_value(record, self.inspector.module_id());
        looker.checked.untold += more;
        looker.checked.too_large += u64::from(is_too_large);
        let is_dropped = findings.iter().any(|finding| finding.severity == Severity::Dropped);
        // A key that servers drop may stand again.
        if is_dropped {
            looker.empty += 1;
        } else {
            looker.count += 1;
            looker.key(record);
        }
        findings.iter().for_each(|finding| looker.tell(finding));
    }
}

#[cfg(test)]
mod tests {
    use rdb_synth::RdbBuilder;

    use super::*;

    fn checked(file: &[u8]) -> Vec<(u64, ErrorKind, Severity)> {
        let look = |source: &mut Source<'_>| {
            let mut told = Vec::new();
            let mut each = |found: &Finding| {
                told.push((found.error.offset(), found.error.kind(), found.severity));
                Ok(())
            };
            let (_, _, checked) = check(source, Limits::default(), &(), &mut each).unwrap();
            let counted: u64 = checked.groups.values().map(|group| group.count).sum();
            assert_eq!(counted, told.len() as u64);
            told
        };
        let whole = look(&mut Source::Whole(file));
        assert_eq!(look(&mut Source::stream(file)), whole);
        whole
    }

    #[test]
    fn a_key_may_stand_once_in_each_database() {
        let file = |db| {
            let builder = RdbBuilder::redis(11).select_db(0).key(0, "a", b"\x01x").key(0, "b", b"\x01x");
            builder.select_db(db).key(0, "a", b"\x01y")
        };
        assert_eq!(checked(&file(1).eof()), []);
        let offset = file(0).len() as u64 - 5;
        assert_eq!(checked(&file(0).eof()), [(offset, ErrorKind::DuplicateKey, Severity::Fatal)]);
    }

    #[test]
    fn the_frame_of_a_file() {
        let whole = RdbBuilder::redis(11).select_db(0).key(0, "a", b"\x01x").eof();
        assert_eq!(checked(&whole), []);
        let len = whole.len();
        assert!(matches!(
            checked(&whole[..len - 9])[..],
            [(_, ErrorKind::Truncated { .. }, Severity::Fatal)]
        ));
        let mut wrong = whole;
        wrong[len - 1] ^= 1;
        assert!(matches!(checked(&wrong)[..], [(_, ErrorKind::Checksum { .. }, Severity::Fatal)]));
    }
}
