//! What RedisJSON says of a document, from its text.
//!
//! Source: `get_memory` in `src/ivalue_manager.rs` of RedisJSON 2.8, and the containers of its `ijson`: a value is one
//! word; arrays and objects grow by doubling from four. Measured with the module of Redis Stack 7.4.

/// A value, wherever it stands.
const VALUE: u64 = 8;
/// In front of the elements of an array or object.
const HEADER: u64 = 16;
/// A field of an object: name, value and its place in the table.
const FIELD: u64 = 24;
/// Least elements of an array or object that has any.
const LEAST: u64 = 4;
/// How deep the module nests; deeper texts are no documents of it.
const DEPTH: usize = 128;

/// An array or object that is open.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    is_object: bool,
    elements: u64,
}

/// Bytes of the document with this text, or `None` if it is not JSON.
pub(super) fn document_bytes(text: &[u8]) -> Option<u64> {
    let mut reader = Reader { rest: text };
    let mut open = [Open::default(); DEPTH];
    let mut depth = 0usize;
    let mut bytes = 0u64;
    loop {
        // A value begins, or its container ends at once.
        let first = reader.skip_space()?;
        let ended_at_once = matches!(first, b']' | b'}');
        if ended_at_once {
            let innermost = open.get(depth.checked_sub(1)?)?;
            if innermost.elements > 0 || innermost.is_object != (first == b'}') {
                return None;
            }
        } else {
            if let Some(innermost) = depth.checked_sub(1).and_then(|at| open.get_mut(at)) {
                innermost.elements += 1;
                if innermost.is_object {
                    bytes += reader.string()?;
                    (reader.skip_space()? == b':').then(|| reader.advance())?;
                    reader.skip_space()?;
                }
            }
            bytes += VALUE;
            match reader.peek()? {
                open_bracket @ (b'[' | b'{') => {
                    reader.advance();
                    *open.get_mut(depth)? = Open { is_object: open_bracket == b'{', elements: 0 };
                    depth += 1;
                    continue;
                }
                b'"' => bytes += reader.string()?,
                _ => bytes += number_bytes(reader.word()?),
            }
        }
        // Behind a value: the next one, or the ends of its containers.
        loop {
            let Some(at) = depth.checked_sub(1) else {
                return reader.skip_space().is_none().then_some(bytes);
            };
            let innermost = *open.get(at)?;
            match (reader.skip_space()?, innermost.is_object) {
                (b',', _) => {
                    reader.advance();
                    break;
                }
                (b']', false) | (b'}', true) => {
                    reader.advance();
                    depth = at;
                    bytes = bytes.saturating_add(container_bytes(innermost));
                }
                _ => return None,
            }
        }
    }
}

/// What a container has beside its elements.
fn container_bytes(container: Open) -> u64 {
    if container.elements == 0 {
        return 0;
    }
    let room = container.elements.next_power_of_two().max(LEAST);
    HEADER + room * if container.is_object { FIELD } else { VALUE }
}

/// What a number has beside its word, given its text (or that of `true`, `false`, `null`).
fn number_bytes(word: &[u8]) -> u64 {
    const WIDE: u64 = 16;
    if matches!(word, b"true" | b"false" | b"null") {
        return 0;
    }
    match rdb_parser::parse_i64(word) {
        Some(-128..=383) => 0,
        Some(-8_388_607..=8_388_607) => 4,
        _ => WIDE,
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn advance(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    /// The first byte that is no space, which stays.
    fn skip_space(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.peek()
    }

    /// Everything up to the end of a number or word.
    fn word(&mut self) -> Option<&'a [u8]> {
        let ends = |&byte: &u8| matches!(byte, b',' | b']' | b'}') || byte.is_ascii_whitespace();
        let end = self.rest.iter().position(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Bytes of a string once its escapes are undone.
    fn string(&mut self) -> Option<u64> {
        (self.skip_space()? == b'"').then(|| self.advance())?;
        let mut bytes = 0u64;
        loop {
            let plain = self.rest.iter().position(|&byte| byte == b'"' || byte == b'\\')?;
            bytes += plain as u64;
            let (_, rest) = self.rest.split_at_checked(plain)?;
            self.rest = rest;
            let ended = self.peek()? == b'"';
            self.advance();
            if ended {
                return Some(bytes);
            }
            let escape = self.peek()?;
            self.advance();
            bytes += if escape == b'u' { self.unicode()? } else { 1 };
        }
    }

    /// Bytes in UTF-8 of `\uXXXX`; the halves of a pair make four together.
    fn unicode(&mut self) -> Option<u64> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        let code = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        Some(match code {
            0..0x80 => 1,
            0x80..0x800 | 0xd800..0xe000 => 2,
            _ => 3,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What JSON.DEBUG MEMORY of Redis Stack 7.4.1 answers.
    #[test]
    fn answers_as_the_module_does() {
        for (text, want) in [
            ("5", 8),
            ("500", 12),
            ("70000", 12),
            ("9999999999", 24),
            ("1.5", 24),
            ("true", 8),
            ("null", 8),
            ("\"a\"", 9),
            ("\"hello world\"", 19),
            ("[]", 8),
            ("[1]", 64),
            ("[1,2]", 72),
            ("[1,2,3,4,5]", 128),
            ("[1,1,1,1,1,1,1,1,1]", 224),
            ("[\"a\",\"b\"]", 74),
            ("{}", 8),
            ("{\"a\":1}", 129),
            ("{\"a\":1,\"b\":2,\"c\":3,\"d\":4}", 156),
            ("{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}", 261),
            ("{\"abcdefghijklmnopq\":1}", 145),
            ("{\"a\":{}}", 129),
            ("[[]]", 64),
            (" [ 1.5 , 2.5 ] ", 104),
            ("\"\\u00e9\\n\\ud83d\\ude00\"", 8 + 2 + 1 + 4),
        ] {
            assert_eq!(document_bytes(text.as_bytes()), Some(want), "{text}");
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        let deep = "[".repeat(200);
        for text in ["", "[", "{\"a\"}", "[1,]", "[1}", "1 2", "\"", "\"\\u12\"", "]", "{1:2}", deep.as_str()]
        {
            assert_eq!(document_bytes(text.as_bytes()), None, "{text}");
        }
    }
}
