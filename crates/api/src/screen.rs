//! The rows of a pane on the wire: styled runs in a compact binary form, written and read without
//! an allocation a cell. A writer fills a buffer, a reader walks it and calls back.
//!
//! Not here: which rows are sent to whom (`server`), how they are drawn (`tui`).

use crate::ids::PaneId;

/// A colour of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// Of the palette.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// How a cell is underlined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Underline {
    #[default]
    None = 0,
    Single = 1,
    Double = 2,
    Curly = 3,
    Dotted = 4,
    Dashed = 5,
}

/// Bits of [`Style::attrs`].
#[allow(missing_docs)]
pub mod attr {
    pub const BOLD: u8 = 1;
    pub const DIM: u8 = 2;
    pub const ITALIC: u8 = 4;
    pub const BLINK: u8 = 8;
    pub const INVERSE: u8 = 16;
    pub const HIDDEN: u8 = 32;
    pub const STRIKE: u8 = 64;
    pub const OVERLINE: u8 = 128;
}

/// How a run of cells looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    /// Of the text.
    pub fg: Colour,
    /// Behind it.
    pub bg: Colour,
    /// Of the underline; the text's colour when default.
    pub underline_colour: Colour,
    /// How it is underlined.
    pub underline: Underline,
    /// Bits of [`attr`].
    pub attrs: u8,
}

/// How a run's text fills cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fill {
    /// Each char takes one cell.
    Narrow = 1,
    /// Each char takes two cells.
    Wide = 2,
    /// All of the text is one cluster in one cell.
    NarrowCluster = 3,
    /// All of the text is one cluster over two cells.
    WideCluster = 4,
}

/// What a pane's program asks of the mouse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum MouseWish {
    /// Nothing: the mouse is the client's.
    #[default]
    None = 0,
    /// Presses and releases.
    Clicks = 1,
    /// And motion with a button down.
    Drags = 2,
    /// And all motion.
    Motion = 3,
}

/// The shapes of a cursor, as DECSCUSR numbers them without blinking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum CursorShape {
    #[default]
    Block = 0,
    Underline = 1,
    Bar = 2,
}

/// Bits of [`Head::flags`].
#[allow(missing_docs)]
pub mod flag {
    pub const CURSOR_VISIBLE: u8 = 1;
    pub const CURSOR_BLINKS: u8 = 2;
    pub const ALTERNATE: u8 = 4;
    /// Rows not mentioned are blank: the client forgets what it had of this pane.
    pub const FRESH: u8 = 8;
    pub const BRACKETED_PASTE: u8 = 16;
}

/// What a screen frame says besides rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The pane.
    pub pane: PaneId,
    /// Columns of its terminal.
    pub cols: u16,
    /// Rows of its terminal.
    pub rows: u16,
    /// The cursor, in the shown rows.
    pub cursor: (u16, u16),
    /// Its shape.
    pub shape: CursorShape,
    /// Bits of [`flag`].
    pub flags: u8,
    /// What its program asks of the mouse.
    pub mouse: MouseWish,
    /// How many rows above the live screen the shown ones are.
    pub offset: u32,
    /// How many rows of history there are.
    pub history: u32,
}

/// Writes one frame's payload.
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    last: Option<Style>,
    in_row: bool,
}

/// A place in a frame that is being written.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    length: usize,
    last: Option<Style>,
}

const END: u8 = 0;
const ROW: u8 = 1;
const SCROLL: u8 = 2;
const SAME_STYLE: u8 = 0x10;
const LINKED: u8 = 0x20;

