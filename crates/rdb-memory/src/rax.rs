//! Radix trees: how many nodes they have, and how large those are, from the sorted keys alone.
//!
//! A tree's shape does not depend on the order of insertion after a load. Every leaf, every branching
//! point and every stretch of bytes with one way to go is a node. Source: `src/rax.c`.

use crate::Allocator;

/// What a tree amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RaxSize {
    pub keys: u64,
    pub nodes: u64,
    /// Usable bytes of all nodes.
    pub bytes: u64,
}

/// How nodes of one server are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RaxNodes {
    pub allocator: Allocator,
    /// Whether leaves of trees with keys of one length stand in their parents' slots.
    pub inline_leaves: bool,
}

impl RaxNodes {
    /// A node with this many bytes of text, of which it is one stretch or which each lead to a child.
    ///
    /// Source: `raxNodeCurrentLength`: header, text, padding, child pointers, and a value for keys.
    #[inline]
    fn node(self, chars: u64, stretch: bool, key: bool) -> u64 {
        let text = crate::allocator::round_up(chars.saturating_add(4), 8);
        let children = if stretch { 8 } else { chars.saturating_mul(8) };
        self.allocator.usable(text.saturating_add(children).saturating_add(if key { 8 } else { 0 }))
    }

    /// A tree without keys: its head.
    pub(crate) fn empty(self) -> RaxSize {
        RaxSize { keys: 0, nodes: 1, bytes: self.allocator.usable(8) }
    }
}

/// A branching point that is still open: further children may come.
#[derive(Clone, Copy, Debug, Default)]
struct Branch {
    /// Bytes of key above it.
    depth: u32,
    /// Children that are complete.
    children: u32,
}

/// A tree over keys of one length, up to sixteen bytes, that come in ascending order.
///
/// Keeps no keys: only the branching points on the way to the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedRax {
    /// Length of the keys in bytes.
    width: u32,
    last: u128,
    open: [Branch; 16],
    open_len: usize,
    size: RaxSize,
    /// Keys that did not come in order, for which two nodes each are assumed.
    disordered: bool,
}

impl FixedRax {
    /// An empty tree over keys of `width` bytes.
    pub(crate) fn new(width: u32) -> Self {
        Self {
            width: width.min(16),
            last: 0,
            open: [Branch::default(); 16],
            open_len: 0,
            size: RaxSize::default(),
            disordered: false,
        }
    }

    /// Whether keys came out of order, so that the size is a guess.
    pub(crate) fn is_disordered(&self) -> bool {
        self.disordered
    }

    /// The next key: its bytes are the highest ones of `key`. A repeated key is not counted again.
    #[inline]
    pub(crate) fn push(&mut self, key: u128, nodes: RaxNodes) {
        if self.size.keys > 0 {
            let common = (self.last ^ key).leading_zeros() / 8;
            if common >= self.width {
                return;
            }
            if key < self.last {
                self.disordered = true;
            } else {
                self.branch(common, nodes);
            }
        }
        self.last = self.last.max(key);
        self.size.keys += 1;
        if !nodes.inline_leaves {
            self.add(nodes.node(0, false, true));
        }
    }

    /// Closes what lies deeper than `common` bytes and opens one more child there.
    fn branch(&mut self, common: u32, nodes: RaxNodes) {
        let below = self.close(common, nodes);
        self.stretch(common + 1, below, nodes);
        match self.open_len.checked_sub(1).and_then(|top| self.open.get_mut(top)) {
            Some(branch) if branch.depth == common => branch.children += 1,
            _ => {
                if let Some(branch) = self.open.get_mut(self.open_len) {
                    *branch = Branch { depth: common, children: 1 };
                    self.open_len += 1;
                }
            }
        }
    }

    /// Closes branching points below `depth`; returns where the topmost node of the rest begins.
    fn close(&mut self, depth: u32, nodes: RaxNodes) -> u32 {
        let mut below = self.width;
        while let Some(&branch) = self.open_len.checked_sub(1).and_then(|top| self.open.get(top)) {
            if branch.depth <= depth {
                break;
            }
            self.open_len -= 1;
            self.stretch(branch.depth + 1, below, nodes);
            self.add(nodes.node(u64::from(branch.children) + 1, false, false));
            below = branch.depth;
        }
        below
    }

    /// The bytes from one node to the next one, if there are any.
    #[inline]
    fn stretch(&mut self, from: u32, to: u32, nodes: RaxNodes) {
        if let Some(chars) = to.checked_sub(from)
            && chars > 0
        {
            self.add(nodes.node(u64::from(chars), chars > 1, false));
        }
    }

    #[inline]
    fn add(&mut self, bytes: u64) {
        self.size.nodes = self.size.nodes.saturating_add(1);
        self.size.bytes = self.size.bytes.saturating_add(bytes);
    }

    /// The whole tree.
    pub(crate) fn finish(mut self, nodes: RaxNodes) -> RaxSize {
        if self.size.keys == 0 {
            return nodes.empty();
        }
        if let Some(&root) = self.open.first().filter(|branch| self.open_len > 0 && branch.depth == 0) {
            let below = self.close(0, nodes);
            self.stretch(1, below, nodes);
            self.add(nodes.node(u64::from(root.children) + 1, false, false));
        } else {
            // Everything hangs below one stretch.
            let mut below = self.width;
            while let Some(&branch) = self.open_len.checked_sub(1).and_then(|top| self.open.get(top)) {
                self.open_len -= 1;
                self.stretch(branch.depth + 1, below, nodes);
                self.add(nodes.node(u64::from(branch.children) + 1, false, false));
                below = branch.depth;
            }
            self.stretch(0, below, nodes);
        }
        self.size
    }
}

