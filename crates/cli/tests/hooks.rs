//! Hooks in a real session: what the sample agent's report decides, whose reports count, and that a
//! hook never disturbs the agent it runs in.
//!
//! Not here: what each agent's events mean (the catalogue's tests), installing them.

use std::process::Stdio;

use kraal_api::PaneId;
use kraal_testkit::{Sandbox, await_some, await_true};
use serde_json::Value;

fn sandbox() -> Sandbox {
    let mut home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    // The machine may be under load: what is tried here is not how fast it is.
    home.set("KRAAL_HOOK_MS", "5000");
    home.run(&["--", "sleep", "600"]);
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

/// The command an installed hook runs.
fn reporting() -> String {
    format!("{} hook sample \"$1\"", env!("CARGO_BIN_EXE_kraal"))
}

#[test]
fn a_turn_told_by_hooks() {
    let home = sandbox();
    let pane = home.sample(&["--tab", "--no-focus"], &["--hook", &reporting()]);
    await_row(&home, pane, &[("state", "idle"), ("source", "hooks")]);
    home.say(pane, "work:600ms,ask,work:600ms,background:1s");
    await_row(&home, pane, &[("state", "working"), ("source", "hooks")]);
    await_row(&home, pane, &[("state", "blocked"), ("kind", "permission"), ("source", "hooks")]);
    home.ok(&["keys", "-p", &pane.to_string(), "enter"]);
    await_row(&home, pane, &[("state", "working"), ("source", "hooks")]);
    await_row(&home, pane, &[("state", "working"), ("kind", "background"), ("source", "hooks")]);
    await_row(&home, pane, &[("state", "done"), ("source", "hooks")]);

    // What the hooks do not tell the screen does: a refusal, and Esc in mid-turn.
    home.say(pane, "work:300ms,question,done");
    await_row(&home, pane, &[("state", "blocked"), ("kind", "question")]);
    home.ok(&["keys", "-p", &pane.to_string(), "esc"]);
    await_row(&home, pane, &[("state", "done"), ("source", "screen")]);
    home.say(pane, "work:60s,done");
    await_row(&home, pane, &[("state", "working"), ("source", "hooks")]);
    home.ok(&["keys", "-p", &pane.to_string(), "esc"]);
    await_row(&home, pane, &[("state", "done"), ("source", "screen")]);
}

#[test]
fn what_hooks_said_outlives_the_server() {
    let home = sandbox();
    let pane = home.sample(&["--tab", "--no-focus"], &["--hook", &reporting()]);
    await_row(&home, pane, &[("state", "idle"), ("source", "hooks")]);
    home.say(pane, "work:60s,done");
    await_row(&home, pane, &[("state", "working"), ("source", "hooks")]);
    home.kill_server();
    let working = await_row(&home, pane, &[("state", "working")]);
    assert_eq!(working["source"], "hooks", "{working}");
}

/// BR-41.
#[test]
fn a_run_inside_the_agent_changes_nothing() {
    let home = sandbox();
    let kraal = env!("CARGO_BIN_EXE_kraal");
    let inner = home.work().join("inner");
    // At its second event the outer agent runs a one-shot agent with the same hooks.
    let nested = format!(
        "{report}; if [ \"$1\" = Prompt ]; then {kraal} __sample-agent --hook '{report}' -p hello; echo >{inner}; fi",
        report = reporting(),
        inner = inner.display(),
    );
    let pane = home.sample(&["--tab", "--no-focus"], &["--hook", &nested]);
    await_row(&home, pane, &[("state", "idle"), ("source", "hooks")]);
    let before = home.ok(&["agents", "explain", &pane.to_string()]);
    home.say(pane, "work:60s,done");
    await_true("the inner run is over", || inner.exists());
    await_row(&home, pane, &[("state", "working"), ("source", "hooks")]);
    let explained = home.ok(&["agents", "explain", &pane.to_string()]);
    let told = explained.replace(&before, "");
    assert!(told.contains("hook Prompt") && !told.contains("hook End"), "{explained}");
}

#[test]
fn another_agents_hook_is_ignored() {
    let home = sandbox();
    let foreign = format!("{} hook claude PermissionRequest", env!("CARGO_BIN_EXE_kraal"));
    let both = format!("{foreign} </dev/null; {}", reporting());
    let pane = home.sample(&["--tab", "--no-focus"], &["--hook", &both]);
    await_row(&home, pane, &[("state", "idle"), ("source", "hooks")]);
    let explained = home.ok(&["agents", "explain", &pane.to_string()]);
    assert!(!explained.contains("PermissionRequest"), "{explained}");
}

#[test]
fn an_agent_under_a_wrapper_is_followed_by_its_hooks() {
    let home = sandbox();
    if !home.program("script").arg("--version").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no script(1) to hide an agent behind");
        return;
    }
    let kraal = env!("CARGO_BIN_EXE_kraal");
    let hidden = format!("{kraal} __sample-agent --hook '{}'", reporting());
    // Its own terminal: the agent is not in the foreground of the pane's.
    let pane = home.run(&["--tab", "--no-focus", "--", "script", "-qc", &hidden, "/dev/null"]);
    await_row(&home, pane, &[("agent", "sample"), ("state", "idle"), ("source", "hooks")]);
    home.say(pane, "work:600ms,ask,done");
    await_row(&home, pane, &[("state", "blocked"), ("kind", "permission")]);
    home.kill_server();
    await_row(&home, pane, &[("state", "blocked"), ("kind", "permission")]);
    home.ok(&["keys", "-p", &pane.to_string(), "enter"]);
    await_row(&home, pane, &[("state", "done")]);
    // The agent's process ends without a word while the wrapper goes on.
    let agents = await_some("the agent's process", || {
        let below =
            kraal_host::process::descendants(home.pid(pane) as u32, &std::collections::BTreeSet::new());
        let found = below.into_iter().find(|(pid, _)| {
            let argv = kraal_host::process::cmdline(*pid).unwrap_or_default();
            argv.get(1).is_some_and(|word| word == "__sample-agent")
        });
        found.map(|(pid, _)| pid)
    });
    assert!(kraal_host::process::signal(agents, 9));
    await_true("the agent is gone", || row(&home, pane).is_none());
}

