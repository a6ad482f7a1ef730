//! The tree as flat rows, with a visible row for what is left out.

use super::largest::LargestKey;
use super::summary::{PrefixNode, PrefixSummary};
use crate::Tally;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// A node with all that is below it.
    Node,
    /// `(other)`: those keys of the node that are in none of the rows one level below it,
    /// the node's own included. It comes after these rows.
    Other {
        /// How many children have no row.
        children: usize,
    },
}

/// One row of a listing.
///
/// Wherever a node has rows one level below it, these add up to the node in every field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixRow<'a> {
    /// The database, or `None` where one root sums them all.
    pub db: Option<u64>,
    /// What the row stands for.
    pub kind: RowKind,
    /// The node itself, or the one whose rest an `(other)` is.
    pub node: &'a PrefixNode,
    /// How many rows of nodes are above this one; the root has 0.
    pub indent: usize,
    /// How many bytes of the node's path the row above already tells.
    pub text_start: usize,
    /// Whether no row with the same indent and the same node above follows.
    pub last: bool,
    /// What the row sums.
    pub tally: Tally,
}

impl<'a> PrefixRow<'a> {
    /// What the path adds to that of the row above; empty for an `(other)`.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        match self.kind {
            RowKind::Node => self.node.path.get(self.text_start..).unwrap_or_default(),
            RowKind::Other { .. } => &[],
        }
    }

    /// The largest key of the node; `None` for an `(other)`.
    #[must_use]
    pub const fn largest(&self) -> Option<&'a LargestKey> {
        match self.kind {
            RowKind::Node => self.node.largest.as_ref(),
            RowKind::Other { .. } => None,
        }
    }

    /// The level of the row: that of the node, and for an `(other)` one below it.
    #[must_use]
    pub const fn depth(&self) -> usize {
        match self.kind {
            RowKind::Node => self.node.depth,
            RowKind::Other { .. } => self.node.depth + 1,
        }
    }
}

/// Which nodes get a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowLimits {
    /// The smallest share of the total, by the measure of the tree, from 0 to 1.
    pub min_share: f64,
    /// The deepest level.
    pub max_depth: usize,
    /// The most children of one node, the largest first.
    pub max_children: usize,
}

impl Default for RowLimits {
    /// Every node.
    fn default() -> Self {
        Self { min_share: 0.0, max_depth: usize::MAX, max_children: usize::MAX }
    }
}

/// A node that has a row, and those of its children that have one: the first of the ranking.
pub(super) struct Shown<'a> {
    pub(super) node: &'a PrefixNode,
    pub(super) text_start: usize,
    pub(super) children: Vec<Self>,
}

impl Shown<'_> {
    /// Joins each node with its child where that is all it holds.
    fn join_chains(&mut self) {
        while self.node.own.keys == 0
            && self.node.children.len() == 1
            && let Some(child) = self.children.pop()
        {
            self.node = child.node;
            self.children = child.children;
        }
        self.children.iter_mut().for_each(Self::join_chains);
    }
}

impl PrefixSummary {
    /// The rows of all nodes within the limits, parents first. Roots always have a row.
    #[must_use]
    pub fn rows(&self, limits: &RowLimits) -> Vec<PrefixRow<'_>> {
        let mut rows = Vec::new();
        for (at, root) in self.roots.iter().enumerate() {
            let shown = self.within(&root.node, limits);
            flatten(&mut rows, root.db, &shown, 0, at + 1 == self.roots.len());
        }
        rows
    }

    /// The same for readers: nodes whose only content is one child are joined with it into one row, as in
    /// [`rows_that_fit`](Self::rows_that_fit).
    #[must_use]
    pub fn rows_joined(&self, limits: &RowLimits) -> Vec<PrefixRow<'_>> {
        let mut rows = Vec::new();
        for (at, root) in self.roots.iter().enumerate() {
            let mut shown = self.within(&root.node, limits);
            shown.children.iter_mut().for_each(Shown::join_chains);
            flatten(&mut rows, root.db, &shown, 0, at + 1 == self.roots.len());
        }
        rows
    }

    fn within<'a>(&self, node: &'a PrefixNode, limits: &RowLimits) -> Shown<'a> {
        let mut children = Vec::new();
        if node.depth < limits.max_depth {
            // Children are ranked, so the first that is too small ends the list.
            let fitting = node.children.iter().take(limits.max_children);
            let fitting = fitting.take_while(|child| self.share(&child.tally) >= limits.min_share);
            children.extend(fitting.map(|child| self.within(child, limits)));
        }
        Shown { node, text_start: node.label_start, children }
    }

    /// The share of the total that a tally has, by the measure of the tree, from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a share is for reading")]
    pub fn share(&self, tally: &Tally) -> f64 {
        let total = self.total.bytes(self.measure());
        if total == 0 { 0.0 } else { tally.bytes(self.measure()) as f64 / total as f64 }
    }
}

/// Appends the rows of a shown node: itself, its shown children, and what they leave out.
pub(super) fn flatten<'a>(
    rows: &mut Vec<PrefixRow<'a>>,
    db: Option<u64>,
    shown: &Shown<'a>,
    indent: usize,
    last: bool,
) {
    let Shown { node, text_start, ref children } = *shown;
    rows.push(PrefixRow { db, kind: RowKind::Node, node, indent, text_start, last, tally: node.tally });
    if children.is_empty() {
        return;
    }
    let rest = rest_of(shown);
    for (at, child) in children.iter().enumerate() {
        flatten(rows, db, child, indent + 1, rest.is_none() && at + 1 == children.len());
    }
    if let Some((tally, hidden)) = rest {
        let kind = RowKind::Other { children: hidden };
        let text_start = node.path.len();
        rows.push(PrefixRow { db, kind, node, indent: indent + 1, text_start, last: true, tally });
    }
}

/// What a node has beside its shown children, and how many children that is.
fn rest_of(shown: &Shown<'_>) -> Option<(Tally, usize)> {
    let mut tally = shown.node.own;
    // Shown children are always the first of the ranking.
    let hidden = shown.node.children.get(shown.children.len()..).unwrap_or_default();
    for child in hidden {
        tally += child.tally;
    }
    (tally.keys > 0).then_some((tally, hidden.len()))
}
