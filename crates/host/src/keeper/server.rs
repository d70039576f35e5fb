//! What the keeper does for the server: starts it, greets it, counts its deaths.
//!
//! It does not judge a death: the rules of restarting are [`super::crash`]'s.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use super::crash::Death;
use super::protocol::{Exit, ToServer};
use super::run::{Keeper, State};
use super::wire::{self, Wire};
use crate::clock::monotonic_ms;
use crate::journal::{Guard, Phase};
use crate::spawn::{Program, Streams};
use crate::{files, process, spawn};

/// A server that closed the wire, or was told to go, is killed when it still lives after this.
const TIME_TO_LEAVE_MS: u64 = 10_000;

/// The server that runs.
#[derive(Debug)]
pub(super) struct Server {
    /// 0 once it has ended.
    pub(super) pid: u32,
    /// `None` once either side has closed it.
    pub(super) wire: Option<Wire>,
    /// What it said it cannot run for.
    pub(super) failure: Option<String>,
    /// Whether it was told to go for an upgrade: its end is no death.
    pub(super) is_leaving: bool,
    /// When to lose patience with it.
    pub(super) kill_at: Option<u64>,
}

impl Keeper {
    /// Starts a server and tells it everything.
    pub(super) fn start_server(&mut self) {
        self.state = State::Serving;
        match self.try_start_server() {
            Ok(server) => {
                self.server = Some(server);
                self.greet();
            }
            Err(reason) => self.count_death(Death::Crash, &format!("the server was not started: {reason}")),
        }
    }

    fn try_start_server(&self) -> Result<Server, String> {
        let (ours, theirs) = wire::pair().map_err(|error| error.to_string())?;
        let argv = [self.exe.clone().into_os_string(), "__server".into(), OsString::from(&self.dirs.name)];
        let env: Vec<_> = std::env::vars_os().collect();
        let pid = spawn::spawn(&Program {
            argv: &argv,
            env: &env,
            cwd: Path::new("/"),
            streams: Streams::Inherit,
            pass: &[theirs.as_fd(), self.lock.as_fd()],
            open_files: None,
        })
        .map_err(|error| error.to_string())?;
        let wire = Some(Wire::new(ours));
        Ok(Server { pid, wire, failure: None, is_leaving: false, kill_at: None })
    }

    fn greet(&mut self) {
        let hello = ToServer::Hello {
            panes: self.panes.len() as u32,
            restarts: self.restarts,
            last_death: self.last_death.clone(),
        };
        let world = Arc::clone(&self.world);
        self.tell(&hello, &[&world]);
        let panes: Vec<_> = self
            .panes
            .iter()
            .map(|(id, pane)| {
                let terminal = pane.master.is_some();
                let word = ToServer::Pane { pane: *id, pid: pane.pid, exit: pane.exit, terminal };
                (word, [Some(Arc::clone(&pane.journal)), pane.master.clone()])
            })
            .collect();
        for (word, fds) in &panes {
            let fds: Vec<&Arc<OwnedFd>> = fds.iter().flatten().collect();
            self.tell(word, &fds);
        }
    }

    /// Sends the server a word; one that is gone will be told by the next greeting.
    pub(super) fn tell(&mut self, word: &ToServer, fds: &[&Arc<OwnedFd>]) {
        if let Some(wire) = self.server.as_mut().and_then(|server| server.wire.as_mut()) {
            let _ = wire.send(word, fds);
        }
    }

    pub(super) fn server_is_ready(&mut self) {
        self.account.ready(monotonic_ms());
        let _ = fs::remove_file(&self.dirs.halted);
        self.answer("ok\n");
    }

    /// Says once, to whoever started the environment, how it went.
    fn answer(&mut self, word: &str) {
        if let Some(mut pipe) = self.ready.take() {
            let _ = pipe.write_all(word.as_bytes());
        }
    }

    /// Closes the wire: the server saves and exits.
    pub(super) fn close_wire(&mut self) {
        if let Some(server) = &mut self.server {
            server.wire = None;
            server.kill_at.get_or_insert(monotonic_ms() + TIME_TO_LEAVE_MS);
        }
    }

    pub(super) fn kill_server(&mut self) {
        if let Some(server) = &mut self.server {
            process::signal(server.pid, libc::SIGKILL);
            server.wire = None;
            server.kill_at = None;
        }
    }

    /// What the clock asks for, as to the server.
    pub(super) fn tick_server(&mut self) {
        let now = monotonic_ms();
        if self.server.as_ref().and_then(|server| server.kill_at).is_some_and(|at| at <= now) {
            self.kill_server();
        }
        if matches!(self.state, State::Waiting(at) if at <= now) {
            self.restarts += 1;
            self.start_server();
        }
    }

    /// Somebody wants a server that was given up.
    pub(super) fn retry(&mut self) {
        if matches!(self.state, State::Halted | State::Waiting(_)) {
            self.account.forgive();
            let _ = fs::remove_file(&self.dirs.halted);
            self.restarts += 1;
            self.start_server();
        }
    }

    /// Takes note of the server's end.
    pub(super) fn server_ended(&mut self, exit: Exit) {
        // Its last words are still on the wire; its pid is nobody's, or another's, from now on.
        self.server.iter_mut().for_each(|server| server.pid = 0);
        self.listen();
        let Some(server) = self.server.take() else { return };
        if let State::Ending(_) = self.state {
            return;
        }
        if server.is_leaving {
            self.restarts += 1;
            self.start_server();
            return;
        }
        let death = match exit {
            Exit::Code(0) | Exit::Signal(libc::SIGKILL) => Death::FromOutside,
            _ => Death::Crash,
        };
        let reason = server.failure.unwrap_or_else(|| match exit {
            Exit::Code(code) => format!("the server ended with code {code}"),
            Exit::Signal(signal) => format!("the server was ended by signal {signal}"),
        });
        self.count_death(death, &reason);
    }

    fn count_death(&mut self, death: Death, reason: &str) {
        self.note(reason);
        if self.ready.is_some() && self.panes.is_empty() {
            // Nothing has begun: whoever wanted it hears why, and nothing is left standing.
            self.answer(&format!("failed {reason}\n"));
            self.end(0);
            return;
        }
        let marked = self.take_marks();
        let verdict = self.account.died(monotonic_ms(), death, &marked);
        for pane in verdict.set_aside {
            self.note(&format!("the bytes of pane {pane} have ended the server twice: set aside"));
            if let Some(guard) = self.panes.get(&pane).and_then(|pane| Guard::open(&pane.journal).ok()) {
                guard.set_fault();
            }
        }
        self.last_death = Some(reason.to_owned());
        self.state = match verdict.start_in_ms {
            Some(wait) => State::Waiting(monotonic_ms() + wait),
            None => {
                let text = format!("the server ended five times within a minute, last so: {reason}");
                self.note(&text);
                let _ = files::write_atomic(&self.dirs.halted, text.as_bytes(), 0o600);
                State::Halted
            }
        };
    }

    /// The panes whose journals were being replayed or parsed; clears the marks.
    fn take_marks(&self) -> Vec<u64> {
        let guards = self.panes.iter().filter_map(|(id, pane)| Some((*id, Guard::open(&pane.journal).ok()?)));
        guards
            .filter(|(_, guard)| guard.phase() != Phase::Rest)
            .map(|(id, guard)| {
                guard.rest();
                id
            })
            .collect()
    }
}
