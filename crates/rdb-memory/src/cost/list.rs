//! Lists: a quicklist of packed nodes, a bare listpack (Redis 7.2), or a linked list (up to 3.0).

use rdb_format::Encoding;
use rdb_parser::RdbStr;
use rdb_parser::lzf::Lzf;

use super::ValueCost;
use crate::bytes::Bytes;
use crate::facts::ListScale;
use crate::packing::{Form, Packing};
use crate::{Basis, SizeModel};

/// Nodes below this are not compressed. Source: `MIN_COMPRESS_BYTES` in `src/quicklist.c`.
const COMPRESSED_FROM: u64 = 48;
/// What compression must save. Source: `MIN_COMPRESS_IMPROVE`.
const COMPRESSION_SAVES: u64 = 8;
/// Nodes bounded by their count are still bounded by this. Source: `SIZE_SAFETY_LIMIT`.
const SAFETY_BYTES: u64 = 8192;
/// What an element takes beside its text at most, as the loader guesses. Source: `SIZE_ESTIMATE_OVERHEAD`.
const ELEMENT_GUESS: u64 = 8;
/// `sizeof(list)` and `sizeof(listNode)` of linked lists.
const LINKED_LIST: u64 = 48;
const LINKED_NODE: u64 = 24;

/// A list that is being loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListBuilder {
    /// Nodes that the file declares, by which the inner ones are told.
    declared_nodes: u64,
    nodes: u64,
    elements: u64,
    payload: Bytes,
    /// Bytes and elements of the last packed node.
    last_packed: Option<(u64, u64)>,
    /// The node that single elements are appended to.
    open: Option<(Packing, u64)>,
    /// Whether the loader does not try to make it a bare listpack.
    stays_quicklist: bool,
    /// All elements as one packed value, their longest text and all texts, for servers without quicklists.
    whole: Packing,
    longest: u64,
    texts: Bytes,
    basis: Basis,
}

impl ListBuilder {
    /// A list of as many nodes as declared, or of single elements.
    pub(crate) fn new(declared_nodes: u64, model: &SizeModel) -> Self {
        Self {
            declared_nodes,
            nodes: 0,
            elements: 0,
            payload: Bytes::default(),
            last_packed: None,
            open: None,
            stays_quicklist: false,
            whole: Packing::new(model.packed_form()),
            longest: 0,
            texts: Bytes::default(),
            basis: Basis::Exact,
        }
    }

    /// A list that the file holds as one ziplist (type 10). Its elements are appended one by one, and
    /// `rdbLoadObject` of Redis 7.2 leaves it at that.
    pub(crate) fn of_ziplist(model: &SizeModel) -> Self {
        Self { stays_quicklist: true, ..Self::new(0, model) }
    }

    /// Whether the number of elements of packed nodes plays a part.
    pub(crate) fn wants_counts(&self, model: &SizeModel) -> bool {
        let scaled = model.facts.list_scale == ListScale::Elements && !model.facts.tracked;
        let bounded = model.limits.list.count.is_some() && self.declared_nodes == 1;
        scaled || (bounded && model.facts.bare_listpack)
    }

    /// A node of one element.
    pub(crate) fn push_plain(&mut self, blob: RdbStr<'_>, model: &SizeModel) {
        self.last_packed = None;
        self.elements = self.elements.saturating_add(1);
        if !model.facts.plain_nodes {
            self.basis = Basis::Assumed;
        }
        self.push_node(blob.len(), blob, model);
    }

    /// Notes that the next node is packed anew, so that the file does not tell how well it compresses.
    pub(crate) fn converts(&mut self, model: &SizeModel) {
        if model.limits.compress_depth > 0 {
            self.basis = Basis::Assumed;
        }
    }

    /// A packed node of this many bytes in the form of the server, made from `blob` of the file.
    pub(crate) fn push_packed(&mut self, bytes: u64, elements: u64, blob: RdbStr<'_>, model: &SizeModel) {
        self.last_packed = Some((bytes, elements));
        self.elements = self.elements.saturating_add(elements);
        self.push_node(bytes, blob, model);
    }

