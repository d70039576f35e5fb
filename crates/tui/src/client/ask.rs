//! What this client asked and has no answer to yet.
//!
//! Not here: which requests there are (`act`).

use std::collections::BTreeMap;

use kraal_api::request::{Request, Response, Verb};
use kraal_api::stream::FromClient;
use kraal_api::{PaneId, Refusal};

use super::{Client, Link, Now, Out};
use crate::layers::{Layer, Page, page_line};
use crate::text;

/// What an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// Only to be told when it fails.
    Done,
    /// Going somewhere: keys go there already.
    Going,
    /// Something opens or closes that keys may be meant for.
    Holding,
    /// A border follows the mouse.
    Dragging,
    /// A floating pane follows the mouse.
    Floating,
    /// Why an agent is in its state.
    Explaining(PaneId),
    /// The configuration's problems.
    Reloading,
}

/// Requests by number.
#[derive(Debug, Default)]
pub(super) struct Asks {
    last: u64,
    waiting: BTreeMap<u64, Waits>,
}

impl Asks {
    /// The connection is gone, and so are the answers.
    pub(super) fn forget(&mut self) {
        self.waiting.clear();
    }
}

impl Client {
    /// Asks the server; says the request's number, none without a connection.
    pub(super) fn ask(&mut self, verb: Verb, waits: Waits, out: &mut Out) -> Option<u64> {
        if self.link != Link::Live {
            return None;
        }
        self.asks.last += 1;
        let id = self.asks.last;
        self.asks.waiting.insert(id, waits);
        out.tell(&FromClient::Ask { id, request: Request::Verb(verb) });
        Some(id)
    }

    pub(super) fn answered(&mut self, id: u64, answer: Result<Response, Refusal>, now: Now, out: &mut Out) {
        let Some(waits) = self.asks.waiting.remove(&id) else { return };
        if let Err(refusal) = &answer {
            self.complain(refusal.message.clone(), now);
        }
        match waits {
            Waits::Done => {}
            Waits::Going => {
                self.mirror.answered(id, answer.is_ok());
                self.redraw();
            }
            Waits::Holding => self.hold_answered(id, &answer, now, out),
            Waits::Dragging => self.drag_answered(answer.is_ok(), out),
            Waits::Floating => self.float_drag_answered(answer.is_ok(), out),
            Waits::Explaining(pane) => {
                if let Ok(Response::Explained(decisions)) = answer {
                    self.explain(pane, &decisions);
                }
            }
            Waits::Reloading => {
                if let Ok(Response::ConfigReloaded(problems)) = answer {
                    match problems.as_slice() {
                        [] => self.say(
                            "the configuration was read again; keys and looks change at the next attach",
                            now,
                        ),
                        [one] => self.complain(one.clone(), now),
                        _ => self.page("Configuration", problems.iter().map(|p| page_line(p))),
                    }
                }
            }
        }
    }

    fn page(&mut self, title: &str, lines: impl Iterator<Item = crate::layers::Line>) {
        self.layers.push(Layer::Page(Page::new(title, lines.collect())));
        self.redraw();
    }

    fn explain(&mut self, pane: PaneId, decisions: &[kraal_api::agents::Decision]) {
        use crate::layers::Line;
        let name = self.mirror.model().pane(pane).map(crate::draw::called).unwrap_or_default();
        let mut lines = Vec::new();
        for decision in decisions.iter().rev() {
            let mark = if decision.verdict.certain { "" } else { ", not certain" };
            let state = decision.verdict.state.word();
            let at = text::clean(&decision.at);
            lines.push(Line::Heading(format!("{at}  {state}{mark}  by {}", text::clean(&decision.rule))));
            lines.extend(decision.evidence.iter().map(|e| Line::Text(format!("  {}", text::clean(e)))));
        }
        if lines.is_empty() {
            lines.push(Line::Text("nothing was decided about it yet".to_owned()));
        }
        self.page(&format!("Why {name} is in its state"), lines.into_iter());
    }
}
