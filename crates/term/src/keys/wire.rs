//! Key events between client and server: `CSI number:shifted:base ; modifiers:kind ; text u`, the kitty
//! protocol's form with nothing left out but what is empty. Versioned with the screen stream that
//! carries it.

use super::codes::{from_number, number};
use super::{KeyEvent, KeyKind, Mods};
use std::io::Write;

/// Bytes of one event at most; keeps what is read bounded.
const MAX: usize = 512;
/// Characters of text carried.
const MAX_TEXT: usize = 32;

pub(super) fn write(key: &KeyEvent, out: &mut Vec<u8>) {
    let point = |c: Option<char>| c.map(|c| (c as u32).to_string()).unwrap_or_default();
    let kind = key.kind as u8 + 1;
    let text: Vec<String> =
        key.text.iter().flat_map(|t| t.chars()).take(MAX_TEXT).map(|c| (c as u32).to_string()).collect();
    // Writing to memory does not fail.
    let _ = write!(
        out,
        "\x1b[{}:{}:{};{}:{kind};{}u",
        number(key.code),
        point(key.shifted),
        point(key.base),
        u32::from(key.mods.bits()) + 1,
        text.join(":"),
    );
}

pub(super) fn read(bytes: &[u8]) -> Option<(KeyEvent, usize)> {
    let body = bytes.strip_prefix(b"\x1b[")?;
    let end = body.iter().take(MAX).position(|b| *b == b'u')?;
    let body = std::str::from_utf8(&body[..end]).ok()?;
    Some((fields(body)?, end + 3))
}

/// Reads the three fields of a `CSI … u`, any of which may be left out.
pub(super) fn fields(body: &str) -> Option<KeyEvent> {
    let mut parts = body.split(';');
    let mut code = parts.next()?.split(':').map(|n| n.parse::<u32>().ok());
    let n = code.next()??;
    let mut point = || code.next().flatten().and_then(char::from_u32);
    let (shifted, base) = (point(), point());
    let (mods, kind) = modifiers(parts.next().unwrap_or_default())?;
    let text: String = parts
        .next()
        .unwrap_or_default()
        .split(':')
        .take(MAX_TEXT)
        .filter_map(|p| p.parse().ok().and_then(char::from_u32))
        .collect();
    let text = (!text.is_empty()).then_some(text);
    Some(KeyEvent { code: from_number(n)?, mods, kind, text, shifted, base })
}

/// Reads `modifiers:kind`.
pub(super) fn modifiers(field: &str) -> Option<(Mods, KeyKind)> {
    let mut parts = field.split(':').map(|n| n.parse::<u32>().unwrap_or(1));
    let bits = parts.next().unwrap_or(1).max(1) - 1;
    let kind = match parts.next() {
        None | Some(1) => KeyKind::Press,
        Some(2) => KeyKind::Repeat,
        Some(3) => KeyKind::Release,
        Some(_) => return None,
    };
    Some((Mods::from_bits_truncate(bits as u8), kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeyCode;

    #[test]
    fn events_there_and_back() {
        let key = KeyEvent {
            code: KeyCode::Char('a'),
            mods: Mods::SHIFT | Mods::ALT,
            kind: KeyKind::Repeat,
            text: Some("Ä".into()),
            shifted: Some('A'),
            base: Some('q'),
        };
        for key in [key, KeyEvent::char('x'), KeyEvent::new(KeyCode::Up, Mods::CTRL)] {
            let mut bytes = Vec::new();
            key.to_wire(&mut bytes);
            bytes.extend_from_slice(b"rest");
            assert_eq!(KeyEvent::from_wire(&bytes), Some((key, bytes.len() - 4)));
        }
        assert_eq!(KeyEvent::from_wire(b"\x1b[u"), None);
        assert_eq!(KeyEvent::from_wire(b"nothing"), None);
    }
}
