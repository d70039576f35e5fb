//! Mouse events and their bytes for a program, by the protocol it asked for. No decoding (that is
//! `keys::decode`) and no decision about who gets an event.

use crate::keys::Mods;
use serde::{Deserialize, Serialize};

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MouseKind {
    /// A button went down.
    Press,
    /// A button went up.
    Release,
    /// The pointer moved; `button` is what is held.
    Move,
    /// Wheel away from the user.
    WheelUp,
    /// Wheel towards the user.
    WheelDown,
    /// Wheel to the left.
    WheelLeft,
    /// Wheel to the right.
    WheelRight,
}

/// A mouse button.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MouseButton {
    /// Button 1.
    Left,
    /// Button 2.
    Middle,
    /// Button 3.
    Right,
    /// Buttons 8 to 11.
    Other(u8),
}

/// One mouse event in cells from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MouseEvent {
    /// What happened.
    pub kind: MouseKind,
    /// Which button, for press, release and a move with one held.
    pub button: Option<MouseButton>,
    /// Column from 0.
    pub x: u16,
    /// Row from 0.
    pub y: u16,
    /// Shift, alt, control.
    pub mods: Mods,
}

pub(crate) fn encode(_event: &MouseEvent, _modes: crate::face::Modes, _pixels: (u16, u16), _out: &mut Vec<u8>) {}
