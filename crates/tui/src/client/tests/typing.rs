//! Keys, pastes, the mouse, and what the outer terminal is told.

use kraal_api::config::Clipboard;
use kraal_api::panes::Direction;
use kraal_api::screen::{Head, MouseWish, flag};
use kraal_api::stream::{Mouse, Part};
use kraal_term::keys::{KeyCode, KeyKind, Mods, Reply};
use kraal_term::{MouseButton, MouseEvent, MouseKind, Rgb};

use super::fixtures::{busy, head, lone, screen};
use super::*;

fn mouse(kind: MouseKind, button: Option<MouseButton>, x: u16, y: u16) -> Event {
    Event::Mouse(MouseEvent { kind, button, x, y, mods: Mods::empty() })
}

fn left(kind: MouseKind, x: u16, y: u16) -> Event {
    mouse(kind, Some(MouseButton::Left), x, y)
}

fn paste(rig: &mut Rig, pieces: &[&[u8]]) {
    rig.event(Event::PasteStart);
    for piece in pieces {
        rig.event(Event::Paste(piece.to_vec()));
    }
    rig.event(Event::PasteEnd);
}

#[test]
fn keys_reach_the_focused_pane_as_they_are() {
    let mut rig = Rig::new(120, 40, lone());
    rig.keys("a ctrl+c shift+enter f5 alt+x escape");
    let keys: Vec<String> = rig.typed().into_iter().map(|(_, key)| key).collect();
    assert_eq!(keys, ["a", "ctrl+c", "shift+enter", "f5", "alt+x", "esc"]);
    rig.keys("ctrl+b ctrl+b");
    assert_eq!(rig.typed(), [(1, "ctrl+b".into())], "twice sends the prefix itself");
}

#[test]
fn a_key_goes_up_where_it_went_down() {
    let mut rig = Rig::new(120, 40, busy());
    rig.event(Event::Reply(Reply::KittyFlags(0)));
    let up = |code| {
        let mut key = KeyEvent::new(code, Mods::empty());
        key.kind = KeyKind::Release;
        Event::Key(key)
    };
    rig.keys("a alt+right");
    rig.sent.clear();
    rig.event(up(KeyCode::Char('a')));
    assert_eq!(rig.typed().len(), 1);
    rig.event(up(KeyCode::Right));
    assert_eq!(rig.typed(), [], "what was the client's own never reaches a program");
}

#[test]
fn a_large_paste_goes_whole_and_in_order() {
    let mut rig = Rig::new(120, 40, lone());
    let text: Vec<u8> = (0..1_000_000u32).map(|i| b'a' + (i % 26) as u8).collect();
    rig.event(Event::PasteStart);
    for piece in text.chunks(4096) {
        rig.event(Event::Paste(piece.to_vec()));
    }
    rig.event(Event::PasteEnd);
    rig.types("z");
    let mut whole = Vec::new();
    let mut parts = Vec::new();
    let mut last = None;
    for sent in &rig.sent {
        match sent {
            Sent::Paste(PaneId(1), part, bytes) => {
                assert!(bytes.len() <= 64 * 1024);
                whole.extend_from_slice(bytes);
                parts.push(*part);
            }
            other => last = Some(other.clone()),
        }
    }
    assert!(whole == text, "the paste arrives whole");
    assert_eq!((parts.first(), parts.last()), (Some(&Part::First), Some(&Part::Last)));
    assert!(parts[1..parts.len() - 1].iter().all(|p| *p == Part::Middle));
    assert!(matches!(last, Some(Sent::Keys(..))), "what is typed after it comes after it");
}

#[test]
fn a_small_paste_is_one_frame_and_stays_with_its_pane() {
    let mut rig = Rig::new(120, 40, busy());
    paste(&mut rig, &[b"a", b"b"]);
    assert_eq!(rig.sent, [Sent::Paste(PaneId(1), Part::Whole, b"ab".to_vec())]);
    rig.sent.clear();
    rig.event(Event::PasteStart);
    rig.event(Event::Paste(b"one".to_vec()));
    let mut moved = busy();
    moved.workspaces[0].tabs[0].focus = PaneId(3);
    rig.facts(moved);
    rig.event(Event::Paste(b"two".to_vec()));
    rig.event(Event::PasteEnd);
    assert_eq!(rig.sent, [Sent::Paste(PaneId(1), Part::Whole, b"onetwo".to_vec())]);
}

