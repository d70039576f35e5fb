//! The group *kraddies*: the user's standing agents and their automations.
//!
//! Not here: what they remember (`memory`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, TabId};

/// On or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

/// A row of `Kraddies`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KraddieRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Whether it wakes.
    pub switch: Switch,
    /// What it runs on.
    pub harness: String,
    /// Display text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Display text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run: Option<String>,
    /// Display text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_outcome: Option<String>,
}

/// Fields of `RunKraddie` and `RunAutomation`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunNamed {
    /// A Kraddie's name or id; an automation's name, or `<kraddie>/<name>`.
    pub name: String,
    /// Instead of its own prompt.
    #[serde(default)]
    pub prompt: Option<String>,
}

/// The answer to `RunKraddie`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KraddieStarted {
    /// The Kraddie's id.
    pub kraddie: String,
    /// The run.
    pub run: u64,
}

/// The answer to `RunAutomation`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AutomationStarted {
    /// The Kraddie's id.
    pub kraddie: String,
    /// The automation's name.
    pub automation: String,
    /// The run.
    pub run: u64,
}

/// A row of `Automations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AutomationRow {
    /// The Kraddie's id.
    pub kraddie: String,
    /// Its number in the Kraddie.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Whether it runs by itself.
    pub switch: Switch,
    /// Display text.
    pub triggers: Vec<String>,
    /// Display text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run: Option<String>,
    /// Display text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_outcome: Option<String>,
    /// How often it ran.
    pub runs: u64,
}

/// Fields of `SwitchAutomation`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwitchAutomation {
    /// Its name, or `<kraddie>/<name>`.
    pub name: String,
    /// On or off.
    pub switch: Switch,
}

/// Fields of requests that only name a Kraddie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// A Kraddie's name or id.
    pub name: String,
}

/// The answer to `NewKraddieChat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KraddieChatOpened {
    /// The Kraddie's id.
    pub kraddie: String,
    /// The new session.
    pub session: TabId,
    /// The new terminal.
    pub terminal: PaneId,
}
