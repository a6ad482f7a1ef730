//! The verdict on a file, and the faults it rests on.

use std::io::{self, Write};

use rdb_analysis::{Answer, Checked, Coverage, FileFacts, Obstacle, Usage, Verdict, Warning, lowest_reader};
use rdb_format::{FileVersion, Vendor};
use rdb_parser::{KeyExcerpt, Refusers, Severity};

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
    /// What the server that is to read it does, if one was named.
    pub verdict: Option<&'a Verdict>,
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
    let (sentence, style) = sentence(checked, coverage, facts.version);
    field(page, "verdict", &Line::of(sentence, style))?;
    if let Some(version) = facts.version {
        field(page, "format", &Line::plain(format!("{version}, as written by {}", version.writers())))?;
        field(page, "read by", &read_by(facts, checked))?;
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
        (checked.too_large, "values are too large to be searched for elements that stand twice"),
        (checked.keys_unchecked, "keys were not compared with those before them: they are too many"),
    ] {
        if number > 0 {
            field(page, "not checked", &Line::plain(format!("{} {text}", units::count(number))))?;
        }
    }
    faults(page, checked)?;
    match (check.verdict, facts.version) {
        (Some(verdict), Some(version)) => answer(page, verdict, version),
        _ => Ok(()),
    }
}

/// The first releases that read such a file.
fn read_by(facts: &FileFacts, checked: &Checked) -> Line {
    let name = |vendor| {
        let found = lowest_reader(vendor, facts, checked)?;
        let vendor = if vendor == Vendor::Redis { "Redis" } else { "Valkey" };
        Some(format!("{vendor} {}.{} and later", found.major, found.minor))
    };
    let found = match (name(Vendor::Redis), name(Vendor::Valkey)) {
        (Some(redis), Some(valkey)) => format!("{redis}, {valkey}"),
        (Some(one), None) => format!("{one}, no Valkey"),
        (None, Some(one)) => format!("{one}, no Redis"),
        (None, None) => return Line::of("no release known here", Style::Warn),
    };
    Line::plain(if checked.is_damaged() { format!("{found}, were it whole") } else { found })
}

/// What the server does, and what stands in its way.
fn answer(page: &mut Page<'_>, verdict: &Verdict, version: FileVersion) -> io::Result<()> {
    page.section(&format!("For {}", verdict.server), "")?;
    let has_hard = verdict.obstacles.iter().any(|obstacle| !obstacle.is_a_matter_of_setup());
    let (text, style) = match verdict.answer {
        Answer::Reads if verdict.overlooked > 0 => {
            let text = "It reads the file without looking at all of the faults above, and may answer wrongly or \
                        crash over them.";
            (text, Style::Warn)
        }
        Answer::Reads => ("It reads the file.", Style::Good),
        Answer::ReadsIfSetUp => ("It reads the file only if it is set up for it:", Style::Warn),
        Answer::Refuses if has_hard => ("It refuses the file. What stands in the way:", Style::Bad),
        Answer::Refuses => ("It refuses the file: see the faults above.", Style::Bad),
        Answer::ProbablyRefuses => ("It most likely refuses the file: see the faults above.", Style::Bad),
    };
    page.wrapped(Line::plain("  "), &Line::of(text.to_owned(), style))?;
    for obstacle in &verdict.obstacles {
        let text = self::obstacle(obstacle, version);
        page.wrapped(Line::plain("    - "), &Line::plain(on_screen(text, &page.screen)))?;
    }
    Ok(())
}

fn obstacle(obstacle: &Obstacle, version: FileVersion) -> String {
    let first = |usage: &Usage| {
        let (db, key, offset) = &usage.first;
        let values = units::counted(usage.count, "value", "values");
        format!("{values}, first key \"{}\" in db {db} at offset {offset}", KeyExcerpt(key))
    };
    match obstacle {
        Obstacle::Version(version) => format!("the format {version}, as written by {}", version.writers()),
        Obstacle::Type(code, usage) => {
            format!("type {} ({}): {}", code.0, code.name(version).unwrap_or("unknown"), first(usage))
        }
        Obstacle::Functions(count) => units::counted(*count, "function library", "function libraries"),
        Obstacle::Templates(count) => units::counted(*count, "hash template", "hash templates"),
        Obstacle::Module(name, usage) => format!("module type {name}: {}", first(usage)),
        Obstacle::ModuleAux(name) => format!("module type {name}: data beside the keys"),
        Obstacle::Metadata(usage) => format!("metadata of keys that only its module reads: {}", first(usage)),
        Obstacle::Databases(count) => format!("it must have `databases {count}`, servers come with 16"),
    }
}

fn sentence(checked: &Checked, coverage: &Coverage, version: Option<FileVersion>) -> (String, Style) {
    let fault = |severity| units::counted(checked.count(severity), "fault", "faults");
    let refusers = checked.refusals.refusers();
    let readers = version.map_or(Refusers::ALL, |version| Refusers::ALL.that_read(version));
    let is_refused = refusers.redis >= readers.redis && refusers.valkey >= readers.valkey;
    if checked.count(Severity::Fatal) > 0 || (is_refused && checked.is_damaged()) {
        let cut = if coverage.is_cut_short() { " The file is cut short." } else { "" };
        let severity = if checked.count(Severity::Fatal) > 0 { Severity::Fatal } else { Severity::Deep };
        return (format!("DAMAGED: servers refuse this file ({}).{cut}", fault(severity)), Style::Bad);
    }
    if checked.count(Severity::Deep) > 0 {
        let faults = fault(Severity::Deep);
        let text = match refusers {
            Refusers { redis: true, .. } => {
                format!("REFUSED BY SOME: Redis 8.10 refuses this file ({faults}); other servers load it.")
            }
            Refusers { sanitizing: true, valkey: true, .. } => format!(
                "DAMAGED: Valkey 9 refuses this file, and so does Redis with `sanitize-dump-payload yes` \
                 ({faults}); other servers load it and may answer wrongly or crash later."
            ),
            Refusers { sanitizing: true, .. } => format!(
                "DAMAGED: Redis with `sanitize-dump-payload yes` refuses this file ({faults}); other servers \
                 load it and may answer wrongly or crash later."
            ),
            _ => format!("REFUSED BY SOME: Valkey 9.1 refuses this file ({faults}); other servers load it."),
        };
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
    if !readers.redis && !readers.valkey || version.is_some_and(FileVersion::is_newer_than_known) {
        let text = "Whole as far as it can be told, in a version that no release known here reads.";
        return (text.to_owned(), Style::Warn);
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
                Severity::Deep => ("Deep", "some servers refuse the file, others load it"),
                Severity::Dropped => ("Dropped", "servers load the file without these keys"),
                Severity::Odd => ("Odd", "it loads, but no server would have written this"),
            };
            page.section(title, about)?;
            last = Some(*severity);
        }
        let who = match severity {
            Severity::Deep => format!(", refused by {}", names(group.refusers)),
            _ => String::new(),
        };
        page.line(Line::plain(format!("  {} × {kind}{who}", units::count(group.count))))?;
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

fn names(refusers: Refusers) -> String {
    let redis = match refusers {
        Refusers { redis: true, .. } => Some("Redis 8.10"),
        Refusers { sanitizing: true, .. } => Some("Redis with `sanitize-dump-payload yes`"),
        _ => None,
    };
    let names: Vec<_> = refusers.valkey.then_some("Valkey 9.1").into_iter().chain(redis).collect();
    names.join(" and ")
}
