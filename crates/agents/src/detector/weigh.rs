//! What the evidence says at one instant: which source decides, and which has given way.
//!
//! Not here: how long it must say so before the verdict follows (`settle`).

use kraal_api::{Kind, Source, State};

use super::{
    Detector,
    senses::{Claim, Senses, Sign},
};
use crate::{
    agent::Agent,
    file::Over,
    reading::{Reading, SignalRule},
};

/// An end that the screen shows after a claim beats the claim at once; one that stood there
/// before it must still stand there this much later: a new turn pushes it away.
pub(crate) const OVER_MS: u64 = 700;
/// A dialog is drawn a little before the hook that tells of it comes.
const JUST_BEFORE_MS: u64 = 300;
/// A conversation that changed this recently still flows.
pub(crate) const FLOW_MS: u64 = 1_000;

/// What the evidence says now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub state: State,
    pub kind: Option<Kind>,
    pub source: Source,
    pub rule: String,
    pub evidence: Vec<String>,
    /// It rests on an input box alone: nothing says that a turn ended.
    pub weak: bool,
}

/// How long the lower evidence must say `other` against a claim before the claim gives way. With
/// the settling of the screen that is within two seconds of the truth for hooks, which are silent
/// about much; the status protocol is only late.
fn patience_ms(claim: &Claim, other: State, doubt: Doubt) -> u64 {
    match (claim.source, claim.state, other) {
        (Source::Hooks, ..) if doubt == Doubt::Answered => 200,
        // A report of the dialog that stands there was lost.
        (Source::Hooks, State::Working, State::Blocked) => 500,
        (Source::Hooks, ..) if doubt == Doubt::Plain => 1_000,
        (Source::Hooks, ..) | (_, _, State::Blocked) => 1_500,
        // An answer that streams without any hint may stall.
        (Source::Status, State::Working, _) => 10_000,
        (Source::Status, ..) => 4_000,
        _ => 2_500,
    }
}

/// When a claim that has been contradicted since then gives way; what still flows puts off only
/// what speaks of rest.
pub(crate) fn gives_way_ms(claim: &Claim, contradiction: Contradiction, flow_ms: Option<u64>) -> u64 {
    let patience = patience_ms(claim, contradiction.other, contradiction.doubt);
    let due = contradiction.since_ms.max(claim.at_ms) + patience;
    match flow_ms {
        Some(flow) if class(contradiction.other) == 2 => due.max(flow + FLOW_MS),
        _ => due,
    }
}

/// Lower evidence that says something else than a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    /// Since when it has.
    pub since_ms: u64,
    /// What it says.
    pub other: State,
    /// How plainly.
    pub doubt: Doubt,
}

/// How plainly lower evidence speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A line of the agent's says so, where its dialog stood before: somebody answered.
    Answered,
    /// A line of the agent's says so.
    Plain,
    /// An input box stands there, and nothing that speaks of work.
    Weak,
}

/// States that cannot both be true: working, waiting, and at rest.
fn class(state: State) -> u8 {
    match state {
        State::Working => 0,
        State::Blocked => 1,
        State::Done | State::Idle => 2,
    }
}

impl Detector {
    /// Drops a claim that the other evidence has contradicted for long enough. An agent whose
    /// end no hook reports would else work for ever.
    pub(super) fn review(&mut self, now_ms: u64) {
        let first = self.senses.claim.is_some();
        let Some(claim) = self.senses.claim.as_ref().or(self.senses.file.as_ref()) else { return };
        let newer_file = self.senses.file.as_ref().filter(|file| first && file.at_ms > claim.at_ms);
        // Other sources speak of an end themselves; only a calm screen is worth a doubt.
        let flows = claim.source != Source::Hooks
            && self.senses.flow_ms().is_some_and(|flow| now_ms < flow + FLOW_MS);
        let against =
            |other: &(State, Doubt)| class(other.0) != class(claim.state) && (class(other.0) != 2 || !flows);
        let seen = || {
            let candidate = self.senses.seen(&self.agent, now_ms)?;
            let answered = claim.state == State::Blocked
                && self.senses.dialog_ms.is_some_and(|seen| seen + JUST_BEFORE_MS >= claim.at_ms);
            let doubt = match candidate.weak {
                true => Doubt::Weak,
                false if answered => Doubt::Answered,
                false => Doubt::Plain,
            };
            Some((candidate.state, doubt))
        };
        let filed = newer_file.map(|file| (file.state, Doubt::Plain));
        let other = filed.filter(against).or_else(|| seen().filter(against));
        // While it is known to be silent nothing contradicts it: it speaks again after the dialog.
        let dialog = self.senses.reading().filter(|reading| reading.state == State::Blocked);
        let silent = dialog.is_some_and(|reading| self.is_over(reading, claim, now_ms));
        let Some((other, doubt)) = other.filter(|_| !silent) else {
            self.senses.contradicted = None;
            return;
        };
        let same = self.senses.contradicted.filter(|old| class(old.other) == class(other));
        let since_ms = same.map_or(now_ms, |old| old.since_ms);
        let contradiction = Contradiction { since_ms, other, doubt };
        let due = gives_way_ms(claim, contradiction, self.senses.flow_ms());
        self.senses.contradicted = (now_ms < due).then_some(contradiction);
        if now_ms >= due {
            let dropped = if first { self.senses.claim.take() } else { self.senses.file.take() };
            self.senses.gave_way = dropped.map(|claim| format!("gave way: {}", claim.said));
        }
    }

