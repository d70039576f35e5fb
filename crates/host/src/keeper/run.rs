//! The keeper's life: one thread, one loop over its signals and the wire to the server.
//!
//! What it does for panes stands in [`super::panes`], for the server in [`super::server`], at the end in
//! [`super::end`], at an upgrade in [`super::table`]. It waits for nothing but the loop's next event.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::path::PathBuf;
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Resource, Rlimit, WaitOptions, WaitStatus};

use super::crash::Account;
use super::end::Ending;
use super::panes::Pane;
use super::protocol::{Exit, ToKeeper, VERSION};
use super::registry;
use super::server::Server;
use super::signals::{Asked, Signals};
use super::table::Table;
use super::wire::Received;
use crate::clock::monotonic_ms;
use crate::dirs::{Dirs, EnvironmentDirs};
use crate::lock::{Lock, LockError};
use crate::slots;

/// What a keeper answers to `--probe`: [`super::probe`] looks for it.
pub(super) fn probe_answer() -> String {
    format!("kraal keeper {VERSION}\n")
}

/// Milliseconds that programs have to end when the keeper itself is asked to by `SIGTERM`.
const TERM_GRACE_MS: u32 = 3_000;

/// The most open files a keeper and its servers ask for: two for each pane and some.
const OPEN_FILES: u64 = 65_536;

/// What a keeper is told at its start.
#[derive(Debug)]
pub struct KeeperConfig(Role);

#[derive(Debug)]
enum Role {
    /// Say the version and end.
    Probe,
    /// Keep an environment from its beginning; the pipe hears when the server is ready, or why not.
    Start { dirs: EnvironmentDirs, exe: PathBuf, ready: Option<OwnedFd> },
    /// Go on where a former binary was, by the table in a memory file.
    Resume { dirs: EnvironmentDirs, exe: PathBuf, table: OwnedFd },
}

impl KeeperConfig {
    /// From the arguments after `__keeper`: `--probe`, or `<environment> --exe <path> [--ready <fd>]
    /// [--resume <fd>]`. Takes the descriptors over. Folders come from the process's environment.
    pub fn from_args(args: impl IntoIterator<Item = OsString>) -> io::Result<Self> {
        let usage =
            || io::Error::new(io::ErrorKind::InvalidInput, "the keeper is not meant to be run by hand");
        let mut args = args.into_iter();
        let name = args.next().and_then(|name| name.into_string().ok()).ok_or_else(usage)?;
        if name == "--probe" {
            return Ok(Self(Role::Probe));
        }
        let dirs = Dirs::from_env().and_then(|dirs| dirs.environment(&name)).map_err(io::Error::other)?;
        let (mut exe, mut ready, mut table) = (None, None, None);
        while let (Some(option), Some(value)) = (args.next(), args.next()) {
            match option.to_str() {
                Some("--exe") => exe = Some(PathBuf::from(value)),
                Some("--ready") => ready = Some(adopt(&value).ok_or_else(usage)?),
                Some("--resume") => table = Some(adopt(&value).ok_or_else(usage)?),
                _ => return Err(usage()),
            }
        }
        let exe = exe.filter(|exe| exe.is_absolute()).ok_or_else(usage)?;
        Ok(Self(match table {
            Some(table) => Role::Resume { dirs, exe, table },
            None => Role::Start { dirs, exe, ready },
        }))
    }
}

/// The descriptor with a number that whoever executed this process left open for it.
fn adopt(number: &OsString) -> Option<OwnedFd> {
    let number: RawFd = number.to_str()?.parse().ok().filter(|number| *number > 2)?;
    // SAFETY: only looked at; the call below tells whether it is a descriptor at all.
    let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::CLOEXEC).ok()?;
    // SAFETY: it is open, was left for us by name, and nothing else here owns it.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

