//! A pane goes: its program ends, its neighbour takes the room, an emptied tab and workspace close.
//!
//! Not here: a program that ends by itself (`life`).

use kraal_api::events::Happening;
use kraal_api::{PaneId, Refusal};

use crate::desk::Desk;
use crate::effect::Effect;

/// Closes a pane; nothing when there is none.
pub(crate) fn close(desk: &mut Desk<'_>, pane: PaneId) {
    let agent =
        desk.tree.pane(pane).and_then(|state| state.facts.agent.as_ref()).map(|agent| agent.name.clone());
    let asker = desk.tree.pane_mut(pane).and_then(|state| state.asked.take());
    let Some(removed) = desk.tree.remove(pane) else { return };
    if let Some(asker) = asker {
        let refusal = Refusal::failed(format!("pane {pane} was closed before its program ran"));
        desk.out.reply_late(asker.ticket, Err(refusal));
    }
    desk.out.act(Effect::Drop { pane });
    if let Some(agent) = agent {
        desk.out.tell(Happening::AgentEnded { pane, agent, server: None });
    }
    desk.out.tell(Happening::PaneClosed { pane });
    desk.out.starts.remove(&pane);
    desk.out.facts.remove(&pane);
    desk.out.touched.insert(pane);
    desk.out.restructure();
    if let Some(pane) = removed.focus {
        desk.out.tell(Happening::PaneFocused { pane });
    }
    tab_closed(desk, &removed);
}

/// Tells of the tab that closed with its last pane, and moves its clients on.
pub(crate) fn tab_closed(desk: &mut Desk<'_>, removed: &crate::tree::Removed) {
    let Some(closed) = &removed.closed else { return };
    desk.out.tell(Happening::TabClosed { tab: removed.tab });
    if let Some(workspace) = &closed.workspace {
        desk.out.tell(Happening::WorkspaceClosed { workspace: workspace.clone() });
    }
    if let Some(neighbour) = closed.neighbour {
        desk.clients.moved_on(removed.tab, neighbour);
    }
}
