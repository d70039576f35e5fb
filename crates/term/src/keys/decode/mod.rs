//! Bytes of the outer terminal to events: keys in the legacy and the kitty encodings, mouse reports,
//! bracketed pastes in pieces, focus, answers to queries. Reports that arrive in pieces never turn into
//! text. What bytes stand for is in `csi`, `strings` and `text`; here is what is held until the rest
//! comes, and no clock: the owner says when it has waited long enough.

mod csi;
mod reply;
mod strings;
mod text;

pub use reply::Reply;

use super::{KeyCode, KeyEvent, Mods};
use crate::mouse::MouseEvent;

/// What the outer terminal sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key.
    Key(KeyEvent),
    /// The mouse.
    Mouse(MouseEvent),
    /// A bracketed paste starts.
    PasteStart,
    /// A piece of it.
    Paste(Vec<u8>),
    /// It ends.
    PasteEnd,
    /// The outer terminal got the focus.
    FocusIn,
    /// It lost it.
    FocusOut,
    /// An answer to a query.
    Reply(Reply),
}

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";
/// The longest report kept; a longer one is skipped to its end.
const MAX_STRING: usize = 1 << 20;
/// The longest control sequence.
const MAX_CSI: usize = 256;

/// What the bytes belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Keys,
    Paste,
    /// A string too long to keep, up to its terminator; whether an ESC came last.
    Skip {
        esc: bool,
    },
}

/// What one step found at the start of the bytes.
enum Step {
    /// Events and the number of bytes they took.
    Done(Option<Event>, usize),
    /// More bytes are needed.
    More,
    PasteStart(usize),
    /// A string beyond its bound starts here.
    TooLong,
}

/// Reads events from bytes that arrive in any pieces.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    state: State,
    held: Vec<u8>,
    /// Bytes looked at so far of a string in `held`, so that a long one is not read again and again.
    scanned: usize,
    /// `held` is an ESC that came at the end of an earlier read: what follows was typed apart, unless it
    /// is the rest of a report.
    apart: bool,
    /// An ESC was given up as a key, so the rest of a report may still come without it.
    orphan: bool,
}

impl Decoder {
    /// A decoder at rest.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `bytes`; what is complete lands in `out`. When [`Decoder::pending`] says so afterwards, the
    /// owner waits a moment (some tens of milliseconds) and calls [`Decoder::flush_escape`].
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Event>) {
        if bytes.is_empty() {
            return;
        }
        if std::mem::take(&mut self.orphan) && orphaned_report(bytes) {
            // The ESC is gone as a key; its report at least is not typed.
            self.held.push(ESC);
        }
        self.apart = self.held == [ESC];
        let mut buffer = std::mem::take(&mut self.held);
        let old = buffer.len();
        buffer.extend_from_slice(bytes);
        let used = self.consume(&buffer, old, out);
        buffer.drain(..used);
        if used > 0 {
            self.scanned = 0;
        }
        buffer.shrink_to(4 * MAX_CSI);
        self.held = buffer;
    }

    /// Whether bytes are held that may be keys of their own: a lone ESC, or ESC and the letter that could
    /// start a report.
    pub fn pending(&self) -> bool {
        self.state == State::Keys
            && matches!(*self.held, [ESC] | [ESC, ESC | b'[' | b'O' | b']' | b'P' | b'_' | b'^' | b'X'])
    }

    /// Time is up: what is held were keys.
    pub fn flush_escape(&mut self, out: &mut Vec<Event>) {
        if !self.pending() {
            return;
        }
        let held = std::mem::take(&mut self.held);
        self.scanned = 0;
        let escape = || Event::Key(KeyEvent::new(KeyCode::Escape, Mods::empty()));
        match *held {
            [ESC, ESC] => out.extend([escape(), escape()]),
            [ESC, b] => out.extend(alt(self.apart, b)),
            _ => {
                self.orphan = true;
                out.push(escape());
            }
        }
        self.apart = false;
    }

    /// Consumes what it can of `buffer`, whose first `old` bytes were held; gives how much.
    fn consume(&mut self, buffer: &[u8], old: usize, out: &mut Vec<Event>) -> usize {
        let mut at = 0;
        while at < buffer.len() {
            let rest = &buffer[at..];
            match self.state {
                State::Paste => match self.paste(rest, out) {
                    Some(n) => at += n,
                    None => return at,
                },
                State::Skip { esc } => at += self.skip(rest, esc),
                State::Keys => {
                    let from = if at == 0 { self.scanned } else { 0 };
                    match step(rest, from, at == 0 && old == 1 && self.apart) {
                        Step::Done(event, n) => {
                            out.extend(event);
                            at += n;
                        }
                        Step::PasteStart(n) => {
                            self.state = State::Paste;
                            out.push(Event::PasteStart);
                            at += n;
                        }
                        Step::TooLong => {
                            self.state = State::Skip { esc: rest.last() == Some(&ESC) };
                            return buffer.len();
                        }
                        Step::More => {
                            self.scanned = rest.len().saturating_sub(1);
                            return at;
                        }
                    }
                }
            }
        }
        at
    }

    /// A piece of a paste: everything up to its end marker or to what may be the marker's start. `None`
    /// when only that is there.
    fn paste(&mut self, bytes: &[u8], out: &mut Vec<Event>) -> Option<usize> {
        if let Some(end) = memchr::memmem::find(bytes, PASTE_END) {
            if end > 0 {
                out.push(Event::Paste(bytes[..end].to_vec()));
            }
            out.push(Event::PasteEnd);
            self.state = State::Keys;
            return Some(end + PASTE_END.len());
        }
        let kept = (1..PASTE_END.len()).rev().find(|&n| bytes.ends_with(&PASTE_END[..n])).unwrap_or(0);
        let n = bytes.len() - kept;
        if n == 0 {
            return None;
        }
        out.push(Event::Paste(bytes[..n].to_vec()));
        Some(n)
    }

    fn skip(&mut self, bytes: &[u8], mut esc: bool) -> usize {
        for (i, &b) in bytes.iter().enumerate() {
            if b == 0x07 || esc && b == b'\\' {
                self.state = State::Keys;
                return i + 1;
            }
            esc = b == ESC;
        }
        self.state = State::Skip { esc };
        bytes.len()
    }
}

