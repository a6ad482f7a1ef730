//! What every command does: open the inputs, settle whose memory is asked about, pass over each file.

use std::io;
use std::num::NonZero;
use std::path::Path;
use std::thread;

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rdb_analysis::{
    Account, Aggregate, Aggregates, Coverage, FileFacts, FileSummary, Filter, Plan, ReferenceSource,
    ReferenceTime, ReportParts, RowWriter, Rows, RunError, TargetSummary, prologue, run, survey,
};
use rdb_memory::{Mode, SizeModel, Target};
use rdb_parser::{Depth, Limits};

use crate::args::{FilterArgs, InputArgs, ModelArgs, SourceArgs};
use crate::exit::UsageError;
use crate::input::{Input, Opened};
use crate::output::Output;
use crate::progress::Bar;

/// The inputs of a command, opened.
pub(crate) struct Session {
    inputs: Vec<Input>,
    limits: Limits,
    pool: ThreadPool,
}

/// One input, its first records read, and how its keys are to be looked at.
pub(crate) struct Prepared<'i> {
    input: &'i Input,
    /// What was opened already; `None` for what can be read again, or many decoders would stand by.
    opened: Option<Opened<'i>>,
    model: SizeModel,
    /// The same server after a load, if keys are to be priced so as well.
    loaded: Option<SizeModel>,
    filter: Filter,
    target: TargetSummary,
    pub now: ReferenceTime,
    /// Whether it begins like an RDB file.
    pub is_rdb: bool,
}

/// One input, read at framing speed.
pub(crate) struct Surveyed<'i> {
    pub name: &'i str,
    pub facts: FileFacts,
    /// How much of the file was read.
    pub coverage: Coverage,
}

/// One input after the pass, with what is needed to sum it up.
pub(crate) struct Passed<'i> {
    number: u32,
    name: &'i str,
    is_stdin: bool,
    facts: FileFacts,
    coverage: Coverage,
    model: SizeModel,
    is_filtered: bool,
    target: TargetSummary,
    now: ReferenceTime,
}

impl Prepared<'_> {
    /// Whether only some of the keys are looked at.
    pub(crate) fn is_filtered(&self) -> bool {
        !self.filter.is_open()
    }

    /// Has each key priced as after a load as well, where that is not asked for anyway.
    pub(crate) fn price_loaded(&mut self) {
        if self.model.mode() == Mode::Saved && !self.is_filtered() {
            let target = Target { mode: Mode::Loaded, ..self.model.target().clone() };
            self.loaded = Some(SizeModel::new(&target));
        }
    }

    /// Whether the server keeps a table for each cluster slot.
    pub(crate) fn has_slot_tables(&self) -> bool {
        self.model.has_slot_tables()
    }
}

impl Passed<'_> {
    /// What is to be said of the file beside the sums.
    pub(crate) fn summarize(self, parts: &ReportParts) -> FileSummary {
        // A part of the keys explains nothing of the server's memory.
        let account = (!self.is_filtered).then(|| {
            let slots = parts.slots.as_ref().and_then(|files| files.get(&self.number));
            let loaded = parts.loaded.get(&self.number).copied().unwrap_or_default();
            Account::of(self.number, &self.facts, &parts.groups, slots, loaded, &self.model)
        });
        FileSummary { account, ..self.without_account() }
    }

    /// The same for commands that make no account of the server's memory.
    pub(crate) fn without_account(self) -> FileSummary {
        FileSummary {
            name: self.name.to_owned(),
            is_stdin: self.is_stdin,
            facts: self.facts,
            coverage: self.coverage,
            target: self.target,
            now: self.now,
            account: None,
        }
    }
}

impl Session {
    /// Opens all inputs and starts the threads.
    pub(crate) fn open(args: &InputArgs) -> anyhow::Result<Self> {
        Self::with(Input::open_all(&args.source)?, &args.source, args.threads)
    }

    /// The one input of a command that needs all of it at once.
    pub(crate) fn open_whole(args: &SourceArgs) -> anyhow::Result<Self> {
        let mut inputs = Input::open_all(args)?;
        if inputs.len() > 1 {
            return Err(UsageError("one input at a time".to_owned()).into());
        }
        inputs.iter_mut().for_each(Input::hold);
        Self::with(inputs, args, Some(1))
    }

