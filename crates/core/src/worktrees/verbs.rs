//! The requests on worktrees: each has the machine do something, and goes on when that is done.
//!
//! Not here: what may go (`verdict`), git (`host`), who may ask (`rights`).

use std::collections::BTreeMap;

use kraal_api::panes::Attention;
use kraal_api::worktrees::{
    CreateWorktree, NewWorktree, Preparing, PruneWorktrees, RemoveWorktree, SetupWorktree, TrustWorktree,
    WorktreeCreated, WorktreeMade,
};
use kraal_api::{Refusal, Response, WorkspaceId};

use crate::agents;
use crate::desk::Desk;
use crate::effect::Effect;
use crate::input::Ticket;
use crate::jobs::{Done, Job, Made, Make, PaneAt};
use crate::outbox::{Answer, Reply};
use crate::panes::{self, NewPane, Spot};
use crate::rights::{Permit, Reach, no_group};
use crate::tree::names::unique_workspace;
use crate::views;
use crate::words;

/// What the branches of kraal's own worktrees begin with.
pub const PREFIX: &str = "kraal/";

/// Requests whose job is under way.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    waiting: BTreeMap<Ticket, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    permit: Permit,
    then: Then,
}

/// What follows a job.
#[derive(Debug)]
enum Then {
    /// The answer is the job's.
    Answer,
    /// A tab in the new worktree.
    Tab { argv: Vec<String>, attention: Attention },
    /// A workspace for the new worktree.
    Workspace,
}

/// Verb `Worktrees`.
pub(crate) fn list(desk: &mut Desk<'_>, jobs: &mut Jobs, permit: &Permit, folder: &str) -> Answer {
    Ok(jobs.begin(desk, permit, Job::List { folder: folder.to_owned() }, Then::Answer))
}

/// Verb `NewWorktree`.
pub(crate) fn new(desk: &mut Desk<'_>, jobs: &mut Jobs, permit: &Permit, ask: &NewWorktree) -> Answer {
    let argv = match &ask.agent {
        Some(agent) => agents::launch(desk.house, agent, &ask.args)?,
        None if ask.args.is_empty() => Vec::new(),
        None => return Err(Refusal::bad_request("arguments are for an agent: name one with --agent")),
    };
    let make = Make {
        folder: ask.folder.clone(),
        name: ask.name.clone(),
        prefix: PREFIX,
        preparing: ask.preparing.clone(),
        program: argv.first().cloned(),
    };
    Ok(jobs.begin(desk, permit, Job::Make(make), Then::Tab { argv, attention: ask.attention }))
}

/// `CreateWorktree`: its branch is the name itself, and a call never approves a preparation.
pub(crate) fn create(desk: &mut Desk<'_>, jobs: &mut Jobs, permit: &Permit, ask: &CreateWorktree) -> Answer {
    let group = permit.asked().caller.group(desk.tree).ok_or_else(no_group)?;
    let folder = desk.tree.workspace(group).map_or_else(String::new, |workspace| workspace.folder.clone());
    let make =
        Make { folder, name: ask.name.clone(), prefix: "", preparing: Preparing::IfApproved, program: None };
    Ok(jobs.begin(desk, permit, Job::Make(make), Then::Workspace))
}

/// Verb `SetupWorktree`.
pub(crate) fn setup(desk: &mut Desk<'_>, jobs: &mut Jobs, permit: &Permit, ask: &SetupWorktree) -> Answer {
    let SetupWorktree { folder, name, preparing } = ask.clone();
    Ok(jobs.begin(desk, permit, Job::Plan { folder, name, preparing }, Then::Answer))
}

/// Verb `TrustWorktree`.
pub(crate) fn trust(desk: &mut Desk<'_>, jobs: &mut Jobs, permit: &Permit, ask: &TrustWorktree) -> Answer {
    let TrustWorktree { folder, content } = ask.clone();
    Ok(jobs.begin(desk, permit, Job::Trust { folder, content }, Then::Answer))
}

/// Verb `RemoveWorktree`.
pub(crate) fn remove(desk: &mut Desk<'_>, jobs: &mut Jobs, permit: &Permit, ask: &RemoveWorktree) -> Answer {
    let job = Job::Remove { ask: ask.clone(), closed: Vec::new() };
    Ok(jobs.begin(desk, permit, job, Then::Answer))
}

/// Verb `PruneWorktrees`.
pub(crate) fn prune(desk: &mut Desk<'_>, jobs: &mut Jobs, permit: &Permit, ask: &PruneWorktrees) -> Answer {
    let job = Job::Prune { ask: ask.clone(), closed: None };
    Ok(jobs.begin(desk, permit, job, Then::Answer))
}

impl Jobs {
    fn begin(&mut self, desk: &mut Desk<'_>, permit: &Permit, job: Job, then: Then) -> Reply {
        let ticket = permit.asked().ticket;
        self.waiting.insert(ticket, Waiting { permit: permit.clone(), then });
        go(desk, ticket, job);
        Reply::Later
    }
}

fn go(desk: &mut Desk<'_>, ticket: Ticket, job: Job) {
    let panes = desk.tree.panes().filter(|pane| pane.lives()).map(|pane| PaneAt {
        pane: pane.facts.id,
        cwd: pane.facts.cwd.clone(),
        pid: pane.pid,
    });
    let panes = panes.collect();
    desk.out.act(Effect::Worktrees { ticket, job, panes });
}

