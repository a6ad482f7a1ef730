//! Sums by file, database, type and encoding: every table of totals is made of these.

use std::collections::BTreeMap;

use rdb_format::{Encoding, ObjectType};

use crate::{Aggregate, Basis, ModuleName, Observation, Tally};

/// What a group of keys has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupKey {
    /// Which input: 0 for the first file named.
    pub file: u32,
    /// The database.
    pub db: u64,
    /// What `TYPE` answers.
    pub object_type: ObjectType,
    /// For module values: the module type.
    pub module: Option<ModuleName>,
    /// What `OBJECT ENCODING` answers.
    pub encoding: Encoding,
    /// How far the memory figures can be trusted.
    pub basis: Basis,
}

impl GroupKey {
    /// The word that `TYPE` answers.
    #[must_use]
    pub fn type_word(&self) -> &str {
        self.module.as_ref().map_or(self.object_type.as_str(), ModuleName::as_str)
    }
}

/// Sums by [`GroupKey`]. Each key is in exactly one group, so all tables made from them agree.
#[derive(Clone, Debug, Default)]
pub struct Breakdown {
    groups: BTreeMap<GroupKey, Tally>,
    last: Option<(GroupKey, Tally)>,
}

impl Aggregate for Breakdown {
    type Summary = Vec<(GroupKey, Tally)>;

    #[inline]
    fn observe(&mut self, seen: &Observation<'_>) {
        let key = GroupKey {
            file: seen.file,
            db: seen.db,
            object_type: seen.object_type,
            module: seen.module,
            encoding: seen.encoding,
            basis: seen.basis,
        };
        // Neighbours in a file are often alike: a run of them costs one look at the map.
        match &mut self.last {
            Some((last, tally)) if *last == key => *tally += Tally::of(seen),
            last => {
                if let Some((done, tally)) = last.replace((key, Tally::of(seen))) {
                    *self.groups.entry(done).or_default() += tally;
                }
            }
        }
    }

    fn merge(&mut self, other: Self) {
        for (key, tally) in other.finish() {
            *self.groups.entry(key).or_default() += tally;
        }
    }

    fn finish(mut self) -> Self::Summary {
        if let Some((key, tally)) = self.last.take() {
            *self.groups.entry(key).or_default() += tally;
        }
        self.groups.into_iter().collect()
    }
}

/// Sums groups over everything but what `by` keeps of their keys, in the order of that.
pub fn regroup<K: Ord>(groups: &[(GroupKey, Tally)], by: impl Fn(&GroupKey) -> K) -> Vec<(K, Tally)> {
    let mut sums = BTreeMap::<K, Tally>::new();
    for (key, tally) in groups {
        *sums.entry(by(key)).or_default() += *tally;
    }
    sums.into_iter().collect()
}

/// The sum of all groups.
#[must_use]
pub fn total(groups: &[(GroupKey, Tally)]) -> Tally {
    let mut sum = Tally::default();
    groups.iter().for_each(|(_, tally)| sum += *tally);
    sum
}
