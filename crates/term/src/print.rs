//! Characters into the grid: runs of ASCII, single characters, clusters that grow, wrapping at the
//! edge. Not here: where bytes come from (`feed`), nor how wide a character is (`width`).

use crate::cell::{Cell, Content};
use crate::face::Modes;
use crate::grid::{Grid, Last, Pos};
use crate::width::{Class, class, cluster_full, joins, sticky};

impl Grid {
    /// Prints printable ASCII.
    pub(crate) fn print_ascii(&mut self, mut bytes: &[u8]) {
        if !self.charsets.plain() {
            for &b in bytes {
                let c = self.charsets.map(b);
                if c.is_ascii() { self.write_ascii(&[c as u8]) } else { self.print_char(c) }
            }
            return;
        }
        while !bytes.is_empty() {
            let taken = self.write_some(bytes);
            bytes = &bytes[taken..];
        }
    }

    fn write_ascii(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.write_some(rest);
            rest = &rest[taken..];
        }
    }

    /// Writes what fits on the row; gives the number of bytes used up.
    fn write_some(&mut self, bytes: &[u8]) -> usize {
        if self.cursor.pending {
            self.wrap();
        }
        let style = self.style_id();
        let (x, y) = (self.cursor.x, self.cursor.y);
        let limit = self.limit(x);
        let n = bytes.len().min(limit - x);
        if self.modes.contains(Modes::INSERT) {
            self.line(y).insert(x, limit, n, style);
        }
        self.line(y).write_ascii(x, &bytes[..n], style);
        self.last = Last { x: x + n - 1, y, open: true, sticky: false, char: Some(bytes[n - 1] as char) };
        if x + n < limit {
            self.cursor.x += n;
            return n;
        }
        self.cursor.x = limit - 1;
        if self.modes.contains(Modes::AUTOWRAP) {
            self.cursor.pending = true;
            return n;
        }
        // Without wrapping the rest overwrites the last column, and only its end is seen.
        let last = bytes[bytes.len() - 1];
        if bytes.len() > n {
            self.line(y).write_ascii(limit - 1, &[last], style);
            self.last.char = Some(last as char);
        }
        bytes.len()
    }

    /// The soft wrap.
    fn wrap(&mut self) {
        let y = self.cursor.y;
        if self.full_width() || self.margins.right + 1 == self.cols() {
            self.line(y).wrapped = true;
        }
        let x = self.cursor.x;
        self.index();
        self.cursor.x = if x >= self.margins.left && x <= self.margins.right { self.margins.left } else { 0 };
    }

    /// Prints one character that is not ASCII, or joins it to the cluster before it.
    pub(crate) fn print_char(&mut self, c: char) {
        let width = match class(c) {
            Class::Alone(width) if !self.last.sticky => width,
            _ => {
                if self.join(c) {
                    return;
                }
                crate::width::char_width(c)
            }
        };
        if width == 0 {
            return self.mark(c);
        }
        self.put(Cell::char(c, width == 2, 0));
        self.last.char = Some(c);
        self.last.sticky = sticky(c);
    }

    /// Writes a new cell at the cursor in the pen's style.
    fn put(&mut self, cell: Cell) {
        if self.cursor.pending {
            self.wrap();
        }
        let mut limit = self.limit(self.cursor.x);
        let mut cell = cell;
        if cell.is_wide() && self.cursor.x + 2 > limit {
            if self.modes.contains(Modes::AUTOWRAP) && limit - self.margins.left.min(self.cursor.x) >= 2 {
                let (x, y, blank) = (self.cursor.x, self.cursor.y, self.blank_id());
                let cols = self.cols();
                self.line(y).erase(x, limit, blank, cols);
                self.wrap();
                limit = self.limit(self.cursor.x);
            } else if limit >= 2 && self.cursor.x + 1 == limit && self.cursor.x > 0 {
                self.cursor.x -= 1;
            }
            if self.cursor.x + 2 > limit {
                cell = cell.narrowed();
            }
        }
        let (x, y) = (self.cursor.x, self.cursor.y);
        let width = 1 + usize::from(cell.is_wide());
        cell.style = self.style_id();
        if self.modes.contains(Modes::INSERT) {
            self.line(y).insert(x, limit, width, cell.style);
        }
        self.line(y).write(x, cell);
        self.last = Last { x, y, open: true, sticky: false, char: None };
        self.advance(width, limit);
    }

    fn advance(&mut self, width: usize, limit: usize) {
        if self.cursor.x + width < limit {
            self.cursor.x += width;
        } else {
            self.cursor.x = limit - 1;
            self.cursor.pending = self.modes.contains(Modes::AUTOWRAP);
        }
    }

    /// Joins `c` to the cluster just printed if it belongs there.
    fn join(&mut self, c: char) -> bool {
        let Last { x, y, open, .. } = self.last;
        if !open || y >= self.rows() || x >= self.cols() {
            return false;
        }
        let cell = self.screen.lines[y].cell(x);
        let mut scratch = [0; 4];
        let before = match cell.content() {
            Content::Blank => return false,
            Content::Char(c) => &*c.encode_utf8(&mut scratch),
            Content::Cluster(id) => self.tables.clusters.get(id),
        };
        let mut joined = std::mem::take(&mut self.joined);
        let width = joins(before, c, &mut joined);
        // A full cluster swallows what it has no room for.
        let id = match width {
            Some(_) if !cluster_full(before) => {
                if self.tables.clusters.full() {
                    self.sweep();
                }
                self.tables.clusters.intern(&joined)
            }
            _ => 0,
        };
        self.joined = joined;
        let Some(width) = width else { return false };
        if id == 0 {
            return true;
        }
        let wide = cell.is_wide() || width == 2;
        let cell = Cell::cluster(id, wide, cell.style);
        if wide && !self.screen.lines[y].cell(x).is_wide() {
            self.widen(cell);
        } else {
            let line = self.line(y);
            line.pad(x + 1);
            line.cells[x] = cell;
        }
        self.last.sticky = sticky(c);
        true
    }

    /// A mark that comes after something else than a character, such as a change of colour or an answer asked
    /// for, goes on the cell before the cursor; a joiner, which would swallow what comes next, does not.
    fn mark(&mut self, c: char) {
        let Pos { x, y, pending } = self.cursor;
        if sticky(c) || x == 0 && !pending {
            return;
        }
        let mut at = if pending { x } else { x - 1 };
        if at > 0 && self.screen.lines[y].cell(at).is_spacer() {
            at -= 1;
        }
        self.last = Last { x: at, y, open: true, ..self.last };
        if !self.join(c) {
            self.last.open = false;
        }
    }

    /// The cluster just printed in one column turns out to need two.
    fn widen(&mut self, cell: Cell) {
        let Last { x, y, char, .. } = self.last;
        let (cols, style) = (self.cols(), cell.style);
        let limit = self.limit(x);
        if x + 2 <= limit {
            if self.modes.contains(Modes::INSERT) {
                self.line(y).insert(x + 1, limit, 1, style);
            }
            self.line(y).write(x, cell);
            (self.cursor.x, self.cursor.y) = (x, y);
            self.cursor.pending = false;
            self.advance(2, limit);
        } else if limit > 1 && self.cursor.pending {
            // It stood in the last column: the whole cluster moves to the next row.
            let blank = self.blank_id();
            self.line(y).erase(x, limit, blank, cols);
            self.wrap();
            let (x, y) = (self.cursor.x, self.cursor.y);
            self.line(y).write(x, cell);
            let limit = self.limit(x);
            self.last = Last { x, y, open: true, sticky: false, char };
            self.advance(2, limit);
        } else {
            let line = self.line(y);
            line.pad(x + 1);
            line.cells[x] = cell.narrowed();
        }
    }

    /// REP: the last character again, `n` times, at most a screen of them.
    pub(crate) fn repeat(&mut self, n: usize) {
        let Some(c) = self.last.char else { return };
        let n = n.min(self.cols() * self.rows());
        if c.is_ascii() {
            let run = [c as u8; 64];
            for at in (0..n).step_by(run.len()) {
                self.write_ascii(&run[..run.len().min(n - at)]);
            }
        } else {
            for _ in 0..n {
                self.last.open = false;
                self.last.sticky = false;
                self.print_char(c);
            }
        }
    }
}
