//! The lab: real agents in panes of the real kraal, without a network, in front of a scripted model; what kraal says
//! of them is held against what is true.
//!
//! `cargo xtask lab` is the way in. Not part of the product: nothing here is shipped.

mod agent;
mod drive;
mod install;
mod measure;
mod model;
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
    std::thread::scope(|scope| {
        let run = scope.spawn(|| -> Result<Run> {
            let model = Model::start(0)?;
            let setting = Setting { kraal, store, port: model.port(), hooks: task.hooks, size: task.size };
            let driver = Driver::start(task.agent, &setting)?;
            Ok(Scenario::new(driver, &model, hold).run())
        });
        run.join().unwrap_or_else(|_| bail!("the run broke off; why stands above"))
    })
}

/// What is printed of a run, its row, and whether it went as it should.
fn tell(task: &Task<'_>, run: Result<Run>, check: bool) -> (String, Option<String>, bool) {
    let evidence = if task.hooks { "hooks" } else { "screen" };
    let size = format!("{}x{}", task.size.0, task.size.1);
    let title = format!("{} {} {evidence} {size}", task.agent.title, task.agent.version());
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
