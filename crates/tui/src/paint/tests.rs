//! Painted bytes, read back by our own terminal, give the painted grid; and they are few.

use kraal_api::screen::{Colour, Style, Underline};
use kraal_term::{Attrs, Options, Outbox, Size, Terminal};
use proptest::prelude::*;

use super::*;
use crate::grid::at;

/// A cell for comparing: its text, its look, its link.
type Seen = (String, Look, String);

/// A blank that looks like an erased one is one.
fn settled(seen: Seen) -> Seen {
    if seen.0 == " " && seen.1.erases() && seen.2.is_empty() {
        return (seen.0, Look::PLAIN, seen.2);
    }
    seen
}

/// Holds a row of a terminal against the grid's; says the first cell that differs.
pub(crate) fn differs(terminal: &Terminal, grid: &Grid, y: u16, pool: &Pool) -> Option<String> {
    let shown = cells_of(terminal, y, grid.cols()).into_iter().map(settled);
    let wanted = cells_wanted(grid, y, pool).into_iter().map(settled);
    let (x, (shown, wanted)) = shown.zip(wanted).enumerate().find(|(_, (a, b))| a != b)?;
    Some(format!("column {x} of row {y} shows {shown:?}, not {wanted:?}"))
}

/// What a terminal shows in a row.
fn cells_of(terminal: &Terminal, y: u16, cols: u16) -> Vec<Seen> {
    let mut cells = Vec::new();
    for run in terminal.row(y).runs() {
        while cells.len() < usize::from(run.x) {
            cells.push((" ".to_owned(), Look::PLAIN, String::new()));
        }
        let look = look_of(&run.style);
        let link = run.link.unwrap_or_default().to_owned();
        for (text, width) in run.clusters() {
            cells.push((text.to_owned(), look, link.clone()));
            if width == 2 {
                cells.push((String::new(), look, link.clone()));
            }
        }
    }
    cells.resize(usize::from(cols), (" ".to_owned(), Look::PLAIN, String::new()));
    cells
}

/// What a grid wants shown in a row.
fn cells_wanted(grid: &Grid, y: u16, pool: &Pool) -> Vec<Seen> {
    grid.row(y)
        .iter()
        .map(|cell| {
            let mut text = Vec::new();
            cell.glyph.write(pool, &mut text);
            let text = String::from_utf8(text).expect("glyphs are text");
            (text, cell.look.linked(0), pool.url(cell.look.link()).to_owned())
        })
        .collect()
}

fn look_of(style: &kraal_term::Style) -> Look {
    let colour = |c: kraal_term::Colour| match c {
        kraal_term::Colour::Default => Colour::Default,
        kraal_term::Colour::Indexed(i) => Colour::Indexed(i),
        kraal_term::Colour::Rgb(r, g, b) => Colour::Rgb(r, g, b),
    };
    let underline = match style.underline {
        kraal_term::Underline::None => Underline::None,
        kraal_term::Underline::Single => Underline::Single,
        kraal_term::Underline::Double => Underline::Double,
        kraal_term::Underline::Curly => Underline::Curly,
        kraal_term::Underline::Dotted => Underline::Dotted,
        kraal_term::Underline::Dashed => Underline::Dashed,
    };
    let attrs: Attrs = style.attrs;
    let style = Style {
        fg: colour(style.fg),
        bg: colour(style.bg),
        underline_colour: style.underline_colour.map_or(Colour::Default, colour),
        underline,
        attrs: attrs.bits() as u8,
    };
    Look::of(&style, 0)
}

/// A grid and a terminal that is told of it.
struct Pair {
    grid: Grid,
    pool: Pool,
    painter: Painter,
    terminal: Terminal,
    caps: Caps,
    cursor: Cursor,
}

impl Pair {
    fn new(cols: u16, rows: u16) -> Self {
        Pair {
            grid: Grid::new(cols, rows),
            pool: Pool::default(),
            painter: Painter::new(),
            terminal: Terminal::new(Size { cols, rows }, Options::default()),
            caps: Caps::default(),
            cursor: Cursor { at: Some((0, 0)), ..Cursor::default() },
        }
    }

    fn paint(&mut self) -> String {
        let mut out = Vec::new();
        let brush = Brush { pool: &self.pool, caps: &self.caps };
        self.painter.paint(&mut self.grid, self.cursor, &brush, &mut out);
        self.terminal.feed(&out, &mut Outbox::default());
        String::from_utf8(out).expect("text").replace('\x1b', "^")
    }

    fn text(&mut self, x: u16, y: u16, text: &str, look: Look) {
        self.grid.text(at(x, y, u16::MAX), text, look, &mut self.pool);
    }
}

#[test]
fn one_typed_letter_is_a_few_bytes() {
    let mut pair = Pair::new(80, 24);
    pair.text(0, 5, "$ ls", Look::PLAIN);
    pair.cursor.at = Some((4, 5));
    pair.paint();
    pair.text(4, 5, "x", Look::PLAIN);
    pair.cursor.at = Some((5, 5));
    assert_eq!(pair.paint(), "x");
    assert_eq!(pair.paint(), "");
    pair.cursor.at = None;
    assert_eq!(pair.paint(), "^[?25l");
}

