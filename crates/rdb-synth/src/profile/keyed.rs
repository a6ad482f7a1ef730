//! Files of many keys, from a table of families.

use std::io::{self, Write};

use super::families::{Family, FamilySet};
use super::kinds::Record;
use super::manifest::{DbCounts, Manifest};
use super::{Plan, names};
use crate::builder::RdbWriter;
use crate::prng::Prng;
use crate::record::{self, Attrs, Expire};

/// The serial numbers that are made on trial, to find how many keys fill the size.
const TRIAL: u64 = 60_000;

struct Maker<'a> {
    plan: &'a Plan,
    set: &'a FamilySet,
    weights: u64,
    record: Record,
    name: Vec<u8>,
    out: Vec<u8>,
}

pub(super) fn write<W: Write>(
    plan: &Plan,
    set: &FamilySet,
    writer: &mut RdbWriter<W>,
) -> io::Result<Manifest> {
    let weights = set.families.iter().map(|f| f.weight).sum();
    let mut maker =
        Maker { plan, set, weights, record: Record::default(), name: Vec::new(), out: Vec::new() };
    let keys = maker.keys_that_fill();
    maker.record = Record::default();
    let mut manifest = Manifest::new(plan);
    let (mut from, mut share) = (0, 0);
    for &(db, per_mille) in set.dbs {
        share += per_mille;
        let until = keys * share / 1000;
        if from == until {
            continue;
        }
        let expires = (from..until).filter(|serial| maker.head(*serial).2.is_some()).count() as u64;
        manifest.dbs.push(DbCounts { db, keys: until - from, expires });
        writer.select_db(db)?;
        writer.resize_db(until - from, expires)?;
        for serial in from..until {
            maker.make(serial);
            writer.raw(&maker.out)?;
            manifest.count(maker.record.type_code, maker.record.elements);
        }
        from = until;
    }
    manifest.lzf = maker.record.lzf;
    Ok(manifest)
}

impl Maker<'_> {
    fn keys_that_fill(&mut self) -> u64 {
        let mut sum = 0;
        for serial in 0..TRIAL {
            if sum >= self.plan.bytes {
                return serial;
            }
            self.make(serial);
            sum += self.out.len() as u64;
        }
        (u128::from(self.plan.bytes) * u128::from(TRIAL) / u128::from(sum.max(1))) as u64
    }

    /// What is cheap to know of a key: its generator, family and expiry.
    fn head(&self, serial: u64) -> (Prng, &Family, Option<i64>) {
        let mut rng = Prng::split(self.plan.seed, serial);
        let mut at = rng.below(self.weights);
        let found = self.set.families.iter().find(|family| {
            let here = at < family.weight;
            at = at.wrapping_sub(family.weight);
            here
        });
        let family = found.unwrap_or(&self.set.families[0]);
        let expire = rng.chance(family.expiring).then(|| self.expiry(&mut rng));
        (rng, family, expire)
    }

    /// From a minute to 90 days after the save, sooner more often than later.
    fn expiry(&self, rng: &mut Prng) -> i64 {
        let span = 90.0 * 86_400_000.0 * rng.unit() * rng.unit();
        self.plan.ctime as i64 * 1000 + 60_000 + span as i64
    }

    fn make(&mut self, serial: u64) {
        let (mut rng, family, expire) = self.head(serial);
        let (pattern, kind) = (family.pattern, family.kind);
        let mut attrs = Attrs { expire: expire.map(Expire::Ms), ..Attrs::default() };
        let (idle, freq) = self.set.touched;
        match rng.below(1000) {
            n if n < idle => attrs.idle = Some(rng.below(5_000_000)),
            n if n < idle + freq => attrs.freq = Some(rng.below(256) as u8),
            _ => {}
        }
        self.name.clear();
        names::put(&mut self.name, pattern, serial, &mut rng);
        self.record.fill(kind, self.plan.ctime, &mut rng);
        self.out.clear();
        attrs.put(&mut self.out);
        record::key(&mut self.out, self.record.type_code, &self.name, &self.record.value);
    }
}
