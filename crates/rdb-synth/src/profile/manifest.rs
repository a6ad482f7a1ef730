//! What a generated file holds, as its writer counted.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::Plan;
use crate::type_code::{type_name, type_word};

/// The counts of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The plan it was made by.
    pub plan: Plan,
    /// Bytes of the file.
    pub bytes: u64,
    /// Per database, ascending.
    pub dbs: Vec<DbCounts>,
    /// Per type code.
    pub types: BTreeMap<u8, TypeCounts>,
    /// LZF strings: how many, their bytes before and after.
    pub lzf: (u64, u64, u64),
}

/// The counts of one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DbCounts {
    /// Its number.
    pub db: u64,
    /// Keys.
    pub keys: u64,
    /// Keys that expire.
    pub expires: u64,
}

/// The counts of one type code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypeCounts {
    /// Keys.
    pub keys: u64,
    /// Elements; a string counts as one.
    pub elements: u64,
}

impl Manifest {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { plan: *plan, bytes: 0, dbs: Vec::new(), types: BTreeMap::new(), lzf: (0, 0, 0) }
    }

    pub(super) fn count(&mut self, type_code: u8, elements: u64) {
        let counts = self.types.entry(type_code).or_default();
        counts.keys += 1;
        counts.elements += elements;
    }

    /// Keys in all databases.
    pub fn keys(&self) -> u64 {
        self.dbs.iter().map(|d| d.keys).sum()
    }

    /// Keys that expire, in all databases.
    pub fn expires(&self) -> u64 {
        self.dbs.iter().map(|d| d.expires).sum()
    }

    /// Elements of all keys.
    pub fn elements(&self) -> u64 {
        self.types.values().map(|t| t.elements).sum()
    }
}

impl Display for Manifest {
    /// As JSON.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plan = &self.plan;
        writeln!(f, "{{")?;
        writeln!(
            f,
            "  \"profile\": \"{}\", \"seed\": {}, \"ctime\": {},",
            plan.profile.name(),
            plan.seed,
            plan.ctime
        )?;
        writeln!(f, "  \"bytes\": {}, \"rdb_version\": 10,", self.bytes)?;
        let (keys, expires, elements) = (self.keys(), self.expires(), self.elements());
        writeln!(f, "  \"keys\": {keys}, \"expires\": {expires}, \"elements\": {elements},")?;
        let (strings, raw, stored) = self.lzf;
        writeln!(
            f,
            "  \"lzf\": {{ \"strings\": {strings}, \"raw_bytes\": {raw}, \"stored_bytes\": {stored} }},"
        )?;
        let dbs: Vec<String> = self
            .dbs
            .iter()
            .map(|d| format!("    {{ \"db\": {}, \"keys\": {}, \"expires\": {} }}", d.db, d.keys, d.expires))
            .collect();
        writeln!(f, "  \"dbs\": [\n{}\n  ],", dbs.join(",\n"))?;
        let mut words: BTreeMap<&str, TypeCounts> = BTreeMap::new();
        let mut types = Vec::new();
        for (code, counts) in &self.types {
            let word = words.entry(type_word(*code)).or_default();
            word.keys += counts.keys;
            word.elements += counts.elements;
            let (name, TypeCounts { keys, elements }) = (type_name(*code), counts);
            types.push(format!(
                "    {{ \"type\": {code}, \"name\": \"{name}\", \"keys\": {keys}, \"elements\": {elements} }}"
            ));
        }
        writeln!(f, "  \"types\": [\n{}\n  ],", types.join(",\n"))?;
        let words: Vec<String> = words
            .iter()
            .map(|(word, c)| {
                format!("    \"{word}\": {{ \"keys\": {}, \"elements\": {} }}", c.keys, c.elements)
            })
            .collect();
        writeln!(f, "  \"by_type_word\": {{\n{}\n  }}\n}}", words.join(",\n"))
    }
}
