//! The checks themselves, as a visitor.

use rdb_format::TypeCode;

use super::Inspector;
use super::packed::{PackedList, walk};
use super::seen::Seen;
use super::stream::Groups;
use crate::packed::intset::Intset;
use crate::packed::listpack::Listpack;
use crate::packed::stream::StreamNode;
use crate::packed::zipmap::Zipmap;
use crate::{
    ArrayValue, Container, Error, ErrorKind, Fault, Limits, ModulePart, PendingEntry, RdbStr, Record,
    StreamConsumer, StreamGroup, StreamId, StreamMeta, ValueVisitor,
};

/// The latest expiry of a field that servers accept. Source: `EB_EXPIRE_TIME_MAX` in `src/ebuckets.h`.
const MAX_FIELD_EXPIRY: i64 = (1 << 48) - 1;

/// Where something was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    /// At the start of these bytes of the value.
    At(&'a [u8]),
    /// So many bytes before the end of this string.
    Within(usize, RdbStr<'a>),
    /// Somewhere in the value.
    Value,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    pub kind: ErrorKind,
    place: Place<'a>,
}

impl<'a> Found<'a> {
    pub(super) fn error(&self, record: &Record<'a>) -> Error {
        match self.place {
            Place::At(bytes) => record.error_at(self.kind, bytes),
            Place::Within(left, string) => record.error_in_string(Fault { kind: self.kind, left }, string),
            Place::Value => record.error_at(self.kind, record.value),
        }
    }
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Notes<'a> {
    found: Vec<Found<'a>>,
    more: u64,
}

impl<'a> Notes<'a> {
    pub(super) fn add(&mut self, kind: ErrorKind, place: Place<'a>) {
        if self.found.len() < Inspector::MAX_FINDINGS {
            self.found.push(Found { kind, place });
        } else {
            self.more = self.more.saturating_add(1);
        }
    }
}

#[derive(Debug)]
pub(super) struct Checks<'a> {
    limits: Limits,
    type_code: TypeCode,
    notes: Notes<'a>,
    seen: Seen,
    groups: Groups<'a>,
    last_entry: Option<StreamId>,
    last_node: Option<StreamId>,
    live: u64,
    /// Whether the nodes of the stream could all be read.
    is_counted: bool,
    scratch: Vec<u8>,
    text: Vec<u8>,
}

