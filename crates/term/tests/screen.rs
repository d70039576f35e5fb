//! The grid: what sequences do to text, cursor, margins and history.

mod common;
use common::Bench;

#[test]
fn text_wraps_and_scrolls() {
    let b = Bench::with(5, 2, "abcdefgh\r\nxy");
    assert_eq!(b.screen(), "fgh\nxy");
    assert_eq!(b.history(), ["abcde"]);
    assert_eq!(b.t.text(10), "abcdefgh\nxy\n");
    assert_eq!(b.at(), (2, 1));
}

#[test]
fn the_screen_with_sgr_keeps_rows_apart_and_styled_blanks() {
    let b = Bench::with(6, 4, "abcdefg \r\n\x1b[1;31mhi\x1b[m!\r\nx\x1b[44m\x1b[K\x1b]8;;http://a\x1b\\");
    assert_eq!(b.t.screen_ansi(), "abcdef\ng\n\x1b[0;1;31mhi\x1b[m!\nx\x1b[0;44m     \x1b[m\n");
}

/// GNU grep and compilers write `CSI K` after each coloured word; xterm loses its last letter there.
#[test]
fn erasing_to_the_end_of_a_full_row_erases_nothing() {
    let mut b = Bench::with(5, 3, "abcde\x1b[K\x1b[m");
    assert_eq!(b.screen(), "abcde");
    b.feed("f\x1b[1;1H\x1b[5Gz\x1b[J");
    assert_eq!(b.screen(), "abcdz");
}

#[test]
fn a_mark_joins_the_cell_before_the_cursor_across_sequences() {
    for between in ["\x1b[m", "\x1b[6n", "\x1b]0;t\x07"] {
        let b = Bench::with(5, 2, format!("世e{between}\u{301}x"));
        assert_eq!(b.screen(), "世e\u{301}x", "{between:?}");
        assert_eq!(b.at(), (4, 0));
    }
    assert_eq!(Bench::with(2, 2, "ae\x1b[m\u{301}").screen(), "ae\u{301}");
    assert_eq!(Bench::with(4, 1, "世\x1b[m\u{301}").screen(), "世\u{301}");
    assert_eq!(Bench::with(4, 1, "\u{301}a").screen(), "a");
}

#[test]
fn positions_backward() {
    assert_eq!(Bench::with(10, 5, "\x1b[3;6H\x1b[2j").at(), (3, 2));
    assert_eq!(Bench::with(10, 5, "\x1b[3;6H\x1b[k").at(), (5, 1));
    assert_eq!(Bench::with(10, 5, "\x1b[3;6H\x1b[99j\x1b[99k").at(), (0, 0));
}

#[test]
fn the_cursor_saved_by_a_mode() {
    let b = Bench::with(80, 24, "\x1b[2;2H\x1b[1m\x1b[?1048h\x1b[5;5H\x1b[4 q\x1b[22;4m\x1b[?1048l");
    assert_eq!(b.at(), (1, 1));
}

#[test]
fn the_last_column_waits_for_the_next_character() {
    let mut b = Bench::with(5, 3, "abcde");
    assert_eq!(b.at(), (4, 0));
    b.feed("\r\n");
    assert_eq!(b.at(), (0, 1));
    b.feed("12345\x08X");
    assert_eq!(b.screen(), "abcde\n123X5");
}

#[test]
fn without_autowrap_the_last_column_is_overwritten() {
    assert_eq!(Bench::with(5, 2, "\x1b[?7labcdefgh").screen(), "abcdh");
}

/// BR-05.
#[test]
fn rows_that_leave_the_top_of_a_region_go_to_history() {
    let mut b = Bench::with(20, 24, "\x1b[1;20r\x1b[20;1H");
    for i in 0..200 {
        b.feed(format!("line {i}\r\n"));
    }
    b.feed("\x1b[r");
    let all: Vec<String> = b.history().into_iter().filter(|l| !l.is_empty()).collect();
    let shown = b.t.screen_lines();
    let want: Vec<String> = (0..200).map(|i| format!("line {i}")).collect();
    let got: Vec<String> = all.into_iter().chain(shown.into_iter().filter(|l| !l.is_empty())).collect();
    assert_eq!(got, want);
}