#[test]
fn nothing_is_sent_without_a_connection() {
    let mut rig = Rig::new(120, 40, lone());
    rig.give(Input::Lost);
    rig.types("secret");
    paste(&mut rig, &[b"more"]);
    rig.keys("ctrl+b n");
    assert_eq!(rig.sent, []);
    assert!(rig.written.contains(&7), "a bell says so");
    rig.keys("ctrl+b d");
    assert_eq!(rig.end, Some(Ending::Detached), "leaving always works");
}

#[test]
fn a_paste_that_a_lost_connection_cut_does_not_go_on() {
    let mut rig = Rig::new(120, 40, lone());
    rig.event(Event::PasteStart);
    rig.event(Event::Paste(b"rm -rf ".to_vec()));
    rig.give(Input::Lost);
    rig.give(Input::Connected);
    rig.attach();
    rig.event(Event::Paste(b"/\n".to_vec()));
    rig.event(Event::PasteEnd);
    assert_eq!(rig.sent, []);
}

#[test]
fn clicks_go_to_what_they_meet() {
    let mut rig = Rig::new(120, 40, busy());
    rig.shows();
    // The second tab, the second workspace's row, a pane, an agent's row.
    let top = rig.shows().lines().next().unwrap_or_default().to_owned();
    let tests = top.char_indices().position(|(i, _)| top[i..].starts_with("2 tests")).expect("a tab") as u16;
    rig.event(left(MouseKind::Press, tests, 0));
    assert_eq!(rig.tab(), Some(TabId(2)));
    rig.event(left(MouseKind::Press, tests, 0));
    rig.hear(ToClient::View { tab: TabId(1) });
    rig.shows();
    rig.event(left(MouseKind::Press, 100, 35));
    assert_eq!(rig.focus(), Some(3));
    rig.shows();
    rig.sent.clear();
    rig.event(left(MouseKind::Press, 4, 3));
    let asked = rig.asked();
    assert!(
        matches!(&asked[..], [(_, Verb::OpenWorkspace(o))] if o.name.as_deref() == Some("web")),
        "{asked:?}"
    );
}

#[test]
fn a_program_gets_the_mouse_it_asked_for_and_no_other() {
    let mut rig = Rig::new(120, 40, lone());
    rig.screen(&screen(1, 90, 36, &[]));
    rig.event(left(MouseKind::Press, 50, 10));
    rig.event(left(MouseKind::Release, 50, 10));
    assert_eq!(rig.sent, []);
    rig.screen(&head(Head {
        pane: PaneId(1),
        cols: 90,
        rows: 36,
        mouse: MouseWish::Drags,
        ..Head::default()
    }));
    rig.event(left(MouseKind::Press, 50, 10));
    rig.event(left(MouseKind::Move, 5, 0));
    rig.event(left(MouseKind::Release, 5, 0));
    rig.event(left(MouseKind::Move, 5, 0));
    let event = |kind, x, y| {
        Sent::Control(FromClient::Mouse { pane: PaneId(1), event: Mouse { kind, x, y, mods: 0 } })
    };
    assert_eq!(
        rig.sent,
        [
            event(stream::MouseKind::Press(0), 50 - 29, 10 - 2),
            event(stream::MouseKind::Drag(0), 0, 0),
            event(stream::MouseKind::Release(0), 0, 0),
        ]
    );
}

#[test]
fn text_selected_with_the_mouse_is_copied() {
    let mut rig = Rig::new(120, 40, lone());
    rig.screen(&screen(1, 90, 36, &["one two", "three  ", "four"]));
    // The pane's cells begin at column 29 and row 2.
    rig.event(left(MouseKind::Press, 29 + 4, 2));
    rig.event(left(MouseKind::Move, 29 + 1, 4));
    rig.shows();
    let inverse = |rig: &Rig, x: usize, y: u16| rig.client.stage.grid.row(y)[x].look.attrs() & 16 != 0;
    assert!(!inverse(&rig, 32, 2) && inverse(&rig, 33, 2) && inverse(&rig, 29, 3));
    assert!(inverse(&rig, 30, 4) && !inverse(&rig, 31, 4));
    rig.event(left(MouseKind::Release, 29 + 1, 4));
    // `two`, `three`, `fo`
    assert!(String::from_utf8_lossy(&rig.written).contains("\x1b]52;c;dHdvCnRocmVlCmZv\x1b\\"));
    assert!(rig.shows().contains("copied 12 characters"));
    assert!(!inverse(&rig, 33, 2));
    rig.written.clear();
    rig.event(left(MouseKind::Press, 40, 3));
    rig.event(left(MouseKind::Release, 40, 3));
    assert_eq!(rig.written, b"", "a click selects nothing");
    assert_eq!(rig.sent, []);
}

