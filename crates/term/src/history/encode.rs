//! One row as bytes: text and style runs, nothing for blanks at the end. Self-contained (colours and
//! links are written out), so a row can be read with no table from when it was written. Where rows go
//! is `index`'s business.
//!
//! A record's body: flags (1), columns (u16), with `FILL` the fill's style, with `TEXT` a length (u32) and
//! coded text, else `columns` bytes of ASCII; with `STYLED` style runs (columns as varint, style) up to
//! the end.
//! Coded text: a character of its default width stands as itself; 0 and 1 are blanks (one; a varint of
//! them); 2 is an odd cell: width byte, length varint, its text.

use crate::cell::{Cell, Content};
use crate::row::Line;
use crate::style::Pen;
use crate::tables::Tables;
use crate::width::char_width;

/// The next row continues this one.
pub(crate) const CONTINUES: u8 = 1;
/// Some cell is wide.
pub(crate) const WIDE: u8 = 2;
const TEXT: u8 = 4;
const FILL: u8 = 8;
const STYLED: u8 = 16;

const BLANK: u8 = 0;
const BLANKS: u8 = 1;
const ODD: u8 = 2;

/// What may be left out when a record would be too long for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Keep {
    All,
    NoLinks,
    BareText,
}

/// A row to encode.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) cells: &'a [Cell],
    pub(crate) fill: u32,
    pub(crate) continues: bool,
}

/// A row read back; the numbers in it are of the table it was read with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoded {
    pub(crate) cells: Vec<Cell>,
    pub(crate) fill: u32,
    pub(crate) continues: bool,
}

impl From<Decoded> for Line {
    fn from(d: Decoded) -> Self {
        Self { cells: d.cells, fill: d.fill, wrapped: d.continues, stamp: 0 }
    }
}

/// Appends the record of `row`.
pub(crate) fn encode(row: Source<'_>, tables: &Tables, keep: Keep, out: &mut Vec<u8>) {
    let blank_end = |c: &Cell| *c == Cell::blank(row.fill) && !row.continues;
    let len = row.cells.iter().rposition(|c| !blank_end(c)).map_or(0, |i| i + 1);
    let cells = &row.cells[..len];
    let at = out.len();
    out.push(if row.continues { CONTINUES } else { 0 });
    out.extend_from_slice(&(len as u16).to_le_bytes());
    if row.fill != 0 {
        out[at] |= FILL;
        write_pen(tables.styles.get(row.fill), tables, keep, out);
    }
    let (mut odd, mut mixed) = (0, 0);
    let first = cells.first().map_or(0, |c| c.style);
    for c in cells {
        odd |= u32::from(c.content.wrapping_sub(0x20) >= 0x5f);
        mixed |= c.style ^ first;
    }
    if odd == 0 {
        out.extend(cells.iter().map(|c| c.content as u8));
    } else {
        let wide = write_text(cells, tables, keep, out);
        out[at] |= TEXT | if wide { WIDE } else { 0 };
    }
    if (mixed | first) != 0 && keep < Keep::BareText {
        out[at] |= STYLED;
        write_styles(cells, tables, keep, out);
    }
}

fn write_text(cells: &[Cell], tables: &Tables, keep: Keep, out: &mut Vec<u8>) -> bool {
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    let (mut x, mut wide) = (0, false);
    while x < cells.len() {
        let cell = cells[x];
        wide |= cell.is_wide();
        match cell.content() {
            _ if cell.is_spacer() => {}
            Content::Blank => {
                let n = cells[x..].iter().take_while(|c| c.is_blank()).count();
                match n {
                    1 => out.push(BLANK),
                    _ => {
                        out.push(BLANKS);
                        write_varint(n as u32, out);
                    }
                }
                x += n;
                continue;
            }
            Content::Char(c) if char_width(c) == 1 + u16::from(cell.is_wide()) => write_char(c, out),
            Content::Char(c) => write_odd(c.encode_utf8(&mut [0; 4]), cell.is_wide(), out),
            Content::Cluster(id) => {
                let text = tables.clusters.get(id);
                let base = text.char_indices().nth(1).map_or(text, |(i, _)| &text[..i]);
                write_odd(if keep == Keep::BareText { base } else { text }, cell.is_wide(), out);
            }
        }
        x += 1;
    }
    let len = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&len.to_le_bytes());
    wide
}

