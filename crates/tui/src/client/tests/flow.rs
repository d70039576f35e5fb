//! Where actions lead: requests, going, opening, ending.

use kraal_api::layout::Floating;
use kraal_api::model::Phase;
use kraal_api::panes::{Direction, OnPane, OnTab, Opened, Place};
use kraal_api::stream::{Area, Bye};

use super::fixtures::{busy, leaf, lone, pane, tab};
use super::*;

fn verbs(rig: &mut Rig) -> Vec<Verb> {
    rig.asked().into_iter().map(|(_, verb)| verb).collect()
}

fn on(pane: u64) -> OnPane {
    OnPane { pane: PaneId(pane).into() }
}

#[test]
fn keys_without_and_with_the_prefix_run_actions() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("ctrl+b z");
    assert_eq!(verbs(&mut rig), [Verb::Zoom(on(1))]);
    rig.keys("alt+right");
    assert_eq!(verbs(&mut rig), [Verb::Focus(on(2))]);
    assert_eq!(rig.focus(), Some(2), "keys go there at once");
    rig.keys("alt+down");
    assert_eq!(verbs(&mut rig), [Verb::Focus(on(3))]);
    rig.keys("ctrl+b 2");
    assert_eq!(verbs(&mut rig), [Verb::LookAt(OnTab { tab: TabId(2) })]);
    assert_eq!(rig.tab(), Some(TabId(2)));
}

#[test]
fn facts_from_before_a_step_do_not_take_the_focus_back() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("alt+right");
    let (ask, _) = rig.asked().remove(0);
    // The server had sent these before it read the request.
    rig.facts(busy());
    assert_eq!(rig.focus(), Some(2));
    let mut after = busy();
    after.workspaces[0].tabs[0].focus = PaneId(2);
    rig.facts(after.clone());
    rig.answer(ask, Ok(Response::Ok));
    assert_eq!(rig.focus(), Some(2));
    // From here on the server's word counts again.
    after.workspaces[0].tabs[0].focus = PaneId(3);
    rig.facts(after);
    assert_eq!(rig.focus(), Some(3));
}

#[test]
fn a_refused_step_leaves_the_focus_where_it_was() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("alt+right");
    let (ask, _) = rig.asked().remove(0);
    rig.answer(ask, Err(Refusal::not_found("there is no pane 2")));
    assert_eq!(rig.focus(), Some(1));
    assert!(rig.shows().contains("there is no pane 2"));
}

#[test]
fn what_is_typed_after_a_new_pane_was_asked_for_goes_to_it() {
    let mut rig = Rig::new(120, 40, lone());
    rig.keys("ctrl+b n").types("ls");
    rig.keys("enter");
    let asked = rig.sent.clone();
    assert_eq!(asked.len(), 1, "nothing was typed anywhere yet: {asked:?}");
    let (ask, _) = rig.asked().remove(0);
    rig.answer(ask, Ok(Response::PaneOpened(Opened { pane: PaneId(2), tab: TabId(1) })));
    assert_eq!(rig.typed(), [], "the facts do not show it yet");
    let mut model = lone();
    model.panes.push(pane(2));
    model.workspaces[0].tabs[0] =
        tab(1, None, super::fixtures::split(kraal_api::layout::Axis::Row, &[leaf(1), leaf(2)]));
    model.workspaces[0].tabs[0].focus = PaneId(2);
    rig.facts(model);
    let keys: Vec<(u64, String)> = rig.typed();
    assert_eq!(keys, [(2, "l".into()), (2, "s".into()), (2, "enter".into())]);
}

#[test]
fn what_is_typed_for_a_pane_that_never_opens_goes_nowhere() {
    let mut rig = Rig::new(120, 40, lone());
    rig.keys("ctrl+b n").types("rm");
    let (ask, _) = rig.asked().remove(0);
    rig.answer(ask, Err(Refusal::failed("no descriptors are left")));
    assert_eq!(rig.typed(), []);
    assert!(rig.shows().contains("no descriptors are left"));
    rig.types("x");
    assert_eq!(rig.typed(), [(1, "x".into())], "and typing works again");

    rig.keys("ctrl+b n").types("rm");
    rig.sent.clear();
    rig.wait(5_000);
    assert_eq!(rig.typed(), []);
    assert!(rig.shows().contains("took too long"));
}