#[test]
fn all_motion_is_asked_for_only_while_it_is_wanted() {
    let mut rig = Rig::new(120, 40, lone());
    rig.screen(&head(Head {
        pane: PaneId(1),
        cols: 90,
        rows: 36,
        mouse: MouseWish::Motion,
        ..Head::default()
    }));
    assert!(String::from_utf8_lossy(&rig.written).contains("\x1b[?1003h"));
    rig.written.clear();
    rig.screen(&head(Head { pane: PaneId(1), cols: 90, rows: 36, ..Head::default() }));
    assert!(String::from_utf8_lossy(&rig.written).contains("\x1b[?1003l\x1b[?1002h"));
}

#[test]
fn the_wheel_scrolls_history_and_typing_goes_back() {
    let mut rig = Rig::new(120, 40, lone());
    let live = Head {
        pane: PaneId(1),
        cols: 90,
        rows: 36,
        history: 100,
        flags: flag::CURSOR_VISIBLE,
        ..Head::default()
    };
    rig.screen(&head(live));
    rig.event(mouse(MouseKind::WheelUp, None, 50, 10));
    rig.event(mouse(MouseKind::WheelUp, None, 50, 10));
    let scroll = |offset| Sent::Control(FromClient::Scroll { pane: PaneId(1), offset });
    assert_eq!(rig.sent, [scroll(3), scroll(6)]);
    rig.screen(&head(Head { offset: 6, ..live }));
    rig.sent.clear();
    rig.keys("pageup home down end");
    assert_eq!(rig.sent, [scroll(41), scroll(100), scroll(99), scroll(0)]);
    rig.screen(&head(live));
    rig.sent.clear();
    rig.keys("ctrl+b pageup");
    rig.screen(&head(Head { offset: 35, ..live }));
    rig.types("l");
    assert_eq!(rig.sent[..2], [scroll(35), scroll(0)]);
    assert_eq!(rig.typed(), [(1, "l".into())]);
}

#[test]
fn on_the_alternate_screen_the_server_turns_the_wheel() {
    let mut rig = Rig::new(120, 40, lone());
    rig.screen(&head(Head {
        pane: PaneId(1),
        cols: 90,
        rows: 36,
        flags: flag::ALTERNATE,
        ..Head::default()
    }));
    rig.event(mouse(MouseKind::WheelUp, None, 50, 10));
    assert!(matches!(&rig.sent[..], [Sent::Control(FromClient::Mouse { event, .. })]
        if event.kind == stream::MouseKind::WheelUp));
}

#[test]
fn a_border_follows_the_mouse_one_request_at_a_time() {
    let mut rig = Rig::new(120, 40, busy());
    // The border between pane 1 (columns 28 to 73) and its right side.
    rig.event(left(MouseKind::Press, 73, 10));
    rig.event(left(MouseKind::Move, 76, 10));
    rig.event(left(MouseKind::Move, 80, 10));
    let asked = rig.asked();
    let resize = |verb: &Verb| match verb {
        Verb::ResizePane(r) => (r.direction, r.cells),
        other => panic!("{other:?}"),
    };
    assert_eq!(asked.iter().map(|(_, v)| resize(v)).collect::<Vec<_>>(), [(Direction::Right, 3)]);
    let mut wider = busy();
    let kraal_api::layout::Layout::Split { children, .. } = &mut wider.workspaces[0].tabs[0].layout else {
        panic!("a split")
    };
    (children[0].0, children[1].0) = (49, 43);
    rig.facts(wider);
    rig.answer(asked[0].0, Ok(Response::Ok));
    let asked = rig.asked();
    assert_eq!(asked.iter().map(|(_, v)| resize(v)).collect::<Vec<_>>(), [(Direction::Right, 4)]);
    rig.event(left(MouseKind::Release, 80, 10));
    rig.types("a");
    assert_eq!(rig.typed(), [(1, "a".into())]);
}

