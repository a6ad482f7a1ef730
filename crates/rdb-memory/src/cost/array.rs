//! Arrays (Redis 8.8): slices of 4,096 slots under a directory, sparse while they hold few elements.
//!
//! Source: `src/sparsearray.c` of Redis 8.8.

use rdb_format::Encoding;
use rdb_parser::ArrayValue;

use super::ValueCost;
use crate::allocator::round_up;
use crate::bytes::Bytes;
use crate::{Basis, SizeModel};

/// The struct of an array.
const ARRAY: u64 = 80;
/// Header of a slice.
const SLICE: u64 = 32;
/// Texts up to this stand in their slots.
const INLINE_TEXT: u64 = 7;
/// Texts from this on have a longer header.
const LONG_TEXT: u64 = 32_768;
/// Slices of a block of the two-level directory.
const DIRECTORY_BLOCK: u64 = 2048;
/// Least slots of a dense slice.
const LEAST_WINDOW: u64 = 8;

/// An array that is being loaded; its slots come in ascending order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayBuilder {
    /// The slice that the last slot is in.
    slice: Option<Slice>,
    /// Slices that are complete, and values out of their slots.
    done: u64,
    top_slice: u64,
    /// Blocks of the two-level directory in use.
    blocks: u64,
    len: u64,
    disordered: bool,
}

/// A slice that is being filled.
#[derive(Clone, Copy, Debug)]
struct Slice {
    index: u64,
    len: u64,
    /// First and last offset of those that it held while it was sparse.
    first: u64,
    last: u64,
    /// Offset and slots of the window, once it is dense.
    window: Option<(u64, u64)>,
}

impl ArrayBuilder {
    /// An empty array.
    pub(crate) fn new() -> Self {
        Self { slice: None, done: 0, top_slice: 0, blocks: 0, len: 0, disordered: false }
    }

    /// One more slot.
    pub(crate) fn push(&mut self, index: u64, value: ArrayValue<'_>, model: &SizeModel) {
        let slots = model.limits.array_slice;
        let (slice, offset) = (index / slots, index % slots);
        self.len = self.len.saturating_add(1);
        if let ArrayValue::Text(text) | ArrayValue::ShortText(text) = value
            && text.len() > INLINE_TEXT
        {
            let header = if text.len() < LONG_TEXT { 2 } else { 8 };
            self.done = self.done.saturating_add(model.usable(text.len().saturating_add(header)));
        }
        match &mut self.slice {
            Some(current) if current.index == slice => {
                self.disordered |= offset <= current.last;
                current.push(offset, model);
            }
            _ => self.next_slice(slice, offset, model),
        }
    }

    fn next_slice(&mut self, index: u64, offset: u64, model: &SizeModel) {
        let before = self.slice.replace(Slice { index, len: 1, first: offset, last: offset, window: None });
        if let Some(before) = before {
            self.disordered |= before.index >= index;
            self.done = self.done.saturating_add(before.bytes(model));
        }
        let new_block = before.is_none_or(|before| before.index / DIRECTORY_BLOCK != index / DIRECTORY_BLOCK);
        self.blocks += u64::from(new_block);
        self.top_slice = self.top_slice.max(index);
    }

    /// The array.
    pub(crate) fn finish(self, model: &SizeModel) -> ValueCost {
        let last = self.slice.map_or(0, |slice| slice.bytes(model));
        let directory = if self.top_slice < DIRECTORY_BLOCK {
            model.usable(8 * (self.top_slice + 1).next_power_of_two())
        } else {
            let blocks = model.usable(8 * DIRECTORY_BLOCK).saturating_mul(self.blocks);
            let slots = self.blocks.checked_next_power_of_two().unwrap_or(u64::MAX).max(4);
            model.usable(slots.saturating_mul(24)).saturating_add(blocks)
        };
        let bytes =
            model.usable(ARRAY).saturating_add(directory).saturating_add(self.done).saturating_add(last);
        let untested = self.disordered || self.top_slice >= DIRECTORY_BLOCK;
        ValueCost::fixed(Encoding::SlicedArray, Bytes::both(bytes)).based_on(if untested {
            Basis::Assumed
        } else {
            Basis::Exact
        })
    }
}

impl Slice {
    fn push(&mut self, offset: u64, model: &SizeModel) {
        self.len = self.len.saturating_add(1);
        let slots = model.limits.array_slice;
        if self.len <= model.limits.array_sparse {
            self.last = offset;
            return;
        }
        let (mut start, mut width) = self.window.unwrap_or_else(|| {
            let span = self.last.saturating_sub(self.first).saturating_add(1);
            clamp(self.first, span.next_power_of_two().max(LEAST_WINDOW), slots)
        });
        while offset >= start.saturating_add(width) && width < slots {
            (start, width) = (start, width.saturating_mul(2));
            if offset < start.saturating_add(width) || width >= slots {
                (start, width) = clamp(start, width, slots);
            }
        }
        self.window = Some((start, width));
        self.last = offset;
    }

    fn bytes(&self, model: &SizeModel) -> u64 {
        if let Some((_, width)) = self.window {
            return model.usable(SLICE + width.saturating_mul(8));
        }
        // Room for 4, 8, … elements, up to the most that are sparse.
        let mut room = 4u64;
        while room < self.len {
            room = room.saturating_mul(2).min(model.limits.array_sparse.max(self.len));
        }
        model.usable(SLICE + round_up(2 * room, 8) + 8 * room)
    }
}

/// A window that stays within its slice.
fn clamp(start: u64, width: u64, slots: u64) -> (u64, u64) {
    if width >= slots {
        (0, slots)
    } else if start + width > slots {
        (slots - width, width)
    } else {
        (start, width)
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn array(indexes: impl Iterator<Item = u64>) -> ValueCost {
        let model = SizeModel::new(&Target::new(ServerVersion::redis(8, 10, 2)));
        let mut array = ArrayBuilder::new();
        indexes.for_each(|index| array.push(index, ArrayValue::Int(1), &model));
        array.finish(&model)
    }

    #[test]
    fn sparse_then_dense() {
        assert_eq!(array(0..1).answer(0), 80 + 8 + 80);
        assert_eq!(array(0..10).answer(0), 80 + 8 + 160);
        assert_eq!(array(0..11).answer(0), 80 + 8 + 160, "a window of sixteen");
        assert_eq!(array(0..4096).answer(0), 80 + 8 + 40_960);
        assert_eq!(array([0, 5000].into_iter()).answer(0), 80 + 16 + 2 * 80);
    }

    #[test]
    fn hostile_indexes_end() {
        assert_eq!(array([3, 2, u64::MAX, 0].into_iter()).basis, Basis::Assumed);
    }
}
