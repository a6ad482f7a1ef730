//! Tables that fit the screen: columns know their width, give way in order, and one of them flexes.

use std::io;

use crate::line::{Line, width};
use crate::names::{fit, prefix_line};
use crate::page::Page;
use crate::style::Style;

/// Columns between columns.
const GAP: usize = 2;

/// The least width of a column that flexes, before others give way to it. Where it could use more it
/// gets two fifths of the screen: names tell more than the figures that can be left out.
const MIN_FLEX: usize = 22;

/// How a column behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    title: &'static str,
    right: bool,
    /// Whether the column takes what width is left, and its cells are shortened to it.
    flex: bool,
    /// Columns with a higher figure are left out first when the screen is narrow; 0 stays.
    gives_way: u8,
}

impl Column {
    pub(crate) const fn left(title: &'static str) -> Self {
        Self { title, right: false, flex: false, gives_way: 0 }
    }

    pub(crate) const fn right(title: &'static str) -> Self {
        Self { right: true, ..Self::left(title) }
    }

    pub(crate) const fn flex(title: &'static str) -> Self {
        Self { flex: true, ..Self::left(title) }
    }

    pub(crate) const fn gives_way(self, order: u8) -> Self {
        Self { gives_way: order, ..self }
    }
}

/// What stands in a cell.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    /// As it is.
    Text(Line),
    /// A name, which loses its middle where there is too little room.
    Fitted(String, Style),
    /// A prefix, likewise, behind the branches that lead to it.
    Prefix(Line, String),
}

impl Cell {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::Text(Line::plain(text))
    }

    pub(crate) fn styled(text: impl Into<String>, style: Style) -> Self {
        Self::Text(Line::of(text, style))
    }

    fn width(&self) -> usize {
        match self {
            Self::Text(line) => line.width(),
            Self::Fitted(text, _) => width(text),
            Self::Prefix(lead, text) => lead.width() + width(text),
        }
    }
}

/// Rows of cells under titles.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    indent: usize,
}

impl Table {
    pub(crate) fn new(columns: impl Into<Vec<Column>>) -> Self {
        Self { columns: columns.into(), rows: Vec::new(), indent: 2 }
    }

    /// Appends a row: one cell for each column.
    pub(crate) fn row(&mut self, cells: impl Into<Vec<Cell>>) {
        self.rows.push(cells.into());
    }

    pub(crate) fn print(self, page: &mut Page<'_>) -> io::Result<()> {
        let widths = self.widths(page.screen.columns());
        let has_titles = self.columns.iter().any(|column| !column.title.is_empty());
        if has_titles {
            let titles = self.columns.iter().map(|column| Cell::styled(column.title, Style::Dim));
            page.line(self.line(&titles.collect::<Vec<_>>(), &widths, page))?;
        }
        for row in &self.rows {
            page.line(self.line(row, &widths, page))?;
        }
        Ok(())
    }

    /// The width of each column; `None` for those that gave way.
    fn widths(&self, screen: usize) -> Vec<Option<usize>> {
        let mut widths: Vec<Option<usize>> =
            self.columns.iter().map(|column| Some(width(column.title))).collect();
        for row in &self.rows {
            for (wide, cell) in widths.iter_mut().zip(row) {
                *wide = wide.map(|wide| wide.max(cell.width()));
            }
        }
        loop {
            let taken: usize = widths.iter().flatten().map(|width| width + GAP).sum();
            let taken = (self.indent + taken).saturating_sub(GAP);
            let Some(over) = taken.checked_sub(screen).filter(|over| *over > 0) else { return widths };
            let flexible = self.columns.iter().zip(&mut widths).find(|(column, _)| column.flex);
            if let Some((_, Some(wide))) = flexible
                && wide.saturating_sub(over) >= (*wide).min(screen * 2 / 5).max(MIN_FLEX)
            {
                *wide -= over;
                return widths;
            }
            let first_to_go = self
                .columns
                .iter()
                .zip(&mut widths)
                .filter(|(column, width)| column.gives_way > 0 && width.is_some())
                .max_by_key(|(column, _)| column.gives_way);
            match first_to_go {
                Some((_, width)) => *width = None,
                // Nothing is left to give way: figures of absurd length push the rest off the screen.
                None => {
                    let flexible = self.columns.iter().zip(&mut widths).find(|(column, _)| column.flex);
                    if let Some((_, Some(wide))) = flexible {
                        *wide = wide.saturating_sub(over).max(1);
                    }
                    return widths;
                }
            }
        }
    }

    fn line(&self, cells: &[Cell], widths: &[Option<usize>], page: &Page<'_>) -> Line {
        let mut line = Line::new();
        let mut edge = 0;
        let mut gap = self.indent;
        for ((cell, column), wide) in cells.iter().zip(&self.columns).zip(widths) {
            let Some(wide) = *wide else { continue };
            let mut text = match cell {
                Cell::Text(line) => line.clone(),
                Cell::Fitted(text, style) => Line::of(fit(text, wide, &page.screen), *style),
                Cell::Prefix(lead, text) => {
                    let room = wide.saturating_sub(lead.width());
                    lead.clone().joined(prefix_line(&fit(text, room, &page.screen), Style::Plain))
                }
            };
            if column.flex {
                text.clip(wide, page.screen.ellipsis());
            }
            edge += gap;
            gap = GAP;
            let before = if column.right { wide.saturating_sub(text.width()) } else { 0 };
            line.pad_to(edge + before);
            line.append(text);
            edge += wide;
        }
        line
    }
}

/// A bar as long as the share that `part` has of `whole`.
pub(crate) fn bar(part: u64, whole: u64, page: &Page<'_>) -> Cell {
    Cell::Text(bar_line(part, whole, Style::Bar, page))
}

/// The same, for a row below the one that sums it.
pub(crate) fn part_bar(part: u64, whole: u64, page: &Page<'_>) -> Cell {
    Cell::Text(bar_line(part, whole, Style::PartBar, page))
}

fn bar_line(part: u64, whole: u64, style: Style, page: &Page<'_>) -> Line {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let columns = (page.screen.columns() / 7).clamp(8, 24) as u64;
    let scaled = |steps: u64| match whole {
        0 => 0,
        _ => (u128::from(part.min(whole)) * u128::from(columns * steps) / u128::from(whole)) as u64,
    };
    let mut text = String::new();
    if page.screen.unicode {
        // Something is never shown as nothing.
        let eighths = scaled(8).max(u64::from(part > 0 && whole > 0));
        text.extend((0..eighths / 8).map(|_| '█'));
        text.push_str(EIGHTHS.get((eighths % 8) as usize).copied().unwrap_or_default());
    } else {
        text.extend((0..scaled(1).max(u64::from(part > 0 && whole > 0))).map(|_| '#'));
    }
    let mut line = Line::of(text, style);
    line.pad_to(columns as usize);
    line
}
