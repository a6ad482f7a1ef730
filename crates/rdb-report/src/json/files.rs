//! Files: how much of each was read, what it says, whose memory was asked about.

use rdb_analysis::{
    ChecksumVerdict, Coverage, FileSummary, Gaps, ReferenceSource, ReferenceTime, TargetSummary, Warning,
};
use rdb_format::FileVersion;
use rdb_parser::{Error, Gap, Reach};
use serde::Serialize;

use super::account::AccountDoc;
use super::facts::FactsDoc;
use super::keys::escaped;
use crate::messages;
use crate::text::Info;

/// A file in `info`.
#[derive(Serialize)]
pub(super) struct InfoDoc<'a> {
    name: &'a str,
    complete: bool,
    coverage: CoverageDoc,
    facts: FactsDoc<'a>,
}

impl<'a> InfoDoc<'a> {
    pub(super) fn of(info: &Info<'a>) -> Self {
        Self {
            name: info.name,
            complete: info.coverage.is_whole(),
            coverage: CoverageDoc::of(info.coverage, info.facts.version),
            facts: info.facts.into(),
        }
    }
}

/// A file in a summary.
#[derive(Serialize)]
pub(super) struct FileDoc<'a> {
    #[serde(flatten)]
    info: InfoDoc<'a>,
    target: TargetDoc,
    reference_time: ReferenceDoc,
    account: Option<AccountDoc>,
}

impl<'a> FileDoc<'a> {
    pub(super) fn of(file: &'a FileSummary) -> Self {
        let info = Info {
            name: &file.name,
            facts: &file.facts,
            coverage: &file.coverage,
            now_ms: Some(file.now.ms),
        };
        Self {
            info: InfoDoc::of(&info),
            target: (&file.target).into(),
            reference_time: file.now.into(),
            account: file.account.as_ref().map(Into::into),
        }
    }
}

#[derive(Serialize)]
pub(super) struct CoverageDoc {
    total_bytes: u64,
    read_bytes: u64,
    keys: u64,
    announced_keys: Option<u64>,
    damaged_keys: u64,
    checksum: ChecksumDoc,
    stopped_by: Option<ErrorDoc>,
    gaps: GapsDoc,
    unpacking: Option<String>,
    errors: Vec<ErrorDoc>,
    warnings: Vec<WarningDoc>,
}

impl CoverageDoc {
    fn of(coverage: &Coverage, version: Option<FileVersion>) -> Self {
        Self {
            total_bytes: coverage.total_bytes,
            read_bytes: coverage.read_bytes,
            keys: coverage.keys,
            announced_keys: coverage.announced_keys,
            damaged_keys: coverage.damaged_keys,
            checksum: (&coverage.checksum).into(),
            stopped_by: coverage.stopped_by.as_ref().map(Into::into),
            gaps: (&coverage.gaps).into(),
            unpacking: coverage.unpacking.clone(),
            errors: coverage.errors.iter().map(Into::into).collect(),
            warnings: coverage.warnings.iter().map(|warning| WarningDoc::of(warning, version)).collect(),
        }
    }
}

/// What was passed over with `--salvage`.
#[derive(Serialize)]
struct GapsDoc {
    count: u64,
    bytes: u64,
    first: Vec<GapDoc>,
}

#[derive(Serialize)]
struct GapDoc {
    start: u64,
    end: u64,
    error: ErrorDoc,
}

impl From<&Gaps> for GapsDoc {
    fn from(gaps: &Gaps) -> Self {
        let gap = |gap: &Gap| GapDoc { start: gap.start, end: gap.end, error: (&gap.error).into() };
        Self { count: gaps.count, bytes: gaps.bytes, first: gaps.first.iter().map(gap).collect() }
    }
}

#[derive(Serialize)]
struct ChecksumDoc {
    verdict: &'static str,
    stored: Option<String>,
    computed: Option<String>,
}

