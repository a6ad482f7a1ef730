//! What is worth acting on: plain sentences with numbers, and the command that shows more.

use std::io;

use rdb_analysis::{FileSummary, Note, ReferenceSource, Summary};

use crate::line::Line;
use crate::names::{fit, key_text, prefix_glob, prefix_line, shell_word};
use crate::page::Page;
use crate::style::{Screen, Style};
use crate::units;

pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    if summary.notes.is_empty() {
        return Ok(());
    }
    page.section("Worth a look", "")?;
    let bullet = if page.screen.unicode { "  • " } else { "  * " };
    for note in &summary.notes {
        let sentence = sentence(note, summary, &page.screen);
        page.wrapped(Line::of(bullet, Style::Warn), &sentence)?;
        if let Some(command) = command(note, summary, &page.screen) {
            page.command(&command)?;
        }
    }
    Ok(())
}

fn sentence(note: &Note, summary: &Summary, screen: &Screen) -> Line {
    let memory = |bytes: u64| Line::of(units::bytes(bytes), Style::Strong);
    let keys = |keys: u64| Line::of(units::counted(keys, "key", "keys"), Style::Strong);
    let text = Line::plain;
    match note {
        Note::BigKeys { keys, memory_bytes, permille } => text("The ")
            .joined(Line::of(format!("{keys} biggest keys"), Style::Strong))
            .with(" hold ", Style::Plain)
            .joined(Line::of(units::percent(*permille, 1000), Style::Strong))
            .with(format!(" of {}: {}.", whose(summary), units::bytes(*memory_bytes)), Style::Plain),
        Note::PrefixWithoutTtl { db, path, tally } => text("No key under ")
            .joined(prefix(path, screen))
            .with(of_db(*db, summary), Style::Plain)
            .with(" ever expires, unlike its neighbours: ", Style::Plain)
            .joined(keys(tally.keys))
            .with(", ", Style::Plain)
            .joined(memory(tally.memory_bytes))
            .with(".", Style::Plain),
        Note::ExpiryBurst { minute, released } => keys(released.keys)
            .with(" (", Style::Plain)
            .joined(memory(released.memory_bytes))
            .with(format!(") expire within one minute, {}.", burst_time(*minute, summary)), Style::Plain),
        Note::ExpiredKeys(released) => {
            keys(released.keys).with(" (", Style::Plain).joined(memory(released.memory_bytes)).with(
                format!(") had expired {}, and are in it all the same.", expired_when(summary)),
                Style::Plain,
            )
        }
        Note::MistypedPrefix { db, path, meant, keys: few, meant_keys } => prefix(path, screen)
            .with(format!("{} (", of_db(*db, summary)), Style::Plain)
            .joined(keys(*few))
            .with(") looks like a slip of the pen for ", Style::Plain)
            .joined(prefix(meant, screen))
            .with(format!(" ({}).", units::counted(*meant_keys, "key", "keys")), Style::Plain),
        Note::AssumedMemory { keys: number, memory_bytes } => text("The memory of ")
            .joined(keys(*number))
            .with(" (", Style::Plain)
            .joined(memory(*memory_bytes))
            .with(") is assumed: module values and the like do not tell what they cost.", Style::Plain),
    }
}

/// What shares are shares of.
fn whose(summary: &Summary) -> &'static str {
    if summary.filtered { "the memory of the keys looked at" } else { "all memory" }
}

/// A prefix in the middle of a sentence, its spaces kept together.
fn prefix(path: &[u8], screen: &Screen) -> Line {
    let room = screen.columns() / 2;
    prefix_line(&fit(&key_text(path, screen), room, screen), Style::Strong)
}

fn of_db(db: Option<u64>, summary: &Summary) -> String {
    let several = summary.prefixes.roots.len() > 1;
    db.filter(|_| several).map_or_else(String::new, |db| format!(" in db {db}"))
}

