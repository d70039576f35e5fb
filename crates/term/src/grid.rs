//! The grid: two screens of rows, the cursor, the pen, margins, tabs, and how rows move. Writing
//! characters is `print`, erasing and shifting `edit`, a new size `reflow`. No escape sequence is known
//! here.

use crate::charset::Charsets;
use crate::face::{Modes, Size};
use crate::history::History;
use crate::history::encode::Source;
use crate::keys::KeyStack;
use crate::row::Line;
use crate::style::Pen;
use crate::tables::Tables;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Where the next character goes. With `pending` the last column was written and the next character
/// wraps first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pos {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) pending: bool,
}

/// What DECSC keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    pub(crate) pos: Pos,
    pub(crate) pen: Pen,
    pub(crate) charsets: Charsets,
    pub(crate) origin: bool,
}

/// One of the two screens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Screen {
    pub(crate) lines: VecDeque<Line>,
    pub(crate) saved: Option<Saved>,
    pub(crate) kitty: KeyStack,
    /// Where the cursor was when the other screen came up.
    pub(crate) parked: Pos,
}

/// The scrolling area; all four inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Margins {
    pub(crate) top: usize,
    pub(crate) bottom: usize,
    pub(crate) left: usize,
    pub(crate) right: usize,
}

/// The last character printed, for clusters and REP.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Last {
    pub(crate) x: usize,
    pub(crate) y: usize,
    /// Nothing but printing happened since, so a mark may join it.
    pub(crate) open: bool,
    /// Its end joins what comes next ([`crate::width::sticky`]).
    pub(crate) sticky: bool,
    pub(crate) char: Option<char>,
}

pub(crate) struct Grid {
    pub(crate) size: Size,
    /// The screen shown.
    pub(crate) screen: Screen,
    /// The one not shown.
    pub(crate) other: Screen,
    pub(crate) cursor: Pos,
    pub(crate) pen: Pen,
    pub(crate) pen_ids: PenIds,
    pub(crate) tables: Tables,
    pub(crate) clock: u64,
    pub(crate) margins: Margins,
    pub(crate) modes: Modes,
    pub(crate) charsets: Charsets,
    pub(crate) tabs: Vec<bool>,
    pub(crate) last: Last,
    pub(crate) history: History,
    /// Rows a resize pushed to history start here, while nothing else was pushed since.
    pub(crate) owed: Option<u64>,
    /// Scratch for growing clusters.
    pub(crate) joined: String,
}

/// Numbers of the pen's style and of its blank, until the pen changes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PenIds {
    pub(crate) style: Option<u32>,
    pub(crate) blank: Option<u32>,
}

pub(crate) const START_MODES: Modes = Modes::AUTOWRAP
    .union(Modes::CURSOR_VISIBLE)
    .union(Modes::CURSOR_BLINK)
    .union(Modes::ALT_SCROLL)
    .union(Modes::AUTO_REPEAT)
    .union(Modes::NO_LOCAL_ECHO)
    .union(Modes::META_ESC)
    .union(Modes::NUM_LOCK)
    .union(Modes::ANSI);

pub(crate) fn tab_stops(cols: usize) -> Vec<bool> {
    (0..cols).map(|x| x % 8 == 0 && x > 0).collect()
}

impl Grid {
    pub(crate) fn new(size: Size, history: History) -> Self {
        let mut grid = Self {
            size,
            screen: Screen::default(),
            other: Screen::default(),
            cursor: Pos::default(),
            pen: Pen::default(),
            pen_ids: PenIds::default(),
            tables: Tables::default(),
            clock: 0,
            margins: Margins { top: 0, bottom: 0, left: 0, right: 0 },
            modes: START_MODES,
            charsets: Charsets::default(),
            tabs: tab_stops(size.cols.into()),
            last: Last::default(),
            history,
            owed: None,
            joined: String::new(),
        };
        grid.reset_margins();
        for _ in 0..size.rows {
            let (a, b) = (grid.fresh_line(), grid.fresh_line());
            grid.screen.lines.push_back(a);
            grid.other.lines.push_back(b);
        }
        grid
    }

    pub(crate) fn cols(&self) -> usize {
        self.size.cols.into()
    }

    pub(crate) fn rows(&self) -> usize {
        self.size.rows.into()
    }

