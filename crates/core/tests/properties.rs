//! Whatever comes in, in any order, the world stays whole: random inputs from seeds.
//!
//! Not here: what any single input does (the transcripts).

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::whole::{Dice, check_whole};
use common::{Scene, astray, bearing, inside, outside, verdict};
use kraal_api::model::{Exit, Phase, Tab};
use kraal_api::stream::Area;
use kraal_api::{ConnId, Kind, PaneId, Refusal, Request, State};
use kraal_core::{Effect, Input, Outcome, PaneChange, Peer, Revival, Saved, Settings, Ticket, World};

/// Requests with `%P` for a pane, `%T` for a tab, `%W` for a workspace, `%N` for a number.
const REQUESTS: &[&str] = &[
    r#""List""#,
    r#""Sessions""#,
    r#"{"Wait":{"target":%P,"timeout_secs":%N}}"#,
    r#"{"Hello":{"api":1,"group":"%W"}}"#,
    r#"{"CreateSession":{"name":"n%N"}}"#,
    r#"{"CloseSession":{"session":%T}}"#,
    r#"{"SubscribeAgents":{"since":%N}}"#,
    r#"{"SubscribeAgents":{"filter":{"states":["done"]}}}"#,
    r#"{"Verb":{"Events":{"since":%N}}}"#,
    r#"{"Verb":{"Events":{"types":["pane"]}}}"#,
    r#"{"Verb":{"WaitPane":{"pane":%P,"until":{"text":"x"},"timeout_secs":%N}}}"#,
    r#"{"Verb":{"WaitPane":{"pane":%P,"until":{"state":"done"},"timeout_secs":%N}}}"#,
    r#"{"Verb":{"WaitPane":{"pane":%P,"until":"exited"}}}"#,
    r#"{"Verb":{"Notify":{"title":"t%N"}}}"#,
    r#"{"Verb":{"Run":{}}}"#,
    r#"{"Verb":{"Run":{"opening":{"place":"tab","attention":"background"}}}}"#,
    r#"{"Verb":{"Run":{"argv":["make"],"opening":{"place":"right","from":%P}}}}"#,
    r#"{"Verb":{"Run":{"argv":["make"],"opening":{"place":"down","from":%P,"at_end":"close"}}}}"#,
    r#"{"Verb":{"Run":{"argv":["claude"],"opening":{"place":"here","from":%P}}}}"#,
    r#"{"Verb":{"Run":{"argv":["top"],"opening":{"workspace":"%W","name":"x%N"}}}}"#,
    r#"{"Verb":{"Run":{"argv":["top"],"opening":{"place":"floating","from":%P}}}}"#,
    r#"{"Verb":{"Run":{"argv":["top"],"opening":{"place":"floating","attention":"background"}}}}"#,
    r#"{"Verb":{"StartAgent":{"agent":"codex","lead":true}}}"#,
    r#"{"Verb":{"SendText":{"pane":%P,"text":"x"}}}"#,
    r#"{"Verb":{"SendKeys":{"pane":"x%N","keys":["a"]}}}"#,
    r#"{"Verb":{"Focus":{"pane":%P}}}"#,
    r#"{"Verb":{"Rename":{"pane":%P,"name":"x%N"}}}"#,
    r#"{"Verb":{"ClosePane":{"pane":%P}}}"#,
    r#"{"Verb":{"Rerun":{"pane":%P}}}"#,
    r#"{"Verb":{"Zoom":{"pane":%P}}}"#,
    r#"{"Verb":{"ResizePane":{"pane":%P,"direction":"right","cells":%N}}}"#,
    r#"{"Verb":{"ResizePane":{"pane":%P,"direction":"up","cells":-%N}}}"#,
    r#"{"Verb":{"MovePane":{"pane":%P,"to":%T}}}"#,
    r#"{"Verb":{"MovePane":{"pane":%P}}}"#,
    r#"{"Verb":{"ResizePane":{"pane":%P,"direction":"left","cells":-2147483648}}}"#,
    r#"{"Verb":{"ResizePane":{"pane":%P,"direction":"down","cells":2147483647}}}"#,
    r#"{"Verb":{"SwapPane":{"pane":%P,"with":%Q}}}"#,
    r#"{"Verb":{"Float":{"pane":%P}}}"#,
    r#"{"Verb":{"Float":{"pane":%Q}}}"#,
    r#"{"Verb":{"PlaceFloat":{"pane":%P,"x":%N0,"y":%N,"w":%N0,"h":%N}}}"#,
    r#"{"Verb":{"PlaceFloat":{"pane":%P,"x":65535,"y":65535,"w":65535,"h":0}}}"#,
    r#"{"Verb":{"HideFloats":{"tab":%T}}}"#,
    r#"{"Verb":{"HideFloats":{"tab":1}}}"#,
    r#"{"Verb":{"Reveal":{"pane":%P}}}"#,
    r#"{"Verb":{"Arrange":{"tab":%T,"how":"next"}}}"#,
    r#"{"Verb":{"LookAt":{"tab":%T}}}"#,
    r#"{"Verb":{"CloseTab":{"tab":%T}}}"#,
    r#"{"Verb":{"RenameTab":{"tab":%T,"name":"n%N"}}}"#,
    r#"{"Verb":{"MoveTab":{"tab":%T,"by":-%N}}}"#,
    r#"{"Verb":{"OpenWorkspace":{"name":"%W"}}}"#,
    r#"{"Verb":{"OpenWorkspace":{"folder":"/src/%W"}}}"#,
    r#"{"Verb":{"RenameWorkspace":{"workspace":"%W","name":"%V"}}}"#,
    r#"{"Verb":{"CloseWorkspace":{"workspace":"%W"}}}"#,
    r#"{"Verb":{"Lead":{"pane":%P}}}"#,
    r#"{"Verb":{"Attach":{"stream":1,"area":{"cols":%N,"rows":%N},"workspace":"%W"}}}"#,
    r#"{"Verb":{"Attach":{"stream":1,"area":{"cols":120,"rows":%N},"tab":%T}}}"#,
    r#"{"Verb":{"Attach":{"stream":1,"area":{"cols":1,"rows":1},"tab":%T}}}"#,
    r#"{"Verb":"ReloadConfig"}"#,
    r#"{"Verb":"Info"}"#,
];

