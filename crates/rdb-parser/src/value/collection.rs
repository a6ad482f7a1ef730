//! Lists, sets, sorted sets and hashes.
//!
//! Source: `rdbLoadObject` in `src/rdb.c` of Redis 8.10 and Valkey 9.1.

use crate::primitive::{Parsed, ascii_double, double, int64, length, string};
use crate::{Container, ErrorKind, ValueVisitor};

/// One string that holds the whole value packed.
#[inline]
pub(super) fn packed<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (rest, blob) = string(input)?;
    visitor.packed(blob);
    Ok((rest, ()))
}

/// A count, then that many strings.
pub(super) fn elements<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (rest, element) = string(input)?;
        visitor.element(element);
        input = rest;
    }
    Ok((input, ()))
}

/// A count, then that many members with scores as text.
pub(super) fn text_scores<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (at_score, member) = string(input)?;
        let (rest, score) = ascii_double(at_score)?;
        if score.is_none() {
            visitor.fault(ErrorKind::BadScore, at_score);
        }
        visitor.scored(member, score.unwrap_or(f64::NAN));
        input = rest;
    }
    Ok((input, ()))
}

/// A count, then that many members with binary scores.
pub(super) fn binary_scores<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (rest, member) = string(input)?;
        let (rest, score) = double(rest)?;
        visitor.scored(member, score);
        input = rest;
    }
    Ok((input, ()))
}

/// A count, then that many fields and values.
pub(super) fn fields<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (rest, field) = string(input)?;
        let (rest, value) = string(rest)?;
        visitor.field(field, value, None);
        input = rest;
    }
    Ok((input, ()))
}

/// Valkey 9: the expiry stands behind field and value; -1 is none.
pub(super) fn fields_with_absolute_expiry<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    visitor: &mut V,
) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (rest, field) = string(input)?;
        let (rest, value) = string(rest)?;
        let (rest, expiry) = int64(rest)?;
        visitor.field(field, value, (expiry != -1).then_some(expiry));
        input = rest;
    }
    Ok((input, ()))
}

/// Redis 7.4 release candidates: the expiry stands in front; 0 is none.
pub(super) fn fields_behind_absolute_expiry<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    visitor: &mut V,
) -> Parsed<'a, ()> {
    timed_fields(input, visitor, |ttl| i64::try_from(ttl).ok())
}

/// Redis 7.4: the least expiry of all, then each field's distance to it plus one; 0 is none.
pub(super) fn fields_behind_relative_expiry<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    visitor: &mut V,
) -> Parsed<'a, ()> {
    let (rest, least) = int64(input)?;
    visitor.least_expiry(least);
    timed_fields(rest, visitor, |ttl| least.checked_add(i64::try_from(ttl).ok()?)?.checked_sub(1))
}

fn timed_fields<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    visitor: &mut V,
    to_absolute: impl Fn(u64) -> Option<i64>,
) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (rest, ttl) = length(input)?;
        let expiry = if ttl == 0 { None } else { to_absolute(ttl) };
        if ttl != 0 && expiry.is_none() {
            visitor.fault(ErrorKind::TtlOverflow, input);
        }
        let (rest, field) = string(rest)?;
        let (rest, value) = string(rest)?;
        visitor.field(field, value, expiry);
        input = rest;
    }
    Ok((input, ()))
}

/// Valkey 9.2, unreleased: a count of paths, each with its own count of fields.
pub(super) fn paths<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    for _ in 0..count {
        let (rest, _path) = string(input)?;
        input = fields(rest, visitor)?.0;
    }
    Ok((input, ()))
}

/// A count of nodes, each one a ziplist.
pub(super) fn ziplist_nodes<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (rest, blob) = string(input)?;
        visitor.node(Container::Packed, blob);
        input = rest;
    }
    Ok((input, ()))
}

/// A count of nodes, each one with its kind: one plain element, or a listpack.
pub(super) fn container_nodes<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (mut input, count) = length(input)?;
    visitor.count(count);
    for _ in 0..count {
        let (rest, container) = length(input)?;
        let at_container = input;
        let (rest, blob) = string(rest)?;
        match container {
            1 => visitor.node(Container::Plain, blob),
            2 => visitor.node(Container::Packed, blob),
            // The string behind it is framed all the same.
            other => visitor.fault(ErrorKind::BadContainer(other), at_container),
        }
        input = rest;
    }
    Ok((input, ()))
}
