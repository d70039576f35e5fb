//! Agents of the user's own with the real binary: seen at once when their file comes, changes or
//! goes, checked by `kraal config check`, tried by `kraal agents test`.
//!
//! Not here: what a file may say (`kraal_agents`).

use std::path::PathBuf;

use kraal_testkit::{Sandbox, await_true};

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

/// An agent whose whole state is a word at the bottom of its screen.
const HELPER: &str = r#"
[agent]
name = "helper"
label = "Helper"

[process]
names = ["helper"]

[[screen]]
id = "busy"
state = "working"
all = ['^BUSY$']
source = "documents"

[[screen]]
id = "asks"
state = "blocked question"
all = ['^SURE\?$']
source = "documents"
"#;

fn folder(home: &Sandbox) -> PathBuf {
    home.root().join("config/kraal/agents")
}

/// As an editor saves: beside it, then in its place.
fn save(home: &Sandbox, text: &str) {
    let beside = folder(home).join(".helper.toml.new");
    std::fs::create_dir_all(folder(home)).expect("a folder");
    std::fs::write(&beside, text).expect("written");
    std::fs::rename(&beside, folder(home).join("helper.toml")).expect("put in place");
}

/// `agent state` of the one agent, or nothing.
fn row(home: &Sandbox) -> Option<String> {
    let rows = home.json(&["agents", "--json"]);
    let row = rows.as_array().expect("a list").first()?;
    Some(format!("{} {}", row["label"].as_str()?, row["state"].as_str()?))
}

#[test]
fn a_file_that_comes_changes_and_goes_is_seen_at_once() {
    let home = sandbox();
    let helper = home.root().join("helper");
    std::fs::copy("/bin/cat", &helper).unwrap();
    let pane = home.run(&["--", helper.to_str().unwrap()]);
    home.say(pane, "BUSY");
    home.await_text(pane, "BUSY");
    assert_eq!(row(&home), None, "nobody knows it");

    save(&home, HELPER);
    await_true("it is known once its file is there", || row(&home).as_deref() == Some("Helper working"));

    save(&home, &HELPER.replace("Helper", "My helper").replace("working", "blocked permission"));
    await_true("the new rules count", || row(&home).as_deref() == Some("My helper blocked"));

    save(&home, &HELPER.replace("state = \"working\"", "state = \"wurking\""));
    let said = |home: &Sandbox| {
        home.info().problems.iter().any(|p| p.contains("helper.toml: ") && p.contains("`wurking`"))
    };
    await_true("a mistake is said", || said(&home));
    await_true("and costs that agent", || row(&home).is_none());

    std::fs::remove_file(folder(&home).join("helper.toml")).unwrap();
    await_true("without the file there is no mistake", || !said(&home));
    save(&home, HELPER);
    await_true("and back it is", || row(&home).as_deref() == Some("Helper working"));
    std::fs::remove_dir_all(folder(&home)).unwrap();
    await_true("the folder goes too", || row(&home).is_none());
}

#[test]
fn mistakes_are_named_with_file_and_line() {
    let home = sandbox();
    save(&home, HELPER);
    assert!(home.ok(&["config", "check"]).ends_with("agents/helper.toml is fine"));
    save(
        &home,
        "[agent]\nname = \"helper\"\nlabel = \"Helper\"\nlable = 1\n[process]\nnames = [\"helper\"]\n",
    );
    let done = home.kraal(&["config", "check"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stdout.contains("agents/helper.toml:4: unknown field `lable`"), "{done:?}");
    let file = folder(&home).join("helper.toml");
    let done = home.kraal(&["config", "check", "--json", file.to_str().unwrap()]);
    let wrong: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((wrong[0]["line"].as_u64(), wrong.as_array().unwrap().len()), (Some(4), 1), "{wrong}");
    assert!(home.kraal(&["doctor"]).stdout.contains("unknown field `lable`"));
}

#[test]
fn a_saved_screen_is_tried_against_the_rules() {
    let home = sandbox();
    let test = |args: &[&str], screen: &str| {
        let done = home.kraal_fed(&[&["agents", "test", "--json"], args].concat(), screen);
        assert_eq!(done.code, Some(0), "{done:?}");
        serde_json::from_str::<serde_json::Value>(&done.stdout).unwrap()
    };
    save(&home, HELPER);
    let told = test(&["helper"], "one\nSURE?\n");
    assert_eq!(
        told,
        serde_json::json!({
            "agent": "helper", "state": "blocked", "kind": "question", "certain": true, "source": "screen",
            "rule": "asks", "evidence": ["SURE?"], "input": null,
        })
    );
    let told = test(&[folder(&home).join("helper.toml").to_str().unwrap()], "\x1b[31mBUSY\x1b[m");
    assert_eq!((&told["state"], &told["rule"]), (&"working".into(), &"busy".into()));
    let told = test(&["helper", "--size", "80x24"], "nothing that it knows");
    assert_eq!(
        (&told["state"], &told["certain"], &told["rule"]),
        (&"idle".into(), &false.into(), &().into())
    );

    let done = home.kraal_fed(&["agents", "test", "nobody"], "");
    assert_eq!(done.code, Some(1));
    assert!(
        done.stderr.contains("there is no agent nobody: known are ") && done.stderr.contains("helper"),
        "{done:?}"
    );
    let done = home.kraal_fed(&["agents", "test", "./missing.toml"], "");
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("missing.toml cannot be read"), "{done:?}");
    assert_eq!(home.kraal_fed(&["agents", "test", "helper", "--size", "big"], "").code, Some(2));
}

#[test]
fn a_title_counts_where_the_agent_says_so() {
    let home = sandbox();
    let told = |title: &str| {
        let done = home
            .kraal_fed(&["agents", "test", "codex", "--json", "--title", title], "no screen of its own\n");
        serde_json::from_str::<serde_json::Value>(&done.stdout).expect("JSON")
    };
    let waits = told("[ ! ] Action Required | work");
    assert_eq!((&waits["state"], &waits["source"]), (&"blocked".into(), &"signal".into()), "{waits}");
    assert_eq!(told("zsh")["certain"], false);
}

#[test]
fn the_example_in_the_documents_works() {
    let home = sandbox();
    let docs = include_str!("../../../docs/agents.md");
    let section = docs.split("## Agents of your own").nth(1).expect("its section");
    let example =
        section.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    save(&home, example);
    assert!(home.ok(&["config", "check"]).ends_with("agents/helper.toml is fine"));
    let test = |args: &[&str], screen: &str| {
        let done = home.kraal_fed(&[&["agents", "test", "--json", "helper"], args].concat(), screen);
        serde_json::from_str::<serde_json::Value>(&done.stdout).expect("JSON")
    };
    assert_eq!(test(&[], "Thinking\nAllow this? rm x\n[y/n]\n")["rule"], "asks");
    assert_eq!(test(&[], "Thinking\n> a draft\n")["input"], "a draft");
    assert_eq!(test(&["--title", "* work"], "")["rule"], "title");
}
