//! What an agent is doing, from evidence over time: one verdict, when it changed, and why.
//!
//! The order of trust: first the agent's own words (hooks and OSC 7501, the newer wins), then its
//! state files and the signals its file explains, then its screen; a rule of the file may say
//! that a source is known to be silent while something is on the screen. `weigh` picks what the
//! evidence says now; `settle` decides how long it must say so; this file takes the evidence in
//! and keeps the record.
//!
//! Pure: time is a parameter, in milliseconds of one clock that never runs back (unix time, if a
//! saved detector is to be restored). Not here: where evidence comes from, what a change causes.

mod senses;
mod settle;
mod weigh;

use std::sync::Arc;

use kraal_api::{Kind, Source, State, Verdict};
use serde::{Deserialize, Serialize};

use self::{
    senses::{Claim, Senses, Sign},
    settle::Pending,
};
use crate::{
    agent::{Agent, RunKind},
    evidence::{Evidence, HookReport, Progress, StatusReport},
    explain::{Decision, Explanation},
    hooks::Meaning,
    reading::Reading,
    screen::ScreenShot,
};

/// Follows one agent in one pane.
#[derive(Clone, Debug)]
pub struct Detector {
    agent: Arc<Agent>,
    run: RunKind,
    verdict: Verdict,
    since: u64,
    /// When time last moved.
    now_ms: u64,
    /// A turn runs, or ran and its end has not been told.
    turn: bool,
    /// Somebody may have asked it something. Until then work is a start of its own, and its end no turn's: Codex 0.171
    /// reports working and idle while it brings up its daemon.
    asked: bool,
    gone: bool,
    senses: Senses,
    pending: Option<Pending>,
    explanation: Explanation,
}

/// What survives a restart of the server: hooks and 7501 reports are not sent twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    agent: String,
    one_shot: bool,
    verdict: Verdict,
    since: u64,
    turn: bool,
    #[serde(default = "yes")]
    asked: bool,
    claim: Option<Claim>,
    file: Option<Claim>,
    hook_seq: u64,
    title: String,
    progress: Option<Progress>,
    decisions: Vec<Decision>,
}

fn yes() -> bool {
    true
}

impl Saved {
    /// The name of the agent it was saved for.
    pub fn agent(&self) -> &str {
        &self.agent
    }
}

/// What one screen says, without anything before it.
pub(crate) fn read_alone(agent: &Agent, shot: &ScreenShot) -> Option<Reading> {
    let mut senses = Senses::default();
    senses.titled(&shot.title, 0);
    senses.see(agent, shot, 0);
    let candidate = senses.seen(agent, 0)?;
    let screen = senses.reading().filter(|_| candidate.source == Source::Screen);
    Some(screen.cloned().unwrap_or(Reading {
        state: candidate.state,
        kind: candidate.kind,
        rule: candidate.rule,
        lines: candidate.evidence,
        alone: false,
        over: Vec::new(),
        until_input: false,
    }))
}

impl Detector {
    /// A detector for an agent that was just recognised: idle and uncertain until there is
    /// evidence.
    pub fn new(agent: Arc<Agent>, now_ms: u64) -> Self {
        let verdict = Verdict { state: State::Idle, kind: None, certain: false, source: Source::Screen };
        Detector {
            agent,
            run: RunKind::Interactive,
            verdict,
            since: now_ms,
            now_ms,
            turn: false,
            asked: true,
            gone: false,
            senses: Senses::default(),
            pending: None,
            explanation: Explanation::default(),
        }
    }

    /// A detector for an agent that was started without a prompt: it has no turn before somebody types.
    pub fn unasked(agent: Arc<Agent>, now_ms: u64) -> Self {
        Detector { asked: false, ..Detector::new(agent, now_ms) }
    }

    /// A detector for a one-shot run (`claude -p`): it works until its process leaves.
    pub fn one_shot(agent: Arc<Agent>, now_ms: u64) -> Self {
        let mut detector = Detector::new(agent, now_ms);
        detector.run = RunKind::OneShot;
        detector.turn = true;
        detector.verdict =
            Verdict { state: State::Working, kind: None, certain: true, source: Source::Screen };
        detector
    }

