//! A grid of packed cells: what a pane shows, and what the whole screen shows. Wide clusters take
//! two cells and are never left in halves; each row knows whether it was touched.
//!
//! Not here: bytes for a terminal (`paint`), what is drawn where (`draw`).

use std::collections::HashMap;

use kraal_api::layout::Rect;

use crate::look::Look;
use crate::text;

/// What stands in a cell: a char, a cluster of the pool, or the second half of a wide one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Glyph(u32);

const CLUSTER: u32 = 1 << 31;
const WIDE: u32 = 1 << 30;
const NUMBER: u32 = WIDE - 1;

impl Glyph {
    /// Nothing: a space.
    pub(crate) const BLANK: Glyph = Glyph(b' ' as u32);
    /// The second half of the wide glyph to the left.
    pub(crate) const TAIL: Glyph = Glyph(NUMBER);

    /// A char over one cell.
    pub(crate) const fn narrow(c: char) -> Self {
        Glyph(c as u32)
    }

    /// A char over two cells.
    pub(crate) const fn wide(c: char) -> Self {
        Glyph(c as u32 | WIDE)
    }

    /// A cluster over one or two cells.
    pub(crate) fn cluster(text: &str, cells: u16, pool: &mut Pool) -> Self {
        let wide = if cells == 2 { WIDE } else { 0 };
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Glyph(c as u32 | wide),
            (Some(_), Some(_)) => Glyph(CLUSTER | wide | pool.clusters.number(text, NUMBER - 1)),
            _ => Glyph::BLANK,
        }
    }

    /// The bare number: a code point below 128 is that ASCII char in one cell.
    pub(crate) const fn code(self) -> u32 {
        self.0
    }

    /// Whether it takes two cells.
    pub(crate) const fn is_wide(self) -> bool {
        self.0 & WIDE != 0
    }

    /// Writes its text, and says whether terminals may disagree on its width.
    pub(crate) fn write(self, pool: &Pool, out: &mut Vec<u8>) -> bool {
        if self == Glyph::TAIL {
            return false;
        }
        if self.0 & CLUSTER != 0 {
            let text = pool.clusters.text(self.0 & NUMBER);
            if text.is_empty() {
                // The pool was full: blanks keep the columns right.
                out.extend_from_slice(if self.is_wide() { b"  " } else { b" " });
                return false;
            }
            out.extend_from_slice(text.as_bytes());
            return text::risky(text);
        }
        if self.0 < 0x80 {
            out.push(self.0 as u8);
            return false;
        }
        let c = char::from_u32(self.0 & NUMBER).unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        text::risky_char(c)
    }
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// What stands in it.
    pub(crate) glyph: Glyph,
    /// How it looks.
    pub(crate) look: Look,
}

impl Cell {
    /// A space in the terminal's own look.
    pub(crate) const BLANK: Cell = Cell { glyph: Glyph::BLANK, look: Look::PLAIN };
}

impl Default for Cell {
    fn default() -> Self {
        Cell::BLANK
    }
}

/// Texts that cells name by number: clusters and links.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    clusters: Interner,
    links: Interner,
}

impl Pool {
    /// The number of a link for [`Look::linked`]; 0 when it has none or the pool is full.
    pub(crate) fn link(&mut self, url: &str) -> u16 {
        self.links.number(url, u32::from(u16::MAX) - 1) as u16
    }

    /// The link of a number.
    pub(crate) fn url(&self, link: u16) -> &str {
        self.links.text(u32::from(link))
    }

    /// Whether it grew so much that forgetting the unused is worth a pass.
    pub(crate) fn crowded(&self) -> bool {
        self.clusters.texts.len() > 8192 || self.links.texts.len() > 16_384
    }

    /// Moves the cells of a grid over from another pool.
    pub(crate) fn adopt(&mut self, grid: &mut Grid, from: &Pool) {
        for cell in &mut grid.cells {
            if cell.glyph.0 & CLUSTER != 0 {
                let number = self.clusters.number(from.clusters.text(cell.glyph.0 & NUMBER), NUMBER - 1);
                cell.glyph = Glyph(cell.glyph.0 & (CLUSTER | WIDE) | number);
            }
            if cell.look.link() != 0 {
                cell.look = cell.look.linked(self.link(from.url(cell.look.link())));
            }
        }
    }
}

/// Texts by number; number 0 is the empty text.
#[derive(Debug, Default)]
struct Interner {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Interner {
    fn number(&mut self, text: &str, max: u32) -> u32 {
        if text.is_empty() {
            return 0;
        }
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let number = self.texts.len() as u32 + 1;
        if number > max {
            return 0;
        }
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    fn text(&self, number: u32) -> &str {
        (number as usize).checked_sub(1).and_then(|i| self.texts.get(i)).map_or("", |t| t)
    }
}

/// Where a text starts, and the column it may not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    /// Column.
    pub(crate) x: u16,
    /// Row.
    pub(crate) y: u16,
    /// The first column that is not the text's.
    pub(crate) limit: u16,
}

/// From a column of a row up to another.
pub(crate) const fn at(x: u16, y: u16, limit: u16) -> At {
    At { x, y, limit }
}

/// Cells in rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    cols: u16,
    rows: u16,
    cells: Vec<Cell>,
    touched: Vec<bool>,
}

