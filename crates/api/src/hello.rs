//! The handshake: who calls, and what is served. Optional, and first when it comes.
//!
//! Not here: how the caller is found (`server` asks the kernel, `core::rights` decides).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, TabId};

/// The API number that is served.
pub const API: u32 = 1;

/// Fields of `Hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// 1.
    pub api: u32,
    /// The caller's name and version, `my-script 0.1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The group a Client acts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// The answer to `Hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HelloAnswer {
    /// 1.
    pub api: u32,
    /// `kraal 0.1.0`.
    pub app: String,
    /// The environment's name.
    pub environment: String,
    /// Who calls.
    pub caller: CallerFacts,
    /// Every request that is served.
    pub requests: Vec<String>,
    /// The limits.
    pub limits: Limits,
}

/// Who calls, as the server sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallerFacts {
    /// What kind of caller.
    pub kind: CallerKind,
    /// The caller's terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<PaneId>,
    /// Its session (tab).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<TabId>,
    /// Its group (workspace), or the one a Client named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Whether the user let it lead.
    pub lead: bool,
}

/// The kinds of caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallerKind {
    /// A program of the user's own, outside every pane.
    Client,
    /// A process in a pane.
    Terminal,
    /// A conversation over a structured protocol.
    Chat,
    /// A chat that a lead started.
    Worker,
    /// A process of some pane that cannot be told.
    Unknown,
}

/// The limits of the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The longest line, in bytes.
    pub line_bytes: u64,
    /// The longest wait, in seconds.
    pub wait_secs: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line_bytes: crate::envelope::LINE_BYTES_MAX as u64,
            wait_secs: crate::messages::WAIT_SECS_MAX,
        }
    }
}