    fn push_node(&mut self, bytes: u64, blob: RdbStr<'_>, model: &SizeModel) {
        let depth = model.limits.compress_depth;
        let index = self.nodes;
        let inner = depth > 0 && index >= depth && index < self.declared_nodes.saturating_sub(depth);
        self.nodes = self.nodes.saturating_add(1);
        let facts = &model.facts;
        self.payload += model.block(facts.quicklist_node, facts.quicklist_usable);
        self.payload += match blob {
            RdbStr::Lzf(Lzf { packed, .. }) if inner => {
                // The server compresses with the very code that wrote the file. A node that changes its
                // form compresses about as well.
                let packed = packed.len() as u64;
                if bytes >= COMPRESSED_FROM && packed + COMPRESSION_SAVES < bytes {
                    let block = packed + facts.lzf_header;
                    if facts.lzf_block_counted {
                        model.packed(block)
                    } else {
                        Bytes::new(packed, model.usable(block))
                    }
                } else {
                    model.packed(bytes)
                }
            }
            _ => model.packed(bytes),
        };
    }

    /// One element at the end, as a loader of single elements appends it (types 1 and 10).
    pub(crate) fn push_element(&mut self, len: u64, integer: Option<i64>, model: &SizeModel) {
        if !model.facts.quicklist {
            self.elements = self.elements.saturating_add(1);
            self.longest = self.longest.max(len);
            self.whole.push(len, integer);
            self.texts += model.sds(len);
            return;
        }
        if model.facts.large_elements_plain && len > model.limits.list.bytes.unwrap_or(SAFETY_BYTES) {
            self.close(model);
            self.elements = self.elements.saturating_add(1);
            self.last_packed = None;
            self.push_built(len, model);
            return;
        }
        let fits = self.open.is_some_and(|(packing, count)| node_takes(&packing, count, len, model));
        if !fits {
            self.close(model);
        }
        let (packing, count) = self.open.get_or_insert((Packing::new(model.packed_form()), 0));
        packing.push(len, integer);
        *count += 1;
    }

    /// Ends the node that single elements are appended to.
    fn close(&mut self, model: &SizeModel) {
        if let Some((packing, count)) = self.open.take() {
            self.last_packed = Some((packing.bytes(), count));
            self.elements = self.elements.saturating_add(count);
            self.push_built(packing.bytes(), model);
        }
    }

    /// A node made of single elements. How well it compresses is not known.
    fn push_built(&mut self, bytes: u64, model: &SizeModel) {
        if model.limits.compress_depth > 0 && self.nodes / 2 > model.limits.compress_depth {
            self.basis = Basis::Assumed;
        }
        self.push_node(bytes, RdbStr::Raw(&[]), model);
    }

    /// The list.
    pub(crate) fn finish(mut self, model: &SizeModel) -> ValueCost {
        if !model.facts.quicklist {
            return self.finish_old(model);
        }
        self.close(model);
        let limit = model.limits.list;
        if let Some((bytes, count)) = self.last_packed
            && model.facts.bare_listpack
            && !self.stays_quicklist
            && self.nodes == 1
            && limit.bytes.is_none_or(|most| bytes <= most)
            && limit.count.is_none_or(|most| count <= most)
        {
            return ValueCost::fixed(Encoding::Listpack, model.packed(bytes)).based_on(self.basis);
        }
        let head = model.block(model.facts.quicklist_struct, model.facts.quicklist_usable);
        let scale = match model.facts.list_scale {
            _ if model.facts.tracked => 0,
            ListScale::Nodes => self.nodes,
            ListScale::Elements => self.elements,
        };
        ValueCost::sampled(Encoding::Quicklist, head, self.payload, scale).based_on(self.basis)
    }

    /// Lists of Redis up to 3.0. Source: `src/t_list.c` of Redis 3.0.
    fn finish_old(self, model: &SizeModel) -> ValueCost {
        let (most, longest) = model.limits.old_list;
        if self.elements <= most && self.longest <= longest {
            return ValueCost::fixed(Encoding::Ziplist, model.packed(self.whole.bytes()));
        }
        let node = Bytes::both(model.usable(LINKED_NODE)) + Bytes::both(model.usable(crate::key::OBJECT));
        let nodes = node.times(self.elements);
        ValueCost::fixed(Encoding::Linkedlist, Bytes::both(LINKED_LIST) + nodes + self.texts)
    }

