//! The plain numbers and flags in which server releases differ.
//!
//! [`crate::versions`] fills these in; everything else only reads them. All numbers are bytes on a 64-bit
//! little-endian machine, as `sizeof` gives them, unless said otherwise.

use rdb_format::Encoding;

/// How `MEMORY USAGE` takes the size of an sds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SdsCount {
    /// The bytes asked for: header, text and terminator.
    Requested,
    /// The usable bytes of the block.
    Usable,
    /// Asked for when the text is shorter than 32 bytes (its header has no room for more), else usable.
    UsableFrom32,
}

/// Where the name of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPlace {
    /// An sds of its own; the table entry and the object are further blocks.
    Sds,
    /// In the block of the table entry.
    Entry,
    /// In the block of the object.
    Object,
}

/// How much of a key `MEMORY USAGE` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyCount {
    /// The text of the command's argument in place of the key's own sds.
    Argument,
    /// Everything: name, entry and object header.
    Whole,
    /// Everything, as asked for instead of as allocated.
    WholeRequested,
    /// The object header alone.
    HeaderOnly,
}

/// When a short string stands in the block of its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// When it is shorter than `below`.
    Apart {
        /// The first length that is not embedded.
        below: u64,
        /// Whether the block counts as allocated, else as the bytes asked for without the object header.
        usable: bool,
    },
    /// Together with the key.
    WithKey(EmbedWithKey),
}

/// The test for a string that stands in one block with its key and object header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EmbedWithKey {
    /// Longest string that is embedded at all.
    pub longest: u64,
    /// Most bytes that the block may have, as the test adds them up.
    pub budget: u64,
    /// The object header in that sum and in the block.
    pub header: u64,
    /// Whether the sum takes the key's real header, or one of three bytes.
    pub real_key_header: bool,
    /// Least bytes that the string takes in the block.
    pub least_value: u64,
    /// Whether, and how, an expiry takes part in the test.
    pub expiry: EmbedExpiry,
}

/// How the eight bytes of an expiry take part in the embedding test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmbedExpiry {
    /// They count.
    Counted,
    /// They are added to the block but not to the sum.
    Ignored,
    /// They are set afterwards: a block with eight spare bytes is kept, any other is tested again.
    SetLater,
}

/// Which table sets, hashes, sorted sets and databases are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableKind {
    /// `dict`: chains of entries.
    Dict,
    /// Valkey's `hashtable`: buckets of one cache line.
    Hashtable,
}

/// What `MEMORY USAGE` counts for each entry of a dict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryCount {
    /// The same for every entry.
    Each(u64),
    /// Sixteen for every entry but the last one of its bucket.
    Chained,
}

/// How the field and the value of a hash stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldLayout {
    /// Two sds.
    Sds,
    /// An `mstr` with optional metadata, and an sds.
    Mstr,
    /// One block when both are short, else a block for the field and an sds.
    Entry {
        /// Bytes that a field expiry takes.
        expiry: u64,
        /// Whether the answer takes the bytes asked for.
        requested: bool,
    },
}

/// How a skiplist stands in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkiplistLayout {
    /// Nodes and members are counted, structs and header node are not.
    MembersOnly,
    /// Members are sds of their own.
    MemberApart,
    /// Members stand in their nodes, which count in the answer like the structs.
    MemberInNode,
}

/// How a stream is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamCount {
    /// Radix trees by a formula over their nodes and keys.
    Formula,
    /// Radix trees of entries and pending entries as allocated; those of names are left out.
    Measured,
    /// Everything as allocated but the index of pending entries, kept up to date with each change.
    Tracked,
}

/// By what number the sampled average of a list is multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListScale {
    /// Its nodes.
    Nodes,
    /// Its elements.
    Elements,
}

/// What a database, or in cluster mode each of its slots, has beside the buckets of its two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotTables {
    /// For the main table, when there are keys.
    pub main: u64,
    /// For the expires table, when there are keys with an expiry.
    pub expires: u64,
}

