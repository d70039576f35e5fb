//! The program `krad`: the Agents API on the command line, a subcommand a request.
//!
//! Not here: kraal's own verbs (the other program), what a request means (`core`). Requests whose
//! subcommand does not exist yet go with `krad request`.

use std::ffi::OsString;
use std::time::Duration;

use clap::{Parser, Subcommand};
use kraal_api::agents::{AgentFilter, AgentRow, SubscribeAgents};
use kraal_api::hello::{API, Hello, HelloAnswer};
use kraal_api::ids::{Elsewhere, Target as Terminal};
use kraal_api::messages::{Read, WAIT_SECS_DEFAULT, Wait};
use kraal_api::sessions::{CloseSession, CreateSession, SessionRow};
use kraal_api::{PaneId, Request, Response, TabId};
use serde_json::Value;

use crate::client::{Client, Item};
use crate::failure::{Done, Failure, of_clap};
use crate::output::{Cell, Format, Output, Paint, clean};
use crate::panes::unexpected;
use crate::target::Target;

/// The Agents API of kraal, for programs and agents.
#[derive(Debug, Parser)]
#[command(name = "krad", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(
    after_help = "Exit status: 0, 1 refused (code and message on standard error), 2 usage, 3 no such session runs."
)]
struct Krad {
    /// The environment: a kraal session [default: that of this pane, else main].
    #[arg(short, long, global = true, value_name = "NAME")]
    session: Option<String>,
    /// The group a Client acts in.
    #[arg(long, global = true)]
    group: Option<String>,
    /// Prints the exact response: JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Says who calls and what is served.
    Hello,
    /// Lists the agents.
    List,
    /// Lists the agents, and the Workers that were closed.
    ListAll,
    /// Prints agent events as JSON lines.
    Subscribe {
        /// Only in this state; may be given several times.
        #[arg(long, value_name = "STATE", value_parser = word::<kraal_api::agents::TerminalState>)]
        state: Vec<kraal_api::agents::TerminalState>,
        /// Only this terminal.
        #[arg(long)]
        terminal: Option<u64>,
        /// Resumes after this event.
        #[arg(long, requires = "boot")]
        since: Option<u64>,
        /// The boot that --since counts in.
        #[arg(long, requires = "since")]
        boot: Option<String>,
    },
    /// Waits until a terminal stops working.
    Wait {
        /// The terminal: 4, or work:4 for one of another session.
        #[arg(value_parser = terminal)]
        terminal: Terminal,
        /// At most this many seconds; 0 only asks.
        #[arg(long, default_value_t = WAIT_SECS_DEFAULT)]
        timeout: u64,
    },
    /// Prints the last lines of a terminal.
    Read {
        /// The terminal: 4, or work:4 for one of another session.
        #[arg(value_parser = terminal)]
        terminal: Terminal,
        /// How many.
        #[arg(long, short = 'n')]
        lines: Option<u32>,
        /// With colours and styles.
        #[arg(long)]
        ansi: bool,
    },
    /// Lists the sessions (tabs) of the group.
    Sessions,
    /// Opens a session (tab).
    CreateSession {
        /// Its name.
        name: Option<String>,
    },
    /// Closes a session (tab).
    CloseSession {
        /// Its number.
        session: u64,
    },
    /// Sends a request as it is and prints the response as it is.
    Request {
        /// The request: "List" or {"Wait":{"target":4}}
        json: String,
    },
    /// Prints the JSON Schema of every request and response.
    Schema,
}

/// A word as the API writes it.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(Value::from(text)).map_err(|error| error.to_string())
}

fn terminal(text: &str) -> Result<Terminal, String> {
    let number = |digits: &str| {
        digits.parse().map(PaneId).map_err(|_| "write a terminal's number, as 4 or work:4".to_owned())
    };
    match text.rsplit_once(':') {
        Some((environment, digits)) if !environment.is_empty() => Ok(Terminal::Elsewhere(Elsewhere {
            environment: environment.to_owned(),
            terminal: number(digits)?,
        })),
        _ => number(text).map(Terminal::Here),
    }
}

pub(crate) fn run(args: impl IntoIterator<Item = OsString>) -> Done {
    let krad = Krad::try_parse_from(args).map_err(|error| of_clap(&error))?;
    let output = Output::new(if krad.json { Format::Json } else { Format::Table });
    if let Command::Schema = krad.command {
        let schema = serde_json::to_string_pretty(&kraal_api::schema()).expect("a schema has string keys");
        return output.line(schema);
    }
    let mut client = Target::new(krad.session.as_deref()).client()?;
    let mut hello = Hello {
        api: API,
        name: Some(concat!("krad ", env!("CARGO_PKG_VERSION")).to_owned()),
        group: krad.group,
    };
    if let Command::Hello = krad.command {
        return print(client.ask(&Request::Hello(hello))?, &output);
    }
    if hello.group.is_some() {
        client.ask(&Request::Hello(hello.clone()))?;
    }
    match krad.command {
        Command::Request { json } => raw(&mut client, &json, &output),
        Command::Subscribe { state, terminal, since, boot } => {
            let states = (!state.is_empty()).then_some(state);
            let filter = AgentFilter {
                group: hello.group.take(),
                terminal: terminal.map(PaneId),
                states,
                ..AgentFilter::default()
            };
            client.subscribe(&Request::SubscribeAgents(SubscribeAgents { filter, since, boot }))?;
            stream(&mut client, &output)
        }
        command => {
            let (request, time) = request(command, hello.group);
            print(client.ask_within(&request, time)?, &output)
        }
    }
}

