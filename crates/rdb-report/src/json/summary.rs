//! The summary as one document.

use rdb_analysis::prefixes::RowLimits;
use rdb_analysis::{ExpirySummary, GroupKey, ModuleShare, Span, Summary, modules, regroup};
use serde::Serialize;

use super::account::AccountDoc;
use super::files::FileDoc;
use super::keys::{KeyDoc, basis};
use super::notes::NoteDoc;
use super::prefixes::{TreeDoc, measure_word};
use super::tally::{ReleasedDoc, Sum, TallyDoc};

#[derive(Serialize)]
pub(super) struct SummaryDoc<'a> {
    complete: bool,
    filtered: bool,
    measure: &'static str,
    files: Vec<FileDoc<'a>>,
    totals: TallyDoc,
    by_type: Vec<Sum<ByType>>,
    by_encoding: Vec<Sum<ByEncoding>>,
    by_db: Vec<Sum<ByDb>>,
    by_file: Vec<Sum<ByFile<'a>>>,
    by_basis: Vec<Sum<ByBasis>>,
    modules: Vec<Sum<OfModule>>,
    account: Option<AccountDoc>,
    top_keys: Vec<KeyDoc<'a>>,
    prefixes: TreeDoc,
    expiry: ExpiryDoc,
    notes: Vec<NoteDoc>,
}

#[derive(Serialize)]
struct ByType {
    r#type: String,
    is_module: bool,
}

#[derive(Serialize)]
struct ByEncoding {
    r#type: String,
    encoding: &'static str,
}

#[derive(Serialize)]
struct ByDb {
    db: Option<u64>,
}

#[derive(Serialize)]
struct ByFile<'a> {
    file: Option<&'a str>,
}

#[derive(Serialize)]
struct ByBasis {
    basis: &'static str,
}

#[derive(Serialize)]
struct OfModule {
    module: String,
    basis: &'static str,
}

#[derive(Serialize)]
struct ExpiryDoc {
    spans: Vec<SpanDoc>,
    within_week: ReleasedDoc,
    fullest_minute: Option<MinuteDoc>,
}

#[derive(Serialize)]
struct SpanDoc {
    span: &'static str,
    #[serde(flatten)]
    released: ReleasedDoc,
}

#[derive(Serialize)]
struct MinuteDoc {
    minutes_after_reference: u64,
    #[serde(flatten)]
    released: ReleasedDoc,
}

impl<'a> SummaryDoc<'a> {
    pub(super) fn of(summary: &'a Summary, limits: &RowLimits) -> Self {
        let name = |file: u32| summary.files.get(file as usize).map(|file| file.name.as_str());
        let top_keys =
            summary.top_keys.iter().enumerate().map(|(at, row)| KeyDoc::of(at + 1, row, name(row.file)));
        let word = |key: &GroupKey| (key.object_type, key.module, key.type_word().to_owned());
        Self {
            complete: summary.is_whole(),
            filtered: summary.filtered,
            measure: measure_word(summary.measure),
            files: summary.files.iter().map(FileDoc::of).collect(),
            totals: summary.total().into(),
            by_type: sums(summary, word, |(_, module, word)| ByType {
                r#type: word,
                is_module: module.is_some(),
            }),
            by_encoding: sums(
                summary,
                |key| (word(key), key.encoding),
                |((_, _, word), encoding)| ByEncoding { r#type: word, encoding: encoding.as_str() },
            ),
            by_db: sums(
                summary,
                |key| key.db,
                |db| ByDb { db: Some(db).filter(|db| *db != GroupKey::MANY_DBS) },
            ),
            by_file: sums(summary, |key| key.file, |file| ByFile { file: name(file) }),
            by_basis: sums(summary, |key| key.basis, |of| ByBasis { basis: basis(of) }),
            modules: modules(&summary.groups).into_iter().map(Into::into).collect(),
            account: summary.account().as_ref().map(Into::into),
            top_keys: top_keys.collect(),
            prefixes: TreeDoc::of(&summary.prefixes, limits),
            expiry: (&summary.expiry).into(),
            notes: summary.notes.iter().map(Into::into).collect(),
        }
    }
}

fn sums<K: Ord, T>(summary: &Summary, by: impl Fn(&GroupKey) -> K, of: impl Fn(K) -> T) -> Vec<Sum<T>> {
    let groups = regroup(&summary.groups, by).into_iter();
    groups.map(|(key, tally)| Sum { of: of(key), sums: tally.into() }).collect()
}

impl From<ModuleShare> for Sum<OfModule> {
    fn from(share: ModuleShare) -> Self {
        let of = OfModule { module: share.module.as_str().to_owned(), basis: basis(share.basis) };
        Self { of, sums: share.tally.into() }
    }
}

impl From<&ExpirySummary> for ExpiryDoc {
    fn from(expiry: &ExpirySummary) -> Self {
        let spans = expiry.spans.iter();
        let fullest_minute = expiry.fullest_minute.map(|(minute, released)| MinuteDoc {
            minutes_after_reference: minute,
            released: released.into(),
        });
        Self {
            spans: spans
                .map(|(span, released)| SpanDoc { span: span_word(*span), released: (*released).into() })
                .collect(),
            within_week: expiry.within_week.into(),
            fullest_minute,
        }
    }
}

const fn span_word(span: Span) -> &'static str {
    match span {
        Span::Expired => "expired",
        Span::Hour => "within_hour",
        Span::Day => "within_day",
        Span::Week => "within_week",
        Span::Month => "within_30_days",
        Span::Year => "within_365_days",
        Span::Later => "later",
        Span::Never => "never",
    }
}
