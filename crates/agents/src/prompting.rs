//! Giving an agent a prompt: ready, typed, seen, sent, and told only on evidence that a turn began.
//! Nothing is typed into a dialog or beside a draft, nothing is sent twice.
//!
//! Pure: it is fed what the pane shows and says what to do next. Not here: typing (`server`), who may
//! prompt (`core`). The race that remains: between the last look and the Enter, a dialog may come up
//! that no look could have seen.

use std::sync::Arc;

use kraal_api::{Kind, State, Verdict};

use crate::{agent::Agent, screen::ScreenShot};

/// How long an agent may take to be ready, in ms.
const READY_MS: u64 = 30_000;
/// What keeps it from being ready for good must be seen this long: screens flicker.
const STEADY_MS: u64 = 1_200;
/// What was typed a moment ago may be the Enter of a turn that does not show yet.
const FRESH_MS: u64 = 1_500;
/// How long what was typed may take to show.
const SHOWN_MS: u64 = 5_000;
/// An agent whose input nobody can see has this long to take it in.
const BLIND_MS: u64 = 800;
/// A command of an agent's own that covers its input with what it shows is taken to have run after this.
const COVERED_MS: u64 = 1_000;
/// An agent takes up to 600 ms after a paste to heed Enter: pressed again when the text still stands
/// there so much later.
const AGAIN_MS: u64 = 1_500;
/// How often Enter is pressed at most.
const PRESSES: u8 = 3;
/// How long the evidence of a turn may take.
const BEGUN_MS: u64 = 10_000;
/// A text is known again by so many of its first letters and digits.
const KNOWN_BY: usize = 24;
/// What agents show in place of a long paste.
const PASTED: &[&str] = &["[pasted", "pasted text", "pasted content", "pasted ~", "[paste"];

/// One prompt on its way.
#[derive(Clone, Debug)]
pub struct Prompting {
    agent: Arc<Agent>,
    text: String,
    began_ms: u64,
    phase: Phase,
    /// How often the conversation showed the text before it was sent.
    shown_before: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Not typed yet. Since when something stands in the way, and what.
    Waiting {
        hindered: Option<(u64, Hindrance)>,
    },
    /// Typed, not sent.
    Typed {
        at_ms: u64,
    },
    /// Sent.
    Sent {
        at_ms: u64,
        pressed_ms: u64,
        presses: u8,
    },
    Over,
}

/// What keeps an agent from taking a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Hindrance {
    Dialog(Option<Kind>),
    Draft,
    /// A turn runs, it just started, or nobody knows: it may pass.
    Busy,
    /// Somebody typed a moment ago, and until then it can't be known what came of it.
    Fresh {
        until_ms: u64,
    },
}

/// What the pane shows now.
#[derive(Clone, Debug)]
pub struct Sight<'a> {
    /// What the agent is doing.
    pub verdict: &'a Verdict,
    /// Since when, in the same ms as `now`.
    pub since_ms: u64,
    /// When somebody last typed into it.
    pub typed_ms: Option<u64>,
    /// Its screen.
    pub shot: &'a ScreenShot,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing yet.
    Wait,
    /// Paste the text.
    Paste(String),
    /// Press Enter.
    Enter,
    /// It is over: a turn began, or why not, in one sentence without the pane.
    Over(Result<(), String>),
}

impl Prompting {
    /// A prompt for this agent; control characters other than newlines and tabs are left out.
    pub fn new(agent: Arc<Agent>, text: &str, now_ms: u64) -> Prompting {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let plain = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        let text: String = text.trim_end_matches('\n').chars().filter(plain).collect();
        Prompting { agent, text, began_ms: now_ms, phase: Phase::Waiting { hindered: None }, shown_before: 0 }
    }

    /// Whether it was typed already.
    pub fn is_typed(&self) -> bool {
        matches!(self.phase, Phase::Typed { .. } | Phase::Sent { .. })
    }

    /// Looks at the pane and says what to do. Call it when the pane changed, and at `next_deadline`.
    pub fn look(&mut self, sight: &Sight<'_>, now_ms: u64) -> Step {
        match self.phase.clone() {
            Phase::Waiting { hindered } => self.wait(sight, hindered, now_ms),
            Phase::Typed { at_ms } => self.typed(sight, at_ms, now_ms),
            Phase::Sent { at_ms, pressed_ms, presses } => {
                self.sent(sight, (at_ms, pressed_ms, presses), now_ms)
            }
            Phase::Over => Step::Wait,
        }
    }

