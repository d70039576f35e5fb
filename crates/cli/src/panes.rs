//! The group *panes*: run, list, type into, read, wait for, focus, name and close panes.
//!
//! Not here: agents (`agents`), what a pane is (`core`).

use std::io::Read as _;
use std::time::Duration;

use clap::Args;
use kraal_api::model::Phase;
use kraal_api::panes::{
    AtEnd, Attention, OnPane, Opened, Opening, PaneRow, Place, Prompt, ReadPane, Rename, Run, SendKeys,
    SendText, Until, WaitPane,
};
use kraal_api::{PaneRef, Request, Response, State, Verb};

use crate::failure::{Done, Failure};
use crate::output::{Cell, Output, Paint, clean, folder};
use crate::target::Target;

/// A pane, named with `-p`.
#[derive(Debug, Args)]
pub(crate) struct PaneArg {
    /// The pane: its id, its name, or workspace:name [default: this pane].
    #[arg(short, long)]
    pane: Option<String>,
}

/// A pane, named with `-p` or plainly.
#[derive(Debug, Args)]
pub(crate) struct OnePane {
    #[command(flatten)]
    by: PaneArg,
    /// The same, without -p.
    #[arg(value_name = "PANE", conflicts_with = "pane")]
    word: Option<String>,
}

impl OnePane {
    pub(crate) fn find(&self, target: &Target) -> Result<PaneRef, Failure> {
        target.pane(self.by.pane.as_deref().or(self.word.as_deref()))
    }
}

/// Where a new pane opens.
#[derive(Debug, Args)]
#[group(id = "place", multiple = false)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "six flags of a command line, of which at most one is given"
)]
struct PlaceArgs {
    /// To the right of the pane it opens from.
    #[arg(long)]
    right: bool,
    /// Below the pane it opens from.
    #[arg(long)]
    down: bool,
    /// Over the tiled panes.
    #[arg(long)]
    floating: bool,
    /// In a tab of its own.
    #[arg(long)]
    tab: bool,
    /// Instead of the pane it opens from, whose program has ended.
    #[arg(long)]
    here: bool,
}

impl PlaceArgs {
    fn place(&self) -> Place {
        match self {
            PlaceArgs { right: true, .. } => Place::Right,
            PlaceArgs { down: true, .. } => Place::Down,
            PlaceArgs { floating: true, .. } => Place::Floating,
            PlaceArgs { tab: true, .. } => Place::Tab,
            PlaceArgs { here: true, .. } => Place::Here,
            _ => Place::Auto,
        }
    }
}

/// How a new pane opens.
#[derive(Debug, Args)]
pub(crate) struct OpeningArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// A name for the pane.
    #[arg(long, short)]
    name: Option<String>,
    /// The folder to start in [default: this one].
    #[arg(long, value_name = "DIR")]
    cwd: Option<String>,
    /// The workspace to open it in.
    #[arg(long, short)]
    workspace: Option<String>,
    /// The pane to open it from [default: this pane, else the focused one].
    #[arg(long, value_name = "PANE")]
    from: Option<String>,
    /// A variable for its program, besides the session's.
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Leaves the focus where it is.
    #[arg(long)]
    no_focus: bool,
    /// Closes the pane when its program ends.
    #[arg(long)]
    close_on_exit: bool,
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

impl OpeningArgs {
    /// The opening, with folders made absolute.
    pub(crate) fn opening(self, target: &Target) -> Result<Opening, Failure> {
        let from = self.from.as_deref().map(PaneRef::parse).or_else(|| target.own_pane().map(PaneRef::Id));
        Ok(Opening {
            place: self.place.place(),
            from,
            workspace: self.workspace,
            name: self.name,
            cwd: Some(absolute(self.cwd.as_deref())?),
            env: self.env.into_iter().collect(),
            attention: if self.no_focus { Attention::Background } else { Attention::Focus },
            at_end: if self.close_on_exit { AtEnd::Close } else { AtEnd::Auto },
        })
    }
}

