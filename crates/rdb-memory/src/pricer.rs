//! Pricing one key after the other while their values are walked.

use rdb_format::{Dialect, FileVersion, TypeCode};
use rdb_parser::{
    ArrayValue, Container, ErrorKind, Fault, Limits, ModuleId, ModulePart, PendingEntry, RdbStr,
    StreamConsumer, StreamGroup, StreamId, ValueVisitor,
};

use crate::cost::ValueCost;
use crate::cost::array::ArrayBuilder;
use crate::cost::hash::{HashBuilder, HashSource};
use crate::cost::list::ListBuilder;
use crate::cost::module::ModuleBuilder;
use crate::cost::set::SetBuilder;
use crate::cost::stream::{StreamBuilder, StreamScratch};
use crate::cost::string::StringCost;
use crate::cost::vector_set::VectorSetBuilder;
use crate::cost::zset::ZsetBuilder;
use crate::expiring::ExpiringFields;
use crate::unpack::Unpacker;
use crate::{Basis, Estimate, Parts, SizeModel};

/// Prices keys: a visitor of their values.
///
/// A pricer keeps its buffers from key to key. For each key: [`Self::start`], the walk of its value, then
/// [`Self::finish`].
///
/// ```
/// use rdb_format::{Encoding, FileVersion, Dialect, ServerVersion, TypeCode};
/// use rdb_memory::{Pricer, SizeModel, Target};
/// use rdb_parser::{Limits, RdbStr, ValueVisitor};
///
/// let model = SizeModel::new(&Target::new(ServerVersion::redis(7, 2, 6)));
/// let mut pricer = Pricer::new(&model, Limits::default());
///
/// pricer.start(b"user:1", None, FileVersion { dialect: Dialect::Redis, number: 11 });
/// // What the walk of the value does:
/// pricer.begin(TypeCode::STRING);
/// pricer.string(RdbStr::Raw(b"hello"));
///
/// let estimate = pricer.finish();
/// assert_eq!(estimate.memory_bytes, 64);
/// assert_eq!(estimate.encoding, Encoding::Embstr);
/// ```
#[derive(Clone, Debug)]
pub struct Pricer<'m> {
    model: &'m SizeModel,
    limits: Limits,
    version: FileVersion,
    key_len: u64,
    expires: bool,
    code: TypeCode,
    state: State,
    fault: Option<Fault>,
    scratch: Scratch,
    only_differences: bool,
}

/// Buffers that all keys share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    pub inflated: Vec<u8>,
    pub stream: StreamScratch,
    pub expiring: ExpiringFields,
}

/// The value that is being priced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    /// Nothing heard yet.
    Nothing,
    /// It takes the same before and after a load, and only differences are wanted.
    Alike,
    String(StringCost),
    List(ListBuilder),
    /// The single ziplist of a list of Redis up to 3.0, which the target server can hold.
    OldList(ListBuilder),
    Set(SetBuilder),
    Zset(ZsetBuilder),
    Hash(HashBuilder),
    Stream(StreamBuilder),
    Array(ArrayBuilder),
    Module(ModuleBuilder),
    VectorSet(VectorSetBuilder),
    /// Known from one packed value alone.
    Known(ValueCost),
    /// A templated hash whose values come one by one.
    Template(ValueCost),
}

impl<'m> Pricer<'m> {
    /// A pricer for the keys of one server. `limits` bound how far LZF data is inflated.
    #[must_use]
    pub fn new(model: &'m SizeModel, limits: Limits) -> Self {
        Self {
            model,
            limits,
            version: FileVersion { dialect: Dialect::Redis, number: 0 },
            key_len: 0,
            expires: false,
            code: TypeCode::STRING,
            state: State::Nothing,
            fault: None,
            scratch: Scratch::default(),
            only_differences: false,
        }
    }

    /// A pricer that runs beside one for the same server in [`Mode::Saved`](crate::Mode::Saved) and makes no effort
    /// where a load changes nothing. For each key, [`Self::difference`] takes the place of [`Self::finish`].
    #[must_use]
    pub fn of_differences(model: &'m SizeModel, limits: Limits) -> Self {
        Self { only_differences: true, ..Self::new(model, limits) }
    }

    /// The estimate of the key whose value was walked; `None` if it is that of the server that saved it.
    #[must_use]
    pub fn difference(&mut self) -> Option<Estimate> {
        (!matches!(self.state, State::Alike)).then(|| self.finish())
    }

    /// Whether a collection of so many elements, which the file holds one by one, is the same table after a load.
    fn is_same_table(&self, declared: u64) -> bool {
        let limits = &self.model.limits.plain;
        let most = match self.code {
            TypeCode::SET => return declared > limits.intset,
            TypeCode::ZSET | TypeCode::ZSET_2 => limits.zset.0,
            TypeCode::HASH => limits.hash.0,
            _ => return false,
        };
        // Without a hint tables grow one by one, and may be caught at it.
        declared > most && self.model.hints_tables()
    }