fn random_request(dice: &mut Dice) -> Request {
    let workspaces = ["a", "b", "api"];
    let text = dice
        .one(REQUESTS)
        .replace("%P", &dice.below(12).to_string())
        .replace("%Q", &dice.below(12).to_string())
        .replace("%T", &dice.below(8).to_string())
        .replace("%N", &(1 + dice.below(90)).to_string())
        .replace("%W", dice.one(&workspaces))
        .replace("%V", dice.one(&workspaces));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn random_peer(dice: &mut Dice) -> Peer {
    match dice.below(8) {
        0 => inside(dice.below(12)),
        1 => astray(),
        2 => bearing("token-1"),
        _ => outside(),
    }
}

fn random_change(dice: &mut Dice) -> PaneChange {
    let states = [State::Working, State::Blocked, State::Done, State::Idle];
    match dice.below(12) {
        0 => PaneChange::Title("t".to_owned()),
        1 => PaneChange::Cwd(format!("/src/{}", dice.below(3))),
        2 => PaneChange::Busy(dice.below(2) == 0),
        3 => PaneChange::Bell,
        4 => PaneChange::Notification { title: "n".to_owned(), body: String::new() },
        5 => PaneChange::CommandFinished(None),
        6 => PaneChange::AgentGone,
        7 => PaneChange::Progress(Some(255)),
        _ => {
            let name = ["claude", "codex"][dice.below(2) as usize].to_owned();
            let kind = (dice.below(3) == 0).then_some(Kind::Question);
            let verdict = verdict(states[dice.below(4) as usize], kind);
            PaneChange::Agent { label: name.clone(), name, verdict }
        }
    }
}

fn random_input(dice: &mut Dice, ticket: u64) -> Input {
    let conn = ConnId(dice.below(5));
    let pane = PaneId(dice.below(12));
    // Now and then there is hardly any room.
    let (cols, rows) = if dice.below(3) == 0 { (3, 3) } else { (200, 60) };
    let area = Area { cols: dice.below(cols) as u16, rows: dice.below(rows) as u16 };
    match dice.below(24) {
        0 => Input::Closed { conn },
        1 => Input::ClientArea { conn, area },
        2 => Input::ClientFocus { conn, focused: dice.below(2) == 0 },
        3 => Input::ClientActive { conn },
        4 | 5 => Input::Started { pane, pid: 1 },
        6 => Input::StartFailed { pane, reason: "no".to_owned() },
        7 => Input::Exited { pane, exit: Exit::Code(0) },
        8..=11 => Input::Pane { pane, change: random_change(dice) },
        12 => {
            let outcome = match dice.below(3) {
                0 => Outcome::TextShown,
                1 => Outcome::Ok,
                _ => Outcome::Failed(Refusal::failed("it did not work")),
            };
            Input::Done { ticket: Ticket(dice.below(ticket + 1)), outcome }
        }
        13 => Input::Configured { settings: Settings::default(), problems: Vec::new(), ticket: None },
        14 => Input::Tick,
        15 => Input::Problem("p".to_owned()),
        _ => Input::Request {
            ticket: Ticket(ticket),
            conn,
            peer: random_peer(dice),
            request: random_request(dice),
        },
    }
}

/// What holds for the effects of a run: one answer a ticket, one number an event, sizes as they are.
#[derive(Default)]
struct Told {
    answered: BTreeSet<Ticket>,
    numbers: BTreeMap<Ticket, u64>,
}

impl Told {
    fn check(&mut self, world: &World, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Reply { ticket, .. } => {
                    let first = self.answered.insert(*ticket);
                    assert!(first, "{ticket:?} is answered twice");
                }
                Effect::Event { ticket, event } if event.what.word() != "lost" => {
                    let last = self.numbers.insert(*ticket, event.seq);
                    assert!(last.is_none_or(|last| last < event.seq), "{event:?} after {last:?}");
                }
                Effect::Start { pane, start } => assert_eq!(world.pane_size(*pane), (start.cols, start.rows)),
                Effect::Resize { pane, cols, rows } => assert_eq!(world.pane_size(*pane), (*cols, *rows)),
                _ => {}
            }
        }
    }
}

