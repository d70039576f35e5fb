//! Names of keys as people write them: `ctrl+b`, `shift+tab`, `f5`. No keymap.

use super::{KeyCode, KeyEvent, Mods};
use std::fmt;

/// Why a name is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNameError(String);

impl fmt::Display for KeyNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no key; write it like ctrl+b, shift+tab, enter, f5 or alt+left", self.0)
    }
}

impl std::error::Error for KeyNameError {}

/// Names; the first of a key is the one written.
const NAMES: [(&str, KeyCode); 31] = [
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("backspace", KeyCode::Backspace),
    ("esc", KeyCode::Escape),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("insert", KeyCode::Insert),
    ("delete", KeyCode::Delete),
    ("space", KeyCode::Char(' ')),
    ("plus", KeyCode::Char('+')),
    ("menu", KeyCode::Other(57363)),
    ("print", KeyCode::Other(57361)),
    ("pause", KeyCode::Other(57362)),
    ("capslock", KeyCode::Other(57358)),
    ("scrolllock", KeyCode::Other(57359)),
    ("numlock", KeyCode::Other(57360)),
    ("return", KeyCode::Enter),
    ("cr", KeyCode::Enter),
    ("bs", KeyCode::Backspace),
    ("escape", KeyCode::Escape),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("pgdown", KeyCode::PageDown),
    ("ins", KeyCode::Insert),
    ("del", KeyCode::Delete),
];

/// Modifiers; the first of each is the one written, in this order.
const MODS: [(&str, Mods); 13] = [
    ("ctrl", Mods::CTRL),
    ("alt", Mods::ALT),
    ("shift", Mods::SHIFT),
    ("super", Mods::SUPER),
    ("hyper", Mods::HYPER),
    ("meta", Mods::META),
    ("control", Mods::CTRL),
    ("opt", Mods::ALT),
    ("option", Mods::ALT),
    ("cmd", Mods::SUPER),
    ("c", Mods::CTRL),
    ("m", Mods::ALT),
    ("s", Mods::SHIFT),
];

/// Reads a key's name; case does not matter but in a single letter, where a capital means shift. Also
/// takes `C-b` and `M-x`.
pub fn parse_name(name: &str) -> Result<KeyEvent, KeyNameError> {
    let error = || KeyNameError(name.to_owned());
    let mut mods = Mods::empty();
    let mut rest = name.trim();
    // What is left after the last separator is the key, which may be a separator itself.
    while let Some(at) = rest.char_indices().skip(1).find(|(_, c)| matches!(c, '+' | '-')).map(|(i, _)| i) {
        let (word, tail) = (&rest[..at], &rest[at + 1..]);
        let dash = rest.as_bytes()[at] == b'-';
        let found = MODS.iter().find(|(n, _)| n.eq_ignore_ascii_case(word) && (!dash || n.len() == 1));
        let Some((_, m)) = found.filter(|_| !tail.is_empty()) else { break };
        mods |= *m;
        rest = tail;
    }
    let mut chars = rest.chars();
    let code = match (chars.next(), chars.next()) {
        (Some(c), None) if !c.is_control() => {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(l), None) if l != c => {
                    mods |= Mods::SHIFT;
                    KeyCode::Char(l)
                }
                _ => KeyCode::Char(c),
            }
        }
        _ => named(rest).ok_or_else(error)?,
    };
    let mut key = KeyEvent::new(code, mods);
    if let KeyCode::Char(c) = code {
        let upper = c.to_uppercase().next().filter(|u| *u != c && mods.contains(Mods::SHIFT));
        key.shifted = upper;
        if mods.difference(Mods::SHIFT).is_empty() && (upper.is_some() || !mods.contains(Mods::SHIFT)) {
            key.text = Some(upper.unwrap_or(c).to_string());
        }
    }
    Ok(key)
}

fn named(name: &str) -> Option<KeyCode> {
    if let Some((_, code)) = NAMES.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
        return Some(*code);
    }
    let digits = name.strip_prefix(['f', 'F'])?;
    digits.parse().ok().filter(|n| (1..=35).contains(n)).map(KeyCode::F)
}

impl fmt::Display for KeyEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, m) in MODS.iter().take(6) {
            if self.mods.contains(*m) {
                write!(f, "{name}+")?;
            }
        }
        if let Some((name, _)) = NAMES.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "f{n}"),
            KeyCode::Keypad(k) => {
                let bare = Self::new(super::codes::keypad_meaning(k), Mods::empty());
                if bare.code == self.code { f.write_str("begin") } else { write!(f, "{bare}") }
            }
            other => write!(f, "key{}", super::codes::number(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_there_and_back() {
        for name in [
            "ctrl+b",
            "shift+tab",
            "enter",
            "f5",
            "alt+left",
            "ctrl+alt+delete",
            "esc",
            "space",
            "plus",
            "?",
            "-",
        ] {
            assert_eq!(parse_name(name).expect(name).to_string(), name);
        }
        for (name, same) in [
            ("ctrl++", "ctrl+plus"),
            ("C-b", "ctrl+b"),
            ("M-x", "alt+x"),
            ("A", "shift+a"),
            ("Ctrl+Shift+P", "ctrl+shift+p"),
            ("return", "enter"),
            ("+", "plus"),
            ("alt+-", "alt+-"),
        ] {
            assert_eq!(parse_name(name).expect(name).to_string(), same);
        }
        for bad in ["", "ctrl+", "nokey", "f99", "hat+x", "ab"] {
            assert!(parse_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn text_follows_shift() {
        assert_eq!(parse_name("A").expect("a key").text.as_deref(), Some("A"));
        assert_eq!(parse_name("ctrl+a").expect("a key").text, None);
    }
}
