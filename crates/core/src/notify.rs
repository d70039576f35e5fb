//! Notifications: for agents that need the user while nobody looks at them. Late enough not to tell of
//! what passes by itself, at most one per pane in a while, several at once as one.
//!
//! Not here: how a notification reaches the user (`server`), what looked at means (`focus`).

use std::collections::BTreeMap;

use kraal_api::events::Happening;
use kraal_api::model::AgentFacts;
use kraal_api::panes::Notify;
use kraal_api::{Kind, PaneId, Refusal, Response, State};

use crate::effect::Effect;
use crate::focus::Focus;
use crate::input::Settings;
use crate::outbox::{Answer, Change, Notice, Outbox, Reply};
use crate::rights::Permit;
use crate::tree::Tree;
use crate::words;

/// A state must last this long to be told.
const DEBOUNCE_MS: u64 = 300;
/// The least time between two notifications of one pane.
const PANE_GAP_MS: u64 = 5_000;
/// The least time between any two: what comes meanwhile is summed up.
const GAP_MS: u64 = 1_000;
/// A program's own notification and ours of the same pane within this time are one.
const MERGE_MS: u64 = 2_000;
/// How many lines one notification has at most.
const LINES_MAX: usize = 8;
/// How many panes a summary names.
const SUMMED_UP: usize = 5;

/// Where a notification comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum From {
    /// The state of its agent: it is dropped when the state is over.
    State(State),
    /// The program itself, or a caller.
    Own,
}

/// One that is not sent yet.
#[derive(Clone, Debug, PartialEq)]
struct Pending {
    from: From,
    title: String,
    body: String,
    due: u64,
    /// It is told even to a user who looks at the pane.
    asked: bool,
}

/// What is pending and what was sent.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    pending: BTreeMap<PaneId, Pending>,
    /// The state each pane was last seen in.
    states: BTreeMap<PaneId, State>,
    /// When each pane was last told of, and from where.
    sent: BTreeMap<PaneId, (u64, From)>,
    last: Option<u64>,
}

impl Notices {
    /// After a restart: what was told stays told.
    pub(crate) fn of_saved(sent: &BTreeMap<PaneId, u64>, tree: &Tree) -> Self {
        let states =
            tree.panes().filter_map(|pane| Some((pane.facts.id, pane.facts.agent.as_ref()?.verdict.state)));
        let sent = sent.iter().map(|(pane, at)| (*pane, (*at, From::State(State::Done))));
        Notices { states: states.collect(), sent: sent.collect(), ..Notices::default() }
    }

    pub(crate) fn save(&self) -> BTreeMap<PaneId, u64> {
        self.sent.iter().map(|(pane, (at, _))| (*pane, *at)).collect()
    }

    pub(crate) fn next_deadline(&self) -> Option<u64> {
        let soonest = self.pending.values().map(|pending| pending.due).min()?;
        Some(self.last.map_or(soonest, |last| soonest.max(last.saturating_add(GAP_MS))))
    }

    /// When a notification of this pane may be told at the earliest.
    fn due(&self, pane: PaneId, now: u64) -> u64 {
        let again = self.sent.get(&pane).map_or(0, |(at, _)| at.saturating_add(PANE_GAP_MS));
        now.saturating_add(DEBOUNCE_MS).max(again)
    }

    fn merges(&self, pane: PaneId, now: u64) -> bool {
        self.sent.get(&pane).is_some_and(|(at, _)| now < at.saturating_add(MERGE_MS))
    }
}

/// Verb `Notify`.
pub(crate) fn notify(out: &mut Outbox, permit: &Permit, ask: &Notify) -> Answer {
    let title = words::line(&ask.title);
    if title.is_empty() {
        return Err(Refusal::bad_request("a notification needs a title"));
    }
    let pane = permit.asked().caller.sees_as();
    let body = words::lines(&ask.body);
    out.tell(Happening::Notification { pane, title: title.clone(), body: body.clone() });
    out.notices.push(Notice { pane, title, body, asked: true });
    Ok(Reply::Now(Response::Ok))
}

/// Takes in what changed, and sends what is due.
pub(crate) fn settle(
    notices: &mut Notices,
    tree: &Tree,
    focus: &Focus,
    settings: &Settings,
    out: &mut Outbox,
) {
    let enabled = settings.notify;
    for notice in std::mem::take(&mut out.notices) {
        take_notice(notices, focus, notice, enabled, out);
    }
    for pane in out.touched.clone() {
        take_state(notices, tree, settings, (pane, out.now));
    }
    let stays = |pane: &PaneId, pending: &mut Pending| {
        enabled && tree.pane(*pane).is_some() && (pending.asked || !focus.looks_at(*pane))
    };
    notices.pending.retain(stays);
    send(notices, tree, out);
}