#[test]
fn a_cleared_line_is_erased_not_overwritten() {
    let mut pair = Pair::new(80, 3);
    pair.text(0, 1, &"long ".repeat(15), Look::PLAIN);
    pair.paint();
    pair.grid.clear_row(1);
    assert_eq!(pair.paint(), "\r\n^[K^[H");
}

#[test]
fn a_frame_is_shown_at_once_where_the_terminal_can() {
    let mut pair = Pair::new(80, 3);
    pair.caps.sync = Extra::Present;
    pair.text(0, 0, &"text".repeat(19), Look::PLAIN);
    let bytes = pair.paint();
    assert!(bytes.starts_with("^[?2026h") && bytes.ends_with("^[?2026l"), "{bytes}");
    pair.caps.sync = Extra::Missing;
    pair.text(0, 0, &"else".repeat(19), Look::PLAIN);
    let bytes = pair.paint();
    assert!(bytes.starts_with("^[?25l") && bytes.ends_with("^[?25h"), "{bytes}");
}

#[test]
fn the_cursor_is_addressed_anew_after_what_terminals_disagree_on() {
    let mut pair = Pair::new(20, 1);
    pair.text(0, 0, "❤️ab", Look::PLAIN);
    let bytes = pair.paint();
    let after = bytes.split('❤').nth(1).unwrap_or_default();
    assert!(after.contains("^[1;3Hab"), "{bytes}");
    // When only the heart changes, its neighbours are written again: it may have covered them.
    pair.text(0, 0, "⚙️", Look::PLAIN);
    let bytes = pair.paint();
    assert!(bytes.contains("ab"), "{bytes}");
}

#[test]
fn a_terminal_without_extras_gets_none() {
    let mut pair = Pair::new(20, 1);
    pair.caps = Caps { depth: Depth::Mono, sync: Extra::Missing, modern: Extra::Missing };
    let link = pair.pool.link("https://example.org");
    let look = Look::PLAIN.fg(Colour::Rgb(1, 2, 3)).bg(Colour::Indexed(200)).bold().linked(link);
    pair.text(0, 0, "plain", look);
    let bytes = pair.paint();
    assert!(bytes.contains("^[1mplain") && !bytes.contains("38;") && !bytes.contains("example"), "{bytes}");
    assert!(!bytes.contains(" q"), "no cursor shape either: {bytes}");
}

fn looks() -> impl Strategy<Value = Look> {
    let colour = prop_oneof![
        Just(Colour::Default),
        any::<u8>().prop_map(Colour::Indexed),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Colour::Rgb(r, g, b)),
    ];
    let underline = prop_oneof![
        Just(Underline::None),
        Just(Underline::Single),
        Just(Underline::Double),
        Just(Underline::Curly),
        Just(Underline::Dotted),
        Just(Underline::Dashed),
    ];
    (colour.clone(), colour.clone(), colour, underline, any::<u8>()).prop_map(
        |(fg, bg, underline_colour, underline, attrs)| {
            Look::of(&Style { fg, bg, underline_colour, underline, attrs }, 0)
        },
    )
}

fn strokes() -> impl Strategy<Value = Vec<(u16, u16, String, Look, bool)>> {
    let text = prop_oneof![
        "[a-z ]{1,12}",
        Just("漢字".to_owned()),
        Just("👨‍👩‍👧‍👦x".to_owned()),
        Just("e\u{301}❤️🇩🇪".to_owned()),
        Just("⎇ main ↑2".to_owned()),
        Just("            ".to_owned()),
    ];
    let look = prop_oneof![Just(Look::PLAIN), looks()];
    prop::collection::vec((0..24u16, 0..6u16, text, look, any::<bool>()), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn painted_grids_come_back(frames in prop::collection::vec(strokes(), 1..5)) {
        let mut pair = Pair::new(24, 6);
        for strokes in frames {
            for (x, y, text, look, linked) in strokes {
                let link = if linked { pair.pool.link("https://example.org/?a=b;c") } else { 0 };
                pair.text(x, y, &text, look.linked(link));
                if x == 7 {
                    pair.grid.scroll(0, 6, if y > 2 { 1 } else { -1 });
                }
                if x == 8 {
                    pair.grid.clear_row(y);
                }
                pair.cursor.at = (x != 9).then_some((x, y));
            }
            pair.paint();
            for y in 0..6 {
                prop_assert_eq!(differs(&pair.terminal, &pair.grid, y, &pair.pool), None);
            }
            if let Some((x, y)) = pair.cursor.at {
                let cursor = pair.terminal.cursor();
                prop_assert_eq!((cursor.x, cursor.y, cursor.visible), (x, y, true));
            }
        }
    }
}
