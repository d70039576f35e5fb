//! Bytes to calls of the [`Handler`], in any pieces: whatever is unfinished is held here and not in the
//! parser, so that a terminal can be saved between any two bytes.
//!
//! Text, controls and the ordinary shapes of escape sequences are read by loops of our own, since that is
//! nearly all that programs write. Sequences with anything odd inside (controls, bytes of wrong places)
//! go whole through the `vte` parser, which knows what is to be made of them. Strings (OSC, DCS, APC, PM,
//! SOS) are scanned apart with a bound on each. What a sequence means is `csi`, `esc`, `osc`, `dcs`.

use crate::handler::Handler;
use crate::params::{Csi, Parsed, parse_csi};
use serde::{Deserialize, Serialize};

/// The longest OSC that is kept; a longer one is skipped to its end.
const MAX_OSC: usize = 1 << 20;
/// The longest DCS that is kept: its only users are short questions.
const MAX_DCS: usize = 4096;
/// The longest escape or control sequence.
const MAX_SEQUENCE: usize = 1024;
/// Memory kept for the next string.
const KEEP: usize = 4096;

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const BEL: u8 = 0x07;

/// Which string is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Osc,
    Dcs,
    /// APC, PM, SOS, or anything too long.
    Ignored,
}

/// What is unfinished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    #[default]
    Ground,
    /// `held` starts a sequence or a character.
    Held,
    /// `held` is the string so far; `esc` says that an ESC came after it.
    String { kind: Kind, esc: bool },
    /// A control sequence too long to keep; skipped to its last byte.
    SkipSequence,
}

/// Reads bytes and holds what is unfinished.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Feeder {
    state: State,
    held: Vec<u8>,
}

/// What stands at an ESC.
#[derive(Clone, Copy)]
enum Scan {
    /// Not all of it is here.
    Incomplete,
    Csi(Csi, usize),
    Esc {
        intermediate: u8,
        last: u8,
        len: usize,
    },
    /// Complete, of this length, with something odd in it.
    Odd(usize),
    /// Broken off by another ESC at this place.
    Aborted(usize),
    String(Kind, usize),
}

