//! What a file says about itself beside its keys.

use std::collections::BTreeMap;

use rdb_format::{FileVersion, ServerVersion, Vendor};
use rdb_parser::{Item, Limits, ModuleAuxWhen, RdbStr};

/// A named field of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuxField {
    /// Its name.
    pub name: Vec<u8>,
    /// Its value, decoded.
    pub value: Vec<u8>,
}

/// What RESIZEDB says about a database. A hint of the writer, not a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DbHint {
    /// Number of keys.
    pub keys: u64,
    /// Number of keys that expire.
    pub expires: u64,
}

/// A function library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, if its source tells.
    pub name: Vec<u8>,
    /// The engine that runs it, such as `lua`.
    pub engine: Vec<u8>,
    /// Length of its source in bytes.
    pub code_bytes: u64,
}

/// Data of a module that belongs to no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleAux {
    /// The module type.
    pub module: String,
    /// The module's own version of its format.
    pub encoding_version: u16,
    /// When it is to be loaded.
    pub when: ModuleAuxWhen,
    /// Length of the record in the file.
    pub serialized_bytes: u64,
}

/// What a file says about itself beside its keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFacts {
    /// Magic and version, once read.
    pub version: Option<FileVersion>,
    /// The named fields, in file order, at most [`FileFacts::MAX_LISTED`] of them.
    pub aux: Vec<AuxField>,
    /// What RESIZEDB says, by database.
    pub db_hints: BTreeMap<u64, DbHint>,
    /// Function libraries.
    pub functions: Vec<Function>,
    /// Module data outside keys.
    pub module_aux: Vec<ModuleAux>,
    /// Number of slots that the file describes (SLOT_INFO records and `slot-info` fields).
    pub slots: u64,
    /// Sum of the keys that slots say they have.
    pub slot_keys: u64,
    /// Number of slot import jobs.
    pub slot_imports: u64,
    /// Number of hash templates.
    pub hash_templates: u64,
    /// Cached Lua scripts (`lua` fields of Redis 4.0 to 6.2).
    pub lua_scripts: u64,
    /// Things beyond [`FileFacts::MAX_LISTED`] that were left out of the lists above.
    pub unlisted: u64,
    /// The checksum that the file states: `Some(0)` when switched off.
    pub checksum: Option<u64>,
    /// Whether the end of the records was read.
    pub ended: bool,
    /// Bytes of names and values in the lists above: at most 16 MiB of them are kept.
    pub listed_bytes: usize,
}

impl FileFacts {
    /// The most entries of each list that are kept: real files have a few dozen.
    pub const MAX_LISTED: usize = 10_000;

    /// The most bytes of a name or value that are kept.
    const MAX_VALUE_BYTES: u64 = 16 << 10;

    /// The most bytes of names and values that are kept in all.
    const MAX_LISTED_BYTES: usize = 16 << 20;

    /// Takes note of something that is no key.
    pub fn note(&mut self, item: &Item<'_>, db: &mut u64, bytes: u64) {
        match *item {
            Item::Header(version) => self.version = Some(version),
            Item::Aux { name, value } => self.note_aux(name, value),
            Item::SelectDb(selected) => *db = selected,
            Item::ResizeDb { keys, expires } => {
                if self.db_hints.len() < Self::MAX_LISTED {
                    self.db_hints.insert(*db, DbHint { keys, expires });
                } else {
                    self.unlisted += 1;
                }
            }
            Item::SlotInfo { keys, .. } => self.note_slot(keys),
            Item::SlotImport { .. } => self.slot_imports += 1,
            Item::Function { code } => {
                let source = decoded(code);
                let (engine, name) = shebang(&source);
                self.note_function(Function { name, engine, code_bytes: code.len() });
            }
            Item::FunctionPreGa { name, engine, code, .. } => {
                let (name, engine) = (decoded(name), decoded(engine).to_ascii_lowercase());
                self.note_function(Function { name, engine, code_bytes: code.len() });
            }
            Item::ModuleAux { id, when } => {
                let aux = ModuleAux {
                    module: id.to_string(),
                    encoding_version: id.encoding_version(),
                    when,
                    serialized_bytes: bytes,
                };
                if self.has_room(self.module_aux.len(), aux.module.len()) {
                    self.module_aux.push(aux);
                }
            }
            Item::HashTemplate { .. } => self.hash_templates += 1,
            Item::End { checksum, .. } => {
                self.checksum = checksum;
                self.ended = true;
            }
            _ => {}
        }
    }