fn write_char(c: char, out: &mut Vec<u8>) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn write_odd(text: &str, wide: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&[ODD, 1 + u8::from(wide)]);
    write_varint(text.len() as u32, out);
    out.extend_from_slice(text.as_bytes());
}

fn write_styles(cells: &[Cell], tables: &Tables, keep: Keep, out: &mut Vec<u8>) {
    for run in cells.chunk_by(|a, b| a.style == b.style) {
        write_varint(run.len() as u32, out);
        write_pen(tables.styles.get(run[0].style), tables, keep, out);
    }
}

/// A style: a byte that says which fields follow, then those.
fn write_pen(pen: &Pen, tables: &Tables, keep: Keep, out: &mut Vec<u8>) {
    let link = if keep == Keep::All { tables.links.get(pen.link) } else { "" };
    let fields = [pen.fg, pen.bg, pen.underline_colour, pen.bits];
    let mut mask = if link.is_empty() { 0 } else { 1 << fields.len() };
    for (i, _) in fields.iter().enumerate().filter(|(_, f)| **f != 0) {
        mask |= 1 << i;
    }
    out.push(mask);
    fields.into_iter().filter(|f| *f != 0).for_each(|f| write_varint(f, out));
    if !link.is_empty() {
        write_varint(link.len() as u32, out);
        out.extend_from_slice(link.as_bytes());
    }
}

