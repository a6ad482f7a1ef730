//! The bytes that say how a value is written.

use crate::{Dialect, FileVersion, ObjectType};

/// A value type as it stands in the file. Unknown values survive, compare and print.
///
/// Source: `RDB_TYPE_*` in `src/rdb.h` of Redis 8.10 and Valkey 9.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeCode(pub u8);

macro_rules! type_codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        impl TypeCode {
            $($(#[$doc])* pub const $name: Self = Self($code);)*
        }
    };
}

type_codes! {
    /// A string.
    STRING = 0;
    /// A list as single strings (Redis up to 3.0).
    LIST = 1;
    /// A set as single strings.
    SET = 2;
    /// A sorted set with scores as text (Redis up to 3.2).
    ZSET = 3;
    /// A hash as single fields and values.
    HASH = 4;
    /// A sorted set with binary scores (Redis 4.0).
    ZSET_2 = 5;
    /// A module value without framing (Redis 4.0 release candidates).
    MODULE_PRE_GA = 6;
    /// A module value with tagged parts.
    MODULE_2 = 7;
    /// A hash as one zipmap (Redis 2.4).
    HASH_ZIPMAP = 9;
    /// A list as one ziplist (Redis 2.4 to 3.0).
    LIST_ZIPLIST = 10;
    /// A set as one intset.
    SET_INTSET = 11;
    /// A sorted set as one ziplist (Redis 2.4 to 6.2).
    ZSET_ZIPLIST = 12;
    /// A hash as one ziplist (Redis 2.6 to 6.2).
    HASH_ZIPLIST = 13;
    /// A list as ziplists (Redis 3.2 to 6.2).
    LIST_QUICKLIST = 14;
    /// A stream, first form (Redis 5.0 to 6.2).
    STREAM_LISTPACKS = 15;
    /// A hash as one listpack (Redis 7.0).
    HASH_LISTPACK = 16;
    /// A sorted set as one listpack (Redis 7.0).
    ZSET_LISTPACK = 17;
    /// A list as listpacks and plain nodes (Redis 7.0).
    LIST_QUICKLIST_2 = 18;
    /// A stream, second form (Redis 7.0).
    STREAM_LISTPACKS_2 = 19;
    /// A set as one listpack (Redis 7.2).
    SET_LISTPACK = 20;
    /// A stream, third form (Redis 7.2, Valkey).
    STREAM_LISTPACKS_3 = 21;
    /// Redis 7.4 release candidates: a hash whose fields may expire.
    HASH_METADATA_PRE_GA = 22;
    /// Valkey 9.0: a hash whose fields may expire. Shares its number with the one above.
    HASH_2 = 22;
    /// Redis 7.4 release candidates: the same as one listpack.
    HASH_LISTPACK_EX_PRE_GA = 23;
    /// Valkey 9.2 (unreleased): a hash of paths. Shares its number with the one above.
    PATH_HASH = 23;
    /// A hash whose fields may expire (Redis 7.4).
    HASH_METADATA = 24;
    /// The same as one listpack (Redis 7.4).
    HASH_LISTPACK_EX = 25;
    /// A stream, fourth form (Redis 8.6).
    STREAM_LISTPACKS_4 = 26;
    /// A stream, fifth form (Redis 8.8).
    STREAM_LISTPACKS_5 = 27;
    /// A sparse array (Redis 8.8).
    ARRAY = 28;
    /// A templated hash as a listpack, self-contained (Redis 8.10, DUMP payloads).
    HASH_TMPL_LP = 29;
    /// A templated hash as a listpack that refers to a template of the file (Redis 8.10).
    HASH_TMPL_LP_REF = 30;
    /// A templated hash as single values, self-contained (Redis 8.10, DUMP payloads).
    HASH_TMPL_ARRAY = 31;
    /// A templated hash as single values that refers to a template of the file (Redis 8.10).
    HASH_TMPL_ARRAY_REF = 32;
    /// A rate limiter (only builds of Redis 8.8 with a compile flag).
    GCRA = 33;
}

impl TypeCode {
    /// What `TYPE` answers for such a value, or `None` when files of this version have no such type.
    ///
    /// For module values the answer is the name of the module type, which stands in the value.
    #[must_use]
    pub const fn object_type(self, version: FileVersion) -> Option<ObjectType> {
        let redis_12 = version.is_redis_12_or_later();
        let valkey = matches!(version.dialect, Dialect::Valkey);
        Some(match self.0 {
            0 => ObjectType::String,
            1 | 10 | 14 | 18 => ObjectType::List,
            2 | 11 | 20 => ObjectType::Set,
            3 | 5 | 12 | 17 => ObjectType::Zset,
            4 | 9 | 13 | 16 => ObjectType::Hash,
            6 | 7 => ObjectType::Module,
            15 | 19 | 21 => ObjectType::Stream,
            22 | 23 if redis_12 || valkey => ObjectType::Hash,
            24 | 25 | 29..=32 if redis_12 => ObjectType::Hash,
            26 | 27 if redis_12 => ObjectType::Stream,
            28 if redis_12 => ObjectType::Array,
            33 if redis_12 => ObjectType::Gcra,
            _ => return None,
        })
    }

    /// Redis' own name of this type in files of this version, if it has one.
    #[must_use]
    pub const fn name(self, version: FileVersion) -> Option<&'static str> {
        if self.object_type(version).is_none() {
            return None;
        }
        let valkey = matches!(version.dialect, Dialect::Valkey);
        Some(match self.0 {
            0 => "STRING",
            1 => "LIST",
            2 => "SET",
            3 => "ZSET",
            4 => "HASH",
            5 => "ZSET_2",
            6 => "MODULE_PRE_GA",
            7 => "MODULE_2",
            9 => "HASH_ZIPMAP",
            10 => "LIST_ZIPLIST",
            11 => "SET_INTSET",
            12 => "ZSET_ZIPLIST",
            13 => "HASH_ZIPLIST",
            14 => "LIST_QUICKLIST",
            15 => "STREAM_LISTPACKS",
            16 => "HASH_LISTPACK",
            17 => "ZSET_LISTPACK",
            18 => "LIST_QUICKLIST_2",
            19 => "STREAM_LISTPACKS_2",
            20 => "SET_LISTPACK",
            21 => "STREAM_LISTPACKS_3",
            22 if valkey => "HASH_2",
            22 => "HASH_METADATA_PRE_GA",
            23 if valkey => "PATH_HASH",
            23 => "HASH_LISTPACK_EX_PRE_GA",
            24 => "HASH_METADATA",
            25 => "HASH_LISTPACK_EX",
            26 => "STREAM_LISTPACKS_4",
            27 => "STREAM_LISTPACKS_5",
            28 => "ARRAY",
            29 => "HASH_TMPL_LP",
            30 => "HASH_TMPL_LP_REF",
            31 => "HASH_TMPL_ARRAY",
            32 => "HASH_TMPL_ARRAY_REF",
            33 => "GCRA",
            _ => return None,
        })
    }
}
