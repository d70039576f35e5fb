//! Keys reduced to what bindings compare: the same press gives the same chord, whether the outer
//! terminal speaks the old encoding or the kitty protocol.
//!
//! Not here: names of single keys (`kraal-term`), which chord does what (`keymap`).

use kraal_term::keys::{KeyCode, KeyEvent, KeyKind, KeyNameError, Mods, parse_name};

/// A key with modifiers. A char without ctrl, alt or super is what it types (`P`, `%`), with them
/// it is lower case and shift is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Chord {
    /// Which key.
    pub(crate) code: KeyCode,
    /// What was held.
    pub(crate) mods: Mods,
}

const COMMANDS: Mods = Mods::CTRL.union(Mods::ALT).union(Mods::SUPER).union(Mods::HYPER).union(Mods::META);

impl Chord {
    /// A key without modifiers.
    pub(crate) const fn plain(code: KeyCode) -> Self {
        Chord { code, mods: Mods::empty() }
    }

    /// A char that is typed.
    pub(crate) const fn char(c: char) -> Self {
        Chord::plain(KeyCode::Char(c))
    }

    /// The chord of a key event.
    pub(crate) fn of(key: &KeyEvent) -> Self {
        let mods = key.mods.held();
        let KeyCode::Char(c) = key.code else { return Chord { code: key.code, mods } };
        if mods.intersects(COMMANDS) {
            let lower = c.to_lowercase().next().unwrap_or(c);
            let shift = if lower == c { Mods::empty() } else { Mods::SHIFT };
            return Chord { code: KeyCode::Char(lower), mods: mods | shift };
        }
        Chord::char(typed(key).unwrap_or(c))
    }

    /// The same key on the standard layout, for a binding in another script.
    pub(crate) fn on_standard_layout(key: &KeyEvent) -> Option<Self> {
        let base = key.base?;
        Some(Chord { code: KeyCode::Char(base), mods: key.mods.held() })
    }

    /// Reads a name: `ctrl+b`, `P`, `pageup`.
    ///
    /// # Errors
    ///
    /// When it names no key.
    pub(crate) fn parse(name: &str) -> Result<Self, KeyNameError> {
        parse_name(name).map(|key| Chord::of(&key))
    }

    /// The char it types.
    pub(crate) fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.mods.intersects(COMMANDS) => Some(c),
            _ => None,
        }
    }
}

/// The one char a key types, when it types just one.
fn typed(key: &KeyEvent) -> Option<char> {
    let KeyCode::Char(c) = key.code else { return None };
    if let Some(text) = &key.text {
        let mut chars = text.chars();
        if let (Some(only), None) = (chars.next(), chars.next()) {
            return Some(only);
        }
    }
    if !key.mods.contains(Mods::SHIFT) {
        return Some(c);
    }
    key.shifted.or_else(|| c.to_uppercase().next())
}

/// The text a key puts into an input line; none for a command.
pub(crate) fn text_of(key: &KeyEvent) -> Option<String> {
    if key.kind == KeyKind::Release || key.mods.intersects(COMMANDS) {
        return None;
    }
    let KeyCode::Char(_) = key.code else { return None };
    key.text.clone().or_else(|| typed(key).map(String::from)).filter(|t| !t.chars().any(char::is_control))
}

impl std::fmt::Display for Chord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        KeyEvent::new(self.code, self.mods).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_give_one_chord() {
        let legacy = KeyEvent::char('P');
        let mut kitty = KeyEvent::new(KeyCode::Char('p'), Mods::SHIFT);
        assert_eq!(Chord::of(&legacy), Chord::of(&kitty));
        kitty.shifted = Some('P');
        assert_eq!(Chord::of(&legacy), Chord::of(&kitty));
        let mut percent = KeyEvent::new(KeyCode::Char('5'), Mods::SHIFT | Mods::NUM_LOCK);
        percent.shifted = Some('%');
        assert_eq!(Chord::of(&percent), Chord::char('%'));
        let alt = KeyEvent::new(KeyCode::Char('N'), Mods::ALT);
        let kitty_alt = KeyEvent::new(KeyCode::Char('n'), Mods::ALT | Mods::SHIFT);
        assert_eq!(Chord::of(&alt), Chord::of(&kitty_alt));
    }

    #[test]
    fn names_come_back() {
        for name in ["ctrl+b", "alt+left", "P", "%", "pageup", "space", "shift+tab", "alt+shift+up"] {
            let chord = Chord::parse(name).expect(name);
            assert_eq!(Chord::parse(&chord.to_string()), Ok(chord), "{name}");
        }
    }
}
