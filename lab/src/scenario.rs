//! What is done with each agent, step by step, and what is true meanwhile. The model's answers are held back until
//! the scenario lets them go, so the truth does not hang on how fast the machine is.
//!
//! Not here: whether kraal said so (`measure`), typing and reading (`drive`).

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use kraal_api::state::State;

use crate::drive::{Driver, PATIENCE};
use crate::measure::{GRACE, LONG_GRACE, Seen, Span, follows, order};
use crate::model::{Event, Model, What};

const QUIET: &[State] = &[State::Idle, State::Done];
const WORKING: &[State] = &[State::Working];
const BLOCKED: &[State] = &[State::Blocked];
/// After an error an agent may be done, or wait for the user to mend it.
const ENDED: &[State] = &[State::Idle, State::Done, State::Blocked];

/// What may be said around a dialog. The model answers at once before and after it, so that work may be over before
/// a screen could show it.
const ASKED: &[&[&[State]]] = &[
    &[QUIET, WORKING, BLOCKED, QUIET],
    &[QUIET, WORKING, BLOCKED, WORKING, QUIET],
    &[QUIET, BLOCKED, QUIET],
    &[QUIET, BLOCKED, WORKING, QUIET],
];

/// How one run went.
pub(crate) struct Run {
    /// The times in which the truth is certain.
    pub(crate) spans: Vec<Span>,
    /// What kraal said.
    pub(crate) seen: Vec<Seen>,
    /// Each step that could not be taken, or whose states came in a wrong order.
    pub(crate) faults: Vec<String>,
}

/// Takes an agent through every step, each state held for at least `hold`.
pub(crate) struct Scenario<'a> {
    driver: Driver,
    model: &'a Model,
    hold: Duration,
    spans: Vec<Span>,
    faults: Vec<String>,
    gates: usize,
}

type Step = fn(&mut Scenario<'_>, &'static str) -> Result<()>;

const STEPS: &[(&str, Step)] = &[
    ("at rest", |scenario, step| scenario.at_rest(step)),
    ("stream", |scenario, step| scenario.turn(step, "stream")),
    ("hang", |scenario, step| scenario.turn(step, "hang")),
    ("think", |scenario, step| scenario.turn(step, "think")),
    ("permission given", |scenario, step| scenario.given(step)),
    ("permission refused", |scenario, step| scenario.refused(step)),
    ("question", |scenario, step| scenario.question(step)),
    ("interrupt", |scenario, step| scenario.interrupted(step)),
    ("error", |scenario, step| scenario.error(step)),
    ("words quoted", |scenario, step| scenario.quoted(step)),
];

impl<'a> Scenario<'a> {
    /// A scenario for a started agent.
    pub(crate) fn new(driver: Driver, model: &'a Model, hold: Duration) -> Self {
        Scenario { driver, model, hold, spans: Vec::new(), faults: Vec::new(), gates: 0 }
    }

    /// Takes every step.
    pub(crate) fn run(mut self) -> Run {
        for (step, take) in STEPS {
            if self.driver.agent.without.contains_key(*step) {
                continue;
            }
            if let Err(error) = take(&mut self, step) {
                let (explained, screen) = (self.driver.explain(), self.driver.screen().unwrap_or_default());
                self.faults.push(format!("{step}: {error:#}\n{explained}{screen}"));
                if let Err(error) = self.recover() {
                    self.faults.push(format!("after {step}: {error:#}"));
                    break;
                }
            }
        }
        Run { spans: self.spans, seen: self.driver.seen(), faults: self.faults }
    }

    /// Leaves whatever a failed step left open.
    fn recover(&mut self) -> Result<()> {
        self.model.open(&format!("g{}", self.gates));
        let keys = self.driver.agent.interrupt.clone();
        self.driver.keys(&keys)?;
        self.until(QUIET);
        self.clear()
    }

    fn clear(&mut self) -> Result<()> {
        let keys = self.driver.agent.clear.clone();
        self.driver.keys(&keys)
    }

