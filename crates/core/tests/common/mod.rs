//! A world on a stage: inputs go in as a person would say them, and a transcript of inputs and effects
//! comes out, to be compared whole.
//!
//! Not here: any expectation; those are the snapshots.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part of the stage")]

pub mod whole;

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use kraal_agents::Catalog;
use kraal_api::agents::AgentEvent;
use kraal_api::stream::{Area, Attach, Outer, STREAM};
use kraal_api::{ConnId, Kind, PaneId, Request, Source, State, Verb, Verdict};
use kraal_core::{Effect, Input, Outcome, PaneChange, Peer, Revival, Saved, Settings, Setup, Ticket, World};

/// The built-in agents, compiled once.
pub fn catalog() -> Arc<Catalog> {
    static CATALOG: OnceLock<Arc<Catalog>> = OnceLock::new();
    CATALOG.get_or_init(|| Arc::new(Catalog::builtin())).clone()
}

/// A setup whose tokens count up.
pub fn setup(boot: &str) -> Setup {
    let mut tokens = 0;
    Setup {
        environment: "main".to_owned(),
        boot: boot.to_owned(),
        app: "kraal 0.1.0".to_owned(),
        catalog: catalog(),
        settings: Settings::default(),
        home: "/home/ada".to_owned(),
        pid: 20,
        keeper: 10,
        tokens: Box::new(move || {
            tokens += 1;
            format!("token-{tokens}")
        }),
    }
}

/// A program of the user's own.
pub fn outside() -> Peer {
    Peer { cwd: Some("/src/api".to_owned()), ..Peer::default() }
}

/// A process of a pane.
pub fn inside(pane: u64) -> Peer {
    Peer { pane: Some(PaneId(pane)), ..Peer::default() }
}

/// A process whose pane cannot be told.
pub fn astray() -> Peer {
    Peer { under_keeper: true, ..Peer::default() }
}

/// A process that only a token places.
pub fn bearing(token: &str) -> Peer {
    Peer { token: Some(token.to_owned()), ..Peer::default() }
}

