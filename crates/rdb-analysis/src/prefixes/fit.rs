//! The part of the tree that fits a number of lines: the biggest branch is opened first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::rows::{PrefixRow, Shown, flatten};
use super::summary::{PrefixNode, PrefixSummary};

/// A node that got a line, and how many of its children did.
struct Line<'a> {
    node: &'a PrefixNode,
    text_start: usize,
    children: Vec<usize>,
}

/// The largest child of a line that has no line yet.
struct Candidate<'a> {
    bytes: u64,
    root: usize,
    line: usize,
    child: &'a PrefixNode,
}

impl PrefixSummary {
    /// Rows for a terminal: at most `lines` of them (more only if there are more databases),
    /// every node with a share of at least `min_share`.
    ///
    /// Nodes come by size, whatever their level. A node whose only content is one child is joined
    /// with it into one row, `app:prod:user`. The rows add up as those of [`rows`](Self::rows) do.
    #[must_use]
    pub fn rows_that_fit(&self, lines: usize, min_share: f64) -> Vec<PrefixRow<'_>> {
        let mut shown: Vec<Line<'_>> = self
            .roots
            .iter()
            .map(|root| Line { node: &root.node, text_start: 0, children: Vec::new() })
            .collect();
        let mut candidates = BinaryHeap::new();
        for (at, root) in self.roots.iter().enumerate() {
            candidates.extend(self.candidate(&root.node, 0, at, at, min_share));
        }
        let mut used = shown.len();
        while let Some(Candidate { root, line, child, .. }) = candidates.pop() {
            let new = shown.len();
            let Some(parent) = shown.get_mut(line) else { continue };
            let before = parent.children.len();
            let with_other =
                |count: usize| count > 0 && (count < parent.node.children.len() || parent.node.own.keys > 0);
            let after = used + 1 + usize::from(with_other(before + 1)) - usize::from(with_other(before));
            if after > lines {
                continue;
            }
            used = after;
            parent.children.push(new);
            candidates.extend(self.candidate(parent.node, before + 1, root, line, min_share));
            let end = end_of_chain(child);
            shown.push(Line { node: end, text_start: child.label_start, children: Vec::new() });
            candidates.extend(self.candidate(end, 0, root, new, min_share));
        }
        show_the_last_one(&mut shown);
        let mut rows = Vec::with_capacity(used);
        for (at, root) in self.roots.iter().enumerate() {
            if let Some(tree) = collect(&shown, at) {
                flatten(&mut rows, root.db, &tree, 0, at + 1 == self.roots.len());
            }
        }
        rows
    }

    fn candidate<'a>(
        &self,
        parent: &'a PrefixNode,
        at: usize,
        root: usize,
        line: usize,
        min_share: f64,
    ) -> Option<Candidate<'a>> {
        let child = parent.children.get(at).filter(|child| self.share(&child.tally) >= min_share)?;
        Some(Candidate { bytes: child.tally.bytes(self.measure()), root, line, child })
    }
}

/// A row for what is left out would take as much room as the one child that it stands for.
fn show_the_last_one(shown: &mut Vec<Line<'_>>) {
    for at in 0..shown.len() {
        let new = shown.len();
        let Some(line) = shown.get_mut(at) else { continue };
        let count = line.children.len();
        let [.., last] = line.node.children.as_slice() else { continue };
        if count > 0 && count + 1 == line.node.children.len() && line.node.own.keys == 0 {
            line.children.push(new);
            shown.push(Line { node: end_of_chain(last), text_start: last.label_start, children: Vec::new() });
        }
    }
}

/// Follows nodes that have one child and no keys of their own.
fn end_of_chain(mut node: &PrefixNode) -> &PrefixNode {
    while let [child] = node.children.as_slice()
        && node.own.keys == 0
    {
        node = child;
    }
    node
}

fn collect<'a>(lines: &[Line<'a>], at: usize) -> Option<Shown<'a>> {
    let line = lines.get(at)?;
    let children = line.children.iter().filter_map(|&child| collect(lines, child)).collect();
    Some(Shown { node: line.node, text_start: line.text_start, children })
}

impl Candidate<'_> {
    fn rank(&self) -> (u64, std::cmp::Reverse<(usize, &[u8])>) {
        (self.bytes, std::cmp::Reverse((self.root, &self.child.path)))
    }
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate<'_> {}
