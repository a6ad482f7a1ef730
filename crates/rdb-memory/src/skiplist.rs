//! Skiplists: what a node costs on average.
//!
//! A node's level is drawn anew at every load and every insertion: one level with probability 3/4, each
//! further one with 1/4 of the one before. Source: `zslRandomLevel` in `src/t_zset.c`.

use crate::Allocator;
use crate::facts::{Facts, SkiplistLayout};

/// Most levels that are told apart here; the rest is less than 10^-19.
const LEVELS: i32 = 32;
/// Member lengths whose node sizes are kept.
const KEPT: u64 = 512;

/// Expected block sizes of skiplist nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeSizes {
    allocator: Allocator,
    /// Bytes of a node of level 0, without a member.
    base: u64,
    /// Whether the member stands in the node, and then what else does.
    member_in_node: Option<u64>,
    spare_bounds: bool,
    /// By member length where the member stands in the node; else one number.
    kept: Vec<f64>,
}

impl NodeSizes {
    pub(crate) fn new(facts: &Facts, allocator: Allocator) -> Self {
        let member_in_node =
            (facts.skiplist == SkiplistLayout::MemberInNode).then_some(facts.skiplist_node_extra);
        let mut sizes = Self {
            allocator,
            base: facts.skiplist_node,
            member_in_node,
            spare_bounds: facts.sds_spare_bounds,
            kept: Vec::new(),
        };
        let lengths = if member_in_node.is_some() { KEPT } else { 1 };
        sizes.kept = (0..lengths).map(|len| sizes.work_out(len)).collect();
        sizes
    }

    /// Whether members stand in their nodes.
    pub(crate) fn hold_members(&self) -> bool {
        self.member_in_node.is_some()
    }

    /// Expected usable bytes of the node of a member of `len` bytes.
    #[inline]
    pub(crate) fn expected(&self, len: u64) -> f64 {
        let index = if self.hold_members() { len } else { 0 };
        match usize::try_from(index).ok().and_then(|index| self.kept.get(index)) {
            Some(&bytes) => bytes,
            None => self.work_out(len),
        }
    }

    fn work_out(&self, len: u64) -> f64 {
        let member = match self.member_in_node {
            Some(extra) => len.saturating_add(crate::sds::header(len, self.spare_bounds) + 1 + extra),
            None => 0,
        };
        (1..=LEVELS)
            .map(|level| {
                let bytes = member.saturating_add(self.base + 16 * level as u64);
                0.75 * 0.25f64.powi(level - 1) * self.allocator.usable(bytes) as f64
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::versions::facts;

    #[test]
    fn expected_nodes_of_each_allocator() {
        let redis_7 = facts(ServerVersion::redis(7, 0, 15));
        for (allocator, want) in
            [(Allocator::Jemalloc, 45.836), (Allocator::Jemalloc16, 53.336), (Allocator::Libc, 45.333)]
        {
            let node = NodeSizes::new(&redis_7, allocator).expected(10);
            assert!((node - want).abs() < 0.01, "{allocator}: {node}");
        }
    }

    #[test]
    fn nodes_with_members_depend_on_their_length() {
        let sizes = NodeSizes::new(&facts(ServerVersion::valkey(9, 1, 2)), Allocator::Jemalloc);
        assert!(sizes.expected(40) > sizes.expected(4));
        assert_eq!(sizes.expected(KEPT - 1), sizes.work_out(KEPT - 1));
        assert!(sizes.expected(u64::MAX).is_finite());
    }
}