#[test]
fn a_region_below_the_top_keeps_history_out() {
    let b = Bench::with(10, 4, "\x1b[2;3r\x1b[3;1Ha\r\nb\r\nc\r\nd");
    assert_eq!(b.t.history_len(), 0);
    assert_eq!(b.screen(), "\nc\nd");
}

#[test]
fn alternate_screens_keep_the_primary() {
    for (on, off) in
        [("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?47h", "\x1b[?47l"), ("\x1b[?1047h", "\x1b[?1047l")]
    {
        let mut b = Bench::with(10, 3, format!("main{on}\x1b[Halt"));
        assert_eq!(b.t.screen_lines()[0].trim(), "alt");
        for _ in 0..10 {
            b.feed("\r\nmore");
        }
        assert_eq!(b.t.history_len(), 0);
        b.feed(off);
        assert_eq!(b.screen(), "main");
        assert_eq!(b.t.history_len(), 0);
    }
}

#[test]
fn alternate_1049_gives_the_cursor_back() {
    let b = Bench::with(10, 3, "ab\x1b[?1049h\x1b[3;5Hxx\x1b[?1049l");
    assert_eq!(b.at(), (2, 0));
}

#[test]
fn editing_within_a_row() {
    assert_eq!(Bench::with(8, 1, "abcdef\x1b[1;3H\x1b[2@").screen(), "ab  cdef");
    assert_eq!(Bench::with(8, 1, "abcdef\x1b[1;3H\x1b[2P").screen(), "abef");
    assert_eq!(Bench::with(8, 1, "abcdef\x1b[1;3H\x1b[2X").screen(), "ab  ef");
    assert_eq!(Bench::with(8, 1, "abcdef\x1b[1;3H\x1b[4hXY").screen(), "abXYcdef");
    assert_eq!(Bench::with(8, 1, "abcdef\x1b[1;3H\x1b[K").screen(), "ab");
    assert_eq!(Bench::with(8, 1, "abcdef\x1b[1;3H\x1b[1K").screen(), "   def");
    assert_eq!(Bench::with(8, 1, "ab\x1b[3b").screen(), "abbbb");
}

#[test]
fn editing_rows() {
    let start = "a\r\nb\r\nc\r\nd";
    assert_eq!(Bench::with(4, 4, format!("{start}\x1b[2;1H\x1b[L")).screen(), "a\n\nb\nc");
    assert_eq!(Bench::with(4, 4, format!("{start}\x1b[2;1H\x1b[M")).screen(), "a\nc\nd");
    assert_eq!(Bench::with(4, 4, format!("{start}\x1b[S")).screen(), "b\nc\nd");
    assert_eq!(Bench::with(4, 4, format!("{start}\x1b[2T")).screen(), "\n\na\nb");
    assert_eq!(Bench::with(4, 4, format!("{start}\x1b[1;1H\x1bM")).screen(), "\na\nb\nc");
    assert_eq!(Bench::with(4, 4, format!("{start}\x1b[2;1H\x1b[J")).screen(), "a");
    assert_eq!(Bench::with(4, 4, format!("{start}\x1b[2;1H\x1b[1J")).screen(), "\n\nc\nd");
    assert_eq!(Bench::with(4, 2, "\x1b#8").screen(), "EEEE\nEEEE");
}

#[test]
fn origin_mode_counts_from_the_margins() {
    let mut b = Bench::with(10, 6, "\x1b[2;5r\x1b[?6h\x1b[1;1HX\x1b[9;1HY\x1b[6n");
    assert_eq!(b.screen(), "\nX\n\n\nY");
    assert_eq!(b.replies(), "E[4;2R");
}

#[test]
fn side_margins_bound_wrapping_and_scrolling() {
    let b = Bench::with(8, 3, "\x1b[?69h\x1b[3;5s\x1b[1;3Habcdefghi");
    assert_eq!(b.screen(), "  abc\n  def\n  ghi");
    let b = Bench::with(8, 2, "11111111\r\n22222222\x1b[?69h\x1b[3;5s\x1b[2;3H\n");
    assert_eq!(b.screen(), "11222111\n22   222");
}