/// One release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    // ---- strings and keys
    /// Whether an sds header must be able to describe spare bytes, so that types 8 and 16 end earlier.
    pub sds_spare_bounds: bool,
    pub sds_count: SdsCount,
    pub key_place: KeyPlace,
    pub key_count: KeyCount,
    /// Added to the table entry of a key in cluster mode.
    pub cluster_entry: u64,
    /// What really is.
    pub cluster_entry_allocated: u64,
    pub embedding: Embedding,
    /// Whether keys with an expiry have an entry of 24 bytes in the expires table.
    pub expires_entry: bool,

    // ---- packed values
    /// Whether the server knows listpacks (else ziplists).
    pub listpack: bool,
    /// Whether packed values count as allocated.
    pub packed_usable: bool,

    // ---- tables
    pub table: TableKind,
    pub table_struct: u64,
    /// Added to the table of a hash.
    pub hash_table_extra: u64,
    pub set_entry: EntryCount,
    pub hash_entry: EntryCount,
    pub zset_entry: EntryCount,
    /// Whether sets really have no entry for the last member of a bucket.
    pub set_entries_chained: bool,
    /// Whether hashes and sorted sets have none either.
    pub entries_chained: bool,
    /// Whether hashes and sorted sets are loaded with a size hint.
    pub load_hint: bool,
    /// Whether a packed value that outgrows its limits becomes a table of the right size.
    pub convert_hint: bool,
    /// Whether a hash converted while it is loaded is then hinted its whole length, not what is left.
    pub whole_second_hint: bool,
    /// Whether a hint replaces the table of an empty dict at once.
    pub hint_replaces_empty: bool,
    /// Whether the sizes of collections are tracked while they are built, which takes no sampled average.
    pub tracked: bool,

    // ---- lists
    pub quicklist: bool,
    pub quicklist_struct: u64,
    pub quicklist_node: u64,
    /// Whether the two above count as allocated.
    pub quicklist_usable: bool,
    /// Header of a compressed node.
    pub lzf_header: u64,
    /// Whether the answer counts that header and the block's usable size.
    pub lzf_block_counted: bool,
    /// Whether a node can be one element without a listpack around it.
    pub plain_nodes: bool,
    /// Whether elements beyond the limit of a node become such nodes, and not only those beyond 1 GiB.
    pub large_elements_plain: bool,
    /// Whether a list of one node is a bare listpack.
    pub bare_listpack: bool,
    pub list_scale: ListScale,

    // ---- sets
    pub set_listpack: bool,

    // ---- hashes
    /// Whether packed hashes are zipmaps.
    pub zipmap: bool,
    pub field: FieldLayout,
    /// Beside the listpack of a hash with field expiries; 0 when the server has no such encoding.
    pub listpack_ex: u64,
    /// Whether that counts as allocated.
    pub listpack_ex_usable: bool,
    /// Whether fields may expire.
    pub field_expiry: bool,
    /// Allocated beside a table whose fields expire: the root of their index, which no answer counts.
    pub field_expiry_root: u64,
    /// Whether an index of the fields that expire is counted.
    pub volatile_index: bool,
    pub hash_templates: bool,

    // ---- sorted sets
    /// Whether scores in packed values have their shortest form (else 17 significant digits).
    pub shortest_scores: bool,
    pub skiplist: SkiplistLayout,
    pub skiplist_struct: u64,
    /// Node of level 0.
    pub skiplist_node: u64,
    /// Beside the member in a node that holds one.
    pub skiplist_node_extra: u64,
    pub skiplist_levels: u64,
    /// What `OBJECT ENCODING` answers for a stream.
    pub stream_encoding: Encoding,
    /// Whether the header node is part of the struct.
    pub skiplist_header_inline: bool,

    // ---- streams
    pub stream_count: StreamCount,
    pub stream_struct: u64,
    /// What is allocated where the answer leaves the struct out.
    pub stream_struct_allocated: u64,
    /// Whether listpacks of streams count as allocated.
    pub stream_packed_usable: bool,
    /// What the last listpack of a stream is allocated with when commands begin it; 0 when it grows as needed.
    pub stream_tail: u64,
    pub stream_group: u64,
    pub stream_consumer: u64,
    pub stream_pending: u64,
    /// Whether there is an index from pending entries to their groups.
    pub stream_pending_index: bool,
    pub rax_struct: u64,
    /// Whether leaves of trees with keys of one length stand in their parents.
    pub rax_inline_leaves: bool,

    // ---- arrays
    /// Whether the server knows arrays.
    pub arrays: bool,

    // ---- modules
    /// Whether module values count the object with its key as allocated, whatever other values do.
    pub module_key_usable: bool,
    /// Whether vector sets are part of the server.
    pub vector_sets: bool,

    // ---- databases
    /// Whether entries of the tables of a database stand in the buckets and chains only.
    pub keyspace_chained: bool,
    /// What the dicts of a database that holds keys have beside their buckets, unless slots have their own.
    pub database_dict: SlotTables,
    /// What each database but the first has, whether of keys or not.
    pub further_database: u64,
    /// Tables per slot in cluster mode; one table when `None`.
    pub slot_tables: Option<SlotTables>,
    /// Whether a file that does not say which slots hold keys is loaded with tables for every slot.
    pub idle_slot_tables: bool,
    /// `used_memory` of an empty server with one client.
    pub base: u64,
    /// The same in cluster mode.
    pub base_cluster: u64,
    /// What either has more when it is linked with glibc's allocator.
    pub base_libc: u64,
}
