//! Requests that wait for a pane: until it is settled, ended, in a state, or shows a text.
//!
//! Not here: looking for a text (`server` does, and says so), what settled means (`tree::pane`).

use kraal_api::agents::TerminalState;
use kraal_api::ids::Target;
use kraal_api::messages::{Settled, WAIT_SECS_DEFAULT, WAIT_SECS_MAX, Wait};
use kraal_api::model::{Exit, Phase};
use kraal_api::panes::{Until, WaitPane, Waited};
use kraal_api::{ConnId, PaneId, Refusal, Response};

use crate::effect::Effect;
use crate::input::{Outcome, Ticket};
use crate::outbox::{Answer, Outbox, Reply};
use crate::rights::Permit;
use crate::tree::Tree;

/// How many waits one connection may have at once.
const PER_CONN_MAX: usize = 256;
/// How long a text may still show after the program ended: its last output is on its way.
const LAST_WORDS_MS: u64 = 500;

/// A parked request.
#[derive(Clone, Debug, PartialEq)]
struct Parked {
    ticket: Ticket,
    conn: ConnId,
    pane: PaneId,
    until: Until,
    /// As the public `Wait` named the pane; None for the verb.
    target: Option<Target>,
    /// Unix milliseconds.
    deadline: u64,
    /// What it waits for cannot come any more, and why; it is answered at the deadline.
    hopeless: Option<String>,
}

impl Parked {
    /// Whether what it waits for may be on the screen although the program ended.
    fn may_show(&self) -> bool {
        matches!(self.until, Until::Text(_))
    }

    /// Nothing more will come, but the program's last words may be on their way to the screen.
    fn lose_hope(&mut self, why: Refusal, now: u64) {
        if self.hopeless.is_none() {
            self.deadline = self.deadline.min(now.saturating_add(LAST_WORDS_MS));
            self.hopeless = Some(why.message);
        }
    }
}

/// Everything that is parked.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    parked: Vec<Parked>,
}

impl Waits {
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        self.parked.iter().map(|parked| parked.deadline).min()
    }

    /// A connection is gone: nobody waits on it.
    pub(crate) fn closed(&mut self, conn: ConnId, out: &mut Outbox) {
        for parked in self.parked.extract_if(.., |parked| parked.conn == conn) {
            forget_text(&parked, out);
        }
    }

    /// The machine says how what a wait needed went. False when no wait has this ticket.
    pub(crate) fn done(&mut self, ticket: Ticket, outcome: &Outcome, tree: &Tree, out: &mut Outbox) -> bool {
        let Some(at) = self.parked.iter().position(|parked| parked.ticket == ticket) else { return false };
        let answer = match outcome {
            Outcome::TextShown => Ok(settled(tree, &self.parked[at], out)),
            Outcome::Failed(refusal) => Err(refusal.clone()),
            Outcome::Ok => return true,
        };
        let parked = self.parked.remove(at);
        out.reply_late(parked.ticket, answer);
        true
    }
}

/// `Wait`.
pub(crate) fn wait(waits: &mut Waits, tree: &Tree, out: &mut Outbox, permit: &Permit, ask: &Wait) -> Answer {
    let wanted = (Until::Settled, Some(ask.target.clone()), ask.timeout_secs);
    park(waits, tree, out, permit, wanted)
}

/// Verb `WaitPane`.
pub(crate) fn wait_pane(
    waits: &mut Waits,
    tree: &Tree,
    out: &mut Outbox,
    permit: &Permit,
    ask: &WaitPane,
) -> Answer {
    if matches!(&ask.until, Until::Text(text) if text.is_empty()) {
        return Err(Refusal::bad_request("say which text to wait for: an empty one is always there"));
    }
    park(waits, tree, out, permit, (ask.until.clone(), None, ask.timeout_secs))
}

