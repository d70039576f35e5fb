//! A new size: logical lines of the primary screen are joined and wrapped again with the cursor on its
//! character; rows move to history or come back from it. The alternate screen is only cut or padded.
//! History itself is re-wrapped when somebody looks (`history`).

use crate::cell::{Cell, Content};
use crate::face::Size;
use crate::grid::{Grid, Pos, Screen, push_line, square, tab_stops};
use crate::row::Line;
use crate::width::char_width;
use std::collections::VecDeque;

/// Continued rows taken back from history to re-wrap the line they belong to.
const MAX_TAKEN_BACK: usize = 64;

/// Wraps the cells of a logical line at `cols`; at least one row. Blanks at its end need no cells: `fill`
/// is their style.
pub(crate) fn wrap(mut cells: Vec<Cell>, fill: u32, cols: usize) -> Vec<Line> {
    fit_widths(&mut cells, cols);
    let mut rows = Vec::new();
    let mut rest = &cells[..];
    while rest.len() > cols {
        let end = if rest[cols].is_spacer() && cols > 1 { cols - 1 } else { cols };
        rows.push(Line { cells: rest[..end].to_vec(), wrapped: true, ..Line::default() });
        rest = &rest[end..];
    }
    rows.push(Line { cells: rest.to_vec(), fill, ..Line::default() });
    rows
}

/// In one column wide clusters are squeezed; with more room they get their second column back.
fn fit_widths(cells: &mut Vec<Cell>, cols: usize) {
    if cols == 1 {
        cells.retain(|c| !c.is_spacer());
        cells.iter_mut().for_each(|c| *c = c.narrowed());
        return;
    }
    let squeezed = |c: &Cell| !c.is_wide() && matches!(c.content(), Content::Char(ch) if char_width(ch) == 2);
    if cells.iter().any(squeezed) {
        *cells = cells
            .iter()
            .flat_map(|c| match squeezed(c) {
                true => [Some(c.widened()), Some(Cell::spacer(c.style))],
                false => [Some(*c), None],
            })
            .flatten()
            .collect();
    }
}

/// A place in the text: line, and cells from its start.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    line: usize,
    offset: usize,
}

/// The text of a screen as logical lines.
#[derive(Default)]
struct Text {
    lines: Vec<(Vec<Cell>, u32)>,
    /// The last line was cut off in mid-wrap.
    open: bool,
}

