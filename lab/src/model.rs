//! A scripted model server on loopback: it speaks four dialects, answers what the prompt asks for, and knows to
//! the instant what it was asked and when it had answered. That knowledge is the truth that states are held to.
//!
//! Not here: agents, panes, states.

mod dialect;
mod http;
mod script;

use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use dialect::Dialect;
use script::{Hold, Reply, Said, Speech};
use serde_json::{Value, json};

/// Between two pieces of an answer that streams.
const PIECE: Duration = Duration::from_millis(100);

/// A gate that nobody opens is open after this: an agent that lost its driver must not wait for ever.
const PATIENCE: Duration = Duration::from_secs(180);

const WORDS: &[&str] = &[
    "The",
    "lab",
    "model",
    "answers",
    "with",
    "plain",
    "words",
    "so",
    "that",
    "a",
    "reader",
    "sees",
    "text",
    "arrive",
    "piece",
    "by",
    "piece",
    "while",
    "nothing",
    "is",
    "computed.",
];

/// What happened, and when.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// When.
    pub(crate) at: Instant,
    /// The first directive of the turn: `stream gate-3`.
    pub(crate) key: String,
    /// How many requests of the turn came before this one.
    pub(crate) round: usize,
    /// What.
    pub(crate) what: What,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It came.
    Asked,
    /// It was answered with a call of a tool: the turn goes on.
    Called,
    /// It was answered: the turn is over. Or refused with an error.
    Answered,
    /// The agent went away in the middle.
    Dropped,
}

/// The server.
pub(crate) struct Model {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    open: Vec<String>,
    events: Vec<Event>,
    /// What the user said in the conversation of each request that belongs to a turn.
    heard: Vec<String>,
}

