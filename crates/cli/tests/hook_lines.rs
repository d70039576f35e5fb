//! What installed hooks run, run: outside kraal, where kraal is gone, where its server is, they print
//! nothing, never fail, and hand over what the agent said.
//!
//! Not here: where they are installed (`integrations`), what becomes of what they say (`hooks`).

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kraal_testkit::{Sandbox, await_some};
use serde_json::Value;

/// A sandbox in which every agent is used, with every hook installed.
fn installed() -> Sandbox {
    let home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    let names: Vec<String> =
        rows(&home).iter().map(|row| row["agent"].as_str().expect("it is there").to_owned()).collect();
    assert_eq!(names.len(), 13, "{names:?}");
    for name in names {
        home.ok(&["integration", "install", &name]);
    }
    home
}

fn rows(home: &Sandbox) -> Vec<Value> {
    home.json(&["integration", "status", "--json"]).as_array().expect("it is there").clone()
}

/// The files of an agent's hooks.
fn files(home: &Sandbox, agent: &str) -> Vec<PathBuf> {
    let row = rows(home).into_iter().find(|row| row["agent"] == agent).expect("it is there");
    assert_eq!(row["state"], "installed", "{row}");
    row["files"]
        .as_array()
        .expect("it is there")
        .iter()
        .map(|file| PathBuf::from(file.as_str().expect("it is there")))
        .collect()
}

/// Every command line in a JSON value.
fn lines(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(line) if key == "command" || key == "bash" => found.push(line.clone()),
                    other => lines(other, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| lines(value, found)),
        _ => {}
    }
}

