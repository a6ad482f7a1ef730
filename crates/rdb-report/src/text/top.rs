//! The biggest keys as a screen of their own.

use std::io::{self, Write};

use rdb_analysis::{KeyRow, Ranking, Tally};

use super::biggest::{elements, expires_in, file_cell, key_cell, type_and_encoding};
use super::table::{Cell, Column, Table};
use crate::line::Line;
use crate::page::Page;
use crate::style::{Screen, Style};
use crate::units;

/// A list of keys, ranked.
#[derive(Clone, Copy, Debug)]
pub struct TopView<'a> {
    /// The keys in order of rank; with `per_type` one list after the other.
    pub rows: &'a [KeyRow],
    /// What they are ranked by.
    pub ranking: Ranking,
    /// Whether each type has a list of its own.
    pub per_type: bool,
    /// Sum over all keys looked at, for the shares.
    pub total: Tally,
    /// The inputs as they were named, and the time each is measured from.
    pub files: &'a [(String, i64)],
}

/// Prints the biggest keys as a table.
///
/// # Errors
///
/// When writing fails.
pub fn top(view: &TopView<'_>, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(screen, out);
    if view.rows.is_empty() {
        let none = match view.ranking {
            Ranking::Idle => "No key has an idle time: the server keeps them under an LRU policy only.",
            Ranking::Freq => "No key has a frequency: the server keeps them under an LFU policy only.",
            _ => "There are no such keys.",
        };
        return page.wrapped(Line::new(), &Line::of(none, Style::Strong));
    }
    let several_files = view.files.len() > 1;
    let several_dbs = view.rows.iter().any(|row| row.db != 0);
    let figure = ranked_by(view.ranking);
    let mut columns = vec![Column::right("#")];
    columns.extend(figure.map(Column::right));
    columns.extend([
        Column::right("memory"),
        Column::right("share").gives_way(4),
        Column::left("type").gives_way(1),
        Column::right("elements").gives_way(3),
        Column::right("TTL").gives_way(2),
    ]);
    if several_dbs {
        columns.push(Column::right("db"));
    }
    if several_files {
        columns.push(Column::left("file").gives_way(5));
    }
    columns.push(Column::flex("key"));
    let mut table = Table::new(columns);
    let mut rank = 0u64;
    let mut list = None;
    for row in view.rows {
        let of = (row.object_type, row.module);
        rank = if view.per_type && list != Some(of) { 1 } else { rank + 1 };
        list = Some(of);
        let file = view.files.get(row.file as usize);
        let mut cells = vec![Cell::styled(rank.to_string(), Style::Dim)];
        if figure.is_some() {
            cells.push(Cell::styled(ranked_figure(view.ranking, row), Style::Strong));
        }
        cells.extend([
            Cell::styled(units::bytes_aligned(row.memory_bytes), Style::Strong),
            Cell::plain(units::percent(row.memory_bytes, view.total.memory_bytes)),
            Cell::plain(type_and_encoding(row)),
            Cell::plain(elements(row)),
            expires_in(row, file.map_or(0, |(_, now)| *now)),
        ]);
        if several_dbs {
            cells.push(Cell::plain(row.db.to_string()));
        }
        if several_files {
            cells.push(file_cell(file.map(|(name, _)| name.as_str()), screen));
        }
        cells.push(key_cell(&row.key, screen));
        table.row(cells);
    }
    table.print(&mut page)
}

/// The title of the figure that ranks, where no other column shows it.
const fn ranked_by(ranking: Ranking) -> Option<&'static str> {
    match ranking {
        Ranking::Memory | Ranking::Elements => None,
        Ranking::Allocated => Some("allocated"),
        Ranking::Largest => Some("largest"),
        Ranking::Serialized => Some("in the file"),
        Ranking::Idle => Some("idle for"),
        Ranking::Freq => Some("freq"),
    }
}

fn ranked_figure(ranking: Ranking, row: &KeyRow) -> String {
    let value = ranking.value(&row.observation()).unwrap_or(0);
    match ranking {
        Ranking::Idle => units::duration(value.saturating_mul(1000)),
        Ranking::Freq | Ranking::Elements => units::count(value),
        _ => units::bytes_aligned(value),
    }
}
