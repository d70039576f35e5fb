//! Who runs in a pane and what it is doing: looks at the foreground process after activity, and
//! feeds an agent's detector with what its terminal shows.
//!
//! Never looks while a pane is quiet: a look comes 50, 250 and 1,000 ms after input or output, so a
//! quiet host of any size costs nothing. Not here: the verdict (`agents::Detector`), what follows
//! from it (`core`).

use std::sync::Arc;

use std::mem;

use kraal_agents::{Agent, Catalog, Detector, Evidence, Process, Progress, ScreenShot, StatusReport};
use kraal_api::Verdict;
use kraal_host::process;
use kraal_term::{BlockKind, Notice, ProgramState, ProgramStatus, ProgressState, Terminal};
use rustix::fd::OwnedFd;

use crate::hooks::Followed;

/// When to look after activity, in ms.
const LOOKS: [u64; 3] = [50, 250, 1000];
/// An agent's screen is read this long after its last output, in ms.
const SETTLE: u64 = 60;
/// While output flows, it is read this often, in ms.
const RATE: u64 = 250;

/// A report that came before its program was recognised counts for this long, in ms.
const EARLY: u64 = 5000;

/// What is watched about one pane.
#[derive(Default)]
pub(crate) struct Watch {
    /// Bytes of output since the detector was last told.
    pub(crate) output: u64,
    pub(crate) detector: Option<Detector>,
    /// The process that is the agent, and its command line.
    pub(crate) process: Option<u32>,
    pub(crate) argv: Vec<String>,
    /// An agent that only its hooks tell of.
    pub(crate) followed: Option<Followed>,
    looks: Looks,
    /// When the screen is read next, and no later than when.
    screen: Option<(u64, u64)>,
    pub(crate) foreground: Option<u32>,
    /// The last report and the last OSC of its own of a program that is not recognised yet, and when
    /// they came.
    early: Vec<(Evidence, u64)>,
    /// Whether a command of the shell runs, as last said.
    busy: bool,
}

#[derive(Default)]
struct Looks {
    /// When the burst of looks began, and how many were made.
    burst: Option<(u64, usize)>,
    /// There was activity since the burst began.
    again: bool,
}

/// What there is to look at.
pub(crate) struct Scene<'a> {
    /// Monotonic ms.
    pub(crate) now: u64,
    pub(crate) catalog: &'a Catalog,
    /// The pane's pty and the process that was started in it.
    pub(crate) program: Option<(&'a OwnedFd, u32)>,
    pub(crate) terminal: &'a Terminal,
}

/// What a look found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// An agent is there, or its state changed.
    pub(crate) verdict: Option<(String, String, Verdict)>,
    /// The agent left.
    pub(crate) gone: bool,
    /// How the agent was started.
    pub(crate) run: Option<Run>,
    /// A shell's command began or ended.
    pub(crate) busy: Option<bool>,
    /// The folder of the foreground process.
    pub(crate) cwd: Option<String>,
}

/// How an agent was started.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) agent: String,
    pub(crate) argv: Vec<String>,
    /// The conversation its command line names.
    pub(crate) named: Option<String>,
    /// It is another run than the last that was seen here.
    pub(crate) fresh: bool,
}

impl Watch {
    /// Something was typed, or the program wrote.
    pub(crate) fn activity(&mut self, now: u64) {
        match self.looks.burst {
            None => self.looks.burst = Some((now, 0)),
            Some(_) => self.looks.again = true,
        }
        if self.detector.is_some() && self.output > 0 {
            let latest = self.screen.map_or(now + RATE, |(_, latest)| latest);
            self.screen = Some(((now + SETTLE).min(latest), latest));
        }
    }

    /// The known agents are others now: who runs here is looked at anew, and goes on by the rules of
    /// today.
    pub(crate) fn relearn(&mut self, catalog: &Catalog, now: u64) -> Found {
        if let Some(known) = &self.detector
            && let Some(agent) = catalog.get(known.agent().name())
        {
            self.detector = Some(Detector::restore(agent.clone(), known.save()));
            self.screen = Some((now, now));
        }
        self.foreground = None;
        self.looks.burst = Some((now, 0));
        Found { verdict: self.said(), ..Found::default() }
    }

    /// The screen was typed into.
    pub(crate) fn typed(&mut self, now: u64) -> Option<Found> {
        self.activity(now);
        self.observe(Evidence::Input, now)
    }

