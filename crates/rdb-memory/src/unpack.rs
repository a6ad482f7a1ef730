//! Packed values of the file: taken as they stand where the server holds them so, else their entries are
//! packed anew or spread out, as a load does.
//!
//! Source: `rdbLoadObject` in `src/rdb.c` of Redis 7.2.

use rdb_format::{Encoding, FileVersion, ObjectType, TypeCode};
use rdb_parser::packed::intset::{self, Intset};
use rdb_parser::packed::zipmap::Zipmap;
use rdb_parser::{Container, Fault, Limits, RdbStr, decimal_len};

use crate::bytes::Bytes;
use crate::cost::ValueCost;
use crate::cost::hash::{HashBuilder, HashSource};
use crate::cost::list::ListBuilder;
use crate::cost::set::SetBuilder;
use crate::cost::zset::ZsetBuilder;
use crate::packing::{Entries, Form, Packing, count_entries};
use crate::pricer::{Scratch, State};
use crate::{Basis, SizeModel};

/// Beside the listpack of a templated hash, as Redis 8.10.2 answers.
const TEMPLATE_POINTER: u64 = 8;
/// Beside the values of a templated hash and their slots, as Redis 8.10.2 answered for one such hash.
const TEMPLATE_ARRAY: u64 = 24;

/// What unpacking a value needs.
pub(crate) struct Unpacker<'p> {
    pub model: &'p SizeModel,
    pub limits: Limits,
    pub code: TypeCode,
    pub scratch: &'p mut Scratch,
}

