//! Plays a scenario on the terminal: draws, waits, reads keys.
//!
//! Not here: the lines (`screen`), the script (`scenario`).

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use serde_json::{Value, json};

use super::hooks::Hooks;
use super::keys::{Key, Keys};
use super::scenario::{How as End, Leave, Scenario, Step, skip_turn};
use super::screen::{Screen, working};

/// How often the working line is looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long an Escape may wait for the rest of a sequence.
const ESCAPE: Duration = Duration::from_millis(30);
/// What stands where nothing is typed.
const GHOST: &str = "Try \"fix the login test\"";
/// How long `--auto` leaves a dialog standing.
const AUTO: Duration = Duration::from_secs(1);

/// The options that shape how it plays.
pub(super) struct How {
    /// Told what happens.
    pub(super) hooks: Hooks,
    /// How long after a paste Enter is not heeded.
    pub(super) deaf: Duration,
    /// A suggestion stands where nothing is typed.
    pub(super) ghost: bool,
    /// OSC 7501 is spoken.
    pub(super) status: bool,
    /// Dialogs answer themselves.
    pub(super) auto: bool,
    /// 2 is twice as fast.
    pub(super) speed: f64,
}

/// Plays the steps, then waits for prompts until the user ends it; gives the exit status.
pub(super) fn play(how: &How, resume: Option<&str>, prompt: &str, steps: Vec<Step>) -> io::Result<u8> {
    let raw = Raw::enter()?;
    let mut player = Player {
        how,
        screen: Screen::new(columns()),
        steps: steps.into(),
        keys: Keys::default(),
        pressed: VecDeque::new(),
        draft: String::new(),
        turn: None,
    };
    player.screen.control("\x1b]2;Sample\x1b\\\x1b[?2004h\x1b[?25l");
    player.screen.line("Sample agent: pretends to work, so that you can see what kraal makes of it.");
    if let Some(id) = resume {
        player.screen.line(&format!("Goes on with {}.", crate::output::clean(id)));
    }
    player.hook("Start", json!({}));
    let code = player.run(prompt);
    player.hook("Exit", json!({}));
    player.screen.control("\r\n\x1b[?25h\x1b[?2004l");
    if how.status {
        player.screen.control("\x1b]7501;state=clear:app=sample\x1b\\");
    }
    let written = player.write();
    drop(raw);
    written?;
    code
}

struct Player<'a> {
    how: &'a How,
    screen: Screen,
    steps: VecDeque<Step>,
    keys: Keys,
    pressed: VecDeque<Key>,
    draft: String,
    /// When the turn that runs began.
    turn: Option<Instant>,
}

/// How something that the user can break off ended.
enum Went {
    On,
    Interrupted,
}

