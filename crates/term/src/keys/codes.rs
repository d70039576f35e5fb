//! Numbers of keys in the kitty keyboard protocol, and the legacy numbers of CSI … ~. One table for
//! reading, writing and the wire. Not here: the names people write (`name`).

use super::{KeyCode, Keypad};

/// Keys with numbers 57348 to 57357.
const MOVES: [KeyCode; 10] = [
    KeyCode::Insert,
    KeyCode::Delete,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
];

/// Keys of the keypad with numbers from 57409.
const KEYPAD: [Keypad; 19] = [
    Keypad::Decimal,
    Keypad::Divide,
    Keypad::Multiply,
    Keypad::Subtract,
    Keypad::Add,
    Keypad::Enter,
    Keypad::Equal,
    Keypad::Separator,
    Keypad::Left,
    Keypad::Right,
    Keypad::Up,
    Keypad::Down,
    Keypad::PageUp,
    Keypad::PageDown,
    Keypad::Home,
    Keypad::End,
    Keypad::Insert,
    Keypad::Delete,
    Keypad::Begin,
];

const FIRST: u32 = 57344;
const LAST: u32 = 57454;
const F1: u32 = 57364;
const KP_0: u32 = 57399;
const KP_DECIMAL: u32 = 57409;

/// The key of a number of the protocol.
pub(super) fn from_number(n: u32) -> Option<KeyCode> {
    match n {
        27 | 57344 => Some(KeyCode::Escape),
        13 | 57345 => Some(KeyCode::Enter),
        9 | 57346 => Some(KeyCode::Tab),
        127 | 57347 => Some(KeyCode::Backspace),
        57348..=57357 => Some(MOVES[(n - 57348) as usize]),
        F1..KP_0 => Some(KeyCode::F((n - F1 + 1) as u8)),
        KP_0..KP_DECIMAL => Some(KeyCode::Keypad(Keypad::Digit((n - KP_0) as u8))),
        KP_DECIMAL..57428 => Some(KeyCode::Keypad(KEYPAD[(n - KP_DECIMAL) as usize])),
        FIRST..=LAST => Some(KeyCode::Other(n)),
        _ => char::from_u32(n).filter(|c| !c.is_control()).map(KeyCode::Char),
    }
}

/// The number of a key.
pub(super) fn number(code: KeyCode) -> u32 {
    match code {
        KeyCode::Char(c) => c as u32,
        KeyCode::Escape => 27,
        KeyCode::Enter => 13,
        KeyCode::Tab => 9,
        KeyCode::Backspace => 127,
        KeyCode::F(n) => F1 + u32::from(n.clamp(1, 35)) - 1,
        KeyCode::Keypad(Keypad::Digit(d)) => KP_0 + u32::from(d.min(9)),
        KeyCode::Keypad(key) => KP_DECIMAL + KEYPAD.iter().position(|k| *k == key).map_or(0, |i| i as u32),
        KeyCode::Other(n) => n,
        other => 57348 + MOVES.iter().position(|k| *k == other).map_or(0, |i| i as u32),
    }
}

/// Numbers of `CSI n ~` with their keys; the first of a key is the one written.
const TILDE: [(u16, KeyCode); 30] = [
    (2, KeyCode::Insert),
    (3, KeyCode::Delete),
    (5, KeyCode::PageUp),
    (6, KeyCode::PageDown),
    (15, KeyCode::F(5)),
    (17, KeyCode::F(6)),
    (18, KeyCode::F(7)),
    (19, KeyCode::F(8)),
    (20, KeyCode::F(9)),
    (21, KeyCode::F(10)),
    (23, KeyCode::F(11)),
    (24, KeyCode::F(12)),
    (25, KeyCode::F(13)),
    (26, KeyCode::F(14)),
    (28, KeyCode::F(15)),
    (29, KeyCode::F(16)),
    (31, KeyCode::F(17)),
    (32, KeyCode::F(18)),
    (33, KeyCode::F(19)),
    (34, KeyCode::F(20)),
    (13, KeyCode::F(3)),
    (1, KeyCode::Home),
    (7, KeyCode::Home),
    (4, KeyCode::End),
    (8, KeyCode::End),
    (11, KeyCode::F(1)),
    (12, KeyCode::F(2)),
    (14, KeyCode::F(4)),
    (57427, KeyCode::Keypad(Keypad::Begin)),
    (57363, KeyCode::Other(57363)),
];

