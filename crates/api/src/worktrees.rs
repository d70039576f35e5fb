//! The group *worktrees*: a git worktree as a group of its own, and kraal's own verbs on the
//! worktrees of a repository.
//!
//! Not here: what may be removed (`core::worktrees`), which branch a pane shows (`model`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, TabId};
use crate::panes::Attention;

/// Fields of `CreateWorktree`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateWorktree {
    /// The branch, and the group's name.
    pub name: String,
}

/// The answer to `CreateWorktree`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeCreated {
    /// The new group.
    pub group: String,
    /// Its folder.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// `needs_approval` when the repository's preparation was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<String>,
}

/// Verb `Worktrees`: the worktrees of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnRepository {
    /// A folder in any of its checkouts.
    pub folder: String,
}

/// The answer to `Worktrees`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeList {
    /// The repository's name: that of its main checkout's folder.
    pub repository: String,
    /// Its main checkout; null in a bare layout.
    pub main: Option<String>,
    /// The main checkout first, then by number.
    pub worktrees: Vec<WorktreeRow>,
}

/// A checkout of a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeRow {
    /// Its number in the repository; null for the main checkout.
    pub number: Option<u32>,
    /// What it is called.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Whether it is the main checkout.
    pub is_main: bool,
    /// The branch it has checked out; null when its HEAD is detached.
    pub branch: Option<String>,
    /// The commit it has checked out; null before the first.
    pub head: Option<String>,
    /// The branch its work goes to.
    pub base: Option<String>,
    /// Commits that its base does not have.
    pub ahead: u32,
    /// Commits of its base that it does not have.
    pub behind: u32,
    /// Tracked files with changes, conflicts included.
    pub changed: usize,
    /// Files that are neither tracked nor ignored.
    pub untracked: usize,
    /// Whether all of its work is in its base and nothing else would be lost with it.
    pub merged: bool,
    /// Why it stays, the gravest reason first; empty when `kraal wt prune` would remove it.
    pub why: Vec<Why>,
    /// The panes of this session that work in it.
    pub panes: Vec<PaneId>,
    /// The ports that programs of those panes listen on.
    pub ports: Vec<u16>,
}

/// A reason to keep a worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Why {
    /// One word for programs: `changed`, `unmerged`, `locked`…
    pub code: String,
    /// One clause for people, which names the thing and the way out.
    pub message: String,
}

/// Verb `NewWorktree`: a worktree on a branch of its own, with an agent in a tab of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWorktree {
    /// A folder in any checkout of the repository; the new branch begins at its commit.
    pub folder: String,
    /// Its name: the branch is `kraal/<name>`.
    pub name: String,
    /// The agent to start in it, by its name in the catalogue; the user's shell unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Arguments for the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// What is done with the preparation that the repository asks for.
    #[serde(default)]
    pub preparing: Preparing,
    /// Whether the new tab takes the focus.
    #[serde(default)]
    pub attention: Attention,
}

/// What is done with the preparation that a repository asks for in `.kraal/worktree.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preparing {
    /// It runs when this version of the file is approved; else nothing is made, and the answer is
    /// `NeedsApproval`.
    #[default]
    Ask,
    /// It runs when this version of the file is approved, and is left out otherwise.
    IfApproved,
    /// It is left out, and the file is not read.
    Skip,
    /// A person approves this very content of the file. Another one is asked about again.
    Approved(String),
}

/// The answer to `NewWorktree`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorktreeMade {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// Its number in the repository.
    pub number: u32,
    /// The pane that was opened in it.
    pub pane: PaneId,
    /// That pane's tab.
    pub tab: TabId,
    /// `needs_approval` when the repository's preparation was left out for want of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<String>,
    /// What git or a hook of the repository said while it was made; empty when nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
}

/// The answer to a request that needs a person's word first: nothing was done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NeedsApproval {
    /// The repository that asks.
    pub repository: String,
    /// The file in it, and the commit it was read from: `.kraal/worktree.toml at 1a2b3c4`.
    pub file: String,
    /// The file's content, to be sent back with the approval.
    pub content: String,
    /// The same for the eye: control and invisible characters are written out.
    pub shown: String,
}

/// Verb `SetupWorktree`: how a worktree is prepared, for the asking terminal to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupWorktree {
    /// A folder in any checkout of the repository.
    pub folder: String,
    /// The worktree, by name; the one that `folder` is in unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is done with the preparation that the repository asks for.
    #[serde(default)]
    pub preparing: Preparing,
}

/// The answer to `SetupWorktree`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetupPlan {
    /// The worktree's folder.
    pub worktree: String,
    /// The main checkout that files are copied from; null where there is none.
    pub main: Option<String>,
    /// What to copy, in order.
    pub copy: Vec<String>,
    /// What to run, in order.
    pub setup: Vec<String>,
    /// The variables of a pane in it: `KRAAL_WORKTREE`, `KRAAL_PORT_OFFSET`…
    pub env: Vec<(String, String)>,
}

/// Verb `TrustWorktree`: approves a repository's preparation, or asks what there is to approve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustWorktree {
    /// A folder in any checkout of the repository: the file of its commit is meant.
    pub folder: String,
    /// A person approves this very content; unless given, the answer says what there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// Verb `RemoveWorktree`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveWorktree {
    /// A folder in any checkout of the repository.
    pub folder: String,
    /// The worktree: its name, its folder or its branch.
    pub name: String,
    /// Removes it although something is lost.
    #[serde(default)]
    pub force: bool,
    /// Closes the panes of this session that work in it.
    #[serde(default)]
    pub close: bool,
    /// Says only what would happen.
    #[serde(default)]
    pub dry_run: bool,
}

/// Verb `PruneWorktrees`: removes those whose work is all in their base.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PruneWorktrees {
    /// A folder in any checkout of the repository.
    pub folder: String,
    /// Says only what would happen.
    #[serde(default)]
    pub dry_run: bool,
    /// Also those whose only leftovers are ignored files.
    #[serde(default)]
    pub discard_ignored: bool,
    /// The ignored files that a person was shown and agreed to lose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agreed: Vec<Agreed>,
    /// Closes the panes of this session that work in them.
    #[serde(default)]
    pub close: bool,
}

/// What a person agreed to lose in a worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreed {
    /// The worktree's folder.
    pub path: String,
    /// The ignored files, as they were shown.
    pub files: Vec<String>,
}

/// A worktree that went, or would go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Removal {
    /// Its name.
    pub name: String,
    /// Where its folder was.
    pub path: String,
    /// The branch that went with it.
    pub branch: Option<String>,
    /// The commit that branch, or a detached HEAD, was at: with it the work can be brought back.
    pub at: Option<String>,
    /// Why its branch stays, when kraal made it for this worktree and it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_kept: Option<String>,
    /// What is lost with it, or would be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Why>,
    /// Ignored files of its own that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// The panes that close, or closed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panes: Vec<PaneId>,
    /// Why it would be refused, in a dry run; empty when it would go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Why>,
}

/// A worktree that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Why, the gravest reason first.
    pub why: Vec<Why>,
}

/// The answer to `PruneWorktrees`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pruned {
    /// The repository's name.
    pub repository: String,
    /// Those that went; in a dry run those that would.
    pub removed: Vec<Removal>,
    /// Those that stay.
    pub kept: Vec<Kept>,
}
