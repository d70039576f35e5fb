//! Pseudo-terminals: a pair, its size, its foreground, its bytes.
//!
//! It starts nothing and understands no byte: who runs in it is [`crate::spawn`]'s and [`crate::process`]'s
//! business.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pty::OpenptFlags;
use rustix::termios::{InputModes, OptionalActions, Winsize};
use serde::{Deserialize, Serialize};

/// A terminal's size in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

/// Both ends of a new terminal, close-on-exec.
#[derive(Debug)]
pub struct Pty {
    /// Our end, non-blocking.
    pub master: OwnedFd,
    /// The program's end, to be its standard streams.
    pub slave: OwnedFd,
}

/// A new terminal of the given size, in UTF-8 mode (the kernel erases whole characters).
pub fn open(size: Size) -> io::Result<Pty> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags)?;
    rustix::pty::grantpt(&master)?;
    rustix::pty::unlockpt(&master)?;
    let slave = rustix::pty::ioctl_tiocgptpeer(&master, flags)?;
    let mut modes = rustix::termios::tcgetattr(&slave)?;
    modes.input_modes |= InputModes::IUTF8;
    rustix::termios::tcsetattr(&slave, OptionalActions::Now, &modes)?;
    set_size(&master, size)?;
    let status = rustix::fs::fcntl_getfl(&master)?;
    rustix::fs::fcntl_setfl(&master, status | OFlags::NONBLOCK)?;
    Ok(Pty { master, slave })
}

/// Tells the terminal its size; the kernel tells the programs in its foreground when it changed.
pub fn set_size(master: impl AsFd, size: Size) -> io::Result<()> {
    let winsize = Winsize { ws_row: size.rows, ws_col: size.cols, ws_xpixel: 0, ws_ypixel: 0 };
    Ok(rustix::termios::tcsetwinsize(master, winsize)?)
}

/// The terminal's size.
pub fn size(master: impl AsFd) -> io::Result<Size> {
    let winsize = rustix::termios::tcgetwinsize(master)?;
    Ok(Size { cols: winsize.ws_col, rows: winsize.ws_row })
}

/// The process group in the terminal's foreground; `None` when there is none.
pub fn foreground(master: impl AsFd) -> Option<u32> {
    rustix::termios::tcgetpgrp(master).ok().map(|group| group.as_raw_nonzero().get() as u32)
}

/// Writes to the program's input: how many bytes went, `None` when it takes none now. An error of kind
/// `BrokenPipe` when nobody holds the other end.
pub fn write(master: impl AsFd, bytes: &[u8]) -> io::Result<Option<usize>> {
    loop {
        match rustix::io::write(&master, bytes) {
            Ok(written) => return Ok(Some(written)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(None),
            Err(Errno::IO) => return Err(io::ErrorKind::BrokenPipe.into()),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Reads the program's output: how many bytes came, `None` when there are none now, 0 when nobody holds the other
/// end and all is read. Panes read through [`crate::journal`] instead.
pub fn read(master: impl AsFd, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    loop {
        match rustix::io::read(&master, &mut *buffer) {
            Ok(read) => return Ok(Some(read)),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(None),
            Err(Errno::IO) => return Ok(Some(0)),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_carries_bytes_and_size() {
        let pty = open(Size { cols: 80, rows: 24 }).unwrap();
        assert_eq!(size(&pty.slave).unwrap(), Size { cols: 80, rows: 24 });
        set_size(&pty.master, Size { cols: 1, rows: 1 }).unwrap();
        assert_eq!(size(&pty.slave).unwrap(), Size { cols: 1, rows: 1 });
        let mut buffer = [0; 64];
        assert_eq!(read(&pty.master, &mut buffer).unwrap(), None);
        assert_eq!(foreground(&pty.master), None, "nobody's controlling terminal yet");
        rustix::io::write(&pty.slave, b"hi\n").unwrap();
        let length = read(&pty.master, &mut buffer).unwrap().unwrap();
        assert_eq!(&buffer[..length], b"hi\r\n");
        assert!(write(&pty.master, b"x\n").unwrap().is_some());
        drop(pty.slave);
        while read(&pty.master, &mut buffer).unwrap() != Some(0) {}
    }

    #[test]
    fn a_full_input_takes_no_more() {
        let pty = open(Size { cols: 80, rows: 24 }).unwrap();
        let mut modes = rustix::termios::tcgetattr(&pty.slave).unwrap();
        modes.make_raw();
        rustix::termios::tcsetattr(&pty.slave, OptionalActions::Now, &modes).unwrap();
        let mut sent = 0;
        while let Some(count) = write(&pty.master, &[b'x'; 4096]).unwrap() {
            sent += count;
        }
        assert!(sent > 0);
    }
}