    /// Lets time pass: as long as a state is held, and until kraal says one of these or patience ends.
    fn until(&self, want: &[State]) -> Instant {
        let start = Instant::now();
        let right = || self.driver.state().is_some_and(|state| want.contains(&state));
        while start.elapsed() < self.hold || (!right() && start.elapsed() < PATIENCE / 3) {
            std::thread::sleep(Duration::from_millis(10));
        }
        Instant::now()
    }

    fn span(&mut self, step: &'static str, from: Instant, want: &'static [State], grace: Duration) {
        let to = self.until(want);
        if !self.driver.state().is_some_and(|state| want.contains(&state)) {
            let words: Vec<&str> = want.iter().map(|state| state.word()).collect();
            let screen = self.driver.screen().unwrap_or_default();
            self.faults
                .push(format!("{step}: kraal never said {}; the screen:\n{screen}", words.join(" or ")));
        }
        self.spans.push(Span { step, from, to, want, grace, change: true });
    }

    /// Waits for what happens to the request of a turn.
    fn model(&self, key: &str, what: What, round: usize) -> Result<Event> {
        let fits = |event: &Event| event.key == key && event.what == what && event.round == round;
        self.model.wait(PATIENCE, fits).with_context(|| {
            let had: Vec<String> = self
                .model
                .events()
                .iter()
                .filter(|event| event.key == key)
                .map(|event| format!("{:?} {}", event.what, event.round))
                .collect();
            format!("the model never saw `{key}` {what:?} in round {round}; it saw [{}]", had.join(", "))
        })
    }

    fn gate(&mut self) -> String {
        self.gates += 1;
        format!("g{}", self.gates)
    }

    fn ordered(&mut self, step: &str, from: Instant, allowed: &[&[&[State]]]) -> Result<()> {
        let states = order(&self.driver.seen(), from, Instant::now());
        if allowed.iter().any(|groups| follows(&states, groups)) {
            return Ok(());
        }
        let words: Vec<&str> = states.iter().map(|state| state.word()).collect();
        bail!("{step} gave {}", words.join(", "))
    }

    fn at_rest(&mut self, step: &'static str) -> Result<()> {
        let from = Instant::now();
        let to = self.until(QUIET);
        self.spans.push(Span { step, from, to, want: QUIET, grace: GRACE, change: false });
        if self.driver.state().is_none() {
            bail!("kraal knows no agent in the pane");
        }
        if self.driver.seen().iter().any(|seen| seen.state == Some(State::Done)) {
            bail!("it was said to be done before anybody asked it anything");
        }
        Ok(())
    }

    fn turn(&mut self, step: &'static str, word: &str) -> Result<()> {
        let gate = self.gate();
        let key = format!("{word} {gate}");
        let start = self.driver.say(&format!("LAB:{key}"))?;
        let asked = self.model(&key, What::Asked, 0)?;
        self.span(step, asked.at, WORKING, GRACE);
        self.model.open(&gate);
        let answered = self.model(&key, What::Answered, 0)?;
        self.span(step, answered.at, QUIET, GRACE);
        self.ordered(step, start, &[&[QUIET, WORKING, QUIET]])
    }

    /// Has the agent ask leave for a command that runs until it is told to end; the command's name and the start.
    fn ask_leave(&mut self, step: &'static str) -> Result<(String, String, Instant)> {
        let permission = self.driver.agent.permission.clone().context("it never asks leave")?;
        let name = self.gate();
        let script = self.driver.file("hold.sh").display().to_string();
        let prompt = format!("{} sh {script} {name} ;; LAB:say over", permission.prompt);
        let key = prompt.trim_start_matches("LAB:").split(" ;;").next().unwrap_or_default().to_owned();
        let start = self.driver.say(&prompt)?;
        self.model(&key, What::Called, 0)?;
        let asked = self.driver.await_screen(&permission.see)?;
        self.span(step, asked, BLOCKED, GRACE);
        Ok((key, name, start))
    }