impl Player<'_> {
    fn run(&mut self, prompt: &str) -> io::Result<u8> {
        if self.steps.front().is_some_and(|step| !matches!(step, Step::Prompt | Step::Exit(_))) {
            self.sent(prompt);
        }
        loop {
            let Some(step) = self.steps.pop_front() else {
                let Some(prompt) = self.wait_for_prompt()? else { return Ok(0) };
                if prompt.starts_with('/') {
                    self.screen.paragraph(&format!("> {}", crate::output::clean(&prompt)));
                    self.screen.paragraph("That is a command of its own: no turn.");
                    continue;
                }
                self.sent(&prompt);
                self.steps = Scenario::of_prompt(&prompt).0.into();
                continue;
            };
            let went = match step {
                Step::Work(time) => self.work(time)?,
                Step::Say(text) => {
                    self.screen.line(&text);
                    Went::On
                }
                Step::Ask(leave) => self.ask(&leave)?,
                Step::Question => self.question()?,
                Step::End(end) => {
                    self.end(&end)?;
                    Went::On
                }
                Step::Prompt => {
                    let Some(prompt) = self.wait_for_prompt()? else { return Ok(0) };
                    self.sent(&prompt);
                    Went::On
                }
                Step::Exit(code) => return Ok(code),
            };
            if let Went::Interrupted = went {
                skip_turn(&mut self.steps);
                self.screen.paragraph("* Interrupted");
                self.turn = None;
                self.report("done");
            }
            self.write()?;
        }
    }

    fn sent(&mut self, prompt: &str) {
        self.screen.paragraph(&format!("> {}", crate::output::clean(prompt)));
        self.turn = Some(Instant::now());
        self.report("working");
        self.how.hooks.keep(prompt);
        self.hook("Prompt", json!({ "prompt": prompt }));
    }

    fn work(&mut self, time: Duration) -> io::Result<Went> {
        self.report("working");
        let began = *self.turn.get_or_insert_with(Instant::now);
        let until = Instant::now() + time.div_f64(self.how.speed);
        let mut shown = None;
        while Instant::now() < until {
            let seconds = began.elapsed().as_secs();
            if shown != Some(seconds) {
                self.screen.below(&[working(seconds)]);
                shown = Some(seconds);
            }
            let next = TICK.min(until.saturating_duration_since(Instant::now()));
            match self.key(Some(next))? {
                Some(Key::Escape | Key::Ctrl('c')) => return Ok(Went::Interrupted),
                Some(Key::Text(text)) => self.draft.push_str(&text),
                _ => {}
            }
        }
        Ok(Went::On)
    }

    fn ask(&mut self, leave: &Leave) -> io::Result<Went> {
        self.report("blocked:kind=permission");
        self.hook("Asked", json!({ "for": "permission" }));
        let draw = |screen: &Screen, chosen| screen.permission(leave, chosen);
        let Some(chosen) = self.choose(draw)? else { return Ok(Went::Interrupted) };
        self.screen.line(&match (leave, chosen) {
            (Leave::Run(command), 0) => format!("I ran {command}."),
            (Leave::Edit(file), 0) => format!("I changed {file}."),
            (Leave::Run(command), _) => format!("I leave {command} alone."),
            (Leave::Edit(file), _) => format!("I leave {file} as it is."),
        });
        if chosen == 0 {
            self.hook("Answered", json!({}));
        }
        self.report("working");
        Ok(Went::On)
    }

    fn question(&mut self) -> io::Result<Went> {
        self.report("blocked:kind=question");
        self.hook("Asked", json!({ "for": "question" }));
        let Some(chosen) = self.choose(Screen::question)? else { return Ok(Went::Interrupted) };
        self.screen.line(if chosen == 0 { "Green it is." } else { "Blue it is." });
        self.hook("Answered", json!({}));
        self.report("working");
        Ok(Went::On)
    }

    /// Which of two options; None is Esc.
    fn choose(&mut self, draw: impl Fn(&Screen, usize) -> Vec<String>) -> io::Result<Option<usize>> {
        let until = Instant::now() + AUTO.div_f64(self.how.speed);
        let mut chosen = 0;
        loop {
            self.screen.below(&draw(&self.screen, chosen));
            let time = self.how.auto.then(|| until.saturating_duration_since(Instant::now()));
            match self.key(time)? {
                Some(Key::Up) => chosen = 0,
                Some(Key::Down) => chosen = 1,
                Some(Key::Enter) => return Ok(Some(chosen)),
                Some(Key::Text(text)) if text == "1" || text == "2" => {
                    return Ok(Some(usize::from(text == "2")));
                }
                Some(Key::Escape | Key::Ctrl('c')) => return Ok(None),
                None if self.how.auto && Instant::now() >= until => return Ok(Some(0)),
                _ => {}
            }
        }
    }

    fn end(&mut self, end: &End) -> io::Result<()> {
        let seconds = self.turn.take().map_or(0, |began| began.elapsed().as_secs());
        match end {
            End::Done => self.screen.paragraph(&format!("* Finished in {seconds}s")),
            End::Failed(why) => self.screen.paragraph(&format!("* Failed: {}", crate::output::clean(why))),
            End::Limit => self.screen.paragraph("* Usage limit reached · resets 20:00"),
            End::Login => self.screen.paragraph("* Please log in"),
            End::Background(time) => {
                self.screen.paragraph(&format!("* Finished in {seconds}s · 1 task still running"));
                self.report("working");
                self.hook("End", json!({ "background": ["task"] }));
                self.background(*time)?;
                self.screen.paragraph(&format!("* Finished in {seconds}s"));
            }
        }
        self.report(match end {
            End::Done | End::Background(_) => "done",
            End::Failed(_) => "error",
            End::Limit => "blocked",
            End::Login => "blocked:kind=auth",
        });
        match end {
            End::Done | End::Background(_) => self.hook("End", json!({})),
            End::Failed(why) => self.hook("Failed", json!({ "why": why })),
            End::Limit | End::Login => {}
        }
        Ok(())
    }

    /// The prompt stands while something goes on.
    fn background(&mut self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time.div_f64(self.how.speed);
        while Instant::now() < until {
            self.screen.below(&[self.screen.prompt(&self.draft)]);
            if let Some(Key::Text(text)) = self.key(Some(until.saturating_duration_since(Instant::now())))? {
                self.draft.push_str(&text);
            }
        }
        Ok(())
    }

    /// What the user sends; None when the user ends the program.
    fn wait_for_prompt(&mut self) -> io::Result<Option<String>> {
        self.screen.control("\x1b[?25h");
        let mut pasted: Option<Instant> = None;
        loop {
            let shown = if self.draft.is_empty() && self.how.ghost { GHOST } else { &self.draft };
            self.screen.below(&[self.screen.prompt(shown)]);
            match self.key(None)? {
                Some(Key::Enter) if pasted.is_some_and(|at| at.elapsed() < self.how.deaf) => {}
                Some(Key::Text(text)) => {
                    pasted = Some(Instant::now());
                    self.draft.push_str(&text);
                }
                Some(Key::Backspace) => {
                    self.draft.pop();
                }
                Some(Key::Enter) if !self.draft.trim().is_empty() => {
                    self.screen.control("\x1b[?25l");
                    return Ok(Some(std::mem::take(&mut self.draft)));
                }
                Some(Key::Ctrl('c' | 'd')) if self.draft.is_empty() => return Ok(None),
                Some(Key::Ctrl('c' | 'u')) => self.draft.clear(),
                _ => {}
            }
        }
    }

    /// Runs the user's hook, once what was drawn is on the screen.
    fn hook(&mut self, event: &str, detail: Value) {
        // A terminal that cannot be written to is found out by the next that is drawn.
        let _ = self.write();
        self.how.hooks.fire(event, detail);
    }

    /// `OSC 7501`, when it is spoken, and the live file, where one is kept.
    fn report(&mut self, state: &str) {
        self.how.hooks.live(state);
        if self.how.status {
            self.screen.control(&format!("\x1b]7501;state={state}:app=sample\x1b\\"));
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(self.screen.take().as_bytes())?;
        out.flush()
    }

    /// The next key, or None when the time is over first; writes what was drawn.
    fn key(&mut self, time: Option<Duration>) -> io::Result<Option<Key>> {
        self.write()?;
        if let Some(key) = self.pressed.pop_front() {
            return Ok(Some(key));
        }
        let wait = if self.keys.is_waiting() { Some(ESCAPE) } else { time };
        let keys = match self.readable(wait)? {
            true => {
                let mut bytes = [0; 4096];
                let length = rustix::io::read(io::stdin(), &mut bytes)?;
                if length == 0 {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                self.keys.feed(&bytes[..length])
            }
            false => self.keys.settle(),
        };
        self.pressed.extend(keys);
        self.screen.resize(columns());
        Ok(self.pressed.pop_front())
    }

    fn readable(&self, wait: Option<Duration>) -> io::Result<bool> {
        let stdin = io::stdin();
        let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
        let wait = wait
            .map(|time| Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) });
        match poll(&mut fds, wait.as_ref()) {
            Ok(found) => Ok(found > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn columns() -> usize {
    tcgetwinsize(io::stdout()).map_or(80, |size| usize::from(size.ws_col))
}

/// The terminal in raw mode, until dropped.
struct Raw(Termios);

impl Raw {
    fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Raw(before))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
