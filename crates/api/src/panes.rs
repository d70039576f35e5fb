//! kraal's own verbs for panes, tabs and workspaces: what the command line and the terminal client
//! ask, through the same door as everyone.
//!
//! Not here: the public API's requests (`messages`, `sessions`), the screen stream (`stream`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{PaneId, PaneRef, TabId};
use crate::layout::{Arrangement, Axis};
use crate::model::{Branch, Phase};
use crate::state::State;

/// Where a new pane goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Where it fits best: beside the focused pane when there is room, along its longer side.
    #[default]
    Auto,
    /// To the right of the pane it is opened from.
    Right,
    /// Below the pane it is opened from.
    Down,
    /// In a tab of its own.
    Tab,
    /// Over the tiled panes of the tab.
    Floating,
    /// Instead of the pane it is opened from, whose program has ended.
    Here,
}

/// How a new pane opens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// Where.
    #[serde(default)]
    pub place: Place,
    /// The pane it opens from; the caller's own, else the focused one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PaneRef>,
    /// The workspace, by name; that of `from` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// A name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where its program starts; that of `from` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables besides the server's own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Whether it takes the focus.
    #[serde(default)]
    pub attention: Attention,
    /// What happens when its program ends.
    #[serde(default)]
    pub at_end: AtEnd,
}

/// Whether a new pane takes the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// It does.
    #[default]
    Focus,
    /// It does not.
    Background,
}

/// What happens to a pane when its program ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AtEnd {
    /// A shell's pane closes, a command's stays and shows the exit status.
    #[default]
    Auto,
    /// It closes.
    Close,
}

/// Verb `Run`: a command in a new pane; no command is the user's shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// Program and arguments; never given to a shell.
    #[serde(default)]
    pub argv: Vec<String>,
    /// Where and how.
    #[serde(default)]
    pub opening: Opening,
}

/// The answer to whatever opens a pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    /// The new pane.
    pub pane: PaneId,
    /// Its tab.
    pub tab: TabId,
}

/// A row of `Panes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PaneRow {
    /// Its number.
    pub pane: PaneId,
    /// Its name.
    pub name: Option<String>,
    /// Its workspace's name.
    pub workspace: String,
    /// Its tab.
    pub tab: TabId,
    /// What was started in it; empty for the user's shell.
    pub argv: Vec<String>,
    /// The title its program set.
    pub title: String,
    /// Where it works.
    pub cwd: String,
    /// How far its program is.
    pub phase: Phase,
    /// The process that was started.
    pub pid: Option<i32>,
    /// Columns of its terminal.
    pub cols: u16,
    /// Rows of its terminal.
    pub rows: u16,
    /// Keys go to it in its tab.
    pub focused: bool,
    /// It floats over the tiled ones.
    #[serde(default)]
    pub floating: bool,
    /// The branch of its folder.
    pub branch: Option<Branch>,
    /// The agent in it.
    pub agent: Option<String>,
    /// The agent's state.
    pub state: Option<State>,
}

/// Verb `SendText`: types text into a pane, as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendText {
    /// The pane.
    pub pane: PaneRef,
    /// What to type; several lines go as one paste where the program asked for such.
    pub text: String,
}

/// Verb `SendKeys`: presses keys in a pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendKeys {
    /// The pane.
    pub pane: PaneRef,
    /// Names: `enter`, `ctrl+c`, `shift+tab`, `a`.
    pub keys: Vec<String>,
}

/// Verb `ReadPane`: the last lines of a pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadPane {
    /// The pane.
    pub pane: PaneRef,
    /// How many; the visible screen unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// With SGR sequences.
    #[serde(default)]
    pub ansi: bool,
}

/// Verb `WaitPane`: until a pane is in a state, or shows a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitPane {
    /// The pane.
    pub pane: PaneRef,
    /// What to wait for.
    pub until: Until,
    /// 600 unless given; 0 asks without waiting; over 1800 counts as 1800.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_secs: Option<u64>,
}

/// What `WaitPane` waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// Not working any more: done, blocked, idle, exited.
    Settled,
    /// Its program ended.
    Exited,
    /// Its agent is in this state.
    State(State),
    /// Its screen shows this text.
    Text(String),
}

/// The answer to `WaitPane`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waited {
    /// The pane.
    pub pane: PaneId,
    /// Its state in the API's words.
    pub state: crate::agents::TerminalState,
    /// How its program ended, when it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<crate::model::Exit>,
}

/// Verb `Prompt`: gives an agent a prompt, on evidence that its turn began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// The agent's pane.
    pub pane: PaneRef,
    /// The prompt.
    pub text: String,
}

/// Verbs that only name a pane: `Focus`, `Reveal`, `ClosePane`, `Zoom`, `Rerun`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnPane {
    /// The pane.
    pub pane: PaneRef,
}

/// Verb `Rename`: a pane's name; null takes it away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// The pane.
    pub pane: PaneRef,
    /// Its new name.
    pub name: Option<String>,
}

/// A direction on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Left.
    Left,
    /// Right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

impl Direction {
    /// The axis it runs along.
    pub fn axis(self) -> Axis {
        match self {
            Direction::Left | Direction::Right => Axis::Row,
            Direction::Up | Direction::Down => Axis::Column,
        }
    }
}

/// Verb `ResizePane`: moves the border nearest to that side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResizePane {
    /// The pane.
    pub pane: PaneRef,
    /// Which border: its own on that side, else the opposite one moves that way.
    pub direction: Direction,
    /// How far; negative draws the border back.
    pub cells: i32,
}

/// Verb `MovePane`: to another tab, or a tab of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MovePane {
    /// The pane.
    pub pane: PaneRef,
    /// The tab; a new one unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<TabId>,
}

/// Verb `SwapPane`: changes places with its neighbour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwapPane {
    /// The pane.
    pub pane: PaneRef,
    /// The pane it changes places with.
    pub with: PaneRef,
}

/// Verbs on a tab: `CloseTab`, `LookAt`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnTab {
    /// The tab.
    pub tab: TabId,
}

/// Verb `RenameTab`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameTab {
    /// The tab.
    pub tab: TabId,
    /// Its new name; null takes it away.
    pub name: Option<String>,
}

/// Verb `MoveTab`: by that many places in its workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveTab {
    /// The tab.
    pub tab: TabId,
    /// Negative is to the left.
    pub by: i32,
}

/// Verb `OpenWorkspace`: goes to the workspace of that name, making it first where needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenWorkspace {
    /// Its name; that of the folder unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its folder, when it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// Verb `RenameWorkspace`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameWorkspace {
    /// Its name now.
    pub workspace: String,
    /// Its new name.
    pub name: String,
}

/// Verb `CloseWorkspace`: with all its tabs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseWorkspace {
    /// Its name.
    pub workspace: String,
}

/// Verb `Notify`: a notification for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// One line.
    pub title: String,
    /// More lines.
    #[serde(default)]
    pub body: String,
}

/// Fields of the verb `PlaceFloat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceFloat {
    /// The floating pane.
    pub pane: PaneRef,
    /// Left edge, in thousandths of the tab's room.
    pub x: u16,
    /// Top edge.
    pub y: u16,
    /// Width.
    pub w: u16,
    /// Height.
    pub h: u16,
}

/// Fields of the verb `Arrange`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrange {
    /// The tab.
    pub tab: TabId,
    /// How.
    pub how: Arrangement,
}
