//! Screens of ordinary tools in which no agent runs: no agent's rules say that it works or waits there,
//! though many of them show the very words, in a diff, a catalogue file, a log, a pager.
//!
//! `ordinary/screens.txt` holds what real programs drew in a terminal of 80x24, 100x30 and 120x40: git
//! log, diff, rebase and add -p, pagers on this repository's own catalogue and samples, man, vim, cargo at
//! every step, npm, node, pytest, htop, top, apt, docker, debuggers, shells of databases, menus and
//! prompts, each after a line `=== NAME NUMBER SIZE`.

use std::collections::BTreeSet;

use kraal_agents::{Catalog, ScreenShot};
use kraal_api::State;

fn screens() -> Vec<(&'static str, &'static str)> {
    let text = include_str!("ordinary/screens.txt").strip_prefix("=== ").expect("it begins with a name");
    text.split("\n=== ").map(|part| part.split_once('\n').unwrap_or((part, ""))).collect()
}

/// Screens that show an agent's own screen, whole and at the bottom: what is drawn cannot be told from
/// the real thing, the process can (no agent runs there).
const WHOLE: &[&str] = &["samples 1 120x40", "samples less 1 100x30"];

/// Tools that must be among them, with how many screens at least.
const TOOLS: &[(&str, usize)] = &[
    ("git log", 25),
    ("git diff", 15),
    ("vim", 15),
    ("less", 15),
    ("man", 25),
    ("htop", 10),
    ("top", 6),
    ("cargo", 20),
    ("npm", 15),
    ("pytest", 7),
    ("apt", 5),
    ("docker", 4),
];

#[test]
fn ordinary_tools_neither_work_nor_wait() {
    let catalog = Catalog::builtin();
    let (whole, screens): (Vec<_>, Vec<_>) =
        screens().into_iter().partition(|(name, _)| WHOLE.contains(name));
    assert_eq!(whole.len(), WHOLE.len(), "the exceptions are there");
    assert!(screens.len() >= 370, "{} screens", screens.len());
    for (tool, least) in TOOLS {
        let count = screens.iter().filter(|(name, _)| name.starts_with(tool)).count();
        assert!(count >= *least, "{count} screens of {tool}");
    }
    let wrong: Vec<String> = screens.iter().flat_map(|(name, text)| seen_in(&catalog, name, text)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), screens.len(), wrong.join("\n"));
}

/// Which agents' rules say that they work or wait on a screen.
fn seen_in(catalog: &Catalog, name: &str, text: &str) -> Vec<String> {
    let shot = ScreenShot::of_text(text);
    let readings = catalog.iter().filter_map(|agent| Some((agent.name(), agent.read(&shot)?)));
    // An input box alone says nothing: many prompts look like one.
    let wrong = readings.filter(|(_, reading)| reading.state != State::Idle);
    wrong.map(|(agent, is)| format!("{name}: {agent} reads {} by `{}`", is.expected(), is.rule)).collect()
}

/// Screens that quote agents' own.
const QUOTING: &[&str] = &[
    "agents",
    "samples",
    "rg hints",
    "grep",
    "detector",
    "diff",
    "git blame",
    "git diff",
    "less rust",
    "vim 1",
];

/// Last rows of programs at work or that ask, which come near an agent's.
const NEAR: &[&str] = &[
    "Running tests",
    "Running `target/debug/app`",
    "Running 12 tests using 4 workers",
    "Error: cannot find module './x'",
    " Error: listen EADDRINUSE",
    "Do you want to proceed?",
    "Press Enter to continue",
    "Enter to confirm",
    "Esc to cancel",
    "(Esc to cancel)",
    "? Pick a preset: (Use arrow keys)",
    "enter select · esc cancel",
    "Loading… (esc to cancel, 5s)",
    "Downloading (esc to cancel, 12s)",
    "⠋ Building",
    " ⠙ Fetching packages...",
    "⠙ Working (3s)",
    "* Working… (3s)",
    "· Compiling…",
    "• Building (3s)",
    "● Building",
    "■ failed to build",
    "✗ 404 Not found",
    "sudo: permission required",
    "Deploy is awaiting approval",
    "Allow once or always?",
    "Select login method:",
    "Sign in with ChatGPT",
    "1. Provide your own API key or",
    "Not logged in. Run `gh auth login`",
    "Rate limit exceeded, retrying in 5s",
    "Usage limit reached",
    "API Error: 429",
    "Operation cancelled by user",
    "Waiting for approval",
    "  - Update the docs",
    " * Error: bad",
];

/// Whatever row is a program's last, it is no agent's hint.
#[test]
fn no_last_row_of_an_ordinary_tool_works_or_waits() {
    let catalog = Catalog::builtin();
    let ours = |name: &str| QUOTING.iter().chain(WHOLE).any(|quoting| name.starts_with(quoting));
    let screens = screens().into_iter().filter(|(name, _)| !ours(name));
    let rows: BTreeSet<&str> =
        screens.flat_map(|(_, text)| text.lines()).chain(NEAR.iter().copied()).collect();
    assert!(rows.len() >= 3000, "{} rows", rows.len());
    let behind = |row: &&str| seen_in(&catalog, row, &format!("$ run it\nfirst\nsecond\n{row}"));
    let wrong: Vec<String> = rows.iter().flat_map(behind).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
