//! What values cost, one file per object type.
//!
//! A builder takes the elements of one value as they pass and keeps a few sums. Where a loader decides
//! between two encodings by what comes later, both are kept side by side until the end.

pub(crate) mod array;
pub(crate) mod hash;
mod json;
pub(crate) mod list;
pub(crate) mod module;
pub(crate) mod set;
pub(crate) mod stream;
pub(crate) mod string;
pub(crate) mod vector_set;
pub(crate) mod zset;

use rdb_format::Encoding;

use crate::bytes::Bytes;
use crate::packing::Form;
use crate::rax::RaxNodes;
use crate::{Basis, SizeModel};

/// What a value costs beside its key and object header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueCost {
    pub encoding: Encoding,
    pub basis: Basis,
    /// Structs, buckets and packed values.
    pub fixed: Bytes,
    /// What the server samples: the elements.
    pub elements: Bytes,
    /// By how many the sampled average is multiplied; 0 when there is no average.
    pub scale: u64,
}

impl ValueCost {
    /// A value without anything sampled.
    pub(crate) fn fixed(encoding: Encoding, bytes: Bytes) -> Self {
        Self { encoding, basis: Basis::Exact, fixed: bytes, elements: Bytes::default(), scale: 0 }
    }

    /// A value of which the server samples elements: with `SAMPLES 0` all of them. It still computes the
    /// average in floating point, which costs a byte now and then.
    ///
    /// Source: `objectComputeSize` in `src/object.c`.
    pub(crate) fn sampled(encoding: Encoding, fixed: Bytes, elements: Bytes, scale: u64) -> Self {
        Self { encoding, basis: Basis::Exact, fixed, elements, scale }
    }

    /// The same on a weaker basis, if this is one.
    pub(crate) fn based_on(mut self, basis: Basis) -> Self {
        self.basis = self.basis.max(basis);
        self
    }

    /// What the server answers, with `in_sum` bytes of the key in the sum that is cut to whole bytes.
    pub(crate) fn answer(&self, in_sum: u64) -> u64 {
        let fixed = in_sum.saturating_add(self.fixed.answered);
        if self.scale == 0 {
            return fixed.saturating_add(self.elements.answered);
        }
        let scale = self.scale as f64;
        (fixed as f64 + self.elements.answered as f64 / scale * scale) as u64
    }

    /// What the allocator hands out.
    pub(crate) fn allocated(&self) -> u64 {
        self.fixed.allocated.saturating_add(self.elements.allocated)
    }
}

impl SizeModel {
    /// Whether a value is likely to hold more than it needs: tables that were larger once, or are about to
    /// grow, and blocks that are allocated ahead. A load removes that.
    pub(crate) fn has_slack(&self, encoding: Encoding) -> bool {
        let roomy = matches!(
            encoding,
            Encoding::Hashtable | Encoding::Skiplist | Encoding::Quicklist | Encoding::Stream
        );
        self.saved() && roomy
    }

    /// How nodes of radix trees are made.
    pub(crate) fn rax_nodes(&self) -> RaxNodes {
        RaxNodes { allocator: self.allocator, inline_leaves: self.facts.rax_inline_leaves }
    }

    /// The same for trees over names, whose lengths differ.
    pub(crate) fn rax_name_nodes(&self) -> RaxNodes {
        RaxNodes { allocator: self.allocator, inline_leaves: false }
    }

    /// The form of packed values.
    pub(crate) fn packed_form(&self) -> Form {
        if self.facts.listpack { Form::Listpack } else { Form::Ziplist }
    }

    /// The server's word for them.
    pub(crate) fn packed_encoding(&self) -> Encoding {
        if self.facts.listpack { Encoding::Listpack } else { Encoding::Ziplist }
    }

    /// The server's word for a packed hash.
    pub(crate) fn packed_hash_encoding(&self) -> Encoding {
        if self.facts.zipmap { Encoding::Zipmap } else { self.packed_encoding() }
    }
}
