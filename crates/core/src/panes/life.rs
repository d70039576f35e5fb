//! What a pane's program does: it starts, fails to, changes, ends.
//!
//! Not here: its agent (`agents`), closing a pane on request (`verbs`).

use kraal_api::events::Happening;
use kraal_api::model::{Exit, Phase};
use kraal_api::{PaneId, Refusal, Response};

use super::close;
use crate::desk::Desk;
use crate::effect::Effect;
use crate::input::PaneChange;
use crate::outbox::{Change, Notice};
use crate::tree::Unwanted;
use crate::words;

/// A bell within this time of the last one is the same.
const BELL_GAP_MS: u64 = 500;

/// Its program runs.
pub(crate) fn started(desk: &mut Desk<'_>, pane: PaneId, pid: i32) {
    let Some(state) = desk.tree.pane_mut(pane).filter(|state| state.lives()) else { return };
    state.pid = Some(pid);
    state.before = None;
    if let Some(asker) = state.asked.take() {
        desk.out.reply_late(asker.ticket, Ok(Response::PaneOpened(asker.opened)));
    }
    let Some(state) = desk.tree.pane_mut(pane) else { return };
    if state.facts.phase == Phase::Starting {
        state.facts.phase = Phase::Running;
        desk.out.touch(pane);
    }
    desk.out.note(Change::Saved);
}

/// Its program could not be started: the pane stays and says why, unless who asked for it is told and
/// does not look at it.
pub(crate) fn start_failed(desk: &mut Desk<'_>, pane: PaneId, reason: &str) {
    let Some(state) = desk.tree.pane_mut(pane).filter(|state| state.lives()) else { return };
    let reason = words::line(reason);
    state.facts.phase = Phase::Failed(reason.clone());
    state.pid = None;
    state.busy = None;
    state.lead = false;
    let asker = state.asked.take();
    desk.out.tell(Happening::PaneFailed { pane, reason: reason.clone() });
    agent_left(desk, pane);
    desk.out.touch(pane);
    if let Some(asker) = asker {
        desk.out.reply_late(asker.ticket, Err(Refusal::failed(reason)));
        if asker.unwanted == Unwanted::Closed {
            close(desk, pane);
        }
    }
}

/// Its program ended.
pub(crate) fn exited(desk: &mut Desk<'_>, pane: PaneId, exit: Exit) {
    let Some(state) = desk.tree.pane_mut(pane).filter(|state| state.lives()) else { return };
    state.facts.phase = Phase::Exited(exit);
    state.facts.progress = None;
    state.pid = None;
    state.busy = None;
    state.lead = false;
    let closes = state.closes_at_end();
    if state.was_shell {
        agent_left(desk, pane);
        if let Some(state) = desk.tree.pane_mut(pane) {
            state.begin_shell();
        }
        desk.out.starts.insert(pane);
        desk.out.touch(pane);
        desk.out.note(Change::Saved);
        return;
    }
    desk.out.exits.insert(pane, exit);
    agent_left(desk, pane);
    desk.out.tell(Happening::PaneExited { pane, exit });
    if closes {
        close(desk, pane);
    } else {
        desk.out.touch(pane);
    }
}

fn agent_left(desk: &mut Desk<'_>, pane: PaneId) {
    let agent = desk.tree.pane_mut(pane).and_then(|state| state.facts.agent.take());
    if let Some(agent) = agent {
        desk.out.tell(Happening::AgentEnded { pane, agent: agent.name, server: None });
    }
}

/// It changed in another way. Agents' changes are not for here.
pub(crate) fn changed(desk: &mut Desk<'_>, pane: PaneId, change: PaneChange) {
    let now = desk.out.now;
    let Some(state) = desk.tree.pane_mut(pane) else { return };
    let facts = &mut state.facts;
    let changed = match change {
        PaneChange::Title(title) => replaced(&mut facts.title, words::line(&title)),
        PaneChange::Branch(branch) => replaced(&mut facts.branch, branch),
        PaneChange::Progress(progress) => replaced(&mut facts.progress, progress),
        PaneChange::Cwd(cwd) => {
            let changed = replaced(&mut facts.cwd, cwd);
            if changed {
                desk.out.note(Change::Saved);
            }
            changed
        }
        PaneChange::Busy(busy) => {
            if replaced(&mut state.busy, Some(busy)) {
                desk.out.touched.insert(pane);
            }
            false
        }
        PaneChange::Bell => {
            if now.saturating_sub(state.rang_at) >= BELL_GAP_MS {
                state.rang_at = now;
                desk.out.act(Effect::Bell { pane });
                desk.out.tell(Happening::Bell { pane });
            }
            false
        }
        PaneChange::Notification { title, body } => {
            notification(desk, pane, &title, &body);
            false
        }
        PaneChange::CommandFinished(status) => {
            desk.out.tell(Happening::CommandFinished { pane, status });
            false
        }
        PaneChange::Agent { .. }
        | PaneChange::AgentRun(_)
        | PaneChange::NoTranscript { .. }
        | PaneChange::AgentGone => false,
    };
    if changed {
        desk.out.facts.insert(pane);
    }
}

fn notification(desk: &mut Desk<'_>, pane: PaneId, title: &str, body: &str) {
    let (mut title, mut body) = (words::line(title), words::lines(body));
    if title.is_empty() {
        title = desk.tree.pane(pane).map_or_else(String::new, |state| words::line(&state.facts.called()));
    }
    if title.is_empty() {
        title = std::mem::take(&mut body);
    }
    desk.out.tell(Happening::Notification { pane: Some(pane), title: title.clone(), body: body.clone() });
    desk.out.notices.push(Notice { pane: Some(pane), title, body, asked: false });
}

fn replaced<T: PartialEq>(fact: &mut T, new: T) -> bool {
    let changed = *fact != new;
    *fact = new;
    changed
}
