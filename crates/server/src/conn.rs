//! A connection: JSON lines until it attaches, frames from then on.
//!
//! Not here: what a request means (`core`), which rows a client is sent (`screens`).

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::AsFd;

use kraal_api::envelope::{self, Id, LINE_BYTES_MAX};
use kraal_api::stream::{self, Attach, ToClient};
use kraal_api::{ConnId, PaneId};
use kraal_core::{Peer, Ticket};
use mio::net::UnixStream;

use crate::queue::Queue;
use crate::screens::Screens;

/// Items of a stream that may wait for a slow reader before it is told and the stream ends.
const LAG_MAX: usize = 1024;
/// Nothing more is read of a caller that leaves this many bytes of answers unread.
const UNREAD_MAX: usize = 4 * 1024 * 1024;
/// The most words kept for a client that does not read.
const SAID_MAX: usize = 16;
/// The most bytes taken of one connection before others have their turn.
const TURN: usize = 1024 * 1024;

/// One connection.
pub(crate) struct Conn {
    pub(crate) id: ConnId,
    pub(crate) stream: UnixStream,
    pub(crate) peer: Peer,
    /// Its processes from the peer up to its pane's program, when it connected.
    pub(crate) line: Vec<u32>,
    pub(crate) out: Queue,
    inbound: Inbound,
    pub(crate) face: Face,
    /// More may be there to read.
    pub(crate) readable: bool,
    /// The loop waits for the other end to take more.
    pub(crate) blocked: bool,
    /// Closes once what waits is sent.
    pub(crate) ending: bool,
    /// Items of streams since the reader last had taken everything.
    lag: usize,
}

/// Bytes that came in and are not yet understood.
#[derive(Default)]
struct Inbound {
    bytes: Vec<u8>,
    taken: usize,
}

impl Inbound {
    fn extend(&mut self, bytes: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.taken));
        self.bytes.extend_from_slice(bytes);
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }

    fn take(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.bytes.len() {
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.taken = 0;
        // What one long line needed is not kept for the rest of the connection.
        match self.bytes.capacity() > TURN {
            true => self.bytes = Vec::new(),
            false => self.bytes.clear(),
        }
    }
}

/// What travels on a connection.
pub(crate) enum Face {
    /// Requests and answers, a line each.
    Lines,
    /// An attached client.
    Client(Box<Client>),
}

/// What the server keeps of an attached client.
#[derive(Default)]
pub(crate) struct Client {
    pub(crate) screens: Screens,
    /// The model is to be sent anew.
    pub(crate) facts: bool,
    /// Panes whose facts are to be sent anew.
    pub(crate) panes: Vec<PaneId>,
    pub(crate) shown: Vec<PaneId>,
    /// A paste that is still arriving, and its pane.
    pub(crate) paste: Option<(PaneId, Vec<u8>)>,
    pub(crate) said: VecDeque<ToClient>,
}

impl Client {
    /// Keeps a word for when the client takes it. Of those that replace each other the newest
    /// counts, and of all only the last few: a client that does not read costs no memory.
    pub(crate) fn tell(&mut self, word: ToClient) {
        let replaced = |old: &ToClient| match (old, &word) {
            (ToClient::Bell, ToClient::Bell) => true,
            (ToClient::Clipboard { selection: old, .. }, ToClient::Clipboard { selection, .. }) => {
                old == selection
            }
            _ => false,
        };
        self.said.retain(|old| !replaced(old));
        if self.said.len() == SAID_MAX {
            self.said.pop_front();
        }
        self.said.push_back(word);
    }

    /// What was kept, in order.
    pub(crate) fn said(&mut self) -> impl Iterator<Item = ToClient> {
        self.said.drain(..)
    }

    /// Whether something is kept.
    pub(crate) fn has_said(&self) -> bool {
        !self.said.is_empty()
    }
}

/// Who waits for an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Asker {
    /// A line with this id.
    Line(Id),
    /// A line with this id that opens a stream.
    Stream(Id),
    /// The `Attach` line with this id: frames follow its answer.
    Attach(Id, Box<Attach>),
    /// A frame with this id.
    Frame(u64),
}

/// A request on its way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pending {
    pub(crate) conn: ConnId,
    pub(crate) asker: Asker,
}

/// A ticket for each request.
#[derive(Default)]
pub(crate) struct Tickets {
    last: u64,
    open: std::collections::HashMap<Ticket, Pending>,
}

impl Tickets {
    /// A new one.
    pub(crate) fn issue(&mut self, conn: ConnId, asker: Asker) -> Ticket {
        self.last += 1;
        self.open.insert(Ticket(self.last), Pending { conn, asker });
        Ticket(self.last)
    }

