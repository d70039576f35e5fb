//! Installing the agents, from npm and PyPI only, each in a folder of its own below the target folder.
//!
//! Not here: configuring them. Nothing is installed for the whole machine.

use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::agent::Agent;

/// The newest agents ask for a newer node than many machines have, and npm then takes an older agent in silence.
const NODE: &str = "node@22.23.3";

/// A registry that is this slow is as good as none.
const LONGEST: Duration = Duration::from_secs(600);

/// Where agents are installed.
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// A store in this folder, which is made.
    ///
    /// # Errors
    ///
    /// That it can't be made.
    pub(crate) fn new(folder: &Path) -> Result<Store> {
        std::fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
        Ok(Store { folder: folder.canonicalize()? })
    }

    /// The folder of an agent.
    pub(crate) fn of(&self, agent: &Agent) -> PathBuf {
        self.folder.join(&agent.name)
    }

    /// The folder of node's program.
    pub(crate) fn node(&self) -> PathBuf {
        self.folder.join("node/node_modules/node/bin")
    }

    /// Installs an agent unless that very version is there.
    ///
    /// # Errors
    ///
    /// What npm or pip say.
    pub(crate) fn install(&self, agent: &Agent) -> Result<()> {
        self.npm("node", &[NODE.to_owned()])?;
        self.npm(&agent.name, &agent.npm)?;
        self.pip(&agent.name, &agent.pip)?;
        let program = self.of(agent).join(&agent.program);
        if !program.exists() {
            bail!("{} is not there after installing {}", program.display(), agent.title);
        }
        Ok(())
    }

    /// Why an installed agent does not even say its version here, if so.
    pub(crate) fn obstacle(&self, agent: &Agent) -> Option<String> {
        let mut command = Command::new(self.of(agent).join(&agent.program));
        command.arg("--version").stdin(Stdio::null());
        self.with_node(&mut command);
        match command.output() {
            Ok(output) if output.status.success() => None,
            Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => Some(error.to_string()),
        }
    }

    fn npm(&self, name: &str, packages: &[String]) -> Result<()> {
        if packages.is_empty() || self.has(name, packages) {
            return Ok(());
        }
        let mut command = Command::new("npm");
        command.args(["install", "--no-fund", "--no-audit", "--loglevel=error", "--fetch-timeout=60000"]);
        command.arg("--prefix").arg(self.folder.join(name)).args(packages);
        self.with_node(&mut command);
        finish(command, &format!("npm install {}", packages.join(" ")))?;
        self.remember(name, packages)
    }

    fn pip(&self, name: &str, packages: &[String]) -> Result<()> {
        if packages.is_empty() || self.has(name, packages) {
            return Ok(());
        }
        let folder = self.folder.join(name);
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv"]).arg(&folder);
        finish(venv, "python3 -m venv")?;
        let mut command = Command::new(folder.join("bin/pip"));
        command.args(["install", "--quiet", "--disable-pip-version-check"]).args(packages);
        finish(command, &format!("pip install {}", packages.join(" ")))?;
        self.remember(name, packages)
    }

    fn with_node(&self, command: &mut Command) {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.node().display()));
    }

    fn mark(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.installed"))
    }

    fn has(&self, name: &str, packages: &[String]) -> bool {
        std::fs::read_to_string(self.mark(name)).is_ok_and(|text| text == packages.join("\n"))
    }

    fn remember(&self, name: &str, packages: &[String]) -> Result<()> {
        std::fs::write(self.mark(name), packages.join("\n"))?;
        Ok(())
    }
}

/// Runs a command that may take `LONGEST`. Its output goes to a file: a full pipe would stop it.
fn finish(mut command: Command, what: &str) -> Result<()> {
    let mut said = tempfile::tempfile()?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said.try_clone()?);
    let mut child = command.spawn().with_context(|| format!("{what} can't be run"))?;
    let deadline = Instant::now() + LONGEST;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(100)),
            None => {
                child.kill()?;
                child.wait()?;
                bail!("{what} took more than {} minutes", LONGEST.as_secs() / 60);
            }
        }
    };
    if status.success() {
        return Ok(());
    }
    let mut text = String::new();
    said.rewind()?;
    said.read_to_string(&mut text)?;
    let last: Vec<&str> = text.lines().rev().take(5).collect();
    bail!("{what} failed: {}", last.into_iter().rev().collect::<Vec<_>>().join(" / "))
}

/// Why nothing can be installed here, if so: no npm, or a registry that does not answer.
pub(crate) fn obstacle() -> Option<String> {
    let mut command = Command::new("npm");
    command.args(["view", NODE, "version", "--fetch-retries=0", "--fetch-timeout=20000"]);
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => None,
        Ok(_) => Some("npm's registry does not answer".to_owned()),
        Err(_) => Some("npm is not installed".to_owned()),
    }
}
