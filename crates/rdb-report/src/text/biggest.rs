//! The biggest keys of a report.

use std::io;

use rdb_analysis::{KeyRow, Summary};
use rdb_format::ObjectType;

use super::groups::measure_word;
use super::table::{Cell, Column, Table};
use crate::line::{end, width};
use crate::names::{file_text, key_text};
use crate::page::Page;
use crate::style::{Screen, Style};
use crate::units;

pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let rows = summary.top_keys.get(..summary.shown_keys).unwrap_or(&summary.top_keys);
    if rows.is_empty() {
        return Ok(());
    }
    page.section("Biggest keys", "")?;
    let measure = summary.measure;
    let total = summary.total().bytes(measure);
    let several_files = summary.files.len() > 1;
    let several_dbs = rows.iter().any(|row| row.db != 0);
    let mut columns = vec![
        Column::right("#"),
        Column::right(measure_word(measure)),
        Column::right("share").gives_way(4),
        Column::left("type").gives_way(1),
        Column::right("elements").gives_way(3),
        Column::right("TTL").gives_way(2),
    ];
    if several_dbs {
        columns.push(Column::right("db"));
    }
    if several_files {
        columns.push(Column::left("file").gives_way(5));
    }
    columns.push(Column::flex("key"));
    let mut table = Table::new(columns);
    for (rank, row) in rows.iter().enumerate() {
        let bytes = row.observation().bytes(measure);
        let file = summary.files.get(row.file as usize);
        let now = file.map_or(0, |file| file.now.ms);
        let mut cells = vec![
            Cell::styled((rank + 1).to_string(), Style::Dim),
            Cell::styled(units::bytes_aligned(bytes), Style::Strong),
            Cell::plain(units::percent(bytes, total)),
            Cell::plain(type_and_encoding(row)),
            Cell::plain(elements(row)),
            expires_in(row, now),
        ];
        if several_dbs {
            cells.push(Cell::plain(row.db.to_string()));
        }
        if several_files {
            cells.push(file_cell(file.map(|file| file.name.as_str()), &page.screen));
        }
        cells.push(key_cell(&row.key, &page.screen));
        table.row(cells);
    }
    table.print(page)
}

/// A key in a table: one without a name is seen too.
pub(crate) fn key_cell(key: &[u8], screen: &Screen) -> Cell {
    if key.is_empty() {
        return Cell::styled("\"\"", Style::Dim);
    }
    Cell::Fitted(key_text(key, screen), Style::Plain)
}

/// The name of an input where a key has only a little room for it: its end tells more than its start.
pub(crate) fn file_cell(name: Option<&str>, screen: &Screen) -> Cell {
    const COLUMNS: usize = 24;
    let name = file_text(name.unwrap_or_default(), screen);
    let name = match width(&name) {
        0..=COLUMNS => name,
        _ => format!("{}{}", screen.ellipsis(), end(&name, COLUMNS - width(screen.ellipsis()))),
    };
    Cell::plain(name)
}

/// `hash/listpack`; a module type stands alone.
pub(crate) fn type_and_encoding(row: &KeyRow) -> String {
    match row.module {
        Some(module) => module.as_str().to_owned(),
        None if row.object_type.as_str() == row.encoding.as_str() => row.object_type.to_string(),
        None => format!("{}/{}", row.object_type, row.encoding),
    }
}

/// The number of elements; for a string its length, which is bytes.
pub(crate) fn elements(row: &KeyRow) -> String {
    match (row.elements, row.object_type) {
        (None, _) => String::new(),
        (Some(bytes), ObjectType::String) => units::bytes(bytes),
        (Some(elements), _) => units::count(elements),
    }
}

/// When a key expires, seen from `now`.
pub(crate) fn expires_in(row: &KeyRow, now_ms: i64) -> Cell {
    match row.expire_at_ms {
        None => Cell::styled("none", Style::Dim),
        Some(at) => match units::time_left(at, now_ms) {
            Some(left) => Cell::plain(left),
            None => Cell::styled("expired", Style::Warn),
        },
    }
}