impl From<&ChecksumVerdict> for ChecksumDoc {
    fn from(verdict: &ChecksumVerdict) -> Self {
        let hex = |sum: &u64| Some(format!("{sum:016x}"));
        let (verdict, stored, computed) = match verdict {
            ChecksumVerdict::Ok(sum) => ("ok", hex(sum), hex(sum)),
            ChecksumVerdict::Mismatch { stored, computed } => ("mismatch", hex(stored), hex(computed)),
            ChecksumVerdict::Disabled => ("disabled", None, None),
            ChecksumVerdict::Absent => ("absent", None, None),
            ChecksumVerdict::NotReached => ("not_reached", None, None),
            ChecksumVerdict::NotVerified => ("not_verified", None, None),
        };
        Self { verdict, stored, computed }
    }
}

#[derive(Serialize)]
struct ErrorDoc {
    offset: u64,
    reach: &'static str,
    db: Option<u64>,
    key: Option<String>,
    key_escaped: bool,
    type_code: Option<u8>,
    record_offset: Option<u64>,
    message: String,
}

impl From<&Error> for ErrorDoc {
    fn from(error: &Error) -> Self {
        let context = error.context();
        let key = context.key.as_deref().map(escaped);
        Self {
            offset: error.offset(),
            reach: match error.reach() {
                Reach::Value => "value",
                Reach::Framing => "framing",
                Reach::File => "file",
            },
            db: context.db,
            key_escaped: key.as_ref().is_some_and(|(_, is_escaped)| *is_escaped),
            key: key.map(|(text, _)| text),
            type_code: context.type_code.map(|code| code.0),
            record_offset: context.record_offset,
            message: error.to_string(),
        }
    }
}

#[derive(Serialize)]
struct WarningDoc {
    kind: &'static str,
    number: Option<u64>,
    message: String,
}

impl WarningDoc {
    fn of(warning: &Warning, version: Option<FileVersion>) -> Self {
        let (kind, number) = match warning {
            Warning::NewerVersion => ("newer_version", None),
            Warning::TrailingBytes(bytes) => ("trailing_bytes", Some(*bytes)),
            Warning::AofTail(bytes) => ("aof_tail", Some(*bytes)),
            Warning::AofIncrements(bytes) => ("aof_increments", Some(*bytes)),
            Warning::ReplicationTail(bytes) => ("replication_tail", Some(*bytes)),
            Warning::PackedTail(bytes) => ("packed_tail", Some(*bytes)),
            Warning::PayloadLineBreak => ("payload_line_break", None),
            Warning::PayloadQuotes => ("payload_quotes", None),
            Warning::CaptureFrame => ("capture_frame", None),
            Warning::EmptyKeys(keys) => ("empty_keys", Some(*keys)),
            Warning::DanglingAttributes => ("dangling_attributes", None),
        };
        Self { kind, number, message: messages::warning(warning, version) }
    }
}

#[derive(Serialize)]
struct TargetDoc {
    server: String,
    is_writer: bool,
    is_known: bool,
    allocator: &'static str,
    allocator_is_given: bool,
    encodings: &'static str,
}

impl From<&TargetSummary> for TargetDoc {
    fn from(target: &TargetSummary) -> Self {
        Self {
            server: target.server.to_string(),
            is_writer: target.is_writer,
            is_known: target.is_known,
            allocator: target.allocator,
            allocator_is_given: target.allocator_is_given,
            encodings: target.mode,
        }
    }
}

#[derive(Serialize)]
struct ReferenceDoc {
    ms: i64,
    source: &'static str,
}

impl From<ReferenceTime> for ReferenceDoc {
    fn from(now: ReferenceTime) -> Self {
        let source = match now.source {
            ReferenceSource::Given => "given",
            ReferenceSource::SavedAt => "saved_at",
            ReferenceSource::FileModified => "file_modified",
            ReferenceSource::Clock => "clock",
        };
        Self { ms: now.ms, source }
    }
}