/// The keeper's whole life. Call it before the process has a second thread; it returns when the environment has
/// ended.
pub fn run(config: KeeperConfig) -> io::Result<()> {
    match config.0 {
        Role::Probe => io::stdout().write_all(probe_answer().as_bytes()),
        Role::Resume { dirs, exe, table } => Table::load(&table)?.resume(dirs, exe)?.live(),
        Role::Start { dirs, exe, ready } => {
            let mut ready = ready.map(File::from);
            match Keeper::start(dirs, exe) {
                Ok(mut keeper) => {
                    keeper.ready = ready;
                    keeper.start_server();
                    keeper.live()
                }
                Err(error) => {
                    let word = match error.downcast_ref() {
                        Some(LockError::Held { pid, .. }) => format!("held {}\n", pid.unwrap_or(0)),
                        _ => format!("failed {error}\n"),
                    };
                    if let Some(pipe) = &mut ready {
                        let _ = pipe.write_all(word.as_bytes());
                    }
                    Err(io::Error::other(error))
                }
            }
        }
    }
}

/// The keeper.
#[derive(Debug)]
pub(super) struct Keeper {
    pub(super) dirs: EnvironmentDirs,
    /// What servers are started from.
    pub(super) exe: PathBuf,
    pub(super) lock: Lock,
    /// Its entry in the register of keepers.
    pub(super) entry: Option<PathBuf>,
    pub(super) signals: Signals,
    pub(super) world: Arc<OwnedFd>,
    pub(super) panes: BTreeMap<u64, Pane>,
    pub(super) server: Option<Server>,
    pub(super) state: State,
    pub(super) account: Account,
    /// How often a server was started again.
    pub(super) restarts: u32,
    /// What the last one died of.
    pub(super) last_death: Option<String>,
    /// Who waits for the first server to be ready.
    pub(super) ready: Option<File>,
    /// The limit of open files that programs get: what the keeper was started with.
    pub(super) open_files: (u64, u64),
}

/// What the keeper is about, as to the server.
#[derive(Debug)]
pub(super) enum State {
    /// It runs, or has just died.
    Serving,
    /// It is started again at this time.
    Waiting(u64),
    /// It is not started again until somebody asks.
    Halted,
    /// The environment ends.
    Ending(Ending),
}