    pub(crate) fn alt(&self) -> bool {
        self.modes.contains(Modes::ALT_SCREEN)
    }

    /// The primary screen, shown or not.
    pub(crate) fn primary(&mut self) -> &mut Screen {
        if self.alt() { &mut self.other } else { &mut self.screen }
    }

    pub(crate) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    pub(crate) fn fresh_line(&mut self) -> Line {
        Line { stamp: self.tick(), ..Line::default() }
    }

    /// Row `y`, about to be changed.
    pub(crate) fn line(&mut self, y: usize) -> &mut Line {
        self.clock += 1;
        let line = &mut self.screen.lines[y];
        line.stamp = self.clock;
        line
    }

    pub(crate) fn reset_margins(&mut self) {
        self.margins = Margins { top: 0, bottom: self.rows() - 1, left: 0, right: self.cols() - 1 };
    }

    pub(crate) fn full_width(&self) -> bool {
        self.margins.left == 0 && self.margins.right == self.cols() - 1
    }

    /// The column after the last one the cursor can print to from `x`.
    pub(crate) fn limit(&self, x: usize) -> usize {
        if x <= self.margins.right { self.margins.right + 1 } else { self.cols() }
    }

    /// Number of the pen's style.
    pub(crate) fn style_id(&mut self) -> u32 {
        if let Some(id) = self.pen_ids.style {
            return id;
        }
        let id = self.intern(self.pen);
        self.pen_ids.style = Some(id);
        id
    }

    /// Number of the style of what the pen erases.
    pub(crate) fn blank_id(&mut self) -> u32 {
        if let Some(id) = self.pen_ids.blank {
            return id;
        }
        let id = self.intern(self.pen.blank());
        self.pen_ids.blank = Some(id);
        id
    }

    fn intern(&mut self, pen: Pen) -> u32 {
        if self.tables.full() {
            self.sweep();
        }
        self.tables.styles.intern(pen)
    }

    /// Frees styles, clusters and links no screen shows.
    pub(crate) fn sweep(&mut self) {
        self.pen_ids = PenIds::default();
        let lines = || self.screen.lines.iter().chain(&self.other.lines);
        let saved = [self.screen.saved, self.other.saved].into_iter().flatten().map(|s| s.pen);
        self.tables.sweep(lines().map(|l| &l.cells[..]), lines().map(|l| l.fill), saved.chain([self.pen]));
    }

    /// The pen changed.
    pub(crate) fn repen(&mut self) {
        self.pen_ids = PenIds::default();
    }

    /// Something other than printing happens: marks join nothing from here on.
    pub(crate) fn close_cluster(&mut self) {
        self.last.open = false;
    }

    /// Moves rows `top..=bottom` up by `n`. Rows that leave the top of the primary screen go to history.
    pub(crate) fn scroll_up(&mut self, top: usize, bottom: usize, n: usize) {
        let n = n.min(bottom + 1 - top);
        if !self.full_width() {
            return self.scroll_block(top, bottom, n as isize);
        }
        let blank = self.blank_id();
        let keep = top == 0 && !self.alt();
        if top > 0 && n > 0 {
            self.screen.lines[top - 1].wrapped = false;
        }
        for _ in 0..n {
            if keep {
                self.push_top();
            }
            let Some(mut line) = self.screen.lines.remove(top) else { return };
            line.clear(blank);
            line.stamp = self.tick();
            if bottom == self.screen.lines.len() {
                self.screen.lines.push_back(line);
            } else {
                self.screen.lines.insert(bottom, line);
            }
        }
    }

    fn push_top(&mut self) {
        self.owed = None;
        let cols = self.cols();
        push_line(&mut self.screen.lines, cols, &mut self.history, &self.tables);
    }

    /// Moves rows `top..=bottom` down by `n`.
    pub(crate) fn scroll_down(&mut self, top: usize, bottom: usize, n: usize) {
        let n = n.min(bottom + 1 - top);
        if !self.full_width() {
            return self.scroll_block(top, bottom, -(n as isize));
        }
        let blank = self.blank_id();
        if n > 0 && top > 0 {
            self.screen.lines[top - 1].wrapped = false;
        }
        for _ in 0..n {
            let Some(mut line) = self.screen.lines.remove(bottom) else { return };
            line.clear(blank);
            line.stamp = self.tick();
            self.screen.lines.insert(top, line);
        }
        self.screen.lines[bottom].wrapped = false;
    }

