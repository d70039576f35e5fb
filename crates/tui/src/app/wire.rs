//! The connection to the server: bytes that wait to go out, bytes that are no whole frame yet.
//!
//! Not here: what frames mean (`client`), making a connection (the caller).

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream as StdStream;

use kraal_api::envelope::{Id, LINE_BYTES_MAX, request_line};
use kraal_api::request::{Request, Verb};
use kraal_api::stream::{self, Attach};
use mio::net::UnixStream;

use crate::client::{Client, Input, Now, Out};

/// Bytes read in one turn: then keys and drawing have theirs.
const TURN: usize = 1 << 20;

/// A connection.
pub(super) struct Wire {
    pub(super) socket: UnixStream,
    out: Vec<u8>,
    sent: usize,
    have: Vec<u8>,
    answered: bool,
    /// Whether there may be more to read.
    pub(super) ready: bool,
    /// The loop waits for the server to take more.
    pub(super) blocked: bool,
}

/// Whether a connection still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    Yes,
    No,
}

impl Wire {
    /// A connection that asks to attach.
    pub(super) fn new(socket: StdStream, attach: Attach) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        let line = request_line(&Id::Number(1), None, &Request::Verb(Verb::Attach(attach)));
        Ok(Wire {
            socket: UnixStream::from_std(socket),
            out: line.into_bytes(),
            sent: 0,
            have: Vec::new(),
            answered: false,
            ready: true,
            blocked: false,
        })
    }

    /// Queues bytes.
    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Writes what the server takes now.
    pub(super) fn flush(&mut self) -> Stands {
        while self.sent < self.out.len() {
            match self.socket.write(&self.out[self.sent..]) {
                Ok(n) => self.sent += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Stands::Yes,
                // What the server said last may still be there to read.
                Err(_) => break,
            }
        }
        self.out.clear();
        self.sent = 0;
        Stands::Yes
    }

    /// Whether something waits for the server to take it.
    pub(super) fn has_pending(&self) -> bool {
        self.sent < self.out.len()
    }

    /// Reads a turn's worth and gives the client what is whole.
    pub(super) fn pump(&mut self, client: &mut Client, now: Now, out: &mut Out) -> Stands {
        let mut buffer = [0; 64 * 1024];
        let mut turn = 0;
        let mut stands = Stands::Yes;
        while turn < TURN {
            match self.socket.read(&mut buffer) {
                Ok(0) => {
                    stands = Stands::No;
                    break;
                }
                Ok(n) => {
                    turn += n;
                    self.have.extend_from_slice(&buffer[..n]);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.ready = false;
                    break;
                }
                Err(_) => {
                    stands = Stands::No;
                    break;
                }
            }
        }
        match self.take_frames(client, now, out) {
            Stands::Yes if !out.hang_up => stands,
            _ => Stands::No,
        }
    }

    fn take_frames(&mut self, client: &mut Client, now: Now, out: &mut Out) -> Stands {
        let mut taken = 0;
        if !self.answered {
            match self.have.iter().position(|b| *b == b'\n') {
                Some(end) => {
                    client.handle(Input::Answer(&self.have[..end]), now, out);
                    self.answered = true;
                    taken = end + 1;
                }
                None if self.have.len() > LINE_BYTES_MAX => return Stands::No,
                None => return Stands::Yes,
            }
        }
        let mut stands = Stands::Yes;
        while out.end.is_none() && !out.hang_up {
            match stream::next(&self.have[taken..]) {
                Ok(Some(frame)) => {
                    client.handle(Input::Frame(frame.kind, frame.payload), now, out);
                    taken += frame.taken;
                }
                Ok(None) => break,
                Err(_) => {
                    stands = Stands::No;
                    break;
                }
            }
        }
        self.have.drain(..taken);
        stands
    }
}
