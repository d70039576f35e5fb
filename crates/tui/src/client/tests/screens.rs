//! What stands on the screen, at several sizes and in several moods.

use kraal_api::config::Theme;
use kraal_api::layout::Floating;
use kraal_api::model::Pane;
use kraal_api::screen::{Head, flag};
use kraal_api::{PaneId, TabId};

use super::fixtures::{busy, head, lone, pane, screen};
use super::*;

fn at_work(cols: u16, rows: u16) -> Rig {
    let mut rig = Rig::new(cols, rows, busy());
    rig.screen(&screen(1, 50, 30, &["> fix the login test", "", "* Reading src/login.rs"]));
    rig.screen(&screen(
        2,
        50,
        14,
        &["Run this command?", "", "  cargo test login", "", "> 1. Yes", "  2. No"],
    ));
    rig.screen(&screen(3, 50, 14, &["$ git status", "On branch main", "$ "]));
    rig
}

#[test]
fn a_busy_tab_at_every_size() {
    for (cols, rows) in [(120, 40), (80, 24), (60, 20), (39, 10)] {
        insta::assert_snapshot!(format!("busy_{cols}x{rows}"), at_work(cols, rows).shows());
    }
}

#[test]
fn a_lone_shell() {
    let mut rig = Rig::new(100, 16, lone());
    rig.screen(&screen(1, 70, 12, &["$ echo hello", "hello", "$ "]));
    insta::assert_snapshot!(rig.shows());
    let (w, _) = (rig.client.stage.areas.side.w, ());
    assert_eq!(rig.client.pane_cursor().at, Some((w + 1 + 2, 1 + 1 + 2)));
}

#[test]
fn other_themes() {
    for (name, theme) in [("ascii", Theme::Ascii), ("high_contrast", Theme::HighContrast)] {
        let mut settings = settings();
        settings.config.theme = theme;
        let mut rig = Rig::with(100, 24, busy(), settings);
        let text = rig.shows();
        assert!(theme != Theme::Ascii || text.is_ascii(), "{text}");
        insta::assert_snapshot!(format!("theme_{name}"), text);
    }
}

#[test]
fn ended_and_waiting_panes_say_what_enter_does() {
    let mut rig = Rig::new(100, 12, busy());
    rig.hear(ToClient::View { tab: TabId(2) });
    insta::assert_snapshot!("ended", rig.shows());
    rig.hear(ToClient::View { tab: TabId(3) });
    insta::assert_snapshot!("waiting", rig.shows());
}

#[test]
fn a_zoomed_pane_fills_the_tab() {
    let mut model = busy();
    model.workspaces[0].tabs[0].zoomed = Some(PaneId(2));
    model.workspaces[0].tabs[0].focus = PaneId(2);
    let mut rig = Rig::new(100, 14, model);
    insta::assert_snapshot!(rig.shows());
}

#[test]
fn a_scrolled_pane_says_where_it_is() {
    let mut rig = Rig::new(100, 14, lone());
    rig.screen(&head(Head {
        pane: PaneId(1),
        cols: 70,
        rows: 10,
        flags: flag::CURSOR_VISIBLE,
        offset: 120,
        history: 3400,
        ..Head::default()
    }));
    insta::assert_snapshot!(rig.shows());
    assert_eq!(rig.client.pane_cursor().at, None, "the cursor is below what is shown");
}

#[test]
fn the_menu_shows_to_whoever_waits() {
    let mut rig = at_work(120, 40);
    rig.keys("ctrl+b");
    assert!(!rig.shows().contains("workspaces ›"), "not at once");
    rig.wait(299);
    assert!(!rig.shows().contains("workspaces ›"), "not before its time");
    rig.wait(1);
    insta::assert_snapshot!("menu", rig.shows());
    rig.keys("P");
    insta::assert_snapshot!("menu_panes", rig.shows());
    rig.keys("escape");
    assert!(!rig.shows().contains("Split below"));
}

#[test]
fn the_menu_fits_small_screens() {
    let mut rig = at_work(60, 20);
    rig.keys("ctrl+b").wait(300);
    insta::assert_snapshot!(rig.shows());
}

#[test]
fn the_palette_finds_by_a_few_letters() {
    let mut rig = at_work(100, 30);
    rig.keys("ctrl+b space");
    insta::assert_snapshot!("palette", rig.shows());
    rig.types("splri");
    let text = rig.shows();
    let first = text.lines().skip_while(|l| !l.contains("splri")).nth(2).unwrap_or_default().to_owned();
    assert!(first.contains("Split to the right"), "{text}");
}

#[test]
fn lists_forms_questions_and_help() {
    let mut rig = at_work(100, 30);
    rig.keys("ctrl+b a");
    insta::assert_snapshot!("list_agents", rig.shows());
    rig.keys("escape ctrl+b p");
    insta::assert_snapshot!("list_panes", rig.shows());
    rig.keys("escape ctrl+b ,").types("漢字 name");
    insta::assert_snapshot!("form", rig.shows());
    rig.keys("escape ctrl+b q");
    insta::assert_snapshot!("question", rig.shows());
    rig.keys("escape ctrl+b h");
    insta::assert_snapshot!("help", rig.shows());
}