    /// The screen told of an end that the claim's source is silent about: the claim is of before.
    pub(super) fn outlive(&mut self, told: &Candidate) {
        let over =
            |claim: &mut Claim| class(claim.state) != class(State::Idle) && claim.source != told.source;
        if told.source == Source::Screen && class(told.state) == class(State::Idle) {
            self.senses.claim.take_if(over);
            self.senses.file.take_if(over);
        }
    }

    /// What the evidence says; none where there is nothing to go by, or nothing fits.
    pub(super) fn candidate(&self, now_ms: u64) -> Option<Candidate> {
        let Some(claim) = self.senses.claim.as_ref().or(self.senses.file.as_ref()) else {
            return self.senses.seen(&self.agent, now_ms);
        };
        match self.senses.reading() {
            Some(reading) if self.is_over(reading, claim, now_ms) => Some(screen(reading)),
            _ => Some(self.claimed_candidate(claim)),
        }
    }

    /// Whether the claim's source is known to be silent about what the screen shows.
    fn is_over(&self, reading: &Reading, claim: &Claim, now_ms: u64) -> bool {
        let silent = reading.over.iter().any(|over| {
            matches!(
                (over, claim.source),
                (Over::Hooks, Source::Hooks) | (Over::Status, Source::Status) | (Over::File, Source::File)
            )
        });
        let since = self.senses.screen.as_ref().map_or(0, |seen| seen.since_ms);
        silent
            && !self.senses.was_read(reading)
            && (reading.state == State::Blocked || since >= claim.at_ms || now_ms >= claim.at_ms + OVER_MS)
    }

    fn claimed_candidate(&self, claim: &Claim) -> Candidate {
        // The agent says that it waits, the screen says for what.
        let kind = claim.kind.or_else(|| {
            let reading = self.senses.reading()?;
            (reading.state == claim.state && claim.state == State::Blocked).then_some(reading.kind)?
        });
        Candidate {
            state: claim.state,
            kind,
            source: claim.source,
            rule: claim.said.clone(),
            evidence: vec![claim.said.clone()],
            weak: false,
        }
    }
}

impl Senses {
    /// What signals and screen say together: waiting beats working beats rest.
    pub(super) fn seen(&self, agent: &Agent, now_ms: u64) -> Option<Candidate> {
        let reading = self.reading();
        let blocked = |reading: &&Reading| reading.state == State::Blocked && !self.was_read(reading);
        if let Some(reading) = reading.filter(blocked) {
            return Some(screen(reading));
        }
        let signal = |wanted: State| {
            self.signals(agent).find_map(|(sign, rule)| {
                let (state, kind) = rule.state?;
                let fresh = sign.stale_ms(rule).is_none_or(|stale| now_ms < stale);
                (state == wanted && fresh).then(|| Candidate {
                    state,
                    kind,
                    source: Source::Signal,
                    rule: rule.id.clone(),
                    evidence: vec![sign.text.clone()],
                    weak: false,
                })
            })
        };
        if let Some(blocked) = signal(State::Blocked) {
            return Some(blocked);
        }
        if let Some(reading) = reading.filter(|reading| reading.state == State::Working) {
            return Some(screen(reading));
        }
        if let Some(working) = signal(State::Working) {
            return Some(working);
        }
        match reading {
            Some(reading) if reading.state == State::Blocked => {
                Some(Candidate { state: State::Idle, kind: None, ..screen(reading) })
            }
            Some(reading) => {
                // The screen says that it rests, a signal may say how that came.
                let why = signal(State::Done).filter(|ended| ended.kind.is_some() && reading.kind.is_none());
                if why.is_some() {
                    return why;
                }
                // A sign that no turn runs makes an input box more than that.
                let rests = |(sign, rule): (&Sign, &SignalRule)| {
                    let rest = rule.state.is_none_or(|(state, _)| class(state) == class(State::Idle));
                    rest && sign.stale_ms(rule).is_none_or(|stale| now_ms < stale)
                };
                let rests = self.signals(agent).any(rests);
                let candidate = screen(reading);
                Some(Candidate { weak: candidate.weak && !rests, ..candidate })
            }
            None => {
                signal(State::Idle).or_else(|| signal(State::Done)).or_else(|| self.flowing(agent, now_ms))
            }
        }
    }
}

impl Senses {
    /// Work of which only the output tells, at an agent that shows nothing else of it.
    fn flowing(&self, agent: &Agent, now_ms: u64) -> Option<Candidate> {
        let flows = agent.flow_is_work() && self.screen.is_some() && self.streams(now_ms);
        flows.then(|| Candidate {
            state: State::Working,
            kind: None,
            source: Source::Screen,
            rule: "output flows".to_owned(),
            evidence: Vec::new(),
            weak: false,
        })
    }
}

fn screen(reading: &Reading) -> Candidate {
    Candidate {
        state: reading.state,
        kind: reading.kind,
        source: Source::Screen,
        rule: reading.rule.clone(),
        evidence: reading.lines.clone(),
        weak: reading.state == State::Idle && reading.alone,
    }
}
