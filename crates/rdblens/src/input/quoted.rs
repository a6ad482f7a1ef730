//! Words as the server and redis-cli write and read them: blanks between them, quotes around odd ones.

/// Splits a line into words. `None` where a quote is open, or is followed by no blank.
///
/// As `sdssplitargs` in `src/sds.c` of Redis 7.0 does: in double quotes `\n`, `\r`, `\t`, `\b`, `\a` and `\xHH`
/// stand for bytes, in single ones only `\'` does, and a quote may begin within a word.
pub(super) fn words(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_ascii_start();
        // A zero byte ends the line.
        if matches!(rest, [] | [0, ..]) {
            return Some(words);
        }
        let (word, after) = word(rest)?;
        words.push(word);
        rest = after;
    }
}

/// The word that a line starts with, and what follows it.
fn word(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut word = Vec::new();
    loop {
        match *rest {
            [] | [b' ' | b'\n' | b'\r' | b'\t' | 0, ..] => return Some((word, rest)),
            [quote @ (b'"' | b'\''), ref inside @ ..] => {
                let after = quoted(inside, quote, &mut word)?;
                let is_end = after.first().is_none_or(|byte| byte.is_ascii_whitespace() || *byte == 0x0b);
                return is_end.then_some((word, after));
            }
            [byte, ref after @ ..] => {
                word.push(byte);
                rest = after;
            }
        }
    }
}

/// Appends what stands in quotes, and returns what follows the closing one.
fn quoted<'a>(mut rest: &'a [u8], quote: u8, word: &mut Vec<u8>) -> Option<&'a [u8]> {
    loop {
        let (byte, after) = match *rest {
            [] => return None,
            [byte, ref after @ ..] if byte == quote => return Some(after),
            [b'\\', b'\'', ref after @ ..] if quote == b'\'' => (b'\'', after),
            [b'\\', b'x', high, low, ref after @ ..] if quote == b'"' => match (hex(high), hex(low)) {
                (Some(high), Some(low)) => (high << 4 | low, after),
                _ => (b'x', rest.get(2..)?),
            },
            [b'\\', escaped, ref after @ ..] if quote == b'"' => {
                let byte = match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'a' => 7,
                    other => other,
                };
                (byte, after)
            }
            [byte, ref after @ ..] => (byte, after),
        };
        word.push(byte);
        rest = after;
    }
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_servers_read_them() {
        let read = |line: &[u8]| words(line).map(|words| words.join(&b"|"[..]));
        let want = |text: &[u8]| Some(text.to_vec());
        assert_eq!(words(b" \n"), Some(vec![]));
        assert_eq!(words(b"\0\0"), Some(vec![]));
        assert_eq!(words(br#""""#), Some(vec![vec![]]));
        assert_eq!(read(b"a\0b"), want(b"a"));
        assert_eq!(read(b"  a\tb \n"), want(b"a|b"));
        assert_eq!(read(br#""a \"b\"" c"#), want(b"a \"b\"|c"));
        assert_eq!(read(br#""\x00\xfF\x4g\n\q" "\a\b\r\t""#), want(b"\x00\xffx4g\nq|\x07\x08\r\t"));
        assert_eq!(read(br"'it\'s' 'a\x41\n'"), want(br"it's|a\x41\n"));
        assert_eq!(read(br#"pre"fix" po'st'"#), want(b"prefix|post"));
        for open in [&br#""a"b"#[..], br#""a"#, b"'a", br#""a\""#] {
            assert_eq!(read(open), None);
        }
    }
}
