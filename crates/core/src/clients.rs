//! Who is connected: the attached clients with what each shows, and what other callers said of
//! themselves.
//!
//! Not here: attaching (`attach`), sizes that follow from it (`sizes`), rights.

use std::collections::BTreeMap;

use kraal_api::layout::Rect;
use kraal_api::stream::Area;
use kraal_api::{ConnId, TabId};

/// An attached client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Client {
    pub(crate) tab: TabId,
    /// The tab it was told to show.
    pub(crate) told: Option<TabId>,
    pub(crate) area: Area,
    /// Whether its outer terminal has the focus; None while it never said.
    pub(crate) focused: Option<bool>,
    /// Counts up with every activity of any client.
    active: u64,
}

/// What a caller said in `Hello`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Introduction {
    pub(crate) group: Option<String>,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Clients {
    attached: BTreeMap<ConnId, Client>,
    introduced: BTreeMap<ConnId, Introduction>,
    beat: u64,
}

impl Clients {
    pub(crate) fn attach(&mut self, conn: ConnId, tab: TabId, area: Area) {
        self.beat += 1;
        let client = Client { tab, told: None, area, focused: None, active: self.beat };
        self.attached.insert(conn, client);
    }

    /// True when it was an attached client.
    pub(crate) fn leave(&mut self, conn: ConnId) -> bool {
        self.introduced.remove(&conn);
        self.attached.remove(&conn).is_some()
    }

    pub(crate) fn introduce(&mut self, conn: ConnId, said: Introduction) {
        self.introduced.insert(conn, said);
    }

    pub(crate) fn introduction(&self, conn: ConnId) -> Option<&Introduction> {
        self.introduced.get(&conn)
    }

    pub(crate) fn get(&self, conn: ConnId) -> Option<&Client> {
        self.attached.get(&conn)
    }

    pub(crate) fn get_mut(&mut self, conn: ConnId) -> Option<&mut Client> {
        self.attached.get_mut(&conn)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConnId, &Client)> {
        self.attached.iter().map(|(conn, client)| (*conn, client))
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (ConnId, &mut Client)> {
        self.attached.iter_mut().map(|(conn, client)| (*conn, client))
    }

    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.attached.len()).unwrap_or(u32::MAX)
    }

    /// The user is at this client. True when they were at another one before.
    pub(crate) fn active(&mut self, conn: ConnId) -> bool {
        let Some(client) = self.attached.get_mut(&conn) else { return false };
        let came = client.active != self.beat;
        if came {
            self.beat += 1;
            client.active = self.beat;
        }
        came
    }

    /// The client the user was at last.
    pub(crate) fn latest(&self) -> Option<ConnId> {
        self.attached.iter().max_by_key(|(_, client)| client.active).map(|(conn, _)| *conn)
    }

    /// The client that shows this tab, the one the user was at last among several.
    pub(crate) fn latest_on(&self, tab: TabId) -> Option<(ConnId, &Client)> {
        self.iter().filter(|(_, client)| client.tab == tab).max_by_key(|(_, client)| client.active)
    }

    pub(crate) fn show(&mut self, conn: ConnId, tab: TabId) {
        if let Some(client) = self.attached.get_mut(&conn) {
            client.tab = tab;
        }
    }

    /// A tab closed: whoever showed it shows another.
    pub(crate) fn moved_on(&mut self, closed: TabId, to: TabId) {
        for client in self.attached.values_mut().filter(|client| client.tab == closed) {
            client.tab = to;
        }
    }
}

/// A client's room as a rectangle of at least one cell.
pub(crate) fn room(area: Area) -> Rect {
    Rect::sized(area.cols.max(1), area.rows.max(1))
}
