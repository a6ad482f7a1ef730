//! Streams: 15, 19, 21, 26 and 27.

use crate::enc::{StrForm, put_i64, put_len, put_str};
use crate::packed::StreamId;
use crate::type_code::types;

/// The five layouts, each a superset of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamVersion {
    /// Type 15.
    V1,
    /// Type 19: first and deleted IDs, counters.
    V2,
    /// Type 21: the consumers' active time.
    V3,
    /// Type 26: idempotent producers.
    V4,
    /// Type 27: entries given back by their consumers.
    V5,
}

impl StreamVersion {
    /// The layout of a value type, if it is a stream's.
    pub fn of_type(code: u8) -> Option<Self> {
        match code {
            types::STREAM_LISTPACKS => Some(Self::V1),
            types::STREAM_LISTPACKS_2 => Some(Self::V2),
            types::STREAM_LISTPACKS_3 => Some(Self::V3),
            types::STREAM_LISTPACKS_4 => Some(Self::V4),
            types::STREAM_LISTPACKS_5 => Some(Self::V5),
            _ => None,
        }
    }
}

/// A stream as stored. What a version has no room for is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stream {
    /// Node keys (16 bytes) and finished listpacks.
    pub nodes: Vec<(Vec<u8>, Vec<u8>)>,
    /// Entries that are not deleted.
    pub live: u64,
    /// The last ID ever given.
    pub last_id: StreamId,
    /// The first live ID.
    pub first_id: StreamId,
    /// The largest ID ever deleted.
    pub max_deleted_id: StreamId,
    /// Entries ever added.
    pub entries_added: u64,
    /// Consumer groups.
    pub groups: Vec<Group>,
    /// Idempotent producers.
    pub idmp: Idmp,
}

/// A consumer group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// Its name.
    pub name: Vec<u8>,
    /// The last ID delivered.
    pub last_id: StreamId,
    /// Entries read; `u64::MAX` says unknown.
    pub entries_read: u64,
    /// Entries delivered and not acknowledged.
    pub pending: Vec<PendingEntry>,
    /// Its consumers.
    pub consumers: Vec<Consumer>,
    /// IDs of `pending` that no consumer owns any more.
    pub nacked: Vec<StreamId>,
}

/// An entry that waits for its acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PendingEntry {
    /// Its ID.
    pub id: StreamId,
    /// When it was delivered last.
    pub delivery_ms: i64,
    /// How often it was delivered.
    pub deliveries: u64,
}

/// A consumer of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Consumer {
    /// Its name.
    pub name: Vec<u8>,
    /// When it last tried.
    pub seen_ms: i64,
    /// When it last got something; -1 = never.
    pub active_ms: i64,
    /// The pending entries it owns.
    pub pending: Vec<StreamId>,
}

/// What a stream remembers of idempotent producers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idmp {
    /// Seconds to remember.
    pub duration: u64,
    /// Most entries to remember.
    pub max_size: u64,
    /// The producers.
    pub producers: Vec<Producer>,
    /// Entries added with an id.
    pub added: u64,
    /// Entries refused because the id was known.
    pub duplicates: u64,
}

impl Default for Idmp {
    fn default() -> Self {
        Self { duration: 100, max_size: 100, producers: Vec::new(), added: 0, duplicates: 0 }
    }
}

/// An idempotent producer: its id and the ids of its entries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Producer {
    /// Its id.
    pub id: Vec<u8>,
    /// Ids it gave and the entries they made.
    pub entries: Vec<(Vec<u8>, StreamId)>,
}

fn put_id(out: &mut Vec<u8>, id: StreamId) {
    put_len(out, id.ms);
    put_len(out, id.seq);
}

impl Stream {
    /// The value behind the key.
    pub fn finish(&self, version: StreamVersion, form: StrForm) -> Vec<u8> {
        let mut out = Vec::new();
        put_len(&mut out, self.nodes.len() as u64);
        for (key, listpack) in &self.nodes {
            put_str(&mut out, key, StrForm::Plain);
            put_str(&mut out, listpack, form);
        }
        put_len(&mut out, self.live);
        put_id(&mut out, self.last_id);
        if version >= StreamVersion::V2 {
            put_id(&mut out, self.first_id);
            put_id(&mut out, self.max_deleted_id);
            put_len(&mut out, self.entries_added);
        }
        put_len(&mut out, self.groups.len() as u64);
        for group in &self.groups {
            group.put(&mut out, version, form);
        }
        if version >= StreamVersion::V4 {
            self.idmp.put(&mut out, form);
        }
        out
    }
}