impl Unpacker<'_> {
    /// The one packed value that a key is.
    pub(crate) fn packed(self, blob: RdbStr<'_>) -> Result<State, Fault> {
        match self.code {
            TypeCode::SET_INTSET => self.intset(blob),
            TypeCode::SET_LISTPACK => self.set(blob),
            TypeCode::ZSET_ZIPLIST => self.zset(Form::Ziplist, blob),
            TypeCode::ZSET_LISTPACK => self.zset(Form::Listpack, blob),
            TypeCode::HASH_ZIPLIST => self.hash(Form::Ziplist, blob),
            TypeCode::HASH_LISTPACK => self.hash(Form::Listpack, blob),
            TypeCode::HASH_LISTPACK_EX | TypeCode::HASH_LISTPACK_EX_PRE_GA => self.expiring_hash(blob),
            TypeCode::HASH_ZIPMAP => self.zipmap(blob),
            TypeCode::LIST_ZIPLIST => self.list(blob),
            _ => Ok(State::Known(self.model.template_listpack(blob))),
        }
    }

    /// A node of a quicklist.
    pub(crate) fn node(
        self,
        mut list: ListBuilder,
        container: Container,
        blob: RdbStr<'_>,
    ) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        let form = if self.code == TypeCode::LIST_QUICKLIST { Form::Ziplist } else { Form::Listpack };
        if container == Container::Plain {
            list.push_plain(blob, model);
        } else if form != model.packed_form() || !model.facts.quicklist {
            let mut packing = Packing::new(model.packed_form());
            let mut elements = 0;
            for entry in Entries::new(form, blob.bytes(limits, &mut scratch.inflated)?)? {
                let entry = entry?;
                packing.push_text(entry);
                elements += 1;
                if !model.facts.quicklist {
                    list.push_element(entry.len(), entry.to_i64(), model);
                }
            }
            if model.facts.quicklist {
                list.converts(model);
                list.push_packed(packing.bytes(), elements, blob, model);
            }
        } else {
            let elements = if list.wants_counts(model) {
                count_entries(form, blob, limits, &mut scratch.inflated)?
            } else {
                0
            };
            list.push_packed(blob.len(), elements, blob, model);
        }
        Ok(State::List(list))
    }

    fn intset(self, blob: RdbStr<'_>) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        let (_, count) = intset::header(blob.prefix(intset::HEADER_BYTES, limits, &mut scratch.inflated)?)?;
        if u64::from(count) <= model.limits.packed.intset {
            return Ok(State::Known(ValueCost::fixed(Encoding::Intset, model.packed(blob.len()))));
        }
        let mut set = SetBuilder::table(model);
        for value in Intset::new(blob.bytes(limits, &mut scratch.inflated)?)?.iter() {
            set.push_len(decimal_len(value), model);
        }
        Ok(State::Set(set))
    }

    fn set(self, blob: RdbStr<'_>) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        let count = count_entries(Form::Listpack, blob, limits, &mut scratch.inflated)?;
        if model.facts.set_listpack && count <= model.limits.packed.set.0 {
            return Ok(State::Known(ValueCost::fixed(Encoding::Listpack, model.packed(blob.len()))));
        }
        let unheld = !model.facts.set_listpack;
        let mut set = if unheld { SetBuilder::new(count, model) } else { SetBuilder::table(model) };
        for entry in Entries::new(Form::Listpack, blob.bytes(limits, &mut scratch.inflated)?)? {
            let entry = entry?;
            if unheld {
                set.push(entry, model);
            } else {
                set.push_len(entry.len(), model);
            }
        }
        Ok(if unheld { State::Known(set.finish(model).based_on(Basis::Assumed)) } else { State::Set(set) })
    }

    fn zset(self, form: Form, blob: RdbStr<'_>) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        let count = count_entries(form, blob, limits, &mut scratch.inflated)?;
        if count / 2 <= model.limits.packed.zset.0 {
            let bytes = packed_bytes(model, form, blob, limits, &mut scratch.inflated)?;
            let cost = ValueCost::fixed(model.packed_encoding(), model.packed(bytes));
            return Ok(State::Known(cost.based_on(loadable(model, form))));
        }
        let mut zset = ZsetBuilder::table(model);
        let entries = Entries::new(form, blob.bytes(limits, &mut scratch.inflated)?)?;
        for member in entries.step_by(2) {
            zset.push_len(member?.len(), model);
        }
        Ok(State::Zset(zset))
    }

    fn hash(self, form: Form, blob: RdbStr<'_>) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        let count = count_entries(form, blob, limits, &mut scratch.inflated)?;
        if count / 2 <= model.limits.packed.hash.0 {
            let bytes = packed_bytes(model, form, blob, limits, &mut scratch.inflated)?;
            return Ok(State::Known(model.packed_hash(bytes, false).based_on(loadable(model, form))));
        }
        let Scratch { inflated, expiring, .. } = scratch;
        expiring.clear();
        let mut hash = HashBuilder::new(HashSource::Unpacked, count / 2, model);
        let mut entries = Entries::new(form, blob.bytes(limits, inflated)?)?;
        while let Some(field) = entries.next() {
            let Some(value) = entries.next() else { break };
            hash.push_len(field?.len(), value?.len(), None, model, expiring);
        }
        Ok(State::Hash(hash))
    }

    /// A listpack of fields, values and expiries (0 for none).
    fn expiring_hash(self, blob: RdbStr<'_>) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        let count = count_entries(Form::Listpack, blob, limits, &mut scratch.inflated)? / 3;
        let held = model.facts.listpack_ex > 0;
        if held && count <= model.limits.packed.hash.0 {
            return Ok(State::Known(model.packed_hash(blob.len(), true)));
        }
        let Scratch { inflated, expiring, .. } = scratch;
        expiring.clear();
        let source = if held { HashSource::Unpacked } else { HashSource::Expiring };
        let mut hash = HashBuilder::new(source, count, model);
        let mut entries = Entries::new(Form::Listpack, blob.bytes(limits, inflated)?)?;
        while let Some(field) = entries.next() {
            let (Some(value), Some(expiry)) = (entries.next(), entries.next()) else { break };
            let (field, value, expiry) = (field?, value?, expiry?.int()?);
            let expiry = (expiry != 0).then_some(expiry);
            if held {
                hash.push_len(field.len(), value.len(), expiry, model, expiring);
            } else {
                hash.push(field, value, expiry, model, expiring);
            }
        }
        if held {
            return Ok(State::Hash(hash));
        }
        Ok(State::Known(hash.finish(model, expiring).based_on(Basis::Assumed)))
    }

    fn zipmap(self, blob: RdbStr<'_>) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        if model.facts.zipmap {
            return Ok(State::Known(model.packed_hash(blob.len(), false)));
        }
        let Scratch { inflated, expiring, .. } = scratch;
        expiring.clear();
        let mut hash = HashBuilder::new(HashSource::Measured, 0, model);
        for pair in Zipmap::new(blob.bytes(limits, inflated)?)? {
            let (field, value) = pair?;
            hash.push(RdbStr::Raw(field), RdbStr::Raw(value), None, model, expiring);
        }
        Ok(State::Hash(hash))
    }

    fn list(self, blob: RdbStr<'_>) -> Result<State, Fault> {
        let Self { model, limits, scratch, .. } = self;
        let mut list = ListBuilder::of_ziplist(model);
        for entry in Entries::new(Form::Ziplist, blob.bytes(limits, &mut scratch.inflated)?)? {
            let entry = entry?;
            list.push_element(entry.len(), entry.to_i64(), model);
        }
        let kept = !model.facts.quicklist && model.saved();
        Ok(if kept { State::OldList(list) } else { State::List(list) })
    }
}

