//! Key events to the bytes a program expects, by its modes: as xterm always did, with
//! modifyOtherKeys, or by the kitty protocol with any of its five flags. Also pastes.
//! Not here: mouse reports (`mouse`), nor which keys belong to the client.

use super::codes::{functional, keypad_letter, keypad_meaning, number};
use super::{KeyCode, KeyEvent, KeyKind, Keypad, Mods};
use crate::face::Modes;
use std::io::Write;

/// The modes of a pane that shape key bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyModes {
    /// Flags of the kitty protocol.
    pub(crate) kitty: u8,
    /// modifyOtherKeys.
    pub(crate) other: u8,
    pub(crate) modes: Modes,
}

const DISAMBIGUATE: u8 = 1;
const EVENTS: u8 = 2;
const ALTERNATES: u8 = 4;
const ALL_KEYS: u8 = 8;
const TEXT: u8 = 16;

/// Appends the bytes of `key`.
pub(crate) fn encode(key: &KeyEvent, modes: KeyModes, out: &mut Vec<u8>) {
    if modes.kitty != 0 {
        kitty(key, modes, out);
    } else if key.kind != KeyKind::Release {
        legacy(key, modes, out);
    }
}

/// The text a key gives without control, alt and the like.
fn text(key: &KeyEvent) -> Option<String> {
    if !key.mods.held().difference(Mods::SHIFT).is_empty() {
        return None;
    }
    let printable = |t: &String| !t.is_empty() && !t.chars().any(char::is_control);
    if let Some(text) = key.text.clone().filter(printable) {
        return Some(text);
    }
    match key.code {
        KeyCode::Char(_) => Some(shifted(key).to_string()),
        KeyCode::Keypad(k) => match keypad_meaning(k) {
            KeyCode::Char(c) => Some(c.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// The character of a character key with its shift applied: as the outer terminal told it, else the
/// capital letter, and for other keys, as the last resort, what a US keyboard has there.
fn shifted(key: &KeyEvent) -> char {
    let KeyCode::Char(c) = key.code else { return '\0' };
    if !key.mods.contains(Mods::SHIFT) {
        return c;
    }
    if let Some(s) = key.shifted {
        return s;
    }
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(u), None) if u != c => u,
        _ => us_shift(c),
    }
}

fn us_shift(c: char) -> char {
    const PLAIN: &str = "`1234567890-=[]\\;',./";
    const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";
    PLAIN.find(c).and_then(|i| SHIFTED[i..].chars().next()).unwrap_or(c)
}

fn kitty(key: &KeyEvent, modes: KeyModes, out: &mut Vec<u8>) {
    let has = |flag: u8| modes.kitty & flag != 0;
    if key.kind == KeyKind::Release && !has(EVENTS) {
        return;
    }
    if !has(ALL_KEYS) {
        let legacy_byte = match key.code {
            KeyCode::Enter => Some(b'\r'),
            KeyCode::Tab => Some(b'\t'),
            KeyCode::Backspace => Some(0x7f),
            // Modifiers pressed alone and locks are told only to those who want every key.
            KeyCode::Other(57358..=57360 | 57441..) => return,
            _ => None,
        };
        if let Some(b) = legacy_byte {
            // These never tell of their release, so that a shell left with the flags on stays usable.
            if key.kind == KeyKind::Release {
                return;
            }
            if key.mods.held().is_empty() {
                return out.push(b);
            }
        } else if let Some(text) = text(key).filter(|_| key.kind != KeyKind::Release) {
            return out.extend_from_slice(text.as_bytes());
        }
    }
    if !has(DISAMBIGUATE) && !has(ALL_KEYS) && key.kind != KeyKind::Release && !has(EVENTS) {
        return legacy(key, modes, out);
    }
    kitty_csi(key, modes, out);
}

fn kitty_csi(key: &KeyEvent, modes: KeyModes, out: &mut Vec<u8>) {
    let has = |flag: u8| modes.kitty & flag != 0;
    let text = text(key).filter(|_| has(TEXT) && has(ALL_KEYS) && key.kind != KeyKind::Release);
    let gives_text =
        matches!(key.code, KeyCode::Char(_) | KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace);
    let mods = if gives_text && !has(ALL_KEYS) { key.mods.held() } else { key.mods };
    let (n, last) = match functional(key.code) {
        Some((n, last)) => (u32::from(n), last),
        None => (number(key.code), b'u'),
    };
    let kind = match key.kind {
        KeyKind::Press => 1,
        KeyKind::Repeat => 2,
        KeyKind::Release => 3,
    };
    let event = has(EVENTS) && kind != 1;
    let second = !mods.is_empty() || event || text.is_some();
    let mut code = if n == 1 && !second { String::new() } else { n.to_string() };
    if has(ALTERNATES) && last == b'u' {
        let upper = key.shifted.filter(|_| mods.contains(Mods::SHIFT)).map(|c| (c as u32).to_string());
        match (upper, key.base) {
            (Some(s), None) => code += &format!(":{s}"),
            (s, Some(b)) => code += &format!(":{}:{}", s.unwrap_or_default(), b as u32),
            (None, None) => {}
        }
    }
    let _ = write!(out, "\x1b[{code}");
    if second {
        let empty = mods.is_empty() && !event;
        let _ = if empty { write!(out, ";") } else { write!(out, ";{}", u32::from(mods.bits()) + 1) };
        if event {
            let _ = write!(out, ":{kind}");
        }
    }
    if let Some(text) = text {
        let points: Vec<String> = text.chars().map(|c| (c as u32).to_string()).collect();
        let _ = write!(out, ";{}", points.join(":"));
    }
    out.push(last);
}

/// Modifiers as the old encodings count them: shift 1, alt 2, control 4, plus one.
fn legacy_mods(mods: Mods) -> u8 {
    (mods & (Mods::SHIFT | Mods::ALT | Mods::CTRL)).bits() + 1
}

fn legacy(key: &KeyEvent, modes: KeyModes, out: &mut Vec<u8>) {
    let mods = key.mods.held();
    match key.code {
        KeyCode::Char(_) => legacy_char(key, modes, out),
        KeyCode::Enter | KeyCode::Tab | KeyCode::Backspace | KeyCode::Escape => {
            legacy_control(key, modes, out);
        }
        KeyCode::Keypad(k) => legacy_keypad(k, key, modes, out),
        code => legacy_functional(code, mods, modes, out),
    }
}

fn legacy_functional(code: KeyCode, mods: Mods, modes: KeyModes, out: &mut Vec<u8>) {
    let (n, last) = match (code, functional(code)) {
        // By the old encoding F3 has a letter as its neighbours do.
        (KeyCode::F(3), _) => (1, b'R'),
        (_, Some(found)) => found,
        (_, None) => return,
    };
    let m = legacy_mods(mods);
    let ss3 = matches!(code, KeyCode::F(1..=4)) || n == 1 && modes.modes.contains(Modes::APP_CURSOR);
    let _ = match (n, m) {
        (57363.., _) => out.write_all(b"\x1b[29~"),
        (1, 1) if ss3 => write!(out, "\x1bO{}", last as char),
        (1, 1) => write!(out, "\x1b[{}", last as char),
        (n, 1) => write!(out, "\x1b[{n}{}", last as char),
        (n, m) => write!(out, "\x1b[{n};{m}{}", last as char),
    };
}

fn other_keys(code: u32, mods: Mods, out: &mut Vec<u8>) {
    let _ = write!(out, "\x1b[27;{};{code}~", legacy_mods(mods));
}

fn legacy_control(key: &KeyEvent, modes: KeyModes, out: &mut Vec<u8>) {
    let mods = key.mods.held() & (Mods::SHIFT | Mods::ALT | Mods::CTRL);
    let modified = !mods.is_empty();
    let told = match (key.code, modes.other) {
        (_, 0) => false,
        (KeyCode::Tab, 1) if mods == Mods::SHIFT => false,
        (KeyCode::Enter | KeyCode::Tab, _) => modified,
        (KeyCode::Backspace, 2) => !mods.difference(Mods::CTRL).is_empty(),
        (KeyCode::Escape, 2) => modified,
        _ => false,
    };
    if told {
        return other_keys(number(key.code), mods, out);
    }
    if mods.contains(Mods::ALT) {
        out.push(0x1b);
    }
    match key.code {
        KeyCode::Tab if mods.contains(Mods::SHIFT) => out.extend_from_slice(b"\x1b[Z"),
        KeyCode::Tab => out.push(b'\t'),
        KeyCode::Enter if modes.modes.contains(Modes::NEWLINE) => out.extend_from_slice(b"\r\n"),
        KeyCode::Enter => out.push(b'\r'),
        KeyCode::Backspace => {
            let swapped = modes.modes.contains(Modes::BACKARROW) != mods.contains(Mods::CTRL);
            out.push(if swapped { 0x08 } else { 0x7f });
        }
        _ => out.push(0x1b),
    }
}

fn legacy_char(key: &KeyEvent, modes: KeyModes, out: &mut Vec<u8>) {
    let KeyCode::Char(plain) = key.code else { return };
    if let Some(text) = text(key) {
        return out.extend_from_slice(text.as_bytes());
    }
    let mods = key.mods.held();
    let c = shifted(key);
    let control =
        if mods.contains(Mods::CTRL) { control_byte(plain).or_else(|| control_byte(c)) } else { None };
    let lost = mods.contains(Mods::CTRL) && control.is_none();
    if modes.other == 2 || modes.other == 1 && lost {
        return other_keys(c as u32, mods, out);
    }
    if mods.contains(Mods::ALT) {
        out.push(0x1b);
    }
    match control {
        Some(b) => out.push(b),
        None => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// The control byte of a character, as every terminal since the VT220 has it.
fn control_byte(c: char) -> Option<u8> {
    Some(match c {
        'a'..='z' => c as u8 & 0x1f,
        'A'..='Z' => c as u8 & 0x1f,
        ' ' | '@' | '2' => 0,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '6' | '~' => 0x1e,
        '_' | '7' | '/' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

fn legacy_keypad(k: Keypad, key: &KeyEvent, modes: KeyModes, out: &mut Vec<u8>) {
    let mods = key.mods.held();
    let application = modes.modes.contains(Modes::APP_KEYPAD) && mods.is_empty();
    match keypad_letter(k) {
        Some(letter) if application => out.extend_from_slice(&[0x1b, b'O', letter]),
        _ if k == Keypad::Begin => {
            let _ = match legacy_mods(mods) {
                1 => out.write_all(b"\x1b[E"),
                m => write!(out, "\x1b[1;{m}E"),
            };
        }
        _ => legacy(&KeyEvent { code: keypad_meaning(k), ..key.clone() }, modes, out),
    }
}

const PASTE_START: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Appends a paste. Inside brackets no byte may end them: an end marker loses its ESC. Without brackets
/// a line ends as the Enter key would end it.
pub(crate) fn encode_paste(text: &[u8], bracketed: bool, out: &mut Vec<u8>) {
    if bracketed {
        out.extend_from_slice(PASTE_START);
        let mut rest = text;
        while let Some(at) = memchr::memmem::find(rest, PASTE_END) {
            out.extend_from_slice(&rest[..at]);
            // Another ESC right before would make a marker of what is left of this one.
            while out.last() == Some(&0x1b) {
                out.pop();
            }
            out.extend_from_slice(&PASTE_END[1..]);
            rest = &rest[at + PASTE_END.len()..];
        }
        out.extend_from_slice(rest);
        // An end marker begun at the very end would swallow the real one's ESC.
        let cut = (1..PASTE_END.len()).find(|&n| rest.ends_with(&PASTE_END[..n]));
        out.truncate(out.len() - cut.unwrap_or(0));
        out.extend_from_slice(PASTE_END);
        return;
    }
    let mut previous = 0;
    for &b in text {
        match b {
            b'\n' if previous == b'\r' => {}
            b'\n' => out.push(b'\r'),
            _ => out.push(b),
        }
        previous = b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::parse_name;

    fn bytes(name: &str, kitty: u8, other: u8) -> String {
        let mut out = Vec::new();
        let modes = KeyModes { kitty, other, modes: Modes::empty() };
        encode(&parse_name(name).expect("a key"), modes, &mut out);
        String::from_utf8(out).expect("text").replace('\x1b', "E")
    }

    /// BR-14, BR-20 and the tables of xterm and kitty.
    #[test]
    fn keys_in_three_encodings() {
        for (name, plain, kitty, other) in [
            ("a", "a", "a", "a"),
            ("shift+a", "A", "A", "A"),
            ("ctrl+a", "\x01", "E[97;5u", "E[27;5;97~"),
            ("alt+a", "Ea", "E[97;3u", "E[27;3;97~"),
            ("enter", "\r", "\r", "\r"),
            ("shift+enter", "\r", "E[13;2u", "E[27;2;13~"),
            ("ctrl+enter", "\r", "E[13;5u", "E[27;5;13~"),
            ("alt+enter", "E\r", "E[13;3u", "E[27;3;13~"),
            ("shift+tab", "E[Z", "E[9;2u", "E[27;2;9~"),
            ("escape", "E", "E[27u", "E"),
            ("backspace", "\x7f", "\x7f", "\x7f"),
            ("ctrl+backspace", "\x08", "E[127;5u", "\x08"),
            ("up", "E[A", "E[A", "E[A"),
            ("ctrl+up", "E[1;5A", "E[1;5A", "E[1;5A"),
            ("f1", "EOP", "E[P", "EOP"),
            ("f3", "EOR", "E[13~", "EOR"),
            ("f5", "E[15~", "E[15~", "E[15~"),
            ("shift+f5", "E[15;2~", "E[15;2~", "E[15;2~"),
            ("delete", "E[3~", "E[3~", "E[3~"),
            ("ctrl+space", "\0", "E[32;5u", "E[27;5;32~"),
        ] {
            assert_eq!(bytes(name, 0, 0), plain, "{name} plain");
            assert_eq!(bytes(name, 1, 0), kitty, "{name} kitty");
            assert_eq!(bytes(name, 0, 2), other, "{name} modifyOtherKeys 2");
        }
        assert_eq!(bytes("shift+tab", 0, 1), "E[Z");
        assert_eq!(bytes("ctrl+a", 0, 1), "\x01");
        assert_eq!(bytes("ctrl+1", 0, 1), "E[27;5;49~");
    }

    #[test]
    fn kitty_flags_add_what_they_say() {
        assert_eq!(bytes("a", 8, 0), "E[97u");
        assert_eq!(bytes("a", 8 | 16, 0), "E[97;;97u");
        assert_eq!(bytes("shift+a", 8 | 16, 0), "E[97;2;65u");
        assert_eq!(bytes("shift+a", 8 | 4, 0), "E[97:65;2u");
        assert_eq!(bytes("enter", 8, 0), "E[13u");
        let mut release = parse_name("a").expect("a key");
        release.kind = KeyKind::Release;
        let mut out = Vec::new();
        encode(&release, KeyModes { kitty: 1, ..Default::default() }, &mut out);
        encode(&release, KeyModes::default(), &mut out);
        assert!(out.is_empty());
        encode(&release, KeyModes { kitty: 3, ..Default::default() }, &mut out);
        assert_eq!(out, b"\x1b[97;1:3u");
    }

    /// BR-16.
    #[test]
    fn the_reported_alternate_is_what_shift_gives() {
        let mut key = KeyEvent::new(KeyCode::Char('/'), Mods::ALT | Mods::SHIFT);
        let mut out = Vec::new();
        encode(&key, KeyModes::default(), &mut out);
        assert_eq!(out, b"\x1b?");
        key.shifted = Some('!');
        out.clear();
        encode(&key, KeyModes::default(), &mut out);
        assert_eq!(out, b"\x1b!");
    }

    #[test]
    fn application_modes() {
        let modes = Modes::APP_CURSOR | Modes::APP_KEYPAD;
        let keys = KeyModes { modes, ..Default::default() };
        let mut out = Vec::new();
        for name in ["up", "ctrl+up"] {
            encode(&parse_name(name).expect("a key"), keys, &mut out);
        }
        encode(&KeyEvent::new(KeyCode::Keypad(Keypad::Digit(5)), Mods::empty()), keys, &mut out);
        assert_eq!(out, b"\x1bOA\x1b[1;5A\x1bOu");
    }

    /// BR-19.
    #[test]
    fn pastes_keep_their_brackets() {
        let mut out = Vec::new();
        encode_paste(b"a\nb\x1b[201~c\x1b[201", true, &mut out);
        assert_eq!(out, b"\x1b[200~a\nb[201~c\x1b[201~");
        out.clear();
        encode_paste(b"\x1b\x1b[201~[201~", true, &mut out);
        assert_eq!(out, b"\x1b[200~[201~[201~\x1b[201~");
        out.clear();
        encode_paste(b"a\nb\r\nc", false, &mut out);
        assert_eq!(out, b"a\rb\rc");
    }
}
