//! Closing: what happens when a node has too many different children.
//!
//! The children that are leaves, or those that are branches, are summed in one child, the carry.
//! Nothing below a closed set of branches is kept, so the result is the same whether the children
//! were there before or come later.

use super::arena::{Arena, Id, Lead, NONE, Node, Own, TOP};
use super::identity::Identity;
use super::tree::PrefixTree;

/// What the label of a child that sums too many ends in. A separator stands in front of it when all
/// that is summed begins with the same one. No key folds to this text: its braces would be doubled.
pub const CARRY_LABEL: &[u8] = b"{*}";

/// Closes the leaves of a node. Answers the carry.
pub(super) fn leaves(tree: &mut PrefixTree, parent: Id) -> Option<Id> {
    let carry = carry_of(&mut tree.arena, parent)?;
    let node = tree.arena.get_mut(parent)?;
    if node.leaves_closed {
        return Some(carry);
    }
    node.leaves_closed = true;
    let children = std::mem::take(&mut node.children);
    let mut kept = Vec::new();
    let mut lead = Lead::Unknown;
    for child in children {
        let Some(node) = tree.arena.get_mut(child) else { continue };
        if node.own_at == child {
            node.own_at = carry;
            lead = lead.join(Lead::of(tree.cutter.lead(&node.label)));
            let own = std::mem::take(&mut node.own);
            let stays = node.branch;
            tree.arena.get_mut(carry)?.own.add(own);
            if !stays {
                tree.arena.remove(child);
                continue;
            }
        }
        kept.push(child);
    }
    tree.arena.get_mut(parent)?.children = kept;
    tree.arena.note_lead(carry, lead);
    Some(carry)
}

/// Closes the branches of a node. Answers the carry.
pub(super) fn branches(tree: &mut PrefixTree, parent: Id) -> Option<Id> {
    if parent == TOP {
        leaves(tree, parent)?;
    }
    let carry = carry_of(&mut tree.arena, parent)?;
    let node = tree.arena.get_mut(parent)?;
    if node.branches_closed {
        return Some(carry);
    }
    node.branches_closed = true;
    tree.closed_levels |= 1 << node.level.min(127);
    let children = std::mem::take(&mut node.children);
    let mut kept = Vec::new();
    let mut sum = Own::default();
    let mut lead = Lead::Unknown;
    for child in children {
        let Some(node) = tree.arena.get_mut(child) else { continue };
        if node.branch {
            let below = std::mem::take(&mut node.children);
            let own_carry = std::mem::replace(&mut node.carry, NONE);
            node.branch = false;
            lead = lead.join(Lead::of(tree.cutter.lead(&node.label)));
            (node.leaves, node.branches) = (0, 0);
            (node.leaves_closed, node.branches_closed) = (false, false);
            let stays = node.own_at == child;
            drain(&mut tree.arena, own_carry, &mut sum);
            for id in below {
                drain(&mut tree.arena, id, &mut sum);
            }
            if !stays {
                tree.arena.remove(child);
                continue;
            }
        }
        kept.push(child);
    }
    tree.arena.get_mut(parent)?.children = kept;
    tree.arena.get_mut(carry)?.own.add(sum);
    tree.arena.note_lead(carry, lead);
    Some(carry)
}

/// Takes a subtree out and adds everything it counted to `sum`.
fn drain(arena: &mut Arena, id: Id, sum: &mut Own) {
    let Some(node) = arena.remove(id) else { return };
    sum.add(node.own);
    drain(arena, node.carry, sum);
    for child in node.children {
        drain(arena, child, sum);
    }
}

fn carry_of(arena: &mut Arena, parent: Id) -> Option<Id> {
    let node = arena.get(parent)?;
    if node.carry != NONE {
        return Some(node.carry);
    }
    let level = node.level + 1;
    let carry = arena.insert_unnamed(Node::new(Identity::default(), CARRY_LABEL, parent, level));
    arena.get_mut(carry)?.own_at = carry;
    arena.get_mut(parent)?.carry = carry;
    Some(carry)
}
