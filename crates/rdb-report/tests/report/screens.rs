//! What people see, kept as files: look at them when they change.

use crate::support;
use rdb_analysis::prefixes::RowLimits;
use rdb_analysis::{
    Aggregate, ChecksumVerdict, Measure, PrefixOptions, PrefixTree, Ranking, Summary, Warning,
};
use rdb_report::text::{Info, TopView};
use rdb_report::{Screen, messages, text};
use unicode_width::UnicodeWidthChar;

fn report(summary: &Summary, screen: &Screen) -> String {
    let mut out = Vec::new();
    text::report(summary, screen, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn tree(summary: &Summary, limits: Option<&RowLimits>, screen: &Screen) -> String {
    let mut out = Vec::new();
    text::prefixes(&summary.prefixes, limits, screen, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn top(summary: &Summary, ranking: Ranking, per_type: bool, screen: &Screen) -> String {
    let files: Vec<_> = summary.files.iter().map(|file| (file.name.clone(), file.now.ms)).collect();
    let view = TopView { rows: &summary.top_keys, ranking, per_type, total: summary.total(), files: &files };
    let mut out = Vec::new();
    text::top(&view, screen, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn info(files: &[rdb_analysis::FileSummary], screen: &Screen) -> String {
    let files: Vec<_> = files
        .iter()
        .map(|file| Info {
            name: &file.name,
            facts: &file.facts,
            coverage: &file.coverage,
            now_ms: Some(support::NOW + 100_000_000),
        })
        .collect();
    let mut out = Vec::new();
    text::info(&files, screen, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn report_of_one_file() {
    insta::assert_snapshot!("report_one_80", report(&support::one(), &Screen::plain(80)));
    insta::assert_snapshot!("report_one_200", report(&support::one(), &Screen::plain(200)));
    let screen = Screen { color: true, ..Screen::plain(80) };
    insta::assert_snapshot!("report_one_80_color", report(&support::one(), &screen).replace('\x1b', "␛"));
    let screen = Screen { unicode: false, ..Screen::plain(80) };
    insta::assert_snapshot!("report_one_80_ascii", report(&support::one(), &screen));
}

#[test]
fn report_of_shards_of_which_one_is_damaged() {
    insta::assert_snapshot!("report_shards_80", report(&support::shards(), &Screen::plain(80)));
    insta::assert_snapshot!("report_shards_200", report(&support::shards(), &Screen::plain(200)));
}

#[test]
fn report_of_what_is_hard_to_print() {
    insta::assert_snapshot!("report_hard_80", report(&support::hard(), &Screen::plain(80)));
    insta::assert_snapshot!("report_hard_200", report(&support::hard(), &Screen::plain(200)));
}

#[test]
fn report_of_nothing() {
    insta::assert_snapshot!("report_empty_80", report(&support::empty(), &Screen::plain(80)));
    insta::assert_snapshot!("report_unreadable_80", report(&support::unreadable(), &Screen::plain(80)));
    let mut filtered = support::empty();
    filtered.filtered = true;
    filtered.filter_words = vec![vec!["--db".to_owned(), "7".to_owned()]];
    insta::assert_snapshot!("report_filtered_80", report(&filtered, &Screen::plain(80)));
}

#[test]
fn report_of_a_wrong_checksum() {
    let mut summary = support::one();
    summary.files[0].coverage.checksum = ChecksumVerdict::Mismatch { stored: 1, computed: 2 };
    let text = report(&summary, &Screen::plain(80));
    assert!(text.starts_with("▌ DAMAGED."), "{text}");
    assert!(text.trim_end().ends_with("See the top."), "{text}");
}

#[test]
fn trees() {
    insta::assert_snapshot!("prefixes_80", tree(&support::one(), None, &Screen::plain(80)));
    insta::assert_snapshot!("prefixes_200", tree(&support::one(), None, &Screen::plain(200)));
    let limits = RowLimits { max_depth: 1, ..RowLimits::default() };
    insta::assert_snapshot!("prefixes_depth_1_80", tree(&support::one(), Some(&limits), &Screen::plain(80)));
    insta::assert_snapshot!("prefixes_hard_80", tree(&support::hard(), None, &Screen::plain(80)));
}

#[test]
fn biggest_keys() {
    insta::assert_snapshot!("top_80", top(&support::shards(), Ranking::Memory, false, &Screen::plain(80)));
    insta::assert_snapshot!(
        "top_200",
        top(&support::shards(), Ranking::Serialized, true, &Screen::plain(200))
    );
    let mut nothing = support::one();
    nothing.top_keys.clear();
    let said = top(&nothing, Ranking::Idle, false, &Screen::plain(80));
    assert!(said.contains("LRU policy"), "{said}");
}

#[test]
fn what_files_say_about_themselves() {
    insta::assert_snapshot!("info_80", info(&[support::talkative()], &Screen::plain(80)));
    let files = [
        support::damaged_file("a.rdb"),
        support::hard().files.remove(0),
        support::unreadable().files.remove(0),
    ];
    insta::assert_snapshot!("info_damaged_80", info(&files, &Screen::plain(80)));
}

#[test]
fn lines_for_stderr() {
    let file = support::damaged_file("dump.rdb");
    let lines = |max| messages::coverage(&file.name, file.facts.version, &file.coverage, max).join("\n");
    insta::assert_snapshot!("messages", lines(10));
    assert!(lines(1).contains("and 1 more damaged key"), "{}", lines(1));
    assert!(lines(0).contains("and 2 more damaged keys"), "{}", lines(0));
    let whole = support::file("dump.rdb");
    assert!(messages::coverage("x", whole.facts.version, &whole.coverage, 10).is_empty());
}

/// Every screen at every width and in every manner.
fn all_screens(mut look: impl FnMut(&str, &Screen, String)) {
    let mut odd = support::one();
    odd.files[0].coverage.warnings = vec![
        Warning::NewerVersion,
        Warning::TrailingBytes(1),
        Warning::EmptyKeys(1),
        Warning::DanglingAttributes,
    ];
    odd.files[0].coverage.checksum = ChecksumVerdict::Mismatch { stored: 1, computed: u64::MAX };
    odd.files[0].name = "-".to_owned();
    odd.measure = Measure::Serialized;
    odd.filtered = true;
    odd.filter_words = vec![vec!["--type".to_owned(), "hash,set".to_owned()]];
    odd.files[0].account = None;
    let summaries =
        [support::one(), support::shards(), support::hard(), support::empty(), support::unreadable(), odd];
    for width in [40, 41, 57, 80, 100, 133, 200, 317] {
        for (color, unicode) in [(false, true), (false, false), (true, true)] {
            let screen = Screen { width, height: Some(width / 3), color, unicode };
            for (at, summary) in summaries.iter().enumerate() {
                look(&format!("report {at}"), &screen, report(summary, &screen));
                look(&format!("tree {at}"), &screen, tree(summary, None, &screen));
                look(
                    &format!("full tree {at}"),
                    &screen,
                    tree(summary, Some(&RowLimits::default()), &screen),
                );
                look(&format!("info {at}"), &screen, info(&summary.files, &screen));
                for ranking in [Ranking::Memory, Ranking::Largest, Ranking::Serialized, Ranking::Freq] {
                    look(&format!("top {at}"), &screen, top(summary, ranking, true, &screen));
                }
            }
            look("talkative", &screen, info(&[support::talkative()], &screen));
        }
    }
}

#[test]
fn no_line_is_wider_than_the_screen() {
    all_screens(|what, screen, text| {
        for line in text.lines() {
            // Colours take no room.
            let plain: String = line.split('\x1b').enumerate().fold(String::new(), |text, (at, part)| {
                text + if at == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) }
            });
            let columns: usize = plain.chars().map(|c| c.width().unwrap_or(0)).sum();
            assert!(columns <= screen.width, "{what} at {}: {columns} in {line}", screen.width);
        }
    });
}

#[test]
fn nothing_of_a_key_acts_on_the_terminal() {
    all_screens(|what, screen, text| {
        let own = [
            "\x1b[0m",
            "\x1b[1m",
            "\x1b[2m",
            "\x1b[1;36m",
            "\x1b[34m",
            "\x1b[32m",
            "\x1b[33m",
            "\x1b[1;31m",
            "\x1b[35m",
            "\x1b[36m",
            "\x1b[2;34m",
        ];
        let mut rest = text;
        if screen.color {
            own.iter().for_each(|sequence| rest = rest.replace(sequence, ""));
        }
        let bad =
            rest.chars().find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(bad, None, "{what}");
        assert!(screen.unicode || rest.is_ascii(), "{what} in ASCII: {rest}");
    });
}

#[test]
fn many_databases_share_a_row() {
    let rows: Vec<_> = (0..100)
        .map(|db| {
            let mut row = support::shop_keys(1).swap_remove(1);
            row.db = db;
            row
        })
        .collect();
    let summary = support::summary(vec![support::file("dump.rdb")], &rows);
    let text = report(&summary, &Screen::plain(80));
    assert!(text.contains("(69 others)"), "{text}");
}

#[test]
fn an_empty_tree_says_so() {
    let mut summary = support::empty();
    summary.prefixes = PrefixTree::new(PrefixOptions::default()).finish();
    assert_eq!(tree(&summary, None, &Screen::plain(80)), "There are no keys.\n");
}

#[test]
fn many_files_share_one_account() {
    let files = (0..12).map(|n| support::file(&format!("shard-{n}.rdb"))).collect();
    let mut summary = support::summary(files, &support::shop_keys(12));
    insta::assert_snapshot!("report_12_files_80", report(&summary, &Screen::plain(80)));
    // One file that does not say what its server used, and nothing is left to explain.
    summary.files[3].account.as_mut().unwrap().used_mem = None;
    let text = report(&summary, &Screen::plain(80));
    assert!(!text.contains("unexplained"), "{text}");
}

#[test]
fn more_explained_than_used() {
    let mut summary = support::one();
    summary.files[0].account.as_mut().unwrap().used_mem = Some(8_000_000);
    let text = report(&summary, &Screen::plain(80));
    assert!(text.contains("unexplained      -431.0 KiB  -5.5 %"), "{text}");
    assert!(text.contains("More is accounted for than the server says it used"), "{text}");
}
