//! What the keeper does for panes: starts programs, holds terminals and journals, passes signals and exits on.
//!
//! It never reads a terminal and never looks into a journal's bytes.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;

use super::protocol::{Exit, Spawn, ToServer};
use super::registry;
use super::run::Keeper;
use crate::journal::{self, Sizes};
use crate::spawn::{Program, SpawnError, Streams};
use crate::{process, pty, spawn};

/// Signals that go to every process of a pane's session.
const TO_ALL: [i32; 3] = [libc::SIGHUP, libc::SIGTERM, libc::SIGKILL];

/// Descriptors that new panes leave to the server for clients, files and git.
const DESCRIPTORS_LEFT: u64 = 64;

pub(super) const NO_DESCRIPTORS: &str = "no descriptors are left for another pane: close some panes first";

/// A pane, as far as the keeper knows it.
#[derive(Debug)]
pub(super) struct Pane {
    pub(super) pid: Option<u32>,
    pub(super) exit: Option<Exit>,
    pub(super) journal: Arc<OwnedFd>,
    pub(super) master: Option<Arc<OwnedFd>>,
}

impl Pane {
    fn is_running(&self) -> bool {
        self.pid.is_some() && self.exit.is_none()
    }
}

/// The system's number and one sentence.
struct Failure(i32, String);

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let errno = error.raw_os_error().unwrap_or(0);
        let text = match errno {
            libc::EMFILE | libc::ENFILE => NO_DESCRIPTORS.to_owned(),
            _ => format!("cannot make a pane: {error}"),
        };
        Self(errno, text)
    }
}

impl From<SpawnError> for Failure {
    fn from(error: SpawnError) -> Self {
        Self(error.errno, error.to_string())
    }
}

impl Keeper {
    pub(super) fn spawn(&mut self, spawn: &Spawn) {
        if let Err(Failure(errno, message)) = self.try_spawn(spawn) {
            self.tell(&ToServer::SpawnFailed { pane: spawn.pane, errno, message }, &[]);
        }
    }

    fn try_spawn(&mut self, wanted: &Spawn) -> Result<(), Failure> {
        let found = self.panes.get(&wanted.pane);
        if found.is_some_and(Pane::is_running) {
            let busy = Errno::BUSY.raw_os_error();
            return Err(Failure(busy, format!("pane {} still runs its program", wanted.pane)));
        }
        let journal = match found {
            Some(pane) => Arc::clone(&pane.journal),
            None => self.new_journal(wanted.history)?,
        };
        let pty = pty::open(wanted.size)?;
        let pid = spawn::spawn(&Program {
            argv: &wanted.argv,
            env: &wanted.env,
            cwd: &wanted.cwd,
            streams: Streams::Terminal(pty.slave.as_fd()),
            pass: &[],
            open_files: Some(self.open_files),
        })?;
        let master = Arc::new(pty.master);
        self.tell(&ToServer::Spawned { pane: wanted.pane, pid }, &[&journal, &master]);
        let pane = Pane { pid: Some(pid), exit: None, journal, master: Some(master) };
        self.panes.insert(wanted.pane, pane);
        Ok(())
    }

    pub(super) fn reserve(&mut self, pane: u64, history: u32) {
        let journal = match self.panes.get(&pane) {
            Some(found) => Ok(Arc::clone(&found.journal)),
            None => self.new_journal(history),
        };
        match journal {
            Ok(journal) => {
                self.tell(&ToServer::Reserved { pane }, &[&journal]);
                self.panes.entry(pane).or_insert(Pane { pid: None, exit: None, journal, master: None });
            }
            Err(Failure(errno, message)) => {
                self.tell(&ToServer::SpawnFailed { pane, errno, message }, &[]);
            }
        }
    }

    /// A journal for a new pane, while there are descriptors for one here and in the server.
    fn new_journal(&self, history: u32) -> Result<Arc<OwnedFd>, Failure> {
        let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
        if (self.panes.len() as u64 + 1) * 2 + DESCRIPTORS_LEFT.min(most / 2) > most {
            return Err(Failure(libc::EMFILE, NO_DESCRIPTORS.to_owned()));
        }
        let sizes = Sizes { blocks: history as usize, ..Sizes::default() };
        Ok(Arc::new(journal::allocate(sizes)?))
    }

    pub(super) fn signal(&self, pane: u64, signal: i32) {
        let Some((pane, session)) = self.panes.get(&pane).and_then(|pane| Some((pane, pane.pid?))) else {
            return;
        };
        // The number of a program that ended may be another's by now.
        if !pane.is_running() && self.panes.values().any(|other| other.is_running() && other.pid == pane.pid)
        {
            return;
        }
        if TO_ALL.contains(&signal) {
            // From the keeper down: whoever lost its parent hangs under the keeper.
            let below = process::descendants(std::process::id(), &registry::others(&self.dirs.keepers));
            for (pid, _) in below.iter().filter(|(_, stat)| stat.session == session) {
                process::signal(*pid, signal);
            }
            return;
        }
        let foreground = pane.master.as_ref().and_then(pty::foreground);
        if pane.is_running() {
            process::signal_group(session, signal);
        }
        if let Some(group) = foreground.filter(|group| *group != session) {
            process::signal_group(group, signal);
        }
    }

    /// Takes note of a program's end, when it was a pane's.
    pub(super) fn program_ended(&mut self, pid: u32, exit: Exit) {
        let ended = self.panes.iter_mut().find(|(_, pane)| pane.pid == Some(pid) && pane.exit.is_none());
        if let Some((id, pane)) = ended {
            pane.exit = Some(exit);
            let pane = *id;
            self.tell(&ToServer::Exited { pane, exit }, &[]);
        }
    }
}
