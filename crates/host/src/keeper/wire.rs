//! How messages travel between keeper and server: whole packets with their descriptors, never blocking.
//!
//! A packet is `version: u16 LE`, `kind: u8`, then the message in postcard; a message too long for a packet goes
//! as a memory file, which is then the packet's last descriptor. What a message asks is not known here.
//!
//! The socket is `SOCK_SEQPACKET`, which keeps packets apart and shows the other end's death as an end of file.
//! (macOS has none for Unix sockets: there a stream with lengths would stand here.)

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::protocol::VERSION;
use crate::{memory, socket};

/// Longer messages travel as memory files.
const LONGEST_INLINE: usize = 16 * 1024;

/// The longest message; the system takes about 2 MiB of arguments and environment for a program.
pub const LONGEST_MESSAGE: usize = 4 << 20;

const INLINE: u8 = 0;
const IN_MEMORY: u8 = 1;

/// One end.
#[derive(Debug)]
pub(super) struct Wire {
    socket: OwnedFd,
    queue: VecDeque<Packet>,
    buffer: Vec<u8>,
}

#[derive(Debug)]
struct Packet {
    bytes: Vec<u8>,
    fds: Vec<Arc<OwnedFd>>,
}

/// What a look at the wire brought.
#[derive(Debug)]
pub(super) enum Received<T> {
    Message(T, Vec<OwnedFd>),
    Nothing,
    Closed,
}

/// Two connected ends, close-on-exec and non-blocking.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?)
}

impl Wire {
    pub(super) fn new(socket: OwnedFd) -> Self {
        Self { socket, queue: VecDeque::new(), buffer: vec![0; LONGEST_INLINE + 3] }
    }

    /// Queues a message and sends what can be sent. An error of kind `InvalidInput` is about this message (it is
    /// too long, nothing was queued), any other about the wire.
    pub(super) fn send<T: Serialize>(&mut self, message: &T, fds: &[&Arc<OwnedFd>]) -> io::Result<()> {
        let mut fds: Vec<_> = fds.iter().map(|fd| Arc::clone(fd)).collect();
        let mut bytes = VERSION.to_le_bytes().to_vec();
        bytes.push(INLINE);
        let mut bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
        if bytes.len() > LONGEST_MESSAGE {
            let text = format!("a message of {} bytes, the keeper takes {LONGEST_MESSAGE}", bytes.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        if bytes.len() > LONGEST_INLINE {
            fds.push(Arc::new(in_memory(&bytes[3..])?));
            bytes.truncate(3);
            bytes[2] = IN_MEMORY;
        }
        self.queue.push_back(Packet { bytes, fds });
        self.flush()
    }

    /// Sends what can be sent without waiting.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        while let Some(packet) = self.queue.front() {
            let fds: Vec<BorrowedFd<'_>> = packet.fds.iter().map(|fd| fd.as_fd()).collect();
            match socket::send_fds(&self.socket, &packet.bytes, &fds) {
                Ok(_) => drop(self.queue.pop_front()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // Too many descriptors on their way: the other end has to take some first.
                Err(error) if error.raw_os_error() == Some(Errno::TOOMANYREFS.raw_os_error()) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether messages wait for the socket to take them.
    pub(super) fn is_waiting(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The next message, if one is there.
    pub(super) fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Received<T>> {
        // An end that went with messages unread is told of once, before what it had said last: that is read too.
        let received = match socket::recv_fds(&self.socket, &mut self.buffer) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                socket::recv_fds(&self.socket, &mut self.buffer)
            }
            other => other,
        };
        let (length, mut fds) = match received {
            Ok(received) => received,
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::WouldBlock => Ok(Received::Nothing),
                    io::ErrorKind::ConnectionReset => Ok(Received::Closed),
                    _ => Err(error),
                };
            }
        };
        if length == 0 {
            return Ok(Received::Closed);
        }
        let message = match &self.buffer[..length] {
            [low, high, ..] if u16::from_le_bytes([*low, *high]) != VERSION => {
                let other = u16::from_le_bytes([*low, *high]);
                return Err(invalid(format!("the other side speaks version {other}, this kraal {VERSION}")));
            }
            [_, _, INLINE, message @ ..] => decode(message)?,
            [_, _, IN_MEMORY] => match fds.pop() {
                Some(fd) => decode(&from_memory(&fd)?)?,
                None => return Err(invalid("a message without its memory file".to_owned())),
            },
            _ => return Err(invalid("a packet of no known kind".to_owned())),
        };
        Ok(Received::Message(message, fds))
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    postcard::from_bytes(bytes).map_err(|error| invalid(format!("a message that cannot be read: {error}")))
}

/// `bytes` as a memory file.
pub(super) fn in_memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let fd = memory::create("kraal-message", bytes.len() as u64)?;
    let mut at = 0;
    while at < bytes.len() {
        at += rustix::io::pwrite(&fd, &bytes[at..], at as u64)?;
    }
    Ok(fd)
}

/// The bytes of [`in_memory`].
pub(super) fn from_memory(fd: &OwnedFd) -> io::Result<Vec<u8>> {
    let length = rustix::fs::fstat(fd)?.st_size as usize;
    if length > LONGEST_MESSAGE {
        return Err(invalid(format!("a message of {length} bytes")));
    }
    let mut bytes = vec![0; length];
    let mut at = 0;
    while at < length {
        match rustix::io::pread(fd, &mut bytes[at..], at as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => at += read,
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends() -> (Wire, Wire) {
        let (a, b) = pair().unwrap();
        (Wire::new(a), Wire::new(b))
    }

    fn receive(wire: &mut Wire) -> (Vec<u8>, Vec<OwnedFd>) {
        match wire.receive().unwrap() {
            Received::Message(message, fds) => (message, fds),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn short_and_long_messages_with_descriptors() {
        let (mut a, mut b) = ends();
        assert!(matches!(b.receive::<Vec<u8>>().unwrap(), Received::Nothing));
        let fd = Arc::new(memory::create("x", 1).unwrap());
        for length in [0, 1, LONGEST_INLINE, 300_000] {
            let message = vec![3u8; length];
            a.send(&message, &[&fd]).unwrap();
            let (got, fds) = receive(&mut b);
            assert_eq!((got.len(), fds.len()), (length, 1));
        }
        let error = a.send(&vec![0u8; LONGEST_MESSAGE + 1], &[]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        drop(a);
        // Another test's fork may hold its end for a moment longer.
        loop {
            match b.receive::<Vec<u8>>().unwrap() {
                Received::Closed => break,
                Received::Nothing => std::thread::yield_now(),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_reader_that_stops_loses_nothing() {
        let (mut a, mut b) = ends();
        let fd = Arc::new(memory::create("x", 1).unwrap());
        for number in 0..500u32 {
            a.send(&(number, vec![0u8; 10_000]), &[&fd]).unwrap();
        }
        assert!(a.is_waiting());
        for number in 0..500u32 {
            a.flush().unwrap();
            match b.receive::<(u32, Vec<u8>)>().unwrap() {
                Received::Message((got, _), fds) => assert_eq!((got, fds.len()), (number, 1)),
                other => panic!("{other:?}"),
            }
        }
        assert!(!a.is_waiting());
    }

    #[test]
    fn another_version_is_said() {
        let (a, mut b) = ends();
        socket::send_fds(&a.socket, &[9, 0, 0, 1], &[]).unwrap();
        assert!(b.receive::<Vec<u8>>().unwrap_err().to_string().contains("version 9"));
    }
}
