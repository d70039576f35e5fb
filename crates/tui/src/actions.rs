//! The one table of actions. Keys, the menu, the palette, the help and `kraal config keys` all
//! come from it.
//!
//! Not here: how keys are matched (`keymap`), how an action is carried out (`client`).

use kraal_api::config::Config;
use kraal_api::layout::Arrangement;
use kraal_api::panes::{Direction, Place};

use crate::keymap::Keymap;

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
pub fn table(config: &Config) -> Vec<ActionRow> {
    let keymap = Keymap::new(&config.keys);
    ACTIONS
        .iter()
        .map(|action| ActionRow {
            name: action.name,
            title: action.title,
            keys: keymap.keys_of(action),
            group: action.group.word(),
        })
        .collect()
}

/// The action of a name.
pub fn named(name: &str) -> Option<&'static Action> {
    ACTIONS.iter().find(|action| action.name == name)
}

/// What the user can do.
#[derive(Debug, PartialEq, Eq)]
pub struct Action {
    /// `pane-split-right`: what a configuration names.
    pub name: &'static str,
    /// The theme it belongs to.
    pub group: Group,
    /// Its key in the theme's menu; empty where the theme has none.
    pub letter: &'static str,
    /// What it does, in a few words; `…` when it asks something first.
    pub title: &'static str,
    /// Its keys in kraal's own preset: `prefix n`, `alt+n`.
    pub kraal: &'static [&'static str],
    /// Its keys in the tmux preset.
    pub tmux: &'static [&'static str],
    /// What happens.
    pub does: Does,
}

/// The themes: each has a letter in the prefix menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Workspaces.
    Workspaces,
    /// Tabs.
    Tabs,
    /// Panes.
    Panes,
    /// Agents.
    Agents,
    /// Running commands.
    Run,
    /// Looking: scrolling, the sidebar.
    View,
    /// kraal itself; its actions stand in the prefix menu, not in one of their own.
    Kraal,
}

impl Group {
    /// All, in the order of the menu.
    pub const ALL: [Group; 7] =
        [Group::Workspaces, Group::Tabs, Group::Panes, Group::Agents, Group::Run, Group::View, Group::Kraal];

    /// `panes`.
    pub fn word(self) -> &'static str {
        match self {
            Group::Workspaces => "workspaces",
            Group::Tabs => "tabs",
            Group::Panes => "panes",
            Group::Agents => "agents",
            Group::Run => "run",
            Group::View => "view",
            Group::Kraal => "kraal",
        }
    }

    /// The capital that opens its menu.
    pub fn capital(self) -> Option<char> {
        match self {
            Group::Workspaces => Some('W'),
            Group::Tabs => Some('T'),
            Group::Panes => Some('P'),
            Group::Agents => Some('A'),
            Group::Run => Some('R'),
            Group::View => Some('V'),
            Group::Kraal => None,
        }
    }

    /// Its actions.
    pub fn actions(self) -> impl Iterator<Item = &'static Action> {
        ACTIONS.iter().filter(move |action| action.group == self)
    }
}

/// What an action does; whatever it acts on is what has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Asks the server.
    Ask(Ask),
    /// Goes somewhere.
    Go(Go),
    /// Shows a list, a form, a question or a menu.
    Open(Open),
    /// Changes what only this client knows.
    Here(Here),
}

/// Requests about what has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table's titles say it")]
pub enum Ask {
    NewPane(Place),
    Zoom,
    Resize(Direction),
    SwapNext,
    SwapPrevious,
    Float,
    MoveFloat(Direction),
    HideFloats,
    Arrange(Arrangement),
    ToOwnTab,
    Rerun,
    MoveTab(i32),
    Explain,
    Lead,
    Unlead,
    ReloadConfig,
}

/// Ways to another pane, tab or workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table's titles say it")]
pub enum Go {
    Towards(Direction),
    NextPane,
    LastPane,
    Tab(u8),
    TabBy(i32),
    LastTab,
    WorkspaceBy(i32),
    NextAgent,
}

/// What opens over the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table's titles say it")]
pub enum Open {
    Palette,
    Help,
    Workspaces,
    Tabs,
    Panes,
    Agents,
    MoveToTab,
    NewWorkspace,
    RenameWorkspace,
    CloseWorkspace,
    RenameTab,
    CloseTab,
    RenamePane,
    ClosePane,
    Run(Place),
    StartAgent,
    Prompt,
    Quit,
}

