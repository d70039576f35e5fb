//! What a request on worktrees has the machine do, away from the loop, and what comes back.
//!
//! Not here: who may ask for it (`rights`), what may go (`worktrees::verdict`), doing it (`server`).

use kraal_api::worktrees::{Preparing, PruneWorktrees, RemoveWorktree};
use kraal_api::{PaneId, Refusal, Response};
use serde::{Deserialize, Serialize};

/// What is to be done. The answer comes back as [`Done`].
#[derive(Clone, Debug, PartialEq)]
pub enum Job {
    /// The worktrees of a repository.
    List {
        /// A folder in any of its checkouts.
        folder: String,
    },
    /// A new worktree.
    Make(Make),
    /// How a worktree is prepared.
    Plan {
        /// A folder in any checkout of the repository.
        folder: String,
        /// The worktree; the one that the folder is in when None.
        name: Option<String>,
        /// What is done with the repository's own preparation.
        preparing: Preparing,
    },
    /// Approve the preparation of the commit that a folder has checked out, or say what it is.
    Trust {
        /// The folder.
        folder: String,
        /// What a person approves.
        content: Option<String>,
    },
    /// Remove one.
    Remove {
        /// As it was asked.
        ask: RemoveWorktree,
        /// Its panes were closed for it: their programs may still be on their way out.
        closed: Vec<PaneId>,
    },
    /// Remove those whose work is all in their base.
    Prune {
        /// As it was asked.
        ask: PruneWorktrees,
        /// Once panes were closed for it: the folders of the worktrees that may go, and those panes.
        closed: Option<(Vec<String>, Vec<PaneId>)>,
    },
}

/// A worktree to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Make {
    /// A folder in any checkout of the repository.
    pub folder: String,
    /// Its name, as it was said.
    pub name: String,
    /// What its branch has before the name.
    pub prefix: &'static str,
    /// What is done with the repository's own preparation.
    pub preparing: Preparing,
    /// The program that is to run in it: it has to be there.
    pub program: Option<String>,
}

/// A pane as a job needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaneAt {
    /// The pane.
    pub pane: PaneId,
    /// The folder it works in.
    pub cwd: String,
    /// The process that was started in it.
    pub pid: Option<i32>,
}

/// How a job went.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// This is the answer.
    Answer(Result<Response, Refusal>),
    /// The worktree is there: open its pane.
    Made(Box<Made>),
    /// These panes are to close first; then the job goes on as this one.
    Close {
        /// Which.
        panes: Vec<PaneId>,
        /// A folder of the repository that stays: a shell opens there when no other pane is left.
        home: String,
        /// What follows.
        then: Box<Job>,
    },
}

/// A worktree that was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// Its number in the repository.
    pub number: u32,
    /// What git or a hook said.
    pub said: String,
    /// The repository's name.
    pub repository: String,
    /// The folder of a workspace for the repository: its main checkout, where it has one.
    pub home: String,
    /// The folders of all its checkouts.
    pub checkouts: Vec<String>,
    /// What runs in the pane before its program.
    pub before: Option<Before>,
    /// Whether the repository's preparation was left out for want of approval.
    pub needs_approval: bool,
}

/// What is done in a pane before its program starts, where the user sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The checkout to copy from.
    pub from: Option<String>,
    /// What to copy, in order.
    pub copy: Vec<String>,
    /// What to run, in order.
    pub run: Vec<String>,
}
