//! The finished tree: plain values that renderers walk.

use super::close::CARRY_LABEL;
use super::largest::LargestKey;
use super::options::PrefixOptions;
use crate::{Measure, Tally};

/// The prefix tree of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixSummary {
    /// The settings it was made with.
    pub options: PrefixOptions,
    /// Sum over all databases.
    pub total: Tally,
    /// One root for each database that has keys, in the order of their numbers.
    pub roots: Vec<PrefixRoot>,
}

/// The tree of one database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixRoot {
    /// The database; `None` when there are more than [`MAX_DATABASES`](super::MAX_DATABASES) and
    /// this one root sums them all.
    pub db: Option<u64>,
    /// All keys of the database. Its path is empty, its depth 0.
    pub node: PrefixNode,
}

/// All keys whose path begins with that of the node and then ends or goes on with a separator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixNode {
    /// The text from the start of the key to here, with identifiers folded and braces doubled.
    pub path: Vec<u8>,
    /// How many bytes of the path belong to the nodes above.
    pub label_start: usize,
    /// How many levels down from the root.
    pub depth: usize,
    /// Sum over all keys here and below.
    pub tally: Tally,
    /// Sum over the keys that end here.
    pub own: Tally,
    /// The largest key here or below, by the measure of the tree.
    pub largest: Option<LargestKey>,
    /// The largest by measure first; among equals, the first by path.
    pub children: Vec<PrefixNode>,
}

impl PrefixNode {
    /// The node's part of the path: separators in front, then the segment.
    #[must_use]
    pub fn label(&self) -> &[u8] {
        self.path.get(self.label_start..).unwrap_or_default()
    }

    /// Whether this child sums children that were too many to keep apart.
    #[must_use]
    pub fn is_sum_of_many(&self) -> bool {
        self.depth > 0 && self.label().ends_with(CARRY_LABEL) && self.children.is_empty()
    }

    /// This node and all below it, parents first, in the order of the children.
    pub fn walk(&self) -> impl Iterator<Item = &Self> {
        let mut stack = vec![self];
        std::iter::from_fn(move || {
            let node = stack.pop()?;
            stack.extend(node.children.iter().rev());
            Some(node)
        })
    }
}

impl PrefixSummary {
    /// The measure that ranks the nodes.
    #[must_use]
    pub const fn measure(&self) -> Measure {
        self.options.measure
    }

    /// The node with this path in this database.
    #[must_use]
    pub fn find(&self, db: u64, path: &[u8]) -> Option<&PrefixNode> {
        let mut node = &self.roots.iter().find(|root| root.db == Some(db))?.node;
        while node.path != path {
            // Labels can begin alike (`a` and `a-b`), so the longest that fits is not always right.
            let mut fitting = node.children.iter().filter(|child| path.starts_with(&child.path));
            node = fitting.find(|child| {
                child.path.len() == path.len()
                    || child.children.iter().any(|below| path.starts_with(&below.path))
            })?;
        }
        Some(node)
    }
}
