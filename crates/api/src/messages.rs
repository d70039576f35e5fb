//! The group *messages*: waiting for, reading and writing to terminals, and the mailbox.
//!
//! Not here: kraal's own verbs for panes (`panes`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agents::TerminalState;
use crate::ids::{PaneId, Target};

/// The longest any request waits, in seconds.
pub const WAIT_SECS_MAX: u64 = 1800;
/// How long `Wait` waits unless told, in seconds.
pub const WAIT_SECS_DEFAULT: u64 = 600;
/// The lines `Read` answers unless told.
pub const READ_LINES_DEFAULT: u32 = 40;
/// The most lines `Read` answers.
pub const READ_LINES_MAX: u32 = 10_000;

/// Fields of `Wait`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// The terminal.
    pub target: Target,
    /// 600 unless given; 0 asks without waiting; over 1800 counts as 1800.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_secs: Option<u64>,
}

/// The answer to a `Wait` that did not time out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Settled {
    /// The terminal.
    pub target: Target,
    /// The state it settled in.
    pub state: TerminalState,
}

/// Fields of `Read`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The terminal.
    pub target: Target,
    /// How many of the last lines; 40 unless given, at most 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// With SGR sequences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ansi: Option<bool>,
}

/// Fields of `Check`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Block until a message arrives, at most 1800.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_secs: Option<u64>,
}

/// A mailbox message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Counts up.
    pub id: u64,
    /// The terminal that sent it.
    pub from: PaneId,
    /// Its title.
    pub from_title: String,
    /// What it says.
    pub body: String,
}

/// Fields of `Send`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Send {
    /// The Worker.
    pub to: Target,
    /// What to type.
    pub body: String,
}
