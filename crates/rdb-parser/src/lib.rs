//! A zero-copy parser for Redis and Valkey snapshot (RDB) files.

mod checksum;
mod elements;
mod error;
mod escape;
mod frames;
mod hash_templates;
mod header;
mod item;
mod limits;
pub mod lzf;
mod module_id;
pub mod packed;
mod primitive;
mod rdb_str;
mod record;
mod scanner;
mod shape;
mod value;
mod visit;

pub use checksum::Checksum;
pub use elements::Element;
pub use error::{Context, Error, ErrorKind, Fault, Reach};
pub use escape::{EscapedKey, KeyExcerpt};
pub use frames::Frames;
pub use hash_templates::HashTemplates;
pub use item::{Item, ModuleAuxWhen};
pub use limits::Limits;
pub use module_id::ModuleId;
pub use rdb_str::{RdbStr, decimal_len, parse_i64, write_decimal};
pub use record::{KeyAttrs, KeyHead, Record};
pub use scanner::{Scanned, Scanner, Sink, Stop};
pub use shape::{Depth, Shape};
pub use visit::{
    ArrayValue, Container, ModulePart, PendingEntry, StreamConsumer, StreamGroup, StreamId, StreamMeta,
    ValueVisitor,
};
