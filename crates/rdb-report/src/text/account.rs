//! Where the memory of the server went: what its file says it used, against what is found in it.

use std::io;

use rdb_analysis::{Account, Summary};

use super::table::{Cell, Column, Table, bar};
use crate::line::Line;
use crate::names::file_text;
use crate::page::Page;
use crate::style::Style;
use crate::units;

/// With more files than these, they are summed.
const MAX_FILES: usize = 8;

/// What is in `used_memory` and never in a file.
const NEVER_SAVED: &str = "client and replication buffers, scripts, and what grown values keep in reserve";

pub(crate) fn print(page: &mut Page<'_>, summary: &Summary) -> io::Result<()> {
    let accounts: Vec<_> =
        summary.files.iter().filter_map(|file| Some((file.name.as_str(), file.account?))).collect();
    match accounts.as_slice() {
        [] => Ok(()),
        [(_, account)] if summary.files.len() == 1 => {
            let about = match account.used_mem {
                Some(_) => "allocated memory, against used-mem of the file",
                None => "allocated memory; the file does not say what the server used",
            };
            one(page, about, account, summary.is_whole())
        }
        accounts if accounts.len() > MAX_FILES => {
            let sum = sum(accounts);
            let about = match sum.used_mem {
                Some(_) => "allocated memory, against used-mem of all files",
                None => "allocated memory; not every file says what its server used",
            };
            one(page, about, &sum, summary.is_whole())
        }
        accounts => several(page, accounts, summary.is_whole()),
    }
}

/// The sum of all accounts; what the servers used only if every file says it.
fn sum(accounts: &[(&str, Account)]) -> Account {
    let none =
        Account { used_mem: Some(0), data_bytes: 0, tables_bytes: 0, functions_bytes: 0, base_bytes: 0 };
    accounts.iter().fold(none, |sum, (_, account)| Account {
        used_mem: sum.used_mem.zip(account.used_mem).map(|(sum, used)| sum.saturating_add(used)),
        data_bytes: sum.data_bytes.saturating_add(account.data_bytes),
        tables_bytes: sum.tables_bytes.saturating_add(account.tables_bytes),
        functions_bytes: sum.functions_bytes.saturating_add(account.functions_bytes),
        base_bytes: sum.base_bytes.saturating_add(account.base_bytes),
    })
}

fn one(page: &mut Page<'_>, about: &str, account: &Account, whole_files: bool) -> io::Result<()> {
    page.section("Where the memory went", about)?;
    let whole = account.used_mem.unwrap_or_else(|| account.explained_bytes());
    let mut table =
        Table::new([Column::left(""), Column::right(""), Column::right(""), Column::left("").gives_way(1)]);
    let mut row = |page: &Page<'_>, name: &str, figure: String, part: u64, share: String, style: Style| {
        table.row([
            Cell::styled(name, style),
            Cell::styled(figure, style),
            Cell::styled(share, style),
            bar(part, whole, page),
        ]);
    };
    let parts = [
        ("keys and values", account.data_bytes),
        ("key tables", account.tables_bytes),
        ("functions", account.functions_bytes),
        ("empty server", account.base_bytes),
    ];
    for (name, part) in parts.into_iter().filter(|(_, part)| *part > 0) {
        row(page, name, units::bytes_aligned(part), part, units::percent(part, whole), Style::Plain);
    }
    if let Some(rest) = account.unexplained_bytes() {
        let size = rest.unsigned_abs();
        let sign = if rest < 0 { "-" } else { "" };
        let share = format!("{sign}{}", units::percent(size, whole));
        row(page, "unexplained", aligned(rest), u64::try_from(rest).unwrap_or(0), share, Style::Warn);
    }
    if let Some(used) = account.used_mem {
        row(page, "used-mem", units::bytes_aligned(used), used, units::percent(used, used), Style::Strong);
    }
    table.print(page)?;
    match account.unexplained_bytes() {
        None => Ok(()),
        Some(0..) => unexplained(page, whole_files),
        Some(_) => {
            let text = "More is accounted for than the server says it used: it held these values in other \
                        encodings or with another allocator.";
            page.wrapped(Line::plain("  "), &Line::of(text, Style::Dim))
        }
    }
}

/// A difference of sizes that lines up with sizes.
fn aligned(difference: i64) -> String {
    let sign = if difference < 0 { "-" } else { "" };
    format!("{sign}{}", units::bytes_aligned(difference.unsigned_abs()))
}

fn several(page: &mut Page<'_>, accounts: &[(&str, Account)], whole_files: bool) -> io::Result<()> {
    page.section("Where the memory went", "allocated memory, against used-mem of each file")?;
    let mut table = Table::new([
        Column::flex("file"),
        Column::right("used-mem"),
        Column::right("data"),
        Column::right("tables").gives_way(1),
        Column::right("functions").gives_way(3),
        Column::right("server").gives_way(2),
        Column::right("unexplained"),
        Column::right(""),
    ]);
    for (name, account) in accounts {
        let rest = account.unexplained_bytes();
        let share = rest.zip(account.used_mem).map(|(rest, used)| {
            let sign = if rest < 0 { "-" } else { "" };
            format!("{sign}{}", units::percent(rest.unsigned_abs(), used))
        });
        table.row([
            Cell::Fitted(file_text(name, &page.screen), Style::Plain),
            Cell::styled(
                account.used_mem.map_or_else(|| "not said".to_owned(), units::bytes_aligned),
                Style::Strong,
            ),
            Cell::plain(units::bytes_aligned(account.data_bytes)),
            Cell::plain(units::bytes_aligned(account.tables_bytes)),
            Cell::plain(units::bytes_aligned(account.functions_bytes)),
            Cell::plain(units::bytes_aligned(account.base_bytes)),
            Cell::styled(rest.map_or_else(String::new, aligned), Style::Warn),
            Cell::styled(share.unwrap_or_default(), Style::Warn),
        ]);
    }
    table.print(page)?;
    unexplained(page, whole_files)
}

/// What the line of that name stands for.
fn unexplained(page: &mut Page<'_>, whole_files: bool) -> io::Result<()> {
    let start = if whole_files { "Unexplained is" } else { "Unexplained is what could not be read, and" };
    let text = format!("{start} what a file never holds: {NEVER_SAVED}.");
    page.wrapped(Line::plain("  "), &Line::of(text, Style::Dim))
}
