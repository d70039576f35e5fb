//! From a grid to the fewest bytes that make the outer terminal show it: only what changed since
//! the last time, pen and cursor moved by the shortest way.
//!
//! Not here: what the grid shows (`draw`), SGR (`sgr`), when to paint and the tty (`app`).

mod sgr;

use kraal_api::screen::CursorShape;

use crate::grid::{Cell, Glyph, Grid, Pool};
use crate::look::Look;

pub(crate) use sgr::Depth;

/// What the outer terminal can do, as far as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caps {
    /// How many colours it has.
    pub(crate) depth: Depth,
    /// Mode 2026: it shows a frame at once.
    pub(crate) sync: Extra,
    /// Links, underlines of several kinds, cursor shapes: everything but a bare console.
    pub(crate) modern: Extra,
}

/// Whether the outer terminal has something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extra {
    /// It has not, or has not said so.
    #[default]
    Missing,
    /// It has.
    Present,
}

impl Default for Caps {
    fn default() -> Self {
        Caps { depth: Depth::True, sync: Extra::Missing, modern: Extra::Present }
    }
}

/// Where the cursor should show, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Column and row; hidden when none.
    pub(crate) at: Option<(u16, u16)>,
    /// Its shape.
    pub(crate) shape: CursorShape,
    /// Whether it blinks.
    pub(crate) blinks: bool,
}

/// Equal cells between two changed ones that are written again rather than jumped over.
const BRIDGE: u16 = 4;
/// Cells written again after a cluster that a terminal may have drawn wider than it is.
const SUSPECT: u16 = 2;

/// Knows what the outer terminal shows.
#[derive(Debug)]
pub(crate) struct Painter {
    shown: Grid,
    known: bool,
    pen: Look,
    at: Option<(u16, u16)>,
    /// Whether the cursor shows; unknown at first.
    visible: Option<bool>,
    /// The shape it was last given.
    shape: Option<(CursorShape, bool)>,
    body: Vec<u8>,
}

impl Default for Painter {
    fn default() -> Self {
        Self::new()
    }
}

impl Painter {
    /// A painter that knows nothing of the screen yet.
    pub(crate) fn new() -> Self {
        Painter {
            shown: Grid::default(),
            known: false,
            pen: Look::PLAIN,
            at: None,
            visible: None,
            shape: None,
            body: Vec::new(),
        }
    }

    /// The screen may show anything: the next painting starts from a cleared one.
    pub(crate) fn forget(&mut self) {
        self.known = false;
    }

    /// What the outer terminal shows, for moving it to another pool.
    pub(crate) fn shown_mut(&mut self) -> &mut Grid {
        &mut self.shown
    }

    /// Appends what makes the terminal show `next`, and calls its rows untouched. Nothing changed
    /// is nothing appended.
    pub(crate) fn paint(&mut self, next: &mut Grid, cursor: Cursor, brush: &Brush<'_>, out: &mut Vec<u8>) {
        let mut body = std::mem::take(&mut self.body);
        body.clear();
        if !self.known || (self.shown.cols(), self.shown.rows()) != (next.cols(), next.rows()) {
            self.start_over(next, brush.caps, &mut body);
        }
        for y in 0..next.rows() {
            if next.touched(y) {
                self.paint_row(y, next.row(y), brush, &mut body);
                self.shown.copy(0, y, next.cols(), next.row(y));
            }
        }
        next.settle();
        self.finish(cursor, &body, brush.caps, out);
        self.body = body;
    }

    fn start_over(&mut self, next: &mut Grid, caps: &Caps, body: &mut Vec<u8>) {
        if caps.modern == Extra::Present {
            body.extend_from_slice(b"\x1b]8;;\x1b\\");
        }
        body.extend_from_slice(b"\x1b[0m\x1b[H\x1b[2J");
        self.shown = Grid::new(next.cols(), next.rows());
        self.known = true;
        self.pen = Look::PLAIN;
        self.at = Some((0, 0));
        (self.visible, self.shape) = (None, None);
        next.touch();
    }

    /// Wraps the cells' bytes: hidden cursor or one synchronized frame, then the cursor's place.
    fn finish(&mut self, cursor: Cursor, body: &[u8], caps: &Caps, out: &mut Vec<u8>) {
        let wants = cursor.at.is_some();
        let moves = wants && self.at != cursor.at;
        let shape = Some((cursor.shape, cursor.blinks)).filter(|_| wants && caps.modern == Extra::Present);
        let reshapes = shape.is_some() && self.shape != shape;
        if body.is_empty() && self.visible == Some(wants) && !moves && !reshapes {
            return;
        }
        // One echoed character needs neither; a frame's worth of jumps does.
        let large = body.len() > 32;
        let sync = caps.sync == Extra::Present && large;
        let hide = match self.visible {
            Some(true) => !wants || (large && !sync),
            Some(false) => false,
            None => true,
        };
        if sync {
            out.extend_from_slice(b"\x1b[?2026h");
        }
        if hide {
            out.extend_from_slice(b"\x1b[?25l");
        }
        out.extend_from_slice(body);
        if let Some((x, y)) = cursor.at {
            self.go(x, y, &[], out);
            if reshapes {
                out.extend_from_slice(shape_bytes(cursor));
                self.shape = shape;
            }
            if hide || self.visible != Some(true) {
                out.extend_from_slice(b"\x1b[?25h");
            }
        }
        self.visible = Some(wants);
        if sync {
            out.extend_from_slice(b"\x1b[?2026l");
        }
    }

