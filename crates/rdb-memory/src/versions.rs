//! Which release has which numbers. The only file that compares versions.
//!
//! A release is Redis 4.0 plus every row of the table up to it, in order; Valkey goes on from Redis 7.2.
//! To add a release, add rows. Each row names where in the servers' sources the difference is.

use rdb_format::{Encoding, ServerVersion, Vendor};

use crate::facts::{
    EmbedExpiry, EmbedWithKey, Embedding, EntryCount, Facts, FieldLayout, KeyCount, KeyPlace, ListScale,
    SdsCount, SkiplistLayout, SlotTables, StreamCount, TableKind,
};

/// A difference: from this release on, because of that file, these numbers.
struct Row {
    since: ServerVersion,
    /// File and subject in the server's sources.
    source: &'static str,
    apply: fn(&mut Facts),
}

const fn redis(major: u16, minor: u16, patch: u16, source: &'static str, apply: fn(&mut Facts)) -> Row {
    Row { since: ServerVersion::redis(major, minor, patch), source, apply }
}

const fn valkey(major: u16, minor: u16, patch: u16, source: &'static str, apply: fn(&mut Facts)) -> Row {
    Row { since: ServerVersion::valkey(major, minor, patch), source, apply }
}

/// The release that Valkey was forked from.
const FORK: ServerVersion = ServerVersion::redis(7, 2, 4);

/// Releases whose answers were compared with these numbers, key by key.
const MEASURED: &[(Vendor, u16, u16)] = &[
    (Vendor::Redis, 4, 0),
    (Vendor::Redis, 5, 0),
    (Vendor::Redis, 6, 0),
    (Vendor::Redis, 6, 2),
    (Vendor::Redis, 7, 0),
    (Vendor::Redis, 7, 2),
    (Vendor::Redis, 7, 4),
    (Vendor::Redis, 8, 0),
    (Vendor::Redis, 8, 2),
    (Vendor::Redis, 8, 6),
    (Vendor::Redis, 8, 10),
    (Vendor::Valkey, 7, 2),
    (Vendor::Valkey, 8, 0),
    (Vendor::Valkey, 8, 1),
    (Vendor::Valkey, 9, 0),
    (Vendor::Valkey, 9, 1),
];

/// Redis 4.0. `object.c: objectComputeSize`, `sds.c`, `dict.h`, `quicklist.h`, `server.h` of 4.0.14.
const REDIS_4_0: Facts = Facts {
    sds_spare_bounds: false,
    sds_count: SdsCount::Requested,
    key_place: KeyPlace::Sds,
    key_count: KeyCount::Argument,
    cluster_entry: 0,
    cluster_entry_allocated: 0,
    embedding: Embedding::Apart { below: 45, usable: false },
    expires_entry: true,
    listpack: false,
    packed_usable: false,
    table: TableKind::Dict,
    table_struct: 96,
    hash_table_extra: 0,
    set_entry: EntryCount::Each(24),
    hash_entry: EntryCount::Each(24),
    zset_entry: EntryCount::Each(24),
    set_entries_chained: false,
    entries_chained: false,
    load_hint: false,
    convert_hint: false,
    whole_second_hint: false,
    hint_replaces_empty: false,
    tracked: false,
    quicklist: true,
    quicklist_struct: 40,
    quicklist_node: 32,
    quicklist_usable: false,
    lzf_header: 4,
    lzf_block_counted: false,
    plain_nodes: false,
    large_elements_plain: false,
    bare_listpack: false,
    list_scale: ListScale::Nodes,
    set_listpack: false,
    zipmap: false,
    field: FieldLayout::Sds,
    listpack_ex: 0,
    listpack_ex_usable: true,
    field_expiry: false,
    field_expiry_root: 0,
    volatile_index: false,
    hash_templates: false,
    shortest_scores: false,
    skiplist: SkiplistLayout::MembersOnly,
    skiplist_struct: 32,
    skiplist_node: 24,
    skiplist_node_extra: 0,
    skiplist_levels: 32,
    skiplist_header_inline: false,
    stream_count: StreamCount::Formula,
    stream_encoding: Encoding::Unknown,
    stream_struct: 0,
    stream_struct_allocated: 40,
    stream_packed_usable: false,
    stream_tail: 0,
    stream_group: 32,
    stream_consumer: 24,
    stream_pending: 24,
    stream_pending_index: false,
    rax_struct: 24,
    rax_inline_leaves: false,
    arrays: false,
    module_key_usable: false,
    vector_sets: false,
    keyspace_chained: false,
    database_dict: SlotTables { main: 0, expires: 0 },
    further_database: 0,
    slot_tables: None,
    idle_slot_tables: false,
    base: 854_000,
    base_cluster: 1_600_000,
    base_libc: 65_000,
};

