//! From the grown tree to the summary: sums over ancestors, full paths, ranked children.

use super::arena::{Id, Lead, Node, TOP};
use super::cut::DB_BYTES;
use super::largest::LargestKey;
use super::summary::{PrefixNode, PrefixRoot, PrefixSummary};
use super::tree::PrefixTree;
use crate::{Measure, Tally};

/// Reads the summary off a tree.
pub(super) fn summary(tree: &PrefixTree) -> PrefixSummary {
    let mut roots = Vec::new();
    if let Some(top) = tree.arena.get(TOP) {
        for &id in top.children.iter().chain([&top.carry]) {
            let Some(node) = tree.arena.get(id) else { continue };
            let db = (id != top.carry).then(|| number(&node.label));
            roots.push(PrefixRoot { db, node: build(tree, node, Vec::new(), 0, 0) });
        }
    }
    roots.retain(|root| root.node.tally.keys > 0);
    roots.sort_by_key(|root| root.db);
    let mut total = Tally::default();
    for root in &roots {
        total += root.node.tally;
    }
    PrefixSummary { options: tree.options.clone(), total, roots }
}

fn number(label: &[u8]) -> u64 {
    let bytes: [u8; DB_BYTES] = label.try_into().unwrap_or_default();
    u64::from_le_bytes(bytes)
}

fn build(tree: &PrefixTree, node: &Node, path: Vec<u8>, label_start: usize, depth: usize) -> PrefixNode {
    let mut built = PrefixNode {
        path,
        label_start,
        depth,
        tally: node.own.tally,
        own: node.own.tally,
        largest: node.own.largest.clone(),
        children: Vec::with_capacity(node.children.len()),
    };
    let children: Vec<Id> = node.children.iter().copied().chain([node.carry]).collect();
    for id in children {
        let Some(child) = tree.arena.get(id) else { continue };
        let lead = if let Lead::Same(separator) = child.lead { vec![separator] } else { Vec::new() };
        let path = [built.path.as_slice(), &lead, &child.label].concat();
        let child = build(tree, child, path, built.path.len(), depth + 1);
        if child.tally.keys == 0 {
            continue;
        }
        built.tally += child.tally;
        LargestKey::keep(&mut built.largest, child.largest.clone());
        built.children.push(child);
    }
    rank(&mut built.children, tree.options.measure);
    built
}

fn rank(children: &mut [PrefixNode], measure: Measure) {
    children.sort_unstable_by(|a, b| {
        let by_size = b.tally.bytes(measure).cmp(&a.tally.bytes(measure));
        by_size.then_with(|| a.path.cmp(&b.path))
    });
}
