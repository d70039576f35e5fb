//! The agent of a pane: it is recognised, its state changes, it leaves.
//!
//! Not here: what evidence there is (`kraal_agents::Detector`), who is told (`stream`, `notify`).

use kraal_api::events::Happening;
use kraal_api::model::AgentFacts;
use kraal_api::{PaneId, Verdict};

use crate::desk::Desk;
use crate::input::AgentRun;
use crate::outbox::Change;
use crate::words;

/// An agent was recognised, or its state changed.
pub(crate) fn changed(desk: &mut Desk<'_>, pane: PaneId, (name, label): (String, String), verdict: Verdict) {
    let now = desk.out.now;
    let Some(state) = desk.tree.pane_mut(pane).filter(|state| state.lives()) else { return };
    if let Some(agent) = &mut state.facts.agent
        && agent.name == name
    {
        let before = std::mem::replace(&mut agent.verdict, verdict.clone());
        // The user may give it another label at any time.
        let label = words::line(&label);
        let renamed = std::mem::replace(&mut agent.label, label.clone()) != label;
        if before == verdict && !renamed {
            return;
        }
        if before.state != verdict.state {
            agent.since = now;
        }
        desk.out.touch(pane);
        desk.out.note(Change::Saved);
        // Another source of the same state is a fact to show, and no event.
        if (before.state, before.kind, before.certain) != (verdict.state, verdict.kind, verdict.certain) {
            let previous = Some(before.state);
            desk.out.tell(Happening::AgentChanged { pane, agent: name, verdict, previous, server: None });
        }
        return;
    }
    gone(desk, pane);
    let Some(state) = desk.tree.pane_mut(pane) else { return };
    let label = words::line(&label);
    state.facts.agent =
        Some(AgentFacts { name: name.clone(), label, verdict: verdict.clone(), since: now, account: None });
    desk.out.tell(Happening::AgentStarted { pane, agent: name.clone(), server: None });
    desk.out.tell(Happening::AgentChanged { pane, agent: name, verdict, previous: None, server: None });
    desk.out.touch(pane);
}

/// How the agent runs: kept until another runs there, so that an ended one can be taken up again.
pub(crate) fn ran(desk: &mut Desk<'_>, pane: PaneId, run: AgentRun) {
    let Some(state) = desk.tree.pane_mut(pane) else { return };
    let known = state.facts.agent.as_ref().is_some_and(|agent| agent.name == run.agent);
    if known && state.run.as_ref() != Some(&run) {
        state.run = Some(run);
        desk.out.note(Change::Saved);
    }
}

/// A conversation cannot be taken up again.
pub(crate) fn no_transcript(desk: &mut Desk<'_>, pane: PaneId, (agent, conversation): (&str, &str)) {
    let Some(run) = desk.tree.pane_mut(pane).and_then(|state| state.run.as_mut()) else { return };
    if run.agent == agent && run.conversation.as_deref() == Some(conversation) {
        run.conversation = None;
        desk.out.note(Change::Saved);
    }
}

/// The agent left. The next one in the pane does not lead because this one did.
pub(crate) fn gone(desk: &mut Desk<'_>, pane: PaneId) {
    let Some(state) = desk.tree.pane_mut(pane) else { return };
    if let Some(agent) = state.facts.agent.take() {
        state.lead = false;
        desk.out.tell(Happening::AgentEnded { pane, agent: agent.name, server: None });
        desk.out.touch(pane);
    }
}
