//! Sorted sets: packed, or a table and a skiplist.

use rdb_format::Encoding;

use super::ValueCost;
use crate::bytes::{Bytes, rounded};
use crate::facts::SkiplistLayout;
use crate::packing::{Packing, Text};
use crate::score::ScoreText;
use crate::table::{Table, TableUse};
use crate::{Basis, SizeModel};

/// A sorted set that is being loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ZsetBuilder {
    len: u64,
    /// While it can be packed. Members come in any order: behind a score, which is short, a ziplist
    /// element takes the same bytes everywhere.
    packing: Option<Packing>,
    /// Whether the table is hinted its size.
    hint: bool,
    members: Bytes,
    nodes: f64,
}

impl ZsetBuilder {
    /// A sorted set of single members, as many as declared. Source: `rdbLoadObject`, types 3 and 5.
    pub(crate) fn new(declared: u64, model: &SizeModel) -> Self {
        let (most, _) = model.limits.plain.zset;
        Self {
            len: 0,
            packing: (declared <= most).then(|| Packing::new(model.packed_form())),
            hint: model.facts.load_hint,
            members: Bytes::default(),
            nodes: 0.0,
        }
    }

    /// A packed sorted set that becomes a skiplist. Source: `zsetConvert` in `src/t_zset.c`.
    pub(crate) fn table(model: &SizeModel) -> Self {
        Self { packing: None, hint: model.facts.convert_hint, ..Self::new(0, model) }
    }

    /// One more member.
    #[inline]
    pub(crate) fn push(&mut self, member: impl Text, score: f64, model: &SizeModel) {
        let len = member.len();
        if let Some(packing) = &mut self.packing {
            if len > model.limits.plain.zset.1 {
                self.packing = None;
            } else {
                packing.push_text(member);
                let text = ScoreText::new(score, model.facts.shortest_scores);
                packing.push(text.len(), text.to_i64());
            }
        }
        self.push_len(len, model);
    }

    /// One more member of a skiplist.
    #[inline]
    pub(crate) fn push_len(&mut self, len: u64, model: &SizeModel) {
        self.len = self.len.saturating_add(1);
        self.nodes += model.nodes.expected(len);
        if !model.nodes.hold_members() {
            self.members += model.sds(len);
        }
    }

    /// The sorted set.
    pub(crate) fn finish(self, model: &SizeModel) -> ValueCost {
        if let Some(packing) = self.packing {
            return ValueCost::fixed(model.packed_encoding(), model.packed(packing.bytes()));
        }
        let facts = &model.facts;
        let mut table = model.table();
        if self.hint || matches!(table, Table::Hashtable(_)) {
            table.hint(self.len);
        }
        table.add_many(self.len);
        if model.saved() {
            table.settle();
        }
        let table = model.table_bytes(&table, TableUse::Zset);
        let mut fixed = table.buckets + model.skiplist_structs;
        if facts.skiplist == SkiplistLayout::MembersOnly {
            fixed.answered -= facts.table_struct;
        }
        let elements = self.members + table.entries + Bytes::both(rounded(self.nodes));
        let scale = if facts.tracked { 0 } else { self.len };
        ValueCost::sampled(Encoding::Skiplist, fixed, elements, scale).based_on(Basis::Expected)
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;
    use rdb_parser::RdbStr;

    use super::*;
    use crate::{Allocator, Target};

    fn zset(model: &SizeModel, members: &[(&str, f64)]) -> ValueCost {
        let mut zset = ZsetBuilder::new(members.len() as u64, model);
        members.iter().for_each(|&(member, score)| zset.push(RdbStr::Raw(member.as_bytes()), score, model));
        zset.finish(model)
    }

    #[test]
    fn infinities_on_redis_7_0_of_debian() {
        // Redis 7.0.15, distribution jemalloc: 80 for key "z", 1288 for key "zs" on one draw of levels.
        let target =
            Target { allocator: Allocator::Jemalloc16, ..Target::new(ServerVersion::redis(7, 0, 15)) };
        let model = SizeModel::new(&target);
        let cost = zset(&model, &[("b", f64::NEG_INFINITY), ("c", 1.5), ("a", f64::INFINITY)]);
        assert_eq!(cost.encoding, Encoding::Listpack);
        assert_eq!(cost.answer(0) + model.key(1, false).answered, 80);

        let (x, y) = ("x".repeat(100), "y".repeat(100));
        let cost = zset(&model, &[(&x, f64::INFINITY), (&y, f64::NEG_INFINITY), ("k", 0.1)]);
        assert_eq!((cost.encoding, cost.basis), (Encoding::Skiplist, Basis::Expected));
        let whole = cost.answer(0) + model.key(2, false).answered;
        assert!(whole.abs_diff(1288) <= 40, "{whole}");
    }
}
