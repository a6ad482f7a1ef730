//! How much a file may ask for.

/// Bounds on what a file can make the parser do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes that one LZF string may be inflated to.
    pub inflated_bytes: u64,
    /// The most bytes that a packed value (listpack, ziplist, intset, zipmap) may be inflated to in order
    /// to look at its entries: this much memory each reader may need.
    pub packed_bytes: u64,
}

impl Limits {
    /// The same limits, for inflating packed values.
    #[must_use]
    pub const fn for_packed(self) -> Self {
        Self { inflated_bytes: self.packed_bytes, ..self }
    }
}

impl Default for Limits {
    /// 512 MiB for a string, the servers' own limit (`proto-max-bulk-len`), and 32 MiB for a packed
    /// value: servers keep theirs to some kilobytes unless they are told otherwise.
    fn default() -> Self {
        Self { inflated_bytes: 512 << 20, packed_bytes: 32 << 20 }
    }
}
