//! Valkey's index over the fields of a hash that expire.
//!
//! Up to 127 times stand in one sorted vector; more are spread over buckets of 16 ms to 8,192 ms that a
//! radix tree finds. Source: `src/vset.c` of Valkey 9.0.

use std::collections::BTreeMap;

use crate::SizeModel;
use crate::hashtable::{BUCKET_BYTES, Hashtable};
use crate::rax::FixedRax;

/// Most times in a vector.
const VECTOR: usize = 127;
/// Width of the widest bucket in milliseconds.
const WIDEST: i64 = 8192;
/// Width of the narrowest bucket in milliseconds.
const NARROWEST: i64 = 16;
/// Most times that are followed one by one; beyond, the index grows in proportion.
const FOLLOWED: u64 = 1 << 18;

/// A bucket: the times in it.
#[derive(Clone, Debug)]
enum Bucket {
    Vector(Vec<i64>),
    /// All times are within the narrowest bucket.
    Table(Hashtable),
}

/// The index, in the order in which its hash is loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct VolatileFields {
    vector: Vec<i64>,
    /// By the end of their time.
    buckets: BTreeMap<i64, Bucket>,
    len: u64,
}

/// The end of the bucket of `width` milliseconds that `time` falls into.
fn bucket_end(time: i64, width: i64) -> i64 {
    (time & !(width - 1)).saturating_add(width)
}

impl VolatileFields {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.vector.clear();
        self.buckets.clear();
        self.len = 0;
    }

    /// A field that expires then.
    pub(crate) fn push(&mut self, time: i64) {
        self.len = self.len.saturating_add(1);
        if self.len > FOLLOWED {
            return;
        }
        if !self.buckets.is_empty() {
            return self.place(time);
        }
        if self.vector.len() < VECTOR {
            self.vector.push(time);
            return;
        }
        let mut vector = std::mem::take(&mut self.vector);
        vector.sort_unstable();
        let ends = [vector.first(), vector.last()].map(|time| time.map(|&time| bucket_end(time, WIDEST)));
        match ends {
            [Some(first), Some(last)] if first == last => {
                self.buckets.insert(last, Bucket::Vector(vector));
            }
            _ => vector.into_iter().for_each(|time| self.place(time)),
        }
        self.place(time);
    }

    /// Puts a time into the bucket that covers it, which is narrowed or split when it is full.
    fn place(&mut self, time: i64) {
        let widest = bucket_end(time, WIDEST);
        // Each round narrows or splits a bucket or ends; there are only so many widths.
        for _ in 0..64 {
            let after = time.saturating_add(1);
            let Some((&end, bucket)) =
                self.buckets.range_mut(after..).next().filter(|&(&end, _)| end <= widest)
            else {
                self.buckets.insert(widest, Bucket::Vector(vec![time]));
                return;
            };
            match bucket {
                Bucket::Table(table) => return table.add_many(1),
                Bucket::Vector(times) if times.len() < VECTOR => return times.push(time),
                Bucket::Vector(times) => {
                    times.sort_unstable();
                    let times = std::mem::take(times);
                    self.buckets.remove(&end);
                    if self.make_room(end, times) {
                        return;
                    }
                }
            }
        }
    }

    /// Narrows, splits or converts a full bucket. Returns whether the time that was to be added is in.
    fn make_room(&mut self, end: i64, mut times: Vec<i64>) -> bool {
        let narrow = |time: &i64| bucket_end(*time, NARROWEST);
        let (Some(first), Some(last)) = (times.first().map(narrow), times.last().map(narrow)) else {
            return false;
        };
        if last < end {
            self.buckets.insert(last, Bucket::Vector(times));
            return false;
        }
        if first == last {
            let mut table = Hashtable::default();
            table.add_many(times.len() as u64 + 1);
            self.buckets.insert(end, Bucket::Table(table));
            return true;
        }
        // The cut nearest to the middle that falls between two narrow buckets.
        let middle = times.len() / 2;
        let differs = |at: usize| match (times.get(at.wrapping_sub(1)), times.get(at)) {
            (Some(before), Some(here)) => narrow(before) < narrow(here),
            _ => false,
        };
        let cut = (0..=middle)
            .flat_map(|off| [middle.checked_sub(off), middle.checked_add(off)])
            .flatten()
            .find(|&at| at > 0 && differs(at))
            .unwrap_or(middle);
        let after = times.split_off(cut);
        let before_end = times.last().map_or(end, narrow);
        self.buckets.insert(end, Bucket::Vector(after));
        self.buckets.insert(before_end, Bucket::Vector(times));
        false
    }

    /// Whether its size is in proportion to what was followed.
    pub(crate) fn is_extrapolated(&self) -> bool {
        self.len > FOLLOWED
    }

    /// Bytes of the index. A single field needs none.
    pub(crate) fn bytes(&self, model: &SizeModel) -> u64 {
        let vector = |len: usize| model.usable(8 + 8 * len as u64);
        if self.len < 2 {
            return 0;
        }
        if self.buckets.is_empty() {
            return vector(self.vector.len());
        }
        let nodes = model.rax_nodes();
        let mut tree = FixedRax::new(8);
        let mut bytes = 0u64;
        for (&end, bucket) in &self.buckets {
            tree.push(u128::from(end as u64) << 64, nodes);
            bytes = bytes.saturating_add(match bucket {
                Bucket::Table(table) => table.all_buckets().saturating_mul(BUCKET_BYTES).saturating_add(80),
                Bucket::Vector(times) if times.len() > 1 => vector(times.len()),
                Bucket::Vector(_) => 0,
            });
        }
        bytes = bytes.saturating_add(tree.finish(nodes).bytes);
        if self.is_extrapolated() {
            bytes = (bytes as f64 * (self.len as f64 / FOLLOWED as f64)) as u64;
        }
        bytes.saturating_add(model.usable(model.facts.rax_struct))
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn bytes(times: impl Iterator<Item = i64>) -> u64 {
        let model = SizeModel::new(&Target::new(ServerVersion::valkey(9, 1, 2)));
        let mut index = VolatileFields::default();
        times.for_each(|time| index.push(time));
        index.bytes(&model)
    }

    #[test]
    fn small_indexes_are_vectors() {
        assert_eq!(bytes(std::iter::once(5)), 0);
        assert_eq!(bytes(0..2), 24);
        assert_eq!(bytes(0..127), 1024);
    }

    #[test]
    fn large_ones_are_trees_of_vectors() {
        // One second apart, from a multiple of 8,192 ms: eight or nine fields to a bucket.
        let spread = bytes((0..1000).map(|n| 8192 * 200_000_000 + n * 1000));
        assert!((8000 + 32..20_000).contains(&spread), "{spread}");
        // All at once: one table.
        let same = bytes((0..1000).map(|_| 8192 * 200_000_000));
        assert!((9000..30_000).contains(&same), "{same}");
    }

    #[test]
    fn hostile_times_end() {
        bytes((0..1000).map(|n| i64::MAX - n));
        bytes((0..1000).map(|n| i64::MIN + n));
    }
}
