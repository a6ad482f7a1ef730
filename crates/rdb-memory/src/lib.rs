//! What the keys of a snapshot cost in the memory of a given Redis or Valkey server.
//!
//! A [`Target`] names a server: its release, its allocator, its configuration. A [`SizeModel`] is worked out
//! from it once. A [`Pricer`] then listens to the walk of each value and gives an [`Estimate`]: what
//! `MEMORY USAGE key SAMPLES 0` answers there, what the allocator really hands out, and the encoding.
//! A [`Keyspace`] prices the tables around the keys, so that everything adds up to `used_memory`.
//!
//! * `versions.rs` is the one place that compares versions: a table of differences between releases.
//! * `cost/` has one file per object type, and reads numbers from the model only.
//! * `dict.rs`, `hashtable.rs`, `rax.rs`, `skiplist.rs`, `vset.rs`, `ebuckets.rs` tell how large a structure gets without
//!   building it; `listpack.rs`, `ziplist.rs` and `score.rs` how long a packed value gets.
//!
//! Nothing here keeps elements: a collection of any size is priced while it passes by. Numbers that a file
//! declares are added up with saturation.

mod allocator;
mod bytes;
mod config;
mod cost;
mod dict;
mod ebuckets;
mod estimate;
mod expiring;
mod facts;
mod hashtable;
mod key;
mod keyspace;
mod listpack;
mod model;
mod packing;
mod pricer;
mod rax;
mod score;
mod sds;
mod skiplist;
mod table;
mod target;
mod unpack;
mod versions;
mod vset;
mod ziplist;

pub use allocator::{Allocator, ParseAllocatorError};
pub use config::{ConfigError, ServerConfig};
pub use estimate::{Basis, Estimate, Parts};
pub use keyspace::{KeyCounts, Keyspace, TableSizes};
pub use model::SizeModel;
pub use pricer::Pricer;
pub use target::{Mode, Target};
