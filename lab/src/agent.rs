//! The agents of the lab as data: how each is installed, configured for the scripted model, and driven.
//!
//! Not here: what its screens mean. That is the catalogue's, which the lab puts to the test and so must not use.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// One agent: a file of `lab/agents/`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    /// Its name in the catalogue: the file's name.
    #[serde(skip)]
    pub(crate) name: String,
    /// How a person calls it.
    pub(crate) title: String,
    /// The packages of npm, each with its version; the first is the agent.
    #[serde(default)]
    pub(crate) npm: Vec<String>,
    /// The packages of PyPI, where it comes from there.
    #[serde(default)]
    pub(crate) pip: Vec<String>,
    /// Its program, in the folder it was installed to.
    pub(crate) program: String,
    /// What it is started with.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// Its screen holds this once it takes a prompt.
    pub(crate) ready: String,
    /// Questions it may ask before that.
    #[serde(default)]
    pub(crate) start: Vec<Start>,
    /// Commands run once before it, in its environment: `cline auth …`.
    #[serde(default)]
    pub(crate) before: Vec<Vec<String>>,
    /// How it asks leave to run a command; none when it never does.
    pub(crate) permission: Option<Permission>,
    /// How it asks a question; none when it has no tool for that.
    pub(crate) question: Option<Question>,
    /// A command of its own that asks the model nothing; none when it has no such.
    pub(crate) command: Option<Command>,
    /// The keys that end a turn; none when a turn can't be ended so.
    #[serde(default)]
    pub(crate) interrupt: Vec<String>,
    /// The keys that empty its input.
    #[serde(default)]
    pub(crate) clear: Vec<String>,
    /// Steps it can't take, each with the reason.
    #[serde(default)]
    pub(crate) without: BTreeMap<String, String>,
    /// Milliseconds between a typed prompt and Enter: some take what comes fast for a paste.
    #[serde(default = "Agent::usual_pause")]
    pub(crate) pause: u64,
    /// The check of the repository runs it.
    #[serde(default)]
    pub(crate) ci: bool,
    /// Variables for it.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Files in its home.
    #[serde(default)]
    pub(crate) files: Vec<File>,
}

/// A question before the first prompt.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    /// The screen holds this.
    pub(crate) see: String,
    /// The keys that answer it.
    pub(crate) keys: Vec<String>,
}

/// How it asks leave to run a command.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Permission {
    /// The screen holds this while it asks.
    pub(crate) see: String,
    /// The directive that makes it ask: `LAB:bash`, `LAB:outside`.
    pub(crate) prompt: String,
    /// The keys that give leave.
    pub(crate) yes: Vec<String>,
    /// The keys that refuse.
    pub(crate) no: Vec<String>,
}

/// How it asks a question.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The screen holds this while it asks.
    pub(crate) see: String,
    /// The keys that answer.
    pub(crate) yes: Vec<String>,
}

/// A command of the agent's own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Command {
    /// What is typed: `/status`.
    pub(crate) text: String,
    /// The screen holds this once it ran.
    pub(crate) see: String,
    /// The keys that leave what it shows.
    #[serde(default)]
    pub(crate) leave: Vec<String>,
}

/// A file in its home. `{url}`, `{home}` and `{work}` in its text are filled in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Below the home.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

impl Agent {
    fn usual_pause() -> u64 {
        400
    }

    /// The version, as its first package names it.
    pub(crate) fn version(&self) -> &str {
        let package = self.npm.first().or(self.pip.first()).map_or("", String::as_str);
        package.rsplit(['@', '=']).next().unwrap_or_default()
    }
}

/// All agents of the lab, or those that are named, in the order of their names.
///
/// # Errors
///
/// A file that can't be read, or a name that is none.
pub(crate) fn load(lab: &Path, wanted: &[String]) -> Result<Vec<Agent>> {
    let folder = lab.join("agents");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| format!("{} can't be read", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    paths.sort();
    let agents = paths.iter().map(|path| read(path)).collect::<Result<Vec<Agent>>>()?;
    if let Some(name) = wanted.iter().find(|name| agents.iter().all(|agent| agent.name != **name)) {
        let known: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        bail!("the lab has no agent `{name}`; it has {}", known.join(", "));
    }
    Ok(agents.into_iter().filter(|agent| wanted.is_empty() || wanted.contains(&agent.name)).collect())
}

fn read(path: &Path) -> Result<Agent> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
    let mut agent: Agent =
        toml::from_str(&text).with_context(|| format!("{} is no agent of the lab", path.display()))?;
    agent.name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_an_agent_with_a_version() {
        let agents = load(Path::new(env!("CARGO_MANIFEST_DIR")), &[]).expect("they are read");
        for agent in &agents {
            assert!(agent.version().starts_with(|c: char| c.is_ascii_digit()), "{}", agent.name);
            assert!(!agent.ready.is_empty(), "{}", agent.name);
        }
        let ci: Vec<&str> = agents.iter().filter(|agent| agent.ci).map(|agent| agent.name.as_str()).collect();
        assert_eq!(ci, ["claude", "codex", "opencode"]);
    }

    #[test]
    fn a_name_that_is_none_is_said() {
        let error = load(Path::new(env!("CARGO_MANIFEST_DIR")), &["clod".into()]).expect_err("it is none");
        assert!(error.to_string().starts_with("the lab has no agent `clod`; it has"), "{error}");
    }
}