#[test]
fn a_hook_outside_and_a_broken_one_disturb_nobody() {
    let home = sandbox();
    // Outside kraal: nothing, whatever comes in.
    let outside = home.kraal_fed(&["hook", "claude", "Stop"], "{\"session_id\":\"x\"}");
    assert_eq!((outside.code, outside.stdout.as_str(), outside.stderr.as_str()), (Some(0), "", ""));

    let kraal = env!("CARGO_BIN_EXE_kraal");
    let out = home.work().join("out");
    let report = |what: &str| format!("{what} >>{} 2>&1 || echo failed >>{}", out.display(), out.display());
    let script = [
        report(&format!("printf 'no json' | {kraal} hook sample Prompt")),
        report(&format!("printf '[1]' | {kraal} hook sample Prompt")),
        report(&format!("head -c 3000000 /dev/zero | {kraal} hook sample Prompt")),
        report(&format!("printf '{{}}' | {kraal} hook nobody Prompt")),
        report(&format!("printf '{{}}' | {kraal} hook sample")),
        report(&format!("printf '{{}}' | KRAAL_SOCKET=/nowhere {kraal} hook sample Prompt")),
        reporting(),
    ]
    .join("; ");
    let pane = home.sample(&["--tab", "--no-focus"], &["--hook", &script]);
    await_row(&home, pane, &[("state", "idle"), ("source", "hooks")]);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "");
    let explained = home.ok(&["agents", "explain", &pane.to_string()]);
    assert!(!explained.contains("hook Prompt"), "{explained}");
}

#[test]
fn a_server_that_hangs_does_not_hold_a_hook() {
    let home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    home.run(&["--", "sleep", "600"]);
    let kraal = env!("CARGO_BIN_EXE_kraal");
    let (go, ended) = (home.work().join("go"), home.work().join("ended"));
    let waiting = format!(
        "until [ -e {} ]; do sleep 0.05; done; for n in 1 2 3; do printf '{{}}' | {kraal} hook sample Prompt; done; echo $? >{}; sleep 600",
        go.display(),
        ended.display(),
    );
    home.run(&["--tab", "--", "sh", "-c", &waiting]);
    let server = home.info().pid;
    signal(server, "STOP");
    std::fs::write(&go, "").unwrap();
    await_true("hooks end while the server stands still", || {
        std::fs::read_to_string(&ended).is_ok_and(|text| text.trim() == "0")
    });
    signal(server, "CONT");
    assert_eq!(home.info().pid, server);
}

#[test]
fn a_server_whose_queue_is_full_does_not_hold_a_hook() {
    let home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    let path = home.work().join("full.sock");
    // Nobody accepts, and a few connections are all that wait.
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let mut waiting = Vec::new();
    while let Ok(one) = kraal_host::socket::connect_at_once(&path) {
        waiting.push(one);
    }
    for args in [["hook", "claude", "Stop"], ["status-line", "claude", "--through"]] {
        let mut command = home.program(env!("CARGO_BIN_EXE_kraal"));
        command.args(args).env("KRAAL_SOCKET", &path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"{}").unwrap();
        await_true("it ends", || child.try_wait().is_ok_and(|ended| ended.is_some()));
        let out = child.wait_with_output().unwrap();
        assert!(out.status.success(), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&out.stdout), if args.contains(&"--through") { "{}" } else { "" });
    }
}

fn signal(pid: i32, name: &str) {
    let done = std::process::Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .stdout(Stdio::null())
        .status();
    assert!(done.is_ok_and(|status| status.success()));
}