/// The one time that everything is measured from, if it is one.
fn only_now(summary: &Summary) -> Option<i64> {
    let (first, others) = summary.files.split_first()?;
    others.iter().all(|file| file.now.ms == first.now.ms).then_some(first.now.ms)
}

fn minute_start(minute: u64, summary: &Summary) -> Option<i64> {
    let after = i64::try_from(minute).ok()?.checked_mul(60_000)?;
    only_now(summary)?.checked_add(after)
}

fn burst_time(minute: u64, summary: &Summary) -> String {
    let after = match minute {
        0 => "right after the reference time".to_owned(),
        _ => format!("{} after the reference time", units::duration(minute.saturating_mul(60_000))),
    };
    match minute_start(minute, summary) {
        Some(ms) => format!("from {} ({after})", units::time(ms)),
        None => after,
    }
}

fn expired_when(summary: &Summary) -> &'static str {
    let are_saved = |file: &FileSummary| file.now.source == ReferenceSource::SavedAt;
    if summary.files.iter().all(are_saved) { "when the file was saved" } else { "at the reference time" }
}

/// The words of a command that shows more of a note.
fn command(note: &Note, summary: &Summary, screen: &Screen) -> Option<Vec<String>> {
    let files = files(&summary.files, screen);
    let start = |command: &str| {
        let mut words = vec!["rdblens".to_owned(), command.to_owned()];
        words.extend(files.iter().cloned());
        // The filters of the report, so that the command is about the same keys.
        words.extend(summary.filter_words.iter().map(|words| options(words)));
        words
    };
    let option = |words: &mut Vec<String>, name: &str, value: String| {
        words.push(format!("{name} {}", shell_word(&value)));
    };
    match note {
        Note::BigKeys { .. } => Some(start("top")),
        Note::PrefixWithoutTtl { db, path, .. } => {
            let mut words = start("keys");
            if let Some(db) = db.filter(|_| summary.prefixes.roots.len() > 1) {
                option(&mut words, "--db", db.to_string());
            }
            option(&mut words, "--match", prefix_glob(path));
            option(&mut words, "--ttl", "none".to_owned());
            Some(words)
        }
        Note::ExpiryBurst { minute, .. } => {
            let from = minute_start(*minute, summary)?;
            let to = from.checked_add(60_000)?;
            units::calendar(from)?;
            units::calendar(to)?;
            let mut words = start("keys");
            option(&mut words, "--expires-after", units::time_iso(from));
            option(&mut words, "--expires-before", units::time_iso(to));
            Some(words)
        }
        Note::ExpiredKeys(_) => {
            let now = only_now(summary).filter(|now| units::calendar(*now).is_some())?;
            let mut words = start("keys");
            option(&mut words, "--expires-before", units::time_iso(now));
            Some(words)
        }
        Note::MistypedPrefix { db, path, .. } => {
            let mut words = start("keys");
            if let Some(db) = db.filter(|_| summary.prefixes.roots.len() > 1) {
                option(&mut words, "--db", db.to_string());
            }
            option(&mut words, "--match", prefix_glob(path));
            Some(words)
        }
        Note::AssumedMemory { .. } => None,
    }
}

/// An option and its values, as words of a command.
fn options(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

/// The inputs as a command takes them, or a word in their place when they are many or gone.
fn files(files: &[FileSummary], screen: &Screen) -> Vec<String> {
    // What came through a pipe has to be sent through it again.
    let name = |file: &FileSummary| if file.is_stdin { "-".to_owned() } else { shell_word(&file.name) };
    let names: Vec<String> = files.iter().map(name).collect();
    let is_long = names.iter().map(|name| crate::line::width(name) + 1).sum::<usize>() > screen.columns() / 2;
    let is_plain = names.iter().all(|name| !name.chars().any(char::is_control));
    match names.len() {
        1 if is_plain && !is_long => names,
        1 => vec!["FILE".to_owned()],
        _ if is_plain && !is_long => names,
        _ => vec!["FILE...".to_owned()],
    }
}