    fn note_aux(&mut self, name: RdbStr<'_>, value: RdbStr<'_>) {
        let name = decoded(name);
        match name.as_slice() {
            b"lua" => self.lua_scripts += 1,
            b"slot-info" => {
                let text = decoded(value);
                let keys = text.split(|&b| b == b',').nth(1).and_then(rdb_parser::parse_i64);
                self.note_slot(keys.and_then(|keys| u64::try_from(keys).ok()).unwrap_or(0));
            }
            // KeyDB writes these between keys, one or more for each.
            b"mvcc-tstamp" | b"keydb-subexpire-key" | b"keydb-subexpire-when" => self.unlisted += 1,
            _ => {
                let value = decoded(value);
                if self.has_room(self.aux.len(), name.len() + value.len()) {
                    self.aux.push(AuxField { name, value });
                }
            }
        }
    }

    /// Whether a list of this length takes one more entry of so many bytes; if not, that is counted.
    fn has_room(&mut self, entries: usize, bytes: usize) -> bool {
        let fits = entries < Self::MAX_LISTED && self.listed_bytes + bytes <= Self::MAX_LISTED_BYTES;
        if fits {
            self.listed_bytes += bytes;
        } else {
            self.unlisted += 1;
        }
        fits
    }

    fn note_slot(&mut self, keys: u64) {
        self.slots += 1;
        self.slot_keys = self.slot_keys.saturating_add(keys);
    }

    fn note_function(&mut self, function: Function) {
        if self.has_room(self.functions.len(), function.name.len() + function.engine.len()) {
            self.functions.push(function);
        }
    }

    /// The value of the named field that stands first.
    #[must_use]
    pub fn aux_value(&self, name: &str) -> Option<&[u8]> {
        self.aux.iter().find(|field| field.name == name.as_bytes()).map(|field| field.value.as_slice())
    }

    /// The value of a numeric field.
    #[must_use]
    pub fn aux_number(&self, name: &str) -> Option<u64> {
        self.aux_value(name).and_then(rdb_parser::parse_i64).and_then(|number| u64::try_from(number).ok())
    }

    /// The release that wrote the file, if it says so.
    #[must_use]
    pub fn server(&self) -> Option<ServerVersion> {
        let (vendor, text) = match (self.aux_value("valkey-ver"), self.aux_value("redis-ver")) {
            (Some(text), _) => (Vendor::Valkey, text),
            (None, Some(text)) => (Vendor::Redis, text),
            (None, None) => return None,
        };
        let parsed: ServerVersion = std::str::from_utf8(text).ok()?.parse().ok()?;
        Some(ServerVersion { vendor, ..parsed })
    }

    /// The sum of the keys that RESIZEDB announced, if it did.
    #[must_use]
    pub fn announced_keys(&self) -> Option<u64> {
        let sum = |sum: u64, hint: &DbHint| sum.saturating_add(hint.keys);
        (!self.db_hints.is_empty()).then(|| self.db_hints.values().fold(0, sum))
    }

    /// When the file was saved, in milliseconds since 1970.
    #[must_use]
    pub fn saved_at_ms(&self) -> Option<i64> {
        let seconds = self.aux_value("ctime").and_then(rdb_parser::parse_i64)?;
        seconds.checked_mul(1000)
    }
}

pub(crate) fn decoded(string: RdbStr<'_>) -> Vec<u8> {
    let limits = Limits::default();
    let mut scratch = Vec::new();
    let bytes = string.prefix(FileFacts::MAX_VALUE_BYTES, limits, &mut scratch).unwrap_or_default();
    let end = bytes.len().min(FileFacts::MAX_VALUE_BYTES as usize);
    bytes.get(..end).unwrap_or_default().to_vec()
}

/// The engine and name that a library's first line tells: `#!lua name=mylib`.
pub(crate) fn shebang(source: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let line = source.split(|&b| b == b'\n').next().unwrap_or_default();
    let mut words = line.strip_prefix(b"#!").unwrap_or_default().split(|b| b.is_ascii_whitespace());
    let engine = words.next().unwrap_or_default().to_vec();
    let name = words.find_map(|word| word.strip_prefix(b"name=")).unwrap_or_default().to_vec();
    (engine, name)
}
