//! The small public types of the terminal's face: sizes, options, cursor, modes, notices.
//! No behaviour beyond clamping; the terminal itself is `terminal`.

use crate::style::Rgb;
use bitflags::bitflags;
use serde::{Deserialize, Serialize};

/// Columns and rows of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Size {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

impl Size {
    /// The largest size a grid takes, in either direction.
    pub const MAX: u16 = 1000;

    /// The size the grid really takes: at least 1×1, at most [`Size::MAX`] each way.
    pub fn clamped(self) -> Self {
        Self { cols: self.cols.clamp(1, Self::MAX), rows: self.rows.clamp(1, Self::MAX) }
    }
}

impl Default for Size {
    fn default() -> Self {
        Self { cols: 80, rows: 24 }
    }
}

/// What the outer terminal said about its colours; answers queries the program did not override.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OuterColours {
    /// OSC 10.
    pub fg: Option<Rgb>,
    /// OSC 11.
    pub bg: Option<Rgb>,
    /// OSC 12.
    pub cursor: Option<Rgb>,
    /// OSC 4 answers that differ from xterm's palette: (index, colour).
    pub palette: Vec<(u8, Rgb)>,
}

/// What a terminal is made with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Rows kept in history.
    pub scrollback_lines: usize,
    /// Answer to XTVERSION, such as `kraal 0.1.0`.
    pub name: String,
    /// The outer terminal's colours.
    pub colours: OuterColours,
    /// Pixels of one cell, width and height, for size reports and pixel mouse reports.
    pub cell_pixels: (u16, u16),
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scrollback_lines: 10_000,
            name: concat!("kraal ", env!("CARGO_PKG_VERSION")).to_owned(),
            colours: OuterColours::default(),
            cell_pixels: (10, 20),
        }
    }
}

/// The shape DECSCUSR asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CursorShape {
    /// A filled cell.
    #[default]
    Block,
    /// A line under the cell.
    Underline,
    /// A bar before the cell.
    Bar,
}

/// Where the cursor is and how it shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cursor {
    /// Column from 0; always inside the grid.
    pub x: u16,
    /// Row from 0.
    pub y: u16,
    /// DECTCEM.
    pub visible: bool,
    /// Shape asked for.
    pub shape: CursorShape,
    /// Whether it should blink.
    pub blink: bool,
}

bitflags! {
    /// The modes a program has set.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Modes: u64 {
        /// 47, 1047 or 1049: the alternate screen is shown.
        const ALT_SCREEN = 1;
        /// 2004.
        const BRACKETED_PASTE = 1 << 1;
        /// 1004.
        const FOCUS_EVENTS = 1 << 2;
        /// 9.
        const MOUSE_X10 = 1 << 3;
        /// 1000.
        const MOUSE_CLICK = 1 << 4;
        /// 1002.
        const MOUSE_DRAG = 1 << 5;
        /// 1003.
        const MOUSE_MOTION = 1 << 6;
        /// 1005.
        const UTF8_MOUSE = 1 << 7;
        /// 1006.
        const SGR_MOUSE = 1 << 8;
        /// 1015.
        const URXVT_MOUSE = 1 << 9;
        /// 1016.
        const PIXEL_MOUSE = 1 << 10;
        /// 1007: the wheel sends arrows on the alternate screen.
        const ALT_SCROLL = 1 << 11;
        /// 1 (DECCKM).
        const APP_CURSOR = 1 << 12;
        /// 66 or ESC = (DECKPAM).
        const APP_KEYPAD = 1 << 13;
        /// 2026: a frame is being written.
        const SYNC = 1 << 14;
        /// 5 (DECSCNM): the screen is shown reversed.
        const REVERSE_SCREEN = 1 << 15;
        /// 6 (DECOM).
        const ORIGIN = 1 << 16;
        /// 7 (DECAWM).
        const AUTOWRAP = 1 << 17;
        /// 4 (IRM).
        const INSERT = 1 << 18;
        /// 20 (LNM).
        const NEWLINE = 1 << 19;
        /// 45.
        const REVERSE_WRAP = 1 << 20;
        /// 69 (DECLRMM).
        const LR_MARGINS = 1 << 21;
        /// 25 (DECTCEM).
        const CURSOR_VISIBLE = 1 << 22;
        /// 12.
        const CURSOR_BLINK = 1 << 23;
        /// 2031: tell the program when the colour scheme changes.
        const COLOUR_SCHEME_UPDATES = 1 << 24;
        /// 2048: tell the program of resizes in band.
        const RESIZE_UPDATES = 1 << 25;
        /// 67 (DECBKM): backspace sends BS.
        const BACKARROW = 1 << 26;
        /// The kitty keyboard protocol has flags set on the shown screen.
        const KITTY_KEYBOARD = 1 << 27;
        /// modifyOtherKeys 1 or 2 is on.
        const MODIFY_OTHER_KEYS = 1 << 28;
        /// 40: 80 and 132 columns allowed (recorded, without effect).
        const ALLOW_COLUMNS = 1 << 29;
        /// 8 (DECARM), recorded only.
        const AUTO_REPEAT = 1 << 30;
        /// 1042: urgency on bell, recorded only.
        const BELL_URGENT = 1 << 31;
        /// 1035, recorded only.
        const NUM_LOCK = 1 << 32;
        /// 1036: alt sends escape, recorded only.
        const META_ESC = 1 << 33;
        /// 3 (DECCOLM), recorded only.
        const COLUMNS_132 = 1 << 34;
        /// 95 (DECNCSM): DECCOLM does not clear the screen, recorded only.
        const NO_CLEAR_ON_COLUMNS = 1 << 35;
        /// 4 (DECSCLM), recorded only.
        const SMOOTH_SCROLL = 1 << 36;
        /// 12 (SRM): local echo off, recorded only.
        const NO_LOCAL_ECHO = 1 << 37;
        /// 2 (KAM), recorded only.
        const KEYBOARD_LOCKED = 1 << 38;
        /// 1045: extended reverse wrap.
        const EXTENDED_REVERSE_WRAP = 1 << 39;
        /// 2 (DECANM) off would be VT52, which is not built; recorded only.
        const ANSI = 1 << 40;
    }
}

