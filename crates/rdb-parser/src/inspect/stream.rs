//! Consumer groups: whose pending entries are whose.

use std::collections::HashMap;

use super::notes::{Notes, Place};
use super::seen::{MAX_REMEMBERED, Seen};
use crate::{ErrorKind, Limits, PendingEntry, RdbStr, StreamConsumer, StreamGroup};

/// Who has a pending entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    Nobody,
    Consumer,
    /// A consumer had it, and has given it back (Redis 8.8).
    GivenBack,
}

#[derive(Debug, Default)]
pub(super) struct Groups<'a> {
    groups: Seen,
    consumers: Seen,
    name: Option<RdbStr<'a>>,
    /// Pending entries of the current group, and who has them.
    pending: HashMap<[u8; 16], Owner>,
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
        self.name.map_or(Place::Value, Place::start_of)
    }

    /// The current group ends.
    pub(super) fn close(&mut self, notes: &mut Notes<'a>) {
        let unowned = self.pending.values().filter(|owner| **owner == Owner::Nobody).count();
        if !self.is_full {
            (0..unowned).for_each(|_| notes.add(ErrorKind::PendingUnowned, self.place()));
        }
        self.pending.clear();
    }

    /// A group of a stream to which so many entries were added begins.
    pub(super) fn group(
        &mut self,
        group: &StreamGroup<'a>,
        entries_added: Option<u64>,
        limits: Limits,
        notes: &mut Notes<'a>,
    ) {
        self.close(notes);
        self.consumers.clear();
        self.name = Some(group.name);
        // The largest number stands for one that is not known. Redis 7.0 and Valkey write what they are told
        // in XGROUP CREATE with ENTRIESREAD, and Redis 8.10 refuses it.
        if let (Some(read), Some(added)) = (group.entries_read, entries_added)
            && read != u64::MAX
            && read > added
        {
            notes.add(ErrorKind::GroupRead { read, added }, self.place());
        }
        let Ok(name) = group.name.bytes(limits, &mut self.text) else { return };
        if self.groups.is_twice(name) {
            notes.add(ErrorKind::Duplicate, self.place());
        }
    }

    pub(super) fn pending(&mut self, entry: &PendingEntry, notes: &mut Notes<'a>) {
        if self.pending.len() >= MAX_REMEMBERED {
            self.is_full = true;
        } else if self.pending.insert(entry.id.to_bytes(), Owner::Nobody).is_some() {
            notes.add(ErrorKind::Duplicate, self.place());
        }
    }

    pub(super) fn consumer(&mut self, consumer: &StreamConsumer<'a>, limits: Limits, notes: &mut Notes<'a>) {
        if let Ok(name) = consumer.name.bytes(limits, &mut self.text)
            && self.consumers.is_twice(name)
        {
            notes.add(ErrorKind::Duplicate, Place::start_of(consumer.name));
        }
        self.each(
            consumer.pending,
            |owner| match owner {
                None => Some(ErrorKind::PendingUnknown),
                Some(owner @ Owner::Nobody) => {
                    *owner = Owner::Consumer;
                    None
                }
                Some(_) => Some(ErrorKind::PendingTwice),
            },
            notes,
        );
    }

    /// These entries were given back: they are behind all consumers of the group.
    pub(super) fn nacked(&mut self, ids: &'a [u8], notes: &mut Notes<'a>) {
        self.each(
            ids,
            |owner| match owner {
                None => Some(ErrorKind::NackedUnknown),
                Some(owner @ Owner::Nobody) => {
                    *owner = Owner::GivenBack;
                    None
                }
                Some(Owner::Consumer) => Some(ErrorKind::NackedOwned),
                Some(Owner::GivenBack) => Some(ErrorKind::NackedTwice),
            },
            notes,
        );
    }

    fn each(
        &mut self,
        ids: &'a [u8],
        look: impl Fn(Option<&mut Owner>) -> Option<ErrorKind>,
        notes: &mut Notes<'a>,
    ) {
        if self.is_full {
            return;
        }
        for id in ids.chunks_exact(16) {
            let known = <[u8; 16]>::try_from(id).ok().and_then(|id| self.pending.get_mut(&id));
            if let Some(kind) = look(known) {
                notes.add(kind, Place::At(id));
            }
        }
    }
}
