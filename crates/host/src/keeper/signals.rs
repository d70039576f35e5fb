//! The keeper's signals, as a descriptor to poll.
//!
//! They stay blocked for the keeper's whole life, also across an upgrade, so none is lost between two looks;
//! programs start with none blocked (see [`crate::spawn`]). (macOS: `kqueue` would stand here.)
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};

/// What a signal asks of the keeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// A child ended.
    Reap,
    /// End the environment.
    End,
    /// Try again to start a server.
    Retry,
}

/// The descriptor.
#[derive(Debug)]
pub(super) struct Signals(OwnedFd);

impl Signals {
    /// Blocks the signals that the keeper looks at, and ignores those that a closed terminal or a key would send.
    pub(super) fn block() -> io::Result<Self> {
        // SAFETY: a set of our own, plain system calls, and a descriptor that only this value owns.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGUSR1] {
                libc::sigaddset(&mut set, signal);
            }
            if libc::sigprocmask(libc::SIG_SETMASK, &set, std::ptr::null_mut()) == -1 {
                return Err(io::Error::last_os_error());
            }
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGPIPE] {
                libc::signal(signal, libc::SIG_IGN);
            }
            // An ignored SIGCHLD, inherited, would make every exit vanish.
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            match libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(Self(OwnedFd::from_raw_fd(fd))),
            }
        }
    }

    /// The next signal that came, if any.
    pub(super) fn next(&self) -> Option<Asked> {
        let mut info = [0u8; size_of::<libc::signalfd_siginfo>()];
        let length = rustix::io::read(&self.0, &mut info).ok()?;
        // Its first field is the signal's number.
        let number = u32::from_ne_bytes(*info[..length].first_chunk()?);
        match number as i32 {
            libc::SIGTERM => Some(Asked::End),
            libc::SIGUSR1 => Some(Asked::Retry),
            _ => Some(Asked::Reap),
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
