//! The group *agents*: start one, list them, follow them, explain a state.
//!
//! Not here: how a state is found (the `agents` crate), giving prompts.

use clap::{Args, Subcommand};
use kraal_api::agents::{AgentStatus, Decision, Explain, StartAgent};
use kraal_api::events::Events;
use kraal_api::{Request, Response, Verb};

use crate::client::Item;
use crate::events::follow;
use crate::failure::{Done, Failure};
use crate::output::{Cell, Output, Paint};
use crate::panes::{self, OnePane, OpeningArgs};
use crate::screens::{self, TestArgs};
use crate::target::Target;

/// `kraal agent`.
#[derive(Debug, Args)]
pub(crate) struct AgentArgs {
    /// The agent: claude, codex, opencode …
    agent: String,
    #[command(flatten)]
    opening: OpeningArgs,
    /// Lets it lead.
    #[arg(long)]
    lead: bool,
    /// Arguments for it.
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

pub(crate) fn start(args: AgentArgs, target: &Target, output: &Output) -> Done {
    let opening = args.opening.opening(target)?;
    let request = StartAgent { agent: args.agent, args: args.args, opening, lead: args.lead };
    panes::opened(target.client_or_start()?.verb(Verb::StartAgent(request))?, output)
}

/// `kraal agents`.
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    /// Goes on printing what changes.
    #[arg(long, short)]
    follow: bool,
    #[command(subcommand)]
    command: Option<AgentsCommand>,
}

#[derive(Debug, Subcommand)]
enum AgentsCommand {
    /// Prints the last decisions about an agent's state, with their evidence.
    Explain(OnePane),
    /// Says what an agent's rules make of a saved screen, read from standard input.
    Test(TestArgs),
}

pub(crate) fn run(args: AgentsArgs, target: &Target, output: &Output) -> Done {
    match args.command {
        Some(AgentsCommand::Explain(pane)) => explain(&pane, target, output),
        Some(AgentsCommand::Test(args)) => screens::run(&args, target, output),
        None if args.follow => changes(target, output),
        None => list(target, output),
    }
}

fn statuses(target: &Target) -> Result<Vec<AgentStatus>, Failure> {
    match target.client()?.verb(Verb::Agents)? {
        Response::AgentStatuses(rows) => Ok(rows),
        other => Err(panes::unexpected(&other)),
    }
}

fn list(target: &Target, output: &Output) -> Done {
    let rows = statuses(target)?;
    if output.is_json() {
        return output.json(&rows);
    }
    let shown: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    output.table(&["PANE", "NAME", "WORKSPACE", "AGENT", "STATE", "BRANCH", "SINCE"], &shown)
}

fn cells(row: &AgentStatus) -> Vec<Cell> {
    vec![
        row.pane.to_string().into(),
        row.name.as_deref().unwrap_or_default().into(),
        row.workspace.as_str().into(),
        row.label.as_str().into(),
        state(row),
        row.branch.as_deref().unwrap_or_default().into(),
        Cell::new(row.since.get(11..19).unwrap_or_default(), Paint::Dim),
    ]
}

/// The state with its reason; a doubtful one is dim and has a question mark.
fn state(row: &AgentStatus) -> Cell {
    let mut text = row.state.word().to_owned();
    if let Some(kind) = row.kind {
        text.push_str(&format!(" ({})", kind.word()));
    }
    if row.certain {
        return Cell::new(text, Paint::of_state(row.state));
    }
    text.push('?');
    Cell::new(text, Paint::Dim)
}

/// Prints every agent, then each whose row changed; one JSON object a line for programs, an ended
/// one as `{"pane":12,"ended":true}`.
fn changes(target: &Target, output: &Output) -> Done {
    let mut known: Vec<AgentStatus> = Vec::new();
    let mut print = |rows: Vec<AgentStatus>| -> Done {
        for row in &rows {
            if !known.contains(row) {
                if output.is_json() { output.json(row)? } else { output.cells(&cells(row))? }
            }
        }
        for gone in known.iter().filter(|old| !rows.iter().any(|row| row.pane == old.pane)) {
            if output.is_json() {
                output.json(&serde_json::json!({ "pane": gone.pane, "ended": true }))?;
            } else {
                output.cells(&[
                    gone.pane.to_string().into(),
                    gone.label.as_str().into(),
                    Cell::new("ended", Paint::Dim),
                ])?;
            }
        }
        known = rows;
        Ok(())
    };
    // Subscribed before the first look, so that no change falls between.
    let types = vec!["agent".to_owned(), "pane.renamed".to_owned(), "lost".to_owned()];
    follow(target, Events { types, ..Events::default() }, |step| match step {
        Item::Event(_) | Item::End => print(statuses(target)?),
    })
}

fn explain(pane: &OnePane, target: &Target, output: &Output) -> Done {
    let request = Request::Verb(Verb::Explain(Explain { pane: pane.find(target)? }));
    match target.client()?.ask(&request)? {
        Response::Explained(decisions) if output.is_json() => output.json(&decisions),
        Response::Explained(decisions) if decisions.is_empty() => {
            output.line("nothing was decided yet: no agent was seen in this pane")
        }
        Response::Explained(decisions) => decisions.iter().try_for_each(|decision| told(decision, output)),
        other => Err(panes::unexpected(&other)),
    }
}

fn told(decision: &Decision, output: &Output) -> Done {
    let verdict = &decision.verdict;
    let mut state = verdict.state.word().to_owned();
    if let Some(kind) = verdict.kind {
        state.push_str(&format!(" ({})", kind.word()));
    }
    let paint = if verdict.certain { Paint::of_state(verdict.state) } else { Paint::Dim };
    let source = serde_json::to_value(verdict.source).unwrap_or_default();
    let doubt = if verdict.certain { "" } else { ", in doubt" };
    output.cells(&[
        Cell::new(decision.at.get(11..23).unwrap_or_default(), Paint::Dim),
        Cell::new(state, paint),
        format!("by {} ({}){doubt}", source.as_str().unwrap_or_default(), decision.rule).into(),
    ])?;
    decision.evidence.iter().try_for_each(|line| output.line(format!("    {}", crate::output::clean(line))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kraal_api::{PaneId, Source, State, TabId};

    #[test]
    fn doubt_and_reasons_show() {
        let mut row = AgentStatus {
            pane: PaneId(12),
            name: Some("api".into()),
            workspace: "dev".into(),
            tab: TabId(3),
            agent: "claude".into(),
            label: "Claude Code".into(),
            state: State::Blocked,
            kind: Some(kraal_api::Kind::Permission),
            certain: true,
            source: Source::Hooks,
            since: "2026-11-30T20:15:03.120Z".into(),
            branch: None,
            account: None,
            server: None,
        };
        assert_eq!(state(&row), Cell::new("blocked (permission)", Paint::Red));
        row.certain = false;
        assert_eq!(state(&row), Cell::new("blocked (permission)?", Paint::Dim));
        assert_eq!(cells(&row)[6], Cell::new("20:15:03", Paint::Dim));
    }
}