/// The key of `CSI n ~`.
pub(super) fn from_tilde(n: u16) -> Option<KeyCode> {
    TILDE.iter().find(|(t, _)| *t == n).map(|(_, k)| *k)
}

/// How a key is written as a CSI with a final byte: the number before it (1 for letters) and the byte.
pub(super) fn functional(code: KeyCode) -> Option<(u16, u8)> {
    let letter = match code {
        KeyCode::Up => b'A',
        KeyCode::Down => b'B',
        KeyCode::Right => b'C',
        KeyCode::Left => b'D',
        KeyCode::Home => b'H',
        KeyCode::End => b'F',
        KeyCode::F(1) => b'P',
        KeyCode::F(2) => b'Q',
        KeyCode::F(4) => b'S',
        _ => return TILDE.iter().find(|(_, k)| *k == code).map(|(n, _)| (*n, b'~')),
    };
    Some((1, letter))
}

/// The key of a CSI or SS3 letter.
pub(super) fn from_letter(b: u8) -> Option<KeyCode> {
    Some(match b {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::Keypad(Keypad::Begin),
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P' => KeyCode::F(1),
        b'Q' => KeyCode::F(2),
        b'R' => KeyCode::F(3),
        b'S' => KeyCode::F(4),
        _ => return None,
    })
}

/// SS3 letters of the keypad in application mode.
const KEYPAD_LETTERS: [(u8, Keypad); 8] = [
    (b'M', Keypad::Enter),
    (b'X', Keypad::Equal),
    (b'j', Keypad::Multiply),
    (b'k', Keypad::Add),
    (b'l', Keypad::Separator),
    (b'm', Keypad::Subtract),
    (b'n', Keypad::Decimal),
    (b'o', Keypad::Divide),
];

pub(super) fn keypad_letter(key: Keypad) -> Option<u8> {
    match key {
        Keypad::Digit(d) => Some(b'p' + d.min(9)),
        _ => KEYPAD_LETTERS.iter().find(|(_, k)| *k == key).map(|(l, _)| *l),
    }
}

pub(super) fn from_keypad_letter(b: u8) -> Option<Keypad> {
    match b {
        b'p'..=b'y' => Some(Keypad::Digit(b - b'p')),
        _ => KEYPAD_LETTERS.iter().find(|(l, _)| *l == b).map(|(_, k)| *k),
    }
}

/// What a keypad key is called on the main part: its text, or the key it doubles.
pub(super) fn keypad_meaning(key: Keypad) -> KeyCode {
    match key {
        Keypad::Digit(d) => KeyCode::Char((b'0' + d.min(9)) as char),
        Keypad::Decimal => KeyCode::Char('.'),
        Keypad::Divide => KeyCode::Char('/'),
        Keypad::Multiply => KeyCode::Char('*'),
        Keypad::Subtract => KeyCode::Char('-'),
        Keypad::Add => KeyCode::Char('+'),
        Keypad::Enter => KeyCode::Enter,
        Keypad::Equal => KeyCode::Char('='),
        Keypad::Separator => KeyCode::Char(','),
        Keypad::Left => KeyCode::Left,
        Keypad::Right => KeyCode::Right,
        Keypad::Up => KeyCode::Up,
        Keypad::Down => KeyCode::Down,
        Keypad::PageUp => KeyCode::PageUp,
        Keypad::PageDown => KeyCode::PageDown,
        Keypad::Home => KeyCode::Home,
        Keypad::End => KeyCode::End,
        Keypad::Insert => KeyCode::Insert,
        Keypad::Delete => KeyCode::Delete,
        Keypad::Begin => KeyCode::Keypad(Keypad::Begin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_there_and_back() {
        for n in FIRST..=LAST {
            let code = from_number(n).expect("every number of the range is a key");
            if n >= 57348 {
                assert_eq!(number(code), n);
            }
        }
        for n in [9, 13, 27, 127, 97, 0x4e16] {
            assert_eq!(number(from_number(n).expect("a key")), n);
        }
    }
}
