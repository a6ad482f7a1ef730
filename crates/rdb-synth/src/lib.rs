//! Builds RDB bytes, valid and deliberately broken, for tests and benchmarks.
//!
//! Written from the description of the format and sharing nothing with the crates that read it, so that a wrong
//! layout cannot hide by being wrong on both sides. From the bottom up:
//!
//! - [`enc`]: lengths, strings and numbers in every form; [`lzf`] and [`crc64`] beside it;
//! - [`packed`]: listpacks, ziplists, intsets, zipmaps and stream nodes;
//! - [`value`]: the bytes of each value type;
//! - [`record`]: opcodes and keys, and [`RdbBuilder`] and [`RdbWriter`] that make files of them;
//! - [`model`]: logical keys that can be written in several encodings, and [`random_dump`], which makes files of
//!   them with the answers a reader must give;
//! - [`damage`]: recipes that break a good file;
//! - [`profile`]: large files by seed, for benchmarks.
//!
//! Nothing here protects itself from its caller: this crate never reads untrusted bytes.

// Test support: an index out of range is a bug of the test, and a panic tells it best.
#![allow(clippy::indexing_slicing)]

pub mod builder;
pub mod crc64;
pub mod damage;
pub mod enc;
pub mod hex;
pub mod lzf;
pub mod model;
pub mod packed;
pub mod prng;
pub mod profile;
pub mod random;
pub mod record;
pub mod type_code;
pub mod value;

pub use builder::{RdbBuilder, RdbWriter};
pub use enc::{LenForm, StrForm};
pub use random::{ExpectedKey, RandomOptions, random_dump};
pub use record::{Attrs, Expire, Magic};
