//! Module data: an identifier, then tagged parts until tag 0.
//!
//! Source: `rdbLoadCheckModuleValue` in `src/rdb.c` of Redis 7.0.

use crate::primitive::{Parsed, double, float, length, string};
use crate::{ErrorKind, Fault, ModuleId, ModulePart, ValueVisitor};

/// Type 7.
pub(super) fn value<'a, V: ValueVisitor<'a>>(input: &'a [u8], visitor: &mut V) -> Parsed<'a, ()> {
    let (rest, id) = length(input)?;
    visitor.module(ModuleId(id));
    parts(rest, |part| visitor.module_part(part))
}

/// Tagged parts up to and including the tag that ends them.
pub(crate) fn parts<'a>(mut input: &'a [u8], mut tell: impl FnMut(ModulePart<'a>)) -> Parsed<'a, ()> {
    loop {
        let (rest, tag) = length(input)?;
        let (rest, part) = match tag {
            0 => return Ok((rest, ())),
            1 => length(rest).map(|(rest, bits)| (rest, ModulePart::Signed(bits as i64)))?,
            2 => length(rest).map(|(rest, value)| (rest, ModulePart::Unsigned(value)))?,
            3 => float(rest).map(|(rest, value)| (rest, ModulePart::Float(value)))?,
            4 => double(rest).map(|(rest, value)| (rest, ModulePart::Double(value)))?,
            5 => string(rest).map(|(rest, text)| (rest, ModulePart::Text(text)))?,
            other => return Fault::fail(ErrorKind::BadModuleTag(other), input),
        };
        tell(part);
        input = rest;
    }
}