/// A folder that exists, absolute; the current one unless given.
pub(crate) fn absolute(folder: Option<&str>) -> Result<String, Failure> {
    let path = match folder {
        Some(folder) => std::fs::canonicalize(folder)
            .map_err(|error| Failure::Failed(format!("the folder {folder} cannot be used: {error}")))?,
        None => std::env::current_dir().map_err(|error| {
            Failure::Failed(format!("the current folder cannot be used: {error}: give --cwd"))
        })?,
    };
    if !path.is_dir() {
        return Err(Failure::Failed(format!("{} is no folder: give one with --cwd", path.display())));
    }
    match path.into_os_string().into_string() {
        Ok(path) => Ok(path),
        Err(path) => {
            Err(Failure::Failed(format!("the folder {} is not UTF-8: choose another", path.display())))
        }
    }
}

/// `kraal run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    opening: OpeningArgs,
    /// The command; your shell unless given.
    #[arg(trailing_var_arg = true, value_name = "CMD")]
    pub(crate) argv: Vec<String>,
}

pub(crate) fn run(args: RunArgs, target: &Target, output: &Output) -> Done {
    let request = Verb::Run(Run { argv: args.argv, opening: args.opening.opening(target)? });
    opened(target.client_or_start()?.verb(request)?, output)
}

/// Prints a new pane's id, alone on its line.
pub(crate) fn opened(response: Response, output: &Output) -> Done {
    let Response::PaneOpened(opened) = response else { return Err(unexpected(&response)) };
    let Opened { pane, .. } = opened;
    if output.is_json() { output.json(&opened) } else { output.line(pane.to_string()) }
}

/// An answer that belongs to another request.
pub(crate) fn unexpected(response: &Response) -> Failure {
    let value = serde_json::to_value(response).unwrap_or_default();
    let name = value.as_str().or_else(|| value.as_object()?.keys().next().map(String::as_str)).unwrap_or("?");
    Failure::Failed(format!("the server answered {name}, which does not fit: `kraal restart` renews it"))
}

/// Asks a verb that answers nothing but that it is done.
pub(crate) fn ask_ok(verb: Verb, target: &Target, output: &Output) -> Done {
    match target.client()?.verb(verb)? {
        Response::Ok if output.is_json() => output.line("{}"),
        Response::Ok => Ok(()),
        other => Err(unexpected(&other)),
    }
}

/// `kraal send`.
#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    #[command(flatten)]
    by: PaneArg,
    /// The text; - reads it from standard input.
    #[arg(required = true, allow_hyphen_values = true, value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn send(args: &SendArgs, target: &Target, output: &Output) -> Done {
    let pane = target.pane(args.by.pane.as_deref())?;
    ask_ok(Verb::SendText(SendText { pane, text: said(&args.text)? }), target, output)
}

/// The words of a command line as one text; `-` is what standard input holds.
fn said(words: &[String]) -> Result<String, Failure> {
    let mut text = words.join(" ");
    if text == "-" {
        text.clear();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| Failure::Failed(format!("standard input cannot be read as text: {error}")))?;
    }
    Ok(text)
}

/// A prompt may wait for a turn to end, and for the next one to begin.
const PROMPT_TIME: std::time::Duration = std::time::Duration::from_secs(90);

/// `kraal prompt`.
#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    #[command(flatten)]
    by: PaneArg,
    /// The prompt; - reads it from standard input.
    #[arg(required = true, allow_hyphen_values = true, value_name = "TEXT")]
    text: Vec<String>,
}

pub(crate) fn prompt(args: &PromptArgs, target: &Target, output: &Output) -> Done {
    let pane = target.pane(args.by.pane.as_deref())?;
    let prompt = Prompt { pane, text: said(&args.text)? };
    let request = Request::Verb(Verb::Prompt(prompt));
    match target.client()?.ask_within(&request, Some(PROMPT_TIME))? {
        answer @ Response::Submitted { .. } if output.is_json() => output.json(&answer),
        Response::Submitted { .. } => Ok(()),
        other => Err(unexpected(&other)),
    }
}

