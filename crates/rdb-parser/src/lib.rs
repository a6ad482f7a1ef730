//! A zero-copy parser for Redis and Valkey snapshot (RDB) files: every version from 1 to 15, and
//! Valkey's 80.
//!
//! Bytes go in, records come out: which database, which key, which type, where its value starts and ends.
//! Nothing is copied and nothing is decoded until somebody asks, no length is believed before the bytes
//! are there, and damage is an [`Error`] with an absolute offset and a [`Reach`] that says what can
//! still be trusted. The crate opens no files and prints nothing. `docs/FORMAT.md` in the repository
//! tells the format as it is read here.
//!
//! ```
//! use rdb_parser::{Depth, Frames, Limits, RdbStr, Shape};
//!
//! let file = b"REDIS0011\
//!     \xfa\x09redis-ver\x057.2.4\
//!     \xfe\x00\
//!     \xfc\x7b\xd8\xc3\x2c\xbb\x03\x00\x00\
//!     \x00\x05hello\x05world\
//!     \x10\x04user\x12\x12\x00\x00\x00\x02\x00\x84name\x05\x83ann\x04\xff\
//!     \xff\x00\x00\x00\x00\x00\x00\x00\x00";
//!
//! let mut shape = Shape::new(Depth::Count, Limits::default());
//! let mut seen = Vec::new();
//! let frames = Frames::new(file);
//! let templates = frames.scanner().templates().clone();
//! for record in frames {
//!     let record = record?;
//!     record.walk(&templates, &mut shape)?;
//!     seen.push((record.head.key, record.head.attrs.expire_at_ms, shape.elements()));
//! }
//! assert_eq!(
//!     seen,
//!     [
//!         (RdbStr::Raw(b"hello"), Some(4_102_444_800_123), Some(5)), // STRLEN
//!         (RdbStr::Raw(b"user"), None, Some(1)),                     // HLEN
//!     ]
//! );
//! # Ok::<(), rdb_parser::Error>(())
//! ```
//!
//! # Ways in
//!
//! From the easiest to the fastest; all of them are one grammar.
//!
//! * [`Frames`] iterates over the records of a file that is all in memory. `examples/read_every_key.rs`
//!   prints a dump with it.
//! * [`Record::for_each_element`] decodes a value piece by piece; [`Record::walk`] tells a
//!   [`ValueVisitor`] of the caller its undecoded pieces. [`Shape`] is such a visitor: element count and
//!   largest element, without decoding more than that takes.
//! * [`Scanner::of_payload`] reads the answer of a DUMP command, one key without a name.
//! * [`Scanner`] is the step machine below. It takes bytes from a mapping or a window that is refilled,
//!   tells a [`Sink`] of each record and [`Item`], and walks each value once, with the sink's visitor. A
//!   clone of it is a point to read again from, on another thread.
//!
//! # Which file owns what
//!
//! | module | owns |
//! |---|---|
//! | `header` | the first nine bytes, and what files that are no RDB look like |
//! | `payload` | the last ten bytes of an answer of DUMP, which has no header |
//! | `scanner`, `frames` | the loop over opcodes and records; the same as an iterator |
//! | `item`, `record` | what it finds: everything but keys; keys and the place of their values |
//! | `primitive`, `rdb_str` | lengths, strings and numbers; a string that is decoded late |
//! | [`lzf`], `limits` | bounded inflation, and the bound |
//! | `value` | the grammar of every value type: where it ends, what it is made of |
//! | [`packed`] | readers of what stands inside strings: listpack, ziplist, intset, zipmap, stream node |
//! | `visit` | who listens while a value is walked |
//! | `shape`, `elements`, `inspect` | the listeners of this crate: counting, decoding, checking |
//! | `salvage` | reading on behind damage: parts that can be trusted, and gaps |
//! | `hash_templates`, `module_id` | field lists that hashes share; names of module types |
//! | `checksum` | the CRC64 at the end, in pieces that can be joined |
//! | `error`, `escape` | errors with place and reach; keys as safe text |
//!
//! # What is and is not checked
//!
//! The scanner checks what framing needs. [`Depth::Elements`] and
//! [`Record::for_each_element`] check every entry of packed values. [`Inspector`] checks what needs a
//! memory of the whole value: duplicate members and fields, ascending order, pending entries that
//! their group does not have. Nobody here checks what needs a memory of the whole file: duplicate keys. The checksum is the caller's to compute ([`Checksum`]) and to
//! compare with [`Item::End`].

mod checksum;
mod elements;
mod error;
mod error_kind;
mod escape;
mod frames;
mod hash_templates;
mod header;
mod inspect;
mod item;
mod limits;
pub mod lzf;
mod module_id;
pub mod packed;
mod payload;
mod primitive;
mod rdb_str;
mod record;
mod salvage;
mod scanner;
mod shape;
mod value;
mod visit;

pub use checksum::Checksum;
pub use elements::Element;
pub use error::{Context, Error, Fault, Reach};
pub use error_kind::ErrorKind;
pub use escape::{EscapedKey, KeyExcerpt};
pub use frames::Frames;
pub use hash_templates::HashTemplates;
pub use inspect::{Finding, Findings, Inspector, Refusers, Severity, TemplateFault};
pub use item::{Item, ModuleAuxWhen};
pub use limits::Limits;
pub use module_id::ModuleId;
pub use payload::Payload;
pub use rdb_str::{RdbStr, decimal_len, parse_i64, write_decimal};
pub use record::{KeyAttrs, KeyHead, Record};
pub use salvage::{Gap, Part, Salvage, Stretch};
pub use scanner::{Scanned, Scanner, Sink, Stop};
pub use shape::{Depth, Shape};
pub use visit::{
    ArrayValue, Container, ModulePart, PendingEntry, StreamConsumer, StreamGroup, StreamId, StreamMeta,
    ValueVisitor,
};
