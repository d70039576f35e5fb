//! The group *worktrees*: a git worktree as a group of its own.
//!
//! Not here: what may be removed (`core::worktrees`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