/// What stands at the start of `bytes`. `scanned` bytes of a string were looked at before; with `apart`
/// the ESC at the start came in an earlier read than the rest.
fn step(bytes: &[u8], scanned: usize, apart: bool) -> Step {
    if bytes[0] != ESC {
        return text::step(bytes);
    }
    let escape = Step::Done(Some(Event::Key(KeyEvent::new(KeyCode::Escape, Mods::empty()))), 1);
    match bytes.get(1) {
        None => Step::More,
        Some(b'[') => csi::step(bytes),
        Some(b'O') => csi::ss3(bytes),
        Some(b']' | b'P' | b'_' | b'^' | b'X') => strings::step(bytes, scanned),
        // Of two the first is a key by itself: what follows the second has its own.
        Some(&ESC) if bytes.len() == 2 && !apart => Step::More,
        Some(&ESC) => match bytes.get(2) {
            // Terminals that put an ESC before a key held with alt do so before arrows too.
            Some(b'[' | b'O') if !apart => with_alt(&bytes[1..]).unwrap_or(escape),
            _ => escape,
        },
        Some(_) if apart => escape,
        Some(_) => match text::step(&bytes[1..]) {
            Step::Done(Some(Event::Key(key)), n) => Step::Done(Some(Event::Key(held_alt(key))), n + 1),
            Step::Done(_, n) => Step::Done(None, n + 1),
            other => other,
        },
    }
}

fn held_alt(mut key: KeyEvent) -> KeyEvent {
    key.mods |= Mods::ALT;
    key.text = None;
    key
}

/// An unmodified functional key after an ESC; `None` for anything else.
fn with_alt(bytes: &[u8]) -> Option<Step> {
    let found = if bytes[1] == b'[' { csi::step(bytes) } else { csi::ss3(bytes) };
    match found {
        Step::More => Some(Step::More),
        Step::Done(Some(Event::Key(key)), n)
            if key.mods.is_empty() && !matches!(key.code, KeyCode::Char(_)) =>
        {
            Some(Step::Done(Some(Event::Key(held_alt(key))), n + 1))
        }
        _ => None,
    }
}

/// A held ESC and one letter, given up: alt and the letter when they came together.
fn alt(apart: bool, b: u8) -> Vec<Event> {
    let Step::Done(Some(Event::Key(key)), _) = text::step(&[b]) else { return Vec::new() };
    if apart {
        vec![Event::Key(KeyEvent::new(KeyCode::Escape, Mods::empty())), Event::Key(key)]
    } else {
        vec![Event::Key(held_alt(key))]
    }
}

/// Whether `bytes` are the rest of a report whose ESC is gone: nothing a person types in one read.
fn orphaned_report(bytes: &[u8]) -> bool {
    match bytes {
        [b'[', b'<', rest @ ..] => {
            let end = rest.iter().position(|b| !matches!(b, b'0'..=b'9' | b';'));
            end.is_some_and(|e| e > 4 && matches!(rest[e], b'M' | b'm'))
        }
        [b'[', b'?', b'0'..=b'9', ..] => true,
        [b']', b'0'..=b'9', rest @ ..] => rest.contains(&b';'),
        _ => false,
    }
}