/// A number that nothing else has: agents take two messages with the same id for one.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Model {
    /// Listens on loopback, on a port of the kernel's choice when `port` is 0.
    ///
    /// # Errors
    ///
    /// What the kernel says.
    pub(crate) fn start(port: u16) -> Result<Model> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("the model server can't listen on 127.0.0.1:{port}"))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || {
                    // An agent that goes away is no error of ours.
                    let _ = shared.serve(stream);
                });
            }
        });
        Ok(Model { port, shared })
    }

    /// The port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Opens a gate.
    pub(crate) fn open(&self, gate: &str) {
        self.shared.open(gate);
    }

    /// Waits until something happened that fits, and gives it; None when it does not in `patience`.
    pub(crate) fn wait(&self, patience: Duration, fits: impl Fn(&Event) -> bool) -> Option<Event> {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.lock();
        loop {
            if let Some(event) = state.events.iter().find(|event| fits(event)) {
                return Some(event.clone());
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// How often the user said this, in the conversation in which it stands most often. A request that is made again
    /// holds it no more often; a prompt that was typed twice does.
    pub(crate) fn heard(&self, text: &str) -> usize {
        self.shared.lock().heard.iter().map(|said| said.matches(text).count()).max().unwrap_or(0)
    }

    /// Everything that happened so far.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.shared.lock().events.clone()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, gate: &str) {
        self.lock().open.push(gate.to_owned());
        self.changed.notify_all();
    }

    /// Waits for a gate as long as `patience`; whether it is open.
    fn passes(&self, gate: &str, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.lock();
        while !state.open.iter().any(|open| open == gate) {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return false };
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    fn note(&self, key: &str, round: usize, what: What) {
        if key.is_empty() {
            return;
        }
        let event = Event { at: Instant::now(), key: key.to_owned(), round, what };
        self.lock().events.push(event);
        self.changed.notify_all();
    }

    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut out = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        while let Some(request) = http::read(&mut reader)? {
            self.answer(&request, &mut out)?;
        }
        Ok(())
    }

    fn answer(&self, request: &http::Request, out: &mut TcpStream) -> io::Result<()> {
        let path = request.path.as_str();
        if request.method == "GET" {
            return match path.strip_prefix("/open/") {
                Some(gate) => {
                    self.open(gate);
                    http::json(out, 200, &json!({"open": gate}))
                }
                None => get(path, out),
            };
        }
        if path.ends_with("/count_tokens") {
            return http::json(out, 200, &json!({"input_tokens": request.body.len() / 4}));
        }
        if path.ends_with(":countTokens") {
            return http::json(out, 200, &json!({"totalTokens": request.body.len() / 4}));
        }
        let (Some(dialect), Ok(body)) = (dialect::of(path), serde_json::from_slice::<Value>(&request.body))
        else {
            return http::json(out, 404, &nothing());
        };
        self.speak(dialect, &body, out)
    }

    fn speak(&self, mut dialect: Box<dyn Dialect>, body: &Value, out: &mut TcpStream) -> io::Result<()> {
        let asked = dialect.read(body);
        let (key, round, reply) = script::answer(&asked);
        if !key.is_empty() {
            let said = asked.said.iter().filter_map(|part| match part {
                Said::User(text) => Some(text.as_str()),
                _ => None,
            });
            self.lock().heard.push(said.collect::<Vec<_>>().join("\n\n"));
        }
        self.note(&key, round, What::Asked);
        let (told, after) = match &reply {
            Reply::Fail { status, limit } => {
                (http::json(out, *status, &dialect.fail(*status, *limit)), What::Answered)
            }
            Reply::Speak(speech) => {
                let after = if speech.calls.is_empty() { What::Answered } else { What::Called };
                let told = if asked.stream {
                    self.tell(dialect.as_mut(), speech, out)
                } else {
                    self.hold(speech, |_| Ok(())).and_then(|()| http::json(out, 200, &dialect.whole(speech)))
                };
                (told, after)
            }
        };
        self.note(&key, round, if told.is_ok() { after } else { What::Dropped });
        told
    }

    /// Tells an answer in pieces. All that follows the held part goes out at once: some agents hang up as soon as they
    /// have read the last event, and what is still unsent then would look like an answer they did not want.
    fn tell(&self, dialect: &mut dyn Dialect, speech: &Speech, out: &mut TcpStream) -> io::Result<()> {
        let mut events = http::Events::begin(out)?;
        events.write(&dialect.begin())?;
        let held = speech.hold.as_ref().map(|(hold, _)| *hold);
        self.hold(speech, |piece| {
            events.write(&match held {
                Some(Hold::Think) => dialect.thought(piece),
                _ => dialect.text(piece),
            })
        })?;
        let mut rest = dialect.text(&speech.text);
        for call in &speech.calls {
            rest.extend(dialect.call(call));
        }
        rest.extend(dialect.end());
        events.end(&rest)
    }

    /// Does what is done until the gate of an answer opens.
    fn hold(&self, speech: &Speech, mut piece: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
        let Some((hold, gate)) = &speech.hold else { return Ok(()) };
        if *hold == Hold::Hang {
            self.passes(gate, PATIENCE);
            return Ok(());
        }
        let deadline = Instant::now() + PATIENCE;
        let mut words = WORDS.iter().cycle();
        while !self.passes(gate, PIECE) && Instant::now() < deadline {
            piece(&format!("{} ", words.next().unwrap_or(&"lab")))?;
        }
        Ok(())
    }
}

fn get(path: &str, out: &mut impl Write) -> io::Result<()> {
    if path.trim_end_matches('/').ends_with("/models") {
        let model = json!({
            "id": "lab-model", "object": "model", "type": "model", "display_name": "Lab Model",
            "created": 1_700_000_000, "created_at": "2026-01-01T00:00:00Z", "owned_by": "lab",
        });
        return http::json(out, 200, &json!({"object": "list", "data": [model], "has_more": false}));
    }
    // Codex, and registries that an agent asks for something to install: at once, rather than a time-out.
    http::json(out, 404, &nothing())
}

fn nothing() -> Value {
    json!({"error": {"type": "not_found_error", "message": "the lab has nothing there"}})
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    const SOON: Duration = Duration::from_secs(30);

    fn post(port: u16, path: &str, body: &Value) -> TcpStream {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("it listens");
        let body = body.to_string();
        write!(stream, "POST {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len())
            .expect("it reads");
        stream
    }

    fn prompt(text: &str) -> Value {
        json!({"stream": true, "messages": [{"role": "user", "content": text}]})
    }

    #[test]
    fn an_answer_is_held_until_its_gate_opens_and_both_ends_are_known() {
        let model = Model::start(0).expect("a port");
        let mut stream = post(model.port(), "/v1/messages", &prompt("LAB:stream g1"));
        let asked = model.wait(SOON, |event| event.what == What::Asked).expect("it was asked");
        assert_eq!((asked.key.as_str(), asked.round), ("stream g1", 0));
        let mut head = [0; 64];
        stream.read_exact(&mut head).expect("it answers");
        assert!(model.events().iter().all(|event| event.what == What::Asked));
        model.open("g1");
        model.wait(SOON, |event| event.what == What::Answered).expect("it was answered");
    }

    #[test]
    fn an_agent_that_goes_away_is_seen() {
        let model = Model::start(0).expect("a port");
        drop(post(model.port(), "/v1/chat/completions", &prompt("LAB:think g1")));
        model.wait(SOON, |event| event.what == What::Dropped).expect("it is seen");
    }

    #[test]
    fn what_the_user_said_is_counted_by_the_conversation_not_by_the_request() {
        let model = Model::start(0).expect("a port");
        let twice = "LAB:say once-more once-more";
        for (round, body) in
            [prompt("LAB:say once"), prompt("LAB:say once"), prompt(twice)].iter().enumerate()
        {
            let mut stream = post(model.port(), "/v1/messages", body);
            stream.read_exact(&mut [0; 12]).expect("it answers");
            assert_eq!(model.heard("say once"), 1, "{round}");
        }
        assert_eq!((model.heard("once-more"), model.heard("never")), (2, 0));
    }

    #[test]
    fn an_error_has_its_status() {
        let model = Model::start(0).expect("a port");
        let mut stream = post(model.port(), "/v1/responses", &json!({"input": "LAB:error 529"}));
        let mut head = [0; 12];
        stream.read_exact(&mut head).expect("it answers");
        assert_eq!(&head, b"HTTP/1.1 529");
    }
}
