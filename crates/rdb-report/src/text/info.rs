//! What a file says about itself beside its keys.

use std::io::{self, Write};

use rdb_analysis::{Coverage, FileFacts};
use rdb_format::FileVersion;
use rdb_parser::ModuleAuxWhen;

use super::aux_fields::meaning;
use super::header::{field, verdict};
use super::table::{Cell, Column, Table};
use crate::line::{Line, width};
use crate::messages;
use crate::names::{file_text, fit, key_text, on_screen};
use crate::page::Page;
use crate::style::{Screen, Style};
use crate::units;

/// Columns of a field's name.
const NAME_COLUMNS: usize = 24;

/// Columns of a field's value, where what it means stands behind it in a column of its own.
const SHORT_VALUE_COLUMNS: usize = 10;

/// Entries of a list that are printed.
const MAX_LISTED: usize = 64;

/// One file and what it says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a> {
    /// The input as it was named.
    pub name: &'a str,
    /// What it says.
    pub facts: &'a FileFacts,
    /// How much of it was read, and what its checksum says.
    pub coverage: &'a Coverage,
    /// The time of the report, for ages, in milliseconds since 1970.
    pub now_ms: Option<i64>,
}

/// Prints what each file says about itself.
///
/// # Errors
///
/// When writing fails.
pub fn info(files: &[Info<'_>], screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(screen, out);
    for (at, file) in files.iter().enumerate() {
        if at > 0 {
            page.blank()?;
        }
        one(&mut page, file)?;
    }
    Ok(())
}

fn one(page: &mut Page<'_>, info: &Info<'_>) -> io::Result<()> {
    let Info { facts, coverage, .. } = info;
    page.line(Line::of(file_text(info.name, &page.screen), Style::Strong))?;
    field(page, "format", &Line::plain(format(facts.version)))?;
    field(page, "size", &Line::plain(size(coverage)))?;
    if let Some(error) = &coverage.stopped_by {
        let text = match facts.version {
            Some(_) => format!("reading stopped at {error}; below is what stands before"),
            None => format!("nothing could be read: {error}"),
        };
        let text = on_screen(text, &page.screen);
        field(page, "INCOMPLETE", &Line::of(text, Style::Bad))?;
    }
    for gap in coverage.gaps.first.iter().take(MAX_LISTED) {
        let text = on_screen(messages::gap(gap), &page.screen);
        field(page, "GAP", &Line::of(text, Style::Bad))?;
    }
    if coverage.is_salvaged() {
        field(page, "SALVAGED", &Line::of(messages::salvaged(coverage), Style::Bad))?;
    }
    if let Some(reason) = &coverage.unpacking {
        let text = on_screen(messages::unpacking(reason), &page.screen);
        field(page, "DAMAGED", &Line::of(text, Style::Bad))?;
    }
    field(page, "checksum", &verdict(&coverage.checksum))?;
    for warning in &coverage.warnings {
        field(page, "note", &Line::of(messages::warning(warning, facts.version), Style::Warn))?;
    }
    for (label, number, what) in [
        ("slots", facts.slots, format!("described, with {}", units::counted(facts.slot_keys, "key", "keys"))),
        ("slot imports", facts.slot_imports, "under way when the file was saved".to_owned()),
        ("templates", facts.hash_templates, "of hashes that share their fields".to_owned()),
        ("lua scripts", facts.lua_scripts, "kept for EVALSHA".to_owned()),
        ("not listed", facts.unlisted, "entries left out below: they are too many".to_owned()),
    ] {
        if number > 0 {
            field(page, label, &Line::plain(format!("{} {what}", units::count(number))))?;
        }
    }
    aux(page, info)?;
    dbs(page, facts)?;
    functions(page, facts)?;
    modules(page, facts)
}

fn format(version: Option<FileVersion>) -> String {
    let Some(version) = version else { return "not an RDB file, or cut before its version".to_owned() };
    format!("{version}, as written by {}", version.writers())
}

fn size(coverage: &Coverage) -> String {
    let total = units::bytes(coverage.total_bytes);
    let exact = units::counted(coverage.total_bytes, "byte", "bytes");
    let keys = units::counted(coverage.keys, "key", "keys");
    match coverage.stopped_by {
        None => format!("{total} ({exact}), {keys}"),
        Some(_) => {
            let share = units::percent(coverage.read_bytes, coverage.total_bytes);
            format!("{total} ({exact}), of which {share} could be read: {keys}")
        }
    }
}

fn aux(page: &mut Page<'_>, info: &Info<'_>) -> io::Result<()> {
    let fields = info.facts.aux.get(..MAX_LISTED).unwrap_or(&info.facts.aux);
    if fields.is_empty() {
        return Ok(());
    }
    page.section("Fields", "")?;
    let screen = page.screen;
    let text = |bytes: &[u8], columns: usize| fit(&key_text(bytes, &screen), columns, &screen);
    let names: Vec<String> = fields.iter().map(|field| text(&field.name, NAME_COLUMNS)).collect();
    let value_at = 2 + names.iter().map(|name| width(name)).max().unwrap_or(0) + 2;
    let meaning_at = value_at + SHORT_VALUE_COLUMNS + 2;
    for (field, name) in fields.iter().zip(names) {
        let mut line = Line::of(format!("  {name}"), Style::Dim);
        line.pad_to(value_at);
        line.push(text(&field.value, screen.columns().saturating_sub(value_at)), Style::Strong);
        let Some(meaning) = meaning(field, info.now_ms) else {
            page.line(line)?;
            continue;
        };
        line.pad_to(meaning_at - 2);
        line.push("  ", Style::Plain);
        let following = Line::plain(" ".repeat(meaning_at));
        if line.width() + width(&meaning) > screen.columns() && line.width() > meaning_at {
            page.line(std::mem::replace(&mut line, following.clone()))?;
        }
        page.wrapped_behind(line, &following, &Line::plain(meaning))?;
    }
    more(page, info.facts.aux.len())
}

fn dbs(page: &mut Page<'_>, facts: &FileFacts) -> io::Result<()> {
    if facts.db_hints.is_empty() {
        return Ok(());
    }
    page.section("Databases", "as the server announced them")?;
    let mut table = Table::new([Column::left("db"), Column::right("keys"), Column::right("that expire")]);
    for (db, hint) in facts.db_hints.iter().take(MAX_LISTED) {
        table.row([
            Cell::styled(db.to_string(), Style::Strong),
            Cell::plain(units::count(hint.keys)),
            Cell::plain(units::count(hint.expires)),
        ]);
    }
    table.print(page)?;
    more(page, facts.db_hints.len())
}

fn functions(page: &mut Page<'_>, facts: &FileFacts) -> io::Result<()> {
    if facts.functions.is_empty() {
        return Ok(());
    }
    page.section("Function libraries", "")?;
    let mut table = Table::new([Column::left("engine"), Column::right("source"), Column::flex("name")]);
    for function in facts.functions.iter().take(MAX_LISTED) {
        table.row([
            Cell::plain(fit(&key_text(&function.engine, &page.screen), 16, &page.screen)),
            Cell::plain(units::bytes_aligned(function.code_bytes)),
            match function.name.as_slice() {
                b"" => Cell::styled("not named", Style::Dim),
                name => Cell::Fitted(key_text(name, &page.screen), Style::Strong),
            },
        ]);
    }
    table.print(page)?;
    more(page, facts.functions.len())
}

fn modules(page: &mut Page<'_>, facts: &FileFacts) -> io::Result<()> {
    if facts.module_aux.is_empty() {
        return Ok(());
    }
    page.section("Module data outside keys", "")?;
    let mut table = Table::new([
        Column::left("module"),
        Column::right("version"),
        Column::right("in the file"),
        Column::left("loaded"),
    ]);
    for aux in facts.module_aux.iter().take(MAX_LISTED) {
        let when = match aux.when {
            ModuleAuxWhen::BeforeKeys => "before the keys",
            ModuleAuxWhen::AfterKeys => "after the keys",
            ModuleAuxWhen::Other(_) => "at a time without meaning",
        };
        table.row([
            Cell::styled(key_text(aux.module.as_bytes(), &page.screen), Style::Strong),
            Cell::plain(aux.encoding_version.to_string()),
            Cell::plain(units::bytes_aligned(aux.serialized_bytes)),
            Cell::plain(when),
        ]);
    }
    table.print(page)?;
    more(page, facts.module_aux.len())
}

fn more(page: &mut Page<'_>, all: usize) -> io::Result<()> {
    match all.checked_sub(MAX_LISTED) {
        None | Some(0) => Ok(()),
        Some(more) => page.line(Line::of(format!("  and {more} more"), Style::Dim)),
    }
}
