//! Who asks: from the kernel's word first, a token only for what the kernel cannot place.
//!
//! Not here: what each may do (`rights`), how the kernel is asked (`server`).

use std::collections::BTreeMap;

use kraal_api::hello::{CallerFacts, CallerKind};
use kraal_api::{Code, ConnId, PaneId, Refusal, WorkspaceId};

use crate::clients::Clients;
use crate::input::{Peer, Ticket};
use crate::tree::Tree;

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A program of the user's own, outside every pane, with the group it acts in.
    Client(Option<WorkspaceId>),
    /// A process of this pane.
    Terminal(PaneId),
    /// A process under a keeper, of no pane that is known; a token may say whose view it gets.
    Unknown(Option<PaneId>),
    /// A process that the kernel cannot place, with the token of this pane.
    Token(PaneId),
}

/// A request's circumstances.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) ticket: Ticket,
    pub(crate) conn: ConnId,
    pub(crate) caller: Caller,
    /// The folder the caller works in.
    pub(crate) cwd: Option<String>,
    /// Its variables that are passed on.
    pub(crate) env: BTreeMap<String, String>,
}

impl Caller {
    /// The pane the caller is a process of.
    pub(crate) fn pane(self) -> Option<PaneId> {
        match self {
            Caller::Terminal(pane) => Some(pane),
            _ => None,
        }
    }

    /// The pane that is the caller's own in a list.
    pub(crate) fn sees_as(self) -> Option<PaneId> {
        match self {
            Caller::Terminal(pane) | Caller::Token(pane) => Some(pane),
            Caller::Unknown(view) => view,
            Caller::Client(_) => None,
        }
    }

    /// The workspace the caller acts in.
    pub(crate) fn group(self, tree: &Tree) -> Option<WorkspaceId> {
        match self {
            Caller::Client(group) => group.filter(|group| tree.workspace(*group).is_some()),
            Caller::Terminal(pane) | Caller::Token(pane) => {
                tree.place(pane).map(|(workspace, _)| workspace.id)
            }
            Caller::Unknown(_) => None,
        }
    }

    /// As `Hello` says it.
    pub(crate) fn facts(self, tree: &Tree) -> CallerFacts {
        let kind = match self {
            Caller::Client(_) => CallerKind::Client,
            Caller::Terminal(_) | Caller::Token(_) => CallerKind::Terminal,
            Caller::Unknown(_) => CallerKind::Unknown,
        };
        let terminal = self.sees_as();
        let workspace = self.group(tree).and_then(|id| tree.workspace(id));
        CallerFacts {
            kind,
            terminal,
            session: terminal.and_then(|pane| tree.place(pane)).map(|(_, tab)| tab.id),
            group: workspace.map(|workspace| workspace.name.clone()),
            lead: self
                .pane()
                .and_then(|pane| tree.pane(pane))
                .is_some_and(|pane| pane.lead && pane.runs_agent()),
        }
    }
}

/// Who asks on this connection.
///
/// # Errors
///
/// `unauthorized` for a token that is no pane's, where the token is what decides.
pub(crate) fn find(tree: &Tree, clients: &Clients, conn: ConnId, peer: &Peer) -> Result<Caller, Refusal> {
    if peer.attached || clients.get(conn).is_some() {
        let shown = clients.get(conn).and_then(|client| tree.tab(client.tab));
        return Ok(Caller::Client(shown.map(|(workspace, _)| workspace.id)));
    }
    if let Some(pane) = peer.pane {
        // A pane that just closed may still have processes; they belong to no pane any more.
        return Ok(if tree.pane(pane).is_some() { Caller::Terminal(pane) } else { Caller::Unknown(None) });
    }
    let named = peer.token.as_deref().map(|token| of_token(tree, token)).transpose()?;
    if peer.under_keeper {
        return Ok(Caller::Unknown(named));
    }
    if let Some(pane) = named {
        return Ok(Caller::Token(pane));
    }
    Ok(Caller::Client(client_group(tree, clients, conn, peer)))
}

fn client_group(tree: &Tree, clients: &Clients, conn: ConnId, peer: &Peer) -> Option<WorkspaceId> {
    let said = clients.introduction(conn).and_then(|said| said.group.as_deref());
    let found = match said {
        Some(name) => tree.workspace_named(name),
        None => peer.cwd.as_deref().and_then(|folder| tree.workspace_around(folder)),
    };
    found.map(|workspace| workspace.id)
}

fn of_token(tree: &Tree, token: &str) -> Result<PaneId, Refusal> {
    let mut found = None;
    // Every token is looked at whole: how long it takes says nothing about any of them.
    for pane in tree.panes() {
        if same(pane.token.as_bytes(), token.as_bytes()) {
            found = Some(pane.facts.id);
        }
    }
    found.ok_or_else(|| {
        Refusal::new(
            Code::Unauthorized,
            "the token is no pane's of this session: leave it out, or start the program in a pane again",
        )
    })
}

/// Compares in a time that depends on the lengths alone.
fn same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0u8, |differing, (a, b)| differing | (a ^ b));
    one.len() == other.len() && !one.is_empty() && std::hint::black_box(differing) == 0
}
