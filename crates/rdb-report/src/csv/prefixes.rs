//! The prefix tree as rows.

use std::io::{self, Write};

use rdb_analysis::PrefixSummary;
use rdb_analysis::prefixes::{RowKind, RowLimits};

use super::encoding::KeyEncoding;

/// The columns of [`prefixes`].
pub const PREFIX_COLUMNS: [&str; 12] = [
    "db",
    "prefix",
    "depth",
    "keys",
    "memory_bytes",
    "memory_share",
    "allocated_bytes",
    "serialized_bytes",
    "elements",
    "keys_without_ttl",
    "largest_key_bytes",
    "largest_key",
];

/// Writes the nodes within the limits, parents first, and an `(other)` for what they leave out.
///
/// Wherever a node has rows one level below it, these add up to it in every sum. The row of a
/// database has an empty prefix; `db` is empty where one tree sums all databases. The prefix of an
/// `(other)` is that of its node with `(other)` behind it, whatever the encoding of keys.
/// `memory_share` is a part of 1; of the largest key the first 1024 bytes are named.
///
/// # Errors
///
/// When writing fails.
pub fn prefixes(
    prefixes: &PrefixSummary,
    limits: &RowLimits,
    key_encoding: KeyEncoding,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().from_writer(out);
    writer.write_record(PREFIX_COLUMNS).map_err(io_error)?;
    let total = prefixes.total.memory_bytes;
    for row in prefixes.rows(limits) {
        let tally = &row.tally;
        // What is left out has no largest key of its own.
        let largest = row.node.largest.as_ref().filter(|_| row.kind == RowKind::Node);
        let prefix = match row.kind {
            RowKind::Node => key_encoding.text(&row.node.path),
            RowKind::Other { .. } => key_encoding.text(&row.node.path) + "(other)",
        };
        writer
            .write_record([
                row.db.map_or_else(String::new, |db| db.to_string()),
                prefix,
                row.depth().to_string(),
                tally.keys.to_string(),
                tally.memory_bytes.to_string(),
                share(tally.memory_bytes, total),
                tally.allocated_bytes.to_string(),
                tally.serialized_bytes.to_string(),
                tally.elements.to_string(),
                tally.keys_without_ttl.to_string(),
                largest.map_or_else(String::new, |largest| largest.bytes.to_string()),
                largest.map_or_else(String::new, |largest| key_encoding.text(&largest.key)),
            ])
            .map_err(io_error)?;
    }
    writer.flush()
}

/// The error below one of the csv crate, so that a closed pipe is seen to be one.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A part of 1 with six decimals.
fn share(part: u64, whole: u64) -> String {
    let millionths = match whole {
        0 => 0,
        _ => (u128::from(part) * 2_000_000 + u128::from(whole)) / (2 * u128::from(whole)),
    };
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

#[cfg(test)]
mod tests {
    #[test]
    fn shares_are_parts_of_one() {
        assert_eq!(super::share(1, 3), "0.333333");
        assert_eq!(super::share(2, 2), "1.000000");
        assert_eq!(super::share(0, 0), "0.000000");
        assert_eq!(super::share(u64::MAX, u64::MAX), "1.000000");
    }
}