#[test]
fn closing_asks_only_when_something_ends() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("ctrl+b x");
    assert_eq!(verbs(&mut rig), []);
    assert!(rig.shows().contains("Claude Code is working in it."));
    rig.keys("enter");
    assert_eq!(verbs(&mut rig), [], "enter alone never closes");
    rig.keys("y");
    assert_eq!(verbs(&mut rig), [Verb::ClosePane(on(1))]);

    let mut rig = Rig::new(120, 40, lone());
    rig.keys("ctrl+b x").types("q");
    assert_eq!(rig.sent.len(), 1, "a shell closes at once, and what follows waits: {:?}", rig.sent);
    assert_eq!(verbs(&mut rig), [Verb::ClosePane(on(1))]);
}

#[test]
fn an_ended_pane_runs_again_or_closes() {
    let mut rig = Rig::new(120, 40, busy());
    rig.hear(ToClient::View { tab: TabId(2) });
    rig.types("z").keys("enter");
    assert_eq!(verbs(&mut rig), [Verb::Rerun(on(4))]);
    rig.types("x");
    assert_eq!(verbs(&mut rig), [Verb::ClosePane(on(4))]);
}

#[test]
fn what_floats_over_an_agent_that_is_gone_to_is_for_the_server_to_hide() {
    let mut model = busy();
    model.panes[2] = super::fixtures::agent(3, "Pi", kraal_api::State::Blocked, None);
    model.panes.push(pane(8));
    let tab = &mut model.workspaces[0].tabs[0];
    tab.floating = vec![Floating { pane: PaneId(8), x: 0, y: 0, w: 1000, h: 1000 }];
    tab.focus = PaneId(8);
    let mut rig = Rig::new(120, 40, model.clone());
    // Twice before any answer: were the floating panes only turned over, the second would show them.
    rig.keys("alt+a alt+a");
    let asked = verbs(&mut rig);
    assert!(!asked.iter().any(|verb| matches!(verb, Verb::HideFloats(_))), "{asked:?}");
    assert_eq!(asked, [Verb::Reveal(on(3)), Verb::Reveal(on(2))]);
    rig.types("y");
    assert_eq!(rig.typed(), [(2, "y".into())]);
    // Facts from before leave it there.
    rig.facts(model);
    rig.types("y");
    assert_eq!(rig.typed(), [(2, "y".into())]);
}

#[test]
fn what_is_typed_after_floats_were_hidden_goes_where_the_server_put_the_focus() {
    let mut shown = busy();
    shown.panes.push(pane(8));
    let tab = &mut shown.workspaces[0].tabs[0];
    tab.floating = vec![Floating { pane: PaneId(8), x: 0, y: 0, w: 400, h: 400 }];
    tab.focus = PaneId(8);
    let mut hidden = shown.clone();
    (hidden.workspaces[0].tabs[0].floats_hidden, hidden.workspaces[0].tabs[0].focus) = (true, PaneId(3));
    let mut rig = Rig::new(120, 40, shown.clone());
    rig.keys("ctrl+b ctrl+f").types("ls");
    let asked = rig.sent.clone();
    assert_eq!(asked.len(), 1, "nothing was typed anywhere yet: {asked:?}");
    let (ask, verb) = rig.asked().remove(0);
    assert_eq!(verb, Verb::HideFloats(OnTab { tab: TabId(1) }));
    rig.facts(shown);
    rig.answer(ask, Ok(Response::Ok));
    rig.hear(ToClient::View { tab: TabId(1) });
    assert_eq!(rig.typed(), [], "the facts do not show it yet");
    rig.facts(hidden);
    assert_eq!(rig.typed(), [(3, "l".into()), (3, "s".into())]);
    // Refused: nothing moved.
    rig.keys("ctrl+b ctrl+f").types("x");
    let (ask, _) = rig.asked().remove(0);
    rig.answer(ask, Err(Refusal::failed("nothing floats")));
    assert_eq!(rig.typed(), [(3, "x".into())]);
}

