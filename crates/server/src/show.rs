//! What attached clients are sent: facts, and the rows of the panes they show.
//!
//! Not here: when rows are due (`screens`).

use kraal_api::stream::{Bye, ToClient};
use kraal_api::{ConnId, PaneId, Refusal, Response};

use crate::conn::Conn;
use crate::screens::Due;
use crate::server::Server;

impl Server {
    /// Sends every client what changed, where it takes it; the others catch up later.
    pub(crate) fn show(&mut self) {
        let now = self.now();
        let clients: Vec<ConnId> = self.conns.all.values().filter(|c| c.is_client()).map(|c| c.id).collect();
        for id in clients {
            if !self.show_client(id, now) {
                self.close_conn(id);
            }
        }
        let slow: Vec<ConnId> = self
            .conns
            .all
            .values_mut()
            .filter(|c| !c.out.is_empty())
            .filter_map(|c| (!c.flush() || (c.ending && c.out.is_empty())).then_some(c.id))
            .collect();
        for id in slow {
            self.close_conn(id);
        }
    }

    fn show_client(&mut self, id: ConnId, now: u64) -> bool {
        let Some(conn) = self.conns.all.get_mut(&id) else { return true };
        if !conn.flush() {
            return false;
        }
        if !conn.out.is_empty() || conn.ending {
            return true;
        }
        conn.say_kept();
        let mut out = std::mem::take(conn.out.tail());
        let Some(client) = conn.client() else { return true };
        if std::mem::take(&mut client.facts) {
            client.panes.clear();
            kraal_api::stream::control(&mut out, &ToClient::Facts(self.world.model()));
        }
        for pane in std::mem::take(&mut client.panes) {
            if let Some(facts) = self.world.pane_facts(pane) {
                kraal_api::stream::control(&mut out, &ToClient::Pane(facts));
            }
        }
        for pane in &client.shown {
            let Some(shown) = self.panes.all.get(pane) else { continue };
            if client.screens.due(*pane, &shown.terminal, shown.sync_since, now) == Due::Now {
                client.screens.write(*pane, &shown.terminal, now, &mut out);
            }
        }
        *conn.out.tail() = out;
        conn.flush()
    }

    /// When the next frame is due.
    pub(crate) fn next_frame(&mut self, now: u64) -> Option<u64> {
        let panes = &self.panes.all;
        let mut next: Option<u64> = None;
        for conn in self.conns.all.values_mut().filter(|c| c.out.is_empty()) {
            let Some(client) = conn.client() else { continue };
            if client.facts || !client.panes.is_empty() || client.has_said() {
                return Some(now);
            }
            for pane in &client.shown {
                let Some(shown) = panes.get(pane) else { continue };
                let due = match client.screens.due(*pane, &shown.terminal, shown.sync_since, now) {
                    Due::Never => continue,
                    Due::Now => now,
                    Due::At(at) => at,
                };
                next = Some(next.map_or(due, |n| n.min(due)));
            }
        }
        next
    }

    /// Facts changed: which panes a client shows may have, too.
    pub(crate) fn facts_changed(&mut self) {
        let world = &self.world;
        for conn in self.conns.all.values_mut() {
            let shown = world.shown(conn.id);
            if let Some(client) = conn.client() {
                client.facts = true;
                client.screens.retain(&shown);
                client.shown = shown;
            }
        }
    }

    /// The facts of one pane changed.
    pub(crate) fn pane_facts_changed(&mut self, pane: PaneId) {
        for client in self.conns.all.values_mut().filter_map(Conn::client) {
            if !client.facts && !client.panes.contains(&pane) {
                client.panes.push(pane);
            }
        }
    }

    /// Sends a control message to one client, or to all.
    pub(crate) fn tell_clients(&mut self, only: Option<ConnId>, message: &ToClient) {
        for conn in self.conns.all.values_mut() {
            if conn.is_client() && only.is_none_or(|id| id == conn.id) {
                conn.control(message);
            }
        }
    }

    /// Keeps a word that needs no place among frames for one client, or for all.
    pub(crate) fn tell_kept(&mut self, only: Option<ConnId>, word: &ToClient) {
        for conn in self.conns.all.values_mut().filter(|conn| only.is_none_or(|id| id == conn.id)) {
            if let Some(client) = conn.client() {
                client.tell(word.clone());
            }
        }
    }

    /// A sentence for a client's bottom bar.
    pub(crate) fn say(&mut self, id: ConnId, text: &str) {
        self.tell_kept(Some(id), &ToClient::Say(text.to_owned()));
    }

    /// The answer to a client's `Ask`.
    pub(crate) fn answer_frame(&mut self, id: ConnId, asked: u64, answer: Result<Response, Refusal>) {
        self.tell_clients(Some(id), &ToClient::Answer { id: asked, answer });
    }

    /// Ends every client's stream.
    pub(crate) fn bye(&mut self, why: &Bye) {
        self.conns.all.values_mut().for_each(Conn::say_kept);
        self.tell_clients(None, &ToClient::Bye(why.clone()));
    }
}
