//! `prefixes`: where the memory is, by prefixes of the keys' names.

use rdb_analysis::prefixes::RowLimits;
use rdb_analysis::{Aggregate, PrefixOptions, PrefixTree};
use rdb_report::{csv, json, text};

use super::{conclude, is_nothing, screen};
use crate::args::{PrefixesArgs, PrefixesFormat};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::session::{Passed, Session};

pub(super) fn run(args: &PrefixesArgs) -> anyhow::Result<Exit> {
    let key_encoding = args.output.key_encoding()?;
    let session = Session::open(&args.input)?;
    let mut out = session.output(args.output.output.as_deref())?;
    let prepared = session.prepare(&args.model, &args.filter)?;
    let options = PrefixOptions { measure: args.measure.into(), ..args.prefix.options() };
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let fresh = || PrefixTree::new(options.clone());
    let (tree, passed) = session.run(prepared, args.input.source.depth(), fresh, None, &bar)?;
    let prefixes = tree.finish();
    let files: Vec<_> = passed.into_iter().map(Passed::without_account).collect();
    if is_nothing(&files) {
        return Ok(conclude(&files));
    }

    let all = RowLimits::default();
    let limits = RowLimits {
        min_share: args.min_share.unwrap_or(all.min_share),
        max_depth: args.depth.unwrap_or(all.max_depth),
        max_children: args.limit.unwrap_or(all.max_children),
    };
    let format = if args.output.is_terminal() { PrefixesFormat::Text } else { PrefixesFormat::Csv };
    match args.format.unwrap_or(format) {
        PrefixesFormat::Text => {
            // Limits that nobody set are the terminal's to set.
            let chosen = (limits != all).then_some(&limits);
            text::prefixes(&prefixes, chosen, &screen(&args.output), &mut out)?;
        }
        PrefixesFormat::Csv => csv::prefixes(&prefixes, &limits, key_encoding, &mut out)?,
        PrefixesFormat::Json => json::prefixes(&prefixes, &limits, &mut out)?,
    }
    out.finish()?;
    Ok(conclude(&files))
}
