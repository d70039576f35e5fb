//! The group *hooks*: what installed integrations send. Their payloads are the agents' own and may
//! change with them; programs should not depend on these requests.
//!
//! Not here: what an event means (`kraal-agents`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Fields of `Hook`: an event of an agent's own hooks. Whose pane it concerns is decided by the
/// process that sends it, never by a field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// The agent whose hook it is, by its name in the catalogue.
    pub agent: String,
    /// The agent's own name for the event.
    pub event: String,
    /// When the agent started the hook, in milliseconds since the boot of the machine: a hook that
    /// was held up says what was, not what is.
    pub started_ms: u64,
    /// What the agent handed it, long texts cut.
    pub payload: Value,
}

/// Fields of `Status`: what an agent hands its status line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusLine {
    /// The agent whose status line it is, by its name in the catalogue.
    pub agent: String,
    /// What the agent handed it, long texts cut.
    pub payload: Value,
}