#[test]
fn tabs() {
    assert_eq!(Bench::with(30, 1, "a\tb\tc").screen(), "a       b       c");
    assert_eq!(Bench::with(30, 1, "\x1b[3g\x1b[1;5H\x1bH\r\tx").screen(), "    x");
    assert_eq!(Bench::with(30, 1, "\x1b[1;20H\x1b[Zx").at(), (17, 0));
}

#[test]
fn saved_cursor_keeps_pen_and_place() {
    let b = Bench::with(10, 2, "\x1b[31mab\x1b7\x1b[m\x1b[2;2Hx\x1b8c");
    assert_eq!(b.screen(), "abc\n x");
    let runs: Vec<_> = b.t.row(0).runs().map(|r| (r.text.into_owned(), r.style.fg)).collect();
    assert_eq!(runs, [("abc".to_owned(), kraal_term::Colour::Indexed(1))]);
}

#[test]
fn line_drawing() {
    assert_eq!(Bench::with(10, 1, "\x1b(0lqk\x1b(Blqk").screen(), "┌─┐lqk");
    assert_eq!(Bench::with(10, 1, "\x1b)0\x0eq\x0fq").screen(), "─q");
}

/// BR-01.
#[test]
fn clusters_have_one_width_everywhere() {
    let mut b = Bench::with(40, 1, "x\u{2764}\u{fe0f}y\x1b[6n");
    assert_eq!(b.replies(), "E[1;5R");
    for (text, cells) in [
        ("\u{27a1}", 1),
        ("\u{27a1}\u{fe0f}", 2),
        ("\u{1f469}\u{200d}\u{1f4bb}", 2),
        ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}", 2),
        ("\u{1f1eb}\u{1f1f7}", 2),
        ("\u{1f44d}\u{1f3fd}", 2),
        ("e\u{301}", 1),
        ("한", 2),
        ("\u{1112}\u{1161}\u{11ab}", 2),
    ] {
        let mut b = Bench::with(40, 1, format!("{text}|\x1b[6n"));
        assert_eq!(b.replies(), format!("E[1;{}R", cells + 2), "{text}");
        assert_eq!(b.screen(), format!("{text}|"));
    }
    let mut b = Bench::with(40, 1, "\x1b[?2027$p");
    assert_eq!(b.replies(), "E[?2027;3$y");
}

/// BR-02.
#[test]
fn halfwidth_sound_marks_have_their_own_cells() {
    let b = Bench::with(40, 1, "\u{ff76}\u{ff9e}\u{ff8a}\u{ff9f}|");
    assert_eq!(b.at(), (5, 0));
    assert_eq!(b.screen(), "\u{ff76}\u{ff9e}\u{ff8a}\u{ff9f}|");
}

#[test]
fn a_cluster_that_grows_at_the_edge_moves_to_the_next_row() {
    let b = Bench::with(4, 2, "abc\u{27a1}\u{fe0f}d");
    assert_eq!(b.screen(), "abc\n\u{27a1}\u{fe0f}d");
}

#[test]
fn wide_characters_wrap_whole() {
    let b = Bench::with(5, 3, "世界世界世");
    assert_eq!(b.screen(), "世界\n世界\n世");
    assert_eq!(b.t.text(5), "世界世界世\n");
}

#[test]
fn marks_on_one_cell_are_bounded() {
    let b = Bench::with(5, 1, "a".to_owned() + &"\u{301}".repeat(10_000));
    assert!(b.screen().chars().count() <= 21);
}

#[test]
fn one_column_takes_anything() {
    let mut b =
        Bench::with(1, 1, "a世\u{1f469}\u{200d}\u{1f4bb}b\x1b[?69h\x1b[1;1s\x1b[2@\x1b[2P\x1b[L\x1b[M");
    b.resize(3, 3).feed("世").resize(1, 3).resize(1, 1).resize(80, 24);
}