    /// The model that keys are priced by.
    #[must_use]
    pub fn model(&self) -> &'m SizeModel {
        self.model
    }

    /// Begins a key, with its expiry in milliseconds since 1970. `version` is the file's: it says what type
    /// codes mean.
    pub fn start(&mut self, key: &[u8], expire_at_ms: Option<i64>, version: FileVersion) {
        self.start_with_len(key.len() as u64, expire_at_ms, version);
    }

    /// The same for a key of which only the length is known. Nothing else of a name has a say in its price.
    pub fn start_with_len(&mut self, key_len: u64, expire_at_ms: Option<i64>, version: FileVersion) {
        self.key_len = key_len;
        self.expires = expire_at_ms.is_some();
        self.version = version;
        self.state = State::Nothing;
        self.fault = None;
    }

    /// What was damaged inside the current value, if anything: the estimate then rests on the lengths that the
    /// file declares. Stays until the next [`Self::start`].
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// The estimate of the key whose value was walked.
    #[must_use]
    pub fn finish(&mut self) -> Estimate {
        let model = self.model;
        let basis = if self.fault.is_some() { model.floor.max(Basis::Assumed) } else { model.floor };
        let expires_entry_bytes = if self.expires { model.expires_entry() } else { 0 };
        let key = model.key(self.key_len, self.expires);
        if let State::String(StringCost { encoding, whole }) = self.state {
            self.state = State::Nothing;
            let key_bytes = key.answered.min(whole.answered);
            return Estimate {
                memory_bytes: whole.answered,
                allocated_bytes: whole.allocated.saturating_add(expires_entry_bytes),
                encoding,
                basis,
                parts: Parts { key_bytes, value_bytes: whole.answered - key_bytes, expires_entry_bytes },
            };
        }
        let key = match self.state {
            State::Module(_) | State::VectorSet(_) => model.module_key(key),
            _ => key,
        };
        let value = self.finish_value();
        let value = if model.has_slack(value.encoding) { value.based_on(Basis::Expected) } else { value };
        self.state = State::Nothing;
        let in_sum = model.key_in_sum(key);
        let memory_bytes = value.answer(in_sum).saturating_add(key.answered - in_sum);
        let allocated = key.allocated.saturating_add(value.allocated());
        Estimate {
            memory_bytes,
            allocated_bytes: allocated.saturating_add(expires_entry_bytes),
            encoding: value.encoding,
            basis: basis.max(value.basis),
            parts: Parts {
                key_bytes: key.answered,
                value_bytes: memory_bytes.saturating_sub(key.answered),
                expires_entry_bytes,
            },
        }
    }

    fn finish_value(&mut self) -> ValueCost {
        let model = self.model;
        match self.state {
            State::List(list) => list.finish(model),
            State::OldList(list) => list.finish_as_ziplist(model),
            State::Set(set) => set.finish(model),
            State::Zset(zset) => zset.finish(model),
            State::Hash(hash) => hash.finish(model, &self.scratch.expiring),
            State::Stream(stream) => stream.finish(model, &mut self.scratch.stream),
            State::Array(array) => array.finish(model),
            State::Module(module) => module.finish(model),
            State::VectorSet(set) => set.finish(model),
            State::Known(value) | State::Template(value) => value,
            State::Nothing | State::Alike | State::String(_) => {
                crate::unpack::unheard(self.code, self.version, model)
            }
        }
    }

    /// What was found in the value is taken over, what failed is remembered.
    fn unpack(&mut self, unpack: impl FnOnce(Unpacker<'_>) -> Result<State, Fault>) -> bool {
        let unpacker =
            Unpacker { model: self.model, limits: self.limits, code: self.code, scratch: &mut self.scratch };
        match unpack(unpacker) {
            Ok(state) => {
                self.state = state;
                true
            }
            Err(fault) => {
                self.remember(fault);
                false
            }
        }
    }

    #[cold]
    fn remember(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn note(&mut self, result: Result<(), Fault>) {
        if let Err(fault) = result {
            self.remember(fault);
        }
    }
}

impl<'a> ValueVisitor<'a> for Pricer<'_> {
    fn begin(&mut self, type_code: TypeCode) {
        self.code = type_code;
        self.state = match type_code {
            TypeCode::STREAM_LISTPACKS
            | TypeCode::STREAM_LISTPACKS_2
            | TypeCode::STREAM_LISTPACKS_3
            | TypeCode::STREAM_LISTPACKS_4
            | TypeCode::STREAM_LISTPACKS_5 => State::Stream(StreamBuilder::new(&mut self.scratch.stream)),
            TypeCode::ARRAY => State::Array(ArrayBuilder::new()),
            _ => State::Nothing,
        };
    }

    fn fault(&mut self, kind: ErrorKind, at: &'a [u8]) {
        self.remember(Fault::at(kind, at));
    }

    #[inline]
    fn string(&mut self, value: RdbStr<'a>) {
        self.state = match self.only_differences {
            true => State::Alike,
            false => State::String(self.model.string(self.key_len, self.expires, value)),
        };
    }

    fn count(&mut self, declared: u64) {
        if self.only_differences && self.is_same_table(declared) {
            self.state = State::Alike;
            return;
        }
        let model = self.model;
        let valkey = self.version.dialect == Dialect::Valkey;
        self.state = match self.code {
            TypeCode::LIST => State::List(ListBuilder::new(0, model)),
            TypeCode::LIST_QUICKLIST | TypeCode::LIST_QUICKLIST_2 => {
                State::List(ListBuilder::new(declared, model))
            }
            TypeCode::SET => State::Set(SetBuilder::new(declared, model)),
            TypeCode::ZSET | TypeCode::ZSET_2 => State::Zset(ZsetBuilder::new(declared, model)),
            TypeCode::HASH => State::Hash(self.hash(HashSource::Plain, declared)),
            TypeCode::HASH_2 | TypeCode::HASH_METADATA => {
                State::Hash(self.hash(HashSource::Expiring, declared))
            }
            TypeCode::PATH_HASH if valkey => match self.state {
                // One hash over all paths stands in for them.
                State::Hash(hash) => State::Hash(hash),
                _ => State::Hash(self.hash(HashSource::Unpacked, declared).assumed()),
            },
            _ => return,
        };
    }

    #[inline]
    fn element(&mut self, element: RdbStr<'a>) {
        match &mut self.state {
            State::Set(set) => set.push(element, self.model),
            State::List(list) => list.push_element(element.len(), element.to_i64(), self.model),
            State::Template(cost) => cost.fixed += self.model.template_value(element),
            State::Nothing => {
                let mut cost = self.model.template_array();
                cost.fixed += self.model.template_value(element);
                self.state = State::Template(cost);
            }
            _ => {}
        }
    }

    #[inline]
    fn scored(&mut self, member: RdbStr<'a>, score: f64) {
        if let State::Zset(zset) = &mut self.state {
            zset.push(member, score, self.model);
        }
    }

    #[inline]
    fn field(&mut self, field: RdbStr<'a>, value: RdbStr<'a>, expire_at_ms: Option<i64>) {
        if let State::Hash(hash) = &mut self.state {
            hash.push(field, value, expire_at_ms, self.model, &mut self.scratch.expiring);
        }
    }

    fn packed(&mut self, blob: RdbStr<'a>) {
        if !self.unpack(|unpacker| unpacker.packed(blob)) {
            self.state = State::Known(crate::unpack::as_it_stands(self.code, self.version, blob, self.model));
        }
    }

    fn node(&mut self, container: Container, blob: RdbStr<'a>) {
        let State::List(list) = self.state else { return };
        if !self.unpack(|unpacker| unpacker.node(list, container, blob)) {
            let mut list = list;
            list.push_packed(blob.len(), 0, RdbStr::Raw(&[]), self.model);
            self.state = State::List(list);
        }
    }

    fn stream_node(&mut self, master_id: StreamId, listpack: RdbStr<'a>) {
        if let State::Stream(stream) = &mut self.state {
            stream.node(master_id, listpack, self.model);
        }
    }

    fn stream_group(&mut self, group: &StreamGroup<'a>) {
        if let State::Stream(stream) = &mut self.state {
            let result = stream.group(group, self.model, self.limits, &mut self.scratch.stream);
            self.note(result);
        }
    }

    #[inline]
    fn stream_pending(&mut self, entry: &PendingEntry) {
        if let State::Stream(stream) = &mut self.state {
            stream.pending(entry, self.model, &mut self.scratch.stream);
        }
    }

    fn stream_consumer(&mut self, consumer: &StreamConsumer<'a>) {
        if let State::Stream(stream) = &mut self.state {
            let result = stream.consumer(consumer, self.model, self.limits, &mut self.scratch.stream);
            self.note(result);
        }
    }

    fn stream_producer(&mut self, producer: RdbStr<'a>, _: u64) {
        if let State::Stream(stream) = &mut self.state {
            stream.producer(producer, self.model);
        }
    }

    fn stream_producer_id(&mut self, iid: RdbStr<'a>) {
        if let State::Stream(stream) = &mut self.state {
            stream.producer_id(iid, self.model);
        }
    }

    #[inline]
    fn array_slot(&mut self, index: u64, value: ArrayValue<'a>) {
        if let State::Array(array) = &mut self.state {
            array.push(index, value, self.model);
        }
    }

    fn module(&mut self, id: ModuleId) {
        self.state = match &id.name() {
            b"vectorset" => State::VectorSet(VectorSetBuilder::new()),
            _ => State::Module(ModuleBuilder::new(id)),
        };
    }

    #[inline]
    fn module_part(&mut self, part: ModulePart<'a>) {
        match &mut self.state {
            State::Module(module) => {
                let result = module.part(part, self.model, self.limits, &mut self.scratch.inflated);
                self.note(result);
            }
            State::VectorSet(set) => set.part(part, self.model),
            _ => {}
        }
    }
}

impl Pricer<'_> {
    fn hash(&mut self, source: HashSource, declared: u64) -> HashBuilder {
        self.scratch.expiring.clear();
        HashBuilder::new(source, declared, self.model)
    }
}
