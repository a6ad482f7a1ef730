//! A zero-copy parser for Redis and Valkey snapshot (RDB) files.

mod error;
mod escape;
mod limits;
pub mod lzf;
mod module_id;
pub mod packed;
mod primitive;
mod rdb_str;
mod visit;

pub use error::{Context, Error, ErrorKind, Fault, Reach};
pub use escape::{EscapedKey, KeyExcerpt};
pub use limits::Limits;
pub use module_id::ModuleId;
pub use rdb_str::{RdbStr, decimal_len, parse_i64, write_decimal};
pub use visit::{
    ArrayValue, Container, ModulePart, PendingEntry, StreamConsumer, StreamGroup, StreamId, StreamMeta,
    ValueVisitor,
};
