//! The shape of an agent's file, field by field, as serde reads it.
//!
//! Not here: compiling patterns (`agent`), or any meaning.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::home::{HomeFile, LiveFile};
use crate::hooks::{HookFile, ReportFile};
use crate::integrate::IntegrationFile;
use crate::process::ProcessRules;

/// A whole `catalog/<name>.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentFile {
    pub agent: Head,
    #[serde(default)]
    pub process: ProcessRules,
    #[serde(default)]
    pub launch: Launch,
    #[serde(default)]
    pub pane: PaneFile,
    #[serde(default)]
    pub input: Option<InputFile>,
    #[serde(default, rename = "signal")]
    pub signals: Vec<SignalFile>,
    #[serde(default, rename = "screen")]
    pub screens: Vec<RuleFile>,
    #[serde(default)]
    pub home: Option<HomeFile>,
    #[serde(default, rename = "live")]
    pub live: Vec<LiveFile>,
    #[serde(default, rename = "integration")]
    pub integrations: Vec<IntegrationFile>,
    #[serde(default)]
    pub report: ReportFile,
    #[serde(default, rename = "hook")]
    pub hooks: Vec<HookFile>,
    #[serde(default, rename = "sample")]
    pub samples: Vec<SampleFile>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub name: String,
    pub label: String,
    /// The Agents API's word; the label when left out.
    #[serde(default)]
    pub harness: Option<String>,
    /// `app=` of its OSC 7501 reports.
    #[serde(default)]
    pub status_apps: Vec<String>,
    /// While it writes no rule of it fits: output that flows then is work.
    #[serde(default)]
    pub flow_is_work: bool,
    /// Agents that look alike (forks) share one and may fire on each other's samples.
    #[serde(default)]
    pub family: Option<String>,
    /// Not offered to people: our own sample agent.
    #[serde(default)]
    pub hidden: bool,
}

/// `[launch]`: how it is started, and what its options mean for a resume.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Launch {
    /// Without one: the first of the process's names.
    pub command: Vec<String>,
    /// `{id}` stands for the conversation; none: it cannot be resumed.
    pub resume: Vec<String>,
    /// Options without a value, kept in a resume.
    pub flags: Vec<String>,
    /// Options with one value, kept.
    pub values: Vec<String>,
    /// Options that take every word up to the next option, kept.
    pub lists: Vec<String>,
    /// Options that choose a conversation, dropped: without a value, with one, with one or none.
    pub session_flags: Vec<String>,
    pub session_values: Vec<String>,
    pub session_optional: Vec<String>,
    /// Options that carry a prompt or what belongs to it, dropped with their value.
    pub prompt_values: Vec<String>,
    /// Subcommands that choose a conversation, dropped with their arguments.
    pub session_commands: Vec<String>,
    /// What makes it a run without a screen of its own, which is never resumed.
    pub one_shot_options: Vec<String>,
    pub one_shot_commands: Vec<String>,
    /// Words that are no option are paths, and kept; else they are the prompt.
    pub positional_paths: bool,
}

/// `[pane]`: what every pane offers so that this agent speaks to its terminal.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PaneFile {
    /// Variables set in panes; one that is set already stays as it is.
    pub env: BTreeMap<String, String>,
}

/// `[input]`: see `screen::InputSpec`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputFile {
    pub prompt: String,
    #[serde(default)]
    pub top: Option<String>,
    #[serde(default)]
    pub bottom: Option<String>,
    #[serde(default)]
    pub below: Option<String>,
    #[serde(default)]
    pub never_below: Vec<String>,
    #[serde(default = "below_max")]
    pub below_max: usize,
    #[serde(default)]
    pub skip: Vec<String>,
    #[serde(default)]
    pub placeholders: Vec<String>,
    #[serde(default)]
    pub never_inside: Vec<String>,
    #[serde(default)]
    pub menu: Option<String>,
    #[serde(default)]
    pub edge: Option<String>,
    #[serde(default)]
    pub sides: String,
}

fn below_max() -> usize {
    6
}

/// `[[signal]]`: what a title, a progress bar or another OSC means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignalFile {
    pub id: String,
    pub from: SignalFrom,
    pub pattern: String,
    /// working, blocked, idle, with a kind; `resting` for "no turn runs, or it waits".
    pub state: String,
    /// A sign of life: it counts only this long after it last changed. 0: until it changes.
    #[serde(default)]
    pub fresh_ms: u64,
    #[serde(default)]
    pub source: Provenance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SignalFrom {
    Title,
    Progress,
    /// OSC 9 with a text, 777, 99: what follows the number, at any time it comes.
    Osc9,
    Osc777,
    Osc99,
}

/// `[[screen]]`: one rule about the screen.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFile {
    pub id: String,
    /// `working`, `blocked permission`, `done error`, `idle`, `none` …
    pub state: String,
    #[serde(default)]
    pub region: Region,
    /// For `bottom` and `above`: how many rows.
    #[serde(default)]
    pub rows: Option<usize>,
    #[serde(default)]
    pub input: InputWanted,
    #[serde(default)]
    pub priority: Option<i32>,
    #[serde(default)]
    pub all: Vec<String>,
    #[serde(default)]
    pub any: Vec<String>,
    #[serde(default)]
    pub not: Vec<String>,
    /// Sources known to say nothing (or something else) while this is on the screen.
    #[serde(default)]
    pub over: Vec<Over>,
    /// A note beside a usable input: it has been read once the user types.
    #[serde(default)]
    pub until_input: bool,
    #[serde(default)]
    pub source: Provenance,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Region {
    /// The last rows with text (16 unless `rows` says otherwise).
    #[default]
    Bottom,
    /// The rows above the input (12 unless `rows` says otherwise).
    Above,
    /// The last group of rows above the input without a blank one between.
    LastBlock,
    /// The input's own rows.
    Input,
    /// The input's rows with the rows that frame it.
    Frame,
    /// The rows below the input.
    Below,
    /// The whole screen.
    Screen,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InputWanted {
    #[default]
    Any,
    Present,
    Absent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Over {
    Hooks,
    Status,
    File,
}

/// Whether somebody saw it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Provenance {
    /// A recording in `catalog/samples` shows it.
    #[default]
    Seen,
    /// Documents or the program's text only.
    Documents,
}

/// `[[sample]]`: a screen and what it must give.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SampleFile {
    pub name: String,
    /// As in a rule, or `unknown`.
    pub state: String,
    #[serde(default)]
    pub title: String,
    pub screen: String,
}
