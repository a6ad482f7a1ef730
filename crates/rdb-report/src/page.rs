//! Where lines go: sections, sentences that break at their spaces, commands to copy.

use std::io::{self, Write};

use crate::line::{Line, width};
use crate::style::{Screen, Style};

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