impl<'a> Checks<'a> {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            type_code: TypeCode::STRING,
            notes: Notes::default(),
            seen: Seen::default(),
            groups: Groups::default(),
            last_entry: None,
            last_node: None,
            live: 0,
            is_counted: true,
            scratch: Vec::new(),
            text: Vec::new(),
        }
    }

    /// What was found in the value that was walked, and how much more than is kept.
    pub(super) fn finish(&mut self) -> (&[Found<'a>], u64) {
        self.groups.close(&mut self.notes);
        (&self.notes.found, self.notes.more)
    }

    pub(super) fn is_too_large(&self) -> bool {
        self.seen.is_full || self.groups.is_full()
    }

    fn sound(&mut self, string: RdbStr<'a>) {
        if let RdbStr::Lzf(lzf) = string
            && let Err(fault) = lzf.check()
        {
            self.notes.add(fault.kind, Place::Within(fault.left, string));
        }
    }

    /// A member or field that may stand once only.
    fn once(&mut self, string: RdbStr<'a>) {
        match string.bytes(self.limits, &mut self.text) {
            Ok(bytes) => {
                if self.seen.is_twice(bytes) {
                    let left = string.stored().map_or(0, <[u8]>::len);
                    self.notes.add(ErrorKind::Duplicate, Place::Within(left, string));
                }
            }
            Err(fault) => self.notes.add(fault.kind, Place::Within(fault.left, string)),
        }
    }

    fn field_expiry(&mut self, expire_at_ms: Option<i64>, place: Place<'a>) {
        if let Some(at) = expire_at_ms.filter(|at| !(0..=MAX_FIELD_EXPIRY).contains(at)) {
            self.notes.add(ErrorKind::FieldTtlRange(at), place);
        }
    }

    /// Opens a packed value and hands it to `look`, whose damage is noted.
    fn open(&mut self, blob: RdbStr<'a>, look: impl FnOnce(&mut Self, &[u8]) -> Result<(), Fault>) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        let looked = blob.bytes(self.limits.for_packed(), &mut scratch).and_then(|bytes| look(self, bytes));
        self.scratch = scratch;
        if let Err(fault) = looked {
            self.notes.add(fault.kind, Place::Within(fault.left, blob));
        }
        looked.is_ok()
    }

    /// A listpack or ziplist whose entries come in groups of `group`, the first of each of which is a member
    /// or field when `is_keyed`.
    fn list(&mut self, blob: RdbStr<'a>, list: PackedList, group: u64, is_keyed: bool) {
        let code = self.type_code;
        let is_sorted = matches!(code, TypeCode::ZSET_LISTPACK | TypeCode::ZSET_ZIPLIST);
        let is_timed = group == 3;
        self.open(blob, |this, bytes| {
            let Self { notes, seen, text, .. } = this;
            let notes = std::cell::RefCell::new(notes);
            let note = |kind, left| notes.borrow_mut().add(kind, Place::Within(left, blob));
            let (mut at, mut score, mut expiry) = (0u64, f64::NEG_INFINITY, Some(0));
            let mut each = |left: usize, entry: crate::packed::Entry<'_>| {
                let column = at % group;
                at += 1;
                if column == 0 && is_keyed && seen.is_twice(entry.bytes(text)) {
                    note(ErrorKind::Duplicate, left);
                }
                if column == 1 && is_sorted {
                    let next = match entry {
                        crate::packed::Entry::Int(value) => Some(value as f64),
                        crate::packed::Entry::Str(text) => {
                            std::str::from_utf8(text).ok().and_then(|text| text.parse().ok())
                        }
                    };
                    match next {
                        None => note(ErrorKind::BadScore, left),
                        Some(next) if next.is_nan() => note(ErrorKind::NanScore, left),
                        Some(next) if next < score => note(ErrorKind::ScoreOrder, left),
                        Some(next) => score = next,
                    }
                }
                if column == 2 && is_timed {
                    // Fields without an expiry stand behind those that have one.
                    match entry.int() {
                        Err(fault) => note(fault.kind, left),
                        Ok(0) => expiry = None,
                        Ok(next) if !(0..=MAX_FIELD_EXPIRY).contains(&next) => {
                            note(ErrorKind::FieldTtlRange(next), left);
                        }
                        Ok(next) if expiry.is_none_or(|before| next < before) => {
                            note(ErrorKind::FieldTtlOrder, left);
                        }
                        Ok(next) => expiry = Some(next),
                    }
                }
            };
            let entries = walk(list, bytes, &mut each, &mut |fault| note(fault.kind, fault.left));
            if !entries.is_multiple_of(group) {
                note(ErrorKind::UnevenEntries { entries, group }, bytes.len());
            }
            Ok(())
        });
    }

    fn intset(&mut self, blob: RdbStr<'a>) {
        self.open(blob, |this, bytes| {
            let set = Intset::new(bytes)?;
            let mut before = None;
            for (at, value) in set.iter().enumerate() {
                if before.is_some_and(|before| value <= before) {
                    let left = bytes.len().saturating_sub(8 + at * set.width());
                    this.notes.add(ErrorKind::IntsetOrder, Place::Within(left, blob));
                }
                before = Some(value);
            }
            Ok(())
        });
    }

    fn zipmap(&mut self, blob: RdbStr<'a>) {
        self.open(blob, |this, bytes| {
            let mut pairs = Zipmap::new(bytes)?;
            loop {
                let left = pairs.bytes_left();
                let Some(pair) = pairs.next() else { return Ok(()) };
                if this.seen.is_twice(pair?.0) {
                    this.notes.add(ErrorKind::Duplicate, Place::Within(left, blob));
                }
            }
        });
    }
}

