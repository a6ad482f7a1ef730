//! Estimates beside answers.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, ensure};
use rdb_format::key_hash_slot;
use rdb_memory::{Basis, Estimate, Keyspace, Mode, Pricer, SizeModel};
use rdb_parser::{Item, KeyHead, Limits, Record, Scanner, Sink, Stop};

use super::sets::{Answer, Set};

/// How close a group of estimates is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) keys: u64,
    pub(crate) exact: u64,
    pub(crate) answered: u64,
    pub(crate) estimated: u64,
    /// Sum over the keys of the error as a share of the answer.
    errors: f64,
    /// Estimate less answer where that is farthest from zero.
    pub(crate) largest: i64,
}

/// How close the estimates of one set are.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) all: Tally,
    /// By type and encoding, as the server names them; before the save, as the file's type codes tell.
    pub(crate) kinds: BTreeMap<String, Tally>,
    /// By what the estimate says it rests on.
    pub(crate) basis: BTreeMap<Basis, Tally>,
    /// Keys whose encoding is another one.
    pub(crate) encodings_missed: u64,
    /// What the model says the dump allocates, tables included.
    pub(crate) allocated: u64,
}

impl Tally {
    fn add(&mut self, estimated: u64, answered: u64) {
        let error = estimated as i64 - answered as i64;
        self.keys += 1;
        self.exact += u64::from(error == 0);
        self.answered += answered;
        self.estimated += estimated;
        self.errors += error.unsigned_abs() as f64 / answered as f64;
        if error.abs() > self.largest.abs() {
            self.largest = error;
        }
    }

    /// Adds what another tally holds.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.keys += other.keys;
        self.exact += other.exact;
        self.answered += other.answered;
        self.estimated += other.estimated;
        self.errors += other.errors;
        if other.largest.abs() > self.largest.abs() {
            self.largest = other.largest;
        }
    }

    /// Keys estimated to the byte, in percent.
    pub(crate) fn exact_percent(&self) -> f64 {
        100.0 * self.exact as f64 / self.keys.max(1) as f64
    }

    /// Mean error of a key, in percent of its answer.
    pub(crate) fn mean_percent(&self) -> f64 {
        100.0 * self.errors / self.keys.max(1) as f64
    }

    /// Error of the sum, in percent.
    pub(crate) fn total_percent(&self) -> f64 {
        100.0 * (self.estimated as f64 - self.answered as f64) / self.answered.max(1) as f64
    }
}

impl Comparison {
    /// Prices each key of the set's dump for its server.
    pub(crate) fn new(set: &Set, mode: Mode) -> anyhow::Result<Self> {
        let model = SizeModel::new(&set.target(mode)?);
        let dump = std::fs::read(&set.dump).with_context(|| format!("cannot read {}", set.dump.display()))?;
        let mut all = PriceAll::new(&model);
        let scanned = Scanner::new(Limits::default()).scan(&dump, usize::MAX, &mut all);
        let stop = scanned.map_err(|error| anyhow::anyhow!("{error}"))?.stop;
        ensure!(stop == Stop::End, "{} does not read to its end", set.dump.display());

        let mut comparison = Self { allocated: all.tables(), ..Self::default() };
        for answer in &set.answers {
            let key = (answer.db, answer.key.clone());
            let estimate =
                all.priced.get(&key).with_context(|| format!("key {:?} is missing", answer.key))?;
            comparison.allocated += estimate.allocated_bytes;
            comparison.add(answer, estimate, mode);
        }
        ensure!(all.priced.len() == set.answers.len(), "the dump has keys that the server does not");
        Ok(comparison)
    }

    fn add(&mut self, answer: &Answer, estimate: &Estimate, mode: Mode) {
        let (answered, encoding) = match mode {
            Mode::Loaded => (answer.loaded, answer.encoding.as_str()),
            Mode::Saved => match answer.built {
                Some(built) => (built, estimate.encoding.as_str()),
                None => return,
            },
        };
        self.encodings_missed += u64::from(encoding != estimate.encoding.as_str());
        let kind = match answer.object_type.as_str() {
            object_type @ ("string" | "list" | "set" | "hash" | "zset") => {
                format!("{object_type}, {encoding}")
            }
            object_type => object_type.to_owned(),
        };
        let estimated = estimate.memory_bytes;
        self.all.add(estimated, answered);
        self.kinds.entry(kind).or_default().add(estimated, answered);
        self.basis.entry(estimate.basis).or_default().add(estimated, answered);
    }
}

/// Prices every key of a dump.
struct PriceAll<'m> {
    model: &'m SizeModel,
    pricer: Pricer<'m>,
    priced: HashMap<(u64, Vec<u8>), Estimate>,
    keyspace: Keyspace,
    names_slots: bool,
    name: Vec<u8>,
}

impl<'m> PriceAll<'m> {
    fn new(model: &'m SizeModel) -> Self {
        Self {
            model,
            pricer: Pricer::new(model, Limits::default()),
            priced: HashMap::new(),
            keyspace: Keyspace::default(),
            names_slots: false,
            name: Vec::new(),
        }
    }

    fn tables(&self) -> u64 {
        let idle = if self.names_slots { 0 } else { self.keyspace.idle_slot_tables(self.model).total() };
        self.keyspace.tables(self.model).total() + idle
    }
}

impl<'a, 'm> Sink<'a> for PriceAll<'m> {
    type Visitor = Pricer<'m>;

    fn key(&mut self, head: &KeyHead<'a>) -> &mut Pricer<'m> {
        let name = head.key.bytes(Limits::default(), &mut self.name).unwrap_or_default();
        self.pricer.start(name, head.attrs.expire_at_ms, head.version);
        &mut self.pricer
    }

    fn record(&mut self, record: &Record<'a>) {
        let estimate = self.pricer.finish();
        let name = record.head.key.bytes(Limits::default(), &mut self.name).unwrap_or_default().to_vec();
        let (db, expires) = (record.head.db, record.head.attrs.expire_at_ms.is_some());
        self.keyspace.count(db, key_hash_slot(&name), expires);
        self.priced.insert((db, name), estimate);
    }

    fn item(&mut self, item: Item<'a>, _offset: u64, _bytes: u64) {
        self.names_slots |= matches!(item, Item::SlotInfo { .. });
    }
}
