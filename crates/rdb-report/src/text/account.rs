//! Where the memory of the server went: what its file says it used, against what is found in it.

use std::io;

use rdb_analysis::{Account, Basis, FileSummary, Summary};

use super::table::{Cell, Column, Table, bar, part_bar};
use crate::line::Line;
use crate::names::file_text;
use crate::page::Page;
use crate::style::Style;
use crate::units;

/// With more files than these, only their sum is shown.
const MAX_FILES: usize = 8;

/// What is in `used_memory` and never in a file.
const NEVER_SAVED: &str = "client and replication buffers, scripts, and what grown values keep in reserve";

/// What is not in `used_memory` either.
const ON_TOP: &str = "Fragmentation comes on top, in used_memory_rss.";

pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let Some(sum) = summary.account() else { return Ok(()) };
    let accounts: Vec<_> =
        summary.files.iter().filter_map(|file| Some((file, file.account.as_ref()?))).collect();
    let about = match (summary.files.len(), sum.used_mem) {
        (1, Some(_)) => "allocated memory, against used-mem of the file",
        (1, None) => "allocated memory; the file does not say what the server used",
        (_, Some(_)) => "allocated memory, against used-mem of all files",
        (_, None) => "allocated memory; not every file says what its server used",
    };
    page.section("Where the memory went", about)?;
    parts(page, &sum, &servers(&accounts))?;
    if (2..=MAX_FILES).contains(&accounts.len()) {
        page.blank()?;
        by_file(page, &accounts, &sum)?;
    }
    page.blank()?;
    fresh(page, &sum, &accounts, summary.is_whole())?;
    live_tables(page, &sum)?;
    rest(page, &sum, summary.is_whole())
}

/// The release of all servers, or how many there are.
fn servers(accounts: &[(&FileSummary, &Account)]) -> String {
    match accounts {
        [] => String::new(),
        [(file, _)] => file.target.server.to_string(),
        several => format!("{} servers", units::count(several.len() as u64)),
    }
}

/// Everything that takes memory, one row for each.
fn parts(page: &mut Page<'_>, account: &Account, servers: &str) -> io::Result<()> {
    let whole = account.used_mem.unwrap_or_else(|| account.explained_bytes());
    let mut table = Table::new([
        Column::left(""),
        Column::right(""),
        Column::right(""),
        Column::left("").gives_way(1),
        Column::left("").gives_way(2),
    ]);
    let mut row = |name: String, figure: String, share: String, bar: Cell, remark: String, style: Style| {
        table.row([
            Cell::styled(name, style),
            Cell::styled(figure, style),
            Cell::styled(share, style),
            bar,
            Cell::styled(remark, Style::Dim),
        ]);
    };
    let of = |bytes: u64| (units::bytes_aligned(bytes), units::percent(bytes, whole));

    let data = account.data_bytes();
    let (figure, share) = of(data);
    row("keys and values".into(), figure, share, bar(data, whole, page), keys(account.keys()), Style::Plain);
    for of_type in &account.data {
        let bytes = of_type.allocated_bytes;
        let (figure, share) = of(bytes);
        let mut remark = keys(of_type.keys);
        if of_type.basis == Basis::Assumed {
            remark.push_str(", assumed");
        }
        row(
            format!("  {}", of_type.type_word()),
            figure,
            share,
            part_bar(bytes, whole, page),
            remark,
            Style::Plain,
        );
    }
    let tables = match account.slots {
        0 => units::counted(account.databases, "database", "databases"),
        slots => format!("of {}", units::counted(slots, "slot", "slots")),
    };
    let libraries = units::counted(account.libraries, "library", "libraries");
    for (name, bytes, remark) in [
        ("key tables", account.tables.main_bytes, tables.clone()),
        ("expires tables", account.tables.expires_bytes, tables),
        ("functions", account.functions_bytes, libraries),
        ("empty server", account.base_bytes, servers.to_owned()),
    ] {
        if bytes > 0 {
            let (figure, share) = of(bytes);
            row(name.into(), figure, share, bar(bytes, whole, page), remark, Style::Plain);
        }
    }
    if let Some(rest) = account.unexplained_bytes() {
        let (figure, share) = difference(rest, whole);
        let bar = bar(u64::try_from(rest).unwrap_or(0), whole, page);
        row("unexplained".into(), figure, share, bar, String::new(), Style::Warn);
    }
    if let Some(used) = account.used_mem {
        let (figure, share) = of(used);
        row("used-mem".into(), figure, share, bar(used, whole, page), String::new(), Style::Strong);
    }
    table.print(page)
}

