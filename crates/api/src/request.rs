//! Every request and every response, in one place: the public API's as the seed page writes them,
//! and kraal's own verbs under `Verb`.
//!
//! Not here: the fields (each group's module), the envelope (`envelope`), the rights (`core::rights`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agents::{AgentRow, AgentStatus, Decision, Explain, StartAgent, SubscribeAgents};
use crate::events::Events;
use crate::files::{ChangeSet, Changes, OpenFile};
use crate::hello::{Hello, HelloAnswer};
use crate::hooks::{Hook, StatusLine};
use crate::ids::{PaneId, TabId};
use crate::kraddies::{
    AutomationRow, AutomationStarted, KraddieChatOpened, KraddieRow, KraddieStarted, Named, RunNamed,
    SwitchAutomation,
};
use crate::memory::{
    KraddieMemory, KraddieRecall, KraddieShared, MemoryEntry, MemoryHit, MemoryRead, MemorySearch, Recalled,
    RememberKraddie, ShareKraddieMemory,
};
use crate::messages::{Check, Message, Read, Send, Settled, Wait};
use crate::panes::{
    Arrange, CloseWorkspace, MovePane, MoveTab, Notify, OnPane, OnTab, OpenWorkspace, Opened, PaneRow,
    PlaceFloat, Prompt, ReadPane, Rename, RenameTab, RenameWorkspace, ResizePane, Run, SendKeys, SendText,
    SwapPane, WaitPane, Waited,
};
use crate::sessions::{CloseSession, CreateSession, SessionRow};
use crate::stream::{Attach, Attached};
use crate::variants::{PickVariant, RunVariants, VariantPicked, Variants, VariantsStarted};
use crate::workers::{Close, ClosedRow, Spawn};
use crate::worktrees::{
    CreateWorktree, NeedsApproval, NewWorktree, OnRepository, PruneWorktrees, Pruned, Removal,
    RemoveWorktree, SetupPlan, SetupWorktree, TrustWorktree, WorktreeCreated, WorktreeList, WorktreeMade,
};

