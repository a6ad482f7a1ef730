//! Sums by file, database, type and encoding: every table of totals is made of these.

use std::collections::{BTreeMap, BTreeSet};

use rdb_format::{Encoding, ObjectType};

use crate::{Aggregate, Basis, ModuleName, Observation, Tally};

/// What a group of keys has in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupKey {
    /// Which input: 0 for the first file named.
    pub file: u32,
    /// The database; [`GroupKey::MANY_DBS`] where there are too many to keep apart.
    pub db: u64,
    /// What `TYPE` answers.
    pub object_type: ObjectType,
    /// For module values: the module type; `None` where there are too many to keep apart.
    pub module: Option<ModuleName>,
    /// What `OBJECT ENCODING` answers.
    pub encoding: Encoding,
    /// How far the memory figures can be trusted.
    pub basis: Basis,
}

impl GroupKey {
    /// Stands for all databases of a set of files that has more than [`Breakdown::MAX_KEPT_APART`].
    pub const MANY_DBS: u64 = u64::MAX;

    /// The database, if it is kept apart from others.
    #[must_use]
    pub fn db_number(&self) -> Option<u64> {
        (self.db != Self::MANY_DBS).then_some(self.db)
    }

    /// The word that `TYPE` answers.
    #[must_use]
    pub fn type_word(&self) -> &str {
        self.module.as_ref().map_or(self.object_type.as_str(), ModuleName::as_str)
    }
}

/// Sums by [`GroupKey`]. Each key is in exactly one group, so all tables made from them agree.
///
/// Files can name any number of databases and module types. When there are more than
/// [`Breakdown::MAX_KEPT_APART`] in all they are summed as one, for all files and from the first on: so
/// the result depends on the keys alone. Memory: a few MB at the most.
#[derive(Clone, Debug, Default)]
pub struct Breakdown {
    groups: BTreeMap<GroupKey, Tally>,
    last: Option<(GroupKey, Tally)>,
    dbs: Kept<(u32, u64)>,
    modules: Kept<ModuleName>,
}

/// Values that are kept apart as long as they are not too many.
#[derive(Clone, Debug)]
enum Kept<T> {
    Apart(BTreeSet<T>),
    Together,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self::Apart(BTreeSet::new())
    }
}

impl<T: Ord> Kept<T> {
    /// Takes note of a value. Returns whether it was one too many.
    fn note(&mut self, value: T) -> bool {
        let Self::Apart(values) = self else { return false };
        values.insert(value);
        let too_many = values.len() > Breakdown::MAX_KEPT_APART;
        if too_many {
            *self = Self::Together;
        }
        too_many
    }

    /// Takes over that the other one's values have come together.
    fn join(&mut self, other: &Self) {
        if other.is_together() {
            *self = Self::Together;
        }
    }

    const fn is_together(&self) -> bool {
        matches!(self, Self::Together)
    }
}

impl Breakdown {
    /// How many databases, and module types, are kept apart.
    pub const MAX_KEPT_APART: usize = 1024;

    /// Adds the run of equal keys that is being counted.
    fn flush(&mut self) {
        if let Some((key, tally)) = self.last.take() {
            self.add(key, tally);
        }
    }

    fn add(&mut self, key: GroupKey, tally: Tally) {
        let mut too_many = key.db_number().is_some_and(|db| self.dbs.note((key.file, db)));
        too_many |= key.module.is_some_and(|module| self.modules.note(module));
        if too_many {
            self.regroup();
        }
        *self.groups.entry(self.known_as(key)).or_default() += tally;
    }

    /// Sums what is no longer kept apart.
    fn regroup(&mut self) {
        if self.dbs.is_together() || self.modules.is_together() {
            for (key, tally) in std::mem::take(&mut self.groups) {
                *self.groups.entry(self.known_as(key)).or_default() += tally;
            }
        }
    }

    /// The key without what is no longer kept apart.
    fn known_as(&self, mut key: GroupKey) -> GroupKey {
        if self.dbs.is_together() {
            key.db = GroupKey::MANY_DBS;
        }
        if self.modules.is_together() {
            key.module = None;
        }
        key
    }
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
                    self.add(done, tally);
                }
            }
        }
    }

    fn merge(&mut self, mut other: Self) {
        self.flush();
        other.flush();
        // What came together in one of them brings no single values to be counted in the other.
        self.dbs.join(&other.dbs);
        self.modules.join(&other.modules);
        self.regroup();
        for (key, tally) in other.groups {
            self.add(key, tally);
        }
    }

    fn finish(mut self) -> Self::Summary {
        self.flush();
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
