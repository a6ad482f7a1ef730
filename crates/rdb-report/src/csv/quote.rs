//! Fields that may need quotes, as RFC 4180 has them.

use super::encoding::KeyEncoding;

/// Whether a key is the same in every notation: printable ASCII without quote, backslash or comma.
///
/// Looks at every byte, since that is quicker than stopping at the first that decides.
pub(crate) fn is_bare(key: &[u8]) -> bool {
    key.iter()
        .fold(true, |bare, byte| bare & matches!(byte, b' '..=b'~') & !matches!(byte, b'"' | b'\\' | b','))
}

/// Appends a key as a field.
pub(crate) fn push_key(out: &mut Vec<u8>, key: &[u8], encoding: KeyEncoding) {
    if encoding == KeyEncoding::Escaped && is_bare(key) {
        return out.extend_from_slice(key);
    }
    let start = out.len();
    encoding.write(key, out);
    quote_from(out, start);
}

/// Encloses in quotes what was appended to `out` since `start`, if it needs them.
///
/// In place, so that a field is written once and a plain one costs a look.
fn quote_from(out: &mut Vec<u8>, start: usize) {
    let field = out.get(start..).unwrap_or_default();
    if !field.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return;
    }
    let quotes = field.iter().filter(|&&byte| byte == b'"').count();
    let mut from = out.len();
    out.resize(from + quotes + 2, 0);
    let mut to = out.len();
    let mut put = |out: &mut Vec<u8>, byte: u8| {
        to -= 1;
        if let Some(place) = out.get_mut(to) {
            *place = byte;
        }
    };
    // From the end, so that nothing is overwritten before it was moved.
    put(out, b'"');
    while from > start {
        from -= 1;
        let byte = out.get(from).copied().unwrap_or_default();
        put(out, byte);
        if byte == b'"' {
            put(out, b'"');
        }
    }
    put(out, b'"');
}

/// Appends a field, in quotes if it needs them.
pub(crate) fn push_field(out: &mut Vec<u8>, field: &[u8]) {
    let start = out.len();
    out.extend_from_slice(field);
    quote_from(out, start);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_back_what_was_written() {
        for field in
            ["", "plain", "First,Second", "quotes\"are\"valid", "\"", "\"\"", "line1\nline2", "\r", "café,"]
        {
            let mut out = b"x,".to_vec();
            push_field(&mut out, field.as_bytes());
            out.extend_from_slice(b",y\n");
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&out[..]);
            let record = reader.records().next().unwrap().unwrap();
            assert_eq!(record.iter().collect::<Vec<_>>(), ["x", field, "y"]);
        }
    }
}
