//! The one door: what a caller may do, as a `Permit` that only this module makes, and that every
//! handler takes.
//!
//! Not here: who the caller is (`caller`), what is done (the handlers).

mod table;

use kraal_api::ids::Target;
use kraal_api::panes::{Opening, Place};
use kraal_api::{Code, PaneId, PaneRef, Refusal, Request, Verb, WorkspaceId};

use crate::caller::{Asked, Caller};
use crate::tree::{Opener, Tree, names};
use table::{Grant, Role};

/// How far a permitted request may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Everywhere in the environment.
    Everywhere,
    /// Into this workspace, without taking the focus.
    Quietly(WorkspaceId),
    /// Into this group, as the one who leads there.
    Leading(WorkspaceId),
}

/// Leave to do what was asked. Made by [`check`] alone.
#[derive(Clone, Debug)]
pub(crate) struct Permit {
    asked: Asked,
    reach: Reach,
    opener: Opener,
    panes: Vec<PaneId>,
}

impl Permit {
    pub(crate) fn asked(&self) -> &Asked {
        &self.asked
    }

    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// Who opens what the request opens.
    pub(crate) fn opener(&self) -> Opener {
        self.opener
    }

    /// The pane that the request names first; for an opening, the one it opens from if it says so.
    pub(crate) fn named_pane(&self) -> Option<PaneId> {
        self.panes.first().copied()
    }

    /// The same, for requests that always name one.
    ///
    /// # Errors
    ///
    /// `not_found`, for a request that names none: none reaches a handler so.
    pub(crate) fn pane(&self) -> Result<PaneId, Refusal> {
        self.named_pane().ok_or_else(|| Refusal::not_found("the request names no pane"))
    }

    /// The second pane that the request names.
    ///
    /// # Errors
    ///
    /// As for [`Permit::pane`].
    pub(crate) fn other_pane(&self) -> Result<PaneId, Refusal> {
        self.panes.get(1).copied().ok_or_else(|| Refusal::not_found("the request names no second pane"))
    }
}

/// Leave for one request, or why not.
///
/// # Errors
///
/// What agents-api's matrix refuses, and `not_found` for panes that are not there.
pub(crate) fn check(
    tree: &Tree,
    environment: &str,
    asked: Asked,
    request: &Request,
) -> Result<Permit, Refusal> {
    let role = role(tree, asked.caller);
    let row = table::row(request);
    let grant = table::grant(row, role);
    refuse(grant, request)?;
    let reach = match grant {
        Grant::OwnWorkspace => Reach::Quietly(own_workspace(tree, asked.caller)?),
        Grant::OwnGroup => Reach::Leading(own_group(tree, asked.caller)?),
        _ => Reach::Everywhere,
    };
    let panes = named(request)
        .into_iter()
        .map(|said| match said {
            Said::Pane(pane) => names::resolve(tree, pane),
            Said::Terminal(target) => terminal(tree, environment, asked.caller, target),
        })
        .collect::<Result<Vec<_>, _>>()?;
    if grant == Grant::OwnPanes {
        panes.iter().try_for_each(|pane| own_pane(tree, asked.caller, *pane))?;
    }
    if let (Reach::Quietly(own), Some(opening)) = (reach, opening(request)) {
        stays_within(tree, asked.caller, own, (opening, panes.first().copied()))?;
        if matches!(request, Request::Verb(Verb::StartAgent(start)) if start.lead) {
            return Err(no_lead());
        }
    }
    let opener = match (asked.caller.pane(), role) {
        (None, _) => Opener::Outside,
        (Some(pane), Role::Terminal) => Opener::Pane(pane),
        (Some(pane), _) => Opener::Agent(pane),
    };
    Ok(Permit { asked, reach, opener, panes })
}

/// What the caller is in the matrix. Chats and Workers come as callers when there are chats.
fn role(tree: &Tree, caller: Caller) -> Role {
    match caller {
        Caller::Client(_) => Role::Client,
        Caller::Unknown(_) => Role::Unknown,
        Caller::Token(_) => Role::Token,
        Caller::Terminal(pane) => match tree.pane(pane) {
            Some(pane) if pane.runs_agent() && pane.lead => Role::Lead,
            Some(pane) if pane.acts_for_agent() => Role::Agent,
            Some(_) => Role::Terminal,
            None => Role::Unknown,
        },
    }
}

fn refuse(grant: Grant, request: &Request) -> Result<(), Refusal> {
    let name = match request {
        Request::Verb(verb) => verb.name(),
        other => other.name(),
    };
    Err(match grant {
        Grant::Yes | Grant::OwnWorkspace | Grant::OwnPanes | Grant::OwnGroup => return Ok(()),
        Grant::No => Refusal::forbidden(format!(
            "{name} is the user's alone: ask them, or have them run it in a shell"
        )),
        Grant::NoLead => no_lead(),
        Grant::NoMailbox => Refusal::unsupported("only a pane has a mailbox: ask from within one"),
        Grant::NoToken => Refusal::forbidden(format!(
            "{name} is not for a token alone, which only shows what its pane sees: ask from within the pane"
        )),
    })
}

fn no_lead() -> Refusal {
    Refusal::forbidden("the user has not let this agent lead: they can, with the action Let this agent lead")
}

fn own_workspace(tree: &Tree, caller: Caller) -> Result<WorkspaceId, Refusal> {
    caller.group(tree).ok_or_else(|| {
        Refusal::forbidden(
            "this process belongs to no pane that kraal knows, so it has no workspace to open anything in",
        )
    })
}

