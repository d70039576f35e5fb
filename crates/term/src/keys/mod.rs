//! Keys: what a key event is, and beside it how events are read from an outer terminal (`decode`),
//! written for a program (`encode`), named (`name`) and carried between client and server (`wire`).
//! No keymap: what a key means is the client's business.

mod codes;
mod decode;
mod encode;
mod name;
mod stack;
mod wire;

pub use decode::{Decoder, Event, Reply};
pub(crate) use encode::{KeyModes, encode, encode_paste};
pub use name::{KeyNameError, parse_name};
pub(crate) use stack::KeyStack;

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

bitflags! {
    /// Modifier keys, with kitty's bits.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    pub struct Mods: u8 {
        /// Shift.
        const SHIFT = 1;
        /// Alt or option.
        const ALT = 2;
        /// Control.
        const CTRL = 4;
        /// Super, command or windows.
        const SUPER = 8;
        /// Hyper.
        const HYPER = 16;
        /// Meta.
        const META = 32;
        /// Caps lock is on.
        const CAPS_LOCK = 64;
        /// Num lock is on.
        const NUM_LOCK = 128;
    }
}

impl Mods {
    /// Without the locks.
    pub fn held(self) -> Self {
        self.difference(Self::CAPS_LOCK | Self::NUM_LOCK)
    }
}

/// Which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum KeyCode {
    /// A key that gives text; the character without shift.
    Char(char),
    /// Enter.
    Enter,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Insert.
    Insert,
    /// Delete.
    Delete,
    /// F1 to F35.
    F(u8),
    /// A key of the keypad.
    Keypad(Keypad),
    /// Any other key of the kitty protocol, by its number (57358 caps lock … 57454): locks, print
    /// screen, pause, menu, media keys, and modifiers pressed alone.
    Other(u32),
}

/// Keys of the keypad, in kitty's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Keypad {
    Digit(u8),
    Decimal,
    Divide,
    Multiply,
    Subtract,
    Add,
    Enter,
    Equal,
    Separator,
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Insert,
    Delete,
    Begin,
}

/// Press, repeat or release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyKind {
    /// Went down.
    #[default]
    Press,
    /// Held.
    Repeat,
    /// Went up.
    Release,
}

/// One key event, as much of it as the outer terminal told.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyEvent {
    /// Which key.
    pub code: KeyCode,
    /// What was held.
    pub mods: Mods,
    /// Press, repeat or release.
    pub kind: KeyKind,
    /// The text the key gives, if told.
    pub text: Option<String>,
    /// The character with shift, if told (kitty's first alternate).
    pub shifted: Option<char>,
    /// The key's character on the standard layout, if told (kitty's second alternate).
    pub base: Option<char>,
}

impl KeyEvent {
    /// A press with nothing known but code and modifiers.
    pub fn new(code: KeyCode, mods: Mods) -> Self {
        Self { code, mods, kind: KeyKind::Press, text: None, shifted: None, base: None }
    }

    /// A press of a character key that gives its own character as text.
    pub fn char(c: char) -> Self {
        let mut key = Self::new(KeyCode::Char(c), Mods::empty());
        key.text = Some(c.to_string());
        key
    }

    /// Compact canonical bytes between client and server, appended to `out`.
    pub fn to_wire(&self, out: &mut Vec<u8>) {
        wire::write(self, out);
    }

    /// Reads one event written by [`KeyEvent::to_wire`]; `None` if it is not one. Also returns the
    /// number of bytes used.
    pub fn from_wire(bytes: &[u8]) -> Option<(Self, usize)> {
        wire::read(bytes)
    }

    /// Whether this is the key a keymap calls `wanted`: the same key and modifiers, or the same character
    /// come about with shift, or the same place of a keyboard whose letters are not Latin.
    pub fn is(&self, wanted: &Self) -> bool {
        let mods = self.mods.held();
        if (self.code, mods) == (wanted.code, wanted.mods.held()) {
            return true;
        }
        let KeyCode::Char(c) = wanted.code else { return false };
        let by_shift = self.shifted == Some(c)
            && mods.contains(Mods::SHIFT)
            && mods.difference(Mods::SHIFT) == wanted.mods.held().difference(Mods::SHIFT);
        let by_place = self.base == Some(c)
            && mods == wanted.mods.held()
            && matches!(self.code, KeyCode::Char(own) if !own.is_ascii());
        by_shift || by_place
    }

    /// The same key for comparing with a keymap: no kind, text, alternates or locks.
    pub fn bare(&self) -> Self {
        Self::new(self.code, self.mods.held())
    }
}
