//! What outlives a server: under running programs, and over a reboot.
//!
//! Not here: where it is written.

mod common;

use std::collections::BTreeMap;

use common::whole::{Dice, check_whole};
use common::{Scene, inside, outside, request, verb};
use kraal_api::layout::{Axis, Layout, Rect};
use kraal_api::model::{Exit, Tab};
use kraal_api::{Kind, PaneId, State};
use kraal_core::saved::AgentRun;
use kraal_core::{Effect, Input, PaneChange, Revival, Saved};

/// A shell, an agent that waits, an ended command, and a shell in another workspace.
fn scene() -> Scene {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        scene.running(r#"{"StartAgent":{"agent":"claude","opening":{"name":"api"},"lead":true}}"#);
        scene.agent(2, State::Blocked, Some(Kind::Permission));
        scene.running(r#"{"Run":{"argv":["make"],"opening":{"env":{"CC":"cc"},"place":"down"}}}"#);
        scene.input(Input::Exited { pane: PaneId(3), exit: Exit::Code(1) });
        scene.running(r#"{"OpenWorkspace":{"name":"web","folder":"/src/web"}}"#);
        scene.change(4, PaneChange::Cwd("/src/web/deep".to_owned()));
        scene.running(r#"{"Run":{"argv":["top"],"opening":{"place":"tab","workspace":"web"}}}"#);
        scene.pass(1_000);
    });
    scene
}

#[test]
fn a_new_server_under_running_programs() {
    let mut scene = scene();
    scene.note("pane 4 ended meanwhile, pane 5 is not known any more, pane 9 was never saved");
    let known = [(1, None), (2, None), (4, Some(Exit::Code(0))), (9, None)];
    scene.restart(Revival::Running { alive: known.map(|(pane, exit)| (PaneId(pane), exit)).to_vec() });
    scene.tree();
    scene.note("clients come back; streams go on where they were; nothing is told twice");
    scene.attach(1, 82, 26, None);
    scene.ask(
        5,
        outside(),
        verb(r#"{"Events":{"since":20,"boot":"boot-1","types":["agent","pane","server"]}}"#),
    );
    scene.ask(5, outside(), request(r#"{"SubscribeAgents":{"since":7,"boot":"boot-1"}}"#));
    scene.agent(2, State::Blocked, Some(Kind::Permission));
    scene.pass(10_000);
    scene.note("rights and tokens are the same");
    scene.ask(6, inside(2), request(r#"{"Hello":{"api":1}}"#));
    scene.ask(6, common::bearing("token-2"), request(r#""List""#));
    scene.ask(6, outside(), verb(r#""Info""#));
    scene.user(r#"{"Rerun":{"pane":3}}"#);
    scene.note("ids go on");
    scene.user(r#"{"Run":{"argv":["ls"],"opening":{"place":"tab"}}}"#);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_program_that_was_not_started_yet_is() {
    let mut scene = Scene::attached();
    scene.user(r#"{"Run":{"argv":["make"]}}"#);
    let saved = scene.world.save();
    let revival = Revival::Running { alive: vec![(PaneId(1), None)] };
    let (world, effects) = kraal_core::World::restore(common::setup("b"), &saved, revival, scene.now);
    let started: Vec<&Effect> =
        effects.iter().filter(|effect| matches!(effect, Effect::Start { .. })).collect();
    assert!(matches!(started.as_slice(), [Effect::Start { pane: PaneId(2), .. }]), "{effects:?}");
    assert_eq!(world.model().panes.len(), 2);
}

#[test]
fn after_a_reboot() {
    let mut scene = scene();
    scene.restart(Revival::Rebooted);
    scene.tree();
    scene.attach(1, 82, 26, None);
    scene.note("Enter runs what waits");
    scene.user(r#"{"Rerun":{"pane":"api"}}"#);
    scene.ask(5, inside(2), request(r#"{"Hello":{"api":1}}"#));
    scene.ask(5, outside(), verb(r#"{"Events":{"since":20,"boot":"boot-1"}}"#));
    insta::assert_snapshot!(scene.text);
}

/// Agents as they ran when the machine went down: what each goes on with.
#[test]
fn agents_go_on_after_a_reboot_and_never_repeat_a_prompt() {
    let mut scene = Scene::attached();
    let ran = |scene: &mut Scene, pane: u64, argv: &[&str], conversation: Option<&str>| {
        scene.agent(pane, State::Idle, None);
        let run = AgentRun {
            agent: "claude".to_owned(),
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            conversation: conversation.map(str::to_owned),
            env: BTreeMap::from([("CLAUDE_CONFIG_DIR".to_owned(), "/work".to_owned())]),
        };
        scene.change(pane, PaneChange::AgentRun(run));
    };
    scene.quietly(|scene| {
        for argv in [
            r#"["claude","fix the bug"]"#,
            r#"["claude","--model","opus","fix the bug"]"#,
            r#"["claude","--mystery","fix"]"#,
            r#"["claude","-p","fix the bug"]"#,
            r#"["claude","unknown conversation"]"#,
            r#"[]"#,
        ] {
            scene.running(&format!(r#"{{"Run":{{"argv":{argv},"opening":{{"place":"tab"}}}}}}"#));
        }
        ran(scene, 2, &["claude", "fix the bug"], Some("c-2"));
        ran(scene, 3, &["claude", "--model", "opus", "fix the bug"], Some("c-3"));
        ran(scene, 4, &["claude", "--mystery", "fix"], Some("c-4"));
        ran(scene, 5, &["claude", "-p", "fix the bug"], Some("c-5"));
        ran(scene, 6, &["claude", "unknown conversation"], None);
        ran(scene, 7, &["node", "/usr/bin/claude", "typed in a shell"], Some("c-7"));
    });
    scene.restart(Revival::Rebooted);
    scene.note("the resumed agent of the shell ends: its shell begins");
    scene.input(Input::Started { pane: PaneId(7), pid: 70 });
    scene.input(Input::Exited { pane: PaneId(7), exit: Exit::Code(0) });
    scene.note("a resumed agent ends: Enter takes it up once more");
    scene.input(Input::Started { pane: PaneId(2), pid: 20 });
    scene.agent(2, State::Idle, None);
    scene.input(Input::Exited { pane: PaneId(2), exit: Exit::Code(0) });
    scene.user(r#"{"Rerun":{"pane":2}}"#);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn what_a_newer_kraal_wrote_is_left_alone() {
    let saved = scene().world.save();
    let newer =
        String::from_utf8(saved.to_bytes()).expect("JSON").replacen("\"version\":1", "\"version\":7", 1);
    let error = Saved::read(newer.as_bytes()).expect_err("it is newer").to_string();
    assert!(error.contains("format 7") && error.contains("newer kraal"), "{error}");
    let error = Saved::read(b"{\"version\":1}").expect_err("it is cut off").to_string();
    assert!(error.contains("cannot be read"), "{error}");
    assert!(Saved::read(b"").is_err());
}

#[test]
fn what_does_not_fit_together_is_mended() {
    let mut saved = scene().world.save();
    saved.panes.retain(|pane| pane.facts.id != PaneId(1));
    let twice = saved.workspaces[1].clone();
    saved.workspaces.push(twice);
    saved.workspaces[1].tabs[0].focus = PaneId(77);
    saved.next = (1, 1, 1);
    let (world, _) = kraal_core::World::restore(common::setup("b"), &saved, Revival::Rebooted, 0);
    let mended = world.save();
    assert_eq!(mended.next, (6, 4, 3));
    assert_eq!(mended.workspaces.len(), 2);
    assert_eq!(mended.workspaces[1].tabs[0].focus, PaneId(4));
    insta::assert_snapshot!(common::tree(&world));
}

/// Tiles and floating panes in one tab, hidden ones in another, a lone shell in a third.
fn with_floats() -> Saved {
    let mut scene = Scene::attached();
    let run = |place: &str| format!(r#"{{"Run":{{"argv":["top"],"opening":{{"place":"{place}"}}}}}}"#);
    for place in ["right", "floating", "floating", "tab", "floating", "tab"] {
        scene.running(&run(place));
    }
    scene.user(r#"{"HideFloats":{"tab":2}}"#);
    scene.world.save()
}

/// Comes back from it, and lives on.
fn lives(saved: &Saved, label: &dyn std::fmt::Debug) {
    // The keeper knows numbers that were given.
    let alive = saved.panes.iter().map(|pane| pane.facts.id).filter(|pane| pane.0 < 1 << 53);
    let alive = alive.map(|pane| (pane, None)).collect();
    for revival in [Revival::Rebooted, Revival::Running { alive }] {
        let (world, _) = kraal_core::World::restore(common::setup("b"), saved, revival, 0);
        let mut scene = Scene::of(world);
        check_whole(&scene.world, scene.now);
        if scene.world.model().workspaces.is_empty() {
            continue;
        }
        scene.attach(1, 60, 20, None);
        let tabs = scene.world.model().workspaces.into_iter().flat_map(|workspace| workspace.tabs);
        for tab in tabs.collect::<Vec<_>>() {
            let id = tab.id;
            scene.user(&format!(r#"{{"LookAt":{{"tab":{id}}}}}"#));
            scene.user(&format!(r#"{{"HideFloats":{{"tab":{id}}}}}"#));
            for pane in tab.panes() {
                for ask in [
                    r#"{"ResizePane":{"pane":%P,"direction":"left","cells":3}}"#,
                    r#"{"ResizePane":{"pane":%P,"direction":"down","cells":-3}}"#,
                    r#"{"Reveal":{"pane":%P}}"#,
                    r#"{"Float":{"pane":%P}}"#,
                ] {
                    scene.user(&ask.replace("%P", &pane.to_string()));
                    check_whole(&scene.world, scene.now);
                }
            }
        }
        let again = scene.world.save();
        assert!(Saved::read(&again.to_bytes()).is_ok_and(|read| read == again), "{label:?}");
    }
}

#[test]
fn floats_that_do_not_fit_together_are_mended() {
    let damages: [fn(&mut Tab); 9] = [
        |tab| tab.focus = PaneId(77),
        |tab| (tab.floats_hidden, tab.focus) = (true, tab.floating[0].pane),
        |tab| tab.floating.clear(),
        |tab| tab.floating.push(tab.floating[0]),
        |tab| tab.floating.iter_mut().for_each(|float| float.pane = tab.focus),
        |tab| tab.layout = Layout::Pane(tab.floating[0].pane),
        |tab| tab.layout = Layout::Split { axis: Axis::Row, children: Vec::new() },
        |tab| (tab.came_from, tab.zoomed) = (Some(tab.focus), Some(PaneId(1))),
        |tab| (tab.floating[0].x, tab.floating[0].w, tab.floating[0].h) = (u16::MAX, u16::MAX, 0),
    ];
    for (number, damage) in damages.iter().enumerate() {
        for at in 0..2 {
            for hidden in [false, true] {
                let mut saved = with_floats();
                let tab = &mut saved.workspaces[0].tabs[at];
                tab.floats_hidden = hidden;
                damage(tab);
                for area in [(0, 0, 0, 0), (u16::MAX, u16::MAX, u16::MAX, u16::MAX), (7, 7, 1, 1)] {
                    let (x, y, w, h) = area;
                    let id = saved.workspaces[0].tabs[at].id;
                    saved.areas.insert(id, Rect { x, y, w, h });
                    lives(&saved, &(number, at, hidden, area));
                }
            }
        }
    }
}

/// Numbers anywhere in what was saved, changed at random.
#[test]
fn any_number_may_be_another() {
    let sound = serde_json::from_slice::<serde_json::Value>(&with_floats().to_bytes()).expect("JSON");
    let (mut read, mut seeds) = (0, 0);
    for seed in 0..600 {
        let mut dice = Dice(seed);
        let mut damaged = sound.clone();
        for _ in 0..=dice.below(4) {
            let parts = ["workspaces", "areas", "next", "recent", "looked_at", "panes"];
            let mut numbers = Vec::new();
            leaves(&mut damaged[dice.one(&parts)], &mut numbers);
            if numbers.is_empty() {
                continue;
            }
            let at = dice.below(numbers.len() as u64) as usize;
            *numbers[at] = [0, 1, 2, 3, 4, 5, 999, 65_535, u64::MAX][dice.below(9) as usize].into();
        }
        seeds += 1;
        let bytes = serde_json::to_vec(&damaged).expect("JSON");
        if let Ok(saved) = Saved::read(&bytes) {
            read += 1;
            lives(&saved, &seed);
        }
    }
    assert!(read * 2 > seeds, "{read} of {seeds} were read");
}

fn leaves<'a>(value: &'a mut serde_json::Value, into: &mut Vec<&'a mut serde_json::Value>) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| leaves(item, into)),
        serde_json::Value::Object(fields) => fields.values_mut().for_each(|field| leaves(field, into)),
        serde_json::Value::Number(_) => into.push(value),
        _ => {}
    }
}

#[test]
fn nobody_left_is_the_end() {
    let saved = Scene::attached().world.save();
    let revival = Revival::Running { alive: vec![(PaneId(1), Some(Exit::Code(0)))] };
    let (_, effects) = kraal_core::World::restore(common::setup("b"), &saved, revival, 0);
    assert_eq!(effects.last(), Some(&Effect::End { ticket: None }));
}
