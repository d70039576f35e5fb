//! Bytes of a terminal in raw mode to the few keys the sample agent knows.
//!
//! Not here: a full decoder (`kraal_term::keys`); this program asks for none of the newer protocols.

/// A key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Something typed, or a whole paste.
    Text(String),
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Backspace.
    Backspace,
    /// Ctrl and a letter.
    Ctrl(char),
}

const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Collects bytes until they are keys.
#[derive(Debug, Default)]
pub(super) struct Keys {
    held: Vec<u8>,
}

impl Keys {
    /// Whether bytes wait for their rest; a lone Escape among them.
    pub(super) fn is_waiting(&self) -> bool {
        !self.held.is_empty()
    }

    /// More bytes; gives the keys that are complete.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Key> {
        self.held.extend_from_slice(bytes);
        let mut keys = Vec::new();
        while let Some((key, taken)) = first(&self.held) {
            self.held.drain(..taken);
            keys.extend(key);
        }
        keys
    }

    /// No more bytes came: an Escape that waits was the key.
    pub(super) fn settle(&mut self) -> Vec<Key> {
        if self.held.first() != Some(&0x1b) || self.held.starts_with(PASTE) {
            return Vec::new();
        }
        self.held.remove(0);
        let mut keys = vec![Key::Escape];
        keys.extend(self.feed(&[]));
        keys
    }
}

/// The first key and its bytes; None while its rest is missing.
fn first(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    match *bytes.first()? {
        b'\r' | b'\n' => Some((Some(Key::Enter), 1)),
        0x7f | 0x08 => Some((Some(Key::Backspace), 1)),
        0x1b => escape(bytes),
        byte @ 1..=26 => Some((Some(Key::Ctrl(char::from(byte - 1 + b'a'))), 1)),
        byte if byte < b' ' => Some((None, 1)),
        _ => text(bytes),
    }
}

fn escape(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    if bytes.starts_with(PASTE) {
        let end = bytes.windows(PASTE_END.len()).position(|window| window == PASTE_END)?;
        let text = String::from_utf8_lossy(&bytes[PASTE.len()..end]).into_owned();
        return Some((Some(Key::Text(text)), end + PASTE_END.len()));
    }
    match *bytes.get(1)? {
        b'[' | b'O' => {
            let end = 2 + bytes[2..].iter().position(|byte| (0x40..0x7f).contains(byte))?;
            let key = match bytes[end] {
                b'A' => Some(Key::Up),
                b'B' => Some(Key::Down),
                _ => None,
            };
            Some((key, end + 1))
        }
        0x1b => Some((Some(Key::Escape), 1)),
        // Alt and a key means nothing here.
        _ => Some((None, 2)),
    }
}

fn text(bytes: &[u8]) -> Option<(Option<Key>, usize)> {
    let end = bytes.iter().position(|byte| *byte < b' ' || *byte == 0x7f).unwrap_or(bytes.len());
    match std::str::from_utf8(&bytes[..end]) {
        Ok(text) => Some((Some(Key::Text(text.to_owned())), end)),
        Err(error) if error.valid_up_to() > 0 => {
            let text = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
            Some((Some(Key::Text(text)), error.valid_up_to()))
        }
        Err(error) => error.error_len().map(|length| (None, length)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_from_any_split() {
        let wire = "aä\r\x1b[A\x1bOB\x1b[200~x\ny\x1b[201~\x7f\x03".as_bytes();
        let whole = Keys::default().feed(wire);
        assert_eq!(
            whole,
            [
                Key::Text("aä".into()),
                Key::Enter,
                Key::Up,
                Key::Down,
                Key::Text("x\ny".into()),
                Key::Backspace,
                Key::Ctrl('c')
            ]
        );
        let mut keys = Keys::default();
        let single: Vec<Key> = wire.iter().flat_map(|byte| keys.feed(&[*byte])).collect();
        assert_eq!(single.len(), whole.len() + 1, "the typed letters come one by one");
        assert!(!keys.is_waiting());
    }

    #[test]
    fn a_lone_escape_is_a_key_when_nothing_follows() {
        let mut keys = Keys::default();
        assert_eq!(keys.feed(b"\x1b"), []);
        assert!(keys.is_waiting());
        assert_eq!(keys.settle(), [Key::Escape]);
        assert_eq!(keys.feed(b"\x1b\x1b"), [Key::Escape]);
        assert_eq!(keys.settle(), [Key::Escape]);
    }
}
