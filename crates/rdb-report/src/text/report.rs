//! The report: everything worth knowing about a snapshot, on a screen or two.

use std::io::{self, Write};

use rdb_analysis::Summary;

use super::{account, biggest, expiry, groups, header, incomplete, notes, totals, tree};
use crate::page::Page;
use crate::style::Screen;

/// Prints the report of one or several inputs.
///
/// What is lost stands first: a report about half a file must not look like one about all of it.
///
/// # Errors
///
/// When writing fails.
pub fn report(summary: &Summary, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(screen, out);
    let page = &mut page;
    incomplete::print(page, summary)?;
    header::print(page, summary)?;
    totals::print(page, summary)?;
    if summary.total().keys > 0 {
        account::print(page, summary)?;
        groups::by_type(page, summary)?;
        groups::by_module(page, summary)?;
        groups::by_db(page, summary)?;
        biggest::print(page, summary)?;
        tree::section(page, &summary.prefixes)?;
        expiry::print(page, summary)?;
    }
    // The end stands above the prompt, where the eye is when the report is done.
    notes::print(page, summary)?;
    incomplete::reminder(page, summary)
}
