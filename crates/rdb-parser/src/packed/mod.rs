//! Bounded readers for values that stand in one block of bytes: listpack, ziplist, intset, zipmap.
//!
//! They parse with nom's complete combinators: a block is all there, so running out of bytes is
//! damage. Entries borrow from the block. After an error a reader is empty.

mod entry;
pub mod intset;
pub mod listpack;
pub mod stream;
pub mod ziplist;
pub mod zipmap;

pub use entry::Entry;
