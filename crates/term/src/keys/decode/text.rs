//! Bytes that are no sequence: characters and control bytes to keys.

use super::{Event, Step};
use crate::keys::{KeyCode, KeyEvent, Mods};

/// The key at the start of `bytes`.
pub(super) fn step(bytes: &[u8]) -> Step {
    let first = bytes[0];
    let key = match first {
        0x0d => KeyEvent::new(KeyCode::Enter, Mods::empty()),
        0x09 => KeyEvent::new(KeyCode::Tab, Mods::empty()),
        0x7f => KeyEvent::new(KeyCode::Backspace, Mods::empty()),
        0x1b => KeyEvent::new(KeyCode::Escape, Mods::empty()),
        0x00 => KeyEvent::new(KeyCode::Char(' '), Mods::CTRL),
        0x01..=0x1a => KeyEvent::new(KeyCode::Char((first + 0x60) as char), Mods::CTRL),
        0x1c..=0x1f => KeyEvent::new(KeyCode::Char((first + 0x40) as char), Mods::CTRL),
        0x20..=0x7e => character(first as char),
        _ => return multi(bytes),
    };
    Step::Done(Some(Event::Key(key)), 1)
}

fn multi(bytes: &[u8]) -> Step {
    let len = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        // No character: a stray byte is nobody's key.
        _ => return Step::Done(None, 1),
    };
    let have = &bytes[..len.min(bytes.len())];
    match std::str::from_utf8(have) {
        Ok(text) => {
            let c = text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
            Step::Done((!c.is_control()).then(|| Event::Key(character(c))), len)
        }
        Err(e) if e.error_len().is_none() => Step::More,
        Err(e) => Step::Done(None, e.error_len().unwrap_or(1)),
    }
}

/// The key of a character: a capital is its letter with shift.
pub(super) fn character(c: char) -> KeyEvent {
    let mut key = KeyEvent::char(c);
    let mut lower = c.to_lowercase();
    if let (Some(l), None) = (lower.next(), lower.next())
        && l != c
    {
        key.code = KeyCode::Char(l);
        key.mods = Mods::SHIFT;
        key.shifted = Some(c);
    }
    key
}
