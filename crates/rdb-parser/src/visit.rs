//! Who listens while a value is walked.

use rdb_format::TypeCode;

use crate::{ErrorKind, ModuleId, RdbStr};

/// How a node of a quicklist holds its elements (Redis 7.0, `quicklist.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Container {
    /// The node is one element, verbatim.
    Plain,
    /// The node is a listpack (type 18) or ziplist (type 14) of elements.
    Packed,
}

/// The identifier of a stream entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId {
    /// Milliseconds since 1970.
    pub ms: u64,
    /// Sequence number within the millisecond.
    pub seq: u64,
}

impl std::fmt::Display for StreamId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.ms, self.seq)
    }
}

impl StreamId {
    /// The identifier in its sixteen-byte form: both numbers big-endian.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let both = u128::from_be_bytes(bytes);
        Self { ms: (both >> 64) as u64, seq: both as u64 }
    }

    /// The sixteen-byte form, as the servers use it as a key of radix trees.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 16] {
        (u128::from(self.ms) << 64 | u128::from(self.seq)).to_be_bytes()
    }
}

/// What stands in a stream beside its entries and groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamMeta {
    /// Number of live entries, as XLEN answers.
    pub len: u64,
    /// The identifier of the last entry ever added.
    pub last_id: StreamId,
    /// The identifier of the first live entry (Redis 7.0).
    pub first_id: Option<StreamId>,
    /// The largest identifier ever deleted (Redis 7.0).
    pub max_deleted_id: Option<StreamId>,
    /// Number of entries ever added (Redis 7.0).
    pub entries_added: Option<u64>,
}

/// A consumer group's own fields.
#[derive(Clone, Copy, Debug)]
pub struct StreamGroup<'a> {
    /// The group's name.
    pub name: RdbStr<'a>,
    /// The last identifier delivered.
    pub last_id: StreamId,
    /// How many entries were read, `u64::MAX` when not known (Redis 7.0).
    pub entries_read: Option<u64>,
    /// How many entries are pending.
    pub pending: u64,
}

/// A pending entry of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingEntry {
    /// The entry.
    pub id: StreamId,
    /// When it was last delivered, in milliseconds since 1970.
    pub delivered_at_ms: i64,
    /// How often it was delivered.
    pub deliveries: u64,
}

/// A consumer of a group.
#[derive(Clone, Copy, Debug)]
pub struct StreamConsumer<'a> {
    /// The consumer's name.
    pub name: RdbStr<'a>,
    /// When it last asked, in milliseconds since 1970.
    pub seen_at_ms: i64,
    /// When it last got something, in milliseconds since 1970, -1 for never (Redis 7.2).
    pub active_at_ms: Option<i64>,
    /// Its pending entries: identifiers of sixteen bytes each.
    pub pending: &'a [u8],
}

