//! Keys, prefixes and file names as text for people: always escaped, and fitted to a width.

use rdb_parser::EscapedKey;

use crate::line::{Line, end, start, width};
use crate::style::{Screen, Style};

/// A key as text that is safe on any terminal.
pub(crate) fn key_text(key: &[u8], screen: &Screen) -> String {
    on_screen(EscapedKey(key).to_string(), screen)
}

/// A text that is safe, on this screen: where only ASCII can be shown, every other byte is escaped.
pub(crate) fn on_screen(text: String, screen: &Screen) -> String {
    if screen.unicode || text.is_ascii() {
        return text;
    }
    let mut ascii = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else if c == '…' {
            ascii.push_str(screen.ellipsis());
        } else {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer).bytes().for_each(|byte| ascii.push_str(&format!("\\x{byte:02x}")));
        }
    }
    ascii
}

/// The name of an input: as it was given, but for what could act on a terminal.
pub(crate) fn file_text(name: &str, screen: &Screen) -> String {
    if name == "-" {
        return "standard input".to_owned();
    }
    // In a name that the user typed, a backslash is no riddle.
    key_text(name.as_bytes(), screen).replace("\\\\", "\\")
}

/// Shortens a text to `columns`, leaving out its middle: both ends of a key tell what it is.
///
/// Escapes are not cut in two.
pub(crate) fn fit(text: &str, columns: usize, screen: &Screen) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let ellipsis = start(screen.ellipsis(), columns);
    let room = columns - width(ellipsis);
    let tail = room / 3;
    let head_end = start(text, room - tail).len();
    let head_end = escape_around(text, head_end).map_or(head_end, |(start, _)| start);
    let tail_start = text.len() - end(text, tail).len();
    let tail_start = escape_around(text, tail_start).map_or(tail_start, |(_, end)| end);
    let (head, tail) = (text.get(..head_end).unwrap_or_default(), text.get(tail_start..).unwrap_or_default());
    format!("{head}{ellipsis}{tail}")
}

/// Where the escape starts and ends that a cut at this place would go through.
fn escape_around(text: &str, cut: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let start = (cut.saturating_sub(3)..cut).find(|&at| {
        // A backslash starts an escape unless it is the second of a pair.
        let before = bytes.get(..=at).unwrap_or_default();
        before.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
    })?;
    let end = start + if bytes.get(start + 1) == Some(&b'x') { 4 } else { 2 };
    (end > cut).then_some((start, end.min(bytes.len())))
}

/// A prefix with its folded identifiers set apart: `user:` `{int}` `:cart`.
pub(crate) fn prefix_line(text: &str, style: Style) -> Line {
    let mut line = Line::new();
    let mut rest = text;
    while let Some((before, from_brace)) = split_at_fold(rest) {
        let close = from_brace.find('}').map_or(from_brace.len(), |at| at + 1);
        let (fold, after) = from_brace.split_at_checked(close).unwrap_or((from_brace, ""));
        line.push(before, style);
        line.push(fold, Style::Fold);
        rest = after;
    }
    line.push(rest, style);
    line
}

/// Splits in front of the first single `{`: a double one stands for a brace of the key itself.
fn split_at_fold(text: &str) -> Option<(&str, &str)> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c != '{' {
            continue;
        }
        if chars.next_if(|(_, next)| *next == '{').is_none() {
            return text.split_at_checked(at);
        }
    }
    None
}

/// A glob that fits the keys of a prefix, as `--match` takes it.
///
/// Folded identifiers become `*`, so it may fit a few other keys too.
pub(crate) fn prefix_glob(path: &[u8]) -> String {
    let mut glob = String::new();
    let mut rest = path;
    while let [byte, after @ ..] = rest {
        rest = after;
        match (byte, after) {
            (b'{', [b'{', after @ ..]) => {
                glob.push('{');
                rest = after;
            }
            (b'}', [b'}', after @ ..]) => {
                glob.push('}');
                rest = after;
            }
            (b'{', _) => {
                let close = after.iter().position(|&b| b == b'}').map_or(after.len(), |at| at + 1);
                rest = after.get(close..).unwrap_or_default();
                glob.push('*');
            }
            (b'*' | b'?' | b'[' | b']' | b'\\', _) => {
                glob.push('\\');
                glob.push(char::from(*byte));
            }
            (0x20..=0x7e, _) => glob.push(char::from(*byte)),
            _ => glob.push('?'),
        }
    }
    if !glob.ends_with('*') {
        glob.push('*');
    }
    glob
}

/// A word as a shell reads it.
pub(crate) fn shell_word(word: &str) -> String {
    let is_safe = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_lose_their_middle() {
        let screen = Screen::plain(80);
        assert_eq!(fit("user:1001:cart", 14, &screen), "user:1001:cart");
        assert_eq!(fit("user:1001:cart", 10, &screen), "user:1…art");
        assert_eq!(fit("日本語日本語", 7, &screen), "日本…語");
        assert_eq!(fit("abc", 0, &screen), "");
        assert_eq!(fit(r"\xfe\xfe\xfe\xfe\xfe\xfe", 16, &screen), r"\xfe\xfe…\xfe");
        assert_eq!(fit(r"a\\b\\c\\d\\e\\f", 9, &screen), r"a\\b\\…f");
    }

    #[test]
    fn ascii_screens_get_ascii() {
        let screen = Screen { unicode: false, ..Screen::plain(80) };
        assert_eq!(key_text("caf\u{e9}".as_bytes(), &screen), r"caf\xc3\xa9");
    }

    #[test]
    fn folds_stand_apart_from_braces_of_the_key() {
        let line = prefix_line("{{shop}}:{int}:x", Style::Plain);
        let parts: Vec<_> = line.spans().iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(parts, ["{{shop}}:", "{int}", ":x"]);
    }

    #[test]
    fn globs_fit_their_prefix() {
        for (path, want) in [
            (&b"user:{int}:cart"[..], "user:*:cart*"),
            (b"{{shop}}:a", "{shop}:a*"),
            (b"a*b[", r"a\*b\[*"),
            (b"a\xff", "a?*"),
            (b"x:{*}", "x:*"),
            (b"", "*"),
        ] {
            assert_eq!(prefix_glob(path), want);
        }
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_read_more() {
        assert_eq!(shell_word("dump.rdb"), "dump.rdb");
        assert_eq!(shell_word("my dump.rdb"), "'my dump.rdb'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word("user:*"), "'user:*'");
    }
}
