//! One row for each key, written while the pass over the file goes on.

use rdb_analysis::{KeyRow, Observation, RowWriter};

use super::encoding::KeyEncoding;
use super::numbers::push_number;
use super::peers;
use super::quote::{is_bare, push_field, push_key};

/// Which columns, in which notation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RowFormat {
    /// The columns of rdblens, comma-separated.
    #[default]
    Csv,
    /// The same, one JSON object a line; `null` where a figure is not known.
    Jsonl,
    /// The columns of `rdb -c memory` of redis-rdb-tools.
    Rdbtools,
    /// The columns of `rdb -c memory` of HDT3213/rdb.
    Hdt,
}

/// Makes the rows of `keys` and `top`. Share it between threads: it keeps nothing between rows.
///
/// ```
/// use rdb_report::csv::{KeyEncoding, KeyRows, RowFormat};
///
/// let rows = KeyRows::new(RowFormat::Csv, KeyEncoding::Escaped, None);
/// assert!(rows.header().starts_with(b"db,key,type,encoding,memory_bytes,"));
/// ```
#[derive(Clone, Debug)]
pub struct KeyRows {
    format: RowFormat,
    key_encoding: KeyEncoding,
    /// The start of each row that names its file, ready to copy; none with a single input.
    files: Vec<Vec<u8>>,
}

const COLUMNS: &str = "db,key,type,encoding,memory_bytes,allocated_bytes,serialized_bytes,elements,\
                       largest_element_bytes,expire_at_ms,idle_seconds,freq,slot,offset";

impl KeyRows {
    /// Rows of this format. `file_names`: with several inputs, what goes in the column `file`, which
    /// then comes first; the formats of other tools have no such column.
    #[must_use]
    pub fn new(format: RowFormat, key_encoding: KeyEncoding, file_names: Option<Vec<String>>) -> Self {
        // Nobody takes a text in JSON for a formula.
        let key_encoding = match (format, key_encoding) {
            (RowFormat::Jsonl, KeyEncoding::Guarded) => KeyEncoding::Escaped,
            _ => key_encoding,
        };
        let files = file_names.unwrap_or_default().into_iter().map(|name| {
            let mut start = Vec::new();
            match format {
                RowFormat::Csv => {
                    match key_encoding {
                        KeyEncoding::Guarded => push_key(&mut start, name.as_bytes(), key_encoding),
                        _ => push_field(&mut start, name.as_bytes()),
                    }
                    start.push(b',');
                }
                RowFormat::Jsonl => {
                    start.extend_from_slice(b"\"file\":");
                    push_json_string(&mut start, name.as_bytes());
                    start.push(b',');
                }
                RowFormat::Rdbtools | RowFormat::Hdt => {}
            }
            start
        });
        Self { format, key_encoding, files: files.collect() }
    }

    /// The line of column names, or nothing for JSON lines.
    #[must_use]
    pub fn header(&self) -> Vec<u8> {
        self.header_with("")
    }

    fn header_with(&self, first: &str) -> Vec<u8> {
        let file = if self.files.is_empty() { "" } else { "file," };
        let header = match self.format {
            RowFormat::Csv => format!("{first}{file}{COLUMNS}\n"),
            RowFormat::Jsonl => String::new(),
            RowFormat::Rdbtools => format!("{}\n", peers::RDBTOOLS_COLUMNS),
            RowFormat::Hdt => format!("{}\n", peers::HDT_COLUMNS),
        };
        header.into_bytes()
    }

    /// The rows of `top`: the header, then those of the keys in the order given, with their rank in
    /// front. With `per_type` the ranks begin anew at each type. The formats of other tools have no rank.
    #[must_use]
    pub fn ranked(&self, rows: &[KeyRow], per_type: bool) -> Vec<u8> {
        let mut out = self.header_with("rank,");
        let mut rank = 0u64;
        let mut list = None;
        for row in rows {
            let of = (row.object_type, row.module);
            rank = if per_type && list != Some(of) { 1 } else { rank + 1 };
            list = Some(of);
            self.write(Some(rank), &row.observation(), &mut out);
        }
        out
    }

    fn write(&self, rank: Option<u64>, seen: &Observation<'_>, out: &mut Vec<u8>) {
        match self.format {
            RowFormat::Csv => self.write_csv(rank, seen, out),
            RowFormat::Jsonl => self.write_json(rank, seen, out),
            RowFormat::Rdbtools => peers::write_rdbtools(seen, self.key_encoding, out),
            RowFormat::Hdt => peers::write_hdt(seen, self.key_encoding, out),
        }
    }