    /// A list in the single ziplist that the saving server held (Redis up to 3.0).
    pub(crate) fn finish_as_ziplist(self, model: &SizeModel) -> ValueCost {
        ValueCost::fixed(Encoding::Ziplist, model.packed(self.whole.bytes()))
    }
}

/// Whether a node takes one more element of `len` bytes. Source: `_quicklistNodeAllowInsert`.
fn node_takes(packing: &Packing, count: u64, len: u64, model: &SizeModel) -> bool {
    let overhead = match packing.form() {
        Form::Listpack => ELEMENT_GUESS,
        Form::Ziplist => {
            let previous = if len < 254 { 1 } else { 5 };
            previous
                + match len {
                    0..64 => 1,
                    64..16_384 => 2,
                    _ => 5,
                }
        }
    };
    let bytes = packing.bytes().saturating_add(len).saturating_add(overhead);
    let limit = model.limits.list;
    match (limit.bytes, limit.count) {
        (Some(most), _) => bytes <= most,
        (None, Some(most)) => bytes <= SAFETY_BYTES && count < most,
        (None, None) => true,
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn list(server: ServerVersion, elements: u64, len: u64) -> ValueCost {
        let model = SizeModel::new(&Target::new(server));
        let mut list = ListBuilder::new(0, &model);
        (0..elements).for_each(|_| list.push_element(len, None, &model));
        list.finish(&model)
    }

    #[test]
    fn single_elements_fill_nodes() {
        // 100 bytes and 3 around them: 79 fit into 8 KiB.
        let cost = list(ServerVersion::redis(7, 0, 15), 79, 100);
        assert_eq!((cost.encoding, cost.answer(0)), (Encoding::Quicklist, 40 + 40 + 8192));
        let cost = list(ServerVersion::redis(7, 0, 15), 80, 100);
        assert_eq!(cost.scale, 2);
        assert_eq!(list(ServerVersion::redis(7, 2, 6), 79, 100).encoding, Encoding::Listpack);
        assert_eq!(list(ServerVersion::redis(7, 2, 6), 80, 100).encoding, Encoding::Quicklist);
    }

    #[test]
    fn large_elements_have_nodes_of_their_own() {
        // Redis 7.0.15 answers MEMORY USAGE with 14,464 for a key of one such element, 48 of them beside the
        // list: the listpack of 12,294 bytes is what counts. The dumps of 7.2.6 hold listpacks too.
        for version in [ServerVersion::redis(7, 0, 15), ServerVersion::redis(7, 2, 6)] {
            let cost = list(version, 1, 12_280);
            assert_eq!((cost.encoding, cost.answer(0)), (Encoding::Quicklist, 40 + 40 + 14_336));
        }
        for version in [ServerVersion::redis(7, 4, 1), ServerVersion::valkey(8, 0, 1)] {
            let cost = list(version, 1, 12_280);
            assert_eq!((cost.encoding, cost.answer(0)), (Encoding::Quicklist, 40 + 40 + 12_288));
        }
        let cost = list(ServerVersion::redis(7, 4, 1), 2, 9000);
        assert_eq!(cost.answer(0), 40 + 2 * (40 + 10_240));
        let cost = list(ServerVersion::redis(6, 2, 5), 1, 9000);
        assert_eq!(cost.answer(0), 40 + 32 + 11 + 9000 + 3);
    }

    #[test]
    fn old_servers_link_long_lists() {
        assert_eq!(list(ServerVersion::redis(3, 0, 7), 512, 64).encoding, Encoding::Ziplist);
        assert_eq!(list(ServerVersion::redis(3, 0, 7), 513, 64).encoding, Encoding::Linkedlist);
        assert_eq!(list(ServerVersion::redis(3, 0, 7), 1, 65).encoding, Encoding::Linkedlist);
    }
}