/// Whether a server of this model could have loaded a packed value of this form.
fn loadable(model: &SizeModel, form: Form) -> Basis {
    if form == Form::Listpack && !model.facts.listpack { Basis::Assumed } else { Basis::Exact }
}

/// Bytes of a packed value in the form of the server.
fn packed_bytes(
    model: &SizeModel,
    form: Form,
    blob: RdbStr<'_>,
    limits: Limits,
    inflated: &mut Vec<u8>,
) -> Result<u64, Fault> {
    if form == model.packed_form() {
        return Ok(blob.len());
    }
    let mut packing = Packing::new(model.packed_form());
    for entry in Entries::new(form, blob.bytes(limits, inflated)?)? {
        packing.push_text(entry?);
    }
    Ok(packing.bytes())
}

/// A packed value that is damaged: its declared length, in the encoding that it has in the file.
pub(crate) fn as_it_stands(
    code: TypeCode,
    version: FileVersion,
    blob: RdbStr<'_>,
    model: &SizeModel,
) -> ValueCost {
    let stored = blob.stored().map_or(0, |bytes| bytes.len() as u64);
    // What is declared may be a lie; LZF makes at most 88 bytes of one.
    let bytes = blob.len().min(stored.saturating_mul(88)).max(stored);
    ValueCost::fixed(usual_encoding(code, version, model), model.packed(bytes)).based_on(Basis::Assumed)
}

/// A value of which nothing was heard: an empty collection, or a type that only its declared size tells.
pub(crate) fn unheard(code: TypeCode, version: FileVersion, model: &SizeModel) -> ValueCost {
    ValueCost::fixed(usual_encoding(code, version, model), model.packed(8)).based_on(Basis::Assumed)
}

fn usual_encoding(code: TypeCode, version: FileVersion, model: &SizeModel) -> Encoding {
    match code.object_type(version) {
        Some(ObjectType::List) if model.facts.quicklist => Encoding::Quicklist,
        Some(ObjectType::Hash) if code == TypeCode::HASH_LISTPACK_EX => Encoding::ListpackEx,
        Some(ObjectType::Set) if code == TypeCode::SET_INTSET => Encoding::Intset,
        Some(ObjectType::List | ObjectType::Hash | ObjectType::Zset) => model.packed_encoding(),
        Some(ObjectType::Set) => Encoding::Hashtable,
        Some(ObjectType::Stream) => model.facts.stream_encoding,
        Some(ObjectType::Array) => Encoding::SlicedArray,
        _ => Encoding::Raw,
    }
}

impl SizeModel {
    /// A templated hash in one listpack: a pointer to its template beside it.
    fn template_listpack(&self, blob: RdbStr<'_>) -> ValueCost {
        let packed = self.packed(blob.len());
        if self.facts.hash_templates {
            return ValueCost::fixed(
                Encoding::TemplateListpack,
                packed + self.block(TEMPLATE_POINTER, false),
            );
        }
        // No such server can load it. The names of its fields are not told with the value.
        ValueCost::fixed(self.packed_hash_encoding(), packed).based_on(Basis::Assumed)
    }

    /// A templated hash as an array of values: what it has beside them.
    pub(crate) fn template_array(&self) -> ValueCost {
        let head = self.block(TEMPLATE_ARRAY, false);
        let encoding = if self.facts.hash_templates { Encoding::TemplateArray } else { Encoding::Hashtable };
        ValueCost::fixed(encoding, head).based_on(Basis::Assumed)
    }

    /// A value of such a hash and its slot.
    pub(crate) fn template_value(&self, value: RdbStr<'_>) -> Bytes {
        self.sds(value.len()) + Bytes::both(8)
    }
}
