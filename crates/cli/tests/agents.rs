//! The sample agent in a real session: every state, by its screen and by its reports.
//!
//! Not here: the real agents' screens (the catalogue's test), the rules (`agents`).

use std::io::{BufRead as _, BufReader};

use kraal_api::PaneId;
use kraal_testkit::{Sandbox, await_some, await_true};
use serde_json::Value;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

fn row(home: &Sandbox, pane: PaneId) -> Option<Value> {
    let rows = home.json(&["agents", "--json"]);
    rows.as_array()?.iter().find(|row| row["pane"] == pane.0).cloned()
}

fn await_state(home: &Sandbox, pane: PaneId, state: &str) -> Value {
    await_some(&format!("pane {pane} is {state}"), || row(home, pane).filter(|row| row["state"] == state))
}

/// BR-48: nobody is attached.
#[test]
fn a_turn_is_followed_from_prompt_to_end() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus", "--name", "api"], &[]);
    let idle = await_state(&home, pane, "idle");
    assert_eq!(
        (&idle["agent"], &idle["label"], &idle["name"]),
        (&"sample".into(), &"Sample".into(), &"api".into())
    );
    assert_eq!(idle["source"], "screen");

    home.say(pane, "work:1500ms,ask,work:1500ms,done");
    await_state(&home, pane, "working");
    let blocked = await_state(&home, pane, "blocked");
    assert_eq!(blocked["kind"], "permission");
    assert!(home.read(pane).contains("Allow this?"));
    home.ok(&["keys", "-p", "api", "enter"]);
    await_state(&home, pane, "working");
    await_state(&home, pane, "done");

    home.say(pane, "work:300ms,question,done");
    assert_eq!(await_state(&home, pane, "blocked")["kind"], "question");
    home.ok(&["keys", "-p", "api", "esc"]);
    // Whoever dismissed it knows that the turn is over.
    await_state(&home, pane, "idle");
    let explained = home.ok(&["agents", "explain", "api"]);
    assert!(explained.contains("blocked (question)") && explained.contains("screen"), "{explained}");
}

#[test]
fn how_a_turn_ended_is_told() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus"], &[]);
    await_state(&home, pane, "idle");
    for (prompt, state, kind) in [
        ("work:1s,fail", "done", "error"),
        ("work:1s,limit", "blocked", "limit"),
        ("work:1s,login", "blocked", "login"),
    ] {
        home.say(pane, prompt);
        await_some(prompt, || row(&home, pane).filter(|row| row["state"] == state && row["kind"] == kind));
    }
    home.say(pane, "work:60s,done");
    await_state(&home, pane, "working");
    home.ok(&["keys", "-p", &pane.to_string(), "esc"]);
    await_state(&home, pane, "done");
    assert!(home.read(pane).contains("* Interrupted"));
}

#[test]
fn its_own_reports_are_the_better_evidence() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus"], &["--status"]);
    await_state(&home, pane, "idle");
    home.say(pane, "work:2s,ask,done");
    assert_eq!(await_state(&home, pane, "working")["source"], "status");
    let blocked = await_state(&home, pane, "blocked");
    assert_eq!((&blocked["source"], &blocked["kind"]), (&"status".into(), &"permission".into()));
    home.ok(&["keys", "-p", &pane.to_string(), "enter"]);
    await_state(&home, pane, "done");
}

#[test]
fn an_agent_that_ends_is_none_any_more() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus"], &["--scenario", "work:1s,done,prompt,exit:4"]);
    await_state(&home, pane, "done");
    home.say(pane, "bye");
    assert_eq!(home.ok(&["wait", "-p", &pane.to_string(), "--exit"]), "exited, exit 4");
    await_true("no agent is listed", || row(&home, pane).is_none());
}

#[test]
fn words_on_a_screen_make_no_agent() {
    let home = sandbox();
    let words = "* Thinking… (3s · esc to interrupt)";
    let pane = home.run(&[
        "--",
        "sh",
        "-c",
        &format!("printf '\\033]7501;state=working:app=sample\\033\\\\'; echo '{words}'; sleep 60"),
    ]);
    home.await_text(pane, "Thinking");
    assert_eq!(home.json(&["agents", "--json"]), serde_json::json!([]));
}

#[test]
fn changes_are_followed_line_by_line() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus"], &[]);
    await_state(&home, pane, "idle");
    let mut child =
        home.program(env!("CARGO_BIN_EXE_kraal")).args(["agents", "--follow", "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["state"], "idle");
    home.say(pane, "work:1s,done");
    assert_eq!(next()["state"], "working");
    assert_eq!(next()["state"], "done");
    home.ok(&["close", "-p", &pane.to_string()]);
    loop {
        let line = next();
        if line["ended"] == true {
            assert_eq!(line["pane"], pane.0);
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn waiting_for_a_state_ends_when_it_comes() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane =
        home.sample(&["--tab", "--no-focus", "--name", "w"], &["--scenario", "work:1s,ask,work:1s,done"]);
    assert_eq!(home.ok(&["wait", "-p", "w", "--state", "blocked"]), "waiting-for-input");
    home.ok(&["keys", "-p", &pane.to_string(), "enter"]);
    assert_eq!(home.ok(&["wait", "-p", "w", "--state", "done"]), "done");
}

/// A shell script of an agent's name that speaks as Kilo does: what it does is a state, what it tells its
/// user is a notification, and the variable that makes it speak is there.
#[test]
fn an_activity_signal_is_a_state_and_no_notification() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let script = home.work().join("kilo");
    let text = "say() { printf '\\033]777;%s\\007' \"$1\"; }\n\
                echo activity=$KILO_TERMINAL_ACTIVITY\n\
                while read word; do case $word in\n\
                tell) say 'notify;Kilo;told' ;;\n\
                *) say \"kilo;activity;1;$word;12\" ;;\n\
                esac; done\n";
    std::fs::write(&script, text).unwrap();
    let mut child = home.program(env!("CARGO_BIN_EXE_kraal")).args(["events", "--json"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let pane = home.run(&["--tab", "--no-focus", "--", "sh", script.to_str().unwrap()]);
    home.await_text(pane, "activity=1");
    for (word, state) in [("busy", "working"), ("waiting", "blocked"), ("busy", "working"), ("done", "done")]
    {
        home.say(pane, word);
        assert_eq!(await_state(&home, pane, state)["source"], "signal", "{word}");
    }
    home.say(pane, "tell");
    let told = lines.find_map(|line| {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = event.to_string();
        assert!(!text.contains("kilo;activity"), "{text}");
        text.contains("notification").then_some(text)
    });
    assert!(told.is_some_and(|text| text.contains("told")));
    child.kill().unwrap();
    child.wait().unwrap();

    // A value of one's own stays.
    let flags = ["--tab", "--no-focus", "--env", "KILO_TERMINAL_ACTIVITY=0", "--", "sh"];
    let own = home.run(&[flags.as_slice(), &[script.to_str().unwrap()]].concat());
    home.await_text(own, "activity=0");
}