impl Feeder {
    pub(crate) fn feed(&mut self, mut bytes: &[u8], handler: &mut Handler<'_>) {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Ground => self.ground(bytes, handler),
                State::Held => self.complete(bytes, handler),
                State::String { kind, esc } => self.string(bytes, kind, esc, handler),
                State::SkipSequence => self.skip_sequence(bytes, handler),
            };
        }
    }

    /// Reads until something is unfinished; gives what is left to read.
    fn ground<'a>(&mut self, mut bytes: &'a [u8], handler: &mut Handler<'_>) -> &'a [u8] {
        while let Some(&b) = bytes.first() {
            let used = match b {
                0x20..=0x7e => {
                    let n = text_run(bytes);
                    handler.print_ascii(&bytes[..n]);
                    n
                }
                ESC => {
                    let found = scan(bytes);
                    if let Scan::String(kind, len) = found {
                        self.state = State::String { kind, esc: false };
                        return &bytes[len..];
                    }
                    match act(found, bytes, handler) {
                        Some(n) => n,
                        None => return self.hold(bytes),
                    }
                }
                0x80.. => match decode(bytes) {
                    Some((c, n)) => {
                        handler.print_char(c);
                        n
                    }
                    None => return self.hold(bytes),
                },
                _ => {
                    handler.execute(b);
                    1
                }
            };
            bytes = &bytes[used..];
        }
        bytes
    }

    fn hold<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.held.clear();
        if bytes[0] == ESC && bytes.len() > MAX_SEQUENCE {
            self.state = State::SkipSequence;
        } else {
            self.held.extend_from_slice(bytes);
            self.state = State::Held;
        }
        &[]
    }

    /// Adds bytes to what is held until it is complete.
    fn complete<'a>(&mut self, bytes: &'a [u8], handler: &mut Handler<'_>) -> &'a [u8] {
        let (&next, rest) = bytes.split_first().expect("the caller has bytes");
        let mut held = std::mem::take(&mut self.held);
        held.push(next);
        self.state = State::Ground;
        if held[0] != ESC {
            // A character: what decodes, or is wrong, is taken; the byte that broke it is read again.
            let Some((c, n)) = decode(&held) else {
                return self.keep(held, rest);
            };
            handler.print_char(c);
            let again = held.len() - n;
            held.clear();
            self.held = held;
            return &bytes[1 - again.min(1)..];
        }
        let found = scan(&held);
        if let Scan::String(kind, _) = found {
            self.state = State::String { kind, esc: false };
            held.clear();
            self.held = held;
            return rest;
        }
        match act(found, &held, handler) {
            None => self.keep(held, rest),
            Some(n) => {
                held.drain(..n);
                if held.is_empty() {
                    self.held = held;
                    return rest;
                }
                self.keep(held, rest)
            }
        }
    }

    fn keep<'a>(&mut self, held: Vec<u8>, rest: &'a [u8]) -> &'a [u8] {
        self.state = if held.len() > MAX_SEQUENCE { State::SkipSequence } else { State::Held };
        self.held = held;
        if self.state == State::SkipSequence {
            self.held.clear();
        }
        rest
    }

    fn string<'a>(&mut self, bytes: &'a [u8], kind: Kind, esc: bool, handler: &mut Handler<'_>) -> &'a [u8] {
        if esc {
            if bytes[0] == b'\\' {
                self.finish(kind, "\x1b\\", handler);
                return &bytes[1..];
            }
            // Any other sequence breaks the string off and stands for itself.
            self.held.clear();
            self.held.push(ESC);
            self.state = State::Held;
            return bytes;
        }
        let end = bytes.iter().position(|b| matches!(*b, ESC | CAN | SUB) || *b == BEL && kind == Kind::Osc);
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let max = if kind == Kind::Osc { MAX_OSC } else { MAX_DCS };
        let mut kind = kind;
        if kind != Kind::Ignored && self.held.len() + part.len() > max {
            kind = Kind::Ignored;
            self.held = Vec::new();
            self.state = State::String { kind, esc };
        }
        if kind != Kind::Ignored {
            self.held.extend_from_slice(part);
        }
        let Some(end) = end else { return &[] };
        match bytes[end] {
            BEL => self.finish(kind, "\x07", handler),
            ESC => self.state = State::String { kind, esc: true },
            _ => {
                self.held.clear();
                self.state = State::Ground;
            }
        }
        // An overlong OSC may still end in a BEL, which then ends nothing but the skipping.
        &bytes[end + 1..]
    }

    fn finish(&mut self, kind: Kind, terminator: &str, handler: &mut Handler<'_>) {
        self.state = State::Ground;
        match kind {
            Kind::Osc => handler.osc(&self.held, terminator),
            Kind::Dcs => handler.dcs(&self.held),
            Kind::Ignored => {}
        }
        self.held.clear();
        self.held.shrink_to(KEEP);
    }

    fn skip_sequence<'a>(&mut self, bytes: &'a [u8], handler: &mut Handler<'_>) -> &'a [u8] {
        for (i, &b) in bytes.iter().enumerate() {
            match b {
                ESC => {
                    self.state = State::Ground;
                    return &bytes[i..];
                }
                CAN | SUB | 0x40..=0x7e => {
                    self.state = State::Ground;
                    return &bytes[i + 1..];
                }
                0..0x20 => handler.execute(b),
                _ => {}
            }
        }
        &[]
    }
}

/// Does what was found; `None` when it is incomplete.
fn act(found: Scan, bytes: &[u8], handler: &mut Handler<'_>) -> Option<usize> {
    match found {
        Scan::Incomplete => None,
        Scan::Csi(csi, len) => {
            handler.csi(&csi);
            Some(len)
        }
        Scan::Esc { intermediate, last, len } => {
            handler.esc(intermediate, last);
            Some(len)
        }
        Scan::Odd(len) | Scan::Aborted(len) => {
            let mut parser = vte::Parser::new();
            parser.advance(handler, &bytes[..len]);
            Some(len)
        }
        Scan::String(_, len) => Some(len),
    }
}

