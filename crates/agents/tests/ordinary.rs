//! Screens of ordinary tools in which no agent runs: no agent's rules say that it works or waits there,
//! though many of them show the very words, in a diff, a catalogue file, a log, a pager.
//!
//! `ordinary/screens.txt` holds what real programs drew in a terminal of 80x24, 100x30 and 120x40: git
//! log, diff, rebase and add -p, pagers on this repository's own catalogue and samples, man, vim, cargo at
//! every step, npm, node, pytest, htop, top, apt, docker, debuggers, shells of databases, menus and
//! prompts, each after a line `=== NAME NUMBER SIZE`.

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
    let mut wrong = Vec::new();
    for (name, text) in &screens {
        let shot = ScreenShot::of_text(text);
        for agent in catalog.iter() {
            let Some(reading) = agent.read(&shot) else { continue };
            // An input box alone says nothing: many prompts look like one.
            if reading.state != State::Idle {
                wrong.push(format!(
                    "{name}: {} reads {} by `{}`",
                    agent.name(),
                    reading.expected(),
                    reading.rule
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), screens.len(), wrong.join("\n"));
}
