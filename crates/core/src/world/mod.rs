//! The world: all facts and all rules behind two functions, `handle` and `save`.
//!
//! Not here: any feature. This passes inputs on and lets everything react to what happened.

use kraal_api::model::{Model, Pane};
use kraal_api::{ConnId, PaneId, TabId};

use crate::effect::Effect;
use crate::house::{House, Setup};
use crate::input::Input;
use crate::saved::{Revival, Saved};

/// The facts and the rules of one environment.
#[derive(Debug)]
pub struct World {
    house: House,
}

impl World {
    /// An empty world: the first request that opens something fills it.
    pub fn new(setup: Setup) -> Self {
        World { house: House::new(setup, 0) }
    }

    /// A world as it was saved, with what is to be done about what changed meanwhile.
    pub fn restore(setup: Setup, saved: &Saved, revival: Revival, now_ms: u64) -> (Self, Vec<Effect>) {
        let _ = (saved, revival, now_ms);
        (World::new(setup), Vec::new())
    }

    /// What must outlive this server.
    pub fn save(&self) -> Saved {
        Saved {
            version: crate::saved::VERSION,
            boot: self.house.setup.boot.clone(),
            restarts: self.house.restarts,
            next: (1, 1, 1),
            workspaces: Vec::new(),
            panes: Vec::new(),
            recent: std::collections::BTreeMap::new(),
            areas: std::collections::BTreeMap::new(),
            looked_at: None,
            events: crate::saved::SavedLog { seq: 0, recent: Vec::new() },
            agents: crate::saved::SavedRows::default(),
            notified: std::collections::BTreeMap::new(),
        }
    }

    /// Takes what happened and says what to do about it, in order. `now_ms` is unix milliseconds.
    pub fn handle(&mut self, input: Input, now_ms: u64) -> Vec<Effect> {
        let _ = (input, now_ms);
        Vec::new()
    }

    /// When to come back with `Input::Tick` at the latest, in unix milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        None
    }

    /// Everything a client shows, but for the cells.
    pub fn model(&self) -> Model {
        Model::default()
    }

    /// The facts of one pane.
    pub fn pane_facts(&self, pane: PaneId) -> Option<Pane> {
        let _ = pane;
        None
    }

    /// The tab a client shows.
    pub fn view(&self, conn: ConnId) -> Option<TabId> {
        let _ = conn;
        None
    }

    /// The panes a client shows: those of its tab, or only the one that fills it.
    pub fn shown(&self, conn: ConnId) -> Vec<PaneId> {
        let _ = conn;
        Vec::new()
    }

    /// Columns and rows of a pane's terminal; 80 by 24 for one that is not there.
    pub fn pane_size(&self, pane: PaneId) -> (u16, u16) {
        let _ = pane;
        (80, 24)
    }
}
