//! The size model: everything that does not depend on the key, worked out once.

use rdb_format::ServerVersion;

use crate::bytes::Bytes;
use crate::facts::{Facts, SkiplistLayout};
use crate::skiplist::NodeSizes;
use crate::{Allocator, Basis, Mode, Target, versions};

/// What things cost in one server: plain numbers, flags and tables, built once and shared by all threads.
#[derive(Clone, Debug)]
pub struct SizeModel {
    target: Target,
    pub(crate) facts: Facts,
    pub(crate) allocator: Allocator,
    pub(crate) limits: Limits,
    pub(crate) nodes: NodeSizes,
    /// What every sorted set with a skiplist has, beside its table.
    pub(crate) skiplist_structs: Bytes,
    /// Bytes that the last listpack of a stream is allocated with at least: a live server begins it roomy.
    pub(crate) stream_tail: u64,
    /// The least certain basis that any estimate of this model has.
    pub(crate) floor: Basis,
}

/// Thresholds as the mode makes them: entries and bytes up to which a value stays packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// For values that the file holds as single elements.
    pub plain: PackLimits,
    /// For values that the file holds packed; their lengths are not looked at.
    pub packed: PackLimits,
    pub list: ListLimit,
    /// Nodes at either end of a list that are not compressed; 0 when none are.
    pub compress_depth: u64,
    /// Elements and bytes per element of lists before quicklists.
    pub old_list: (u64, u64),
    pub array_slice: u64,
    pub array_sparse: u64,
}

/// Entries, and bytes of the longest one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackLimits {
    pub hash: (u64, u64),
    pub zset: (u64, u64),
    pub set: (u64, u64),
    pub intset: u64,
}

/// What bounds a node of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListLimit {
    /// Bytes of a node.
    pub bytes: Option<u64>,
    /// Elements of a node.
    pub count: Option<u64>,
}

impl ListLimit {
    /// What `list-max-listpack-size` means. Source: `quicklistNodeLimit` in `src/quicklist.c` of Redis 7.2.
    fn new(fill: i64) -> Self {
        match u64::try_from(fill) {
            Ok(count) => Self { bytes: None, count: Some(count.max(1)) },
            Err(_) => {
                let step = fill.unsigned_abs().saturating_sub(1).min(4) as u32;
                Self { bytes: Some(4096 << step), count: None }
            }
        }
    }
}

impl SizeModel {
    /// Works out the numbers of a server.
    #[must_use]
    pub fn new(target: &Target) -> Self {
        let facts = versions::facts(target.server);
        let allocator = target.allocator;
        let config = &target.config;
        let configured = PackLimits {
            hash: (config.hash_max_listpack_entries, config.hash_max_listpack_value),
            zset: (config.zset_max_listpack_entries, config.zset_max_listpack_value),
            set: (config.set_max_listpack_entries, config.set_max_listpack_value),
            intset: config.set_max_intset_entries,
        };
        let never = PackLimits { hash: (0, 0), zset: (0, 0), set: (0, 0), intset: 0 };
        let always = PackLimits {
            hash: (u64::MAX, u64::MAX),
            zset: (u64::MAX, u64::MAX),
            set: (u64::MAX, u64::MAX),
            intset: u64::MAX,
        };
        let limits = |plain, packed, old_list| Limits {
            plain,
            packed,
            list: ListLimit::new(config.list_max_listpack_size),
            compress_depth: config.list_compress_depth,
            old_list,
            array_slice: config.array_slice_size.clamp(1, 1 << 32),
            array_sparse: config.array_sparse_kmax.min(1 << 32),
        };
        let limits = match target.mode {
            Mode::Saved => limits(never, always, (0, 0)),
            Mode::Loaded => limits(
                configured,
                configured,
                (config.list_max_ziplist_entries, config.list_max_ziplist_value),
            ),
        };
        let floor = match allocator {
            _ if versions::predates_memory_usage(target.server) => Basis::Assumed,
            Allocator::Libc => Basis::Expected,
            _ => Basis::Exact,
        };
        Self {
            target: target.clone(),
            facts,
            allocator,
            limits,
            nodes: NodeSizes::new(&facts, allocator),
            skiplist_structs: skiplist_structs(&facts, allocator),
            stream_tail: match (target.mode, config.stream_node_max_bytes) {
                (Mode::Loaded, _) => 0,
                (Mode::Saved, 0) => facts.stream_tail,
                (Mode::Saved, most) => facts.stream_tail.min(most),
            },
            floor,
        }
    }

