//! The numbers of the value types and opcodes, under the names the servers' sources use.

/// Value types. 22 and 23 mean different things to Redis and to Valkey.
pub mod types {
    #![allow(missing_docs)]
    pub const STRING: u8 = 0;
    pub const LIST: u8 = 1;
    pub const SET: u8 = 2;
    pub const ZSET: u8 = 3;
    pub const HASH: u8 = 4;
    pub const ZSET_2: u8 = 5;
    pub const MODULE_PRE_GA: u8 = 6;
    pub const MODULE_2: u8 = 7;
    pub const HASH_ZIPMAP: u8 = 9;
    pub const LIST_ZIPLIST: u8 = 10;
    pub const SET_INTSET: u8 = 11;
    pub const ZSET_ZIPLIST: u8 = 12;
    pub const HASH_ZIPLIST: u8 = 13;
    pub const LIST_QUICKLIST: u8 = 14;
    pub const STREAM_LISTPACKS: u8 = 15;
    pub const HASH_LISTPACK: u8 = 16;
    pub const ZSET_LISTPACK: u8 = 17;
    pub const LIST_QUICKLIST_2: u8 = 18;
    pub const STREAM_LISTPACKS_2: u8 = 19;
    pub const SET_LISTPACK: u8 = 20;
    pub const STREAM_LISTPACKS_3: u8 = 21;
    pub const HASH_METADATA_PRE_GA: u8 = 22;
    pub const HASH_LISTPACK_EX_PRE_GA: u8 = 23;
    pub const VALKEY_HASH_2: u8 = 22;
    pub const VALKEY_PATH_HASH: u8 = 23;
    pub const HASH_METADATA: u8 = 24;
    pub const HASH_LISTPACK_EX: u8 = 25;
    pub const STREAM_LISTPACKS_4: u8 = 26;
    pub const STREAM_LISTPACKS_5: u8 = 27;
    pub const ARRAY: u8 = 28;
    pub const HASH_TMPL_LP: u8 = 29;
    pub const HASH_TMPL_LP_REF: u8 = 30;
    pub const HASH_TMPL_ARRAY: u8 = 31;
    pub const HASH_TMPL_ARRAY_REF: u8 = 32;
    pub const GCRA: u8 = 33;
}

/// Opcodes. 242 and 243 mean different things to Redis and to Valkey.
pub mod opcodes {
    #![allow(missing_docs)]
    pub const HASH_TEMPLATE: u8 = 242;
    pub const VALKEY_UPDATE: u8 = 242;
    pub const KEY_META: u8 = 243;
    pub const VALKEY_SLOT_IMPORT: u8 = 243;
    pub const SLOT_INFO: u8 = 244;
    pub const FUNCTION2: u8 = 245;
    pub const FUNCTION_PRE_GA: u8 = 246;
    pub const MODULE_AUX: u8 = 247;
    pub const FREQ: u8 = 249;
    pub const IDLE: u8 = 248;
    pub const AUX: u8 = 250;
    pub const RESIZEDB: u8 = 251;
    pub const EXPIRETIME_MS: u8 = 252;
    pub const EXPIRETIME: u8 = 253;
    pub const SELECTDB: u8 = 254;
    pub const EOF: u8 = 255;
}

/// The name of a value type; types 22 and 23 take Redis' meaning.
pub fn type_name(code: u8) -> &'static str {
    const NAMES: [&str; 34] = [
        "STRING",
        "LIST",
        "SET",
        "ZSET",
        "HASH",
        "ZSET_2",
        "MODULE_PRE_GA",
        "MODULE_2",
        "?",
        "HASH_ZIPMAP",
        "LIST_ZIPLIST",
        "SET_INTSET",
        "ZSET_ZIPLIST",
        "HASH_ZIPLIST",
        "LIST_QUICKLIST",
        "STREAM_LISTPACKS",
        "HASH_LISTPACK",
        "ZSET_LISTPACK",
        "LIST_QUICKLIST_2",
        "STREAM_LISTPACKS_2",
        "SET_LISTPACK",
        "STREAM_LISTPACKS_3",
        "HASH_METADATA_PRE_GA",
        "HASH_LISTPACK_EX_PRE_GA",
        "HASH_METADATA",
        "HASH_LISTPACK_EX",
        "STREAM_LISTPACKS_4",
        "STREAM_LISTPACKS_5",
        "ARRAY",
        "HASH_TMPL_LP",
        "HASH_TMPL_LP_REF",
        "HASH_TMPL_ARRAY",
        "HASH_TMPL_ARRAY_REF",
        "GCRA",
    ];
    NAMES.get(usize::from(code)).copied().unwrap_or("?")
}

/// What the command `TYPE` answers for a key of this value type; a module's type has a name of its own.
pub fn type_word(code: u8) -> &'static str {
    match code {
        0 => "string",
        1 | 10 | 14 | 18 => "list",
        2 | 11 | 20 => "set",
        3 | 5 | 12 | 17 => "zset",
        4 | 9 | 13 | 16 | 22..=25 | 29..=32 => "hash",
        15 | 19 | 21 | 26 | 27 => "stream",
        28 => "array",
        33 => "gcra",
        _ => "module",
    }
}
