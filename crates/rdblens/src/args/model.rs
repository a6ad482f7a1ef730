//! Options that say whose memory is asked about, and when.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use anyhow::Context;
use clap::ValueEnum;
use rdb_format::ServerVersion;
use rdb_memory::{Allocator, Mode, ServerConfig, Target};

use crate::time::TimeArg;

/// No configuration is larger; a device may have no end.
const MAX_CONFIG_BYTES: u64 = 16 << 20;

/// Whose memory is asked about.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Memory model")]
pub(crate) struct ModelArgs {
    /// The server release whose memory is asked about, such as 7.0.15 or valkey-9.1 [default: the one
    /// that wrote the file]
    #[arg(long, value_name = "SERVER-VERSION")]
    pub target: Option<ServerVersion>,
    /// The allocator it is linked with, which no file tells: jemalloc as the servers bundle it,
    /// jemalloc-16 as Linux distributions build it, or libc (INFO memory says mem_allocator)
    /// [default: jemalloc]
    #[arg(long, value_name = "NAME")]
    pub allocator: Option<Allocator>,
    /// What is priced: the encodings of the server that saved the file, or what a server holds after
    /// loading it
    #[arg(
        long = "as",
        value_enum,
        default_value_t,
        value_name = "saved|loaded",
        hide_possible_values = true
    )]
    pub mode: ModeArg,
    /// The redis.conf of that server, for its limits of packed encodings when it loads the file
    /// [default: the release's own]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The time from which everything is measured: 2026-11-30T12:00:00Z or Unix seconds or milliseconds
    /// [default: when the file was saved]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub now: Option<TimeArg>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArg {
    #[default]
    Saved,
    Loaded,
}

impl ModelArgs {
    /// The configuration that was named, or the defaults.
    pub(crate) fn config(&self) -> anyhow::Result<ServerConfig> {
        let Some(path) = &self.config else { return Ok(ServerConfig::default()) };
        let cannot = || format!("cannot read {}", path.display());
        let mut text = String::new();
        let file = File::open(path).with_context(cannot)?;
        file.take(MAX_CONFIG_BYTES).read_to_string(&mut text).with_context(cannot)?;
        ServerConfig::from_conf(&text)
            .with_context(|| format!("{} is no server configuration", path.display()))
    }

    /// The target for a file that this release wrote.
    pub(crate) fn target_for(&self, writer: ServerVersion, config: &ServerConfig) -> Target {
        Target {
            server: self.target.unwrap_or(writer),
            allocator: self.allocator.unwrap_or_default(),
            mode: match self.mode {
                ModeArg::Saved => Mode::Saved,
                ModeArg::Loaded => Mode::Loaded,
            },
            config: config.clone(),
        }
    }
}
