//! Options that say where output goes and what it looks like.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::ValueEnum;
use rdb_report::csv::KeyEncoding;

use crate::exit::UsageError;

/// Where output goes and what it looks like.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Write here instead of to standard output; the file appears when it is complete
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How names of keys are written in CSV and JSON lines (other JSON always escapes)
    #[arg(long, value_enum, default_value_t)]
    pub key_encoding: KeyEncodingArg,
    /// In CSV, write a leading = + - or @ of a name as `\xNN` too: no spreadsheet takes it for a formula
    #[arg(long)]
    pub csv_safe: bool,
    /// When to use colour; NO_COLOR is honoured
    #[arg(long, value_enum, default_value_t)]
    pub color: ColorArg,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum KeyEncodingArg {
    /// Printable UTF-8 as it is, `\\` for a backslash, `\xNN` for every other byte
    #[default]
    Escaped,
    /// Base64
    Base64,
    /// Hexadecimal
    Hex,
}

impl From<KeyEncodingArg> for KeyEncoding {
    fn from(arg: KeyEncodingArg) -> Self {
        match arg {
            KeyEncodingArg::Escaped => Self::Escaped,
            KeyEncodingArg::Base64 => Self::Base64,
            KeyEncodingArg::Hex => Self::Hex,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorArg {
    /// On a terminal
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl OutputArgs {
    /// How names of keys are written in CSV and JSON lines.
    pub(crate) fn key_encoding(&self) -> Result<KeyEncoding, UsageError> {
        match (self.key_encoding, self.csv_safe) {
            (KeyEncodingArg::Escaped, true) => Ok(KeyEncoding::Guarded),
            (KeyEncodingArg::Base64, true) => {
                let message =
                    "base64 may begin with a plus: --csv-safe goes with --key-encoding escaped or hex";
                Err(UsageError(message.to_owned()))
            }
            (encoding, _) => Ok(encoding.into()),
        }
    }

    /// Whether the output is read on a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.output.is_none() && io::stdout().is_terminal()
    }

    /// Whether to use colour.
    pub(crate) fn wants_color(&self) -> bool {
        match self.color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => {
                let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                self.is_terminal() && !set("NO_COLOR") && !dumb
            }
        }
    }
}
