//! The nodes of a growing tree and how to find one.

use hashbrown::HashTable;

use super::identity::Identity;
use super::largest::LargestKey;
use crate::{Observation, Tally};

/// The place of a node in the arena.
pub(super) type Id = u32;
/// No node.
pub(super) const NONE: Id = Id::MAX;
/// The node above all databases.
pub(super) const TOP: Id = 0;

/// What was counted at one node itself.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub(super) tally: Tally,
    pub(super) largest: Option<LargestKey>,
}

impl Own {
    #[inline]
    pub(super) fn add_seen(&mut self, seen: &Observation<'_>, bytes: u64) {
        self.tally += Tally::of(seen);
        LargestKey::keep_seen(&mut self.largest, seen, bytes);
    }

    pub(super) fn add(&mut self, other: Self) {
        self.tally += other.tally;
        LargestKey::keep(&mut self.largest, other.largest);
    }
}

/// The byte that the labels summed in a carry begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lead {
    /// Nothing was summed yet.
    #[default]
    Unknown,
    /// All begin with this separator.
    Same(u8),
    /// They begin with different separators, or with none.
    Mixed,
}

impl Lead {
    pub(super) fn of(separator: Option<u8>) -> Self {
        separator.map_or(Self::Mixed, Self::Same)
    }

    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, lead) | (lead, Self::Unknown) => lead,
            (Self::Same(this), Self::Same(that)) if this == that => self,
            _ => Self::Mixed,
        }
    }
}

/// One node. A child can be two things to its parent, each counted apart: a *leaf*, because a
/// key ends there, and a *branch*, because keys go on below it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) identity: Identity,
    pub(super) label: Box<[u8]>,
    pub(super) parent: Id,
    pub(super) level: u8,
    pub(super) children: Vec<Id>,
    /// Where a key that ends here is counted: here, in the parent's carry, or not yet anywhere.
    pub(super) own_at: Id,
    pub(super) branch: bool,
    /// Children that are leaves, until there are too many.
    pub(super) leaves: u32,
    pub(super) branches: u32,
    pub(super) leaves_closed: bool,
    pub(super) branches_closed: bool,
    /// The child that sums what was closed.
    pub(super) carry: Id,
    /// For a carry: what the labels in it begin with.
    pub(super) lead: Lead,
    pub(super) own: Own,
}

impl Node {
    pub(super) fn new(identity: Identity, label: &[u8], parent: Id, level: u8) -> Self {
        Self {
            identity,
            label: label.into(),
            parent,
            level,
            children: Vec::new(),
            own_at: NONE,
            branch: false,
            leaves: 0,
            branches: 0,
            leaves_closed: false,
            branches_closed: false,
            carry: NONE,
            lead: Lead::Unknown,
            own: Own::default(),
        }
    }
}

/// Nodes by number and by identity.
#[derive(Debug, Default)]
pub(super) struct Arena {
    nodes: Vec<Option<Node>>,
    free: Vec<Id>,
    index: HashTable<(Identity, Id)>,
}

impl Arena {
    #[inline]
    pub(super) fn find(&self, identity: Identity) -> Option<Id> {
        self.index.find(identity.hash, |(found, _)| *found == identity).map(|(_, id)| *id)
    }

    #[inline]
    pub(super) fn get(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id as usize)?.as_ref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: Id) -> Option<&mut Node> {
        self.nodes.get_mut(id as usize)?.as_mut()
    }

    /// Nodes in use.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// Notes what a label that is summed in a carry begins with.
    pub(super) fn note_lead(&mut self, carry: Id, lead: Lead) {
        if let Some(node) = self.get_mut(carry) {
            node.lead = node.lead.join(lead);
        }
    }

    /// One more than the highest number in use.
    pub(super) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Takes in a node that can be found by its identity.
    pub(super) fn insert(&mut self, node: Node) -> Id {
        let identity = node.identity;
        let id = self.insert_unnamed(node);
        self.index.insert_unique(identity.hash, (identity, id), |(identity, _)| identity.hash);
        id
    }

    /// Takes in a node that only its parent knows.
    pub(super) fn insert_unnamed(&mut self, node: Node) -> Id {
        if let Some(id) = self.free.pop()
            && let Some(place) = self.nodes.get_mut(id as usize)
        {
            *place = Some(node);
            return id;
        }
        let id = Id::try_from(self.nodes.len()).unwrap_or(NONE);
        self.nodes.push(Some(node));
        id
    }

    /// Takes a node out.
    pub(super) fn remove(&mut self, id: Id) -> Option<Node> {
        let node = self.nodes.get_mut(id as usize)?.take()?;
        self.free.push(id);
        if let Ok(entry) = self.index.find_entry(node.identity.hash, |(_, found)| *found == id) {
            entry.remove();
        }
        Some(node)
    }
}
