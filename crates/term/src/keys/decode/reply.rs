//! Answers of the outer terminal as types. Reading them is `csi` and `strings`.

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
    /// CPR or DECXCPR, column and row from 0. Row 0 and column 1 to 7 of a plain CPR look like F3 with
    /// modifiers and are taken as that: ask by DECXCPR.
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
