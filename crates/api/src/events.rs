//! What happens in an environment, as JSON lines a program can follow and resume.
//!
//! Not here: who is told (`core::events`), the terminal rows' stream (`agents::AgentEvent`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, TabId};
use crate::model::Exit;
use crate::state::{State, Verdict};

/// One event: where it stands in the stream, when, and what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Counts up by one an event, within one boot.
    pub seq: u64,
    /// The environment's life that `seq` counts in: it survives a restart of the server.
    pub boot: String,
    /// RFC 3339, UTC, milliseconds.
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub what: Happening,
}

/// One declaration a type: its variant, its word on the wire, its meaning, its fields.
macro_rules! happenings {
    ($($name:ident = $word:literal, $meaning:literal { $($(#[doc = $fdoc:literal])* $field:ident : $type:ty),* $(,)? })*) => {
        /// What can happen; `type` on the wire.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "type")]
        pub enum Happening {
            $(
                #[doc = $meaning]
                #[serde(rename = $word)]
                $name { $($(#[doc = $fdoc])* $field: $type),* },
            )*
        }

        impl Happening {
            /// The type's word.
            pub fn word(&self) -> &'static str {
                match self {
                    $(Happening::$name { .. } => $word,)*
                }
            }

            /// Every type with its meaning, for `kraal events --list`.
            pub const TYPES: &'static [(&'static str, &'static str)] = &[$(($word, $meaning),)*];
        }
    };
}

happenings! {
    PaneOpened = "pane.opened", "A pane opened." {
        /// The pane.
        pane: PaneId,
        /// Its tab.
        tab: TabId,
        /// Its workspace's name.
        workspace: String,
        /// What was started; empty for a shell.
        argv: Vec<String>,
    }
    PaneExited = "pane.exited", "The program of a pane ended." {
        /// The pane.
        pane: PaneId,
        /// How.
        exit: Exit,
    }
    PaneFailed = "pane.failed", "The program of a pane could not be started." {
        /// The pane.
        pane: PaneId,
        /// Why.
        reason: String,
    }
    PaneClosed = "pane.closed", "A pane closed." {
        /// The pane.
        pane: PaneId,
    }
    PaneRenamed = "pane.renamed", "A pane was given a name, or lost it." {
        /// The pane.
        pane: PaneId,
        /// Its name now.
        name: Option<String>,
    }
    PaneFocused = "pane.focused", "A pane took the focus of its tab." {
        /// The pane.
        pane: PaneId,
    }
    CommandFinished = "command.finished", "A command of a shell with prompt marks (OSC 133) ended." {
        /// The pane.
        pane: PaneId,
        /// Its exit status, where the shell says it.
        status: Option<i32>,
    }
    TabOpened = "tab.opened", "A tab opened." {
        /// The tab.
        tab: TabId,
        /// Its workspace's name.
        workspace: String,
    }
    TabClosed = "tab.closed", "A tab closed." {
        /// The tab.
        tab: TabId,
    }
    WorkspaceOpened = "workspace.opened", "A workspace was made." {
        /// Its name.
        workspace: String,
        /// Its folder.
        folder: String,
    }
    WorkspaceClosed = "workspace.closed", "A workspace was closed." {
        /// Its name.
        workspace: String,
    }
    AgentStarted = "agent.started", "An agent was recognised in a pane." {
        /// The pane.
        pane: PaneId,
        /// Its name in the catalogue.
        agent: String,
        /// The machine, when another.
        server: Option<String>,
    }
    AgentChanged = "agent.changed", "The state of an agent changed." {
        /// The pane.
        pane: PaneId,
        /// Its name in the catalogue.
        agent: String,
        /// What it does now.
        verdict: Verdict,
        /// What it did before.
        previous: Option<State>,
        /// The machine, when another.
        server: Option<String>,
    }
    AgentEnded = "agent.ended", "An agent left its pane." {
        /// The pane.
        pane: PaneId,
        /// Its name in the catalogue.
        agent: String,
        /// The machine, when another.
        server: Option<String>,
    }
    Notification = "notification", "A program or a caller notified the user." {
        /// The pane it came from.
        pane: Option<PaneId>,
        /// One line.
        title: String,
        /// More.
        body: String,
    }
    Bell = "bell", "A program rang the bell." {
        /// The pane.
        pane: PaneId,
    }
    ClientAttached = "client.attached", "A terminal attached." {
        /// How many are attached now.
        clients: u32,
    }
    ClientDetached = "client.detached", "A terminal left." {
        /// How many are attached now.
        clients: u32,
    }
    ServerStarted = "server.started", "The server started, or started again under running programs." {
        /// How often it was started again in this boot.
        restarts: u32,
    }
    ConfigReloaded = "config.reloaded", "The configuration was read again." {
        /// How many problems it has.
        problems: u32,
    }
    Problem = "problem", "Something the user should know: a file set aside, a state folder that cannot be written." {
        /// The sentence.
        message: String,
    }
    Lost = "lost", "What was asked for is no longer kept: the events between are missing." {
        /// First missing.
        from: u64,
        /// Last missing.
        to: u64,
    }
    Lagged = "lagged", "The reader was too slow: the stream ends here." {}
}

/// Verb `Events`: the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// Only these types; `agent` stands for all of `agent.*`. All when empty.
    #[serde(default)]
    pub types: Vec<String>,
    /// Resume after this sequence number, of `boot`; otherwise what comes from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The life that `since` counts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot: Option<String>,
}

impl Events {
    /// Whether an event of this type is wanted.
    pub fn wants(&self, word: &str) -> bool {
        self.types.is_empty()
            || self
                .types
                .iter()
                .any(|t| word == t || word.strip_prefix(t.as_str()).is_some_and(|r| r.starts_with('.')))
    }
}