    fn file(&self, seen: &Observation<'_>) -> &[u8] {
        self.files.get(seen.file as usize).map_or(&[], Vec::as_slice)
    }

    fn write_csv(&self, rank: Option<u64>, seen: &Observation<'_>, out: &mut Vec<u8>) {
        if let Some(rank) = rank {
            push_number(out, rank);
            out.push(b',');
        }
        out.extend_from_slice(self.file(seen));
        push_number(out, seen.db);
        out.push(b',');
        push_key(out, seen.key, self.key_encoding);
        out.push(b',');
        out.extend_from_slice(seen.type_word().as_bytes());
        out.push(b',');
        out.extend_from_slice(seen.encoding.as_str().as_bytes());
        for figure in figures(seen) {
            out.push(b',');
            match figure {
                Figure::Known(number) => push_number(out, number),
                Figure::Signed(number) => push_number(out, number),
                Figure::Unknown => {}
            }
        }
        out.push(b'\n');
    }

    fn write_json(&self, rank: Option<u64>, seen: &Observation<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        if let Some(rank) = rank {
            out.extend_from_slice(b"\"rank\":");
            push_number(out, rank);
            out.push(b',');
        }
        out.extend_from_slice(self.file(seen));
        out.extend_from_slice(b"\"db\":");
        push_number(out, seen.db);
        out.extend_from_slice(b",\"key\":");
        match self.key_encoding {
            KeyEncoding::Escaped => push_escaped_json(out, seen.key),
            encoding => {
                out.push(b'"');
                encoding.write(seen.key, out);
                out.push(b'"');
            }
        }
        out.extend_from_slice(b",\"type\":\"");
        out.extend_from_slice(seen.type_word().as_bytes());
        out.extend_from_slice(b"\",\"encoding\":\"");
        out.extend_from_slice(seen.encoding.as_str().as_bytes());
        out.push(b'"');
        for (name, figure) in FIGURE_NAMES.iter().zip(figures(seen)) {
            out.extend_from_slice(name);
            match figure {
                Figure::Known(number) => push_number(out, number),
                Figure::Signed(number) => push_number(out, number),
                Figure::Unknown => out.extend_from_slice(b"null"),
            }
        }
        out.extend_from_slice(b"}\n");
    }
}

impl RowWriter for KeyRows {
    fn row(&self, seen: &Observation<'_>, out: &mut Vec<u8>) {
        self.write(None, seen, out);
    }
}

/// A figure of a row.
enum Figure {
    Known(u64),
    Signed(i64),
    Unknown,
}

impl From<Option<u64>> for Figure {
    fn from(figure: Option<u64>) -> Self {
        figure.map_or(Self::Unknown, Self::Known)
    }
}

/// What stands in front of each figure in JSON.
const FIGURE_NAMES: [&[u8]; 10] = [
    b",\"memory_bytes\":",
    b",\"allocated_bytes\":",
    b",\"serialized_bytes\":",
    b",\"elements\":",
    b",\"largest_element_bytes\":",
    b",\"expire_at_ms\":",
    b",\"idle_seconds\":",
    b",\"freq\":",
    b",\"slot\":",
    b",\"offset\":",
];

/// The figures of a row, in the order of its columns.
fn figures(seen: &Observation<'_>) -> [Figure; 10] {
    [
        Figure::Known(seen.memory_bytes),
        Figure::Known(seen.allocated_bytes),
        Figure::Known(seen.serialized_bytes),
        seen.elements.into(),
        seen.largest_element_bytes.into(),
        seen.expire_at_ms.map_or(Figure::Unknown, Figure::Signed),
        seen.idle_seconds.into(),
        seen.freq.map(u64::from).into(),
        seen.slot().map_or(Figure::Unknown, |slot| Figure::Known(u64::from(slot))),
        Figure::Known(seen.offset),
    ]
}

/// Appends a key, escaped, as a JSON string.
fn push_escaped_json(out: &mut Vec<u8>, key: &[u8]) {
    if is_bare(key) {
        out.push(b'"');
        out.extend_from_slice(key);
        out.push(b'"');
    } else {
        push_json_string(out, KeyEncoding::Escaped.text(key).as_bytes());
    }
}

/// Appends a text as a JSON string.
fn push_json_string(out: &mut Vec<u8>, text: &[u8]) {
    // Writing to a Vec never fails, and neither does a string as JSON.
    let _ = serde_json::to_writer(out, &String::from_utf8_lossy(text));
}
