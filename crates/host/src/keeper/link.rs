//! The server's end of the wire to its keeper.
//!
//! It says and hears; what to do about it is the server's business. It also holds the environment's lock, so that
//! no other keeper starts while this server still lives.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use super::panes::NO_DESCRIPTORS;
use super::protocol::{Exit, ToKeeper, ToServer};
use super::wire::{Received, Wire};
use crate::lock::Lock;

/// The descriptor on which a server finds its end of the wire.
pub const LINK_FD: RawFd = 3;
/// The descriptor on which a server finds the environment's lock.
pub const LOCK_FD: RawFd = 4;

/// The server's end.
#[derive(Debug)]
pub struct Link {
    wire: Wire,
    _lock: Option<Lock>,
}

/// What the keeper holds for the server, gathered.
#[derive(Debug)]
pub struct Held {
    /// The memory file of the world: see [`crate::slots`].
    pub world: OwnedFd,
    /// Its panes, by rising id.
    pub panes: Vec<HeldPane>,
    /// How often the keeper has started a server again.
    pub restarts: u32,
    /// What the last server died of, in words.
    pub last_death: Option<String>,
}

/// A pane that outlived a server.
#[derive(Debug)]
pub struct HeldPane {
    /// Its id.
    pub pane: u64,
    /// Its program's pid, when it has or had one.
    pub pid: Option<u32>,
    /// How that ended, when it did.
    pub exit: Option<Exit>,
    /// Its journal: see [`crate::journal::Journal::open`].
    pub journal: OwnedFd,
    /// Its terminal, non-blocking; none when it has run nothing yet.
    pub master: Option<OwnedFd>,
}

impl Link {
    /// The link that the keeper left on [`LINK_FD`], and the lock on [`LOCK_FD`]. Call it once, before opening
    /// anything else.
    pub fn from_env() -> io::Result<Self> {
        let missing =
            |_| io::Error::other("no keeper started this process: it is not meant to be run by hand");
        // SAFETY: only looked at here; the checks below tell whether the numbers are descriptors at all.
        let (link, lock) = unsafe { (BorrowedFd::borrow_raw(LINK_FD), BorrowedFd::borrow_raw(LOCK_FD)) };
        let kind = rustix::net::sockopt::socket_type(link).map_err(missing)?;
        if kind != rustix::net::SocketType::SEQPACKET {
            return Err(missing(rustix::io::Errno::PROTOTYPE));
        }
        for fd in [link, lock] {
            rustix::io::fcntl_setfd(fd, rustix::io::FdFlags::CLOEXEC).map_err(missing)?;
        }
        // SAFETY: both are open, the keeper put them there for this process, and nothing else here owns them.
        let (link, lock) = unsafe { (OwnedFd::from_raw_fd(LINK_FD), OwnedFd::from_raw_fd(LOCK_FD)) };
        Ok(Self { wire: Wire::new(link), _lock: Some(Lock::adopt(lock)) })
    }

    /// A link over one end of a `SOCK_SEQPACKET` pair, without a lock: for tests.
    pub fn from_fd(socket: OwnedFd) -> Self {
        Self { wire: Wire::new(socket), _lock: None }
    }

    /// Everything the keeper holds; waits for it. Call it first.
    pub fn held(&mut self) -> io::Result<Held> {
        let (message, fds) = self.wait()?;
        let (ToServer::Hello { panes, restarts, last_death }, Ok([world])) =
            (message, <[_; 1]>::try_from(fds))
        else {
            return Err(unexpected("the keeper's first word is no greeting"));
        };
        let mut held = Held { world, panes: Vec::new(), restarts, last_death };
        for _ in 0..panes {
            let (message, fds) = self.wait()?;
            let mut fds = fds.into_iter();
            let (ToServer::Pane { pane, pid, exit, .. }, Some(journal)) = (message, fds.next()) else {
                return Err(unexpected("the keeper's greeting lacks a pane"));
            };
            held.panes.push(HeldPane { pane, pid, exit, journal, master: fds.next() });
        }
        Ok(held)
    }

    /// Queues a message and sends what can be sent without waiting. An error of kind `InvalidInput` is about this
    /// message alone (too long); any other means the keeper is gone.
    pub fn send(&mut self, message: &ToKeeper) -> io::Result<()> {
        self.wire.send(message, &[])
    }

    /// The next message and its descriptors, `None` when none is there. The keeper's death is an error of kind
    /// `UnexpectedEof`. Also sends what waited. When this process has no descriptors left for a new pane's, its
    /// program is killed and `SpawnFailed` is what comes.
    pub fn recv(&mut self) -> io::Result<Option<(ToServer, Vec<OwnedFd>)>> {
        if self.wire.is_waiting() {
            // A keeper that is gone still has its last words in the socket.
            let _ = self.wire.flush();
        }
        match self.wire.receive()? {
            Received::Message(message, fds) => Ok(Some((self.without_room(message, fds.len()), fds))),
            Received::Nothing => Ok(None),
            Received::Closed => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the keeper is gone")),
        }
    }

    /// A message whose descriptors found no room here, made the failure that it is.
    fn without_room(&mut self, message: ToServer, fds: usize) -> ToServer {
        let pane = match message {
            ToServer::Spawned { pane, .. } if fds < 2 => pane,
            ToServer::Reserved { pane } if fds < 1 => pane,
            message => return message,
        };
        let _ = self.send(&ToKeeper::Signal { pane, signal: libc::SIGKILL });
        ToServer::SpawnFailed { pane, errno: libc::EMFILE, message: NO_DESCRIPTORS.to_owned() }
    }

    /// Whether messages wait until the socket is writable; then call [`Link::flush`].
    pub fn wants_write(&self) -> bool {
        self.wire.is_waiting()
    }

    /// Sends what can be sent without waiting.
    pub fn flush(&mut self) -> io::Result<()> {
        self.wire.flush()
    }

    fn wait(&mut self) -> io::Result<(ToServer, Vec<OwnedFd>)> {
        loop {
            if let Some(received) = self.recv()? {
                return Ok(received);
            }
            let mut fds = [rustix::event::PollFd::new(&self.wire, rustix::event::PollFlags::IN)];
            match rustix::event::poll(&mut fds, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wire.as_fd()
    }
}

fn unexpected(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.to_owned())
}