    /// When something is due.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        let look = self.looks.burst.and_then(|(at, made)| LOOKS.get(made).map(|after| at + after));
        let screen = self.screen.map(|(at, _)| at);
        let detector = self.detector.as_ref().and_then(Detector::next_deadline);
        [look, screen, detector].into_iter().flatten().min()
    }

    /// Does what is due.
    pub(crate) fn tick(&mut self, scene: &Scene<'_>) -> Vec<Found> {
        let now = scene.now;
        let mut found = Vec::new();
        if let Some((at, made)) = self.looks.burst
            && LOOKS.get(made).is_some_and(|after| at + after <= now)
        {
            let done = made + 1 == LOOKS.len();
            self.looks.burst = if !done {
                Some((at, made + 1))
            } else if mem::take(&mut self.looks.again) {
                Some((now, 0))
            } else {
                None
            };
            found.extend(self.look(scene));
        }
        if self.screen.is_some_and(|(at, _)| at <= now) {
            found.extend(self.read_screen(now, scene.terminal));
        }
        if let Some(detector) = self.detector.as_mut()
            && detector.next_deadline().is_some_and(|at| at <= now)
        {
            let verdict = detector.tick(now);
            found.extend(verdict.map(|v| self.changed(v)));
        }
        found
    }

    /// Looks at who is in the foreground: when due, and when a process of the pane asks something,
    /// since what it may do hangs on whether an agent runs there.
    pub(crate) fn look(&mut self, scene: &Scene<'_>) -> Option<Found> {
        let (master, child) = scene.program?;
        let now = scene.now;
        let group = kraal_host::pty::foreground(master)?;
        let mut found = Found::default();
        let busy = group != child;
        if mem::replace(&mut self.busy, busy) != busy {
            found.busy = Some(busy);
        }
        let same = self.foreground.replace(group) == Some(group);
        if (same && self.detector.is_some()) || self.followed.is_some() {
            found.cwd = cwd_of(group);
            return Some(found);
        }
        let members = process::group(child, group);
        found.cwd = cwd_of(group);
        let processes: Vec<Process> = members.iter().map(|p| as_process(p, scene.catalog)).collect();
        match scene.catalog.recognise_process(&processes) {
            Some((agent, process)) => {
                let who = (process.pid as u32, process.argv.clone());
                if self.goes_on(agent, who.0) {
                    found.run = self.runs_as(agent, who, false);
                } else {
                    let begun = self.begin(agent, who, now);
                    // What it said before it was recognised counts; what somebody said long ago does not.
                    for (said, at) in mem::take(&mut self.early) {
                        if now < at + EARLY {
                            self.observe(said, now);
                        }
                    }
                    let first = self.read_screen(now, scene.terminal);
                    found.verdict = first.and_then(|f| f.verdict).or_else(|| self.said());
                    found.run = begun.run;
                    // The screen is read again once the agent had the time to draw it.
                    self.screen = Some((now + RATE, now + RATE));
                }
            }
            None => {
                if self.detector.take().is_some() {
                    self.process = None;
                    found.gone = true;
                    self.screen = None;
                }
            }
        }
        (found != Found::default()).then_some(found)
    }

    /// Whether the agent that is known goes on in this process: it may have become another, as a
    /// wrapper that gives way to its program does, but not ended.
    fn goes_on(&self, agent: &Agent, pid: u32) -> bool {
        let same = self.detector.as_ref().is_some_and(|known| known.agent().name() == agent.name());
        same && self.process.is_none_or(|old| old == pid || process::look(old).is_some())
    }

    /// A run of this agent begins.
    pub(crate) fn begin(&mut self, agent: &Arc<Agent>, (pid, argv): (u32, Vec<String>), now: u64) -> Found {
        self.detector = Some(match agent.run_kind(&argv) {
            kraal_agents::RunKind::OneShot => Detector::one_shot(agent.clone(), now),
            _ if agent.is_asked(&argv) => Detector::new(agent.clone(), now),
            _ => Detector::unasked(agent.clone(), now),
        });
        let run = self.runs_as(agent, (pid, argv), true);
        Found { verdict: self.said(), run, ..Found::default() }
    }

    fn runs_as(&mut self, agent: &Agent, (pid, argv): (u32, Vec<String>), fresh: bool) -> Option<Run> {
        self.process = Some(pid);
        if !fresh && self.argv == argv {
            return None;
        }
        self.argv.clone_from(&argv);
        let named = agent.conversation_named(&argv);
        Some(Run { agent: agent.name().to_owned(), argv, named, fresh })
    }

    /// The agent that its hooks told of is gone.
    pub(crate) fn left(&mut self) -> Found {
        self.process = None;
        self.screen = None;
        Found { gone: self.detector.take().is_some(), ..Found::default() }
    }

    /// The program of the pane ended, and with it whatever ran in it.
    pub(crate) fn ended(&mut self) -> Found {
        let gone = self.detector.take().is_some();
        *self = Watch::default();
        Found { gone, ..Found::default() }
    }

    /// The user looks at the pane.
    pub(crate) fn seen(&mut self, now: u64) -> Option<Found> {
        let verdict = self.detector.as_mut()?.looked_at(now)?;
        Some(self.changed(verdict))
    }

    /// A notice of the terminal, as evidence.
    pub(crate) fn notice(&mut self, notice: &Notice, now: u64) -> Option<Found> {
        let evidence = evidence_of(notice)?;
        if self.detector.is_none() && speaks(&evidence) {
            self.early.retain(|(old, _)| mem::discriminant(old) != mem::discriminant(&evidence));
            self.early.push((evidence.clone(), now));
        }
        self.observe(evidence, now)
    }

    fn read_screen(&mut self, now: u64, terminal: &Terminal) -> Option<Found> {
        self.screen = None;
        self.detector.as_ref()?;
        let bytes = mem::take(&mut self.output);
        let flowed = if bytes > 0 { self.observe(Evidence::Output { bytes }, now) } else { None };
        self.observe(Evidence::Screen(shot(terminal)), now).or(flowed)
    }

    pub(crate) fn observe(&mut self, evidence: Evidence, now: u64) -> Option<Found> {
        let verdict = self.detector.as_mut()?.observe(evidence, now)?;
        Some(self.changed(verdict))
    }

    /// The agent with its verdict as it stands.
    pub(crate) fn said(&self) -> Option<(String, String, Verdict)> {
        let detector = self.detector.as_ref()?;
        let agent = detector.agent();
        Some((agent.name().to_owned(), agent.label().to_owned(), detector.verdict().clone()))
    }

    fn changed(&self, verdict: Verdict) -> Found {
        let said = self.said().map(|(name, label, _)| (name, label, verdict));
        Found { verdict: said, ..Found::default() }
    }
}