    /// Takes one piece of evidence in; gives the verdict when it changed.
    pub fn observe(&mut self, evidence: Evidence, now_ms: u64) -> Option<Verdict> {
        if self.gone {
            return None;
        }
        if evidence == Evidence::Gone {
            return self.leave(now_ms);
        }
        if self.run == RunKind::OneShot {
            return None;
        }
        match evidence {
            Evidence::Screen(shot) => {
                self.senses.see(&self.agent, &shot, now_ms);
                self.turn |= self.senses.failed;
            }
            Evidence::Title(title) => self.senses.titled(&title, now_ms),
            Evidence::Progress(progress) => self.senses.progressed(progress, now_ms),
            Evidence::Status(report) => self.reported(&report, now_ms),
            Evidence::Signal { osc, payload } => self.signalled(osc, &payload, now_ms),
            Evidence::Hook(report) => self.hooked(&report, now_ms),
            Evidence::File { state, kind } => {
                let said = format!("state file says {}", state.word());
                let claim = Claim { state, kind, source: Source::File, at_ms: now_ms, said };
                let repeated =
                    self.senses.file.as_ref().is_some_and(|old| (old.state, old.kind) == (state, kind));
                if !repeated {
                    self.senses.file = Some(claim);
                }
            }
            Evidence::Output { bytes } => self.senses.flowed(bytes, now_ms),
            Evidence::Input => {
                self.asked = true;
                self.senses.typed(now_ms);
            }
            Evidence::Bell | Evidence::Gone => {}
        }
        self.step(now_ms)
    }

    /// Lets time pass: what had to settle may have settled.
    pub fn tick(&mut self, now_ms: u64) -> Option<Verdict> {
        if self.gone || self.run == RunKind::OneShot { None } else { self.step(now_ms) }
    }

    /// When `tick` may next change something without new evidence.
    pub fn next_deadline(&self) -> Option<u64> {
        if self.gone || self.run == RunKind::OneShot {
            return None;
        }
        let pending = self.pending.as_ref().map(|pending| self.due(pending));
        let all = pending.into_iter().chain(self.senses.deadlines(&self.agent));
        all.filter(|deadline| *deadline > self.now_ms).min()
    }

    /// The user looked at the pane: done becomes idle.
    pub fn looked_at(&mut self, now_ms: u64) -> Option<Verdict> {
        if self.verdict.state != State::Done {
            return None;
        }
        self.pending = None;
        let verdict = Verdict { state: State::Idle, kind: None, ..self.verdict.clone() };
        Some(self.commit(verdict, now_ms, "looked at".to_owned(), Vec::new()))
    }

    /// What the agent is doing.
    pub fn verdict(&self) -> &Verdict {
        &self.verdict
    }

    /// Since when it is in this state (a change of kind, source or doubt alone does not count).
    pub fn since(&self) -> u64 {
        self.since
    }

    /// When somebody last typed into its pane, in the same ms.
    pub fn typed(&self) -> Option<u64> {
        self.senses.input_ms
    }

    /// The agent this detector is for.
    pub fn agent(&self) -> &Arc<Agent> {
        &self.agent
    }

    /// The last decisions with their evidence, oldest first.
    pub fn explain(&self) -> Vec<Decision> {
        self.explanation.list()
    }

    /// What a new server needs to go on.
    pub fn save(&self) -> Saved {
        Saved {
            agent: self.agent.name().to_owned(),
            one_shot: self.run == RunKind::OneShot,
            verdict: self.verdict.clone(),
            since: self.since,
            turn: self.turn,
            asked: self.asked,
            claim: self.senses.claim.clone(),
            file: self.senses.file.clone(),
            hook_seq: self.senses.hook_seq,
            title: self.senses.title.text.clone(),
            progress: self.senses.progress_now,
            decisions: self.explanation.list(),
        }
    }

    /// Goes on from what was saved. Signs of life in the title must be seen again.
    pub fn restore(agent: Arc<Agent>, saved: Saved) -> Self {
        let mut detector = Detector::new(agent, saved.since);
        detector.run = if saved.one_shot { RunKind::OneShot } else { RunKind::Interactive };
        detector.verdict = saved.verdict;
        detector.turn = saved.turn;
        detector.asked = saved.asked;
        detector.senses.claim = saved.claim;
        detector.senses.file = saved.file;
        detector.senses.hook_seq = saved.hook_seq;
        detector.senses.title = Sign { text: saved.title, changed_ms: None };
        detector.senses.progress_now = saved.progress;
        detector.explanation = saved.decisions.into();
        detector
    }

