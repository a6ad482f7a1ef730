//! `extract`: another file, from what can be trusted of one.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use rdb_analysis::{Coverage, ExtractError, FileFacts, extract};
use rdb_report::messages;

use super::{Told, conclude};
use crate::args::ExtractArgs;
use crate::exit::{Exit, UsageError};
use crate::progress::Bar;
use crate::session::Session;

pub(super) fn run(args: &ExtractArgs) -> anyhow::Result<Exit> {
    if args.output.is_none() && io::stdout().is_terminal() {
        return Err(UsageError(
            "an RDB file is nothing for a terminal: name a file with --output".to_owned(),
        )
        .into());
    }
    if args.source.dump_payload.is_some() {
        return Err(UsageError("--dump-payload is for commands that tell about keys".to_owned()).into());
    }
    let session = Session::open_whole(&args.source)?;
    let mut out = session.output(args.output.as_deref())?;
    let bar = Bar::new(!args.no_progress, session.total_bytes());
    let mut exit = Exit::Failed;
    for (input, opened) in session.sources() {
        let name = input.name.as_str();
        let opened = opened.with_context(|| format!("cannot read {name}"))?;
        let steps = opened.progress(&bar);
        let written = extract(&opened.source, args.source.limits(), &steps, || &mut out);
        let (facts, mut coverage, extracted) = match written {
            Ok(written) => written,
            Err(ExtractError::Write(error)) => return Err(error).context("cannot write the new file"),
            Err(error @ ExtractError::NotWhole) => {
                return Err(error).with_context(|| format!("cannot read {name}"));
            }
        };
        opened.judge(input, &mut coverage);
        bar.clear();
        exit = conclude(&[Source { name, facts, coverage }]);
        if extracted.version.is_none() {
            return Ok(exit);
        }
        for line in messages::extracted(name, &extracted) {
            // Nobody is left to tell when stderr is closed.
            let _ = writeln!(io::stderr(), "{line}");
        }
        if extracted.left_out() > 0 {
            exit = Exit::Damaged;
        }
    }
    out.finish()?;
    Ok(exit)
}

/// What is known of the input.
struct Source<'i> {
    name: &'i str,
    facts: FileFacts,
    coverage: Coverage,
}

impl Told for Source<'_> {
    fn told(&self) -> (&str, &FileFacts, &Coverage) {
        (self.name, &self.facts, &self.coverage)
    }
}
