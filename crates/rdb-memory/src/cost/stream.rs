//! Streams: listpacks in a radix tree, and groups with their pending entries and consumers.

use rdb_parser::{Fault, Limits, PendingEntry, RdbStr, StreamConsumer, StreamGroup, StreamId};

use super::ValueCost;
use crate::bytes::Bytes;
use crate::facts::StreamCount;
use crate::rax::{FixedRax, Names, RaxSize};
use crate::{Basis, SizeModel};

/// Length of a stream's identifiers.
const ID: u32 = 16;
/// Pending entries of all groups that are kept to find those that several groups share.
const UNION: usize = 1 << 20;
/// Per key of the answer's formula for radix trees. Source: `streamRadixTreeMemoryUsage`.
const FORMULA_KEY: u64 = 16;
/// Per node of the same formula: a node and thirty pointers.
const FORMULA_NODE: u64 = 4 + 30 * 8;
/// The list of groups of a pending entry, and an element of it.
const INDEX_LIST: u64 = 48;
const INDEX_ENTRY: u64 = 24;

/// Buffers that streams share.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamScratch {
    groups: Names,
    consumers: Names,
    pending: Vec<u128>,
    ids: Vec<u128>,
    text: Vec<u8>,
}

/// A stream that is being loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamBuilder {
    entries: FixedRax,
    listpacks: Bytes,
    /// Bytes of the last listpack, which is not among them yet.
    tail: Option<u64>,
    groups: u64,
    /// Pending entries of the current group.
    pel: FixedRax,
    in_group: bool,
    /// Pending entries of all groups.
    references: u64,
    /// The tree over the pending entries of the only group so far, or of the largest one.
    largest_pel: RaxSize,
    sum: Bytes,
    basis: Basis,
}

fn key(id: StreamId) -> u128 {
    u128::from(id.ms) << 64 | u128::from(id.seq)
}

impl StreamBuilder {
    /// An empty stream.
    pub(crate) fn new(scratch: &mut StreamScratch) -> Self {
        scratch.groups.clear();
        scratch.consumers.clear();
        scratch.pending.clear();
        Self {
            entries: FixedRax::new(ID),
            listpacks: Bytes::default(),
            tail: None,
            groups: 0,
            pel: FixedRax::new(ID),
            in_group: false,
            references: 0,
            largest_pel: RaxSize::default(),
            sum: Bytes::default(),
            basis: Basis::Exact,
        }
    }

    /// A node: its listpack under the identifier of its first entry.
    pub(crate) fn node(&mut self, id: StreamId, listpack: RdbStr<'_>, model: &SizeModel) {
        self.entries.push(key(id), model.rax_nodes());
        if let Some(bytes) = self.tail.replace(listpack.len()) {
            self.listpacks += model.block(bytes, model.facts.stream_packed_usable);
        }
    }

    /// A group begins.
    pub(crate) fn group(
        &mut self,
        group: &StreamGroup<'_>,
        model: &SizeModel,
        limits: Limits,
        scratch: &mut StreamScratch,
    ) -> Result<(), Fault> {
        self.end_group(model, scratch);
        self.in_group = true;
        self.groups = self.groups.saturating_add(1);
        self.sum += model.stream_struct(model.facts.stream_group);
        let name = group.name.bytes(limits, &mut scratch.text)?;
        scratch.groups.push(name);
        Ok(())
    }

    /// A pending entry of the current group.
    #[inline]
    pub(crate) fn pending(&mut self, entry: &PendingEntry, model: &SizeModel, scratch: &mut StreamScratch) {
        let id = key(entry.id);
        self.pel.push(id, model.rax_nodes());
        self.references = self.references.saturating_add(1);
        self.sum += model.stream_struct(model.facts.stream_pending);
        if model.facts.stream_pending_index && scratch.pending.len() < UNION {
            scratch.pending.push(id);
        }
    }

