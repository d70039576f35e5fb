//! Nothing ends when the server ends: `kill -9`, crash and renewal under running programs.
//!
//! Not here: reboots (`persistence`), the keeper alone (`host`).

use kraal_testkit::{Sandbox, await_true};

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

#[test]
fn kill_9_ends_no_program_and_loses_no_line() {
    let home = sandbox();
    let script = "seq 1 300; echo ready; while read x; do echo got $x; done";
    let pane = home.run(&["--name", "worker", "--", "sh", "-c", script]);
    home.await_text(pane, "ready");
    let (pid, boot) = (home.pid(pane), home.info().boot);
    let now = home.kill_server();
    assert_eq!((now.boot, now.restarts), (boot, 1));
    assert_eq!(home.pid(pane), pid);
    let all = home.ok(&["read", "-p", "worker", "--lines", "1000"]);
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[299], lines[300]), (301, "1", "300", "ready"));
    home.say(pane, "after");
    home.await_text(pane, "got after");
}

#[test]
fn a_flood_goes_on_through_it() {
    let home = sandbox();
    let script =
        "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); echo line $i; done; echo all written; sleep 600";
    let pane = home.run(&["--", "sh", "-c", script]);
    home.await_text(pane, "line 1");
    home.kill_server();
    home.await_text(pane, "all written");
    let all = home.ok(&["read", "-p", &pane.to_string(), "--lines", "9000"]);
    let numbers: Vec<u32> = all.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
    assert_eq!(numbers.last(), Some(&30000));
    for pair in numbers.windows(2) {
        assert!(pair[1] == pair[0] + 1 || all.contains("gap") || all.contains("lost"), "{pair:?}");
    }
}

#[test]
fn an_attached_client_comes_back_by_itself() {
    let home = sandbox();
    let client = home.attach(&[], 100, 30);
    client.wait_text("$ ");
    client.type_text("echo before\r");
    client.wait_for("the echo", |s| s.rows.iter().filter(|row| row.contains("before")).count() >= 2);
    home.kill_server();
    // Before it is there again it says that keys are not sent.
    client.wait_text("back again; everything ran on");
    assert_eq!(home.info().clients, 1);
    client.type_text("echo af''ter\r");
    client.wait_text("after");
    assert!(client.screen().has("before"));
    client.keys(&["ctrl+b", "d"]);
    assert_eq!(client.end().0, 0);
}

#[test]
fn an_agents_state_is_known_at_once_again() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane = home.sample(&["--tab", "--no-focus"], &["--status", "--scenario", "work:1s,ask,done"]);
    home.ok(&["wait", "-p", &pane.to_string(), "--state", "blocked"]);
    let before = home.json(&["agents", "--json"])[0].clone();
    home.kill_server();
    let after = home.json(&["agents", "--json"])[0].clone();
    assert_eq!(after, before);
    home.ok(&["keys", "-p", &pane.to_string(), "enter"]);
    home.ok(&["wait", "-p", &pane.to_string(), "--state", "done"]);
}

#[test]
fn events_go_on_over_a_restart() {
    use std::io::{BufRead as _, BufReader};
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let mut child =
        home.program(env!("CARGO_BIN_EXE_kraal")).args(["events", "pane.renamed"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<serde_json::Value>(&lines.next().unwrap().unwrap()).unwrap();
    let pane = home.panes()[0].pane.to_string();
    // The stream may not stand yet: rename until it says so.
    let named = std::thread::scope(|scope| {
        let first = scope.spawn(&mut next);
        let mut n = 0;
        await_true("a first event", || {
            n += 1;
            home.ok(&["rename", "-p", &pane, &format!("before {n}")]);
            first.is_finished()
        });
        first.join().unwrap()
    });
    assert!(named["name"].as_str().unwrap().starts_with("before"));
    home.kill_server();
    home.ok(&["rename", "-p", &pane, "after"]);
    let mut seq = named["seq"].as_u64().unwrap();
    loop {
        let event = next();
        assert_eq!(event["boot"], named["boot"]);
        assert!(event["seq"].as_u64().unwrap() > seq, "no event comes twice: {event}");
        seq = event["seq"].as_u64().unwrap();
        if event["name"] == "after" {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_renewal_keeps_everything() {
    let home = sandbox();
    let pane = home.run(&["--", "sh", "-c", "echo here; sleep 600"]);
    home.await_text(pane, "here");
    let (pid, before) = (home.pid(pane), home.info());
    let said = home.ok(&["restart"]);
    assert!(said.contains("its programs never stopped"), "{said}");
    let after = home.info();
    assert!(
        after.pid != before.pid && after.keeper == before.keeper && after.boot == before.boot,
        "{before:?} {after:?}"
    );
    assert_eq!(home.pid(pane), pid);
    assert!(home.read(pane).contains("here"));
}

#[test]
fn a_removed_socket_is_made_again() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    std::fs::remove_file(home.socket_of("main")).unwrap();
    await_true("the session answers again", || home.kraal(&["panes"]).code == Some(0));
}

#[test]
fn five_deaths_stop_the_restarting_and_it_is_said() {
    let home = sandbox();
    let pane = home.run(&["--", "sh", "-c", "echo here; sleep 600"]);
    home.await_text(pane, "here");
    let pid = home.pid(pane);
    let session = || home.json(&["ls", "--json"])[0].clone();
    let mut last = 0;
    await_true("it is halted", || {
        let now = session();
        let server = now["info"]["pid"].as_i64().unwrap_or(0);
        if server > 0 && server != last {
            last = server;
            kraal_host::process::signal(u32::try_from(server).unwrap(), 6);
        }
        now["state"] == "halted"
    });
    for args in [&["panes"][..], &["run", "true"]] {
        let done = home.kraal(args);
        assert_eq!((done.code, done.stderr.lines().count()), (Some(1), 1), "{done:?}");
        assert!(done.stderr.contains("`kraal restart` tries again"), "{done:?}");
    }
    let doctor = home.kraal(&["doctor"]);
    assert!(
        doctor.stdout.lines().any(|line| line.starts_with("fail") && line.contains("main: ")),
        "{doctor:?}"
    );
    home.ok(&["restart"]);
    assert_eq!(home.pid(pane), pid, "the program ran on all the while");
    assert!(home.read(pane).contains("here"));
}