impl Grid {
    /// Takes another size. Margins become the whole screen, new columns get default tab stops.
    pub(crate) fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        let old = self.size;
        self.size = size;
        self.reset_margins();
        self.close_cluster();
        self.last.char = self.last.char.filter(|c| c.is_ascii());
        let cols = self.cols();
        let had = self.tabs.len();
        self.tabs.extend(tab_stops(cols).into_iter().skip(had));
        self.pen_ids = Default::default();
        self.refit_primary(old);
        self.refit_alternate();
        let (cols, rows) = (self.cols(), self.rows());
        self.cursor.x = self.cursor.x.min(cols - 1);
        self.cursor.y = self.cursor.y.min(rows - 1);
    }

    fn refit_alternate(&mut self) {
        let (cols, rows, alt) = (self.cols(), self.rows(), self.alt());
        let shown = if alt { self.cursor.y } else { 0 };
        let screen = if alt { &mut self.screen } else { &mut self.other };
        // The row of the cursor stays: rows above it go when those below are not enough.
        let above = (shown + 1).saturating_sub(rows);
        screen.lines.drain(..above.min(screen.lines.len()));
        screen.lines.truncate(rows);
        for line in &mut screen.lines {
            line.cut(cols);
            line.cells.truncate(cols);
            line.wrapped = false;
        }
        if let Some(saved) = &mut screen.saved {
            saved.pos = Pos { x: saved.pos.x.min(cols - 1), y: saved.pos.y.min(rows - 1), pending: false };
        }
        if alt {
            self.cursor.y -= above;
            self.cursor.pending = false;
        }
        self.fill_rows(alt);
    }

    /// Gives the screen its number of rows, blank ones at the bottom, all with new stamps.
    fn fill_rows(&mut self, shown: bool) {
        let rows = self.rows();
        let mut clock = self.clock;
        let screen = if shown { &mut self.screen } else { &mut self.other };
        screen.lines.resize_with(rows, Line::default);
        for line in &mut screen.lines {
            clock += 1;
            line.stamp = clock;
        }
        self.clock = clock;
    }

    fn refit_primary(&mut self, old: Size) {
        let shown = !self.alt();
        let cursor = if shown { self.cursor } else { self.other.parked };
        let mut screen = std::mem::take(self.primary());
        let saved = screen.saved.map_or(cursor, |s| s.pos);
        let used = used_rows(&screen, cursor.y);
        let below = screen.lines.len().saturating_sub(used);
        screen.lines.truncate(used);
        let (rows, [cursor, saved]) = if self.size.cols == old.cols {
            (screen.lines, [cursor, saved])
        } else {
            self.rewrap(screen.lines, old.cols.into(), [cursor, saved])
        };
        let (rows, moved) = self.place(rows, cursor.y, below == 0);
        screen.lines = rows;
        let fit = |p: Pos| Pos { y: (p.y as isize + moved).max(0) as usize, ..p };
        let (cursor, saved) = (fit(cursor), fit(saved));
        let last = self.rows() - 1;
        if let Some(s) = &mut screen.saved {
            s.pos = Pos { y: saved.y.min(last), ..saved };
        }
        screen.parked = Pos { y: cursor.y.min(last), ..cursor };
        if shown {
            self.cursor = screen.parked;
        }
        *self.primary() = screen;
        self.fill_rows(shown);
    }

    /// Joins and wraps `lines` anew; the positions come back where their characters are.
    fn rewrap(&mut self, lines: VecDeque<Line>, old: usize, at: [Pos; 2]) -> (VecDeque<Line>, [Pos; 2]) {
        let mut text = Text::default();
        while self.history.continues() && text.taken(self) {}
        let head = text.head();
        self.history.set_cols(self.size.cols);
        let places = text.join(lines, old, head, at);
        let mut rows = VecDeque::new();
        let mut found = at;
        let cols = self.cols();
        let last = text.lines.len().saturating_sub(1);
        for (i, (cells, fill)) in text.lines.into_iter().enumerate() {
            let first = rows.len();
            let len = cells.len();
            rows.extend(wrap(cells, fill, cols));
            for (pos, place) in found.iter_mut().zip(places).filter(|(_, p)| p.line == i) {
                *pos = locate(&rows, first, len, place.offset, cols);
            }
            if i == last
                && text.open
                && let Some(row) = rows.back_mut()
            {
                row.wrapped = true;
            }
        }
        (rows, found)
    }

    /// Sends rows that have no room to history, or takes some back; also tells by how much rows moved down.
    fn place(&mut self, mut rows: VecDeque<Line>, cursor: usize, was_full: bool) -> (VecDeque<Line>, isize) {
        let (cols, height) = (self.cols(), self.rows());
        if rows.len() > height {
            let n = (rows.len() - height).min(cursor);
            let start = self.history.next();
            for _ in 0..n {
                push_line(&mut rows, cols, &mut self.history, &self.tables);
                rows.pop_front();
            }
            if self.owed.is_none() && !was_full {
                self.owed = Some(start);
            }
            return (rows, -(n as isize));
        }
        let floor = match self.owed {
            Some(floor) => floor,
            None if was_full => 0,
            None => return (rows, 0),
        };
        let before = rows.len();
        while rows.len() < height && self.history.next() > floor {
            if !self.take_back(&mut rows, height, floor) {
                break;
            }
        }
        let moved = rows.len() as isize - before as isize;
        (rows, moved)
    }

    /// Puts the last logical line of the history back on the screen, as much of it as fits.
    fn take_back(&mut self, rows: &mut VecDeque<Line>, height: usize, floor: u64) -> bool {
        let cols = self.cols();
        let mut parts = Vec::new();
        while let Some(row) = self.history.pop(&mut self.tables) {
            parts.push(row);
            let more =
                self.history.continues() && self.history.next() > floor && parts.len() < MAX_TAKEN_BACK;
            if !more {
                break;
            }
        }
        let Some(last) = parts.first() else { return false };
        let (fill, open) = (last.fill, last.continues);
        let cells: Vec<Cell> = parts.iter().rev().flat_map(|p| p.cells.iter().copied()).collect();
        let mut lines: VecDeque<Line> = wrap(cells, fill, cols).into();
        if let Some(line) = lines.back_mut() {
            line.wrapped = open;
        }
        while lines.len() + rows.len() > height {
            push_line(&mut lines, cols, &mut self.history, &self.tables);
            lines.pop_front();
        }
        for line in lines.into_iter().rev() {
            rows.push_front(line);
        }
        true
    }
}