    /// Scrolls only the columns between the margins; up with positive `n`.
    fn scroll_block(&mut self, top: usize, bottom: usize, n: isize) {
        let Margins { left, right, .. } = self.margins;
        let blank = self.blank_id();
        let height = bottom + 1 - top;
        let shift = n.unsigned_abs().min(height);
        for y in top..=bottom {
            let line = self.line(y);
            line.cut(left);
            line.cut(right + 1);
            line.pad(right + 1);
            line.wrapped = false;
        }
        let rows: Box<dyn Iterator<Item = usize>> =
            if n > 0 { Box::new(top..=bottom) } else { Box::new((top..=bottom).rev()) };
        for y in rows {
            let from = if n > 0 { y + shift } else { y.wrapping_sub(shift) };
            if (top..=bottom).contains(&from) {
                let moved = self.screen.lines[from].cells[left..=right].to_vec();
                self.screen.lines[y].cells[left..=right].copy_from_slice(&moved);
            } else {
                self.screen.lines[y].cells[left..=right].fill(crate::cell::Cell::blank(blank));
            }
        }
    }

    /// Whether the cursor is in the columns that scroll.
    pub(crate) fn between_margins(&self) -> bool {
        (self.margins.left..=self.margins.right).contains(&self.cursor.x)
    }

    /// IND: down one row, scrolling at the bottom margin.
    pub(crate) fn index(&mut self) {
        self.cursor.pending = false;
        if self.cursor.y == self.margins.bottom {
            if self.between_margins() {
                self.scroll_up(self.margins.top, self.margins.bottom, 1);
            }
        } else if self.cursor.y + 1 < self.rows() {
            self.cursor.y += 1;
        }
    }

    /// RI: up one row, scrolling at the top margin.
    pub(crate) fn reverse_index(&mut self) {
        self.cursor.pending = false;
        if self.cursor.y == self.margins.top {
            if self.between_margins() {
                self.scroll_down(self.margins.top, self.margins.bottom, 1);
            }
        } else {
            self.cursor.y = self.cursor.y.saturating_sub(1);
        }
    }

    /// CR.
    pub(crate) fn carriage_return(&mut self) {
        self.cursor.pending = false;
        let left = self.margins.left;
        self.cursor.x = if self.cursor.x >= left || self.origin() { left } else { 0 };
    }

    pub(crate) fn origin(&self) -> bool {
        self.modes.contains(Modes::ORIGIN)
    }

    /// Puts the cursor at a position counted from the origin.
    pub(crate) fn go(&mut self, x: usize, y: usize) {
        let m = self.margins;
        let (x0, x1, y0, y1) = if self.origin() {
            (m.left, m.right, m.top, m.bottom)
        } else {
            (0, self.cols() - 1, 0, self.rows() - 1)
        };
        self.cursor = Pos { x: (x0 + x).min(x1), y: (y0 + y).min(y1), pending: false };
    }

    /// The cursor counted from the origin.
    pub(crate) fn reported(&self) -> (usize, usize) {
        let Pos { x, y, .. } = self.cursor;
        if self.origin() {
            (x.saturating_sub(self.margins.left), y.saturating_sub(self.margins.top))
        } else {
            (x, y)
        }
    }

    /// CUU, stopping at the top margin when it starts below it.
    pub(crate) fn up(&mut self, n: usize) {
        let top = if self.cursor.y >= self.margins.top { self.margins.top } else { 0 };
        self.cursor.y = self.cursor.y.saturating_sub(n).max(top);
        self.cursor.pending = false;
    }

    /// CUD, stopping at the bottom margin when it starts above it.
    pub(crate) fn down(&mut self, n: usize) {
        let bottom = if self.cursor.y <= self.margins.bottom { self.margins.bottom } else { self.rows() - 1 };
        self.cursor.y = (self.cursor.y + n).min(bottom);
        self.cursor.pending = false;
    }

    /// CUF.
    pub(crate) fn right(&mut self, n: usize) {
        self.cursor.x = (self.cursor.x + n).min(self.limit(self.cursor.x) - 1);
        self.cursor.pending = false;
    }

