//! What a value looks like from outside: how many elements, how large the largest.

use rdb_format::TypeCode;

use crate::packed::intset::{self, Intset};
use crate::packed::listpack::{self, Listpack};
use crate::packed::stream::StreamNode;
use crate::packed::ziplist::{self, Ziplist};
use crate::packed::zipmap::Zipmap;
use crate::{
    ArrayValue, Container, Error, ErrorKind, Fault, Limits, ModuleId, ModulePart, RdbStr, Record, StreamId,
    StreamMeta, ValueVisitor,
};

/// How closely a value is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The count of elements, from headers where they have it. LZF data is inflated as far as the
    /// header reaches. Damage behind the header stays unseen.
    Count,
    /// Every element, for the largest. All LZF data of packed values is inflated, and every entry is
    /// checked.
    Elements,
}

/// Finds out the shape of a value while it is walked.
///
/// Reusable: each value starts with [`ValueVisitor::begin`]. Allocates only for inflating LZF data.
#[derive(Debug)]
pub struct Shape<'a> {
    depth: Depth,
    limits: Limits,
    type_code: TypeCode,
    counted: Option<u64>,
    largest: u64,
    module: Option<ModuleId>,
    module_parts: u64,
    fault: Option<Found<'a>>,
    scratch: Vec<u8>,
}

/// Damage, and where it was found.
#[derive(Clone, Copy, Debug)]
enum Found<'a> {
    ByWalk(ErrorKind, &'a [u8]),
    InString(Fault, RdbStr<'a>),
}

impl<'a> Shape<'a> {
    /// A visitor that looks this closely.
    #[must_use]
    pub fn new(depth: Depth, limits: Limits) -> Self {
        Self {
            depth,
            limits,
            type_code: TypeCode::STRING,
            counted: None,
            largest: 0,
            module: None,
            module_parts: 0,
            fault: None,
            scratch: Vec::new(),
        }
    }

    /// What STRLEN, LLEN, SCARD, HLEN, ZCARD or XLEN answer; `None` for module values but vector sets.
    #[must_use]
    pub fn elements(&self) -> Option<u64> {
        // A vector set says how many elements it has; each takes a name, a vector and a number of links.
        let is_plausible =
            |count: &u64| self.module.is_none() || count.saturating_mul(3) <= self.module_parts;
        self.counted.filter(is_plausible)
    }

    /// Length in bytes of the largest element, field, value or member; of the largest entry for
    /// streams. `None` unless asked for.
    #[must_use]
    pub fn largest_element_bytes(&self) -> Option<u64> {
        (self.depth == Depth::Elements).then_some(self.largest)
    }

    /// The module type of a module value.
    #[must_use]
    pub fn module(&self) -> Option<ModuleId> {
        self.module
    }

    /// Whether the value is a collection that has lost all its elements. Servers since 7.0 drop such
    /// keys when they load a file; only streams may be empty. Source: `rdbLoadObject`, `emptykey`.
    #[must_use]
    pub fn is_empty_key(&self) -> bool {
        let may_be_empty = matches!(
            self.type_code,
            TypeCode::STRING
                | TypeCode::MODULE_2
                | TypeCode::STREAM_LISTPACKS
                | TypeCode::STREAM_LISTPACKS_2
                | TypeCode::STREAM_LISTPACKS_3
                | TypeCode::STREAM_LISTPACKS_4
                | TypeCode::STREAM_LISTPACKS_5
        );
        self.counted == Some(0) && !may_be_empty
    }

    /// The first damage that was met in the value of `record`, which was walked last.
    #[must_use]
    pub fn error(&self, record: &Record<'a>) -> Option<Error> {
        self.fault.map(|found| match found {
            Found::ByWalk(kind, at) => record.error_at(kind, at),
            Found::InString(fault, string) => record.error_in_string(fault, string),
        })
    }

    fn add(&mut self, count: u64) {
        self.counted = Some(self.counted.unwrap_or(0).saturating_add(count));
    }

    /// Takes note of a string that is an element or part of one.
    #[inline]
    fn sized(&mut self, string: RdbStr<'a>) {
        self.largest = self.largest.max(string.len());
        if let RdbStr::Lzf(lzf) = string {
            let checked = match self.depth {
                // A length that cannot be true is refused even where nobody looks inside.
                Depth::Count => lzf.check_ratio(),
                Depth::Elements => lzf.check(),
            };
            if let Err(fault) = checked {
                self.note(fault, string);
            }
        }
    }

    #[cold]
    fn note(&mut self, fault: Fault, within: RdbStr<'a>) {
        self.fault.get_or_insert(Found::InString(fault, within));
    }

    /// Counts the entries of a listpack or ziplist, in whole groups of `group`.
    fn count_entries(&mut self, blob: RdbStr<'a>, list: PackedList, group: u64) -> Result<u64, Fault> {
        let (limits, depth) = (self.limits.for_packed(), self.depth);
        let mut scratch = std::mem::take(&mut self.scratch);
        let counted = (|| {
            if depth == Depth::Count {
                let start = blob.prefix(list.header_bytes(), self.limits, &mut scratch)?;
                if let Some(count) = list.declared_count(start)? {
                    list.check_header(start, u64::from(count), blob.len())?;
                    return Ok(u64::from(count));
                }
            }
            let bytes = blob.bytes(limits, &mut scratch)?;
            let mut count = 0u64;
            let mut take = |len: u64| {
                count = count.saturating_add(1);
                self.largest = self.largest.max(len);
            };
            match list {
                PackedList::Listpack => Listpack::new(bytes)?.try_for_each(|e| e.map(|e| take(e.len())))?,
                PackedList::Ziplist => Ziplist::new(bytes)?.try_for_each(|e| e.map(|e| take(e.len())))?,
            }
            Ok(count)
        })();
        self.scratch = scratch;
        let entries = counted?;
        if entries % group != 0 {
            return Err(Fault::at(ErrorKind::UnevenEntries { entries, group }, &[]));
        }
        Ok(entries / group)
    }

    fn count_zipmap(&mut self, blob: RdbStr<'a>) -> Result<u64, Fault> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let counted = (|| {
            if self.depth == Depth::Count {
                let start = blob.prefix(1, self.limits, &mut scratch)?;
                if let Some(count) = Zipmap::new(start)?.declared_count() {
                    return Ok(count);
                }
            }
            let bytes = blob.bytes(self.limits.for_packed(), &mut scratch)?;
            Zipmap::new(bytes)?.try_fold(0u64, |count, pair| {
                let (field, value) = pair?;
                self.largest = self.largest.max(field.len().max(value.len()) as u64);
                Ok(count.saturating_add(1))
            })
        })();
        self.scratch = scratch;
        counted
    }

    fn count_intset(&mut self, blob: RdbStr<'a>) -> Result<u64, Fault> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let counted = (|| {
            if self.depth == Depth::Count {
                let start = blob.prefix(intset::HEADER_BYTES, self.limits, &mut scratch)?;
                let (width, count) = intset::header(start)?;
                let declared = intset::HEADER_BYTES + u64::from(width) * u64::from(count);
                if declared != blob.len() {
                    return Err(Fault::at(ErrorKind::PackedSize { declared, actual: blob.len() }, start));
                }
                return Ok(u64::from(count));
            }
            let set = Intset::new(blob.bytes(self.limits.for_packed(), &mut scratch)?)?;
            self.largest = set.iter().map(crate::decimal_len).max().unwrap_or(0);
            Ok(set.len())
        })();
        self.scratch = scratch;
        counted
    }
}

