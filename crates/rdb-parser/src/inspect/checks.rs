//! The checks themselves, as a visitor.

use rdb_format::TypeCode;

use super::entries::Entries;
use super::notes::{Notes, Place};
use super::packed::{PackedList, end_mark, walk};
use super::seen::Seen;
use super::stream::Groups;
use super::template::{self, Names};
use super::vector::Vectors;
use crate::packed::intset::Intset;
use crate::packed::zipmap::Zipmap;
use crate::{
    ArrayValue, Container, ErrorKind, Fault, HashTemplates, Limits, ModuleId, ModulePart, PendingEntry,
    RdbStr, StreamConsumer, StreamGroup, StreamId, StreamMeta, ValueVisitor,
};

/// The latest expiry of a field that servers accept. Source: `EB_EXPIRE_TIME_MAX` in `src/ebuckets.h`.
const MAX_FIELD_EXPIRY: i64 = (1 << 48) - 1;

/// The most bytes of an array element with the tag of short texts. Source: `rdbLoadObject` of Redis 8.10:
/// "Invalid small string length".
const MAX_SHORT_TEXT: u64 = 7;

#[derive(Debug)]
pub(super) struct Checks<'a> {
    limits: Limits,
    templates: HashTemplates,
    type_code: TypeCode,
    notes: Notes<'a>,
    seen: Seen,
    entries: Entries,
    entries_added: Option<u64>,
    groups: Groups<'a>,
    producer_ids: Seen,
    names: Names,
    vectors: Vectors<'a>,
    last_index: Option<u64>,
    scratch: Vec<u8>,
    text: Vec<u8>,
}

impl<'a> Checks<'a> {
    pub(super) fn new(limits: Limits, templates: HashTemplates) -> Self {
        Self {
            limits,
            templates,
            type_code: TypeCode::STRING,
            notes: Notes::default(),
            seen: Seen::default(),
            entries: Entries::default(),
            entries_added: None,
            groups: Groups::default(),
            producer_ids: Seen::default(),
            names: Names::default(),
            vectors: Vectors::default(),
            last_index: None,
            scratch: Vec::new(),
            text: Vec::new(),
        }
    }