/// An element of an array (Redis 8.8).
#[derive(Clone, Copy, Debug)]
pub enum ArrayValue<'a> {
    /// A text, tag 0.
    Text(RdbStr<'a>),
    /// A text short enough to stand in its slot (up to 7 bytes), tag 3.
    ShortText(RdbStr<'a>),
    /// An integer, tag 1.
    Int(i64),
    /// A floating-point number, tag 2.
    Float(f64),
}

/// A tagged part of module data.
#[derive(Clone, Copy, Debug)]
pub enum ModulePart<'a> {
    /// Tag 1: a signed integer.
    Signed(i64),
    /// Tag 2: an unsigned integer (modules also write signed ones so).
    Unsigned(u64),
    /// Tag 3.
    Float(f32),
    /// Tag 4.
    Double(f64),
    /// Tag 5.
    Text(RdbStr<'a>),
}

/// Listens while the value of one record is walked.
///
/// The walk (in `src/value`) frames a value and hands every piece it passes to a visitor,
/// in the order of the file, without decoding or copying it. Every method does nothing unless a
/// visitor says otherwise, so walking with `()` is a bare skip. Pieces borrow from the input.
///
/// A visitor that finds a piece damaged keeps its own note of that: the walk goes on, since the
/// frame is intact. The walk itself reports damage that does not touch the framing to
/// [`Self::fault`].
#[allow(unused_variables)]
pub trait ValueVisitor<'a> {
    /// A value of this type begins. Called first, once per value.
    #[inline]
    fn begin(&mut self, type_code: TypeCode) {}

    /// Something about the value is wrong that leaves its frame intact. `at` starts where it is wrong.
    #[inline]
    fn fault(&mut self, kind: ErrorKind, at: &'a [u8]) {}

    /// Type 0: the whole value.
    #[inline]
    fn string(&mut self, value: RdbStr<'a>) {}

    /// How many elements follow, as declared: before the elements of types 1 to 5, 22, 23 (Valkey,
    /// per path), 24, 28, 31 and 32, and the number of nodes before those of types 14, 18 and streams.
    #[inline]
    fn count(&mut self, declared: u64) {}

    /// Types 1 and 2: an element. Types 31 and 32: the value of a field.
    #[inline]
    fn element(&mut self, element: RdbStr<'a>) {}

    /// Types 3 and 5: a member and its score.
    #[inline]
    fn scored(&mut self, member: RdbStr<'a>, score: f64) {}

    /// Types 4, 22, 23 (Valkey) and 24: a field, its value and when the field expires (ms since 1970).
    #[inline]
    fn field(&mut self, field: RdbStr<'a>, value: RdbStr<'a>, expire_at_ms: Option<i64>) {}

    /// Type 24: the least expiry of all fields, which the others count from. Before the fields.
    #[inline]
    fn least_expiry(&mut self, ms: i64) {}

    /// Types 9 to 13, 16, 17, 20, 23 (Redis), 25, 29 (values) and 30: the packed value.
    #[inline]
    fn packed(&mut self, blob: RdbStr<'a>) {}

    /// Types 14 and 18: a node of a quicklist.
    #[inline]
    fn node(&mut self, container: Container, blob: RdbStr<'a>) {}

    /// Streams: a node, its sixteen-byte key and its listpack.
    #[inline]
    fn stream_node(&mut self, master_id: StreamId, listpack: RdbStr<'a>) {}

    /// Streams: length and identifiers, after the nodes.
    #[inline]
    fn stream_meta(&mut self, meta: &StreamMeta) {}

    /// Streams: how many groups follow.
    #[inline]
    fn stream_groups(&mut self, declared: u64) {}

    /// Streams: a group begins; its pending entries and consumers follow.
    #[inline]
    fn stream_group(&mut self, group: &StreamGroup<'a>) {}

    /// Streams: a pending entry of the current group.
    #[inline]
    fn stream_pending(&mut self, entry: &PendingEntry) {}

    /// Streams: a consumer of the current group.
    #[inline]
    fn stream_consumer(&mut self, consumer: &StreamConsumer<'a>) {}

    /// Streams of Redis 8.8: identifiers of the current group that no consumer owns, sixteen bytes each.
    #[inline]
    fn stream_nacked(&mut self, ids: &'a [u8]) {}

    /// Streams of Redis 8.6: for how many seconds, and how many identifiers of a producer, are remembered.
    #[inline]
    fn stream_idmp(&mut self, duration_seconds: u64, max_entries: u64) {}

    /// Streams of Redis 8.6: a producer with this many remembered identifiers.
    #[inline]
    fn stream_producer(&mut self, producer: RdbStr<'a>, ids: u64) {}

    /// Streams of Redis 8.6: an identifier remembered for the current producer.
    #[inline]
    fn stream_producer_id(&mut self, iid: RdbStr<'a>) {}

    /// Type 28: where ARINSERT put its last element. Before the slots.
    #[inline]
    fn array_cursor(&mut self, index: u64) {}

    /// Type 28: a slot of an array.
    #[inline]
    fn array_slot(&mut self, index: u64, value: ArrayValue<'a>) {}

    /// Type 32: the template of the file that the value refers to. Type 30 tells its own inside the blob.
    #[inline]
    fn template(&mut self, id: u64, fields: u64) {}

    /// Type 29 and 31: the names of the fields as one listpack.
    #[inline]
    fn template_names(&mut self, listpack: RdbStr<'a>) {}

    /// Type 29 and 31: the name of a field.
    #[inline]
    fn template_name(&mut self, name: RdbStr<'a>) {}

    /// Type 7: a module value begins.
    #[inline]
    fn module(&mut self, id: ModuleId) {}

    /// Type 7: a part of it.
    #[inline]
    fn module_part(&mut self, part: ModulePart<'a>) {}
}

/// Hears nothing: walking with it is a bare skip.
impl ValueVisitor<'_> for () {}

/// Every method of a visitor, for `$then` to implement.
macro_rules! forward {
    ($then:ident) => {
        $then! {
            begin(type_code: TypeCode);
            fault(kind: ErrorKind, at: &'a [u8]);
            string(value: RdbStr<'a>);
            count(declared: u64);
            element(element: RdbStr<'a>);
            scored(member: RdbStr<'a>, score: f64);
            field(field: RdbStr<'a>, value: RdbStr<'a>, expire_at_ms: Option<i64>);
            least_expiry(ms: i64);
            packed(blob: RdbStr<'a>);
            node(container: Container, blob: RdbStr<'a>);
            stream_node(master_id: StreamId, listpack: RdbStr<'a>);
            stream_meta(meta: &StreamMeta);
            stream_groups(declared: u64);
            stream_group(group: &StreamGroup<'a>);
            stream_pending(entry: &PendingEntry);
            stream_consumer(consumer: &StreamConsumer<'a>);
            stream_nacked(ids: &'a [u8]);
            stream_idmp(duration_seconds: u64, max_entries: u64);
            stream_producer(producer: RdbStr<'a>, ids: u64);
            stream_producer_id(iid: RdbStr<'a>);
            array_cursor(index: u64);
            array_slot(index: u64, value: ArrayValue<'a>);
            template(id: u64, fields: u64);
            template_names(listpack: RdbStr<'a>);
            template_name(name: RdbStr<'a>);
            module(id: ModuleId);
            module_part(part: ModulePart<'a>);
        }
    };
}

macro_rules! to_both {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {
        $(#[inline]
        fn $method(&mut self, $($arg: $ty),*) {
            ValueVisitor::$method(&mut self.0, $($arg),*);
            ValueVisitor::$method(&mut self.1, $($arg),*);
        })*
    };
}

pub(crate) use {forward, to_both};

/// Both hear everything, the first one first.
impl<'a, A: ValueVisitor<'a>, B: ValueVisitor<'a>> ValueVisitor<'a> for (A, B) {
    forward!(to_both);
}

macro_rules! to_some {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {
        $(#[inline]
        fn $method(&mut self, $($arg: $ty),*) {
            if let Some(visitor) = self {
                visitor.$method($($arg),*);
            }
        })*
    };
}

/// Hears everything, if it is there.
impl<'a, V: ValueVisitor<'a>> ValueVisitor<'a> for Option<V> {
    forward!(to_some);
}
