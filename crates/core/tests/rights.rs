//! The whole matrix of callers and requests, asked of a real world: one snapshot.
//!
//! Not here: what a permitted request does (the transcripts), chats and Workers (the table's own test).

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use common::{Scene, astray, bearing, inside, outside, request, verb};
use kraal_api::model::Exit;
use kraal_api::{PaneId, Request, State, Verb};
use kraal_core::{Effect, Input, Peer};

/// `api`: shell 1 on screen, agent 2, leading agent 3, command 4 and ended command 6 that agent 2
/// opened; `web`: shell 5.
fn scene() -> Scene {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        for lead in ["false", "true"] {
            let start = r#"{"StartAgent":{"agent":"claude","opening":{"place":"tab"},"lead":LEAD}}"#;
            scene.running(&start.replace("LEAD", lead));
        }
        scene.agent(2, State::Working, None);
        scene.agent(3, State::Working, None);
        scene.ask(9, inside(2), verb(r#"{"Run":{"argv":["top"]}}"#));
        scene.user(r#"{"OpenWorkspace":{"name":"web","folder":"/src/web"}}"#);
        scene.ask(9, inside(2), verb(r#"{"Run":{"argv":["true"]}}"#));
        for pane in [4, 5, 6] {
            scene.input(Input::Started { pane: PaneId(pane), pid: 100 });
        }
        scene.input(Input::Exited { pane: PaneId(6), exit: Exit::Code(0) });
        scene.user(r#"{"Focus":{"pane":1}}"#);
    });
    scene
}

/// `yes`, or the code of the refusal.
fn outcome(effects: &[Effect], sentences: &mut BTreeSet<String>) -> String {
    // Its own answer is the last: others who waited are told before.
    let answer = effects.iter().rev().find_map(|effect| match effect {
        Effect::Reply { answer, .. } => Some(answer),
        _ => None,
    });
    match answer.and_then(|answer| answer.as_ref().err()) {
        None => "yes".to_owned(),
        Some(refusal) => {
            let sentence = refusal.to_string();
            let (first, rest) = sentence.split_once(' ').expect("a sentence has words");
            // Some begin with the request's own name.
            let named = Request::NAMES.contains(&first) || Verb::NAMES.contains(&first);
            sentences.insert(if named { format!("NAME {rest}") } else { sentence });
            refusal.code.word().to_owned()
        }
    }
}

#[test]
fn the_whole_matrix() {
    let callers: [(&str, u64, Peer); 8] = [
        ("client", 5, outside()),
        ("attached", 1, Peer { attached: true, ..Peer::default() }),
        ("shell 1", 5, inside(1)),
        ("agent 2", 5, inside(2)),
        ("lead 3", 5, inside(3)),
        ("unknown", 5, astray()),
        ("token of 2", 5, bearing("token-2")),
        ("no token", 5, bearing("token-0")),
    ];
    let mut text = format!("{:<84}", "");
    for (name, ..) in &callers {
        let _ = write!(text, "{name:<14}");
    }
    text.push('\n');
    let mut sentences = BTreeSet::new();
    for line in include_str!("samples.jsonl").lines() {
        let _ = write!(text, "{line:<84}");
        for (_, conn, peer) in &callers {
            let effects = scene().ask(*conn, peer.clone(), request(line));
            let _ = write!(text, "{:<14}", outcome(&effects, &mut sentences));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text.push('\n');
    for sentence in &sentences {
        let _ = writeln!(text, "{sentence}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn the_kernels_word_comes_first() {
    let mut scene = scene();
    let mut code = |peer: Peer, request: Request| outcome(&scene.ask(5, peer, request), &mut BTreeSet::new());
    let kill = || verb(r#""Kill""#);
    // A token makes nobody another pane, and a wrong one takes nothing from who is placed.
    let disguised = Peer { token: Some("token-1".to_owned()), ..inside(2) };
    assert_eq!(code(disguised, kill()), "forbidden");
    let wrong = Peer { token: Some("x".to_owned()), ..inside(2) };
    assert_eq!(code(wrong, request("\"List\"")), "yes");
    // A process of no pane stays one with a token, and a wrong one is said.
    let astray_with = |token: &str| Peer { token: Some(token.to_owned()), ..astray() };
    assert_eq!(code(astray_with("token-1"), kill()), "forbidden");
    assert_eq!(code(astray_with("token-1"), verb("\"Panes\"")), "yes");
    assert_eq!(code(astray_with(""), verb("\"Panes\"")), "unauthorized");
    // A pane that is gone gives nobody a shell's rights.
    assert_eq!(code(inside(99), kill()), "forbidden");
    // An agent's pane stays one before its agent is recognised, and is a shell's again after.
    assert_eq!(code(inside(5), verb(r#"{"Run":{"argv":["claude"]}}"#)), "yes");
    assert_eq!(code(inside(7), verb(r#"{"ClosePane":{"pane":1}}"#)), "not_owned");
    assert_eq!(code(inside(7), verb(r#"{"Lead":{"pane":7}}"#)), "forbidden");
}

#[test]
fn what_an_agent_opens_has_no_more_rights_than_it() {
    let mut scene = scene();
    let mut code = |peer: Peer, request: Request| outcome(&scene.ask(5, peer, request), &mut BTreeSet::new());
    // A shell that agent 2 opens, and what that opens in turn.
    assert_eq!(code(inside(2), verb(r#"{"Run":{"argv":["sh"]}}"#)), "yes");
    assert_eq!(code(inside(7), verb(r#""Kill""#)), "forbidden");
    assert_eq!(code(inside(7), verb(r#"{"SendKeys":{"pane":1,"keys":["enter"]}}"#)), "not_owned");
    assert_eq!(code(inside(7), verb(r#"{"Run":{"argv":["sh"]}}"#)), "yes");
    assert_eq!(code(inside(8), verb(r#"{"ClosePane":{"pane":7}}"#)), "not_owned");
    assert_eq!(code(inside(2), verb(r#"{"ClosePane":{"pane":7}}"#)), "yes");
    // What a shell opened stays the user's when an agent runs in that shell later.
    assert_eq!(code(inside(1), verb(r#"{"Run":{"argv":["sh"]}}"#)), "yes");
    assert_eq!(code(inside(9), verb(r#"{"Focus":{"pane":5}}"#)), "yes");
    scene.agent(1, State::Working, None);
    let mut code = |peer: Peer, request: Request| outcome(&scene.ask(5, peer, request), &mut BTreeSet::new());
    assert_eq!(code(inside(1), verb(r#"{"ClosePane":{"pane":9}}"#)), "not_owned");
    assert_eq!(code(inside(9), verb(r#"{"Focus":{"pane":5}}"#)), "yes");
}

#[test]
fn an_agent_opens_in_the_background() {
    let mut scene = scene();
    let before = scene.world.view(kraal_api::ConnId(1));
    scene.ask(5, inside(2), verb(r#"{"Run":{"argv":["ls"],"opening":{"attention":"focus","place":"tab"}}}"#));
    scene.ask(5, inside(2), verb(r#"{"Focus":{"pane":4}}"#));
    assert_eq!(scene.world.view(kraal_api::ConnId(1)), before);
    let model = scene.world.model();
    let (_, tab) = model.place(PaneId(4)).expect("it is there");
    assert_eq!(tab.focus, PaneId(4));
}
