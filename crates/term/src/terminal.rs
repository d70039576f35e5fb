//! The terminal's face: bytes in; cells, replies, notices out. It only joins the parts; what sequences
//! mean is behind `handler`, how rows are kept behind `grid`.

use crate::colours::Colours;
use crate::copied::Copied;
use crate::face::{Cursor, Modes, Options, Outbox, OuterColours, Progress, RestoreError, Size};
use crate::feed::Feeder;
use crate::grid::Grid;
use crate::handler::{Handler, Machine};
use crate::history::{HeapBlocks, History, HistoryBlocks};
use crate::keys::{KeyEvent, KeyModes, encode};
use crate::mouse::{self, MouseEvent};
use crate::snapshot::Snapshot;
use crate::view::Row;

/// A terminal.
pub struct Terminal {
    machine: Machine,
    feeder: Feeder,
    /// What `stamp` last covered besides rows.
    seen: Seen,
}

/// What shows and is not in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    cursor: Cursor,
    modes: Modes,
    title: String,
    icon: String,
    progress: Option<Progress>,
    colours: OuterColours,
    history: (u64, u64),
}

impl Terminal {
    /// A terminal whose history is on the heap. The size is clamped ([`Size::clamped`]).
    pub fn new(size: Size, options: Options) -> Self {
        let blocks = Box::new(HeapBlocks::for_lines(options.scrollback_lines));
        Self::with_history(size, options, blocks)
    }

    /// A terminal whose history is in `blocks`; rows found there are its history.
    pub fn with_history(size: Size, options: Options, blocks: Box<dyn HistoryBlocks>) -> Self {
        let size = size.clamped();
        let history = History::open(blocks, options.scrollback_lines, size.cols, u64::MAX);
        Self::assemble(Grid::new(size, history), options)
    }

    fn assemble(grid: Grid, options: Options) -> Self {
        let machine = Machine {
            grid,
            words: Default::default(),
            colours: Colours::new(options.colours),
            look: Default::default(),
            extras: Default::default(),
            name: crate::osc::clean(&options.name, 100),
            cell_pixels: options.cell_pixels,
        };
        let mut terminal = Self { machine, feeder: Feeder::default(), seen: Seen::default() };
        terminal.seen = terminal.look();
        terminal
    }

