//! Arrays. Source: `rdbLoadObject` in `src/rdb.c` of Redis 8.10.

use crate::primitive::{Parsed, double, int64, length, string};
use crate::{ArrayValue, ErrorKind, Fault, ValueVisitor};

pub(super) fn array<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (at_flag, count) = length(input)?;
    let (mut rest, has_cursor) = length(at_flag)?;
    match has_cursor {
        0 => {}
        1 => {
            let (after, cursor) = length(rest)?;
            visitor.array_cursor(cursor);
            rest = after;
        }
        other => return Fault::fail(ErrorKind::BadArrayCursor(other), at_flag),
    }
    visitor.count(count);
    let mut input = rest;
    for _ in 0..count {
        let (at_tag, index) = length(input)?;
        let (rest, tag) = length(at_tag)?;
        let (rest, value) = match tag {
            0 => string(rest).map(|(rest, text)| (rest, ArrayValue::Text(text)))?,
            1 => int64(rest).map(|(rest, value)| (rest, ArrayValue::Int(value)))?,
            2 => double(rest).map(|(rest, value)| (rest, ArrayValue::Float(value)))?,
            3 => string(rest).map(|(rest, text)| (rest, ArrayValue::ShortText(text)))?,
            other => return Fault::fail(ErrorKind::BadArrayTag(other), at_tag),
        };
        visitor.array_slot(index, value);
        input = rest;
    }
    Ok((input, ()))
}