/// A job is done.
pub(crate) fn done(desk: &mut Desk<'_>, jobs: &mut Jobs, ticket: Ticket, done: Done) {
    let Some(waiting) = jobs.waiting.remove(&ticket) else { return };
    let answer = match (done, waiting.then) {
        (Done::Answer(answer), _) => answer,
        (Done::Made(made), Then::Tab { argv, attention }) => {
            open_tab(desk, &waiting.permit, (argv, attention), *made)
        }
        (Done::Made(made), _) => open_workspace(desk, &waiting.permit, *made),
        (Done::Close { panes, home, then }, after) => {
            let own = waiting.permit.asked().caller.pane();
            if let Some(own) = own.filter(|own| panes.contains(own)) {
                let message = format!(
                    "pane {own}, which asks, works in it itself: ask from another checkout, or from outside"
                );
                Err(Refusal::failed(message))
            } else {
                if let Err(refusal) = close(desk, &waiting.permit, &panes, home) {
                    return desk.out.reply_late(ticket, Err(refusal));
                }
                jobs.waiting.insert(ticket, Waiting { permit: waiting.permit, then: after });
                return go(desk, ticket, *then);
            }
        }
    };
    desk.out.reply_late(ticket, answer);
}

/// Closes the panes of worktrees that go. The session does not end with them.
fn close(
    desk: &mut Desk<'_>,
    permit: &Permit,
    closing: &[kraal_api::PaneId],
    home: String,
) -> Result<(), Refusal> {
    if desk.tree.panes().all(|pane| closing.contains(&pane.facts.id)) {
        let first = desk.tree.workspaces().first().map(|workspace| workspace.id);
        let new = NewPane { cwd: home.clone(), opener: permit.opener(), ..NewPane::default() };
        let spot = first.map_or(Spot::Workspace { name: "main".to_owned(), folder: home }, |first| {
            Spot::Tab(first, None)
        });
        panes::open(desk, new, spot)?;
    }
    for pane in closing {
        panes::close(desk, *pane);
    }
    Ok(())
}

/// What was left out for want of approval, in the API's word.
fn left_out(made: &Made) -> Option<String> {
    made.needs_approval.then(|| "needs_approval".to_owned())
}

fn open_tab(
    desk: &mut Desk<'_>,
    permit: &Permit,
    (argv, attention): (Vec<String>, Attention),
    made: Made,
) -> Result<Response, Refusal> {
    let asked = permit.asked();
    let spot = match group(desk, permit, &made) {
        Some(group) => Spot::Tab(group, words::name(&made.name)),
        None => {
            let name = words::name(&made.repository).unwrap_or_else(|| "main".to_owned());
            let name = unique_workspace(desk.tree, &name, None);
            Spot::Workspace { name, folder: made.home.clone() }
        }
    };
    let new = NewPane {
        argv,
        cwd: made.path.clone(),
        opener: permit.opener(),
        before: made.before.clone(),
        ..NewPane::default()
    };
    desk.out.passed_on = asked.env.clone();
    let opened = panes::open(desk, new, spot)?;
    if let Some(tab) = desk.tree.tab_mut(opened.tab) {
        tab.name = words::name(&made.name);
    }
    if attention == Attention::Focus
        && !matches!(permit.reach(), Reach::Quietly(_))
        && let Some(conn) = views::follower(desk.tree, desk.clients, asked)
    {
        desk.clients.show(conn, opened.tab);
    }
    Ok(Response::WorktreeMade(WorktreeMade {
        preparation: left_out(&made),
        name: made.name,
        path: made.path,
        branch: made.branch,
        number: made.number,
        pane: opened.pane,
        tab: opened.tab,
        said: made.said,
    }))
}

/// The workspace of a new worktree's tab: the asking agent's own, the one that the asking terminal
/// shows or lies in, else one of the repository's.
fn group(desk: &Desk<'_>, permit: &Permit, made: &Made) -> Option<WorkspaceId> {
    let asked = permit.asked();
    let near = match permit.reach() {
        Reach::Quietly(own) | Reach::Leading(own) => Some(own),
        Reach::Everywhere if desk.clients.get(asked.conn).is_some() || asked.caller.pane().is_some() => {
            asked.caller.group(desk.tree)
        }
        Reach::Everywhere => None,
    };
    let workspaces = || desk.tree.workspaces().iter();
    let of_repository = || {
        let checkouts = std::iter::once(&made.home).chain(&made.checkouts);
        let around = checkouts.filter_map(|folder| {
            workspaces().find(|workspace| workspace.folder.trim_end_matches('/') == folder)
        });
        around.map(|workspace| workspace.id).next()
    };
    near.filter(|id| desk.tree.workspace(*id).is_some()).or_else(of_repository)
}

fn open_workspace(desk: &mut Desk<'_>, permit: &Permit, made: Made) -> Result<Response, Refusal> {
    let name = words::name(&made.name).unwrap_or_else(|| "main".to_owned());
    let group = unique_workspace(desk.tree, &name, None);
    let new = NewPane {
        cwd: made.path.clone(),
        opener: permit.opener(),
        before: made.before.clone(),
        ..NewPane::default()
    };
    desk.out.passed_on = permit.asked().env.clone();
    panes::open(desk, new, Spot::Workspace { name: group.clone(), folder: made.path.clone() })?;
    let preparation = left_out(&made);
    Ok(Response::WorktreeCreated(WorktreeCreated {
        group,
        path: made.path,
        branch: made.branch,
        preparation,
    }))
}
