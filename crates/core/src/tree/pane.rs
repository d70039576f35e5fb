//! What the world keeps of a pane besides the facts a client sees.
//!
//! Not here: its cells, its process (`server`).

use std::collections::BTreeMap;

use crate::input::{AgentRun, Ticket};
use crate::jobs::Before;
use kraal_api::PaneId;
use kraal_api::agents::TerminalState;
use kraal_api::model::{Pane, Phase};
use kraal_api::panes::{AtEnd, Opened};

/// Who asked for a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Opener {
    /// A program outside every pane.
    #[default]
    Outside,
    /// A program of this pane, in which no agent ran.
    Pane(PaneId),
    /// An agent in this pane: what runs in the new one acts for it, with no more rights than it has.
    Agent(PaneId),
}

impl Opener {
    /// The pane the request came from.
    pub(crate) fn pane(self) -> Option<PaneId> {
        match self {
            Opener::Outside => None,
            Opener::Pane(pane) | Opener::Agent(pane) => Some(pane),
        }
    }
}

/// Who waits to be told that a pane's program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asker {
    pub(crate) ticket: Ticket,
    pub(crate) opened: Opened,
    pub(crate) unwanted: Unwanted,
}

/// What becomes of a pane whose program does not start, once its asker is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unwanted {
    /// It goes: nobody asked for an empty one.
    Closed,
    /// It stays: it took another's place.
    Kept,
}

/// A pane.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PaneState {
    pub(crate) facts: Pane,
    /// Names the pane for what the kernel cannot place.
    pub(crate) token: String,
    pub(crate) pid: Option<i32>,
    /// Columns and rows of its terminal.
    pub(crate) size: (u16, u16),
    pub(crate) opener: Opener,
    pub(crate) at_end: AtEnd,
    /// Variables of its own, for when it runs again.
    pub(crate) env: BTreeMap<String, String>,
    /// The user lets its agent lead.
    pub(crate) lead: bool,
    /// Its command line is an agent's: an agent pane before the agent is recognised.
    pub(crate) launches_agent: bool,
    /// Whether a command of its shell runs, where that is known.
    pub(crate) busy: Option<bool>,
    /// Who is told once its program runs, or does not.
    pub(crate) asked: Option<Asker>,
    /// How its agent runs, or ran when it last did.
    pub(crate) run: Option<AgentRun>,
    /// It was a shell in which an agent ran, and runs that agent again: the shell begins once it ends.
    pub(crate) was_shell: bool,
    /// What is done before its program, once: until that has started.
    pub(crate) before: Option<Before>,
    /// When its bell was last passed on.
    pub(crate) rang_at: u64,
}

impl PaneState {
    /// Whether its program runs, or is about to.
    pub(crate) fn lives(&self) -> bool {
        matches!(self.facts.phase, Phase::Starting | Phase::Running)
    }

    /// Whether what runs in it acts for an agent, not for the user.
    pub(crate) fn runs_agent(&self) -> bool {
        self.facts.agent.is_some() || (self.launches_agent && self.lives())
    }

    /// Whether what runs in it has an agent's rights only: it runs one, or an agent opened it.
    pub(crate) fn acts_for_agent(&self) -> bool {
        self.runs_agent() || matches!(self.opener, Opener::Agent(_))
    }

    /// Its state in the API's words.
    pub(crate) fn state(&self) -> TerminalState {
        match self.facts.phase {
            Phase::Starting => TerminalState::Working,
            Phase::Exited(_) | Phase::Waiting | Phase::Failed(_) => TerminalState::Exited,
            Phase::Running => match &self.facts.agent {
                Some(agent) => agent.verdict.state.into(),
                // Nothing says what a plain command waits for: it works until it ends.
                None if self.busy.unwrap_or(!self.facts.argv.is_empty()) => TerminalState::Working,
                None => TerminalState::Idle,
            },
        }
    }

    /// Whether its state is settled, and surely so.
    pub(crate) fn settled(&self) -> bool {
        let certain = self.facts.agent.as_ref().is_none_or(|agent| agent.verdict.certain);
        self.state().settled() && (certain || !self.lives())
    }

    /// Its agent is taken up again with this command line.
    pub(crate) fn take_up(&mut self, argv: Vec<String>) {
        self.was_shell |= self.facts.argv.is_empty();
        self.launches_agent = true;
        self.facts.argv = argv;
        if let Some(run) = &self.run {
            let missing = run.env.iter().filter(|(name, _)| !self.env.contains_key(*name));
            let missing: Vec<_> = missing.map(|(name, value)| (name.clone(), value.clone())).collect();
            self.env.extend(missing);
        }
    }

    /// The shell it was begins again.
    pub(crate) fn begin_shell(&mut self) {
        if let Some(run) = self.run.as_ref().filter(|_| self.was_shell) {
            // What the agent was given was not the shell's.
            self.env.retain(|name, value| run.env.get(name) != Some(value));
        }
        self.was_shell = false;
        self.launches_agent = false;
        self.facts.argv.clear();
        self.facts.phase = Phase::Starting;
    }

    /// Whether its pane goes when its program does.
    pub(crate) fn closes_at_end(&self) -> bool {
        self.at_end == AtEnd::Close || self.facts.argv.is_empty()
    }
}
