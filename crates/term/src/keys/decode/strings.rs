//! OSC, DCS and their like from the outer terminal: always answers, never keys.

use super::{ESC, Event, MAX_STRING, Reply, Step};
use crate::colours;
use crate::osc::from_base64;

/// The string that starts with `ESC` and its letter, of which `scanned` bytes were looked at before.
pub(super) fn step(bytes: &[u8], scanned: usize) -> Step {
    let from = scanned.max(2);
    for (i, &b) in bytes.iter().enumerate().skip(from) {
        match b {
            0x07 => return Step::Done(read(bytes[1], &bytes[2..i], &bytes[..=i]), i + 1),
            ESC => match bytes.get(i + 1) {
                None => break,
                Some(b'\\') => return Step::Done(read(bytes[1], &bytes[2..i], &bytes[..i + 2]), i + 2),
                // Broken off; the new ESC starts something else.
                Some(_) => return Step::Done(None, i),
            },
            _ => {}
        }
    }
    if bytes.len() > MAX_STRING { Step::TooLong } else { Step::More }
}

fn read(kind: u8, payload: &[u8], whole: &[u8]) -> Option<Event> {
    let text = String::from_utf8_lossy(payload);
    let reply = match kind {
        b']' => osc(&text),
        b'P' => dcs(&text),
        _ => None,
    };
    Some(Event::Reply(reply.unwrap_or_else(|| Reply::Unknown(whole.to_vec()))))
}

fn osc(text: &str) -> Option<Reply> {
    let (number, rest) = text.split_once(';')?;
    let number = number.parse().ok()?;
    match number {
        4 => {
            let (index, colour) = rest.split_once(';')?;
            Some(Reply::Palette(index.parse().ok()?, colours::parse(colour)?))
        }
        10 => colours::parse(rest).map(Reply::Foreground),
        11 => colours::parse(rest).map(Reply::Background),
        12 => colours::parse(rest).map(Reply::CursorColour),
        52 => {
            let (_, data) = rest.split_once(';')?;
            from_base64(data).map(Reply::Clipboard)
        }
        _ => Some(Reply::Osc(number, rest.to_owned())),
    }
}

fn dcs(text: &str) -> Option<Reply> {
    if let Some(version) = text.strip_prefix(">|") {
        return Some(Reply::Version(version.to_owned()));
    }
    if let Some(unit) = text.strip_prefix("!|") {
        return Some(Reply::TertiaryAttributes(unit.to_owned()));
    }
    let (known, body) = match text.split_once("+r")? {
        ("1", body) => (true, body),
        ("0", body) => (false, body),
        _ => return None,
    };
    let (name, value) = body.split_once('=').unwrap_or((body, ""));
    let value = if known { Some(from_hex(value)?) } else { None };
    Some(Reply::Capability(from_hex(name)?, value))
}

fn from_hex(hex: &str) -> Option<String> {
    let bytes = hex.as_bytes().chunks(2).map(|pair| {
        std::str::from_utf8(pair).ok().filter(|p| p.len() == 2).and_then(|p| u8::from_str_radix(p, 16).ok())
    });
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
}