/// Runs a program with an input; its status, and what it printed to both ends.
fn fed(mut command: Command, input: &str) -> (Option<i32>, String, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    // What does nothing reads nothing.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

#[test]
fn every_line_is_silent_whatever_is_there() {
    let home = installed();
    let mut all: Vec<(String, String)> = Vec::new();
    for row in rows(&home) {
        let agent = row["agent"].as_str().unwrap();
        for file in files(&home, agent) {
            let text = std::fs::read_to_string(&file).unwrap();
            let mut found = Vec::new();
            match file.extension().and_then(|ending| ending.to_str()) {
                Some("json") => lines(&serde_json::from_str(&text).unwrap(), &mut found),
                Some("toml") if agent == "kimi" => {
                    let table: toml_edit::DocumentMut = text.parse().unwrap();
                    let hooks = table["hooks"].as_array_of_tables().unwrap();
                    found.extend(hooks.iter().map(|hook| hook["command"].as_str().unwrap().to_owned()));
                }
                _ => {}
            }
            all.extend(found.into_iter().map(|line| (agent.to_owned(), line)));
        }
    }
    let agents: std::collections::BTreeSet<&str> = all.iter().map(|(agent, _)| agent.as_str()).collect();
    assert_eq!(agents.len(), 9, "{agents:?}");
    let exe = env!("CARGO_BIN_EXE_kraal");
    for (agent, line) in &all {
        for (socket, kraal) in
            [("", exe), ("/nowhere", exe), ("/nowhere", "/no/such/program"), ("/nowhere", "")]
        {
            let mut command = home.program("sh");
            command.args(["-c", line]).env("KRAAL_SOCKET", socket).env("KRAAL_EXE", kraal);
            let done = fed(command, "{\"session_id\": \"x\"}");
            let prints = if agent == "cursor" { "{}" } else { "" };
            assert_eq!(
                done,
                (Some(0), prints.to_owned(), String::new()),
                "{agent}: {line}: {socket} {kraal}"
            );
        }
    }
}

/// A program in kraal's place that writes down what it is given.
fn recorder(home: &Sandbox) -> (PathBuf, PathBuf) {
    let (program, out) = (home.work().join("recorder"), home.work().join("recorded"));
    // In one write: several run at once.
    let script = format!("#!/bin/sh\npayload=$(cat)\nprintf '%s\\n' \"$*|$payload\" >>'{}'\n", out.display());
    std::fs::write(&program, script).expect("it is there");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it is there");
    (program, out)
}

fn recorded(out: &Path, count: usize) -> Vec<(String, Value)> {
    await_some("everything was handed over", || {
        let text = std::fs::read_to_string(out).ok()?;
        let lines: Vec<&str> = text.lines().collect();
        (lines.len() >= count && text.ends_with('\n')).then(|| {
            let split = |line: &&str| {
                let (front, payload) = line.split_once('|').expect("it is there");
                (front.to_owned(), serde_json::from_str(payload).expect("it is there"))
            };
            lines.iter().map(split).collect()
        })
    })
}

/// Runs JavaScript; false, with a word, where there is no node.
fn javascript(home: &Sandbox, script: &str, kraal: &Path, socket: &str) -> bool {
    let mut command = home.program("node");
    command.args(["--input-type=module", "-e", script]).env("KRAAL_EXE", kraal).env("KRAAL_SOCKET", socket);
    if home.program("node").arg("--version").output().is_err() {
        let _ = writeln!(std::io::stderr(), "skipped: there is no node to run a plugin");
        return false;
    }
    assert_eq!(fed(command, ""), (Some(0), "done\n".to_owned(), String::new()), "{socket}");
    true
}

#[test]
fn a_plugin_hands_over_what_counts_and_never_throws() {
    let home = installed();
    let (kraal, out) = recorder(&home);
    for agent in ["opencode", "kilo"] {
        let plugin = files(&home, agent).remove(0).with_extension("mjs");
        std::fs::copy(plugin.with_extension("js"), &plugin).unwrap();
        let script = format!(
            r#"
            const {{ KraalPlugin }} = await import({plugin:?});
            const hooks = await KraalPlugin({{}});
            const tell = (type, properties) => hooks.event?.({{ event: {{ type, properties }} }});
            await tell("session.created", {{ info: {{ id: "root", title: "secret" }} }});
            await tell("message.part.updated", {{ sessionID: "root" }});
            await tell("session.created", {{ info: {{ id: "child", parentID: "root" }} }});
            await tell("session.idle", {{ sessionID: "child" }});
            await tell("session.idle", {{ sessionID: "root" }});
            await tell("session.idle", undefined);
            console.log("done");
            "#
        );
        let ran = javascript(&home, &script, &kraal, "")
            && javascript(&home, &script, Path::new("/no/such/program"), "/nowhere");
        if !ran {
            return;
        }
        assert!(!out.exists(), "outside kraal nothing runs");
        javascript(&home, &script, &kraal, "/nowhere");
        let mut told = recorded(&out, 5);
        told.sort_by_key(|(front, payload)| (front.clone(), payload.to_string()));
        let told: Vec<(&str, &Value, &Value)> =
            told.iter().map(|(front, p)| (front.as_str(), &p["sessionID"], &p["parentID"])).collect();
        let front = |event: &str| format!("hook {agent} {event}");
        let (created, idle) = (front("session.created"), front("session.idle"));
        let (root, child, none) = (Value::from("root"), Value::from("child"), Value::Null);
        for expected in [
            (created.as_str(), &root, &none),
            (created.as_str(), &child, &root),
            (idle.as_str(), &child, &root),
            (idle.as_str(), &root, &none),
            (idle.as_str(), &none, &none),
        ] {
            assert!(told.contains(&expected), "{expected:?} in {told:?}");
        }
        let text = std::fs::read_to_string(&out).unwrap();
        assert!(!text.contains("secret") && text.contains("\"kraal_pid\":"), "{text}");
        std::fs::remove_file(&out).unwrap();
    }
}

#[test]
fn an_extension_hands_over_what_counts_and_never_throws() {
    let home = installed();
    let (kraal, out) = recorder(&home);
    let written = files(&home, "pi").remove(0);
    // Its types go, as the agent takes them out.
    let plain = written.with_extension("mjs");
    let typed = std::fs::read_to_string(&written).unwrap();
    std::fs::write(&plain, typed.replace(": any", "").replace(": string", "")).unwrap();
    let script = format!(
        r#"
        const {{ default: extension }} = await import({plain:?});
        const handlers = new Map();
        extension({{ on: (name, handler) => handlers.set(name, handler) }});
        const ctx = {{ hasUI: true, isIdle: () => true, sessionManager: {{ getSessionId: () => "one" }} }};
        await handlers.get("session_start")?.({{ reason: "startup" }}, ctx);
        await handlers.get("agent_settled")?.({{ aborted: true }}, {{ hasUI: false }});
        await handlers.get("agent_settled")?.({{ aborted: true }}, {{ get sessionManager() {{ throw 1; }} }});
        await handlers.get("session_shutdown")?.(undefined, undefined);
        console.log("done");
        "#
    );
    let ran = javascript(&home, &script, &kraal, "")
        && javascript(&home, &script, Path::new("/no/such/program"), "/nowhere");
    if !ran {
        return;
    }
    assert!(!out.exists(), "outside kraal nothing runs");
    javascript(&home, &script, &kraal, "/nowhere");
    let told = recorded(&out, 2);
    let start = told.iter().find(|(front, _)| front == "hook pi session_start").expect("the start");
    assert_eq!((&start.1["session"], &start.1["reason"]), (&"one".into(), &"startup".into()));
    assert!(told.iter().any(|(front, _)| front == "hook pi session_shutdown"), "{told:?}");
    assert_eq!(told.len(), 2, "{told:?}");
}