fn park(
    waits: &mut Waits,
    tree: &Tree,
    out: &mut Outbox,
    permit: &Permit,
    (until, target, timeout_secs): (Until, Option<Target>, Option<u64>),
) -> Answer {
    let pane = permit.pane()?;
    let secs = timeout_secs.unwrap_or(WAIT_SECS_DEFAULT).min(WAIT_SECS_MAX);
    let asked = permit.asked();
    let deadline = out.now.saturating_add(secs * 1000);
    let mut parked =
        Parked { ticket: asked.ticket, conn: asked.conn, pane, until, target, deadline, hopeless: None };
    match judge(tree, &parked, out) {
        Some(Err(refusal)) if parked.may_show() => parked.lose_hope(refusal, out.now),
        Some(answer) => return answer.map(Reply::Now),
        None => {}
    }
    if waits.parked.iter().filter(|other| other.conn == parked.conn).count() >= PER_CONN_MAX {
        let why = format!(
            "this connection waits for {PER_CONN_MAX} things already: wait for less at once, or ask on another"
        );
        return Err(Refusal::busy(why));
    }
    match &parked.until {
        // A look at the screen takes the machine a moment, even for one who does not wait.
        Until::Text(text) => {
            out.act(Effect::AwaitText { ticket: parked.ticket, pane, text: text.clone() });
        }
        _ if secs == 0 => return Ok(Reply::Now(Response::TimedOut)),
        _ => {}
    }
    parked.deadline = parked.deadline.max(out.now.saturating_add(1));
    waits.parked.push(parked);
    Ok(Reply::Later)
}

/// Answers what came true, what cannot come true any more, and what took too long.
pub(crate) fn settle(waits: &mut Waits, tree: &Tree, out: &mut Outbox) {
    if waits.parked.is_empty() {
        return;
    }
    let mut left = Vec::with_capacity(waits.parked.len());
    for mut parked in std::mem::take(&mut waits.parked) {
        let answer = if out.touched.contains(&parked.pane) { judge(tree, &parked, out) } else { None };
        let overdue = parked.deadline <= out.now;
        match answer {
            Some(Err(refusal)) if parked.may_show() && tree.pane(parked.pane).is_some() && !overdue => {
                parked.lose_hope(refusal, out.now);
                left.push(parked);
            }
            Some(answer) => {
                forget_text(&parked, out);
                out.reply_late(parked.ticket, answer);
            }
            None if overdue => {
                forget_text(&parked, out);
                let answer =
                    parked.hopeless.take().map_or(Ok(Response::TimedOut), |why| Err(Refusal::failed(why)));
                out.reply_late(parked.ticket, answer);
            }
            None => left.push(parked),
        }
    }
    waits.parked = left;
}

fn forget_text(parked: &Parked, out: &mut Outbox) {
    if matches!(parked.until, Until::Text(_)) {
        out.act(Effect::ForgetText { ticket: parked.ticket });
    }
}

/// The answer, when there is one already.
fn judge(tree: &Tree, parked: &Parked, out: &Outbox) -> Option<Result<Response, Refusal>> {
    let pane = tree.pane(parked.pane);
    let ended = pane.is_none_or(|pane| !pane.lives());
    let came = match (&parked.until, pane) {
        (Until::Settled, Some(pane)) => pane.settled(),
        (Until::Settled | Until::Exited, None) => true,
        (Until::Exited, Some(_)) => ended,
        (Until::State(state), Some(pane)) => {
            let agent = pane.facts.agent.as_ref().filter(|_| !ended);
            agent.is_some_and(|agent| agent.verdict.state == *state && agent.verdict.certain)
        }
        (Until::State(_), None) | (Until::Text(_), _) => false,
    };
    if came {
        return Some(Ok(settled(tree, parked, out)));
    }
    if !ended {
        return None;
    }
    let what = match &parked.until {
        Until::State(state) => format!("its agent was {}", state.word()),
        Until::Text(_) => "it showed the text".to_owned(),
        Until::Settled | Until::Exited => return None,
    };
    let how = if pane.is_none() { "closed" } else { "ended" };
    Some(Err(Refusal::failed(format!("pane {} {how} before {what}", parked.pane))))
}

fn settled(tree: &Tree, parked: &Parked, out: &Outbox) -> Response {
    let pane = tree.pane(parked.pane);
    let state = pane.map_or(TerminalState::Closed, |pane| pane.state());
    match &parked.target {
        Some(target) => Response::Settled(Settled { target: target.clone(), state }),
        None => {
            let exit = match pane.map(|pane| &pane.facts.phase) {
                Some(Phase::Exited(exit)) => Some(*exit),
                Some(_) => None,
                None => out.exits.get(&parked.pane).copied(),
            };
            Response::Waited(Waited { pane: parked.pane, state, exit: exit as Option<Exit> })
        }
    }
}
