//! A client of the API, as a program of the user's would be one.
//!
//! Not here: the command line's client, which is what is tested.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use kraal_api::envelope::{Answer, Id, request_line};
use kraal_api::{Refusal, Request, Response, Verb};
use serde_json::Value;

use crate::wait::PATIENCE;

/// A connection.
pub struct Api {
    reader: BufReader<UnixStream>,
    last: i64,
}

/// A connection that gives events.
pub struct Stream {
    reader: BufReader<UnixStream>,
    /// What it gave while its standing was asked for.
    early: VecDeque<Answer>,
}

impl Api {
    /// Connects to a session's socket.
    ///
    /// # Panics
    ///
    /// When nobody accepts there.
    pub fn connect(socket: &Path) -> Self {
        let stream =
            UnixStream::connect(socket).unwrap_or_else(|e| panic!("connect {}: {e}", socket.display()));
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        Api { reader: BufReader::new(stream), last: 0 }
    }

    /// Asks a request.
    ///
    /// # Errors
    ///
    /// The refusal.
    ///
    /// # Panics
    ///
    /// When the connection fails.
    pub fn ask(&mut self, request: &Request) -> Result<Response, Refusal> {
        self.last += 1;
        let line = request_line(&Id::Number(self.last), None, request);
        self.line(&line)
    }

    /// Asks one of kraal's own verbs.
    ///
    /// # Errors
    ///
    /// The refusal.
    pub fn verb(&mut self, verb: Verb) -> Result<Response, Refusal> {
        self.ask(&Request::Verb(verb))
    }

    /// Sends a line as it is and reads the answer.
    ///
    /// # Errors
    ///
    /// The refusal.
    ///
    /// # Panics
    ///
    /// When no answer comes.
    pub fn line(&mut self, line: &str) -> Result<Response, Refusal> {
        self.reader.get_mut().write_all(line.as_bytes()).expect("the server reads");
        let answer = read(&mut self.reader).expect("the server answers");
        match (answer.error, answer.response) {
            (Some(refusal), _) => Err(refusal),
            (None, Some(response)) => {
                Ok(serde_json::from_value(response).expect("the answer is one of ours"))
            }
            (None, None) => panic!("an answer without anything in it"),
        }
    }

    /// Asks for a stream. It stands when this returns: what happens from then on is in it.
    ///
    /// # Panics
    ///
    /// When the connection fails.
    pub fn stream(mut self, request: &Request) -> Stream {
        // Requests of a connection are taken up in their order: the second one's answer tells.
        let second = Id::Number(self.last + 2);
        let mut lines = request_line(&Id::Number(self.last + 1), None, request);
        lines.push_str(&request_line(&second, None, &Request::Verb(Verb::Info)));
        self.reader.get_mut().write_all(lines.as_bytes()).expect("the server reads");
        let mut early = VecDeque::new();
        loop {
            let answer = read(&mut self.reader).expect("the server answers");
            if answer.id.as_ref() == Some(&second) {
                return Stream { reader: self.reader, early };
            }
            early.push_back(answer);
        }
    }
}

impl Stream {
    /// The next event; None at the end of the stream.
    ///
    /// # Panics
    ///
    /// On a refusal, or when nothing comes in time.
    pub fn event(&mut self) -> Option<Value> {
        loop {
            let answer = self.early.pop_front().or_else(|| read(&mut self.reader))?;
            if let Some(refusal) = answer.error {
                panic!("the stream was refused: {refusal}");
            }
            if answer.event.is_some() {
                return answer.event;
            }
        }
    }

    /// The first event that fits.
    ///
    /// # Panics
    ///
    /// When the stream ends without, or nothing comes in time.
    pub fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.event().expect("the stream ended before such an event");
            if fits(&event) {
                return event;
            }
        }
    }
}

fn read(reader: &mut BufReader<UnixStream>) -> Option<Answer> {
    let mut line = String::new();
    match reader.read_line(&mut line) {
        Ok(0) => None,
        Ok(_) => Some(serde_json::from_str(&line).unwrap_or_else(|e| panic!("no answer: {e}: {line}"))),
        Err(error) => panic!("nothing came in {PATIENCE:?}: {error}"),
    }
}
