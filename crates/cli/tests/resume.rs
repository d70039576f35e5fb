//! Agents go on with their conversations after a session was stopped, and on Enter; what an agent
//! keeps in its own folder counts.
//!
//! Not here: which command lines are taken up how (`core`, `agents`).

use kraal_api::PaneId;
use kraal_api::model::Phase;
use kraal_testkit::{Sandbox, await_some, await_true};
use serde_json::Value;

fn sandbox() -> Sandbox {
    let mut home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    let folder = home.root().join("home/.sample");
    home.set("SAMPLE_HOME", &folder.display().to_string());
    home.set("KRAAL_HOOK_MS", "5000");
    home
}

fn row(home: &Sandbox, pane: PaneId) -> Option<Value> {
    let rows = home.json(&["agents", "--json"]);
    rows.as_array()?.iter().find(|row| row["pane"] == pane.0).cloned()
}

fn await_row(home: &Sandbox, pane: PaneId, wanted: &[(&str, &str)]) -> Value {
    await_some(&format!("pane {pane} is {wanted:?}"), || {
        row(home, pane).filter(|row| wanted.iter().all(|(key, value)| row[*key] == *value))
    })
}

/// Starts the session again, as a client would.
fn start_again(home: &Sandbox) {
    home.ok(&["kill"]);
    let client = home.attach(&[], 100, 30);
    client.keys(&["ctrl+b", "d"]);
    client.end();
}

/// The conversation that an agent of this process leads.
fn conversation(home: &Sandbox, pane: PaneId) -> String {
    format!("sample-{}", home.pid(pane))
}

#[test]
fn an_agent_goes_on_after_a_stop_and_its_prompt_is_not_sent_again() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus"], &["fix the bug, please"]);
    await_row(&home, pane, &[("state", "done")]);
    let led = conversation(&home, pane);
    start_again(&home);
    home.await_text(pane, &format!("Goes on with {led}."));
    let again = home.pane(pane).expect("it is there");
    assert_eq!(again.phase, Phase::Running);
    assert!(!again.argv.iter().any(|word| word.contains("please")), "{:?}", again.argv);

    // The same on Enter, once it ended.
    home.ok(&["keys", "-p", &pane.to_string(), "ctrl+d"]);
    await_true("it ended", || home.pane(pane).is_some_and(|row| matches!(row.phase, Phase::Exited(_))));
    let client = home.attach(&[], 100, 30);
    client.wait_text("1 sleep");
    home.ok(&["focus", "-p", &pane.to_string()]);
    client.wait_text("Goes on with");
    client.keys(&["enter"]);
    await_true("it runs again", || home.pane(pane).is_some_and(|row| row.phase == Phase::Running));
    await_row(&home, pane, &[("state", "idle")]);
    assert!(home.pane(pane).expect("it is there").argv.contains(&led));
}

#[test]
fn an_agent_typed_into_a_shell_goes_on_and_the_shell_follows() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let client = home.attach(&["api"], 100, 30);
    client.wait_text("$ ");
    client.type_text(&format!("{} __sample-agent 'say hello'\r", env!("CARGO_BIN_EXE_kraal")));
    client.wait_text("* Finished");
    let pane = await_some("the agent is recognised", || {
        let rows = home.json(&["agents", "--json"]);
        rows.as_array()?.iter().find(|row| row["state"] == "idle").and_then(|row| row["pane"].as_u64())
    });
    let pane = PaneId(pane);
    client.keys(&["ctrl+b", "d"]);
    client.end();
    start_again(&home);
    home.await_text(pane, "Goes on with sample-");
    await_row(&home, pane, &[("agent", "sample"), ("state", "idle")]);
    home.ok(&["keys", "-p", &pane.to_string(), "ctrl+d"]);
    await_true("the agent is gone", || row(&home, pane).is_none());
    home.say(pane, "echo a sh''ell");
    home.await_text(pane, "a shell");
    assert!(home.pane(pane).expect("it is there").argv.is_empty());
}

#[test]
fn a_conversation_without_a_transcript_is_not_taken_up() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    // It never got a prompt, so it kept nothing.
    let report = format!("{} hook sample \"$1\"", env!("CARGO_BIN_EXE_kraal"));
    let pane = home.sample(&["--tab", "--no-focus"], &["--hook", &report]);
    await_row(&home, pane, &[("state", "idle"), ("source", "hooks")]);
    start_again(&home);
    let row = await_some("the pane", || home.pane(pane));
    assert_eq!(row.phase, Phase::Waiting);
    assert!(!row.argv.iter().any(|word| word == "--resume"), "{:?}", row.argv);
}

#[test]
fn two_agents_in_one_folder_keep_their_own_conversations() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let panes: Vec<PaneId> =
        ["one", "two"].map(|prompt| home.sample(&["--tab", "--no-focus"], &[prompt])).into();
    let led: Vec<String> = panes
        .iter()
        .map(|pane| {
            await_row(&home, *pane, &[("state", "done")]);
            conversation(&home, *pane)
        })
        .collect();
    start_again(&home);
    for (pane, led) in panes.iter().zip(&led) {
        home.await_text(*pane, &format!("Goes on with {led}."));
    }
}

#[test]
fn the_live_file_tells_what_the_screen_does_not() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus"], &[]);
    await_row(&home, pane, &[("state", "idle")]);
    home.say(pane, "work:60s,done");
    await_row(&home, pane, &[("state", "working"), ("source", "file")]);
    home.kill_server();
    await_row(&home, pane, &[("state", "working"), ("source", "file")]);
    home.ok(&["keys", "-p", &pane.to_string(), "esc"]);
    await_row(&home, pane, &[("state", "done"), ("source", "file")]);
}
