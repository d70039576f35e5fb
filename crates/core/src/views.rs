//! Which client a request moves, and moving it.
//!
//! Not here: what a client shows of a tab (`tui`), telling it (`world::settle`).

use kraal_api::{ConnId, PaneId, TabId};

use crate::caller::{Asked, Caller};
use crate::clients::Clients;
use crate::desk::Desk;
use crate::outbox::Change;
use crate::tree::{Tree, float};

/// The client that follows what this caller opens: its own; for a pane's program the one that shows
/// the pane; for a program outside the one the user was at last.
pub(crate) fn follower(tree: &Tree, clients: &Clients, asked: &Asked) -> Option<ConnId> {
    if clients.get(asked.conn).is_some() {
        return Some(asked.conn);
    }
    match asked.caller {
        Caller::Client(_) => clients.latest(),
        Caller::Terminal(pane) => {
            let (_, tab) = tree.place(pane)?;
            clients.latest_on(tab.id).map(|(conn, _)| conn)
        }
        Caller::Unknown(_) | Caller::Token(_) => None,
    }
}

/// The tab on screen, for a caller that is in none.
pub(crate) fn on_screen(tree: &Tree, clients: &Clients, asked: &Asked) -> Option<TabId> {
    let conn = clients.get(asked.conn).map(|_| asked.conn).or_else(|| clients.latest());
    conn.and_then(|conn| clients.get(conn)).map(|client| client.tab).or_else(|| tree.last_tab())
}

/// Shows a tab to whoever follows the caller; to the client the user was at last when nobody does.
pub(crate) fn go(desk: &mut Desk<'_>, asked: &Asked, tab: TabId) {
    if let Some(conn) = follower(desk.tree, desk.clients, asked).or_else(|| desk.clients.latest()) {
        desk.clients.show(conn, tab);
        if desk.clients.active(conn) {
            desk.out.note(Change::Room);
        }
    }
}

/// Gives a pane the focus of its tab. Another pane that fills the tab makes way.
pub(crate) fn take_focus(desk: &mut Desk<'_>, pane: PaneId) {
    let Some(id) = desk.tree.place(pane).map(|(_, tab)| tab.id) else { return };
    let Some(tab) = desk.tree.tab_mut(id) else { return };
    let raised = float::raise(tab, pane);
    let (had, zoomed) = (tab.focus, tab.zoomed);
    float::focus(tab, pane);
    if raised || had != pane || zoomed != tab.zoomed {
        desk.out.restructure();
    }
    if had != pane {
        desk.out.tell(kraal_api::events::Happening::PaneFocused { pane });
    }
}