fn cwd_of(pid: u32) -> Option<String> {
    process::cwd(pid).map(|path| path.to_string_lossy().into_owned())
}

pub(crate) fn as_process(p: &process::Process, catalog: &Catalog) -> Process {
    let mut process = Process {
        pid: p.pid as i32,
        comm: p.comm.clone(),
        argv: p.argv.iter().map(|a| a.to_string_lossy().into_owned()).collect(),
        exe: p.exe.as_ref().map(|e| e.to_string_lossy().into_owned()),
        script: None,
    };
    let place = |script: &str| std::fs::canonicalize(p.cwd.clone().unwrap_or_default().join(script)).ok();
    process.script =
        catalog.in_doubt(&process).and_then(place).map(|path| path.to_string_lossy().into_owned());
    process
}

/// A terminal as an agent's rules see it.
pub(crate) fn shot(terminal: &Terminal) -> ScreenShot {
    let cursor = terminal.cursor();
    ScreenShot {
        rows: terminal.screen_lines(),
        cursor: (cursor.x, cursor.y),
        cursor_visible: cursor.visible,
        alternate: terminal.modes().contains(kraal_term::Modes::ALT_SCREEN),
        title: terminal.title().to_owned(),
        progress: terminal.progress().map(|p| progress(Some(p))),
    }
}

fn progress(progress: Option<kraal_term::Progress>) -> Progress {
    match progress.map(|p| (p.state, p.percent)) {
        None => Progress::None,
        Some((ProgressState::Normal, percent)) => Progress::Percent(percent.unwrap_or(0)),
        Some((ProgressState::Error, _)) => Progress::Error,
        Some((ProgressState::Indeterminate, _)) => Progress::Busy,
        Some((ProgressState::Paused, _)) => Progress::Paused,
    }
}

/// What a program says of itself, not of a child of its own.
fn speaks(evidence: &Evidence) -> bool {
    match evidence {
        Evidence::Status(report) => report.id.is_none(),
        Evidence::Signal { .. } => true,
        _ => false,
    }
}

fn evidence_of(notice: &Notice) -> Option<Evidence> {
    Some(match notice {
        Notice::Bell => Evidence::Bell,
        Notice::Title(title) => Evidence::Title(title.clone()),
        Notice::Progress(p) => Evidence::Progress(progress(*p)),
        Notice::ProgramStatus(status) => Evidence::Status(report(status)),
        Notice::Notification { title, body, source, .. } => Evidence::Signal {
            osc: match source {
                kraal_term::NotificationSource::Osc9 => 9,
                kraal_term::NotificationSource::Osc777 => 777,
                kraal_term::NotificationSource::Osc99 => 99,
            },
            payload: if title.is_empty() { body.clone() } else { format!("{title};{body}") },
        },
        Notice::Osc { number, payload } => Evidence::Signal { osc: *number, payload: payload.clone() },
        _ => return None,
    })
}

fn report(status: &ProgramStatus) -> StatusReport {
    let state = match status.state {
        ProgramState::Idle => "idle",
        ProgramState::Working => "working",
        ProgramState::Blocked => "blocked",
        ProgramState::Done => "done",
        ProgramState::Error => "error",
        ProgramState::Clear => "clear",
    };
    let kind = status.kind.as_ref().map(|kind| match kind {
        BlockKind::Permission => "permission".to_owned(),
        BlockKind::Question => "question".to_owned(),
        BlockKind::Auth => "auth".to_owned(),
        BlockKind::Other(word) => word.clone(),
    });
    StatusReport {
        app: status.app.clone(),
        state: state.to_owned(),
        kind,
        msg: status.msg.clone(),
        id: status.id.clone(),
        title: status.title.clone(),
    }
}
