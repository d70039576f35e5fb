//! The lab: real agents in panes of the real kraal, without a network, in front of a scripted model; what kraal says
//! of them is held against what is true.
//!
//! `cargo xtask lab` is the way in. Not part of the product: nothing here is shipped.

mod agent;
mod drive;
mod install;
mod measure;
mod model;
mod prompting;
mod report;
mod room;
mod scenario;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::agent::Agent;
use crate::drive::{Driver, Setting};
use crate::install::Store;
use crate::model::Model;
use crate::prompting::Prompting;
use crate::scenario::{Run, Scenario};

/// Runs real agents in panes and says how right their states are.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask lab")]
struct Args {
    /// The agents; all of them unless named.
    agents: Vec<String>,
    /// Looks only at the order of states and at those that settle; for the check of the repository. Skips, with a
    /// line, where nothing can be installed. Without agents: those marked for it.
    #[arg(long)]
    check: bool,
    /// Instead of the states: gives each agent prompts by `kraal prompt`, in every situation.
    #[arg(long, conflicts_with_all = ["check", "write"])]
    prompts: bool,
    /// Only with kraal's hooks, or only without; both unless given.
    #[arg(long, value_name = "yes|no")]
    hooks: Option<Hooks>,
    /// Columns and rows of the terminal; may be given more than once.
    #[arg(long, value_name = "COLSxROWS", default_value = "120x40")]
    size: Vec<String>,
    /// Seconds for which each state is held.
    #[arg(long, default_value_t = 4.0)]
    hold: f64,
    /// Writes the figures into this document.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Serves only the scripted model, on this port of loopback.
    #[arg(long, value_name = "PORT")]
    model: Option<u16>,
    /// The kraal to look at.
    #[arg(long, value_name = "FILE", default_value = "kraal")]
    kraal: PathBuf,
    /// Where agents are installed.
    #[arg(long, value_name = "FOLDER", default_value = "target/lab")]
    store: PathBuf,
    /// It runs in the room already, with these agents.
    #[arg(long, hide = true, value_delimiter = ',')]
    inside: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Hooks {
    Yes,
    No,
}

/// One agent in one way.
struct Task<'a> {
    agent: &'a Agent,
    hooks: bool,
    size: (u16, u16),
}

impl Task<'_> {
    fn evidence(&self) -> &'static str {
        if self.hooks { "hooks" } else { "screen" }
    }

    fn columns_and_rows(&self) -> String {
        format!("{}x{}", self.size.0, self.size.1)
    }

    fn title(&self) -> String {
        format!(
            "{} {} {} {}",
            self.agent.title,
            self.agent.version(),
            self.evidence(),
            self.columns_and_rows()
        )
    }

    fn setting<'a>(&self, kraal: &'a Path, store: &'a Store, model: &Model) -> Setting<'a> {
        Setting { kraal, store, port: model.port(), hooks: self.hooks, size: self.size }
    }
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "lab: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn say(text: &str) {
    let mut out = std::io::stdout();
    // A closed pipe is not a fault of what is measured.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn run(args: &Args) -> Result<bool> {
    if let Some(port) = args.model {
        let model = Model::start(port)?;
        say(&format!("the scripted model answers on 127.0.0.1:{}\n", model.port()));
        loop {
            std::thread::park();
        }
    }
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    let store = Store::new(&args.store)?;
    if !args.inside.is_empty() {
        return inside(args, &agent::load(lab, &args.inside)?, &store);
    }
    let mut agents = agent::load(lab, &args.agents)?;
    if args.check && args.agents.is_empty() {
        agents.retain(|agent| agent.ci);
    }
    if let Some(why) = room::obstacle().or_else(install::obstacle) {
        if args.check {
            say(&format!("skipped: the lab can't run here: {why}\n"));
            return Ok(true);
        }
        bail!("the lab can't run here: {why}");
    }
    let mut there = Vec::new();
    for agent in &agents {
        match store.install(agent) {
            Ok(()) => there.push(agent.name.clone()),
            Err(error) => say(&format!("skipped: {} {}: {error:#}\n", agent.title, agent.version())),
        }
    }
    if there.is_empty() {
        return Ok(args.check);
    }
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    words.extend(["--inside".to_owned(), there.join(",")]);
    Ok(room::run(&words)?.success())
}

