//! The group *sessions*: attach to one, list, end and renew them.
//!
//! Not here: the attached client itself (`tui`), how a server starts or ends (`host`, `server`).

use std::time::{Duration, Instant};

use clap::Args;
use kraal_api::request::Info;
use kraal_api::{Response, Verb};
use kraal_host::dirs::{Dirs, EnvironmentDirs};
use kraal_host::{keeper, socket};
use kraal_tui::app::{self, Ending};

use crate::client::Client;
use crate::failure::{Done, Failure};
use crate::output::{Cell, Output, Paint, clean};
use crate::panes::{absolute, ask_ok, unexpected};
use crate::target::{Standing, Target, standing};

/// How long the programs of a session may take to end.
const END: Duration = Duration::from_secs(20);
/// How long a new server may take.
const RENEW: Duration = Duration::from_secs(20);
/// How long a session in a list may take to answer.
const GLANCE: Duration = Duration::from_millis(500);

/// `kraal attach`.
#[derive(Debug, Args)]
pub(crate) struct Attach {
    /// The workspace to show; made where there is none.
    pub(crate) workspace: Option<String>,
}

/// Shows the session on this terminal until the user leaves.
pub(crate) fn attach(target: &Target, workspace: Option<String>) -> Done {
    refuse_itself(target)?;
    need_terminal()?;
    let ending = show(target, workspace, absolute(None).ok(), None)?;
    tell(target, &ending)
}

