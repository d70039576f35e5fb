//! The world: all facts and all rules behind `handle`, `save` and a few views.
//!
//! Not here: any feature. This passes inputs on and lets everything react to what happened.

mod facts;
mod requests;
mod saving;
mod settle;

use kraal_api::events::Happening;
use kraal_api::layout::Rect;
use kraal_api::model::{Model, Pane};
use kraal_api::{ConnId, PaneId, TabId};

use crate::agents::Rows;
use crate::clients::Clients;
use crate::effect::Effect;
use crate::events::Log;
use crate::focus::Focus;
use crate::house::{House, Setup};
use crate::input::AgentRun;
use crate::input::Input;
use crate::notify::Notices;
use crate::outbox::Outbox;
use crate::panes::Held;
use crate::saved::{Revival, Saved};
use crate::tree::Tree;
use crate::waits::Waits;
use crate::worktrees::Jobs;

/// The facts and the rules of one environment.
#[derive(Debug)]
pub struct World {
    house: House,
    tree: Tree,
    clients: Clients,
    focus: Focus,
    log: Log,
    rows: Rows,
    waits: Waits,
    notices: Notices,
    held: Held,
    jobs: Jobs,
    /// The last pane closed, or the user ended it: nothing opens any more.
    ended: bool,
}

impl World {
    /// An empty world: the first request that opens something fills it.
    pub fn new(setup: Setup) -> Self {
        saving::empty(setup)
    }

    /// A world as it was saved, with what is to be done about what changed meanwhile.
    pub fn restore(setup: Setup, saved: &Saved, revival: Revival, now_ms: u64) -> (Self, Vec<Effect>) {
        let mut out = Outbox::new(now_ms);
        let mut world = saving::restore(setup, saved, revival, &mut out);
        let effects = settle::settle(&mut world, out, None);
        (world, saving::without_clients(effects))
    }

    /// What must outlive this server.
    pub fn save(&self) -> Saved {
        saving::save(self)
    }

    /// Takes what happened and says what to do about it, in order. `now_ms` is unix milliseconds.
    pub fn handle(&mut self, input: Input, now_ms: u64) -> Vec<Effect> {
        let mut out = Outbox::new(now_ms);
        if self.log.is_blank() {
            out.tell(Happening::ServerStarted { restarts: self.house.restarts });
        }
        let opening = match input {
            Input::Request { ticket, conn, peer, request } => {
                requests::take(self, &mut out, (ticket, conn), peer, &request)
            }
            other => {
                facts::take(self, &mut out, other);
                None
            }
        };
        settle::settle(self, out, opening)
    }

    /// When to come back with `Input::Tick` at the latest, in unix milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        [self.waits.next_deadline(), self.notices.next_deadline()].into_iter().flatten().min()
    }

    /// The environment's life: that of the setup, or the saved one under running programs.
    pub fn boot(&self) -> &str {
        self.log.boot()
    }

    /// Everything a client shows, but for the cells.
    pub fn model(&self) -> Model {
        self.tree.model(&self.house.setup.environment)
    }

    /// How the agent of a pane runs, or last ran.
    pub fn agent_run(&self, pane: PaneId) -> Option<&AgentRun> {
        self.tree.pane(pane)?.run.as_ref()
    }

    /// The facts of one pane.
    pub fn pane_facts(&self, pane: PaneId) -> Option<Pane> {
        self.tree.pane(pane).map(|pane| pane.facts.clone())
    }

    /// The tab a client shows.
    pub fn view(&self, conn: ConnId) -> Option<TabId> {
        self.clients.get(conn).map(|client| client.tab)
    }

    /// The panes a client shows: those of its tab, or only the one that fills it.
    pub fn shown(&self, conn: ConnId) -> Vec<PaneId> {
        let Some((_, tab)) = self.view(conn).and_then(|tab| self.tree.tab(tab)) else { return Vec::new() };
        // The room does not matter for which they are.
        tab.in_sight(Rect::sized(1, 1)).into_iter().map(|(pane, _)| pane).collect()
    }

    /// Columns and rows of a pane's terminal; 80 by 24 for one that is not there.
    pub fn pane_size(&self, pane: PaneId) -> (u16, u16) {
        self.tree.pane(pane).map_or((80, 24), |pane| pane.size)
    }
}
