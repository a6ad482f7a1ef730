//! Sets: intset, listpack (Redis 7.2) or table.

use rdb_format::Encoding;

use super::ValueCost;
use crate::bytes::Bytes;
use crate::packing::{Form, Packing, Text};
use crate::table::{Table, TableUse};
use crate::{Basis, SizeModel};

/// What the members so far are held in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Intset,
    Listpack,
    Table,
    /// A table that is hinted the number of its members at the end.
    TableAtEnd,
}

/// A set that is being loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetBuilder {
    declared: u64,
    len: u64,
    stage: Stage,
    /// Bytes of an integer of the intset.
    width: u64,
    longest: u64,
    listpack: Packing,
    table: Table,
    members: Bytes,
}

impl SetBuilder {
    /// A set of single members, as many as declared. Source: `rdbLoadObject`, type 2, in `src/rdb.c`.
    pub(crate) fn new(declared: u64, model: &SizeModel) -> Self {
        let table = declared > model.limits.plain.intset;
        Self {
            declared,
            len: 0,
            stage: if table { Stage::TableAtEnd } else { Stage::Intset },
            width: 2,
            longest: 0,
            listpack: Packing::new(Form::Listpack),
            table: model.table(),
            members: Bytes::default(),
        }
    }

    /// A set that becomes a table whatever is in it.
    pub(crate) fn table(model: &SizeModel) -> Self {
        Self { stage: Stage::TableAtEnd, ..Self::new(0, model) }
    }

    /// One more member.
    #[inline]
    pub(crate) fn push(&mut self, member: impl Text, model: &SizeModel) {
        if self.stage == Stage::TableAtEnd {
            self.push_len(member.len(), model);
        } else {
            self.push_staged(member.len(), member.to_i64(), model);
        }
    }

    /// One more member of a table.
    #[inline]
    pub(crate) fn push_len(&mut self, len: u64, model: &SizeModel) {
        self.len = self.len.saturating_add(1);
        self.members += model.sds(len);
    }

    /// One more member of a set that may yet be packed.
    fn push_staged(&mut self, len: u64, integer: Option<i64>, model: &SizeModel) {
        let before = self.len;
        self.push_len(len, model);
        self.longest = self.longest.max(len);
        let (most, longest) = model.limits.plain.set;
        if self.stage == Stage::Intset {
            match integer {
                Some(value) => self.width = self.width.max(integer_width(value)),
                None if model.facts.set_listpack && before < most && self.longest <= longest => {
                    self.stage = Stage::Listpack;
                }
                None => {
                    if !model.facts.set_listpack && before > 0 {
                        // The intset is converted at its own size, then the table is hinted the rest.
                        self.table.hint(before);
                        self.table.add_many(before);
                        self.table.hint(self.declared);
                    } else {
                        self.table.hint(self.declared);
                        self.table.add_many(before);
                    }
                    self.stage = Stage::Table;
                }
            }
        }
        if self.stage == Stage::Listpack && (before >= most || len > longest) {
            self.table.hint(self.declared);
            self.table.add_many(before);
            self.stage = Stage::Table;
        }
        match self.stage {
            Stage::Intset | Stage::Listpack => self.listpack.push(len, integer),
            Stage::Table => self.table.add_many(1),
            Stage::TableAtEnd => {}
        }
    }

    /// The set.
    pub(crate) fn finish(mut self, model: &SizeModel) -> ValueCost {
        match self.stage {
            Stage::Intset => {
                let bytes = self.width.saturating_mul(self.len).saturating_add(8);
                return ValueCost::fixed(Encoding::Intset, model.packed(bytes));
            }
            Stage::Listpack => {
                return ValueCost::fixed(Encoding::Listpack, model.packed(self.listpack.bytes()));
            }
            Stage::TableAtEnd => self.table = model.hinted_table(self.len),
            Stage::Table if matches!(self.table, Table::Hashtable(_)) => {
                self.table = model.hinted_table(self.len);
            }
            Stage::Table => {}
        }
        if model.saved() {
            self.table.settle();
        }
        let table = model.table_bytes(&self.table, TableUse::Set);
        let elements = self.members + table.entries;
        let scale = if model.facts.tracked { 0 } else { self.len };
        ValueCost::sampled(Encoding::Hashtable, table.buckets, elements, scale).based_on(if table.expected {
            Basis::Expected
        } else {
            Basis::Exact
        })
    }
}

/// Bytes that an intset needs for each integer when this is one of them.
fn integer_width(value: i64) -> u64 {
    if i16::try_from(value).is_ok() {
        2
    } else if i32::try_from(value).is_ok() {
        4
    } else {
        8
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;
    use rdb_parser::RdbStr;

    use super::*;
    use crate::Target;

    fn set(server: ServerVersion, members: &[&str]) -> ValueCost {
        let model = SizeModel::new(&Target::new(server));
        let mut set = SetBuilder::new(members.len() as u64, &model);
        members.iter().for_each(|member| set.push(RdbStr::Raw(member.as_bytes()), &model));
        set.finish(&model)
    }

    #[test]
    fn integers_stay_an_intset() {
        let cost = set(ServerVersion::redis(7, 2, 6), &["1", "2", "70000"]);
        assert_eq!((cost.encoding, cost.answer(0)), (Encoding::Intset, 24));
    }

    #[test]
    fn a_text_makes_a_listpack_or_a_table() {
        let members = ["1", "2", "x"];
        let cost = set(ServerVersion::redis(7, 2, 6), &members);
        assert_eq!((cost.encoding, cost.answer(0)), (Encoding::Listpack, 16));
        let cost = set(ServerVersion::redis(7, 0, 15), &members);
        assert_eq!(cost.encoding, Encoding::Hashtable);
        assert_eq!(cost.answer(0), 56 + 4 * 8 + 3 * (24 + 8));
        let long = "x".repeat(65);
        let cost = set(ServerVersion::redis(7, 2, 6), &["1", &long]);
        assert_eq!(cost.encoding, Encoding::Hashtable);
    }
}
