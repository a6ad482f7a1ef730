//! The screen that text is for, and how pieces of text look on it.

/// The screen that text is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Columns: no line is wider. Fewer than [`Screen::MIN_WIDTH`] are taken as that many.
    pub width: usize,
    /// Lines, where known: the prefix tree fits itself to them.
    pub height: Option<usize>,
    /// Whether text is coloured.
    pub color: bool,
    /// Whether box and block characters, and keys beyond ASCII, can be shown.
    pub unicode: bool,
}

impl Screen {
    /// The fewest columns that a table is legible in.
    pub const MIN_WIDTH: usize = 40;

    /// What text is laid out for when it goes to a file or a pipe.
    pub const PIPE: Self = Self { width: 100, height: None, color: false, unicode: true };

    /// A screen of that many columns, without colour.
    #[must_use]
    pub const fn plain(width: usize) -> Self {
        Self { width, ..Self::PIPE }
    }

    pub(crate) fn columns(&self) -> usize {
        self.width.max(Self::MIN_WIDTH)
    }

    pub(crate) const fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }
}

/// What a piece of text is, which decides how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Plain,
    /// What the eye is to find first.
    Strong,
    /// What is there for those who look for it.
    Dim,
    Heading,
    Bar,
    /// The bar of a part, below that of its whole.
    PartBar,
    Good,
    Warn,
    Bad,
    /// An identifier that stands for many: `{int}`.
    Fold,
    Command,
}

impl Style {
    /// Parameters of the ANSI sequence that switches to the style. The sixteen basic colours keep
    /// to the palette that the user has chosen.
    pub(crate) const fn ansi(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "1",
            Self::Dim => "2",
            Self::Heading => "1;36",
            Self::Bar => "34",
            Self::PartBar => "2;34",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "1;31",
            Self::Fold => "35",
            Self::Command => "36",
        }
    }
}
