//! Random facts, frames, keys and sizes: no panic, and the outer terminal always shows the grid.

use kraal_api::PaneRef;
use kraal_api::layout::{Axis, Floating, Layout, WHOLE};
use kraal_api::screen::{Colour, Fill, Head, Style, Underline, Writer};
use kraal_api::stream::Bye;
use kraal_term::keys::{KeyCode, Mods};
use kraal_term::{MouseButton, MouseEvent, MouseKind, Options, Outbox, Size, Terminal};

use super::fixtures::{agent, busy, leaf, lone, pane, tab, workspace};
use super::*;

/// A generator of numbers that gives the same for the same seed.
pub(crate) struct Dice {
    seed: u64,
    /// Whether frames may be damaged on the way.
    mangles: bool,
}

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) % below.max(1)
    }

    fn of<T: Copy>(&mut self, these: &[T]) -> T {
        these[self.roll(these.len() as u64) as usize]
    }
}

const TEXTS: [&str; 8] = ["abc", "漢", "👨‍👩‍👧‍👦", "e\u{301}", "⎇", "─────", "❤️", "🇩🇪"];

fn style(dice: &mut Dice) -> Style {
    if dice.roll(2) == 0 {
        return Style::default();
    }
    let mut colour = || match dice.roll(4) {
        0 => Colour::Default,
        1 => Colour::Indexed(dice.roll(256) as u8),
        _ => Colour::Rgb(dice.roll(256) as u8, 9, 7),
    };
    let (fg, bg) = (colour(), colour());
    let underline = [Underline::None, Underline::Single, Underline::Curly][dice.roll(3) as usize];
    // Blinking and hidden text is not told apart by every reader of a screen.
    Style { fg, bg, underline, attrs: dice.roll(256) as u8 & !(8 | 32), ..Style::default() }
}

/// A frame of a pane, mostly sound.
pub(crate) fn frame(dice: &mut Dice) -> Vec<u8> {
    let side =
        |dice: &mut Dice| if dice.roll(8) == 0 { dice.roll(70_000) as u16 } else { 1 + dice.roll(60) as u16 };
    let head = Head {
        pane: PaneId(if dice.roll(4) == 0 { FLOATS + dice.roll(3) } else { 1 + dice.roll(8) }),
        cols: side(dice),
        rows: side(dice),
        cursor: (dice.roll(70) as u16, dice.roll(40) as u16),
        flags: dice.roll(32) as u8,
        offset: if dice.roll(4) == 0 { dice.roll(50) as u32 } else { 0 },
        history: dice.roll(100) as u32,
        ..Head::default()
    };
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, &head);
    if dice.roll(4) == 0 {
        writer.scroll(dice.roll(40) as u16, dice.roll(60) as u16, dice.roll(20) as i16 - 10);
    }
    for _ in 0..dice.roll(8) {
        writer.row(dice.roll(45) as u16);
        for _ in 0..dice.roll(6) {
            let text = dice.of(&TEXTS);
            let fill = match text {
                "漢" => Fill::Wide,
                "e\u{301}" => Fill::NarrowCluster,
                "👨‍👩‍👧‍👦" | "❤️" | "🇩🇪" => Fill::WideCluster,
                _ => Fill::Narrow,
            };
            let link = (dice.roll(5) == 0).then_some("https://example.org/a");
            writer.run(&style(dice), link, fill, text);
        }
    }
    writer.end();
    if dice.mangles && dice.roll(10) == 0 {
        let at = dice.roll(out.len() as u64) as usize;
        out[at] = dice.roll(256) as u8;
    }
    out
}

fn facts(dice: &mut Dice) -> Model {
    let mut model = match dice.roll(3) {
        0 => lone(),
        _ => busy(),
    };
    if dice.roll(2) == 0 {
        let many: Vec<Layout> = (20..20 + 1 + dice.roll(30)).map(leaf).collect();
        let axis = dice.of(&[Axis::Row, Axis::Column]);
        model.panes.extend((20..52).map(|id| match dice.roll(3) {
            0 => agent(id, "Agent 漢字 👨‍👩‍👧‍👦", kraal_api::State::Done, None),
            _ => pane(id),
        }));
        let layout = match many.len() {
            1 => leaf(20),
            _ => Layout::Split {
                axis,
                children: many.into_iter().map(|l| (1 + dice.roll(9) as u32, l)).collect(),
            },
        };
        model.workspaces.push(workspace(9, "many", vec![tab(50, None, layout)]));
    }
    for tab in model.workspaces.iter_mut().flat_map(|w| &mut w.tabs) {
        // What floats is in any of the tabs, but in one only.
        let free = (FLOATS..FLOATS + 6).filter(|id| model.panes.iter().all(|pane| pane.id.0 != *id));
        for id in free.take(dice.roll(4) as usize).collect::<Vec<_>>() {
            model.panes.push(if dice.roll(3) == 0 { blocked(id) } else { pane(id) });
            tab.floating.push(place(dice, PaneId(id)));
        }
        tab.floats_hidden = !tab.floating.is_empty() && dice.roll(3) == 0;
        let panes = if tab.floats_hidden { tab.layout.panes() } else { tab.panes() };
        tab.focus = panes[dice.roll(panes.len() as u64) as usize];
        tab.zoomed = (dice.roll(5) == 0).then_some(tab.focus);
    }
    model
}

