//! The prefix tree, drawn: figures on the left, where they line up, and the tree in the room that is left.

use std::io;

use rdb_analysis::PrefixSummary;
use rdb_analysis::prefixes::{PrefixRow, RowKind};

use super::groups::measure_word;
use super::table::{Cell, Column, Table, bar, part_bar};
use crate::line::Line;
use crate::names::{fit, key_text};
use crate::page::Page;
use crate::style::Style;
use crate::units;

/// Lines of the tree in a report, where the screen does not say how many it has.
const REPORT_LINES: usize = 24;

/// The least share of a node in a report.
const MIN_SHARE: f64 = 0.005;

/// The tree as a section of the report.
pub(crate) fn section(page: &mut Page<'_>, prefixes: &PrefixSummary) -> io::Result<()> {
    page.section("Prefixes", "")?;
    let lines = page.screen.height.map_or(REPORT_LINES, |height| (height / 2).clamp(12, 32));
    let rows = prefixes.rows_that_fit(lines, MIN_SHARE);
    draw(page, prefixes, &rows)
}

/// Columns of the largest key of a prefix, where the screen has room for it.
const LARGEST_KEY_COLUMNS: usize = 48;

/// Draws rows as a tree.
pub(crate) fn draw(page: &mut Page<'_>, prefixes: &PrefixSummary, rows: &[PrefixRow<'_>]) -> io::Result<()> {
    let measure = prefixes.measure();
    let total = prefixes.total.bytes(measure);
    let mut table = Table::new([
        Column::right(measure_word(measure)),
        Column::right("share"),
        Column::left("").gives_way(1),
        Column::right("keys"),
        Column::right("no TTL").gives_way(2),
        Column::flex("prefix"),
        Column::right("each").gives_way(3),
        Column::right("largest").gives_way(4),
        Column::left("largest key").gives_way(5),
    ]);
    // Whether more rows follow at each level above the one being drawn.
    let mut open: Vec<bool> = Vec::new();
    for row in rows {
        open.truncate(row.indent.saturating_sub(1));
        let branches = branches(&open, row, page);
        if row.indent > 0 {
            open.push(!row.last);
        }
        let style = if row.indent == 0 { Style::Strong } else { Style::Plain };
        let tally = &row.tally;
        // What is left out has no largest key of its own.
        let largest = row.node.largest.as_ref().filter(|_| row.kind == RowKind::Node);
        let largest_key = largest.map_or_else(String::new, |largest| {
            fit(&key_text(&largest.key, &page.screen), LARGEST_KEY_COLUMNS, &page.screen)
        });
        table.row([
            Cell::styled(units::bytes_aligned(tally.bytes(measure)), style),
            Cell::styled(units::percent(tally.bytes(measure), total), style),
            if row.indent > 1 { part_bar } else { bar }(tally.bytes(measure), total, page),
            Cell::styled(units::count(tally.keys), style),
            Cell::Text(forever(tally.keys_without_ttl, tally.keys)),
            label(branches, row, page),
            Cell::plain(units::bytes_aligned(tally.bytes(measure) / tally.keys.max(1))),
            Cell::plain(largest.map_or_else(String::new, |largest| units::bytes_aligned(largest.bytes))),
            Cell::styled(largest_key, Style::Dim),
        ]);
    }
    table.print(page)
}

/// The share of keys that never expire; where there are none it does not catch the eye.
fn forever(without_ttl: u64, keys: u64) -> Line {
    let text = units::percent(without_ttl, keys);
    Line::of(text, if without_ttl == 0 { Style::Dim } else { Style::Plain })
}

/// The lines that lead from the root to a row.
fn branches(open: &[bool], row: &PrefixRow<'_>, page: &Page<'_>) -> Line {
    let (pass, end, fork) =
        if page.screen.unicode { ("│ ", "└─ ", "├─ ") } else { ("| ", "`- ", "|- ") };
    let mut line = Line::new();
    if row.indent > 0 {
        line.push(open.iter().map(|more| if *more { pass } else { "  " }).collect::<String>(), Style::Dim);
        line.push(if row.last { end } else { fork }, Style::Dim);
    }
    line
}

fn label(branches: Line, row: &PrefixRow<'_>, page: &Page<'_>) -> Cell {
    match row.kind {
        RowKind::Other { children: 0 } => Cell::Text(branches.with("(other: own keys)", Style::Dim)),
        RowKind::Other { children } => {
            let prefixes = units::counted(children as u64, "prefix", "prefixes");
            let own = if row.node.own.keys > 0 { ", own keys" } else { "" };
            Cell::Text(branches.with(format!("(other: {prefixes}{own})"), Style::Dim))
        }
        RowKind::Node if row.indent == 0 => {
            let text = row.db.map_or_else(|| "all databases".to_owned(), |db| format!("db {db}"));
            Cell::styled(text, Style::Strong)
        }
        RowKind::Node => Cell::Prefix(branches, key_text(row.text(), &page.screen)),
    }
}
