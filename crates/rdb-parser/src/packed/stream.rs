//! The listpacks of streams: a master entry, then entries as differences to it.
//!
//! Source: the comment above `streamAppendItem` in `src/t_stream.c` of Redis 7.0.

use super::Entry;
use super::listpack::Listpack;
use crate::{ErrorKind, Fault, StreamId};

/// Entry flag: the entry is deleted but still there.
const DELETED: i64 = 1;
/// Entry flag: the entry has the fields of the master entry.
const SAME_FIELDS: i64 = 2;

/// A reader of the entries of a stream node.
#[derive(Clone, Debug)]
pub struct StreamNode<'a> {
    master_id: StreamId,
    entries: Listpack<'a>,
    /// The listpack from the first field of the master entry on.
    master_fields: Listpack<'a>,
    master_len: u64,
    left: u64,
    failed: bool,
}

/// An entry of a stream.
#[derive(Clone, Debug)]
pub struct StreamEntry<'a> {
    /// Its identifier.
    pub id: StreamId,
    /// Whether it is a tombstone: XLEN does not count it.
    pub deleted: bool,
    /// Sum of the lengths of its fields and values in bytes.
    pub payload_bytes: u64,
    fields: Fields<'a>,
}

#[derive(Clone, Debug)]
struct Fields<'a> {
    names: Option<Listpack<'a>>,
    values: Listpack<'a>,
    left: u64,
}

impl<'a> StreamEntry<'a> {
    /// Its fields and values.
    pub fn fields(&self) -> impl Iterator<Item = (Entry<'a>, Entry<'a>)> + use<'a> {
        // The node reader has walked these bytes before it made this entry, so nothing is lost here.
        let Fields { mut names, mut values, mut left } = self.fields.clone();
        std::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let field = match &mut names {
                Some(names) => names.next()?.ok()?,
                None => values.next()?.ok()?,
            };
            Some((field, values.next()?.ok()?))
        })
    }
}

impl<'a> StreamNode<'a> {
    /// Opens the listpack of the node with this key.
    ///
    /// # Errors
    ///
    /// When the listpack or its master entry is damaged.
    pub fn new(master_id: StreamId, blob: &'a [u8]) -> Result<Self, Fault> {
        let mut entries = Listpack::new(blob)?;
        let live = count(&mut entries)?;
        let deleted = count(&mut entries)?;
        let master_len = count(&mut entries)?;
        let master_fields = entries.clone();
        for _ in 0..master_len {
            next(&mut entries)?;
        }
        if int(&mut entries)? != 0 {
            return Err(bad(&entries));
        }
        let left = live.checked_add(deleted).ok_or_else(|| bad(&entries))?;
        Ok(Self { master_id, entries, master_fields, master_len, left, failed: false })
    }

    fn step(&mut self) -> Result<Option<StreamEntry<'a>>, Fault> {
        let entries = &mut self.entries;
        if self.left == 0 {
            return match entries.next() {
                None => Ok(None),
                Some(Err(fault)) => Err(fault),
                Some(Ok(_)) => Err(bad(entries)),
            };
        }
        self.left -= 1;
        let flags = int(entries)?;
        let ms_delta = int(entries)?;
        let seq_delta = int(entries)?;
        let id = StreamId {
            ms: self.master_id.ms.wrapping_add(ms_delta as u64),
            seq: self.master_id.seq.wrapping_add(seq_delta as u64),
        };
        let same = flags & SAME_FIELDS != 0;
        let fields = if same { self.master_len } else { count(entries)? };
        let names = same.then(|| self.master_fields.clone());
        let fields = Fields { names, values: entries.clone(), left: fields };
        let mut payload_bytes = 0u64;
        let stored =
            if same { fields.left } else { fields.left.checked_mul(2).ok_or_else(|| bad(entries))? };
        for _ in 0..stored {
            payload_bytes = payload_bytes.saturating_add(next(entries)?.len());
        }
        if same {
            let names = self.master_fields.clone().take(usize::try_from(self.master_len).unwrap_or(0));
            payload_bytes = names.flatten().fold(payload_bytes, |sum, name| sum.saturating_add(name.len()));
        }
        // The number of listpack elements of the entry before this one, for walking backwards.
        let elements = stored.saturating_add(if same { 3 } else { 4 });
        if count(entries)? != elements {
            return Err(bad(entries));
        }
        Ok(Some(StreamEntry { id, deleted: flags & DELETED != 0, payload_bytes, fields }))
    }
}

impl<'a> Iterator for StreamNode<'a> {
    type Item = Result<StreamEntry<'a>, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}

#[cold]
fn bad(entries: &Listpack<'_>) -> Fault {
    Fault { kind: ErrorKind::BadStreamEntry, left: entries.bytes_left() }
}

fn next<'a>(entries: &mut Listpack<'a>) -> Result<Entry<'a>, Fault> {
    entries.next().unwrap_or_else(|| Err(bad(entries)))
}

fn int(entries: &mut Listpack<'_>) -> Result<i64, Fault> {
    let left = entries.bytes_left();
    next(entries)?.int().map_err(|fault| Fault { left, ..fault })
}

/// An integer that counts something: not negative.
fn count(entries: &mut Listpack<'_>) -> Result<u64, Fault> {
    let left = entries.bytes_left();
    u64::try_from(int(entries)?).map_err(|_| Fault { kind: ErrorKind::BadStreamEntry, left })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_may_be_negative_and_tombstones_stay() {
        // Redis 7.0.15: XADD s 100-5, 100-6, 101-0, 101-7 (a 1 each), then XDEL s 100-6.
        let blob = [
            0x3c, 0, 0, 0, 0x19, 0, 3, 1, 1, 1, 1, 1, 0x81, b'a', 2, 0, 1, // master entry
            2, 1, 0, 1, 0, 1, 1, 1, 4, 1, // 100-5
            3, 1, 0, 1, 1, 1, 1, 1, 4, 1, // 100-6, deleted
            2, 1, 1, 1, 0xdf, 0xfb, 2, 1, 1, 4, 1, // 101-0: sequence minus 5
            2, 1, 1, 1, 2, 1, 1, 1, 4, 1, // 101-7
            0xff,
        ];
        let mut blob = blob.to_vec();
        blob[0] = blob.len() as u8;
        let node = StreamNode::new(StreamId { ms: 100, seq: 5 }, &blob).unwrap();
        let entries: Vec<_> = node.map(Result::unwrap).map(|e| (e.id.ms, e.id.seq, e.deleted)).collect();
        assert_eq!(entries, [(100, 5, false), (100, 6, true), (101, 0, false), (101, 7, false)]);
    }
}
