//! One file for each command.

mod check;
mod extract;
mod info;
mod keys;
mod prefixes;
mod report;
mod top;

use std::io::{self, Write};

use rdb_analysis::{Coverage, FileFacts, FileSummary};
use rdb_report::{Screen, messages};

use crate::args::{Args, Command, OutputArgs};
use crate::exit::Exit;
use crate::session::Surveyed;

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
        Command::Extract(args) => extract::run(args),
        Command::Check(args) => check::run(args),
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

/// What is known of one input after the pass.
trait Told {
    fn told(&self) -> (&str, &FileFacts, &Coverage);
}

impl Told for FileSummary {
    fn told(&self) -> (&str, &FileFacts, &Coverage) {
        (&self.name, &self.facts, &self.coverage)
    }
}

impl Told for Surveyed<'_> {
    fn told(&self) -> (&str, &FileFacts, &Coverage) {
        (self.name, &self.facts, &self.coverage)
    }
}

/// Whether not one of the inputs is an RDB file: then there is no result, and none is printed.
fn is_nothing(files: &[impl Told]) -> bool {
    files.iter().all(|file| file.told().1.version.is_none())
}

/// Tells on stderr what is odd or lost in the inputs, and returns how the run ends.
fn conclude(files: &[impl Told]) -> Exit {
    let mut exit = Exit::Whole;
    for (name, facts, coverage) in files.iter().map(Told::told) {
        for line in messages::coverage(name, facts.version, coverage, MAX_MESSAGES) {
            // Nobody is left to tell when stderr is closed.
            let _ = writeln!(io::stderr(), "{line}");
        }
        if !coverage.is_whole() {
            exit = Exit::Damaged;
        }
    }
    if is_nothing(files) { Exit::Failed } else { exit }
}
