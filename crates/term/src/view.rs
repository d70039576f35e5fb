//! What a reader sees of a row: runs of cells with one style. Read-only; the grid's own rows are
//! `row`.

use crate::cell::{Cell, Content};
use crate::history::Rebuilt;
use crate::row::Line;
use crate::style::Style;
use crate::tables::Tables;
use crate::width::char_width;
use std::borrow::Cow;

/// One row of the screen or of the history, borrowed or rebuilt.
pub struct Row<'a> {
    cells: Cow<'a, [Cell]>,
    tables: Held<'a>,
    fill: u32,
    cols: usize,
    wrapped: bool,
}

enum Held<'a> {
    Borrowed(&'a Tables),
    Owned(Box<Tables>),
}

/// Neighbouring cells with one style. A run holds either characters that each have their
/// [`crate::char_width`], or one cluster that takes all its columns: so a reader never has to guess
/// where a cluster ends.
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
    /// The text is one cluster.
    pub cluster: bool,
}

impl Run<'_> {
    /// The clusters with their columns, left to right.
    pub fn clusters(&self) -> impl Iterator<Item = (&str, u16)> + '_ {
        let whole = self.cluster.then_some((&*self.text, self.cells));
        let each = (!self.cluster)
            .then(|| self.text.char_indices().map(|(i, c)| (&self.text[i..i + c.len_utf8()], char_width(c))));
        whole.into_iter().chain(each.into_iter().flatten())
    }
}

impl<'a> Row<'a> {
    pub(crate) fn live(line: &'a Line, tables: &'a Tables, cols: usize) -> Self {
        Self {
            cells: Cow::Borrowed(&line.cells),
            tables: Held::Borrowed(tables),
            fill: line.fill,
            cols,
            wrapped: line.wrapped,
        }
    }

    /// A row with nothing in it.
    pub(crate) fn empty() -> Self {
        Self {
            cells: Cow::Borrowed(&[]),
            tables: Held::Owned(Box::default()),
            fill: 0,
            cols: 0,
            wrapped: false,
        }
    }

    pub(crate) fn rebuilt(from: Rebuilt, cols: usize) -> Self {
        Self {
            cells: Cow::Owned(from.row.cells),
            tables: Held::Owned(Box::new(from.tables)),
            fill: from.row.fill,
            cols,
            wrapped: from.row.continues,
        }
    }

    fn tables(&self) -> &Tables {
        match &self.tables {
            Held::Borrowed(t) => t,
            Held::Owned(t) => t,
        }
    }

    /// The runs from left to right; default blank cells at the end are left out.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> + '_ {
        let blank = Cell::blank(self.fill);
        let len = self.cells.iter().rposition(|c| *c != blank).map_or(0, |i| i + 1);
        let tail = (self.fill != 0 && len < self.cols).then(|| self.blanks(len));
        let cells = &self.cells[..len];
        Runs { row: self, cells, x: 0 }.chain(tail)
    }

    fn blanks(&self, from: usize) -> Run<'_> {
        let n = self.cols - from;
        Run { text: Cow::Owned(" ".repeat(n)), ..self.run(from, n, self.fill) }
    }

    fn run(&self, x: usize, cells: usize, style: u32) -> Run<'_> {
        let pen = self.tables().styles.get(style);
        let link = self.tables().links.get(pen.link);
        Run {
            x: x as u16,
            cells: cells as u16,
            text: Cow::Borrowed(""),
            style: pen.style(),
            link: (!link.is_empty()).then_some(link),
            cluster: false,
        }
    }

    /// The text without trailing blanks.
    pub fn text(&self) -> String {
        let mut text = self.raw_text();
        text.truncate(text.trim_end_matches(' ').len());
        text
    }

    /// The text with every blank that has a cell.
    pub(crate) fn raw_text(&self) -> String {
        let mut text = String::with_capacity(self.cells.len());
        self.cells.iter().for_each(|c| self.tables().push_text(*c, &mut text));
        text
    }

    /// Whether the next row continues this one (a soft wrap).
    pub fn wrapped(&self) -> bool {
        self.wrapped
    }

    /// Columns up to the last that holds something.
    #[allow(clippy::len_without_is_empty, reason = "a count of columns, not a collection")]
    pub fn len(&self) -> u16 {
        if self.fill != 0 {
            return self.cols as u16;
        }
        self.cells.iter().rposition(|c| *c != Cell::default()).map_or(0, |i| i + 1) as u16
    }
}

struct Runs<'a> {
    row: &'a Row<'a>,
    cells: &'a [Cell],
    x: usize,
}

/// A cell whose text alone tells its width.
fn simple(cell: Cell) -> bool {
    match cell.content() {
        Content::Blank => true,
        Content::Char(c) => char_width(c) == 1 + u16::from(cell.is_wide()),
        Content::Cluster(_) => false,
    }
}

impl<'a> Iterator for Runs<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        let first = *self.cells.get(self.x)?;
        let (from, style) = (self.x, first.style);
        let tables = self.row.tables();
        if !simple(first) {
            let wide = first.is_wide() && self.cells.get(from + 1).is_some_and(|c| c.is_spacer());
            self.x += 1 + usize::from(wide);
            let mut text = String::new();
            tables.push_text(first, &mut text);
            return Some(Run {
                text: Cow::Owned(text),
                cluster: true,
                ..self.row.run(from, self.x - from, style)
            });
        }
        let mut text = String::new();
        while let Some(&cell) = self.cells.get(self.x) {
            if cell.style != style || !(simple(cell) || cell.is_spacer()) {
                break;
            }
            tables.push_text(cell, &mut text);
            self.x += 1;
        }
        Some(Run { text: Cow::Owned(text), ..self.row.run(from, self.x - from, style) })
    }
}
