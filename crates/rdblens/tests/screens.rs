//! What each command prints, kept as files beside this one.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod support;

use support::{rdblens, stdout_of};

macro_rules! screen {
    ($name:literal, $($argument:literal),+) => {
        insta::assert_snapshot!($name, stdout_of([$($argument),+]));
    };
}

#[test]
fn report() {
    screen!("report", "report", "shop.rdb");
    screen!("report_of_shards", "report", "shards/a.rdb", "shards/b.rdb", "shards/c.rdb");
    screen!("report_of_an_empty_file", "report", "format/redis-8.10.2/empty.rdb");
    screen!("report_as_json", "report", "--format", "json", "-n", "3", "app/web.rdb");
    screen!(
        "report_for_another_server",
        "report",
        "--as",
        "loaded",
        "--target",
        "valkey-9.1",
        "--allocator",
        "libc",
        "--db",
        "1",
        "shop.rdb"
    );
}

#[test]
fn keys() {
    screen!("keys_as_csv", "keys", "bugs/csvkeys.rdb");
    screen!("keys_as_jsonl", "keys", "--format", "jsonl", "bugs/csvkeys.rdb");
    screen!("keys_for_rdbtools", "keys", "--format", "rdbtools", "format/redis-7.0.15/expires.rdb");
    screen!("keys_for_hdt", "keys", "--format", "hdt", "format/redis-7.0.15/expires.rdb");
    screen!("keys_of_shards", "keys", "--slot", "0-400", "shards/a.rdb", "shards/b.rdb");
    screen!("keys_with_idle_times", "keys", "format/redis-7.0.15/lru.rdb");
}

#[test]
fn top() {
    screen!("top_as_text", "top", "--format", "text", "shop.rdb");
    screen!("top_as_csv", "top", "-n", "5", "shop.rdb");
    screen!("top_by_elements_of_each_type", "top", "--by", "elements", "--per-type", "-n", "2", "shop.rdb");
    screen!("top_as_jsonl", "top", "--format", "jsonl", "--by", "largest", "-n", "2", "shop.rdb");
}

#[test]
fn prefixes() {
    screen!("prefixes_as_text", "prefixes", "--format", "text", "shop.rdb");
    screen!("prefixes_as_csv", "prefixes", "--depth", "2", "--min-share", "1%", "shop.rdb");
    screen!("prefixes_as_json", "prefixes", "--format", "json", "--depth", "1", "bugs/seps.rdb");
    screen!("prefixes_unfolded", "prefixes", "--raw", "-n", "2", "--separator", "::", "bugs/seps.rdb");
}

#[test]
fn info() {
    screen!("info", "info", "shop.rdb");
    screen!("info_of_a_header", "info", "--header", "shop.rdb");
    screen!("info_with_functions", "info", "format/redis-8.10.2/section_order.rdb");
    screen!("info_of_a_cluster_node", "info", "clusters/valkey-9.1.2/dump.rdb");
    screen!("info_as_json", "info", "--format", "json", "format/redis-7.0.15/functions.rdb");
    screen!("info_of_an_old_file", "info", "format/redis-2.4.18/expires.rdb");
}

#[test]
fn check_of_a_whole_file() {
    screen!("check", "check", "shop.rdb");
    let output = rdblens(["check", "--for", "7.0", "shop.rdb"]);
    assert_eq!(output.status.code(), Some(4));
    insta::assert_snapshot!("check_for_a_server_that_refuses", String::from_utf8(output.stdout).unwrap());
    screen!("check_for_a_server_that_reads", "check", "--for", "8.2", "shop.rdb");
    screen!("check_for_valkey", "check", "--for", "valkey-9.1", "format/valkey-9.1.2/hash_field_ttl.rdb");
    let output = rdblens(["check", "--for", "7.0", "--format", "jsonl", "shop.rdb"]);
    assert_eq!(output.status.code(), Some(4));
    insta::assert_snapshot!("check_for_a_server_as_jsonl", String::from_utf8(output.stdout).unwrap());
    screen!("check_as_jsonl", "check", "--format", "jsonl", "shop.rdb");
}

#[test]
fn check_of_a_damaged_file() {
    let mut file = std::fs::read(support::fixtures().join("format/redis-7.0.15/lists.rdb")).unwrap();
    let at = file.windows(2).position(|bytes| bytes == [0x0c, 0x01]).unwrap();
    file[at + 1] = 9;
    let path = std::env::temp_dir().join("rdblens-test-check.rdb");
    std::fs::write(&path, &file).unwrap();
    let folder = format!("{}/", std::env::temp_dir().display());
    for (name, format) in [("check_of_damage", "text"), ("check_of_damage_as_jsonl", "jsonl")] {
        let output =
            rdblens(["check".into(), "--format".into(), format.into(), path.clone().into_os_string()]);
        assert_eq!(output.status.code(), Some(3));
        insta::assert_snapshot!(name, String::from_utf8(output.stdout).unwrap().replace(&folder, ""));
    }
    let output = rdblens(["check", "README.md"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

#[test]
fn damage() {
    let file = std::fs::read(support::fixtures().join("shop.rdb")).unwrap();
    let cut = std::env::temp_dir().join("rdblens-test-cut.rdb");
    std::fs::write(&cut, &file[..1_500_000]).unwrap();
    let output = rdblens(["report".into(), cut.into_os_string()]);
    assert_eq!(output.status.code(), Some(3));
    let folder = std::env::temp_dir().display().to_string();
    let text = String::from_utf8(output.stdout).unwrap().replace(&format!("{folder}/"), "");
    insta::assert_snapshot!("report_of_a_file_that_was_cut", text);
    let text = String::from_utf8(output.stderr).unwrap().replace(&format!("{folder}/"), "");
    insta::assert_snapshot!("messages_about_a_file_that_was_cut", text);
}

#[test]
fn help() {
    for command in ["report", "keys", "top", "prefixes", "info", "check"] {
        insta::assert_snapshot!(format!("help_of_{command}"), stdout_of([command, "--help"]));
    }
    insta::assert_snapshot!("help", stdout_of(["--help"]));
}
