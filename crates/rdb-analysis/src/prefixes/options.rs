//! What the caller may choose about the tree. Owns no behaviour.

use crate::Measure;

/// Where keys are cut into segments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Separators {
    /// `:`, `/`, `|` and control bytes always; `.` too in a key whose first separator is a dot.
    ///
    /// The rule looks at one key at a time, so it does not matter which keys came before.
    #[default]
    Usual,
    /// These strings and no others. Empty strings are ignored; with an empty list no key is cut.
    Only(Vec<Vec<u8>>),
}

/// The settings of a [`PrefixTree`](super::PrefixTree). Trees can be merged when theirs are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixOptions {
    /// Where keys are cut.
    pub separators: Separators,
    /// Whether identifiers fold into `{int}`, `{uuid}` and so on. Off: names stay as they are.
    pub fold: bool,
    /// The size that ranks children and picks the largest key.
    pub measure: Measure,
    /// How many different children a node may have, those that are keys and those that lead
    /// deeper counted apart. One more, and they are summed in one child `{*}`.
    pub max_children: usize,
    /// The same for the first segments of keys that lead deeper: the names at the top of the tree say
    /// most, so there may be more of them.
    pub max_first: usize,
    /// How many segments of a key become levels; the rest of the key belongs to the last one.
    /// At most [`MAX_DEPTH`](super::MAX_DEPTH) is used.
    pub max_depth: usize,
    /// How many nodes the finished tree may have, all databases together.
    pub max_nodes: usize,
}

impl Default for PrefixOptions {
    fn default() -> Self {
        Self {
            separators: Separators::default(),
            fold: true,
            measure: Measure::default(),
            max_children: 512,
            max_first: 4096,
            max_depth: 32,
            max_nodes: 16_384,
        }
    }
}
