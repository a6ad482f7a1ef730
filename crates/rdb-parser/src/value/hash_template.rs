//! Hashes that share an ordered list of field names.
//!
//! The self-contained forms (29, 31) stand in DUMP payloads and are legal in files; the others
//! (30, 32) refer to a template that opcode 242 has defined. Source: `src/rdb.c` of Redis 8.10.

use super::Surroundings;
use crate::packed::listpack::{self, Listpack};
use crate::primitive::{Parsed, length, string};
use crate::{ErrorKind, Fault, RdbStr, ValueVisitor};

/// Type 32: the template's identifier, then one value per field.
pub(super) fn array_of_template<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    around: Surroundings<'_>,
    visitor: &mut V,
) -> Parsed<'a, ()> {
    let (rest, id) = length(input)?;
    // Without the template nobody knows how many values follow.
    let Some(fields) = around.templates.field_count(id) else {
        return Fault::fail(ErrorKind::UnknownTemplate(id), input);
    };
    visitor.template(id, fields);
    visitor.count(fields);
    values(rest, fields, visitor)
}

/// Type 29: the names, then a listpack of values whose first entry means nothing.
pub(super) fn own_listpack<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (rest, _) = names(input, visitor)?;
    let (rest, blob) = string(rest)?;
    visitor.packed(blob);
    Ok((rest, ()))
}

/// Type 31: the names, then one value per field.
pub(super) fn own_array<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    around: Surroundings<'_>,
    visitor: &mut V,
) -> Parsed<'a, ()> {
    let (rest, names) = names(input, visitor)?;
    let fields = match names {
        Names::Single(count) => count,
        Names::Packed(blob) => match entry_count(blob, around) {
            Ok(count) => count,
            // The number of values cannot be known, so the frame's end cannot either.
            Err(fault) => return Fault::fail(fault.kind, input),
        },
    };
    visitor.count(fields);
    values(rest, fields, visitor)
}

enum Names<'a> {
    Packed(RdbStr<'a>),
    Single(u64),
}

fn names<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, Names<'a>> {
    let (rest, format) = length(input)?;
    match format {
        0 => {
            let (rest, blob) = string(rest)?;
            visitor.template_names(blob);
            Ok((rest, Names::Packed(blob)))
        }
        1 => {
            let (mut input, count) = length(rest)?;
            for _ in 0..count {
                let (rest, name) = string(input)?;
                visitor.template_name(name);
                input = rest;
            }
            Ok((input, Names::Single(count)))
        }
        other => Fault::fail(ErrorKind::BadTemplateFormat(other), input),
    }
}

fn values<'a, V: ValueVisitor<'a>>(mut input: &'a [u8], count: u64, visitor: &mut V) -> Parsed<'a, ()> {
    for _ in 0..count {
        let (rest, value) = string(input)?;
        visitor.element(value);
        input = rest;
    }
    Ok((input, ()))
}

/// The number of entries of a listpack that may be LZF data.
fn entry_count(blob: RdbStr<'_>, around: Surroundings<'_>) -> Result<u64, Fault> {
    let mut scratch = Vec::new();
    let start = blob.prefix(listpack::HEADER_BYTES, around.limits, &mut scratch)?;
    if let Some(count) = listpack::declared_count(start)? {
        return Ok(u64::from(count));
    }
    let whole = blob.bytes(around.limits, &mut scratch)?;
    Listpack::new(whole)?.try_fold(0u64, |count, entry| entry.map(|_| count.saturating_add(1)))
}
