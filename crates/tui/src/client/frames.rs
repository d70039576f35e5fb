//! What the server sends: the answer to attaching, facts, screens, and words for the user.
//!
//! Not here: reading the socket (`app`), the mirror itself.

use kraal_api::PaneId;
use kraal_api::config;
use kraal_api::envelope::Answer;
use kraal_api::request::Response;
use kraal_api::screen::flag;
use kraal_api::stream::{Kind, ToClient};

use super::{Client, Ending, Link, Now, Out, Stale};
use crate::text;

/// What of a screen's head shows outside its cells.
#[derive(Debug, PartialEq, Eq)]
struct Outside {
    size: (u16, u16),
    offset: u32,
    history: Option<u32>,
}

impl Client {
    /// The line that answers `Attach`.
    pub(super) fn attached(&mut self, line: &[u8], now: Now, out: &mut Out) {
        let answer: Answer = match serde_json::from_slice(line) {
            Ok(answer) => answer,
            Err(_) => {
                let why = "the server's answer makes no sense: client and server are of different versions, restart the session with `kraal restart`";
                out.end = Some(Ending::Because(why.to_owned()));
                return;
            }
        };
        if let Some(refusal) = answer.error {
            out.end = Some(Ending::Because(text::clean(&refusal.message)));
            return;
        }
        match answer.response.map(serde_json::from_value::<Response>) {
            Some(Ok(Response::Attached(_))) => {
                if self.link == Link::Attaching && self.mirror.tab_id().is_some() {
                    self.say("back again; everything ran on", now);
                }
                self.link = Link::Live;
                self.redraw();
            }
            _ => out.end = Some(Ending::Because("the server did not attach this terminal".to_owned())),
        }
    }

    pub(super) fn frame(&mut self, kind: Option<Kind>, payload: &[u8], now: Now, out: &mut Out) {
        match kind {
            Some(Kind::Screen) => self.screen_frame(payload, now, out),
            Some(Kind::Control) => match serde_json::from_slice::<ToClient>(payload) {
                Ok(message) => self.told(message, now, out),
                // The stream's version was agreed on: a message it does not know is a fault.
                Err(_) => self.complain("the server said something this client does not understand", now),
            },
            // Nobody sends a client keys; what a later version adds is skipped.
            Some(Kind::Keys | Kind::Paste) | None => {}
        }
    }

    fn screen_frame(&mut self, payload: &[u8], now: Now, out: &mut Out) {
        let pane = payload.first_chunk::<8>().map(|id| PaneId(u64::from_le_bytes(*id)));
        let before = pane.map(|pane| self.outside(pane));
        match self.mirror.screen_frame(payload, &mut self.pool) {
            Ok(pane) => {
                self.scroll_shown(pane, now);
                let same = before == Some(self.outside(pane));
                let stale = if same { Stale::Rows } else { Stale::Everything };
                self.stage.stale = self.stage.stale.max(stale);
                self.hold_check(now, out);
            }
            Err(error) => self.complain(error.to_string(), now),
        }
    }

    fn outside(&self, pane: PaneId) -> Outside {
        let head = self.mirror.head(pane);
        Outside {
            size: (head.cols, head.rows),
            offset: head.offset,
            history: (head.offset > 0).then_some(head.history),
        }
    }

    fn told(&mut self, message: ToClient, now: Now, out: &mut Out) {
        match message {
            ToClient::Facts(model) => {
                self.mirror.facts(model);
                self.facts_changed(now, out);
                self.hold_facts(now, out);
            }
            ToClient::Pane(pane) => {
                self.mirror.pane_facts(pane);
                self.facts_changed(now, out);
            }
            ToClient::View { tab } => {
                self.mirror.view(tab);
                self.facts_changed(now, out);
            }
            ToClient::Answer { id, answer } => self.answered(id, answer, now, out),
            ToClient::Notification { title, body, pane } => self.notified((&title, &body), pane, now, out),
            ToClient::Say(words) => self.say(words, now),
            ToClient::Config(config) => self.configure(*config, out),
            ToClient::Clipboard { selection, data } => {
                if self.settings.config.clipboard == config::Clipboard::Write {
                    self.outer.clipboard(&selection, &data, &mut out.write);
                }
            }
            ToClient::Bell => out.write.push(7),
            ToClient::Bye(bye) => self.ended(bye, out),
        }
    }

    fn facts_changed(&mut self, now: Now, out: &mut Out) {
        self.redraw();
        self.drag_facts(out);
        self.hold_check(now, out);
    }

    fn notified(&mut self, (title, body): (&str, &str), pane: Option<PaneId>, now: Now, out: &mut Out) {
        // A terminal shows one line.
        let body = body.trim_end().replace('\n', " · ");
        if self.settings.config.notifications.mode.in_terminal() {
            self.outer.notify((title, &body), pane, &mut out.write);
        }
        let words = if body.is_empty() { title.to_owned() } else { format!("{title}: {body}") };
        self.say(words, now);
    }

    /// Whether a full-screen program runs in a pane.
    pub(super) fn on_alternate(&self, pane: PaneId) -> bool {
        self.mirror.screen(pane).is_some_and(|screen| screen.has(flag::ALTERNATE))
    }
}