fn keys(number: u64) -> String {
    units::counted(number, "key", "keys")
}

/// A difference of sizes that lines up with sizes, and its share.
fn difference(bytes: i64, whole: u64) -> (String, String) {
    let sign = if bytes < 0 { "-" } else { "" };
    let size = bytes.unsigned_abs();
    (format!("{sign}{}", units::bytes_aligned(size)), format!("{sign}{}", units::percent(size, whole)))
}

/// A row for each file, and one for all.
fn by_file(page: &mut Page<'_>, accounts: &[(&FileSummary, &Account)], sum: &Account) -> io::Result<()> {
    let mut table = Table::new([
        Column::flex("file"),
        Column::right("used-mem"),
        Column::right("data").gives_way(1),
        Column::right("tables").gives_way(2),
        Column::right("functions").gives_way(4),
        Column::right("server").gives_way(3),
        Column::right("unexplained"),
        Column::right(""),
        Column::right("when loaded"),
    ]);
    let mut row = |name: Cell, account: &Account, style: Style| {
        let rest = account.unexplained_bytes().zip(account.used_mem);
        let (rest, share) = rest.map(|(rest, used)| difference(rest, used)).unwrap_or_default();
        let used = account.used_mem.map_or_else(|| "not said".to_owned(), units::bytes_aligned);
        let figure = |bytes: u64| Cell::styled(units::bytes_aligned(bytes), style);
        table.row([
            name,
            Cell::styled(used, Style::Strong),
            figure(account.data_bytes()),
            figure(account.tables.total()),
            figure(account.functions_bytes),
            figure(account.base_bytes),
            Cell::styled(rest, Style::Warn),
            Cell::styled(share, Style::Warn),
            Cell::styled(units::bytes_aligned(account.fresh_bytes()), Style::Strong),
        ]);
    };
    for (file, account) in accounts {
        row(Cell::Fitted(file_text(&file.name, &page.screen), Style::Plain), account, Style::Plain);
    }
    row(Cell::styled("all", Style::Strong), sum, Style::Strong);
    table.print(page)
}

/// What `maxmemory` must leave room for.
fn fresh(
    page: &mut Page<'_>,
    sum: &Account,
    accounts: &[(&FileSummary, &Account)],
    whole_files: bool,
) -> io::Result<()> {
    let (shows, together, loading) = match (accounts, whole_files) {
        ([(file, _)], true) => (format!("A fresh {} shows", file.target.server), "", "this file"),
        ([(file, _)], false) => (format!("A fresh {} shows", file.target.server), "", "what could be read"),
        (_, true) => ("Fresh servers show".to_owned(), " together", "these files"),
        (_, false) => ("Fresh servers show".to_owned(), " together", "what could be read"),
    };
    let mut line = Line::plain(format!("{shows} about "))
        .with(units::bytes(sum.fresh_bytes()), Style::Strong)
        .with(format!(" of used_memory{together} after loading {loading}"), Style::Plain);
    if sum.loaded.expired_keys > 0 {
        let less = format!(
            ", {} less without the {}, which primaries drop",
            units::bytes(sum.loaded.expired_bytes),
            units::counted(sum.loaded.expired_keys, "expired key", "expired keys"),
        );
        line.push(less, Style::Plain);
    }
    line.push(".", Style::Plain);
    page.wrapped(Line::plain("  "), &line)
}

/// Tables of a loaded server are as small as they can be.
fn live_tables(page: &mut Page<'_>, account: &Account) -> io::Result<()> {
    let text = format!(
        "Tables are sized as after loading: in a live server they may be twice as large ({} more), and both \
         sizes at once while they are resized ({} more).",
        units::bytes(account.doubled_bytes()),
        units::bytes(account.rehashing_bytes())
    );
    page.wrapped(Line::plain("  "), &Line::of(text, Style::Dim))
}

/// What the rest stands for.
fn rest(page: &mut Page<'_>, account: &Account, whole_files: bool) -> io::Result<()> {
    let text = match account.unexplained_bytes() {
        None => return Ok(()),
        Some(0..) => {
            let start =
                if whole_files { "Unexplained is" } else { "Unexplained is what could not be read, and" };
            format!("{start} what a file never holds: {NEVER_SAVED}. {ON_TOP}")
        }
        Some(_) => "More is accounted for than the server says it used: it held these values in other \
                    encodings or with another allocator."
            .to_owned(),
    };
    page.wrapped(Line::plain("  "), &Line::of(text, Style::Dim))
}
