//! Notifications and progress: OSC 9 (iTerm2, ConEmu), 777 (urxvt), 99 (kitty).
//! Nothing is shown from here: the texts are cleaned, bounded and handed on.

use super::{clean, from_base64};
use crate::face::{Notice, NotificationSource, Progress, ProgressState};
use crate::handler::Handler;

/// Characters kept of a notification's title and body, each.
const MAX_TEXT: usize = 2000;
/// Characters kept of an identifier.
const MAX_ID: usize = 256;

impl Handler<'_> {
    /// OSC 9: `4;…` is progress, `9;path` a folder, other numbers ConEmu's and nothing to us; else a text.
    pub(super) fn osc9(&mut self, rest: &str) {
        let (head, tail) = rest.split_once(';').unwrap_or((rest, ""));
        match head.parse::<u32>() {
            Ok(4) => self.progress(tail),
            Ok(9) => self.set_cwd(tail.trim_matches('"')),
            Ok(1..=12) => {}
            _ => self.notify(None, "", rest, NotificationSource::Osc9),
        }
    }

    fn progress(&mut self, rest: &str) {
        let mut parts = rest.split(';');
        let state = match parts.next() {
            Some("1") => Some(ProgressState::Normal),
            Some("2") => Some(ProgressState::Error),
            Some("3") => Some(ProgressState::Indeterminate),
            Some("4") => Some(ProgressState::Paused),
            Some("0" | "") => None,
            _ => return,
        };
        let given = parts.next().and_then(|p| p.parse::<u16>().ok()).map(|p| p.min(100) as u8);
        let progress = state.map(|state| Progress {
            state,
            percent: if state == ProgressState::Indeterminate { None } else { given },
        });
        if self.m.words.progress != progress {
            self.m.words.progress = progress;
            self.notice(Notice::Progress(progress));
        }
    }

    /// OSC 777: `notify;title;body`; other words are handed on.
    pub(super) fn osc777(&mut self, rest: &str) {
        match rest.strip_prefix("notify;") {
            Some(text) => {
                let (title, body) = text.split_once(';').unwrap_or((text, ""));
                self.notify(None, title, body, NotificationSource::Osc777);
            }
            None => self.other(777, rest),
        }
    }

    /// OSC 99: `key=value:…;text`, in pieces until one is not marked `d=0`.
    pub(super) fn osc99(&mut self, rest: &str, terminator: &str) {
        let (meta, text) = rest.split_once(';').unwrap_or((rest, ""));
        let key = |name: &str| {
            meta.split(':').filter_map(|pair| pair.split_once('=')).find(|(k, _)| *k == name).map(|(_, v)| v)
        };
        let id = clean(key("i").unwrap_or_default(), MAX_ID);
        let what = key("p").unwrap_or("title");
        if what == "?" {
            let shown: String =
                id.chars().filter(|c| c.is_ascii_alphanumeric() || "-_+.".contains(*c)).collect();
            self.reply(format!("\x1b]99;i={shown}:p=?;p=title,body{terminator}"));
            return;
        }
        let decoded;
        let text = match key("e") {
            Some("1") => {
                decoded = from_base64(text).unwrap_or_default();
                &String::from_utf8_lossy(&decoded)
            }
            _ => text,
        };
        let mut partial = self.m.words.partial.take().filter(|p| p.0 == id).unwrap_or_default();
        let part = match what {
            "title" => Some(&mut partial.1),
            "body" => Some(&mut partial.2),
            _ => None,
        };
        if let Some(part) = part {
            let room = MAX_TEXT.saturating_sub(part.chars().count());
            part.push_str(&clean(text, room));
        }
        partial.0 = id;
        if key("d") == Some("0") {
            self.m.words.partial = Some(partial);
            return;
        }
        let (id, title, body) = partial;
        let id = (!id.is_empty()).then_some(id);
        self.notify(id, &title, &body, NotificationSource::Osc99);
    }

    fn notify(&mut self, id: Option<String>, title: &str, body: &str, source: NotificationSource) {
        let (title, body) = (clean(title, MAX_TEXT), clean(body, MAX_TEXT));
        if !title.is_empty() || !body.is_empty() {
            self.notice(Notice::Notification { id, title, body, source });
        }
    }
}