/// Rows from the top that hold something or are above the cursor.
fn used_rows(screen: &Screen, cursor: usize) -> usize {
    let text = screen.lines.iter().rposition(|l| !l.is_blank()).map_or(0, |i| i + 1);
    text.max(cursor + 1).min(screen.lines.len())
}

/// The row and column of cell `offset` of the line of `len` cells that was wrapped from row `first` on.
fn locate(rows: &VecDeque<Line>, first: usize, len: usize, offset: usize, cols: usize) -> Pos {
    let mut rest = offset.min(len);
    let last = rows.len() - 1;
    for (y, row) in rows.iter().enumerate().skip(first) {
        let width = row.cells.len();
        if rest < width || y == last {
            let x = rest + offset.saturating_sub(len);
            // Just after a full last row the next character wraps; further right the edge is all there is.
            return Pos { x: x.min(cols - 1), y, pending: x >= cols && offset <= len };
        }
        rest -= width;
    }
    Pos { x: 0, y: last, pending: false }
}

impl Text {
    /// Takes one continued row back from history to the front; false when there is none or enough.
    fn taken(&mut self, grid: &mut Grid) -> bool {
        if self.lines.len() >= MAX_TAKEN_BACK {
            return false;
        }
        let Some(row) = grid.history.pop(&mut grid.tables) else { return false };
        if grid.owed.is_some_and(|o| o > grid.history.next()) {
            grid.owed = Some(grid.history.next());
        }
        self.lines.insert(0, (row.cells, row.fill));
        true
    }

    /// Makes one line of what was taken back; its length.
    fn head(&mut self) -> usize {
        let cells: Vec<Cell> = self.lines.drain(..).flat_map(|(cells, _)| cells).collect();
        let len = cells.len();
        if len > 0 {
            self.lines.push((cells, 0));
            self.open = true;
        }
        len
    }

    /// Appends the rows of a screen `old` columns wide and finds where positions in it belong.
    fn join(&mut self, mut rows: VecDeque<Line>, old: usize, head: usize, at: [Pos; 2]) -> [Place; 2] {
        let mut places = [Place::default(); 2];
        self.open = head > 0;
        for y in 0..rows.len() {
            let next_wide = rows.get(y + 1).is_some_and(|l| l.cell(0).is_wide());
            let row = &mut rows[y];
            if row.wrapped {
                square(row, next_wide, old);
            } else {
                row.trim();
            }
            if !self.open {
                self.lines.push((Vec::new(), 0));
            }
            let line = self.lines.len() - 1;
            let (cells, fill) = &mut self.lines[line];
            for (place, pos) in places.iter_mut().zip(at).filter(|(_, p)| p.y == y) {
                *place = Place { line, offset: cells.len() + pos.x + usize::from(pos.pending) };
            }
            cells.extend_from_slice(&row.cells);
            *fill = row.fill;
            self.open = row.wrapped;
        }
        places
    }
}