    fn with(inputs: Vec<Input>, source: &SourceArgs, threads: Option<u16>) -> anyhow::Result<Self> {
        let threads =
            threads.map_or_else(|| thread::available_parallelism().map_or(1, NonZero::get), usize::from);
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|n| format!("worker-{n}"))
            .build()
            .context("cannot start threads")?;
        Ok(Self { inputs, limits: source.limits(), pool })
    }

    /// Opens where the result goes, unless that is one of the inputs.
    pub(crate) fn output(&self, path: Option<&Path>) -> anyhow::Result<Output> {
        if let Some(path) = path {
            Input::refuse_as_output(&self.inputs, path)?;
        }
        Output::open(path)
    }

    /// The inputs as they were named; `None` when there is one only, whose name goes without saying.
    pub(crate) fn names_of_several(&self) -> Option<Vec<String>> {
        (self.inputs.len() > 1).then(|| self.inputs.iter().map(|input| input.name.clone()).collect())
    }

    /// The inputs as they were named, each opened when its turn comes.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (&Input, io::Result<Opened<'_>>)> {
        self.inputs.iter().map(|input| (input, input.source()))
    }

    /// Bytes of all inputs, if that is known.
    pub(crate) fn total_bytes(&self) -> Option<u64> {
        self.inputs.iter().map(Input::len).sum()
    }

    /// Reads the first records of each input and settles whose memory is asked about.
    pub(crate) fn prepare(
        &self,
        model: &ModelArgs,
        filter: &FilterArgs,
    ) -> anyhow::Result<Vec<Prepared<'_>>> {
        let config = model.config()?;
        let prepare = |input| {
            let input: &Input = input;
            let mut opened = input.source().with_context(|| format!("cannot read {}", input.name))?;
            let facts = prologue(&mut opened.source, self.limits)
                .with_context(|| format!("cannot read {}", input.name))?;
            let mut target = model.target_for(facts.writer(), &config);
            // Only a server in cluster mode writes slot records.
            target.config.cluster_enabled |= model.config.is_none() && facts.slots > 0;
            let size_model = SizeModel::new(&target);
            let now = reference_time(model, &facts, input);
            let summary = TargetSummary {
                server: target.server,
                is_writer: facts.server().is_some() && facts.writer() == target.server,
                is_known: size_model.is_known_release(),
                allocator: target.allocator.as_str(),
                allocator_is_given: model.allocator.is_some(),
                mode: match target.mode {
                    Mode::Saved => "saved",
                    Mode::Loaded => "loaded",
                },
            };
            Ok(Prepared {
                input,
                opened: (!input.is_rereadable()).then_some(opened),
                model: size_model,
                loaded: None,
                filter: filter.build(now.ms),
                target: summary,
                now,
                is_rdb: facts.version.is_some(),
            })
        };
        self.inputs.iter().map(prepare).collect()
    }

    /// Reads all inputs at framing speed, or only what stands in front of their first keys.
    pub(crate) fn survey(&self, header_only: bool, bar: &Bar) -> anyhow::Result<Vec<Surveyed<'_>>> {
        let survey = |input| {
            let input: &Input = input;
            let read = || {
                let mut opened = input.source()?;
                let (facts, mut coverage) = if header_only {
                    let facts = prologue(&mut opened.source, self.limits)?;
                    (facts, Coverage::of_start(opened.source.len()))
                } else {
                    let steps = opened.progress(bar);
                    survey(&mut opened.source, self.limits, &steps)?
                };
                opened.judge(input, &mut coverage);
                Ok((facts, coverage))
            };
            let surveyed: io::Result<_> = read();
            let (facts, coverage) = surveyed.with_context(|| format!("cannot read {}", input.name))?;
            Ok(Surveyed { name: &input.name, facts, coverage })
        };
        let surveyed = self.inputs.iter().map(survey).collect();
        bar.clear();
        surveyed
    }

    /// Passes over all inputs, one after the other. What they say is merged as of one data set.
    pub(crate) fn run<'i, A: Aggregate>(
        &self,
        prepared: Vec<Prepared<'i>>,
        depth: Depth,
        fresh: impl Fn() -> A + Sync,
        mut rows: Option<(&dyn RowWriter, &mut Output)>,
        bar: &Bar,
    ) -> anyhow::Result<(A, Vec<Passed<'i>>)> {
        let aggregates = Aggregates::default();
        let mut files = Vec::with_capacity(prepared.len());
        for (number, mut input) in prepared.into_iter().enumerate() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let cannot_read = || format!("cannot read {}", input.input.name);
            let mut opened = match input.opened.take() {
                Some(opened) => opened,
                None => input.input.source().with_context(cannot_read)?,
            };
            let plan = Plan {
                file: number,
                model: &input.model,
                loaded: input.loaded.as_ref(),
                filter: &input.filter,
                depth,
                limits: self.limits,
                batch_bytes: Plan::BATCH_BYTES,
            };
            let steps = opened.progress(bar);
            let rows = rows.as_mut().map(|(writer, out)| Rows { writer: *writer, out: &mut **out });
            let passed = run(&self.pool, &mut opened.source, plan, &aggregates, &fresh, rows, &steps);
            let (facts, mut coverage) = passed.map_err(|error| match error {
                RunError::Read(error) => {
                    anyhow::Error::new(error).context(format!("cannot read {}", input.input.name))
                }
                RunError::Write(error) => anyhow::Error::new(error).context("cannot write the result"),
            })?;
            opened.judge(input.input, &mut coverage);
            files.push(Passed {
                number,
                name: &input.input.name,
                is_stdin: input.input.is_stdin(),
                facts,
                coverage,
                is_filtered: input.is_filtered(),
                model: input.model,
                target: input.target,
                now: input.now,
            });
        }
        bar.clear();
        Ok((aggregates.merge(fresh), files))
    }
}

/// The time that figures of this file are measured from.
fn reference_time(args: &ModelArgs, facts: &FileFacts, input: &Input) -> ReferenceTime {
    let clock = jiff::Timestamp::now().as_millisecond();
    if let Some(now) = args.now {
        return ReferenceTime {
            ms: now.ms(facts.saved_at_ms().unwrap_or(clock)),
            source: ReferenceSource::Given,
        };
    }
    if let Some(ms) = facts.saved_at_ms() {
        return ReferenceTime { ms, source: ReferenceSource::SavedAt };
    }
    match input.modified_ms {
        Some(ms) => ReferenceTime { ms, source: ReferenceSource::FileModified },
        None => ReferenceTime { ms: clock, source: ReferenceSource::Clock },
    }
}