/// Changes of this client alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the table's titles say it")]
pub enum Here {
    Detach,
    ScrollBack,
    Sidebar,
    Redraw,
    SendPrefix,
}

/// One row of the table below.
macro_rules! actions {
    ($($group:ident { $($name:literal $letter:literal $title:literal
        $kraal:tt $tmux:tt $does:expr;)* })*) => {
        &[$($(Action {
            name: $name,
            group: Group::$group,
            letter: $letter,
            title: $title,
            kraal: &$kraal,
            tmux: &$tmux,
            does: $does,
        },)*)*]
    };
}

use Direction::{Down, Left, Right, Up};

/// Every action.
pub const ACTIONS: &[Action] = actions! {
    Workspaces {
        "workspace-list" "l" "Go to a workspace…" ["prefix w"] ["prefix s"] Does::Open(Open::Workspaces);
        "workspace-new" "n" "New workspace…" [] [] Does::Open(Open::NewWorkspace);
        "workspace-next" "j" "Next workspace" [] ["prefix )"] Does::Go(Go::WorkspaceBy(1));
        "workspace-previous" "k" "Previous workspace" [] ["prefix ("] Does::Go(Go::WorkspaceBy(-1));
        "workspace-rename" "r" "Rename this workspace…" [] ["prefix $"] Does::Open(Open::RenameWorkspace);
        "workspace-close" "x" "Close this workspace…" [] [] Does::Open(Open::CloseWorkspace);
    }
    Tabs {
        "tab-new" "n" "New tab" ["prefix t"] ["prefix c"] Does::Ask(Ask::NewPane(Place::Tab));
        "tab-list" "l" "Go to a tab…" [] ["prefix w"] Does::Open(Open::Tabs);
        "tab-next" "j" "Next tab" ["prefix tab"] ["prefix n"] Does::Go(Go::TabBy(1));
        "tab-previous" "k" "Previous tab" ["prefix shift+tab"] ["prefix p"] Does::Go(Go::TabBy(-1));
        "tab-last" "b" "Back to the last tab" ["prefix backspace"] ["prefix l"] Does::Go(Go::LastTab);
        "tab-rename" "r" "Rename this tab…" ["prefix ."] ["prefix ,"] Does::Open(Open::RenameTab);
        "tab-move-left" "<" "Move this tab left" ["prefix <"] ["prefix <"] Does::Ask(Ask::MoveTab(-1));
        "tab-move-right" ">" "Move this tab right" ["prefix >"] ["prefix >"] Does::Ask(Ask::MoveTab(1));
        "tab-close" "x" "Close this tab…" [] ["prefix &"] Does::Open(Open::CloseTab);
        "layout-next" "=" "Next layout of its panes" ["prefix ="] [] Does::Ask(Ask::Arrange(Arrangement::Next));
        "layout-columns" "c" "Its panes side by side" [] ["prefix alt+1"] Does::Ask(Ask::Arrange(Arrangement::Columns));
        "layout-rows" "w" "Its panes one above the other" [] ["prefix alt+2"] Does::Ask(Ask::Arrange(Arrangement::Rows));
        "layout-main-top" "u" "One large pane on top" [] ["prefix alt+3"] Does::Ask(Ask::Arrange(Arrangement::MainTop));
        "layout-main-left" "m" "One large pane on the left" [] ["prefix alt+4"] Does::Ask(Ask::Arrange(Arrangement::MainLeft));
        "layout-grid" "g" "Its panes in a grid" [] ["prefix alt+5"] Does::Ask(Ask::Arrange(Arrangement::Grid));
        "tab-1" "1" "Go to tab 1" ["prefix 1"] ["prefix 1"] Does::Go(Go::Tab(1));
        "tab-2" "2" "Go to tab 2" ["prefix 2"] ["prefix 2"] Does::Go(Go::Tab(2));
        "tab-3" "3" "Go to tab 3" ["prefix 3"] ["prefix 3"] Does::Go(Go::Tab(3));
        "tab-4" "4" "Go to tab 4" ["prefix 4"] ["prefix 4"] Does::Go(Go::Tab(4));
        "tab-5" "5" "Go to tab 5" ["prefix 5"] ["prefix 5"] Does::Go(Go::Tab(5));
        "tab-6" "6" "Go to tab 6" ["prefix 6"] ["prefix 6"] Does::Go(Go::Tab(6));
        "tab-7" "7" "Go to tab 7" ["prefix 7"] ["prefix 7"] Does::Go(Go::Tab(7));
        "tab-8" "8" "Go to tab 8" ["prefix 8"] ["prefix 8"] Does::Go(Go::Tab(8));
        "tab-9" "9" "Go to tab 9" ["prefix 9"] ["prefix 9"] Does::Go(Go::Tab(9));
    }
    Panes {
        "pane-new" "n" "New pane" ["prefix n", "alt+n"] [] Does::Ask(Ask::NewPane(Place::Auto));
        "pane-split-right" "|" "Split to the right" ["prefix |"] ["prefix %"] Does::Ask(Ask::NewPane(Place::Right));
        "pane-split-down" "-" "Split below" ["prefix -"] ["prefix \""] Does::Ask(Ask::NewPane(Place::Down));
        "pane-new-floating" "w" "New floating pane" ["prefix f"] [] Does::Ask(Ask::NewPane(Place::Floating));
        "pane-float" "f" "Let it float, or tile it" ["prefix F"] [] Does::Ask(Ask::Float);
        "floating-hide" "h" "Hide or show what floats" ["prefix ctrl+f"] [] Does::Ask(Ask::HideFloats);
        "floating-left" "ctrl+left" "Move what floats left" [] [] Does::Ask(Ask::MoveFloat(Left));
        "floating-right" "ctrl+right" "Move what floats right" [] [] Does::Ask(Ask::MoveFloat(Right));
        "floating-up" "ctrl+up" "Move what floats up" [] [] Does::Ask(Ask::MoveFloat(Up));
        "floating-down" "ctrl+down" "Move what floats down" [] [] Does::Ask(Ask::MoveFloat(Down));
        "pane-list" "l" "Go to a pane…" ["prefix p"] [] Does::Open(Open::Panes);
        "pane-close" "x" "Close this pane" ["prefix x"] ["prefix x"] Does::Open(Open::ClosePane);
        "pane-zoom" "z" "Zoom this pane" ["prefix z"] ["prefix z"] Does::Ask(Ask::Zoom);
        "pane-rename" "r" "Rename this pane…" ["prefix ,"] [] Does::Open(Open::RenamePane);
        "pane-rerun" "e" "Run its command again" [] [] Does::Ask(Ask::Rerun);
        "pane-to-tab" "t" "Move to a tab of its own" ["prefix !"] ["prefix !"] Does::Ask(Ask::ToOwnTab);
        "pane-move" "m" "Move to another tab…" [] [] Does::Open(Open::MoveToTab);
        "pane-swap-next" "}" "Swap with the next" ["prefix }"] ["prefix }"] Does::Ask(Ask::SwapNext);
        "pane-swap-previous" "{" "Swap with the previous" ["prefix {"] ["prefix {"] Does::Ask(Ask::SwapPrevious);
        "pane-focus-next" "o" "Go to the next pane" ["prefix o"] ["prefix o"] Does::Go(Go::NextPane);
        "pane-focus-last" "b" "Back to the last pane" ["prefix ;"] ["prefix ;"] Does::Go(Go::LastPane);
        "pane-focus-left" "left" "Go to the pane on the left" ["prefix left", "alt+left"] ["prefix left"] Does::Go(Go::Towards(Left));
        "pane-focus-right" "right" "Go to the pane on the right" ["prefix right", "alt+right"] ["prefix right"] Does::Go(Go::Towards(Right));
        "pane-focus-up" "up" "Go to the pane above" ["prefix up", "alt+up"] ["prefix up"] Does::Go(Go::Towards(Up));
        "pane-focus-down" "down" "Go to the pane below" ["prefix down", "alt+down"] ["prefix down"] Does::Go(Go::Towards(Down));
        "pane-resize-left" "shift+left" "Move its border left" ["prefix shift+left", "alt+shift+left"] ["prefix ctrl+left"] Does::Ask(Ask::Resize(Left));
        "pane-resize-right" "shift+right" "Move its border right" ["prefix shift+right", "alt+shift+right"] ["prefix ctrl+right"] Does::Ask(Ask::Resize(Right));
        "pane-resize-up" "shift+up" "Move its border up" ["prefix shift+up", "alt+shift+up"] ["prefix ctrl+up"] Does::Ask(Ask::Resize(Up));
        "pane-resize-down" "shift+down" "Move its border down" ["prefix shift+down", "alt+shift+down"] ["prefix ctrl+down"] Does::Ask(Ask::Resize(Down));
    }
    Agents {
        "agent-next" "n" "Next agent that needs you" ["alt+a"] ["alt+a"] Does::Go(Go::NextAgent);
        "agent-list" "l" "Go to an agent…" ["prefix a"] ["prefix a"] Does::Open(Open::Agents);
        "agent-start" "s" "Start an agent…" [] [] Does::Open(Open::StartAgent);
        "agent-prompt" "p" "Give this agent a prompt…" [] [] Does::Open(Open::Prompt);
        "agent-explain" "e" "Why is it in its state?" [] [] Does::Ask(Ask::Explain);
        "agent-lead" "+" "Let this agent lead" [] [] Does::Ask(Ask::Lead);
        "agent-unlead" "-" "Take the lead back" [] [] Does::Ask(Ask::Unlead);
    }
    Run {
        "run" "r" "Run a command…" ["prefix r"] [] Does::Open(Open::Run(Place::Auto));
        "run-right" "|" "Run a command to the right…" [] [] Does::Open(Open::Run(Place::Right));
        "run-down" "-" "Run a command below…" [] [] Does::Open(Open::Run(Place::Down));
        "run-floating" "f" "Run a command floating…" [] [] Does::Open(Open::Run(Place::Floating));
        "run-tab" "t" "Run a command in a tab…" [] [] Does::Open(Open::Run(Place::Tab));
    }
    View {
        "scroll" "v" "Scroll back" ["prefix v", "prefix pageup"] ["prefix [", "prefix pageup"] Does::Here(Here::ScrollBack);
        "sidebar-toggle" "s" "Show or hide the sidebar" [] [] Does::Here(Here::Sidebar);
        "redraw" "r" "Draw the screen anew" ["prefix ctrl+l"] ["prefix r"] Does::Here(Here::Redraw);
        "config-reload" "c" "Read the configuration again" [] [] Does::Ask(Ask::ReloadConfig);
    }
    Kraal {
        "palette" "" "Everything, by name…" ["prefix space"] ["prefix :", "prefix space"] Does::Open(Open::Palette);
        "help" "" "Help" ["prefix h", "prefix ?"] ["prefix ?", "prefix h"] Does::Open(Open::Help);
        "detach" "" "Leave; everything runs on" ["prefix d"] ["prefix d"] Does::Here(Here::Detach);
        "quit" "" "End the session…" ["prefix q"] ["prefix Q"] Does::Open(Open::Quit);
        "send-prefix" "" "Type the prefix key" ["prefix prefix"] ["prefix prefix"] Does::Here(Here::SendPrefix);
    }
};

