//! What one input leads to, collected while the features work on it: effects in order, what
//! happened, what changed for the eye, and the answer.
//!
//! Not here: who reacts to it (`world::settle`), which stays the only place that turns it into the
//! list of effects.

use std::collections::{BTreeMap, BTreeSet};

use kraal_api::events::Happening;
use kraal_api::model::Exit;
use kraal_api::{ConnId, PaneId, Refusal, Response};

use crate::effect::Effect;
use crate::input::Ticket;

/// How a handler went: an answer now, or one that comes later by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Now(Response),
    /// Parked, or the effect answers.
    Later,
}

/// What a handler gives back.
pub(crate) type Answer = Result<Reply, Refusal>;

/// Why the environment ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ending {
    /// The last pane closed.
    Empty,
    /// The user ended it.
    Killed(Ticket),
    /// It starts again, under running programs.
    Restart(Ticket),
}

/// A notification a caller or a program asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Notice {
    pub(crate) pane: Option<PaneId>,
    pub(crate) title: String,
    pub(crate) body: String,
    /// Whether it is for a user who looks at the pane, too: a caller asked for it by name.
    pub(crate) asked: bool,
}

/// What an input changed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// Workspaces, tabs, layouts, names.
    Structure,
    /// The room of some tab, maybe: clients came, went, grew or took over.
    Room,
    /// Something that is saved.
    Saved,
}

/// The collection.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// Unix milliseconds.
    pub(crate) now: u64,
    pub(crate) acts: Vec<Effect>,
    pub(crate) happened: Vec<Happening>,
    /// Panes to start once their size is known.
    pub(crate) starts: BTreeSet<PaneId>,
    /// Variables of the caller's for those.
    pub(crate) passed_on: BTreeMap<String, String>,
    /// Panes whose row, waits or notifications may have changed.
    pub(crate) touched: BTreeSet<PaneId>,
    changed: BTreeSet<Change>,
    /// Panes whose facts changed.
    pub(crate) facts: BTreeSet<PaneId>,
    /// How the programs ended that ended now: their panes may be gone already.
    pub(crate) exits: BTreeMap<PaneId, Exit>,
    pub(crate) notices: Vec<Notice>,
    /// Replies to requests that were parked.
    pub(crate) late: Vec<Effect>,
    pub(crate) answer: Option<Effect>,
    /// What follows the answer: the first items of a stream.
    pub(crate) after: Vec<Effect>,
    pub(crate) ending: Option<Ending>,
}

impl Outbox {
    pub(crate) fn new(now: u64) -> Self {
        Outbox { now, ..Outbox::default() }
    }

    pub(crate) fn note(&mut self, change: Change) {
        self.changed.insert(change);
    }

    pub(crate) fn noted(&self, change: Change) -> bool {
        self.changed.contains(&change)
    }

    pub(crate) fn act(&mut self, effect: Effect) {
        self.acts.push(effect);
    }

    /// Something happened that subscribers are told.
    pub(crate) fn tell(&mut self, happening: Happening) {
        self.happened.push(happening);
        self.note(Change::Saved);
    }

    /// Something of the tree changed that is saved.
    pub(crate) fn restructure(&mut self) {
        self.note(Change::Structure);
        self.note(Change::Saved);
    }

    /// The facts of a pane changed.
    pub(crate) fn touch(&mut self, pane: PaneId) {
        self.touched.insert(pane);
        self.facts.insert(pane);
    }

    /// Answers a request that was parked.
    pub(crate) fn reply_late(&mut self, ticket: Ticket, answer: Result<Response, Refusal>) {
        self.late.push(Effect::Reply { ticket, answer });
    }

    /// A sentence for one client, or for all.
    pub(crate) fn say(&mut self, conn: Option<ConnId>, text: impl Into<String>) {
        self.acts.push(Effect::Say { conn, text: text.into() });
    }
}
