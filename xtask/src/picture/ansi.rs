//! Text with SGR, OSC 8 and the line-drawing set, read into rows of styled cells.
//!
//! Other sequences are dropped; nothing here moves a cursor.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A colour as the capture names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// One of the terminal's 256.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// How an underline is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Underline {
    #[default]
    None,
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

/// How a cell looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) fg: Option<Colour>,
    pub(crate) bg: Option<Colour>,
    pub(crate) underline: Underline,
    pub(crate) underline_colour: Option<Colour>,
    /// The attributes that are on, as bits.
    pub(crate) on: u8,
}

/// Bits of [`Style::on`].
pub(crate) const BOLD: u8 = 1;
pub(crate) const DIM: u8 = 2;
pub(crate) const ITALIC: u8 = 4;
pub(crate) const INVERSE: u8 = 8;
pub(crate) const STRIKE: u8 = 16;
pub(crate) const HIDDEN: u8 = 32;

impl Style {
    /// Whether an attribute is on.
    pub(crate) fn is(&self, bit: u8) -> bool {
        self.on & bit != 0
    }
}

/// A grapheme cluster and the columns it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// 1 or 2.
    pub(crate) width: usize,
    pub(crate) style: Style,
}

/// The rows of a capture; trailing empty rows are dropped. Styles carry over line ends.
pub(crate) fn rows(capture: &str) -> Vec<Vec<Cell>> {
    let mut reader = Reader::default();
    let mut rows: Vec<Vec<Cell>> = capture.lines().map(|line| reader.row(line)).collect();
    while rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    rows
}

#[derive(Default)]
struct Reader {
    style: Style,
    /// After SO (or `ESC ( 0`), letters are lines of boxes.
    drawing: bool,
}

impl Reader {
    fn row(&mut self, line: &str) -> Vec<Cell> {
        let mut cells = Vec::new();
        let mut rest = line;
        while !rest.is_empty() {
            let plain = rest.find(|c: char| c.is_control()).unwrap_or(rest.len());
            self.text(&rest[..plain], &mut cells);
            rest = self.control(&rest[plain..], &mut cells);
        }
        cells
    }

    fn text(&self, text: &str, cells: &mut Vec<Cell>) {
        for cluster in text.graphemes(true) {
            let mut text = cluster.to_owned();
            if self.drawing {
                text = text.chars().map(line_drawing).collect();
            }
            let width = text.width().min(2);
            if width > 0 {
                cells.push(Cell { text, width, style: self.style });
            }
        }
    }

    /// Takes one control character or sequence off the front.
    fn control<'a>(&mut self, rest: &'a str, cells: &mut Vec<Cell>) -> &'a str {
        let mut chars = rest.chars();
        match chars.next() {
            Some('\x0e') => self.drawing = true,
            Some('\x0f') => self.drawing = false,
            Some('\t') => {
                let column: usize = cells.iter().map(|cell| cell.width).sum();
                let blank = Cell { text: " ".to_owned(), width: 1, style: self.style };
                cells.resize(cells.len() + 8 - column % 8, blank);
            }
            Some('\x1b') => return self.escape(chars.as_str()),
            _ => {}
        }
        chars.as_str()
    }

    fn escape<'a>(&mut self, rest: &'a str) -> &'a str {
        if let Some(csi) = rest.strip_prefix('[') {
            let Some(end) = csi.find(|c: char| ('@'..='~').contains(&c)) else { return "" };
            if csi[end..].starts_with('m') {
                self.sgr(&csi[..end]);
            }
            return &csi[end + 1..];
        }
        if let Some(osc) = rest.strip_prefix(']') {
            let end = osc.find(['\x07', '\x1b']).unwrap_or(osc.len());
            let tail = &osc[end..];
            return tail.strip_prefix("\x1b\\").or_else(|| tail.strip_prefix('\x07')).unwrap_or(tail);
        }
        if let Some(set) = rest.strip_prefix('(') {
            self.drawing = set.starts_with('0');
            return set.get(1..).unwrap_or("");
        }
        let mut chars = rest.chars();
        chars.next();
        chars.as_str()
    }

    fn sgr(&mut self, parameters: &str) {
        let mut list: Vec<Vec<u16>> = Vec::new();
        for parameter in parameters.split(';') {
            list.push(parameter.split(':').map(|sub| sub.parse().unwrap_or(0)).collect());
        }
        let mut at = 0;
        while at < list.len() {
            at += self.apply(&list[at..]);
        }
    }

    /// Applies the first parameter; returns how many it took.
    fn apply(&mut self, list: &[Vec<u16>]) -> usize {
        let style = &mut self.style;
        let code = list[0][0];
        match code {
            0 => *style = Style::default(),
            1 => style.on |= BOLD,
            2 => style.on |= DIM,
            3 => style.on |= ITALIC,
            4 => style.underline = underline(list[0].get(1).copied().unwrap_or(1)),
            7 => style.on |= INVERSE,
            8 => style.on |= HIDDEN,
            9 => style.on |= STRIKE,
            21 => style.underline = Underline::Double,
            22 => style.on &= !(BOLD | DIM),
            23 => style.on &= !ITALIC,
            24 => style.underline = Underline::None,
            27 => style.on &= !INVERSE,
            28 => style.on &= !HIDDEN,
            29 => style.on &= !STRIKE,
            30..=37 => style.fg = Some(Colour::Indexed((code - 30) as u8)),
            40..=47 => style.bg = Some(Colour::Indexed((code - 40) as u8)),
            90..=97 => style.fg = Some(Colour::Indexed((code - 90 + 8) as u8)),
            100..=107 => style.bg = Some(Colour::Indexed((code - 100 + 8) as u8)),
            39 => style.fg = None,
            49 => style.bg = None,
            59 => style.underline_colour = None,
            38 | 48 | 58 => {
                let (colour, taken) = colour(list);
                match code {
                    38 => style.fg = colour,
                    48 => style.bg = colour,
                    _ => style.underline_colour = colour,
                }
                return taken;
            }
            _ => {}
        }
        1
    }
}

