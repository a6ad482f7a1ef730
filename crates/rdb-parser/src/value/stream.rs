//! Streams, in the five forms they have had.
//!
//! Source: `rdbLoadObject` and `rdbSaveStreamConsumers` in `src/rdb.c` of Redis 5.0 to 8.10.

use crate::primitive::{Parsed, bytes, int64, length, raw_stream_id, stream_id, string};
use crate::{
    ErrorKind, Fault, Limits, PendingEntry, RdbStr, StreamConsumer, StreamGroup, StreamId, StreamMeta,
    ValueVisitor,
};

/// Which form a stream is written in. Each has what the ones before it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Redis 5.0.
    V1,
    /// Redis 7.0: first and largest deleted identifier, entries added and read.
    V2,
    /// Redis 7.2: when a consumer was last active.
    V3,
    /// Redis 8.6: producers whose entries are added once only.
    V4,
    /// Redis 8.8: entries that consumers have given back.
    V5,
}

pub(super) fn stream<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    form: Form,
    visitor: &mut V,
) -> Parsed<'a, ()> {
    let (mut input, nodes) = length(input)?;
    visitor.count(nodes);
    for _ in 0..nodes {
        let (rest, key) = string(input)?;
        let (rest, listpack) = string(rest)?;
        match master_id(key) {
            Some(id) => visitor.stream_node(id, listpack),
            None => visitor.fault(ErrorKind::StreamNodeKey(key.len()), input),
        }
        input = rest;
    }
    let (rest, len) = length(input)?;
    let (mut rest, last_id) = stream_id(rest)?;
    let mut meta = StreamMeta { len, last_id, ..StreamMeta::default() };
    if form >= Form::V2 {
        let (after, first_id) = stream_id(rest)?;
        let (after, max_deleted_id) = stream_id(after)?;
        let (after, entries_added) = length(after)?;
        meta.first_id = Some(first_id);
        meta.max_deleted_id = Some(max_deleted_id);
        meta.entries_added = Some(entries_added);
        rest = after;
    }
    visitor.stream_meta(&meta);
    let (mut input, groups) = length(rest)?;
    visitor.stream_groups(groups);
    for _ in 0..groups {
        input = group(input, form, visitor)?.0;
    }
    if form >= Form::V4 { producers(input, visitor) } else { Ok((input, ())) }
}

/// The sixteen bytes of a node's key. They have no pattern, but LZF is legal wherever a string is.
fn master_id(key: RdbStr<'_>) -> Option<StreamId> {
    let raw = match key {
        RdbStr::Raw(raw) => <[u8; 16]>::try_from(raw).ok()?,
        RdbStr::Lzf(lzf) if lzf.len == 16 => {
            let mut inflated = Vec::new();
            lzf.inflate(Limits::default(), &mut inflated).ok()?;
            <[u8; 16]>::try_from(inflated.as_slice()).ok()?
        }
        _ => return None,
    };
    Some(StreamId::from_bytes(raw))
}

fn group<'a, V: ValueVisitor<'a>>(input: &'a [u8], form: Form, visitor: &mut V) -> Parsed<'a, ()> {
    let (rest, name) = string(input)?;
    let (mut rest, last_id) = stream_id(rest)?;
    let mut entries_read = None;
    if form >= Form::V2 {
        let (after, read) = length(rest)?;
        entries_read = Some(read);
        rest = after;
    }
    let (mut input, pending) = length(rest)?;
    visitor.stream_group(&StreamGroup { name, last_id, entries_read, pending });
    for _ in 0..pending {
        let (rest, id) = raw_stream_id(input)?;
        let (rest, delivered_at_ms) = int64(rest)?;
        let (rest, deliveries) = length(rest)?;
        visitor.stream_pending(&PendingEntry { id, delivered_at_ms, deliveries });
        input = rest;
    }
    let (mut input, consumers) = length(input)?;
    for _ in 0..consumers {
        input = consumer(input, form, visitor)?.0;
    }
    if form >= Form::V5 {
        let (rest, ids) = raw_ids(input)?;
        visitor.stream_nacked(ids);
        input = rest;
    }
    Ok((input, ()))
}

fn consumer<'a, V: ValueVisitor<'a>>(input: &'a [u8], form: Form, visitor: &mut V) -> Parsed<'a, ()> {
    let (rest, name) = string(input)?;
    let (mut rest, seen_at_ms) = int64(rest)?;
    let mut active_at_ms = None;
    if form >= Form::V3 {
        let (after, active) = int64(rest)?;
        active_at_ms = Some(active);
        rest = after;
    }
    let (rest, pending) = raw_ids(rest)?;
    visitor.stream_consumer(&StreamConsumer { name, seen_at_ms, active_at_ms, pending });
    Ok((rest, ()))
}

/// A count, then that many identifiers of sixteen bytes.
fn raw_ids(input: &[u8]) -> Parsed<'_, &[u8]> {
    let (rest, count) = length(input)?;
    match count.checked_mul(16) {
        Some(len) => bytes(rest, len),
        None => Fault::fail(ErrorKind::LengthOverflow(count), input),
    }
}

/// Redis 8.6: what each producer has added lately, by identifiers of the producer's own.
fn producers<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (rest, duration_seconds) = length(input)?;
    let (rest, max_entries) = length(rest)?;
    visitor.stream_idmp(duration_seconds, max_entries);
    let (mut input, producers) = length(rest)?;
    for _ in 0..producers {
        let (rest, producer) = string(input)?;
        let (rest, ids) = length(rest)?;
        visitor.stream_producer(producer, ids);
        input = rest;
        for _ in 0..ids {
            let (rest, iid) = string(input)?;
            let (rest, _id) = stream_id(rest)?;
            visitor.stream_producer_id(iid);
            input = rest;
        }
    }
    let (rest, _ids_added) = length(input)?;
    let (rest, _ids_duplicate) = length(rest)?;
    Ok((rest, ()))
}
