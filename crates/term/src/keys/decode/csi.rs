//! Control sequences and SS3 of the outer terminal: keys, mouse, focus, paste marks, answers.
//! Not here: characters and control bytes (`text`), strings (`strings`).

use super::{ESC, Event, MAX_CSI, Reply, Step};
use crate::keys::codes::{from_keypad_letter, from_letter, from_number, from_tilde};
use crate::keys::wire::{fields, modifiers};
use crate::keys::{KeyCode, KeyEvent, KeyKind, Mods};
use crate::mouse::{MouseButton, MouseEvent, MouseKind};

/// A control sequence taken apart.
struct Sequence<'a> {
    prefix: u8,
    body: &'a str,
    intermediate: u8,
    last: u8,
}

impl Sequence<'_> {
    fn numbers(&self) -> Vec<u32> {
        self.body.split(';').map(|n| n.split(':').next().and_then(|n| n.parse().ok()).unwrap_or(0)).collect()
    }
}

/// The sequence that starts with `ESC [`.
pub(super) fn step(bytes: &[u8]) -> Step {
    match bytes.get(2) {
        None => return Step::More,
        // The Linux console's F1 to F5.
        Some(b'[') => {
            return match bytes.get(3) {
                None => Step::More,
                Some(&b @ b'A'..=b'E') => key(KeyCode::F(b - b'A' + 1), Mods::empty(), 4),
                Some(_) => Step::Done(None, 3),
            };
        }
        Some(b'M') => return old_mouse(bytes),
        Some(_) => {}
    }
    let end = bytes[2..].iter().position(|b| !(0x20..0x40).contains(b));
    let Some(end) = end.map(|e| e + 2) else {
        return if bytes.len() > MAX_CSI { Step::Done(None, bytes.len()) } else { Step::More };
    };
    let last = bytes[end];
    if !(0x40..0x7f).contains(&last) {
        // Broken off: its start is no text, what broke it stands for itself.
        return Step::Done(None, end);
    }
    let used = end + 1;
    let mut body = &bytes[2..end];
    let mut prefix = 0;
    if let Some((&b @ b'<'..=b'?', rest)) = body.split_first() {
        (prefix, body) = (b, rest);
    }
    let mut intermediate = 0;
    if let Some((&b @ 0x20..=0x2f, rest)) = body.split_last() {
        (intermediate, body) = (b, rest);
    }
    let Ok(body) = std::str::from_utf8(body) else { return Step::Done(None, used) };
    let sequence = Sequence { prefix, body, intermediate, last };
    if (prefix, intermediate, last, body) == (0, 0, b'~', "200") {
        return Step::PasteStart(used);
    }
    let event = if (prefix, intermediate) == (0, 0) { plain(&sequence) } else { marked(&sequence) };
    match event {
        Found::Event(event) => Step::Done(Some(event), used),
        Found::Nothing => Step::Done(None, used),
        Found::Unknown => Step::Done(Some(Event::Reply(Reply::Unknown(bytes[..used].to_vec()))), used),
    }
}

enum Found {
    Event(Event),
    Nothing,
    Unknown,
}

fn key(code: KeyCode, mods: Mods, used: usize) -> Step {
    Step::Done(Some(Event::Key(KeyEvent::new(code, mods))), used)
}

/// `ESC O` and a letter.
pub(super) fn ss3(bytes: &[u8]) -> Step {
    let mut at = 2;
    let mut mods = Mods::empty();
    if let (Some(&d @ b'1'..=b'8'), Some(_)) = (bytes.get(2), bytes.get(3)) {
        mods = Mods::from_bits_truncate(d - b'1');
        at = 3;
    }
    let Some(&b) = bytes.get(at) else { return Step::More };
    match from_letter(b).or_else(|| from_keypad_letter(b).map(KeyCode::Keypad)) {
        Some(code) => key(code, mods, at + 1),
        None if b.is_ascii_digit() && bytes.len() == 3 => Step::More,
        // Alt and O, then whatever this is.
        None => Step::Done(Some(Event::Key(super::held_alt(super::text::character('O')))), 2),
    }
}

/// Sequences without prefix: keys, focus, and the answers that look like keys.
fn plain(s: &Sequence<'_>) -> Found {
    let n = s.numbers();
    let get = |i: usize| n.get(i).copied().unwrap_or(0);
    let small = |i: usize| get(i).min(0xffff) as u16;
    let reply = |r: Reply| Found::Event(Event::Reply(r));
    match s.last {
        b'u' => fields(s.body).map_or(Found::Nothing, |key| Found::Event(Event::Key(normal(key)))),
        b'~' if get(0) == 27 && n.len() == 3 => other_keys(get(2), get(1)),
        b'~' if get(0) == 201 => Found::Nothing,
        b'~' => functional(from_tilde(small(0)), s),
        b'I' if s.body.is_empty() => Found::Event(Event::FocusIn),
        b'O' if s.body.is_empty() => Found::Event(Event::FocusOut),
        b'Z' => Found::Event(Event::Key(KeyEvent::new(KeyCode::Tab, Mods::SHIFT))),
        b'R' if n.len() == 2 && !s.body.contains(':') && !(get(0) == 1 && (2..=8).contains(&get(1))) => {
            reply(Reply::CursorPosition { x: small(1).saturating_sub(1), y: small(0).saturating_sub(1) })
        }
        b'M' if n.len() == 3 => mouse(get(0).saturating_sub(32), get(1), get(2), false),
        b'n' if get(0) == 0 => reply(Reply::Ok),
        b't' => match get(0) {
            4 => reply(Reply::AreaPixels(small(2), small(1))),
            6 => reply(Reply::CellPixels(small(2), small(1))),
            8 => reply(Reply::AreaCells(small(2), small(1))),
            48 => reply(Reply::AreaCells(small(2), small(1))),
            _ => Found::Unknown,
        },
        last => match from_letter(last) {
            Some(code) => functional(Some(code), s),
            None => Found::Unknown,
        },
    }
}