impl<'a> Writer<'a> {
    /// Begins a frame.
    pub fn new(out: &'a mut Vec<u8>, head: &Head) -> Self {
        out.extend_from_slice(&head.pane.0.to_le_bytes());
        for number in [head.cols, head.rows, head.cursor.0, head.cursor.1] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&[head.shape as u8, head.flags, head.mouse as u8]);
        out.extend_from_slice(&head.offset.to_le_bytes());
        out.extend_from_slice(&head.history.to_le_bytes());
        Writer { out, last: None, in_row: false }
    }

    /// The rows `top..bottom` moved by `by`: up when positive. Comes before any row.
    pub fn scroll(&mut self, top: u16, bottom: u16, by: i16) {
        self.close_row();
        self.out.push(SCROLL);
        self.out.extend_from_slice(&top.to_le_bytes());
        self.out.extend_from_slice(&bottom.to_le_bytes());
        self.out.extend_from_slice(&by.to_le_bytes());
    }

    /// Begins a row; what its runs do not fill is blank.
    pub fn row(&mut self, y: u16) {
        self.close_row();
        self.out.push(ROW);
        self.out.extend_from_slice(&y.to_le_bytes());
        self.in_row = true;
    }

    /// The next run of the row.
    pub fn run(&mut self, style: &Style, link: Option<&str>, fill: Fill, text: &str) {
        let same = self.last.as_ref() == Some(style);
        let tag = fill as u8 | if same { SAME_STYLE } else { 0 } | if link.is_some() { LINKED } else { 0 };
        self.out.push(tag);
        if !same {
            write_style(self.out, style);
            self.last = Some(*style);
        }
        if let Some(link) = link {
            write_text(self.out, link);
        }
        write_text(self.out, text);
    }

    /// Where the frame stands: see [`Writer::rewind`].
    pub fn mark(&mut self) -> Mark {
        self.close_row();
        Mark { length: self.out.len(), last: self.last }
    }

    /// What was written since the mark, as bytes.
    pub fn since(&mut self, mark: &Mark) -> &[u8] {
        self.close_row();
        &self.out[mark.length..]
    }

    /// Takes back what was written since the mark.
    pub fn rewind(&mut self, mark: Mark) {
        self.in_row = false;
        self.out.truncate(mark.length);
        self.last = mark.last;
    }

    /// The next run tells its style whatever the last one's was: what follows reads the same wherever it stands.
    pub fn forget_style(&mut self) {
        self.last = None;
    }

    /// Ends the frame.
    pub fn end(mut self) {
        self.close_row();
        self.out.push(END);
    }

    fn close_row(&mut self) {
        if std::mem::take(&mut self.in_row) {
            self.out.push(END);
        }
    }
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(text.as_bytes());
}

fn write_style(out: &mut Vec<u8>, style: &Style) {
    let tag = |c: &Colour| match c {
        Colour::Default => 0u8,
        Colour::Indexed(_) => 1,
        Colour::Rgb(..) => 2,
    };
    out.push(tag(&style.fg) | tag(&style.bg) << 2 | tag(&style.underline_colour) << 4);
    out.push(style.attrs);
    out.push(style.underline as u8);
    for colour in [style.fg, style.bg, style.underline_colour] {
        match colour {
            Colour::Default => {}
            Colour::Indexed(i) => out.push(i),
            Colour::Rgb(r, g, b) => out.extend_from_slice(&[r, g, b]),
        }
    }
}

/// What a reader meets.
pub trait Visitor {
    /// First.
    fn head(&mut self, head: &Head);
    /// Rows moved.
    fn scroll(&mut self, top: u16, bottom: u16, by: i16);
    /// A row begins; it is blank but for its runs.
    fn row(&mut self, y: u16);
    /// The next run of the row.
    fn run(&mut self, style: &Style, link: Option<&str>, fill: Fill, text: &str);
}

/// Bytes that are no screen frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a screen frame cannot be read: client and server are of different versions")
    }
}

impl std::error::Error for Malformed {}

/// Walks a frame's payload.
///
/// # Errors
///
/// [`Malformed`] where the bytes end or make no sense; what was visited before stays visited.
pub fn read(bytes: &[u8], visitor: &mut impl Visitor) -> Result<(), Malformed> {
    let mut from = Bytes(bytes);
    let head = Head {
        pane: PaneId(u64::from_le_bytes(from.take()?)),
        cols: from.u16()?,
        rows: from.u16()?,
        cursor: (from.u16()?, from.u16()?),
        shape: match from.u8()? {
            1 => CursorShape::Underline,
            2 => CursorShape::Bar,
            _ => CursorShape::Block,
        },
        flags: from.u8()?,
        mouse: match from.u8()? {
            1 => MouseWish::Clicks,
            2 => MouseWish::Drags,
            3 => MouseWish::Motion,
            _ => MouseWish::None,
        },
        offset: u32::from_le_bytes(from.take()?),
        history: u32::from_le_bytes(from.take()?),
    };
    visitor.head(&head);
    let mut style = Style::default();
    loop {
        match from.u8()? {
            END => return Ok(()),
            SCROLL => {
                let (top, bottom) = (from.u16()?, from.u16()?);
                visitor.scroll(top, bottom, i16::from_le_bytes(from.take()?));
            }
            ROW => {
                visitor.row(from.u16()?);
                read_runs(&mut from, &mut style, visitor)?;
            }
            _ => return Err(Malformed),
        }
    }
}

