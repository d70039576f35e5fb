//! The one table of actions. Keys, the menu, the palette, the help and `kraal config keys` all
//! come from it.
//!
//! Not here: how keys are matched (`keymap`), how an action is carried out (`client`).

use kraal_api::config::Config;

/// A row for people: what an action is and which keys run it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRow {
    /// `pane-split-right`.
    pub name: &'static str,
    /// What it does, in a few words.
    pub title: &'static str,
    /// `ctrl+b n`, `alt+n`.
    pub keys: Vec<String>,
    /// `panes`.
    pub group: &'static str,
}

/// Every action with the keys it has under this configuration.
pub fn table(_config: &Config) -> Vec<ActionRow> {
    Vec::new()
}
