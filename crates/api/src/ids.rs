//! The numbers things are known by, and the ways a caller may name a terminal.
//!
//! Not here: which of them exist (`core` keeps the tree).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id! {
    /// A pane: a terminal. Unique in its environment, never reused. The API calls it a terminal.
    PaneId
}
id! {
    /// A tab of a workspace. Unique in its environment, never reused. The API calls it a session.
    TabId
}
id! {
    /// A workspace: a named folder with tabs. The API names groups by their name instead.
    WorkspaceId
}
id! {
    /// An attached client, or any other connection to the server, for as long as it lasts.
    ConnId
}

/// A terminal as the public API names it: a number, or a number of another environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Target {
    /// A terminal of the environment that is asked.
    Here(PaneId),
    /// A terminal of another environment of the same user.
    Elsewhere(Elsewhere),
}

/// A terminal of a named environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Elsewhere {
    /// The environment's name.
    pub environment: String,
    /// The terminal in it.
    pub terminal: PaneId,
}

/// A pane as kraal's own verbs name it: its id, its name, or `workspace:name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PaneRef {
    /// By id.
    Id(PaneId),
    /// By name, or `workspace:name`.
    Name(String),
}

impl PaneRef {
    /// Reads what a person typed: digits are an id, anything else a name.
    pub fn parse(word: &str) -> Self {
        match word.parse() {
            Ok(number) => PaneRef::Id(PaneId(number)),
            Err(_) => PaneRef::Name(word.to_owned()),
        }
    }
}

impl From<PaneId> for PaneRef {
    fn from(id: PaneId) -> Self {
        PaneRef::Id(id)
    }
}

impl fmt::Display for PaneRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PaneRef::Id(id) => id.fmt(f),
            PaneRef::Name(name) => f.write_str(name),
        }
    }
}
