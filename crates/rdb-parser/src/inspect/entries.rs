//! The entries of a stream, and what the stream says of them.

use super::notes::{Notes, Place};
use super::packed::{PackedList, end_mark, walk};
use super::seen::Seen;
use crate::packed::listpack::Listpack;
use crate::packed::stream::StreamNode;
use crate::{ErrorKind, Fault, RdbStr, StreamId, StreamMeta};

#[derive(Debug, Default)]
pub(super) struct Entries {
    nodes: Seen,
    last_node: Option<StreamId>,
    first_live: Option<StreamId>,
    last: Option<StreamId>,
    live: u64,
    /// Whether some node could not be read to its end.
    is_unread: bool,
}

impl Entries {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        *self = Self { nodes: std::mem::take(&mut self.nodes), ..Self::default() };
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes.is_full
    }

    /// A node could not be read.
    pub(super) fn miss(&mut self) {
        self.is_unread = true;
    }

    /// A node begins. The tree of nodes is keyed by them: one that comes again is refused, one out of order
    /// is not.
    pub(super) fn node<'a>(&mut self, master_id: StreamId, start: Place<'a>, notes: &mut Notes<'a>) {
        if self.nodes.is_twice(&master_id.to_bytes()) {
            notes.add(ErrorKind::Duplicate, start);
        } else if self.last_node.is_some_and(|before| before > master_id) {
            notes.add(ErrorKind::StreamEntryOrder, start);
        }
        self.last_node = Some(master_id);
    }

    /// The inflated bytes of the node that began last.
    pub(super) fn listpack<'a>(
        &mut self,
        master_id: StreamId,
        listpack: RdbStr<'a>,
        bytes: &[u8],
        notes: &mut Notes<'a>,
    ) -> Result<(), Fault> {
        let start = Place::start_of(listpack);
        end_mark(bytes, &mut |fault| notes.add(fault.kind, Place::Within(fault.left, listpack)));
        // What the entries mean is read below: here only the sizes between them.
        let mut is_sound = true;
        let parts = walk(PackedList::Listpack, bytes, &mut |_, _| {}, &mut |fault| {
            is_sound = false;
            notes.add(fault.kind, Place::Within(fault.left, listpack));
        });
        if is_sound && parts == 0 {
            notes.add(ErrorKind::EmptyNode, start);
            self.is_unread = true;
            return Ok(());
        }
        let mut head = Listpack::new(bytes)?;
        let mut count = || match head.next() {
            Some(entry) => entry.and_then(|entry| entry.int()).map(|count| count.max(0) as u64),
            None => Ok(0),
        };
        let (live, deleted) = match (count(), count()) {
            (Ok(live), Ok(deleted)) => (live, deleted),
            _ => (0, 0),
        };
        if live == 0 {
            notes.add(ErrorKind::StreamNodeEmpty, start);
        }
        self.live = self.live.saturating_add(live);
        if !is_sound {
            self.is_unread = true;
            return Ok(());
        }
        let mut found = 0u64;
        for entry in StreamNode::new(master_id, bytes)? {
            let entry = entry?;
            found += u64::from(entry.deleted);
            if self.last.is_some_and(|before| entry.id <= before) {
                notes.add(ErrorKind::StreamEntryOrder, start);
            }
            self.last = self.last.max(Some(entry.id));
            if !entry.deleted && self.first_live.is_none_or(|first| entry.id < first) {
                self.first_live = Some(entry.id);
            }
        }
        if found != deleted {
            notes.add(ErrorKind::StreamDeletedCount { declared: deleted, found }, start);
        }
        Ok(())
    }

    /// What the stream says of its entries, behind them.
    ///
    /// Source: `rdbLoadObject` in `src/rdb.c` of Redis 8.10, which compares the length and `entries_added`.
    /// Identifiers are taken as they are, and wrong ones make XREAD and XINFO answer wrongly.
    pub(super) fn meta<'a>(&self, meta: &StreamMeta, notes: &mut Notes<'a>) {
        let at = Place::Value;
        if !self.is_unread && meta.len != self.live {
            notes.add(ErrorKind::StreamLength { declared: meta.len, found: self.live }, at);
        }
        if self.last.is_some_and(|last| last > meta.last_id) {
            notes.add(ErrorKind::StreamLastId(meta.last_id), at);
        }
        if let Some(added) = meta.entries_added.filter(|added| *added < meta.len) {
            notes.add(ErrorKind::StreamAdded { added, len: meta.len }, at);
        }
        if let Some(deleted) = meta.max_deleted_id.filter(|deleted| *deleted > meta.last_id) {
            notes.add(ErrorKind::StreamDeletedId(deleted), at);
        }
        if let (Some(first), Some(live)) = (meta.first_id, self.first_live)
            && !self.is_unread
            && first != live
        {
            notes.add(ErrorKind::StreamFirstId(first), at);
        }
    }
}
