//! One file for each command.

mod info;
mod keys;
mod prefixes;
mod report;
mod top;

use std::io::{self, Write};

use rdb_analysis::FileSummary;
use rdb_report::{Screen, messages};

use crate::args::{Args, Command, OutputArgs};
use crate::exit::Exit;

/// How many losses of one file are told one by one.
const MAX_MESSAGES: usize = 20;

/// Carries out what was asked for.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Report(args) => report::run(args),
        Command::Keys(args) => keys::run(args),
        Command::Top(args) => top::run(args),
        Command::Prefixes(args) => prefixes::run(args),
        Command::Info(args) => info::run(args),
    }
}

/// The screen that text is laid out for.
fn screen(output: &OutputArgs) -> Screen {
    let color = output.wants_color();
    if !output.is_terminal() {
        return Screen { color, ..Screen::PIPE };
    }
    match terminal_size::terminal_size() {
        Some((width, height)) => {
            Screen { width: usize::from(width.0), height: Some(usize::from(height.0)), color, ..Screen::PIPE }
        }
        None => Screen { color, ..Screen::PIPE },
    }
}

/// Tells on stderr what is odd or lost in the inputs, and returns how the run ends.
fn conclude(files: &[FileSummary]) -> Exit {
    let mut exit = Exit::Whole;
    for file in files {
        for line in messages::coverage(&file.name, file.facts.version, &file.coverage, MAX_MESSAGES) {
            // Nobody is left to tell when stderr is closed.
            let _ = writeln!(io::stderr(), "{line}");
        }
        if !file.coverage.is_whole() {
            exit = Exit::Damaged;
        }
    }
    // Of files of which nothing could be read there is no result.
    let nothing = files.iter().all(|file| file.facts.version.is_none());
    if nothing && !files.is_empty() { Exit::Failed } else { exit }
}
