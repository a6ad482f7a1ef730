//! `top`: the biggest keys.

use rdb_analysis::{Aggregate, Ranking, TopKeys};
use rdb_parser::Depth;
use rdb_report::{csv, json, text};

use super::{conclude, screen};
use crate::args::{TableFormat, TopArgs};
use crate::exit::Exit;
use crate::output::Output;
use crate::progress::Bar;
use crate::session::{Passed, Session};

pub(super) fn run(args: &TopArgs) -> anyhow::Result<Exit> {
    let session = Session::open(&args.input)?;
    let mut out = Output::open(args.output.output.as_deref())?;
    let prepared = session.prepare(&args.model, &args.filter)?;
    let ranking = Ranking::from(args.by);
    // The largest element is looked for where it is shown or ranked by.
    let format = args.format.unwrap_or(args.output.table_format());
    let depth = if format == TableFormat::Text && ranking != Ranking::Largest { Depth::Count } else { Depth::Elements };
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let fresh = || TopKeys::new(ranking, args.limit, args.per_type);
    let (top, passed) = session.run(prepared, depth, fresh, None, &bar)?;
    let rows = top.finish();
    let files: Vec<_> = passed.into_iter().map(Passed::without_account).collect();

    let key_encoding = args.output.key_encoding.into();
    let names = session.names_of_several();
    match format {
        TableFormat::Text => {
            let view = text::TopView { rows: &rows, ranking, per_type: args.per_type, files: &files };
            text::top(&view, &screen(&args.output), &mut out)?;
        }
        TableFormat::Csv => csv::top(&rows, key_encoding, names, &mut out)?,
        TableFormat::Json => json::top(&rows, key_encoding, names, &mut out)?,
    }
    out.finish()?;
    Ok(conclude(&files))
}