    /// A consumer of the current group.
    pub(crate) fn consumer(
        &mut self,
        consumer: &StreamConsumer<'_>,
        model: &SizeModel,
        limits: Limits,
        scratch: &mut StreamScratch,
    ) -> Result<(), Fault> {
        let ids = consumer.pending.as_chunks::<16>().0.iter().map(|&id| u128::from_be_bytes(id));
        let nodes = model.rax_nodes();
        let tree = if ids.clone().is_sorted() {
            ids.fold(FixedRax::new(ID), |mut tree, id| {
                tree.push(id, nodes);
                tree
            })
        } else {
            scratch.ids.clear();
            scratch.ids.extend(ids);
            scratch.ids.sort_unstable();
            scratch.ids.iter().fold(FixedRax::new(ID), |mut tree, &id| {
                tree.push(id, nodes);
                tree
            })
        };
        self.sum += model.stream_tree(tree.finish(nodes));
        let facts = &model.facts;
        let name = model.sds(consumer.name.len());
        let counted = match facts.stream_count {
            StreamCount::Tracked => name.answered,
            StreamCount::Formula | StreamCount::Measured => consumer.name.len(),
        };
        self.sum += model.stream_struct(facts.stream_consumer) + Bytes::new(counted, name.allocated);
        let name = consumer.name.bytes(limits, &mut scratch.text)?;
        scratch.consumers.push(name);
        Ok(())
    }

    /// A producer that is remembered with so many identifiers (Redis 8.6). Not measured.
    pub(crate) fn producer(&mut self, producer: RdbStr<'_>, model: &SizeModel) {
        self.basis = Basis::Assumed;
        self.sum += model.sds(producer.len()) + Bytes::both(model.usable(64));
    }

    /// An identifier that is remembered for a producer. Not measured.
    pub(crate) fn producer_id(&mut self, iid: RdbStr<'_>, model: &SizeModel) {
        self.sum += model.sds(iid.len()) + Bytes::both(model.usable(48));
    }

    fn end_group(&mut self, model: &SizeModel, scratch: &mut StreamScratch) {
        if !std::mem::take(&mut self.in_group) {
            return;
        }
        let pel = std::mem::replace(&mut self.pel, FixedRax::new(ID));
        if pel.is_disordered() {
            self.basis = Basis::Assumed;
        }
        let pel = pel.finish(model.rax_nodes());
        if pel.keys > self.largest_pel.keys {
            self.largest_pel = pel;
        }
        self.sum += model.stream_tree(pel) + model.stream_name_tree(&mut scratch.consumers);
        scratch.consumers.clear();
    }

    /// The stream.
    pub(crate) fn finish(mut self, model: &SizeModel, scratch: &mut StreamScratch) -> ValueCost {
        self.end_group(model, scratch);
        let facts = &model.facts;
        if self.entries.is_disordered() {
            self.basis = Basis::Assumed;
        }
        if let Some(bytes) = self.tail {
            let allocated = model.usable(bytes.max(model.stream_tail));
            let answered = if facts.stream_packed_usable { allocated } else { bytes };
            self.listpacks += Bytes::new(answered, allocated);
        }
        let mut sum = match facts.stream_count {
            StreamCount::Tracked => Bytes::both(model.usable(facts.stream_struct)),
            _ => Bytes::new(facts.stream_struct, model.usable(facts.stream_struct_allocated)),
        };
        sum += model.stream_tree(self.entries.finish(model.rax_nodes())) + self.listpacks + self.sum;
        if self.groups > 0 {
            sum += model.stream_name_tree(&mut scratch.groups);
        }
        if facts.stream_pending_index && self.references > 0 {
            let union = self.union(model, scratch);
            let tree = model.usable(facts.rax_struct).saturating_add(union.bytes);
            sum += match facts.stream_count {
                StreamCount::Tracked => Bytes::both(tree),
                _ => Bytes::unanswered(tree),
            };
            sum += Bytes::unanswered(model.usable(INDEX_LIST)).times(union.keys);
            sum += Bytes::unanswered(model.usable(INDEX_ENTRY)).times(self.references);
        }
        ValueCost::fixed(facts.stream_encoding, sum).based_on(self.basis)
    }

