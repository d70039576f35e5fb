//! A terminal without window, pty, thread or clock: bytes in; cells, replies and notices out; keys
//! and mouse out as bytes. What it deliberately is not: a renderer, a process, or a place where
//! anybody decides what a notice means.
//!
//! Bytes go through `feed` to the `handler` (control sequences in `csi`, `sgr`, `modes`; strings in `osc`
//! and `dcs`; answers in `reply`), which changes the `grid` (`print`, `edit`, `reflow`); rows that leave
//! the screen are encoded into the blocks of `history`.

mod cell;
mod charset;
mod colours;
mod copied;
mod csi;
mod dcs;
mod edit;
mod esc;
mod face;
mod feed;
mod grid;
mod handler;
mod history;
pub mod keys;
mod modes;
mod mouse;
mod osc;
mod params;
mod print;
mod reflow;
mod reply;
mod row;
mod sgr;
mod snapshot;
mod style;
mod tables;
mod terminal;
mod text;
mod view;
mod width;

pub use copied::Copied;
pub use face::{
    BlockKind, Cursor, CursorShape, Mark, Modes, Notice, NotificationSource, Options, Outbox, OuterColours,
    ProgramState, ProgramStatus, Progress, ProgressState, RestoreError, Size,
};
pub use history::{HeapBlocks, HistoryBlocks};
pub use mouse::{MouseButton, MouseEvent, MouseKind};
pub use style::{Attrs, Colour, Rgb, Style, Underline};
pub use terminal::Terminal;
pub use view::{Row, Run};
pub use width::char_width;