/// The request of a plain subcommand, and how long its answer may take.
fn request(command: Command, group: Option<String>) -> (Request, Option<Duration>) {
    let soon = Some(Duration::from_secs(30));
    match command {
        Command::List => (Request::List, soon),
        Command::ListAll => (Request::ListAll, soon),
        Command::Wait { terminal, timeout } => {
            let time = Duration::from_secs(timeout.saturating_add(30));
            (Request::Wait(Wait { target: terminal, timeout_secs: Some(timeout) }), Some(time))
        }
        Command::Read { terminal, lines, ansi } => {
            (Request::Read(Read { target: terminal, lines, ansi: ansi.then_some(true) }), soon)
        }
        Command::Sessions => (Request::Sessions, soon),
        Command::CreateSession { name } => (Request::CreateSession(CreateSession { name, group }), soon),
        Command::CloseSession { session } => {
            (Request::CloseSession(CloseSession { session: TabId(session) }), soon)
        }
        Command::Hello | Command::Subscribe { .. } | Command::Request { .. } | Command::Schema => {
            (Request::List, soon)
        }
    }
}

fn raw(client: &mut Client, json: &str, output: &Output) -> Done {
    let request: Value = serde_json::from_str(json)
        .or_else(|error| {
            // A bare name is what people type.
            let name = json.chars().all(|c| c.is_ascii_alphanumeric()) && !json.is_empty();
            if name { Ok(Value::from(json)) } else { Err(error) }
        })
        .map_err(|error| Failure::Usage(format!("the request is no JSON: {error}")))?;
    if request.get("SubscribeAgents").is_some() || request.pointer("/Verb/Events").is_some() {
        client.subscribe_raw(&request)?;
        return stream(client, output);
    }
    output.json(&client.ask_raw(&request, None)?)
}

fn stream(client: &mut Client, output: &Output) -> Done {
    while let Item::Event(event) = client.next()? {
        output.json(&event)?;
    }
    Ok(())
}

/// The exact response for programs, a table for people.
fn print(response: Response, output: &Output) -> Done {
    if output.is_json() {
        return output.json(&response);
    }
    match response {
        Response::Hello(answer) => hello(&answer, output),
        Response::Agents(rows) => agents(&rows, output),
        Response::Settled(settled) => output.line(settled.state.word()),
        Response::TimedOut => output.line("timed out"),
        Response::Screen(text) => output.text(&crate::panes::printable(&text)),
        Response::Sessions(rows) => sessions(&rows, output),
        Response::SessionCreated { session } | Response::SessionClosed { session } => {
            output.line(session.to_string())
        }
        other => Err(unexpected(&other)),
    }
}

fn hello(answer: &HelloAnswer, output: &Output) -> Done {
    let caller = serde_json::to_value(answer.caller.kind).unwrap_or_default();
    output.line(clean(&format!(
        "{} · session {} · {}",
        answer.app,
        answer.environment,
        caller.as_str().unwrap_or("?")
    )))?;
    output.line(clean(&format!("serves {}", answer.requests.join(", "))))
}

fn agents(rows: &[AgentRow], output: &Output) -> Done {
    let shown: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let own = if row.is_self { Paint::Bold } else { Paint::Plain };
            vec![
                Cell::new(row.terminal.to_string(), own),
                row.title.as_str().into(),
                row.group.as_deref().unwrap_or_default().into(),
                row.harness.as_deref().unwrap_or_default().into(),
                row.state.word().into(),
                row.environment.as_deref().unwrap_or_default().into(),
            ]
        })
        .collect();
    output.table(&["TERMINAL", "TITLE", "GROUP", "HARNESS", "STATE", "ENVIRONMENT"], &shown)
}

fn sessions(rows: &[SessionRow], output: &Output) -> Done {
    let shown: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            let terminals: Vec<String> = row.terminals.iter().map(ToString::to_string).collect();
            let own = if row.is_current { Paint::Bold } else { Paint::Plain };
            vec![
                Cell::new(row.session.to_string(), own),
                row.name.as_str().into(),
                row.group.as_str().into(),
                terminals.join(" ").into(),
            ]
        })
        .collect();
    output.table(&["SESSION", "NAME", "GROUP", "TERMINALS"], &shown)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Krad::command().debug_assert();
    }

    #[test]
    fn terminals_of_other_sessions_are_named() {
        assert_eq!(terminal("4"), Ok(Terminal::Here(PaneId(4))));
        let there = Terminal::Elsewhere(Elsewhere { environment: "work".into(), terminal: PaneId(4) });
        assert_eq!(terminal("work:4"), Ok(there));
        for wrong in ["", "x", ":4", "work:", "-1"] {
            assert!(terminal(wrong).is_err(), "{wrong}");
        }
        assert_eq!(word("waiting-for-input"), Ok(kraal_api::agents::TerminalState::WaitingForInput));
        assert!(word::<kraal_api::agents::TerminalState>("blocked").is_err());
    }
}
