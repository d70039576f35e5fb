//! `SubscribeAgents`: the rows as they were told, what changes in them, and who follows.
//!
//! Not here: the log of events (`events`), how slow a reader may be (`server`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use kraal_agents::Catalog;
use kraal_api::agents::{AgentChange, AgentEvent, AgentFilter, AgentRow, SubscribeAgents, TerminalState};
use kraal_api::time::rfc3339;
use kraal_api::{ConnId, PaneId, TabId};

use super::rows::{row, seen_by};
use crate::caller::{Asked, Caller};
use crate::effect::Effect;
use crate::input::Ticket;
use crate::saved::SavedRows;
use crate::tree::Tree;

/// How many changes are kept for those who come back.
const KEPT: usize = 4096;

/// What a change is about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Opened,
    Changed,
    Closed,
}

/// A change as it is kept: without a view, with its tab for the filters.
#[derive(Clone, Debug)]
struct Kept {
    tab: Option<TabId>,
    change: Change,
    what: AgentChange,
}

#[derive(Debug)]
struct Stream {
    conn: ConnId,
    filter: AgentFilter,
    own: Option<PaneId>,
    outside: bool,
}

impl Stream {
    fn wants(&self, row: &AgentRow, tab: Option<TabId>) -> bool {
        let AgentFilter { environment, group, session, terminal, states } = &self.filter;
        (environment.is_none() || *environment == row.environment)
            && (group.is_none() || *group == row.group)
            && (session.is_none() || *session == tab)
            && terminal.is_none_or(|terminal| terminal == row.terminal)
            && states.as_ref().is_none_or(|states| states.contains(&row.state))
    }

    fn sees(&self, row: &AgentRow) -> AgentRow {
        seen_by(row.clone(), self.own, self.outside)
    }

    fn event(&self, kept: &Kept) -> Option<AgentEvent> {
        if !self.wants(&kept.what.agent, kept.tab) {
            return None;
        }
        let what = AgentChange { agent: self.sees(&kept.what.agent), ..kept.what.clone() };
        Some(match kept.change {
            Change::Opened => AgentEvent::Opened(what),
            Change::Changed => AgentEvent::Changed(what),
            Change::Closed => AgentEvent::Closed(what),
        })
    }
}

/// The rows and their followers.
#[derive(Debug)]
pub(crate) struct Rows {
    boot: String,
    seq: u64,
    known: BTreeMap<PaneId, (AgentRow, Option<TabId>)>,
    kept: VecDeque<Kept>,
    streams: BTreeMap<Ticket, Stream>,
}

impl Rows {
    pub(crate) fn new(boot: String) -> Self {
        Rows { boot, seq: 0, known: BTreeMap::new(), kept: VecDeque::new(), streams: BTreeMap::new() }
    }

    /// As saved: what changed meanwhile is told once the panes are touched.
    pub(crate) fn of_saved(boot: String, saved: &SavedRows, tree: &Tree) -> Self {
        let tab = |pane| tree.place(pane).map(|(_, tab)| tab.id);
        let known = saved.rows.iter().map(|row| (row.terminal, (row.clone(), tab(row.terminal)))).collect();
        Rows { seq: saved.seq, known, ..Rows::new(boot) }
    }

    pub(crate) fn save(&self) -> SavedRows {
        SavedRows { seq: self.seq, rows: self.known.values().map(|(row, _)| row.clone()).collect() }
    }

    /// The panes that were told of.
    pub(crate) fn known(&self) -> BTreeSet<PaneId> {
        self.known.keys().copied().collect()
    }

