//! What was last seen and heard of an agent, each with its time.
//!
//! Not here: which of it counts (`weigh`).

use std::hash::{DefaultHasher, Hash, Hasher};

use kraal_api::{Kind, Source, State};
use serde::{Deserialize, Serialize};

use super::weigh::Contradiction;
use crate::{
    agent::Agent,
    evidence::Progress,
    file::SignalFrom,
    reading::{Reading, SignalRule},
    screen::ScreenShot,
};

/// Output this soon after input is its echo.
const ECHO_MS: u64 = 300;
/// What flows this long is more than a screen that was drawn anew.
const STREAM_MS: u64 = 500;
/// A turn that fails at once does so this soon after somebody typed.
const ASKED_MS: u64 = 10_000;

/// Something the agent said of itself: a hook, a 7501 report, a state file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Claim {
    pub state: State,
    pub kind: Option<Kind>,
    pub source: Source,
    pub at_ms: u64,
    pub said: String,
}

/// A title or a progress bar: what it is, what that means, and when it last changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sign {
    pub text: String,
    /// None: it stood there before anybody watched, and is no sign of life.
    pub changed_ms: Option<u64>,
}

impl Sign {
    /// When it stops counting; none: not before it changes.
    pub(crate) fn stale_ms(&self, rule: &SignalRule) -> Option<u64> {
        (rule.fresh_ms > 0).then(|| self.changed_ms.map_or(0, |changed| changed + rule.fresh_ms))
    }
}

/// Everything seen and heard.
#[derive(Clone, Debug, Default)]
pub(crate) struct Senses {
    /// The newest of hooks and 7501.
    pub claim: Option<Claim>,
    /// The newest of state files.
    pub file: Option<Claim>,
    pub hook_seq: u64,
    pub title: Sign,
    pub progress: Sign,
    pub progress_now: Option<Progress>,
    /// The last other OSC that the agent's file explains, and which it was.
    pub heard: Option<(SignalFrom, Sign)>,
    /// The last screen shows an error where the one before showed an agent at rest: a turn ended.
    pub failed: bool,
    /// None until a screen was seen.
    pub screen: Option<Seen>,
    /// Since when the lower evidence contradicts `claim` (or `file`, without a claim).
    pub contradicted: Option<Contradiction>,
    /// A claim that gave way, until the decision it leads to is written down.
    pub gave_way: Option<String>,
    /// The rows of a note that the user has read: typed after it was shown.
    pub read_note: Option<Vec<String>>,
    output_ms: Option<u64>,
    pub(super) input_ms: Option<u64>,
    /// When what flows began to, and when it last did.
    flow: Option<(u64, u64)>,
    /// When the screen last showed a dialog.
    pub(super) dialog_ms: Option<u64>,
}

/// The last screen.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// What it says; none for an unknown layout.
    pub reading: Option<Reading>,
    /// Since when the same rule fires (or none does).
    pub since_ms: u64,
    /// When the conversation above the input last changed; none for the first screen.
    pub body_ms: Option<u64>,
    body: u64,
}

impl Senses {
    pub(crate) fn see(&mut self, agent: &Agent, shot: &ScreenShot, now_ms: u64) {
        if self.screen.is_none() && self.title.text.is_empty() {
            // A title may be left by a program that died.
            self.title = Sign { text: shot.title.clone(), changed_ms: None };
        } else if !shot.title.is_empty() {
            self.titled(&shot.title, now_ms);
        }
        if let Some(progress) = shot.progress {
            self.progressed(progress, now_ms);
        }
        let layout = agent.layout(shot);
        let reading = agent.read_layout(&layout);
        let mut hasher = DefaultHasher::new();
        layout.body().hash(&mut hasher);
        let body = hasher.finish();
        if let (Some(read), Some(note)) = (&self.read_note, &reading)
            && *read != note.lines
        {
            self.read_note = None;
        }
        let old = self.screen.take();
        let same = |old: &Seen| old.reading.as_ref().map(|r| &r.rule) == reading.as_ref().map(|r| &r.rule);
        // A turn that failed at once was never seen to run; somebody must have asked for it.
        let asked = self.input_ms.is_some_and(|input| now_ms.saturating_sub(input) < ASKED_MS);
        let rested = |old: &Seen| {
            old.reading.as_ref().is_some_and(|r| matches!(r.state, State::Idle | State::Done)) && !same(old)
        };
        let failed = reading.as_ref().is_some_and(|r| (r.state, r.kind) == (State::Done, Some(Kind::Error)));
        self.failed = failed && asked && old.as_ref().is_some_and(rested);
        let since_ms = old.as_ref().filter(|old| same(old)).map_or(now_ms, |old| old.since_ms);
        let body_ms = old.as_ref().and_then(|old| if old.body == body { old.body_ms } else { Some(now_ms) });
        if body_ms == Some(now_ms) {
            self.flows(now_ms);
        }
        if reading.as_ref().is_some_and(|reading| reading.state == State::Blocked && !reading.until_input) {
            self.dialog_ms = Some(now_ms);
        }
        self.screen = Some(Seen { reading, since_ms, body_ms, body });
    }

