//! An environment of its own in a temporary folder, and the ways a test looks at it.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kraal_host::dirs::{Dirs, EnvironmentDirs};
use kraal_host::keeper::{LaunchConfig, LaunchError, launch, registered};
use kraal_host::process::{self, Identity};
use kraal_host::{lock, socket};
use tempfile::TempDir;

use super::tally::Tally;

/// Far more than anything here takes, even on a busy machine.
const LONG: Duration = Duration::from_secs(60);

pub(crate) struct Place {
    pub(crate) root: TempDir,
    pub(crate) dirs: Dirs,
    /// Everything that was seen running, to be checked for at the end.
    seen: std::cell::RefCell<Vec<Identity>>,
}

/// Waits until `look` finds something; panics with `what` when it never does.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let late = Instant::now() + LONG;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < late, "never: {what}");
        std::thread::park_timeout(Duration::from_millis(3));
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        let root = tempfile::Builder::new().prefix("kr").tempdir().unwrap();
        let base = root.path().to_owned();
        let dirs = Dirs::from_vars(
            |name| (name == "HOME" || name == "XDG_RUNTIME_DIR").then(|| base.clone().into()),
            0,
        );
        Self { root, dirs: dirs.unwrap(), seen: std::cell::RefCell::default() }
    }

    pub(crate) fn vars(&self) -> Vec<(OsString, Option<OsString>)> {
        let base = Some(self.root.path().as_os_str().to_owned());
        vec![
            ("HOME".into(), base.clone()),
            ("XDG_RUNTIME_DIR".into(), base),
            ("XDG_STATE_HOME".into(), None),
            ("XDG_CONFIG_HOME".into(), None),
        ]
    }

    pub(crate) fn main(&self) -> EnvironmentDirs {
        self.dirs.environment("main").unwrap()
    }

    pub(crate) fn launch(&self) -> Result<(), LaunchError> {
        let exe = std::env::current_exe().unwrap();
        launch(&LaunchConfig { dirs: self.main(), exe, vars: self.vars() })
    }

    /// Launched, with a note of the keeper.
    pub(crate) fn up() -> Self {
        let place = Self::new();
        place.launch().unwrap();
        place.note(place.keeper());
        place
    }

    pub(crate) fn keeper(&self) -> u32 {
        self.keeper_of("main").expect("a keeper is registered")
    }

    pub(crate) fn keeper_of(&self, environment: &str) -> Option<u32> {
        let found = registered(&self.dirs.keepers());
        found.into_iter().find(|found| found.environment == environment).map(|found| found.keeper.pid)
    }

    pub(crate) fn server(&self) -> u32 {
        until("a server", || {
            let children = process::children(self.keeper());
            children.into_iter().find(|pid| {
                process::cmdline(*pid).is_some_and(|argv| argv.get(1).is_some_and(|arg| arg == "__server"))
            })
        })
    }

    /// Gives the server an order, waiting for one that listens; the answer.
    pub(crate) fn order(&self, words: &[&str]) -> String {
        until("an answer", || self.try_order(words))
    }

    pub(crate) fn try_order(&self, words: &[&str]) -> Option<String> {
        let mut stream = socket::connect(&self.main().socket).ok()?;
        stream.write_all(words.join("\x1f").as_bytes()).ok()?;
        stream.shutdown(Shutdown::Write).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        (!answer.is_empty() || words[0] == "exit").then_some(answer)
    }

    /// Runs a shell script in a pane; its pid.
    pub(crate) fn script(&self, pane: u64, script: &str) -> u32 {
        self.order(&["spawn", &pane.to_string(), "/", "sh", "-c", script]);
        self.pid(pane)
    }

    pub(crate) fn pid(&self, pane: u64) -> u32 {
        let pid = until("a pid", || self.try_order(&["pid", &pane.to_string()])?.parse().ok());
        self.note(pid);
        pid
    }

    /// Waits until the end of what a pane printed contains `text`.
    pub(crate) fn shows(&self, pane: u64, text: &str) -> String {
        until(text, || self.try_order(&["tail", &pane.to_string()]).filter(|tail| tail.contains(text)))
    }

    /// Waits until exactly these bytes have come out of a pane.
    pub(crate) fn printed(&self, pane: u64, bytes: &[u8]) {
        let whole = Tally::of(bytes);
        let wanted = format!("{} {}", whole.count, whole.hash);
        let mut last = String::new();
        let count = until("all bytes", || {
            last = self.try_order(&["tally", &pane.to_string()])?;
            let count: u64 = last.split(' ').next()?.parse().ok()?;
            (count >= whole.count).then_some(count)
        });
        assert_eq!(last, wanted, "{count} of {} bytes, or others", whole.count);
    }

    pub(crate) fn heard(&self, text: &str) -> String {
        until(text, || self.try_order(&["heard"]).filter(|heard| heard.contains(text)))
    }

    /// Kills the server and waits until it is gone.
    pub(crate) fn kill_server(&self) {
        let server = process::identity(self.server());
        process::signal(self.server(), 9);
        until("the server's death", || server.is_none_or(|who| !process::is_alive(who)).then_some(()));
    }

    pub(crate) fn lives(&self, pid: u32) -> bool {
        process::stat(pid).is_some_and(|stat| !stat.is_zombie)
    }

    /// Remembers a process that must be gone at the end.
    pub(crate) fn note(&self, pid: u32) {
        self.seen.borrow_mut().extend(process::identity(pid));
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.seen.borrow().iter().all(|who| !process::is_alive(*who))
    }

    /// Waits until nothing of it is left: no process, no registered keeper, no lock, no socket.
    pub(crate) fn ended(&self) {
        until("the end of all processes", || self.is_gone().then_some(()));
        assert!(self.keeper_of("main").is_none());
        assert_eq!(lock::holder(&self.main().lock), None);
        assert!(!self.main().socket.exists() && !self.main().halted.exists());
    }

    pub(crate) fn copy_of_exe(&self) -> PathBuf {
        let copy = self.root.path().join("new-kraal");
        // By another process: a file that this one has open to write cannot be executed, and a fork of another
        // test would hold it open a moment longer.
        let copied =
            std::process::Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&copy).status();
        assert!(copied.unwrap().success());
        copy
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(Path::new(&self.main().log)).unwrap_or_default()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("--- log\n{}---", self.log());
        }
        for found in registered(&self.dirs.keepers()) {
            process::signal(found.keeper.pid, 15);
            until("the keeper's end", || (!process::is_alive(found.keeper)).then_some(()));
        }
        for who in self.seen.borrow().iter().filter(|who| process::is_alive(**who)) {
            process::signal(who.pid, 9);
            if !std::thread::panicking() {
                panic!("process {} was left running: {:?}", who.pid, process::cmdline(who.pid));
            }
        }
    }
}
