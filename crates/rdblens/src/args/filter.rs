//! Options that choose keys.

use rdb_analysis::{Filter, NamePattern, PatternError, TtlFilter, TypeFilter};

use super::value::{self, SlotRange};
use crate::time::TimeArg;

/// Which keys to look at: those that meet every condition given.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Only these databases
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub db: Vec<u64>,
    /// Only these types, as TYPE answers them: string, list, set, zset, hash, stream, module, ReJSON-RL …
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = value::type_filter)]
    pub types: Vec<TypeFilter>,
    /// Only names that this glob fits as a whole, as KEYS takes it. Several: any of them
    #[arg(long = "match", value_name = "GLOB", value_parser = glob)]
    pub globs: Vec<NamePattern>,
    /// Only names that this regular expression fits anywhere. Several: any of them
    #[arg(long, value_name = "RE", value_parser = regex)]
    pub regex: Vec<NamePattern>,
    /// Only keys of at least this memory, such as 10KB or 1MiB
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub min_memory: Option<u64>,
    /// Only keys with at least this many elements
    #[arg(long, value_name = "N", value_parser = value::count)]
    pub min_elements: Option<u64>,
    /// Only keys that never expire (none), or only keys that do (any)
    #[arg(long, value_enum, value_name = "none|any", hide_possible_values = true)]
    pub ttl: Option<TtlArg>,
    /// Only keys that expire before this time: 2026-11-30T12:00:00Z, Unix seconds or milliseconds, or +7d
    /// from the reference time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires_before: Option<TimeArg>,
    /// Only keys that expire at this time or later
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub expires_after: Option<TimeArg>,
    /// Only keys of these cluster slots, such as 42 or 0-5460
    #[arg(long, value_name = "SLOTS", value_delimiter = ',', value_parser = value::slots)]
    pub slot: Vec<SlotRange>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum TtlArg {
    None,
    Any,
}

fn glob(text: &str) -> Result<NamePattern, PatternError> {
    NamePattern::glob(text)
}

fn regex(text: &str) -> Result<NamePattern, PatternError> {
    NamePattern::regex(text)
}

impl FilterArgs {
    /// The filter as options of a command line, each with its values; empty when every key passes.
    pub(crate) fn words(&self) -> Vec<Vec<String>> {
        let mut words = Vec::new();
        let mut option = |name: &str, values: Vec<String>| {
            if !values.is_empty() {
                words.push([name.to_owned()].into_iter().chain([values.join(",")]).collect::<Vec<_>>());
            }
        };
        option("--db", self.db.iter().map(u64::to_string).collect());
        option("--type", self.types.iter().map(ToString::to_string).collect());
        for glob in &self.globs {
            option("--match", vec![glob.to_string()]);
        }
        for regex in &self.regex {
            option("--regex", vec![regex.to_string()]);
        }
        option("--min-memory", self.min_memory.iter().map(u64::to_string).collect());
        option("--min-elements", self.min_elements.iter().map(u64::to_string).collect());
        let ttl = self.ttl.map(|ttl| match ttl {
            TtlArg::None => "none",
            TtlArg::Any => "any",
        });
        option("--ttl", ttl.iter().map(ToString::to_string).collect());
        option("--expires-before", self.expires_before.iter().map(ToString::to_string).collect());
        option("--expires-after", self.expires_after.iter().map(ToString::to_string).collect());
        option("--slot", self.slot.iter().map(ToString::to_string).collect());
        words
    }

    /// The filter for a file with this reference time.
    pub(crate) fn build(&self, now_ms: i64) -> Filter {
        Filter {
            dbs: self.db.clone(),
            types: self.types.clone(),
            globs: self.globs.clone(),
            regexes: self.regex.clone(),
            min_memory: self.min_memory,
            min_elements: self.min_elements,
            ttl: self.ttl.map(|ttl| match ttl {
                TtlArg::None => TtlFilter::None,
                TtlArg::Any => TtlFilter::Any,
            }),
            expires_before_ms: self.expires_before.map(|time| time.ms(now_ms)),
            expires_after_ms: self.expires_after.map(|time| time.ms(now_ms)),
            slots: self.slot.iter().flat_map(SlotRange::slots).collect(),
        }
    }
}
