//! The screen that text is for, and lines of styled text that know their width.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

/// The screen that text is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Columns: no line is wider. Fewer than [`Screen::MIN_WIDTH`] are taken as that many.
    pub width: usize,
    /// Lines, where known: the prefix tree fits itself to them.
    pub height: Option<usize>,
    /// Whether text is coloured.
    pub color: bool,
    /// Whether box and block characters, and keys beyond ASCII, can be shown.
    pub unicode: bool,
}

impl Screen {
    /// The fewest columns that a table is legible in.
    pub const MIN_WIDTH: usize = 40;

    /// What text is laid out for when it goes to a file or a pipe.
    pub const PIPE: Self = Self { width: 100, height: None, color: false, unicode: true };

    /// A screen of that many columns, without colour.
    #[must_use]
    pub const fn plain(width: usize) -> Self {
        Self { width, ..Self::PIPE }
    }

    pub(crate) fn columns(&self) -> usize {
        self.width.max(Self::MIN_WIDTH)
    }

    pub(crate) const fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }
}

/// What a piece of text is, which decides how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Plain,
    /// What the eye is to find first.
    Strong,
    /// What is there for those who look for it.
    Dim,
    Heading,
    Bar,
    /// The bar of a part, below that of its whole.
    PartBar,
    Good,
    Warn,
    Bad,
    /// An identifier that stands for many: `{int}`.
    Fold,
    Command,
}

impl Style {
    /// Parameters of the ANSI sequence that switches to the style. The sixteen basic colours keep
    /// to the palette that the user has chosen.
    const fn ansi(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "1",
            Self::Dim => "2",
            Self::Heading => "1;36",
            Self::Bar => "34",
            Self::PartBar => "2;34",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "1;31",
            Self::Fold => "35",
            Self::Command => "36",
        }
    }
}

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

    fn write(&self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
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

/// Rules end here on wide screens, where most lines do.
const MAX_RULE_COLUMNS: usize = 110;

/// Where lines go: each is cut to the screen.
pub(crate) struct Page<'o> {
    pub(crate) screen: Screen,
    out: &'o mut dyn Write,
}

impl<'o> Page<'o> {
    pub(crate) fn new(screen: &Screen, out: &'o mut dyn Write) -> Self {
        Self { screen: *screen, out }
    }

    pub(crate) fn line(&mut self, mut line: Line) -> io::Result<()> {
        line.clip(self.screen.columns(), self.screen.ellipsis());
        line.write(&self.screen, self.out)
    }

    pub(crate) fn blank(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// A blank line, then the title of a section, what it is about, and a rule to the edge.
    pub(crate) fn section(&mut self, title: &str, about: &str) -> io::Result<()> {
        self.blank()?;
        let mut line = Line::of(title, Style::Heading);
        if !about.is_empty() {
            line.push(format!("  {about}"), Style::Dim);
        }
        let rule = if self.screen.unicode { "─" } else { "-" };
        let columns = self.screen.columns().min(MAX_RULE_COLUMNS);
        if let Some(room) = columns.checked_sub(line.width() + 2).filter(|room| *room > 0) {
            line.push(format!("  {}", rule.repeat(room)), Style::Dim);
        }
        self.line(line)
    }

    /// A command to copy: broken between its words, with a backslash, if it must be.
    pub(crate) fn command(&mut self, words: &[String]) -> io::Result<()> {
        const INDENT: usize = 6;
        let room = self.screen.columns().saturating_sub(2);
        let mut line = Line::plain(" ".repeat(INDENT));
        for word in words {
            let is_start = line.width() <= INDENT;
            if !is_start && line.width() + 1 + width(word) > room {
                line.push(" \\", Style::Command);
                self.line(std::mem::replace(&mut line, Line::plain(" ".repeat(INDENT + 2))))?;
            } else if !is_start {
                line.push(" ", Style::Command);
            }
            line.push(word.as_str(), Style::Command);
        }
        self.line(line)
    }

    /// A sentence broken at its spaces: the first line starts with `first`, the others with as much space.
    pub(crate) fn wrapped(&mut self, first: Line, sentence: &Line) -> io::Result<()> {
        let following = Line::plain(" ".repeat(first.width()));
        self.wrapped_behind(first, &following, sentence)
    }

    /// A sentence broken at its spaces, with something in front of its first and of all other lines.
    pub(crate) fn wrapped_behind(
        &mut self,
        first: Line,
        following: &Line,
        sentence: &Line,
    ) -> io::Result<()> {
        let columns = self.screen.columns();
        let mut line = first;
        let mut is_start = true;
        for word in words(sentence) {
            if !is_start && line.width() + 1 + word.width() > columns {
                self.line(std::mem::replace(&mut line, following.clone()))?;
                is_start = true;
            }
            if !is_start {
                line.push(" ", Style::Plain);
            }
            line.append(word);
            is_start = false;
        }
        self.line(line)
    }
}

/// What stands between the spaces of a line; a word may change its style within.
fn words(line: &Line) -> Vec<Line> {
    let mut words = Vec::new();
    let mut word = Line::new();
    for (text, style) in line.spans() {
        for (at, piece) in text.split(' ').enumerate() {
            if at > 0 && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            word.push(piece, *style);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(screen: &Screen, print: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        print(&mut Page::new(screen, &mut out)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(width("日本"), 4);
        assert_eq!(start("日本語", 3), "日");
        assert_eq!(end("日本語", 3), "語");
        assert_eq!(start("abc", 9), "abc");
    }

    #[test]
    fn lines_are_cut_to_the_screen() {
        let screen = Screen::plain(40);
        let text = printed(&screen, |page| page.line(Line::plain("日".repeat(30))));
        assert_eq!(width(text.trim_end()), 39);
        assert!(text.ends_with("…\n"));
    }

    #[test]
    fn colour_is_only_for_screens_that_want_it() {
        let line = || Line::plain("a ").with("b", Style::Bad).with("  ", Style::Plain);
        assert_eq!(printed(&Screen::plain(80), |page| page.line(line())), "a b\n");
        let screen = Screen { color: true, ..Screen::plain(80) };
        assert_eq!(printed(&screen, |page| page.line(line())), "a \x1b[1;31mb\x1b[0m\n");
    }

    #[test]
    fn sentences_break_at_spaces() {
        let sentence = Line::plain("The five biggest keys hold ")
            .with("half", Style::Strong)
            .with(" of all the memory, which is a lot by any measure.", Style::Plain);
        let text = printed(&Screen::plain(40), |page| page.wrapped(Line::plain(" * "), &sentence));
        assert_eq!(
            text,
            " * The five biggest keys hold half of\n   all the memory, which is a lot by any\n   measure.\n"
        );
    }
}
