//! The outer terminal's device: opened apart, so that its flags are nobody else's; raw while the
//! client shows, and given back as it was found.
//!
//! Not here: what is written to it (`client`), reading events out of its bytes (`kraal-term`).

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{self, OptionalActions, Termios};

/// How long giving the terminal back may take before it is left as it is.
const GIVE_BACK: Duration = Duration::from_millis(500);
/// A terminal that takes nothing loses bells and titles past this, never cells.
const ASIDE_MAX: usize = 1 << 20;

/// The terminal and what it has not taken yet.
pub(super) struct Tty {
    device: File,
    cooked: Termios,
    pending: Vec<u8>,
    taken: usize,
    raw: bool,
}

/// What reading gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// Bytes, and perhaps more behind them.
    Some(usize),
    /// Nothing for now.
    Nothing,
    /// The terminal is gone.
    End,
}

impl Tty {
    /// The terminal of standard output.
    pub(super) fn open() -> anyhow::Result<Self> {
        let (input, output) = (io::stdin(), io::stdout());
        if !termios::isatty(&input) || !termios::isatty(&output) {
            anyhow::bail!("standard input and output are no terminal: run kraal in one, or use its commands");
        }
        let named = termios::ttyname(&output, Vec::new()).ok();
        let path = named.as_deref().and_then(|name| name.to_str().ok()).unwrap_or("/dev/tty");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let device = rustix::fs::open(Path::new(path), flags, Mode::empty())
            .or_else(|_| rustix::fs::open("/dev/tty", flags, Mode::empty()))
            .with_context(|| format!("the terminal {path} cannot be opened"))?;
        let cooked = termios::tcgetattr(&device).context("the terminal does not tell its modes")?;
        Ok(Tty { device: device.into(), cooked, pending: Vec::new(), taken: 0, raw: false })
    }

    /// Columns and rows; a terminal that does not say has 80 by 24.
    pub(super) fn size(&self) -> (u16, u16) {
        match termios::tcgetwinsize(&self.device) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => (80, 24),
        }
    }

    /// Takes the terminal: every key comes as it is.
    pub(super) fn take(&mut self, enter: &[u8]) -> anyhow::Result<()> {
        let mut raw = self.cooked.clone();
        raw.make_raw();
        termios::tcsetattr(&self.device, OptionalActions::Now, &raw)
            .context("the terminal cannot be made raw")?;
        self.raw = true;
        self.pending.extend_from_slice(enter);
        self.flush().context("the terminal cannot be written to")
    }

    /// Gives the terminal back, as far as it still listens.
    pub(super) fn give_back(&mut self, leave: &[u8]) {
        if !std::mem::take(&mut self.raw) {
            return;
        }
        // Half a sequence would swallow the start of what takes it all back; what is pending is
        // written first, as far as there is patience for it.
        self.pending.extend_from_slice(leave);
        let until = Instant::now() + GIVE_BACK;
        while self.has_pending() && Instant::now() < until {
            if self.flush().is_err() || !self.has_pending() {
                break;
            }
            wait(self.device.as_fd(), PollFlags::OUT, until);
        }
        self.pending.clear();
        self.taken = 0;
        // A terminal that is gone has no modes to restore.
        let _ = termios::tcsetattr(&self.device, OptionalActions::Now, &self.cooked);
    }

    /// Reads what there is.
    pub(super) fn read(&mut self, into: &mut [u8]) -> Got {
        loop {
            return match self.device.read(into) {
                Ok(0) => Got::End,
                Ok(n) => Got::Some(n),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => Got::Nothing,
                Err(_) => Got::End,
            };
        }
    }

    /// Waits for input, not past `until`.
    pub(super) fn wait_input(&self, until: Instant) {
        wait(self.device.as_fd(), PollFlags::IN, until);
    }

    /// Whether it has not taken everything yet: then a new frame would only queue up.
    pub(super) fn has_pending(&self) -> bool {
        self.taken < self.pending.len()
    }

    /// Where a frame is appended.
    pub(super) fn frame(&mut self) -> &mut Vec<u8> {
        &mut self.pending
    }

    /// Appends what is no cell: a title, a bell.
    pub(super) fn aside(&mut self, bytes: &[u8]) {
        if self.pending.len() < ASIDE_MAX {
            self.pending.extend_from_slice(bytes);
        }
    }

    /// Writes what it takes now.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while self.has_pending() {
            match self.device.write(&self.pending[self.taken..]) {
                Ok(n) => self.taken += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) => return Err(e),
            }
        }
        self.pending.clear();
        self.taken = 0;
        Ok(())
    }
}

fn wait(fd: BorrowedFd<'_>, flags: PollFlags, until: Instant) {
    let left = until.saturating_duration_since(Instant::now());
    let Ok(left) = rustix::time::Timespec::try_from(left) else { return };
    // Whatever comes of it, the caller looks at the clock and tries again.
    let _ = poll(&mut [PollFd::from_borrowed_fd(fd, flags)], Some(&left));
}

impl AsRawFd for Tty {
    fn as_raw_fd(&self) -> RawFd {
        self.device.as_raw_fd()
    }
}
