//! The verdict on a file, and the faults it rests on.

use std::io::{self, Write};

use rdb_analysis::{Checked, Coverage, FileFacts, Warning};
use rdb_parser::Severity;

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
    faults(page, checked)
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
