//! `top`: the biggest keys.

use std::io::Write;

use rdb_analysis::{Aggregate, Breakdown, Ranking, TopKeys, total};
use rdb_parser::Depth;
use rdb_report::csv::{KeyRows, RowFormat};
use rdb_report::text;

use super::{conclude, is_nothing, screen};
use crate::args::{TopArgs, TopFormat};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::session::{Passed, Session};

pub(super) fn run(args: &TopArgs) -> anyhow::Result<Exit> {
    let key_encoding = args.output.key_encoding()?;
    let session = Session::open(&args.input)?;
    let mut out = session.output(args.output.output.as_deref())?;
    let prepared = session.prepare(&args.model, &args.filter)?;
    let ranking = Ranking::from(args.by);
    let format =
        args.format.unwrap_or(if args.output.is_terminal() { TopFormat::Text } else { TopFormat::Csv });
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let fresh = || (TopKeys::new(ranking, args.limit, args.per_type), Breakdown::default());
    let (aggregates, passed) = session.run(prepared, Depth::Elements, fresh, None, &bar)?;
    let (rows, groups) = aggregates.finish();
    let files: Vec<_> = passed.into_iter().map(Passed::without_account).collect();
    if is_nothing(&files) {
        return Ok(conclude(&files));
    }

    let names = session.names_of_several();
    let form = |format| KeyRows::new(format, key_encoding, names).ranked(&rows, args.per_type);
    match format {
        TopFormat::Text => {
            let names: Vec<_> = files.iter().map(|file| (file.name.clone(), file.now.ms)).collect();
            let view = text::TopView {
                rows: &rows,
                ranking,
                per_type: args.per_type,
                total: total(&groups),
                files: &names,
            };
            text::top(&view, &screen(&args.output), &mut out)?;
        }
        TopFormat::Csv => out.write_all(&form(RowFormat::Csv))?,
        TopFormat::Jsonl => out.write_all(&form(RowFormat::Jsonl))?,
    }
    out.finish()?;
    Ok(conclude(&files))
}
