//! A home of its own for one test, in which the real binary runs; at its end everything it started
//! is gone.
//!
//! Not here: the attached client (`attached`).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kraal_api::model::Phase;
use kraal_api::panes::PaneRow;
use kraal_api::request::Info;
use kraal_api::{PaneId, Response, Verb};
use kraal_host::process::Identity;
use kraal_host::{keeper, process};
use tempfile::TempDir;

use crate::api::Api;
use crate::attached::Attached;
use crate::wait::{await_some, await_true};

/// The home of one test.
pub struct Sandbox {
    root: TempDir,
    exe: PathBuf,
    vars: BTreeMap<String, String>,
}

/// How a command went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Its exit status; none when a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it said of itself.
    pub stderr: String,
}

impl Sandbox {
    /// A home for the binary at `exe`: `Sandbox::new(env!("CARGO_BIN_EXE_kraal"))`.
    ///
    /// # Panics
    ///
    /// When no folder can be made.
    pub fn new(exe: impl AsRef<Path>) -> Self {
        // A socket's path is short: /tmp, whatever TMPDIR is.
        let root = tempfile::Builder::new().prefix("kraal-t-").tempdir_in("/tmp").expect("a folder in /tmp");
        for folder in ["home", "run", "config", "state", "work"] {
            std::fs::create_dir(root.path().join(folder)).expect("a folder in our own");
        }
        let path = |folder: &str| root.path().join(folder).display().to_string();
        let vars = BTreeMap::from(
            [
                ("HOME", path("home")),
                ("XDG_RUNTIME_DIR", path("run")),
                ("XDG_CONFIG_HOME", path("config")),
                ("XDG_STATE_HOME", path("state")),
                ("PATH", std::env::var("PATH").unwrap_or_default()),
                ("TERM", "xterm-256color".into()),
                ("COLORTERM", "truecolor".into()),
                ("LANG", "C.UTF-8".into()),
                ("SHELL", "/bin/sh".into()),
                ("PS1", "$ ".into()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        Sandbox { root, exe: exe.as_ref().to_owned(), vars }
    }

    /// Sets a variable for everything that starts from now on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.vars.insert(name.to_owned(), value.to_owned());
    }

    /// The folder commands run in.
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// The root of it all: `home`, `run`, `config`, `state`, `work` lie in it.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The socket of a session.
    pub fn socket_of(&self, session: &str) -> PathBuf {
        self.root.path().join("run/kraal").join(session).join("api.sock")
    }

    /// The state folder of a session.
    pub fn state_of(&self, session: &str) -> PathBuf {
        self.root.path().join("state/kraal").join(session)
    }

    /// Writes the configuration.
    ///
    /// # Panics
    ///
    /// When it cannot be written.
    pub fn configure(&self, text: &str) {
        let folder = self.root.path().join("config/kraal");
        std::fs::create_dir_all(&folder).expect("a folder in our own");
        std::fs::write(folder.join("config.toml"), text).expect("a file in our own");
    }

    /// The environment, and nothing else of ours.
    pub(crate) fn vars(&self) -> impl Iterator<Item = (&String, &String)> {
        self.vars.iter()
    }

    pub(crate) fn exe(&self) -> &Path {
        &self.exe
    }

    /// A program in this home.
    pub fn program(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.vars()).current_dir(self.work());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs kraal with these arguments.
    ///
    /// # Panics
    ///
    /// When it cannot be run.
    pub fn kraal(&self, args: &[&str]) -> Done {
        let mut command = self.program(&self.exe);
        finish(&command.args(args).output().expect("the binary runs"))
    }

    /// Runs krad, which lies beside it, with these arguments.
    ///
    /// # Panics
    ///
    /// When it cannot be run.
    pub fn krad(&self, args: &[&str]) -> Done {
        let mut command = self.program(self.exe.with_file_name("krad"));
        finish(&command.args(args).output().expect("the binary runs"))
    }

    /// Runs kraal with this standard input.
    ///
    /// # Panics
    ///
    /// When it cannot be run.
    pub fn kraal_fed(&self, args: &[&str], input: &str) -> Done {
        let mut child =
            self.program(&self.exe).args(args).stdin(Stdio::piped()).spawn().expect("the binary runs");
        // It may end without reading.
        let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
        finish(&child.wait_with_output().expect("the binary ends"))
    }

    /// Runs kraal, which must succeed, and gives what it printed without the last newline.
    ///
    /// # Panics
    ///
    /// When it fails.
    pub fn ok(&self, args: &[&str]) -> String {
        let done = self.kraal(args);
        assert_eq!(done.code, Some(0), "kraal {args:?}: {done:?}");
        done.stdout.trim_end_matches('\n').to_owned()
    }

    /// Runs kraal, which must print JSON.
    ///
    /// # Panics
    ///
    /// When it fails or prints something else.
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let text = self.ok(args);
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("kraal {args:?} printed no JSON ({e}): {text}"))
    }

    /// Opens a pane with `kraal run`, and gives its id.
    ///
    /// # Panics
    ///
    /// When it fails.
    pub fn run(&self, args: &[&str]) -> PaneId {
        let all: Vec<&str> = ["run"].iter().chain(args).copied().collect();
        let printed = self.ok(&all);
        let id = printed.lines().last().and_then(|line| line.parse().ok());
        PaneId(id.unwrap_or_else(|| panic!("no id on the last line: {printed}")))
    }

