//! All known agents: the built-in files and the user's own over them, and which of them a process
//! is.
//!
//! Not here: reading folders (`server` brings the texts), the rules themselves (`reading`).

use std::sync::Arc;

use crate::{
    agent::Agent,
    file::AgentFile,
    process::{Command, Process},
};

const BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

/// The agents kraal knows.
#[derive(Clone, Debug)]
pub struct Catalog {
    agents: Vec<Arc<Agent>>,
}

/// A user's agent file that does not apply, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct Problem {
    /// The file's name.
    pub file: String,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Catalog {
    /// The agents of `catalog/`, parsed: names and command lines. What an agent shows is compiled when
    /// it is first met. Not cheap: make one and share it.
    pub fn builtin() -> Self {
        let agents = BUILTIN
            .iter()
            .map(|(file, text)| {
                Arc::new(
                    parse(file, text, Agent::trusted).expect("the catalogue test reads every built-in file"),
                )
            })
            .collect();
        Catalog { agents }
    }

    /// The built-in files, as name and text: for the catalogue test and the docs.
    pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
        BUILTIN
    }

    /// Adds the user's own files: each a new agent, or in the place of the one of its name. A
    /// file with a mistake is left out and said; the rest applies.
    pub fn with_overrides(mut self, files: impl Iterator<Item = (String, String)>) -> (Self, Vec<Problem>) {
        let mut problems = Vec::new();
        for (file, text) in files {
            match parse(&file, &text, Agent::compile) {
                Err(problem) => problems.push(problem),
                Ok(agent) => match self.agents.iter_mut().find(|known| known.name() == agent.name()) {
                    Some(known) => *known = Arc::new(agent),
                    None => self.agents.push(Arc::new(agent)),
                },
            }
        }
        (self, problems)
    }

    /// One file, read by itself.
    ///
    /// # Errors
    ///
    /// What is wrong in it.
    pub fn read_file(file: &str, text: &str) -> Result<Agent, Problem> {
        parse(file, text, Agent::compile)
    }

    /// The agent of this name, or that goes by this command.
    pub fn get(&self, name: &str) -> Option<&Arc<Agent>> {
        self.agents.iter().find(|agent| agent.name() == name).or_else(|| {
            self.agents.iter().find(|agent| !agent.hidden() && agent.commands().iter().any(|c| c == name))
        })
    }

    /// All agents, built-in ones first, by file name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Agent>> {
        self.agents.iter()
    }

    /// Variables to set in every pane, so that the agents speak to their terminal; one that is set
    /// already stays as it is.
    pub fn pane_vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.agents.iter().flat_map(|agent| agent.pane_vars())
    }

    /// Which agent runs in a pane whose foreground group is these processes, outermost first.
    pub fn recognise(&self, processes: &[Process]) -> Option<&Arc<Agent>> {
        self.recognise_process(processes).map(|(agent, _)| agent)
    }

    /// The same, with the process that is the agent (its `argv` is what `Agent::run_kind` and
    /// `Agent::resume` want).
    pub fn recognise_process<'p>(&self, processes: &'p [Process]) -> Option<(&Arc<Agent>, &'p Process)> {
        processes.iter().find_map(|process| {
            let command = Command::of(process);
            let agent = self.agents.iter().find(|agent| agent.is_command(&command))?;
            Some((agent, process))
        })
    }

    /// The path of a script that has an agent's name but no proof of being one: what it is a link
    /// to, put into `Process::script`, may tell. Nothing for all other processes.
    pub fn in_doubt<'p>(&self, process: &'p Process) -> Option<&'p str> {
        let command = Command::of(process);
        let script = command.script.filter(|_| process.script.is_none())?;
        let doubtful = |agent: &Arc<Agent>| agent.process.is_named(&command) && !agent.is_command(&command);
        self.agents.iter().any(doubtful).then_some(script)
    }
}

fn parse(
    file: &str,
    text: &str,
    read: impl Fn(AgentFile) -> Result<Agent, String>,
) -> Result<Agent, Problem> {
    let problem = |line, message| Problem { file: file.to_owned(), line, message };
    let parsed: AgentFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        problem(line, error.message().to_owned())
    })?;
    read(parsed).map_err(|message| problem(None, message))
}
