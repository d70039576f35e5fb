//! The loop: one thread owns the state and the ptys. Input is handled before output, output in
//! bounded slices and fair turns, and nothing here blocks.
//!
//! Not here: what anything means (`core`), how each effect is done (`perform`), how a server comes
//! up (`boot`).

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use kraal_agents::Catalog;
use kraal_api::config::Config;
use kraal_api::model::Branch;
use kraal_api::{ConnId, PaneId};
use kraal_core::saved::AgentRun;
use kraal_core::{Effect, Input, PaneChange, Ticket, World};
use kraal_host::clock;
use kraal_host::dirs::{Dirs, EnvironmentDirs};
use kraal_host::keeper::Link;
use kraal_host::sentinel::Sentinel;
use kraal_host::slots::Slots;
use kraal_term::{Outbox, OuterColours};
use mio::net::UnixListener;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use rustix::fd::AsRawFd;

use crate::boot::ConfigRead;
use crate::conn::{Conn, Tickets};
use crate::homes::LiveFiles;
use crate::marks::Marks;
use crate::own::OwnAgents;
use crate::pane::{Pane, Slice};
use crate::pool::Pool;
use crate::prompts::Prompts;
use crate::store::{Files, Schedule};
use crate::watch::Scene;

pub(crate) const LISTENER: Token = Token(0);
pub(crate) const KEEPER: Token = Token(1);
pub(crate) const SIGNALS: Token = Token(2);
pub(crate) const WAKER: Token = Token(3);
pub(crate) const SENTINEL: Token = Token(4);
pub(crate) const LETTERS: Token = Token(5);
const CONNS: usize = 5;
const PANES: usize = 6;
const FOLLOWED: usize = 7;

pub(crate) fn conn_token(conn: ConnId) -> Token {
    Token((conn.0 as usize) << 3 | CONNS)
}

pub(crate) fn pane_token(pane: PaneId) -> Token {
    Token((pane.0 as usize) << 3 | PANES)
}

/// The process of an agent that only its hooks tell of.
pub(crate) fn followed_token(pane: PaneId) -> Token {
    Token((pane.0 as usize) << 3 | FOLLOWED)
}

/// What comes back from the pool.
#[derive(Debug)]
pub(crate) enum Found {
    /// Git's answer about a checkout.
    Branch(PathBuf, Option<Branch>),
    /// A checkout's git folder changed.
    Changed(PathBuf),
    /// The configuration's text was read.
    Config(Box<ConfigRead>),
    /// A write of saved state ended: the pane whose text it was and the ms it took, and how it went.
    Saved(Option<(PaneId, u64)>, Result<(), String>),
    /// A live file of the agent in a pane was read.
    Live(PaneId, PathBuf, serde_json::Value),
    /// The conversation of an agent that ran in a pane has no transcript.
    NoTranscript(PaneId, String, String),
    /// The binary to restart with said whether it can take over.
    Probed(Result<(), String>),
}

/// The facts of a server's life that do not change in it.
pub(crate) struct Setting {
    pub(crate) dirs: Dirs,
    pub(crate) environment: EnvironmentDirs,
    pub(crate) app: String,
    /// The server's clock, in unix ms that never go back: monotonic ms and this.
    pub(crate) epoch: u64,
    pub(crate) keeper: u32,
    pub(crate) exe: PathBuf,
    pub(crate) catalog: Arc<Catalog>,
    /// The server's own variables, as panes get them.
    pub(crate) vars: HashMap<String, String>,
}

/// The panes, and which of them have something to read.
#[derive(Default)]
pub(crate) struct Panes {
    pub(crate) all: HashMap<PaneId, Pane>,
    /// In turn: the first is read next.
    pub(crate) ready: VecDeque<PaneId>,
    pub(crate) by_pid: HashMap<u32, PaneId>,
    /// What leaves a terminal while it is fed; kept for its memory.
    pub(crate) outbox: Outbox,
}

/// What is kept of the keeper.
pub(crate) struct Keeper {
    pub(crate) link: Link,
    pub(crate) slots: Slots,
    /// A request that waits for the upgrade.
    pub(crate) upgrading: Option<Ticket>,
    /// Closed panes whose programs have until then to go by themselves.
    pub(crate) ending: HashMap<PaneId, u64>,
}

/// What is saved, where and when.
pub(crate) struct Saving {
    pub(crate) files: Files,
    pub(crate) schedule: Schedule,
    /// The world changed since it was last stored in memory.
    pub(crate) dirty: bool,
    /// Panes whose text from before a reboot is shown once their terminal is there.
    pub(crate) old_texts: Vec<PaneId>,
}

