//! The verdict on a file, and the faults it rests on.

use std::io::{self, Write};

use rdb_analysis::{Checked, Coverage, FileFacts, Obstacle, Usage, Warning, lowest_reader, obstacles};
use rdb_format::{ServerVersion, Vendor};
use rdb_parser::{KeyExcerpt, Severity};

use super::header::{field, verdict};
use crate::line::Line;
use crate::messages;
use crate::names::{file_text, on_screen};
use crate::page::Page;
use crate::style::{Screen, Style};
use crate::units;

/// One file and what a close look at it has found.
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    /// The input as it was named.
    pub name: &'a str,
    /// What it says about itself.
    pub facts: &'a FileFacts,
    /// How much of it was read.
    pub coverage: &'a Coverage,
    /// What was found.
    pub checked: &'a Checked,
    /// The server that is to read it, if one was named.
    pub server: Option<ServerVersion>,
}

/// Prints the verdict on each file, then its faults by kind.
///
/// # Errors
///
/// When writing fails.
pub fn check(files: &[Check<'_>], screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(screen, out);
    for (at, file) in files.iter().enumerate() {
        if at > 0 {
            page.blank()?;
        }
        one(&mut page, file)?;
    }
    Ok(())
}

fn one(page: &mut Page<'_>, check: &Check<'_>) -> io::Result<()> {
    let Check { facts, coverage, checked, .. } = check;
    page.line(Line::of(file_text(check.name, &page.screen), Style::Strong))?;
    let (sentence, style) = sentence(checked, coverage);
    field(page, "verdict", &Line::of(sentence, style))?;
    if let Some(version) = facts.version {
        field(page, "format", &Line::plain(format!("{version}, as written by {}", version.writers())))?;
    }
    let read = match coverage.stopped_by {
        None => "read to the end".to_owned(),
        Some(_) => format!("{} read", units::percent(coverage.read_bytes, coverage.total_bytes)),
    };
    let keys = units::counted(coverage.keys, "key", "keys");
    field(page, "size", &Line::plain(format!("{}, {read}: {keys}", units::bytes(coverage.total_bytes))))?;
    field(page, "checksum", &verdict(&coverage.checksum))?;
    if let Some(reason) = &coverage.unpacking {
        field(page, "input", &Line::of(messages::unpacking(reason), Style::Bad))?;
    }
    for warning in coverage.warnings.iter().filter(|odd| !matches!(odd, Warning::EmptyKeys(_))) {
        field(page, "note", &Line::of(messages::warning(warning, facts.version), Style::Warn))?;
    }
    for (number, text) in [
        (checked.untold, "more faults are not told: a value has too many"),
        (checked.too_large, "values are too large to be searched for elements that stand twice"),
        (checked.keys_unchecked, "keys were not compared with those before them: they are too many"),
    ] {
        if number > 0 {
            field(page, "not checked", &Line::plain(format!("{} {text}", units::count(number))))?;
        }
    }
    faults(page, checked)?;
    match check.server {
        Some(server) => readers(page, check, server),
        None => Ok(()),
    }
}

/// Whether the server reads the file, and which ones do.
fn readers(page: &mut Page<'_>, check: &Check<'_>, server: ServerVersion) -> io::Result<()> {
    let Check { facts, checked, .. } = check;
    let Some(version) = facts.version else { return Ok(()) };
    page.section(&format!("For {server}"), "")?;
    let found = obstacles(server, facts, checked);
    // Valkey 9 looks closely whatever its settings.
    let looks_closely = server.vendor == Vendor::Valkey && server.major >= 9;
    let looks_at_all = looks_closely || server.is_at_least(ServerVersion::redis(8, 10, 0));
    let deep = if looks_closely { checked.count(Severity::Deep) } else { 0 };
    let faults = checked.count(Severity::Fatal) + deep;
    let needs_modules =
        found.iter().all(|found| matches!(found, Obstacle::Module(..) | Obstacle::ModuleAux(_)));
    let (text, style) = match (found.is_empty(), needs_modules) {
        _ if faults > 0 && looks_at_all => {
            ("It refuses the file: see the faults above.".to_owned(), Style::Bad)
        }
        // Releases before these look at less, each at something else.
        _ if faults > 0 => ("It most likely refuses the file: see the faults above.".to_owned(), Style::Bad),
        (true, _) => ("It reads the file.".to_owned(), Style::Good),
        (_, true) => ("It reads the file only if it has these modules loaded:".to_owned(), Style::Warn),
        _ => ("It refuses the file. What stands in the way:".to_owned(), Style::Bad),
    };
    page.wrapped(Line::plain("  "), &Line::of(text, style))?;
    for obstacle in &found {
        let first = |usage: &Usage| {
            let (db, key, offset) = &usage.first;
            let values = units::counted(usage.count, "value", "values");
            format!("{values}, first key \"{}\" in db {db} at offset {offset}", KeyExcerpt(key))
        };
        let text = match obstacle {
            Obstacle::Version(version) => {
                format!("the format {version}, as written by {}", version.writers())
            }
            Obstacle::Type(code, usage) => {
                format!("type {} ({}): {}", code.0, code.name(version).unwrap_or("unknown"), first(usage))
            }
            Obstacle::Functions(count) => units::counted(*count, "function library", "function libraries"),
            Obstacle::Templates(count) => units::counted(*count, "hash template", "hash templates"),
            Obstacle::Module(name, usage) => format!("module type {name}: {}", first(usage)),
            Obstacle::ModuleAux(name) => format!("module type {name}: data beside the keys"),
        };
        page.wrapped(Line::plain("    - "), &Line::plain(on_screen(text, &page.screen)))?;
    }
    let lowest = |vendor| lowest_reader(vendor, facts, checked);
    let name = |found: Option<ServerVersion>, vendor: &str| match found {
        Some(server) => format!("{vendor} {}.{} and later", server.major, server.minor),
        None => format!("no {vendor}"),
    };
    let (redis, valkey) = (name(lowest(Vendor::Redis), "Redis"), name(lowest(Vendor::Valkey), "Valkey"));
    page.wrapped(Line::plain("  "), &Line::plain(format!("The format is read by {redis}, and by {valkey}.")))
}

fn sentence(checked: &Checked, coverage: &Coverage) -> (String, Style) {
    let fault = |severity| units::counted(checked.count(severity), "fault", "faults");
    if checked.count(Severity::Fatal) > 0 {
        let cut = if coverage.is_cut_short() { " The file is cut short." } else { "" };
        return (format!("DAMAGED: servers refuse this file ({}).{cut}", fault(Severity::Fatal)), Style::Bad);
    }
    if checked.count(Severity::Deep) > 0 {
        let text = format!(
            "DAMAGED: Valkey 9 refuses this file, and so does Redis with `sanitize-dump-payload yes` ({}); other \
             servers load it and may answer wrongly or crash later.",
            fault(Severity::Deep)
        );
        return (text, Style::Bad);
    }
    let dropped = checked.count(Severity::Dropped);
    if dropped > 0 {
        let keys = units::counted(dropped, "key", "keys");
        return (format!("Whole: servers load it, but for {keys} without elements."), Style::Warn);
    }
    let odd = checked.count(Severity::Odd);
    if odd > 0 {
        let oddities = units::counted(odd, "oddity", "oddities");
        return (
            format!("Whole: servers load it, with {oddities} that none would have written."),
            Style::Warn,
        );
    }
    if coverage.unpacking.is_some() {
        let text = "Whole as a snapshot: no fault was found. The compressed file around it is damaged.";
        return (text.to_owned(), Style::Bad);
    }
    ("Whole: no fault was found.".to_owned(), Style::Good)
}

fn faults(page: &mut Page<'_>, checked: &Checked) -> io::Result<()> {
    let mut last = None;
    for ((severity, kind), group) in &checked.groups {
        if last != Some(*severity) {
            let (title, about) = match severity {
                Severity::Fatal => {
                    ("Fatal", "Redis 8.10 and Valkey 9.1 refuse the file, older servers most of the time")
                }
                Severity::Deep => ("Deep", "servers that look closely refuse the file"),
                Severity::Dropped => ("Dropped", "servers load the file without these keys"),
                Severity::Odd => ("Odd", "it loads, but no server would have written this"),
            };
            page.section(title, about)?;
            last = Some(*severity);
        }
        page.line(Line::plain(format!("  {} × {kind}", units::count(group.count))))?;
        for error in &group.examples {
            let text = on_screen(error.to_string(), &page.screen);
            page.wrapped(Line::plain("      "), &Line::plain(text))?;
        }
        let more = group.count.saturating_sub(group.examples.len() as u64);
        if more > 0 {
            page.line(Line::of(format!("      and {} more", units::count(more)), Style::Dim))?;
        }
    }
    Ok(())
}
