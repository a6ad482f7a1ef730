//! What the tests against servers' answers share.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::{Path, PathBuf};

use rdb_format::{ServerVersion, Vendor, key_hash_slot};
use rdb_memory::{Allocator, Estimate, Keyspace, Pricer, SizeModel, Target};
use rdb_parser::{Fault, KeyHead, Limits, Record, Scanner, Sink, Stop};
use serde_json::Value as Json;

/// A key and what it was estimated at.
#[derive(Clone, Debug)]
pub(crate) struct Priced {
    pub(crate) db: u64,
    pub(crate) key: Vec<u8>,
    pub(crate) estimate: Estimate,
    pub(crate) fault: Option<Fault>,
}

struct PriceAll<'m> {
    pricer: Pricer<'m>,
    priced: Vec<Priced>,
    keyspace: Keyspace,
    name: Vec<u8>,
}

impl<'a, 'm> Sink<'a> for PriceAll<'m> {
    type Visitor = Pricer<'m>;

    fn key(&mut self, head: &KeyHead<'a>) -> &mut Pricer<'m> {
        let name = head.key.bytes(Limits::default(), &mut self.name).unwrap();
        self.pricer.start(name, head.attrs.expire_at_ms, head.version);
        &mut self.pricer
    }

    fn record(&mut self, record: &Record<'a>) {
        let estimate = self.pricer.finish();
        let key = record.head.key.bytes(Limits::default(), &mut self.name).unwrap().to_vec();
        let (db, expires) = (record.head.db, record.head.attrs.expire_at_ms.is_some());
        self.keyspace.count(db, key_hash_slot(&key), expires);
        self.priced.push(Priced { db, key, estimate, fault: self.pricer.fault() });
    }
}

/// Prices every key of a dump; `None` when the dump does not read to its end.
pub(crate) fn price(dump: &[u8], model: &SizeModel) -> Option<(Vec<Priced>, Keyspace)> {
    let mut sink = PriceAll {
        pricer: Pricer::new(model, Limits::default()),
        priced: Vec::new(),
        keyspace: Keyspace::default(),
        name: Vec::new(),
    };
    let scanned = Scanner::new(Limits::default()).scan(dump, usize::MAX, &mut sink).ok()?;
    (scanned.stop == Stop::End).then_some((sink.priced, sink.keyspace))
}

/// The fixtures of the repository.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// A file of the fixtures as JSON.
pub(crate) fn json(path: &Path) -> Json {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The server that a `server.json` describes.
pub(crate) fn target(server: &Json) -> Target {
    let version = format!("{}-{}", server["vendor"].as_str().unwrap(), server["version"].as_str().unwrap());
    let mut target = Target::new(version.parse().unwrap());
    target.allocator = server["mem_allocator"].as_str().unwrap().parse().unwrap();
    if is_debian(target.server) {
        target.allocator = Allocator::Jemalloc16;
    }
    for (name, value) in server["config"].as_object().unwrap() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        target.config.set(name, &value).unwrap();
    }
    target
}

/// The server of the fixtures that is a distribution's, which its allocator's name does not tell.
fn is_debian(server: ServerVersion) -> bool {
    server.vendor == Vendor::Redis && (server.major, server.minor) == (7, 0)
}
