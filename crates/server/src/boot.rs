//! How a server comes up: under running programs from the keeper's memory, or after a reboot from
//! disk.
//!
//! Not here: the loop (`server`), starting a keeper (`host::keeper`).

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use kraal_agents::{Catalog, Detector};
use kraal_api::PaneId;
use kraal_api::config::Config;
use kraal_api::model::Exit;
use kraal_api::stream::ToClient;
use kraal_core::{Effect, Input, Revival, Saved, Settings, Setup, Ticket, World};
use kraal_host::dirs::{Dirs, EnvironmentDirs};
use kraal_host::keeper::{self, Held, HeldPane, Link, ToKeeper};
use kraal_host::sentinel::Sentinel;
use kraal_host::slots::Slots;
use kraal_host::{clock, files, socket};
use kraal_term::{OuterColours, Size};
use mio::net::UnixListener;
use mio::unix::SourceFd;
use mio::{Interest, Poll, Waker};
use rustix::fd::{AsFd, AsRawFd};
use serde::{Deserialize, Serialize};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::conn::Tickets;
use crate::homes::LiveFiles;
use crate::hooks::Followed;
use crate::marks::Marks;
use crate::own::{self, OwnAgents};
use crate::pane::Pane;
use crate::pool::Pool;
use crate::server::{
    Conns, Ending, Found, Inbox, KEEPER, Keeper, LETTERS, LISTENER, Panes, SENTINEL, SIGNALS, Saving, Server,
    Setting, WAKER,
};
use crate::store::{Files, Schedule};

/// The largest configuration, in bytes.
pub(crate) const CONFIG_MAX: u64 = 1024 * 1024;
/// Threads for what blocks.
const POOL: usize = 2;
/// Variables of a server's own life that no pane inherits.
const PRIVATE: &[&str] =
    &["KRAAL_TOKEN", "KRAAL_PANE", "KRAAL_SOCKET", "KRAAL_SESSION", "KRAAL", "KRAAL_TEST_POISON"];

/// What a server is told by its command line.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The environment's name.
    pub environment: String,
    /// This program by its real path: what `kraal restart` starts.
    pub exe: PathBuf,
    /// `kraal 0.1.0`.
    pub app: String,
}

/// What a new server needs of the one before, besides the journals.
#[derive(Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) world: Saved,
    pub(crate) detectors: Vec<(PaneId, kraal_agents::Saved)>,
    /// Agents that only their hooks tell of: pid and start of their process.
    #[serde(default)]
    pub(crate) followed: Vec<(PaneId, u32, u64)>,
}

/// A server's whole life. Call it first in the process that the keeper started.
///
/// # Errors
///
/// In one sentence, which the keeper is told too, so that who waits for the session hears it.
pub fn run(config: ServerConfig) -> anyhow::Result<()> {
    let mut link = Link::from_env().context("this is a session's own process")?;
    let held = link.held().context("the keeper did not hand over what it holds")?;
    let ground = match Ground::prepare(&config) {
        Ok(ground) => ground,
        Err(error) => {
            let reason = format!("{error:#}");
            // It may be gone as well; then nobody waits.
            let _ = link.send(&ToKeeper::Failed { reason });
            return Err(error);
        }
    };
    let mut server = ground.build(config, link, held)?;
    server.run()
}

/// What is there before the session: folders, the socket, the configuration.
struct Ground {
    dirs: Dirs,
    environment: EnvironmentDirs,
    listener: UnixListener,
    config: Config,
    problems: Vec<String>,
    own: own::Texts,
    catalog: Arc<Catalog>,
}

impl Ground {
    fn prepare(config: &ServerConfig) -> anyhow::Result<Self> {
        let dirs = Dirs::from_env()?;
        let environment = dirs.environment(&config.environment)?;
        let listener = socket::bind(&environment.socket)?;
        listener.set_nonblocking(true).context("the socket cannot be used")?;
        let ConfigRead { config: parsed, problems, own, catalog, .. } = ConfigRead::of(&dirs, 0, None);
        Ok(Ground {
            dirs,
            environment,
            listener: UnixListener::from_std(listener),
            config: parsed,
            problems,
            own,
            catalog: Arc::new(catalog),
        })
    }

