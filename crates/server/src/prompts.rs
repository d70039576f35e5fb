//! Prompts on their way to agents: the server's hands for `kraal_agents::Prompting`.
//!
//! Not here: when an agent is ready and what is evidence of a turn (`kraal_agents`), who may prompt
//! (`core`).

use std::collections::HashMap;

use kraal_agents::{PromptSight, PromptStep, Prompting};
use kraal_api::{PaneId, Refusal, Response};
use kraal_core::Ticket;
use kraal_term::keys::{KeyCode, KeyEvent, Mods};

use crate::server::Server;
use crate::watch::shot;

/// A pane whose agent is not recognised yet has this long to show it, in ms.
const RECOGNISED_MS: u64 = 20_000;

/// The prompts that are on their way, one a pane.
#[derive(Default)]
pub(crate) struct Prompts {
    all: HashMap<PaneId, OnItsWay>,
}

struct OnItsWay {
    ticket: Ticket,
    text: String,
    since: u64,
    /// None until the agent is recognised.
    prompting: Option<Prompting>,
}

impl Prompts {
    /// When one must be looked at.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        let due = |one: &OnItsWay| match &one.prompting {
            Some(prompting) => prompting.next_deadline(),
            None => Some(one.since + RECOGNISED_MS),
        };
        self.all.values().filter_map(due).min()
    }

    /// The panes whose prompt is due.
    fn due(&self, now: u64) -> Vec<PaneId> {
        let due = |one: &OnItsWay| match &one.prompting {
            Some(prompting) => prompting.next_deadline().is_some_and(|at| at <= now),
            None => one.since + RECOGNISED_MS <= now,
        };
        self.all.iter().filter(|(_, one)| due(one)).map(|(pane, _)| *pane).collect()
    }
}

impl Server {
    /// Somebody gives the agent of a pane a prompt.
    pub(crate) fn prompt(&mut self, ticket: Ticket, pane: PaneId, text: String) {
        if self.prompts.all.contains_key(&pane) {
            let why = format!("another prompt is on its way to pane {pane}: ask again once it is answered");
            self.reply(ticket, Err(Refusal::busy(why)));
            return;
        }
        let since = self.now();
        self.prompts.all.insert(pane, OnItsWay { ticket, text, since, prompting: None });
        self.step_prompt(pane);
    }

    /// Prompts whose time has come.
    pub(crate) fn prompts_due(&mut self, now: u64) {
        for pane in self.prompts.due(now) {
            self.step_prompt(pane);
        }
    }

    /// Somebody typed into a pane.
    pub(crate) fn prompt_disturbed(&mut self, pane: PaneId) {
        let Some(one) = self.prompts.all.get_mut(&pane) else { return };
        if let Some(PromptStep::Over(outcome)) = one.prompting.as_mut().map(Prompting::disturbed) {
            self.prompt_over(pane, outcome);
        }
    }

    /// The pane of a prompt changed, or its time has come.
    pub(crate) fn step_prompt(&mut self, id: PaneId) {
        let now = self.now();
        let Some(one) = self.prompts.all.get_mut(&id) else { return };
        let typed = one.prompting.as_ref().is_some_and(Prompting::is_typed);
        if !typed && self.conns.tickets.get(one.ticket).is_none() {
            // Nobody waits for it any more, and nothing was typed.
            self.prompts.all.remove(&id);
            return;
        }
        let Some(pane) = self.panes.all.get(&id) else {
            return self.prompt_over(id, Err("it was closed".to_owned()));
        };
        let Some(detector) = &pane.watch.detector else {
            return self.prompt_without_agent(id, now);
        };
        let prompting =
            one.prompting.get_or_insert_with(|| Prompting::new(detector.agent().clone(), &one.text, now));
        let shot = shot(&pane.terminal);
        let sight = PromptSight {
            verdict: detector.verdict(),
            since_ms: detector.since(),
            typed_ms: detector.typed(),
            shot: &shot,
        };
        match prompting.look(&sight, now) {
            PromptStep::Wait => {}
            PromptStep::Paste(text) => self.prompt_types(id, |pane| {
                pane.terminal.encode_paste(text.as_bytes(), pane.input.tail());
            }),
            PromptStep::Enter => self.prompt_types(id, |pane| {
                let enter = KeyEvent::new(KeyCode::Enter, Mods::empty());
                pane.terminal.encode_key(&enter, pane.input.tail());
            }),
            PromptStep::Over(outcome) => self.prompt_over(id, outcome),
        }
    }

    fn prompt_without_agent(&mut self, id: PaneId, now: u64) {
        let Some(one) = self.prompts.all.get_mut(&id) else { return };
        let ended = match &mut one.prompting {
            Some(prompting) => match prompting.left() {
                PromptStep::Over(outcome) => Some(outcome),
                _ => None,
            },
            None => (now >= one.since + RECOGNISED_MS)
                .then(|| Err("no agent is to be seen in it; nothing was typed".to_owned())),
        };
        if let Some(outcome) = ended {
            self.prompt_over(id, outcome);
        }
    }

    fn prompt_types(&mut self, id: PaneId, encode: impl FnOnce(&mut crate::pane::Pane)) {
        if let Some(pane) = self.panes.all.get_mut(&id) {
            encode(pane);
        }
        self.handed_over(id);
    }

    fn prompt_over(&mut self, id: PaneId, outcome: Result<(), String>) {
        let Some(one) = self.prompts.all.remove(&id) else { return };
        let answer = match outcome {
            Ok(()) => Ok(Response::Submitted { terminal: id }),
            Err(why) => Err(Refusal::failed(format!("pane {id} did not take the prompt: {why}"))),
        };
        self.reply(one.ticket, answer);
    }
}
