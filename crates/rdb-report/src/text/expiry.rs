//! When memory comes back: a few spans of time.

use std::io;

use rdb_analysis::{Span, Summary};

use super::table::{Cell, Column, Table, bar};
use super::totals::reference;
use crate::line::Line;
use crate::page::Page;
use crate::style::Style;
use crate::units;

pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let total = summary.total();
    let about = reference(summary);
    page.section("Expiry", about.strip_prefix("at ").map_or(about.as_str(), |at| at))?;
    if total.keys == total.keys_without_ttl {
        return page.line(Line::plain("  No key ever expires."));
    }
    let mut table = Table::new([
        Column::left("expires"),
        Column::right("keys"),
        Column::right("memory"),
        Column::right("share"),
        Column::left("").gives_way(1),
    ]);
    for (span, released) in summary.expiry.spans.iter().filter(|(_, released)| released.keys > 0) {
        let style = if *span == Span::Never { Style::Dim } else { Style::Plain };
        table.row([
            Cell::styled(span_words(*span), style),
            Cell::styled(units::count(released.keys), style),
            Cell::styled(units::bytes_aligned(released.memory_bytes), style),
            Cell::styled(units::percent(released.memory_bytes, total.memory_bytes), style),
            bar(released.memory_bytes, total.memory_bytes, page),
        ]);
    }
    table.print(page)
}

const fn span_words(span: Span) -> &'static str {
    match span {
        Span::Expired => "has expired",
        Span::Hour => "within an hour",
        Span::Day => "1 to 24 hours",
        Span::Week => "1 to 7 days",
        Span::Month => "7 to 30 days",
        Span::Year => "30 to 365 days",
        Span::Later => "later",
        Span::Never => "never",
    }
}
