//! The tree while it grows: one look-up per key, and a walk only for names not seen before.

use super::arena::{Arena, Id, Lead, NONE, Node, TOP};
use super::cut::Cutter;
use super::identity::{Identity, Seeds};
use super::options::PrefixOptions;
use super::summary::PrefixSummary;
use super::{budget, build, close};
use crate::{Aggregate, Observation};

/// How many databases are kept apart before they are summed in one root.
pub const MAX_DATABASES: usize = 1024;

/// Sums keys by the prefixes of their names. See the [module](super) for the rules.
#[derive(Debug)]
pub struct PrefixTree {
    pub(super) options: PrefixOptions,
    pub(super) cutter: Cutter,
    seeds: Seeds,
    pub(super) arena: Arena,
    /// Levels at which some node no longer keeps its branches apart, a bit for each.
    pub(super) closed_levels: u128,
}

/// Where a walk down the tree arrives.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// At a node.
    Node(Id),
    /// At the sum of a node that keeps no branches: everything below is counted there.
    Carry(Id),
}

impl PrefixTree {
    /// An empty tree.
    #[must_use]
    pub fn new(options: PrefixOptions) -> Self {
        let mut arena = Arena::default();
        arena.insert_unnamed(Node::new(Identity::default(), &[], NONE, 0));
        let cutter = Cutter::new(&options);
        Self { options, cutter, seeds: Seeds::of_process(), arena, closed_levels: 0 }
    }

