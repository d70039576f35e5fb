//! The terminal: bytes in; cells, replies, notices out.

use crate::face::{Cursor, Modes, Options, Outbox, OuterColours, Progress, RestoreError, Size};
use crate::history::{HeapBlocks, HistoryBlocks};
use crate::keys::KeyEvent;
use crate::mouse::MouseEvent;
use crate::view::Row;

/// A terminal.
pub struct Terminal {
    size: Size,
}

#[allow(unused_variables, clippy::needless_pass_by_value, missing_docs)]
impl Terminal {
    pub fn new(size: Size, options: Options) -> Self {
        let blocks = Box::new(HeapBlocks::for_lines(options.scrollback_lines));
        Self::with_history(size, options, blocks)
    }
    pub fn with_history(size: Size, options: Options, blocks: Box<dyn HistoryBlocks>) -> Self {
        Self { size: size.clamped() }
    }
    pub fn feed(&mut self, bytes: &[u8], out: &mut Outbox) {}
    pub fn resize(&mut self, size: Size) {}
    pub fn report_resize(&self, out: &mut Outbox) {}
    pub fn size(&self) -> Size {
        self.size
    }
    pub fn set_outer_colours(&mut self, colours: OuterColours) {}
    pub fn set_colour_scheme(&mut self, dark: bool, out: &mut Outbox) {}
    pub fn set_cell_pixels(&mut self, width: u16, height: u16) {}
    pub fn cursor(&self) -> Cursor {
        Cursor::default()
    }
    pub fn modes(&self) -> Modes {
        Modes::default()
    }
    pub fn title(&self) -> &str {
        ""
    }
    pub fn icon(&self) -> &str {
        ""
    }
    pub fn cwd(&self) -> Option<&str> {
        None
    }
    pub fn progress(&self) -> Option<Progress> {
        None
    }
    pub fn stamp(&self) -> u64 {
        0
    }
    pub fn row_stamp(&self, y: u16) -> u64 {
        0
    }
    pub fn row(&self, y: u16) -> Row<'_> {
        Row { _p: std::marker::PhantomData }
    }
    pub fn history_len(&self) -> usize {
        0
    }
    pub fn view_row(&self, offset: usize, y: u16) -> Row<'_> {
        Row { _p: std::marker::PhantomData }
    }
    pub fn view_row_stamp(&self, offset: usize, y: u16) -> u64 {
        0
    }
    pub fn lines_scrolled(&self) -> u64 {
        0
    }
    pub fn text(&self, lines: usize) -> String {
        String::new()
    }
    pub fn text_ansi(&self, lines: usize) -> String {
        String::new()
    }
    pub fn screen_lines(&self) -> Vec<String> {
        Vec::new()
    }
    pub fn sync_pending(&self) -> bool {
        false
    }
    pub fn release_sync(&mut self) {}
    pub fn save(&self, to: &mut Vec<u8>) {}
    pub fn restore(
        bytes: &[u8],
        options: Options,
        blocks: Box<dyn HistoryBlocks>,
    ) -> Result<Self, RestoreError> {
        Err(RestoreError::NotASnapshot)
    }
    pub fn at_ground(&self) -> bool {
        true
    }
    pub fn encode_key(&self, key: &KeyEvent, out: &mut Vec<u8>) {}
    pub fn encode_mouse(&self, mouse: &MouseEvent, out: &mut Vec<u8>) {}
    pub fn encode_paste(&self, text: &[u8], out: &mut Vec<u8>) {}
    pub fn encode_focus(&self, gained: bool, out: &mut Vec<u8>) {}
}
