//! How keys become nodes.

use rdb_analysis::{Aggregate, PrefixOptions, PrefixTree, Separators};

use crate::support::{check_sums, key, path_of, paths, summary_of};

fn expect<N: AsRef<[u8]>>(options: PrefixOptions, names: &[N], nodes: &[(&str, u64)]) {
    let found = paths(&summary_of(options, names));
    let found: Vec<_> = found.iter().map(|(path, keys)| (path.as_str(), *keys)).collect();
    assert_eq!(found, nodes);
}

#[test]
fn separators_in_a_row_cut_once() {
    let mut tree = PrefixTree::new(PrefixOptions::default());
    for (name, bytes) in [("f::123", 64), ("f:::456", 72), ("f:7", 64), ("g", 64)] {
        tree.observe(&key(0, name.as_bytes(), bytes));
    }
    let summary = tree.finish();
    check_sums(&summary);
    assert_eq!((summary.total.keys, summary.total.memory_bytes), (4, 264));
    let f = summary.find(0, b"f").expect("there is f");
    assert_eq!((f.tally.keys, f.tally.memory_bytes, f.own.keys), (3, 200, 0));
    let below: Vec<_> = f.children.iter().map(|child| child.label()).collect();
    assert_eq!(below, [&b":::{int}"[..], b"::{int}", b":{int}"]);
}

#[test]
fn a_key_and_the_group_below_it_are_one_node() {
    let names = ["user", "user:1", "user:2", "user:", "users"];
    expect(PrefixOptions::default(), &names, &[("user", 4), ("user:{int}", 2), ("user:", 1), ("users", 1)]);
    let summary = summary_of(PrefixOptions::default(), &names);
    assert_eq!(summary.find(0, b"user").map(|node| node.own.keys), Some(1));
}

#[test]
fn the_first_separator_decides_about_dots() {
    expect(
        PrefixOptions::default(),
        &["jobs.mail.sent:x", "jobs.mail", "a:b.c:d"],
        &[
            ("jobs", 2),
            ("jobs.mail", 2),
            ("jobs.mail.sent", 1),
            ("jobs.mail.sent:x", 1),
            ("a", 1),
            ("a:b.c", 1),
            ("a:b.c:d", 1),
        ],
    );
}

#[test]
fn own_separators_replace_the_usual_ones() {
    let options = |list: &[&str]| PrefixOptions {
        separators: Separators::Only(list.iter().map(|text| text.as_bytes().to_vec()).collect()),
        ..PrefixOptions::default()
    };
    expect(options(&["-"]), &["a:b-c"], &[("a:b", 1), ("a:b-c", 1)]);
    expect(options(&["->", "#"]), &["a-b->c#->1"], &[("a-b", 1), ("a-b->c", 1), ("a-b->c#->{int}", 1)]);
    expect(options(&[]), &["a:b:1"], &[("a:b:{int}", 1)]);
    expect(options(&["", "x1"]), &["ax1bx2"], &[("a", 1), ("ax1bx{int}", 1)]);
}

#[test]
fn raw_names_stay_apart() {
    let options = PrefixOptions { fold: false, ..PrefixOptions::default() };
    expect(
        options,
        &["u:1", "u:2", "{t}:1"],
        &[("u", 2), ("u:1", 1), ("u:2", 1), ("{{t}}", 1), ("{{t}}:1", 1)],
    );
}

#[test]
fn any_bytes_make_a_key() {
    assert_eq!(path_of(b""), "");
    assert_eq!(path_of(b":"), ":");
    assert_eq!(path_of(b"tag\x00\xff\xfe\x00x"), r"tag\x00{bytes}");
    assert_eq!(path_of("größe_12".as_bytes()), r"gr\xc3\xb6\xc3\x9fe_{int}");
    let all: Vec<u8> = (0..=255).collect();
    summary_of(PrefixOptions::default(), &[all]);
}

#[test]
fn binary_data_is_one_label() {
    for (key, path) in [
        // Random bytes: control bytes and separators among them cut nothing.
        (&b"bin:\x02\x1e(\x17\x9ao\x83\""[..], "bin:{bytes}"),
        (b"bin:\x9d\xa9\x90:\xae\xcd\xc0\xc8", "bin:{bytes}"),
        (b"bin:E\x0d\xc1Q\x9a\x12\x1c~:7", "bin:{bytes}"),
        (b"user:7:\xff\xfe:name", "user:{int}:{bytes}"),
        (b"\xff:a", "{bytes}"),
        // All of it ASCII.
        (b"bin:\x16Q\x05o<a'\x1d", "bin:{bytes}"),
        // Packed numbers, MessagePack.
        (b"user:\0\0\x01\x2c", "user:{bytes}"),
        (b"user:\x2c\x01\0\0\0\0\0\0", "user:{bytes}"),
        (b"q:\x93\x01\xa3abc\x02", "q:{bytes}"),
        // What comes before stays if it is a name.
        (b"cache_\x8a\x05\x07", "cache_{bytes}"),
        (b"seen.by.\x8a\x05", "seen.by.{bytes}"),
        (b"name\0\0\0\x05", r"name\x00{bytes}"),
        // Separators that some frameworks use.
        (b"default\x06\x163", r"default\x06\x16{int}"),
        (b"tagged:\0tags\0section-5", r"tagged:\x00tags\x00section-{int}"),
        (b"a\0b\0c\0", r"a\x00b\x00c\x00"),
        (b"list:\0", r"list:\x00"),
        ("größe:menü\0".as_bytes(), r"gr\xc3\xb6\xc3\x9fe:men\xc3\xbc\x00"),
    ] {
        assert_eq!(path_of(key), path, "for {}", key.escape_ascii());
    }
    let raw = PrefixOptions { fold: false, ..PrefixOptions::default() };
    expect(raw, &[b"bin:\xff"], &[("bin", 1), (r"bin:\xff", 1)]);
}

#[test]
fn the_same_text_is_never_two_nodes() {
    // A literal `{int}`, a folded one and the sum of many cannot be confused.
    expect(
        PrefixOptions { max_children: 2, ..PrefixOptions::default() },
        &["a:{int}", "a:5", "b:{*}", "b:c", "b:d"],
        &[("b", 3), ("b:{*}", 3), ("a", 2), ("a:{int}", 1), ("a:{{int}}", 1)],
    );
}

#[test]
fn databases_are_apart() {
    let mut tree = PrefixTree::new(PrefixOptions::default());
    for (db, name) in [(3, "a:1"), (0, "a:1"), (3, "")] {
        tree.observe(&key(db, name.as_bytes(), 10));
    }
    let summary = tree.finish();
    check_sums(&summary);
    let roots: Vec<_> = summary.roots.iter().map(|root| (root.db, root.node.tally.keys)).collect();
    assert_eq!(roots, [(Some(0), 1), (Some(3), 2)]);
    assert_eq!(summary.roots[1].node.own.keys, 1);
}
