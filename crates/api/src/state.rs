//! What an agent is doing, and how sure we are: the words for states, kinds and sources.
//!
//! Not here: how a state is found (the `agents` crate) or what follows from a change (`core`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a recognised agent is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A turn runs.
    Working,
    /// It waits for the user: a permission, a question, a login, a usage limit.
    Blocked,
    /// A turn ended and nobody has looked at the pane since.
    Done,
    /// Ready for a prompt, and the user knows.
    #[default]
    Idle,
}

impl State {
    /// The word shown beside the dot.
    pub fn word(self) -> &'static str {
        match self {
            State::Working => "working",
            State::Blocked => "blocked",
            State::Done => "done",
            State::Idle => "idle",
        }
    }

    /// Most urgent first: blocked, done, working, idle.
    pub fn urgency(self) -> u8 {
        match self {
            State::Blocked => 0,
            State::Done => 1,
            State::Working => 2,
            State::Idle => 3,
        }
    }
}

/// Why an agent is blocked, or how its turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Blocked: it asks leave to run a tool or edit a file.
    Permission,
    /// Blocked: it asks the user something, or shows a plan to approve.
    Question,
    /// Blocked: it needs a login or an API key.
    Login,
    /// Blocked: a usage limit of its account is reached.
    Limit,
    /// Done: an error ended the turn.
    Error,
    /// Working: the turn ended, but something it started still runs.
    Background,
}

impl Kind {
    /// The word shown beside the state's.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Permission => "permission",
            Kind::Question => "question",
            Kind::Login => "login",
            Kind::Limit => "limit",
            Kind::Error => "error",
            Kind::Background => "background",
        }
    }
}

/// Where a state came from, best evidence first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The agent's own hooks.
    Hooks,
    /// The Program Status Protocol, OSC 7501.
    Status,
    /// A state file the agent keeps.
    File,
    /// Another terminal signal: OSC 9;4, a title.
    Signal,
    /// The words on its screen.
    Screen,
}

/// One verdict about one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What it is doing.
    pub state: State,
    /// Why, where a state has a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// False when the evidence no longer fits: the state is the last one that was certain.
    pub certain: bool,
    /// The evidence that decided.
    pub source: Source,
}
