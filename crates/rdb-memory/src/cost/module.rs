//! Module values: only the module knows what it holds, so the parts of the file stand in.

use rdb_format::Encoding;
use rdb_parser::{ModuleId, ModulePart};

use super::ValueCost;
use crate::bytes::Bytes;
use crate::{Basis, SizeModel};

/// `sizeof(moduleValue)`: type and pointer.
const MODULE_VALUE: u64 = 16;
/// A node of a vector set's graph, without vector and links: `hnswNode` in `modules/vector-sets/hnsw.c` of
/// Redis 8.2, with the marks of 32 threads and its lowest layer.
const VECTOR_NODE: u64 = 376;
/// What is allocated around a part of its own.
const PART: u64 = 16;

/// A module value that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModuleBuilder {
    vector_set: bool,
    parts: u64,
    vectors: u64,
    bytes: u64,
}

impl ModuleBuilder {
    /// A value of this module type.
    pub(crate) fn new(id: ModuleId) -> Self {
        Self { vector_set: &id.name() == b"vectorset", parts: 0, vectors: 0, bytes: MODULE_VALUE }
    }

    /// One more part.
    pub(crate) fn part(&mut self, part: ModulePart<'_>, model: &SizeModel) {
        self.parts = self.parts.saturating_add(1);
        let bytes = match part {
            ModulePart::Text(text) => model.usable(text.len().saturating_add(PART)),
            ModulePart::Unsigned(count) if self.parts == 2 => {
                self.vectors = count;
                8
            }
            _ => 8,
        };
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// The value.
    pub(crate) fn finish(self, model: &SizeModel) -> ValueCost {
        let mut bytes = self.bytes;
        if self.vector_set {
            // The declared number of elements is no more than the parts there are.
            let vectors = self.vectors.min(self.parts);
            bytes = bytes.saturating_add(model.usable(VECTOR_NODE).saturating_mul(vectors));
        }
        ValueCost::fixed(Encoding::Raw, Bytes::both(bytes)).based_on(Basis::Assumed)
    }
}