/// The client, from the first connection to the end.
pub(crate) fn show(
    target: &Target,
    workspace: Option<String>,
    folder: Option<String>,
    hint: Option<String>,
) -> Result<Ending, Failure> {
    let connection = target.connect_or_start()?;
    let again = target.seen_from_outside();
    let options = app::Options {
        config: crate::config::load(target).0,
        session: target.name.clone(),
        workspace,
        folder,
        reconnect: Box::new(move || again.reconnect().map_err(|failure| anyhow::anyhow!("{failure}"))),
        hint,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Ok(app::run(connection, options)?)
}

fn tell(target: &Target, ending: &Ending) -> Done {
    let name = &target.name;
    let line = match ending {
        Ending::Detached => format!("[detached from session {name}]"),
        Ending::Killed => format!("[session {name} ended]"),
        Ending::Empty => format!("[session {name} ended: its last pane closed]"),
        Ending::Because(why) => return Err(Failure::Failed(why.clone())),
    };
    Output::new(crate::output::Format::Table).line(line)
}

/// A client in a pane of the session it shows would show itself for ever.
fn refuse_itself(target: &Target) -> Done {
    if target.own_pane().is_none() {
        return Ok(());
    }
    let name = &target.name;
    Err(Failure::Failed(format!(
        "this is a pane of session '{name}' already: it cannot show itself; `kraal -s NAME` shows another, ctrl+b opens the menu of this one"
    )))
}

/// Refuses, as a usage error, to draw where nobody looks.
pub(crate) fn need_terminal() -> Done {
    use std::io::IsTerminal as _;
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    Err(Failure::Usage("standard input and output must be a terminal: run it in one".into()))
}

/// A session in the list.
struct Row {
    name: String,
    standing: Standing,
    info: Option<Info>,
}

pub(crate) fn ls(output: &Output) -> Done {
    let dirs = Dirs::from_env()?;
    let mut names = dirs.environments();
    names.extend(keeper::registered(&dirs.keepers()).into_iter().map(|found| found.environment));
    names.sort_unstable();
    names.dedup();
    let rows: Vec<Row> = names.into_iter().filter_map(|name| glance(&dirs, name)).collect();
    if output.is_json() {
        return output.json(&rows.iter().map(as_json).collect::<Vec<_>>());
    }
    if rows.is_empty() {
        return output.line("no sessions: `kraal` starts one");
    }
    let shown: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    output.table(&["SESSION", "", "WORKSPACES", "TABS", "PANES", "TERMINALS", "NEEDS YOU"], &shown)
}

/// What a session says of itself, in a moment; None for leftovers that hold no session.
fn glance(dirs: &Dirs, name: String) -> Option<Row> {
    let files = dirs.environment(&name).ok()?;
    let standing = standing(&files);
    let info = match standing {
        Standing::Live => answers(&files, &name),
        _ => None,
    };
    let saved = std::fs::read_dir(&files.state).is_ok_and(|mut found| {
        found.any(|entry| entry.is_ok_and(|e| e.file_name() != "lock" && e.file_name() != "log"))
    });
    (standing != Standing::Down || saved).then_some(Row { name, standing, info })
}

/// What a session says of itself, in a moment; None where it does not answer.
pub(crate) fn answers(files: &EnvironmentDirs, name: &str) -> Option<Info> {
    let stream = socket::connect(&files.socket).ok()?;
    info(&mut Client::new(stream, name, None), GLANCE).ok()
}

fn info(client: &mut Client, time: Duration) -> Result<Info, Failure> {
    match client.ask_within(&kraal_api::Request::Verb(Verb::Info), Some(time))? {
        Response::Info(info) => Ok(info),
        other => Err(unexpected(&other)),
    }
}

fn word(row: &Row) -> (&'static str, Paint) {
    match (&row.standing, &row.info) {
        (Standing::Live, Some(_)) => ("running", Paint::Green),
        (Standing::Live, None) => ("silent", Paint::Red),
        (Standing::Starting, _) => ("starting", Paint::Yellow),
        (Standing::Halted(_), _) => ("halted", Paint::Red),
        (Standing::Down, _) => ("saved", Paint::Dim),
    }
}

fn cells(row: &Row) -> Vec<Cell> {
    let (said, paint) = word(row);
    let mut cells = vec![row.name.as_str().into(), Cell::new(said, paint)];
    if let Some(info) = &row.info {
        let waiting = if info.waiting > 0 { Paint::Red } else { Paint::Plain };
        cells.extend(
            [info.workspaces, info.tabs, info.panes, info.clients].map(|n| Cell::from(n.to_string())),
        );
        cells.push(Cell::new(info.waiting.to_string(), waiting));
    }
    cells
}

fn as_json(row: &Row) -> serde_json::Value {
    let mut value = serde_json::json!({ "session": row.name, "state": word(row).0 });
    if let Some(info) = &row.info {
        value["info"] = serde_json::to_value(info).unwrap_or_default();
    }
    if let Standing::Halted(reason) = &row.standing {
        value["reason"] = reason.as_str().into();
    }
    value
}

pub(crate) fn kill(target: &Target, output: &Output) -> Done {
    let mut client = target.client()?;
    match client.verb(Verb::Kill) {
        Ok(_) => {}
        // The session may be gone before its answer is.
        Err(failure) if failure.refusal().is_none() && standing(&target.dirs()?) == Standing::Down => {}
        Err(failure) => return Err(failure),
    }
    if !target.await_end(END)? {
        return Err(Failure::Failed(format!("session '{}' does not end: see `kraal doctor`", target.name)));
    }
    if output.is_json() { output.line("{}") } else { Ok(()) }
}

pub(crate) fn restart(target: &Target, output: &Output) -> Done {
    if let Standing::Halted(_) = standing(&target.dirs()?) {
        target.start()?;
        return renewed(target, &info(&mut target.client()?, RENEW)?, output);
    }
    let mut client = target.client()?;
    let before = info(&mut client, RENEW)?;
    client.verb(Verb::Restart)?;
    let deadline = Instant::now() + RENEW;
    while Instant::now() < deadline {
        let now = target.client().and_then(|mut client| info(&mut client, RENEW));
        match now {
            Ok(now) if now.pid != before.pid => return renewed(target, &now, output),
            Err(Failure::NoSession(_)) => {
                return Err(Failure::Failed(format!("session '{}' ended instead: see its log", target.name)));
            }
            // The old server is still saving, or closed the connection in our face.
            Ok(_) | Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    Err(Failure::Failed(format!("no new server of session '{}' came up: see `kraal doctor`", target.name)))
}

fn renewed(target: &Target, now: &Info, output: &Output) -> Done {
    if output.is_json() {
        return output.json(now);
    }
    output.line(format!("session {} runs on {}; its programs never stopped", target.name, clean(&now.app)))
}

/// Reads the configuration again in a running session.
pub(crate) fn reload(target: &Target, output: &Output) -> Done {
    match target.client()?.verb(Verb::ReloadConfig)? {
        Response::ConfigReloaded(problems) if output.is_json() => output.json(&problems),
        Response::ConfigReloaded(problems) => {
            problems.iter().try_for_each(|problem| output.line(clean(problem)))
        }
        other => Err(unexpected(&other)),
    }
}

/// Ends a session that is only ours, as far as it runs at all.
pub(crate) fn end_quietly(target: &Target) {
    let silent = Output::new(crate::output::Format::Table);
    for _ in 0..3 {
        let _ = ask_ok(Verb::Kill, target, &silent);
        // Its server may have been replaced in that moment, and the new one was not told.
        if target.await_end(END / 4).unwrap_or(true) {
            return;
        }
    }
}