/// The people on the other side.
pub(crate) struct Conns {
    pub(crate) listener: UnixListener,
    /// Tells when the socket's file is taken away.
    pub(crate) sentinel: Option<Sentinel>,
    pub(crate) all: HashMap<ConnId, Conn>,
    pub(crate) last: u64,
    pub(crate) tickets: Tickets,
    /// Waits for a text on a pane's screen.
    pub(crate) texts: HashMap<Ticket, (PaneId, String)>,
    /// Somebody waits at the door for a descriptor.
    pub(crate) full: bool,
    /// The client that typed last.
    pub(crate) active: Option<ConnId>,
}

/// Inputs that wait for the rules.
#[derive(Default)]
pub(crate) struct Inbox {
    waiting: VecDeque<Input>,
    /// Effects are being done: what arises meanwhile waits its turn.
    busy: bool,
    /// More follows at once: the world is stored after the last of it.
    more: bool,
}

/// One server.
pub(crate) struct Server {
    pub(crate) poll: Poll,
    pub(crate) world: World,
    pub(crate) setting: Setting,
    pub(crate) config: Config,
    pub(crate) keeper: Keeper,
    pub(crate) panes: Panes,
    pub(crate) conns: Conns,
    pub(crate) marks: Marks,
    pub(crate) live: LiveFiles,
    pub(crate) own: OwnAgents,
    /// How often the configuration was asked for, and which reading applies.
    pub(crate) config_reads: (u64, u64),
    pub(crate) prompts: Prompts,
    pub(crate) saving: Saving,
    pub(crate) pool: Pool<Found>,
    /// Inputs that wait for the rules.
    pub(crate) inbox: Inbox,
    pub(crate) colours: OuterColours,
    pub(crate) signals: signal_hook_mio::v1_0::Signals,
    /// How the server ends, once it does.
    pub(crate) ending: Option<Ending>,
}

/// How a server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The session is over: the keeper ends what is left.
    Over,
    /// A new server takes over under running programs.
    Handover,
}

/// Slices that are read of a pane before its screen is given.
const CATCH_UP: usize = 4;

impl Server {
    /// Milliseconds since 1970 by a clock that never goes back in a server's life.
    pub(crate) fn now(&self) -> u64 {
        self.setting.epoch + clock::monotonic_ms()
    }

