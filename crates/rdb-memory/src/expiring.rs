//! The index over the fields of a hash that expire, whichever the server has.

use crate::SizeModel;
use crate::bytes::Bytes;
use crate::ebuckets::Ebuckets;
use crate::vset::VolatileFields;

/// The fields of a hash that expire, in the order in which it is loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExpiringFields {
    valkey: VolatileFields,
    redis: Ebuckets,
    /// Whether there are any.
    some: bool,
}

impl ExpiringFields {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.valkey.clear();
        self.redis.clear();
        self.some = false;
    }

    /// A field that expires then.
    pub(crate) fn push(&mut self, time: i64, model: &SizeModel) {
        self.some = true;
        if model.facts.volatile_index {
            self.valkey.push(time);
        } else if model.facts.field_expiry_root > 0 {
            self.redis.push(time);
        }
    }

    /// Whether its size is in proportion to what was followed.
    pub(crate) fn is_extrapolated(&self) -> bool {
        self.valkey.is_extrapolated()
    }

    /// The index. Redis' is no part of the answer.
    pub(crate) fn bytes(&self, model: &SizeModel) -> Bytes {
        let root = if self.some { model.facts.field_expiry_root } else { 0 };
        Bytes::both(self.valkey.bytes(model))
            + Bytes::unanswered(root.saturating_add(self.redis.bytes(model)))
    }
}
