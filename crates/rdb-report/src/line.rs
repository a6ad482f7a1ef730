//! Lines of styled text that know their width.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use crate::style::{Screen, Style};

/// How many columns a text takes, character by character, as terminals count.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// The longest start of `text` that takes at most `columns`.
pub(crate) fn start(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// The longest end of `text` that takes at most `columns`.
pub(crate) fn end(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > columns {
            return text.get(at + c.len_utf8()..).unwrap_or_default();
        }
    }
    text
}

/// One line of styled text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    spans: Vec<(String, Style)>,
    width: usize,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line of one style.
    pub(crate) fn of(text: impl Into<String>, style: Style) -> Self {
        Self::new().with(text, style)
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::of(text, Style::Plain)
    }

    /// Appends a piece.
    pub(crate) fn push(&mut self, text: impl Into<String>, style: Style) {
        let text = text.into();
        if !text.is_empty() {
            self.width += width(&text);
            self.spans.push((text, style));
        }
    }

    /// The same, for chains.
    pub(crate) fn with(mut self, text: impl Into<String>, style: Style) -> Self {
        self.push(text, style);
        self
    }

    /// Appends another line.
    pub(crate) fn append(&mut self, other: Self) {
        self.width += other.width;
        self.spans.extend(other.spans);
    }

    /// Appends another line, for chains.
    pub(crate) fn joined(mut self, other: Self) -> Self {
        self.append(other);
        self
    }

    /// Appends spaces until the line is that wide.
    pub(crate) fn pad_to(&mut self, columns: usize) {
        if let Some(missing) = columns.checked_sub(self.width) {
            self.push(" ".repeat(missing), Style::Plain);
        }
    }

    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub(crate) fn spans(&self) -> &[(String, Style)] {
        &self.spans
    }

    /// Cuts the line so that it takes at most `columns`, with an ellipsis where something is missing.
    pub(crate) fn clip(&mut self, columns: usize, ellipsis: &str) {
        if self.width <= columns {
            return;
        }
        let ellipsis = start(ellipsis, columns);
        let mut room = columns - width(ellipsis);
        let mut cut = Self::new();
        for (text, style) in std::mem::take(&mut self.spans) {
            let kept = start(&text, room);
            room -= width(kept);
            let ends = kept.len() < text.len();
            cut.push(kept, style);
            if ends {
                cut.push(ellipsis, style);
                break;
            }
        }
        *self = cut;
    }

    pub(crate) fn write(&self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        // Spaces at the end of a line are nothing to see, unless they have a colour.
        let trailing = self.spans.iter().rev().take_while(|(text, _)| text.trim_end().is_empty()).count();
        let seen = self.spans.len() - trailing;
        for (at, (text, style)) in self.spans.iter().take(seen).enumerate() {
            let text = if at + 1 == seen { text.trim_end() } else { text };
            let ansi = style.ansi();
            if screen.color && !ansi.is_empty() {
                write!(out, "\x1b[{ansi}m{text}\x1b[0m")?;
            } else {
                out.write_all(text.as_bytes())?;
            }
        }
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(width("日本"), 4);
        assert_eq!(start("日本語", 3), "日");
        assert_eq!(end("日本語", 3), "語");
        assert_eq!(start("abc", 9), "abc");
    }
}