    fn build(self, config: ServerConfig, link: Link, held: Held) -> anyhow::Result<Server> {
        let poll = Poll::new().context("no event queue")?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        let pool = Pool::new(POOL, waker).context("the pool's threads cannot be started")?;
        let signals = signal_hook_mio::v1_0::Signals::new([SIGTERM, SIGHUP, SIGINT])?;
        let files = Files::new(&self.environment.state);
        let slots = Slots::open(held.world).context("the session's memory cannot be read")?;
        let memory = recall(&slots);
        let keeper = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get() as u32);
        let vars: HashMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| !PRIVATE.contains(&name.as_str()))
            .collect();
        let setting = Setting {
            environment: self.environment,
            dirs: self.dirs,
            app: config.app,
            epoch: clock::now_ms().saturating_sub(clock::monotonic_ms()),
            keeper,
            exe: config.exe,
            catalog: self.catalog,
            vars,
        };
        let now = setting.epoch + clock::monotonic_ms();
        let panes: Vec<HeldPane> = held.panes;
        let setup = setup_of(&setting, settings_of(&self.config));
        let start = Beginning::choose(memory, &files, setup, &panes, now);
        let marks = Marks::new(&pool);
        let sentinel = Sentinel::new(&setting.environment.socket).ok();
        let mut server = Server {
            poll,
            world: start.world,
            setting,
            config: self.config,
            keeper: Keeper { link, slots, upgrading: None, ending: HashMap::new() },
            panes: Panes::default(),
            conns: Conns {
                listener: self.listener,
                sentinel,
                all: HashMap::new(),
                last: 0,
                tickets: Tickets::default(),
                texts: HashMap::new(),
                full: false,
                active: None,
            },
            marks,
            live: LiveFiles::new(),
            own: OwnAgents::of(self.own),
            config_reads: (0, 0),
            prompts: crate::prompts::Prompts::default(),
            saving: Saving { files, schedule: Schedule::default(), dirty: true, old_texts: start.old_texts },
            pool,
            inbox: Inbox::default(),
            colours: OuterColours::default(),
            signals,
            ending: None,
        };
        server.own.watch(server.live.letters.as_ref(), &server.setting.dirs);
        server.register()?;
        server.recover(panes, start.detectors, now);
        server.refollow(start.followed);
        for effect in start.effects {
            server.perform(effect);
        }
        for id in server.world.model().panes.iter().map(|pane| pane.id).collect::<Vec<_>>() {
            if !server.panes.all.contains_key(&id) {
                server.reserve(id);
            }
        }
        let settings = settings_of(&server.config);
        server.feed(Input::Configured { settings, problems: self.problems, ticket: None });
        for problem in start.problems {
            server.feed(Input::Problem(problem));
        }
        if let Some(death) = held.last_death {
            tracing::warn!(death, restarts = held.restarts, "the server was started again");
        }
        server.store_world();
        server.ask_keeper(&ToKeeper::Ready, None);
        Ok(server)
    }
}

/// How the world begins.
struct Beginning {
    world: World,
    effects: Vec<Effect>,
    detectors: Vec<(PaneId, kraal_agents::Saved)>,
    followed: Vec<(PaneId, u32, u64)>,
    problems: Vec<String>,
    /// Panes whose saved text is shown when their terminal is there.
    old_texts: Vec<PaneId>,
}