/// The lowest number of a floating pane.
const FLOATS: u64 = 60;

fn blocked(id: u64) -> kraal_api::model::Pane {
    agent(id, "Codex", kraal_api::State::Blocked, Some(kraal_api::state::Kind::Question))
}

/// Where a pane floats, mostly inside its room.
fn place(dice: &mut Dice, pane: PaneId) -> Floating {
    let mut part = || if dice.roll(8) == 0 { dice.roll(65_536) as u16 } else { dice.roll(1_001) as u16 };
    Floating { pane, x: part(), y: part(), w: part(), h: part() }
}

fn key(dice: &mut Dice) -> Event {
    let codes = [
        KeyCode::Enter,
        KeyCode::Escape,
        KeyCode::Tab,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
        KeyCode::F(5),
    ];
    let letters: Vec<char> = "abdfhnoprtvwxyzAFPRTVW123|-,.;{}<>?:= 漢".chars().collect();
    Event::Key(match dice.roll(7) {
        6 => KeyEvent::new(KeyCode::Char('f'), Mods::CTRL),
        0 | 1 => KeyEvent::new(KeyCode::Char('b'), Mods::CTRL),
        2 | 3 => KeyEvent::char(dice.of(&letters)),
        4 => KeyEvent::new(KeyCode::Char(dice.of(&letters)), Mods::ALT),
        _ => KeyEvent::new(dice.of(&codes), dice.of(&[Mods::empty(), Mods::SHIFT, Mods::ALT, Mods::CTRL])),
    })
}

/// What holds after every step: keys go to a pane in sight, or to one that was gone to, and what
/// floats stays in its room.
fn check(rig: &mut Rig, had: Option<PaneId>, gone_to: &mut Vec<PaneId>) {
    let area = rig.client.stage.areas.panes;
    let within = |at: u16, length: u16, from: u16, room: u16| at >= from && at + length <= from + room;
    // A view may name a tab that the facts have not.
    let Some((_, tab)) = rig.client.mirror.tab() else { return };
    let in_sight = tab.in_sight(area);
    for (_, rect) in &in_sight {
        assert!(within(rect.x, rect.w, area.x, area.w) && within(rect.y, rect.h, area.y, area.h), "{rect:?}");
    }
    for sent in &rig.sent {
        let Sent::Control(FromClient::Ask { request: Request::Verb(verb), .. }) = sent else { continue };
        match verb {
            Verb::Focus(on) | Verb::Reveal(on) => {
                let PaneRef::Id(pane) = on.pane else { panic!("{on:?}") };
                gone_to.push(pane);
            }
            Verb::PlaceFloat(to) => {
                assert!([to.x, to.y, to.w, to.h].iter().all(|part| *part <= WHOLE), "{to:?}");
            }
            _ => {}
        }
    }
    let meant = |pane: PaneId| in_sight.iter().any(|(id, _)| *id == pane) || gone_to.contains(&pane);
    let focus = rig.client.mirror.focus().expect("a tab has a focus");
    assert!(meant(focus), "keys go to {focus}, out of sight: {tab:?}");
    for sent in &rig.sent {
        if let Sent::Keys(pane, _) = sent {
            assert!(meant(*pane) || had == Some(*pane), "keys went to {pane}, out of sight: {tab:?}");
        }
    }
    rig.sent.retain(|sent| matches!(sent, Sent::Control(_)));
    // The last step counts.
    gone_to.drain(..gone_to.len().saturating_sub(1));
}

