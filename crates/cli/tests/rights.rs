//! Who may do what, by the kernel's word on real processes: in a shell's pane, in an agent's, in what
//! an agent opened, run away from every pane, under another session's keeper, outside with a token.
//!
//! Not here: the whole matrix (`core`'s tests).

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use kraal_api::envelope::{Answer, Id, request_line};
use kraal_api::{PaneId, Request};
use kraal_testkit::{Sandbox, await_some, await_true};
use serde_json::Value;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

/// A process somewhere that asks a session what the test tells it to.
struct Asker {
    questions: PathBuf,
    answers: PathBuf,
    command: String,
}

impl Asker {
    fn new(home: &Sandbox, name: &str) -> Self {
        let questions = home.root().join(format!("{name}.questions"));
        let answers = home.root().join(format!("{name}.answers"));
        let exe = std::env::current_exe().expect("this test's own binary");
        let command = format!(
            "env ASKER_QUESTIONS={} ASKER_ANSWERS={} ASKER_SOCKET={} {} --exact asker_somewhere --nocapture >/dev/null 2>&1",
            questions.display(),
            answers.display(),
            home.socket_of("main").display(),
            exe.display(),
        );
        Asker { questions, answers, command }
    }

    /// Asks on one connection, and gives what each question came to: `ok`, or the refusal's code.
    fn ask(&self, token: Option<&str>, requests: &[&str]) -> Vec<String> {
        self.answers(token, requests)
            .iter()
            .map(|answer| answer["error"]["code"].as_str().unwrap_or("ok").to_owned())
            .collect()
    }

    fn answers(&self, token: Option<&str>, requests: &[&str]) -> Vec<Value> {
        let _ = std::fs::remove_file(&self.answers);
        self.put(token, requests);
        let text = await_some("the asker's answers", || std::fs::read_to_string(&self.answers).ok());
        text.lines().map(|line| serde_json::from_str(line).expect("an answer")).collect()
    }

    fn put(&self, token: Option<&str>, requests: &[&str]) {
        let lines: String = requests
            .iter()
            .map(|text| {
                let request: Request = serde_json::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"));
                request_line(&Id::Number(1), token, &request)
            })
            .collect();
        put(&self.questions, &lines);
    }
}

/// Writes a file that appears whole.
fn put(path: &Path, text: &str) {
    let half = path.with_extension("half");
    std::fs::write(&half, text).expect("written");
    std::fs::rename(half, path).expect("renamed");
}

/// Not a test of its own: the process that asks. Without its variables it does nothing.
#[test]
fn asker_somewhere() {
    let var = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(questions), Some(answers), Some(socket)) =
        (var("ASKER_QUESTIONS"), var("ASKER_ANSWERS"), var("ASKER_SOCKET"))
    else {
        return;
    };
    if std::env::var_os("ASKER_LEAVES").is_some() {
        // Forked twice by now; a session of its own makes it complete.
        rustix::process::setsid().expect("a session of its own");
    }
    loop {
        let lines = await_some("questions", || std::fs::read_to_string(&questions).ok());
        std::fs::remove_file(&questions).expect("removed");
        let stream = UnixStream::connect(&socket).expect("a connection");
        let mut reader = BufReader::new(stream);
        let mut text = String::new();
        for line in lines.split_inclusive('\n') {
            reader.get_mut().write_all(line.as_bytes()).expect("written");
            let mut answer = String::new();
            reader.read_line(&mut answer).expect("read");
            serde_json::from_str::<Answer>(&answer).expect("an answer");
            text.push_str(&answer);
        }
        put(&answers, &text);
    }
}

const ATTACH: &str = r#"{"Verb":{"Attach":{"stream":1,"area":{"cols":80,"rows":24}}}}"#;
const CALLER: &str = r#"{"Hello":{"api":1,"name":"asker"}}"#;