fn read_runs(from: &mut Bytes<'_>, style: &mut Style, visitor: &mut impl Visitor) -> Result<(), Malformed> {
    loop {
        let tag = from.u8()?;
        if tag == END {
            return Ok(());
        }
        let fill = match tag & 0x0f {
            1 => Fill::Narrow,
            2 => Fill::Wide,
            3 => Fill::NarrowCluster,
            4 => Fill::WideCluster,
            _ => return Err(Malformed),
        };
        if tag & SAME_STYLE == 0 {
            *style = from.style()?;
        }
        let link = if tag & LINKED != 0 { Some(from.text()?) } else { None };
        let text = from.text()?;
        visitor.run(style, link, fill, text);
    }
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.0.split_first_chunk::<N>().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*head)
    }

    fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.take::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.take()?))
    }

    fn text(&mut self) -> Result<&'a str, Malformed> {
        let mut length = 0usize;
        for shift in (0..28).step_by(7) {
            let byte = self.u8()?;
            length |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                let (text, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
                self.0 = rest;
                return std::str::from_utf8(text).map_err(|_| Malformed);
            }
        }
        Err(Malformed)
    }

    fn style(&mut self) -> Result<Style, Malformed> {
        let [tags, attrs, underline] = self.take()?;
        let mut colour = |tag: u8| {
            Ok(match tag & 3 {
                0 => Colour::Default,
                1 => Colour::Indexed(self.u8()?),
                _ => {
                    let [r, g, b] = self.take()?;
                    Colour::Rgb(r, g, b)
                }
            })
        };
        let fg = colour(tags)?;
        let bg = colour(tags >> 2)?;
        let underline_colour = colour(tags >> 4)?;
        let underline = match underline {
            1 => Underline::Single,
            2 => Underline::Double,
            3 => Underline::Curly,
            4 => Underline::Dotted,
            5 => Underline::Dashed,
            _ => Underline::None,
        };
        Ok(Style { fg, bg, underline_colour, underline, attrs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(Vec<String>);

    impl Visitor for Log {
        fn head(&mut self, head: &Head) {
            self.0.push(format!("{head:?}"));
        }
        fn scroll(&mut self, top: u16, bottom: u16, by: i16) {
            self.0.push(format!("scroll {top} {bottom} {by}"));
        }
        fn row(&mut self, y: u16) {
            self.0.push(format!("row {y}"));
        }
        fn run(&mut self, style: &Style, link: Option<&str>, fill: Fill, text: &str) {
            self.0.push(format!("{style:?} {link:?} {fill:?} {text}"));
        }
    }

    fn sample() -> (Vec<u8>, Vec<String>) {
        let head =
            Head { pane: PaneId(5), cols: 80, rows: 24, cursor: (3, 4), history: 9, ..Head::default() };
        let red =
            Style { fg: Colour::Indexed(1), bg: Colour::Rgb(1, 2, 3), attrs: attr::BOLD, ..Style::default() };
        let long = "x".repeat(300);
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, &head);
        writer.scroll(0, 24, 1);
        writer.row(3);
        writer.run(&red, None, Fill::Narrow, "ab");
        writer.run(&red, Some("http://x"), Fill::Wide, "漢");
        writer.row(4);
        writer.run(&Style::default(), None, Fill::Narrow, &long);
        writer.end();
        let expected = vec![
            format!("{head:?}"),
            "scroll 0 24 1".into(),
            "row 3".into(),
            format!("{red:?} None Narrow ab"),
            format!("{red:?} Some(\"http://x\") Wide 漢"),
            "row 4".into(),
            format!("{:?} None Narrow {long}", Style::default()),
        ];
        (out, expected)
    }

    #[test]
    fn a_row_can_be_taken_back() {
        let bold = Style { attrs: attr::BOLD, ..Style::default() };
        let write = |rows: &[&str], taken_back: bool| {
            let mut out = Vec::new();
            let mut writer = Writer::new(&mut out, &Head::default());
            for (y, row) in rows.iter().enumerate() {
                if taken_back {
                    let mark = writer.mark();
                    writer.row(99);
                    writer.run(&Style::default(), None, Fill::Narrow, "not this");
                    assert!(writer.since(&mark).ends_with(b"not this\0"));
                    writer.rewind(mark);
                }
                writer.row(y as u16);
                writer.run(&bold, None, Fill::Narrow, row);
            }
            writer.end();
            out
        };
        assert_eq!(write(&["a", "b"], true), write(&["a", "b"], false));
    }

    #[test]
    fn what_is_written_is_read() {
        let (bytes, expected) = sample();
        let mut log = Log::default();
        read(&bytes, &mut log).expect("well formed");
        assert_eq!(log.0, expected);
    }

    #[test]
    fn a_cut_or_mangled_frame_is_refused_and_never_panics() {
        let (bytes, _) = sample();
        for cut in 0..bytes.len() {
            assert_eq!(read(&bytes[..cut], &mut Log::default()), Err(Malformed));
        }
        let mut seed = 7u64;
        for _ in 0..20_000 {
            let mut mangled = bytes.clone();
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % mangled.len();
            mangled[at] = seed as u8;
            let _ = read(&mangled, &mut Log::default());
        }
    }
}