    /// The server, allocator and settings that this is the model of.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether this release's own answers were compared with the model, key by key.
    ///
    /// If not, the numbers are those of the nearest older release that was: Redis 8.4 counts like 8.2,
    /// a release of next year like the newest one known. Patch releases of a known minor one are known.
    #[must_use]
    pub fn is_known_release(&self) -> bool {
        versions::is_measured(self.target.server)
    }

    /// `used_memory` of this server when it is empty and one client is connected, in bytes.
    ///
    /// What `used_memory` has beyond this, the keys, the tables of the databases and the function libraries is no
    /// part of a snapshot: the replication backlog, client buffers, scripts.
    #[must_use]
    pub fn base_bytes(&self) -> u64 {
        let base = if self.clustered() { self.facts.base_cluster } else { self.facts.base };
        if self.allocator == Allocator::Libc { base + self.facts.base_libc } else { base }
    }

    /// What a function library with so many bytes of source costs after a load: the source, and the structs,
    /// tables and names around it as measured for a library of one function. What Lua holds of it is no part of
    /// `used_memory`.
    #[must_use]
    pub fn library_bytes(&self, code_bytes: u64) -> u64 {
        /// Redis 7.0 and 8.2 and Valkey 9.1: 385 to 465, a further function 200 to 500.
        const AROUND: u64 = 400;
        self.sds(code_bytes).allocated.saturating_add(AROUND)
    }

    /// The release.
    #[must_use]
    pub fn server(&self) -> ServerVersion {
        self.target.server
    }

    /// The state that is priced.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.target.mode
    }

    pub(crate) fn clustered(&self) -> bool {
        self.target.config.cluster_enabled
    }

    pub(crate) fn saved(&self) -> bool {
        self.target.mode == Mode::Saved
    }

    /// Usable bytes of a block.
    #[inline]
    pub(crate) fn usable(&self, bytes: u64) -> u64 {
        self.allocator.usable(bytes)
    }

    /// A block that counts as allocated if `usable`, else as asked for.
    #[inline]
    pub(crate) fn block(&self, bytes: u64, usable: bool) -> Bytes {
        let allocated = self.usable(bytes);
        Bytes::new(if usable { allocated } else { bytes }, allocated)
    }

    /// A packed value in a block of its own.
    #[inline]
    pub(crate) fn packed(&self, bytes: u64) -> Bytes {
        self.block(bytes, self.facts.packed_usable)
    }
}

/// Structs of a sorted set (`zset`, `zskiplist`) and its skiplist's header node.
fn skiplist_structs(facts: &Facts, allocator: Allocator) -> Bytes {
    const ZSET: u64 = 16;
    let header_node = if facts.skiplist_header_inline {
        0
    } else {
        allocator.usable(facts.skiplist_node + 16 * facts.skiplist_levels)
    };
    let list = allocator.usable(facts.skiplist_struct);
    let allocated = allocator.usable(ZSET) + list + header_node;
    let answered = match facts.skiplist {
        SkiplistLayout::MembersOnly => ZSET,
        SkiplistLayout::MemberApart => ZSET + facts.skiplist_struct + header_node,
        SkiplistLayout::MemberInNode if facts.tracked => ZSET + list + header_node,
        SkiplistLayout::MemberInNode => ZSET + facts.skiplist_struct,
    };
    Bytes::new(answered, allocated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_limits() {
        assert_eq!(ListLimit::new(-2), ListLimit { bytes: Some(8192), count: None });
        assert_eq!(ListLimit::new(-5), ListLimit { bytes: Some(65536), count: None });
        assert_eq!(ListLimit::new(0), ListLimit { bytes: None, count: Some(1) });
    }

    #[test]
    fn releases_that_were_never_measured_say_so() {
        let known = |server| SizeModel::new(&Target::new(server)).is_known_release();
        assert!(known(ServerVersion::redis(7, 0, 15)));
        assert!(!known(ServerVersion::redis(8, 4, 0)));
        assert!(!known(ServerVersion::valkey(10, 0, 0)));
    }
}
