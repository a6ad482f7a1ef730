//! Keys and other bytes as text.

use rdb_analysis::{Basis, KeyRow};
use serde::Serialize;

use crate::csv::KeyEncoding;

/// Escaped text, and whether there is anything to undo.
pub(super) fn escaped(bytes: &[u8]) -> (String, bool) {
    let text = KeyEncoding::Escaped.text(bytes);
    let is_escaped = text.as_bytes() != bytes;
    (text, is_escaped)
}

#[derive(Serialize)]
pub(super) struct KeyDoc<'a> {
    rank: usize,
    file: Option<&'a str>,
    db: u64,
    key: String,
    key_escaped: bool,
    r#type: &'a str,
    encoding: &'static str,
    memory_bytes: u64,
    allocated_bytes: u64,
    basis: &'static str,
    serialized_bytes: u64,
    elements: Option<u64>,
    largest_element_bytes: Option<u64>,
    expire_at_ms: Option<i64>,
    idle_seconds: Option<u64>,
    freq: Option<u8>,
    slot: Option<u16>,
    offset: u64,
}

impl<'a> KeyDoc<'a> {
    pub(super) fn of(rank: usize, row: &'a KeyRow, file: Option<&'a str>) -> Self {
        let (key, key_escaped) = escaped(&row.key);
        Self {
            rank,
            file,
            db: row.db,
            key,
            key_escaped,
            r#type: row.module.as_ref().map_or(row.object_type.as_str(), |module| module.as_str()),
            encoding: row.encoding.as_str(),
            memory_bytes: row.memory_bytes,
            allocated_bytes: row.allocated_bytes,
            basis: basis(row.basis),
            serialized_bytes: row.serialized_bytes,
            elements: row.elements,
            largest_element_bytes: row.largest_element_bytes,
            expire_at_ms: row.expire_at_ms,
            idle_seconds: row.idle_seconds,
            freq: row.freq,
            slot: row.observation().slot(),
            offset: row.offset,
        }
    }
}

pub(super) const fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Exact => "exact",
        Basis::Expected => "expected",
        Basis::Assumed => "assumed",
    }
}
