//! The totals: keys, memory and whose memory it is, expiry at a glance.

use std::io;

use rdb_analysis::{Basis, ReferenceTime, Summary, TargetSummary, regroup};

use super::header::field;
use crate::line::Line;
use crate::messages;
use crate::page::Page;
use crate::style::Style;
use crate::units;

pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let total = summary.total();
    let about = if summary.filtered { "of the keys that pass the filter" } else { "" };
    page.section("Totals", about)?;
    if total.keys == 0 {
        let none = match (summary.filtered, summary.is_whole()) {
            (true, _) => "no key passes the filter",
            (false, true) => "there are no keys",
            (false, false) => "no key could be read",
        };
        return field(page, "keys", &Line::of(none, Style::Strong));
    }
    let dot = if page.screen.unicode { " · " } else { " - " };
    let mut keys = Line::of(units::count(total.keys), Style::Strong);
    let forever = total.keys_without_ttl;
    let expire = total.keys.saturating_sub(forever);
    keys.push(
        format!(
            "{dot}{} expire ({}){dot}{} never do",
            units::count(expire),
            units::percent(expire, total.keys),
            units::count(forever),
        ),
        Style::Plain,
    );
    field(page, "keys", &keys)?;

    let average = total.memory_bytes / total.keys.max(1);
    let memory = Line::of(units::bytes(total.memory_bytes), Style::Strong)
        .with(format!("{dot}{} for each key on average", units::bytes(average)), Style::Plain);
    field(page, "memory", &memory)?;
    field(page, "", &Line::of(whose_memory(summary), Style::Dim))?;
    if let Some(line) = basis(summary) {
        field(page, "", &line)?;
    }
    for target in distinct(summary.files.iter().map(|file| &file.target)).filter(|target| !target.is_known) {
        let text = format!(
            "the model was not checked against {}; the nearest known release stands in",
            target.server
        );
        field(page, "", &Line::of(text, Style::Warn))?;
    }
    let allocated = format!(
        "{} held by the allocator for these keys{dot}{} in the file",
        units::bytes(total.allocated_bytes),
        units::bytes(total.serialized_bytes)
    );
    field(page, "allocated", &Line::plain(allocated))?;
    expired(page, summary)
}

/// Whose memory was asked about, once for each different answer.
fn whose_memory(summary: &Summary) -> String {
    let mut servers: Vec<String> =
        distinct(summary.files.iter().map(|file| &file.target)).map(target).collect();
    if servers.len() > 3 {
        let more = servers.len() - 2;
        servers.truncate(2);
        servers.push(format!("{more} other targets"));
    }
    format!("as MEMORY USAGE answers on {}", servers.join("; "))
}

fn target(target: &TargetSummary) -> String {
    let writer = if target.is_writer { ", which wrote the file" } else { "" };
    let mode = match target.mode {
        "saved" => "encodings as saved",
        "loaded" => "encodings as after loading",
        other => other,
    };
    let allocator = match target.allocator_is_given {
        true => target.allocator.to_owned(),
        // No file tells it, and the figures depend on it.
        false => format!("assuming its bundled {}", target.allocator),
    };
    format!("{}{writer} ({allocator}, {mode})", target.server)
}

/// How much of the memory rests on what, unless all of it is exact.
fn basis(summary: &Summary) -> Option<Line> {
    let total = summary.total().memory_bytes;
    let as_saved = summary.files.iter().any(|file| file.target.mode == "saved");
    let word = |basis| match basis {
        Basis::Expected if as_saved => "at least (a live server keeps slack that no file shows)",
        basis => basis_word(basis),
    };
    let shares: Vec<String> = regroup(&summary.groups, |key| key.basis)
        .into_iter()
        .map(|(basis, tally)| format!("{} {}", units::percent(tally.memory_bytes, total), word(basis)))
        .collect();
    (!shares.is_empty()).then(|| Line::of(shares.join(", "), Style::Dim))
}

pub(crate) const fn basis_word(basis: Basis) -> &'static str {
    match basis {
        Basis::Exact => "exact",
        Basis::Expected => "expected (the mean of what chance decides)",
        Basis::Assumed => "assumed",
    }
}

fn expired(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let released = summary.expiry.spans.first().map(|(_, released)| *released).unwrap_or_default();
    let mut line = match released.keys {
        0 => Line::plain("none"),
        keys => Line::plain(format!(
            "{}, {}",
            units::counted(keys, "key", "keys"),
            units::bytes(released.memory_bytes)
        )),
    };
    line.push(format!(", {}", reference(summary)), Style::Dim);
    field(page, "expired", &line)
}

/// The time that expiries are measured from, and where it comes from.
pub(crate) fn reference(summary: &Summary) -> String {
    let times: Vec<&ReferenceTime> = distinct(summary.files.iter().map(|file| &file.now)).collect();
    match times.as_slice() {
        [] => "at no time".to_owned(),
        [now] => format!("at {}, {}", units::time(now.ms), messages::reference(now.source)),
        _ => "each file at its own time".to_owned(),
    }
}

/// Each different item, in the order of first sight.
fn distinct<'a, T: PartialEq + 'a>(items: impl Iterator<Item = &'a T>) -> impl Iterator<Item = &'a T> {
    let mut seen: Vec<&T> = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen.into_iter()
}
