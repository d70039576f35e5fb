//! Panes over the command line and the API, with the real binary.
//!
//! Not here: the attached client (`attach`), agents (`agents`).

use kraal_api::model::{Exit, Phase};
use kraal_api::panes::OnPane;
use kraal_api::{Code, PaneId, Request, Response, Verb};
use kraal_testkit::{Sandbox, await_some, await_true};

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

#[test]
fn a_command_runs_is_read_and_answered() {
    let home = sandbox();
    let pane = home.run(&["--name", "ask", "--", "sh", "-c", "echo ready; read x; echo got $x; exit 3"]);
    let id = pane.to_string();
    home.await_text(pane, "ready");
    home.say(pane, "an answer");
    assert_eq!(home.ok(&["wait", "-p", "ask", "--exit"]), "exited, exit 3");
    assert!(home.read(pane).contains("got an answer"));
    let row = home.pane(pane).unwrap();
    assert_eq!((row.phase, row.name.as_deref()), (Phase::Exited(Exit::Code(3)), Some("ask")));

    // Keys for a program that is no more are refused, and typed nowhere; it can run again in its pane.
    let refused = home.kraal(&["keys", "-p", &id, "enter"]);
    assert!(refused.code == Some(1) && refused.stderr.contains("(failed)"), "{refused:?}");
    assert_eq!(home.api().verb(Verb::Rerun(OnPane { pane: pane.into() })), Ok(Response::Ok));
    home.await_text(pane, "ready");
    home.pid(pane);
}

#[test]
fn panes_are_named_listed_and_closed() {
    let home = sandbox();
    let first = home.run(&["--name", "one", "--", "sleep", "60"]);
    let second = home.run(&["--tab", "--no-focus", "--", "sleep", "60"]);
    home.ok(&["rename", "-p", &second.to_string(), "two"]);
    let listed = home.ok(&["panes"]);
    assert!(listed.contains("one") && listed.contains("two") && listed.contains("sleep"), "{listed}");
    let rows = home.json(&["panes", "--json"]);
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "two").unwrap();
    assert_eq!((row["pane"].as_u64(), row["argv"][0].as_str()), (Some(second.0), Some("sleep")));
    let workspace = row["workspace"].as_str().unwrap();

    let pid = home.pid(second);
    home.ok(&["close", "-p", &format!("{workspace}:two")]);
    await_true("the pane is gone", || home.pane(second).is_none());
    await_true("its program is gone", || !std::path::Path::new(&format!("/proc/{pid}")).exists());
    let done = home.kraal(&["read", "-p", "two"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("not_found"), "{done:?}");
    assert!(home.pane(first).is_some());
}

#[test]
fn a_pane_starts_where_and_with_what_it_was_told() {
    let home = sandbox();
    std::fs::create_dir(home.work().join("deep")).unwrap();
    let script = "pwd; echo $FRUIT; echo $KRAAL $KRAAL_SESSION $KRAAL_PANE $TERM $TERM_PROGRAM; sleep 60";
    let pane = home.run(&["--cwd", "deep", "--env", "FRUIT=plum", "--", "sh", "-c", script]);
    home.await_text(pane, "xterm-256color kraal");
    let shown = home.read(pane);
    assert!(shown.contains("work/deep") && shown.contains("plum"), "{shown}");
    assert!(shown.contains(&format!("1 main {pane} ")), "{shown}");
}

#[test]
fn a_pane_closes_with_its_program_when_told() {
    let home = sandbox();
    home.run(&["--", "sleep", "60"]);
    let pane = home.run(&["--right", "--close-on-exit", "--", "true"]);
    await_true("the pane closed", || home.pane(pane).is_none());
}

#[test]
fn a_program_that_cannot_start_is_said() {
    let home = sandbox();
    home.run(&["--", "sleep", "60"]);
    let done = home.kraal(&["run", "--", "no-such-program-here"]);
    // Either the command says it, or its pane does.
    if done.code == Some(0) {
        let pane = PaneId(done.stdout.trim().parse().unwrap());
        let why = await_some("the failure", || match home.pane(pane)?.phase {
            Phase::Failed(why) => Some(why),
            _ => None,
        });
        assert!(why.contains("no-such-program-here"), "{why}");
    } else {
        assert!(done.stderr.contains("no-such-program-here"), "{done:?}");
    }
}

#[test]
fn commands_inside_a_pane_mean_it_and_its_session() {
    let mut home = sandbox();
    home.set("KRAAL_EXE", env!("CARGO_BIN_EXE_kraal"));
    let script =
        "echo marker; $KRAAL_EXE read > out; $KRAAL_EXE; echo attach $?; $KRAAL_EXE rename mine; sleep 60";
    let pane = home.run(&["--", "sh", "-c", script]);
    await_true("it renamed its own pane", || {
        home.pane(pane).is_some_and(|row| row.name.as_deref() == Some("mine"))
    });
    let out = std::fs::read_to_string(home.work().join("out")).unwrap();
    assert!(out.contains("marker"), "{out}");
    home.await_text(pane, "attach 1");
    let shown = home.read(pane).replace('\n', "");
    assert!(shown.contains("it cannot show itself"), "{shown}");
}

#[test]
fn a_program_that_writes_and_then_asks_sees_what_it_wrote() {
    let mut home = sandbox();
    home.set("KRAAL_EXE", env!("CARGO_BIN_EXE_kraal"));
    // A screen full, so that the last of it is read a while after the first.
    let script = "for i in $(seq 40); do seq 3000; echo mark-$i; $KRAAL_EXE read | grep -q mark-$i || touch lost; \
                  done; touch over; sleep 60";
    home.run(&["--", "sh", "-c", script]);
    await_true("it asked often", || home.work().join("over").exists());
    assert!(!home.work().join("lost").exists());
}