fn inside(args: &Args, agents: &[Agent], store: &Store) -> Result<bool> {
    let kraal = args.kraal.canonicalize().with_context(|| format!("no kraal at {}", args.kraal.display()))?;
    let sizes = args.size.iter().map(|size| parse_size(size)).collect::<Result<Vec<_>>>()?;
    let hold = if args.check { Duration::from_millis(300) } else { Duration::from_secs_f64(args.hold) };
    let (mut rows, mut well) = (Vec::new(), true);
    for agent in agents {
        if let Some(why) = store.obstacle(agent) {
            say(&format!("skipped: {} {} does not run here: {why}\n", agent.title, agent.version()));
            well &= args.check;
            continue;
        }
        let known = has_hooks(&kraal, &agent.name);
        for hooks in [false, true] {
            if (hooks && !known) || args.hooks.is_some_and(|only| (only == Hooks::Yes) != hooks) {
                continue;
            }
            for size in &sizes {
                let task = Task { agent, hooks, size: *size };
                if args.prompts {
                    let (text, fine) = tell_prompts(&task, prompts(&task, &kraal, store));
                    say(&text);
                    well &= fine;
                    continue;
                }
                let run = take(&task, &kraal, store, hold);
                let (text, row, fine) = tell(&task, run, args.check);
                say(&text);
                rows.extend(row);
                well &= fine;
            }
        }
    }
    if let Some(path) = &args.write {
        let document = std::fs::read_to_string(path)?;
        let merged = report::merge(&document, &rows)
            .with_context(|| format!("{} has no place for the figures", path.display()))?;
        std::fs::write(path, merged)?;
    }
    Ok(well)
}

/// Whether kraal has hooks for an agent: it says so itself.
fn has_hooks(kraal: &Path, name: &str) -> bool {
    let sandbox = kraal_testkit::Sandbox::new(kraal);
    sandbox.kraal(&["integration", "status"]).stdout.split_whitespace().any(|word| word == name)
}

fn parse_size(size: &str) -> Result<(u16, u16)> {
    let parsed = size.split_once('x').and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    parsed.with_context(|| format!("`{size}` is no size; one is 120x40"))
}

/// Runs one agent in one way. What the test kit says by a panic is an error here.
fn take(task: &Task<'_>, kraal: &Path, store: &Store, hold: Duration) -> Result<Run> {
    apart(|| {
        let model = Model::start(0)?;
        let driver = Driver::start(task.agent, &task.setting(kraal, store, &model))?;
        Ok(Scenario::new(driver, &model, hold).run())
    })
}

/// Gives one agent prompts.
fn prompts(task: &Task<'_>, kraal: &Path, store: &Store) -> Result<Vec<(&'static str, Result<()>)>> {
    apart(|| {
        let model = Model::start(0)?;
        let driver = Driver::launch(task.agent, &task.setting(kraal, store, &model))?;
        Ok(Prompting::new(driver, &model).run())
    })
}

fn apart<T: Send>(run: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        scope.spawn(run).join().unwrap_or_else(|_| bail!("the run broke off; why stands above"))
    })
}

/// What is printed of prompts, and whether each went as it should.
fn tell_prompts(task: &Task<'_>, run: Result<Vec<(&'static str, Result<()>)>>) -> (String, bool) {
    let title = task.title();
    let outcomes = match run {
        Ok(outcomes) => outcomes,
        Err(error) => return (format!("{title}: {error:#}\n"), false),
    };
    let well = outcomes.iter().filter(|(_, outcome)| outcome.is_ok()).count();
    let mut text = String::new();
    for (situation, outcome) in &outcomes {
        if let Err(error) = outcome {
            text.push_str(&format!("{title}: FAULT {situation}: {}\n{error}\n", error.root_cause()));
        }
    }
    text.push_str(&format!("{title}: {well} of {} prompts right\n", outcomes.len()));
    (text, well == outcomes.len())
}

/// What is printed of a run, its row, and whether it went as it should.
fn tell(task: &Task<'_>, run: Result<Run>, check: bool) -> (String, Option<String>, bool) {
    let (evidence, size, title) = (task.evidence(), task.columns_and_rows(), task.title());
    let run = match run {
        Ok(run) => run,
        Err(error) => return (format!("{title}: {error:#}\n"), None, false),
    };
    let steps: BTreeMap<_, _> = measure::measure(&run.spans, &run.seen);
    let mut text = if check { String::new() } else { report::lines(&title, &steps) };
    for fault in &run.faults {
        text.push_str(&format!("{title}: FAULT {fault}\n"));
    }
    for (step, why) in &task.agent.without {
        text.push_str(&format!("{title}: without `{step}`: {why}\n"));
    }
    if check && run.faults.is_empty() {
        text.push_str(&format!("{title}: every step in order\n"));
    }
    let row = report::row(&task.agent.title, task.agent.version(), evidence, &size, &report::sum(&steps));
    (text, Some(row), run.faults.is_empty())
}