    pub(crate) fn titled(&mut self, title: &str, now_ms: u64) {
        if self.title.text != title {
            // A blinking mark changes the title but not what it means: any change is a sign of
            // life.
            self.title = Sign { text: title.to_owned(), changed_ms: Some(now_ms) };
        }
    }

    pub(crate) fn progressed(&mut self, progress: Progress, now_ms: u64) {
        if self.progress_now != Some(progress) {
            self.progress_now = Some(progress);
            self.progress = Sign { text: progress.word().to_owned(), changed_ms: Some(now_ms) };
        }
    }

    /// An OSC with a text of the agent's own. One that its file does not explain says nothing; one
    /// that it repeats is a sign of life each time.
    pub(crate) fn told(&mut self, agent: &Agent, osc: u32, payload: &str, now_ms: u64) {
        let from = match osc {
            9 => SignalFrom::Osc9,
            99 => SignalFrom::Osc99,
            777 => SignalFrom::Osc777,
            _ => return,
        };
        if agent.signal(from, payload).is_some() {
            self.heard = Some((from, Sign { text: payload.to_owned(), changed_ms: Some(now_ms) }));
        }
    }

    fn flows(&mut self, now_ms: u64) {
        let goes_on = self.flow.filter(|(_, last)| now_ms < last + super::weigh::FLOW_MS);
        self.flow = Some((goes_on.map_or(now_ms, |(began, _)| began), now_ms));
    }

    /// Whether something flows, and not for the first moment.
    pub(crate) fn streams(&self, now_ms: u64) -> bool {
        self.flow
            .is_some_and(|(began, last)| last >= began + STREAM_MS && now_ms < last + super::weigh::FLOW_MS)
    }

    pub(crate) fn flowed(&mut self, bytes: u64, now_ms: u64) {
        let echo = self.input_ms.is_some_and(|input| now_ms.saturating_sub(input) < ECHO_MS);
        if bytes > 0 && !echo {
            self.output_ms = Some(now_ms);
            self.flows(now_ms);
        }
    }

    pub(crate) fn typed(&mut self, now_ms: u64) {
        self.input_ms = Some(now_ms);
        let reading = self.screen.as_ref().and_then(|seen| seen.reading.as_ref());
        if let Some(note) = reading.filter(|reading| reading.until_input) {
            self.read_note = Some(note.lines.clone());
        }
    }

    /// What the screen says, without a note that was read.
    pub(crate) fn reading(&self) -> Option<&Reading> {
        self.screen.as_ref()?.reading.as_ref()
    }

    /// Whether this reading is a note the user has read: then the input beside it is what counts.
    pub(crate) fn was_read(&self, reading: &Reading) -> bool {
        reading.until_input && self.read_note.as_ref() == Some(&reading.lines)
    }

    /// When something last flowed: the conversation, where it can be told from the rest of the
    /// screen; else any output.
    pub(crate) fn flow_ms(&self) -> Option<u64> {
        match &self.screen {
            Some(seen) if seen.reading.is_some() => seen.body_ms,
            Some(seen) => seen.body_ms.max(self.output_ms),
            None => self.output_ms,
        }
    }

    /// The signals that mean something now: the sign, its rule.
    pub(crate) fn signals<'a>(
        &'a self,
        agent: &'a Agent,
    ) -> impl Iterator<Item = (&'a Sign, &'a SignalRule)> {
        let title = agent.read_title(&self.title.text).map(|rule| (&self.title, rule));
        let progress =
            self.progress_now.and_then(|p| agent.read_progress(p)).map(|rule| (&self.progress, rule));
        let heard =
            self.heard.as_ref().and_then(|(from, sign)| Some((sign, agent.signal(*from, &sign.text)?)));
        title.into_iter().chain(progress).chain(heard)
    }

    /// When a signal stops counting, a flow is over, or a contradiction is long enough; some may
    /// have passed.
    pub(crate) fn deadlines<'a>(&'a self, agent: &'a Agent) -> impl Iterator<Item = u64> + 'a {
        let stale = self.signals(agent).filter_map(|(sign, rule)| sign.stale_ms(rule));
        let claim = self.claim.as_ref().or(self.file.as_ref());
        let patience = match (self.contradicted, claim) {
            (Some(since), Some(claim)) => Some(super::weigh::gives_way_ms(claim, since, self.flow_ms())),
            _ => None,
        };
        let late = match (&self.claim, self.reading()) {
            (Some(claim), Some(reading)) if !reading.over.is_empty() => {
                Some(claim.at_ms + super::weigh::OVER_MS)
            }
            _ => None,
        };
        let counts = claim.is_some() || agent.flow_is_work();
        let calm = self.flow_ms().filter(|_| counts).map(|flow| flow + super::weigh::FLOW_MS);
        stale.chain(patience).chain(late).chain(calm)
    }
}
