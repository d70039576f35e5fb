//! A row of the grid as it is kept: only the cells that were written, the style everything right of
//! them has, whether the next row continues it. Not what readers see (`view`) nor how rows move
//! (`grid`).

use crate::cell::Cell;

/// One row. Cells beyond `cells.len()` are blank in style `fill`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) cells: Vec<Cell>,
    pub(crate) fill: u32,
    pub(crate) wrapped: bool,
    pub(crate) stamp: u64,
}

impl Line {
    /// Makes the row blank in `fill` and keeps its memory.
    pub(crate) fn clear(&mut self, fill: u32) {
        self.cells.clear();
        self.fill = fill;
        self.wrapped = false;
    }

    pub(crate) fn cell(&self, x: usize) -> Cell {
        self.cells.get(x).copied().unwrap_or(Cell::blank(self.fill))
    }

    /// Whether nothing was ever written and nothing is coloured.
    pub(crate) fn is_blank(&self) -> bool {
        self.fill == 0 && self.cells.iter().all(|c| *c == Cell::default())
    }

    /// Makes cells up to `len` exist.
    pub(crate) fn pad(&mut self, len: usize) {
        if self.cells.len() < len {
            self.cells.resize(len, Cell::blank(self.fill));
        }
    }

    /// Drops cells at the end that are as blank as what follows them.
    pub(crate) fn trim(&mut self) {
        let blank = Cell::blank(self.fill);
        let len = self.cells.iter().rposition(|c| *c != blank).map_or(0, |i| i + 1);
        self.cells.truncate(len);
    }

    /// Before `from..to` is overwritten: a wide cluster cut by either edge becomes blank.
    pub(crate) fn split_wide(&mut self, from: usize, to: usize) {
        if from > 0 && self.cells.get(from).is_some_and(|c| c.is_spacer()) {
            self.cells[from - 1] = Cell::blank(self.cells[from - 1].style);
        }
        if to > 0 && self.cells.get(to).is_some_and(|c| c.is_spacer()) {
            self.cells[to] = Cell::blank(self.cells[to].style);
        }
    }

    /// Before cells move at column `at`: a wide cluster across that edge becomes two blanks.
    pub(crate) fn cut(&mut self, at: usize) {
        self.split_wide(at, at);
    }

    /// Writes printable ASCII from column `x`.
    pub(crate) fn write_ascii(&mut self, x: usize, bytes: &[u8], style: u32) {
        self.pad(x);
        let end = x + bytes.len();
        if x == self.cells.len() {
            // Appending is by far the commonest case, and can cut nothing.
            self.cells.extend(bytes.iter().map(|&b| Cell::ascii(b, style)));
            return;
        }
        self.split_wide(x, end);
        let over = self.cells.len().min(end) - x;
        for (cell, &b) in self.cells[x..x + over].iter_mut().zip(bytes) {
            *cell = Cell::ascii(b, style);
        }
        self.cells.extend(bytes[over..].iter().map(|&b| Cell::ascii(b, style)));
    }

    /// Writes one cell, and its spacer when it is wide.
    pub(crate) fn write(&mut self, x: usize, cell: Cell) {
        let width = 1 + usize::from(cell.is_wide());
        self.pad(x + width);
        self.split_wide(x, x + width);
        self.cells[x] = cell;
        if width == 2 {
            self.cells[x + 1] = Cell::spacer(cell.style);
        }
    }

    /// Erases columns `from..to` to blanks of `style`; `cols` is the grid's width.
    pub(crate) fn erase(&mut self, from: usize, to: usize, style: u32, cols: usize) {
        if from >= to {
            return;
        }
        self.split_wide(from, to);
        if to >= cols {
            self.cells.truncate(from);
            self.wrapped = false;
            if self.fill != style {
                self.pad(from);
                self.fill = style;
            }
            return;
        }
        if from >= self.cells.len() && style == self.fill {
            return;
        }
        self.pad(to);
        self.cells[from..to].fill(Cell::blank(style));
    }

    /// Shifts `from..to` right by `n`, blanks of `style` coming in at `from`.
    pub(crate) fn insert(&mut self, from: usize, to: usize, n: usize, style: u32) {
        let n = n.min(to.saturating_sub(from));
        if n == 0 || from >= self.cells.len() && style == self.fill {
            return;
        }
        [from, to - n, to].into_iter().for_each(|at| self.cut(at));
        self.pad(to);
        self.cells[from..to].rotate_right(n);
        self.cells[from..from + n].fill(Cell::blank(style));
    }

    /// Shifts what is right of `from + n` left by `n` up to `to`, blanks of `style` coming in at the end.
    pub(crate) fn delete(&mut self, from: usize, to: usize, n: usize, style: u32) {
        let n = n.min(to.saturating_sub(from));
        if n == 0 || from >= self.cells.len() && style == self.fill {
            return;
        }
        [from, from + n, to].into_iter().for_each(|at| self.cut(at));
        self.pad(to);
        self.cells[from..to].rotate_left(n);
        self.cells[to - n..to].fill(Cell::blank(style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let mut l = Line::default();
        l.write_ascii(0, text.as_bytes(), 0);
        l
    }

    fn show(l: &Line) -> String {
        l.cells.iter().map(|c| if c.is_blank() { '.' } else { c.content as u8 as char }).collect()
    }

    #[test]
    fn insert_and_delete_shift_within_the_bounds() {
        let mut l = line("abcdef");
        l.insert(1, 6, 2, 0);
        assert_eq!(show(&l), "a..bcd");
        l.delete(1, 6, 2, 0);
        assert_eq!(show(&l), "abcd..");
    }

    #[test]
    fn a_cut_wide_cluster_leaves_blanks() {
        let mut l = Line::default();
        l.write(0, Cell::char('世', true, 0));
        l.write(2, Cell::char('界', true, 0));
        l.write_ascii(1, b"xy", 0);
        assert!(l.cells[0].is_blank() && l.cells[3].is_blank());
    }

    #[test]
    fn erasing_to_the_edge_costs_no_cells() {
        let mut l = line("abc");
        l.erase(1, 80, 7, 80);
        assert_eq!((l.cells.len(), l.fill), (1, 7));
        l.write_ascii(4, b"z", 0);
        assert_eq!(l.cells[2], Cell::blank(7));
    }
}
