//! A terminal as bytes and back: both screens, cursor, modes, titles, colours, stacks, and what was read
//! and not yet understood. Not the history, which lives in its blocks: only how many rows it had, so that
//! rows a later, lost server wrote after the snapshot are not shown twice when the bytes are replayed.

use crate::charset::Charsets;
use crate::colours::Colours;
use crate::face::{Modes, RestoreError, Size};
use crate::feed::Feeder;
use crate::grid::{Grid, Last, Margins, Pos, Saved, Screen};
use crate::handler::{Extras, Look, Machine, Words};
use crate::history::encode::{Keep, Source, decode, encode};
use crate::keys::KeyStack;
use crate::row::Line;
use crate::style::Pen;
use crate::tables::Tables;
use serde::{Deserialize, Serialize};

const MAGIC: [u8; 4] = *b"kTS\0";
const VERSION: u16 = 1;

#[derive(Serialize, Deserialize)]
pub(crate) struct Snapshot {
    pub(crate) grid: GridImage,
    pub(crate) words: Words,
    pub(crate) colours: Colours,
    pub(crate) look: Look,
    pub(crate) extras: Extras,
    pub(crate) feeder: Feeder,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct GridImage {
    pub(crate) size: Size,
    screens: [ScreenImage; 2],
    cursor: Pos,
    pen: PenImage,
    clock: u64,
    margins: Margins,
    modes: Modes,
    charsets: Charsets,
    tabs: Vec<bool>,
    last: Last,
    /// Rows ever given to history.
    pub(crate) history: u64,
    /// Rows of history from this number on were written at this width.
    pub(crate) native: u64,
    /// Rows before this number were cleared.
    pub(crate) cleared: u64,
    owed: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct ScreenImage {
    lines: Vec<LineImage>,
    saved: Option<(Saved, String)>,
    kitty: KeyStack,
    parked: Pos,
}

#[derive(Serialize, Deserialize)]
struct LineImage {
    /// The row as history would encode it.
    row: Vec<u8>,
    stamp: u64,
}

/// A pen with its link written out.
#[derive(Serialize, Deserialize)]
struct PenImage {
    pen: Pen,
    link: String,
}

impl Snapshot {
    /// Appends the snapshot of `m` with what `feeder` holds.
    pub(crate) fn save(m: &Machine, feeder: &Feeder, to: &mut Vec<u8>) {
        let image = Self {
            grid: GridImage::of(&m.grid),
            words: m.words.clone(),
            colours: m.colours.clone(),
            look: m.look,
            extras: m.extras.clone(),
            feeder: feeder.clone(),
        };
        to.extend_from_slice(&MAGIC);
        to.extend_from_slice(&VERSION.to_le_bytes());
        if let Ok(bytes) = postcard::to_stdvec(&image) {
            to.extend_from_slice(&bytes);
        }
    }

    pub(crate) fn read(bytes: &[u8]) -> Result<Self, RestoreError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(RestoreError::NotASnapshot)?;
        let (version, rest) = rest.split_first_chunk::<2>().ok_or(RestoreError::Damaged)?;
        let version = u16::from_le_bytes(*version);
        if version != VERSION {
            return Err(RestoreError::Version(version));
        }
        let image: Self = postcard::from_bytes(rest).map_err(|_| RestoreError::Damaged)?;
        if image.grid.size != image.grid.size.clamped() {
            return Err(RestoreError::Damaged);
        }
        Ok(image)
    }
}

impl GridImage {
    fn of(grid: &Grid) -> Self {
        Self {
            size: grid.size,
            screens: [&grid.screen, &grid.other].map(|s| ScreenImage::of(s, &grid.tables)),
            cursor: grid.cursor,
            pen: PenImage { pen: grid.pen, link: grid.tables.links.get(grid.pen.link).to_owned() },
            clock: grid.clock,
            margins: grid.margins,
            modes: grid.modes,
            charsets: grid.charsets,
            tabs: grid.tabs.clone(),
            last: grid.last,
            history: grid.history.next(),
            native: grid.history.native(),
            cleared: grid.history.cleared(),
            owed: grid.owed,
        }
    }

    /// Puts what was saved into a new grid of the same size.
    pub(crate) fn into_grid(self, grid: &mut Grid) {
        let [shown, other] = self.screens;
        let (rows, cols) = (grid.rows(), grid.cols());
        let inside = |p: Pos| Pos { x: p.x.min(cols - 1), y: p.y.min(rows - 1), ..p };
        grid.screen = shown.into_screen(&mut grid.tables, rows, cols);
        grid.other = other.into_screen(&mut grid.tables, rows, cols);
        grid.cursor = inside(self.cursor);
        grid.pen = Pen { link: intern_link(&mut grid.tables, &self.pen.link), ..self.pen.pen };
        grid.repen();
        grid.clock = self.clock.min(u64::MAX >> 2);
        let m = self.margins;
        if m.top <= m.bottom && m.bottom < rows && m.left <= m.right && m.right < cols {
            grid.margins = m;
        }
        grid.modes = self.modes;
        grid.charsets = self.charsets;
        grid.tabs = self.tabs;
        grid.tabs.resize(grid.tabs.len().max(cols), false);
        grid.last = self.last;
        grid.owed = self.owed;
    }
}

fn intern_link(tables: &mut Tables, link: &str) -> u32 {
    if link.is_empty() { 0 } else { tables.links.intern(link) }
}

impl ScreenImage {
    fn of(screen: &Screen, tables: &Tables) -> Self {
        let line = |l: &Line| {
            let mut row = Vec::new();
            let source = Source { cells: &l.cells, fill: l.fill, continues: l.wrapped };
            encode(source, tables, Keep::All, &mut row);
            LineImage { row, stamp: l.stamp }
        };
        Self {
            lines: screen.lines.iter().map(line).collect(),
            saved: screen.saved.map(|s| (s, tables.links.get(s.pen.link).to_owned())),
            kitty: screen.kitty.clone(),
            parked: screen.parked,
        }
    }

    fn into_screen(self, tables: &mut Tables, rows: usize, cols: usize) -> Screen {
        let mut screen = Screen { kitty: self.kitty, parked: self.parked, ..Screen::default() };
        for image in self.lines.into_iter().take(rows) {
            let mut line = Line::from(decode(&image.row, tables));
            line.cut(cols);
            line.cells.truncate(cols);
            screen.lines.push_back(Line { stamp: image.stamp, ..line });
        }
        screen.lines.resize_with(rows, Line::default);
        screen.parked =
            Pos { x: screen.parked.x.min(cols - 1), y: screen.parked.y.min(rows - 1), ..screen.parked };
        screen.saved = self.saved.map(|(saved, link)| {
            let pen = Pen { link: intern_link(tables, &link), ..saved.pen };
            Saved { pen, ..saved }
        });
        screen
    }
}