    fn paint_row(&mut self, y: u16, new: &[Cell], brush: &Brush<'_>, out: &mut Vec<u8>) {
        let cols = new.len() as u16;
        let (keeps, kept) = (held(new), held(self.shown.row(y)));
        // Erasing pays when it saves more than its own bytes.
        let erase = kept > keeps.saturating_add(4);
        let limit = if erase { keeps } else { cols };
        let mut suspect = 0;
        let mut x = 0;
        while x < limit {
            let cell = new[usize::from(x)];
            let same = self.shown.row(y)[usize::from(x)] == cell;
            if (same && x >= suspect) || cell.glyph == Glyph::TAIL {
                // A tail is drawn with its head; where only the tail differs, so does the head.
                x += 1;
                continue;
            }
            let wide = cell.glyph.is_wide();
            self.go(x, y, new, out);
            self.take(cell.look, brush, out);
            let risky = self.draw(cell, (x, y), brush, out);
            let cells = if wide { 2 } else { 1 };
            x += cells;
            if risky {
                self.at = None;
                suspect = x + SUSPECT;
            }
        }
        if erase {
            self.go(limit, y, new, out);
            self.take(Look::PLAIN, brush, out);
            out.extend_from_slice(b"\x1b[K");
        }
    }

    /// Writes one glyph at the cursor, and says whether the cursor may now be elsewhere.
    fn draw(&mut self, cell: Cell, at: (u16, u16), brush: &Brush<'_>, out: &mut Vec<u8>) -> bool {
        let (x, y) = at;
        let cells = if cell.glyph.is_wide() { 2 } else { 1 };
        let start = out.len();
        let risky = cell.glyph.write(brush.pool, out);
        if risky && cells == 2 {
            // A terminal that draws it over one cell must not leave the second as it was.
            let glyph = out.split_off(start);
            out.extend_from_slice(b"  ");
            self.at = None;
            self.go(x, y, &[], out);
            out.extend_from_slice(&glyph);
        }
        // In the last column a terminal holds the cursor back: where it is then, they disagree.
        self.at = Some((x + cells, y)).filter(|_| x + cells < self.shown.cols());
        risky
    }

    /// Moves the cursor, by the fewest bytes; cells of `row` that are as they should be may be
    /// written again instead.
    fn go(&mut self, x: u16, y: u16, row: &[Cell], out: &mut Vec<u8>) {
        let to = Some((x, y));
        if self.at == to {
            return;
        }
        match self.at {
            Some((ax, ay)) if ay == y && ax < x => {
                let between = row.get(usize::from(ax)..usize::from(x)).unwrap_or_default();
                let plain = |c: &Cell| c.look == self.pen && c.glyph.is_ascii();
                if x - ax <= BRIDGE && !between.is_empty() && between.iter().all(plain) {
                    out.extend(between.iter().map(|c| c.glyph.ascii()));
                } else if x - ax == 1 {
                    out.extend_from_slice(b"\x1b[C");
                } else {
                    csi(out, &[x - ax], b'C');
                }
            }
            Some((ax, ay)) if ay == y && ax == x + 1 => out.push(8),
            Some((_, ay)) if x == 0 && y == ay + 1 => out.extend_from_slice(b"\r\n"),
            _ if (x, y) == (0, 0) => out.extend_from_slice(b"\x1b[H"),
            _ if x == 0 => csi(out, &[y + 1], b'H'),
            _ => csi(out, &[y + 1, x + 1], b'H'),
        }
        self.at = to;
    }

    /// Changes the pen.
    fn take(&mut self, look: Look, brush: &Brush<'_>, out: &mut Vec<u8>) {
        if look == self.pen {
            return;
        }
        let modern = brush.caps.modern == Extra::Present;
        if modern && look.link() != self.pen.link() {
            out.extend_from_slice(b"\x1b]8;;");
            if look.link() != 0 {
                out.extend_from_slice(brush.pool.url(look.link()).as_bytes());
            }
            out.extend_from_slice(b"\x1b\\");
        }
        sgr::change(self.pen, look, brush.caps.depth, modern, out);
        self.pen = look;
    }
}

/// What every stroke of one painting needs.
pub(crate) struct Brush<'a> {
    /// The texts of cells.
    pub(crate) pool: &'a Pool,
    /// What the terminal can do.
    pub(crate) caps: &'a Caps,
}

/// Columns up to the last that erasing would not give.
fn held(row: &[Cell]) -> u16 {
    let blank = |c: &Cell| c.glyph == Glyph::BLANK && c.look.erases();
    row.iter().rposition(|c| !blank(c)).map_or(0, |last| last as u16 + 1)
}

fn shape_bytes(cursor: Cursor) -> &'static [u8] {
    match (cursor.shape, cursor.blinks) {
        // What a program starts with: whatever the user set in the outer terminal.
        (CursorShape::Block, true) => b"\x1b[0 q",
        (CursorShape::Block, false) => b"\x1b[2 q",
        (CursorShape::Underline, true) => b"\x1b[3 q",
        (CursorShape::Underline, false) => b"\x1b[4 q",
        (CursorShape::Bar, true) => b"\x1b[5 q",
        (CursorShape::Bar, false) => b"\x1b[6 q",
    }
}

fn csi(out: &mut Vec<u8>, numbers: &[u16], end: u8) {
    out.extend_from_slice(b"\x1b[");
    for (i, number) in numbers.iter().enumerate() {
        if i > 0 {
            out.push(b';');
        }
        out.extend_from_slice(number.to_string().as_bytes());
    }
    out.push(end);
}

impl Glyph {
    fn is_ascii(self) -> bool {
        self.code() < 0x80
    }

    fn ascii(self) -> u8 {
        self.code() as u8
    }
}

#[cfg(test)]
pub(crate) mod tests;
