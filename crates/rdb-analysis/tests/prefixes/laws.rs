//! The laws of aggregates, where they are hardest: while sets are being closed.

use rdb_analysis::laws::check_laws;
use rdb_analysis::{Aggregate, Measure, Observation, PrefixOptions, PrefixTree};

use crate::support::{Dice, check_sums, key};

fn names(seed: u64, count: usize, kinds: u64) -> Vec<(u64, Vec<u8>, u64)> {
    let mut dice = Dice(seed);
    (0..count)
        .map(|_| {
            let mut name = Vec::new();
            for level in 0..1 + dice.roll(5) {
                if level > 0 {
                    name.extend_from_slice([":", "::", "/", "|"][dice.roll(4) as usize % 4].as_bytes());
                }
                match dice.roll(4) {
                    0 => name.extend_from_slice(dice.roll(50).to_string().as_bytes()),
                    1 => name.push(u8::try_from(dice.roll(256)).expect("a byte")),
                    _ => name.extend_from_slice(dice.word(kinds).as_bytes()),
                }
            }
            if dice.roll(200) == 0 {
                name.clear();
            }
            (dice.roll(3), name, dice.roll(1000))
        })
        .collect()
}

fn observations(names: &[(u64, Vec<u8>, u64)]) -> Vec<Observation<'_>> {
    let mut keys: Vec<_> = names.iter().map(|(db, name, bytes)| key(*db, name, *bytes)).collect();
    for (at, key) in keys.iter_mut().enumerate() {
        key.offset = at as u64;
        key.file = u32::try_from(at % 2).expect("small");
    }
    keys
}

#[test]
fn hold_for_an_open_tree() {
    let names = names(1, 400, 6);
    let keys = observations(&names);
    check_laws(|| PrefixTree::new(PrefixOptions::default()), &keys);
    check_laws(|| PrefixTree::new(PrefixOptions { fold: false, ..PrefixOptions::default() }), &keys);
}

#[test]
fn hold_while_sets_of_children_close() {
    for (seed, kinds, max_children) in [(2, 12, 3), (3, 12, 8), (4, 500, 20), (5, 5, 1), (6, 30, 0)] {
        let names = names(seed, 600, kinds);
        let keys = observations(&names);
        let options = PrefixOptions {
            max_children,
            max_first: max_children + 2,
            measure: Measure::Serialized,
            ..PrefixOptions::default()
        };
        check_laws(|| PrefixTree::new(options.clone()), &keys);
    }
}

#[test]
fn hold_while_the_budget_runs_out() {
    for seed in 0..40 {
        let names = names(100 + seed, 500, 4 + seed * 3);
        let keys = observations(&names);
        for max_nodes in [10, 25, 60, 150, 400] {
            let max_children = if seed % 2 == 0 { 512 } else { 6 };
            let options = PrefixOptions {
                max_nodes,
                max_children,
                max_first: max_children,
                ..PrefixOptions::default()
            };
            check_laws(|| PrefixTree::new(options.clone()), &keys);
            let mut tree = PrefixTree::new(options);
            for key in &keys {
                tree.observe(key);
                assert!(tree.nodes() <= 2 * max_nodes + 80, "{} nodes", tree.nodes());
            }
            let summary = tree.finish();
            check_sums(&summary);
            assert_eq!(summary.total.keys, keys.len() as u64);
            let nodes: usize = summary.roots.iter().map(|root| root.node.walk().count()).sum();
            assert!(nodes <= max_nodes, "{nodes} nodes of {max_nodes}");
        }
    }
}

#[test]
fn hold_for_more_databases_than_are_kept_apart() {
    let names: Vec<_> = (0..3000_u64).map(|db| (db, format!("a:{db}").into_bytes(), db)).collect();
    let keys = observations(&names);
    check_laws(|| PrefixTree::new(PrefixOptions::default()), &keys);
    let mut tree = PrefixTree::new(PrefixOptions::default());
    keys.iter().for_each(|key| tree.observe(key));
    let summary = tree.finish();
    assert_eq!(summary.roots.len(), 1);
    assert_eq!((summary.roots[0].db, summary.roots[0].node.tally.keys), (None, 3000));
}