#[test]
fn colours_are_read_only_when_asked() {
    let home = sandbox();
    let pane = home.run(&["--", "printf", r"\033[31mred\033[m plain\n"]);
    home.await_text(pane, "red plain");
    let id = pane.to_string();
    assert!(!home.ok(&["read", "-p", &id]).contains('\x1b'));
    let coloured = home.ok(&["read", "-p", &id, "--ansi"]);
    assert!(coloured.contains("\x1b[") && coloured.contains("red"), "{coloured:?}");
}

#[test]
fn lines_reach_into_the_scrollback() {
    let home = sandbox();
    let pane = home.run(&["--", "sh", "-c", "seq 1 500; sleep 60"]);
    home.await_text(pane, "500");
    let id = pane.to_string();
    let all = home.ok(&["read", "-p", &id, "--lines", "500"]);
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[499]), (500, "1", "500"));
    assert!(home.read(pane).lines().count() < 100);
}

#[test]
fn a_megabyte_is_typed_whole_and_in_order() {
    let home = sandbox();
    let text: String = (0..100_000).map(|n| format!("{n:09}\n")).collect();
    let pane = home.run(&[
        "--",
        "sh",
        "-c",
        "stty raw -echo; echo ready; head -c 1000000 > got; echo done; sleep 60",
    ]);
    home.await_text(pane, "ready");
    let done = home.kraal_fed(&["send", "-p", &pane.to_string(), "-"], &text);
    assert_eq!(done.code, Some(0), "{done:?}");
    home.await_text(pane, "done");
    let got = std::fs::read_to_string(home.work().join("got")).unwrap().replace('\r', "\n");
    assert!(got == text, "{} of {} bytes, or in another order", got.len(), text.len());
}

#[test]
fn nothing_in_a_name_or_title_acts_on_the_terminal() {
    let home = sandbox();
    let pane = home.run(&["--", "sh", "-c", r"printf '\033]2;evil\033[31m\007'; echo set; sleep 60"]);
    home.await_text(pane, "set");
    home.ok(&["rename", "-p", &pane.to_string(), "a\x1b]0;x\x07b"]);
    for args in [&["panes"][..], &["panes", "--json"]] {
        let shown = home.ok(args);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
    }
}

#[test]
fn waiting_ends_with_the_text_or_in_time() {
    let home = sandbox();
    let pane = home.run(&["--", "sh", "-c", "read x; echo now $x; sleep 60"]).to_string();
    let done = home.kraal(&["wait", "-p", &pane, "--text", "now", "--timeout", "0"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    let waiter = {
        let mut command = home.program(env!("CARGO_BIN_EXE_kraal"));
        command.args(["wait", "-p", &pane, "--text", "now", "--timeout", "60"]).spawn().unwrap()
    };
    home.ok(&["send", "-p", &pane, "x"]);
    home.ok(&["keys", "-p", &pane, "enter"]);
    assert!(waiter.wait_with_output().unwrap().status.success());
}

#[test]
fn events_tell_what_happens_and_go_on_where_they_were() {
    let home = sandbox();
    let first = home.run(&["--", "sleep", "60"]);
    let wanted = kraal_api::events::Events { types: vec!["pane".into()], ..Default::default() };
    let mut stream = home.api().stream(&Request::Verb(Verb::Events(wanted.clone())));
    let second = home.run(&["--no-focus", "--", "true"]);
    let opened = stream.find(|e| e["type"] == "pane.opened");
    assert_eq!(opened["pane"].as_u64(), Some(second.0));
    let exited = stream.find(|e| e["type"] == "pane.exited");
    assert_eq!((&exited["pane"], &exited["exit"]["code"]), (&second.0.into(), &0.into()));
    let (seq, boot) = (opened["seq"].as_u64(), opened["boot"].as_str().map(str::to_owned));
    drop(stream);
    let again = kraal_api::events::Events { since: seq, boot, ..wanted };
    let mut stream = home.api().stream(&Request::Verb(Verb::Events(again)));
    let next = stream.find(|e| e["type"] == "pane.exited");
    assert_eq!(next["seq"], exited["seq"]);
    drop(stream);
    home.ok(&["close", "-p", &first.to_string()]);
}

#[test]
fn the_public_requests_answer_beside_the_verbs() {
    let home = sandbox();
    let pane = home.run(&["--name", "job", "--", "sh", "-c", "echo hello; sleep 60"]);
    home.await_text(pane, "hello");
    let hello: serde_json::Value = serde_json::from_str(&home.krad(&["hello", "--json"]).stdout).unwrap();
    assert_eq!(hello["Hello"]["caller"]["kind"], "client");
    let unknown = home.api().line("{\"v\":1,\"id\":1,\"request\":\"Lst\"}\n").unwrap_err();
    assert!(unknown.code == Code::Unsupported && unknown.message.contains("List"), "{unknown}");
    let list: serde_json::Value = serde_json::from_str(&home.krad(&["list", "--json"]).stdout).unwrap();
    assert_eq!(list["Agents"][0]["terminal"].as_u64(), Some(pane.0));
    let screen = home.krad(&["read", &pane.to_string()]);
    assert!(screen.stdout.contains("hello"), "{screen:?}");
    // A Client says which group it means.
    let group = home.pane(pane).unwrap().workspace;
    let sessions = home.krad(&["--group", &group, "sessions", "--json"]);
    let sessions: serde_json::Value =
        serde_json::from_str(&sessions.stdout).unwrap_or_else(|e| panic!("{e}: {sessions:?}"));
    assert_eq!(sessions["Sessions"][0]["terminals"][0].as_u64(), Some(pane.0));
}
