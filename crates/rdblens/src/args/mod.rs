//! What can be typed. Each group of options that commands share is one struct.

mod filter;
mod model;
mod output;
mod value;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Parser, Subcommand, ValueEnum};
use rdb_analysis::{Measure, PrefixOptions, Ranking, Separators};
use rdb_format::ServerVersion;
use rdb_parser::{Depth, Limits};

pub(crate) use filter::FilterArgs;
pub(crate) use model::ModelArgs;
pub(crate) use output::OutputArgs;

use crate::input::Expansion;

/// Say what is in a Redis or Valkey snapshot (an RDB file) and what it costs in memory,
/// without touching a server.
#[derive(Debug, Parser)]
#[command(
    name = "rdblens",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = "Exit codes: 0 the input is whole; 1 failed, no result; 2 wrong usage; \
    3 a result was made, but the input is damaged or incomplete.\n\n\
    Example: rdblens report dump.rdb")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What is in this dump, and what does it cost? The place to start
    Report(ReportArgs),
    /// Every key, one row each, in file order
    Keys(KeysArgs),
    /// The biggest keys
    Top(TopArgs),
    /// Where the memory is, by prefixes of the keys' names
    Prefixes(PrefixesArgs),
    /// What the file says about itself: header, fields, functions, modules, checksum
    Info(InfoArgs),
    /// Write another RDB file from what can be trusted of one, even behind damage
    Extract(ExtractArgs),
    /// Is the file whole? Every fault with its place, and what servers make of it
    Check(CheckArgs),
}

/// Where to read.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SourceArgs {
    /// RDB files, plain or compressed (gzip, zstd, lz4, bzip2, xz); `-` is standard input. Also read for
    /// their RDB part: append-only files that start with one, append-only directories, and replication
    /// captures. Several inputs are shards of one data set
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,

    /// Go on behind damage: look for the next records that can be believed, and tell what lies between. The
    /// exit code is 3 then
    #[arg(long)]
    pub salvage: bool,

    /// The inputs are answers of the DUMP command, one key each, which is called KEY, or else what its file is
    /// called. They are read as DUMP answers them and as redis-cli prints them, with a line break or in quotes
    #[arg(long, value_name = "KEY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub dump_payload: Option<OsString>,

    /// How many times as large as it is a compressed input may become, once that is more than 256 MiB
    #[arg(long, value_name = "RATIO", default_value_t = Expansion::default().ratio, hide_short_help = true)]
    pub max_expansion: u64,

    /// The most bytes that a packed value may have which the snapshot holds compressed (LZF); a larger one
    /// counts as damaged. Each thread may need a few times as much memory
    #[arg(long, value_name = "SIZE", value_parser = value::size, default_value = "32MiB", hide_short_help = true)]
    pub max_inflated: u64,
}

impl SourceArgs {
    /// How much may come out of compressed inputs.
    pub(crate) fn expansion(&self) -> Expansion {
        Expansion { ratio: self.max_expansion, ..Expansion::default() }
    }

    /// How closely commands look that need no more than counts. Of a damaged file each value is looked at, since no
    /// checksum vouches for any.
    pub(crate) fn depth(&self) -> Depth {
        if self.salvage { Depth::Elements } else { Depth::Count }
    }

    /// How much a snapshot may ask for.
    pub(crate) fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            packed_bytes: self.max_inflated,
            inflated_bytes: usual.inflated_bytes.max(self.max_inflated),
        }
    }
}

/// What every command needs: where to read, and with how many hands.
#[derive(Debug, clap::Args)]
pub(crate) struct InputArgs {
    #[command(flatten)]
    pub source: SourceArgs,

    /// How many threads to use [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Which size ranks keys and prefixes.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum MeasureArg {
    /// What `MEMORY USAGE key SAMPLES 0` answers
    #[default]
    Memory,
    /// What the allocator really holds
    Allocated,
    /// Length of the record in the file
    Serialized,
}

