//! What one pane shows, kept up to date by screen frames.
//!
//! Not here: the wire form (`api::screen`), where the pane lies (`areas`).

use kraal_api::screen::{self, Fill, Head, Style, flag};

use crate::grid::{Cell, Glyph, Grid, Pool};
use crate::look::Look;

/// A terminal larger than this is cut: no honest server sends one.
const SIDE_MAX: u16 = 1000;
/// Longer links are left out, as terminals do.
const LINK_BYTES_MAX: usize = 2083;

/// A pane's cells and what its terminal says besides.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    /// The last frame's head.
    pub(crate) head: Head,
    /// The cells.
    pub(crate) grid: Grid,
}

impl Screen {
    /// Whether a bit of [`flag`] is set.
    pub(crate) fn has(&self, bit: u8) -> bool {
        self.head.flags & bit != 0
    }
}

/// Applies one frame to a screen.
pub(super) struct Apply<'a> {
    pub(super) screen: &'a mut Screen,
    pub(super) pool: &'a mut Pool,
    /// The row that runs go to, and the column of the next.
    pub(super) at: (u16, u16),
}

impl screen::Visitor for Apply<'_> {
    fn head(&mut self, head: &Head) {
        let (cols, rows) = (head.cols.clamp(1, SIDE_MAX), head.rows.clamp(1, SIDE_MAX));
        let grid = &mut self.screen.grid;
        if (grid.cols(), grid.rows()) != (cols, rows) {
            *grid = resized(grid, cols, rows);
        }
        if head.flags & flag::FRESH != 0 {
            grid.clear();
        }
        self.screen.head = *head;
    }

    fn scroll(&mut self, top: u16, bottom: u16, by: i16) {
        self.screen.grid.scroll(top, bottom, by);
    }

    fn row(&mut self, y: u16) {
        self.screen.grid.clear_row(y);
        self.at = (0, y);
    }

    fn run(&mut self, style: &Style, link: Option<&str>, fill: Fill, text: &str) {
        let link = link
            .filter(|url| url.len() <= LINK_BYTES_MAX && !url.chars().any(char::is_control))
            .map_or(0, |url| self.pool.link(url));
        let look = Look::of(style, link);
        match fill {
            Fill::Narrow => text.chars().for_each(|c| self.put(Glyph::narrow(shown(c)), look)),
            Fill::Wide => text.chars().for_each(|c| self.put(wide(c), look)),
            Fill::NarrowCluster | Fill::WideCluster => {
                let cells = if fill == Fill::WideCluster { 2 } else { 1 };
                let glyph = if text.is_empty() || text.chars().any(char::is_control) {
                    if cells == 2 { wide(' ') } else { Glyph::BLANK }
                } else {
                    Glyph::cluster(text, cells, self.pool)
                };
                self.put(glyph, look);
            }
        }
    }
}

impl Apply<'_> {
    fn put(&mut self, glyph: Glyph, look: Look) {
        let (x, y) = self.at;
        let took = self.screen.grid.put(x, y, u16::MAX, Cell { glyph, look });
        self.at.0 = x.saturating_add(took.max(1));
    }
}

/// A control character is none of a cell's business.
fn shown(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

fn wide(c: char) -> Glyph {
    // A control character, or a blank said to be wide: a glyph that is surely two cells wide.
    if c.is_control() || c == ' ' { Glyph::wide('\u{3000}') } else { Glyph::wide(c) }
}

/// Keeps what fits until the server's rows for the new size arrive.
fn resized(old: &Grid, cols: u16, rows: u16) -> Grid {
    let mut new = Grid::new(cols, rows);
    for y in 0..rows.min(old.rows()) {
        new.copy(0, y, cols, old.row(y));
    }
    new
}