/// `kraal keys`.
#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(flatten)]
    by: PaneArg,
    /// Keys: enter, esc, ctrl+c, shift+tab, up, f5, a …
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<String>,
}

pub(crate) fn keys(args: KeysArgs, target: &Target, output: &Output) -> Done {
    let pane = target.pane(args.by.pane.as_deref())?;
    ask_ok(Verb::SendKeys(SendKeys { pane, keys: args.keys }), target, output)
}

/// `kraal read`.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    pane: OnePane,
    /// With colours and styles.
    #[arg(long)]
    ansi: bool,
    /// The last N lines, scrollback included [default: the screen].
    #[arg(long, short = 'n', value_name = "N")]
    lines: Option<u32>,
}

pub(crate) fn read(args: &ReadArgs, target: &Target, output: &Output) -> Done {
    let request = ReadPane { pane: args.pane.find(target)?, lines: args.lines, ansi: args.ansi };
    match target.client()?.verb(Verb::ReadPane(request))? {
        Response::Screen(text) if output.is_json() => output.json(&text),
        Response::Screen(text) => output.text(&printable(&text)),
        other => Err(unexpected(&other)),
    }
}

/// A pane's text with nothing in it that acts on a terminal but colours and styles.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() && c != '\n' && c != '\t') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let sgr = rest.strip_prefix("\x1b[").and_then(|tail| {
            let end = tail.find(|c: char| !c.is_ascii_digit() && c != ';' && c != ':')?;
            tail[end..].starts_with('m').then_some(2 + end + 1)
        });
        let width = sgr.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        if sgr.is_some() {
            out.push_str(&rest[..width]);
        }
        rest = &rest[width..];
    }
    out.push_str(rest);
    out
}

/// `kraal wait`.
#[derive(Debug, Args)]
pub(crate) struct WaitArgs {
    #[command(flatten)]
    pane: OnePane,
    /// Until its program ends.
    #[arg(long, group = "until")]
    exit: bool,
    /// Until its agent is in this state: working, blocked, done, idle.
    #[arg(long, group = "until", value_parser = state, value_name = "STATE")]
    state: Option<State>,
    /// Until its screen shows this text.
    #[arg(long, group = "until")]
    text: Option<String>,
    /// For this many seconds at most; 0 only asks; at most 1800.
    #[arg(long, default_value_t = kraal_api::messages::WAIT_SECS_DEFAULT, value_name = "SECS")]
    timeout: u64,
}

fn state(word: &str) -> Result<State, String> {
    let states = [State::Working, State::Blocked, State::Done, State::Idle];
    states.into_iter().find(|state| state.word() == word).ok_or_else(|| {
        let near = kraal_api::config::nearest(word, states.iter().map(|state| state.word()));
        near.map_or("use working, blocked, done or idle".into(), |near| format!("did you mean {near}?"))
    })
}

pub(crate) fn wait(args: &WaitArgs, target: &Target, output: &Output) -> Done {
    let until = match (&args.text, args.state, args.exit) {
        (Some(text), _, _) => Until::Text(text.clone()),
        (None, Some(state), _) => Until::State(state),
        (None, None, true) => Until::Exited,
        (None, None, false) => Until::Settled,
    };
    let request = WaitPane { pane: args.pane.find(target)?, until, timeout_secs: Some(args.timeout) };
    let request = Request::Verb(Verb::WaitPane(request));
    let time = Duration::from_secs(args.timeout.saturating_add(30));
    match target.client()?.ask_within(&request, Some(time))? {
        Response::Waited(waited) if output.is_json() => output.json(&waited),
        Response::Waited(waited) => match waited.exit {
            Some(exit) => output.line(format!("{}, {exit}", waited.state.word())),
            None => output.line(waited.state.word()),
        },
        Response::TimedOut => {
            Err(Failure::Failed(format!("it did not come to that within {} s", args.timeout)))
        }
        other => Err(unexpected(&other)),
    }
}