fn own_group(tree: &Tree, caller: Caller) -> Result<WorkspaceId, Refusal> {
    caller.group(tree).ok_or_else(no_group)
}

/// A Client that acts in no group.
pub(crate) fn no_group() -> Refusal {
    Refusal::bad_request("say which group: name it in Hello (`krad --group`), or work in the folder of one")
}

fn own_pane(tree: &Tree, caller: Caller, pane: PaneId) -> Result<(), Refusal> {
    // A pane that the user's shell opened before the agent ran in it is the user's.
    let opener = tree.pane(pane).map(|pane| pane.opener);
    if opener == caller.pane().map(Opener::Agent) && opener.is_some() {
        return Ok(());
    }
    let message =
        format!("an agent may do this only with panes it opened itself, and pane {pane} is none of them");
    Err(Refusal::new(Code::NotOwned, message))
}

/// What an agent opens stays in its own workspace, and replaces only what it opened.
fn stays_within(
    tree: &Tree,
    caller: Caller,
    own: WorkspaceId,
    (opening, from): (&Opening, Option<PaneId>),
) -> Result<(), Refusal> {
    let elsewhere =
        || Refusal::forbidden("an agent opens panes in its own workspace only: leave the workspace out");
    if let Some(name) = &opening.workspace
        && tree.workspace_named(name).is_none_or(|workspace| workspace.id != own)
    {
        return Err(elsewhere());
    }
    if let Some(from) = from
        && tree.place(from).is_none_or(|(workspace, _)| workspace.id != own)
    {
        return Err(elsewhere());
    }
    match (opening.place, from.or(caller.pane())) {
        (Place::Here, Some(replaced)) => own_pane(tree, caller, replaced),
        _ => Ok(()),
    }
}

/// A pane as a request names it.
enum Said<'a> {
    Pane(&'a PaneRef),
    Terminal(&'a Target),
}

/// The panes a request names, in its order.
fn named(request: &Request) -> Vec<Said<'_>> {
    let verb = match request {
        Request::Wait(wait) => return vec![Said::Terminal(&wait.target)],
        Request::Read(read) => return vec![Said::Terminal(&read.target)],
        Request::Verb(verb) => verb,
        _ => return Vec::new(),
    };
    let panes: Vec<&PaneRef> = match verb {
        Verb::Explain(ask) => vec![&ask.pane],
        Verb::ReadPane(ask) => vec![&ask.pane],
        Verb::WaitPane(ask) => vec![&ask.pane],
        Verb::SendText(ask) => vec![&ask.pane],
        Verb::SendKeys(ask) => vec![&ask.pane],
        Verb::Prompt(ask) => vec![&ask.pane],
        Verb::Rename(ask) => vec![&ask.pane],
        Verb::ResizePane(ask) => vec![&ask.pane],
        Verb::PlaceFloat(ask) => vec![&ask.pane],
        Verb::MovePane(ask) => vec![&ask.pane],
        Verb::SwapPane(ask) => vec![&ask.pane, &ask.with],
        Verb::Focus(ask)
        | Verb::Reveal(ask)
        | Verb::ClosePane(ask)
        | Verb::Rerun(ask)
        | Verb::Zoom(ask)
        | Verb::Float(ask)
        | Verb::Lead(ask)
        | Verb::Unlead(ask) => vec![&ask.pane],
        Verb::Run(run) => run.opening.from.iter().collect(),
        Verb::StartAgent(start) => start.opening.from.iter().collect(),
        Verb::Panes
        | Verb::Agents
        | Verb::Events(_)
        | Verb::Notify(_)
        | Verb::Worktrees(_)
        | Verb::NewWorktree(_)
        | Verb::SetupWorktree(_)
        | Verb::TrustWorktree(_)
        | Verb::RemoveWorktree(_)
        | Verb::PruneWorktrees(_)
        | Verb::HideFloats(_)
        | Verb::Arrange(_)
        | Verb::LookAt(_)
        | Verb::CloseTab(_)
        | Verb::RenameTab(_)
        | Verb::MoveTab(_)
        | Verb::OpenWorkspace(_)
        | Verb::RenameWorkspace(_)
        | Verb::CloseWorkspace(_)
        | Verb::Attach(_)
        | Verb::ReloadConfig
        | Verb::Info
        | Verb::Restart
        | Verb::Kill => Vec::new(),
    };
    panes.into_iter().map(Said::Pane).collect()
}

fn opening(request: &Request) -> Option<&Opening> {
    match request {
        Request::Verb(Verb::Run(run)) => Some(&run.opening),
        Request::Verb(Verb::StartAgent(start)) => Some(&start.opening),
        _ => None,
    }
}

fn terminal(tree: &Tree, environment: &str, caller: Caller, target: &Target) -> Result<PaneId, Refusal> {
    let id = match target {
        Target::Here(id) => *id,
        Target::Elsewhere(other) if other.environment == environment => other.terminal,
        Target::Elsewhere(_) if matches!(caller, Caller::Client(_)) => {
            return Err(Refusal::unsupported(
                "terminals of other sessions come with a later version: ask that session",
            ));
        }
        Target::Elsewhere(_) => {
            return Err(Refusal::forbidden(
                "a terminal sees its own session only: leave the environment out",
            ));
        }
    };
    match tree.pane(id) {
        Some(_) => Ok(id),
        None => Err(Refusal::not_found(format!("there is no terminal {id}: List names those there are"))),
    }
}
