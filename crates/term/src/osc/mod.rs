//! Operating system commands: titles, folder, links, clipboard, marks. Colours, notifications and the
//! status protocol are beside. Not here: what becomes of a notice, nor any clipboard.

mod colour;
mod notify;
mod status;

use crate::face::{Mark, Notice};
use crate::handler::Handler;
use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

/// Characters kept of a title.
const MAX_TITLE: usize = 1000;
/// Bytes kept of an address.
const MAX_URI: usize = 4096;
/// Bytes handed on of an OSC not known here.
const MAX_OTHER: usize = 4096;

/// Base64 as programs write it, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text.trim_end_matches(['\r', '\n'])).ok()
}

/// Text without control characters, at most `max` characters of it.
pub(crate) fn clean(text: &str, max: usize) -> String {
    text.chars().filter(|c| !c.is_control()).filter(|c| !bidi(*c)).take(max).collect()
}

/// Characters that reorder what stands around them: a title must not rewrite its neighbours.
fn bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}

impl Handler<'_> {
    /// One OSC, with what ended it, for answers to end the same.
    pub(crate) fn osc(&mut self, payload: &[u8], terminator: &str) {
        self.m.grid.close_cluster();
        let text = String::from_utf8_lossy(payload);
        let (number, rest) = text.split_once(';').unwrap_or((&text, ""));
        let Ok(number) = number.parse::<u32>() else { return };
        match number {
            0 => {
                self.set_icon(clean(rest, MAX_TITLE));
                self.set_title(clean(rest, MAX_TITLE));
            }
            1 => self.set_icon(clean(rest, MAX_TITLE)),
            2 => self.set_title(clean(rest, MAX_TITLE)),
            4 | 10..=12 | 104 | 110..=112 => self.colour(number, rest, terminator),
            7 => self.set_cwd(rest),
            8 => self.link(rest),
            9 => self.osc9(rest),
            52 => self.clipboard(rest),
            99 => self.osc99(rest, terminator),
            133 => self.mark(rest),
            777 => self.osc777(rest),
            7501 => self.program_status(rest),
            _ => self.other(number, rest),
        }
    }

    pub(crate) fn other(&mut self, number: u32, payload: &str) {
        if payload.len() <= MAX_OTHER {
            self.notice(Notice::Osc { number, payload: clean(payload, MAX_OTHER) });
        }
    }

    pub(crate) fn set_title(&mut self, title: String) {
        if self.m.words.title != title {
            self.m.words.title.clone_from(&title);
            self.notice(Notice::Title(title));
        }
    }

    pub(crate) fn set_icon(&mut self, icon: String) {
        if self.m.words.icon != icon {
            self.m.words.icon.clone_from(&icon);
            self.notice(Notice::Icon(icon));
        }
    }

    pub(crate) fn set_cwd(&mut self, url: &str) {
        if url.len() <= MAX_URI {
            let url = clean(url, MAX_URI);
            let known = (!url.is_empty()).then(|| url.clone());
            if self.m.words.cwd != known {
                self.m.words.cwd = known;
                self.notice(Notice::Cwd(url));
            }
        }
    }

    /// OSC 8: the identifier is not needed, cells with the same address are one link.
    fn link(&mut self, rest: &str) {
        let Some((_, uri)) = rest.split_once(';') else { return };
        let uri = if uri.len() <= MAX_URI { clean(uri, MAX_URI) } else { String::new() };
        let grid = &mut self.m.grid;
        if grid.tables.links.full() {
            grid.sweep();
        }
        grid.pen.link = if uri.is_empty() { 0 } else { grid.tables.links.intern(&uri) };
        grid.repen();
    }

    /// OSC 52. Nothing to set is nothing done: an empty command must not wipe a clipboard.
    fn clipboard(&mut self, rest: &str) {
        let Some((selection, data)) = rest.split_once(';') else { return };
        let selection = match clean(selection, 16) {
            empty if empty.is_empty() => "c".to_owned(),
            given => given,
        };
        if data == "?" {
            self.notice(Notice::ClipboardQuery { selection });
        } else if let Some(data) = from_base64(data).filter(|d| !d.is_empty()) {
            self.notice(Notice::ClipboardSet { selection, data });
        }
    }

    /// OSC 133.
    fn mark(&mut self, rest: &str) {
        let mut parts = rest.split(';');
        let mark = match parts.next() {
            Some("A") => Mark::Prompt,
            Some("B") => Mark::Command,
            Some("C") => Mark::Output,
            Some("D") => Mark::End(parts.next().and_then(|s| s.parse().ok())),
            _ => return,
        };
        self.notice(Notice::PromptMark(mark));
    }
}
