//! One agent of the catalogue, compiled and ready: its names, how it is started, what its screen
//! and signals say.
//!
//! Not here: finding it among processes (`catalog`), evidence over time (`detector`).

use kraal_api::{Kind, State};

use crate::{
    evidence::Progress,
    file::{AgentFile, Launch, PaneFile, SignalFrom},
    home::Home,
    hooks::{HookRule, ReportFile},
    integrate::{Integration, IntegrationFile},
    process::ProcessRules,
    reading::{self, Expected, Reading, SignalRule},
    screen::{InputBox, Layout, ScreenShot},
    sight::{Sight, SightFile},
};

/// A coding agent, as its file describes it.
#[derive(Clone, Debug)]
pub struct Agent {
    name: String,
    label: String,
    harness: String,
    family: Option<String>,
    hidden: bool,
    status_apps: Vec<String>,
    flow_is_work: bool,
    pub(crate) process: ProcessRules,
    pub(crate) launch: Launch,
    pane: PaneFile,
    sight: Sight,
    commands: Vec<String>,
    home: Option<Home>,
    integrations: Vec<IntegrationFile>,
    pub(crate) report: ReportFile,
    pub(crate) hooks: Vec<HookRule>,
}

/// A screen from an agent's file and what it must give.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its name within the agent.
    pub name: String,
    /// What the rules must make of it.
    pub expected: Expected,
    /// The screen.
    pub screen: ScreenShot,
}

/// How a command line of an agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// With its own screen, for a person.
    Interactive,
    /// One prompt, an answer on stdout, then it ends: `claude -p`, `codex exec`.
    OneShot,
}

impl Agent {
    /// Its name in commands, files and the API: `claude`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name for people: `Claude Code`.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The word of the Agents API for what runs in a terminal.
    pub fn harness(&self) -> &str {
        &self.harness
    }

    /// Agents that look alike share a family.
    pub fn family(&self) -> Option<&str> {
        self.family.as_deref()
    }

    /// Whether it is left out of lists for people (our own sample agent).
    pub fn hidden(&self) -> bool {
        self.hidden
    }

    /// Its own folder, where its file says.
    pub fn home(&self) -> Option<&Home> {
        self.home.as_ref()
    }

    /// The files in which kraal's hooks for it stand; none: it has no hooks that tell its state.
    pub fn integrations(&self) -> Vec<Integration> {
        Integration::of(self, &self.integrations)
    }

    /// The command names it goes by, the usual one first.
    pub fn commands(&self) -> &[String] {
        &self.commands
    }

    /// Variables that make it speak to its terminal, wanted in every pane.
    pub fn pane_vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pane.env.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether OSC 7501 reports of this `app` are its own.
    pub fn speaks_as(&self, app: &str) -> bool {
        self.status_apps.iter().any(|known| known == app)
    }

    /// Whether output that flows is work where no rule fits.
    pub(crate) fn flow_is_work(&self) -> bool {
        self.flow_is_work
    }

    /// Screens from its file with what they must give.
    pub fn samples(&self) -> &[Sample] {
        &self.sight.get().samples
    }

    /// What this screen says by itself, its title and progress included; none for an unknown
    /// layout. An input box after a turn may read idle: only a detector knows what came before.
    pub fn read(&self, shot: &ScreenShot) -> Option<Reading> {
        crate::detector::read_alone(self, shot)
    }

    /// Every screen rule that fires on this screen, whichever decides: its id.
    pub fn firing(&self, shot: &ScreenShot) -> Vec<&str> {
        let layout = self.layout(shot);
        let rules = self.sight.get().rules.iter();
        rules.filter(|rule| rule.fires(&layout).is_some()).map(|rule| rule.id.as_str()).collect()
    }

    /// Whether its file says where its input box is.
    pub fn has_input(&self) -> bool {
        self.sight.get().input.is_some()
    }

    /// The agent's input box, where the screen shows one: for typing into it, and for seeing a
    /// draft.
    pub fn input_box(&self, shot: &ScreenShot) -> Option<InputBox> {
        let spec = self.sight.get().input.as_ref()?;
        let layout = Layout::of(shot, Some(spec));
        let rows = layout.input?;
        Some(InputBox { rows, text: spec.text(&layout.input_rows()) })
    }

    /// The rules' ids with what they say, and whether a recording shows them: for the docs.
    pub fn rules(&self) -> impl Iterator<Item = (&str, Expected, bool)> {
        self.sight.get().rules.iter().map(|rule| {
            let seen = rule.provenance == crate::file::Provenance::Seen;
            (rule.id.as_str(), Expected::Is(rule.state, rule.kind), seen)
        })
    }