#[test]
fn a_float_under_the_mouse_is_let_go_in_another_room_and_out_of_sight() {
    use kraal_term::{MouseButton, MouseEvent, MouseKind};
    let mut model = busy();
    model.panes.push(pane(8));
    let tab = &mut model.workspaces[0].tabs[0];
    tab.floating = vec![Floating { pane: PaneId(8), x: 700, y: 500, w: 300, h: 400 }];
    tab.focus = PaneId(8);
    let mouse = |rig: &mut Rig, kind, (x, y)| {
        let mods = kraal_term::keys::Mods::empty();
        rig.event(Event::Mouse(MouseEvent { kind, button: Some(MouseButton::Left), x, y, mods }));
    };
    let placed = |rig: &mut Rig| {
        mouse(rig, MouseKind::Move, (95, 28));
        verbs(rig).iter().filter(|verb| matches!(verb, Verb::PlaceFloat(_))).count()
    };
    // Its rectangle is 27 by 15 cells, from 92 and 20 on.
    let taken = |change: &dyn Fn(&mut Rig)| {
        let mut rig = Rig::new(120, 40, model.clone());
        mouse(&mut rig, MouseKind::Press, (92, 25));
        change(&mut rig);
        rig.sent.clear();
        placed(&mut rig)
    };
    assert_eq!(taken(&|_| {}), 1);
    assert_eq!(taken(&|rig| rig.give(Input::Resize(60, 20))), 0);
    let told = |change: &dyn Fn(&mut kraal_api::model::Tab)| {
        let mut model = model.clone();
        change(&mut model.workspaces[0].tabs[0]);
        taken(&|rig| rig.facts(model.clone()))
    };
    assert_eq!(told(&|tab| tab.floats_hidden = true), 0);
    assert_eq!(told(&|tab| tab.floating.clear()), 0);
    assert_eq!(told(&|tab| tab.zoomed = Some(PaneId(8))), 0);
    // One that fills the tab has no frame to take.
    model.workspaces[0].tabs[0].zoomed = Some(PaneId(8));
    let mut rig = Rig::new(120, 40, model);
    mouse(&mut rig, MouseKind::Press, (28, 10));
    assert_eq!(placed(&mut rig), 0);
}

#[test]
fn in_a_tab_that_is_gone_to_keys_go_where_its_focus_is() {
    let mut rig = Rig::new(120, 40, busy());
    rig.hear(ToClient::View { tab: TabId(2) });
    rig.keys("ctrl+b 1");
    let (ask, _) = rig.asked().remove(0);
    // Somebody else had moved it before the server read the request.
    let mut moved = busy();
    moved.workspaces[0].tabs[0].focus = PaneId(3);
    rig.facts(moved);
    rig.types("a");
    rig.hear(ToClient::View { tab: TabId(1) });
    rig.answer(ask, Ok(Response::Ok));
    rig.types("b");
    assert_eq!(rig.typed(), [(3, "a".into()), (3, "b".into())]);
}

#[test]
fn the_next_agent_is_the_one_that_waits_longest() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("alt+a");
    assert_eq!(verbs(&mut rig), [Verb::Reveal(on(2))], "blocked first");
    rig.keys("alt+a");
    assert_eq!(verbs(&mut rig), [Verb::Reveal(on(6))], "then done, in another workspace");
    assert_eq!(rig.tab(), Some(TabId(4)));
    rig.keys("alt+a");
    assert_eq!(verbs(&mut rig), [Verb::Reveal(on(2))], "and round again");
    let mut calm = lone();
    calm.panes[0].phase = Phase::Running;
    let mut rig = Rig::new(120, 40, calm);
    rig.keys("alt+a");
    assert!(rig.shows().contains("no other agent needs you"));
}

#[test]
fn forms_and_lists_ask_for_what_was_chosen() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("ctrl+b ,").types("main agent").keys("enter");
    let asked = verbs(&mut rig);
    assert!(matches!(&asked[..], [Verb::Rename(r)] if r.name.as_deref() == Some("main agent")), "{asked:?}");
    rig.keys("ctrl+b r").types("cargo test -- 'a b'").keys("enter");
    let asked = verbs(&mut rig);
    assert!(matches!(&asked[..], [Verb::Run(r)] if r.argv == ["cargo", "test", "--", "a b"]), "{asked:?}");
    rig.wait(4_000);
    rig.keys("ctrl+b p").types("open").keys("enter");
    assert_eq!(verbs(&mut rig), [Verb::Reveal(on(6))]);
    rig.keys("ctrl+b t");
    let asked = verbs(&mut rig);
    assert!(matches!(&asked[..], [Verb::Run(r)] if r.opening.place == Place::Tab), "{asked:?}");
}

#[test]
fn a_paste_into_a_form_is_its_text() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("ctrl+b ,");
    for event in [Event::PasteStart, Event::Paste(b"two\nlines".to_vec()), Event::PasteEnd] {
        rig.event(event);
    }
    rig.keys("enter");
    let asked = verbs(&mut rig);
    assert!(matches!(&asked[..], [Verb::Rename(r)] if r.name.as_deref() == Some("two lines")), "{asked:?}");
}

#[test]
fn leaving_and_ending() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("ctrl+b q");
    assert!(rig.shows().contains("7 panes and their programs end; 1 agent is working."));
    rig.keys("n ctrl+b q y");
    assert_eq!(verbs(&mut rig), [Verb::Kill]);
    rig.keys("ctrl+b d");
    assert_eq!(rig.end, Some(Ending::Detached));
    for (bye, end) in [
        (Bye::Killed, Ending::Killed),
        (Bye::Empty, Ending::Empty),
        (Bye::Because("so\x07".into()), Ending::Because("so^G".into())),
    ] {
        let mut rig = Rig::new(80, 24, lone());
        rig.hear(ToClient::Bye(bye));
        assert_eq!(rig.end, Some(end));
    }
    let mut rig = Rig::new(80, 24, lone());
    rig.hear(ToClient::Bye(Bye::Restarting));
    assert!(rig.hung_up && rig.end.is_none());
}

