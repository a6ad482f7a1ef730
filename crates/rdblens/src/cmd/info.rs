//! `info`: what the file says about itself.

use rdb_report::{json, text};

use super::{conclude, is_nothing, screen};
use crate::args::{InfoArgs, ReportFormat};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::session::Session;

pub(super) fn run(args: &InfoArgs) -> anyhow::Result<Exit> {
    let session = Session::open(&args.input)?;
    let mut out = session.output(args.output.output.as_deref())?;
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let files = session.survey(args.header, &bar)?;
    if is_nothing(&files) {
        return Ok(conclude(&files));
    }
    // Only who sits at a terminal is told ages: other output stays the same from day to day.
    let now_ms = args.output.is_terminal().then(|| jiff::Timestamp::now().as_millisecond());
    let infos: Vec<_> = files
        .iter()
        .map(|file| text::Info { name: file.name, facts: &file.facts, coverage: &file.coverage, now_ms })
        .collect();
    match args.format {
        ReportFormat::Text => text::info(&infos, &screen(&args.output), &mut out)?,
        ReportFormat::Json => json::info(&infos, &mut out)?,
    }
    out.finish()?;
    Ok(conclude(&files))
}