    /// The same of its signals; no state means that no turn runs unseen.
    pub fn signal_rules(&self) -> impl Iterator<Item = (&str, Option<Expected>, bool)> {
        self.sight.get().signals.iter().map(|rule| {
            let seen = rule.provenance == crate::file::Provenance::Seen;
            let state = rule.state.map(|(state, kind)| Expected::Is(state, kind));
            (rule.id.as_str(), state, seen)
        })
    }

    pub(crate) fn layout<'a>(&self, shot: &'a ScreenShot) -> Layout<'a> {
        Layout::of(shot, self.sight.get().input.as_ref())
    }

    pub(crate) fn read_layout(&self, layout: &Layout<'_>) -> Option<Reading> {
        reading::read(&self.sight.get().rules, layout)
    }

    /// From a file that may have mistakes: all of it is checked now.
    pub(crate) fn compile(file: AgentFile) -> Result<Agent, String> {
        let agent = Agent::trusted(file)?;
        agent.sight.check()?;
        Ok(agent)
    }

    pub(crate) fn read_title(&self, title: &str) -> Option<&SignalRule> {
        self.signal(SignalFrom::Title, title)
    }

    pub(crate) fn read_progress(&self, progress: Progress) -> Option<&SignalRule> {
        self.signal(SignalFrom::Progress, progress.word())
    }

    pub(crate) fn signal(&self, from: SignalFrom, text: &str) -> Option<&SignalRule> {
        self.sight.get().signals.iter().find(|rule| rule.from == from && rule.pattern.is_match(text))
    }

    /// From a file that was tested before: what it shows is compiled when first needed.
    pub(crate) fn trusted(file: AgentFile) -> Result<Agent, String> {
        let head = file.agent;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if head.name.is_empty() || !head.name.chars().all(plain) {
            return Err(format!("name `{}`: use small letters, digits and dashes", head.name));
        }
        let Some(first) = file.process.names.first().cloned() else {
            return Err("process: `names` is empty".to_owned());
        };
        let mut launch = file.launch;
        if launch.command.is_empty() {
            launch.command = vec![first];
        }
        if let Some(name) = file.pane.env.keys().find(|name| !is_pane_var(name)) {
            return Err(format!("pane: `{name}` is no name of a variable that an agent may ask for"));
        }
        let mut process = file.process;
        process.tools.retain(|tool| !tool.is_empty());
        let words = process.words.iter().map(|word| &word.name);
        let mut commands: Vec<String> =
            process.names.iter().chain(words).filter(|name| !name.starts_with('.')).cloned().collect();
        commands.sort_by_key(|name| *name != launch.command[0]);
        Ok(Agent {
            harness: head.harness.unwrap_or_else(|| head.label.clone()),
            name: head.name,
            label: head.label,
            family: head.family,
            hidden: head.hidden,
            status_apps: head.status_apps,
            flow_is_work: head.flow_is_work,
            process,
            launch,
            pane: file.pane,
            sight: Sight::unread(SightFile {
                input: file.input,
                signals: file.signals,
                screens: file.screens,
                samples: file.samples,
            }),
            commands,
            home: file.home.as_ref().map(|home| Home::compile(home, &file.live)).transpose()?,
            integrations: file.integrations,
            report: file.report,
            hooks: file.hooks.iter().map(HookRule::compile).collect::<Result<_, _>>()?,
        })
    }

    /// What an OSC 7501 state word means.
    pub(crate) fn status_state(state: &str, kind: Option<&str>) -> Option<(State, Option<Kind>)> {
        let kind = match kind {
            Some("permission") => Some(Kind::Permission),
            Some("question") => Some(Kind::Question),
            Some("auth") => Some(Kind::Login),
            _ => None,
        };
        match state {
            "working" => Some((State::Working, None)),
            "blocked" => Some((State::Blocked, kind)),
            "done" => Some((State::Done, None)),
            "error" => Some((State::Done, Some(Kind::Error))),
            "idle" => Some((State::Idle, None)),
            _ => None,
        }
    }
}

/// What belongs to us or to the system is no agent's to set.
fn is_pane_var(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let taken = ["PATH", "HOME", "SHELL", "TERM", "PWD", "USER"].contains(&name) || name.starts_with("LD_");
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(plain)
        && !taken
        && !name.starts_with("KRAAL")
}
