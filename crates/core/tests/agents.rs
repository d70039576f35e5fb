//! Transcripts of agents: states, looking, waits, streams, notifications.
//!
//! Not here: how a state is found (the `agents` crate), who may ask (`rights`).

mod common;

use common::{Scene, astray, bearing, inside, outside, request, verb, verdict};
use kraal_api::model::{Branch, Exit};
use kraal_api::{ConnId, Kind, PaneId, State, Verdict};
use kraal_core::{Input, Outcome, PaneChange, Settings, Ticket};

/// A shell in view and a pane with an agent in a tab of its own.
fn two_tabs() -> Scene {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        scene.running(
            r#"{"StartAgent":{"agent":"claude","opening":{"place":"tab","attention":"background"}}}"#,
        );
    });
    scene
}

#[test]
fn an_agent_starts_and_is_listed() {
    let mut scene = Scene::attached();
    scene.user(r#"{"StartAgent":{"agent":"cluade","args":["x"]}}"#);
    scene.running(r#"{"StartAgent":{"agent":"claude","args":["--model","m"],"opening":{"name":"api"}}}"#);
    scene.ask(5, outside(), request(r#""List""#));
    scene.agent(2, State::Working, None);
    let branch = Branch { name: "main".to_owned(), changed: true, untracked: false, ahead: 2 };
    scene.change(2, PaneChange::Branch(Some(branch)));
    scene.change(1, PaneChange::Busy(true));
    scene.ask(6, inside(2), request(r#""List""#));
    scene.ask(7, bearing("token-1"), request(r#""ListAll""#));
    scene.ask(8, outside(), verb(r#""Agents""#));
    scene.ask(8, outside(), verb(r#""Panes""#));
    scene.ask(8, outside(), verb(r#""Info""#));
    scene.note("another agent in its place, then none, then no program");
    let aider = ("aider".to_owned(), "Aider".to_owned());
    scene.change(2, PaneChange::Agent { name: aider.0, label: aider.1, verdict: verdict(State::Idle, None) });
    scene.change(2, PaneChange::AgentGone);
    scene.agent(2, State::Idle, None);
    scene.input(Input::Exited { pane: PaneId(2), exit: Exit::Code(0) });
    scene.agent(2, State::Working, None);
    scene.ask(5, outside(), request(r#""List""#));
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_finished_turn_is_seen_when_it_is_looked_at() {
    let mut scene = two_tabs();
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Done, None);
    scene.note("the user goes there, but the outer terminal has no focus");
    scene.input(Input::ClientFocus { conn: ConnId(1), focused: false });
    scene.user(r#"{"Focus":{"pane":2}}"#);
    scene.input(Input::ClientFocus { conn: ConnId(1), focused: true });
    scene.agent(2, State::Idle, None);
    scene.note("a turn that ends while it is looked at");
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Done, None);
    scene.agent(2, State::Done, Some(Kind::Error));
    scene.agent(2, State::Idle, None);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_connection_waits_for_so_much_and_no_more() {
    let mut scene = two_tabs();
    let wait = r#"{"WaitPane":{"pane":2,"until":{"state":"blocked"}}}"#;
    scene.quietly(|scene| {
        for _ in 0..256 {
            scene.ask(5, outside(), verb(wait));
        }
    });
    let before = scene.text.len();
    scene.ask(5, outside(), verb(wait));
    assert!(scene.text[before..].contains("waits for 256 things already"), "{}", &scene.text[before..]);
    let before = scene.text.len();
    scene.ask(6, outside(), verb(wait));
    assert!(!scene.text[before..].contains("already"), "{}", &scene.text[before..]);
}

#[test]
fn waits_end_as_they_should() {
    let mut scene = two_tabs();
    let wait = |secs: u64| request(&format!(r#"{{"Wait":{{"target":2,"timeout_secs":{secs}}}}}"#));
    let until =
        |until: &str| verb(&format!(r#"{{"WaitPane":{{"pane":2,"until":{until},"timeout_secs":60}}}}"#));
    scene.note("working: asked without waiting, too late, in time; doubt settles nothing");
    scene.agent(2, State::Working, None);
    scene.ask(5, outside(), wait(0));
    scene.ask(5, outside(), wait(2));
    scene.pass(2_000);
    scene.ask(5, outside(), wait(9999));
    scene.ask(5, outside(), until(r#"{"state":"done"}"#));
    scene.ask(5, outside(), until(r#""exited""#));
    let doubt = Verdict { certain: false, ..verdict(State::Blocked, None) };
    let claude = ("claude".to_owned(), "Claude Code".to_owned());
    scene.change(2, PaneChange::Agent { name: claude.0, label: claude.1, verdict: doubt });
    scene.agent(2, State::Blocked, Some(Kind::Question));
    scene.ask(5, outside(), wait(600));
    scene.agent(2, State::Done, None);
    scene.note("a text: shown, too late, never any more, and of a connection that is gone");
    scene.ask(5, outside(), until(r#"{"text":"ok"}"#));
    scene.done(Outcome::TextShown);
    scene.ask(6, outside(), until(r#"{"text":"gone"}"#));
    scene.input(Input::Closed { conn: ConnId(6) });
    scene.ask(5, outside(), verb(r#"{"WaitPane":{"pane":2,"until":{"text":"now"},"timeout_secs":0}}"#));
    scene.pass(1);
    scene.ask(5, outside(), until(r#"{"text":"never"}"#));
    scene.ask(5, outside(), until(r#"{"text":""}"#));
    scene.note("its program ends, its pane closes");
    scene.ask(5, outside(), until(r#"{"state":"blocked"}"#));
    scene.input(Input::Exited { pane: PaneId(2), exit: Exit::Code(3) });
    scene.pass(1_000);
    scene.ask(5, outside(), until(r#""settled""#));
    scene.ask(5, outside(), until(r#"{"text":"was there"}"#));
    scene.done(Outcome::TextShown);
    scene.ask(5, outside(), until(r#"{"state":"idle"}"#));
    scene.change(1, PaneChange::Busy(true));
    scene.ask(5, outside(), request(r#"{"Wait":{"target":1}}"#));
    scene.ask(5, outside(), verb(r#"{"WaitPane":{"pane":1,"until":"exited"}}"#));
    scene.input(Input::Exited { pane: PaneId(1), exit: Exit::Code(4) });
    scene.ask(5, outside(), request(r#"{"Wait":{"target":1}}"#));
    scene.ask(
        5,
        outside(),
        request(r#"{"Wait":{"target":{"environment":"main","terminal":2},"timeout_secs":0}}"#),
    );
    scene.ask(5, outside(), request(r#"{"Wait":{"target":{"environment":"work","terminal":2}}}"#));
    scene.ask(5, astray(), request(r#"{"Read":{"target":{"environment":"work","terminal":2}}}"#));
    scene.ask(5, astray(), request(r#"{"Read":{"target":2,"lines":99999}}"#));
    insta::assert_snapshot!(scene.text);
}

#[test]
fn events_are_followed_and_taken_up_again() {
    let mut scene = two_tabs();
    scene.ask(5, outside(), verb(r#"{"Events":{"types":["agent","pane.exited"]}}"#));
    scene.ask(6, outside(), verb(r#"{"Events":{"types":["agnt"]}}"#));
    scene.ask(7, outside(), request(r#"{"SubscribeAgents":{"filter":{"session":2}}}"#));
    scene.ask(8, inside(2), request(r#"{"SubscribeAgents":{"filter":{"states":["done"]}}}"#));
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Done, None);
    scene.change(1, PaneChange::Bell);
    scene.change(1, PaneChange::Bell);
    scene.change(1, PaneChange::CommandFinished(Some(1)));
    scene.note("resumed: nothing lost, another life, the future");
    scene.ask(9, outside(), verb(r#"{"Events":{"since":10,"boot":"boot-1"}}"#));
    scene.ask(9, outside(), verb(r#"{"Events":{"since":7,"boot":"boot-0"}}"#));
    scene.ask(9, outside(), verb(r#"{"Events":{"since":99}}"#));
    scene.ask(9, outside(), request(r#"{"SubscribeAgents":{"since":3,"boot":"boot-1"}}"#));
    scene.ask(9, outside(), request(r#"{"SubscribeAgents":{"since":3,"boot":"boot-0"}}"#));
    scene.note("the server ends one, the others' connections close, a pane closes");
    scene.input(Input::Done { ticket: Ticket(3), outcome: Outcome::Ok });
    scene.input(Input::Closed { conn: ConnId(9) });
    scene.user(r#"{"ClosePane":{"pane":2}}"#);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn what_is_no_longer_kept_is_said() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        for status in 0..5_000 {
            scene.change(1, PaneChange::CommandFinished(Some(status)));
        }
    });
    let effects = scene.ask(5, outside(), verb(r#"{"Events":{"since":3,"types":["bell"]}}"#));
    assert_eq!(effects.len(), 2, "{effects:?}");
    insta::assert_snapshot!(scene.text);
}

/// BR-59.
#[test]
fn notifications_are_few() {
    let mut scene = two_tabs();
    scene.note("blocked for 200 ms only");
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Blocked, Some(Kind::Permission));
    scene.pass(200);
    scene.agent(2, State::Working, None);
    scene.pass(1_000);
    scene.note("blocked; the program's own word 500 ms later is the same one");
    scene.agent(2, State::Blocked, Some(Kind::Permission));
    scene.pass(500);
    let own = |body: &str| PaneChange::Notification { title: String::new(), body: body.to_owned() };
    scene.change(2, own("Claude needs your permission"));
    scene.pass(200);
    scene.note("done two seconds later: not before five have passed");
    scene.agent(2, State::Working, None);
    scene.pass(2_000);
    scene.agent(2, State::Done, None);
    scene.pass(10_000);
    scene.note("the program's own word first, then the state");
    scene.agent(2, State::Working, None);
    scene.change(2, own("finished\u{1b}]0;x"));
    scene.pass(100);
    scene.agent(2, State::Done, None);
    scene.pass(400);
    scene.agent(2, State::Idle, None);
    scene.agent(2, State::Done, None);
    scene.pass(10_000);
    scene.note("the pane in view needs none; seen meanwhile needs none");
    scene.user(r#"{"Focus":{"pane":2}}"#);
    scene.agent(2, State::Blocked, None);
    scene.change(2, own("look"));
    scene.pass(10_000);
    scene.user(r#"{"Focus":{"pane":1}}"#);
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Blocked, None);
    scene.user(r#"{"Focus":{"pane":2}}"#);
    scene.pass(10_000);
    scene.note("asked for by name: also in view, and by the user from outside");
    scene.ask(5, inside(2), verb(r#"{"Notify":{"title":"deployed"}}"#));
    scene.ask(5, outside(), verb(r#"{"Notify":{"title":"a\u0007b","body":"c\nd"}}"#));
    scene.ask(5, outside(), verb(r#"{"Notify":{"title":" "}}"#));
    scene.pass(1_000);
    scene.note("switched off");
    let settings = Settings { notify: false, ..Settings::default() };
    let problems = vec!["line 3: no such option `them`: did you mean theme?".to_owned()];
    scene.input(Input::Configured { settings, problems, ticket: None });
    scene.ask(5, outside(), verb(r#"{"Notify":{"title":"quiet"}}"#));
    scene.pass(10_000);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn the_user_chooses_which_states_are_told() {
    let mut scene = two_tabs();
    let only_blocked = Settings { on_done: false, ..Settings::default() };
    scene.input(Input::Configured { settings: only_blocked, problems: Vec::new(), ticket: None });
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Done, None);
    scene.pass(10_000);
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Blocked, Some(Kind::Permission));
    scene.pass(10_000);
    let only_done = Settings { on_blocked: false, ..Settings::default() };
    scene.input(Input::Configured { settings: only_done, problems: Vec::new(), ticket: None });
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Blocked, Some(Kind::Question));
    scene.pass(10_000);
    scene.agent(2, State::Working, None);
    scene.agent(2, State::Done, None);
    scene.pass(10_000);
    insta::assert_snapshot!(scene.text);
}

/// BR-59.
#[test]
fn thirty_agents_that_finish_at_once_are_one_or_two_notifications() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        for _ in 0..30 {
            scene.running(
                r#"{"StartAgent":{"agent":"claude","opening":{"place":"tab","attention":"background"}}}"#,
            );
        }
        for pane in 2..32 {
            scene.agent(pane, State::Working, None);
        }
    });
    for pane in 2..32 {
        let kind = (pane == 20).then_some(Kind::Question);
        let state = if pane == 20 { State::Blocked } else { State::Done };
        scene.quietly(|scene| {
            scene.agent(pane, state, kind);
        });
        scene.pass(30);
    }
    scene.pass(20_000);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn the_last_words_to_the_clients() {
    let mut scene = Scene::attached();
    scene.attach(2, 80, 24, None);
    scene.input(Input::Problem("the state folder is full:\nnothing is saved".to_owned()));
    scene.user(r#""ReloadConfig""#);
    let ticket = Some(Ticket(3));
    scene.input(Input::Configured {
        settings: Settings::default(),
        problems: vec!["line 1".to_owned()],
        ticket,
    });
    scene.ask(5, outside(), verb(r#""Info""#));
    scene.user(r#""Restart""#);
    scene.user(r#""Kill""#);
    scene.attach(3, 80, 24, None);
    insta::assert_snapshot!(scene.text);
}