/// Declares an enum together with the names of its variants, so that `Hello` and the rights matrix
/// can list them without a second hand-written list.
macro_rules! named {
    ($(#[$meta:meta])* $enum:ident { $($(#[$doc:meta])* $name:ident $(($type:ty))?),* $(,)? }) => {
        $(#[$meta])*
        pub enum $enum {
            $($(#[$doc])* $name $(($type))?,)*
        }

        impl $enum {
            /// Every name, in the order of the page.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The name on the wire.
            pub fn name(&self) -> &'static str {
                match self {
                    $(named!(@pattern $enum $name $(($type))?) => stringify!($name),)*
                }
            }
        }
    };
    (@pattern $enum:ident $name:ident ($type:ty)) => { $enum::$name(_) };
    (@pattern $enum:ident $name:ident) => { $enum::$name };
}

named! {
    /// A request of the Agents API v1, or one of kraal's own verbs.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    Request {
        /// Says who calls and what is served.
        Hello(Hello),
        /// The agents of the caller's environment.
        List,
        /// `List` plus the closed Workers.
        ListAll,
        /// A stream of agent events.
        SubscribeAgents(SubscribeAgents),
        /// Blocks until a terminal stops working.
        Wait(Wait),
        /// The last lines of a terminal.
        Read(Read),
        /// The caller's unread mailbox messages.
        Check(Check),
        /// Types a message into a Worker.
        Send(Send),
        /// Starts a Worker.
        Spawn(Spawn),
        /// Closes Workers or a session.
        Close(Close),
        /// The tabs of the caller's group.
        Sessions,
        /// Opens a tab.
        CreateSession(CreateSession),
        /// Closes a tab of the lead's group.
        CloseSession(CloseSession),
        /// A git worktree as a group of its own.
        CreateWorktree(CreateWorktree),
        /// Opens a file in the user's editor.
        OpenFile(OpenFile),
        /// The git changes of a group.
        Changes(Changes),
        /// The user's Kraddies.
        Kraddies,
        /// Wakes a Kraddie.
        RunKraddie(RunNamed),
        /// The Kraddies' automations.
        Automations,
        /// Runs an automation.
        RunAutomation(RunNamed),
        /// Switches an automation.
        SwitchAutomation(SwitchAutomation),
        /// Hands a Kraddie a keepsake.
        RememberKraddie(RememberKraddie),
        /// The keepsakes of a Kraddie.
        KraddieMemory(Named),
        /// A chat that belongs to a Kraddie.
        NewKraddieChat(Named),
        /// What a Kraddie remembers.
        KraddieRecall(KraddieRecall),
        /// Lets one Kraddie read another's memory.
        ShareKraddieMemory(ShareKraddieMemory),
        /// Searches the memory the caller may read.
        MemorySearch(MemorySearch),
        /// One entry in full.
        MemoryRead(MemoryRead),
        /// One task for several harnesses.
        RunVariants(RunVariants),
        /// The runs of the group.
        Variants(Variants),
        /// Keeps the winner.
        PickVariant(PickVariant),
        /// Not stable: a harness's hook.
        Hook(Hook),
        /// Not stable: a status line.
        Status(StatusLine),
        /// Not stable: a permission ask.
        Ask(Value),
        /// Not stable: a git credential prompt.
        Askpass(Value),
        /// Not stable: code intelligence.
        Code(Value),
        /// Not stable: the tool catalog.
        Tools(Value),
        /// Not stable: one tool.
        ExtensionTool(Value),
        /// kraal's own.
        Verb(Verb),
    }
}

named! {
    /// kraal's own verbs: what its command line and its terminal client ask.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    Verb {
        /// Every pane.
        Panes,
        /// Every agent, as `kraal agents --json` prints them.
        Agents,
        /// Why a pane's agent is in its state.
        Explain(Explain),
        /// The last lines of a pane.
        ReadPane(ReadPane),
        /// Until a pane is in a state.
        WaitPane(WaitPane),
        /// The stream of events.
        Events(Events),
        /// A notification for the user.
        Notify(Notify),
        /// A command in a new pane.
        Run(Run),
        /// An agent in a new pane.
        StartAgent(StartAgent),
        /// Types text.
        SendText(SendText),
        /// Presses keys.
        SendKeys(SendKeys),
        /// Gives an agent a prompt.
        Prompt(Prompt),
        /// Goes to a pane.
        Focus(OnPane),
        /// Goes to a pane and hides the floating panes that lie over it.
        Reveal(OnPane),
        /// Names a pane.
        Rename(Rename),
        /// Closes a pane and ends its program.
        ClosePane(OnPane),
        /// Runs an ended or waiting pane's command again.
        Rerun(OnPane),
        /// Fills the tab with a pane, or takes that back.
        Zoom(OnPane),
        /// Moves a border.
        ResizePane(ResizePane),
        /// Moves a pane to another tab.
        MovePane(MovePane),
        /// Two panes change places.
        SwapPane(SwapPane),
        /// Lets a tiled pane float, or tiles a floating one.
        Float(OnPane),
        /// Moves and sizes a floating pane.
        PlaceFloat(PlaceFloat),
        /// Hides the floating panes of a tab, or shows them again.
        HideFloats(OnTab),
        /// Lays the tiled panes of a tab out anew.
        Arrange(Arrange),
        /// Shows a tab to the asking client.
        LookAt(OnTab),
        /// Closes a tab and ends its programs.
        CloseTab(OnTab),
        /// Names a tab.
        RenameTab(RenameTab),
        /// Moves a tab.
        MoveTab(MoveTab),
        /// Goes to a workspace, making it first where needed.
        OpenWorkspace(OpenWorkspace),
        /// Names a workspace.
        RenameWorkspace(RenameWorkspace),
        /// Closes a workspace.
        CloseWorkspace(CloseWorkspace),
        /// The worktrees of a repository.
        Worktrees(OnRepository),
        /// A worktree on a branch of its own, with an agent in it.
        NewWorktree(NewWorktree),
        /// How a worktree is prepared.
        SetupWorktree(SetupWorktree),
        /// Approves a repository's preparation.
        TrustWorktree(TrustWorktree),
        /// Removes a worktree.
        RemoveWorktree(RemoveWorktree),
        /// Removes the worktrees whose work is all in their base.
        PruneWorktrees(PruneWorktrees),
        /// Lets a pane's agent lead.
        Lead(OnPane),
        /// Takes the lead back.
        Unlead(OnPane),
        /// Turns the connection into a screen stream.
        Attach(Attach),
        /// Reads the configuration again.
        ReloadConfig,
        /// Facts about the server for `kraal ls` and `kraal doctor`.
        Info,
        /// A new server under running programs.
        Restart,
        /// Saves, ends the programs, and ends the session.
        Kill,
    }
}

/// What comes back. The name of a variant is the key on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum Response {
    /// To `Hello`.
    Hello(HelloAnswer),
    /// To `List` and `ListAll`.
    Agents(Vec<AgentRow>),
    /// To `Wait`.
    Settled(Settled),
    /// To `Wait` and `WaitPane`.
    TimedOut,
    /// To `Read` and `ReadPane`.
    Screen(String),
    /// To `Check`.
    Messages(Vec<Message>),
    /// To `Send` and `Prompt`.
    Submitted {
        /// The terminal whose turn began.
        terminal: PaneId,
    },
    /// To `Spawn`.
    Spawned {
        /// The Worker.
        terminal: PaneId,
    },
    /// To `Close`.
    Closed(Vec<ClosedRow>),
    /// To `Sessions`.
    Sessions(Vec<SessionRow>),
    /// To `CreateSession`.
    SessionCreated {
        /// The new session.
        session: TabId,
    },
    /// To `CloseSession`.
    SessionClosed {
        /// The session that was closed.
        session: TabId,
    },
    /// To `CreateWorktree`.
    WorktreeCreated(WorktreeCreated),
    /// To `OpenFile`.
    Opened {
        /// The file.
        path: String,
    },
    /// To `Changes`.
    Changes(ChangeSet),
    /// To `Kraddies`.
    Kraddies(Vec<KraddieRow>),
    /// To `RunKraddie`.
    KraddieStarted(KraddieStarted),
    /// To `Automations`.
    Automations(Vec<AutomationRow>),
    /// To `RunAutomation`.
    AutomationStarted(AutomationStarted),
    /// To `SwitchAutomation`.
    AutomationSwitched(AutomationRow),
    /// To `RememberKraddie` and `KraddieMemory`.
    KraddieMemory(KraddieMemory),
    /// To `NewKraddieChat`.
    KraddieChatOpened(KraddieChatOpened),
    /// To `KraddieRecall`.
    KraddieRecall(Recalled),
    /// To `ShareKraddieMemory`.
    KraddieShared(KraddieShared),
    /// To `MemorySearch`.
    MemoryHits(Vec<MemoryHit>),
    /// To `MemoryRead`.
    MemoryEntry(MemoryEntry),
    /// To `RunVariants`.
    VariantsStarted(VariantsStarted),
    /// To `Variants`; its shape is not stable.
    Variants(Value),
    /// To `PickVariant`.
    VariantPicked(VariantPicked),
    /// To `Panes`.
    Panes(Vec<PaneRow>),
    /// To the verb `Agents`.
    AgentStatuses(Vec<AgentStatus>),
    /// To `Explain`.
    Explained(Vec<Decision>),
    /// To `WaitPane`.
    Waited(Waited),
    /// To verbs that open a pane.
    PaneOpened(Opened),
    /// To `Worktrees`.
    Worktrees(WorktreeList),
    /// To `NewWorktree`.
    WorktreeMade(WorktreeMade),
    /// To `NewWorktree`, `SetupWorktree` and `TrustWorktree`, when a person is to approve first.
    NeedsApproval(NeedsApproval),
    /// To `SetupWorktree`.
    SetupPlan(SetupPlan),
    /// To `RemoveWorktree`.
    WorktreeRemoved(Removal),
    /// To `PruneWorktrees`.
    Pruned(Pruned),
    /// To `Attach`.
    Attached(Attached),
    /// To `Info`.
    Info(Info),
    /// To `ReloadConfig`: its problems, one sentence each.
    ConfigReloaded(Vec<String>),
    /// Done, with nothing to say.
    Ok,
}

/// Facts about a running server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Info {
    /// `kraal 0.1.0`.
    pub app: String,
    /// The environment's name.
    pub environment: String,
    /// The environment's life; survives restarts of the server.
    pub boot: String,
    /// How often the server was started again in it.
    pub restarts: u32,
    /// The server's process.
    pub pid: i32,
    /// The keeper's process.
    pub keeper: i32,
    /// Attached terminals.
    pub clients: u32,
    /// Workspaces.
    pub workspaces: u32,
    /// Tabs.
    pub tabs: u32,
    /// Panes.
    pub panes: u32,
    /// Agents that need the user.
    pub waiting: u32,
    /// Problems the user should know, one sentence each.
    pub problems: Vec<String>,
}
