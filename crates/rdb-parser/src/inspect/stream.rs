//! Consumer groups: whose pending entries are whose.

use std::collections::HashMap;

use super::checks::{Notes, Place};
use super::seen::{MAX_REMEMBERED, Seen};
use crate::{ErrorKind, Limits, PendingEntry, RdbStr, StreamConsumer, StreamGroup};

#[derive(Debug, Default)]
pub(super) struct Groups<'a> {
    groups: Seen,
    consumers: Seen,
    name: Option<RdbStr<'a>>,
    /// Pending entries of the current group, and whether somebody owns them.
    pending: HashMap<[u8; 16], bool>,
    is_full: bool,
    text: Vec<u8>,
}

impl<'a> Groups<'a> {
    pub(super) fn clear(&mut self) {
        self.groups.clear();
        self.consumers.clear();
        self.pending = HashMap::new();
        self.name = None;
        self.is_full = false;
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// What stands in the file for a name, or in front of which something is wrong.
    fn place(&self) -> Place<'a> {
        self.name.map_or(Place::Value, |name| Place::Within(name.stored().map_or(0, <[u8]>::len), name))
    }

    /// The current group ends.
    pub(super) fn close(&mut self, notes: &mut Notes<'a>) {
        let unowned = self.pending.values().filter(|owned| !**owned).count();
        if !self.is_full {
            (0..unowned).for_each(|_| notes.add(ErrorKind::PendingUnowned, self.place()));
        }
        self.pending.clear();
    }

    pub(super) fn group(&mut self, group: &StreamGroup<'a>, limits: Limits, notes: &mut Notes<'a>) {
        self.close(notes);
        self.consumers.clear();
        self.name = Some(group.name);
        let Ok(name) = group.name.bytes(limits, &mut self.text) else { return };
        if self.groups.is_twice(name) {
            notes.add(ErrorKind::Duplicate, self.place());
        }
    }

    pub(super) fn pending(&mut self, entry: &PendingEntry, notes: &mut Notes<'a>) {
        if self.pending.len() >= MAX_REMEMBERED {
            self.is_full = true;
        } else if self.pending.insert(entry.id.to_bytes(), false).is_some() {
            notes.add(ErrorKind::Duplicate, self.place());
        }
    }

    pub(super) fn consumer(&mut self, consumer: &StreamConsumer<'a>, limits: Limits, notes: &mut Notes<'a>) {
        if let Ok(name) = consumer.name.bytes(limits, &mut self.text)
            && self.consumers.is_twice(name)
        {
            let left = consumer.name.stored().map_or(0, <[u8]>::len);
            notes.add(ErrorKind::Duplicate, Place::Within(left, consumer.name));
        }
        self.owned(consumer.pending, notes);
    }

    /// These entries belong to a consumer, or to those that gave them back.
    pub(super) fn owned(&mut self, ids: &'a [u8], notes: &mut Notes<'a>) {
        if self.is_full {
            return;
        }
        for id in ids.chunks_exact(16) {
            let known = <[u8; 16]>::try_from(id).ok().and_then(|id| self.pending.get_mut(&id));
            match known {
                None => notes.add(ErrorKind::PendingUnknown, Place::At(id)),
                Some(owned) if *owned => notes.add(ErrorKind::PendingTwice, Place::At(id)),
                Some(owned) => *owned = true,
            }
        }
    }
}
