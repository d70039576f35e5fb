//! `kraal integration`: installs kraal's hooks in agents' own files, takes them out, says how they
//! stand.
//!
//! Not here: what is written (`kraal_agents`), how a file is edited without loss (`host::edit`).

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use kraal_agents::{Agent, Catalog, Edit, Integration, Standing};
use kraal_api::hello::{CallerKind, Hello};
use kraal_api::{Request, Response, Verb};
use kraal_host::dirs::Dirs;
use kraal_host::edit::{self, Change, Copy, Place};
use kraal_host::keeper::registered;
use kraal_host::process;
use serde::Serialize;

use crate::failure::{Done, Failure};
use crate::output::{Cell, Output, Paint};
use crate::target::Target;

mod folders;

/// A settings file that is larger is not touched.
const FILE_MAX: u64 = 4 * 1024 * 1024;
/// Agents that `all` means whether their folder is there or not.
const ALWAYS: &[&str] = &["claude", "codex"];
/// Every agent.
const ALL: &str = "all";

/// `kraal integration`.
#[derive(Debug, Subcommand)]
pub(crate) enum IntegrationCommand {
    /// Adds kraal's hooks to an agent's settings, for exact states.
    Install(Which),
    /// Takes kraal's hooks out again.
    Uninstall(Which),
    /// Says which agents have kraal's hooks.
    Status(Maybe),
}

/// Which agent.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// The agent: claude, codex, opencode… (`kraal integration status` lists them), or all: those that are
    /// used here.
    #[arg(value_name = "AGENT|all")]
    agent: String,
}

/// Which agent, if one.
#[derive(Debug, Args)]
pub(crate) struct Maybe {
    /// The agent [default: all].
    #[arg(value_name = "AGENT|all")]
    agent: Option<String>,
}

/// One agent's standing, for programs.
#[derive(Debug, Serialize)]
struct Row {
    agent: String,
    label: String,
    /// `installed`, `outdated`, `missing`, `unused` (its folder is not there), `off` (installed, and the agent
    /// is told to run no hooks), `unclear`.
    state: &'static str,
    files: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(crate) fn run(command: IntegrationCommand, target: &Target, output: &Output) -> Done {
    let catalog = Catalog::builtin();
    match command {
        IntegrationCommand::Status(which) => {
            status(&chosen(&catalog, which.agent.as_deref().unwrap_or(ALL), Chosen::Every)?, output)
        }
        IntegrationCommand::Install(which) => {
            let agents = chosen(&catalog, &which.agent, Chosen::Used)?;
            for_the_user_only(target)?;
            each(&agents, output, install)
        }
        IntegrationCommand::Uninstall(which) => {
            let agents = chosen(&catalog, &which.agent, Chosen::Every)?;
            for_the_user_only(target)?;
            each(&agents, output, uninstall)
        }
    }
}

/// Whom `all` means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chosen {
    /// Those whose folder is there.
    Used,
    /// Every one with an integration.
    Every,
}

/// An agent and its folder.
struct Integrated<'a> {
    agent: &'a Agent,
    folder: PathBuf,
}

fn chosen<'a>(catalog: &'a Catalog, word: &str, all: Chosen) -> Result<Vec<Integrated<'a>>, Failure> {
    let known = || catalog.iter().filter(|agent| !agent.integrations().is_empty());
    let at = |agent: &'a std::sync::Arc<Agent>| Ok(Integrated { agent, folder: folder_of(agent)? });
    if word == ALL {
        let found: Result<Vec<_>, Failure> = known().map(at).collect();
        let wanted = |one: &Integrated<'_>| {
            all == Chosen::Every || ALWAYS.contains(&one.agent.name()) || one.folder.is_dir()
        };
        return Ok(found?.into_iter().filter(wanted).collect());
    }
    let named =
        |agent: &&std::sync::Arc<Agent>| agent.name() == word || agent.commands().iter().any(|c| c == word);
    if let Some(agent) = known().find(named) {
        return Ok(vec![at(agent)?]);
    }
    let shown = crate::output::clean(word);
    if let Some(agent) = catalog.iter().filter(|agent| !agent.hidden()).find(named) {
        let label = agent.label();
        return Err(Failure::failed(format!(
            "{label} has no hooks that tell its state: it comes from the screen, with nothing to install"
        )));
    }
    let names: Vec<&str> = known().map(|agent| agent.name()).collect();
    let near = kraal_api::config::nearest(word, names.iter().copied());
    let hint = near.map_or(String::new(), |near| format!(": did you mean {near}?"));
    Err(Failure::Usage(format!("no agent '{shown}' has hooks{hint} (known: {}, all)", names.join(", "))))
}