impl Group {
    fn put(&self, out: &mut Vec<u8>, version: StreamVersion, form: StrForm) {
        put_str(out, &self.name, form);
        put_id(out, self.last_id);
        if version >= StreamVersion::V2 {
            put_len(out, self.entries_read);
        }
        put_len(out, self.pending.len() as u64);
        for entry in &self.pending {
            out.extend_from_slice(&entry.id.raw());
            put_i64(out, entry.delivery_ms);
            put_len(out, entry.deliveries);
        }
        put_len(out, self.consumers.len() as u64);
        for consumer in &self.consumers {
            put_str(out, &consumer.name, form);
            put_i64(out, consumer.seen_ms);
            if version >= StreamVersion::V3 {
                put_i64(out, consumer.active_ms);
            }
            put_raw_ids(out, &consumer.pending);
        }
        if version >= StreamVersion::V5 {
            put_raw_ids(out, &self.nacked);
        }
    }
}

fn put_raw_ids(out: &mut Vec<u8>, ids: &[StreamId]) {
    put_len(out, ids.len() as u64);
    for id in ids {
        out.extend_from_slice(&id.raw());
    }
}

impl Idmp {
    fn put(&self, out: &mut Vec<u8>, form: StrForm) {
        put_len(out, self.duration);
        put_len(out, self.max_size);
        put_len(out, self.producers.len() as u64);
        for producer in &self.producers {
            put_str(out, &producer.id, form);
            put_len(out, producer.entries.len() as u64);
            for (iid, id) in &producer.entries {
                put_str(out, iid, form);
                put_id(out, *id);
            }
        }
        put_len(out, self.added);
        put_len(out, self.duplicates);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;
    use crate::packed::StreamNode;

    #[test]
    fn one_entry_as_redis_5_wrote_it() {
        let id = StreamId::new(1, 1);
        let mut node = StreamNode::new(id, ["f"]);
        node.push(id, &[("f", "v")], false);
        let stream = Stream {
            nodes: vec![(node.key().to_vec(), node.finish())],
            live: 1,
            last_id: id,
            ..Stream::default()
        };
        assert_eq!(
            stream.finish(StreamVersion::V1, StrForm::Plain),
            hex("01 10 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 01 1d 1d 00 00 00 0a 00 01 01 00 01 01 01 81 66 02
                 00 01 02 01 00 01 00 01 81 76 02 04 01 ff 01 01 01 00")
        );
    }

    #[test]
    fn empty_streams_of_real_servers() {
        let last = StreamId::new(5, 5);
        let stream = Stream { last_id: last, max_deleted_id: last, entries_added: 1, ..Stream::default() };
        assert_eq!(stream.finish(StreamVersion::V2, StrForm::Auto), hex("00 00 05 05 00 00 05 05 01 00"));
        assert!(stream.finish(StreamVersion::V5, StrForm::Auto).ends_with(&hex("40 64 40 64 00 00 00")));
    }

    #[test]
    fn group_of_a_real_server() {
        let (id, at) = (StreamId::new(1, 2), 1_796_063_361_796);
        let group = Group {
            name: b"g1".to_vec(),
            last_id: StreamId::new(2, 0),
            entries_read: 3,
            pending: vec![PendingEntry { id, delivery_ms: at, deliveries: 1 }],
            consumers: vec![Consumer {
                name: b"alice".to_vec(),
                seen_ms: at,
                active_ms: -1,
                pending: vec![id],
            }],
            nacked: Vec::new(),
        };
        let mut out = Vec::new();
        group.put(&mut out, StreamVersion::V2, StrForm::Auto);
        assert_eq!(
            out,
            hex("02 67 31 02 00 03 01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 02 04 fb b7 2d a2 01 00 00 01 01 05 61
                 6c 69 63 65 04 fb b7 2d a2 01 00 00 01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 02")
        );
        let v2 = out.len();
        out.clear();
        group.put(&mut out, StreamVersion::V5, StrForm::Auto);
        assert_eq!(out.len(), v2 + 8 + 1);
    }
}