#[test]
fn a_lost_connection_is_said() {
    let mut rig = at_work(100, 12);
    rig.give(Input::Lost);
    let text = rig.shows();
    assert!(text.lines().last().is_some_and(|l| l.contains("reconnecting")), "{text}");
    rig.give(Input::Connected);
    rig.attach();
    let text = rig.shows();
    assert!(text.contains("back again"), "{text}");
}

#[test]
fn many_tabs_show_the_one_that_is_looked_at() {
    let mut model = lone();
    for id in 2..40 {
        model.panes.push(super::fixtures::pane(id));
        let tab = super::fixtures::tab(id, Some(&format!("tab {id}")), super::fixtures::leaf(id));
        model.workspaces[0].tabs.push(tab);
    }
    let mut rig = Rig::new(90, 10, model);
    rig.hear(ToClient::View { tab: TabId(20) });
    let top = rig.shows().lines().next().unwrap_or_default().to_owned();
    insta::assert_snapshot!(top);
}

#[test]
fn names_never_act_on_the_terminal() {
    let mut model = busy();
    model.panes[0].name = Some("x\x1b[2J\u{9b}31m\u{202e}evil".into());
    model.workspaces[0].name = "w\x07s".into();
    model.panes[3].phase = kraal_api::model::Phase::Failed("no\x1b]52;c;aGk=\x07 shell".into());
    let mut rig = Rig::new(100, 20, model);
    let mut bytes = rig.draws();
    rig.hear(ToClient::View { tab: TabId(2) });
    bytes.extend(rig.draws());
    rig.keys("ctrl+b p");
    bytes.extend(rig.draws());
    let text = String::from_utf8_lossy(&bytes);
    assert!(!text.contains("\x1b]52") && !text.contains("\u{9b}") && !text.contains("\x07"));
    assert!(text.contains("^[[2J"), "it is written out");
    rig.hear(ToClient::Say("a\x1b[2Jb".into()));
    assert!(rig.shows().contains("a^[[2Jb"));
}

#[test]
fn what_floats_lies_over_the_tiles() {
    let mut model = lone();
    model.panes.push(Pane { name: Some("log".into()), ..pane(2) });
    model.workspaces[0].tabs[0].floating = vec![Floating { pane: PaneId(2), x: 300, y: 200, w: 400, h: 400 }];
    model.workspaces[0].tabs[0].focus = PaneId(2);
    let mut rig = Rig::new(60, 16, model.clone());
    let below: Vec<String> = (0..12).map(|n| format!("{n:02} {}", "tile ".repeat(10))).collect();
    let below: Vec<&str> = below.iter().map(String::as_str).collect();
    rig.screen(&screen(1, 54, 12, &below));
    rig.screen(&screen(2, 20, 4, &["floating", "> "]));
    insta::assert_snapshot!("floating", rig.shows());
    // A row of a tile that changes does not reach over what floats.
    let mut changed = below.clone();
    changed[5] = "05 changed changed changed changed changed changed";
    rig.screen(&screen(1, 54, 12, &changed));
    insta::assert_snapshot!("floating-below", rig.shows());
    model.workspaces[0].tabs[0].floats_hidden = true;
    model.workspaces[0].tabs[0].focus = PaneId(1);
    rig.facts(model);
    insta::assert_snapshot!("floating-hidden", rig.shows());
}

#[test]
fn a_configuration_that_is_read_again_counts_at_once() {
    let mut rig = Rig::new(100, 20, lone());
    assert!(rig.shows().contains('╭') && rig.shows().contains("WORKSPACES"));
    let mut config = settings().config;
    config.theme = Theme::Ascii;
    config.sidebar = kraal_api::config::Sidebar::Off;
    config.keys.prefix = "ctrl+a".into();
    rig.hear(ToClient::Config(Box::new(config)));
    let shown = rig.shows();
    assert!(!shown.contains('╭') && !shown.contains("WORKSPACES"), "{shown}");
    rig.keys("ctrl+b x");
    assert_eq!(rig.typed().len(), 2, "the old prefix is a key like others");
    rig.keys("ctrl+a").wait(400);
    assert!(rig.shows().contains("Go to a workspace"));
}

#[test]
fn a_sentence_gives_way_to_whoever_goes_on() {
    let mut rig = Rig::new(100, 20, lone());
    rig.hear(ToClient::Say("a sentence".into()));
    rig.keys("a");
    assert!(rig.shows().contains("a sentence"), "nobody read it yet");
    rig.wait(1_600);
    assert!(rig.shows().contains("a sentence"));
    rig.keys("b");
    assert!(!rig.shows().contains("a sentence") && rig.shows().contains("ctrl+b"));
}

#[test]
fn several_lines_of_a_notification_are_parted_in_the_bar() {
    let mut rig = Rig::new(100, 20, lone());
    rig.hear(ToClient::Notification { title: "2 panes".into(), body: "a: asks\nb: asks".into(), pane: None });
    assert!(rig.shows().contains("2 panes: a: asks · b: asks"));
}

#[test]
fn what_a_narrow_pane_says_of_its_end_is_not_cut() {
    let mut model = lone();
    model.panes[0].phase = kraal_api::model::Phase::Failed("htop was not found: install it".into());
    let mut rig = Rig::new(39, 12, model);
    let shown = rig.shows();
    assert!(shown.contains(" htop was not found: install it "), "{shown}");
}