/// Length of the printable ASCII at the start of `bytes`, in steps the compiler makes vectors of.
#[inline]
fn text_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks_exact(32) {
        if chunk.iter().fold(0, |bad, b| bad | u8::from(b.wrapping_sub(0x20) >= 0x5f)) != 0 {
            break;
        }
        at += 32;
    }
    at + bytes[at..].iter().take_while(|b| b.wrapping_sub(0x20) < 0x5f).count()
}

/// The character at the start of `bytes` and its length, U+FFFD for a wrong one; `None` when more bytes
/// are needed to tell.
#[inline]
fn decode(bytes: &[u8]) -> Option<(char, usize)> {
    let first = bytes[0];
    let (len, low, high) = match first {
        0xc2..=0xdf => (2, 0x80, 0xbf),
        0xe0 => (3, 0xa0, 0xbf),
        0xed => (3, 0x80, 0x9f),
        0xe1..=0xef => (3, 0x80, 0xbf),
        0xf0 => (4, 0x90, 0xbf),
        0xf1..=0xf3 => (4, 0x80, 0xbf),
        0xf4 => (4, 0x80, 0x8f),
        _ => return Some((char::REPLACEMENT_CHARACTER, 1)),
    };
    let mut code = u32::from(first) & (0x7f >> len);
    for i in 1..len {
        let &b = bytes.get(i)?;
        let fits = if i == 1 { (low..=high).contains(&b) } else { b & 0xc0 == 0x80 };
        if !fits {
            return Some((char::REPLACEMENT_CHARACTER, i));
        }
        code = code << 6 | u32::from(b & 0x3f);
    }
    Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), len))
}

/// Looks at the sequence that starts with the ESC at the start of `bytes`.
#[inline]
fn scan(bytes: &[u8]) -> Scan {
    match bytes.get(1) {
        None => Scan::Incomplete,
        Some(b'[') => match parse_csi(&bytes[2..]) {
            Parsed::Csi(csi, len) => Scan::Csi(csi, len + 2),
            Parsed::Incomplete => Scan::Incomplete,
            Parsed::Odd => scan_odd(bytes),
        },
        Some(&b) if string_kind(b).is_some() => Scan::String(string_kind(b).unwrap_or(Kind::Ignored), 2),
        Some(&last @ 0x30..=0x7e) => Scan::Esc { intermediate: 0, last, len: 2 },
        Some(&intermediate @ 0x20..=0x2f) => match bytes.get(2) {
            None => Scan::Incomplete,
            Some(&last @ 0x30..=0x7e) => Scan::Esc { intermediate, last, len: 3 },
            Some(_) => scan_odd(bytes),
        },
        Some(_) => scan_odd(bytes),
    }
}

fn string_kind(b: u8) -> Option<Kind> {
    match b {
        b']' => Some(Kind::Osc),
        b'P' => Some(Kind::Dcs),
        b'X' | b'^' | b'_' => Some(Kind::Ignored),
        _ => None,
    }
}

/// Finds the end of a sequence that is not of the ordinary shape.
fn scan_odd(bytes: &[u8]) -> Scan {
    let (mut csi, mut intermediate) = (false, false);
    for (i, &b) in bytes.iter().enumerate().skip(1) {
        match b {
            ESC => return Scan::Aborted(i),
            CAN | SUB => return Scan::Odd(i + 1),
            0x20..=0x2f => intermediate = true,
            b'[' if !csi && !intermediate => csi = true,
            0x40..=0x7e if csi => return Scan::Odd(i + 1),
            _ if !csi && !intermediate && string_kind(b).is_some() => {
                // Controls between ESC and the string's letter: rare enough to be dropped with it.
                return Scan::String(string_kind(b).unwrap_or(Kind::Ignored), i + 1);
            }
            0x30..=0x7e if !csi => return Scan::Odd(i + 1),
            _ => {}
        }
    }
    Scan::Incomplete
}