#[test]
fn what_the_outer_terminal_says_of_itself_reaches_the_server() {
    let mut rig = Rig::new(120, 40, lone());
    rig.event(Event::Reply(Reply::Background(Rgb(1, 2, 3))));
    rig.event(Event::Reply(Reply::Mode { mode: 2026, private: true, value: 2 }));
    assert_eq!(rig.sent, [], "all of it at once, when the last answer came");
    rig.event(Event::Reply(Reply::PrimaryAttributes(vec![62])));
    assert!(
        matches!(&rig.sent[..], [Sent::Control(FromClient::Outer(o))] if o.background == Some([1, 2, 3]))
    );
    assert!(String::from_utf8_lossy(&rig.draws()).starts_with("\x1b[?2026h"));
    rig.sent.clear();
    rig.event(Event::Reply(Reply::ColourScheme { dark: false }));
    rig.event(Event::FocusOut);
    assert_eq!(rig.sent, [Sent::Control(FromClient::Dark(false)), Sent::Control(FromClient::Focus(false))]);
}

#[test]
fn notifications_and_the_clipboard_go_out_clean() {
    let mut rig = Rig::new(120, 40, lone());
    let notification =
        ToClient::Notification { title: "Codex; blocked\x07".into(), body: "in\x1b api".into(), pane: None };
    rig.hear(notification.clone());
    let written = String::from_utf8_lossy(&std::mem::take(&mut rig.written)).into_owned();
    assert!(written.contains("\x1b]777;notify;Codex, blocked^G;in^[ api\x1b\\"), "{written:?}");
    rig.event(Event::Reply(Reply::Version("kitty(0.43.1)".into())));
    rig.hear(notification);
    assert!(String::from_utf8_lossy(&rig.written).contains("\x1b]99;i=kraal:d=0:a=report;Codex"));
    rig.written.clear();
    rig.hear(ToClient::Clipboard { selection: "c\x1b".into(), data: b"hello".to_vec() });
    assert!(String::from_utf8_lossy(&rig.written).contains("\x1b]52;c;aGVsbG8=\x1b\\"));

    let mut off = settings();
    off.config.clipboard = Clipboard::Off;
    let mut rig = Rig::with(120, 40, lone(), off);
    rig.hear(ToClient::Clipboard { selection: "c".into(), data: b"hello".to_vec() });
    assert_eq!(rig.written, b"");
}

#[test]
fn a_clicked_notification_leads_to_its_pane() {
    let mut rig = Rig::new(120, 40, busy());
    rig.event(Event::Reply(Reply::Version("kitty(0.43.1)".into())));
    let told = |pane| ToClient::Notification { title: "x".into(), body: String::new(), pane };
    let model = rig.client.mirror.model().clone();
    let here = rig.client.mirror.focus();
    let other = model.panes.iter().map(|pane| pane.id).find(|pane| Some(*pane) != here);
    let there = other.expect("another pane");
    rig.hear(told(Some(there)));
    assert!(String::from_utf8_lossy(&rig.written).contains(&format!("i=kraal-{there}:d=0:a=report;x")));
    rig.sent.clear();
    for said in [format!("i=kraal-{there}:p=close;"), "i=kraal-999;".into(), "i=mail-1;".into(), "x".into()] {
        rig.event(Event::Reply(Reply::Osc(99, said)));
        assert_eq!(rig.sent, []);
    }
    rig.event(Event::Reply(Reply::Osc(99, format!("i=kraal-{there};"))));
    assert_eq!(rig.client.mirror.focus(), Some(there));
}

#[test]
fn what_was_set_in_the_terminal_is_taken_back() {
    let mut rig = Rig::new(120, 40, lone());
    rig.event(Event::Reply(Reply::KittyFlags(0)));
    rig.event(Event::Reply(Reply::Mode { mode: 2027, private: true, value: 2 }));
    let set = String::from_utf8_lossy(&enter(rig.client.outer().caps(), Entry::Afresh)).into_owned()
        + &String::from_utf8_lossy(&rig.written);
    let back = String::from_utf8_lossy(&leave(rig.client.outer())).into_owned();
    let mut modes: Vec<&str> = Vec::new();
    for part in set.split("\x1b[?").skip(1) {
        if let Some((mode, _)) = part.split_once('h')
            && mode.bytes().all(|b| b.is_ascii_digit())
        {
            modes.push(mode);
        }
    }
    assert!(modes.len() >= 6, "{modes:?}");
    for mode in modes {
        assert!(back.contains(&format!("\x1b[?{mode}l")), "{mode} stays set: {back:?}");
    }
    assert!(set.contains("\x1b[>7u") && back.contains("\x1b[<u"));
    assert!(set.contains("\x1b[22;0t") && back.ends_with("\x1b[23;0t"));
    assert!(back.contains("\x1b[?25h") && back.contains("\x1b[0 q"));
}
