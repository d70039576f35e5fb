//! One agent in a pane of the real kraal: typing, reading the screen, and writing down every state that kraal says.
//!
//! Not here: which steps are taken (`scenario`) and what is right (`measure`).

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use kraal_api::agents::AgentStatus;
use kraal_api::ids::PaneRef;
use kraal_api::panes::{ReadPane, SendKeys, SendText};
use kraal_api::state::State;
use kraal_api::{PaneId, Response, Verb};
use kraal_testkit::{Api, Attached, Sandbox};

use crate::agent::Agent;
use crate::install::Store;
use crate::measure::Seen;

/// How long anything may take. Far longer than it ever should.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// How often a screen or a file is looked at.
const AGAIN: Duration = Duration::from_millis(20);

/// Words this long on a screen stay.
pub(crate) const REST: Duration = Duration::from_secs(2);

/// An agent in a pane.
pub(crate) struct Driver {
    pub(crate) agent: Agent,
    kraal: PathBuf,
    pane: PaneId,
    api: Api,
    watch: Watch,
    // Dropped in this order: the client, then everything that runs.
    _client: Attached,
    sandbox: Sandbox,
}

/// How it is started.
pub(crate) struct Setting<'a> {
    /// The binary.
    pub(crate) kraal: &'a Path,
    /// The agents' programs.
    pub(crate) store: &'a Store,
    /// The model server's port.
    pub(crate) port: u16,
    /// With kraal's hooks in the agent's settings.
    pub(crate) hooks: bool,
    /// Columns and rows of the terminal.
    pub(crate) size: (u16, u16),
}

