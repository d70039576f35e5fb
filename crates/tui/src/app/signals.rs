//! Signals as something the loop can wait for.
//!
//! Not here: what follows from them (`app`).

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mio::net::UnixStream;
use signal_hook::SigId;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};

/// The signals a client minds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// The terminal has another size.
    Resized,
    /// Somebody wants the client to end.
    Terminate,
    /// The terminal is gone.
    HungUp,
    /// Somebody wants the client to stop for a while.
    Stop,
    /// It goes on after a stop.
    Continued,
}

const MINDED: [(i32, Signal); 6] = [
    (SIGTERM, Signal::Terminate),
    (SIGINT, Signal::Terminate),
    (SIGHUP, Signal::HungUp),
    (SIGTSTP, Signal::Stop),
    (SIGCONT, Signal::Continued),
    (SIGWINCH, Signal::Resized),
];

/// Signals that came; until it is dropped they do nothing else.
pub(super) struct Signals {
    pub(super) pipe: UnixStream,
    flags: Vec<(Arc<AtomicBool>, Signal)>,
    ids: Vec<SigId>,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let (read, write) = StdStream::pair()?;
        read.set_nonblocking(true)?;
        write.set_nonblocking(true)?;
        let mut signals = Signals { pipe: UnixStream::from_std(read), flags: Vec::new(), ids: Vec::new() };
        for (number, signal) in MINDED {
            let flag = Arc::new(AtomicBool::new(false));
            // The flag is set before the pipe wakes the loop.
            signals.ids.push(signal_hook::flag::register(number, Arc::clone(&flag))?);
            signals.ids.push(signal_hook::low_level::pipe::register(number, write.try_clone()?)?);
            signals.flags.push((flag, signal));
        }
        Ok(signals)
    }

    /// What came since the last time.
    pub(super) fn take(&mut self) -> Vec<Signal> {
        let mut drained = [0; 64];
        while matches!(self.pipe.read(&mut drained), Ok(n) if n > 0) {}
        let came = self.flags.iter().filter(|(flag, _)| flag.swap(false, Ordering::SeqCst));
        came.map(|(_, signal)| *signal).collect()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.ids.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// Stops this process as SIGTSTP does by default; returns when it goes on.
pub(super) fn stop_here() {
    drop(signal_hook::low_level::emulate_default_handler(SIGTSTP));
}