fn write_varint(mut v: u32, out: &mut Vec<u8>) {
    while v >= 0x80 {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

/// Reads a record; damaged bytes give what could be read, never a panic.
pub(crate) fn decode(record: &[u8], tables: &mut Tables) -> Decoded {
    let mut row = Decoded::default();
    read(&mut Reader { rest: record }, &mut row, tables);
    row
}

/// Columns and flags of a record without reading its text.
pub(crate) fn peek(record: &[u8]) -> (u16, u8) {
    match record {
        [flags, a, b, ..] => (u16::from_le_bytes([*a, *b]), *flags),
        _ => (0, 0),
    }
}

fn read(from: &mut Reader<'_>, row: &mut Decoded, tables: &mut Tables) -> Option<()> {
    let flags = from.byte()?;
    let cols = usize::from(u16::from_le_bytes([from.byte()?, from.byte()?]));
    row.continues = flags & CONTINUES != 0;
    if flags & FILL != 0 {
        row.fill = read_pen(from, tables)?;
    }
    row.cells.reserve(cols);
    if flags & TEXT == 0 {
        row.cells.extend(from.take(cols)?.iter().map(|&b| Cell::ascii(b, 0)));
    } else {
        let len = u32::from_le_bytes(from.take(4)?.try_into().ok()?);
        let mut text = Reader { rest: from.take(len as usize)? };
        read_text(&mut text, row, cols, tables);
    }
    let mut x = 0;
    while flags & STYLED != 0 && x < row.cells.len() {
        let n = from.varint()? as usize;
        let style = read_pen(from, tables)?;
        let end = x.saturating_add(n).min(row.cells.len());
        row.cells[x..end].iter_mut().for_each(|c| c.style = style);
        x = end;
    }
    Some(())
}

fn read_text(from: &mut Reader<'_>, row: &mut Decoded, cols: usize, tables: &mut Tables) -> Option<()> {
    while row.cells.len() < cols {
        let (cell, wide) = match from.byte()? {
            BLANK => (Cell::default(), false),
            BLANKS => {
                let n = (from.varint()? as usize).min(cols - row.cells.len());
                row.cells.extend(std::iter::repeat_n(Cell::default(), n));
                continue;
            }
            ODD => {
                let wide = from.byte()? == 2;
                let len = from.varint()? as usize;
                let text = std::str::from_utf8(from.take(len)?).ok()?;
                let mut chars = text.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => (Cell::char(c, wide, 0), wide),
                    _ => (Cell::cluster(tables.clusters.intern(text), wide, 0), wide),
                }
            }
            lead => {
                let c = from.char(lead)?;
                (Cell::char(c, char_width(c) == 2, 0), char_width(c) == 2)
            }
        };
        row.cells.push(cell);
        if wide {
            row.cells.push(Cell::spacer(0));
        }
    }
    Some(())
}

fn read_pen(from: &mut Reader<'_>, tables: &mut Tables) -> Option<u32> {
    let mask = from.byte()?;
    let mut fields = [0; 4];
    for (i, field) in fields.iter_mut().enumerate() {
        if mask & 1 << i != 0 {
            *field = from.varint()?;
        }
    }
    let [fg, bg, underline_colour, bits] = fields;
    let mut pen = Pen { fg, bg, underline_colour, bits, link: 0 };
    if mask & 1 << fields.len() != 0 {
        let len = from.varint()? as usize;
        pen.link = tables.links.intern(std::str::from_utf8(from.take(len)?).ok()?);
    }
    Some(tables.styles.intern(pen))
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&b, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(b)
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(n)?;
        self.rest = rest;
        Some(head)
    }

    fn varint(&mut self) -> Option<u32> {
        let mut v = 0;
        for shift in (0..32).step_by(7) {
            let b = self.byte()?;
            v |= u32::from(b & 0x7f) << shift;
            if b < 0x80 {
                return Some(v);
            }
        }
        None
    }

    fn char(&mut self, lead: u8) -> Option<char> {
        let len = match lead {
            0..0x80 => return Some(lead as char),
            0xc0..0xe0 => 1,
            0xe0..0xf0 => 2,
            _ => 3,
        };
        let mut bytes = [lead, 0, 0, 0];
        bytes[1..=len].copy_from_slice(self.take(len)?);
        std::str::from_utf8(&bytes[..=len]).ok()?.chars().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::indexed;

    fn there_and_back(line: &Line, tables: &mut Tables) -> Decoded {
        let mut bytes = Vec::new();
        let source = Source { cells: &line.cells, fill: line.fill, continues: line.wrapped };
        encode(source, tables, Keep::All, &mut bytes);
        decode(&bytes, tables)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut tables = Tables::default();
        let link = tables.links.intern("http://x");
        let red = tables.styles.intern(Pen { fg: indexed(1), link, ..Pen::default() });
        let cluster = tables.clusters.intern("e\u{301}");
        let mut line = Line { fill: red, wrapped: true, ..Line::default() };
        line.write_ascii(0, b"plain ", 0);
        line.write(6, Cell::char('世', true, red));
        line.write(8, Cell::cluster(cluster, false, red));
        line.write(9, Cell::char('世', false, 0));
        line.write_ascii(20, b"end", red);
        let back = there_and_back(&line, &mut tables);
        assert_eq!(back.cells, line.cells);
        assert!(back.continues && back.fill == red);
    }

    #[test]
    fn a_plain_row_is_its_text_and_three_bytes() {
        let mut line = Line::default();
        line.write_ascii(0, b"hello", 0);
        let mut bytes = Vec::new();
        let source = Source { cells: &line.cells, fill: 0, continues: false };
        encode(source, &Tables::default(), Keep::All, &mut bytes);
        assert_eq!(bytes, b"\0\x05\0hello");
    }

    #[test]
    fn damaged_records_do_no_harm() {
        let mut tables = Tables::default();
        let mut line = Line::default();
        line.write(0, Cell::char('世', true, 0));
        line.write_ascii(2, b"abc", 0);
        let mut bytes = Vec::new();
        encode(Source { cells: &line.cells, fill: 0, continues: false }, &tables, Keep::All, &mut bytes);
        for end in 0..bytes.len() {
            decode(&bytes[..end], &mut tables);
        }
        for i in 0..bytes.len() {
            for v in 0..=255 {
                let mut b = bytes.clone();
                b[i] = v;
                decode(&b, &mut tables);
            }
        }
    }
}