/// A part of the sorted names that share their first bytes.
#[derive(Clone, Copy, Debug)]
struct Part {
    from: usize,
    to: usize,
    depth: usize,
}

/// Names of any length, of which the tree is worked out at the end. Reusable without allocating.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    bytes: Vec<u8>,
    /// Where each name is in `bytes`.
    names: Vec<(usize, usize)>,
    parts: Vec<Part>,
}

impl Names {
    /// Forgets all names.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.names.clear();
    }

    /// One more name.
    pub(crate) fn push(&mut self, name: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.names.push((start, self.bytes.len()));
    }

    fn name<'b>(bytes: &'b [u8], name: Option<&(usize, usize)>) -> &'b [u8] {
        name.and_then(|&(start, end)| bytes.get(start..end)).unwrap_or_default()
    }

    /// The tree over these names.
    pub(crate) fn tree(&mut self, nodes: RaxNodes) -> RaxSize {
        let Self { bytes, names, parts } = self;
        if names.is_empty() {
            return nodes.empty();
        }
        names.sort_unstable_by(|a, b| Self::name(bytes, Some(a)).cmp(Self::name(bytes, Some(b))));
        names.dedup_by(|a, b| Self::name(bytes, Some(a)) == Self::name(bytes, Some(b)));
        let mut size = RaxSize { keys: names.len() as u64, nodes: 0, bytes: 0 };
        let mut add = |bytes: u64| {
            size.nodes += 1;
            size.bytes = size.bytes.saturating_add(bytes);
        };
        parts.clear();
        parts.push(Part { from: 0, to: names.len(), depth: 0 });
        while let Some(Part { mut from, to, depth }) = parts.pop() {
            let key = Self::name(bytes, names.get(from)).len() == depth;
            if key {
                from += 1;
                if from == to {
                    add(nodes.node(0, false, true));
                    continue;
                }
            }
            let (first, last) = (Self::name(bytes, names.get(from)), Self::name(bytes, names.get(to - 1)));
            let shared = depth
                + first.iter().skip(depth).zip(last.iter().skip(depth)).take_while(|(a, b)| a == b).count();
            if shared > depth {
                let chars = (shared - depth) as u64;
                add(nodes.node(chars, chars > 1, key));
                parts.push(Part { from, to, depth: shared });
                continue;
            }
            let mut children = 0;
            while from < to {
                let byte = Self::name(bytes, names.get(from)).get(depth);
                let rest = names.get(from..to).unwrap_or_default();
                let len =
                    rest.partition_point(|name| Self::name(bytes, Some(name)).get(depth) <= byte).max(1);
                parts.push(Part { from, to: from + len, depth: depth + 1 });
                from += len;
                children += 1;
            }
            add(nodes.node(children, false, key));
        }
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: RaxNodes = RaxNodes { allocator: Allocator::Jemalloc, inline_leaves: false };

    fn fixed(ids: &[u128], width: u32) -> RaxSize {
        let mut tree = FixedRax::new(width);
        for &id in ids {
            tree.push(id, NODES);
        }
        tree.finish(NODES)
    }

    fn by_name(ids: &[u128], width: usize) -> RaxSize {
        let mut names = Names::default();
        for id in ids {
            names.push(&id.to_be_bytes()[..width]);
        }
        names.tree(NODES)
    }

    #[test]
    fn empty_and_single() {
        assert_eq!(fixed(&[], 16), RaxSize { keys: 0, nodes: 1, bytes: 8 });
        // A stretch of sixteen bytes and a leaf.
        assert_eq!(fixed(&[7], 16), RaxSize { keys: 1, nodes: 2, bytes: 32 + 16 });
    }

    #[test]
    fn streaming_equals_the_tree_over_all_keys() {
        let mut seed = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = move || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for round in 0..200 {
            let start = u128::from(random()) << 64;
            let spread = 1u64 << (round % 40);
            let mut ids: Vec<u128> = (0..random() % 60)
                .map(|_| start.wrapping_add(u128::from(random() % spread) << (32 * (round % 3))))
                .collect();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(fixed(&ids, 16), by_name(&ids, 16), "{ids:x?}");
        }
        let ids: Vec<u128> = (0..300u128).map(|n| n << 64 << 4).collect();
        assert_eq!(fixed(&ids, 8), by_name(&ids, 8));
    }

    #[test]
    fn one_id_per_millisecond_takes_two_nodes_each() {
        let ids: Vec<u128> = (1_600_000_000_000..1_600_000_001_000u128).map(|ms| ms << 64).collect();
        let size = fixed(&ids, 16);
        assert!((2000..2020).contains(&size.nodes), "{size:?}");
    }

    #[test]
    fn names_that_begin_others() {
        let mut names = Names::default();
        for name in [&b"foobar"[..], b"foo", b"footer"] {
            names.push(name);
        }
        // "foo" -> key node with b and t -> "ar" -> leaf, "er" -> leaf.
        let size = names.tree(NODES);
        assert_eq!((size.keys, size.nodes), (3, 6));
        names.clear();
        assert_eq!(names.tree(NODES).nodes, 1);
    }

    #[test]
    fn disorder_is_noticed() {
        let mut tree = FixedRax::new(16);
        for id in [1u128 << 70, 1 << 69, 1 << 71] {
            tree.push(id, NODES);
        }
        assert!(tree.is_disordered());
        assert_eq!(tree.finish(NODES).keys, 3);
    }
}