impl Beginning {
    fn choose(memory: Option<Memory>, files: &Files, setup: Setup, held: &[HeldPane], now: u64) -> Self {
        if let Some(memory) = memory {
            let alive = held
                .iter()
                .filter(|pane| pane.pid.is_some() || pane.exit.is_some())
                .map(|pane| (PaneId(pane.pane), pane.exit.map(exit_of)))
                .collect();
            let (world, effects) = World::restore(setup, &memory.world, Revival::Running { alive }, now);
            return Beginning {
                world,
                effects,
                detectors: memory.detectors,
                followed: memory.followed,
                problems: Vec::new(),
                old_texts: Vec::new(),
            };
        }
        let mut problems = Vec::new();
        let saved = match files.load_world().map(|found| found.map(|bytes| Saved::read(&bytes))) {
            Ok(None) => None,
            Ok(Some(Ok(saved))) => Some(saved),
            Ok(Some(Err(error))) => {
                problems.push(set_aside(files, &error.to_string()));
                None
            }
            Err(error) => {
                problems.push(set_aside(files, &format!("the saved session cannot be read ({error})")));
                None
            }
        };
        let Some(mut saved) = saved else {
            let world = World::new(setup);
            return Beginning {
                world,
                effects: Vec::new(),
                detectors: Vec::new(),
                followed: Vec::new(),
                problems,
                old_texts: Vec::new(),
            };
        };
        let old_texts: Vec<PaneId> = saved.panes.iter().map(|pane| pane.facts.id).collect();
        files.sweep(&old_texts);
        let home = std::env::var("HOME").ok();
        crate::homes::forget_lost(&mut saved, &setup.catalog, home.as_ref());
        let (world, effects) = World::restore(setup, &saved, Revival::Rebooted, now);
        Beginning { world, effects, detectors: Vec::new(), followed: Vec::new(), problems, old_texts }
    }
}

/// What could not be read is moved out of the way, never written over.
fn set_aside(files: &Files, why: &str) -> String {
    match files.set_world_aside() {
        Ok(path) => format!("{why}; it was moved to {} and a new session begins", path.display()),
        Err(error) => format!(
            "{why}; it could not be moved aside either ({error}): see to {}, or the session will not be saved",
            files.folder().display()
        ),
    }
}

fn setup_of(setting: &Setting, settings: Settings) -> Setup {
    Setup {
        environment: setting.environment.name.clone(),
        boot: random_word(),
        app: setting.app.clone(),
        catalog: setting.catalog.clone(),
        settings,
        home: setting.vars.get("HOME").cloned().unwrap_or_else(|| "/".to_owned()),
        pid: rustix::process::getpid().as_raw_nonzero().get(),
        keeper: setting.keeper as i32,
        tokens: Box::new(random_word),
    }
}

/// 128 bits from the kernel, as hexadecimal digits.
fn random_word() -> String {
    let mut bytes = [0u8; 16];
    let mut filled = 0;
    while filled < bytes.len() {
        match rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty()) {
            Ok(n) => filled += n,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("the kernel gives no randomness: {error}"),
        }
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The rules' share of a configuration.
pub(crate) fn settings_of(config: &Config) -> Settings {
    Settings {
        worker_limit: config.worker_limit,
        notify: config.notifications.mode != kraal_api::config::NotifyMode::Off,
        on_blocked: config.notifications.on_blocked,
        on_done: config.notifications.on_done,
    }
}

/// A configuration and its problems, one sentence each.
pub(crate) fn parse_config(text: &str) -> (Config, Vec<String>) {
    let (config, problems) = Config::parse(text);
    let said = problems.into_iter().map(|p| match p.line {
        0 => format!("config.toml: {}", p.message),
        line => format!("config.toml, line {line}: {}", p.message),
    });
    (config, said.collect())
}

/// The configuration as it was read: the file, and the user's own agents beside it.
#[derive(Debug)]
pub(crate) struct ConfigRead {
    /// Which reading this was.
    number: u64,
    /// Who asked for it.
    ticket: Option<Ticket>,
    config: Config,
    /// One sentence each.
    problems: Vec<String>,
    own: own::Texts,
    catalog: Catalog,
}

impl ConfigRead {
    /// Reads it all; blocks.
    pub(crate) fn of(dirs: &Dirs, number: u64, ticket: Option<Ticket>) -> Self {
        let text = match files::read_capped(&dirs.config.join("config.toml"), CONFIG_MAX) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(_) => String::new(),
        };
        let (config, mut problems) = parse_config(&text);
        let own = own::texts(dirs);
        let (catalog, wrong) = own::catalog(&own);
        problems.extend(wrong.into_iter().map(|problem| problem.to_string()));
        ConfigRead { number, ticket, config, problems, own, catalog }
    }
}

