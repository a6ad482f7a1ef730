//! A close look at one value: everything that a server checks when it loads it, and what it does not.

mod checks;
mod packed;
mod seen;
mod severity;
mod stream;

use rdb_format::TypeCode;

use self::checks::Checks;
use crate::visit::{forward, to_both};
use crate::{
    ArrayValue, Container, Depth, Error, ErrorKind, Limits, ModuleId, ModulePart, PendingEntry, RdbStr,
    Record, Shape, StreamConsumer, StreamGroup, StreamId, StreamMeta, ValueVisitor,
};

pub use self::severity::Severity;

/// Something that is wrong with a value, and what servers make of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What servers make of it.
    pub severity: Severity,
    /// What is wrong, where, and with which key.
    pub error: Error,
}

/// What was found in one value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The first findings, by offset: [`Inspector::MAX_FINDINGS`] at the most.
    pub findings: Vec<Finding>,
    /// How many more there are.
    pub more: u64,
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
    /// The most findings that are kept of one value.
    pub const MAX_FINDINGS: usize = 20;
    /// The most elements of one value that are remembered for finding one that stands twice.
    pub const MAX_REMEMBERED: usize = seen::MAX_REMEMBERED;

    /// An inspector that inflates LZF data within these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self(Shape::new(Depth::Elements, limits), Checks::new(limits))
    }

    /// The module type of the value that was walked last, if a module owns it.
    #[must_use]
    pub fn module_id(&self) -> Option<ModuleId> {
        self.0.module()
    }

    /// What is wrong with the value of `record`, which was walked last.
    pub fn findings(&mut self, record: &Record<'a>) -> Findings {
        let Self(shape, checks) = self;
        let (found, more) = checks.finish();
        let code = record.head.type_code;
        let mut findings: Vec<_> = found
            .iter()
            .map(|found| {
                let severity = Severity::of(found.kind, code);
                Finding { severity, error: found.error(record) }
            })
            .collect();
        if findings.is_empty() {
            // Whatever stops the others from reading this value is told, even if nobody here thought of it.
            let error = shape.error(record);
            findings.extend(error.map(|error| Finding { severity: Severity::of(error.kind(), code), error }));
        }
        if shape.is_empty_key() && findings.is_empty() {
            let error = record.error_at(ErrorKind::EmptyValue, record.value);
            findings.push(Finding { severity: Severity::of(error.kind(), code), error });
        }
        findings.sort_by_key(|finding| finding.error.offset());
        Findings { findings, more, is_too_large: checks.is_too_large() }
    }
}

/// Both hear everything.
impl<'a> ValueVisitor<'a> for Inspector<'a> {
    forward!(to_both);
}