/// How often a tab was seen that has floating panes.
#[derive(Debug, Default)]
struct Floated {
    shown: u32,
    hidden: u32,
    focused: u32,
    several: u32,
}

impl Floated {
    fn count(&mut self, tab: &Tab) {
        let there = !tab.floating.is_empty();
        self.shown += u32::from(there && !tab.floats_hidden);
        self.hidden += u32::from(there && tab.floats_hidden);
        self.focused += u32::from(tab.floats(tab.focus));
        self.several += u32::from(tab.floating.len() > 1);
    }
}

/// What was saved comes back as it was.
fn check_saved(world: &World, now: u64) {
    let saved = world.save();
    let read = Saved::read(&saved.to_bytes()).expect("what was saved is read");
    assert_eq!(read, saved);
    let alive = saved.panes.iter().filter(|pane| pane.facts.phase == Phase::Running);
    let revival = Revival::Running { alive: alive.map(|pane| (pane.facts.id, None)).collect() };
    let (revived, _) = World::restore(common::setup("other"), &read, revival, now);
    let again = revived.save();
    let expected = Saved { restarts: saved.restarts + 1, events: again.events.clone(), ..saved.clone() };
    assert_eq!(again, expected);
    assert_eq!(again.events.seq, saved.events.seq + 1);
    check_whole(&revived, now);
    let (rebooted, _) = World::restore(common::setup("other"), &read, Revival::Rebooted, now);
    check_whole(&rebooted, now);
    assert_eq!(rebooted.model().workspaces, world.model().workspaces);
}

#[test]
fn any_input_leaves_the_world_whole() {
    let (mut steps, mut most) = (0, 0);
    let mut floated = Floated::default();
    for seed in 0..120 {
        let mut dice = Dice(seed);
        let mut scene = Scene::attached();
        let mut told = Told::default();
        for step in 0..250 {
            let input = random_input(&mut dice, 1000 + step);
            scene.now += dice.below(1_500);
            let effects = scene.world.handle(input, scene.now);
            told.check(&scene.world, &effects);
            check_whole(&scene.world, scene.now);
            steps += 1;
            let model = scene.world.model();
            most = most.max(model.panes.len());
            model.workspaces.iter().flat_map(|workspace| &workspace.tabs).for_each(|tab| floated.count(tab));
            if effects.iter().any(|effect| matches!(effect, Effect::End { .. })) {
                break;
            }
            if step % 50 == 49 {
                check_saved(&scene.world, scene.now);
            }
        }
    }
    // The walks are worth something: most are long, and there is more than a pane or two.
    assert!(steps > 120 * 100 && most > 8, "{steps} steps, {most} panes");
    let Floated { shown, hidden, focused, several } = floated;
    assert!([shown, hidden, focused, several].into_iter().all(|times| times > 500), "{floated:?}");
}
