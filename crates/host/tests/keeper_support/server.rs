//! The stand-in server: does with keeper, terminals and journals what a real one would, and what it is told.
//!
//! An order is one connection to its socket: words separated by `\x1f`, the end; the answer is text. Parsing a
//! pane's bytes is tallying them; the bytes `POISON` kill it, as a parser's bug would.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::ExitCode;

use kraal_host::dirs::{Dirs, EnvironmentDirs};
use kraal_host::journal::{Journal, Phase, ReadOutcome};
use kraal_host::keeper::{Exit, Held, HeldPane, Link, Spawn, ToKeeper, ToServer};
use kraal_host::pty::{self, Size};
use kraal_host::slots::Slots;
use kraal_host::socket;
use rustix::event::{PollFd, PollFlags};

use super::tally::Tally;

/// Bytes tallied at a time: small, so that a kill comes between.
const SLICE: usize = 8192;

struct Pane {
    journal: Journal,
    fd: OwnedFd,
    master: Option<OwnedFd>,
    pid: Option<u32>,
    exit: Option<Exit>,
    tally: Tally,
    /// Bytes of a ring that the keeper set aside.
    fault: Option<Vec<u8>>,
}

struct Server {
    dirs: EnvironmentDirs,
    link: Link,
    world: Slots,
    panes: BTreeMap<u64, Pane>,
    restarts: u32,
    last_death: String,
    /// Words of the keeper that an order may ask for.
    heard: Vec<String>,
    is_reading: bool,
}

pub(crate) fn main() -> ExitCode {
    let mut link = Link::from_env().unwrap();
    let name = std::env::args().nth(2).unwrap();
    let dirs = Dirs::from_env().unwrap().environment(&name).unwrap();
    let held = link.held().unwrap();
    if let Ok(reason) = std::fs::read_to_string(dirs.state.join("refuse")) {
        link.send(&ToKeeper::Failed { reason }).unwrap();
        return ExitCode::FAILURE;
    }
    let Held { world, panes, restarts, last_death } = held;
    let mut server = Server {
        dirs,
        link,
        world: Slots::open(world).unwrap(),
        panes: panes.into_iter().map(|held| (held.pane, Pane::restore(held))).collect(),
        restarts,
        last_death: last_death.unwrap_or_default(),
        heard: Vec::new(),
        is_reading: true,
    };
    let listener = socket::bind(&server.dirs.socket).unwrap();
    server.link.send(&ToKeeper::Ready).unwrap();
    server.serve(&listener)
}

impl Pane {
    fn new(fd: OwnedFd) -> Self {
        let journal = Journal::open(&fd).unwrap();
        let tally = Tally::default();
        Self { journal, fd, master: None, pid: None, exit: None, tally, fault: None }
    }

    fn restore(held: HeldPane) -> Self {
        let mut pane = Self::new(held.journal);
        (pane.master, pane.pid, pane.exit) = (held.master, held.pid, held.exit);
        if pane.journal.is_faulty() {
            pane.fault = Some(pane.journal.replay().bytes.to_vec());
            pane.journal.forget_fault();
            return pane;
        }
        let _mark = pane.journal.marking(Phase::Replaying);
        if let Some((_, snapshot)) = pane.journal.snapshot() {
            pane.tally = Tally::decode(snapshot);
        }
        let bytes = pane.journal.replay().bytes.to_vec();
        feed(&mut pane.tally, &bytes);
        pane.journal.mark_replayed();
        pane
    }

    /// Reads one slice and parses it; whether there may be more.
    fn pump(&mut self) -> bool {
        let Some(master) = &self.master else { return false };
        match self.journal.read_from(master.as_fd(), SLICE).unwrap() {
            ReadOutcome::Closed => self.master = None,
            ReadOutcome::Empty => return false,
            ReadOutcome::Bytes(_) | ReadOutcome::Full => {}
        }
        self.parse();
        true
    }

    fn parse(&mut self) {
        let _mark = self.journal.marking(Phase::Parsing);
        let bytes = self.journal.unparsed().to_vec();
        feed(&mut self.tally, &bytes);
        self.journal.mark_parsed(bytes.len());
        let parsed = self.journal.parsed();
        self.journal.set_handled(parsed);
        if self.journal.needs_snapshot() {
            self.journal.store_snapshot(parsed, &self.tally.encode()).unwrap();
        }
    }

    /// What a server killed between reading and noting it leaves: bytes in the ring, past the head.
    fn read_past_head(&mut self) -> usize {
        let mut buffer = [0; 1024];
        let master = self.master.as_ref().unwrap();
        let length = pty::read(master, &mut buffer).unwrap().unwrap_or(0);
        let ring = kraal_host::journal::Sizes::default().ring as u64;
        let at = 65_536 + self.journal.head() % ring;
        rustix::io::pwrite(&self.fd, &buffer[..length], at).unwrap();
        length
    }
}

fn feed(tally: &mut Tally, bytes: &[u8]) {
    tally.feed(bytes);
    if bytes.windows(6).any(|window| window == b"POISON") {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::ABORT).unwrap();
    }
}

