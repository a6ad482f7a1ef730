//! Keys for the tests of the prefix tree.

use rdb_analysis::{
    Aggregate, Basis, Observation, PrefixNode, PrefixOptions, PrefixSummary, PrefixTree, Tally,
};
use rdb_format::{Encoding, ObjectType, TypeCode};

/// A string key of a given size.
pub(crate) fn key(db: u64, name: &[u8], memory_bytes: u64) -> Observation<'_> {
    Observation {
        file: 0,
        db,
        key: name,
        key_len: name.len() as u64,
        type_code: TypeCode(0),
        object_type: ObjectType::String,
        module: None,
        encoding: Encoding::Raw,
        elements: Some(memory_bytes / 3),
        memory_bytes,
        allocated_bytes: memory_bytes + 16,
        loaded_bytes: None,
        basis: Basis::Exact,
        serialized_bytes: memory_bytes / 2,
        largest_element_bytes: None,
        expire_at_ms: memory_bytes.is_multiple_of(2).then_some(1),
        idle_seconds: None,
        freq: None,
        offset: 0,
    }
}

/// The summary of some names, each of 100 bytes, in database 0.
pub(crate) fn summary_of<N: AsRef<[u8]>>(options: PrefixOptions, names: &[N]) -> PrefixSummary {
    let mut tree = PrefixTree::new(options);
    for name in names {
        tree.observe(&key(0, name.as_ref(), 100));
    }
    let summary = tree.finish();
    check_sums(&summary);
    assert_eq!(summary.total.keys, names.len() as u64);
    summary
}

/// Paths and key counts of every node below the root, escaped, in the order of the tree.
pub(crate) fn paths(summary: &PrefixSummary) -> Vec<(String, u64)> {
    let nodes = summary.roots.iter().flat_map(|root| root.node.walk()).filter(|node| node.depth > 0);
    nodes.map(|node| (node.path.escape_ascii().to_string(), node.tally.keys)).collect()
}

/// The one path that a key alone leads to.
pub(crate) fn path_of(name: &[u8]) -> String {
    let summary = summary_of(PrefixOptions::default(), &[name]);
    paths(&summary).last().map(|(path, _)| path.clone()).unwrap_or_default()
}

/// Children and own make up the node, in every field, and the largest key is really below it.
pub(crate) fn check_sums(summary: &PrefixSummary) {
    let mut total = Tally::default();
    for root in &summary.roots {
        total += root.node.tally;
        root.node.walk().for_each(|node| check_node(summary, node));
    }
    assert_eq!(total, summary.total);
}

fn check_node(summary: &PrefixSummary, node: &PrefixNode) {
    let mut sum = node.own;
    for child in &node.children {
        assert!(child.path.starts_with(&node.path) && child.path.len() > node.path.len());
        assert_eq!((child.depth, child.label_start), (node.depth + 1, node.path.len()));
        sum += child.tally;
    }
    assert_eq!(sum, node.tally, "at {:?}", node.path.escape_ascii().to_string());
    let largest = node.largest.as_ref().expect("a node has keys");
    assert!(largest.bytes <= node.tally.bytes(summary.measure()));
    assert!(
        node.children.iter().all(|c| c.largest.as_ref().is_some_and(|below| below.bytes <= largest.bytes))
    );
    let mut paths: Vec<_> = node.children.iter().map(|child| &child.path).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), node.children.len(), "children have different paths");
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    /// A word of letters that does not fold.
    pub(crate) fn word(&mut self, kinds: u64) -> String {
        let mut number = self.roll(kinds);
        let mut word = String::from("w");
        for _ in 0..4 {
            word.push(char::from(b'a' + u8::try_from(number % 26).expect("below 26")));
            number /= 26;
        }
        word
    }
}
