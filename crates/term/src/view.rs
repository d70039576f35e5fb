//! What a reader sees of a row: runs of cells with one style. Read-only; the grid's own rows are
//! `row`.

use crate::style::Style;
use std::borrow::Cow;

/// One row of the screen or of the history, borrowed or rebuilt.
pub struct Row<'a> {
    pub(crate) _p: std::marker::PhantomData<&'a ()>,
}

/// Neighbouring cells with one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    /// First column.
    pub x: u16,
    /// Columns it takes; a wide cluster takes two.
    pub cells: u16,
    /// The text; blank cells are spaces.
    pub text: Cow<'a, str>,
    /// How it looks.
    pub style: Style,
    /// OSC 8 address.
    pub link: Option<&'a str>,
}

impl<'a> Row<'a> {
    /// The runs from left to right; default blank cells at the end are left out.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> + '_ {
        std::iter::empty()
    }

    /// The text without trailing blanks.
    pub fn text(&self) -> String {
        String::new()
    }

    /// Whether the next row continues this one (a soft wrap).
    pub fn wrapped(&self) -> bool {
        false
    }

    /// Columns up to the last that holds something.
    #[allow(clippy::len_without_is_empty, reason = "a count of columns, not a collection")]
    pub fn len(&self) -> u16 {
        0
    }
}