#[cfg(test)]
mod tests {
    use super::*;
    use kraal_api::config::{Keys, Preset};
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_kebab_case() {
        let mut seen = HashSet::new();
        for action in ACTIONS {
            assert!(seen.insert(action.name), "{} stands twice", action.name);
            assert!(action.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
        }
    }

    #[test]
    fn every_action_can_be_reached_by_keys_in_both_presets() {
        for preset in [Preset::Kraal, Preset::Tmux] {
            let config = Config { keys: Keys { preset, ..Keys::default() }, ..Config::default() };
            for row in table(&config) {
                assert!(!row.keys.is_empty(), "{} has no key in {preset:?}", row.name);
            }
        }
    }

    #[test]
    fn no_two_actions_share_a_key() {
        for (preset, keys) in [
            ("kraal", (|a: &Action| a.kraal) as fn(&Action) -> &'static [&'static str]),
            ("tmux", |a| a.tmux),
        ] {
            let mut seen = HashSet::new();
            for action in ACTIONS {
                for key in keys(action) {
                    assert!(seen.insert(*key), "{key} stands twice in {preset}");
                }
            }
            for group in Group::ALL {
                let capital = group.capital().map(|c| format!("prefix {c}"));
                assert!(capital.is_none_or(|c| !seen.contains(c.as_str())));
                let mut letters = HashSet::new();
                for action in group.actions() {
                    assert!(group == Group::Kraal || letters.insert(action.letter), "{}", action.name);
                }
            }
        }
    }
}
