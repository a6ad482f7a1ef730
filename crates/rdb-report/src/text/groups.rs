//! Tables of sums: by type and encoding, by database.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use rdb_analysis::{GroupKey, Measure, ModuleShare, Summary, Tally, modules, regroup};
use rdb_format::ObjectType;

use super::table::{Cell, Column, Table, bar, part_bar};
use crate::page::Page;
use crate::style::Style;
use crate::units;

/// Databases, and types, that get a row each; the others share one.
const MAX_ROWS: usize = 32;

/// What a measure is called above a column.
pub(crate) const fn measure_word(measure: Measure) -> &'static str {
    match measure {
        Measure::Memory => "memory",
        Measure::Allocated => "allocated",
        Measure::Serialized => "in the file",
    }
}

/// Types, the largest first, and below each its encodings.
pub(crate) fn by_type(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    page.section("Types and encodings", "")?;
    let measure = summary.measure;
    let total = summary.total();
    let mut table = Table::new([
        Column::left("type"),
        Column::right("keys"),
        Column::right(measure_word(measure)),
        Column::right("share"),
        Column::left("").gives_way(1),
        Column::right("elements").gives_way(2),
        Column::right("each").gives_way(3),
    ]);
    let mut row = |page: &Page<'_>, name: String, depth: usize, object_type: ObjectType, tally: &Tally| {
        let style = if depth == 0 { Style::Strong } else { Style::Plain };
        // What STRLEN answers is bytes.
        let elements = match object_type {
            ObjectType::String => units::bytes_aligned(tally.elements),
            ObjectType::Module | ObjectType::Gcra => String::new(),
            _ => units::count(tally.elements),
        };
        table.row([
            Cell::styled(format!("{}{name}", "  ".repeat(depth)), style),
            Cell::styled(units::count(tally.keys), style),
            Cell::styled(units::bytes_aligned(tally.bytes(measure)), style),
            Cell::styled(units::percent(tally.bytes(measure), total.bytes(measure)), style),
            if depth > 0 { part_bar } else { bar }(tally.bytes(measure), total.bytes(measure), page),
            Cell::plain(elements),
            Cell::plain(units::bytes_aligned(tally.bytes(measure) / tally.keys.max(1))),
        ]);
    };
    let types = ranked(regroup(&summary.groups, |key| (key.object_type, key.module)), measure);
    let mut by_encoding = BTreeMap::<_, Vec<_>>::new();
    for ((object_type, module, encoding), tally) in
        regroup(&summary.groups, |key| (key.object_type, key.module, key.encoding))
    {
        by_encoding.entry((object_type, module)).or_default().push((encoding, tally));
    }
    // Of made-up module types there can be any number.
    let shown = if types.len() > MAX_ROWS { MAX_ROWS - 1 } else { types.len() };
    let (types, others) = types.split_at(shown);
    for &((object_type, module), tally) in types {
        let word = module.map_or(object_type.as_str().to_owned(), |module| module.as_str().to_owned());
        let encodings = ranked(by_encoding.remove(&(object_type, module)).unwrap_or_default(), measure);
        match encodings.as_slice() {
            // What `OBJECT ENCODING` answers for modules and streams says nothing more.
            [(encoding, _)] if module.is_some() || encoding.as_str() == word => {
                row(page, word, 0, object_type, &tally);
            }
            [(encoding, _)] => row(page, format!("{word}/{encoding}"), 0, object_type, &tally),
            several => {
                row(page, word, 0, object_type, &tally);
                for (encoding, tally) in several {
                    row(page, encoding.to_string(), 1, object_type, tally);
                }
            }
        }
    }
    if !others.is_empty() {
        let mut rest = Tally::default();
        others.iter().for_each(|(_, tally)| rest += *tally);
        row(page, format!("({} others)", others.len()), 0, ObjectType::Module, &rest);
    }
    table.print(page)
}

/// Modules whose values are in the file; nothing when there are none.
pub(crate) fn by_module(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let modules = modules(&summary.groups);
    if modules.is_empty() {
        return Ok(());
    }
    page.section("Modules", "the file does not tell what their values take in memory")?;
    let measure = summary.measure;
    let total = summary.total().bytes(measure);
    let mut table = Table::new([
        Column::left("module"),
        Column::right("keys"),
        Column::right(measure_word(measure)),
        Column::right("share"),
        Column::left("").gives_way(1),
        Column::right("in the file").gives_way(2),
        Column::left("basis").gives_way(3),
    ]);
    for ModuleShare { module, basis, tally } in modules {
        table.row([
            Cell::styled(module.as_str(), Style::Strong),
            Cell::plain(units::count(tally.keys)),
            Cell::plain(units::bytes_aligned(tally.bytes(measure))),
            Cell::plain(units::percent(tally.bytes(measure), total)),
            bar(tally.bytes(measure), total, page),
            Cell::plain(units::bytes_aligned(tally.serialized_bytes)),
            Cell::plain(basis.as_str()),
        ]);
    }
    table.print(page)
}

fn db_name(db: u64) -> String {
    if db == GroupKey::MANY_DBS { "all databases".to_owned() } else { format!("db {db}") }
}

/// Databases, by their numbers; nothing when there is one.
pub(crate) fn by_db(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let groups = regroup(&summary.groups, |key| key.db);
    if groups.len() < 2 {
        return Ok(());
    }
    page.section("Databases", "")?;
    let rows: Vec<_> = groups.into_iter().map(|(db, tally)| (db_name(db), tally)).collect();
    let measure = summary.measure;
    let total = summary.total();
    let mut table = Table::new([
        Column::left("database"),
        Column::right("keys"),
        Column::right(measure_word(measure)),
        Column::right("share"),
        Column::left("").gives_way(1),
        Column::right("without TTL").gives_way(2),
    ]);
    let mut row = |page: &Page<'_>, name: String, tally: &Tally| {
        table.row([
            Cell::styled(name, Style::Strong),
            Cell::plain(units::count(tally.keys)),
            Cell::plain(units::bytes_aligned(tally.bytes(measure))),
            Cell::plain(units::percent(tally.bytes(measure), total.bytes(measure))),
            bar(tally.bytes(measure), total.bytes(measure), page),
            Cell::plain(units::count(tally.keys_without_ttl)),
        ]);
    };
    let shown = if rows.len() > MAX_ROWS { MAX_ROWS - 1 } else { rows.len() };
    let mut rest = Tally::default();
    for (at, (name, tally)) in rows.iter().enumerate() {
        if at < shown {
            row(page, name.clone(), tally);
        } else {
            rest += *tally;
        }
    }
    if rows.len() > shown {
        row(page, format!("({} others)", rows.len() - shown), &rest);
    }
    table.print(page)
}

fn ranked<K: Ord + Copy>(mut groups: Vec<(K, Tally)>, measure: Measure) -> Vec<(K, Tally)> {
    groups.sort_by_key(|(key, tally)| (Reverse(tally.bytes(measure)), *key));
    groups
}
