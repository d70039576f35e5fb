//! The content as text: the last logical lines or the screen's rows, plain or with SGR. For readers that
//! are programs; a screen is not drawn from here but from `view`.

use crate::grid::Grid;
use crate::row::Line;
use crate::sgr;
use crate::style::Style;
use crate::view::Row;
use std::collections::VecDeque;

/// Collects rows into logical lines and keeps the last `max`.
struct Lines {
    max: usize,
    ansi: bool,
    done: VecDeque<String>,
    open: Option<String>,
}

impl Lines {
    fn push(&mut self, row: &Row<'_>) {
        let mut line = self.open.take().unwrap_or_default();
        if self.ansi {
            push_ansi(row, &mut line);
        } else {
            line.push_str(&row.raw_text());
        }
        if row.wrapped() {
            self.open = Some(line);
        } else {
            self.close(line);
        }
    }

    fn close(&mut self, mut line: String) {
        line.truncate(line.trim_end_matches(' ').len());
        self.done.push_back(line);
        // Blank lines at the end are dropped later, so a few more than asked for are kept until then.
        while self.done.len() > self.max && self.done.back().is_some_and(|l| !l.is_empty()) {
            self.done.pop_front();
        }
    }

    fn finish(mut self) -> String {
        if let Some(line) = self.open.take() {
            self.close(line);
        }
        while self.done.back().is_some_and(String::is_empty) {
            self.done.pop_back();
        }
        while self.done.len() > self.max {
            self.done.pop_front();
        }
        let mut text = String::new();
        for line in &self.done {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}

fn push_ansi(row: &Row<'_>, line: &mut String) {
    for run in row.runs() {
        if run.style == Style::default() {
            line.push_str(&run.text);
        } else {
            line.push_str(&format!("\x1b[{}m{}\x1b[m", sgr::numbers(&run.style, false), run.text));
        }
    }
}

impl Grid {
    /// The last `lines` logical lines of history and screen, each ended by a newline, without blank ones at
    /// the end.
    pub(crate) fn text(&self, lines: usize, ansi: bool) -> String {
        let mut all = Lines { max: lines, ansi, done: VecDeque::new(), open: None };
        if !self.alt() {
            self.history.tail(lines, |rebuilt| {
                let cols = rebuilt.row.cells.len();
                all.push(&Row::rebuilt(rebuilt, cols));
            });
        }
        for line in &self.screen.lines {
            all.push(&self.shown(line));
        }
        all.finish()
    }

    /// The screen's rows with SGR, one line each.
    pub(crate) fn screen_ansi(&self) -> String {
        let mut text = String::new();
        for line in &self.screen.lines {
            push_ansi(&self.shown(line), &mut text);
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
        }
        text
    }

    pub(crate) fn shown<'a>(&'a self, line: &'a Line) -> Row<'a> {
        Row::live(line, &self.tables, self.cols())
    }
}
