//! `report`: what is in this dump, and what does it cost?

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use rdb_analysis::prefixes::RowLimits;
use rdb_analysis::{Aggregate, Report, ReportOptions, Summary};
use rdb_report::csv::{KeyEncoding, KeyRows, RowFormat};
use rdb_report::{csv, json, text};

use super::{conclude, is_nothing, screen};
use crate::args::{ReportArgs, ReportFormat};
use crate::exit::Exit;
use crate::output::Output;
use crate::progress::Bar;
use crate::session::{Prepared, Session};

/// How many of the biggest keys are kept for files and JSON, if nobody says.
const KEPT_KEYS: usize = 100;
/// How many of them stand in the text.
const SHOWN_KEYS: usize = 10;

pub(super) fn run(args: &ReportArgs) -> anyhow::Result<Exit> {
    let key_encoding = args.output.key_encoding()?;
    let session = Session::open(&args.input)?;
    let folder = args.out.as_deref().map(|path| Folder::open(path, &session)).transpose()?;
    let mut out = session.output(args.output.output.as_deref())?;
    let mut prepared = session.prepare(&args.model, &args.filter)?;
    prepared.iter_mut().for_each(Prepared::price_loaded);
    let options = ReportOptions {
        measure: args.measure.into(),
        top_keys: args.limit.unwrap_or(KEPT_KEYS),
        prefixes: args.prefix.options(),
        now_ms: prepared.iter().map(|input| input.now.ms).collect(),
        count_slots: prepared.iter().any(|input| input.has_slot_tables()),
    };
    let bar = Bar::new(!args.output.no_progress, session.total_bytes());
    let (report, passed) =
        session.run(prepared, args.input.source.depth(), || Report::new(&options), None, &bar)?;
    let parts = report.finish();
    let files = passed.into_iter().map(|file| file.summarize(&parts)).collect();
    let summary =
        parts.into_summary(files, options.measure, args.filter.words(), args.limit.unwrap_or(SHOWN_KEYS));
    if is_nothing(&summary.files) {
        return Ok(conclude(&summary.files));
    }
    if let Some(folder) = folder {
        folder.write(&summary, key_encoding, session.names_of_several())?;
    }
    match args.format {
        ReportFormat::Text => text::report(&summary, &screen(&args.output), &mut out)?,
        ReportFormat::Json => json::summary(&summary, &mut out)?,
    }
    out.finish()?;
    Ok(conclude(&summary.files))
}

/// The folder that `--out` names, with its files opened before the work starts.
struct Folder {
    summary: Output,
    top_keys: Output,
    prefixes: Output,
}

impl Folder {
    fn open(path: &Path, session: &Session) -> anyhow::Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        let open = |name: &str| session.output(Some(&path.join(name)));
        Ok(Self {
            summary: open("summary.json")?,
            top_keys: open("top-keys.csv")?,
            prefixes: open("prefixes.csv")?,
        })
    }

    fn write(
        mut self,
        summary: &Summary,
        key_encoding: KeyEncoding,
        file_names: Option<Vec<String>>,
    ) -> anyhow::Result<()> {
        json::summary(summary, &mut self.summary)?;
        let rows = KeyRows::new(RowFormat::Csv, key_encoding, file_names);
        self.top_keys.write_all(&rows.ranked(&summary.top_keys, false))?;
        csv::prefixes(&summary.prefixes, &RowLimits::default(), key_encoding, &mut self.prefixes)?;
        for file in [&mut self.summary, &mut self.top_keys, &mut self.prefixes] {
            file.flush()?;
        }
        self.summary.finish()?;
        self.top_keys.finish()?;
        self.prefixes.finish()
    }
}
