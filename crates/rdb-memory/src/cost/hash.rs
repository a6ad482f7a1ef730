//! Hashes: packed, packed with expiries, or a table.

use rdb_format::Encoding;

use super::ValueCost;
use crate::bytes::Bytes;
use crate::expiring::ExpiringFields;
use crate::facts::FieldLayout;
use crate::packing::{Packing, Text};
use crate::sds;
use crate::table::{Table, TableUse};
use crate::{Basis, SizeModel};

/// What the file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HashSource {
    /// Single fields (type 4).
    Plain,
    /// Single fields with expiries (types 22 and 24).
    Expiring,
    /// A packed value whose lengths are looked at (type 9).
    Measured,
    /// A packed value that becomes a table.
    Unpacked,
}

/// A hash that is being loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HashBuilder {
    source: HashSource,
    declared: u64,
    len: u64,
    /// While it can be packed.
    packing: Option<Packing>,
    /// Whether it was packed until a long element came.
    outgrown: bool,
    longest: u64,
    table: Table,
    fields: Bytes,
    /// Whether the server cannot hold it as it is: a field has an expiry that it does not know, or the like.
    assumed: bool,
}

/// Up to here a second hint is not given.
const SMALL: u64 = 4;
/// Largest block of a field with its value. Source: `EMBED_VALUE_MAX_ALLOC_SIZE` in `src/entry.c`.
const ENTRY_BLOCK: u64 = 128;

impl SizeModel {
    /// A packed hash, with room for expiries if there may be some.
    pub(crate) fn packed_hash(&self, bytes: u64, expiring: bool) -> ValueCost {
        let packed = self.packed(bytes);
        if !expiring {
            return ValueCost::fixed(self.packed_hash_encoding(), packed);
        }
        let around = self.block(self.facts.listpack_ex, self.facts.listpack_ex_usable);
        ValueCost::fixed(Encoding::ListpackEx, packed + around)
    }

    /// A field and its value in a table, without the entry.
    #[inline]
    pub(crate) fn hash_field(&self, field: u64, value: u64, expires: bool) -> Bytes {
        match self.facts.field {
            FieldLayout::Sds => self.sds(field) + self.sds(value),
            FieldLayout::Mstr => {
                // Expiry and two bytes of kind in front of the text.
                let metadata = if expires { 18 } else { 0 };
                Bytes::both(self.usable(self.mstr_request(field, metadata))) + self.sds(value)
            }
            FieldLayout::Entry { expiry, requested } => {
                let expiry = if expires { expiry } else { 0 };
                let own_header = sds::header(field, self.facts.sds_spare_bounds);
                let header = if expires { own_header.max(3) } else { own_header };
                let name = field.saturating_add(header + 1 + expiry);
                let both = name.saturating_add(value).saturating_add(4);
                if both <= ENTRY_BLOCK {
                    return self.block(both, !requested);
                }
                // A pointer to the value in front, for which the short header has no bit to tell.
                let widened = if header == 1 { 2 } else { 0 };
                self.block(name.saturating_add(widened + 8), !requested) + self.sds(value)
            }
        }
    }
}

impl HashBuilder {
    /// A hash of as many fields as declared.
    pub(crate) fn new(source: HashSource, declared: u64, model: &SizeModel) -> Self {
        let (most, _) = model.limits.plain.hash;
        let packable = match source {
            HashSource::Plain => declared <= most,
            HashSource::Expiring => {
                declared <= most && (model.facts.listpack_ex > 0 || !model.facts.field_expiry)
            }
            HashSource::Measured => true,
            HashSource::Unpacked => false,
        };
        Self {
            source,
            declared,
            len: 0,
            packing: packable.then(|| Packing::new(model.packed_form())),
            outgrown: false,
            longest: 0,
            table: model.table(),
            fields: Bytes::default(),
            assumed: false,
        }
    }

    /// The same on no better basis than an assumption.
    pub(crate) fn assumed(self) -> Self {
        Self { assumed: true, ..self }
    }

    /// One more field.
    #[inline]
    pub(crate) fn push(
        &mut self,
        field: impl Text,
        value: impl Text,
        expire_at_ms: Option<i64>,
        model: &SizeModel,
        expiring: &mut ExpiringFields,
    ) {
        let (field_len, value_len) = (field.len(), value.len());
        self.longest = self.longest.max(field_len).max(value_len);
        if self.source != HashSource::Measured && self.longest > model.limits.plain.hash.1 {
            self.outgrow(model);
        }
        if let Some(packing) = &mut self.packing {
            packing.push_text(field);
            packing.push_text(value);
            if self.source == HashSource::Expiring && model.facts.field_expiry {
                packing.push_integer(expire_at_ms.unwrap_or(0));
            }
        }
        self.push_len(field_len, value_len, expire_at_ms, model, expiring);
    }

    /// One more field of a table.
    #[inline]
    pub(crate) fn push_len(
        &mut self,
        field: u64,
        value: u64,
        expire_at_ms: Option<i64>,
        model: &SizeModel,
        expiring: &mut ExpiringFields,
    ) {
        self.len = self.len.saturating_add(1);
        if let Some(time) = expire_at_ms {
            self.assumed |= !model.facts.field_expiry;
            expiring.push(time, model);
        }
        let expires = expire_at_ms.is_some() && model.facts.field_expiry;
        self.fields += model.hash_field(field, value, expires);
        if self.outgrown {
            self.table.add_many(self.len.saturating_sub(self.table.len()));
        }
    }

