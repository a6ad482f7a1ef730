//! The registry of hash templates that a file defines (Redis 8.10, opcode 242).

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// The templates defined so far: how many fields each has.
///
/// Clones share one registry. It only grows, and an identifier is never defined twice, so a worker
/// that reads an earlier part of the file again sees what it would have seen then, or more.
#[derive(Clone, Debug, Default)]
pub struct HashTemplates(Arc<RwLock<HashMap<u64, u64>>>);

impl HashTemplates {
    /// How many fields the template has, `None` when it is not defined.
    #[must_use]
    pub fn field_count(&self, id: u64) -> Option<u64> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&id).copied()
    }

    /// How many templates are defined.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether none is defined.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Defines a template. Returns whether its identifier is new.
    pub(crate) fn define(&self, id: u64, fields: u64) -> bool {
        let mut map = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match map.entry(id) {
            std::collections::hash_map::Entry::Occupied(_) => false,
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(fields);
                true
            }
        }
    }
}
