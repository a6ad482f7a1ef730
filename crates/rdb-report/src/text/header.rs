//! What was read: one file in a few lines, several in a table.

use std::io;

use rdb_analysis::{ChecksumVerdict, Coverage, FileSummary, Summary, regroup};

use super::groups::measure_word;
use super::table::{Cell, Column, Table, bar};
use crate::line::Line;
use crate::messages;
use crate::names::file_text;
use crate::page::Page;
use crate::style::Style;
use crate::units;

/// Files that get a row of their own.
const MAX_FILES: usize = 64;

pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    match summary.files.as_slice() {
        [] => page.line(Line::of("No input.", Style::Warn)),
        [file] => one(page, file),
        _ => several(page, summary),
    }
}

/// A label and what it stands for, as the lists of this crate set them.
pub(crate) fn field(page: &mut Page<'_>, label: &str, text: &Line) -> io::Result<()> {
    let mut line = Line::of(label, Style::Dim);
    line.pad_to(LABEL_COLUMNS);
    page.wrapped(line, text)
}

/// Columns of a label in a list.
pub(crate) const LABEL_COLUMNS: usize = 14;

fn one(page: &mut Page<'_>, file: &FileSummary) -> io::Result<()> {
    page.line(Line::of(file_text(&file.name, &page.screen), Style::Strong))?;
    if file.facts.version.is_some() {
        field(page, "written by", &Line::plain(writer(file)))?;
        let saved =
            file.facts.saved_at_ms().map_or_else(|| "the file does not say when".to_owned(), units::time);
        field(page, "saved", &Line::plain(saved))?;
    }
    field(page, "size", &size(&file.coverage))?;
    field(page, "checksum", &verdict(&file.coverage.checksum))?;
    for warning in &file.coverage.warnings {
        field(page, "note", &Line::of(messages::warning(warning, file.facts.version), Style::Warn))?;
    }
    Ok(())
}

/// Who wrote a file, in which format.
pub(crate) fn writer(file: &FileSummary) -> String {
    let facts = &file.facts;
    let format =
        facts.version.map_or_else(|| "no known format".to_owned(), |version| format!("format {version}"));
    match (facts.server(), facts.version) {
        (Some(server), _) => format!("{server}, {format}"),
        (None, Some(version)) => format!("{}, {format}", version.writers()),
        (None, None) => format,
    }
}

fn size(coverage: &Coverage) -> Line {
    let total = units::bytes(coverage.total_bytes);
    let keys = units::counted(coverage.keys, "key", "keys");
    if coverage.is_salvaged() {
        return Line::plain(total).with(format!(", damaged; {}", messages::salvaged(coverage)), Style::Bad);
    }
    if coverage.stopped_by.is_none() {
        return Line::plain(format!("{total}, read to the end: {keys}"));
    }
    if coverage.is_cut_short() {
        let read = format!(", cut short; read were {}", messages::keys_of(coverage));
        return Line::plain(total).with(read, Style::Bad);
    }
    let read = format!(
        ", of which {} ({}) could be read: {keys}",
        units::bytes(coverage.read_bytes),
        units::percent(coverage.read_bytes, coverage.total_bytes)
    );
    Line::plain(total).with(read, Style::Bad)
}

pub(crate) fn verdict(checksum: &ChecksumVerdict) -> Line {
    let style = match checksum {
        ChecksumVerdict::Ok(_) => Style::Good,
        ChecksumVerdict::Mismatch { .. } => Style::Bad,
        ChecksumVerdict::NotReached => Style::Warn,
        ChecksumVerdict::Disabled | ChecksumVerdict::Absent | ChecksumVerdict::NotVerified => Style::Plain,
    };
    let sentence = messages::checksum(checksum);
    let short = ["the checksum is ", "the checksum says ", "the checksum was ", "the checksum "];
    let text = short.iter().find_map(|start| sentence.strip_prefix(start)).unwrap_or(&sentence);
    Line::of(
        text.strip_prefix("there is no checksum")
            .map_or_else(|| text.to_owned(), |rest| format!("none{rest}")),
        style,
    )
}

fn several(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let files = &summary.files;
    let bytes = files.iter().fold(0u64, |sum, file| sum.saturating_add(file.coverage.total_bytes));
    let head = format!("{} files, {}", files.len(), units::bytes(bytes));
    page.line(Line::of(head, Style::Strong))?;
    let measure = summary.measure;
    let total = summary.total().bytes(measure);
    let groups = regroup(&summary.groups, |key| key.file);
    let mut table = Table::new([
        Column::flex("file"),
        Column::right("size").gives_way(2),
        Column::right("keys"),
        Column::right(measure_word(measure)),
        Column::right("share"),
        Column::left("").gives_way(3),
        Column::left("written by").gives_way(4),
        Column::left("saved").gives_way(5),
        Column::left("state"),
    ]);
    for (at, file) in files.iter().enumerate().take(MAX_FILES) {
        let tally = groups.iter().find(|(file, _)| *file as usize == at);
        let tally = tally.map(|(_, tally)| *tally).unwrap_or_default();
        table.row([
            Cell::Fitted(file_text(&file.name, &page.screen), Style::Plain),
            Cell::plain(units::bytes_aligned(file.coverage.total_bytes)),
            Cell::plain(units::count(tally.keys)),
            Cell::plain(units::bytes_aligned(tally.bytes(measure))),
            Cell::plain(units::percent(tally.bytes(measure), total)),
            bar(tally.bytes(measure), total, page),
            Cell::plain(short_writer(file)),
            Cell::plain(file.facts.saved_at_ms().map_or_else(String::new, units::time)),
            Cell::Text(state(&file.coverage)),
        ]);
    }
    table.print(page)?;
    if let Some(more) = files.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
        page.line(Line::of(format!("  and {more} more files"), Style::Dim))?;
    }
    for file in files {
        for warning in &file.coverage.warnings {
            let mut line = Line::of(format!("{}: ", file_text(&file.name, &page.screen)), Style::Strong);
            line.push(messages::warning(warning, file.facts.version), Style::Warn);
            page.wrapped(Line::plain("  "), &line)?;
        }
    }
    Ok(())
}

fn short_writer(file: &FileSummary) -> String {
    let facts = &file.facts;
    match (facts.server(), facts.version) {
        (Some(server), _) => server.to_string(),
        (None, Some(version)) => version.to_string(),
        (None, None) => "unknown".to_owned(),
    }
}

/// The state of a file in a word or two.
fn state(coverage: &Coverage) -> Line {
    if coverage.is_cut_short() {
        return Line::of("cut short", Style::Bad);
    }
    if coverage.is_salvaged() {
        let gaps = units::counted(coverage.gaps.count, "gap", "gaps");
        return Line::of(format!("salvaged, {gaps}"), Style::Bad);
    }
    if coverage.stopped_by.is_some() {
        let read = units::percent(coverage.read_bytes, coverage.total_bytes);
        return Line::of(format!("lost at {read}"), Style::Bad);
    }
    if coverage.damaged_keys > 0 {
        return Line::of(units::counted(coverage.damaged_keys, "damaged key", "damaged keys"), Style::Bad);
    }
    match coverage.checksum {
        ChecksumVerdict::Ok(_) => Line::of("whole", Style::Good),
        ChecksumVerdict::Mismatch { .. } => Line::of("wrong checksum", Style::Bad),
        _ => Line::plain("no checksum"),
    }
}
