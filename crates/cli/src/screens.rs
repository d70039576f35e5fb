//! `kraal agents test`: what an agent's rules make of a saved screen. For writing an agent's file, and
//! for reporting a state that was wrong.
//!
//! Not here: a pane's own state with its history (`kraal agents explain`).

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use kraal_agents::{Agent, Catalog, Reading, ScreenShot};
use kraal_api::{Kind, Source, State};
use kraal_server::{own, saved_screen};
use serde::Serialize;

use crate::failure::{Done, Failure};
use crate::output::{Cell, Output, Paint, clean};
use crate::target::Target;

/// A recording that is longer is none of one screen.
const LONGEST: u64 = 16 << 20;
/// The widest and highest screen that is taken.
const MOST: u16 = 1000;

/// `kraal agents test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// The agent's name, a command of it, or a file such as ./mine.toml.
    #[arg(value_name = "AGENT|FILE")]
    agent: String,
    /// The window's title at that moment.
    #[arg(long)]
    title: Option<String>,
    /// The screen's size; without, as large as the text.
    #[arg(long, value_name = "COLSxROWS", value_parser = size)]
    size: Option<(u16, u16)>,
}

/// What the rules say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Told {
    agent: String,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<Kind>,
    /// Whether any rule knows this screen.
    certain: bool,
    source: Source,
    rule: Option<String>,
    /// The rows it rests on.
    evidence: Vec<String>,
    /// What is typed in the agent's input box, where one is shown.
    input: Option<String>,
}

pub(crate) fn run(args: &TestArgs, target: &Target, output: &Output) -> Done {
    let agent = agent(&args.agent, target)?;
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Failed(format!("standard input cannot be read: {error}")))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Failure::Failed("standard input has more than 16 MiB: give it one screen".into()));
    }
    let told = told(&agent, &shot(&bytes, args));
    if output.is_json() { output.json(&told) } else { print(&told, output) }
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once('x').and_then(|(cols, rows)| Some((cols.parse().ok()?, rows.parse().ok()?)));
    match parsed {
        Some((cols, rows)) if (1..=MOST).contains(&cols) && (1..=MOST).contains(&rows) => Ok((cols, rows)),
        _ => Err(format!("columns and rows of 1 to {MOST}, such as 80x24")),
    }
}

fn agent(named: &str, target: &Target) -> Result<Arc<Agent>, Failure> {
    if named.contains('/') || named.ends_with(".toml") {
        let text = own::text(Path::new(named)).map_err(|why| Failure::Failed(format!("{named} {why}")))?;
        return Catalog::read_file(named, &text)
            .map(Arc::new)
            .map_err(|problem| Failure::Failed(clean(&problem.to_string())));
    }
    let (catalog, _) = own::catalog(&target.roots().map(|dirs| own::texts(&dirs)).unwrap_or_default());
    catalog.get(named).cloned().ok_or_else(|| {
        let names: Vec<&str> = catalog.iter().filter(|a| !a.hidden()).map(|agent| agent.name()).collect();
        Failure::Failed(format!(
            "there is no agent {}: known are {}; a file is named with its folder, as ./mine.toml",
            clean(named),
            names.join(", ")
        ))
    })
}

fn shot(bytes: &[u8], args: &TestArgs) -> ScreenShot {
    let seen = saved_screen(bytes, args.size);
    match &args.title {
        Some(title) => ScreenShot { title: title.clone(), ..seen },
        None => seen,
    }
}

fn told(agent: &Agent, shot: &ScreenShot) -> Told {
    let read = agent.read(shot);
    let input = agent.input_box(shot).map(|input| input.text);
    let titled = |reading: &Reading| agent.signal_rules().any(|(id, ..)| id == reading.rule);
    Told {
        agent: agent.name().to_owned(),
        state: read.as_ref().map_or(State::Idle, |reading| reading.state),
        kind: read.as_ref().and_then(|reading| reading.kind),
        certain: read.is_some(),
        source: if read.as_ref().is_some_and(titled) { Source::Signal } else { Source::Screen },
        rule: read.as_ref().map(|reading| reading.rule.clone()),
        evidence: read.map(|reading| reading.lines).unwrap_or_default(),
        input,
    }
}

fn print(told: &Told, output: &Output) -> Done {
    let Some(rule) = &told.rule else {
        return output.line("unknown: no rule fits this screen; a pane would keep the last certain state");
    };
    let mut state = told.state.word().to_owned();
    if let Some(kind) = told.kind {
        state.push_str(&format!(" ({})", kind.word()));
    }
    output.cells(&[Cell::new(state, Paint::of_state(told.state)), format!("by {rule}").into()])?;
    told.evidence.iter().try_for_each(|line| output.line(format!("    {}", clean(line))))?;
    match told.input.as_deref() {
        Some(draft) if !draft.is_empty() => output.line(format!("draft: {}", clean(draft))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_refused() {
        assert_eq!(size("80x24"), Ok((80, 24)));
        for wrong in ["80", "0x24", "80x1001", "x", "80x24x1", "-1x5"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