    /// What was found in the value that was walked.
    pub(super) fn finish(&mut self) -> &Notes<'a> {
        self.groups.close(&mut self.notes);
        self.vectors.end(&mut self.notes);
        &self.notes
    }

    pub(super) fn is_too_large(&self) -> bool {
        self.seen.is_full
            || self.producer_ids.is_full
            || self.entries.is_full()
            || self.groups.is_full()
            || self.vectors.is_full()
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
                    self.notes.add(ErrorKind::Duplicate, Place::start_of(string));
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
    ///
    /// Returns how many entries there are; none if the list cannot be read.
    fn list(&mut self, blob: RdbStr<'a>, list: PackedList, group: u64, is_keyed: bool) -> Option<u64> {
        let mut count = None;
        let code = self.type_code;
        let is_sorted = matches!(code, TypeCode::ZSET_LISTPACK | TypeCode::ZSET_ZIPLIST);
        let is_timed = group == 3;
        self.open(blob, |this, bytes| {
            let Self { notes, seen, text, .. } = this;
            let notes = std::cell::RefCell::new(notes);
            let note = |kind, left| notes.borrow_mut().add(kind, Place::Within(left, blob));
            end_mark(bytes, &mut |fault| note(fault.kind, fault.left));
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
            let mut is_sound = true;
            let entries = walk(list, bytes, &mut each, &mut |fault| {
                is_sound = false;
                note(fault.kind, fault.left);
            });
            count = is_sound.then_some(entries);
            if !entries.is_multiple_of(group) {
                note(ErrorKind::UnevenEntries { entries, group }, bytes.len());
            }
            Ok(())
        });
        count
    }

    /// A node of a list, which has elements: an empty one is dropped.
    fn list_node(&mut self, blob: RdbStr<'a>, list: PackedList) {
        if self.list(blob, list, 1, false) == Some(0) {
            self.notes.add(ErrorKind::EmptyNode, Place::start_of(blob));
        }
    }

    /// Types 29 and 31: the next name of the fields.
    fn template_name(&mut self, name: &[u8], place: Place<'a>) {
        if !self.names.may_follow(name) {
            self.notes.add(ErrorKind::TemplateOrder, place);
        }
    }

    fn intset(&mut self, blob: RdbStr<'a>) {
        self.open(blob, |this, bytes| {
            let set = Intset::new(bytes)?;
            let mut before = None;
            for (at, value) in set.iter().enumerate() {
                if let Some(before) = before.filter(|before| value <= *before) {
                    let left = bytes.len().saturating_sub(8 + at * set.width());
                    let kind = if value == before { ErrorKind::Duplicate } else { ErrorKind::IntsetOrder };
                    this.notes.add(kind, Place::Within(left, blob));
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
        self.notes.clear();
        self.seen.clear();
        self.entries.clear();
        self.entries_added = None;
        self.groups.clear();
        self.producer_ids.clear();
        self.names.clear();
        self.vectors.clear();
        self.last_index = None;
    }

    fn fault(&mut self, kind: ErrorKind, at: &'a [u8]) {
        self.entries.miss();
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
        if score.is_nan() && self.notes.last() != Some(ErrorKind::BadScore) {
            self.notes.add(ErrorKind::NanScore, Place::Within(0, member));
        }
    }

    fn field(&mut self, field: RdbStr<'a>, value: RdbStr<'a>, expire_at_ms: Option<i64>) {
        self.once(field);
        self.sound(value);
        self.field_expiry(expire_at_ms, Place::Within(0, field));
    }

    fn least_expiry(&mut self, ms: i64) {
        if !(0..=MAX_FIELD_EXPIRY).contains(&ms) {
            self.notes.add(ErrorKind::LeastExpiry(ms), Place::Value);
        }
    }

    fn packed(&mut self, blob: RdbStr<'a>) {
        match self.type_code {
            TypeCode::HASH_ZIPMAP => self.zipmap(blob),
            TypeCode::SET_INTSET => self.intset(blob),
            TypeCode::HASH_TMPL_LP | TypeCode::HASH_TMPL_LP_REF => {
                let own = (self.type_code == TypeCode::HASH_TMPL_LP).then(|| self.names.count());
                if own == Some(0) {
                    self.notes.add(ErrorKind::TemplateEmpty, Place::Value);
                }
                self.open(blob, |this, bytes| {
                    template::values(blob, bytes, own, &this.templates, &mut this.notes)
                });
            }
            code => {
                let (list, group, is_keyed) = match code {
                    TypeCode::LIST_ZIPLIST => (PackedList::Ziplist, 1, false),
                    TypeCode::ZSET_ZIPLIST | TypeCode::HASH_ZIPLIST => (PackedList::Ziplist, 2, true),
                    TypeCode::HASH_LISTPACK | TypeCode::ZSET_LISTPACK => (PackedList::Listpack, 2, true),
                    TypeCode::HASH_LISTPACK_EX_PRE_GA | TypeCode::HASH_LISTPACK_EX => {
                        (PackedList::Listpack, 3, true)
                    }
                    TypeCode::SET_LISTPACK => (PackedList::Listpack, 1, true),
                    _ => (PackedList::Listpack, 1, false),
                };
                self.list(blob, list, group, is_keyed);
            }
        }
    }

    fn node(&mut self, container: Container, blob: RdbStr<'a>) {
        match (container, self.type_code) {
            (Container::Plain, _) => self.sound(blob),
            (Container::Packed, TypeCode::LIST_QUICKLIST) => self.list_node(blob, PackedList::Ziplist),
            (Container::Packed, _) => self.list_node(blob, PackedList::Listpack),
        }
    }

    fn stream_node(&mut self, master_id: StreamId, listpack: RdbStr<'a>) {
        self.entries.node(master_id, Place::start_of(listpack), &mut self.notes);
        let is_read = self
            .open(listpack, |this, bytes| this.entries.listpack(master_id, listpack, bytes, &mut this.notes));
        if !is_read {
            self.entries.miss();
        }
    }

    fn stream_meta(&mut self, meta: &StreamMeta) {
        self.entries.meta(meta, &mut self.notes);
        self.entries_added = meta.entries_added;
    }

    fn stream_group(&mut self, group: &StreamGroup<'a>) {
        self.groups.group(group, self.entries_added, self.limits, &mut self.notes);
    }

    fn stream_pending(&mut self, entry: &PendingEntry) {
        self.groups.pending(entry, &mut self.notes);
    }

    fn stream_consumer(&mut self, consumer: &StreamConsumer<'a>) {
        self.groups.consumer(consumer, self.limits, &mut self.notes);
    }

    fn stream_nacked(&mut self, ids: &'a [u8]) {
        self.groups.nacked(ids, &mut self.notes);
    }

    fn stream_idmp(&mut self, duration_seconds: u64, max_entries: u64) {
        // Source: `rdbLoadObject` in `src/rdb.c` of Redis 8.10: "Stream IDMP duration out of range".
        if !(1..=86_400).contains(&duration_seconds) {
            self.notes.add(ErrorKind::IdmpDuration(duration_seconds), Place::Value);
        }
        if !(1..=10_000).contains(&max_entries) {
            self.notes.add(ErrorKind::IdmpMaxEntries(max_entries), Place::Value);
        }
    }

    fn stream_producer(&mut self, producer: RdbStr<'a>, _: u64) {
        self.producer_ids.clear();
        match producer.bytes(self.limits, &mut self.text) {
            Ok(bytes) if !self.seen.is_twice(bytes) => {}
            Ok(_) => self.notes.add(ErrorKind::ProducerTwice, Place::start_of(producer)),
            Err(fault) => self.notes.add(fault.kind, Place::Within(fault.left, producer)),
        }
    }

    fn stream_producer_id(&mut self, iid: RdbStr<'a>) {
        match iid.bytes(self.limits, &mut self.text) {
            Ok(bytes) if !self.producer_ids.is_twice(bytes) => {}
            Ok(_) => self.notes.add(ErrorKind::ProducerTwice, Place::start_of(iid)),
            Err(fault) => self.notes.add(fault.kind, Place::Within(fault.left, iid)),
        }
    }

    fn array_cursor(&mut self, index: u64) {
        // 2^64-1 stands for a length that cannot be read, and no array reaches it.
        if index == u64::MAX {
            self.notes.add(ErrorKind::ArrayCursor(index), Place::Value);
        }
    }

    fn array_slot(&mut self, index: u64, value: ArrayValue<'a>) {
        let place = match value {
            ArrayValue::Text(text) | ArrayValue::ShortText(text) => {
                self.sound(text);
                Place::start_of(text)
            }
            _ => Place::Value,
        };
        if let ArrayValue::ShortText(text) = value
            && text.len() > MAX_SHORT_TEXT
        {
            self.notes.add(ErrorKind::ArrayShortText(text.len()), place);
        }
        if index == u64::MAX {
            self.notes.add(ErrorKind::ArrayIndex(index), place);
        } else if self.last_index.is_some_and(|before| index <= before) {
            self.notes.add(ErrorKind::ArrayOrder, place);
        }
        self.last_index = Some(index);
    }

    fn count(&mut self, declared: u64) {
        // Type 31 tells it behind the names.
        if self.type_code == TypeCode::HASH_TMPL_ARRAY && declared == 0 {
            self.notes.add(ErrorKind::TemplateEmpty, Place::Value);
        }
    }

    fn template_names(&mut self, listpack: RdbStr<'a>) {
        self.open(listpack, |this, bytes| {
            let mut is_sound = bytes.last() == Some(&0xff);
            let mut text = Vec::new();
            walk(
                PackedList::Listpack,
                bytes,
                &mut |left, entry| this.template_name(entry.bytes(&mut text), Place::Within(left, listpack)),
                &mut |_| is_sound = false,
            );
            // Servers walk them whatever their settings, and crash over what they did not look at.
            if is_sound { Ok(()) } else { Err(Fault::at(ErrorKind::TemplateNames, bytes)) }
        });
    }

    fn template_name(&mut self, name: RdbStr<'a>) {
        let mut text = std::mem::take(&mut self.text);
        match name.bytes(self.limits, &mut text) {
            Ok(bytes) => Checks::template_name(self, bytes, Place::start_of(name)),
            Err(fault) => self.notes.add(fault.kind, Place::Within(fault.left, name)),
        }
        self.text = text;
    }

    fn module(&mut self, id: ModuleId) {
        self.vectors.begin(id, &mut self.notes);
    }

    fn module_part(&mut self, part: ModulePart<'a>) {
        if let ModulePart::Text(text) = part {
            self.sound(text);
        }
        self.vectors.part(part, self.limits, &mut self.notes);
    }
}
