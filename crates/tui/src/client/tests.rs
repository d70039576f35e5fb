//! Facts and keys in, screen text and requests out: the whole client without a terminal.

mod fixtures;
mod flow;
mod fuzz;
mod screens;
mod typing;

use kraal_api::model::Model;
use kraal_api::request::{Request, Response, Verb};
use kraal_api::stream::{self, FromClient, Kind, ToClient};
use kraal_api::{PaneId, Refusal, TabId};
use kraal_term::keys::{Event, KeyEvent, parse_name};

use super::*;
use crate::paint::Caps;

/// A client with a made-up server and terminal on its two sides.
pub(super) struct Rig {
    pub(super) client: Client,
    pub(super) now: Now,
    /// What the client sent, as messages.
    pub(super) sent: Vec<Sent>,
    /// What it wrote beside the screen.
    pub(super) written: Vec<u8>,
    pub(super) end: Option<Ending>,
    pub(super) hung_up: bool,
}

/// What a client sends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sent {
    Control(FromClient),
    Keys(PaneId, Vec<u8>),
    Paste(PaneId, stream::Part, Vec<u8>),
}

impl Rig {
    /// A client of this size, attached, with these facts and the first tab shown.
    pub(super) fn new(cols: u16, rows: u16, model: Model) -> Self {
        Rig::with(cols, rows, model, settings())
    }

    pub(super) fn with(cols: u16, rows: u16, model: Model, settings: Settings) -> Self {
        let tab = model.workspaces[0].tabs[0].id;
        let mut rig = Rig::detached(cols, rows, settings);
        rig.attach();
        rig.facts(model);
        rig.hear(ToClient::View { tab });
        rig.sent.clear();
        rig.written.clear();
        rig
    }

    pub(super) fn detached(cols: u16, rows: u16, settings: Settings) -> Self {
        Rig {
            client: Client::new(settings, (cols, rows), Outer::new(Caps::default())),
            now: Now { ms: 1_000, unix_ms: fixtures::START },
            sent: Vec::new(),
            written: Vec::new(),
            end: None,
            hung_up: false,
        }
    }

    pub(super) fn attach(&mut self) {
        let attached = stream::Attached {
            client: kraal_api::ConnId(1),
            app: "kraal 0.1.0".into(),
            environment: "main".into(),
            boot: "b".into(),
        };
        let line = kraal_api::envelope::answer_line(
            &kraal_api::envelope::Id::Number(1),
            &Ok(Response::Attached(attached)),
        );
        self.give(Input::Answer(line.trim_end().as_bytes()));
    }

    pub(super) fn give(&mut self, input: Input<'_>) {
        let mut out = Out::default();
        self.client.handle(input, self.now, &mut out);
        let mut bytes = out.send.as_slice();
        while let Some(frame) = stream::next(bytes).expect("frames are ours") {
            self.sent.push(read(frame.kind, frame.payload));
            bytes = &bytes[frame.taken..];
        }
        self.written.extend_from_slice(&out.write);
        self.end = self.end.take().or(out.end);
        self.hung_up |= out.hang_up;
    }

    #[allow(clippy::needless_pass_by_value, reason = "a message is said once")]
    pub(super) fn hear(&mut self, message: ToClient) {
        let mut bytes = Vec::new();
        stream::control(&mut bytes, &message);
        self.give(Input::Frame(Some(Kind::Control), &bytes[5..]));
    }

    pub(super) fn facts(&mut self, model: Model) {
        self.hear(ToClient::Facts(model));
    }

    pub(super) fn answer(&mut self, id: u64, answer: Result<Response, Refusal>) {
        self.hear(ToClient::Answer { id, answer });
    }

    pub(super) fn screen(&mut self, payload: &[u8]) {
        self.give(Input::Frame(Some(Kind::Screen), payload));
    }

    /// Presses keys by their names, parted by blanks.
    pub(super) fn keys(&mut self, names: &str) -> &mut Self {
        for name in names.split_whitespace() {
            let key = parse_name(name).expect(name);
            self.give(Input::Event(Event::Key(key)));
        }
        self
    }

    /// Types a text.
    pub(super) fn types(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            self.give(Input::Event(Event::Key(KeyEvent::char(c))));
        }
        self
    }

    pub(super) fn event(&mut self, event: Event) {
        self.give(Input::Event(event));
    }

    /// Lets time pass.
    pub(super) fn wait(&mut self, ms: u64) -> &mut Self {
        self.now.ms += ms;
        self.now.unix_ms += ms;
        self.give(Input::Tick);
        self
    }

    /// The screen as text.
    pub(super) fn shows(&mut self) -> String {
        let mut bytes = Vec::new();
        self.client.draw(self.now, &mut bytes);
        let (_, rows) = self.client.stage.size;
        let lines = (0..rows).map(|y| self.client.stage.grid.line(y, &self.client.pool));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// The bytes of the next drawing.
    pub(super) fn draws(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.client.draw(self.now, &mut bytes);
        bytes
    }

    /// The requests that were sent, with their numbers.
    pub(super) fn asked(&mut self) -> Vec<(u64, Verb)> {
        let sent = std::mem::take(&mut self.sent);
        sent.into_iter()
            .filter_map(|sent| match sent {
                Sent::Control(FromClient::Ask { id, request: Request::Verb(verb) }) => Some((id, verb)),
                _ => None,
            })
            .collect()
    }

    /// The keys that were sent, as pane and key.
    pub(super) fn typed(&mut self) -> Vec<(u64, String)> {
        let sent = std::mem::take(&mut self.sent);
        sent.into_iter()
            .filter_map(|sent| match sent {
                Sent::Keys(pane, bytes) => {
                    let (key, taken) = KeyEvent::from_wire(&bytes).expect("keys are ours");
                    assert_eq!(taken, bytes.len());
                    Some((pane.0, key.to_string()))
                }
                _ => None,
            })
            .collect()
    }

    pub(super) fn focus(&self) -> Option<u64> {
        self.client.mirror.focus().map(|pane| pane.0)
    }

    pub(super) fn tab(&self) -> Option<TabId> {
        self.client.mirror.tab().map(|(_, tab)| tab.id)
    }
}

fn read(kind: Option<Kind>, payload: &[u8]) -> Sent {
    match kind {
        Some(Kind::Control) => Sent::Control(serde_json::from_slice(payload).expect("control is ours")),
        Some(Kind::Keys) => {
            let (pane, bytes) = stream::read_keys(payload).expect("keys are ours");
            Sent::Keys(pane, bytes.to_vec())
        }
        Some(Kind::Paste) => {
            let (pane, part, bytes) = stream::read_paste(payload).expect("pastes are ours");
            Sent::Paste(pane, part, bytes.to_vec())
        }
        _ => panic!("a client sends no {kind:?}"),
    }
}

pub(super) fn settings() -> Settings {
    Settings {
        config: Config::default(),
        session: "main".into(),
        workspace: None,
        folder: None,
        hint: None,
        colourless: false,
    }
}
