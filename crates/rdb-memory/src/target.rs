//! Whose memory is being asked about.

use rdb_format::ServerVersion;

use crate::{Allocator, ServerConfig};

/// Which state of the data is priced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As the saving server held it: encodings follow from the type codes of the file, allocations have no
    /// slack but in the last listpack of a stream, which servers begin roomy, and tables are as small as they can
    /// be. What the target server cannot hold is converted as by [`Mode::Loaded`].
    ///
    /// A live server has slack, which a load removes: the sum is 1.5 to 3 % low. Tables, quicklists and
    /// streams are therefore no better than [`Basis::Expected`](crate::Basis::Expected); packed values and
    /// strings are right to the byte unless they were changed in place, 96 to 99.9 % of them.
    Saved,
    /// As the target server holds it after loading the file under its configuration.
    #[default]
    Loaded,
}

/// A server, its allocator and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The release.
    pub server: ServerVersion,
    /// What it is linked with.
    pub allocator: Allocator,
    /// Which state is priced.
    pub mode: Mode,
    /// Its settings.
    pub config: ServerConfig,
}

impl Target {
    /// This release as its vendor builds and ships it, right after loading the file.
    #[must_use]
    pub fn new(server: ServerVersion) -> Self {
        Self {
            server,
            allocator: Allocator::default(),
            mode: Mode::default(),
            config: ServerConfig::default(),
        }
    }
}
