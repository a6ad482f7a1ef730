//! Packed lists, entry by entry, with the sizes that are there for reading from the right.

use crate::packed::Entry;
use crate::packed::listpack::{self, Listpack};
use crate::packed::ziplist::{self, Ziplist};
use crate::{ErrorKind, Fault};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PackedList {
    Listpack,
    Ziplist,
}

/// Walks all entries, telling `each` where one starts (as bytes left) and what it is, and `fault` what is
/// wrong. Returns how many there are.
pub(super) fn walk<'b>(
    list: PackedList,
    bytes: &'b [u8],
    each: &mut dyn FnMut(usize, Entry<'b>),
    fault: &mut dyn FnMut(Fault),
) -> u64 {
    let walked = match list {
        PackedList::Listpack => walk_listpack(bytes, each, fault),
        PackedList::Ziplist => walk_ziplist(bytes, each, fault),
    };
    walked.unwrap_or_else(|damage| {
        fault(damage);
        0
    })
}

/// Servers look at the last byte whatever their settings, and at the end of the entries only on request.
///
/// Source: `lpValidateIntegrity` in `src/listpack.c` of Redis 7.0.
pub(super) fn end_mark(bytes: &[u8], fault: &mut dyn FnMut(Fault)) {
    if bytes.last().is_some_and(|last| *last != 0xff) {
        fault(Fault { kind: ErrorKind::NoEndMark, left: 1 });
    }
}

fn between(bytes: &[u8], left: usize, left_after: usize) -> &[u8] {
    let (start, end) = (bytes.len().saturating_sub(left), bytes.len().saturating_sub(left_after));
    bytes.get(start..end).unwrap_or_default()
}

fn walk_listpack<'b>(
    bytes: &'b [u8],
    each: &mut dyn FnMut(usize, Entry<'b>),
    fault: &mut dyn FnMut(Fault),
) -> Result<u64, Fault> {
    let mut entries = Listpack::new(bytes)?;
    let mut count = 0;
    loop {
        let left = entries.bytes_left();
        let Some(entry) = entries.next() else { return Ok(count) };
        let entry = entry?;
        let (actual, stored) = listpack::sizes_of(between(bytes, left, entries.bytes_left()));
        if stored != Some(actual) {
            let kind = ErrorKind::EntrySizeBehind { stored: stored.unwrap_or(0), actual };
            fault(Fault { kind, left });
        }
        count += 1;
        each(left, entry);
    }
}

fn walk_ziplist<'b>(
    bytes: &'b [u8],
    each: &mut dyn FnMut(usize, Entry<'b>),
    fault: &mut dyn FnMut(Fault),
) -> Result<u64, Fault> {
    let mut entries = Ziplist::new(bytes)?;
    let (mut count, mut before) = (0, 0u64);
    let mut last = entries.bytes_left();
    loop {
        let left = entries.bytes_left();
        let Some(entry) = entries.next() else { break };
        let entry = entry?;
        last = left;
        let raw = between(bytes, left, entries.bytes_left());
        let stored = ziplist::size_before(raw);
        if stored != before {
            fault(Fault { kind: ErrorKind::EntrySizeBefore { stored, actual: before }, left });
        }
        before = raw.len() as u64;
        count += 1;
        each(left, entry);
    }
    let actual = bytes.len().saturating_sub(last) as u64;
    let stored = ziplist::tail_offset(bytes);
    if stored != actual {
        let left = bytes.len().saturating_sub(4);
        fault(Fault { kind: ErrorKind::TailOffset { stored, actual }, left });
    }
    Ok(count)
}