/// The agent's own folder: where its variable says, else in the user's home.
fn folder_of(agent: &Agent) -> Result<PathBuf, Failure> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = agent.home().ok_or_else(|| Failure::failed(format!("{} has no folder", agent.label())))?;
    let config = home.folder().strip_prefix(".config/");
    let named = home.variable().and_then(set);
    let named = named.or_else(|| Some(home.home_variable().and_then(set)?.join(home.folder())));
    let named = named.or_else(|| Some(set("XDG_CONFIG_HOME")?.join(config?)));
    let folder = match named {
        Some(named) => named,
        None => set("HOME").ok_or_else(|| Failure::failed("HOME is not set: set it"))?.join(home.folder()),
    };
    std::path::absolute(folder).map_err(Failure::failed)
}

/// Agents may not change what agents run: who calls from a pane with one is refused. Whose pane this is, the
/// processes above say, whatever session is named and whatever the environment says.
fn for_the_user_only(target: &Target) -> Done {
    let mut client = match keeper_above() {
        // Its server alone knows whether an agent runs there: without an answer nothing is changed.
        Some(above) => above.client()?,
        None if target.own_pane().is_none() => return Ok(()),
        // Without a session nobody says who calls; then nobody's agent runs under it either.
        None => match target.client() {
            Ok(client) => client,
            Err(_) => return Ok(()),
        },
    };
    let hello = Hello { api: 1, name: None, group: None };
    let Response::Hello(answer) = client.ask(&Request::Hello(hello))? else { return Ok(()) };
    let Response::AgentStatuses(rows) = client.verb(Verb::Agents)? else { return Ok(()) };
    let caller = answer.caller;
    let by_agent =
        caller.kind == CallerKind::Unknown || rows.iter().any(|row| Some(row.pane) == caller.terminal);
    match by_agent {
        true => Err(Failure::failed("an agent may not change hooks: run this in a shell of your own")),
        false => Ok(()),
    }
}

/// The session of the pane that this process was started in. A keeper is registered where its own environment
/// says; one with another home keeps other settings, and is nobody here.
fn keeper_above() -> Option<Target> {
    let home = std::env::var_os("HOME");
    let uid = rustix::process::geteuid().as_raw();
    let above = process::ancestors(std::process::id()).into_iter().skip(1);
    above.filter(|who| process::var(who.pid, "HOME") == home).find_map(|who| {
        let dirs = Dirs::from_vars(|name| process::var(who.pid, name), uid).ok()?;
        let known = registered(&dirs.keepers()).into_iter().find(|known| known.keeper == who)?;
        Some(Target::given(&known.environment, dirs, Vec::new()))
    })
}

/// What was done to one file.
struct Did {
    file: PathBuf,
    what: &'static str,
    note: Option<String>,
}

