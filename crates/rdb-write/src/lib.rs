//! Writes RDB files from the records of others: what is copied is copied byte for byte.
//!
//! ```
//! use rdb_format::{Dialect, FileVersion};
//! use rdb_parser::{Frames, RdbStr};
//! use rdb_write::Writer;
//!
//! let source = b"REDIS0011\xfe\x00\x00\x05hello\x05world\x00\x03foo\x03bar\xff\0\0\0\0\0\0\0\0";
//!
//! let mut writer = Writer::new(Vec::new(), FileVersion { dialect: Dialect::Redis, number: 11 })?;
//! writer.aux(RdbStr::Raw(b"ctime"), RdbStr::Raw(b"1795807800"))?;
//! for record in Frames::new(source) {
//!     let record = record.unwrap();
//!     if record.head.key == RdbStr::Raw(b"hello") {
//!         writer.select_db(record.head.db)?;
//!         let start = record.head.offset as usize;
//!         writer.record(&record.head.attrs, &source[start..start + record.serialized_bytes as usize])?;
//!     }
//! }
//! let file = writer.finish()?;
//! assert_eq!(Frames::new(&file).count(), 1);
//! # Ok::<(), std::io::Error>(())
//! ```

mod attributes;
mod writer;

pub use writer::Writer;