    /// Opens a pane with the sample agent, and gives its id.
    pub fn sample(&self, flags: &[&str], agent: &[&str]) -> PaneId {
        let exe = self.exe.display().to_string();
        let all: Vec<&str> = flags
            .iter()
            .copied()
            .chain(["--", exe.as_str(), "__sample-agent"])
            .chain(agent.iter().copied())
            .collect();
        self.run(&all)
    }

    /// A client of the API of session `main`.
    pub fn api(&self) -> Api {
        Api::connect(&self.socket_of("main"))
    }

    /// What the server of `main` says of itself.
    ///
    /// # Panics
    ///
    /// When it does not answer.
    pub fn info(&self) -> Info {
        match self.api().verb(Verb::Info) {
            Ok(Response::Info(info)) => info,
            other => panic!("no info: {other:?}"),
        }
    }

    /// Kills the server of `main` with signal 9, waits for the next one, and gives what it says.
    ///
    /// # Panics
    ///
    /// When no other comes.
    pub fn kill_server(&self) -> Info {
        let before = self.info();
        signal(before.pid, 9);
        await_some("a new server after kill -9", || {
            // Nobody may accept for a moment, and a connection may be cut.
            let now = self.kraal(&["ls", "--json"]);
            let rows: serde_json::Value = serde_json::from_str(&now.stdout).ok()?;
            let row = rows.as_array()?.iter().find(|row| row["session"] == "main")?;
            let info: Info = serde_json::from_value(row.get("info")?.clone()).ok()?;
            (info.pid != before.pid).then_some(info)
        })
    }

    /// The rows of `kraal panes`.
    ///
    /// # Panics
    ///
    /// When the server does not answer.
    pub fn panes(&self) -> Vec<PaneRow> {
        match self.api().verb(Verb::Panes) {
            Ok(Response::Panes(rows)) => rows,
            other => panic!("no panes: {other:?}"),
        }
    }

    /// The row of one pane, while it is there.
    pub fn pane(&self, pane: PaneId) -> Option<PaneRow> {
        self.panes().into_iter().find(|row| row.pane == pane)
    }

    /// Waits until a pane's program runs, and gives its pid.
    pub fn pid(&self, pane: PaneId) -> i32 {
        await_some("the program of a pane runs", || {
            self.pane(pane).filter(|row| row.phase == Phase::Running).and_then(|row| row.pid)
        })
    }

    /// What a pane shows.
    pub fn read(&self, pane: PaneId) -> String {
        self.ok(&["read", "-p", &pane.to_string()])
    }

    /// Waits until a pane shows this.
    pub fn await_text(&self, pane: PaneId, text: &str) {
        let mut last = String::new();
        let deadline = std::time::Instant::now() + crate::wait::PATIENCE;
        while std::time::Instant::now() < deadline {
            last = self.read(pane);
            if last.contains(text) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("pane {pane} never showed {text:?}; it shows:\n{last}");
    }

    /// Types a line and Enter.
    pub fn say(&self, pane: PaneId, line: &str) {
        let pane = pane.to_string();
        self.ok(&["send", "-p", &pane, line]);
        self.ok(&["keys", "-p", &pane, "enter"]);
    }

    /// Starts the real client on a terminal of this size.
    pub fn attach(&self, args: &[&str], cols: u16, rows: u16) -> Attached {
        Attached::start(self, args, cols, rows)
    }

    /// Everything that this home's keepers keep, themselves first.
    pub fn processes(&self) -> Vec<Identity> {
        let mut registers = Vec::new();
        keeper_registers(self.root.path(), 5, &mut registers);
        registers
            .iter()
            .flat_map(|register| keeper::registered(register))
            .flat_map(|found| {
                let below = process::descendants(found.keeper.pid, &Default::default());
                let below = below.into_iter().map(|(pid, stat)| Identity { pid, start: stat.start });
                std::iter::once(found.keeper).chain(below)
            })
            .collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let left = self.processes();
        // A keeper goes before what it keeps: it starts nothing again. By then a pid may be another's.
        for who in left.iter().filter(|who| process::is_alive(**who)) {
            process::signal(who.pid, 9);
        }
        if !std::thread::panicking() {
            await_true("every process of the sandbox is gone", || left.iter().all(|who| !is_running(*who)));
        }
    }
}

/// The folders in which keepers register: the home's own, and those of homes within it, as the demo's.
fn keeper_registers(folder: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        match entry.path() {
            path if path.ends_with("run/kraal/keepers") => found.push(path),
            path if depth > 0 => keeper_registers(&path, depth - 1, found),
            _ => {}
        }
    }
}

/// Alive, and not only a status that its parent, in a container, never asks for.
pub fn is_running(who: Identity) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", who.pid)).unwrap_or_default();
    let zombie = stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']));
    !zombie && process::is_alive(who)
}

/// Sends a signal; whether it reached anybody.
pub(crate) fn signal(pid: i32, number: i32) -> bool {
    u32::try_from(pid).is_ok_and(|pid| pid > 1 && process::signal(pid, number))
}

fn finish(output: &std::process::Output) -> Done {
    Done {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
