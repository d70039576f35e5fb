//! `kraal prompt` in a real session: into a ready agent, never into a dialog or beside a draft, never
//! twice, and told only on evidence.
//!
//! Not here: the order of looks (`agents`), the real agents.

use kraal_api::PaneId;
use kraal_testkit::{Sandbox, await_some, await_true};
use serde_json::Value;

fn sandbox() -> Sandbox {
    let home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    home.run(&["--", "sleep", "600"]);
    home
}

fn state(home: &Sandbox, pane: PaneId, wanted: &str) -> Value {
    await_some(&format!("pane {pane} is {wanted}"), || {
        let rows = home.json(&["agents", "--json"]);
        rows.as_array()?.iter().find(|row| row["pane"] == pane.0 && row["state"] == wanted).cloned()
    })
}

fn refused(home: &Sandbox, pane: PaneId, text: &str, word: &str) {
    let done = home.kraal(&["prompt", "-p", &pane.to_string(), text]);
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains(word) && done.stderr.lines().count() == 1, "{done:?}");
}

fn count(home: &Sandbox, pane: PaneId, text: &str) -> usize {
    let shown = home.ok(&["read", "-p", &pane.to_string(), "--lines", "1000"]);
    shown.lines().filter(|line| line.contains(text)).count()
}

#[test]
fn a_prompt_begins_a_turn_whatever_it_says() {
    let home = sandbox();
    // Just started, hidden, with nobody attached: it waits until the agent is there.
    let pane = home.sample(&["--tab", "--no-focus"], &["--ghost"]);
    let id = pane.to_string();
    for text in ["A != B", "#x and @file", "it's \"quoted\" $HOME `x`", "ünïcode ✓"] {
        home.ok(&["prompt", "-p", &id, text]);
        state(&home, pane, "working");
        assert_eq!(count(&home, pane, &format!("> {text}")), 1);
        home.ok(&["keys", "-p", &id, "esc"]);
        state(&home, pane, "done");
    }
    // Many lines, and what would end the paste too early.
    let long = "a line of a long prompt\n".repeat(90);
    assert!(long.len() > 2_000);
    let done = home.kraal_fed(&["prompt", "-p", &id, "-"], &format!("{long}\u{1b}[201~end"));
    assert_eq!(done.code, Some(0), "{done:?}");
    state(&home, pane, "working");
    home.ok(&["keys", "-p", &id, "esc"]);
    state(&home, pane, "done");
    // A command of the agent's own begins no turn, and is told all the same.
    home.ok(&["prompt", "-p", &id, "/help me"]);
    home.await_text(pane, "That is a command of its own");
    assert_eq!(count(&home, pane, "> /help me"), 1);
}

#[test]
fn an_agent_that_is_deaf_after_a_paste_gets_it_once() {
    let home = sandbox();
    let pane = home.sample(&["--tab", "--no-focus"], &["--deaf", "600"]);
    home.ok(&["prompt", "-p", &pane.to_string(), "work:60s,done"]);
    state(&home, pane, "working");
    assert_eq!(count(&home, pane, "> work:60s"), 1);
}

#[test]
fn nothing_is_typed_into_a_dialog_or_beside_a_draft() {
    let home = sandbox();
    let pane = home.sample(&["--tab", "--no-focus"], &[]);
    let id = pane.to_string();
    home.ok(&["prompt", "-p", &id, "work:100ms,ask,done"]);
    state(&home, pane, "blocked");
    refused(&home, pane, "yes", "nothing was typed");
    assert!(home.read(pane).contains("Allow this?"), "the dialog stands");
    home.ok(&["keys", "-p", &id, "esc"]);
    await_true("the dialog is gone", || !home.read(pane).contains("Allow this?"));

    home.ok(&["send", "-p", &id, "half a sen"]);
    home.await_text(pane, "> half a sen");
    refused(&home, pane, "more", "draft");
    assert!(home.read(pane).contains("> half a sen\n") || home.read(pane).ends_with("> half a sen"));
}

#[test]
fn a_turn_that_runs_is_waited_for() {
    let home = sandbox();
    let pane = home.sample(&["--tab", "--no-focus"], &[]);
    let id = pane.to_string();
    home.ok(&["prompt", "-p", &id, "work:2s,say:first,done"]);
    home.ok(&["prompt", "-p", &id, "work:60s,done"]);
    assert!(home.read(pane).contains("first"), "the first turn ended before the second began");
    state(&home, pane, "working");
}

#[test]
fn without_an_agent_nothing_is_typed() {
    let home = sandbox();
    let cat = home.run(&["--tab", "--no-focus", "--", "cat"]);
    refused(&home, cat, "hello", "no agent runs in pane");
    assert!(!home.read(cat).contains("hello"));
    let pane = home.sample(&["--tab", "--no-focus"], &[]);
    state(&home, pane, "idle");
    home.ok(&["keys", "-p", &pane.to_string(), "ctrl+d"]);
    await_true("it ended", || {
        let rows = home.json(&["agents", "--json"]);
        rows.as_array().is_some_and(Vec::is_empty)
    });
    refused(&home, pane, "hello", "nothing was typed");
    let empty = home.kraal(&["prompt", "-p", &cat.to_string(), "  "]);
    assert_eq!(empty.code, Some(1), "{empty:?}");
}

#[test]
fn prompts_to_one_pane_do_not_mix() {
    let home = sandbox();
    let pane = home.sample(&["--tab", "--no-focus"], &["--deaf", "400"]);
    state(&home, pane, "idle");
    let id = pane.to_string();
    let codes: Vec<Option<i32>> = std::thread::scope(|scope| {
        let one = |text: &'static str| {
            let (home, id) = (&home, id.as_str());
            scope.spawn(move || home.kraal(&["prompt", "-p", id, text]).code)
        };
        let asked = [one("work:60s,say:one"), one("work:60s,say:two")];
        asked.into_iter().map(|one| one.join().expect("it ends")).collect()
    });
    assert!(codes.contains(&Some(0)) && codes.contains(&Some(1)), "{codes:?}");
    assert_eq!(count(&home, pane, "> work:60s"), 1);
}
