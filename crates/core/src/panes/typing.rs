//! Text and keys for a pane's program. What is sent while it starts waits until it runs.
//!
//! Not here: how they become bytes (`term`), prompts (a prompt is more than typing).

use kraal_api::panes::{SendKeys, SendText};
use kraal_api::{PaneId, Refusal};

use crate::desk::Desk;
use crate::effect::Effect;
use crate::input::Ticket;
use crate::outbox::{Answer, Outbox, Reply};
use crate::rights::Permit;
use crate::tree::Tree;
use kraal_api::model::Phase;

/// How much may wait for programs to start.
const HELD_MAX: usize = 1_000;

/// What waits for a program to start, in order.
#[derive(Debug, Default)]
pub(crate) struct Held {
    waiting: Vec<(PaneId, Ticket, Effect)>,
}

/// Verb `SendText`.
pub(crate) fn send_text(desk: &mut Desk<'_>, held: &mut Held, permit: &Permit, ask: &SendText) -> Answer {
    let (pane, ticket) = (permit.pane()?, permit.asked().ticket);
    hand_over(desk, held, (pane, ticket), Effect::TypeText { ticket, pane, text: ask.text.clone() })
}

/// Verb `SendKeys`.
pub(crate) fn send_keys(desk: &mut Desk<'_>, held: &mut Held, permit: &Permit, ask: &SendKeys) -> Answer {
    let (pane, ticket) = (permit.pane()?, permit.asked().ticket);
    if ask.keys.is_empty() {
        return Err(Refusal::bad_request("say which keys to press: `enter`, `ctrl+c`, `a`"));
    }
    hand_over(desk, held, (pane, ticket), Effect::PressKeys { ticket, pane, keys: ask.keys.clone() })
}

fn hand_over(
    desk: &mut Desk<'_>,
    held: &mut Held,
    (pane, ticket): (PaneId, Ticket),
    effect: Effect,
) -> Answer {
    match desk.tree.pane(pane).map(|state| &state.facts.phase) {
        Some(Phase::Running) => desk.out.act(effect),
        Some(Phase::Starting) if held.waiting.len() >= HELD_MAX => {
            return Err(Refusal::busy(format!("pane {pane} is still starting: ask again in a moment")));
        }
        Some(Phase::Starting) => held.waiting.push((pane, ticket, effect)),
        _ => return Err(not_running(pane)),
    }
    Ok(Reply::Later)
}

fn not_running(pane: PaneId) -> Refusal {
    Refusal::failed(format!("no program runs in pane {pane}, so nothing was typed: run it again first"))
}

impl Held {
    /// Hands over what waited for programs that run now, and answers for those that never will.
    pub(crate) fn settle(&mut self, tree: &Tree, out: &mut Outbox) {
        let phase = |pane: PaneId| tree.pane(pane).map(|state| &state.facts.phase);
        let ready = |(pane, ..): &mut (PaneId, Ticket, Effect)| phase(*pane) != Some(&Phase::Starting);
        for (pane, ticket, effect) in self.waiting.extract_if(.., ready) {
            if phase(pane) == Some(&Phase::Running) {
                out.act(effect);
            } else {
                out.reply_late(ticket, Err(not_running(pane)));
            }
        }
    }
}
