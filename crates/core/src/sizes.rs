//! How large each pane's terminal is: the client the user was at last among those that show a tab
//! decides its room; a tab nobody shows keeps the room it had.
//!
//! Not here: how a layout becomes rectangles (`kraal_api::layout`).

use kraal_api::layout::Rect;
use kraal_api::model::Tab;
use kraal_api::{PaneId, TabId};

use crate::clients::{Clients, room};
use crate::effect::{Effect, Start};
use crate::outbox::{Change, Outbox};
use crate::tree::Tree;

/// Gives every pane its size, starts what waits to be started, and says what changed.
pub(crate) fn settle(tree: &mut Tree, clients: &Clients, out: &mut Outbox) {
    if !out.noted(Change::Structure) && !out.noted(Change::Room) && out.starts.is_empty() {
        return;
    }
    let tabs: Vec<TabId> = tree.tabs().map(|(_, tab)| tab.id).collect();
    for tab in tabs {
        if let Some((_, client)) = clients.latest_on(tab) {
            let area = room(client.area);
            if tree.areas.insert(tab, area) != Some(area) {
                out.note(Change::Saved);
            }
        }
        let area = tree.area(tab);
        let Some((_, tab)) = tree.tab(tab) else { continue };
        for (pane, rect) in sized(tab, area) {
            fit(tree, pane, rect, out);
        }
    }
    for pane in std::mem::take(&mut out.starts) {
        start(tree, pane, out);
    }
}

/// The rectangle that each pane of a tab is sized by.
fn sized(tab: &Tab, area: Rect) -> Vec<(PaneId, Rect)> {
    let mut rects = tab.solve(area);
    for (pane, rect) in &mut rects {
        if tab.zoomed == Some(*pane) {
            *rect = area;
        }
    }
    rects
}

fn fit(tree: &mut Tree, pane: PaneId, rect: Rect, out: &mut Outbox) {
    let inside = rect.inside_frame();
    let size = (inside.w.max(1), inside.h.max(1));
    let Some(state) = tree.pane_mut(pane) else { return };
    if state.size == size {
        return;
    }
    state.size = size;
    out.note(Change::Saved);
    // One that starts now is started at this size.
    if !out.starts.contains(&pane) {
        out.act(Effect::Resize { pane, cols: size.0, rows: size.1 });
    }
}

fn start(tree: &Tree, pane: PaneId, out: &mut Outbox) {
    let Some(state) = tree.pane(pane) else { return };
    // Later ones win: the caller's own, the opening's, kraal's.
    let mut env = out.passed_on.clone();
    env.extend(state.env.clone());
    env.retain(|name, _| !name.starts_with("KRAAL_"));
    env.insert("KRAAL_TOKEN".to_owned(), state.token.clone());
    env.insert("KRAAL_PANE".to_owned(), pane.to_string());
    let (cols, rows) = state.size;
    let by_shell = state.was_shell;
    let start = Start {
        argv: state.facts.argv.clone(),
        by_shell,
        before: state.before.clone(),
        cwd: state.facts.cwd.clone(),
        env,
        cols,
        rows,
    };
    out.act(Effect::Start { pane, start });
}
