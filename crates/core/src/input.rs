//! Everything that can reach the world: requests, and facts about the machine.
//!
//! Not here: bytes of panes, cells, sockets. Only a *changed* state becomes an input.

use std::collections::BTreeMap;

use kraal_api::model::{Branch, Exit};
use kraal_api::stream::Area;
use kraal_api::{ConnId, PaneId, Refusal, Request, Verdict};
use serde::{Deserialize, Serialize};

use crate::jobs;

/// A request that waits for its answer. Unique in the life of a server; the server knows the
/// connection and the caller's own id behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Somebody asks.
    Request {
        /// Names the answer.
        ticket: Ticket,
        /// The connection it came on.
        conn: ConnId,
        /// What the kernel says of the peer.
        peer: Peer,
        /// What is asked.
        request: Request,
    },
    /// A connection is gone: its waits and streams end, its client leaves.
    Closed {
        /// Which.
        conn: ConnId,
    },
    /// The room a client has for panes changed.
    ClientArea {
        /// Which client.
        conn: ConnId,
        /// Its room.
        area: Area,
    },
    /// A client's outer terminal gained or lost the focus.
    ClientFocus {
        /// Which client.
        conn: ConnId,
        /// Whether it has it.
        focused: bool,
    },
    /// A client typed into a pane: it is the one whose size counts.
    ClientActive {
        /// Which client.
        conn: ConnId,
    },
    /// A pane's program runs.
    Started {
        /// The pane.
        pane: PaneId,
        /// The process that was started.
        pid: i32,
    },
    /// A pane's program could not be started.
    StartFailed {
        /// The pane.
        pane: PaneId,
        /// One sentence.
        reason: String,
    },
    /// A pane's program ended.
    Exited {
        /// The pane.
        pane: PaneId,
        /// How.
        exit: Exit,
    },
    /// A pane changed in a way its terminal or the machine tells.
    Pane {
        /// The pane.
        pane: PaneId,
        /// How.
        change: PaneChange,
    },
    /// Something the machine was asked to do is done.
    Done {
        /// The request behind it.
        ticket: Ticket,
        /// How it went.
        outcome: Outcome,
    },
    /// A job on worktrees is done.
    Worktrees {
        /// The request behind it.
        ticket: Ticket,
        /// How it went.
        done: jobs::Done,
    },
    /// Something the user should know.
    Problem(String),
    /// What the user was told as a problem is none any more.
    Mended(String),
    /// A configuration was read: what of it the rules need.
    Configured {
        /// The rules' share of it.
        settings: Settings,
        /// Its problems, one sentence each.
        problems: Vec<String>,
        /// The request that asked for it.
        ticket: Option<Ticket>,
    },
    /// A deadline passed, or nothing: look at the clock.
    Tick,
}

/// What the rules need of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// How many Workers a lead may run at once.
    pub worker_limit: u32,
    /// Whether notifications are sent at all.
    pub notify: bool,
    /// Of agents that wait for the user.
    pub on_blocked: bool,
    /// Of agents that ended their turn.
    pub on_done: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { worker_limit: 16, notify: true, on_blocked: true, on_done: true }
    }
}

/// How a pane's agent ran: what it takes to take its conversation up again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRun {
    /// Its name in the catalogue.
    pub agent: String,
    /// Its command line.
    pub argv: Vec<String>,
    /// The conversation, the newest that the agent itself reported.
    pub conversation: Option<String>,
    /// The variable that named its own folder, where one did: its conversations are in there.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// How a pane changed.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneChange {
    /// Its program set a title.
    Title(String),
    /// It works in another folder.
    Cwd(String),
    /// The branch of its folder.
    Branch(Option<Branch>),
    /// A progress, in percent; 255 without a number.
    Progress(Option<u8>),
    /// A shell's command runs (true), or its prompt is back.
    Busy(bool),
    /// The bell.
    Bell,
    /// A notification of its program, cleaned.
    Notification {
        /// One line.
        title: String,
        /// More.
        body: String,
    },
    /// A command of a shell with prompt marks ended.
    CommandFinished(Option<i32>),
    /// An agent was recognised, or its state changed.
    Agent {
        /// Its name in the catalogue.
        name: String,
        /// Its name for people.
        label: String,
        /// What it does.
        verdict: Verdict,
    },
    /// How the pane's agent was started, and the conversation it leads, as far as that is known: for
    /// taking it up again.
    AgentRun(AgentRun),
    /// A conversation has no transcript: it cannot be taken up again.
    NoTranscript {
        /// The agent.
        agent: String,
        /// The conversation.
        conversation: String,
    },
    /// The agent left.
    AgentGone,
}

/// How what a request needed went.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The screen of a pane shows the text a wait is for.
    TextShown,
    /// It went wrong.
    Failed(Refusal),
    /// It went well, and there is nothing to say.
    Ok,
}

/// What the kernel says of the process at the other end of a connection; the verdict is ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peer {
    /// An attached client's own connection: the kernel's word was checked when it attached.
    pub attached: bool,
    /// The pane whose program it descends from.
    pub pane: Option<PaneId>,
    /// It descends from a keeper of this user (this session's or another's), in no pane of ours.
    pub under_keeper: bool,
    /// The token it showed.
    pub token: Option<String>,
    /// The folder it works in, for a Client that names no group.
    pub cwd: Option<String>,
    /// The variables kraal passes on: none of them decides anything.
    pub env: BTreeMap<String, String>,
}
