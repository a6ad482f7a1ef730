//! What renderers get: rows that add up.

use rdb_analysis::prefixes::{PrefixRow, RowKind, RowLimits};
use rdb_analysis::{Aggregate, PrefixOptions, PrefixSummary, PrefixTree, Tally};

use crate::support::{Dice, key, summary_of};

/// Every node that has rows below it equals their sum.
fn check_rows(rows: &[PrefixRow<'_>]) {
    for (at, row) in rows.iter().enumerate() {
        if row.kind != RowKind::Node {
            assert!(row.tally.keys > 0 && row.text().is_empty() && row.last);
            continue;
        }
        let below: Vec<_> = rows[at + 1..].iter().take_while(|below| below.indent > row.indent).collect();
        let direct: Vec<_> = below.iter().filter(|below| below.indent == row.indent + 1).collect();
        let mut sum = Tally::default();
        for (at, below) in direct.iter().enumerate() {
            sum += below.tally;
            assert_eq!(below.last, at + 1 == direct.len());
            assert_eq!(below.text_start, row.node.path.len());
            assert_eq!(below.db, row.db);
        }
        assert!(direct.is_empty() || sum == row.tally);
    }
}

fn text(rows: &[PrefixRow<'_>]) -> String {
    let line = |row: &PrefixRow<'_>| {
        let text = match row.kind {
            RowKind::Node => row.text().escape_ascii().to_string(),
            RowKind::Other { children } => format!("(other: {children})"),
        };
        format!("{}{text} {}\n", "  ".repeat(row.indent), row.tally.keys)
    };
    rows.iter().map(line).collect()
}

fn example() -> PrefixSummary {
    let mut names = Vec::new();
    names.extend((0..60).map(|n| format!("app:prod:user:{n}:cart")));
    names.extend((0..25).map(|n| format!("app:prod:user:{n}")));
    names.extend((0..10).map(|n| format!("app:test:job-{n}")));
    names.extend((0..4).map(|n| format!("lock:{n}")));
    names.push("lock".into());
    summary_of(PrefixOptions::default(), &names)
}

#[test]
fn limits_leave_a_visible_rest() {
    let summary = example();
    let all = summary.rows(&RowLimits::default());
    check_rows(&all);
    assert_eq!(
        text(&all),
        " 100\n  app 95\n    :prod 85\n      :user 85\n        :{int} 85\n          :cart 60\n          (other: 0) 25\n    \
         :test 10\n      :job-{int} 10\n  lock 5\n    :{int} 4\n    (other: 0) 1\n"
    );
    let some = summary.rows(&RowLimits { min_share: 0.5, ..RowLimits::default() });
    check_rows(&some);
    assert!(
        text(&some).starts_with(" 100\n  app 95\n    :prod 85\n")
            && text(&some).ends_with("  (other: 1) 5\n")
    );
    let flat = summary.rows(&RowLimits { max_depth: 1, max_children: 1, min_share: 0.0 });
    assert_eq!(text(&flat), " 100\n  app 95\n  (other: 1) 5\n");
    assert_eq!(flat.iter().map(PrefixRow::depth).collect::<Vec<_>>(), [0, 1, 1]);
}

#[test]
fn a_terminal_gets_the_biggest_branches() {
    let summary = example();
    let few = summary.rows_that_fit(6, 0.0);
    check_rows(&few);
    assert_eq!(text(&few), " 100\n  app 95\n    :prod:user:{int} 85\n    :test:job-{int} 10\n  lock 5\n");
    assert_eq!(text(&summary.rows_that_fit(1, 0.0)), " 100\n");
    assert_eq!(text(&summary.rows_that_fit(3, 0.0)), " 100\n  app 95\n  lock 5\n");
    for lines in 1..20 {
        let rows = summary.rows_that_fit(lines, 0.0);
        check_rows(&rows);
        assert!(rows.len() <= lines);
    }
}

#[test]
fn rows_of_any_tree_add_up() {
    let mut dice = Dice(77);
    let mut tree = PrefixTree::new(PrefixOptions { max_children: 9, ..PrefixOptions::default() });
    for _ in 0..2000 {
        let parts: Vec<_> = (0..1 + dice.roll(4)).map(|_| dice.word(14)).collect();
        tree.observe(&key(dice.roll(2), parts.join(":").as_bytes(), dice.roll(500)));
    }
    let summary = tree.finish();
    for lines in [2, 10, 40, 100, 1000, 100_000] {
        let rows = summary.rows_that_fit(lines, 0.0);
        check_rows(&rows);
        assert!(rows.len() <= lines);
        check_rows(&summary.rows_that_fit(lines, 0.01));
    }
    for max_depth in 0..5 {
        check_rows(&summary.rows(&RowLimits { max_depth, min_share: 0.002, max_children: 5 }));
    }
}

#[test]
fn no_keys_no_rows() {
    let summary = PrefixTree::new(PrefixOptions::default()).finish();
    assert!(summary.rows(&RowLimits::default()).is_empty());
    assert!(summary.rows_that_fit(10, 0.0).is_empty());
    assert!(summary.suspected_typos().is_empty());
}

#[test]
fn a_slip_is_told_from_a_name() {
    let mut names: Vec<String> = (0..200).map(|n| format!("session:{n}")).collect();
    names.extend(["sesion:1", "sessions:2", "sesssion", "order:1"].map(String::from));
    let summary = summary_of(PrefixOptions::default(), &names);
    let found = summary.suspected_typos();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].suspect.path.as_slice(), found[0].meant.path.as_slice()),
        (&b"sesion"[..], &b"session"[..])
    );
}
