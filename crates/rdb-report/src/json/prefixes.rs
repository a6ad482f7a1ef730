//! The prefix tree, nested.

use std::iter::Peekable;

use rdb_analysis::prefixes::{LargestKey, PrefixRow, RowKind, RowLimits};
use rdb_analysis::{Measure, PrefixSummary};
use serde::Serialize;

use super::keys::escaped;
use super::tally::{TallyDoc, share};

#[derive(Serialize)]
pub(super) struct TreeDoc {
    measure: &'static str,
    roots: Vec<NodeDoc>,
}

/// A node; the keys of its children, of `own` and of `other` are all of its keys, each once.
#[derive(Serialize)]
struct NodeDoc {
    db: Option<u64>,
    prefix: String,
    prefix_escaped: bool,
    depth: usize,
    #[serde(flatten)]
    sums: TallyDoc,
    share: f64,
    largest_key: Option<LargestDoc>,
    children: Vec<Self>,
    other: Option<OtherDoc>,
}

/// What a node has beside the children listed.
#[derive(Serialize)]
struct OtherDoc {
    children: usize,
    #[serde(flatten)]
    sums: TallyDoc,
}

#[derive(Serialize)]
struct LargestDoc {
    key: String,
    key_escaped: bool,
    key_len: u64,
    bytes: u64,
    db: u64,
    offset: u64,
}

impl From<&LargestKey> for LargestDoc {
    fn from(largest: &LargestKey) -> Self {
        let (key, key_escaped) = escaped(&largest.key);
        let LargestKey { key_len, bytes, db, offset, .. } = *largest;
        Self { key, key_escaped, key_len, bytes, db, offset }
    }
}

impl TreeDoc {
    pub(super) fn of(prefixes: &PrefixSummary, limits: &RowLimits) -> Self {
        let measure = prefixes.measure();
        let total = prefixes.total.bytes(measure);
        let mut rows = prefixes.rows(limits).into_iter().peekable();
        let mut roots = Vec::new();
        while let Some(row) = rows.next() {
            roots.push(NodeDoc::of(&row, &mut rows, measure, total));
        }
        Self { measure: measure_word(measure), roots }
    }
}

impl NodeDoc {
    /// The node of a row, with all that stands below it taken from `rows`.
    fn of<'a>(
        row: &PrefixRow<'a>,
        rows: &mut Peekable<impl Iterator<Item = PrefixRow<'a>>>,
        measure: Measure,
        total: u64,
    ) -> Self {
        let mut children = Vec::new();
        let mut other = None;
        while let Some(below) = rows.next_if(|next| next.indent > row.indent) {
            match below.kind {
                RowKind::Node => children.push(Self::of(&below, rows, measure, total)),
                RowKind::Other { children } => other = Some(OtherDoc { children, sums: below.tally.into() }),
            }
        }
        let (prefix, prefix_escaped) = escaped(&row.node.path);
        Self {
            db: row.db,
            prefix,
            prefix_escaped,
            depth: row.node.depth,
            sums: row.tally.into(),
            share: share(row.tally.bytes(measure), total),
            largest_key: row.node.largest.as_ref().map(Into::into),
            children,
            other,
        }
    }
}

pub(super) const fn measure_word(measure: Measure) -> &'static str {
    match measure {
        Measure::Memory => "memory",
        Measure::Allocated => "allocated",
        Measure::Serialized => "serialized",
    }
}