fn each(
    agents: &[Integrated<'_>],
    output: &Output,
    act: fn(&Integrated<'_>) -> Result<Vec<Did>, String>,
) -> Done {
    let mut failed = false;
    let mut rows = Vec::new();
    for one in agents {
        let label = one.agent.label();
        match act(one) {
            Ok(did) => rows.extend(did.into_iter().map(|did| (label, did))),
            Err(why) => {
                failed = true;
                crate::failure::say("kraal", &format!("{label}: {why}"));
            }
        }
    }
    if output.is_json() {
        let shown = |(label, did): &(&str, Did)| serde_json::json!({ "agent": label, "file": did.file, "did": did.what, "note": did.note });
        output.json(&rows.iter().map(shown).collect::<Vec<_>>())?;
    } else {
        for (label, did) in &rows {
            let file = crate::output::clean(&did.file.display().to_string());
            output.line(format!("{label}: {} {file}", did.what))?;
            if let Some(note) = &did.note {
                output.line(format!("{label}: {note}"))?;
            }
        }
    }
    if failed { Err(Failure::Said(1)) } else { Ok(()) }
}

fn lock() -> Result<PathBuf, String> {
    let dirs = kraal_host::dirs::Dirs::from_env().map_err(|error| error.to_string())?;
    Ok(dirs.state.join("integrations.lock"))
}

/// The agent's files, with the events that belong in each, and what is in them.
fn places(one: &Integrated<'_>) -> Result<Vec<(Integration, PathBuf, Option<String>)>, String> {
    let files = one.agent.integrations();
    let paths: Vec<PathBuf> = files.iter().map(|file| one.folder.join(file.file())).collect();
    let texts = paths.iter().map(|path| edit::look(path, FILE_MAX).map_err(|error| said(path, &error)));
    let texts: Vec<Option<String>> = texts.collect::<Result<_, _>>()?;
    let shared = Integration::share_out(files, &texts).map_err(|(at, why)| said(&paths[at], &why))?;
    Ok(shared.into_iter().zip(paths).zip(texts).map(|((file, path), text)| (file, path, text)).collect())
}

fn said(path: &Path, error: &impl std::fmt::Display) -> String {
    format!("{} {error}", path.display())
}

fn install(one: &Integrated<'_>) -> Result<Vec<Did>, String> {
    let lock = lock()?;
    let mut did = Vec::new();
    for (integration, path, _) in places(one)? {
        if !integration.is_wanted() {
            did.extend(take_out(&integration, &path, &lock)?);
            continue;
        }
        let mode = if integration.is_program() { 0o755 } else { 0o600 };
        let place = Place { path: &path, lock: &lock, most: FILE_MAX, mode };
        let missing = folders::missing_above(&path);
        let changed = edit::edit(place, |text, _| {
            Ok(match integration.install(text)? {
                Edit::New(new) => Change::Text(new, copy_at_install(&integration, text)),
                Edit::Same | Edit::Gone => Change::Same,
            })
        });
        let changed =
            changed.map_err(|error: edit::EditError<kraal_agents::LeftAlone>| said(&path, &error))?;
        folders::remember(&lock, &missing)?;
        let what = if changed { "installed in" } else { "is installed already in" };
        did.push(Did { what, file: path, note: integration.note().map(str::to_owned) });
    }
    Ok(did)
}

/// A copy is made of what was there before kraal, and of a file of kraal's that was edited.
fn copy_at_install(integration: &Integration, text: Option<&str>) -> Copy {
    let Some(text) = text else { return Copy::None };
    let wanted = match integration.is_own_file() {
        true => integration.was_edited(text),
        false => integration.standing(Some(text)) == Ok(Standing::Missing),
    };
    if wanted { Copy::Make } else { Copy::None }
}

fn uninstall(one: &Integrated<'_>) -> Result<Vec<Did>, String> {
    let lock = lock()?;
    let mut did = Vec::new();
    for integration in one.agent.integrations() {
        let path = one.folder.join(integration.file());
        did.extend(take_out(&integration, &path, &lock)?);
    }
    if did.is_empty() {
        did.push(Did { what: "is not installed in", file: one.folder.clone(), note: None });
    }
    Ok(did)
}

/// Takes kraal's part out of one file; none where there was nothing to take.
fn take_out(integration: &Integration, path: &Path, lock: &Path) -> Result<Option<Did>, String> {
    if std::fs::symlink_metadata(path).is_err() {
        return Ok(None);
    }
    let place = Place { path, lock, most: FILE_MAX, mode: 0o600 };
    let (mut as_it_was, mut gone) = (false, false);
    let changed = edit::edit(place, |text, backup| {
        let out = integration.uninstall(text)?;
        as_it_was = matches!(&out, Edit::New(new) if Some(new.as_str()) == backup);
        gone = out == Edit::Gone;
        let edited = integration.is_own_file() && text.is_some_and(|text| integration.was_edited(text));
        Ok(match out {
            Edit::Same => Change::Same,
            Edit::New(new) => Change::Text(new, Copy::None),
            Edit::Gone => Change::Gone(if edited { Copy::Make } else { Copy::None }),
        })
    });
    let changed = changed.map_err(|error: edit::EditError<kraal_agents::LeftAlone>| said(path, &error))?;
    if changed && as_it_was {
        // The file is the copy again.
        edit::remove_backup(path).map_err(|error| said(&edit::backup_of(path), &error))?;
    }
    if changed && gone {
        folders::remove_made(lock, path)?;
    }
    Ok(changed.then(|| Did { what: "taken out of", file: path.to_owned(), note: None }))
}

fn status(agents: &[Integrated<'_>], output: &Output) -> Done {
    let rows: Vec<Row> = agents.iter().map(row).collect();
    if output.is_json() {
        return output.json(&rows);
    }
    let paint = |state: &str| match state {
        "installed" => Paint::Green,
        "outdated" | "off" => Paint::Yellow,
        "unclear" => Paint::Red,
        _ => Paint::Dim,
    };
    let cells = |row: &Row| {
        let said = row.problem.clone().unwrap_or_else(|| row.files.join(", "));
        vec![
            row.label.as_str().into(),
            row.agent.as_str().into(),
            Cell::new(row.state, paint(row.state)),
            said.into(),
        ]
    };
    output.table(&["AGENT", "NAME", "HOOKS", "FILE"], &rows.iter().map(cells).collect::<Vec<_>>())
}

fn row(one: &Integrated<'_>) -> Row {
    let mut row = Row {
        agent: one.agent.name().to_owned(),
        label: one.agent.label().to_owned(),
        state: "missing",
        files: Vec::new(),
        problem: None,
    };
    let places = match places(one) {
        Ok(places) => places,
        Err(why) => return Row { state: "unclear", problem: Some(why), ..row },
    };
    let (mut standings, mut off) = (Vec::new(), None);
    for (integration, path, text) in &places {
        let text = text.as_deref();
        let mut standing = match integration.standing(text) {
            Ok(standing) => standing,
            Err(why) => return Row { state: "unclear", problem: Some(said(path, &why)), ..row },
        };
        let edited = text.is_some_and(|text| integration.was_edited(text));
        if edited || (standing != Standing::Missing && !integration.is_wanted()) {
            standing = standing.max(Standing::Outdated);
        }
        if integration.is_wanted() || standing != Standing::Missing {
            row.files.push(path.display().to_string());
            standings.push(standing);
        }
        off = off.or(text.and_then(|text| integration.turned_off_by(text)).map(|key| (path, key.to_owned())));
    }
    row.state = match (standings.iter().min(), standings.iter().max()) {
        (Some(Standing::Installed), Some(Standing::Installed)) => "installed",
        (Some(Standing::Missing), Some(Standing::Missing)) if !one.folder.is_dir() => "unused",
        (Some(Standing::Missing), Some(Standing::Missing)) => "missing",
        _ => "outdated",
    };
    if let Some((path, key)) = off.filter(|_| row.state == "installed") {
        row.state = "off";
        row.problem = Some(format!("{} turns all hooks off: `{key}`", path.display()));
    }
    row
}
