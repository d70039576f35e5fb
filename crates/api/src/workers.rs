//! The group *workers*: starting and closing the Workers of a lead.
//!
//! Not here: talking to them (`messages`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, TabId};
use crate::refusal::Refusal;

/// Fields of `Spawn`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spawn {
    /// A harness program (`claude`, `codex`, `opencode`) or `acp:<id>`.
    pub agent: String,
    /// A new git worktree to run it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// What to do; not empty.
    pub task: String,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tab's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

/// Fields of `Close`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Close {
    /// What to close.
    pub target: CloseTarget,
    /// What to do with one that works; `refuse` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_working: Option<WhenWorking>,
    /// What to do with its worktree; `keep` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<WorktreeFate>,
}

/// What `Close` closes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CloseTarget {
    /// One Worker.
    Agent(PaneId),
    /// A session of the lead's group.
    Session(TabId),
    /// Every Worker of the lead that has finished.
    AllIdle,
}

/// What `Close` does with a Worker that works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhenWorking {
    /// Answer `busy`.
    #[default]
    Refuse,
    /// Stop its turn first.
    CancelTurn,
}

/// What `Close` does with a worktree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorktreeFate {
    /// Leave it.
    #[default]
    Keep,
    /// Remove it when nothing would be lost.
    Remove,
}

/// One thing that `Close` closed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClosedRow {
    /// What.
    pub target: CloseTarget,
    /// Its worktree, when it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<ClosedWorktree>,
}

/// Where a worktree is and what happened to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClosedWorktree {
    /// Its folder.
    pub path: String,
    /// What happened.
    pub outcome: WorktreeOutcome,
}

/// What happened to a worktree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorktreeOutcome {
    /// It stays.
    Kept,
    /// It is gone.
    Removed,
    /// It stays, because something would be lost.
    Refused(Refusal),
}
