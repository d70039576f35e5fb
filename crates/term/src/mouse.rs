//! Mouse events and their bytes for a program, by the protocol it asked for. No decoding (that is
//! `keys::decode`) and no decision about who gets an event.

use crate::face::Modes;
use crate::keys::Mods;
use serde::{Deserialize, Serialize};
use std::io::Write;

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

/// Bits of a button's report.
fn button_bits(event: &MouseEvent) -> u16 {
    let held = match event.button {
        Some(MouseButton::Left) => 0,
        Some(MouseButton::Middle) => 1,
        Some(MouseButton::Right) => 2,
        Some(MouseButton::Other(n)) => 128 + u16::from(n.clamp(8, 11)) - 8,
        None => 3,
    };
    match event.kind {
        MouseKind::Press | MouseKind::Release => held,
        MouseKind::Move => held + 32,
        MouseKind::WheelUp => 64,
        MouseKind::WheelDown => 65,
        MouseKind::WheelLeft => 66,
        MouseKind::WheelRight => 67,
    }
}

/// Whether the program asked for such an event.
fn wanted(event: &MouseEvent, modes: Modes) -> bool {
    match event.kind {
        MouseKind::Press => modes.wants_mouse(),
        MouseKind::Move if modes.contains(Modes::MOUSE_MOTION) => true,
        MouseKind::Move => modes.contains(Modes::MOUSE_DRAG) && event.button.is_some(),
        // X10 compatibility knows presses only.
        _ => modes.intersects(Modes::MOUSE_CLICK | Modes::MOUSE_DRAG | Modes::MOUSE_MOTION),
    }
}

/// Appends the report of `event` in the form the program asked for; nothing if it did not.
pub(crate) fn encode(event: &MouseEvent, modes: Modes, pixels: (u16, u16), out: &mut Vec<u8>) {
    if !wanted(event, modes) {
        return;
    }
    let mut bits = button_bits(event);
    if !modes.contains(Modes::MOUSE_X10) {
        for (m, bit) in [(Mods::SHIFT, 4), (Mods::ALT, 8), (Mods::CTRL, 16)] {
            bits |= if event.mods.contains(m) { bit } else { 0 };
        }
    }
    let (x, y) = (u32::from(event.x) + 1, u32::from(event.y) + 1);
    if modes.intersects(Modes::SGR_MOUSE | Modes::PIXEL_MOUSE) {
        let (x, y) = if modes.contains(Modes::PIXEL_MOUSE) {
            // The middle of the cell: where in it the pointer stands is not known.
            let middle = |cell: u32, size: u16| (cell - 1) * u32::from(size) + u32::from(size) / 2 + 1;
            (middle(x, pixels.0), middle(y, pixels.1))
        } else {
            (x, y)
        };
        let last = if event.kind == MouseKind::Release { 'm' } else { 'M' };
        let _ = write!(out, "\x1b[<{bits};{x};{y}{last}");
        return;
    }
    if event.kind == MouseKind::Release {
        bits = bits & !3 & 0x1f | 3;
    }
    if modes.contains(Modes::URXVT_MOUSE) {
        let _ = write!(out, "\x1b[{};{x};{y}M", bits + 32);
        return;
    }
    let utf8 = modes.contains(Modes::UTF8_MOUSE);
    let limit = if utf8 { 2015 } else { 223 };
    // A place that has no byte is not reported at all: a wrong one would be worse.
    if x > limit || y > limit {
        return;
    }
    out.extend_from_slice(b"\x1b[M");
    for value in [u32::from(bits) + 32, x + 32, y + 32] {
        match char::from_u32(value).filter(|_| utf8) {
            Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.push(value as u8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(kind: MouseKind, modes: Modes) -> Vec<u8> {
        let event = MouseEvent { kind, button: Some(MouseButton::Left), x: 9, y: 4, mods: Mods::CTRL };
        let mut out = Vec::new();
        encode(&event, modes, (10, 20), &mut out);
        out
    }

    #[test]
    fn reports_in_the_form_asked_for() {
        let click = Modes::MOUSE_CLICK;
        assert_eq!(report(MouseKind::Press, Modes::empty()), b"");
        assert_eq!(report(MouseKind::Press, Modes::MOUSE_X10), b"\x1b[M *%");
        assert_eq!(report(MouseKind::Release, Modes::MOUSE_X10), b"");
        assert_eq!(report(MouseKind::Press, click | Modes::SGR_MOUSE), b"\x1b[<16;10;5M");
        assert_eq!(report(MouseKind::Release, click | Modes::SGR_MOUSE), b"\x1b[<16;10;5m");
        assert_eq!(report(MouseKind::Move, click | Modes::SGR_MOUSE), b"");
        assert_eq!(report(MouseKind::Move, Modes::MOUSE_DRAG | Modes::SGR_MOUSE), b"\x1b[<48;10;5M");
        assert_eq!(report(MouseKind::WheelUp, click | Modes::URXVT_MOUSE), b"\x1b[112;10;5M");
        assert_eq!(report(MouseKind::Release, click), [0x1b, b'[', b'M', 16 + 3 + 32, 42, 37]);
        assert_eq!(report(MouseKind::Press, click | Modes::PIXEL_MOUSE), b"\x1b[<16;96;91M");
    }
}
