//! How much a file may ask for.

/// Bounds on what a file can make the parser do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes that one LZF string may be inflated to.
    pub inflated_bytes: u64,
}

impl Default for Limits {
    /// 512 MiB, the servers' own limit for a string (`proto-max-bulk-len`).
    fn default() -> Self {
        Self { inflated_bytes: 512 << 20 }
    }
}