/// How strings stand with their keys in Redis 8.2: `object.c: createStringObject`, `kvobjSet`.
const REDIS_EMBED: EmbedWithKey = EmbedWithKey {
    longest: 44,
    budget: 64,
    header: 16,
    real_key_header: false,
    least_value: 0,
    expiry: EmbedExpiry::Counted,
};

/// How they do in Valkey 8.1: `object.c: shouldEmbedStringObject`, `objectSetKeyAndExpire`.
const VALKEY_EMBED: EmbedWithKey = EmbedWithKey { expiry: EmbedExpiry::SetLater, ..REDIS_EMBED };

/// How they do in Valkey 9.1: the value pointer of the header is reused, the budget is two cache lines.
const VALKEY_9_1_EMBED: EmbedWithKey = EmbedWithKey {
    longest: u64::MAX,
    budget: 128,
    header: 8,
    real_key_header: true,
    least_value: 8,
    expiry: EmbedExpiry::SetLater,
};

/// What ended with these releases: they only differ in encodings, everything else is Redis 4.0's.
const BEFORE_4_0: &[Row] = &[
    redis(2, 6, 0, "t_hash.c: hashes were packed as zipmaps", |f| f.zipmap = true),
    redis(3, 2, 0, "object.c: an sds header took eight bytes", |f| {
        f.embedding = Embedding::Apart { below: 40, usable: false };
    }),
    redis(3, 0, 0, "object.c: no string was embedded", |f| {
        f.embedding = Embedding::Apart { below: 0, usable: false };
    }),
    redis(3, 2, 0, "t_list.c: lists were ziplists and linked lists", |f| f.quicklist = false),
];

