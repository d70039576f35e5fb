//! Erasing and shifting cells and rows. Not here: which sequence asks for it (`csi`), nor
//! rows that leave the screen (`grid`).

use crate::cell::Cell;
use crate::grid::Grid;

/// Which part of a row or screen an erase covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// From the cursor to the end.
    Right,
    /// From the start to the cursor, inclusive.
    Left,
    All,
}

impl Grid {
    /// Erases columns `from..to` of row `y`; with `selective`, not what DECSCA protects.
    fn erase_cells(&mut self, y: usize, from: usize, to: usize, selective: bool) {
        let (cols, blank) = (self.cols(), self.blank_id());
        if !selective {
            return self.line(y).erase(from, to, blank, cols);
        }
        for x in from..to {
            let cell = self.screen.lines[y].cell(x);
            if !self.tables.styles.get(cell.style).protected() && !cell.is_blank() {
                self.line(y).erase(x, x + 1, cell.style, cols + 1);
                let line = self.line(y);
                line.cells[x] = Cell::blank(0);
            }
        }
    }

    /// EL and DECSEL. With the last column written and the wrap still to come the cursor is past the row's end:
    /// there is nothing right of it, so that a match grep ends with `CSI K` keeps its last letter.
    pub(crate) fn erase_line(&mut self, part: Part, selective: bool) {
        let (x, y, cols) = (self.cursor.x, self.cursor.y, self.cols());
        let (from, to) = match part {
            Part::Right => (x + usize::from(self.cursor.pending), cols),
            Part::Left => (0, x + 1),
            Part::All => (0, cols),
        };
        self.erase_cells(y, from, to, selective);
    }

    /// ED and DECSED.
    pub(crate) fn erase_screen(&mut self, part: Part, selective: bool) {
        let (y, rows, cols) = (self.cursor.y, self.rows(), self.cols());
        let whole = match part {
            Part::Right => y + 1..rows,
            Part::Left => 0..y,
            Part::All => 0..rows,
        };
        if part != Part::All {
            self.erase_line(part, selective);
        } else if !self.alt() {
            self.owed = None;
        }
        for row in whole {
            self.erase_cells(row, 0, cols, selective);
        }
        if part == Part::Left && y > 0 {
            self.screen.lines[y - 1].wrapped = false;
        }
        self.cursor.pending &= part == Part::Right;
    }

    /// ECH.
    pub(crate) fn erase_chars(&mut self, n: usize) {
        let (x, y, cols) = (self.cursor.x, self.cursor.y, self.cols());
        self.erase_cells(y, x, (x + n.max(1)).min(cols), false);
        self.cursor.pending = false;
    }

    /// ICH.
    pub(crate) fn insert_chars(&mut self, n: usize) {
        self.cursor.pending = false;
        if self.between_margins() {
            let (x, y, limit, blank) =
                (self.cursor.x, self.cursor.y, self.margins.right + 1, self.blank_id());
            self.line(y).insert(x, limit, n.max(1), blank);
        }
    }

    /// DCH.
    pub(crate) fn delete_chars(&mut self, n: usize) {
        self.cursor.pending = false;
        if self.between_margins() {
            let (x, y, limit, blank) =
                (self.cursor.x, self.cursor.y, self.margins.right + 1, self.blank_id());
            self.line(y).delete(x, limit, n.max(1), blank);
        }
    }

    fn in_scroll_area(&self) -> bool {
        self.between_margins() && (self.margins.top..=self.margins.bottom).contains(&self.cursor.y)
    }

    /// IL.
    pub(crate) fn insert_lines(&mut self, n: usize) {
        if self.in_scroll_area() {
            self.scroll_down(self.cursor.y, self.margins.bottom, n.max(1));
            self.cursor.x = self.margins.left;
            self.cursor.pending = false;
        }
    }

    /// DL: the rows are gone, also at the top of the screen.
    pub(crate) fn delete_lines(&mut self, n: usize) {
        if self.in_scroll_area() {
            self.discard_up(self.cursor.y, self.margins.bottom, n.max(1));
            self.cursor.x = self.margins.left;
            self.cursor.pending = false;
        }
    }

    /// Moves rows up without giving them to history.
    fn discard_up(&mut self, top: usize, bottom: usize, n: usize) {
        if top > 0 || self.alt() || !self.full_width() {
            return self.scroll_up(top, bottom, n);
        }
        let blank = self.blank_id();
        for _ in 0..n.min(bottom + 1) {
            let Some(mut line) = self.screen.lines.pop_front() else { return };
            line.clear(blank);
            line.stamp = self.tick();
            self.screen.lines.insert(bottom, line);
        }
    }

    /// DECIC and DECDC: columns at the cursor, between the margins, in every row of the region.
    pub(crate) fn shift_columns(&mut self, n: usize, insert: bool) {
        if !self.in_scroll_area() {
            return;
        }
        let (x, limit, blank) = (self.cursor.x, self.margins.right + 1, self.blank_id());
        for y in self.margins.top..=self.margins.bottom {
            let line = self.line(y);
            if insert {
                line.insert(x, limit, n.max(1), blank);
            } else {
                line.delete(x, limit, n.max(1), blank);
            }
        }
        self.cursor.pending = false;
    }

    /// DECBI: left one column, shifting the region at its left edge.
    pub(crate) fn back_index(&mut self) {
        self.cursor.pending = false;
        if self.cursor.x == self.margins.left {
            self.shift_columns(1, true);
        } else {
            self.cursor.x = self.cursor.x.saturating_sub(1);
        }
    }

    /// DECFI: right one column, shifting the region at its right edge.
    pub(crate) fn forward_index(&mut self) {
        self.cursor.pending = false;
        if self.cursor.x == self.margins.right {
            if self.in_scroll_area() {
                let (left, limit, blank) = (self.margins.left, self.margins.right + 1, self.blank_id());
                for y in self.margins.top..=self.margins.bottom {
                    self.line(y).delete(left, limit, 1, blank);
                }
            }
        } else {
            self.cursor.x = (self.cursor.x + 1).min(self.cols() - 1);
        }
    }

    /// DECALN: the screen full of E, margins and cursor home.
    pub(crate) fn alignment_test(&mut self) {
        self.reset_margins();
        let cols = self.cols();
        for y in 0..self.rows() {
            let line = self.line(y);
            line.clear(0);
            line.write_ascii(0, &vec![b'E'; cols], 0);
        }
        self.cursor = Default::default();
    }
}

impl Grid {
    /// SL and SR: the region's columns move left or right.
    pub(crate) fn shift_screen(&mut self, n: usize, right: bool) {
        if !self.in_scroll_area() {
            return;
        }
        let (left, limit, blank) = (self.margins.left, self.margins.right + 1, self.blank_id());
        for y in self.margins.top..=self.margins.bottom {
            let line = self.line(y);
            if right { line.insert(left, limit, n, blank) } else { line.delete(left, limit, n, blank) }
        }
    }
}

impl Grid {
    /// Blanks the screen shown without touching the cursor.
    pub(crate) fn erase_all(&mut self) {
        let pos = self.cursor;
        self.erase_screen(Part::All, false);
        self.cursor = pos;
    }
}