impl Keeper {
    fn start(dirs: EnvironmentDirs, exe: PathBuf) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        dirs.create_runtime()?;
        // A state folder that cannot be written costs the saved state, not the environment.
        let lock = match crate::dirs::make_private(&dirs.state).map(|()| Lock::acquire(&dirs.lock)) {
            Ok(Err(held @ LockError::Held { .. })) => return Err(held.into()),
            Ok(Ok(lock)) => lock,
            _ => Lock::acquire(&dirs.runtime.join("lock"))?,
        };
        let world = Arc::new(slots::allocate()?);
        Ok(Self::new(dirs, exe, lock, world, raise_open_files())?)
    }

    pub(super) fn new(
        dirs: EnvironmentDirs,
        exe: PathBuf,
        lock: Lock,
        world: Arc<OwnedFd>,
        open_files: (u64, u64),
    ) -> io::Result<Self> {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let signals = Signals::block()?;
        let _ = std::fs::remove_file(&dirs.halted);
        let entry = registry::register(&dirs.keepers, &dirs.name).ok();
        Ok(Self {
            dirs,
            exe,
            lock,
            entry,
            signals,
            world,
            panes: BTreeMap::new(),
            server: None,
            state: State::Serving,
            account: Account::default(),
            restarts: 0,
            last_death: None,
            ready: None,
            open_files,
        })
    }

    pub(super) fn live(mut self) -> io::Result<()> {
        self.reap();
        loop {
            self.wait()?;
            self.listen();
            let mut reap = false;
            while let Some(asked) = self.signals.next() {
                match asked {
                    Asked::Reap => reap = true,
                    Asked::Retry => self.retry(),
                    Asked::End => {
                        self.end(TERM_GRACE_MS);
                        self.close_wire();
                    }
                }
            }
            if reap {
                self.reap();
            }
            self.tick_server();
            if self.has_ended() {
                break;
            }
        }
        for path in self.entry.iter().chain([&self.dirs.halted, &self.dirs.socket]) {
            let _ = std::fs::remove_file(path);
        }
        Ok(())
    }

    /// Waits for a signal, the wire, or the next deadline.
    fn wait(&mut self) -> io::Result<()> {
        let deadline = match &self.state {
            State::Waiting(at) => Some(*at),
            State::Ending(ending) => ending.next_look(),
            State::Serving | State::Halted => None,
        };
        let kill_at = self.server.as_ref().and_then(|server| server.kill_at);
        let deadline = [deadline, kill_at].into_iter().flatten().min();
        let timeout = deadline.map(|at| {
            let left = at.saturating_sub(monotonic_ms());
            Timespec { tv_sec: (left / 1000) as i64, tv_nsec: (left % 1000 * 1_000_000) as _ }
        });
        let mut fds = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if let Some(wire) = self.server.as_ref().and_then(|server| server.wire.as_ref()) {
            let write = if wire.is_waiting() { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::new(wire, PollFlags::IN | write));
        }
        match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Does what the server asks, for as long as there is something on the wire.
    pub(super) fn listen(&mut self) {
        while let Some(wire) = self.server.as_mut().and_then(|server| server.wire.as_mut()) {
            // A failing flush is a server about to be reaped.
            let _ = wire.flush();
            match wire.receive() {
                Ok(Received::Message(message, _)) => self.obey(message),
                Ok(Received::Nothing) => break,
                Ok(Received::Closed) => self.close_wire(),
                Err(error) => {
                    self.note(&format!("the server is not understood and is ended: {error}"));
                    self.kill_server();
                }
            }
        }
    }

    fn obey(&mut self, message: ToKeeper) {
        match message {
            ToKeeper::Spawn(spawn) => self.spawn(&spawn),
            ToKeeper::Reserve { pane, history } => self.reserve(pane, history),
            ToKeeper::Signal { pane, signal } => self.signal(pane, signal),
            ToKeeper::Forget { pane } => drop(self.panes.remove(&pane)),
            ToKeeper::Upgrade { exe } => self.upgrade(&exe),
            ToKeeper::Ready => self.server_is_ready(),
            ToKeeper::Failed { reason } => {
                if let Some(server) = &mut self.server {
                    server.failure = Some(reason);
                }
            }
            ToKeeper::End { grace_ms } => self.end(grace_ms),
        }
    }

    /// Takes note of every child that ended: a pane's program, the server, or an orphan of either.
    pub(super) fn reap(&mut self) {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            let Some(exit) = exit(status) else { continue };
            let pid = pid.as_raw_nonzero().get() as u32;
            if self.server.as_ref().is_some_and(|server| server.pid == pid) {
                self.server_ended(exit);
            } else {
                self.program_ended(pid, exit);
            }
        }
    }

    /// A line in the log, which is the keeper's standard error.
    pub(super) fn note(&self, text: &str) {
        let now = crate::clock::now_ms();
        let _ = writeln!(io::stderr(), "{}.{:03} keeper: {text}", now / 1000, now % 1000);
    }
}

fn exit(status: WaitStatus) -> Option<Exit> {
    status.exit_status().map(Exit::Code).or_else(|| status.terminating_signal().map(Exit::Signal))
}

/// Raises the limit of open files for keeper and servers; answers the former (soft, hard) for programs.
fn raise_open_files() -> (u64, u64) {
    let found = rustix::process::getrlimit(Resource::Nofile);
    let (soft, hard) = (found.current.unwrap_or(u64::MAX), found.maximum.unwrap_or(u64::MAX));
    let wanted = OPEN_FILES.min(hard).max(soft);
    let _ = rustix::process::setrlimit(
        Resource::Nofile,
        Rlimit { current: Some(wanted), maximum: found.maximum },
    );
    (soft, hard)
}
