//! A close look at a whole file: every fault, in the order of the file.

mod look;

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;

use rdb_format::{Dialect, FileVersion, TypeCode};
use rdb_parser::{
    Checksum, Context, Error, ErrorKind, Finding, Limits, ModuleId, Reach, Record, Refusers, Scanner,
    Severity,
};

use self::look::Looker;
use crate::cutter::{Cutter, Gathered};
use crate::key_set::KeySet;
use crate::source::Tail;
use crate::{ChecksumVerdict, Coverage, FileFacts, Progress, Source};

/// Faults of one kind and severity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultGroup {
    /// How many there are.
    pub count: u64,
    /// Which of the newest servers refuse the file for one of them.
    pub refusers: Refusers,
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
    /// How many faults each of the newest servers refuses the file for.
    pub refusals: Refusals,
    /// Values with more elements than are remembered: whether one stands twice is not known for all.
    pub too_large: u64,
    /// Keys behind the first [`Self::MAX_KEYS`]: whether they stand twice is not known.
    pub keys_unchecked: u64,
    /// Values by the code of their type.
    pub types: BTreeMap<TypeCode, Usage>,
    /// Values of modules by the name of their type: [`Self::MAX_MODULES`] names at the most.
    pub modules: BTreeMap<String, Usage>,
    /// Keys with metadata that a server may not leave alone.
    pub metadata: Option<Usage>,
    /// The highest database that has a key.
    pub last_database: u64,
}

/// How many faults servers refuse a file for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// Redis 8.10 as it comes.
    pub redis: u64,
    /// Redis 8.10 with `sanitize-dump-payload yes`.
    pub sanitizing: u64,
    /// Valkey 9.1.
    pub valkey: u64,
}

impl Refusals {
    fn note(&mut self, refusers: Refusers, count: u64) {
        for (sum, refuses) in [
            (&mut self.redis, refusers.redis),
            (&mut self.sanitizing, refusers.sanitizing),
            (&mut self.valkey, refusers.valkey),
        ] {
            *sum = sum.saturating_add(if refuses { count } else { 0 });
        }
    }

    /// Those that refuse it for something.
    #[must_use]
    pub const fn refusers(&self) -> Refusers {
        Refusers { redis: self.redis > 0, sanitizing: self.sanitizing > 0, valkey: self.valkey > 0 }
    }
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
        self.last_database = self.last_database.max(record.head.db);
        if record.head.attrs.meta_needed > 0 {
            self.metadata.get_or_insert_with(|| Usage { count: 0, first: first() }).count += 1;
        }
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
        let count = finding.more.saturating_add(1);
        group.count = group.count.saturating_add(count);
        group.refusers = group.refusers.or(finding.refusers);
        self.refusals.note(finding.refusers, count);
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
    let mut looker = Looker::new(limits, each);
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
    // Of what has no version nobody makes anything, whatever its number.
    let version = facts.version.unwrap_or(FileVersion { dialect: Dialect::Redis, number: 0 });
    let lost = coverage.gaps.first.iter().map(|gap| &gap.error);
    for error in lost.chain(&coverage.stopped_by) {
        looker.tell(&Finding::new(error.clone(), version));
    }
    if let ChecksumVerdict::Mismatch { stored, computed } = coverage.checksum {
        let offset = coverage.read_bytes.saturating_sub(8);
        let kind = ErrorKind::Checksum { stored, computed };
        let error = Error::new(kind, offset, Reach::Value, Context::default());
        looker.tell(&Finding::new(error, version));
    }
    match looker.failed {
        Some(error) => Err(error),
        None => Ok((facts, coverage, looker.checked)),
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
