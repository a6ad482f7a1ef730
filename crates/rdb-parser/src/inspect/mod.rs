//! A close look at one value: everything that a server checks when it loads it, and what it does not.

mod checks;
mod entries;
mod notes;
mod packed;
mod seen;
mod severity;
mod stream;
mod template;
mod vector;

use rdb_format::{FileVersion, TypeCode};

use self::checks::Checks;
use crate::visit::{forward, to_both};
use crate::{
    ArrayValue, Container, Depth, Error, ErrorKind, HashTemplates, Limits, ModuleId, ModulePart,
    PendingEntry, RdbStr, Record, Shape, StreamConsumer, StreamGroup, StreamId, StreamMeta, ValueVisitor,
};

pub use self::severity::{Refusers, Severity};
pub use self::template::TemplateFault;

/// Something that is wrong with a value, and what servers make of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What servers make of it.
    pub severity: Severity,
    /// Which of the newest servers refuse the file for it.
    pub refusers: Refusers,
    /// What is wrong, where, and with which key.
    pub error: Error,
    /// How many more of its kind there are in the value, which are not told: 0 but for the last one told.
    pub more: u64,
}

impl Finding {
    /// A finding about something that is no value of a type, or whose type does not matter.
    #[must_use]
    pub fn new(error: Error, version: FileVersion) -> Self {
        Self::of_value(error, TypeCode::STRING, version, false)
    }

    fn of_value(error: Error, code: TypeCode, version: FileVersion, is_table: bool) -> Self {
        let refusers = Refusers::of(error.kind(), code, version, is_table);
        Self { severity: Severity::of(error.kind(), refusers, version), refusers, error, more: 0 }
    }
}

/// What was found in one value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The findings by offset: the first [`Inspector::MAX_FINDINGS`] of each kind.
    pub findings: Vec<Finding>,
    /// Whether the value has more elements than are remembered, so that one of them may stand in it twice.
    pub is_too_large: bool,
}

/// A visitor that checks one value closely: sizes and counts of packed values, their order, elements that
/// stand twice, and what streams say of themselves.
///
/// Reusable: each value starts with [`ValueVisitor::begin`].
#[derive(Debug)]
pub struct Inspector<'a>(Shape<'a>, Checks<'a>);

impl<'a> Inspector<'a> {
    /// The most findings of one kind that are kept of one value.
    pub const MAX_FINDINGS: u64 = 20;
    /// The most elements of one value that are remembered for finding one that stands twice.
    pub const MAX_REMEMBERED: usize = seen::MAX_REMEMBERED;

    /// An inspector that inflates LZF data within these limits, of a file that defines these templates.
    #[must_use]
    pub fn new(limits: Limits, templates: HashTemplates) -> Self {
        Self(Shape::new(Depth::Elements, limits), Checks::new(limits, templates))
    }

    /// The module type of the value that was walked last, if a module owns it.
    #[must_use]
    pub fn module_id(&self) -> Option<ModuleId> {
        self.0.module()
    }

    /// What is wrong with the names of a hash template that a file defines: see [`crate::Item::HashTemplate`].
    #[must_use]
    pub fn fault_in_template(fields: u64, names: &[u8], limits: Limits) -> Option<TemplateFault> {
        template::fault_in_names(fields, names, limits)
    }

    /// What is wrong with the value of `record`, which was walked last.
    pub fn findings(&mut self, record: &Record<'a>) -> Findings {
        let Self(shape, checks) = self;
        let (code, version) = (record.head.type_code, record.head.version);
        let is_table = is_table(code, shape);
        let of = |error| Finding::of_value(error, code, version, is_table);
        let notes = checks.finish();
        let mut findings: Vec<_> = notes.found().iter().map(|found| of(found.error(record))).collect();
        if findings.is_empty() {
            // Whatever stops the others from reading this value is told, even if nobody here thought of it.
            findings.extend(shape.error(record).map(of));
        }
        if shape.is_empty_key() && findings.is_empty() {
            findings.push(of(record.error_at(ErrorKind::EmptyValue, record.value)));
        }
        if code == TypeCode::GCRA {
            findings.push(of(record.error_at(ErrorKind::UnreleasedType(code.0), record.value)));
        }
        findings.sort_by_key(|finding| finding.error.offset());
        for at in 0..findings.len() {
            let (told, rest) = findings.split_at_mut(at + 1);
            let Some(last) = told.last_mut() else { continue };
            let kind = std::mem::discriminant(&last.error.kind());
            if rest.iter().all(|later| std::mem::discriminant(&later.error.kind()) != kind) {
                last.more = notes.more_of(last.error.kind());
            }
        }
        Findings { findings, is_too_large: checks.is_too_large() }
    }
}

/// Whether servers turn the value into a table as they load it, because it passes their limits for packing.
///
/// Source: the defaults of `hash-max-listpack-*`, `set-max-*` and `zset-max-listpack-entries`, and what
/// `rdbLoadObject` in `src/rdb.c` compares with them, in Redis 8.10 and Valkey 9.1.
fn is_table(code: TypeCode, shape: &Shape<'_>) -> bool {
    let elements = shape.elements().unwrap_or(0);
    match code {
        TypeCode::HASH | TypeCode::HASH_2 | TypeCode::HASH_METADATA => {
            elements > 512 || shape.largest_element_bytes().is_some_and(|bytes| bytes > 64)
        }
        TypeCode::HASH_LISTPACK
        | TypeCode::HASH_LISTPACK_EX
        | TypeCode::HASH_LISTPACK_EX_PRE_GA
        | TypeCode::SET_INTSET => elements > 512,
        TypeCode::SET_LISTPACK | TypeCode::ZSET_LISTPACK => elements > 128,
        _ => false,
    }
}

/// Both hear everything.
impl<'a> ValueVisitor<'a> for Inspector<'a> {
    forward!(to_both);
}