    /// When it must be looked at again without any change.
    pub fn next_deadline(&self) -> Option<u64> {
        match &self.phase {
            Phase::Waiting { hindered } => {
                let passes = hindered.as_ref().and_then(|(since, what)| match what {
                    Hindrance::Dialog(_) | Hindrance::Draft => Some(since + STEADY_MS),
                    Hindrance::Fresh { until_ms } => Some(*until_ms),
                    Hindrance::Busy => None,
                });
                Some(passes.map_or(self.began_ms + READY_MS, |at| at.min(self.began_ms + READY_MS)))
            }
            Phase::Typed { at_ms } => Some(at_ms + if self.agent.has_input() { SHOWN_MS } else { BLIND_MS }),
            Phase::Sent { at_ms, pressed_ms, presses } => {
                let again = (*presses < PRESSES).then_some(pressed_ms + AGAIN_MS);
                Some(again.map_or(at_ms + BEGUN_MS, |again| again.min(at_ms + BEGUN_MS)))
            }
            Phase::Over => None,
        }
    }

    /// Somebody typed into the pane: what stands there now is not the prompt alone.
    pub fn disturbed(&mut self) -> Step {
        match self.phase {
            Phase::Typed { .. } => self
                .over(Err("somebody typed into it meanwhile: the text stands in its input, not sent".into())),
            _ => Step::Wait,
        }
    }

    /// The agent is gone.
    pub fn left(&mut self) -> Step {
        let why = match self.phase {
            Phase::Waiting { .. } => "its agent ended: nothing was typed",
            Phase::Typed { .. } => "its agent ended before the prompt was sent",
            _ => "its agent ended before a turn was seen to begin",
        };
        self.over(Err(why.to_owned()))
    }

    fn over(&mut self, outcome: Result<(), String>) -> Step {
        self.phase = Phase::Over;
        Step::Over(outcome)
    }

    fn wait(&mut self, sight: &Sight<'_>, before: Option<(u64, Hindrance)>, now_ms: u64) -> Step {
        let Some(hindrance) = self.hindrance(sight, now_ms) else {
            self.phase = Phase::Typed { at_ms: now_ms };
            return Step::Paste(self.text.clone());
        };
        let since = before.filter(|(_, what)| *what == hindrance).map_or(now_ms, |(since, _)| since);
        let late = now_ms >= self.began_ms + READY_MS;
        let lasts = matches!(hindrance, Hindrance::Dialog(_) | Hindrance::Draft);
        let steady = lasts && now_ms >= since + STEADY_MS;
        if !late && !steady {
            self.phase = Phase::Waiting { hindered: Some((since, hindrance)) };
            return Step::Wait;
        }
        let why = match hindrance {
            Hindrance::Dialog(Some(kind)) => format!("it waits for an answer ({})", kind.word()),
            Hindrance::Dialog(None) => "it waits for an answer".to_owned(),
            Hindrance::Draft => "a draft stands in its input: send it or clear it first".to_owned(),
            Hindrance::Busy | Hindrance::Fresh { .. } => match sight.verdict.state {
                State::Working => format!("its turn runs on after {} s", READY_MS / 1000),
                _ => format!("it was not surely at rest for {} s", READY_MS / 1000),
            },
        };
        self.over(Err(format!("{why}; nothing was typed")))
    }

    /// What stands in the way now.
    fn hindrance(&self, sight: &Sight<'_>, now_ms: u64) -> Option<Hindrance> {
        let verdict = sight.verdict;
        if verdict.state == State::Blocked {
            return Some(Hindrance::Dialog(verdict.kind));
        }
        // A dialog that came up this moment is on the screen before it is in the verdict.
        let reading = self.agent.read(sight.shot);
        match reading.as_ref().map(|reading| (reading.state, reading.kind)) {
            Some((State::Blocked, kind)) if !reading.is_some_and(|r| r.until_input) => {
                return Some(Hindrance::Dialog(kind));
            }
            Some((State::Working, _)) => return Some(Hindrance::Busy),
            _ => {}
        }
        if !verdict.certain || verdict.state == State::Working {
            return Some(Hindrance::Busy);
        }
        if self.agent.has_input() {
            match self.agent.input_box(sight.shot) {
                None => return Some(Hindrance::Busy),
                Some(input) if !input.text.is_empty() => return Some(Hindrance::Draft),
                Some(_) => {}
            }
        }
        let unanswered = sight.typed_ms.filter(|typed| sight.since_ms < *typed);
        let until_ms = unanswered? + FRESH_MS;
        (now_ms < until_ms).then_some(Hindrance::Fresh { until_ms })
    }

    fn typed(&mut self, sight: &Sight<'_>, at_ms: u64, now_ms: u64) -> Step {
        if let Some(dialog) = self.dialog(sight) {
            return self
                .over(Err(format!("{dialog} while it was typed: look at the pane, nothing was sent")));
        }
        if !self.agent.has_input() {
            if now_ms < at_ms + BLIND_MS {
                return Step::Wait;
            }
            return self.press(now_ms, now_ms, 1);
        }
        if self.stands_there(sight) {
            self.shown_before = self.shown(sight);
            return self.press(now_ms, now_ms, 1);
        }
        if now_ms < at_ms + SHOWN_MS {
            return Step::Wait;
        }
        let input = self.agent.input_box(sight.shot).map(|input| input.text);
        self.over(Err(match input {
            Some(text) if !text.is_empty() => {
                "its input shows something else than what was typed: look at it, nothing was sent".to_owned()
            }
            _ => "what was typed does not show in its input: look at it, nothing was sent".to_owned(),
        }))
    }