const ROWS: &[Row] = &[
    redis(5, 0, 0, "object.c: memoryCommand measures the key itself", |f| f.key_count = KeyCount::Whole),
    redis(5, 0, 0, "rdb.c: dictExpand for hashes and sorted sets", |f| f.load_hint = true),
    redis(5, 0, 0, "object.c: zset structs counted; server.h: ZSKIPLIST_MAXLEVEL 64", |f| {
        f.skiplist = SkiplistLayout::MemberApart;
        f.skiplist_levels = 64;
    }),
    redis(6, 0, 0, "server.h: ZSKIPLIST_MAXLEVEL 32", |f| f.skiplist_levels = 32),
    redis(6, 0, 9, "object.c: sdsZmallocSize in place of sdsAllocSize", |f| f.sds_count = SdsCount::Usable),
    redis(6, 0, 9, "object.c: strEncoding names streams", |f| f.stream_encoding = Encoding::Stream),
    redis(6, 2, 0, "server.c: INFO memory of an empty server", |f| {
        f.base = 872_000;
        f.base_cluster = 1_530_000;
    }),
    redis(6, 2, 5, "object.c: sizeof(stream) counted", |f| f.stream_struct = 40),
    redis(6, 2, 12, "object.c: zmalloc_size of stream listpacks", |f| f.stream_packed_usable = true),
    redis(7, 0, 0, "object.c: zmalloc_size throughout; dict.h without ht array", |f| {
        f.embedding = Embedding::Apart { below: 45, usable: true };
        f.packed_usable = true;
        f.table_struct = 56;
        f.stream_packed_usable = false;
        f.base = 939_000;
        f.base_cluster = 1_672_000;
    }),
    redis(7, 0, 0, "listpack.c replaces ziplist.c; quicklist.h: plain nodes", |f| {
        f.listpack = true;
        f.quicklist_node = 40;
        f.lzf_header = 8;
        f.lzf_block_counted = true;
        f.plain_nodes = true;
    }),
    redis(7, 0, 0, "t_hash.c: hashTypeConvertListpack presizes", |f| f.convert_hint = true),
    redis(7, 0, 0, "stream.h: first_id, max_deleted_entry_id, entries_added, entries_read", |f| {
        f.stream_struct = 80;
        f.stream_struct_allocated = 80;
        f.stream_group = 40;
    }),
    redis(7, 0, 0, "t_stream.c: STREAM_LISTPACK_MAX_PRE_ALLOCATE", |f| f.stream_tail = 4096),
    redis(7, 0, 0, "dict.h: clusterDictEntryMetadata of two pointers", |f| {
        f.cluster_entry = 16;
        f.cluster_entry_allocated = 16;
    }),
    redis(7, 0, 10, "object.c: zmalloc_size of stream listpacks", |f| f.stream_packed_usable = true),
    redis(7, 2, 0, "server.c: INFO memory of an empty server", |f| {
        f.base = 929_000;
        f.base_cluster = 1_655_000;
    }),
    redis(7, 2, 0, "t_list.c: listTypeTryConvertQuicklist", |f| f.bare_listpack = true),
    redis(7, 2, 0, "t_set.c: listpack; dict.c: keys without entries", |f| {
        f.set_listpack = true;
        f.set_entries_chained = true;
    }),
    redis(7, 2, 0, "util.c: d2string uses fpconv_dtoa", |f| f.shortest_scores = true),
    redis(7, 2, 0, "stream.h: active_time", |f| f.stream_consumer = 32),
    redis(7, 2, 0, "object.c: one pointer of two counted", |f| f.cluster_entry = 8),
    redis(7, 4, 0, "kvstore.c: a dict per slot, made with the first key", |f| {
        f.database_dict = SlotTables { main: 64, expires: 64 };
        f.cluster_entry = 0;
        f.cluster_entry_allocated = 0;
        f.slot_tables = Some(SlotTables { main: 64, expires: 64 });
        f.base = 1_009_000;
        f.base_cluster = 2_351_000;
    }),
    redis(7, 4, 0, "quicklist.c: isLargeElement by fill", |f| f.large_elements_plain = true),
    redis(7, 4, 0, "mstr.h, t_hash.c: fields that expire, listpackEx of 32 bytes", |f| {
        f.field = FieldLayout::Mstr;
        f.field_expiry = true;
        f.field_expiry_root = 40;
        f.listpack_ex = 32;
    }),
    redis(7, 4, 0, "dict.c: _dictExpand of an empty dict", |f| f.hint_replaces_empty = true),
    redis(8, 0, 0, "modules/vector-sets: vector sets in the core", |f| f.vector_sets = true),
    redis(8, 0, 0, "object.c: list scaled by listTypeLength", |f| f.list_scale = ListScale::Elements),
    redis(8, 0, 0, "kvstore.c: key size histograms in the metadata of each slot's dict", |f| {
        f.database_dict = SlotTables { main: 64 + 2400, expires: 64 };
        f.slot_tables = Some(SlotTables { main: 64 + 2400, expires: 64 });
        f.base = 716_000;
        f.base_cluster = 2_476_000;
    }),
    redis(8, 2, 0, "object.h: kvobj holds key and expiry; sds.c: type of the usable size", |f| {
        f.sds_spare_bounds = true;
        f.key_place = KeyPlace::Object;
        f.embedding = Embedding::WithKey(REDIS_EMBED);
        f.expires_entry = false;
        f.keyspace_chained = true;
    }),
    redis(8, 2, 0, "t_zset.c: dict without values", |f| f.zset_entry = EntryCount::Each(16)),
    redis(8, 2, 0, "t_hash.c: listpackEx and dictExpireMetadata without the key's name", |f| {
        f.listpack_ex = 24;
        f.field_expiry_root = 24;
    }),
    redis(8, 2, 0, "stream.h: cgroups_ref, list node per pending entry", |f| {
        f.stream_struct = 112;
        f.stream_struct_allocated = 112;
        f.stream_pending = 32;
        f.stream_pending_index = true;
    }),
    redis(8, 6, 0, "server.c: INFO memory of an empty server", |f| {
        f.base = 769_000;
        f.base_libc = 21_000;
        f.base_cluster = 2_170_000;
    }),
    redis(8, 6, 0, "object.c: kvobjAllocSize; sizes tracked by every type", |f| {
        f.tracked = true;
        f.sds_count = SdsCount::UsableFrom32;
        f.embedding = Embedding::WithKey(EmbedWithKey { expiry: EmbedExpiry::Ignored, ..REDIS_EMBED });
        f.packed_usable = false;
        f.listpack_ex_usable = false;
        f.quicklist_struct = 48;
        f.quicklist_usable = true;
    }),
    redis(8, 6, 0, "dict.h: all dicts without values; entry.c: field and value in one block", |f| {
        f.set_entry = EntryCount::Each(24);
        f.hash_entry = EntryCount::Each(24);
        f.zset_entry = EntryCount::Each(24);
        f.entries_chained = true;
        f.field = FieldLayout::Entry { expiry: 16, requested: true };
        f.whole_second_hint = true;
    }),
    redis(8, 6, 0, "t_zset.c: member in the node", |f| {
        f.skiplist = SkiplistLayout::MemberInNode;
        f.skiplist_struct = 40;
        f.skiplist_node = 16;
    }),
    redis(8, 6, 0, "stream.h: alloc_size; rax.h: alloc_size", |f| {
        f.stream_count = StreamCount::Tracked;
        f.stream_struct = 160;
        f.stream_struct_allocated = 160;
        f.stream_packed_usable = false;
        f.stream_group = 56;
        f.stream_pending = 64;
        f.rax_struct = 32;
    }),
    redis(8, 6, 0, "kvstore.c: 32 bytes more of metadata; kvstoreExpand makes every slot's dict", |f| {
        f.database_dict = SlotTables { main: 96 + 2400, expires: 64 };
        f.slot_tables = Some(SlotTables { main: 96 + 2400, expires: 64 });
        f.idle_slot_tables = true;
    }),
    // 8.8 has these as well as far as its sources tell; only 8.10 was measured.
    redis(8, 8, 0, "object.c: requested bytes of the object; dict.h: dictEntry of 16 bytes", |f| {
        f.key_count = KeyCount::WholeRequested;
        f.module_key_usable = true;
        f.set_entry = EntryCount::Each(16);
        f.hash_entry = EntryCount::Each(16);
        f.zset_entry = EntryCount::Each(16);
    }),
    redis(8, 8, 0, "kvstore.c: no histograms before they are asked for", |f| {
        f.database_dict = SlotTables { main: 96, expires: 64 };
        f.slot_tables = Some(SlotTables { main: 96, expires: 64 });
    }),
    redis(8, 8, 0, "rax.c: leaves of fixed-length trees in the parent's slots; stream.h: nacked list", |f| {
        f.rax_struct = 40;
        f.rax_inline_leaves = true;
        f.stream_group = 64;
    }),
    redis(8, 8, 0, "sparsearray.c, t_array.c", |f| f.arrays = true),
    redis(8, 10, 0, "server.c: INFO memory of an empty server", |f| {
        f.base = 779_000;
        f.base_cluster = 2_181_000;
    }),
    redis(8, 10, 0, "t_hash.c: hash templates", |f| f.hash_templates = true),
    valkey(8, 0, 0, "dict.c: key embedded in the entry; sds.c: type of the usable size", |f| {
        f.sds_spare_bounds = true;
        f.key_place = KeyPlace::Entry;
        f.cluster_entry = 0;
        f.cluster_entry_allocated = 0;
        f.set_entry = EntryCount::Chained;
        f.base = 955_000;
        f.base_libc = 72_000;
    }),
    valkey(8, 0, 0, "quicklist.c: isLargeElement by fill", |f| f.large_elements_plain = true),
    valkey(8, 0, 0, "kvstore.c: a dict per slot", |f| {
        f.slot_tables = Some(SlotTables { main: 80, expires: 80 });
        f.base_cluster = 2_500_000;
    }),
    valkey(8, 1, 0, "server.c: INFO memory of an empty server", |f| f.base = 922_000),
    valkey(8, 1, 0, "hashtable.c", |f| {
        f.table = TableKind::Hashtable;
        f.table_struct = 72;
        f.database_dict = SlotTables { main: 72 + 16, expires: 72 + 16 };
        f.slot_tables = Some(SlotTables { main: 72 + 16, expires: 72 + 16 });
    }),
    valkey(8, 1, 0, "object.c: key and expiry in the object, left out of MEMORY USAGE", |f| {
        f.key_place = KeyPlace::Object;
        f.key_count = KeyCount::HeaderOnly;
        f.embedding = Embedding::WithKey(VALKEY_EMBED);
        f.expires_entry = false;
    }),
    valkey(8, 1, 0, "entry.c: field and value in one block", |f| {
        f.field = FieldLayout::Entry { expiry: 8, requested: false };
    }),
    valkey(8, 1, 0, "rax.c, object.c: raxAllocSize", |f| {
        f.stream_count = StreamCount::Measured;
        f.rax_struct = 32;
    }),
    valkey(9, 0, 0, "object.c: key counted again, its real header in the embedding test", |f| {
        f.key_count = KeyCount::Whole;
        f.embedding = Embedding::WithKey(EmbedWithKey { real_key_header: true, ..VALKEY_EMBED });
    }),
    valkey(9, 0, 0, "t_hash.c, vset.c: fields that expire", |f| {
        f.hash_table_extra = 8;
        f.field_expiry = true;
        f.volatile_index = true;
        f.base = 929_000;
        f.base_cluster = 2_587_000;
    }),
    valkey(9, 0, 0, "server.c: createDatabase when it is first selected", |f| f.further_database = 1208),
    valkey(9, 1, 0, "server.c: INFO memory of an empty server", |f| f.base = 969_000),
    valkey(9, 1, 0, "hashtable.c: 80 bytes; kvstore.c: two pointers of metadata", |f| {
        f.table_struct = 80;
        f.database_dict = SlotTables { main: 80 + 16, expires: 80 + 16 };
        f.slot_tables = Some(SlotTables { main: 80 + 16, expires: 80 + 16 });
    }),
    valkey(9, 1, 0, "object.c: pointer reused, two cache lines", |f| {
        f.embedding = Embedding::WithKey(VALKEY_9_1_EMBED);
    }),
    valkey(9, 1, 0, "t_zset.c: member in the node, header node in the struct", |f| {
        f.skiplist = SkiplistLayout::MemberInNode;
        f.skiplist_struct = 528;
        f.skiplist_node = 16;
        f.skiplist_node_extra = 1;
        f.skiplist_header_inline = true;
    }),
];