impl Server {
    fn serve(&mut self, listener: &UnixListener) -> ExitCode {
        loop {
            let masters: Vec<&OwnedFd> = match self.is_reading {
                true => self.panes.values().filter_map(|pane| pane.master.as_ref()).collect(),
                false => Vec::new(),
            };
            let mut fds = vec![PollFd::new(&self.link, PollFlags::IN), PollFd::new(listener, PollFlags::IN)];
            fds.extend(masters.iter().map(|master| PollFd::new(*master, PollFlags::IN)));
            rustix::event::poll(&mut fds, None).unwrap();
            let is_asked = fds[1].revents().contains(PollFlags::IN);
            if let Some(code) = self.hear() {
                return code;
            }
            if self.is_reading {
                for pane in self.panes.values_mut() {
                    pane.pump();
                }
            }
            if is_asked {
                let (mut stream, _) = listener.accept().unwrap();
                let mut order = String::new();
                stream.read_to_string(&mut order).unwrap();
                let words: Vec<&str> = order.split('\x1f').collect();
                let answer = self.obey(&words);
                let _ = stream.write_all(answer.as_bytes());
            }
        }
    }

    /// Hears the keeper's next word with no room for a descriptor.
    fn hear_without_descriptors(&mut self) {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let before = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: Some(3), maximum: before.maximum }).unwrap();
        // poll itself wants no more descriptors than the limit.
        let (word, _) = loop {
            let mut fds = [PollFd::new(&self.link, PollFlags::IN)];
            rustix::event::poll(&mut fds, None).unwrap();
            if let Some(received) = self.link.recv().unwrap() {
                break received;
            }
        };
        setrlimit(Resource::Nofile, before).unwrap();
        self.heard.push(format!("{word:?}"));
    }

    fn hear(&mut self) -> Option<ExitCode> {
        loop {
            let (word, fds) = match self.link.recv() {
                Ok(Some(received)) => received,
                Ok(None) => return None,
                // The keeper is gone, or done.
                Err(_) => return Some(ExitCode::SUCCESS),
            };
            self.heard.push(format!("{word:?}"));
            let mut fds = fds.into_iter();
            match word {
                ToServer::Spawned { pane, pid } => {
                    let journal = fds.next().unwrap();
                    let entry = self.panes.entry(pane).or_insert_with(|| Pane::new(journal));
                    (entry.master, entry.pid, entry.exit) = (fds.next(), Some(pid), None);
                }
                ToServer::Reserved { pane } => {
                    let journal = fds.next().unwrap();
                    self.panes.entry(pane).or_insert_with(|| Pane::new(journal));
                }
                ToServer::Exited { pane, exit } => {
                    if let Some(pane) = self.panes.get_mut(&pane) {
                        pane.exit = Some(exit);
                    }
                }
                ToServer::Upgraded => return Some(ExitCode::SUCCESS),
                _ => {}
            }
        }
    }

    fn obey(&mut self, words: &[&str]) -> String {
        let number = |index: usize| words[index].parse::<u64>().unwrap();
        let done = "done".to_owned();
        let mut say = |word: ToKeeper| match self.link.send(&word) {
            Ok(()) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        match words[0] {
            "spawn" => say(ToKeeper::Spawn(spawn(number(1), words[2], &words[3..]))),
            "spawn-env" => {
                let mut spawn = spawn(number(1), "/", &["sh", "-c", "env | wc -c; read x"]);
                let part = "x".repeat(100_000);
                spawn.env.extend((0..number(2)).map(|n| (format!("V{n}").into(), part.clone().into())));
                say(ToKeeper::Spawn(spawn))
            }
            "reserve" => say(ToKeeper::Reserve { pane: number(1), history: 4 }),
            "signal" => say(ToKeeper::Signal { pane: number(1), signal: number(2) as i32 }),
            "end" => say(ToKeeper::End { grace_ms: number(1) as u32 }),
            "upgrade" => say(ToKeeper::Upgrade { exe: PathBuf::from(words[1]) }),
            "forget" => {
                self.panes.remove(&number(1));
                say(ToKeeper::Forget { pane: number(1) })
            }
            "info" => format!("{} {}", self.restarts, self.last_death),
            "heard" => self.heard.join("\n"),
            "exit" => std::process::exit(number(1) as i32),
            "world" => String::from_utf8(self.world.load().unwrap().unwrap_or_default()).unwrap(),
            "set-world" => {
                self.world.store(words[1].as_bytes()).unwrap();
                done
            }
            "spawn-starved" => {
                let said = say(ToKeeper::Spawn(spawn(number(1), words[2], &words[3..])));
                self.hear_without_descriptors();
                said
            }
            "hold" => {
                self.is_reading = false;
                done
            }
            _ => match self.panes.get_mut(&number(1)) {
                Some(pane) => of_pane(pane, words),
                None => "no such pane".to_owned(),
            },
        }
    }
}

fn of_pane(pane: &mut Pane, words: &[&str]) -> String {
    match words[0] {
        "pid" => pane.pid.map_or_else(String::new, |pid| pid.to_string()),
        "exit-of" => pane.exit.map_or_else(String::new, |exit| format!("{exit:?}")),
        "tally" => format!("{} {}", pane.tally.count, pane.tally.hash),
        "tail" => String::from_utf8_lossy(&pane.tally.tail).into_owned(),
        "fault" => {
            pane.fault.as_ref().map_or_else(String::new, |bytes| String::from_utf8_lossy(bytes).into())
        }
        "write" => {
            pty::write(pane.master.as_ref().unwrap(), words[2].as_bytes()).unwrap();
            "done".to_owned()
        }
        "read-past-head" => pane.read_past_head().to_string(),
        other => panic!("no such order: {other}"),
    }
}

fn spawn(pane: u64, cwd: &str, argv: &[&str]) -> Spawn {
    Spawn {
        pane,
        argv: argv.iter().map(OsString::from).collect(),
        env: vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())],
        cwd: PathBuf::from(cwd),
        size: Size { cols: 80, rows: 24 },
        history: 4,
    }
}
