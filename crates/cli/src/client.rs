//! A blocking client of the API: one JSON object a line over a Unix socket.
//!
//! Not here: which socket (`target`), what the answers mean (each command).

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use kraal_api::envelope::{self, Answer, Id, LINE_BYTES_MAX};
use kraal_api::{Request, Response, Verb};
use serde_json::Value;

use crate::failure::Failure;

/// How long an answer may take that waits for nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// A connection to a session's server.
pub(crate) struct Client {
    reader: BufReader<UnixStream>,
    token: Option<String>,
    session: String,
    last: i64,
    /// What a stream gave while its standing was asked for.
    early: VecDeque<Answer>,
    /// How a connection is made again, for what may be asked again.
    again: Option<Again>,
}

/// Makes a connection to the same session.
pub(crate) type Again = Box<dyn Fn() -> Result<UnixStream, Failure>>;

/// Requests that change nothing: a server that dies before it answers them is asked again when it is back.
const READING: &[&str] = &[
    "Hello", "List", "ListAll", "Sessions", "Wait", "Read", "Panes", "Agents", "Explain", "ReadPane",
    "WaitPane", "Info",
];

/// What a stream gives next.
pub(crate) enum Item {
    /// An event.
    Event(Value),
    /// The stream ended: the server restarts, or is gone.
    End,
}

impl Client {
    pub(crate) fn new(stream: UnixStream, session: &str, token: Option<String>) -> Self {
        Client {
            reader: BufReader::new(stream),
            token,
            session: session.to_owned(),
            last: 0,
            early: VecDeque::new(),
            again: None,
        }
    }

    /// The same, and it may connect again.
    pub(crate) fn lasting(self, again: Again) -> Self {
        Client { again: Some(again), ..self }
    }

    /// Asks one of kraal's own verbs.
    pub(crate) fn verb(&mut self, verb: Verb) -> Result<Response, Failure> {
        self.ask(&Request::Verb(verb))
    }

    /// Asks what is answered at once.
    pub(crate) fn ask(&mut self, request: &Request) -> Result<Response, Failure> {
        self.ask_within(request, Some(PATIENCE))
    }

    /// Asks what may take longer: None is as long as it takes.
    pub(crate) fn ask_within(
        &mut self,
        request: &Request,
        time: Option<Duration>,
    ) -> Result<Response, Failure> {
        let value = serde_json::to_value(request).expect("our own types have string keys");
        let response = self.ask_raw(&value, time)?;
        serde_json::from_value(response).map_err(|error| {
            Failure::Failed(format!(
                "the answer of session '{}' is not understood ({error}): is its server another version? `kraal restart` renews it",
                self.session
            ))
        })
    }

    /// Asks with a request as it is, and gives the response as it is. What only reads is asked again
    /// when the server went before it answered.
    pub(crate) fn ask_raw(&mut self, request: &Value, time: Option<Duration>) -> Result<Value, Failure> {
        loop {
            if let Some(response) = self.ask_once(request, time)? {
                return Ok(response);
            }
            let Some(again) = self.again.as_ref().filter(|_| only_reads(request)) else {
                return Err(self.gone());
            };
            self.reader = BufReader::new(again()?);
        }
    }

    /// None when the server went before it answered.
    fn ask_once(&mut self, request: &Value, time: Option<Duration>) -> Result<Option<Value>, Failure> {
        let Some(id) = self.send(request)? else { return Ok(None) };
        self.patience(time)?;
        loop {
            let Some(answer) = self.receive()? else { return Ok(None) };
            if answer.id.is_some_and(|answered| answered != id) {
                continue;
            }
            match (answer.error, answer.response) {
                (Some(refusal), _) => return Err(Failure::Refused(refusal)),
                (None, Some(response)) => return Ok(Some(response)),
                (None, None) => {}
            }
        }
    }

    /// Asks for a stream; [`Client::next`] reads it. It stands when this returns: what happens from
    /// then on is in it.
    pub(crate) fn subscribe(&mut self, request: &Request) -> Result<(), Failure> {
        self.subscribe_raw(&serde_json::to_value(request).expect("our own types have string keys"))
    }

    /// Asks for a stream with a request as it is.
    pub(crate) fn subscribe_raw(&mut self, request: &Value) -> Result<(), Failure> {
        self.send(request)?.ok_or_else(|| self.gone())?;
        // Requests of a connection are taken up in their order: once a second one is answered, even
        // with a refusal, the first one stands.
        let info = serde_json::to_value(Request::Verb(Verb::Info)).expect("our own types have string keys");
        let second = self.send(&info)?.ok_or_else(|| self.gone())?;
        self.patience(Some(PATIENCE))?;
        loop {
            let Some(answer) = self.receive()? else { return Err(self.gone()) };
            if answer.id.as_ref() == Some(&second) {
                break;
            }
            self.early.push_back(answer);
        }
        self.patience(None)
    }

    /// The next of a stream.
    pub(crate) fn next(&mut self) -> Result<Item, Failure> {
        loop {
            let early = self.early.pop_front();
            let Some(answer) = early.map_or_else(|| self.receive(), |answer| Ok(Some(answer)))? else {
                return Ok(Item::End);
            };
            if let Some(refusal) = answer.error {
                return Err(Failure::Refused(refusal));
            }
            if let Some(event) = answer.event {
                return Ok(Item::Event(event));
            }
        }
    }