fn underline(kind: u16) -> Underline {
    match kind {
        0 => Underline::None,
        2 => Underline::Double,
        3 => Underline::Curly,
        4 => Underline::Dotted,
        5 => Underline::Dashed,
        _ => Underline::Single,
    }
}

/// `38:5:n`, `38:2::r:g:b`, `38:2:r:g:b`, or the same cut by semicolons; and the parameters it took.
fn colour(list: &[Vec<u16>]) -> (Option<Colour>, usize) {
    let with_colons = list[0].len() > 1;
    let flat: Vec<u16> =
        if with_colons { list[0][1..].to_vec() } else { list[1..].iter().map(|sub| sub[0]).collect() };
    let byte = |value: u16| value.min(255) as u8;
    let (colour, used) = match flat.as_slice() {
        [5, n, ..] => (Some(Colour::Indexed(byte(*n))), 2),
        [2, _, r, g, b, ..] if with_colons => (Some(Colour::Rgb(byte(*r), byte(*g), byte(*b))), 5),
        [2, r, g, b, ..] => (Some(Colour::Rgb(byte(*r), byte(*g), byte(*b))), 4),
        _ => (None, flat.len()),
    };
    (colour, if with_colons { 1 } else { 1 + used })
}

/// The DEC line-drawing set, as far as screens use it.
fn line_drawing(c: char) -> char {
    match c {
        '`' => '◆',
        'a' => '▒',
        'j' => '┘',
        'k' => '┐',
        'l' => '┌',
        'm' => '└',
        'n' => '┼',
        'q' => '─',
        't' => '├',
        'u' => '┤',
        'v' => '┴',
        'w' => '┬',
        'x' => '│',
        '~' => '·',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(capture: &str) -> Cell {
        rows(capture).remove(0).remove(0)
    }

    #[test]
    fn colours_of_every_spelling() {
        assert_eq!(one("\x1b[31;104mx").style.fg, Some(Colour::Indexed(1)));
        assert_eq!(one("\x1b[31;104mx").style.bg, Some(Colour::Indexed(12)));
        assert_eq!(one("\x1b[38;5;200;1mx").style.fg, Some(Colour::Indexed(200)));
        assert!(one("\x1b[38;5;200;1mx").style.is(BOLD));
        for spelling in ["38;2;1;2;3", "38:2::1:2:3", "38:2:1:2:3"] {
            let style = one(&format!("\x1b[{spelling}mx")).style;
            assert_eq!(style.fg, Some(Colour::Rgb(1, 2, 3)), "{spelling}");
        }
        assert_eq!(one("\x1b[38;2;1;2;3m\x1b[mx").style, Style::default());
    }

    #[test]
    fn attributes_go_on_and_off() {
        let style = one("\x1b[1;2;3;7;9;4:3m\x1b[22;27mx").style;
        assert_eq!((style.on, style.underline), (ITALIC | STRIKE, Underline::Curly));
        assert_eq!(one("\x1b[4m\x1b[4:0mx").style.underline, Underline::None);
    }

    #[test]
    fn wide_clusters_are_one_cell_of_two_columns() {
        let widths: Vec<usize> = rows("a世👩‍💻é").remove(0).iter().map(|cell| cell.width).collect();
        assert_eq!(widths, [1, 2, 2, 1]);
    }

    #[test]
    fn links_titles_and_movement_leave_only_their_text() {
        let text: String = rows("\x1b]8;;http://x\x1b\\go\x1b]8;;\x07 \x1b[2Jon\x1b[3;4H")
            .remove(0)
            .into_iter()
            .map(|c| c.text)
            .collect();
        assert_eq!(text, "go on");
    }

    #[test]
    fn line_drawing_by_shift_and_styles_over_line_ends() {
        assert_eq!(one("\x0eq\x0f").text, "─");
        assert_eq!(rows("\x1b[1ma\nb\n\n")[1][0].style.on, BOLD);
        assert_eq!(rows("a\n\n\n").len(), 1);
    }
}
