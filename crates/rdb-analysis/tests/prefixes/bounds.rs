//! Keys made to hurt.

use rdb_analysis::prefixes::{MAX_DEPTH, MAX_KEY_EXCERPT};
use rdb_analysis::{Aggregate, PrefixOptions, PrefixTree};

use crate::support::{Dice, check_sums, key, paths, summary_of};

#[test]
fn leaves_and_branches_close_apart() {
    let mut names: Vec<String> = (0..600).map(|n| format!("x{}", Dice(n).word(400_000))).collect();
    names.sort();
    names.dedup();
    assert!(names.len() > 512);
    names.extend(["user:1".into(), "user:2".into(), "order:7:line".into()]);
    let summary = summary_of(PrefixOptions::default(), &names);
    let found = paths(&summary);
    let many = names.len() as u64 - 3;
    assert_eq!(found[0], ("{*}".into(), many));
    assert_eq!(found[1], ("user".into(), 2));
    assert_eq!(found.last(), Some(&("order:{int}:line".into(), 1)));
}

#[test]
fn a_closed_set_of_branches_keeps_nothing_below() {
    let mut names: Vec<String> = (0..40).map(|n| format!("s:{}:data", Dice(n).word(400_000))).collect();
    names.push("s:plain".into());
    let summary = summary_of(PrefixOptions { max_children: 20, ..PrefixOptions::default() }, &names);
    assert_eq!(
        paths(&summary),
        [("s".into(), 41), ("s:{*}".into(), 40), ("s:plain".into(), 1)]
            .map(|(path, keys): (String, u64)| (path, keys))
    );
    assert!(summary.find(0, b"s:{*}").is_some_and(|node| node.is_sum_of_many()));
}

#[test]
fn depth_is_bounded() {
    let deep = b"a:".repeat(5000);
    let summary = summary_of(PrefixOptions { max_depth: 1000, ..PrefixOptions::default() }, &[&deep]);
    assert_eq!(summary.roots[0].node.walk().map(|node| node.depth).max(), Some(MAX_DEPTH));
    let summary =
        summary_of(PrefixOptions { max_depth: 3, ..PrefixOptions::default() }, &["a:b:c:d", "a:b:c", "a:b"]);
    let c = summary.find(0, b"a:b:c").expect("the third level");
    assert_eq!((c.own.keys, c.children.len()), (2, 0));
    let summary = summary_of(PrefixOptions { max_depth: 0, ..PrefixOptions::default() }, &["a:b"]);
    assert_eq!(summary.roots[0].node.own.keys, 1);
}

#[test]
fn labels_and_names_are_bounded() {
    let long = b"x".repeat(100_000);
    let colons = b":".repeat(100_000);
    let mut tree = PrefixTree::new(PrefixOptions::default());
    tree.observe(&key(0, &long, 5));
    tree.observe(&key(0, &colons, 7));
    let summary = tree.finish();
    check_sums(&summary);
    let root = &summary.roots[0].node;
    assert!(root.walk().all(|node| node.path.len() < 400));
    assert!(root.children.iter().all(|node| node.path.ends_with(b"{...}")));
    let largest = root.largest.as_ref().expect("two keys");
    assert_eq!((largest.bytes, largest.key.len(), largest.key_len), (7, MAX_KEY_EXCERPT, 100_000));
    assert!(largest.is_excerpt());
}

#[test]
fn the_tree_is_bounded_whatever_the_keys_are() {
    let options = PrefixOptions { max_nodes: 2000, ..PrefixOptions::default() };
    let mut tree = PrefixTree::new(options);
    let mut dice = Dice(9);
    for _ in 0..60_000 {
        let parts: Vec<_> = (0..4).map(|_| dice.word(300)).collect();
        tree.observe(&key(0, parts.join(":").as_bytes(), 50));
        assert!(tree.nodes() <= 4100);
    }
    let summary = tree.finish();
    check_sums(&summary);
    assert_eq!(summary.total.keys, 60_000);
    assert!(summary.roots[0].node.walk().count() <= 2000);
    // The first level is small enough to stay.
    assert_eq!(summary.roots[0].node.children.len(), 300);
}

#[test]
fn many_first_segments_stay_apart() {
    let names: Vec<String> = (0..3000).map(|n| format!("w{}:user:{n}", Dice(n).word(400_000))).collect();
    let summary = summary_of(PrefixOptions::default(), &names);
    assert!(summary.roots[0].node.children.len() > 2900);
    let summary = summary_of(PrefixOptions { max_first: 1000, ..PrefixOptions::default() }, &names);
    assert_eq!(paths(&summary), [("{*}".to_owned(), 3000)]);
}

#[test]
fn long_keys_take_no_longer_than_their_length() {
    let mut tree = PrefixTree::new(PrefixOptions::default());
    let started = std::time::Instant::now();
    for piece in ["{\"", "a-B", "2026-01-01T", "1.", "Ab9_", "a@b.", "{\":", "2001:", "x9{", "::f", "_/Q"] {
        let long = piece.repeat(400_000);
        for cut in 0..20 {
            tree.observe(&key(0, &long.as_bytes()[cut..], 1));
        }
    }
    let summary = tree.finish();
    check_sums(&summary);
    assert!(summary.roots[0].node.walk().all(|node| node.path.len() < 1500));
    // Scanning 200 MB takes a fraction of a second; anything quadratic would take days.
    assert!(started.elapsed().as_secs() < 60);
}

#[test]
fn tokens_longer_than_any_digest_fold() {
    let token = "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjFhMmIzYzRkIn0Qx7Zp9";
    for times in [2, 3, 40] {
        let summary = summary_of(PrefixOptions::default(), &[format!("jwt:{}", token.repeat(times))]);
        assert_eq!(paths(&summary)[1].0, "jwt:{base64}");
    }
}
