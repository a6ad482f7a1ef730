//! `keys`: every key, one row each, in file order.

use std::io::Write;

use rdb_analysis::{Aggregate, Observation};
use rdb_parser::Depth;
use rdb_report::csv::{KeyRows, RowFormat};

use super::{conclude, is_nothing};
use crate::args::{KeysArgs, KeysFormat};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::session::{Passed, Session};

pub(super) fn run(args: &KeysArgs) -> anyhow::Result<Exit> {
    let key_encoding = args.output.key_encoding()?;
    let session = Session::open(&args.input)?;
    let mut out = session.output(args.output.output.as_deref())?;
    let prepared = session.prepare(&args.model, &args.filter)?;
    let format = match args.format {
        KeysFormat::Csv => RowFormat::Csv,
        KeysFormat::Jsonl => RowFormat::Jsonl,
        KeysFormat::Rdbtools => RowFormat::Rdbtools,
        KeysFormat::Hdt => RowFormat::Hdt,
    };
    let rows = KeyRows::new(format, key_encoding, session.names_of_several());
    // Of what is no RDB file there is no result, not even a header.
    if prepared.iter().any(|input| input.is_rdb) {
        out.write_all(&rows.header())?;
    }
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let (_, passed) = session.run(prepared, Depth::Elements, || Nothing, Some((&rows, &mut out)), &bar)?;
    let files: Vec<_> = passed.into_iter().map(Passed::without_account).collect();
    if !is_nothing(&files) {
        out.finish()?;
    }
    Ok(conclude(&files))
}

/// Rows are all that is wanted: nothing is summed.
struct Nothing;

impl Aggregate for Nothing {
    type Summary = ();

    fn observe(&mut self, _: &Observation<'_>) {}

    fn merge(&mut self, _: Self) {}

    fn finish(self) {}
}
