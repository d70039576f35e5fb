//! What the server can tell a detector: screens, signals, hook reports, and what the user did.
//!
//! Not here: what any of it means (`reading` for rules, `detector` for the verdict), nor how it
//! was obtained.

use kraal_api::{Kind, State};
use serde::{Deserialize, Serialize};

use crate::hooks::Meaning;
use crate::screen::ScreenShot;

/// One piece of evidence about the agent in a pane.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// The pane's visible rows, at rest or at a bounded rate.
    Screen(ScreenShot),
    /// A report of the Program Status Protocol (OSC 7501).
    Status(StatusReport),
    /// The title was set (OSC 0 or 2).
    Title(String),
    /// Progress was set (OSC 9;4).
    Progress(Progress),
    /// Another OSC with its payload, without the number: 9, 777, 99. A 7501 given this way is
    /// read like `Status`.
    Signal {
        /// The number of the OSC.
        osc: u32,
        /// What follows the number and its semicolon.
        payload: String,
    },
    /// The bell rang.
    Bell,
    /// The program wrote to its terminal.
    Output {
        /// How many bytes since the last such evidence.
        bytes: u64,
    },
    /// Something was typed or pasted into the pane, by the user or over the API.
    Input,
    /// The agent's own hooks reported.
    Hook(HookReport),
    /// A state file that the agent keeps says so.
    File {
        /// What the file says.
        state: State,
        /// Why, where the file tells.
        kind: Option<Kind>,
    },
    /// The agent's process left the pane's foreground.
    Gone,
}

/// A hook event, read by the agent's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookReport {
    /// What the event says of the agent.
    pub meaning: Meaning,
    /// The event's own order, its time: one that is smaller than an earlier one's is ignored.
    pub seq: u64,
    /// The event's name, for the explanation.
    pub event: String,
}

/// OSC 9;4: a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// `9;4;0`: removed.
    None,
    /// `9;4;1`: percent.
    Percent(u8),
    /// `9;4;2`: an error.
    Error,
    /// `9;4;3`: busy, no percentage.
    Busy,
    /// `9;4;4`: paused.
    Paused,
}

impl Progress {
    /// The word that a `[[signal]]` rule matches.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Progress::None => "none",
            Progress::Percent(_) => "percent",
            Progress::Error => "error",
            Progress::Busy => "busy",
            Progress::Paused => "paused",
        }
    }
}

/// One OSC 7501 report: `state=working:app=codex`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusReport {
    /// The program that reports; `clear` comes without one.
    pub app: Option<String>,
    /// idle, working, blocked, done, error or clear.
    pub state: String,
    /// permission, question or auth.
    pub kind: Option<String>,
    /// A message for people, decoded.
    pub msg: Option<String>,
    /// A child record's id: a subagent. Such a report says nothing of the agent itself.
    pub id: Option<String>,
    /// A child record's title.
    pub title: Option<String>,
}

impl StatusReport {
    /// Reads what follows `7501;`. A query (`?`) and a payload without a state give none. `msg`
    /// and `title` stay as they came (base64).
    pub fn parse(payload: &str) -> Option<StatusReport> {
        let mut report = StatusReport::default();
        for field in payload.split(':') {
            let (key, value) = field.split_once('=')?;
            let value = value.to_owned();
            match key {
                "state" => report.state = value,
                "app" => report.app = Some(value),
                "kind" => report.kind = Some(value),
                "msg" => report.msg = Some(value),
                "id" => report.id = Some(value),
                "title" => report.title = Some(value),
                _ => {}
            }
        }
        (!report.state.is_empty()).then_some(report)
    }
}
