//! `info`: what the file says about itself.

use std::io::{self, Write};

use rdb_report::{json, messages, text};

use super::{MAX_MESSAGES, screen};
use crate::args::{InfoArgs, ReportFormat};
use crate::exit::Exit;
use crate::output::Output;
use crate::progress::Bar;
use crate::session::Session;

pub(super) fn run(args: &InfoArgs) -> anyhow::Result<Exit> {
    let session = Session::open(&args.input)?;
    let mut out = Output::open(args.output.output.as_deref())?;
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let files = session.survey(args.header, &bar)?;
    let infos: Vec<_> = files
        .iter()
        .map(|file| text::Info { name: file.name, facts: &file.facts, coverage: file.coverage.as_ref() })
        .collect();
    match args.format {
        ReportFormat::Text => text::info(&infos, &screen(&args.output), &mut out)?,
        ReportFormat::Json => json::info(&infos, args.output.key_encoding.into(), &mut out)?,
    }
    out.finish()?;

    let mut exit = Exit::Whole;
    for file in &files {
        let Some(coverage) = &file.coverage else { continue };
        for line in messages::coverage(file.name, file.facts.version, coverage, MAX_MESSAGES) {
            // Nobody is left to tell when stderr is closed.
            let _ = writeln!(io::stderr(), "{line}");
        }
        if !coverage.is_whole() {
            exit = Exit::Damaged;
        }
    }
    if files.iter().all(|file| file.facts.version.is_none()) { Ok(Exit::Failed) } else { Ok(exit) }
}
