//! The prefix tree as a screen of its own.

use std::io::{self, Write};

use rdb_analysis::PrefixSummary;
use rdb_analysis::prefixes::RowLimits;

use super::tree;
use crate::line::Line;
use crate::page::Page;
use crate::style::{Screen, Style};

/// Lines of the tree where the screen does not say how many it has.
const LINES: usize = 48;

/// Prints the prefix tree: the rows that `limits` allow, or, without limits, those that fit the screen.
///
/// # Errors
///
/// When writing fails.
pub fn prefixes(
    prefixes: &PrefixSummary,
    limits: Option<&RowLimits>,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(screen, out);
    if prefixes.total.keys == 0 {
        return page.line(Line::of("There are no keys.", Style::Strong));
    }
    let rows = match limits {
        Some(limits) => prefixes.rows_joined(limits),
        // A prompt stands below, titles above.
        None => {
            let lines = screen.height.map_or(LINES, |height| height.saturating_sub(3).max(12));
            prefixes.rows_that_fit(lines, 0.0)
        }
    };
    tree::draw(&mut page, prefixes, &rows)
}
