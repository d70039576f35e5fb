//! The built-in sample agent: a small program that looks like a coding agent and does nothing. The
//! demo shows it, the end-to-end tests drive it. Its screens are the contract of
//! `crates/agents/catalog/sample.toml`, line by line.
//!
//! Not here: any knowledge of kraal. It speaks to its terminal alone, as a real agent does.

mod hooks;
mod keys;
mod play;
mod scenario;
mod screen;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use serde_json::json;

use scenario::{Scenario, Step};

/// Pretends to be a coding agent.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line, each for itself")]
#[command(name = "kraal __sample-agent", disable_version_flag = true)]
struct SampleArgs {
    /// Reports states to the terminal (OSC 7501).
    #[arg(long)]
    status: bool,
    /// Answers its own dialogs after a second.
    #[arg(long)]
    auto: bool,
    /// What it does: work:2s,say:TEXT,ask:CMD,edit:FILE,question,done,fail:WHY,limit,login,background:2s,prompt,exit:N
    #[arg(long, value_parser = Scenario::parse)]
    scenario: Option<Scenario>,
    /// Heeds no Enter for so many milliseconds after a paste, as some agents do.
    #[arg(long, default_value_t = 0, value_name = "MS")]
    deaf: u64,
    /// Shows a suggestion where nothing is typed.
    #[arg(long)]
    ghost: bool,
    /// Runs this in a shell at each event, the event as `$1` and a payload on its standard input.
    #[arg(long, value_name = "COMMAND")]
    hook: Option<String>,
    /// Makes times this many times as fast.
    #[arg(long, default_value_t = 1.0)]
    speed: f64,
    /// Goes on with a conversation.
    #[arg(long)]
    resume: Option<String>,
    /// Answers one prompt on standard output, and ends.
    #[arg(short)]
    print: bool,
    /// The first prompt.
    prompt: Vec<String>,
}

/// Runs it with the arguments after its name.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let named = std::iter::once(OsString::from("kraal __sample-agent")).chain(args);
    let args = match SampleArgs::try_parse_from(named) {
        Ok(args) => args,
        Err(error) => return crate::failure::report("sample", Err(crate::failure::of_clap(&error))),
    };
    let prompt = args.prompt.join(" ");
    let hooks = hooks::Hooks::new(args.hook, args.resume.as_deref());
    if args.print {
        hooks.fire("Start", json!({}));
        hooks.fire("Prompt", json!({ "prompt": prompt }));
        let said = writeln!(io::stdout(), "I would do this: {prompt}");
        hooks.fire("End", json!({}));
        hooks.fire("Exit", json!({}));
        return if said.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let _ = writeln!(io::stderr(), "sample: it needs a terminal: run it in a pane");
        return ExitCode::from(2);
    }
    let mut steps: Vec<Step> = args.scenario.map(|scenario| scenario.0).unwrap_or_default();
    if steps.is_empty() && !prompt.is_empty() {
        steps = Scenario::of_prompt(&prompt).0;
    }
    let how = play::How {
        hooks,
        deaf: Duration::from_millis(args.deaf),
        ghost: args.ghost,
        status: args.status,
        auto: args.auto,
        speed: args.speed.max(0.001),
    };
    let prompt = if prompt.is_empty() { "Go on".to_owned() } else { prompt };
    match play::play(&how, args.resume.as_deref(), &prompt, steps) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(io::stderr(), "sample: the terminal failed: {error}");
            ExitCode::FAILURE
        }
    }
}