impl From<MeasureArg> for Measure {
    fn from(arg: MeasureArg) -> Self {
        match arg {
            MeasureArg::Memory => Self::Memory,
            MeasureArg::Allocated => Self::Allocated,
            MeasureArg::Serialized => Self::Serialized,
        }
    }
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: rdblens report --out report/ shard-*.rdb")]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub prefix: PrefixTreeArgs,
    /// How many of the biggest keys [default: 10 in the text, 100 in files and JSON]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Which size ranks keys and prefixes
    #[arg(long, value_enum, default_value_t)]
    pub measure: MeasureArg,
    /// Also write summary.json, top-keys.csv and prefixes.csv into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// How to print the report
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For reading
    #[default]
    Text,
    /// The summary as JSON (docs/REPORT_SCHEMA.md)
    Json,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: rdblens keys --match 'session:*' --ttl none dump.rdb > keys.csv")]
pub(crate) struct KeysArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The form of the rows
    #[arg(long, value_enum, default_value_t)]
    pub format: KeysFormat,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeysFormat {
    /// Comma-separated values with a header
    #[default]
    Csv,
    /// One JSON object per line
    Jsonl,
    /// The columns of `rdb -c memory` of redis-rdb-tools
    Rdbtools,
    /// The columns of `rdb -c memory` of HDT3213/rdb
    Hdt,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: rdblens top --by elements --per-type -n 10 dump.rdb")]
pub(crate) struct TopArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// What makes a key big
    #[arg(long, value_enum, default_value_t)]
    pub by: RankingArg,
    /// The biggest keys of each type
    #[arg(long)]
    pub per_type: bool,
    /// How many keys
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// How to print them [default: text on a terminal, csv otherwise]
    #[arg(long, value_enum)]
    pub format: Option<TopFormat>,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum RankingArg {
    /// What `MEMORY USAGE key SAMPLES 0` answers
    #[default]
    Memory,
    /// What the allocator really holds
    Allocated,
    /// Number of elements; for strings their length, as STRLEN answers
    Elements,
    /// Bytes of the largest element
    Largest,
    /// Length of the record in the file
    Serialized,
    /// Seconds since last use (only in dumps of servers with an LRU policy)
    Idle,
    /// Access frequency (only in dumps of servers with an LFU policy)
    Freq,
}

impl From<RankingArg> for Ranking {
    fn from(arg: RankingArg) -> Self {
        match arg {
            RankingArg::Memory => Self::Memory,
            RankingArg::Allocated => Self::Allocated,
            RankingArg::Elements => Self::Elements,
            RankingArg::Largest => Self::Largest,
            RankingArg::Serialized => Self::Serialized,
            RankingArg::Idle => Self::Idle,
            RankingArg::Freq => Self::Freq,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TopFormat {
    /// For reading
    Text,
    /// Comma-separated values with a header
    Csv,
    /// One JSON object per line
    Jsonl,
}

/// How keys become a tree.
#[derive(Debug, clap::Args)]
pub(crate) struct PrefixTreeArgs {
    /// Cut names here instead of at `:`, `/` and what else is usual; may be repeated
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub separator: Vec<String>,
    /// Keep identifiers apart: user:1001 and user:1002 instead of user:{int}. Where too many names stand
    /// side by side (4096) they are still summed, as {*}
    #[arg(long)]
    pub raw: bool,
}

impl PrefixTreeArgs {
    /// The settings of the tree.
    pub(crate) fn options(&self) -> PrefixOptions {
        let separators = if self.separator.is_empty() {
            Separators::Usual
        } else {
            Separators::Only(self.separator.iter().map(|text| text.clone().into_bytes()).collect())
        };
        let options = PrefixOptions { separators, fold: !self.raw, ..PrefixOptions::default() };
        // Who wants names kept apart expects many of them.
        if self.raw { PrefixOptions { max_children: 4096, max_nodes: 32_768, ..options } } else { options }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrefixesFormat {
    /// A tree, for reading
    Text,
    /// Comma-separated values with a header
    Csv,
    /// The tree as JSON
    Json,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: rdblens prefixes --depth 2 --min-share 1% dump.rdb")]
pub(crate) struct PrefixesArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub prefix: PrefixTreeArgs,
    /// How many levels to show
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Leave out prefixes with less than this share of everything, such as 0.5% or 0.005
    #[arg(long, value_name = "SHARE", value_parser = value::share)]
    pub min_share: Option<f64>,
    /// How many prefixes to show below each one [default: what fits the terminal, else all]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Which size ranks prefixes
    #[arg(long, value_enum, default_value_t)]
    pub measure: MeasureArg,
    /// How to print them [default: text on a terminal, csv otherwise]
    #[arg(long, value_enum)]
    pub format: Option<PrefixesFormat>,
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example: rdblens info --header dump.rdb")]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Stop at the first key
    #[arg(long)]
    pub header: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    pub format: ReportFormat,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// A verdict, then the faults by kind with the first of each
    #[default]
    Text,
    /// Every fault as one JSON object a line, in the order of the file; with --for, a last one with the verdict
    Jsonl,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Severities: fatal: Redis 8.10 and Valkey 9.1 refuse the file; deep: some of them do, mostly Valkey 9 \
    and Redis with `sanitize-dump-payload yes`; dropped: servers load the file without the key; odd: it loads, but \
    no server would have written this. docs/CHECK.md lists all faults.\n\n\
    Exit codes: 0 no fault that is fatal or deep; 3 one or more, or the input could not be unpacked whole; 4 no such \
    fault, but the server named with --for does not read the file as it comes.\n\n\
    Examples: rdblens check --format jsonl dump.rdb\n          \
    rdblens check --for valkey-9.1 dump.rdb"
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Also say whether this server reads the file, such as 7.0 or valkey-9.1, what stands in its way, and which
    /// releases read it
    #[arg(long = "for", value_name = "SERVER")]
    pub server: Option<ServerVersion>,
    /// The server has the module of this type loaded, such as ReJSON-RL; can be given more than once
    #[arg(long = "with-module", value_name = "TYPE", requires = "server")]
    pub modules: Vec<String>,
    /// How to print what is found
    #[arg(long, value_enum, default_value_t)]
    pub format: CheckFormat,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without --salvage the new file ends where reading stops. It holds what servers load: keys whose value is damaged, or whose name stands twice, are left \
    out and told. Fields that are true of the old file only are left out as well (where replication stood, and what \
    memory was used if keys are missing).\n\n\
    Exit codes: 0 everything was taken over; 3 a file was written, and something is missing in it.\n\n\
    Example: rdblens extract --salvage -o saved.rdb damaged.rdb"
)]
pub(crate) struct ExtractArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Write here instead of to standard output; the file appears when it is complete
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
}
