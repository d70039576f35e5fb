//! What is printed: tables for people, JSON for programs, colour only on a terminal.
//!
//! Not here: what is in them. Every text of others (names, titles, folders) is cleaned before it
//! reaches a terminal.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use crate::failure::Done;

/// Who reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// A person.
    Table,
    /// A program.
    Json,
}

/// Whether colours may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    /// On a terminal, where `NO_COLOR` is not set.
    Yes,
    /// Elsewhere.
    No,
}

impl Colour {
    fn of_stdout() -> Self {
        let unwanted = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if io::stdout().is_terminal() && !unwanted("NO_COLOR") && !dumb { Colour::Yes } else { Colour::No }
    }
}

/// The standard output of a command.
pub(crate) struct Output {
    pub(crate) format: Format,
    colour: Colour,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    text: String,
    paint: Paint,
}

/// How a cell looks where there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
}

impl Paint {
    fn code(self) -> Option<&'static str> {
        match self {
            Paint::Plain => None,
            Paint::Dim => Some("2"),
            Paint::Bold => Some("1"),
            Paint::Red => Some("31"),
            Paint::Green => Some("32"),
            Paint::Yellow => Some("33"),
        }
    }

    /// Of a state: the colours of the dots on the screen.
    pub(crate) fn of_state(state: kraal_api::State) -> Self {
        match state {
            kraal_api::State::Working => Paint::Yellow,
            kraal_api::State::Blocked => Paint::Red,
            kraal_api::State::Done => Paint::Green,
            kraal_api::State::Idle => Paint::Plain,
        }
    }
}

impl Cell {
    /// A painted cell; its text is cleaned.
    pub(crate) fn new(text: impl AsRef<str>, paint: Paint) -> Self {
        Cell { text: clean(text.as_ref()), paint }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Self {
        Cell::new(text, Paint::Plain)
    }
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Output { format, colour: Colour::of_stdout() }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// One line; others' texts in it must be cleaned.
    pub(crate) fn line(&self, text: impl AsRef<str>) -> Done {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", text.as_ref())?;
        Ok(out.flush()?)
    }

    /// Text as it is, with a newline at its end.
    pub(crate) fn text(&self, text: &str) -> Done {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        if !text.is_empty() && !text.ends_with('\n') {
            out.write_all(b"\n")?;
        }
        Ok(out.flush()?)
    }

    /// One JSON value on one line.
    pub(crate) fn json(&self, value: &impl Serialize) -> Done {
        self.line(serde_json::to_string(value).expect("our own types have string keys"))
    }

    /// One painted line.
    pub(crate) fn cells(&self, cells: &[Cell]) -> Done {
        let parts: Vec<String> = cells.iter().map(|cell| self.painted(cell, cell.text.clone())).collect();
        self.line(parts.join(" "))
    }

    /// A table with a heading; nothing but the heading when it is empty.
    pub(crate) fn table(&self, heading: &[&str], rows: &[Vec<Cell>]) -> Done {
        self.text(&self.laid_out(heading, rows))
    }

    fn laid_out(&self, heading: &[&str], rows: &[Vec<Cell>]) -> String {
        let head: Vec<Cell> = heading.iter().map(|word| Cell::new(word, Paint::Dim)).collect();
        let all = || std::iter::once(&head).chain(rows);
        let widths: Vec<usize> = (0..heading.len())
            .map(|column| all().filter_map(|row| row.get(column)).map(|c| c.text.width()).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        for row in all() {
            let mut line = String::new();
            let mut pending = 0;
            for (cell, width) in row.iter().zip(&widths) {
                if !cell.text.is_empty() {
                    line.extend(std::iter::repeat_n(' ', pending));
                    pending = 0;
                    line.push_str(&self.painted(cell, cell.text.clone()));
                }
                pending += width - cell.text.width() + 2;
            }
            out.push_str(&line);
            out.push('\n');
        }
        out
    }

    fn painted(&self, cell: &Cell, text: String) -> String {
        match (self.colour, cell.paint.code()) {
            (Colour::Yes, Some(code)) => format!("\x1b[{code}m{text}\x1b[m"),
            _ => text,
        }
    }
}

/// Another program's text for one line of ours: no control characters and none that turn the
/// writing direction. Line ends become blanks.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c })
        .filter(|c| !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .collect()
}

/// A folder for people: the home as `~`, cleaned.
pub(crate) fn folder(path: &str) -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    match path.strip_prefix(&home) {
        Some(rest) if !home.is_empty() && (rest.is_empty() || rest.starts_with('/')) => {
            clean(&format!("~{rest}"))
        }
        _ => clean(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up_whatever_their_cells_hold() {
        let output = Output { format: Format::Table, colour: Colour::No };
        let rows = vec![
            vec!["1".into(), "漢字".into(), Cell::new("blocked", Paint::Red)],
            vec!["12".into(), "a\x1b]0;x\x07\nb".into(), "".into()],
        ];
        assert_eq!(
            output.laid_out(&["PANE", "NAME", "STATE"], &rows),
            "PANE  NAME     STATE\n1     漢字     blocked\n12    a]0;x b\n"
        );
        let output = Output { format: Format::Table, colour: Colour::Yes };
        assert!(output.laid_out(&["STATE"], &rows[..1]).contains("1"));
        assert_eq!(output.painted(&rows[0][2], "blocked".into()), "\x1b[31mblocked\x1b[m");
    }

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(clean("a\u{9b}31mb\u{202e}c\r\nd\u{7f}"), "a31mbc  d");
    }
}