fn keys(pane: PaneId) -> String {
    format!(r#"{{"Verb":{{"SendKeys":{{"pane":{pane},"keys":["enter"]}}}}}}"#)
}

#[test]
fn a_shells_pane_may_what_the_user_may() {
    let home = sandbox();
    let foreign = home.run(&["--", "sleep", "600"]);
    let asker = Asker::new(&home, "shell");
    home.run(&["--tab", "--no-focus", "--", "sh", "-c", &format!("{}; sleep 600", asker.command)]);
    let focus = format!(r#"{{"Verb":{{"Focus":{{"pane":{foreign}}}}}}}"#);
    let close = format!(r#"{{"Verb":{{"ClosePane":{{"pane":{foreign}}}}}}}"#);
    let asked = asker.ask(None, &[r#""List""#, &keys(foreign), &focus, r#"{"Verb":"ReloadConfig"}"#, &close]);
    assert_eq!(asked, ["ok"; 5]);
    assert!(home.pane(foreign).is_none());
    // A token it shows makes it no other, and none less.
    let answers = asker.answers(Some("wrong"), &[CALLER, ATTACH]);
    assert_eq!(answers[0]["response"]["Hello"]["caller"]["kind"], "terminal");
    assert!(answers[1]["response"]["Attached"].is_object(), "{answers:?}");
    // It does not live to tell the answer.
    asker.put(None, &[r#"{"Verb":"Kill"}"#]);
    await_true("the session is gone", || home.processes().is_empty());
}

#[test]
fn an_agents_pane_sees_and_opens_but_touches_nothing_of_others() {
    let home = sandbox();
    let foreign = home.run(&["--", "sleep", "600"]);
    let (asker, inner) = (Asker::new(&home, "agent"), Asker::new(&home, "inner"));
    let agent = format!(
        "{} & exec {} __sample-agent --scenario work:600s",
        asker.command,
        env!("CARGO_BIN_EXE_kraal")
    );
    let pane = home.run(&["--tab", "--no-focus", "--", "sh", "-c", &agent]);
    await_true("the agent is known", || home.pane(pane).is_some_and(|row| row.agent.is_some()));
    home.ok(&["focus", "-p", &foreign.to_string()]);

    let read = format!(r#"{{"Verb":{{"ReadPane":{{"pane":{foreign}}}}}}}"#);
    let (restart, kill) = (r#"{"Verb":"Restart"}"#, r#"{"Verb":"Kill"}"#);
    let close = format!(r#"{{"Verb":{{"ClosePane":{{"pane":{foreign}}}}}}}"#);
    let asked = asker.ask(
        None,
        &[
            r#""List""#,
            r#"{"Verb":"Panes"}"#,
            &read,
            &keys(foreign),
            &close,
            &keys(pane),
            restart,
            kill,
            ATTACH,
        ],
    );
    assert_eq!(
        asked,
        ["ok", "ok", "ok", "not_owned", "not_owned", "not_owned", "forbidden", "forbidden", "forbidden"]
    );

    // It opens a shell: in its own workspace, in the background, with no more rights than its own.
    let command = serde_json::to_string(&format!("{}; sleep 600", inner.command)).unwrap();
    let run =
        |rest: &str| format!(r#"{{"Verb":{{"Run":{{"argv":["sh","-c",{command}],"opening":{rest}}}}}}}"#);
    let elsewhere = run(r#"{"workspace":"elsewhere"}"#);
    let here = run(r#"{"attention":"focus"}"#);
    let answers = asker.answers(None, &[&elsewhere, &here]);
    assert_eq!(answers[0]["error"]["code"], "forbidden", "{answers:?}");
    let opened = PaneId(answers[1]["response"]["PaneOpened"]["pane"].as_u64().expect("a pane"));
    let focused: Vec<PaneId> = home.panes().iter().filter(|row| row.focused).map(|row| row.pane).collect();
    assert!(!focused.contains(&opened), "it took the focus: {focused:?}");
    assert_eq!(asker.ask(None, &[&keys(opened)]), ["ok"]);
    assert_eq!(
        inner.ask(None, &[r#"{"Verb":"Panes"}"#, &keys(foreign), &keys(pane), kill, ATTACH]),
        ["ok", "not_owned", "not_owned", "forbidden", "forbidden"]
    );
    // Also after a restart, and under the next server.
    home.kill_server();
    await_true("the agent is known again", || home.pane(pane).is_some_and(|row| row.agent.is_some()));
    assert_eq!(inner.ask(None, &[&keys(foreign), kill]), ["not_owned", "forbidden"]);
    assert_eq!(asker.ask(None, &[&keys(foreign), &keys(opened), kill]), ["not_owned", "ok", "forbidden"]);
    assert!(home.pane(foreign).is_some());
}

#[test]
fn who_runs_away_from_its_pane_is_no_client() {
    let home = sandbox();
    let asker = Asker::new(&home, "away");
    let shell = format!(
        "echo $KRAAL_TOKEN > {0}.half; mv {0}.half {0}; unset KRAAL KRAAL_TOKEN KRAAL_PANE KRAAL_SOCKET KRAAL_SESSION; \
         (ASKER_LEAVES=1; export ASKER_LEAVES; {1} &); sleep 600",
        home.root().join("token").display(),
        asker.command
    );
    let pane = home.run(&["--", "sh", "-c", &shell]);
    let (kill, panes) = (r#"{"Verb":"Kill"}"#, r#"{"Verb":"Panes"}"#);
    let run = r#"{"Verb":{"Run":{"argv":["true"]}}}"#;
    let answers = asker.answers(None, &[CALLER]);
    assert_eq!(answers[0]["response"]["Hello"]["caller"]["kind"], "unknown", "{answers:?}");
    assert_eq!(
        asker.ask(None, &[panes, &keys(pane), run, kill, ATTACH]),
        ["ok", "not_owned", "forbidden", "forbidden", "forbidden"]
    );
    // Its pane's token gives it that pane's view and nothing to do; a wrong one is said.
    let token = await_some("the token", || std::fs::read_to_string(home.root().join("token")).ok());
    let token = token.trim();
    assert_eq!(asker.ask(Some(token), &[panes, &keys(pane), kill]), ["ok", "not_owned", "forbidden"]);
    assert_eq!(asker.ask(Some("wrong"), &[panes]), ["unauthorized"]);

    // The same outside of every pane: a token binds, a wrong one is said, without one it is the user.
    let mut api = home.api();
    let mut code = |token: Option<&str>, request: &str| {
        let request: Request = serde_json::from_str(request).unwrap();
        match api.line(&request_line(&Id::Number(1), token, &request)) {
            Ok(_) => "ok".to_owned(),
            Err(refusal) => refusal.code.word().to_owned(),
        }
    };
    assert_eq!(code(Some("wrong"), panes), "unauthorized");
    assert_eq!(code(Some(""), panes), "unauthorized");
    assert_eq!(code(Some(token), r#""List""#), "ok");
    assert_eq!(code(Some(token), kill), "forbidden");
    assert_eq!(code(None, &keys(pane)), "ok");
    // Without its pane it is still nobody's.
    home.ok(&["close", "-p", &pane.to_string()]);
}

#[test]
fn a_pane_of_another_session_is_no_client_here() {
    let home = sandbox();
    let here = home.run(&["--", "sleep", "600"]);
    let asker = Asker::new(&home, "other");
    home.run(&["-s", "other", "--", "sh", "-c", &format!("{}; sleep 600", asker.command)]);
    let answers = asker.answers(None, &[CALLER]);
    assert_eq!(answers[0]["response"]["Hello"]["caller"]["kind"], "unknown", "{answers:?}");
    assert_eq!(
        asker.ask(None, &[&keys(here), r#"{"Verb":"Kill"}"#, ATTACH]),
        ["not_owned", "forbidden", "forbidden"]
    );
    home.ok(&["kill", "-s", "other"]);
    await_true("only main's are left", || home.processes().len() == 3);
    assert!(home.pane(here).is_some());
}

#[test]
fn an_agent_has_no_shells_rights_in_its_first_moments() {
    let home = sandbox();
    let other = home.run(&["--", "sleep", "600"]);
    let exe = env!("CARGO_BIN_EXE_kraal");
    let told = home.root().join("told");
    // The pane's program becomes the agent; at that very moment a process beside it asks for what a
    // shell's pane may and an agent's may not.
    let script = format!(
        "(until [ \"$(head -c 1 /proc/$$/cmdline)\" = / ]; do :; done; \
         {exe} keys -p {other} a >{told} 2>&1; echo code $? >>{told}) & exec {exe} __sample-agent",
        told = told.display()
    );
    home.run(&["--tab", "--no-focus", "--", "sh", "-c", &script]);
    let said =
        await_some("an answer", || std::fs::read_to_string(&told).ok().filter(|text| text.contains("code")));
    assert!(said.contains("not_owned") && said.contains("code 1"), "{said}");
}
