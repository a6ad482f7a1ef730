//! Hash templates: the order of their fields, and hashes that have one value for each.

use std::cmp::Ordering;

use super::notes::{Notes, Place};
use super::packed::{PackedList, end_mark, walk};
use crate::packed::listpack::Listpack;
use crate::primitive::string;
use crate::{ErrorKind, Fault, HashTemplates, Limits, RdbStr};

/// What is wrong with a template, and at how many bytes before the end of its names.
pub type TemplateFault = Fault;

/// Names of fields, which ascend by length, then bytes.
///
/// Source: `rdbLoadHashTemplate` and `rdbLoadTemplateFields` in `src/rdb.c` of Redis 8.10: "Hash template
/// fields not strictly sorted".
#[derive(Debug, Default)]
pub(super) struct Names {
    last: Vec<u8>,
    count: u64,
}

impl Names {
    pub(super) fn clear(&mut self) {
        self.last.clear();
        self.count = 0;
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether this name may follow those before it.
    pub(super) fn may_follow(&mut self, name: &[u8]) -> bool {
        let order = self.last.len().cmp(&name.len()).then_with(|| self.last.as_slice().cmp(name));
        let may_follow = self.count == 0 || order == Ordering::Less;
        self.last.clear();
        self.last.extend_from_slice(name);
        self.count = self.count.saturating_add(1);
        may_follow
    }
}

/// What is wrong with the names of a template that the file defines, as [`crate::Item::HashTemplate`] has them.
#[must_use]
pub(super) fn fault_in_names(fields: u64, mut names: &[u8], limits: Limits) -> Option<TemplateFault> {
    if fields == 0 {
        return Some(Fault::at(ErrorKind::TemplateEmpty, names));
    }
    let (mut order, mut text) = (Names::default(), Vec::new());
    while !names.is_empty() {
        let Ok((rest, name)) = string(names) else { break };
        match name.bytes(limits, &mut text) {
            Ok(bytes) if order.may_follow(bytes) => {}
            Ok(_) => return Some(Fault::at(ErrorKind::TemplateOrder, names)),
            Err(fault) => return Some(Fault::at(fault.kind, names)),
        }
        names = rest;
    }
    None
}

/// Types 29 and 30: a listpack of the template's identifier and a value for each field.
///
/// `own` is the number of names that stand in front of it, for type 29.
pub(super) fn values<'a>(
    blob: RdbStr<'a>,
    bytes: &[u8],
    own: Option<u64>,
    templates: &HashTemplates,
    notes: &mut Notes<'a>,
) -> Result<(), Fault> {
    let start = Place::start_of(blob);
    end_mark(bytes, &mut |fault| notes.add(fault.kind, Place::Within(fault.left, blob)));
    let list = Listpack::new(bytes)?;
    let declared = list.declared_count();
    let id = list.clone().next().and_then(Result::ok).and_then(|entry| entry.int().ok());
    let mut is_sound = true;
    let found = walk(PackedList::Listpack, bytes, &mut |_, _| {}, &mut |fault| {
        is_sound = false;
        notes.add(fault.kind, Place::Within(fault.left, blob));
    });
    let Some(id) = id else {
        notes.add(ErrorKind::NotAnInteger, start);
        return Ok(());
    };
    let known = own.or_else(|| templates.field_count(id as u64));
    let Some(fields) = known else {
        notes.add(ErrorKind::UnknownTemplate(id as u64), start);
        return Ok(());
    };
    // Servers believe the header, if it says something.
    let values = declared.or(is_sound.then_some(found)).map(|entries| entries.saturating_sub(1));
    if let Some(values) = values.filter(|values| *values != fields) {
        notes.add(ErrorKind::TemplateValues { values, fields }, start);
    }
    Ok(())
}