impl Grid {
    /// A blank grid.
    pub(crate) fn new(cols: u16, rows: u16) -> Self {
        let count = usize::from(cols) * usize::from(rows);
        Grid { cols, rows, cells: vec![Cell::BLANK; count], touched: vec![true; usize::from(rows)] }
    }

    /// Columns.
    pub(crate) fn cols(&self) -> u16 {
        self.cols
    }

    /// Rows.
    pub(crate) fn rows(&self) -> u16 {
        self.rows
    }

    /// The cells of a row; none beyond the last.
    pub(crate) fn row(&self, y: u16) -> &[Cell] {
        if y >= self.rows {
            return &[];
        }
        let start = usize::from(y) * usize::from(self.cols);
        &self.cells[start..start + usize::from(self.cols)]
    }

    fn row_mut(&mut self, y: u16) -> &mut [Cell] {
        if y >= self.rows {
            return &mut [];
        }
        self.touched[usize::from(y)] = true;
        let start = usize::from(y) * usize::from(self.cols);
        &mut self.cells[start..start + usize::from(self.cols)]
    }

    /// Whether a row was touched since [`Grid::settle`].
    pub(crate) fn touched(&self, y: u16) -> bool {
        self.touched.get(usize::from(y)).copied().unwrap_or(false)
    }

    /// Calls every row untouched.
    pub(crate) fn settle(&mut self) {
        self.touched.fill(false);
    }

    /// Calls every row touched.
    pub(crate) fn touch(&mut self) {
        self.touched.fill(true);
    }

    /// Makes every cell blank.
    pub(crate) fn clear(&mut self) {
        self.cells.fill(Cell::BLANK);
        self.touch();
    }

    /// Makes a row blank.
    pub(crate) fn clear_row(&mut self, y: u16) {
        self.row_mut(y).fill(Cell::BLANK);
    }

    /// Moves the rows `top..bottom` by `by`, up when positive; what they leave is blank.
    pub(crate) fn scroll(&mut self, top: u16, bottom: u16, by: i16) {
        let bottom = bottom.min(self.rows);
        if top >= bottom || by == 0 {
            return;
        }
        let count = usize::from(by.unsigned_abs().min(bottom - top)) * usize::from(self.cols);
        let from = usize::from(top) * usize::from(self.cols);
        let to = usize::from(bottom) * usize::from(self.cols);
        let region = &mut self.cells[from..to];
        let length = region.len();
        if by > 0 {
            region.copy_within(count.., 0);
            region[length - count..].fill(Cell::BLANK);
        } else {
            region.copy_within(..length - count, count);
            region[..count].fill(Cell::BLANK);
        }
        self.touched[usize::from(top)..usize::from(bottom)].fill(true);
    }

    /// Puts a glyph, over two cells when it is wide; what it cuts in halves becomes blank. Says how
    /// many cells it took: 0 when it does not fit before `limit`.
    pub(crate) fn put(&mut self, x: u16, y: u16, limit: u16, cell: Cell) -> u16 {
        let cells = if cell.glyph.is_wide() { 2 } else { 1 };
        let end = limit.min(self.cols);
        if x >= end || end - x < cells {
            return 0;
        }
        let row = self.row_mut(y);
        if row.is_empty() {
            return 0;
        }
        let x = usize::from(x);
        let last = x + usize::from(cells) - 1;
        mend(row, x, last);
        row[x] = cell;
        if cells == 2 {
            row[last] = Cell { glyph: Glyph::TAIL, look: cell.look };
        }
        cells
    }

    /// Writes a text; says where it ended.
    pub(crate) fn text(&mut self, from: At, text: &str, look: Look, pool: &mut Pool) -> u16 {
        let At { mut x, y, limit } = from;
        for (cluster, cells) in text::clusters(text) {
            if cells == 0 {
                continue;
            }
            let glyph = Glyph::cluster(cluster, cells, pool);
            let took = self.put(x, y, limit, Cell { glyph, look });
            if took == 0 {
                break;
            }
            x += took;
        }
        x
    }

    /// Fills a rectangle.
    pub(crate) fn fill(&mut self, rect: Rect, cell: Cell) {
        let right = rect.x.saturating_add(rect.w).min(self.cols);
        if rect.x >= right {
            return;
        }
        for y in rect.y..rect.y.saturating_add(rect.h).min(self.rows) {
            let row = self.row_mut(y);
            mend(row, usize::from(rect.x), usize::from(right) - 1);
            row[usize::from(rect.x)..usize::from(right)].fill(cell);
        }
    }

