//! Redis' index over the fields of a hash that expire.
//!
//! Up to sixteen fields are chained through themselves. More stand in segments of sixteen that a radix tree finds by
//! the earliest time in them. Source: `src/ebuckets.c` of Redis 7.4.

use std::collections::BTreeMap;

use crate::SizeModel;
use crate::rax::FixedRax;

/// Most fields of a chain or a segment. Source: `EB_SEG_MAX_ITEMS`.
const SEGMENT: usize = 16;
/// `sizeof(FirstSegHdr)`: head, fields and segments of a bucket.
const FIRST_HEADER: u64 = 16;
/// `sizeof(NextSegHdr)`: head, segment before, first segment.
const NEXT_HEADER: u64 = 24;
/// Bytes of a time in the radix tree.
const KEY: u32 = 6;
/// Beside the tree's struct: the number of fields.
const METADATA: u64 = 8;
/// Most fields that are followed one by one; beyond, the index grows in proportion.
const FOLLOWED: u64 = 1 << 18;

/// Fields whose times lie between two keys of the tree.
#[derive(Clone, Debug, Default)]
struct Bucket {
    /// The times of a single segment, in order.
    times: Vec<i64>,
    /// Fields beyond: all have the same time then.
    more: u64,
}

/// The index, in the order in which its hash is loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ebuckets {
    chain: Vec<i64>,
    /// By the earliest time.
    buckets: BTreeMap<i64, Bucket>,
    len: u64,
}

impl Bucket {
    fn insert(&mut self, time: i64) {
        let at = self.times.partition_point(|&other| other <= time);
        self.times.insert(at, time);
    }

    /// Where a full segment is cut: between two times that differ, as near to its middle as can be.
    fn cut(&self) -> Option<usize> {
        let half = SEGMENT / 2;
        let mut best = None;
        let mut nearest = half;
        for (index, pair) in self.times.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            if before == after {
                continue;
            }
            let distance = if index < half { half - index } else { index + 1 - half };
            if index < half || distance < nearest {
                (best, nearest) = (Some(index + 1), distance);
            }
        }
        best
    }
}

impl Ebuckets {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.chain.clear();
        self.buckets.clear();
        self.len = 0;
    }

    /// A field that expires then.
    pub(crate) fn push(&mut self, time: i64) {
        self.len = self.len.saturating_add(1);
        if self.len > FOLLOWED {
            return;
        }
        if self.buckets.is_empty() {
            self.chain.push(time);
            if self.chain.len() <= SEGMENT {
                return;
            }
            self.chain.pop();
            self.chain.sort_unstable();
            let times = std::mem::take(&mut self.chain);
            self.buckets.insert(times.first().copied().unwrap_or(time), Bucket { times, more: 0 });
        }
        self.place(time);
    }

    /// Source: `ebAddToRax`, `ebAddToBucket`.
    fn place(&mut self, time: i64) {
        let before = self.buckets.range(..=time).next_back().map(|(&key, _)| key);
        let Some(key) = before.or_else(|| self.buckets.keys().next().copied()) else { return };
        let Some(mut bucket) = self.buckets.remove(&key) else { return };
        if bucket.times.len() < SEGMENT {
            bucket.insert(time);
            self.buckets.insert(key.min(time), bucket);
            return;
        }
        if let Some(cut) = bucket.cut().filter(|_| bucket.more == 0) {
            let mut after = Bucket { times: bucket.times.split_off(cut), more: 0 };
            let after_key = after.times.first().copied().unwrap_or(time);
            if time >= after_key {
                after.insert(time)
            } else {
                bucket.insert(time)
            }
            self.buckets.insert(key.min(time), bucket);
            self.buckets.insert(after_key, after);
            return;
        }
        if bucket.times.first() == Some(&time) {
            bucket.more += 1;
        } else {
            self.buckets.insert(time, Bucket { times: vec![time], more: 0 });
        }
        self.buckets.insert(key, bucket);
    }

    /// Bytes allocated beside the fields.
    pub(crate) fn bytes(&self, model: &SizeModel) -> u64 {
        if self.buckets.is_empty() {
            return 0;
        }
        let nodes = model.rax_nodes();
        let mut tree = FixedRax::new(KEY);
        let mut bytes = model.usable(model.facts.rax_struct + METADATA);
        for (&key, bucket) in &self.buckets {
            tree.push(u128::from(key as u64) << (128 - 8 * KEY), nodes);
            let next = model.usable(NEXT_HEADER).saturating_mul(bucket.more.div_ceil(SEGMENT as u64));
            bytes = bytes.saturating_add(model.usable(FIRST_HEADER)).saturating_add(next);
        }
        bytes = bytes.saturating_add(tree.finish(nodes).bytes);
        if self.len > FOLLOWED {
            bytes = (bytes as f64 * (self.len as f64 / FOLLOWED as f64)) as u64;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn bytes(times: impl Iterator<Item = i64>) -> u64 {
        let model = SizeModel::new(&Target::new(ServerVersion::redis(7, 4, 1)));
        let mut index = Ebuckets::default();
        times.for_each(|time| index.push(time));
        index.bytes(&model)
    }

    /// Growth of `used_memory` of Redis 7.4.1 when fields of a hash were given the same expiry, less the 40 bytes
    /// that the table has for it.
    #[test]
    fn fields_that_expire_together_share_segments() {
        let at = 4_102_444_800_000;
        for (fields, grown) in
            [(16, 40), (17, 152), (20, 152), (33, 176), (64, 200), (100, 272), (200, 416), (500, 872)]
        {
            assert_eq!(bytes((0..fields).map(|_| at)), grown - 40, "{fields}");
        }
    }

    #[test]
    fn times_that_differ_are_split() {
        let spread = bytes((0..1000).map(|n| 4_102_444_800_000 + n * 7919 % 1000 * 1000));
        assert!((3000..7000).contains(&spread), "{spread}");
        bytes((0..1000).map(|n| i64::MIN + n % 3));
    }
}
