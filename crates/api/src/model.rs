//! The facts a client mirrors: workspaces, tabs, panes and the agents in them.
//!
//! Not here: the cells of a pane (`screen`), what a client looks like (`tui`), the rules (`core`).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, TabId, WorkspaceId};
use crate::layout::{Floating, Layout, Rect};
use crate::state::{State, Verdict};

/// Everything a client shows, but for the cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Model {
    /// The environment's name.
    pub environment: String,
    /// In the order they are listed.
    pub workspaces: Vec<Workspace>,
    /// In no order; the tabs' layouts order them.
    pub panes: Vec<Pane>,
}

impl Model {
    /// The facts of one pane.
    pub fn pane(&self, id: PaneId) -> Option<&Pane> {
        self.panes.iter().find(|pane| pane.id == id)
    }

    /// A tab with its workspace.
    pub fn tab(&self, id: TabId) -> Option<(&Workspace, &Tab)> {
        self.workspaces.iter().find_map(|w| w.tabs.iter().find(|t| t.id == id).map(|t| (w, t)))
    }

    /// The tab a pane lies in, with its workspace.
    pub fn place(&self, pane: PaneId) -> Option<(&Workspace, &Tab)> {
        self.workspaces.iter().find_map(|w| w.tabs.iter().find(|t| t.contains(pane)).map(|t| (w, t)))
    }
}

/// A named folder with tabs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workspace {
    /// Its number.
    pub id: WorkspaceId,
    /// Unique in the environment.
    pub name: String,
    /// Where its panes start.
    pub folder: String,
    /// In the order of the tab bar; never empty while the workspace lives.
    pub tabs: Vec<Tab>,
}

/// A layout of panes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tab {
    /// Its number.
    pub id: TabId,
    /// The name a person gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its tiled panes.
    pub layout: Layout,
    /// Its floating panes, the lowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub floating: Vec<Floating>,
    /// Whether the floating panes are out of sight.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub floats_hidden: bool,
    /// The pane that keys go to.
    pub focus: PaneId,
    /// While a floating pane has the focus: the tile that it goes back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub came_from: Option<PaneId>,
    /// Set while one pane fills the tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zoomed: Option<PaneId>,
}

impl Tab {
    /// A tab with one pane.
    pub fn of_pane(id: TabId, name: Option<String>, pane: PaneId) -> Tab {
        let layout = Layout::Pane(pane);
        let (floating, floats_hidden) = (Vec::new(), false);
        Tab { id, name, layout, floating, floats_hidden, focus: pane, came_from: None, zoomed: None }
    }

    /// Every pane: the tiled ones in reading order, then the floating ones.
    pub fn panes(&self) -> Vec<PaneId> {
        let mut panes = self.layout.panes();
        panes.extend(self.floating.iter().map(|float| float.pane));
        panes
    }

    /// Whether the pane lies in this tab.
    pub fn contains(&self, pane: PaneId) -> bool {
        self.layout.contains(pane) || self.floats(pane)
    }

    /// Whether the pane floats in this tab.
    pub fn floats(&self, pane: PaneId) -> bool {
        self.floating.iter().any(|float| float.pane == pane)
    }

    /// The rectangle of every pane in a room, floating ones last and the lowest of them first, whether
    /// they are in sight or not.
    pub fn solve(&self, area: Rect) -> Vec<(PaneId, Rect)> {
        let mut rects = self.layout.solve(area);
        rects.extend(self.floating.iter().map(|float| (float.pane, float.rect(area))));
        rects
    }

    /// The rectangles of the panes in sight, in the order they are drawn: the one that fills the tab
    /// alone, else the tiled ones, then the floating ones unless they are hidden.
    pub fn in_sight(&self, area: Rect) -> Vec<(PaneId, Rect)> {
        if let Some(pane) = self.zoomed {
            return vec![(pane, area)];
        }
        if self.floats_hidden { self.layout.solve(area) } else { self.solve(area) }
    }
}

/// The facts of one pane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pane {
    /// Its number.
    pub id: PaneId,
    /// The name a person or a command gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The title its program set, cleaned of control characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What was started in it; empty for the user's shell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The folder it works in, as far as known.
    pub cwd: String,
    /// How far its program is.
    pub phase: Phase,
    /// The git branch of its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// The agent that runs in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentFacts>,
    /// A progress its program reports (OSC 9;4), in percent; 255 when it has no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
}

impl Pane {
    /// What to call it: its name, the agent's label, the command, or `shell`.
    pub fn called(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        if let Some(agent) = &self.agent {
            return agent.label.clone();
        }
        match self.argv.first() {
            Some(program) => program.rsplit('/').next().unwrap_or(program).to_owned(),
            None => "shell".to_owned(),
        }
    }
}

/// How far a pane's program is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It is being started.
    Starting,
    /// It runs.
    Running,
    /// It ended; the pane shows its last screen.
    Exited(Exit),
    /// It was not started: after a reboot a command waits for Enter.
    Waiting,
    /// It could not be started: the sentence says why.
    Failed(String),
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With this exit status.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exit::Code(code) => write!(f, "exit {code}"),
            Exit::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The state of a git checkout, in one line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Branch {
    /// The branch, or the short commit of a detached HEAD.
    pub name: String,
    /// Tracked files changed.
    pub changed: bool,
    /// Files git does not know.
    pub untracked: bool,
    /// Commits its upstream lacks.
    pub ahead: u32,
}

impl fmt::Display for Branch {
    /// `⎇ main*? ↑2`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "⎇ {}", self.name)?;
        if self.changed {
            f.write_str("*")?;
        }
        if self.untracked {
            f.write_str("?")?;
        }
        if self.ahead > 0 {
            write!(f, " ↑{}", self.ahead)?;
        }
        Ok(())
    }
}

/// The agent of a pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentFacts {
    /// Its name in the catalogue: `claude`.
    pub name: String,
    /// Its name for people: `Claude Code`.
    pub label: String,
    /// What it is doing.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Since when, in unix milliseconds.
    pub since: u64,
    /// The account it runs on, when not its own home's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

impl AgentFacts {
    /// Whether it waits for the user: blocked, or done and unseen.
    pub fn needs_you(&self) -> bool {
        matches!(self.verdict.state, State::Blocked | State::Done)
    }
}