    /// Compares the panes with what was told of them, and tells the followers.
    pub(crate) fn settle(
        &mut self,
        tree: &Tree,
        (catalog, environment): (&Catalog, &str),
        touched: &BTreeSet<PaneId>,
        now: u64,
    ) -> Vec<Effect> {
        let mut told = Vec::new();
        for pane in touched {
            let tab = tree.place(*pane).map(|(_, tab)| tab.id);
            let new = row(tree, catalog, environment, *pane).map(|row| (row, tab));
            if let Some(kept) = self.change(*pane, new, now) {
                told.extend(self.streams.iter().filter_map(|(ticket, stream)| {
                    Some(Effect::AgentEvent { ticket: *ticket, event: stream.event(&kept)? })
                }));
                if self.kept.len() == KEPT {
                    self.kept.pop_front();
                }
                self.kept.push_back(kept);
            }
        }
        told
    }

    fn change(&mut self, pane: PaneId, new: Option<(AgentRow, Option<TabId>)>, now: u64) -> Option<Kept> {
        let old = self.known.get(&pane).cloned();
        let (change, (agent, tab), previous) = match (old, new) {
            (None, None) => return None,
            (Some(old), Some(new)) if old.0 == new.0 => {
                self.known.insert(pane, new);
                return None;
            }
            (None, Some(new)) => (Change::Opened, new, None),
            (Some(old), Some(new)) => (Change::Changed, new, Some(old.0.state)),
            (Some((row, tab)), None) => {
                let previous = row.state;
                (Change::Closed, (AgentRow { state: TerminalState::Closed, ..row }, tab), Some(previous))
            }
        };
        match change {
            Change::Closed => self.known.remove(&pane),
            _ => self.known.insert(pane, (agent.clone(), tab)),
        };
        self.seq += 1;
        let what = AgentChange { seq: self.seq, at: rfc3339(now), agent, previous };
        Some(Kept { tab, change, what })
    }

    /// Opens a stream; the answer is its first items.
    pub(crate) fn open(&mut self, asked: &Asked, ask: SubscribeAgents, tree: &Tree) -> Vec<Effect> {
        let outside = matches!(asked.caller, Caller::Client(_));
        let own = asked.caller.sees_as();
        let stream = Stream { conn: asked.conn, filter: ask.filter, own, outside };
        let first = match ask.since {
            None => vec![self.snapshot(&stream, tree)],
            Some(since) => self.since(&stream, (since, ask.boot.as_deref()), tree),
        };
        self.streams.insert(asked.ticket, stream);
        first.into_iter().map(|event| Effect::AgentEvent { ticket: asked.ticket, event }).collect()
    }

    fn snapshot(&self, stream: &Stream, tree: &Tree) -> AgentEvent {
        let known = tree.in_order().into_iter().filter_map(|pane| self.known.get(&pane));
        let wanted = known.filter(|(row, tab)| stream.wants(row, *tab));
        let agents = wanted.map(|(row, _)| stream.sees(row)).collect();
        AgentEvent::Snapshot { boot: self.boot.clone(), seq: self.seq, agents }
    }

    fn since(&self, stream: &Stream, (since, boot): (u64, Option<&str>), tree: &Tree) -> Vec<AgentEvent> {
        let oldest = self.kept.front().map_or(self.seq + 1, |kept| kept.what.seq);
        let another_life = boot.is_some_and(|boot| boot != self.boot);
        let (from, to) = match since {
            _ if another_life => (1, self.seq.max(1)),
            _ if since > self.seq => (self.seq + 1, since),
            _ if since + 1 < oldest => (since + 1, self.seq),
            _ => {
                let after = self.kept.iter().filter(|kept| kept.what.seq > since);
                return after.filter_map(|kept| stream.event(kept)).collect();
            }
        };
        vec![AgentEvent::Lost { from, to }, self.snapshot(stream, tree)]
    }

    /// A stream ends by itself.
    pub(crate) fn close(&mut self, ticket: Ticket) {
        self.streams.remove(&ticket);
    }

    /// A connection is gone.
    pub(crate) fn closed(&mut self, conn: ConnId) {
        self.streams.retain(|_, stream| stream.conn != conn);
    }
}
