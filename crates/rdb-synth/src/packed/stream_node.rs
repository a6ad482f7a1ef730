//! One node of a stream: a master ID and a listpack of entries.

use super::Listpack;

/// The ID of a stream entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct StreamId {
    /// Milliseconds.
    pub ms: u64,
    /// Sequence number within the millisecond.
    pub seq: u64,
}

impl StreamId {
    /// The ID `ms-seq`.
    pub fn new(ms: u64, seq: u64) -> Self {
        Self { ms, seq }
    }

    /// The 16 big-endian bytes that stand for the ID in node keys and pending lists.
    pub fn raw(self) -> [u8; 16] {
        ((u128::from(self.ms) << 64) | u128::from(self.seq)).to_be_bytes()
    }
}

/// Collects the entries of one node.
#[derive(Debug, Clone)]
pub struct StreamNode {
    master: StreamId,
    fields: Vec<Vec<u8>>,
    entries: Listpack,
    live: u64,
    deleted: u64,
}

impl StreamNode {
    /// A node with this master ID and these master field names, usually those of its first entry.
    pub fn new<T: AsRef<[u8]>>(master: StreamId, fields: impl IntoIterator<Item = T>) -> Self {
        let fields = fields.into_iter().map(|f| f.as_ref().to_vec()).collect();
        Self { master, fields, entries: Listpack::new(), live: 0, deleted: 0 }
    }

    /// Entries that are not deleted.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// All entries, tombstones included.
    pub fn len(&self) -> u64 {
        self.live + self.deleted
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the entries so far.
    pub fn bytes(&self) -> usize {
        self.entries.bytes()
    }

    /// Adds an entry. Field names equal to the master's are left out, as servers do.
    pub fn push<F: AsRef<[u8]>, V: AsRef<[u8]>>(&mut self, id: StreamId, pairs: &[(F, V)], deleted: bool) {
        let same = pairs.len() == self.fields.len()
            && pairs.iter().zip(&self.fields).all(|((name, _), field)| name.as_ref() == field.as_slice());
        self.push_as(id, pairs, deleted, same);
    }

    /// Adds an entry, with the caller's word on whether the field names are left out.
    pub fn push_as<F: AsRef<[u8]>, V: AsRef<[u8]>>(
        &mut self,
        id: StreamId,
        pairs: &[(F, V)],
        deleted: bool,
        same_fields: bool,
    ) {
        let lp = &mut self.entries;
        lp.push_int(i64::from(deleted) | if same_fields { 2 } else { 0 });
        lp.push_int(id.ms.wrapping_sub(self.master.ms) as i64);
        lp.push_int(id.seq.wrapping_sub(self.master.seq) as i64);
        if !same_fields {
            lp.push_int(pairs.len() as i64);
        }
        for (name, value) in pairs {
            if !same_fields {
                lp.push(name.as_ref());
            }
            lp.push(value.as_ref());
        }
        let n = pairs.len() as i64;
        lp.push_int(if same_fields { n + 3 } else { 2 * n + 4 });
        *(if deleted { &mut self.deleted } else { &mut self.live }) += 1;
    }

    /// The 16-byte node key.
    pub fn key(&self) -> [u8; 16] {
        self.master.raw()
    }

    /// The listpack with its master entry.
    pub fn listpack(&self) -> Listpack {
        let mut lp = Listpack::new();
        lp.push_int(self.live as i64);
        lp.push_int(self.deleted as i64);
        lp.push_int(self.fields.len() as i64);
        for field in &self.fields {
            lp.push(field);
        }
        lp.push_int(0);
        lp.append(&self.entries);
        lp
    }

    /// The bytes of the listpack.
    pub fn finish(&self) -> Vec<u8> {
        self.listpack().finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn node_with_a_tombstone_of_a_real_server() {
        let mut node = StreamNode::new(StreamId::new(1, 1), ["a"]);
        node.push(StreamId::new(1, 1), &[("a", "1")], false);
        node.push(StreamId::new(1, 2), &[("a", "2")], true);
        node.push(StreamId::new(1, 3), &[("a", "3")], false);
        assert_eq!(node.key(), *hex("00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 01"));
        assert_eq!(
            node.finish(),
            hex("30 00 00 00 14 00 02 01 01 01 01 01 81 61 02 00 01 02 01 00 01 00 01 01 01 04 01 03 01 00 01 01 01 02
                 01 04 01 02 01 00 01 02 01 03 01 04 01 ff")
        );
        assert_eq!((node.live(), node.len()), (2, 3));
    }

    #[test]
    fn sequence_deltas_may_be_negative() {
        let mut node = StreamNode::new(StreamId::new(1, 1), ["f"]);
        node.push(StreamId::new(2, 0), &[("f", "b")], false);
        assert_eq!(node.finish()[17..], hex("02 01 01 01 df ff 02 81 62 02 04 01 ff"));
        node.push(StreamId::new(3, 7), &[("other", "1"), ("f", "b")], false);
        assert_eq!(node.listpack().len(), 5 + 5 + 9);
    }
}