/// How a program ended, in the API's words.
pub(crate) fn exit_of(exit: keeper::Exit) -> Exit {
    match exit {
        keeper::Exit::Code(code) => Exit::Code(code),
        keeper::Exit::Signal(signal) => Exit::Signal(signal),
    }
}

fn recall(slots: &Slots) -> Option<Memory> {
    match slots.load() {
        Ok(bytes) => match serde_json::from_slice(&bytes?) {
            Ok(memory) => Some(memory),
            Err(error) => {
                tracing::error!(%error, "what the last server left cannot be read");
                None
            }
        },
        Err(error) => {
            tracing::error!(%error, "what the last server left cannot be read");
            None
        }
    }
}

impl Server {
    fn register(&mut self) -> anyhow::Result<()> {
        let registry = self.poll.registry();
        registry.register(&mut self.conns.listener, LISTENER, Interest::READABLE)?;
        if let Some(sentinel) = &self.conns.sentinel {
            registry.register(&mut SourceFd(&sentinel.as_fd().as_raw_fd()), SENTINEL, Interest::READABLE)?;
        }
        if let Some(letters) = &self.live.letters {
            registry.register(&mut SourceFd(&letters.as_fd().as_raw_fd()), LETTERS, Interest::READABLE)?;
        }
        registry.register(&mut self.signals, SIGNALS, Interest::READABLE)?;
        let link = self.keeper.link.as_fd().as_raw_fd();
        registry.register(&mut SourceFd(&link), KEEPER, Interest::READABLE | Interest::WRITABLE)?;
        Ok(())
    }

    /// Takes over the panes of an earlier server: what their screens showed, what their agents did.
    fn recover(&mut self, held: Vec<HeldPane>, detectors: Vec<(PaneId, kraal_agents::Saved)>, now: u64) {
        let mut detectors: HashMap<PaneId, kraal_agents::Saved> = detectors.into_iter().collect();
        let mut acts = VecDeque::new();
        for old in held {
            let id = PaneId(old.pane);
            if self.world.pane_facts(id).is_none() {
                // Started by a server that died before it could say so: nobody has ever seen it.
                self.ask_keeper(&ToKeeper::Forget { pane: old.pane }, None);
                continue;
            }
            let detector = detectors.remove(&id).and_then(|saved| {
                let agent = self.setting.catalog.get(saved.agent())?;
                Some(Detector::restore(agent.clone(), saved))
            });
            if let Some(out) = self.recover_pane(old, detector) {
                acts.push_back((id, out));
            }
        }
        for (id, mut out) in acts {
            self.take_out(id, &mut out, now);
        }
    }

    /// Goes on following the agents that only their hooks tell of.
    fn refollow(&mut self, followed: Vec<(PaneId, u32, u64)>) {
        for (id, pid, start) in followed {
            let who = kraal_host::process::Identity { pid, start };
            if let Some(pane) = self.panes.all.get_mut(&id) {
                pane.watch.followed = Some(Followed::new(who));
                pane.watch.process = Some(pid);
                self.watch_followed(id);
            }
        }
    }

    fn recover_pane(&mut self, old: HeldPane, detector: Option<Detector>) -> Option<kraal_term::Outbox> {
        let id = PaneId(old.pane);
        let (cols, rows) = self.world.pane_size(id);
        let options = self.term_options();
        let mut pane = Pane::new(Size { cols, rows }, options.clone());
        pane.watch.detector = detector;
        let recovered = pane.recover_journal(&old.journal, options);
        if let (Some(master), Some(pid)) = (old.master, old.pid) {
            pane.adopt_program(master, pid);
            self.panes.by_pid.insert(pid, id);
        }
        pane.ended = old.exit.filter(|_| pane.program.is_some());
        self.panes.all.insert(id, pane);
        self.watch_program(id);
        let recovered = match recovered {
            Ok(recovered) => recovered,
            Err(error) => {
                tracing::error!(pane = id.0, %error, "a pane's journal cannot be read");
                self.note(id, "kraal: what this pane showed before could not be read");
                return None;
            }
        };
        if let Some(bytes) = recovered.set_aside {
            self.fault(id, &bytes);
        }
        Some(recovered.out)
    }

