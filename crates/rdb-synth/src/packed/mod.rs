//! The nested structures that RDB strings hold: listpacks, ziplists, intsets, zipmaps and stream nodes.

mod intset;
mod listpack;
mod stream_node;
mod ziplist;
mod zipmap;

pub use intset::{intset, intset_as};
pub use listpack::{Listpack, LpForm};
pub use stream_node::{StreamId, StreamNode};
pub use ziplist::{Ziplist, ZlForm};
pub use zipmap::Zipmap;