    fn given(&mut self, step: &'static str) -> Result<()> {
        let (key, name, start) = self.ask_leave(step)?;
        let keys = self.driver.agent.permission.as_ref().map(|asks| asks.yes.clone()).unwrap_or_default();
        self.driver.keys(&keys)?;
        let started = self.driver.await_file(&format!("{name}.started"))?;
        self.span(step, started, WORKING, GRACE);
        std::fs::write(self.driver.file(&format!("{name}.go")), "")?;
        let answered = self.model(&key, What::Answered, 1)?;
        self.span(step, answered.at, QUIET, GRACE);
        self.ordered(
            step,
            start,
            &[&[QUIET, WORKING, BLOCKED, WORKING, QUIET], &[QUIET, BLOCKED, WORKING, QUIET]],
        )
    }

    fn refused(&mut self, step: &'static str) -> Result<()> {
        let (key, _, start) = self.ask_leave(step)?;
        let keys = self.driver.agent.permission.as_ref().map(|asks| asks.no.clone()).unwrap_or_default();
        self.driver.keys(&keys)?;
        let pressed = Instant::now();
        self.until(QUIET);
        // Some tell the model, which then has the last word.
        let last = self.model.events().into_iter().rfind(|event| event.key == key && event.round > 0);
        let from = last.map_or(pressed, |event| event.at.max(pressed));
        self.span(step, from, QUIET, LONG_GRACE);
        self.ordered(step, start, ASKED)
    }

    fn question(&mut self, step: &'static str) -> Result<()> {
        let Some(question) = self.driver.agent.question.clone() else { return Ok(()) };
        let gate = self.gate();
        let prompt = format!("LAB:ask {gate} ;; LAB:say over");
        let key = format!("ask {gate}");
        let start = self.driver.say(&prompt)?;
        self.model(&key, What::Called, 0)?;
        let asked = self.driver.await_screen(&question.see)?;
        self.span(step, asked, BLOCKED, GRACE);
        self.driver.keys(&question.yes)?;
        let answered = self.model(&key, What::Answered, 1)?;
        self.span(step, answered.at, QUIET, GRACE);
        self.ordered(step, start, ASKED)
    }

    fn interrupted(&mut self, step: &'static str) -> Result<()> {
        let gate = self.gate();
        let key = format!("stream {gate}");
        let start = self.driver.say(&format!("LAB:{key}"))?;
        let asked = self.model(&key, What::Asked, 0)?;
        self.span(step, asked.at, WORKING, GRACE);
        let keys = self.driver.agent.interrupt.clone();
        self.driver.keys(&keys)?;
        let pressed = Instant::now();
        self.span(step, pressed, QUIET, LONG_GRACE);
        self.model.open(&gate);
        self.ordered(step, start, &[&[QUIET, WORKING, QUIET]])?;
        self.clear()
    }

    fn error(&mut self, step: &'static str) -> Result<()> {
        self.driver.say("LAB:error 400")?;
        self.model("error 400", What::Answered, 0)?;
        self.until(ENDED);
        // Some try again: the last try is the end.
        let last = self.model.events().into_iter().rfind(|event| event.key == "error 400");
        let from = last.map_or_else(Instant::now, |event| event.at);
        self.span(step, from, ENDED, LONG_GRACE);
        match self.driver.state() {
            Some(state) if ENDED.contains(&state) => Ok(()),
            other => bail!("an error left it {}", other.map_or("no agent", State::word)),
        }
    }

    fn quoted(&mut self, step: &'static str) -> Result<()> {
        // Typed, a question mark is a key of its own in some; then it is missing from what they send.
        let words = "say Do you want to proceed? esc to interrupt. You've hit your 5-hour limit";
        let start = self.driver.say(&format!("LAB:{words}"))?;
        let said = |event: &Event| event.key.starts_with("say Do you want") && event.what == What::Answered;
        let answered = self.model.wait(PATIENCE, said).context("the model never answered the words")?;
        self.span(step, answered.at, QUIET, GRACE);
        // An answer that comes at once may be over before anybody could see it begin.
        self.ordered(step, start, &[&[QUIET, WORKING, QUIET], &[QUIET]])
    }
}
