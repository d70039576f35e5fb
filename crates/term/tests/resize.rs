//! Other sizes: what is re-wrapped, what stays, where the cursor is.

mod common;
use common::{Bench, dump};
use proptest::prelude::*;

/// BR-06.
#[test]
fn long_lines_and_coloured_blanks_survive() {
    let long: String = ('a'..='z').cycle().take(120).collect::<String>() + &"世界".repeat(20);
    let mut b = Bench::with(80, 24, format!("{long}\r\nblue\x1b[44m\x1b[K\x1b[m\r\nend"));
    let first = dump(&b.t);
    for cols in [41, 120, 80] {
        b.resize(cols, 24);
        assert_eq!(b.t.text(10), format!("{long}\nblue\nend\n"), "at {cols}");
        let blue = b.t.screen_lines().iter().position(|l| l == "blue").expect("the row is there");
        let last = b.t.row(blue as u16).runs().last().map(|r| (r.x + r.cells, r.style.bg));
        assert_eq!(last, Some((cols, kraal_term::Colour::Indexed(4))), "at {cols}");
        assert_eq!(b.at().0, 3);
        b.feed("!\x08\x1b[K");
    }
    assert_eq!(dump(&b.t).lines().skip(1).collect::<Vec<_>>(), first.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn the_cursor_stays_on_its_character() {
    let mut b = Bench::with(20, 5, "0123456789abcdefghij0123\x1b[1;13H");
    b.resize(10, 5);
    assert_eq!(b.at(), (2, 1));
    b.resize(7, 5);
    assert_eq!(b.at(), (5, 1));
    b.resize(20, 5);
    assert_eq!(b.at(), (12, 0));
}

#[test]
fn typing_goes_on_after_a_full_row() {
    let mut b = Bench::with(10, 3, "12345");
    b.resize(5, 3).feed("6");
    assert_eq!(b.screen(), "12345\n6");
    b.resize(10, 3).feed("7");
    assert_eq!(b.screen(), "1234567");
}

#[test]
fn rows_go_to_history_and_come_back() {
    let mut b = Bench::new(10, 10);
    for i in 0..9 {
        b.feed(format!("line {i}\r\n"));
    }
    b.feed("end");
    b.resize(10, 4);
    assert_eq!(b.t.history_len(), 6);
    assert_eq!(b.screen(), "line 6\nline 7\nline 8\nend");
    b.resize(10, 10);
    assert_eq!(b.t.history_len(), 0);
    assert_eq!(b.at(), (3, 9));
}

#[test]
fn a_cleared_screen_is_not_filled_from_history() {
    let mut b = Bench::new(10, 5);
    for i in 0..50 {
        b.feed(format!("line {i}\r\n"));
    }
    b.feed("\x1b[2J\x1b[H$ ");
    b.resize(20, 5).resize(5, 8).resize(10, 5);
    assert_eq!(b.screen(), "$");
    assert_eq!(b.at(), (2, 0));
}

#[test]
fn history_is_wrapped_anew() {
    let mut b = Bench::new(10, 2);
    for i in 0..20 {
        b.feed(format!("{i:02}-{}\r\n", "x".repeat(12)));
    }
    let text = b.t.text(100);
    for cols in [5, 7, 30, 10] {
        b.resize(cols, 2);
        assert_eq!(b.t.text(100), text, "at {cols}");
        let n = b.t.history_len();
        let rows: String = (0..n)
            .map(|i| {
                let row = b.t.view_row(n - i, 0);
                row.text() + if row.wrapped() { "" } else { "\n" }
            })
            .collect();
        assert!(text.starts_with(&rows) || text.starts_with(rows.trim_end()), "at {cols}: {rows}");
    }
}

#[test]
fn the_alternate_screen_is_not_wrapped() {
    let mut b = Bench::with(10, 3, "main text here\x1b[?1049h\x1b[H0123456789");
    b.resize(5, 3);
    assert_eq!(b.screen(), "01234");
    b.resize(10, 3).feed("\x1b[?1049l");
    assert_eq!(b.screen(), "main text\nhere");
}

#[test]
fn a_reader_who_scrolled_up_stays() {
    let mut b = Bench::new(10, 3);
    for i in 0..30 {
        b.feed(format!("{i}\r\n"));
    }
    let (offset, at) = (10, b.t.lines_scrolled());
    let row = b.t.view_row(offset, 0).text();
    for i in 30..45 {
        b.feed(format!("{i}\r\n"));
    }
    let offset = offset + (b.t.lines_scrolled() - at) as usize;
    assert_eq!(b.t.view_row(offset, 0).text(), row);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn there_and_back(
        lines in prop::collection::vec("[a-z 世é]{0,40}", 0..30),
        sizes in prop::collection::vec((2u16..60, 1u16..30), 1..5),
    ) {
        let mut b = Bench::new(20, 10);
        for line in &lines {
            b.feed(line).feed("\r\n");
        }
        b.feed("$");
        let (text, at, screen, history) = (b.t.text(1000), b.at(), b.screen(), b.history());
        for (cols, rows) in sizes {
            b.resize(cols, rows);
            prop_assert_eq!(b.t.text(1000), text.clone());
            let row = b.t.row(b.t.cursor().y).text();
            prop_assert!(row.ends_with('$'), "cursor row {:?}", row);
        }
        b.resize(20, 10);
        prop_assert_eq!(b.screen(), screen);
        prop_assert_eq!(b.at(), at);
        prop_assert_eq!(b.history(), history);
    }
}