#[test]
fn a_client_that_comes_back_asks_for_the_tab_it_showed() {
    let mut settings = settings();
    settings.workspace = Some("api".into());
    let mut rig = Rig::detached(120, 40, settings);
    let attach = rig.client.attach();
    assert_eq!((attach.workspace.as_deref(), attach.tab), (Some("api"), None));
    assert_eq!(attach.area, Area { cols: 92, rows: 38 });
    rig.attach();
    rig.facts(busy());
    rig.hear(ToClient::View { tab: TabId(3) });
    rig.give(Input::Lost);
    let attach = rig.client.attach();
    assert_eq!((attach.workspace, attach.tab), (None, Some(TabId(3))));
}

#[test]
fn an_answer_that_refuses_ends_the_client_with_its_reason() {
    let mut rig = Rig::detached(80, 24, settings());
    let line = kraal_api::envelope::answer_line(
        &kraal_api::envelope::Id::Number(1),
        &Err(Refusal::new(kraal_api::Code::UnsupportedVersion, "this client is older than the server")),
    );
    rig.give(Input::Answer(line.as_bytes()));
    assert_eq!(rig.end, Some(Ending::Because("this client is older than the server".into())));
    let mut rig = Rig::detached(80, 24, settings());
    rig.give(Input::Answer(b"\xff\x00 nonsense"));
    assert!(matches!(rig.end, Some(Ending::Because(_))));
}

#[test]
fn the_server_is_told_of_another_room_only_when_there_is_one() {
    let mut rig = Rig::new(120, 40, busy());
    rig.give(Input::Resize(120, 40));
    assert_eq!(rig.sent, []);
    rig.give(Input::Resize(100, 30));
    assert_eq!(rig.sent, [Sent::Control(FromClient::Area(Area { cols: 72, rows: 28 }))]);
    rig.sent.clear();
    rig.keys("ctrl+b V s");
    assert_eq!(rig.sent, [Sent::Control(FromClient::Area(Area { cols: 100, rows: 28 }))]);
}

#[test]
fn going_back_to_the_last_tab_and_pane() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("ctrl+b 3 ctrl+b backspace");
    assert_eq!(rig.tab(), Some(TabId(1)));
    rig.keys("alt+right ctrl+b ;");
    assert_eq!(rig.focus(), Some(1));
    rig.keys("ctrl+b tab");
    assert_eq!(rig.tab(), Some(TabId(2)));
    rig.keys("ctrl+b shift+tab");
    assert_eq!(rig.tab(), Some(TabId(1)));
}

#[test]
fn an_unknown_key_after_the_prefix_is_said_and_typed_nowhere() {
    let mut rig = Rig::new(120, 40, lone());
    rig.keys("ctrl+b y");
    assert_eq!(rig.typed(), []);
    assert!(rig.shows().contains("ctrl+b y does nothing"));
    rig.keys("ctrl+b escape");
    rig.types("a");
    assert_eq!(rig.typed(), [(1, "a".into())]);
}

#[test]
fn resizing_by_keys_asks_for_the_border() {
    let mut rig = Rig::new(120, 40, busy());
    rig.keys("alt+shift+right ctrl+b shift+up");
    let asked = verbs(&mut rig);
    assert!(
        matches!(&asked[..], [Verb::ResizePane(a), Verb::ResizePane(b)]
            if a.direction == Direction::Right && a.cells > 0 && b.direction == Direction::Up),
        "{asked:?}"
    );
}

#[test]
fn every_action_can_be_chosen_in_the_palette_and_stands_in_a_menu() {
    use crate::actions::{ACTIONS, Group};
    use crate::layers::{menu_entries, menu_shows};
    for preset in [kraal_api::config::Preset::Kraal, kraal_api::config::Preset::Tmux] {
        let mut with = settings();
        with.config.keys.preset = preset;
        let mut rig = Rig::with(120, 140, busy(), with);
        rig.keys("ctrl+b space");
        let palette = rig.shows();
        for action in ACTIONS {
            if action.name != "palette" {
                assert!(palette.contains(action.name), "{} is not in the palette", action.name);
            }
            let group = (action.group != Group::Kraal).then_some(action.group);
            let entries = menu_entries(&rig.client.keymap, group);
            assert!(menu_shows(&entries, action), "{} is in no menu of {preset:?}", action.name);
        }
    }
}
