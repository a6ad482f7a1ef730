//! The prefix tree, drawn: figures on the left, where they line up, and the tree in the room that is left.

use std::io;

use rdb_analysis::PrefixSummary;
use rdb_analysis::prefixes::{PrefixRow, RowKind};

use super::groups::measure_word;
use super::table::{Cell, Column, Table, bar, bar_columns};
use crate::names::{fit, key_text, prefix_line};
use crate::style::{Line, Page, Style};
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

/// Draws rows as a tree.
pub(crate) fn draw(page: &mut Page<'_>, prefixes: &PrefixSummary, rows: &[PrefixRow<'_>]) -> io::Result<()> {
    let measure = prefixes.measure();
    let total = prefixes.total.bytes(measure);
    let mut table = Table::new([
        Column::right(measure_word(measure)),
        Column::right("share"),
        Column::left("").gives_way(3),
        Column::right("keys"),
        Column::right("no TTL").gives_way(1),
        Column::flex("prefix"),
    ]);
    // Whether more rows follow at each level above the one being drawn.
    let mut open: Vec<bool> = Vec::new();
    for row in rows {
        open.truncate(row.indent.saturating_sub(1));
        let mut name = branches(&open, row, page);
        if row.indent > 0 {
            open.push(!row.last);
        }
        let style = if row.indent == 0 { Style::Strong } else { Style::Plain };
        name.append(label(row, page));
        let tally = &row.tally;
        table.row([
            Cell::styled(units::bytes_aligned(tally.bytes(measure)), style),
            Cell::styled(units::percent(tally.bytes(measure), total), style),
            Cell::Text(bar(tally.bytes(measure), total, bar_columns(page), page)),
            Cell::styled(units::count(tally.keys), style),
            Cell::Text(forever(tally.keys_without_ttl, tally.keys)),
            Cell::Text(name),
        ]);
    }
    table.print(page)
}

/// The share of keys that never expire: all of them catches the eye, none of them does not.
fn forever(without_ttl: u64, keys: u64) -> Line {
    let text = match without_ttl {
        0 => "none".to_owned(),
        all if all == keys => "all".to_owned(),
        some => units::percent(some, keys),
    };
    Line::of(text, if without_ttl == 0 { Style::Dim } else { Style::Plain })
}

/// The lines that lead from the root to a row.
fn branches(open: &[bool], row: &PrefixRow<'_>, page: &Page<'_>) -> Line {
    let (pass, end, fork) =
        if page.screen.unicode { ("│ ", "└─", "├─") } else { ("| ", "`-", "|-") };
    let mut line = Line::new();
    if row.indent == 0 {
        return line;
    }
    for &more in open {
        line.push(if more { pass } else { "  " }, Style::Dim);
    }
    line.push(if row.last { end } else { fork }, Style::Dim);
    line.push(" ", Style::Plain);
    line
}

fn label(row: &PrefixRow<'_>, page: &Page<'_>) -> Line {
    match row.kind {
        RowKind::Other { children: 0 } => Line::of("(keys that end here)", Style::Dim),
        RowKind::Other { children } => {
            let prefixes = units::counted(children as u64, "smaller prefix", "smaller prefixes");
            let own = if row.node.own.keys > 0 { ", keys that end here" } else { "" };
            Line::of(format!("({prefixes}{own})"), Style::Dim)
        }
        RowKind::Node if row.indent == 0 => {
            let text = row.db.map_or_else(|| "all databases".to_owned(), |db| format!("db {db}"));
            Line::of(text, Style::Strong)
        }
        RowKind::Node => {
            let text = key_text(row.text(), &page.screen);
            prefix_line(&fit(&text, page.screen.columns(), &page.screen), Style::Plain)
        }
    }
}
