//! The bytes between records that are not value types.

use crate::{Dialect, FileVersion};

/// An opcode as it stands in the file. Unknown values survive, compare and print.
///
/// Source: `RDB_OPCODE_*` in `src/rdb.h` of Redis 8.10 and Valkey 9.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpCode(pub u8);

impl OpCode {
    /// Redis 8.10: defines a hash template.
    pub const HASH_TEMPLATE: Self = Self(242);
    /// Redis 8.6: metadata that modules attach to the next key.
    pub const KEY_META: Self = Self(243);
    /// Valkey 9.0: a slot import job in progress. Shares its number with [`Self::KEY_META`].
    pub const SLOT_IMPORT: Self = Self(243);
    /// Redis 7.4: sizes of a cluster slot.
    pub const SLOT_INFO: Self = Self(244);
    /// Redis 7.0: a function library.
    pub const FUNCTION2: Self = Self(245);
    /// Redis 7.0 release candidates: a function library.
    pub const FUNCTION_PRE_GA: Self = Self(246);
    /// Redis 5.0: data of a module that belongs to no key.
    pub const MODULE_AUX: Self = Self(247);
    /// Redis 5.0: seconds since the next key was last used.
    pub const IDLE: Self = Self(248);
    /// Redis 5.0: access frequency of the next key.
    pub const FREQ: Self = Self(249);
    /// Redis 3.2: a named field of the file.
    pub const AUX: Self = Self(250);
    /// Redis 3.2: how many keys the database has.
    pub const RESIZEDB: Self = Self(251);
    /// Redis 2.6: expiry of the next key in milliseconds.
    pub const EXPIRETIME_MS: Self = Self(252);
    /// Expiry of the next key in seconds.
    pub const EXPIRETIME: Self = Self(253);
    /// The database that the next keys belong to.
    pub const SELECTDB: Self = Self(254);
    /// End of the records.
    pub const EOF: Self = Self(255);

    /// Redis' own name of this opcode in files of this version, if it has one.
    #[must_use]
    pub const fn name(self, version: FileVersion) -> Option<&'static str> {
        Some(match (self.0, version.dialect) {
            (242, Dialect::Redis) => "HASH_TEMPLATE",
            (243, Dialect::Redis) => "KEY_META",
            (243, Dialect::Valkey) => "SLOT_IMPORT",
            (244, _) => "SLOT_INFO",
            (245, _) => "FUNCTION2",
            (246, _) => "FUNCTION_PRE_GA",
            (247, _) => "MODULE_AUX",
            (248, _) => "IDLE",
            (249, _) => "FREQ",
            (250, _) => "AUX",
            (251, _) => "RESIZEDB",
            (252, _) => "EXPIRETIME_MS",
            (253, _) => "EXPIRETIME",
            (254, _) => "SELECTDB",
            (255, _) => "EOF",
            _ => return None,
        })
    }
}
