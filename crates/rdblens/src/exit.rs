//! How a run ends: the exit codes of the command line's contract.

use std::fmt;
use std::process::ExitCode;

/// How a run ended. Every command shares these codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything was read, and nothing is damaged.
    Whole = 0,
    /// There is no result.
    Failed = 1,
    /// The command line asks for something that makes no sense.
    Usage = 2,
    /// A result was made, but the input is damaged or incomplete.
    Damaged = 3,
    /// A rule or limit that the caller asked for was broken.
    Broken = 4,
}

/// What is wrong with a command line that could be read and makes no sense.
#[derive(Debug)]
pub(crate) struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