    /// The tree over the pending entries of all groups.
    fn union(&self, model: &SizeModel, scratch: &mut StreamScratch) -> RaxSize {
        if self.groups == 1 || scratch.pending.len() >= UNION {
            return self.largest_pel;
        }
        scratch.pending.sort_unstable();
        let mut tree = FixedRax::new(ID);
        for &id in &scratch.pending {
            tree.push(id, model.rax_nodes());
        }
        tree.finish(model.rax_nodes())
    }
}

impl SizeModel {
    /// A struct of groups and the like, which only the newest releases count as allocated.
    fn stream_struct(&self, bytes: u64) -> Bytes {
        self.block(bytes, self.facts.stream_count == StreamCount::Tracked)
    }

    /// A radix tree over identifiers.
    fn stream_tree(&self, tree: RaxSize) -> Bytes {
        let allocated = self.usable(self.facts.rax_struct).saturating_add(tree.bytes);
        let answered = match self.facts.stream_count {
            StreamCount::Formula => {
                let keys = tree.keys.saturating_mul(FORMULA_KEY);
                keys.saturating_add(tree.nodes.saturating_mul(FORMULA_NODE))
            }
            StreamCount::Measured | StreamCount::Tracked => allocated,
        };
        Bytes::new(answered, allocated)
    }

    /// A radix tree over names, which only the newest releases count.
    fn stream_name_tree(&self, names: &mut Names) -> Bytes {
        let tree = names.tree(self.rax_name_nodes());
        let allocated = self.usable(self.facts.rax_struct).saturating_add(tree.bytes);
        match self.facts.stream_count {
            StreamCount::Tracked => Bytes::both(allocated),
            StreamCount::Formula | StreamCount::Measured => Bytes::unanswered(allocated),
        }
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    #[test]
    fn an_empty_stream_is_a_struct_and_a_tree() {
        for (server, want) in [
            (ServerVersion::redis(6, 2, 4), 244),
            (ServerVersion::redis(6, 2, 5), 40 + 244),
            (ServerVersion::redis(7, 2, 6), 80 + 244),
            (ServerVersion::valkey(9, 1, 2), 80 + 32 + 8),
            (ServerVersion::redis(8, 10, 2), 160 + 40 + 8),
        ] {
            let model = SizeModel::new(&Target::new(server));
            let mut scratch = StreamScratch::default();
            let stream = StreamBuilder::new(&mut scratch);
            assert_eq!(stream.finish(&model, &mut scratch).answer(0), want, "{server}");
        }
    }

    #[test]
    fn a_pending_entry_counts_a_thousand_bytes_and_takes_far_less() {
        let model = SizeModel::new(&Target::new(ServerVersion::redis(7, 2, 6)));
        let mut scratch = StreamScratch::default();
        let mut stream = StreamBuilder::new(&mut scratch);
        let name = RdbStr::Raw(b"name");
        let group = StreamGroup { name, last_id: StreamId::default(), entries_read: None, pending: 1000 };
        stream.group(&group, &model, Limits::default(), &mut scratch).unwrap();
        let mut ids = Vec::new();
        for n in 0..1000 {
            let id = StreamId { ms: 1_700_000_000_000 + n, seq: 0 };
            stream.pending(&PendingEntry { id, delivered_at_ms: 0, deliveries: 1 }, &model, &mut scratch);
            ids.extend_from_slice(&id.to_bytes());
        }
        let consumer = StreamConsumer { name, seen_at_ms: 0, active_at_ms: None, pending: &ids };
        stream.consumer(&consumer, &model, Limits::default(), &mut scratch).unwrap();
        let cost = stream.finish(&model, &mut scratch);
        assert!((1000..1060).contains(&(cost.answer(0) / 1000)), "{}", cost.answer(0));
        assert!((100..160).contains(&(cost.allocated() / 1000)), "{}", cost.allocated());
    }
}