#[derive(Clone, Copy)]
enum PackedList {
    Listpack,
    Ziplist,
}

impl PackedList {
    fn header_bytes(self) -> u64 {
        match self {
            Self::Listpack => listpack::HEADER_BYTES,
            Self::Ziplist => ziplist::HEADER_BYTES,
        }
    }

    /// Checks what a header says against the size of the whole: an entry has two bytes at the least.
    fn check_header(self, start: &[u8], count: u64, actual: u64) -> Result<(), Fault> {
        let declared = match *start {
            [a, b, c, d, ..] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => return Err(Fault::at(ErrorKind::PackedHeader, start)),
        };
        if declared != actual {
            return Err(Fault::at(ErrorKind::PackedSize { declared, actual }, start));
        }
        let most = actual.saturating_sub(self.header_bytes() + 1) / 2;
        if count > most {
            return Err(Fault::at(ErrorKind::EntryCount { declared: count, found: most }, start));
        }
        Ok(())
    }

    fn declared_count(self, start: &[u8]) -> Result<Option<u16>, Fault> {
        match self {
            Self::Listpack => listpack::declared_count(start),
            Self::Ziplist => ziplist::declared_count(start),
        }
    }
}

impl<'a> ValueVisitor<'a> for Shape<'a> {
    #[inline]
    fn begin(&mut self, type_code: TypeCode) {
        self.type_code = type_code;
        self.counted = None;
        self.largest = 0;
        self.module = None;
        self.module_parts = 0;
        self.fault = None;
    }

    fn fault(&mut self, kind: ErrorKind, at: &'a [u8]) {
        self.fault.get_or_insert(Found::ByWalk(kind, at));
    }

    #[inline]
    fn string(&mut self, value: RdbStr<'a>) {
        self.counted = Some(value.len());
        self.sized(value);
    }

    #[inline]
    fn count(&mut self, declared: u64) {
        match self.type_code {
            // The number of nodes says nothing about elements, but a list without nodes has none.
            TypeCode::LIST_QUICKLIST | TypeCode::LIST_QUICKLIST_2 => self.counted = Some(0),
            TypeCode::STREAM_LISTPACKS
            | TypeCode::STREAM_LISTPACKS_2
            | TypeCode::STREAM_LISTPACKS_3
            | TypeCode::STREAM_LISTPACKS_4
            | TypeCode::STREAM_LISTPACKS_5 => {}
            // A hash of paths has one count per path.
            _ => self.add(declared),
        }
    }

    #[inline]
    fn element(&mut self, element: RdbStr<'a>) {
        self.sized(element);
    }

    #[inline]
    fn scored(&mut self, member: RdbStr<'a>, _: f64) {
        self.sized(member);
    }

    #[inline]
    fn field(&mut self, field: RdbStr<'a>, value: RdbStr<'a>, _: Option<i64>) {
        self.sized(field);
        self.sized(value);
    }

    fn packed(&mut self, blob: RdbStr<'a>) {
        let counted = match self.type_code {
            TypeCode::HASH_ZIPMAP => self.count_zipmap(blob),
            TypeCode::LIST_ZIPLIST => self.count_entries(blob, PackedList::Ziplist, 1),
            TypeCode::ZSET_ZIPLIST | TypeCode::HASH_ZIPLIST => {
                self.count_entries(blob, PackedList::Ziplist, 2)
            }
            TypeCode::SET_INTSET => self.count_intset(blob),
            TypeCode::HASH_LISTPACK | TypeCode::ZSET_LISTPACK => {
                self.count_entries(blob, PackedList::Listpack, 2)
            }
            // Valkey's type 23 is not packed, so this one is Redis'.
            TypeCode::HASH_LISTPACK_EX_PRE_GA | TypeCode::HASH_LISTPACK_EX => {
                self.count_entries(blob, PackedList::Listpack, 3)
            }
            // The first entry is the template's identifier.
            TypeCode::HASH_TMPL_LP | TypeCode::HASH_TMPL_LP_REF => {
                self.count_entries(blob, PackedList::Listpack, 1).map(|entries| entries.saturating_sub(1))
            }
            _ => self.count_entries(blob, PackedList::Listpack, 1),
        };
        match counted {
            Ok(count) => self.counted = Some(count),
            Err(fault) => self.note(fault, blob),
        }
    }

    fn node(&mut self, container: Container, blob: RdbStr<'a>) {
        let counted = match (container, self.type_code) {
            (Container::Plain, _) => {
                self.sized(blob);
                Ok(1)
            }
            (Container::Packed, TypeCode::LIST_QUICKLIST) => self.count_entries(blob, PackedList::Ziplist, 1),
            (Container::Packed, _) => self.count_entries(blob, PackedList::Listpack, 1),
        };
        match counted {
            Ok(count) => self.add(count),
            Err(fault) => self.note(fault, blob),
        }
    }

    fn stream_node(&mut self, master_id: StreamId, listpack: RdbStr<'a>) {
        if self.depth == Depth::Count {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let walked = (|| {
            let bytes = listpack.bytes(self.limits.for_packed(), &mut scratch)?;
            StreamNode::new(master_id, bytes)?.try_for_each(|entry| {
                self.largest = self.largest.max(entry?.payload_bytes);
                Ok(())
            })
        })();
        self.scratch = scratch;
        if let Err(fault) = walked {
            self.note(fault, listpack);
        }
    }

    fn stream_meta(&mut self, meta: &StreamMeta) {
        self.counted = Some(meta.len);
    }

    fn array_slot(&mut self, _: u64, value: ArrayValue<'a>) {
        match value {
            ArrayValue::Text(text) | ArrayValue::ShortText(text) => self.sized(text),
            ArrayValue::Int(value) => self.largest = self.largest.max(crate::decimal_len(value)),
            ArrayValue::Float(_) => self.largest = self.largest.max(8),
        }
    }

    fn module(&mut self, id: ModuleId) {
        self.module = Some(id);
    }

    fn module_part(&mut self, part: ModulePart<'a>) {
        self.module_parts = self.module_parts.saturating_add(1);
        match part {
            // A vector set states its dimension, then its number of elements.
            // Source: `VectorSetRdbSave` in `modules/vector-sets/vset.c` of Redis 8.0.
            ModulePart::Unsigned(elements)
                if self.module_parts == 2 && self.module.is_some_and(|id| id.name() == *b"vectorset") =>
            {
                self.counted = Some(elements);
            }
            ModulePart::Text(text) => self.sized(text),
            _ => {}
        }
    }
}
