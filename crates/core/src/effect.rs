//! Everything the world wants done. The server does it, in order.
//!
//! Not here: how (`server`).

use std::collections::BTreeMap;

use kraal_api::agents::AgentEvent;
use kraal_api::events::Event;
use kraal_api::hooks::{Hook, StatusLine};
use kraal_api::stream::Bye;
use kraal_api::{ConnId, PaneId, Refusal, Response, TabId};

use crate::input::Ticket;
use crate::jobs::{Before, Job, PaneAt};

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Answer a request; for a stream, this opens it.
    Reply {
        /// Which request.
        ticket: Ticket,
        /// The answer.
        answer: Result<Response, Refusal>,
    },
    /// An item of a stream of events.
    Event {
        /// The stream.
        ticket: Ticket,
        /// The item.
        event: Event,
    },
    /// An item of a stream of agents.
    AgentEvent {
        /// The stream.
        ticket: Ticket,
        /// The item.
        event: AgentEvent,
    },
    /// Start a pane's program. Comes back as `Started` or `StartFailed`.
    Start {
        /// The pane.
        pane: PaneId,
        /// How.
        start: Start,
    },
    /// End a pane's program, if it has one, and forget the pane's terminal.
    Drop {
        /// The pane.
        pane: PaneId,
    },
    /// A pane's terminal has a new size.
    Resize {
        /// The pane.
        pane: PaneId,
        /// Columns.
        cols: u16,
        /// Rows.
        rows: u16,
    },
    /// Type text into a pane: several lines as one paste where its program asked for such. The
    /// reply comes from the server once the bytes are handed to the pty.
    TypeText {
        /// The request behind it.
        ticket: Ticket,
        /// The pane.
        pane: PaneId,
        /// The text.
        text: String,
    },
    /// Press keys in a pane, named as a person names them. The server replies; a name it does not
    /// know is `bad_request` and presses none of them.
    PressKeys {
        /// The request behind it.
        ticket: Ticket,
        /// The pane.
        pane: PaneId,
        /// The names.
        keys: Vec<String>,
    },
    /// Answer a request with the last lines of a pane (`Response::Screen`).
    ReadScreen {
        /// The request.
        ticket: Ticket,
        /// The pane.
        pane: PaneId,
        /// How many; the visible screen when None.
        lines: Option<u32>,
        /// With SGR sequences.
        ansi: bool,
    },
    /// Answer a request with the last decisions about a pane's agent.
    Explain {
        /// The request.
        ticket: Ticket,
        /// The pane.
        pane: PaneId,
    },
    /// Give the agent of a pane a prompt, and answer on evidence that a turn began.
    Prompt {
        /// The request.
        ticket: Ticket,
        /// The pane.
        pane: PaneId,
        /// The prompt.
        text: String,
    },
    /// An agent's hook reported.
    Hook {
        /// The request: its connection tells which process sent it.
        ticket: Ticket,
        /// The pane the sender belongs to, where that is known.
        pane: Option<PaneId>,
        /// The report.
        hook: Hook,
    },
    /// An agent's status line was drawn.
    StatusLine {
        /// The request.
        ticket: Ticket,
        /// The pane the sender belongs to, where that is known.
        pane: Option<PaneId>,
        /// What it was handed.
        line: StatusLine,
    },
    /// Say `Done(TextShown)` when the pane's screen shows the text.
    AwaitText {
        /// The request.
        ticket: Ticket,
        /// The pane.
        pane: PaneId,
        /// The text.
        text: String,
    },
    /// A wait is over: stop looking for its text.
    ForgetText {
        /// The request.
        ticket: Ticket,
    },
    /// The user looks at this pane: a finished turn there is seen.
    Seen {
        /// The pane.
        pane: PaneId,
    },
    /// A program gained or lost the focus of an attached terminal (mode 1004).
    PaneFocus {
        /// The pane.
        pane: PaneId,
        /// Whether it gained it.
        gained: bool,
    },
    /// Facts changed: every client gets the model anew.
    Facts,
    /// The facts of one pane changed.
    PaneFacts {
        /// The pane.
        pane: PaneId,
    },
    /// A client shows this tab.
    View {
        /// The client.
        conn: ConnId,
        /// The tab.
        tab: TabId,
    },
    /// A sentence for a client's bottom bar; for all clients when None.
    Say {
        /// The client.
        conn: Option<ConnId>,
        /// The sentence.
        text: String,
    },
    /// A notification for the user, through an attached terminal or the desktop.
    Notify {
        /// One line.
        title: String,
        /// More.
        body: String,
        /// The pane a click goes to.
        pane: Option<PaneId>,
    },
    /// A bell for the clients that show the pane.
    Bell {
        /// The pane.
        pane: PaneId,
    },
    /// Something that is saved changed.
    Save,
    /// End a client's stream.
    Bye {
        /// The client.
        conn: ConnId,
        /// Why.
        why: Bye,
    },
    /// Do something with the worktrees of a repository. Comes back as `Input::Worktrees`.
    Worktrees {
        /// The request behind it.
        ticket: Ticket,
        /// What.
        job: Job,
        /// The panes whose programs run.
        panes: Vec<PaneAt>,
    },
    /// Read the configuration again. Comes back as `Configured`.
    ReloadConfig {
        /// The request behind it.
        ticket: Ticket,
    },
    /// A new server under running programs. The server replies before it goes.
    Restart {
        /// The request behind it.
        ticket: Ticket,
    },
    /// Save, end every program and the session. The server replies before it goes.
    End {
        /// The request behind it; None when the last pane closed.
        ticket: Option<Ticket>,
    },
}

/// How a pane's program is started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// Program and arguments; the user's shell when empty.
    pub argv: Vec<String>,
    /// Through the user's shell, with what its own files set: it was started in one.
    pub by_shell: bool,
    /// What is done before it, in the same pane.
    pub before: Option<Before>,
    /// Where.
    pub cwd: String,
    /// Variables besides the server's own and `KRAAL_*`; `KRAAL_TOKEN` among them.
    pub env: BTreeMap<String, String>,
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}
