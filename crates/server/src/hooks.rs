//! Reports of agents' hooks on their way to the pane they concern: which process sent one, whether
//! it is the pane's agent or a run inside it, and which conversation it names.
//!
//! Not here: what an event means (`kraal_agents`), what a state leads to (`core`).

use kraal_agents::{Agent, Catalog, Evidence, HookReport, Report, RunKind};
use kraal_api::PaneId;
use kraal_api::hooks::{Hook, StatusLine};
use kraal_core::Ticket;
use kraal_host::process::{self, Identity};
use mio::Interest;
use mio::unix::SourceFd;
use rustix::fd::{AsRawFd, OwnedFd};

use crate::server::{Server, followed_token};
use crate::watch::{Found, as_process};

/// The payload of a hook whose own could not be taken, with the reason: what `kraal hook` sends then.
const REFUSED: &str = "kraal_refused";
/// As much of a prompt's first line must stand on a screen, in characters.
const PROMPT_SHOWN: usize = 30;
/// And as much of it in a row that ends before, in bytes.
const PROMPT_WRAPPED: usize = 12;

/// Who sent a report, as its process's ancestors up to the pane's program tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// The nearest agent above it.
    Agent(AgentProcess),
    /// No process above it is an agent that is known: a wrapper hides it.
    Hidden,
    /// It is gone already.
    Gone,
}

/// An agent's process above a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentProcess {
    name: String,
    pid: u32,
    group: u32,
    run: RunKind,
}

/// An agent that only its hooks tell of, until its process ends.
pub(crate) struct Followed {
    pub(crate) who: Identity,
    /// Readable once it ended.
    exit: Option<OwnedFd>,
}

impl Sender {
    /// Looks at the processes from the hook's own upwards.
    fn of(catalog: &Catalog, line: &[u32]) -> Sender {
        let mut seen = false;
        for pid in line {
            let Some(process) = process::look(*pid) else { continue };
            seen = true;
            let found = [as_process(&process, catalog)];
            if let Some((agent, _)) = catalog.recognise_process(&found) {
                let run = agent.run_kind(&found[0].argv);
                return Sender::Agent(AgentProcess {
                    name: agent.name().to_owned(),
                    pid: *pid,
                    group: process.pgrp,
                    run,
                });
            }
        }
        if seen { Sender::Hidden } else { Sender::Gone }
    }
}

impl Server {
    /// A hook reported. Whatever is wrong with it, its agent is not told.
    pub(crate) fn hook(&mut self, ticket: Ticket, pane: Option<PaneId>, hook: &Hook) {
        if let Some(why) = hook.payload.get(REFUSED).and_then(serde_json::Value::as_str) {
            let (agent, event) = (clean(&hook.agent), clean(&hook.event));
            tracing::warn!(agent, event, why = clean(why), "a hook's payload is refused");
            return;
        }
        let Some(agent) = self.setting.catalog.get(&hook.agent).cloned() else {
            tracing::warn!(agent = clean(&hook.agent), "a hook of an agent that is not known");
            return;
        };
        let Some(report) = agent.report(&hook.event, &hook.payload) else { return };
        if report.child {
            return;
        }
        let shared = agent.reports_are_shared();
        let pane = if shared { self.pane_of_conversation(&agent, &report, hook) } else { pane };
        let Some(id) = pane else { return };
        let line = self.conns.tickets.get(ticket).and_then(|pending| self.conns.all.get(&pending.conn));
        let line = line.map(|conn| conn.line.clone()).unwrap_or_default();
        let sender = Sender::of(&self.setting.catalog, &line);
        let bound = self.conversation_in(id, agent.name());
        let own = match self.panes.all.get(&id) {
            None => return,
            Some(_) if shared => Belongs::Own,
            Some(pane) => pane.watch.belongs(&agent, &sender, (&report, bound.as_deref())),
        };
        tracing::debug!(pane = id.0, agent = agent.name(), event = clean(&hook.event), ?own, "hook");
        match own {
            Belongs::Not => return,
            Belongs::Own => {}
            Belongs::Follow(pid) => self.follow(id, &agent, report.process.unwrap_or(pid)),
        }
        self.take_report(id, hook, report);
    }

