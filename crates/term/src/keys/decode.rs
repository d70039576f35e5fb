//! Bytes of the outer terminal to events.

use super::KeyEvent;
use crate::mouse::MouseEvent;
use crate::style::Rgb;

/// An answer of the outer terminal to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// DA1: its numbers.
    PrimaryAttributes(Vec<u32>),
    /// DA2: its numbers.
    SecondaryAttributes(Vec<u32>),
    /// DA3: the unit's identifier, in hexadecimal.
    TertiaryAttributes(String),
    /// XTVERSION.
    Version(String),
    /// CPR, column and row from 0.
    CursorPosition {
        /// Column from 0.
        x: u16,
        /// Row from 0.
        y: u16,
    },
    /// OSC 10.
    Foreground(Rgb),
    /// OSC 11.
    Background(Rgb),
    /// OSC 12.
    CursorColour(Rgb),
    /// OSC 4.
    Palette(u8, Rgb),
    /// Flags of the kitty keyboard protocol.
    KittyFlags(u8),
    /// DECRPM: 0 unknown, 1 set, 2 reset, 3 always set, 4 never.
    Mode {
        /// The mode's number.
        mode: u32,
        /// DEC private, not ANSI.
        private: bool,
        /// The answer.
        value: u8,
    },
    /// CSI ? 997: dark or light.
    ColourScheme {
        /// Whether it is dark.
        dark: bool,
    },
    /// CSI 6 t: pixels of a cell, width and height.
    CellPixels(u16, u16),
    /// CSI 4 t: pixels of the text area, width and height.
    AreaPixels(u16, u16),
    /// CSI 8 t, or the report of mode 2048: columns and rows.
    AreaCells(u16, u16),
    /// XTGETTCAP: name and value, `None` when the terminal does not know it.
    Capability(String, Option<String>),
    /// OSC 52: decoded content of the clipboard.
    Clipboard(Vec<u8>),
    /// Another OSC.
    Osc(u32, String),
    /// DSR 0: the terminal is well.
    Ok,
    /// Something recognised as a report and not known further.
    Unknown(Vec<u8>),
}

/// What the outer terminal sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// A bracketed paste starts.
    PasteStart,
    /// A piece of it.
    Paste(Vec<u8>),
    /// It ends.
    PasteEnd,
    /// The outer terminal got the focus.
    FocusIn,
    /// It lost it.
    FocusOut,
    /// An answer to a query.
    Reply(Reply),
}

/// Reads events from bytes that arrive in any pieces.
#[derive(Debug, Default)]
pub struct Decoder {}

impl Decoder {
    /// A decoder at rest.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `bytes`; what is complete lands in `out`. When [`Decoder::pending`] says so afterwards, the
    /// owner waits a moment and calls [`Decoder::flush_escape`].
    pub fn feed(&mut self, _bytes: &[u8], _out: &mut Vec<Event>) {}

    /// Whether bytes are held that may be a key on their own (a lone ESC).
    pub fn pending(&self) -> bool {
        false
    }

    /// Time is up: a held ESC is the Escape key.
    pub fn flush_escape(&mut self, _out: &mut Vec<Event>) {}
}