/// A program's or a caller's own.
fn take_notice(notices: &mut Notices, focus: &Focus, notice: Notice, enabled: bool, out: &mut Outbox) {
    let Notice { pane, title, body, asked } = notice;
    let Some(pane) = pane else {
        if enabled {
            out.act(Effect::Notify { title, body, pane: None });
        }
        return;
    };
    let unseen = asked || !focus.looks_at(pane);
    // Ours said the same a moment ago.
    if !unseen || (!asked && notices.merges(pane, out.now)) {
        return;
    }
    let mut new = Pending { from: From::Own, title, body, due: notices.due(pane, out.now), asked };
    if let Some(waiting) = notices.pending.remove(&pane) {
        new.due = new.due.min(waiting.due);
        if waiting.asked {
            // What a caller asked for by name is not lost under a newer one.
            new.asked = true;
            let lines = [new.body.as_str(), waiting.title.as_str(), waiting.body.as_str()];
            let lines = lines.into_iter().flat_map(str::lines).filter(|line| !line.is_empty());
            new.body = lines.take(LINES_MAX).collect::<Vec<_>>().join("\n");
        }
    }
    notices.pending.insert(pane, new);
}

/// The state of a pane's agent, as it is now.
fn take_state(notices: &mut Notices, tree: &Tree, settings: &Settings, (pane, now): (PaneId, u64)) {
    let Some(state) = tree.pane(pane) else {
        notices.states.remove(&pane);
        notices.sent.remove(&pane);
        return;
    };
    let agent = state.facts.agent.as_ref().filter(|agent| agent.verdict.certain);
    let new = agent.map(|agent| agent.verdict.state);
    let old = match new {
        Some(state) => notices.states.insert(pane, state),
        // Doubt keeps the last certain state; an agent that left has none.
        None if state.facts.agent.is_some() => return,
        None => notices.states.remove(&pane),
    };
    if old == new {
        return;
    }
    if notices.pending.get(&pane).is_some_and(|pending| matches!(pending.from, From::State(_))) {
        notices.pending.remove(&pane);
    }
    let told_of = |agent: &&AgentFacts| match agent.verdict.state {
        State::Blocked => settings.on_blocked,
        State::Done => settings.on_done,
        State::Working | State::Idle => true,
    };
    let Some(agent) = agent.filter(|agent| agent.needs_you()).filter(told_of) else { return };
    // The program's own notification waits, or was just told: that one is enough.
    if notices.pending.contains_key(&pane) || told_by_itself(notices, pane, now) {
        return;
    }
    let workspace = tree.place(pane).map_or("", |(workspace, _)| workspace.name.as_str());
    let pending = Pending {
        from: From::State(agent.verdict.state),
        title: format!("{} · {workspace}", words::line(&state.facts.called())),
        body: reason(agent).to_owned(),
        due: notices.due(pane, now),
        asked: false,
    };
    notices.pending.insert(pane, pending);
}

/// Whether the program itself told of the pane just now. One of ours does not count: the state it was
/// about is over, and the gap between two of one pane keeps the next one back.
fn told_by_itself(notices: &Notices, pane: PaneId, now: u64) -> bool {
    notices.merges(pane, now) && notices.sent.get(&pane).is_some_and(|(_, from)| *from == From::Own)
}

fn reason(agent: &AgentFacts) -> &'static str {
    match (agent.verdict.state, agent.verdict.kind) {
        (State::Done, Some(Kind::Error)) => "an error ended its turn",
        (State::Done, _) => "finished its turn",
        (_, Some(Kind::Permission)) => "asks for a permission",
        (_, Some(Kind::Question)) => "asks you something",
        (_, Some(Kind::Login)) => "needs a login",
        (_, Some(Kind::Limit)) => "reached its usage limit",
        _ => "waits for you",
    }
}

/// Sends what is due, as one.
fn send(notices: &mut Notices, tree: &Tree, out: &mut Outbox) {
    if notices.next_deadline().is_none_or(|deadline| deadline > out.now) {
        return;
    }
    let now = out.now;
    let mut due: Vec<(PaneId, Pending)> =
        notices.pending.extract_if(.., |_, pending| pending.due <= now).collect();
    // Most urgent first: a click goes there.
    due.sort_by_key(|(pane, pending)| match pending.from {
        From::State(state) => (state.urgency(), *pane),
        From::Own => (State::Done.urgency(), *pane),
    });
    for (pane, pending) in &due {
        notices.sent.insert(*pane, (now, pending.from));
    }
    notices.last = Some(now);
    out.note(Change::Saved);
    let effect = match due.as_slice() {
        [] => return,
        [(pane, pending)] => Effect::Notify {
            title: pending.title.clone(),
            body: pending.body.clone(),
            pane: tree.pane(*pane).map(|_| *pane),
        },
        [(first, _), ..] => Effect::Notify {
            title: format!("{} panes want your attention", due.len()),
            body: summary(&due),
            pane: Some(*first),
        },
    };
    out.act(effect);
}

fn summary(due: &[(PaneId, Pending)]) -> String {
    let line = |(_, pending): &(PaneId, Pending)| match pending.body.lines().next() {
        Some(first) => format!("{}: {first}", pending.title),
        None => pending.title.clone(),
    };
    let mut lines: Vec<String> = due.iter().take(SUMMED_UP).map(line).collect();
    if due.len() > SUMMED_UP {
        lines.push(format!("and {} more", due.len() - SUMMED_UP));
    }
    lines.join("\n")
}