    fn take_report(&mut self, id: PaneId, hook: &Hook, report: Report) {
        let now = self.now();
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        let said = HookReport { meaning: report.meaning, seq: hook.started_ms, event: clean(&hook.event) };
        let ends = report.meaning == kraal_agents::Meaning::End;
        let found = pane.watch.observe(Evidence::Hook(said), now);
        if let Some(found) = found {
            self.take_found(id, found);
        }
        if let Some(conversation) = report.conversation {
            self.conversation_is(id, conversation);
        }
        if ends {
            self.unfollow(id);
        }
    }

    /// What an agent's status line was handed names the conversation too.
    pub(crate) fn status_line(&mut self, ticket: Ticket, pane: Option<PaneId>, line: &StatusLine) {
        let Some(id) = pane else { return };
        let Some(agent) = self.setting.catalog.get(&line.agent).cloned() else { return };
        let senders = self.conns.tickets.get(ticket).and_then(|pending| self.conns.all.get(&pending.conn));
        let senders = senders.map(|conn| conn.line.clone()).unwrap_or_default();
        let sender = Sender::of(&self.setting.catalog, &senders);
        let Some(conversation) = agent.conversation_of(&line.payload) else { return };
        let Some(pane) = self.panes.all.get(&id) else { return };
        if let (Sender::Agent(process), true) = (&sender, pane.watch.detector.is_some())
            && pane.watch.is_own(&agent, process)
        {
            self.conversation_is(id, conversation);
        }
    }

    /// The conversation of a pane's agent, where it is known.
    pub(crate) fn conversation_in(&self, id: PaneId, agent: &str) -> Option<String> {
        let run = self.world.agent_run(id)?;
        (run.agent == agent).then(|| run.conversation.clone())?
    }

    /// Whose report it is when a daemon reports for several panes: that of the pane with this
    /// conversation; else the one pane in its folder whose screen shows its prompt.
    fn pane_of_conversation(&self, agent: &Agent, report: &Report, hook: &Hook) -> Option<PaneId> {
        let runs = self.panes.all.iter().filter(|(_, pane)| {
            pane.watch.detector.as_ref().is_some_and(|found| found.agent().name() == agent.name())
        });
        let runs: Vec<(PaneId, &crate::pane::Pane)> = runs.map(|(id, pane)| (*id, pane)).collect();
        let conversation = report.conversation.as_deref()?;
        let bound = |id: PaneId| self.conversation_in(id, agent.name());
        if let Some((id, _)) = runs.iter().find(|(id, _)| bound(*id).as_deref() == Some(conversation)) {
            return Some(*id);
        }
        let prompt = report.prompt.as_deref()?;
        let cwd = hook.payload.get("cwd").and_then(serde_json::Value::as_str);
        let fits = |id: PaneId, pane: &crate::pane::Pane| {
            let here = self.world.pane_facts(id).map(|facts| facts.cwd);
            (cwd.is_none() || here.as_deref() == cwd) && shows(&pane.terminal.screen_lines(), prompt)
        };
        let fitting: Vec<PaneId> =
            runs.iter().filter(|(id, pane)| fits(*id, pane)).map(|(id, _)| *id).collect();
        let fresh: Vec<PaneId> = fitting.iter().copied().filter(|id| bound(*id).is_none()).collect();
        match (fresh.as_slice(), fitting.as_slice()) {
            ([id], _) | ([], [id]) => Some(*id),
            _ => None,
        }
    }

    /// An agent's hooks report from under a wrapper: it is followed until its process ends.
    fn follow(&mut self, id: PaneId, agent: &std::sync::Arc<Agent>, pid: u32) {
        let now = self.now();
        let Some(who) = process::identity(pid) else { return };
        let argv = process::look(pid).map(|found| as_process(&found, &self.setting.catalog).argv);
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        let said = pane.watch.follow(agent, (who, argv.unwrap_or_default()), now);
        self.take_found(id, said);
        self.watch_followed(id);
    }

    /// Asks to be told when the followed agent's process ends.
    pub(crate) fn watch_followed(&mut self, id: PaneId) {
        let Some(followed) = self.panes.all.get_mut(&id).and_then(|pane| pane.watch.followed.as_mut()) else {
            return;
        };
        let fd = match process::exit_fd(followed.who) {
            Ok(fd) => fd,
            // It is gone already.
            Err(_) => return self.unfollow(id),
        };
        let registered = self.poll.registry().register(
            &mut SourceFd(&fd.as_raw_fd()),
            followed_token(id),
            Interest::READABLE,
        );
        if let Err(error) = registered {
            tracing::warn!(pane = id.0, %error, "an agent's process cannot be watched");
        }
        followed.exit = Some(fd);
    }

