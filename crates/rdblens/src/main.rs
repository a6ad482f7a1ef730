//! The command line of rdblens: arguments in, exit code out. Everything else is in the libraries.

mod args;
mod cmd;
mod exit;
mod input;
mod interrupt;
mod output;
mod progress;
mod session;
mod time;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;
use crate::exit::{Exit, UsageError};

fn main() -> ExitCode {
    let args = Args::parse();
    interrupt::watch();
    match cmd::run(&args) {
        Ok(exit) => exit.into(),
        Err(error) if is_closed_pipe(&error) => Exit::Whole.into(),
        Err(error) => {
            // Nobody is left to tell when stderr is closed too.
            let _ = writeln!(io::stderr(), "rdblens: {error:#}");
            if error.is::<UsageError>() { Exit::Usage.into() } else { Exit::Failed.into() }
        }
    }
}

/// Whether the reader of our output went away, as `head` does: no fault of anybody.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}
