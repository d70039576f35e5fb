//! The group *files*: opening a file in the user's editor, and the git changes of a group.
//!
//! Not here: resolving paths safely (`host::files`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::TabId;

/// Fields of `OpenFile`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenFile {
    /// Relative to the group's folder.
    pub path: String,
    /// Where in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// A place in a file, 1-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// Fields of `Changes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// The session whose group is meant; the caller's when null.
    #[serde(default)]
    pub session: Option<TabId>,
}

/// The answer to `Changes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeSet {
    /// The group.
    pub group: String,
    /// The checkout's folder.
    pub root: String,
    /// Its branch; null on a detached HEAD.
    pub branch: Option<String>,
    /// What changed.
    pub files: Vec<ChangedFile>,
    /// `git diff HEAD`.
    pub patch: String,
    /// True when the patch was cut.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedFile {
    /// Relative to the root.
    pub path: String,
    /// How it changed.
    pub kind: ChangeKind,
}

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Its content.
    Modified,
    /// New and tracked.
    Added,
    /// Gone.
    Deleted,
    /// Elsewhere.
    Renamed,
    /// Unknown to git.
    Untracked,
    /// In conflict.
    Conflicted,
}
