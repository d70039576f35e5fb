//! `kraal prompt` on a real agent, in every situation it may find one in. What the model heard is the truth: a prompt
//! that was said to be given was heard once, one that was refused never, and neither answers a dialog nor is sent
//! along with a draft.
//!
//! Not here: states (`scenario`), typing and reading (`drive`).

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use kraal_api::state::State;

use crate::drive::{Driver, PATIENCE, REST};
use crate::model::{Event, Model, What};

/// What was refused is not heard in this time either.
const SILENCE: Duration = Duration::from_secs(3);

/// Prompts given to a started agent.
pub(crate) struct Prompting<'a> {
    driver: Driver,
    model: &'a Model,
    count: usize,
}

type Situation = fn(&mut Prompting<'_>) -> Result<()>;

const SITUATIONS: &[(&str, Situation)] = &[
    ("just started", |prompting| prompting.just_started()),
    ("at rest", |prompting| prompting.at_rest()),
    ("a dialog open", |prompting| prompting.dialog()),
    ("a draft typed", |prompting| prompting.draft()),
    ("a turn running", |prompting| prompting.running()),
    ("many lines", |prompting| prompting.many_lines()),
    ("a command of its own", |prompting| prompting.command()),
];

impl<'a> Prompting<'a> {
    /// For an agent that was started this moment.
    pub(crate) fn new(driver: Driver, model: &'a Model) -> Self {
        Prompting { driver, model, count: 0 }
    }

    /// Goes through every situation: each with what was wrong, if anything was.
    pub(crate) fn run(mut self) -> Vec<(&'static str, Result<()>)> {
        let mut outcomes = Vec::new();
        for (name, situation) in SITUATIONS {
            let outcome = situation(&mut self).and_then(|()| self.rest());
            let broken = outcome.is_err();
            let outcome = outcome.map_err(|error| {
                let screen = self.driver.screen().unwrap_or_default();
                error.context(format!("{}\n{screen}", self.driver.explain()))
            });
            outcomes.push((*name, outcome));
            if broken && self.recover().is_err() {
                break;
            }
        }
        outcomes
    }

    /// Waits until nothing runs and nothing is asked, and the agent has drawn what the last keys did: one that is busy
    /// takes an Enter for what was typed after it.
    fn rest(&mut self) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let (mut last, mut since) = (String::new(), Instant::now());
        loop {
            let screen = self.driver.screen()?;
            let at_rest = matches!(self.driver.state(), Some(State::Idle | State::Done));
            if screen != last || !at_rest {
                (last, since) = (screen, Instant::now());
            }
            if since.elapsed() > REST {
                return Ok(());
            }
            ensure!(Instant::now() < deadline, "it never came to rest afterwards");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn recover(&mut self) -> Result<()> {
        self.model.open(&format!("p{}", self.count));
        let keys = self.driver.agent.interrupt.clone();
        self.driver.keys(&keys)?;
        self.rest()?;
        self.clear()
    }

    fn clear(&mut self) -> Result<()> {
        let keys = self.driver.agent.clear.clone();
        self.driver.keys(&keys)
    }

    /// A name that nothing else has.
    fn name(&mut self) -> String {
        self.count += 1;
        format!("p{}", self.count)
    }

    fn event(&self, key: &str, what: What) -> Result<Event> {
        let found = self.model.wait(PATIENCE, |event| event.key == key && event.what == what);
        found.with_context(|| format!("the model never saw `{key}` {what:?}"))
    }

    /// Whether kraal said that it was given; and that this is so, not less and not more.
    fn told(&self, given: (bool, String), text: &str) -> Result<(bool, String)> {
        if given.0 {
            let deadline = Instant::now() + PATIENCE;
            while self.model.heard(text) == 0 && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(20));
            }
        } else {
            std::thread::sleep(SILENCE);
        }
        let (heard, expected) = (self.model.heard(text), usize::from(given.0));
        ensure!(
            heard == expected,
            "kraal said ok: {}, the model heard it {heard} times; {}",
            given.0,
            given.1
        );
        Ok(given)
    }

    fn give(&self, text: &str) -> (bool, String) {
        self.driver.prompt(text).join().unwrap_or_else(|_| (false, "the thread ended".to_owned()))
    }

    fn given(&self, text: &str) -> Result<()> {
        let (ok, why) = self.told(self.give(text), text)?;
        ensure!(ok, "it was refused: {why}");
        Ok(())
    }

    fn refused(&self, text: &str) -> Result<()> {
        let (ok, _) = self.told(self.give(text), text)?;
        ensure!(!ok, "it was given");
        Ok(())
    }

    /// It may be refused for a question the agent asks at its start.
    fn just_started(&mut self) -> Result<()> {
        let text = format!("LAB:say {}-first", self.name());
        let (ok, why) = self.told(self.give(&text), &text)?;
        if !ok {
            ensure!(!self.driver.agent.start.is_empty(), "it was refused: {why}");
            self.driver.await_ready()?;
        }
        Ok(())
    }

    fn at_rest(&mut self) -> Result<()> {
        let text = format!("LAB:say {}-rest", self.name());
        self.given(&text)
    }

    fn dialog(&mut self) -> Result<()> {
        let Some(permission) = self.driver.agent.permission.clone() else { return Ok(()) };
        let (name, text) = (self.name(), format!("LAB:say {}-dialog", self.name()));
        let script = self.driver.file("hold.sh").display().to_string();
        self.driver.say(&format!("{} sh {script} {name} ;; LAB:say over", permission.prompt))?;
        self.driver.await_screen(&permission.see)?;
        self.refused(&text)?;
        ensure!(self.driver.screen()?.contains(&permission.see), "the dialog is gone");
        ensure!(!self.driver.file(&format!("{name}.started")).exists(), "the dialog was answered");
        self.driver.keys(&permission.no)?;
        self.rest()?;
        self.clear()
    }

    fn draft(&mut self) -> Result<()> {
        let draft = "half-a draft";
        self.driver.type_in(draft)?;
        let text = format!("LAB:say {}-beside", self.name());
        self.refused(&text)?;
        let screen = self.driver.screen()?;
        ensure!(screen.contains(draft) && !screen.contains(&text), "the draft did not stay as it was");
        ensure!(self.model.heard(draft) == 0, "the draft was sent");
        self.clear()
    }

    fn running(&mut self) -> Result<()> {
        let gate = self.name();
        let (key, text) = (format!("hang {gate}"), format!("LAB:say {gate}-after"));
        self.driver.say(&format!("LAB:{key}"))?;
        self.event(&key, What::Asked)?;
        let giving = self.driver.prompt(&text);
        std::thread::sleep(SILENCE);
        let early = self.model.heard(&text) > 0 || self.driver.screen()?.contains(&text);
        self.model.open(&gate);
        let given = giving.join().unwrap_or_else(|_| (false, "the thread ended".to_owned()));
        ensure!(!early, "it was typed into a running turn");
        let (ok, why) = self.told(given, &text)?;
        ensure!(ok, "it was refused: {why}");
        Ok(())
    }

    fn many_lines(&mut self) -> Result<()> {
        let name = self.name();
        let lines: Vec<String> =
            (1..=52).map(|line| format!("{name} line {line} of a long prompt, with words")).collect();
        let text = format!("LAB:say {name}-long\n{}", lines.join("\n"));
        ensure!(text.len() >= 1_800 && text.len() < 2_400, "{} bytes", text.len());
        self.given(&text)
    }

    fn command(&mut self) -> Result<()> {
        let Some(command) = self.driver.agent.command.clone() else { return Ok(()) };
        let (ok, why) = self.give(&command.text);
        ensure!(ok, "it was refused: {why}");
        self.driver.await_screen(&command.see)?;
        if self.model.heard(&command.text) > 0 {
            bail!("the model heard it");
        }
        self.driver.keys(&command.leave)
    }
}
