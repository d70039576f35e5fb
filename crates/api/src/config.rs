//! The configuration: one table of options, from which parsing, the default file, its check and
//! the documentation follow.
//!
//! Not here: where the file is (`host::dirs`), which actions keys may name (`tui::actions`).

use serde::Serialize;

/// What the user chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Config {
    /// Lines of history a pane keeps.
    pub scrollback: u32,
    /// The program of a pane without a command; `$SHELL`, then `/bin/sh`, unless given.
    pub shell: Option<String>,
    /// How the client looks.
    pub theme: Theme,
    /// Whether the sidebar shows.
    pub sidebar: Sidebar,
    /// Where notifications go.
    pub notifications: Notifications,
    /// Whether programs may set the clipboard (OSC 52).
    pub clipboard: Clipboard,
    /// Which keys do what.
    pub keys: Keys,
    /// How many Workers a lead may run at once.
    pub worker_limit: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            scrollback: 10_000,
            shell: None,
            theme: Theme::Default,
            sidebar: Sidebar::Auto,
            notifications: Notifications::Terminal,
            clipboard: Clipboard::Write,
            keys: Keys::default(),
            worker_limit: 16,
        }
    }
}

/// How the client looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Rounded frames and colours.
    #[default]
    Default,
    /// Plain ASCII.
    Ascii,
    /// Strong colours.
    HighContrast,
}

/// Whether the sidebar shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sidebar {
    /// By the width of the terminal.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// Where notifications go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notifications {
    /// The attached terminal (OSC 777 or 9), else `notify-send`.
    #[default]
    Terminal,
    /// `notify-send` always.
    Desktop,
    /// Nowhere.
    Off,
}

/// What programs may do with the clipboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clipboard {
    /// Nothing.
    Off,
    /// Set it.
    #[default]
    Write,
}

/// Which keys do what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Keys {
    /// The prefix key.
    pub prefix: String,
    /// The set of bindings to start from.
    pub preset: Preset,
    /// A key, or `prefix` and a key, with the action it runs; an empty action takes a binding away.
    pub bind: Vec<(String, String)>,
}

impl Default for Keys {
    fn default() -> Self {
        Keys { prefix: "ctrl+b".into(), preset: Preset::Kraal, bind: Vec::new() }
    }
}

/// The sets of bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// kraal's own.
    #[default]
    Kraal,
    /// tmux's default keys.
    Tmux,
}

/// Something wrong in the file; the rest of it applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// 1-based; 0 when it concerns the whole file.
    pub line: u32,
    /// One sentence that says what to do.
    pub message: String,
}
