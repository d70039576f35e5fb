//! The upgrade: the keeper executes a new binary over itself, and that goes on with what the old one held.
//!
//! Children stay children, descriptors stay open under their numbers, signals stay blocked. What they are is
//! written into a memory file first. When the execution fails, nothing has changed.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::FdFlags;
use serde::{Deserialize, Serialize};

use super::panes::Pane;
use super::protocol::{Exit, ToServer};
use super::run::Keeper;
use super::server::Server;
use super::wire::{self, Wire};
use crate::clock::monotonic_ms;
use crate::dirs::EnvironmentDirs;
use crate::lock::Lock;

/// The table's layout. A new binary reads every older one it can follow.
const LAYOUT: u16 = 1;
/// An old server that does not exit after an upgrade is killed.
const TIME_TO_LEAVE_MS: u64 = 10_000;

/// What a keeper holds, by numbers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Table {
    layout: u16,
    lock: RawFd,
    world: RawFd,
    server: Option<(u32, Option<RawFd>)>,
    panes: Vec<Row>,
    restarts: u32,
    last_death: Option<String>,
    open_files: (u64, u64),
}

#[derive(Debug, Serialize, Deserialize)]
struct Row {
    pane: u64,
    pid: Option<u32>,
    exit: Option<Exit>,
    journal: RawFd,
    master: Option<RawFd>,
}

impl Keeper {
    /// Becomes the binary at `exe`; returns only when that failed.
    pub(super) fn upgrade(&mut self, exe: &Path) {
        let error = self.flush_wire().and_then(|()| self.become_binary(exe)).err();
        let reason = error.map_or_else(String::new, |error| format!(": {error}"));
        let message = format!("cannot become {}{reason}", exe.display());
        self.note(&message);
        self.tell(&ToServer::UpgradeFailed { message }, &[]);
    }

    /// What waits for the server must have gone: the queue does not survive.
    fn flush_wire(&mut self) -> io::Result<()> {
        let late = monotonic_ms() + 2_000;
        while let Some(wire) = self.server.as_mut().and_then(|server| server.wire.as_mut()) {
            wire.flush()?;
            if !wire.is_waiting() {
                break;
            }
            if monotonic_ms() > late {
                return Err(io::Error::other("the server does not listen"));
            }
            let mut fds = [PollFd::new(wire, PollFlags::OUT)];
            rustix::event::poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 100_000_000 }))?;
        }
        Ok(())
    }

    fn become_binary(&self, exe: &Path) -> io::Result<()> {
        let table = postcard::to_stdvec(&self.table()).map_err(io::Error::other)?;
        let table = wire::in_memory(&table)?;
        let c = |bytes: &[u8]| CString::new(bytes).map_err(io::Error::other);
        let path = c(exe.as_os_str().as_bytes())?;
        let number = c(table.as_raw_fd().to_string().as_bytes())?;
        let name = c(self.dirs.name.as_bytes())?;
        let argv = [
            path.as_ptr(),
            c"__keeper".as_ptr(),
            name.as_ptr(),
            c"--exe".as_ptr(),
            path.as_ptr(),
            c"--resume".as_ptr(),
            number.as_ptr(),
            std::ptr::null(),
        ];
        self.set_inherited(&table, FdFlags::empty())?;
        // SAFETY: the vector ends with a null and its strings live; on success nothing of this program is left.
        // `std`'s own `exec` would unblock our signals, and one that came in between would end the new keeper.
        unsafe { libc::execv(path.as_ptr(), argv.as_ptr()) };
        let error = io::Error::last_os_error();
        self.set_inherited(&table, FdFlags::CLOEXEC)?;
        Err(error)
    }

    fn table(&self) -> Table {
        let row = |(id, pane): (&u64, &Pane)| Row {
            pane: *id,
            pid: pane.pid,
            exit: pane.exit,
            journal: pane.journal.as_raw_fd(),
            master: pane.master.as_ref().map(|master| master.as_raw_fd()),
        };
        let number = |server: &Server| server.wire.as_ref().map(|wire| wire.as_fd().as_raw_fd());
        Table {
            layout: LAYOUT,
            lock: self.lock.as_fd().as_raw_fd(),
            world: self.world.as_raw_fd(),
            server: self
                .server
                .as_ref()
                .filter(|server| server.pid != 0)
                .map(|server| (server.pid, number(server))),
            panes: self.panes.iter().map(row).collect(),
            restarts: self.restarts,
            last_death: self.last_death.clone(),
            open_files: self.open_files,
        }
    }

    /// Lets everything in the table stay open at an execution, or not.
    fn set_inherited(&self, table: &OwnedFd, flags: FdFlags) -> io::Result<()> {
        let mut fds: Vec<BorrowedFd<'_>> = vec![table.as_fd(), self.lock.as_fd(), self.world.as_fd()];
        fds.extend(self.server.iter().filter_map(|server| server.wire.as_ref()).map(|wire| wire.as_fd()));
        for pane in self.panes.values() {
            fds.push(pane.journal.as_fd());
            fds.extend(pane.master.as_ref().map(|master| master.as_fd()));
        }
        for fd in fds {
            rustix::io::fcntl_setfd(fd, flags)?;
        }
        Ok(())
    }
}

impl Table {
    /// The table that a former binary left.
    pub(super) fn load(fd: &OwnedFd) -> io::Result<Self> {
        let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
        let bytes = wire::from_memory(fd)?;
        let table: Self =
            postcard::from_bytes(&bytes).map_err(|error| invalid(format!("the keeper's table: {error}")))?;
        if table.layout != LAYOUT {
            return Err(invalid(format!("a keeper's table of layout {}", table.layout)));
        }
        Ok(table)
    }

    /// The keeper that the table describes. Its old server is told to go.
    pub(super) fn resume(self, dirs: EnvironmentDirs, exe: PathBuf) -> io::Result<Keeper> {
        let lock = Lock::adopt(adopt(self.lock)?);
        let world = Arc::new(adopt(self.world)?);
        let mut keeper = Keeper::new(dirs, exe, lock, world, self.open_files)?;
        keeper.restarts = self.restarts;
        keeper.last_death = self.last_death;
        for row in self.panes {
            let journal = Arc::new(adopt(row.journal)?);
            let master = row.master.map(adopt).transpose()?.map(Arc::new);
            keeper.panes.insert(row.pane, Pane { pid: row.pid, exit: row.exit, journal, master });
        }
        match self.server {
            None => keeper.start_server(),
            Some((pid, wire)) => {
                let wire = wire.map(adopt).transpose()?.map(Wire::new);
                let kill_at = Some(monotonic_ms() + TIME_TO_LEAVE_MS);
                keeper.server = Some(Server { pid, wire, failure: None, is_leaving: true, kill_at });
                keeper.tell(&ToServer::Upgraded, &[]);
            }
        }
        Ok(keeper)
    }
}

/// The descriptor of a number in the table.
fn adopt(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: only looked at; the call tells whether it is a descriptor at all.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_setfd(fd, FdFlags::CLOEXEC)?;
    // SAFETY: it is open, the former binary left it to us by this number, each number stands once in the table.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
