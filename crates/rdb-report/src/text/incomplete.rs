//! What is missing from a report, said first and loudly.

use std::io;

use rdb_analysis::{ChecksumVerdict, Coverage, Summary};

use crate::line::Line;
use crate::names::{file_text, on_screen};
use crate::page::Page;
use crate::style::Style;
use crate::units;

/// Files whose damage is told one by one.
const MAX_FILES: usize = 8;
/// Gaps of a file that are told one by one.
const MAX_GAPS: usize = 5;

/// Prints a banner when anything is damaged or missing, else nothing.
pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    if summary.is_whole() {
        return Ok(());
    }
    let bar = || edge(page.screen.unicode);
    let damaged: Vec<_> = summary.files.iter().filter(|file| !file.coverage.is_whole()).collect();
    let several = summary.files.len() > 1;
    let (first, following) = (bar(), bar());
    page.wrapped_behind(first, &following, &head(summary))?;
    for file in damaged.iter().take(MAX_FILES) {
        for reason in reasons(&file.coverage) {
            let mut sentence = Line::new();
            if several {
                sentence.push(format!("{}: ", file_text(&file.name, &page.screen)), Style::Strong);
            }
            sentence.push(on_screen(reason, &page.screen), Style::Plain);
            page.wrapped_behind(following.clone(), &following, &sentence)?;
        }
    }
    if let Some(more) = damaged.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
        page.line(following.with(format!("and {more} more files"), Style::Plain))?;
    }
    page.blank()
}

/// Says again at the end of a long report that it is not about everything.
pub(crate) fn reminder(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    if summary.is_whole() {
        return Ok(());
    }
    page.blank()?;
    let edge = edge(page.screen.unicode);
    page.wrapped_behind(edge.clone(), &edge, &head(summary).with(" See the top.", Style::Plain))
}

fn edge(unicode: bool) -> Line {
    Line::of(if unicode { "▌ " } else { "! " }, Style::Bad)
}

fn head(summary: &Summary) -> Line {
    let (read, total) = summary.files.iter().fold((0u64, 0u64), |(read, total), file| {
        let coverage = &file.coverage;
        (read.saturating_add(coverage.read_bytes), total.saturating_add(coverage.total_bytes))
    });
    let stopped: Vec<_> = summary
        .files
        .iter()
        .map(|file| &file.coverage)
        .filter(|coverage| coverage.stopped_by.is_some())
        .collect();
    if let [only] = stopped.as_slice()
        && summary.files.len() == 1
        && only.is_cut_short()
    {
        // How much is missing behind the end nobody knows: a share of the stump would be no share of the data.
        let keys = format!(" The end of the file is missing. Read: {}.", crate::messages::keys_of(only));
        return Line::of("INCOMPLETE.", Style::Bad).with(keys, Style::Strong);
    }
    if !stopped.is_empty() && stopped.iter().all(|coverage| coverage.is_cut_short()) {
        let files = format!(
            " The end is missing of {} of {} files.",
            units::count(stopped.len() as u64),
            units::count(summary.files.len() as u64)
        );
        return Line::of("INCOMPLETE.", Style::Bad).with(files, Style::Strong);
    }
    let is_salvaged = summary.files.iter().any(|file| file.coverage.is_salvaged());
    if !stopped.is_empty() || is_salvaged {
        let of = format!(
            " This report rests on {} of {} ({}).",
            units::bytes(read),
            units::bytes(total),
            units::percent(read, total)
        );
        let what = if is_salvaged { "SALVAGED." } else { "INCOMPLETE." };
        return Line::of(what, Style::Bad).with(of, Style::Strong);
    }
    Line::of("DAMAGED.", Style::Bad).with(" Not all of the input can be trusted.", Style::Strong)
}

/// What is wrong with one file, one sentence each.
fn reasons(coverage: &Coverage) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(error) = &coverage.stopped_by {
        let lost = coverage.total_bytes.saturating_sub(coverage.read_bytes);
        let lost = match lost {
            _ if coverage.is_cut_short() => format!("read were {}", crate::messages::keys_of(coverage)),
            0 => "the end of the records is missing".to_owned(),
            all if all == coverage.total_bytes => "nothing of the file is in any figure".to_owned(),
            _ => format!(
                "{} behind it ({} of the file) are in no figure: --salvage goes on there",
                units::bytes(lost),
                units::percent(lost, coverage.total_bytes)
            ),
        };
        reasons.push(format!("reading stopped at {error}; {lost}."));
    }
    if coverage.is_salvaged() {
        let shown = coverage.gaps.first.iter().take(MAX_GAPS);
        reasons.extend(shown.map(|gap| format!("{}.", crate::messages::gap(gap))));
        let more = coverage.gaps.count.saturating_sub(coverage.gaps.first.len().min(MAX_GAPS) as u64);
        if more > 0 {
            reasons.push(format!("and {}.", units::counted(more, "more gap", "more gaps")));
        }
        reasons.push(format!("{}.", crate::messages::salvaged(coverage)));
    }
    if let Some(reason) = &coverage.unpacking {
        reasons.push(format!("{}.", crate::messages::unpacking(reason)));
    }
    if coverage.damaged_keys > 0 {
        let keys = units::counted(coverage.damaged_keys, "damaged key is", "damaged keys are");
        let first = coverage.errors.iter().find(|error| Some(*error) != coverage.stopped_by.as_ref());
        let first = first.map_or_else(String::new, |error| format!("; the first: {error}"));
        reasons.push(format!("{keys} in no figure{first}."));
    }
    if let ChecksumVerdict::Mismatch { .. } = coverage.checksum {
        reasons.push(format!("{}.", crate::messages::checksum(&coverage.checksum)));
    }
    reasons
}