    /// None when the server is gone.
    fn send(&mut self, request: &Value) -> Result<Option<Id>, Failure> {
        self.last += 1;
        let id = Id::Number(self.last);
        let mut line = serde_json::json!({ "v": envelope::VERSION, "id": id, "request": request });
        if let Some(token) = &self.token {
            line["token"] = Value::from(token.as_str());
        }
        let mut line = line.to_string();
        if line.len() > LINE_BYTES_MAX {
            return Err(Failure::Failed("this is over 8 MiB: send it in parts".into()));
        }
        line.push('\n');
        Ok(self.reader.get_mut().write_all(line.as_bytes()).is_ok().then_some(id))
    }

    fn patience(&self, time: Option<Duration>) -> Result<(), Failure> {
        self.reader
            .get_ref()
            .set_read_timeout(time)
            .map_err(|error| Failure::failed(format!("the socket: {error}")))
    }

    /// One line; None is the end.
    fn receive(&mut self) -> Result<Option<Answer>, Failure> {
        let mut line = Vec::new();
        match self.reader.read_until(b'\n', &mut line) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(Failure::Failed(format!(
                    "session '{}' does not answer: see `kraal doctor`",
                    self.session
                )));
            }
            Err(_) => return Ok(None),
        }
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        serde_json::from_slice(&line).map(Some).map_err(|_| {
            Failure::Failed(format!(
                "what listens for session '{}' is not kraal: see `kraal doctor`",
                self.session
            ))
        })
    }

    fn gone(&self) -> Failure {
        Failure::Gone(format!("session '{}' ended before it answered", self.session))
    }
}

/// Whether a request changes nothing, so that it may be asked twice.
fn only_reads(request: &Value) -> bool {
    let name = |value: &Value| match value {
        Value::String(name) => Some(name.clone()),
        Value::Object(map) => map.keys().next().cloned(),
        _ => None,
    };
    let asked = request.get("Verb").and_then(name).or_else(|| name(request));
    asked.is_some_and(|asked| READING.contains(&asked.as_str()))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// A peer that reads one line and says `lines`.
    fn peer(lines: &'static str) -> (Client, std::thread::JoinHandle<String>) {
        let (near, mut far) = UnixStream::pair().unwrap();
        let told = std::thread::spawn(move || {
            let mut asked = String::new();
            BufReader::new(far.try_clone().unwrap()).read_line(&mut asked).unwrap();
            far.write_all(lines.as_bytes()).unwrap();
            drop(far.shutdown(std::net::Shutdown::Write));
            let _ = far.read(&mut [0]);
            asked
        });
        (Client::new(near, "main", Some("secret".into())), told)
    }

    #[test]
    fn what_only_reads_is_asked_again_and_nothing_else() {
        let (mut client, _) = peer("");
        let (again, _told) = peer("{\"v\":1,\"id\":2,\"response\":\"TimedOut\"}\n");
        let stream = again.reader.get_ref().try_clone().unwrap();
        client = client.lasting(Box::new(move || Ok(stream.try_clone().unwrap())));
        assert_eq!(client.verb(Verb::Info).unwrap(), Response::TimedOut);

        let (client, _) = peer("");
        let mut client = client.lasting(Box::new(|| panic!("a second kill must not be asked")));
        assert!(client.verb(Verb::Kill).is_err());
    }

    #[test]
    fn an_answer_is_found_among_others() {
        let (mut client, told) =
            peer("{\"v\":1,\"id\":9,\"response\":\"Ok\"}\n{\"v\":1,\"id\":1,\"response\":\"TimedOut\"}\n");
        assert_eq!(client.verb(Verb::Info).unwrap(), Response::TimedOut);
        drop(client);
        assert_eq!(
            told.join().unwrap(),
            "{\"v\":1,\"id\":1,\"request\":{\"Verb\":\"Info\"},\"token\":\"secret\"}\n"
        );
    }

    #[test]
    fn what_goes_wrong_is_one_sentence() {
        for (lines, says, code) in [
            (
                "{\"v\":1,\"id\":1,\"error\":{\"code\":\"not_found\",\"message\":\"no pane 4\"}}\n",
                "no pane 4 (not_found)",
                1,
            ),
            (
                "{\"v\":1,\"id\":null,\"error\":{\"code\":\"unauthorized\",\"message\":\"no\"}}\n",
                "no (unauthorized)",
                1,
            ),
            ("", "session 'main' ended before it answered", 1),
            ("SSH-2.0-x\n", "what listens for session 'main' is not kraal: see `kraal doctor`", 1),
        ] {
            let (mut client, told) = peer(lines);
            let failure = client.verb(Verb::Info).unwrap_err();
            assert_eq!((failure.to_string().as_str(), failure.code()), (says, code));
            drop(client);
            told.join().unwrap();
        }
        let (mut client, told) = peer("{\"v\":1,\"id\":1,\"response\":{\"Newer\":1}}\n");
        assert!(client.verb(Verb::Info).unwrap_err().to_string().contains("another version"));
        drop(client);
        told.join().unwrap();
    }

    #[test]
    fn a_stream_gives_events_until_it_ends() {
        let (mut client, told) = peer(
            "{\"v\":1,\"id\":1,\"event\":{\"seq\":1}}\n{\"v\":1,\"id\":2,\"response\":\"Ok\"}\n{\"v\":1,\"id\":1,\"event\":{\"seq\":2}}\n",
        );
        client.subscribe(&Request::Verb(Verb::Events(Default::default()))).unwrap();
        for seq in [1, 2] {
            assert!(matches!(client.next().unwrap(), Item::Event(event) if event["seq"] == seq));
        }
        assert!(matches!(client.next().unwrap(), Item::End));
        drop(client);
        told.join().unwrap();
    }
}