pub(crate) fn list(target: &Target, output: &Output) -> Done {
    let rows = rows(target)?;
    if output.is_json() {
        return output.json(&rows);
    }
    let shown: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    output.table(&["PANE", "NAME", "WORKSPACE", "TAB", "RUNS", "STATE", "BRANCH", "FOLDER"], &shown)
}

fn rows(target: &Target) -> Result<Vec<PaneRow>, Failure> {
    match target.client()?.verb(Verb::Panes)? {
        Response::Panes(rows) => Ok(rows),
        other => Err(unexpected(&other)),
    }
}

fn cells(row: &PaneRow) -> Vec<Cell> {
    let runs = match (&row.agent, row.argv.first()) {
        (Some(agent), _) => agent.clone(),
        (None, Some(program)) => program.rsplit('/').next().unwrap_or(program).to_owned(),
        (None, None) => "shell".to_owned(),
    };
    let state = match (&row.phase, row.state) {
        (Phase::Exited(exit), _) => Cell::new(exit.to_string(), Paint::Dim),
        (Phase::Failed(why), _) => Cell::new(format!("failed: {why}"), Paint::Red),
        (Phase::Waiting, _) => Cell::new("waits for Enter", Paint::Dim),
        (Phase::Starting, _) => Cell::new("starting", Paint::Dim),
        (Phase::Running, Some(state)) => Cell::new(state.word(), Paint::of_state(state)),
        (Phase::Running, None) => "".into(),
    };
    let branch = row.branch.as_ref().map(ToString::to_string).unwrap_or_default();
    let id = if row.focused { Paint::Bold } else { Paint::Plain };
    vec![
        Cell::new(row.pane.to_string(), id),
        row.name.as_deref().unwrap_or_default().into(),
        row.workspace.as_str().into(),
        if row.floating { format!("{} floating", row.tab) } else { row.tab.to_string() }.into(),
        runs.into(),
        state,
        branch.into(),
        folder(&row.cwd).into(),
    ]
}

/// The names of the workspaces of the session, when it runs.
pub(crate) fn workspaces(target: &Target) -> Vec<String> {
    rows(target).map(|rows| rows.into_iter().map(|row| row.workspace).collect()).unwrap_or_default()
}

pub(crate) fn focus(args: &OnePane, target: &Target, output: &Output) -> Done {
    ask_ok(Verb::Focus(OnPane { pane: args.find(target)? }), target, output)
}

pub(crate) fn close(args: &OnePane, target: &Target, output: &Output) -> Done {
    ask_ok(Verb::ClosePane(OnPane { pane: args.find(target)? }), target, output)
}

/// `kraal rename`.
#[derive(Debug, Args)]
pub(crate) struct RenameArgs {
    #[command(flatten)]
    by: PaneArg,
    /// The new name; an empty one takes the name away.
    name: String,
}

pub(crate) fn rename(args: &RenameArgs, target: &Target, output: &Output) -> Done {
    let pane = target.pane(args.by.pane.as_deref())?;
    let name = Some(clean(args.name.trim())).filter(|name| !name.is_empty());
    ask_ok(Verb::Rename(Rename { pane, name }), target, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_come_through() {
        assert_eq!(printable("a\x1b[1;31mb\x1b[m\n\tc"), "a\x1b[1;31mb\x1b[m\n\tc");
        assert_eq!(printable("a\x1b[2Jb\x1b]0;t\x07c\u{9b}31md\re"), "a[2Jb]0;tc31mde");
        assert_eq!(printable("\x1b["), "[");
    }

    #[test]
    fn words_are_checked() {
        assert_eq!(state("blocked"), Ok(State::Blocked));
        assert_eq!(state("bloked"), Err("did you mean blocked?".into()));
        assert_eq!(variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert!(variable("=x").is_err() && variable("x").is_err());
    }

    #[test]
    fn a_folder_is_absolute_or_refused() {
        assert!(absolute(Some(".")).unwrap().starts_with('/'));
        let missing = absolute(Some("/nonexistent/x")).unwrap_err();
        assert!(missing.to_string().contains("/nonexistent/x"), "{missing}");
    }
}
