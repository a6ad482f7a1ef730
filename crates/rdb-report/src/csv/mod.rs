//! Rows for spreadsheets and scripts: plain integers, a header always, RFC 4180 quoting.

mod encoding;
mod key_rows;
mod numbers;
mod peers;
mod prefixes;
mod quote;

pub use encoding::KeyEncoding;
pub use key_rows::{KeyRows, RowFormat};
pub use prefixes::{PREFIX_COLUMNS, prefixes};