    /// The asker; the ticket is used up.
    pub(crate) fn take(&mut self, ticket: Ticket) -> Option<Pending> {
        self.open.remove(&ticket)
    }

    /// The asker of a stream, which stays.
    pub(crate) fn get(&self, ticket: Ticket) -> Option<&Pending> {
        self.open.get(&ticket)
    }

    /// A connection is gone.
    pub(crate) fn forget(&mut self, conn: ConnId) {
        self.open.retain(|_, pending| pending.conn != conn);
    }
}

/// What came in.
pub(crate) enum Incoming {
    /// A line.
    Line(Vec<u8>),
    /// A frame's kind and payload.
    Frame(Option<stream::Kind>, Vec<u8>),
    /// What cannot be read any more.
    Garbage(String),
}

impl Conn {
    /// A connection that was accepted.
    pub(crate) fn new(id: ConnId, stream: UnixStream, (peer, line): (Peer, Vec<u32>)) -> Self {
        Conn {
            id,
            stream,
            peer,
            line,
            out: Queue::default(),
            inbound: Inbound::default(),
            face: Face::Lines,
            readable: true,
            blocked: false,
            ending: false,
            lag: 0,
        }
    }

    /// The attached client, when it is one.
    pub(crate) fn client(&mut self) -> Option<&mut Client> {
        match &mut self.face {
            Face::Client(client) => Some(client),
            Face::Lines => None,
        }
    }

    /// Whether it is an attached client.
    pub(crate) fn is_client(&self) -> bool {
        matches!(self.face, Face::Client(_))
    }

    /// Reads what is there, as far as its turn goes. False when the other end is gone.
    pub(crate) fn read(&mut self) -> bool {
        let mut buffer = [0u8; 64 * 1024];
        let mut taken = 0;
        while taken < TURN {
            if self.out.len() > UNREAD_MAX {
                return true;
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => {
                    self.readable = false;
                    return false;
                }
                Ok(n) => {
                    self.inbound.extend(&buffer[..n]);
                    taken += n;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {
                    self.readable = false;
                    return true;
                }
                Err(_) => {
                    self.readable = false;
                    return false;
                }
            }
        }
        true
    }

    /// The next whole line or frame.
    pub(crate) fn next(&mut self) -> Option<Incoming> {
        match self.face {
            Face::Lines => self.next_line(),
            Face::Client(_) => match stream::next(self.inbound.rest()) {
                Ok(None) => None,
                Ok(Some(frame)) => {
                    let taken = frame.taken;
                    let incoming = Incoming::Frame(frame.kind, frame.payload.to_vec());
                    self.inbound.take(taken);
                    Some(incoming)
                }
                Err(error) => {
                    self.inbound.clear();
                    Some(Incoming::Garbage(error.to_string()))
                }
            },
        }
    }

    fn next_line(&mut self) -> Option<Incoming> {
        let rest = self.inbound.rest();
        let (length, taken) = match rest.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end, end + 1),
            None if rest.len() > LINE_BYTES_MAX => (rest.len(), rest.len()),
            None => return None,
        };
        let line = rest[..length].to_vec();
        self.inbound.take(taken);
        Some(Incoming::Line(line))
    }

    /// Queues an answer or a greeting as a line.
    pub(crate) fn line(&mut self, line: &str) {
        self.out.tail().extend_from_slice(line.as_bytes());
    }

    /// Queues the words that were kept for an attached client.
    pub(crate) fn say_kept(&mut self) {
        let Face::Client(client) = &mut self.face else { return };
        for word in client.said() {
            stream::control(self.out.tail(), &word);
        }
    }

    /// Queues a control frame.
    pub(crate) fn control(&mut self, message: &stream::ToClient) {
        stream::control(self.out.tail(), message);
    }

    /// Queues an item of a stream. False when the reader is too slow: `lagged` is the last it gets.
    pub(crate) fn item(
        &mut self,
        id: &Id,
        item: &impl serde::Serialize,
        lagged: &impl serde::Serialize,
    ) -> bool {
        if self.ending {
            // The other end asks nothing more: what it asked before is over.
            return false;
        }
        self.lag = if self.out.is_empty() { 0 } else { self.lag + 1 };
        if self.lag > LAG_MAX {
            self.line(&envelope::event_line(id, lagged));
            return false;
        }
        self.line(&envelope::event_line(id, item));
        true
    }

    /// Sends what the other end takes. False when it is gone.
    pub(crate) fn flush(&mut self) -> bool {
        self.out.is_empty() || self.out.flush(self.stream.as_fd())
    }
}