/// A cell of the screen, often one where a floating pane can be taken.
fn cell(rig: &Rig, dice: &mut Dice) -> (u16, u16) {
    let anywhere = (dice.roll(140) as u16, dice.roll(60) as u16);
    let Some((_, tab)) = rig.client.mirror.tab().filter(|_| dice.roll(2) == 0) else { return anywhere };
    let area = rig.client.stage.areas.panes;
    let Some((_, rect)) = tab.in_sight(area).pop().filter(|(pane, _)| tab.floats(*pane)) else {
        return anywhere;
    };
    let along =
        |dice: &mut Dice, from: u16, length: u16| from + dice.of(&[0, length / 2, length.saturating_sub(1)]);
    (along(dice, rect.x, rect.w), along(dice, rect.y, rect.h))
}

fn step(rig: &mut Rig, dice: &mut Dice) {
    match dice.roll(14) {
        0 => rig.facts(facts(dice)),
        1 => rig.hear(ToClient::View { tab: TabId(1 + dice.roll(5)) }),
        2..=5 => rig.screen(&frame(dice)),
        6 => {
            let (cols, rows) = match dice.roll(30) {
                0..5 => (1, 1),
                5 => (600, 200),
                _ => (1 + dice.roll(130) as u16, 1 + dice.roll(50) as u16),
            };
            rig.give(Input::Resize(cols, rows));
        }
        7 | 11 => {
            let kinds = [
                MouseKind::Press,
                MouseKind::Release,
                MouseKind::Move,
                MouseKind::WheelUp,
                MouseKind::WheelDown,
            ];
            let (x, y) = cell(rig, dice);
            let event = MouseEvent {
                kind: dice.of(&kinds),
                button: dice.of(&[None, Some(MouseButton::Left), Some(MouseButton::Right)]),
                x,
                y,
                mods: Mods::empty(),
            };
            rig.event(Event::Mouse(event));
        }
        8 => {
            let asked = rig.asked();
            for (id, _) in asked {
                let answer = match dice.roll(3) {
                    0 => Err(Refusal::busy("not now")),
                    1 => {
                        Ok(Response::PaneOpened(kraal_api::panes::Opened { pane: PaneId(2), tab: TabId(1) }))
                    }
                    _ => Ok(Response::Ok),
                };
                rig.answer(id, answer);
            }
        }
        9 => drop(rig.wait(dice.roll(2_000))),
        10 if dice.roll(4) == 0 => {
            rig.give(Input::Lost);
            rig.give(Input::Connected);
            rig.attach();
        }
        _ => rig.event(key(dice)),
    }
}

#[test]
fn random_work_never_panics_and_an_idle_frame_costs_nothing() {
    for seed in 0..30 {
        let mut dice = Dice { seed, mangles: true };
        let mut rig = Rig::new(80, 24, busy());
        let mut gone_to = Vec::new();
        for _ in 0..200 {
            let had = rig.client.mirror.focus();
            step(&mut rig, &mut dice);
            check(&mut rig, had, &mut gone_to);
            if dice.roll(3) == 0 {
                rig.draws();
                assert_eq!(rig.draws(), b"", "seed {seed}: the same again writes nothing");
            }
        }
    }
}

#[test]
fn the_outer_terminal_shows_exactly_the_grid() {
    for seed in 100..110 {
        let mut dice = Dice { seed, mangles: false };
        let mut rig = Rig::new(90, 30, busy());
        let mut terminal = Terminal::new(Size { cols: 90, rows: 30 }, Options::default());
        let mut aside = Outbox::default();
        let mut gone_to = Vec::new();
        for turn in 0..80 {
            let had = rig.client.mirror.focus();
            step(&mut rig, &mut dice);
            check(&mut rig, had, &mut gone_to);
            let (cols, rows) = rig.client.stage.size;
            if terminal.size() != (Size { cols, rows }) {
                terminal.resize(Size { cols, rows });
            }
            terminal.feed(&rig.draws(), &mut aside);
            for y in 0..rows {
                let differs =
                    crate::paint::tests::differs(&terminal, &rig.client.stage.grid, y, &rig.client.pool);
                assert_eq!(differs, None, "seed {seed}, turn {turn}");
            }
        }
    }
}

#[test]
fn garbage_from_the_server_is_survived() {
    let mut dice = Dice { seed: 7, mangles: true };
    let mut rig = Rig::new(80, 24, busy());
    for _ in 0..300 {
        let bytes: Vec<u8> = (0..dice.roll(60)).map(|_| dice.roll(256) as u8).collect();
        let kind =
            dice.of(&[None, Some(Kind::Control), Some(Kind::Screen), Some(Kind::Keys), Some(Kind::Paste)]);
        rig.give(Input::Frame(kind, &bytes));
    }
    rig.draws();
    assert_eq!(rig.end, None);
    rig.hear(ToClient::Bye(Bye::Killed));
    assert_eq!(rig.end, Some(Ending::Killed));
}
