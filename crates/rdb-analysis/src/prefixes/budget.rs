//! The bound on all nodes together, as a rule that looks at the data alone.
//!
//! Every node gets an allowance for itself and all that is below it; the top gets
//! `max_nodes`. A node whose subtree fits keeps it. Otherwise at most a quarter of its allowance
//! goes to its leaves, and the rest is poured over its branches like water: each gets what
//! it needs up to a common level. Leaves or branches that do not find room are closed.
//!
//! Needs only grow as keys arrive, and a subtree in which branches were closed counts as needing
//! more than any allowance. So allowances only shrink, a set that was closed early would have been
//! closed in the end as well, and the rule may be applied at any time and in any piece: the finished
//! tree is the same.

use super::arena::{Id, NONE, TOP};
use super::close;
use super::tree::PrefixTree;

/// The need of a node in whose subtree branches were closed.
const ENDLESS: u64 = u64::MAX;

/// Applies the rule to the whole tree.
pub(super) fn enforce(tree: &mut PrefixTree) {
    let mut needs = vec![0; tree.arena.capacity()];
    measure(tree, TOP, &mut needs);
    allot(tree, TOP, tree.options.max_nodes as u64, &needs);
}

fn need_of(needs: &[u64], id: Id) -> u64 {
    needs.get(id as usize).copied().unwrap_or(0)
}

fn leaf_need(tree: &PrefixTree, id: Id) -> u64 {
    match tree.arena.get(id) {
        Some(node) if node.leaves_closed => tree.options.max_children as u64 + 1,
        Some(node) => u64::from(node.leaves),
        None => 0,
    }
}

/// Finds out what every branch needs for itself and all below it.
fn measure(tree: &PrefixTree, id: Id, needs: &mut [u64]) -> u64 {
    let Some(node) = tree.arena.get(id) else { return 0 };
    let mut need = 1 + leaf_need(tree, id);
    for &child in &node.children {
        if tree.arena.get(child).is_some_and(|child| child.branch) {
            need = need.saturating_add(measure(tree, child, needs));
        }
    }
    if node.branches_closed {
        need = ENDLESS;
    }
    if let Some(place) = needs.get_mut(id as usize) {
        *place = need;
    }
    need
}

fn allot(tree: &mut PrefixTree, id: Id, allowance: u64, needs: &[u64]) -> Option<()> {
    if id == NONE || need_of(needs, id) <= allowance {
        return Some(());
    }
    // The node itself and its carry.
    let inside = allowance.saturating_sub(2);
    let leaves = leaf_need(tree, id);
    if leaves > inside / 4 {
        close::leaves(tree, id)?;
    }
    let node = tree.arena.get(id)?;
    if node.branches_closed {
        return Some(());
    }
    let pool = inside - leaves.min(inside / 4);
    let branches: Vec<Id> = node
        .children
        .iter()
        .copied()
        .filter(|&child| tree.arena.get(child).is_some_and(|child| child.branch))
        .collect();
    if 2 * branches.len() as u64 > pool {
        close::branches(tree, id)?;
        return Some(());
    }
    let level = water_level(branches.iter().map(|&child| need_of(needs, child)).collect(), pool);
    for child in branches {
        allot(tree, child, level, needs);
    }
    Some(())
}

/// The highest level up to which every need can be met from the pool.
fn water_level(mut needs: Vec<u64>, mut pool: u64) -> u64 {
    needs.sort_unstable();
    let mut left = needs.len() as u64;
    for need in needs {
        let share = pool / left.max(1);
        if need > share {
            return share;
        }
        pool -= need;
        left -= 1;
    }
    u64::MAX
}

#[cfg(test)]
mod tests {
    use super::water_level;

    #[test]
    fn the_small_get_what_they_need_and_the_large_share_the_rest() {
        assert_eq!(water_level(vec![], 0), u64::MAX);
        assert_eq!(water_level(vec![3, 1, 2], 6), u64::MAX);
        assert_eq!(water_level(vec![3, 1, 3], 6), 2);
        assert_eq!(water_level(vec![1, 100, u64::MAX], 21), 10);
        assert_eq!(water_level(vec![5, 5, 5], 2), 0);
    }
}
