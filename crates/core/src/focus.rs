//! What the user looks at: the focused pane of an attached client whose outer terminal has the focus,
//! or never said. A turn that ends there is seen; a program there has the focus.
//!
//! Not here: where the focus goes (`panes`), notifications (`notify` asks here).

use std::collections::BTreeSet;

use kraal_api::{PaneId, State};

use crate::clients::Clients;
use crate::effect::Effect;
use crate::outbox::Outbox;
use crate::tree::Tree;

/// What was looked at when it was settled last.
#[derive(Debug, Default)]
pub(crate) struct Focus {
    looked_at: BTreeSet<PaneId>,
    /// Finished turns that were said to be seen.
    seen: BTreeSet<PaneId>,
}

impl Focus {
    pub(crate) fn looks_at(&self, pane: PaneId) -> bool {
        self.looked_at.contains(&pane)
    }
}

/// Says who gained and lost the focus, and which finished turns are seen now.
pub(crate) fn settle(focus: &mut Focus, tree: &Tree, clients: &Clients, out: &mut Outbox) {
    let now: BTreeSet<PaneId> = clients
        .iter()
        .filter(|(_, client)| client.focused != Some(false))
        .filter_map(|(_, client)| tree.tab(client.tab))
        .map(|(_, tab)| tab.focus)
        .collect();
    for pane in focus.looked_at.difference(&now).filter(|pane| tree.pane(**pane).is_some()) {
        out.act(Effect::PaneFocus { pane: *pane, gained: false });
    }
    for pane in now.difference(&focus.looked_at) {
        out.act(Effect::PaneFocus { pane: *pane, gained: true });
    }
    focus.looked_at = now;
    let done = |pane: PaneId| {
        let agent = tree.pane(pane).and_then(|pane| pane.facts.agent.as_ref());
        agent.is_some_and(|agent| agent.verdict.state == State::Done)
    };
    // A turn that ended otherwise than it seemed is looked at anew.
    focus.seen.retain(|pane| done(*pane) && !out.touched.contains(pane));
    for pane in focus.looked_at.iter().filter(|pane| done(**pane)) {
        if focus.seen.insert(*pane) {
            out.act(Effect::Seen { pane: *pane });
        }
    }
}
