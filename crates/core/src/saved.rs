//! What outlives a server: written by `World::save`, read by `World::restore`.
//!
//! Not here: a disk or a format of files beyond JSON (`server`), screens and histories (`term`).

use std::collections::BTreeMap;

use kraal_api::agents::AgentRow;
use kraal_api::events::Event;
use kraal_api::layout::Rect;
use kraal_api::model::{Exit, Pane, Workspace};
use kraal_api::panes::AtEnd;
use kraal_api::{PaneId, TabId, WorkspaceId};
use serde::{Deserialize, Serialize};

use crate::jobs::Before;

pub use crate::input::AgentRun;

/// The version this kraal writes, and the newest it reads.
pub const VERSION: u32 = 1;

/// How a world comes back.
#[derive(Clone, Debug, PartialEq)]
pub enum Revival {
    /// A new server under running programs.
    Running {
        /// The panes the keeper knows, with how their program ended if it did.
        alive: Vec<(PaneId, Option<Exit>)>,
    },
    /// From disk: no program runs.
    Rebooted,
}

/// Everything that is saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// [`VERSION`].
    pub version: u32,
    /// The environment's life.
    pub boot: String,
    /// How often the server was started again in it.
    pub restarts: u32,
    /// The next pane, tab and workspace.
    pub next: (u64, u64, u64),
    /// In the order they are listed.
    pub workspaces: Vec<Workspace>,
    /// Every pane.
    pub panes: Vec<SavedPane>,
    /// The tab each workspace showed last.
    pub recent: BTreeMap<WorkspaceId, TabId>,
    /// The room each tab was laid out in.
    pub areas: BTreeMap<TabId, Rect>,
    /// The tab that was looked at last.
    pub looked_at: Option<TabId>,
    /// The log of events: the last number, and the newest of them.
    pub events: SavedLog<Event>,
    /// The terminals' rows as their stream knows them, and its last number.
    pub agents: SavedRows,
    /// When each pane was last notified of, in unix milliseconds.
    pub notified: BTreeMap<PaneId, u64>,
}

/// A pane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedPane {
    /// Its facts.
    pub facts: Pane,
    /// Its token.
    pub token: String,
    /// The process that was started.
    pub pid: Option<i32>,
    /// Columns and rows.
    pub size: (u16, u16),
    /// The pane whose program asked for it.
    pub opened_by: Option<PaneId>,
    /// Whether an agent ran in that pane then.
    #[serde(default)]
    pub opened_by_agent: bool,
    /// What happens when its program ends.
    pub at_end: AtEnd,
    /// Variables of its own.
    pub env: BTreeMap<String, String>,
    /// Whether the user lets its agent lead.
    pub lead: bool,
    /// Whether a command of its shell runs.
    pub busy: Option<bool>,
    /// How its agent runs, or last ran.
    #[serde(default)]
    pub run: Option<AgentRun>,
    /// Whether a shell begins in it once its agent ends.
    #[serde(default)]
    pub was_shell: bool,
    /// What is done before its program, which has not started yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
}

/// A log's end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedLog<T> {
    /// The last number given.
    pub seq: u64,
    /// The newest items, oldest first.
    pub recent: Vec<T>,
}

/// The rows of terminals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedRows {
    /// The last number given.
    pub seq: u64,
    /// The rows that were told.
    pub rows: Vec<AgentRow>,
}

/// Why a saved state is not taken.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// A newer kraal wrote it.
    #[error(
        "the saved session is of format {0}, and this kraal reads up to {VERSION}: start the newer kraal that wrote it"
    )]
    Newer(u64),
    /// It is not what was written.
    #[error("the saved session cannot be read: {0}")]
    Broken(#[from] serde_json::Error),
}

impl Saved {
    /// As bytes: one JSON object.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("our own types have string keys")
    }

    /// Reads what `to_bytes` wrote, of this version or an older one.
    ///
    /// # Errors
    ///
    /// A newer version, or bytes that are not a saved session.
    pub fn read(bytes: &[u8]) -> Result<Saved, SavedError> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u64,
        }
        let Versioned { version } = serde_json::from_slice(bytes)?;
        if version > u64::from(VERSION) {
            return Err(SavedError::Newer(version));
        }
        Ok(serde_json::from_slice(bytes)?)
    }
}