    /// Reads bytes of the program; what leaves the terminal is appended to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Outbox) {
        self.feeder.feed(bytes, &mut Handler { m: &mut self.machine, out });
        self.notice_change();
    }

    /// Takes another size: the primary screen and the history are re-wrapped, the alternate is not. The owner
    /// saves a snapshot soon after, since rows may have gone to or come from history.
    pub fn resize(&mut self, size: Size) {
        self.machine.grid.resize(size.clamped());
        self.notice_change();
    }

    /// Tells the program of its new size if it asked to be told in band (mode 2048).
    pub fn report_resize(&mut self, out: &mut Outbox) {
        if self.modes().contains(Modes::RESIZE_UPDATES) {
            Handler { m: &mut self.machine, out }.report_resize();
        }
    }

    /// The size in force.
    pub fn size(&self) -> Size {
        self.machine.grid.size
    }

    /// What the outer terminal answered about its colours.
    pub fn set_outer_colours(&mut self, colours: OuterColours) {
        self.machine.colours.outer = colours;
    }

    /// The colours the program itself set, for whoever draws.
    pub fn program_colours(&self) -> OuterColours {
        self.machine.colours.set_by_program()
    }

    /// The outer terminal became dark or light; told to the program if it asked (mode 2031).
    pub fn set_colour_scheme(&mut self, dark: bool, out: &mut Outbox) {
        let known = self.machine.extras.dark.replace(dark);
        if known != Some(dark) && self.modes().contains(Modes::COLOUR_SCHEME_UPDATES) {
            Handler { m: &mut self.machine, out }.report_scheme();
        }
    }

    /// Pixels of one cell.
    pub fn set_cell_pixels(&mut self, width: u16, height: u16) {
        self.machine.cell_pixels = (width, height);
    }

    /// The cursor.
    pub fn cursor(&self) -> Cursor {
        let grid = &self.machine.grid;
        Cursor {
            x: grid.cursor.x as u16,
            y: grid.cursor.y as u16,
            visible: grid.modes.contains(Modes::CURSOR_VISIBLE),
            shape: self.machine.look.shape,
            blink: grid.modes.contains(Modes::CURSOR_BLINK),
        }
    }

    /// The modes in force.
    pub fn modes(&self) -> Modes {
        Handler::shown_modes(&self.machine)
    }

    /// The title; empty when none was set.
    pub fn title(&self) -> &str {
        &self.machine.words.title
    }

    /// The icon name; empty when none was set.
    pub fn icon(&self) -> &str {
        &self.machine.words.icon
    }

    /// The working folder as OSC 7 gave it: a URL as a rule.
    pub fn cwd(&self) -> Option<&str> {
        self.machine.words.cwd.as_deref()
    }

    /// Progress by OSC 9;4.
    pub fn progress(&self) -> Option<Progress> {
        self.machine.words.progress
    }

    /// Grows whenever anything visible changed: rows, cursor, modes, title.
    pub fn stamp(&self) -> u64 {
        self.machine.grid.clock
    }

    /// A value for row `y`'s content: another one once the row changes, the same while it only scrolls.
    pub fn row_stamp(&self, y: u16) -> u64 {
        self.machine.grid.screen.lines.get(usize::from(y)).map_or(0, |l| l.stamp)
    }

    /// Row `y` of the live screen; an empty one below it.
    pub fn row(&self, y: u16) -> Row<'_> {
        match self.machine.grid.screen.lines.get(usize::from(y)) {
            Some(line) => self.machine.grid.shown(line),
            None => Row::empty(),
        }
    }

    /// Rows of history at the current width. The alternate screen has none.
    pub fn history_len(&self) -> usize {
        if self.machine.grid.alt() { 0 } else { self.machine.grid.history.len() }
    }

    /// Rows of history with those a program cleared (CSI 3 J) that are still held. A reader who was scrolled
    /// up when that happened stays where he is: offsets up to this are good for [`Terminal::view_row`].
    pub fn held_len(&self) -> usize {
        if self.machine.grid.alt() { 0 } else { self.machine.grid.history.held() }
    }

    /// Nobody is scrolled up among cleared rows: their memory is free. Called on
    /// [`crate::Notice::HistoryCleared`], or once the last such reader went back down.
    pub fn drop_cleared(&mut self) {
        self.machine.grid.history.drop_cleared();
    }

    /// Row `y` of the screen scrolled up by `offset` rows (at most [`Terminal::held_len`]).
    pub fn view_row(&self, offset: usize, y: u16) -> Row<'_> {
        match self.place(offset, y) {
            Place::Live(y) => self.row(y),
            Place::History(at) => match self.machine.grid.history.row(at) {
                Some(rebuilt) => Row::rebuilt(rebuilt, self.machine.grid.cols()),
                None => Row::empty(),
            },
        }
    }

    /// The stamp of that row.
    pub fn view_row_stamp(&self, offset: usize, y: u16) -> u64 {
        match self.place(offset, y) {
            Place::Live(y) => self.row_stamp(y),
            Place::History(at) => self.machine.grid.history.row_stamp(at),
        }
    }

    fn place(&self, offset: usize, y: u16) -> Place {
        let len = self.held_len();
        let offset = offset.min(len);
        let y = usize::from(y);
        if y >= offset { Place::Live((y - offset) as u16) } else { Place::History(len - offset + y) }
    }

    /// Rows ever pushed to history, less those a resize took back. A reader scrolled up by `n` stays where
    /// he is by adding what this grew by.
    pub fn lines_scrolled(&self) -> u64 {
        self.machine.grid.history.next()
    }

    /// The last `lines` logical lines, history included: soft-wrapped rows joined, blank ends of lines and
    /// blank lines at the end dropped, every line ended by a newline. On the alternate screen only that.
    pub fn text(&self, lines: usize) -> String {
        self.machine.grid.text(lines, false)
    }

    /// The same with SGR sequences.
    pub fn text_ansi(&self, lines: usize) -> String {
        self.machine.grid.text(lines, true)
    }

    /// The visible rows as text without trailing blanks.
    pub fn screen_lines(&self) -> Vec<String> {
        self.machine.grid.screen.lines.iter().map(|l| self.machine.grid.shown(l).text()).collect()
    }

    /// The visible rows, each ended by a newline, with SGR sequences and nothing else: soft-wrapped rows stay
    /// apart, blanks at the end of a row are kept when they have a style.
    pub fn screen_ansi(&self) -> String {
        self.machine.grid.screen_ansi()
    }

    /// Whether the program is in the middle of a synchronized frame (mode 2026): show the last one.
    pub fn sync_pending(&self) -> bool {
        self.machine.grid.modes.contains(Modes::SYNC)
    }

    /// The frame took too long: show what there is. The mode ends, as if the program had ended it.
    pub fn release_sync(&mut self) {
        self.machine.grid.modes.remove(Modes::SYNC);
        self.notice_change();
    }

    /// Appends a snapshot: everything but the history, which lives in its blocks.
    pub fn save(&self, to: &mut Vec<u8>) {
        Snapshot::save(&self.machine, &self.feeder, to);
    }

    /// All that is shown and held, copied: for work on it elsewhere while this terminal goes on. Costs a
    /// snapshot and a copy of the history's memory.
    pub fn copy(&self) -> Copied {
        let mut snapshot = Vec::new();
        self.save(&mut snapshot);
        Copied { snapshot, blocks: self.machine.grid.history.copy() }
    }

    /// The terminal as it was saved. Rows that went to history after the snapshot are dropped there: the
    /// bytes that pushed them are expected to be fed again.
    pub fn restore(
        bytes: &[u8],
        options: Options,
        blocks: Box<dyn HistoryBlocks>,
    ) -> Result<Self, RestoreError> {
        let image = Snapshot::read(bytes)?;
        let size = image.grid.size;
        let mut history = History::open(blocks, options.scrollback_lines, size.cols, image.grid.history);
        history.resume(image.grid.history, image.grid.native, image.grid.cleared);
        let mut grid = Grid::new(size, history);
        image.grid.into_grid(&mut grid);
        let mut terminal = Self::assemble(grid, options);
        let outer = std::mem::take(&mut terminal.machine.colours.outer);
        terminal.machine.colours = image.colours;
        terminal.machine.colours.outer = outer;
        terminal.machine.words = image.words;
        terminal.machine.look = image.look;
        terminal.machine.extras = image.extras;
        terminal.feeder = image.feeder;
        terminal.seen = terminal.look();
        Ok(terminal)
    }

    /// Always true: what is half read is part of a snapshot.
    pub fn at_ground(&self) -> bool {
        true
    }

    /// Appends the bytes of a key by the program's modes; nothing for a key it cannot be told of.
    pub fn encode_key(&self, key: &KeyEvent, out: &mut Vec<u8>) {
        let modes = self.machine.grid.modes;
        let shape = KeyModes {
            kitty: self.machine.grid.screen.kitty.flags(),
            other: self.machine.extras.modify_other_keys,
            modes,
        };
        encode(key, shape, out);
    }

    /// Appends the bytes of a mouse event by the program's modes; nothing when it did not ask.
    pub fn encode_mouse(&self, event: &MouseEvent, out: &mut Vec<u8>) {
        mouse::encode(event, self.machine.grid.modes, self.machine.cell_pixels, out);
    }

    /// Appends a paste: bracketed when the program asked (an end marker inside loses its ESC), else with
    /// line feeds as carriage returns.
    pub fn encode_paste(&self, text: &[u8], out: &mut Vec<u8>) {
        crate::keys::encode_paste(text, self.modes().contains(Modes::BRACKETED_PASTE), out);
    }

    /// Appends a focus report if the program asked.
    pub fn encode_focus(&self, gained: bool, out: &mut Vec<u8>) {
        if self.modes().contains(Modes::FOCUS_EVENTS) {
            out.extend_from_slice(if gained { b"\x1b[I" } else { b"\x1b[O" });
        }
    }

    fn look(&self) -> Seen {
        Seen {
            cursor: self.cursor(),
            modes: self.modes(),
            title: self.machine.words.title.clone(),
            icon: self.machine.words.icon.clone(),
            progress: self.machine.words.progress,
            colours: self.program_colours(),
            history: self.machine.grid.history.span(),
        }
    }

    /// Lets the stamp grow when something besides rows changed.
    fn notice_change(&mut self) {
        let now = self.look();
        if now != self.seen {
            self.seen = now;
            self.machine.grid.tick();
        }
    }
}

enum Place {
    Live(u16),
    /// Counted from the oldest row.
    History(usize),
}