    /// Changes the look of the cells in a rectangle.
    pub(crate) fn restyle(&mut self, rect: Rect, change: impl Fn(Look) -> Look) {
        let right = rect.x.saturating_add(rect.w).min(self.cols);
        for y in rect.y..rect.y.saturating_add(rect.h).min(self.rows) {
            for cell in self.row_mut(y).iter_mut().take(usize::from(right)).skip(usize::from(rect.x)) {
                cell.look = change(cell.look);
            }
        }
    }

    /// Copies cells of another grid's row to `x`, at most `width` of them; what is missing is blank.
    pub(crate) fn copy(&mut self, x: u16, y: u16, width: u16, from: &[Cell]) {
        let right = x.saturating_add(width).min(self.cols);
        let row = self.row_mut(y);
        if x >= right || row.is_empty() {
            return;
        }
        let (x, right) = (usize::from(x), usize::from(right));
        mend(row, x, right - 1);
        let target = &mut row[x..right];
        let count = target.len().min(from.len());
        target[..count].copy_from_slice(&from[..count]);
        target[count..].fill(Cell::BLANK);
        // Wide glyphs that the edges cut.
        if let Some(first) = target.first_mut()
            && first.glyph == Glyph::TAIL
        {
            first.glyph = Glyph::BLANK;
        }
        if let Some(last) = target.last_mut()
            && last.glyph.is_wide()
        {
            last.glyph = Glyph::BLANK;
        }
    }

    /// The text of a row without trailing blanks.
    #[cfg(test)]
    pub(crate) fn line(&self, y: u16, pool: &Pool) -> String {
        let mut out = Vec::new();
        for cell in self.row(y) {
            cell.glyph.write(pool, &mut out);
        }
        String::from_utf8_lossy(&out).trim_end().to_owned()
    }
}

/// Blanks the other half of wide glyphs that an overwrite of `first..=last` cuts.
fn mend(row: &mut [Cell], first: usize, last: usize) {
    if row[first].glyph == Glyph::TAIL && first > 0 {
        row[first - 1].glyph = Glyph::BLANK;
    }
    if let Some(next) = row.get_mut(last + 1)
        && next.glyph == Glyph::TAIL
    {
        next.glyph = Glyph::BLANK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_glyphs_are_never_left_in_halves() {
        let mut pool = Pool::default();
        let mut grid = Grid::new(6, 1);
        grid.text(at(0, 0, 6), "漢字漢", Look::PLAIN, &mut pool);
        grid.put(1, 0, 6, Cell { glyph: Glyph::narrow('x'), look: Look::PLAIN });
        assert_eq!(grid.line(0, &pool), " x字漢");
        grid.put(4, 0, 6, Cell { glyph: Glyph::narrow('y'), look: Look::PLAIN });
        assert_eq!(grid.line(0, &pool), " x字y");
        assert_eq!(grid.put(5, 0, 6, Cell { glyph: Glyph::wide('漢'), look: Look::PLAIN }), 0);
        let source = grid.clone();
        let mut other = Grid::new(6, 1);
        other.copy(0, 0, 3, source.row(0));
        assert_eq!(other.line(0, &pool), " x");
    }

    #[test]
    fn rows_scroll_both_ways() {
        let mut pool = Pool::default();
        let mut grid = Grid::new(1, 4);
        for (y, text) in ["a", "b", "c", "d"].iter().enumerate() {
            grid.text(at(0, y as u16, 1), text, Look::PLAIN, &mut pool);
        }
        grid.scroll(1, 4, 1);
        let lines = |g: &Grid| (0..4).map(|y| g.line(y, &pool)).collect::<Vec<_>>();
        assert_eq!(lines(&grid), ["a", "c", "d", ""]);
        grid.scroll(0, 3, -2);
        assert_eq!(lines(&grid), ["", "", "a", ""]);
        grid.scroll(0, 40, 400);
        assert_eq!(lines(&grid), ["", "", "", ""]);
    }

    #[test]
    fn a_pool_forgets_by_moving_over() {
        let mut old = Pool::default();
        let mut grid = Grid::new(4, 1);
        old.link("http://unused");
        let look = Look::PLAIN.linked(old.link("http://kraal"));
        grid.text(at(0, 0, 4), "👨‍👩‍👧‍👦", look, &mut old);
        let mut new = Pool::default();
        new.adopt(&mut grid, &old);
        assert_eq!(grid.line(0, &new).trim_end(), "👨‍👩‍👧‍👦");
        assert_eq!(new.url(grid.row(0)[0].look.link()), "http://kraal");
        assert_eq!(grid.row(0)[0].look.link(), 1);
    }
}