/// The numbers of a release, or of the nearest older one that is known.
pub(crate) fn facts(server: ServerVersion) -> Facts {
    let mut facts = REDIS_4_0;
    for row in BEFORE_4_0 {
        if server.vendor == Vendor::Redis && !server.is_at_least(row.since) {
            (row.apply)(&mut facts);
        }
    }
    for row in ROWS {
        debug_assert!(!row.source.is_empty());
        let applies = match row.since.vendor {
            Vendor::Redis if server.vendor == Vendor::Valkey => FORK.is_at_least(row.since),
            _ => server.is_at_least(row.since),
        };
        if applies {
            (row.apply)(&mut facts);
        }
    }
    facts
}

/// Whether this release's answers were compared with the numbers here.
pub(crate) fn is_measured(server: ServerVersion) -> bool {
    MEASURED.contains(&(server.vendor, server.major, server.minor))
}

/// Whether the release is too old for `MEMORY USAGE`: what Redis 4.0 would answer stands in.
pub(crate) fn predates_memory_usage(server: ServerVersion) -> bool {
    server.vendor == Vendor::Redis && !server.is_at_least(ServerVersion::redis(4, 0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_vendor_are_in_order() {
        for vendor in [Vendor::Redis, Vendor::Valkey] {
            let releases: Vec<_> =
                ROWS.iter().filter(|row| row.since.vendor == vendor).map(|row| row.since.numbers()).collect();
            assert!(releases.is_sorted());
        }
    }

    #[test]
    fn stream_listpacks_changed_twice() {
        let usable = |a, b, c| facts(ServerVersion::redis(a, b, c)).stream_packed_usable;
        assert!(!usable(6, 2, 11) && usable(6, 2, 12));
        assert!(!usable(7, 0, 9) && usable(7, 0, 10));
    }

    #[test]
    fn valkey_goes_on_from_redis_7_2() {
        assert_eq!(facts(ServerVersion::valkey(7, 2, 7)), facts(ServerVersion::redis(7, 2, 6)));
        assert!(!facts(ServerVersion::valkey(9, 1, 2)).tracked);
        assert_eq!(facts(ServerVersion::valkey(9, 1, 2)).table_struct, 80);
    }

    #[test]
    fn unknown_releases_take_the_nearest_older_one() {
        assert_eq!(facts(ServerVersion::redis(9, 4, 0)), facts(ServerVersion::redis(8, 10, 2)));
        assert!(!is_measured(ServerVersion::redis(9, 4, 0)) && !is_measured(ServerVersion::redis(8, 4, 0)));
        assert!(is_measured(ServerVersion::valkey(8, 1, 9)));
        assert!(predates_memory_usage(ServerVersion::redis(3, 2, 0)));
        assert!(!facts(ServerVersion::redis(3, 0, 7)).quicklist);
        assert!(facts(ServerVersion::redis(2, 4, 18)).zipmap);
    }
}
