//! The group *agents*: who runs where and in which state, and the stream of changes.
//!
//! Not here: how a state is found (`agents` crate), the rows' order (`core::agents`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, PaneRef, TabId};
use crate::state::{Kind, Source, State};

/// A terminal's state in the API's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TerminalState {
    /// Ready.
    Idle,
    /// A turn or a command runs, or the terminal is still starting.
    Working,
    /// kraal's `blocked`.
    WaitingForInput,
    /// A turn ended unseen.
    Done,
    /// Its program ended.
    Exited,
    /// It is gone.
    Closed,
}

impl TerminalState {
    /// Settled is: not working.
    pub fn settled(self) -> bool {
        self != TerminalState::Working
    }

    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            TerminalState::Idle => "idle",
            TerminalState::Working => "working",
            TerminalState::WaitingForInput => "waiting-for-input",
            TerminalState::Done => "done",
            TerminalState::Exited => "exited",
            TerminalState::Closed => "closed",
        }
    }
}

impl From<State> for TerminalState {
    fn from(state: State) -> Self {
        match state {
            State::Working => TerminalState::Working,
            State::Blocked => TerminalState::WaitingForInput,
            State::Done => TerminalState::Done,
            State::Idle => TerminalState::Idle,
        }
    }
}

/// A row of `List`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentRow {
    /// The environment's name; left out in answers to a terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The terminal id, unique within the environment.
    pub terminal: PaneId,
    /// The pane's name, else `<harness> · <terminal>`.
    pub title: String,
    /// The workspace's name.
    pub group: Option<String>,
    /// Its state.
    pub state: TerminalState,
    /// What runs in it; null when unknown.
    pub harness: Option<String>,
    /// True on the caller's own terminal.
    pub is_self: bool,
}

/// Fields of `SubscribeAgents`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SubscribeAgents {
    /// Which terminals.
    #[serde(default)]
    pub filter: AgentFilter,
    /// Resume after this sequence number, of `boot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The server's life that `since` counts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}

/// All given fields must match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentFilter {
    /// Of this environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Of this group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Of this session (tab).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<TabId>,
    /// This terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<PaneId>,
    /// In one of these states.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<Vec<TerminalState>>,
}

/// An item of the `SubscribeAgents` stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum AgentEvent {
    /// Everything, first.
    Snapshot {
        /// The server's life that `seq` counts in.
        boot: String,
        /// The last event before this snapshot.
        seq: u64,
        /// All rows.
        agents: Vec<AgentRow>,
    },
    /// A terminal opened.
    Opened(AgentChange),
    /// A row changed.
    Changed(AgentChange),
    /// A terminal closed.
    Closed(AgentChange),
    /// What was asked for is no longer kept; a snapshot follows.
    Lost {
        /// First missing.
        from: u64,
        /// Last missing.
        to: u64,
    },
    /// The reader was too slow; the stream ends.
    Lagged {
        /// The last event that was sent.
        seq: u64,
    },
}

/// A row as it is now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentChange {
    /// Counts up by one an event.
    pub seq: u64,
    /// RFC 3339, UTC, milliseconds.
    pub at: String,
    /// The row.
    pub agent: AgentRow,
    /// The state before a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<TerminalState>,
}

/// A row of `kraal agents --json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStatus {
    /// The pane.
    pub pane: PaneId,
    /// The pane's name.
    pub name: Option<String>,
    /// Its workspace's name.
    pub workspace: String,
    /// Its tab.
    pub tab: TabId,
    /// The agent in the catalogue: `claude`.
    pub agent: String,
    /// The agent for people: `Claude Code`.
    pub label: String,
    /// What it is doing.
    pub state: State,
    /// Why, where the state has a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// False when the evidence no longer fits.
    pub certain: bool,
    /// The evidence that decided.
    pub source: Source,
    /// RFC 3339, UTC, milliseconds.
    pub since: String,
    /// The git branch of the pane's folder.
    pub branch: Option<String>,
    /// The account, when not the agent's own home.
    pub account: Option<String>,
    /// The machine it runs on, when another.
    pub server: Option<String>,
}

/// Verb `StartAgent`: an agent in a new pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartAgent {
    /// Its name in the catalogue.
    pub agent: String,
    /// Arguments for it.
    #[serde(default)]
    pub args: Vec<String>,
    /// Where and how.
    #[serde(default)]
    pub opening: crate::panes::Opening,
    /// Let it lead.
    #[serde(default)]
    pub lead: bool,
}

/// Verb `Explain`: the last decisions about the agent of a pane, with their evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// The pane.
    pub pane: PaneRef,
}

/// One decision of the detector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// RFC 3339, UTC, milliseconds.
    pub at: String,
    /// What was decided.
    #[serde(flatten)]
    pub verdict: crate::state::Verdict,
    /// The rule that fired, or what else decided.
    pub rule: String,
    /// The evidence, quoted; control characters written out.
    pub evidence: Vec<String>,
}
