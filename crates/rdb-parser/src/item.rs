//! What stands in a file beside its keys.

use rdb_format::FileVersion;

use crate::{ModuleId, RdbStr};

/// When module data outside keys is to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModuleAuxWhen {
    /// Before the keys.
    BeforeKeys,
    /// After the keys.
    AfterKeys,
    /// A number without meaning.
    Other(u64),
}

/// Something of the file that is no key.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Item<'a> {
    /// Magic and version.
    Header(FileVersion),
    /// A named field.
    Aux {
        /// Its name.
        name: RdbStr<'a>,
        /// Its value.
        value: RdbStr<'a>,
    },
    /// The following keys belong to this database.
    SelectDb(u64),
    /// How many keys the current database has. A hint only.
    ResizeDb {
        /// Number of keys.
        keys: u64,
        /// Number of keys that expire.
        expires: u64,
    },
    /// Sizes of a cluster slot. A hint only.
    SlotInfo {
        /// The slot.
        slot: u64,
        /// Number of keys.
        keys: u64,
        /// Number of keys that expire.
        expires: u64,
    },
    /// A slot import job in progress (Valkey 9).
    SlotImport {
        /// The job's name.
        job: RdbStr<'a>,
        /// How many ranges of slots it has.
        ranges: u64,
    },
    /// A function library (Redis 7.0).
    Function {
        /// Its source. Starts with `#!` and the engine, then `name=` and the library's name.
        code: RdbStr<'a>,
    },
    /// A function library as the release candidates of Redis 7.0 wrote it.
    FunctionPreGa {
        /// Its name.
        name: RdbStr<'a>,
        /// Its engine.
        engine: RdbStr<'a>,
        /// What it is for.
        description: Option<RdbStr<'a>>,
        /// Its source.
        code: RdbStr<'a>,
    },
    /// Data of a module that belongs to no key.
    ModuleAux {
        /// The module type.
        id: ModuleId,
        /// When it is to be loaded.
        when: ModuleAuxWhen,
    },
    /// A hash template (Redis 8.10).
    HashTemplate {
        /// Its identifier.
        id: u64,
        /// How many fields it has.
        fields: u64,
        /// Their names, as strings of the format, one after the other.
        names: &'a [u8],
    },
    /// The end of the records.
    End {
        /// The checksum that the file states: 0 when it was switched off, `None` before RDB 5.
        checksum: Option<u64>,
        /// Where the records end: the checksum is about the bytes before this offset.
        summed_bytes: u64,
        /// Attributes that no key followed.
        dangling_attributes: bool,
    },
}