    /// CUB and BS, wrapping to the row above where the modes allow it.
    pub(crate) fn left(&mut self, n: usize) {
        let wraps = self.modes.contains(Modes::AUTOWRAP)
            && self.modes.intersects(Modes::REVERSE_WRAP | Modes::EXTENDED_REVERSE_WRAP);
        if !wraps {
            let left = if self.cursor.x >= self.margins.left { self.margins.left } else { 0 };
            self.cursor.x = self.cursor.x.saturating_sub(n).max(left);
            self.cursor.pending = false;
            return;
        }
        let mut n = n.min(self.cols() * self.rows());
        if self.cursor.pending {
            // The wrap not yet done is one of the columns to go back.
            self.cursor.pending = false;
            n -= 1;
        }
        while n > 0 && self.back_once() {
            n -= 1;
        }
    }

    fn back_once(&mut self) -> bool {
        let m = self.margins;
        let extended = self.modes.contains(Modes::EXTENDED_REVERSE_WRAP);
        if self.cursor.x > 0 && self.cursor.x != m.left {
            self.cursor.x -= 1;
            return true;
        }
        let above =
            if self.cursor.y == m.top { extended.then_some(m.bottom) } else { self.cursor.y.checked_sub(1) };
        match above {
            Some(y) if extended || self.screen.lines[y].wrapped => {
                (self.cursor.x, self.cursor.y) = (m.right, y);
                true
            }
            _ => false,
        }
    }

    /// HT, `n` times.
    pub(crate) fn tab(&mut self, n: usize) {
        let end = self.limit(self.cursor.x) - 1;
        for _ in 0..n.min(self.cols()) {
            self.cursor.x =
                (self.cursor.x + 1..end).find(|&x| self.tabs[x]).unwrap_or(end.max(self.cursor.x));
        }
    }

    /// CBT, `n` times.
    pub(crate) fn back_tab(&mut self, n: usize) {
        let start = if self.origin() { self.margins.left } else { 0 };
        for _ in 0..n.min(self.cols()) {
            self.cursor.x =
                (start..self.cursor.x).rev().find(|&x| self.tabs[x]).unwrap_or(start.min(self.cursor.x));
        }
        self.cursor.pending = false;
    }

    /// DECSC.
    pub(crate) fn save_cursor(&mut self) {
        let saved = Saved { pos: self.cursor, pen: self.pen, charsets: self.charsets, origin: self.origin() };
        self.screen.saved = Some(saved);
    }

    /// DECRC; home and defaults when nothing was saved.
    pub(crate) fn restore_cursor(&mut self) {
        let saved = self.screen.saved.unwrap_or_default();
        self.pen = saved.pen;
        self.repen();
        self.charsets = saved.charsets;
        self.modes.set(Modes::ORIGIN, saved.origin);
        let pos = saved.pos;
        self.cursor =
            Pos { x: pos.x.min(self.cols() - 1), y: pos.y.min(self.rows() - 1), pending: pos.pending };
    }

    /// Shows the alternate screen, or the primary again.
    pub(crate) fn show_alternate(&mut self, on: bool) {
        if on == self.alt() {
            return;
        }
        self.screen.parked = self.cursor;
        std::mem::swap(&mut self.screen, &mut self.other);
        self.modes.set(Modes::ALT_SCREEN, on);
        self.close_cluster();
    }
}

/// Encodes the first of `lines` into `history`; a row that continues is stored at its full width, less
/// the column a wide cluster did not fit in.
pub(crate) fn push_line(lines: &mut VecDeque<Line>, cols: usize, history: &mut History, tables: &Tables) {
    if lines[0].wrapped {
        let next_wide = lines.get(1).is_some_and(|l| l.cell(0).is_wide());
        square(&mut lines[0], next_wide, cols);
    }
    let line = &lines[0];
    history.push(Source { cells: &line.cells, fill: line.fill, continues: line.wrapped }, tables);
}

/// Gives a row that continues exactly the cells that belong to its logical line.
pub(crate) fn square(line: &mut Line, next_wide: bool, cols: usize) {
    let short = next_wide && cols > 1 && line.cell(cols - 1).is_blank();
    if short {
        line.cells.truncate(cols - 1);
    }
    line.pad(cols - usize::from(short));
}
