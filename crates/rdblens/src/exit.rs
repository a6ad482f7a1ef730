//! How a run ends: the exit codes of the command line's contract.

use std::process::ExitCode;

/// How a run ended. Every command shares these codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything was read, and nothing is damaged.
    Whole = 0,
    /// There is no result.
    Failed = 1,
    /// A result was made, but the input is damaged or incomplete.
    Damaged = 3,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
