//! The group *sessions*: the API's sessions are the tabs of the caller's workspace.
//!
//! Not here: kraal's environments (a server each), worktrees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, TabId};

/// A row of `Sessions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRow {
    /// Its number.
    pub session: TabId,
    /// Its name, or the number when it has none.
    pub name: String,
    /// The workspace.
    pub group: String,
    /// The caller's own, or for a Client the one on screen.
    pub is_current: bool,
    /// Its terminals, in pane order.
    pub terminals: Vec<PaneId>,
}

/// Fields of `CreateSession`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSession {
    /// A name for it.
    #[serde(default)]
    pub name: Option<String>,
    /// The group; the caller's unless given.
    #[serde(default)]
    pub group: Option<String>,
}

/// Fields of `CloseSession`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseSession {
    /// The session.
    pub session: TabId,
}
