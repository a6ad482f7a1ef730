//! The text of `docs/ACCURACY.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use rdb_memory::{Basis, Mode};

use super::Measured;
use super::compare::{Comparison, Tally};

const INTRO: &str = include_str!("intro.md");
const INEXACT: &str = include_str!("inexact.md");
const MODULES: &str = include_str!("modules.md");

/// The page.
pub(crate) fn render(measured: &[Measured]) -> String {
    let mut text = INTRO.to_owned();
    let of = |kind: &str| -> Vec<&Measured> {
        measured.iter().filter(|one| one.set.name.split('/').next() == Some(kind)).collect()
    };
    let own: Vec<_> = ["servers", "clusters", "shop"].iter().flat_map(|kind| of(kind)).collect();
    text += "\n## Dumps loaded by the server that wrote them\n\n";
    text += &table_of_sets(own.iter().copied());
    text += "\n## Dumps loaded by another server, or under other limits\n\n\
             `narrow`, `wide`, `cache` and `cluster` are settings of `fixtures/cross.py`.\n\n";
    text += &table_of_sets(of("cross"));
    text += "\n## By type and encoding\n\n\
             All sets of a server together. On the right the answers before the save against `--as saved`; there the\n\
             encoding is the one that the file's type codes tell.\n";
    let cores = measured.iter().filter(|one| !is_of_modules(one));
    for (server, sets) in by_server(cores) {
        let _ = write!(text, "\n### {server}\n\n{}", table_of_kinds(&sets));
    }
    text += "\n## What estimates say of themselves\n\n";
    text += &table_of_basis(measured.iter().filter(|one| !is_of_modules(one)));
    let _ = write!(text, "\n{INEXACT}\n{MODULES}");
    for one in measured.iter().filter(|one| is_of_modules(one)) {
        let name = one.set.name.split_once('/').map_or("", |(_, name)| name);
        let grown = one.set.growth().unwrap_or_default();
        let _ = writeln!(
            text,
            "\n### {name}\n\n{} values: {} bytes answered, {} estimated; `used_memory` grew by {grown} bytes, of \
             which\n{} are accounted for.",
            one.loaded.all.keys, one.loaded.all.answered, one.loaded.all.estimated, one.loaded.allocated,
        );
        // Not when the module answers next to nothing.
        if one.loaded.all.answered as i64 > grown / 10 {
            let _ = write!(text, "\n{}", table_of_kinds(&[one]));
        }
    }
    text
}

fn is_of_modules(one: &Measured) -> bool {
    one.set.name.starts_with("modules/")
}

/// One row for each set.
pub(crate) fn table_of_sets<'a>(measured: impl IntoIterator<Item = &'a Measured>) -> String {
    let mut text =
        "| dump | allocator | keys | exact | mean error % | largest | total error % | used_memory % | \
                    not all exact |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n"
            .to_owned();
    for one in measured {
        let Tally { keys, largest, .. } = one.loaded.all;
        let growth = one.set.growth().map_or_else(String::new, |growth| {
            percent(100.0 * (one.loaded.allocated as f64 - growth as f64) / growth as f64)
        });
        let kinds: Vec<_> = one
            .loaded
            .kinds
            .iter()
            .filter(|(_, tally)| tally.exact < tally.keys)
            .map(|(kind, tally)| format!("{kind} {}/{}", tally.exact, tally.keys))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {keys} | {:.2} % | {:.3} | {largest:+} | {} | {growth} | {} |",
            label(&one.set.name),
            allocator(one),
            one.loaded.all.exact_percent(),
            one.loaded.all.mean_percent(),
            percent(one.loaded.all.total_percent()),
            kinds.join("; "),
        );
    }
    text
}

/// The name without the folder, unless only the folder tells the mode.
fn label(name: &str) -> String {
    match name.split_once('/') {
        Some(("clusters", name)) => format!("{name}, cluster mode"),
        Some((_, name)) => name.to_owned(),
        None => name.to_owned(),
    }
}

fn allocator(one: &Measured) -> String {
    one.set.target(Mode::Loaded).map_or_else(|_| String::new(), |target| target.allocator.to_string())
}

/// Sets by the server that answered and its allocator.
fn by_server<'a>(measured: impl Iterator<Item = &'a Measured>) -> BTreeMap<String, Vec<&'a Measured>> {
    let mut servers = BTreeMap::<_, Vec<_>>::new();
    for one in measured {
        servers.entry(format!("{}, {}", one.set.server(), allocator(one))).or_default().push(one);
    }
    servers
}

fn table_of_kinds(sets: &[&Measured]) -> String {
    fn sum<'a>(comparisons: impl Iterator<Item = &'a Comparison>) -> BTreeMap<&'a str, Tally> {
        let mut kinds = BTreeMap::<_, Tally>::new();
        for comparison in comparisons {
            for (kind, tally) in &comparison.kinds {
                kinds.entry(kind.as_str()).or_default().merge(tally);
            }
            kinds.entry("~").or_default().merge(&comparison.all);
        }
        kinds
    }
    let loaded = sum(sets.iter().map(|one| &one.loaded));
    let saved = sum(sets.iter().filter_map(|one| one.saved.as_ref()));
    let mut text = "| kind | keys | exact | mean error % | largest | total error % | saved: keys | exact | \
                    mean error % | largest | total error % |\n\
                    | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let mut kinds: Vec<_> = loaded.keys().chain(saved.keys()).copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let name = if kind == "~" { "**all**" } else { kind };
        let _ = writeln!(text, "| {name} |{}{}", cells(loaded.get(kind)), cells(saved.get(kind)));
    }
    text
}

fn cells(tally: Option<&Tally>) -> String {
    match tally {
        Some(tally) if tally.keys > 0 => format!(
            " {} | {:.2} % | {:.3} | {:+} | {} |",
            tally.keys,
            tally.exact_percent(),
            tally.mean_percent(),
            tally.largest,
            percent(tally.total_percent())
        ),
        _ => " | | | | |".to_owned(),
    }
}

fn table_of_basis<'a>(measured: impl Iterator<Item = &'a Measured>) -> String {
    let mut text = "| allocator | basis | keys | exact | mean error % | largest | total error % |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    let mut sums = BTreeMap::<(String, Basis), Tally>::new();
    for one in measured {
        for (&basis, tally) in &one.loaded.basis {
            sums.entry((allocator(one), basis)).or_default().merge(tally);
        }
    }
    for ((allocator, basis), tally) in &sums {
        let _ = writeln!(text, "| {allocator} | {} |{}", basis.as_str(), cells(Some(tally)));
    }
    text
}

/// Three places; nothing but a plain zero for no error at all.
fn percent(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:+.3}") }
}
