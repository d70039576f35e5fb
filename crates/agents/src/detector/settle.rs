//! From what the evidence says to the verdict: flickers are waited out, an end is told once, and
//! a layout nobody knows gives doubt, never rest.
//!
//! Not here: weighing the evidence (`weigh`).

use kraal_api::{Source, State, Verdict};

use super::{
    Detector,
    weigh::{Candidate, FLOW_MS},
};

/// A screen must say something new this long: redraws flicker for up to 300 ms.
const SCREEN_MS: u64 = 350;
/// An end the agent itself reports: a queued prompt starts the next turn some milliseconds later,
/// and a screen that says what still runs comes a little behind the report.
const END_MS: u64 = 150;
/// Work that nobody asked for, as the start of an agent's own daemon, is told of only where it lasts.
const UNASKED_MS: u64 = 600;
/// An unknown layout is in doubt only after this long.
const UNKNOWN_MS: u64 = 1_500;

/// A change that has not settled yet.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    verdict: Verdict,
    since_ms: u64,
    hold: Hold,
}

/// What a pending change waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// This many milliseconds without interruption.
    For(u64),
    /// The same, and that nothing flows any more.
    Quiet(u64),
}

impl Detector {
    pub(super) fn step(&mut self, now_ms: u64) -> Option<Verdict> {
        self.now_ms = now_ms;
        self.review(now_ms);
        let candidate = self.candidate(now_ms);
        let (verdict, hold) = match &candidate {
            Some(candidate) => (self.conclude(candidate), self.hold(candidate)),
            None => match (self.doubt(), self.verdict.state) {
                (None, _) => {
                    self.pending = None;
                    return None;
                }
                (Some(doubt), State::Working) => (doubt, Hold::Quiet(UNKNOWN_MS)),
                (Some(doubt), _) => (doubt, Hold::For(UNKNOWN_MS)),
            },
        };
        if verdict == self.verdict {
            self.pending = None;
            return None;
        }
        let same = |pending: &Pending| pending.verdict == verdict;
        let since_ms = self.pending.as_ref().filter(|pending| same(pending)).map_or(now_ms, |p| p.since_ms);
        let pending = Pending { verdict, since_ms, hold };
        if now_ms < self.due(&pending) {
            self.pending = Some(pending);
            return None;
        }
        self.pending = None;
        if let Some(candidate) = &candidate {
            self.outlive(candidate);
        }
        let (rule, mut evidence) = match candidate {
            Some(candidate) => (candidate.rule, candidate.evidence),
            None => ("unknown layout".to_owned(), Vec::new()),
        };
        evidence.extend(self.senses.gave_way.take());
        if self.only_source_differs(&pending.verdict) {
            self.verdict = pending.verdict;
            return None;
        }
        Some(self.commit(pending.verdict, now_ms, rule, evidence))
    }

    pub(super) fn due(&self, pending: &Pending) -> u64 {
        match pending.hold {
            Hold::For(ms) => pending.since_ms + ms,
            Hold::Quiet(ms) => {
                let calm = self.senses.flow_ms().map_or(0, |flow| flow + ms.max(FLOW_MS));
                (pending.since_ms + ms).max(calm)
            }
        }
    }

    /// Rest after a turn is done until somebody looks, however the evidence words it.
    fn conclude(&self, candidate: &Candidate) -> Verdict {
        let (state, kind) = match candidate.state {
            State::Working | State::Blocked => (candidate.state, candidate.kind),
            State::Done if self.turn => (State::Done, candidate.kind),
            State::Idle if self.turn => (State::Done, None),
            _ if self.verdict.state == State::Done => (State::Done, self.verdict.kind),
            _ => (State::Idle, None),
        };
        Verdict { state, kind, certain: true, source: candidate.source }
    }

    /// Nothing fits: the last state, in doubt. None before any screen was seen.
    fn doubt(&self) -> Option<Verdict> {
        self.senses.screen.as_ref()?;
        Some(Verdict { certain: false, ..self.verdict.clone() })
    }

    fn hold(&self, candidate: &Candidate) -> Hold {
        let ends = matches!(candidate.state, State::Done | State::Idle)
            && matches!(self.verdict.state, State::Working | State::Blocked);
        let unasked = !self.asked && candidate.state == State::Working;
        match candidate.source {
            Source::Hooks | Source::Status if unasked => Hold::For(UNASKED_MS),
            Source::Hooks | Source::Status if ends => Hold::For(END_MS),
            Source::Hooks | Source::Status => Hold::For(0),
            _ if ends && candidate.weak && self.verdict.state == State::Working => Hold::Quiet(SCREEN_MS),
            _ => Hold::For(SCREEN_MS),
        }
    }

    /// A change between lower sources alone is kept but not told.
    fn only_source_differs(&self, verdict: &Verdict) -> bool {
        let own = |source: Source| matches!(source, Source::Hooks | Source::Status);
        let same = Verdict { source: self.verdict.source, ..verdict.clone() } == self.verdict;
        same && own(verdict.source) == own(self.verdict.source)
    }
}