#[test]
fn clear_history_is_told_and_done() {
    let mut b = Bench::with(5, 2, "a\r\nb\r\nc\r\nd");
    assert_eq!(b.t.history_len(), 2);
    b.feed("\x1b[3J");
    assert_eq!(b.t.history_len(), 0);
    assert_eq!(b.out.notices, [kraal_term::Notice::HistoryCleared]);
    assert_eq!(b.screen(), "c\nd");
}

#[test]
fn stamps_follow_rows() {
    let mut b = Bench::with(5, 3, "a\r\nb\r\nc");
    let before: Vec<u64> = (0..3).map(|y| b.t.row_stamp(y)).collect();
    let stamp = b.t.stamp();
    b.feed("\x1b[2;1H");
    assert!(b.t.stamp() > stamp, "the cursor moved");
    assert_eq!(before, (0..3).map(|y| b.t.row_stamp(y)).collect::<Vec<_>>());
    b.feed("\x1b[3;1H\n");
    assert_eq!(b.t.row_stamp(0), before[1]);
    assert_eq!(b.t.row_stamp(1), before[2]);
    let (view, again) = (b.t.view_row_stamp(1, 0), b.t.view_row_stamp(1, 0));
    assert_eq!(view, again);
    b.feed("\x1b[1;1Hx");
    assert_ne!(b.t.row_stamp(0), before[1]);
    assert_eq!(b.t.row_stamp(1), before[2]);
    let stamp = b.t.stamp();
    b.feed("");
    assert_eq!(b.t.stamp(), stamp);
}

#[test]
fn coloured_blanks_are_seen() {
    let b = Bench::with(6, 2, "ab\x1b[44m\x1b[K\x1b[m\r\n\x1b[41m\x1b[2Xz");
    let runs: Vec<_> = b.t.row(0).runs().map(|r| (r.x, r.cells, r.text.into_owned(), r.style.bg)).collect();
    assert_eq!(runs[1], (2, 4, "    ".to_owned(), kraal_term::Colour::Indexed(4)));
    assert_eq!(b.t.row(0).len(), 6);
}

#[test]
fn links_reach_the_reader_and_the_history() {
    let mut b = Bench::with(10, 1, "\x1b]8;;http://x\x07go\x1b]8;;\x07 on");
    let links = |b: &Bench, o| {
        b.t.view_row(o, 0)
            .runs()
            .map(|r| (r.text.into_owned(), r.link.map(str::to_owned)))
            .collect::<Vec<_>>()
    };
    let want = vec![("go".to_owned(), Some("http://x".to_owned())), (" on".to_owned(), None)];
    assert_eq!(links(&b, 0), want);
    b.feed("\r\n");
    assert_eq!(links(&b, 1), want);
}

#[test]
fn many_colours_stay_bounded_and_right() {
    let mut b = Bench::new(4, 1);
    for i in 0..100_000u32 {
        b.feed(format!("\r\x1b[38;2;{};{};{}mx", i >> 16 & 255, i >> 8 & 255, i & 255));
    }
    let style = b.t.row(0).runs().next().map(|r| r.style.fg);
    assert_eq!(style, Some(kraal_term::Colour::Rgb(1, 134, 159)));
}

#[test]
fn resets() {
    let mut b = Bench::with(10, 3, "abc\x1b[31m\x1b[?1h\x1b[2;3r\x1b[?25l\x1b[!p");
    assert!(b.t.cursor().visible);
    assert_eq!(b.screen(), "abc");
    b.feed("\x1bc");
    assert_eq!(b.screen(), "");
    assert_eq!(b.at(), (0, 0));
}

#[test]
fn protected_cells_survive_a_selective_erase() {
    assert_eq!(Bench::with(10, 1, "ab\x1b[1\"qcd\x1b[0\"qef\x1b[?2K").screen(), "  cd");
}

#[test]
fn a_terminal_can_move_to_another_thread() {
    fn sendable<T: Send>(_: &T) {}
    sendable(&Bench::new(1, 1).t);
}

#[test]
fn hangul_joins_only_its_own_parts() {
    let b = Bench::with(20, 1, "가각\u{1100}\u{1161}x한\u{11ab}y");
    assert_eq!(b.at().0, 2 + 2 + 2 + 1 + 2 + 1);
}