    /// How many nodes the tree holds at the moment. For tests of its bounds.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.arena.len()
    }

    /// Where the key that was cut last is counted, when that could not be seen at once.
    #[cold]
    fn place(&mut self, identity: Identity, found: Option<Id>) -> Option<Id> {
        if let Some(id) = found {
            let node = self.arena.get(id)?;
            let (parent, label) = (node.parent, node.label.clone());
            return self.settle(parent, &label, identity);
        }
        let last = self.cutter.ends().len().checked_sub(1)?;
        if let Some(above) = last.checked_sub(1)
            && let Some(parent) = self.find_level(above)
            && let Some(node) = self.arena.get(parent)
            && node.branch
        {
            if node.leaves_closed {
                return self.carry_level(node.carry, last);
            }
            return self.settle_level(parent, last, identity);
        }
        self.walk(last, identity)
    }

    /// Goes down from the top, making what is missing.
    fn walk(&mut self, last: usize, identity: Identity) -> Option<Id> {
        let mut levels = self.closed_levels;
        while levels != 0 {
            let level = levels.trailing_zeros() as usize;
            levels &= levels - 1;
            let node = match level.checked_sub(1) {
                None => Some(TOP),
                Some(end) if end < last => self.find_level(end),
                Some(_) => break,
            };
            if let Some(node) = node.and_then(|id| self.arena.get(id))
                && node.branches_closed
            {
                return self.carry_level(node.carry, level);
            }
        }
        let mut at = TOP;
        for level in 0..last {
            let (start, end) = self.span(level)?;
            let path = self.cutter.path();
            let label: Box<[u8]> = path.get(start..end)?.into();
            let identity = self.seeds.identify(path.get(..end)?);
            at = match self.enter(at, &label, identity)? {
                Step::Node(id) => id,
                Step::Carry(id) => return Some(id),
            };
        }
        self.settle_level(at, last, identity)
    }

    fn settle_level(&mut self, parent: Id, level: usize, identity: Identity) -> Option<Id> {
        let (start, end) = self.span(level)?;
        let label: Box<[u8]> = self.cutter.path().get(start..end)?.into();
        self.settle(parent, &label, identity)
    }

    /// The carry that takes the key because of its label at a level.
    fn carry_level(&mut self, carry: Id, level: usize) -> Option<Id> {
        let (start, end) = self.span(level)?;
        let label = self.cutter.path().get(start..end)?;
        let lead = Lead::of(self.cutter.lead(label));
        self.arena.note_lead(carry, lead);
        Some(carry)
    }

    /// The carry that takes a label.
    fn carry_label(&mut self, carry: Id, label: &[u8]) -> Id {
        self.arena.note_lead(carry, Lead::of(self.cutter.lead(label)));
        carry
    }

    /// Where the label of a level lies in the path. A database's label is its number.
    fn span(&self, level: usize) -> Option<(usize, usize)> {
        let ends = self.cutter.ends();
        let start = level.checked_sub(1).map_or(Some(0), |above| ends.get(above).copied())?;
        Some((start, *ends.get(level)?))
    }

    fn find_level(&self, level: usize) -> Option<Id> {
        let path = self.cutter.path().get(..*self.cutter.ends().get(level)?)?;
        self.arena.find(self.seeds.identify(path))
    }

    /// Steps down to a child that keys go on below.
    pub(super) fn enter(&mut self, parent: Id, label: &[u8], identity: Identity) -> Option<Step> {
        let found = self.arena.find(identity);
        if let Some(id) = found
            && self.arena.get(id)?.branch
        {
            return Some(Step::Node(id));
        }
        let node = self.arena.get(parent)?;
        if node.branches_closed || node.branches as usize >= self.branch_limit(node.level) {
            let carry = close::branches(self, parent)?;
            return Some(Step::Carry(self.carry_label(carry, label)));
        }
        let id = match found {
            Some(id) => id,
            None => self.add_child(parent, label, identity)?,
        };
        self.arena.get_mut(id)?.branch = true;
        self.arena.get_mut(parent)?.branches += 1;
        Some(Step::Node(id))
    }

    /// Where keys are counted that end at a child.
    pub(super) fn settle(&mut self, parent: Id, label: &[u8], identity: Identity) -> Option<Id> {
        if parent == TOP {
            // The empty key belongs to the database itself.
            return Some(match self.enter(TOP, label, identity)? {
                Step::Node(id) => {
                    self.arena.get_mut(id)?.own_at = id;
                    id
                }
                Step::Carry(id) => id,
            });
        }
        let found = self.arena.find(identity);
        if let Some(id) = found
            && self.arena.get(id)?.own_at == id
        {
            return Some(id);
        }
        let node = self.arena.get(parent)?;
        if node.leaves_closed || node.leaves as usize >= self.options.max_children {
            let carry = close::leaves(self, parent)?;
            return Some(self.carry_label(carry, label));
        }
        let id = match found {
            Some(id) => id,
            None => self.add_child(parent, label, identity)?,
        };
        self.arena.get_mut(id)?.own_at = id;
        self.arena.get_mut(parent)?.leaves += 1;
        Some(id)
    }

    /// How many branches a node at a level of the arena keeps apart.
    const fn branch_limit(&self, level: u8) -> usize {
        match level {
            0 => MAX_DATABASES,
            1 => self.options.max_first,
            _ => self.options.max_children,
        }
    }

    fn add_child(&mut self, parent: Id, label: &[u8], identity: Identity) -> Option<Id> {
        let level = self.arena.get(parent)?.level + 1;
        let id = self.arena.insert(Node::new(identity, label, parent, level));
        self.arena.get_mut(parent)?.children.push(id);
        Some(id)
    }

    /// Takes over the subtree of another tree below a node of this one.
    fn merge_below(&mut self, at: Step, theirs: &mut Arena, id: Id) -> Option<()> {
        let node = theirs.remove(id)?;
        let carried = theirs.remove(node.carry);
        match at {
            Step::Carry(carry) => {
                if let Some(theirs) = carried {
                    self.arena.get_mut(carry)?.own.add(theirs.own);
                }
            }
            Step::Node(mine) => {
                if node.leaves_closed {
                    close::leaves(self, mine)?;
                }
                if node.branches_closed {
                    close::branches(self, mine)?;
                }
                if let Some(theirs) = carried {
                    let carry = self.arena.get(mine)?.carry;
                    self.arena.note_lead(carry, theirs.lead);
                    self.arena.get_mut(carry)?.own.add(theirs.own);
                }
            }
        }
        for child in node.children {
            self.merge_child(at, theirs, child);
        }
        Some(())
    }

    fn merge_child(&mut self, at: Step, theirs: &mut Arena, child: Id) -> Option<()> {
        let node = theirs.get_mut(child)?;
        let own = std::mem::take(&mut node.own);
        let (counts, branch, identity, label) =
            (node.own_at == child, node.branch, node.identity, node.label.clone());
        if counts {
            let target = match at {
                Step::Node(parent) => self.settle(parent, &label, identity)?,
                Step::Carry(carry) => carry,
            };
            self.arena.get_mut(target)?.own.add(own);
        }
        if !branch {
            theirs.remove(child);
            return Some(());
        }
        let below = match at {
            Step::Node(parent) => self.enter(parent, &label, identity)?,
            carry @ Step::Carry(_) => carry,
        };
        self.merge_below(below, theirs, child)
    }

    fn keep_budget(&mut self) {
        if self.arena.len() > self.options.max_nodes.saturating_mul(2) {
            budget::enforce(self);
        }
    }
}

impl Aggregate for PrefixTree {
    type Summary = PrefixSummary;

    fn observe(&mut self, seen: &Observation<'_>) {
        self.cutter.cut(seen.db, seen.key);
        let identity = self.seeds.identify(self.cutter.path());
        let found = self.arena.find(identity);
        let known = found.and_then(|id| self.arena.get(id)).map_or(NONE, |node| node.own_at);
        let bytes = seen.bytes(self.options.measure);
        if let Some(node) = self.arena.get_mut(known) {
            node.own.add_seen(seen, bytes);
            return;
        }
        if let Some(id) = self.place(identity, found)
            && let Some(node) = self.arena.get_mut(id)
        {
            node.own.add_seen(seen, bytes);
        }
        self.keep_budget();
    }

    fn merge(&mut self, mut other: Self) {
        if other.arena.len() > self.arena.len() {
            std::mem::swap(self, &mut other);
        }
        self.merge_below(Step::Node(TOP), &mut other.arena, TOP);
        self.keep_budget();
    }

    fn finish(mut self) -> PrefixSummary {
        budget::enforce(&mut self);
        build::summary(&self)
    }
}