    /// A pane's bytes stopped the server twice: they are kept for a report, and the rest goes on.
    fn fault(&mut self, id: PaneId, bytes: &[u8]) {
        let kept = match self.saving.files.save_fault(id, bytes) {
            Ok(path) => format!("they are kept in {}", path.display()),
            Err(error) => format!("they could not be kept ({error})"),
        };
        let sentence =
            format!("kraal: output of this pane stopped the server twice and was set aside; {kept}");
        self.note(id, &sentence);
        self.feed(Input::Problem(format!("pane {id}: {sentence}")));
    }

    /// A line of the server's own in a pane.
    pub(crate) fn note(&mut self, id: PaneId, sentence: &str) {
        if let Some(pane) = self.panes.all.get_mut(&id)
            && let Err(error) = pane.say(format!("\x1b[0m\r\n\x1b[7m{sentence}\x1b[0m\r\n").as_bytes())
        {
            tracing::error!(pane = id.0, %error, "a note cannot be shown");
        }
    }

    /// Ends a server whose keeper is gone: saves, and ends the programs the keeper can no longer end.
    pub(crate) fn orphaned(&mut self) {
        tracing::error!("the keeper is gone: the session ends");
        self.save_now();
        self.bye(&kraal_api::stream::Bye::Because(
            "the session's keeper is gone: it was saved; start it again".into(),
        ));
        for pid in self.panes.by_pid.keys() {
            kraal_host::process::signal_session(*pid, 1);
            kraal_host::process::signal_session(*pid, 9);
        }
        self.ending = Some(Ending::Over);
    }

    /// What the pool found.
    pub(crate) fn hear_pool(&mut self) {
        for found in self.pool.found() {
            match found {
                Found::Branch(root, branch) => {
                    for (pane, branch) in self.marks.answered(&root, branch.as_ref()) {
                        let change = kraal_core::PaneChange::Branch(branch);
                        self.feed(Input::Pane { pane, change });
                    }
                }
                Found::Changed(root) => {
                    let now = self.now();
                    self.marks.refresh(&root, now);
                }
                Found::Config(read) => self.configured(*read),
                Found::Live(pane, path, content) => self.live_file_says(pane, &path, &content),
                Found::NoTranscript(pane, agent, conversation) => {
                    let change = kraal_core::PaneChange::NoTranscript { agent, conversation };
                    self.feed(Input::Pane { pane, change });
                }
                Found::Saved(took, outcome) => self.saved(took, outcome),
                Found::Probed(outcome) => self.probed(outcome),
            }
        }
    }

    fn configured(&mut self, read: ConfigRead) {
        let ConfigRead { number, ticket, config, problems, own, catalog } = read;
        if number < self.config_reads.1 {
            // A later reading was faster: what this one saw is old.
            if ticket.is_some() {
                self.read_config(ticket);
            }
            return;
        }
        self.config_reads.1 = number;
        self.config = config;
        self.tell_kept(None, &ToClient::Config(Box::new(self.config.clone())));
        self.own_agents_are(own, catalog);
        let settings = settings_of(&self.config);
        self.feed(Input::Configured { settings, problems, ticket });
    }

    /// Signals of the machine.
    pub(crate) fn hear_signals(&mut self) {
        let heard: Vec<i32> = self.signals.pending().collect();
        for signal in heard {
            match signal {
                SIGTERM => self.perform(Effect::End { ticket: None }),
                SIGHUP => self.read_config(None),
                _ => {}
            }
        }
    }
}