    /// Turns what was packed so far into a table, because of the field that comes next.
    ///
    /// The table is hinted the number of fields before it, and then what is left to read: behind the
    /// field itself, or before it when fields have expiries. Source: `rdbLoadObject`, types 4 and 24.
    fn outgrow(&mut self, model: &SizeModel) {
        if self.packing.take().is_none() {
            return;
        }
        self.outgrown = true;
        let (before, expiring) = (self.len, self.source == HashSource::Expiring);
        let is_dict = matches!(self.table, Table::Dict(_));
        if before > 0 && (model.facts.convert_hint || expiring || !is_dict) {
            self.table.hint(before);
        }
        self.table.add_many(before);
        if !expiring {
            self.table.add_many(1);
        }
        let rest = self.declared.saturating_sub(before.saturating_add(1));
        if model.facts.whole_second_hint {
            self.table.hint(self.declared);
        } else if !is_dict || (rest > SMALL && model.facts.load_hint) {
            self.table.hint(rest);
        }
    }

    /// The hash.
    pub(crate) fn finish(mut self, model: &SizeModel, expiring: &ExpiringFields) -> ValueCost {
        let basis = if self.assumed { Basis::Assumed } else { Basis::Exact };
        if self.source == HashSource::Measured {
            let (most, longest) = model.limits.packed.hash;
            if self.len > most || self.longest > longest {
                self.packing = None;
            }
        }
        if let Some(packing) = self.packing {
            let expiring = self.source == HashSource::Expiring && model.facts.field_expiry;
            return model.packed_hash(packing.bytes(), expiring).based_on(basis);
        }
        if !self.outgrown {
            let hint = match self.source {
                HashSource::Plain => model.facts.load_hint,
                HashSource::Expiring => false,
                HashSource::Measured | HashSource::Unpacked => model.facts.convert_hint,
            };
            if hint || matches!(self.table, Table::Hashtable(_)) {
                self.table.hint(self.len);
            }
            self.table.add_many(self.len);
        }
        if model.saved() {
            self.table.settle();
        }
        let table = model.table_bytes(&self.table, TableUse::Hash);
        let index = expiring.bytes(model);
        let seed = table.expected || expiring.is_extrapolated();
        let scale = if model.facts.tracked { 0 } else { self.len };
        let elements = self.fields + table.entries;
        ValueCost::sampled(Encoding::Hashtable, table.buckets + index, elements, scale)
            .based_on(if seed { Basis::Expected } else { Basis::Exact })
            .based_on(basis)
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;
    use rdb_parser::RdbStr;

    use super::*;
    use crate::Target;

    fn hash(server: ServerVersion, source: HashSource, fields: &[(&str, &str)]) -> ValueCost {
        let model = SizeModel::new(&Target::new(server));
        let mut hash = HashBuilder::new(source, fields.len() as u64, &model);
        let mut expiring = ExpiringFields::default();
        for (field, value) in fields {
            let [field, value] = [field, value].map(|text| RdbStr::Raw(text.as_bytes()));
            hash.push(field, value, None, &model, &mut expiring);
        }
        hash.finish(&model, &expiring)
    }

    #[test]
    fn short_hashes_are_packed() {
        let fields = [("a", "1"), ("b", "two")];
        let cost = hash(ServerVersion::redis(7, 0, 15), HashSource::Plain, &fields);
        assert_eq!((cost.encoding, cost.answer(0)), (Encoding::Listpack, 24));
        let cost = hash(ServerVersion::redis(6, 2, 5), HashSource::Plain, &fields);
        assert_eq!((cost.encoding, cost.answer(0)), (Encoding::Ziplist, 11 + 3 + 2 + 3 + 5));
    }

    #[test]
    fn a_long_value_makes_a_table() {
        let long = "x".repeat(65);
        let fields = [("a", "1"), ("b", long.as_str())];
        let cost = hash(ServerVersion::redis(7, 2, 6), HashSource::Plain, &fields);
        assert_eq!(cost.encoding, Encoding::Hashtable);
        assert_eq!(cost.answer(0), 56 + 32 + 2 * 24 + 8 + 8 + 8 + 80);
        assert_eq!(cost.basis, Basis::Exact);
    }

    #[test]
    fn short_fields_and_values_share_a_block() {
        let field = |server, field, value, expires| {
            SizeModel::new(&Target::new(server)).hash_field(field, value, expires).answered
        };
        let valkey = ServerVersion::valkey(9, 1, 2);
        assert_eq!(field(valkey, 10, 20, false), 40);
        assert_eq!(field(valkey, 10, 20, true), 48);
        assert_eq!(field(valkey, 10, 200, false), 24 + 224);
        assert_eq!(field(ServerVersion::redis(8, 6, 2), 10, 20, false), 36);
        assert_eq!(field(ServerVersion::redis(7, 4, 1), 10, 20, true), 32 + 24);
    }
}