/// A request from its JSON.
pub fn request(json: &str) -> Request {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// A verb from its JSON.
pub fn verb(json: &str) -> Request {
    Request::Verb(serde_json::from_str::<Verb>(json).unwrap_or_else(|error| panic!("{json}: {error}")))
}

/// A verdict by words.
pub fn verdict(state: State, kind: Option<Kind>) -> Verdict {
    Verdict { state, kind, certain: true, source: Source::Screen }
}

/// The stage.
pub struct Scene {
    pub world: World,
    pub now: u64,
    pub text: String,
    ticket: u64,
}

impl Default for Scene {
    fn default() -> Self {
        Scene::of(World::new(setup("boot-1")))
    }
}

impl Scene {
    pub fn of(world: World) -> Self {
        Scene { world, now: 1_796_000_000_000, text: String::new(), ticket: 0 }
    }

    /// One workspace `api` with one running shell, shown by client 1 in 82 by 26 cells.
    pub fn attached() -> Self {
        let mut scene = Scene::default();
        scene.quietly(|scene| {
            scene.attach(1, 82, 26, None);
            scene.input(Input::Started { pane: PaneId(1), pid: 101 });
        });
        scene
    }

    /// Runs something that the transcript leaves out.
    pub fn quietly(&mut self, run: impl FnOnce(&mut Scene)) {
        let kept = self.text.len();
        run(self);
        self.text.truncate(kept);
    }

    pub fn note(&mut self, words: &str) {
        let _ = writeln!(self.text, "\n# {words}");
    }

    pub fn input(&mut self, input: Input) -> Vec<Effect> {
        let _ = match &input {
            Input::Request { ticket, conn, request, .. } => {
                let request = serde_json::to_string(request).expect("requests are JSON");
                writeln!(self.text, "> {} from {conn}: {request}", ticket.0)
            }
            other => writeln!(self.text, "> {other:?}"),
        };
        let effects = self.world.handle(input, self.now);
        for effect in &effects {
            let _ = writeln!(self.text, "  {}", shown(effect));
        }
        effects
    }

    pub fn ask(&mut self, conn: u64, peer: Peer, request: Request) -> Vec<Effect> {
        self.ticket += 1;
        let ticket = Ticket(self.ticket);
        self.input(Input::Request { ticket, conn: ConnId(conn), peer, request })
    }

    /// What the last request needed of the machine is done.
    pub fn done(&mut self, outcome: Outcome) -> Vec<Effect> {
        self.input(Input::Done { ticket: Ticket(self.ticket), outcome })
    }

    /// Asks as the attached client 1.
    pub fn user(&mut self, json: &str) -> Vec<Effect> {
        self.ask(1, Peer { attached: true, ..Peer::default() }, verb(json))
    }

    pub fn attach(&mut self, conn: u64, cols: u16, rows: u16, workspace: Option<&str>) -> Vec<Effect> {
        let ask = Attach {
            stream: STREAM,
            area: Area { cols, rows },
            workspace: workspace.map(str::to_owned),
            tab: None,
            folder: Some("/src/api".to_owned()),
            outer: Outer::default(),
        };
        self.ask(conn, outside(), Request::Verb(Verb::Attach(ask)))
    }

    /// A pane with a command that runs; the answer is its number.
    pub fn running(&mut self, json: &str) -> PaneId {
        let before = self.world.save().next.0;
        self.user(json);
        let pane = PaneId(before);
        self.input(Input::Started { pane, pid: 100 + before as i32 });
        pane
    }

    pub fn change(&mut self, pane: u64, change: PaneChange) -> Vec<Effect> {
        self.input(Input::Pane { pane: PaneId(pane), change })
    }

    pub fn agent(&mut self, pane: u64, state: State, kind: Option<Kind>) -> Vec<Effect> {
        let change = PaneChange::Agent {
            name: "claude".to_owned(),
            label: "Claude Code".to_owned(),
            verdict: verdict(state, kind),
        };
        self.change(pane, change)
    }

    /// Time passes, and the deadline inside it, if any, is kept.
    pub fn pass(&mut self, ms: u64) {
        let end = self.now + ms;
        while let Some(deadline) = self.world.next_deadline().filter(|deadline| *deadline <= end) {
            self.now = deadline;
            self.input(Input::Tick);
        }
        self.now = end;
    }

    /// The tree as text.
    pub fn tree(&mut self) {
        let text = tree(&self.world);
        self.text.push_str(&text);
    }

    /// A new server after a crash, with the programs as the keeper says.
    pub fn restart(&mut self, revival: Revival) {
        let saved = Saved::read(&self.world.save().to_bytes()).expect("what was saved is read");
        let (world, effects) = World::restore(setup("boot-2"), &saved, revival, self.now);
        self.world = world;
        let _ = writeln!(self.text, "> restored");
        for effect in &effects {
            let _ = writeln!(self.text, "  {}", shown(effect));
        }
    }
}

/// The tree as text: a line a pane.
pub fn tree(world: &World) -> String {
    let mut text = String::new();
    let model = world.model();
    for workspace in &model.workspaces {
        let _ = writeln!(text, "  {} in {}", workspace.name, workspace.folder);
        for tab in &workspace.tabs {
            let _ = writeln!(text, "    tab {} {}", tab.id, tab.name.as_deref().unwrap_or("-"));
            for pane in tab.panes() {
                let facts = model.pane(pane).expect("a pane of a layout is there");
                let (cols, rows) = world.pane_size(pane);
                let focus = if tab.focus == pane { " focus" } else { "" };
                let zoomed = if tab.zoomed == Some(pane) { " zoomed" } else { "" };
                let floats = match (tab.floats(pane), tab.floats_hidden) {
                    (true, true) => " floats hidden",
                    (true, false) => " floats",
                    _ => "",
                };
                let _ = writeln!(
                    text,
                    "      pane {pane} {} {cols}x{rows} {:?} in {}{focus}{zoomed}{floats}",
                    facts.called(),
                    facts.phase,
                    facts.cwd
                );
            }
        }
    }
    text
}

/// An effect as a line.
pub fn shown(effect: &Effect) -> String {
    let json = |value: &dyn erased::Json| value.json();
    match effect {
        Effect::Reply { ticket, answer: Ok(response) } => format!("reply {} {}", ticket.0, json(response)),
        Effect::Reply { ticket, answer: Err(refusal) } => format!("refuse {} {refusal}", ticket.0),
        Effect::Event { ticket, event } => format!("event {} {}", ticket.0, json(event)),
        Effect::AgentEvent { ticket, event } => {
            let name = match event {
                AgentEvent::Snapshot { .. } => "snapshot",
                _ => "rows",
            };
            format!("{name} {} {}", ticket.0, json(event))
        }
        // Most panes have nothing done before their program: it is shown where something is.
        other => format!("{other:?}").replace("before: None, ", ""),
    }
}

mod erased {
    /// Anything as JSON.
    pub trait Json {
        fn json(&self) -> String;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> String {
            serde_json::to_string(self).expect("our own types have string keys")
        }
    }
}