/// A key whose name is its final byte or its number, with `;modifiers:kind`.
fn functional(code: Option<KeyCode>, s: &Sequence<'_>) -> Found {
    let Some(code) = code else { return Found::Unknown };
    let field = s.body.split(';').nth(1).unwrap_or_default();
    match modifiers(field) {
        Some((mods, kind)) => Found::Event(Event::Key(KeyEvent { kind, ..KeyEvent::new(code, mods) })),
        None => Found::Nothing,
    }
}

/// modifyOtherKeys: `CSI 27 ; modifiers ; code ~`.
fn other_keys(code: u32, mods: u32) -> Found {
    let mods = Mods::from_bits_truncate(mods.saturating_sub(1) as u8);
    match from_number(code) {
        Some(code) => {
            let mut key = KeyEvent::new(code, mods);
            if let KeyCode::Char(c) = code {
                // The code is the character after shift.
                let lower = super::text::character(c);
                key.code = lower.code;
                key.mods |= lower.mods;
                key.shifted = mods.contains(Mods::SHIFT).then_some(c);
            }
            Found::Event(Event::Key(normal(key)))
        }
        None => Found::Nothing,
    }
}

/// Gives a kitty key the text it has by itself where the terminal did not tell it.
fn normal(mut key: KeyEvent) -> KeyEvent {
    if let KeyCode::Char(c) = key.code
        && key.text.is_none()
        && key.kind != KeyKind::Release
    {
        let mods = key.mods.held();
        if mods.is_empty() {
            key.text = Some(c.to_string());
        } else if mods == Mods::SHIFT {
            key.text = key.shifted.map(String::from);
        }
    }
    key
}

/// Sequences with a prefix or an intermediate: mouse and answers.
fn marked(s: &Sequence<'_>) -> Found {
    let n = s.numbers();
    let get = |i: usize| n.get(i).copied().unwrap_or(0);
    let reply = |r: Reply| Found::Event(Event::Reply(r));
    match (s.prefix, s.intermediate, s.last) {
        (b'<', 0, b'M' | b'm') if n.len() == 3 => mouse(get(0), get(1), get(2), s.last == b'm'),
        (b'?', 0, b'c') => reply(Reply::PrimaryAttributes(n)),
        (b'>', 0, b'c') => reply(Reply::SecondaryAttributes(n)),
        (b'?', 0, b'u') => reply(Reply::KittyFlags(get(0).min(255) as u8)),
        (b'?', 0, b'R') => reply(Reply::CursorPosition {
            x: (get(1).clamp(1, 0x1_0000) - 1) as u16,
            y: (get(0).clamp(1, 0x1_0000) - 1) as u16,
        }),
        (b'?', 0, b'n') if get(0) == 997 => reply(Reply::ColourScheme { dark: get(1) != 2 }),
        (b'?' | 0, b'$', b'y') => {
            reply(Reply::Mode { mode: get(0), private: s.prefix == b'?', value: get(1).min(255) as u8 })
        }
        _ => Found::Unknown,
    }
}

/// A mouse report: button bits, column and row from 1.
fn mouse(bits: u32, x: u32, y: u32, release: bool) -> Found {
    let at = |v: u32| v.clamp(1, 0xffff) as u16 - 1;
    let mut mods = Mods::empty();
    for (bit, m) in [(4, Mods::SHIFT), (8, Mods::ALT), (16, Mods::CTRL)] {
        mods.set(m, bits & bit != 0);
    }
    let button = match (bits & 0xc0, bits & 3) {
        (0, 0) => Some(MouseButton::Left),
        (0, 1) => Some(MouseButton::Middle),
        (0, 2) => Some(MouseButton::Right),
        (0x80, n) => Some(MouseButton::Other(8 + n as u8)),
        _ => None,
    };
    let kind = match (bits & 0xc0, bits & 3) {
        _ if release => MouseKind::Release,
        (0x40, 0) => MouseKind::WheelUp,
        (0x40, 1) => MouseKind::WheelDown,
        (0x40, 2) => MouseKind::WheelLeft,
        (0x40, _) => MouseKind::WheelRight,
        _ if bits & 32 != 0 => MouseKind::Move,
        (0, 3) => MouseKind::Release,
        _ => MouseKind::Press,
    };
    Found::Event(Event::Mouse(MouseEvent { kind, button, x: at(x), y: at(y), mods }))
}

/// `ESC [ M` and three bytes.
fn old_mouse(bytes: &[u8]) -> Step {
    let Some(&[b, x, y]) = bytes.get(3..6) else { return Step::More };
    if [b, x, y].contains(&ESC) {
        return Step::Done(None, 3);
    }
    let value = |v: u8| u32::from(v).saturating_sub(32);
    match mouse(value(b), value(x), value(y), false) {
        Found::Event(event) => Step::Done(Some(event), 6),
        _ => Step::Done(None, 6),
    }
}