impl Modes {
    /// Whether any mouse reporting is on.
    pub fn wants_mouse(self) -> bool {
        self.intersects(Self::MOUSE_X10 | Self::MOUSE_CLICK | Self::MOUSE_DRAG | Self::MOUSE_MOTION)
    }
}

/// State of OSC 9;4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProgressState {
    /// 1: running.
    Normal,
    /// 2: failed.
    Error,
    /// 3: running, no percentage.
    Indeterminate,
    /// 4: paused or warning.
    Paused,
}

/// A program's progress as OSC 9;4 tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Progress {
    /// Kind of progress.
    pub state: ProgressState,
    /// 0–100, where the program said it.
    pub percent: Option<u8>,
}

/// Which sequence a notification came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NotificationSource {
    /// OSC 9 (iTerm2).
    Osc9,
    /// OSC 777 (urxvt).
    Osc777,
    /// OSC 99 (kitty).
    Osc99,
}

/// A shell's mark, OSC 133.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// A: the prompt starts.
    Prompt,
    /// B: the command line starts.
    Command,
    /// C: the command's output starts.
    Output,
    /// D: the command ended, with its exit status if given.
    End(Option<i32>),
}

/// State of a program by the Program Status Protocol (OSC 7501).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProgramState {
    /// Waiting for its next task.
    Idle,
    /// Busy.
    Working,
    /// Needs a person.
    Blocked,
    /// Finished a task.
    Done,
    /// Failed.
    Error,
    /// The record is withdrawn.
    Clear,
}

/// Why a program is blocked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BlockKind {
    /// It asks for leave.
    Permission,
    /// It asks a question.
    Question,
    /// It wants a sign-in.
    Auth,
    /// A word not known here.
    Other(String),
}

/// One report of the Program Status Protocol (seen from Codex 0.171, Claude Code 2.1.332).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProgramStatus {
    /// The state.
    pub state: ProgramState,
    /// With `Blocked`: why.
    pub kind: Option<BlockKind>,
    /// The program's own name.
    pub app: Option<String>,
    /// The message, decoded and cleaned of control characters.
    pub msg: Option<String>,
    /// Child record (a subagent); `None` is the program itself.
    pub id: Option<String>,
    /// Title of a child record.
    pub title: Option<String>,
    /// 0–100 if given.
    pub progress: Option<u8>,
}

/// Something the bytes said that is not on the screen. All strings are valid UTF-8, free of control
/// characters and bounded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Notice {
    /// BEL.
    Bell,
    /// The title changed (OSC 0 or 2, or a title popped).
    Title(String),
    /// The icon name changed (OSC 0 or 1).
    Icon(String),
    /// OSC 7: the working folder as the program wrote it, a `file://` URL as a rule.
    Cwd(String),
    /// A desktop notification.
    Notification {
        /// Identifier (OSC 99).
        id: Option<String>,
        /// First line; empty where the sequence has none.
        title: String,
        /// Text.
        body: String,
        /// Which sequence.
        source: NotificationSource,
    },
    /// OSC 9;4; `None` removes it.
    Progress(Option<Progress>),
    /// OSC 52 with data; never empty.
    ClipboardSet {
        /// The selection letters as written, `c` when left out.
        selection: String,
        /// Decoded bytes.
        data: Vec<u8>,
    },
    /// OSC 52 with `?`. The owner answers, or does not.
    ClipboardQuery {
        /// The selection letters as written, `c` when left out.
        selection: String,
    },
    /// OSC 133.
    PromptMark(Mark),
    /// OSC 7501.
    ProgramStatus(ProgramStatus),
    /// Mode 2026 set.
    SyncStarted,
    /// Mode 2026 reset, or released by a reset of the terminal.
    SyncEnded,
    /// CSI 3 J emptied the history.
    HistoryCleared,
    /// An OSC this terminal does not act on and someone may know.
    Osc {
        /// The number.
        number: u32,
        /// Everything after the first semicolon.
        payload: String,
    },
}

/// Everything that leaves a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outbox {
    /// Bytes for the program, in order.
    pub replies: Vec<u8>,
    /// What was said beside the screen, in order.
    pub notices: Vec<Notice>,
}

impl Outbox {
    /// Empties both without giving up their memory.
    pub fn clear(&mut self) {
        self.replies.clear();
        self.notices.clear();
    }
}

/// Why a snapshot could not be restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreError {
    /// The bytes are not a snapshot of a terminal.
    NotASnapshot,
    /// The snapshot was written by a version this one does not read.
    Version(u16),
    /// The bytes are damaged.
    Damaged,
}

impl std::fmt::Display for RestoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotASnapshot => {
                f.write_str("these bytes are not a terminal snapshot; start the pane afresh")
            }
            Self::Version(v) => {
                write!(f, "terminal snapshot version {v} is not known here; use the kraal that wrote it")
            }
            Self::Damaged => f.write_str("the terminal snapshot is damaged; start the pane afresh"),
        }
    }
}

impl std::error::Error for RestoreError {}