    /// Runs until the session ends or another server takes over.
    pub(crate) fn run(&mut self) -> anyhow::Result<()> {
        let mut events = Events::with_capacity(256);
        while self.ending.is_none() {
            let timeout = self.timeout();
            match self.poll.poll(&mut events, timeout) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other.context("waiting for events failed")?,
            }
            for event in &events {
                self.event(event.token(), event.is_readable(), event.is_writable());
            }
            self.read_conns();
            self.read_pane();
            self.deadlines();
            self.show();
            self.await_room();
        }
        Ok(())
    }

    /// Asks to be told when those can take more who could not take all. Being told always would
    /// wake the loop after every write.
    fn await_room(&mut self) {
        let registry = self.poll.registry();
        let interest = |waits: bool| match waits {
            true => Interest::READABLE | Interest::WRITABLE,
            false => Interest::READABLE,
        };
        for conn in self.conns.all.values_mut() {
            let waits = !conn.out.is_empty();
            if std::mem::replace(&mut conn.blocked, waits) != waits
                && let Err(error) =
                    registry.reregister(&mut conn.stream, conn_token(conn.id), interest(waits))
            {
                tracing::error!(conn = conn.id.0, %error, "a connection cannot be watched");
            }
        }
        for (id, pane) in &mut self.panes.all {
            let Some(program) = &pane.program else { continue };
            let waits = !pane.input.is_empty();
            if std::mem::replace(&mut pane.blocked, waits) != waits
                && let Err(error) = registry.reregister(
                    &mut SourceFd(&program.master.as_raw_fd()),
                    pane_token(*id),
                    interest(waits),
                )
            {
                tracing::error!(pane = id.0, %error, "a pane's terminal cannot be watched");
            }
        }
    }

    fn event(&mut self, token: Token, readable: bool, writable: bool) {
        match token {
            LISTENER => self.accept(),
            KEEPER => self.hear_keeper(),
            SIGNALS => self.hear_signals(),
            WAKER => self.hear_pool(),
            SENTINEL => self.socket_gone(),
            LETTERS => self.hear_letters(),
            Token(number) if number & 7 == CONNS => {
                let id = ConnId((number >> 3) as u64);
                if let Some(conn) = self.conns.all.get_mut(&id) {
                    conn.readable |= readable;
                    if writable && !conn.flush() {
                        self.close_conn(id);
                    }
                }
            }
            Token(number) if number & 7 == FOLLOWED => self.unfollow(PaneId((number >> 3) as u64)),
            Token(number) => {
                let id = PaneId((number >> 3) as u64);
                if let Some(pane) = self.panes.all.get_mut(&id) {
                    // Before those that flow: what a quiet pane says is often the echo of a key.
                    if readable && !self.panes.ready.contains(&id) {
                        self.panes.ready.push_front(id);
                    }
                    if writable {
                        pane.flush_input();
                    }
                }
            }
        }
    }

    /// How long the loop may wait.
    fn timeout(&mut self) -> Option<Duration> {
        if !self.panes.ready.is_empty() || self.conns.all.values().any(|c| c.readable && c.out.is_empty()) {
            return Some(Duration::ZERO);
        }
        let now = self.now();
        let mut due = [
            self.world.next_deadline(),
            self.marks.next_deadline(),
            self.prompts.next_deadline(),
            self.saving.schedule.next_deadline(),
            self.keeper.ending.values().min().copied(),
            self.next_frame(now),
        ]
        .into_iter()
        .flatten()
        .min();
        for pane in self.panes.all.values() {
            let sync = pane.sync_since.map(|since| since + crate::screens::SYNC_MAX);
            for at in [pane.watch.next_deadline(), sync].into_iter().flatten() {
                due = Some(due.map_or(at, |d| d.min(at)));
            }
        }
        due.map(|at| Duration::from_millis(at.saturating_sub(now)))
    }

    /// One slice of the pane whose turn it is; then the loop looks for keys again.
    fn read_pane(&mut self) {
        let Some(id) = self.panes.ready.pop_front() else { return };
        match self.read_slice(id) {
            None => {}
            Some(Slice::More) => self.panes.ready.push_back(id),
            Some(Slice::Rest | Slice::Closed) => self.drained(id),
        }
    }

    /// Reads what a pane's program wrote before somebody asks for its screen, as far as that is not a flood: a program
    /// that writes and then asks sees what it wrote.
    pub(crate) fn catch_up(&mut self, id: PaneId) {
        for _ in 0..CATCH_UP {
            if self.read_slice(id) != Some(Slice::More) {
                return;
            }
        }
        if !self.panes.ready.contains(&id) {
            self.panes.ready.push_back(id);
        }
    }

    /// One slice of a pane; None when there is no such pane.
    fn read_slice(&mut self, id: PaneId) -> Option<Slice> {
        let now = self.now();
        let pane = self.panes.all.get_mut(&id)?;
        let mut out = std::mem::take(&mut self.panes.outbox);
        let slice = match pane.read_slice(&mut out) {
            Ok(slice) => slice,
            Err(error) => {
                tracing::error!(pane = id.0, %error, "a pane cannot be read");
                Slice::Closed
            }
        };
        if slice == Slice::More {
            pane.watch.activity(now);
            self.saving.schedule.text_changed(id, now);
            if std::mem::take(&mut pane.wrote_lines) {
                self.marks.output(id, now);
            }
            self.take_out(id, &mut out, now);
        }
        out.clear();
        self.panes.outbox = out;
        Some(slice)
    }

    /// Everything a pane's program wrote is read: if it ended, that can be told now.
    pub(crate) fn drained(&mut self, id: PaneId) {
        self.look_for_texts(id);
        self.step_prompt(id);
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        let Some(exit) = pane.ended.take() else { return };
        self.drop_program(id);
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        let found = pane.watch.ended();
        self.take_found(id, found);
        self.feed(Input::Exited { pane: id, exit: crate::boot::exit_of(exit) });
    }

    /// Lets a pane's pty go.
    pub(crate) fn drop_program(&mut self, id: PaneId) {
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        if let Some(program) = pane.take_program() {
            self.panes.by_pid.remove(&program.pid);
            // It is closed next, which takes it out of the poll in any case.
            let _ = self.poll.registry().deregister(&mut SourceFd(&program.master.as_raw_fd()));
        }
        self.panes.ready.retain(|p| *p != id);
    }

    /// Watches a pane's pty.
    pub(crate) fn watch_program(&mut self, id: PaneId) {
        let Some(program) = self.panes.all.get(&id).and_then(|pane| pane.program.as_ref()) else { return };
        let registered = self.poll.registry().register(
            &mut SourceFd(&program.master.as_raw_fd()),
            pane_token(id),
            Interest::READABLE,
        );
        if let Err(error) = registered {
            tracing::error!(pane = id.0, %error, "a pane's terminal cannot be watched");
        }
        if !self.panes.ready.contains(&id) {
            self.panes.ready.push_back(id);
        }
    }

    fn deadlines(&mut self) {
        let now = self.now();
        if self.world.next_deadline().is_some_and(|at| at <= now) {
            self.feed(Input::Tick);
        }
        let due: Vec<PaneId> = self
            .panes
            .all
            .iter()
            .filter(|(_, pane)| pane.watch.next_deadline().is_some_and(|at| at <= now))
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            let Some(pane) = self.panes.all.get_mut(&id) else { continue };
            // A field-wise borrow: the watch looks at the terminal beside it.
            let Pane { watch, terminal, program, .. } = pane;
            let program = program.as_ref().map(|p| (&p.master, p.pid));
            let found = watch.tick(&Scene { now, catalog: &self.setting.catalog, program, terminal });
            for found in found {
                self.take_found(id, found);
            }
        }
        for pane in self.panes.all.values_mut() {
            if pane.sync_since.is_some_and(|since| since + crate::screens::SYNC_MAX <= now) {
                pane.terminal.release_sync();
                pane.sync_since = None;
            }
        }
        self.prompts_due(now);
        self.end_stubborn(now);
        self.marks.tick(&self.pool, now);
        self.save_due(now);
    }

    /// Looks at a pane out of turn.
    pub(crate) fn look_at(&mut self, id: PaneId) {
        let now = self.now();
        let Some(Pane { watch, terminal, program, .. }) = self.panes.all.get_mut(&id) else { return };
        let program = program.as_ref().map(|p| (&p.master, p.pid));
        if let Some(found) = watch.look(&Scene { now, catalog: &self.setting.catalog, program, terminal }) {
            self.take_found(id, found);
        }
    }

    /// What a look at a pane, or its detector, found.
    pub(crate) fn take_found(&mut self, id: PaneId, found: crate::watch::Found) {
        if let Some(busy) = found.busy {
            self.feed(Input::Pane { pane: id, change: PaneChange::Busy(busy) });
        }
        if let Some(cwd) = found.cwd {
            self.pane_moved(id, cwd);
        }
        if found.gone {
            self.live.forget(id);
            self.check_transcript(id);
            self.feed(Input::Pane { pane: id, change: PaneChange::AgentGone });
        }
        if let Some((name, label, verdict)) = found.verdict {
            self.feed(Input::Pane { pane: id, change: PaneChange::Agent { name, label, verdict } });
        }
        if let Some(run) = found.run {
            let conversation = match run.fresh {
                true => run.named,
                false => self.conversation_in(id, &run.agent).or(run.named),
            };
            let run = AgentRun { agent: run.agent, argv: run.argv, conversation, env: self.run_env(id) };
            self.feed(Input::Pane { pane: id, change: PaneChange::AgentRun(run) });
        }
        self.look_for_live_file(id);
        self.step_prompt(id);
    }

    /// A pane works in another folder.
    pub(crate) fn pane_moved(&mut self, id: PaneId, cwd: String) {
        let now = self.now();
        let mark = self.marks.pane_in(id, std::path::Path::new(&cwd), now);
        if self.world.pane_facts(id).is_some_and(|facts| facts.cwd != cwd) {
            self.feed(Input::Pane { pane: id, change: PaneChange::Cwd(cwd) });
        }
        if let Some(branch) = mark {
            self.feed(Input::Pane { pane: id, change: PaneChange::Branch(branch) });
        }
    }

    /// Hands an input to the rules and does what they say, and whatever follows from that. While
    /// effects are done, it waits until they are.
    pub(crate) fn feed(&mut self, input: Input) {
        self.inbox.waiting.push_back(input);
        if std::mem::replace(&mut self.inbox.busy, true) {
            return;
        }
        while let Some(input) = self.inbox.waiting.pop_front() {
            let now = self.now();
            let effects = self.world.handle(input, now);
            if effects.iter().any(|effect| matches!(effect, Effect::Start { .. })) {
                // A program is never started that the next server would not know of.
                self.saving.dirty = true;
                self.store_world();
            }
            for effect in effects {
                self.perform(effect);
            }
        }
        self.inbox.busy = false;
        if !self.inbox.more {
            self.store_world();
        }
    }

    /// Takes several inputs as one: what each leads to is done at once, the world is stored once. What
    /// it tells others leaves after that, at the end of the loop's turn.
    pub(crate) fn as_one(&mut self, inputs: impl FnOnce(&mut Self)) {
        let more = std::mem::replace(&mut self.inbox.more, true);
        inputs(self);
        self.inbox.more = more;
        if !more {
            self.store_world();
        }
    }
}