    /// A followed agent ended, or its hooks said so.
    pub(crate) fn unfollow(&mut self, id: PaneId) {
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        let Some(followed) = pane.watch.followed.take() else { return };
        if let Some(fd) = &followed.exit {
            // It is closed next, which takes it out of the poll in any case.
            let _ = self.poll.registry().deregister(&mut SourceFd(&fd.as_raw_fd()));
        }
        let found = pane.watch.left();
        self.take_found(id, found);
    }
}

/// Whether a report is the pane's agent's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Belongs {
    /// It is.
    Own,
    /// The pane has no agent that is known: this process is one.
    Follow(u32),
    /// It is a run inside the agent, another agent's, or nobody's.
    Not,
}

impl crate::watch::Watch {
    /// Whether a report of this agent's hooks is of the pane's own agent.
    fn belongs(&self, agent: &Agent, sender: &Sender, (report, bound): (&Report, Option<&str>)) -> Belongs {
        let known = self.detector.as_ref().map(|detector| detector.agent().name());
        match sender {
            // Some agents run another's hooks.
            Sender::Agent(process) if process.name != agent.name() => Belongs::Not,
            Sender::Agent(process) => match known {
                Some(name) if name == agent.name() && self.is_own(agent, process) => Belongs::Own,
                None if process.run == RunKind::Interactive => Belongs::Follow(process.pid),
                _ => Belongs::Not,
            },
            Sender::Hidden => match (known, report.process) {
                (Some(name), _) if name == agent.name() && conversation_fits(report, bound) => Belongs::Own,
                (None, Some(pid)) => Belongs::Follow(pid),
                _ => Belongs::Not,
            },
            Sender::Gone => {
                let same = known == Some(agent.name()) && bound.is_some();
                if same && conversation_fits(report, bound) { Belongs::Own } else { Belongs::Not }
            }
        }
    }

    /// Whether this process is the pane's agent: the one that was recognised, or one that shares the
    /// foreground with it and is no run of its own.
    pub(crate) fn is_own(&self, agent: &Agent, process: &AgentProcess) -> bool {
        let followed = self.followed.as_ref().is_some_and(|followed| followed.who.pid == process.pid);
        let recognised = self.process == Some(process.pid);
        let beside = self.foreground == Some(process.group) && process.run == RunKind::Interactive;
        process.name == agent.name() && (followed || recognised || beside)
    }
}

fn conversation_fits(report: &Report, bound: Option<&str>) -> bool {
    bound.is_none() || report.conversation.as_deref() == bound
}

/// Whether a screen shows a prompt: a row that, its marks aside, begins as the prompt does.
fn shows(rows: &[String], prompt: &str) -> bool {
    let bare = |text: &str| text.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end().to_owned();
    let first = prompt.lines().map(bare).find(|line| !line.is_empty()).unwrap_or_default();
    let wanted: String = first.chars().take(PROMPT_SHOWN).collect();
    let shown = |row: &String| {
        let row = bare(row);
        // A narrow pane wraps it.
        row.starts_with(wanted.trim_end()) || row.len() >= PROMPT_WRAPPED && wanted.starts_with(&row)
    };
    !wanted.is_empty() && rows.iter().any(shown)
}

/// One line of a stranger's words, for the log.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(80).collect()
}

impl Followed {
    pub(crate) fn new(who: Identity) -> Self {
        Followed { who, exit: None }
    }
}

impl crate::watch::Watch {
    fn follow(
        &mut self,
        agent: &std::sync::Arc<Agent>,
        (who, argv): (Identity, Vec<String>),
        now: u64,
    ) -> Found {
        self.followed = Some(Followed::new(who));
        self.begin(agent, (who.pid, argv), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_found_on_the_screen_that_shows_it() {
        let rows = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let screen = rows("\n› LAB:text with words\n\n• Lab answer\n");
        assert!(shows(&screen, "LAB:text with words"));
        assert!(shows(&screen, "\nLAB:text with words\nand a second line"));
        assert!(!shows(&screen, "Generate a concise title"));
        assert!(!shows(&screen, "") && !shows(&screen, "›"));
        let narrow = rows("› a prompt that is long enough\n  to be wrapped");
        assert!(shows(&narrow, "a prompt that is long enough to be wrapped"));
    }
}
