//! `check`: is the file whole, and what do servers make of it?

use std::io::{self, Write};

use anyhow::Context;
use rdb_analysis::{Answer, Checked, Coverage, FileFacts, Verdict, check, verdict};
use rdb_report::{json, messages, text};

use super::screen;
use crate::args::{CheckArgs, CheckFormat, InputArgs};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::session::Session;

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    let session = Session::open(&InputArgs { source: args.source.clone(), threads: Some(1) })?;
    let mut out = session.output(args.output.output.as_deref())?;
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let keys = args.output.key_encoding.into();
    let mut files: Vec<(&str, FileFacts, Coverage, Checked, Option<Verdict>)> = Vec::new();
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
        let verdict = args.server.map(|server| verdict(server, &args.modules, &facts, &checked));
        if let (Some(verdict), CheckFormat::Jsonl) = (&verdict, args.format) {
            json::verdict(name, (verdict, &facts, &checked), keys, &mut out)?;
        }
        files.push((name, facts, coverage, checked, verdict));
    }
    bar.clear();

    let is_nothing = files.iter().all(|(_, facts, ..)| facts.version.is_none());
    if is_nothing {
        for (name, _, coverage, ..) in &files {
            for line in messages::coverage(name, None, coverage, 1) {
                // Nobody is left to tell when stderr is closed.
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
        return Ok(Exit::Failed);
    }
    if args.format == CheckFormat::Jsonl {
        // Lines are about faults of the snapshot. What is wrong around it would go untold.
        let cut = files.iter().filter(|(_, _, coverage, ..)| coverage.unpacking.is_some());
        for (name, _, coverage, ..) in cut {
            for line in messages::coverage(name, None, coverage, 0).iter().take(1) {
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
    }
    let checks: Vec<_> = files
        .iter()
        .map(|(name, facts, coverage, checked, verdict)| text::Check {
            name,
            facts,
            coverage,
            checked,
            verdict: verdict.as_ref(),
        })
        .collect();
    if args.format == CheckFormat::Text {
        text::check(&checks, &screen(&args.output), &mut out)?;
    }
    out.finish()?;
    let is_damaged =
        files.iter().any(|(_, _, coverage, checked, _)| checked.is_damaged() || !coverage.is_whole());
    let is_refused = |verdict: &Verdict| verdict.answer != Answer::Reads;
    Ok(if is_damaged {
        Exit::Damaged
    } else if files.iter().filter_map(|(.., verdict)| verdict.as_ref()).any(is_refused) {
        Exit::Broken
    } else {
        Exit::Whole
    })
}
