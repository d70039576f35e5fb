//! Screen frames applied: rows, scrolls, wide cells, sizes.

use kraal_api::PaneId;
use kraal_api::screen::{Fill, Head, Style, Writer, flag};

use super::*;

fn head(cols: u16, rows: u16) -> Head {
    Head { pane: PaneId(1), cols, rows, ..Head::default() }
}

fn apply(mirror: &mut Mirror, pool: &mut Pool, head: &Head, fill: impl FnOnce(&mut Writer<'_>)) {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, head);
    fill(&mut writer);
    writer.end();
    assert_eq!(mirror.screen_frame(&out, pool), Ok(PaneId(1)));
}

fn lines(mirror: &Mirror, pool: &Pool) -> Vec<String> {
    let screen = mirror.screen(PaneId(1)).expect("a frame came");
    (0..screen.grid.rows()).map(|y| screen.grid.line(y, pool)).collect()
}

fn run(writer: &mut Writer<'_>, y: u16, fill: Fill, text: &str) {
    writer.row(y);
    writer.run(&Style::default(), None, fill, text);
}

#[test]
fn frames_build_on_each_other() {
    let (mut mirror, mut pool) = (Mirror::default(), Pool::default());
    apply(&mut mirror, &mut pool, &head(10, 3), |w| {
        run(w, 0, Fill::Narrow, "one");
        run(w, 1, Fill::Narrow, "two");
        run(w, 2, Fill::Wide, "漢字漢字漢字");
    });
    assert_eq!(lines(&mirror, &pool), ["one", "two", "漢字漢字漢"]);
    apply(&mut mirror, &mut pool, &head(10, 3), |w| {
        w.scroll(0, 3, 1);
        run(w, 2, Fill::Narrow, "new");
    });
    assert_eq!(lines(&mirror, &pool), ["two", "漢字漢字漢", "new"]);
    apply(&mut mirror, &mut pool, &Head { flags: flag::FRESH, ..head(10, 3) }, |w| {
        run(w, 1, Fill::NarrowCluster, "e\u{301}");
    });
    assert_eq!(lines(&mirror, &pool), ["", "e\u{301}", ""]);
}

#[test]
fn only_what_came_is_touched() {
    let (mut mirror, mut pool) = (Mirror::default(), Pool::default());
    apply(&mut mirror, &mut pool, &head(10, 3), |_| {});
    mirror.settle();
    apply(&mut mirror, &mut pool, &head(10, 3), |w| run(w, 1, Fill::Narrow, "x"));
    let touched = |m: &Mirror| {
        (0..3).map(|y| m.screen(PaneId(1)).is_some_and(|s| s.grid.touched(y))).collect::<Vec<_>>()
    };
    assert_eq!(touched(&mirror), [false, true, false]);
}

#[test]
fn another_size_keeps_what_fits() {
    let (mut mirror, mut pool) = (Mirror::default(), Pool::default());
    apply(&mut mirror, &mut pool, &head(10, 2), |w| run(w, 0, Fill::Wide, "漢字漢"));
    apply(&mut mirror, &mut pool, &head(3, 1), |_| {});
    assert_eq!(lines(&mirror, &pool), ["漢"]);
    apply(&mut mirror, &mut pool, &head(u16::MAX, u16::MAX), |_| {});
    assert!(mirror.screen(PaneId(1)).is_some_and(|s| s.grid.cols() <= 1000 && s.grid.rows() <= 1000));
}

#[test]
fn control_characters_are_blanks_and_links_with_them_none() {
    let (mut mirror, mut pool) = (Mirror::default(), Pool::default());
    apply(&mut mirror, &mut pool, &head(10, 2), |w| {
        run(w, 0, Fill::Narrow, "a\x1b\u{9b}b");
        w.run(&Style::default(), Some("http://x\x1b\\"), Fill::NarrowCluster, "\x07\x08");
        run(w, 1, Fill::WideCluster, "\x1b[2J");
    });
    let screen = mirror.screen(PaneId(1)).expect("a frame came");
    assert_eq!(screen.grid.line(0, &pool), "a  b");
    assert!(screen.grid.row(0).iter().all(|c| c.look.link() == 0));
    let mut bytes = Vec::new();
    for cell in screen.grid.row(1) {
        cell.glyph.write(&pool, &mut bytes);
    }
    assert!(!bytes.contains(&0x1b));
}
