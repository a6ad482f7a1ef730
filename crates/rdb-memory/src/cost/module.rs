//! Module values: only the module knows what it holds, so the parts of the file stand in.
//!
//! Servers answer what the module's `mem_usage` callback says, which is nothing for modules without one.

use rdb_format::Encoding;
use rdb_parser::ModulePart;

use super::ValueCost;
use crate::bytes::Bytes;
use crate::{Basis, SizeModel};

/// `sizeof(moduleValue)`: type and pointer.
const MODULE_VALUE: u64 = 16;
/// What is allocated around a part of its own.
const PART: u64 = 16;

/// A module value that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModuleBuilder {
    bytes: u64,
}

impl ModuleBuilder {
    /// An empty value.
    pub(crate) fn new() -> Self {
        Self { bytes: MODULE_VALUE }
    }

    /// One more part.
    pub(crate) fn part(&mut self, part: ModulePart<'_>, model: &SizeModel) {
        let bytes = match part {
            ModulePart::Text(text) => model.usable(text.len().saturating_add(PART)),
            _ => 8,
        };
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// The value.
    pub(crate) fn finish(self) -> ValueCost {
        ValueCost::fixed(Encoding::Raw, Bytes::both(self.bytes)).based_on(Basis::Assumed)
    }
}