    fn press(&mut self, at_ms: u64, pressed_ms: u64, presses: u8) -> Step {
        self.phase = Phase::Sent { at_ms, pressed_ms, presses };
        Step::Enter
    }

    fn sent(&mut self, sight: &Sight<'_>, (at_ms, pressed_ms, presses): (u64, u64, u8), now_ms: u64) -> Step {
        let stands = self.stands_there(sight);
        let news = sight.since_ms >= at_ms;
        let began = match (sight.verdict.state, sight.verdict.kind) {
            (State::Working | State::Done, _) => news,
            // Only a turn leads to these; a question may be one of its start, as whether to trust a folder.
            (State::Blocked, Some(Kind::Permission | Kind::Limit)) => news,
            (State::Blocked | State::Idle, _) => false,
        };
        let emptied = self.agent.input_box(sight.shot).is_some_and(|input| input.text.is_empty());
        // A turn may begin and end between two looks: then the conversation tells of it.
        let told = emptied && self.shown(sight) > self.shown_before;
        if (began || told) && !stands {
            return self.over(Ok(()));
        }
        // A command of the agent's own need not begin a turn; what it opens may take the input away, or cover it.
        let command = self.text.starts_with('/') && !self.text.contains('\n');
        let plain = emptied || self.dialog(sight).is_some();
        if command && !stands && now_ms >= pressed_ms + if plain { 300 } else { COVERED_MS } {
            return self.over(Ok(()));
        }
        if sight.verdict.state == State::Blocked && news && now_ms >= sight.since_ms + STEADY_MS {
            return self.over(Err(
                "it asked something before a turn was seen to begin: look at the pane, it may take the prompt once that is answered"
                    .to_owned(),
            ));
        }
        if stands && now_ms >= pressed_ms + AGAIN_MS && presses < PRESSES && self.dialog(sight).is_none() {
            return self.press(at_ms, now_ms, presses + 1);
        }
        if now_ms < at_ms + BEGUN_MS {
            return Step::Wait;
        }
        let seconds = BEGUN_MS / 1000;
        self.over(Err(if stands {
            format!("no turn began in {seconds} s: the text stands in its input, not sent")
        } else {
            format!("no turn was seen to begin in {seconds} s, and its input is empty: look at the pane")
        }))
    }

    fn dialog(&self, sight: &Sight<'_>) -> Option<&'static str> {
        let seen = self.agent.read(sight.shot);
        let on_screen = seen.is_some_and(|reading| reading.state == State::Blocked && !reading.until_input);
        (on_screen || sight.verdict.state == State::Blocked).then_some("it asked something")
    }

    /// How many rows of the conversation begin with the text, or with its last line where it has many, or hold all of
    /// it where it is short.
    fn shown(&self, sight: &Sight<'_>) -> usize {
        let last = self.text.rsplit('\n').map(known_by).find(|line| !line.is_empty());
        let wanted = [Some(known_by(&self.text)), last];
        let is = |part: &str| {
            let part = letters(part);
            wanted.iter().flatten().any(|wanted| match wanted.chars().count() {
                0 => false,
                1..KNOWN_BY => part == *wanted,
                _ => part.starts_with(wanted),
            })
        };
        let layout = self.agent.layout(sight.shot);
        // Some agents draw a column of their own beside the conversation.
        layout.body().iter().filter(|row| is(row) || row.split("  ").any(is)).count()
    }

    /// Whether the input holds what was typed.
    fn stands_there(&self, sight: &Sight<'_>) -> bool {
        let Some(input) = self.agent.input_box(sight.shot) else { return false };
        let (shown, wanted) = (known_by(&input.text), known_by(&self.text));
        let lower = input.text.to_lowercase();
        let pasted = PASTED.iter().any(|mark| lower.contains(mark));
        !input.text.is_empty()
            && (pasted
                || shown == wanted
                || (wanted.is_empty() && !input.text.trim().is_empty())
                || scrolled(&input.text, &self.text))
    }
}

/// The first letters and digits of a text, however it is wrapped.
fn known_by(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).take(KNOWN_BY).collect()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Whether an input shows the end of a longer text.
fn scrolled(shown: &str, text: &str) -> bool {
    let (shown, text) = (letters(shown), letters(text));
    !shown.is_empty() && shown.len() >= KNOWN_BY.min(text.len()) && text.contains(&shown)
}

#[cfg(test)]
mod tests;
