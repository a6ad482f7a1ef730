//! The columns of two other tools, for scripts that read those.

use std::io::Write;

use rdb_analysis::Observation;
use rdb_format::{Encoding, ObjectType};

use super::encoding::KeyEncoding;
use super::numbers::push_number;
use super::quote::push_key;
use crate::units::calendar;

/// The header of `rdb -c memory` of redis-rdb-tools 0.1.15.
pub(crate) const RDBTOOLS_COLUMNS: &str =
    "database,type,key,size_in_bytes,encoding,num_elements,len_largest_element,expiry";

/// The header of `rdb -c memory` of HDT3213/rdb 1.3.
pub(crate) const HDT_COLUMNS: &str = "database,key,type,size,size_readable,element_count,encoding,expiration";

/// A row as redis-rdb-tools has it: sorted sets are `sortedset`, a string counts its bytes as elements
/// (an integer eight), a stream or module value is one element. Source: `rdbtools/memprofiler.py`.
pub(crate) fn write_rdbtools(seen: &Observation<'_>, key_encoding: KeyEncoding, out: &mut Vec<u8>) {
    push_number(out, seen.db);
    out.push(b',');
    out.extend_from_slice(match seen.object_type {
        ObjectType::Zset => b"sortedset",
        other => other.as_str().as_bytes(),
    });
    out.push(b',');
    push_key(out, seen.key, key_encoding);
    out.push(b',');
    push_number(out, seen.memory_bytes);
    out.push(b',');
    let encoding = match seen.object_type {
        ObjectType::String => "string",
        ObjectType::Stream => "listpack",
        ObjectType::Module => seen.type_word(),
        _ => seen.encoding.as_str(),
    };
    out.extend_from_slice(encoding.as_bytes());
    let string_len = || if seen.encoding == Encoding::Int { Some(8) } else { seen.elements };
    let (elements, largest) = match seen.object_type {
        ObjectType::String => (string_len(), string_len()),
        ObjectType::Stream | ObjectType::Module => (Some(1), seen.largest_element_bytes),
        _ => (seen.elements, seen.largest_element_bytes),
    };
    for figure in [elements, largest] {
        out.push(b',');
        if let Some(figure) = figure {
            push_number(out, figure);
        }
    }
    out.push(b',');
    if let Some(ms) = seen.expire_at_ms {
        push_isoformat(ms, out);
    }
    out.push(b'\n');
}

/// A time as Python's `datetime.isoformat` has it: microseconds only where there are some.
fn push_isoformat(ms: i64, out: &mut Vec<u8>) {
    // Writing to a Vec never fails.
    let _ = match calendar(ms) {
        None => return push_number(out, ms),
        Some(time) if ms % 1000 == 0 => write!(out, "{}", time.strftime("%Y-%m-%dT%H:%M:%S")),
        Some(time) => write!(out, "{}", time.strftime("%Y-%m-%dT%H:%M:%S.%6f")),
    };
}

/// A row as HDT3213/rdb has it: strings and streams have no elements, encodings go by how the file
/// writes the value. Source: `core/decoder.go` and `helper/memory.go`. Times are UTC.
pub(crate) fn write_hdt(seen: &Observation<'_>, key_encoding: KeyEncoding, out: &mut Vec<u8>) {
    push_number(out, seen.db);
    out.push(b',');
    push_key(out, seen.key, key_encoding);
    out.push(b',');
    out.extend_from_slice(seen.type_word().as_bytes());
    out.push(b',');
    push_number(out, seen.memory_bytes);
    out.push(b',');
    push_readable(seen.memory_bytes, out);
    out.push(b',');
    push_number(
        out,
        match seen.object_type {
            ObjectType::String | ObjectType::Stream | ObjectType::Module => 0,
            _ => seen.elements.unwrap_or(0),
        },
    );
    out.push(b',');
    out.extend_from_slice(hdt_encoding(seen).as_bytes());
    out.push(b',');
    if let Some(ms) = seen.expire_at_ms {
        // Writing to a Vec never fails.
        let _ = match calendar(ms) {
            None => write!(out, "{ms}"),
            Some(time) => write!(out, "{}", time.strftime("%Y-%m-%dT%H:%M:%SZ")),
        };
    }
    out.push(b'\n');
}

fn hdt_encoding(seen: &Observation<'_>) -> &'static str {
    match seen.type_code.0 {
        0 => "string",
        1 => "list",
        2 => "set",
        3 => "zset",
        4 => "hash",
        5 => "zset2",
        9 => "zipmap",
        10 | 12 | 13 => "ziplist",
        11 => "intset",
        14 => "quicklist",
        18 => "quicklist2",
        15..=17 | 19..=21 | 26 | 27 => "listpack",
        22 | 24 => "hashex",
        23 | 25 => "listpackex",
        6 | 7 => "",
        _ => seen.encoding.as_str(),
    }
}

/// A size in units of 1024 with at most one decimal: `980B`, `1.5K`.
fn push_readable(bytes: u64, out: &mut Vec<u8>) {
    if bytes == 0 {
        return out.push(b'0');
    }
    let power = (bytes.ilog2() / 10) as usize;
    let unit = ["B", "K", "M", "G", "T", "P", "E"].get(power).copied().unwrap_or_default();
    #[expect(clippy::cast_precision_loss, reason = "that is how the other tool rounds")]
    let value = bytes as f64 / (1u64 << (10 * power)) as f64;
    let figure = format!("{value:.1}");
    let figure = figure.strip_suffix(".0").unwrap_or(&figure);
    // Writing to a Vec never fails.
    let _ = write!(out, "{figure}{unit}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_in_the_other_tool() {
        for (bytes, want) in
            [(0, "0"), (980, "980B"), (1024, "1K"), (1536, "1.5K"), (1280, "1.2K"), (u64::MAX, "16E")]
        {
            let mut out = Vec::new();
            push_readable(bytes, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), want, "{bytes}");
        }
    }

    #[test]
    fn times_read_as_in_python() {
        for (ms, want) in [
            (1_671_963_072_573, "2022-12-25T10:11:12.573000"),
            (1_671_963_072_000, "2022-12-25T10:11:12"),
            (-1, "1969-12-31T23:59:59.999000"),
            (i64::MAX, "9223372036854775807"),
        ] {
            let mut out = Vec::new();
            push_isoformat(ms, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
    }
}
