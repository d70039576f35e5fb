//! A terminal without window, pty, thread or clock: bytes in; cells, replies and notices out; keys
//! and mouse out as bytes. What it deliberately is not: a renderer, a process, or a place where
//! anybody decides what a notice means.

mod face;
mod history;
pub mod keys;
mod mouse;
mod style;
mod terminal;
mod view;

pub use face::{
    BlockKind, Cursor, CursorShape, Mark, Modes, Notice, NotificationSource, Options, Outbox, OuterColours,
    ProgramState, ProgramStatus, Progress, ProgressState, RestoreError, Size,
};
pub use history::{HeapBlocks, HistoryBlocks};
pub use mouse::{MouseButton, MouseEvent, MouseKind};
pub use style::{Attrs, Colour, Rgb, Style, Underline};
pub use terminal::Terminal;
pub use view::{Row, Run};