    fn reported(&mut self, report: &StatusReport, now_ms: u64) {
        // A child record is a subagent's: its end is not the agent's.
        if report.id.is_some() {
            return;
        }
        let own = report.app.as_deref().is_some_and(|app| self.agent.speaks_as(app));
        if report.state == "clear" {
            let status = self.senses.claim.as_ref().is_some_and(|claim| claim.source == Source::Status);
            if status && (own || report.app.is_none()) {
                self.senses.claim = None;
            }
            return;
        }
        if !own {
            return;
        }
        let Some((state, kind)) = Agent::status_state(&report.state, report.kind.as_deref()) else { return };
        let mut said = format!("status {}", report.state);
        for part in [&report.kind, &report.msg].into_iter().flatten() {
            said.push_str(": ");
            said.push_str(part);
        }
        self.claimed(Claim { state, kind, source: Source::Status, at_ms: now_ms, said });
    }

    /// A hook that was held up says what was, not what is.
    fn hooked(&mut self, report: &HookReport, now_ms: u64) {
        if report.seq < self.senses.hook_seq {
            return;
        }
        let (state, kind) = match report.meaning {
            Meaning::Nothing => return,
            Meaning::Start => (State::Idle, None),
            Meaning::Is(state, kind) => (state, kind),
            Meaning::End => {
                self.senses.hook_seq = report.seq;
                self.senses.claim = self.senses.claim.take().filter(|claim| claim.source != Source::Hooks);
                return;
            }
        };
        self.senses.hook_seq = report.seq;
        self.asked |= state != State::Idle;
        let said = format!("hook {}", report.event);
        self.claimed(Claim { state, kind, source: Source::Hooks, at_ms: now_ms, said });
    }

    fn claimed(&mut self, mut claim: Claim) {
        if let Some(old) = self.senses.claim.as_ref().filter(|old| old.state == State::Done)
            && claim.state == State::Done
        {
            // Some report the error and then the end it led to.
            claim.kind = claim.kind.or(old.kind);
        }
        let news = self.senses.claim.as_ref().is_none_or(|old| old.state != claim.state);
        // The report of an end is proof of a turn, however short it was.
        if news && claim.state == State::Done {
            self.turn = true;
        }
        self.senses.claim = Some(claim);
        self.senses.contradicted = None;
    }

    fn signalled(&mut self, osc: u32, payload: &str, now_ms: u64) {
        match osc {
            0 | 2 => self.senses.titled(payload, now_ms),
            7501 => {
                if let Some(report) = StatusReport::parse(payload) {
                    self.reported(&report, now_ms);
                }
            }
            _ => match progress(payload).filter(|_| osc == 9) {
                Some(progress) => self.senses.progressed(progress, now_ms),
                None => self.senses.told(&self.agent, osc, payload, now_ms),
            },
        }
    }

    /// The process left: what ran has ended, what it said is void.
    fn leave(&mut self, now_ms: u64) -> Option<Verdict> {
        self.gone = true;
        self.pending = None;
        let ran = self.turn || (self.asked && self.verdict.state == State::Working);
        let (state, kind) = match self.verdict.state {
            State::Done => (State::Done, self.verdict.kind),
            _ if ran => (State::Done, None),
            _ => (State::Idle, None),
        };
        self.turn = false;
        let verdict = Verdict { state, kind, certain: true, source: self.verdict.source };
        if verdict == self.verdict {
            return None;
        }
        Some(self.commit(verdict, now_ms, "process gone".to_owned(), Vec::new()))
    }

    fn commit(&mut self, verdict: Verdict, now_ms: u64, rule: String, evidence: Vec<String>) -> Verdict {
        match (verdict.state, verdict.kind) {
            (State::Working, _) => self.turn = self.asked,
            (State::Blocked, Some(Kind::Permission)) => self.turn = true,
            (State::Done, _) | (State::Blocked, Some(Kind::Limit | Kind::Login)) => self.turn = false,
            _ => {}
        }
        if verdict.state != self.verdict.state {
            self.since = now_ms;
        }
        self.verdict = verdict.clone();
        self.explanation.add(Decision { at_ms: now_ms, verdict: verdict.clone(), rule, evidence });
        verdict
    }
}

/// `4;STATE;VALUE` of OSC 9.
fn progress(payload: &str) -> Option<Progress> {
    let mut fields = payload.strip_prefix("4;")?.split(';');
    let state = fields.next()?;
    let value = fields.next().and_then(|value| value.parse().ok()).unwrap_or(0);
    match state {
        "0" => Some(Progress::None),
        "1" => Some(Progress::Percent(value)),
        "2" => Some(Progress::Error),
        "3" => Some(Progress::Busy),
        "4" => Some(Progress::Paused),
        _ => None,
    }
}
