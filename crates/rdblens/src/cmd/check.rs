//! `check`: is the file whole, and what do servers make of it?

use std::io::{self, Write};

use anyhow::Context;
use rdb_analysis::{Checked, Coverage, FileFacts, check};
use rdb_report::{json, text};

use super::screen;
use crate::args::{CheckArgs, CheckFormat, InputArgs};
use crate::exit::{Exit, UsageError};
use crate::progress::Bar;
use crate::session::Session;

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    if args.server.is_some() && args.format == CheckFormat::Jsonl {
        return Err(UsageError("--for goes with --format text only".to_owned()).into());
    }
    let session = Session::open(&InputArgs { source: args.source.clone(), threads: Some(1) })?;
    let mut out = session.output(args.output.output.as_deref())?;
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let keys = args.output.key_encoding.into();
    let mut files: Vec<(&str, FileFacts, Coverage, Checked)> = Vec::new();
    for (input, opened) in session.sources() {
        let name = input.name.as_str();
        let mut opened = opened.with_context(|| format!("cannot read {name}"))?;
        let steps = opened.progress(&bar);
        let looked =
            check(&mut opened.source, args.source.limits(), &steps, &mut |finding| match args.format {
                CheckFormat::Text => Ok(()),
                CheckFormat::Jsonl => json::finding(name, finding, keys, &mut out),
            });
        let (facts, mut coverage, checked) = looked.with_context(|| format!("cannot check {name}"))?;
        opened.judge(input, &mut coverage);
        files.push((name, facts, coverage, checked));
    }
    bar.clear();

    let is_nothing = files.iter().all(|(_, facts, ..)| facts.version.is_none());
    if is_nothing {
        for (name, _, coverage, _) in &files {
            for line in rdb_report::messages::coverage(name, None, coverage, 1) {
                // Nobody is left to tell when stderr is closed.
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
        return Ok(Exit::Failed);
    }
    let checks: Vec<_> = files
        .iter()
        .map(|(name, facts, coverage, checked)| text::Check {
            name,
            facts,
            coverage,
            checked,
            server: args.server,
        })
        .collect();
    if args.format == CheckFormat::Text {
        text::check(&checks, &screen(&args.output), &mut out)?;
    }
    out.finish()?;
    let is_damaged = files.iter().any(|(.., coverage, checked)| checked.is_damaged() || !coverage.is_whole());
    Ok(if is_damaged { Exit::Damaged } else { Exit::Whole })
}