impl<'a> ValueVisitor<'a> for Checks<'a> {
    fn begin(&mut self, type_code: TypeCode) {
        self.type_code = type_code;
        self.notes.found.clear();
        self.notes.more = 0;
        self.seen.clear();
        self.groups.clear();
        self.last_entry = None;
        self.last_node = None;
        self.live = 0;
        self.is_counted = true;
    }

    fn fault(&mut self, kind: ErrorKind, at: &'a [u8]) {
        self.is_counted = false;
        self.notes.add(kind, Place::At(at));
    }

    fn string(&mut self, value: RdbStr<'a>) {
        self.sound(value);
    }

    fn element(&mut self, element: RdbStr<'a>) {
        if self.type_code == TypeCode::SET { self.once(element) } else { self.sound(element) }
    }

    fn scored(&mut self, member: RdbStr<'a>, score: f64) {
        self.once(member);
        // Of a score text that is no number the walk has told.
        if score.is_nan() && self.notes.found.last().is_none_or(|found| found.kind != ErrorKind::BadScore) {
            self.notes.add(ErrorKind::NanScore, Place::Within(0, member));
        }
    }

    fn field(&mut self, field: RdbStr<'a>, value: RdbStr<'a>, expire_at_ms: Option<i64>) {
        self.once(field);
        self.sound(value);
        self.field_expiry(expire_at_ms, Place::Within(0, field));
    }

    fn packed(&mut self, blob: RdbStr<'a>) {
        match self.type_code {
            TypeCode::HASH_ZIPMAP => self.zipmap(blob),
            TypeCode::SET_INTSET => self.intset(blob),
            TypeCode::LIST_ZIPLIST => self.list(blob, PackedList::Ziplist, 1, false),
            TypeCode::ZSET_ZIPLIST | TypeCode::HASH_ZIPLIST => self.list(blob, PackedList::Ziplist, 2, true),
            TypeCode::HASH_LISTPACK | TypeCode::ZSET_LISTPACK => {
                self.list(blob, PackedList::Listpack, 2, true);
            }
            TypeCode::HASH_LISTPACK_EX_PRE_GA | TypeCode::HASH_LISTPACK_EX => {
                self.list(blob, PackedList::Listpack, 3, true);
            }
            TypeCode::SET_LISTPACK => self.list(blob, PackedList::Listpack, 1, true),
            _ => self.list(blob, PackedList::Listpack, 1, false),
        }
    }

    fn node(&mut self, container: Container, blob: RdbStr<'a>) {
        match (container, self.type_code) {
            (Container::Plain, _) => self.sound(blob),
            (Container::Packed, TypeCode::LIST_QUICKLIST) => self.list(blob, PackedList::Ziplist, 1, false),
            (Container::Packed, _) => self.list(blob, PackedList::Listpack, 1, false),
        }
    }

    fn stream_node(&mut self, master_id: StreamId, listpack: RdbStr<'a>) {
        let start = Place::Within(listpack.stored().map_or(0, <[u8]>::len), listpack);
        // The tree of nodes is keyed by them: one that comes again is refused, one out of order is not.
        if self.seen.is_twice(&master_id.to_bytes()) {
            self.notes.add(ErrorKind::Duplicate, start);
        } else if self.last_node.is_some_and(|before| before > master_id) {
            self.notes.add(ErrorKind::StreamEntryOrder, start);
        }
        self.last_node = Some(master_id);
        let is_read = self.open(listpack, |this, bytes| {
            // What the entries mean is read below: here only the sizes between them.
            let mut is_sound = true;
            walk(PackedList::Listpack, bytes, &mut |_, _| {}, &mut |fault| {
                is_sound = false;
                this.notes.add(fault.kind, Place::Within(fault.left, listpack));
            });
            let mut head = Listpack::new(bytes)?;
            let mut count = || match head.next() {
                Some(entry) => entry.and_then(|entry| entry.int()).map(|count| count.max(0) as u64),
                None => Ok(0),
            };
            let (live, deleted) = match (count(), count()) {
                (Ok(live), Ok(deleted)) => (live, deleted),
                _ => (0, 0),
            };
            this.live = this.live.saturating_add(live);
            if !is_sound {
                return Ok(());
            }
            let mut found = 0u64;
            for entry in StreamNode::new(master_id, bytes)? {
                let entry = entry?;
                found += u64::from(entry.deleted);
                if this.last_entry.is_some_and(|before| entry.id <= before) {
                    this.notes.add(ErrorKind::StreamEntryOrder, start);
                }
                this.last_entry = Some(entry.id);
            }
            if found != deleted {
                this.notes.add(ErrorKind::StreamDeletedCount { declared: deleted, found }, start);
            }
            Ok(())
        });
        self.is_counted &= is_read;
    }

    fn stream_meta(&mut self, meta: &StreamMeta) {
        if self.is_counted && meta.len != self.live {
            let kind = ErrorKind::StreamLength { declared: meta.len, found: self.live };
            self.notes.add(kind, Place::Value);
        }
    }

    fn stream_group(&mut self, group: &StreamGroup<'a>) {
        self.groups.group(group, self.limits, &mut self.notes);
    }

    fn stream_pending(&mut self, entry: &PendingEntry) {
        self.groups.pending(entry, &mut self.notes);
    }

    fn stream_consumer(&mut self, consumer: &StreamConsumer<'a>) {
        self.groups.consumer(consumer, self.limits, &mut self.notes);
    }

    fn stream_nacked(&mut self, ids: &'a [u8]) {
        self.groups.owned(ids, &mut self.notes);
    }

    fn array_slot(&mut self, _: u64, value: ArrayValue<'a>) {
        if let ArrayValue::Text(text) | ArrayValue::ShortText(text) = value {
            self.sound(text);
        }
    }

    fn module_part(&mut self, part: ModulePart<'a>) {
        if let ModulePart::Text(text) = part {
            self.sound(text);
        }
    }
}