/// Every state that `kraal agents --follow` said.
struct Watch {
    child: Child,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Driver {
    /// Starts kraal, the hooks and the agent, and waits until it takes a prompt.
    ///
    /// # Errors
    ///
    /// What did not start.
    pub(crate) fn start(agent: &Agent, setting: &Setting<'_>) -> Result<Driver> {
        let mut driver = Driver::launch(agent, setting)?;
        driver.await_ready()?;
        Ok(driver)
    }

    /// The same, and waits for nothing.
    ///
    /// # Errors
    ///
    /// What did not start.
    pub(crate) fn launch(agent: &Agent, setting: &Setting<'_>) -> Result<Driver> {
        let mut sandbox = Sandbox::new(setting.kraal);
        let home = sandbox.root().join("home");
        // Where agents look that know no other place, and so where kraal's hooks go.
        sandbox.set("XDG_CONFIG_HOME", &home.join(".config").display().to_string());
        let folder = setting.store.of(agent);
        let path = std::env::var("PATH").unwrap_or_default();
        let node = setting.store.node();
        sandbox.set(
            "PATH",
            &format!("{}:{}:{path}", node.display(), folder.join("node_modules/.bin").display()),
        );
        let fill = |text: &str| {
            text.replace("{url}", &format!("http://127.0.0.1:{}", setting.port))
                .replace("{home}", &home.display().to_string())
                .replace("{work}", &sandbox.work().display().to_string())
                .replace("{agent}", &folder.display().to_string())
        };
        for file in &agent.files {
            write(&home.join(&file.path), &fill(&file.text))?;
        }
        write(&sandbox.work().join("hold.sh"), HOLD)?;
        let env: Vec<String> =
            agent.env.iter().map(|(name, value)| format!("{name}={}", fill(value))).collect();
        let program = folder.join(&agent.program).display().to_string();
        for words in &agent.before {
            let mut command = sandbox.program("env");
            let words = words.iter().map(|word| fill(word));
            let output = command.args(&env).arg(&program).args(words).output()?;
            if !output.status.success() {
                bail!("{} {}: {}", agent.title, agent.before.len(), String::from_utf8_lossy(&output.stderr));
            }
        }
        let client = sandbox.attach(&[], setting.size.0, setting.size.1);
        client.wait_for("kraal's first shell", |screen| screen.has("$ "));
        if setting.hooks {
            sandbox.ok(&["integration", "install", &agent.name]);
        }
        let work = sandbox.work().display().to_string();
        let mut words = vec!["--tab", "--name", &agent.name, "--cwd", &work, "--", "env"];
        words.extend(env.iter().map(String::as_str));
        words.push(&program);
        let args: Vec<String> = agent.args.iter().map(|arg| fill(arg)).collect();
        words.extend(args.iter().map(String::as_str));
        let pane = sandbox.run(&words);
        let watch = Watch::start(&sandbox, setting.kraal, pane)?;
        let api = sandbox.api();
        Ok(Driver {
            agent: agent.clone(),
            kraal: setting.kraal.to_owned(),
            pane,
            api,
            watch,
            _client: client,
            sandbox,
        })
    }

    /// Waits until the agent takes a prompt, and answers what it asks before that.
    ///
    /// # Errors
    ///
    /// That it never does, with its screen.
    pub(crate) fn await_ready(&mut self) -> Result<()> {
        let mut left = self.agent.start.clone();
        let deadline = Instant::now() + 2 * PATIENCE;
        let (mut last, mut shown, mut since) = (String::new(), (None, false), Instant::now());
        while Instant::now() < deadline {
            last = self.screen()?;
            // Some move something all the time: what counts is how long the words stand there.
            let asks = left.iter().position(|start| last.contains(&start.see));
            let now = (asks, last.contains(&self.agent.ready));
            if now != shown {
                (shown, since) = (now, Instant::now());
            }
            if since.elapsed() > REST {
                if let Some(at) = asks {
                    let start = left.remove(at);
                    self.keys(&start.keys)?;
                    (shown, since) = ((None, false), Instant::now());
                } else if shown.1 {
                    return Ok(());
                }
            }
            std::thread::sleep(AGAIN);
        }
        bail!("{} never took a prompt; its screen:\n{last}", self.agent.title)
    }

    /// The agent's screen.
    pub(crate) fn screen(&mut self) -> Result<String> {
        let request = ReadPane { pane: PaneRef::Id(self.pane), lines: None, ansi: false };
        match self.api.verb(Verb::ReadPane(request)) {
            Ok(Response::Screen(text)) => Ok(text),
            Ok(other) => bail!("no screen: {other:?}"),
            Err(refusal) => bail!("no screen: {refusal}"),
        }
    }

    /// Waits until the screen holds this, and gives the instant.
    pub(crate) fn await_screen(&mut self, text: &str) -> Result<Instant> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if self.screen()?.contains(text) {
                return Ok(Instant::now());
            }
            std::thread::sleep(AGAIN);
        }
        let screen = self.screen()?;
        bail!("{} never showed {text:?}; its screen:\n{screen}", self.agent.title)
    }

    /// Gives a prompt by `kraal prompt`, in a thread of its own; what it prints, and whether it said ok.
    pub(crate) fn prompt(&self, text: &str) -> JoinHandle<(bool, String)> {
        let mut command = self.sandbox.program(&self.kraal);
        command.args(["prompt", "-p", &self.pane.to_string(), text]);
        std::thread::spawn(move || match command.output() {
            Ok(output) => {
                let said = [output.stdout, output.stderr].concat();
                (output.status.success(), String::from_utf8_lossy(&said).trim().to_owned())
            }
            Err(error) => (false, error.to_string()),
        })
    }

    /// Types into the agent's input and sees it there.
    pub(crate) fn type_in(&mut self, text: &str) -> Result<()> {
        let request = SendText { pane: PaneRef::Id(self.pane), text: text.to_owned() };
        if let Err(refusal) = self.api.verb(Verb::SendText(request)) {
            bail!("the prompt can't be typed: {refusal}");
        }
        let first: String = text.split(' ').take(2).collect::<Vec<_>>().join(" ");
        self.await_screen(&first)?;
        Ok(())
    }

    /// Types a prompt, sees it in the agent's input, and presses Enter; the instant before that.
    pub(crate) fn say(&mut self, prompt: &str) -> Result<Instant> {
        self.type_in(prompt)?;
        std::thread::sleep(Duration::from_millis(self.agent.pause));
        let before = Instant::now();
        self.keys(&["enter".to_owned()])?;
        Ok(before)
    }

    /// Presses keys, a moment between two of them.
    pub(crate) fn keys(&mut self, keys: &[String]) -> Result<()> {
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                std::thread::sleep(Duration::from_millis(500));
            }
            let request = SendKeys { pane: PaneRef::Id(self.pane), keys: vec![key.clone()] };
            if let Err(refusal) = self.api.verb(Verb::SendKeys(request)) {
                bail!("{key} can't be pressed: {refusal}");
            }
        }
        Ok(())
    }

    /// What kraal said so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.watch.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What kraal says now.
    pub(crate) fn state(&self) -> Option<State> {
        self.seen().last().and_then(|seen| seen.state)
    }

    /// A file in the folder the agent works in.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.sandbox.work().join(name)
    }

    /// Waits until a file is there, and gives the instant.
    pub(crate) fn await_file(&self, name: &str) -> Result<Instant> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if self.file(name).exists() {
                return Ok(Instant::now());
            }
            std::thread::sleep(AGAIN);
        }
        bail!("the tool never made {name}")
    }

    /// kraal's own account of its last decisions about the pane.
    pub(crate) fn explain(&self) -> String {
        self.sandbox.kraal(&["agents", "explain", "-p", &self.pane.to_string()]).stdout
    }
}

/// A tool that runs until it is told to end: `sh hold.sh NAME` makes NAME.started and waits for NAME.go.
const HOLD: &str = "\
: >\"$(dirname \"$0\")/$1.started\"
for i in $(seq 1800); do
    [ -e \"$(dirname \"$0\")/$1.go\" ] && exit
    sleep 0.1
done
";

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text.trim_start()).with_context(|| format!("{} can't be written", path.display()))
}

impl Watch {
    fn start(sandbox: &Sandbox, kraal: &Path, pane: PaneId) -> Result<Watch> {
        let mut command = sandbox.program(kraal);
        let mut child = command.args(["agents", "--follow", "--json"]).spawn()?;
        let out = child.stdout.take().context("its output is not piped")?;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(std::result::Result::ok) {
                let at = Instant::now();
                let mut seen = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if let Ok(row) = serde_json::from_str::<AgentStatus>(&line) {
                    if row.pane == pane {
                        seen.push(Seen { at, state: Some(row.state) });
                    }
                } else if line.contains("\"ended\"") {
                    seen.push(Seen { at, state: None });
                }
            }
        });
        Ok(Watch { child, seen })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        // It may have ended with its server.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
