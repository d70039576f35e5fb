//! A pane's screen as the detector sees it, and the parts of it where an agent's hints count:
//! its input box, what stands above and below it, the last block.
//!
//! Not here: which words mean what (`reading`), colours, scrollback.

use regex::Regex;

use crate::evidence::Progress;

/// The visible rows of a pane at one instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScreenShot {
    /// The rows from the top, as text; blanks at their ends do not matter.
    pub rows: Vec<String>,
    /// Column and row of the cursor, from 0.
    pub cursor: (u16, u16),
    /// Whether the cursor is shown.
    pub cursor_visible: bool,
    /// Whether the alternate screen is up.
    pub alternate: bool,
    /// The title now; empty when it is known to be another program's or none.
    pub title: String,
    /// The progress of OSC 9;4 now, if any was ever set.
    pub progress: Option<Progress>,
}

impl ScreenShot {
    /// A screen of these lines, no title, the cursor hidden: for tests and saved screens.
    pub fn of_text(text: &str) -> ScreenShot {
        ScreenShot { rows: text.lines().map(str::to_owned).collect(), ..ScreenShot::default() }
    }
}

/// The agent's input box on a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputBox {
    /// The rows of the input itself, first and one past the last.
    pub rows: (usize, usize),
    /// What is typed in it; empty for a placeholder.
    pub text: String,
}

/// `[input]` of an agent's file, compiled.
#[derive(Clone, Debug)]
pub(crate) struct InputSpec {
    /// The row above the first row of the input.
    pub top: Option<Regex>,
    /// The first row of the input; with neither `top` nor a `bottom`: its last occurrence.
    pub prompt: Regex,
    /// The row below the input.
    pub bottom: Option<Regex>,
    /// What must stand below, in some row: how the agent's own status looks.
    pub below: Option<Regex>,
    /// What must not stand below: the sign of a dialog.
    pub never_below: Vec<Regex>,
    /// How many rows with text may stand below.
    pub below_max: usize,
    /// Rows between input and text above that do not count: notices.
    pub skip: Vec<Regex>,
    /// What an input without a draft shows.
    pub placeholders: Vec<Regex>,
    /// What must not stand between top and bottom: a dialog in the place of the input.
    pub never_inside: Vec<Regex>,
    /// A row of a menu that the agent draws onto the top of its input while a command is typed.
    pub menu: Option<Regex>,
    /// What the right end of a row may show and does not count: a scroll bar.
    pub edge: Option<Regex>,
    /// The signs at the left and right end of an input's rows.
    pub sides: String,
}

/// A screen cut into the parts that rules name.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    rows: Vec<&'a str>,
    /// The input's first row, and one past its last (frame not counted).
    pub input: Option<(usize, usize)>,
    /// The same with its frame.
    frame: Option<(usize, usize)>,
    /// One past the last row above the input that counts.
    above_end: usize,
    /// The first row below the input and its frame.
    below_start: usize,
}

impl<'a> Layout<'a> {
    pub(crate) fn of(shot: &'a ScreenShot, spec: Option<&InputSpec>) -> Layout<'a> {
        let edge = spec.and_then(|spec| spec.edge.as_ref());
        let clean = |row: &'a String| {
            let row = row.trim_end();
            edge.and_then(|edge| edge.find(row)).map_or(row, |found| row[..found.start()].trim_end())
        };
        let mut rows: Vec<&str> = shot.rows.iter().map(clean).collect();
        while rows.last().is_some_and(|row| row.is_empty()) {
            rows.pop();
        }
        let found = spec.and_then(|spec| spec.find(&rows));
        let (mut above_end, below_start) = found.map_or((rows.len(), rows.len()), |f| (f.frame.0, f.frame.1));
        if let (Some(spec), Some(_)) = (spec, &found) {
            let skip = |row: &str| row.is_empty() || spec.skip.iter().any(|skip| skip.is_match(row));
            while above_end > 0 && skip(rows[above_end - 1]) {
                above_end -= 1;
            }
        }
        let (input, frame) = (found.map(|f| f.input), found.map(|f| f.frame));
        Layout { input, frame, rows, above_end, below_start }
    }

    /// The last `count` rows of the screen that hold text below the last blank rest.
    pub(crate) fn bottom(&self, count: usize) -> Vec<&'a str> {
        self.rows[self.rows.len().saturating_sub(count)..].to_vec()
    }

    /// The last `count` rows above the input; nothing when there is no input.
    pub(crate) fn above(&self, count: usize) -> Vec<&'a str> {
        if self.input.is_none() {
            return Vec::new();
        }
        self.rows[self.above_end.saturating_sub(count)..self.above_end].to_vec()
    }

    /// The last group of rows without a blank one between them above the input.
    pub(crate) fn last_block(&self) -> Vec<&'a str> {
        let end = self.above_end;
        let start = self.rows[..end].iter().rposition(|row| row.is_empty()).map_or(0, |blank| blank + 1);
        if self.input.is_none() { Vec::new() } else { self.rows[start..end].to_vec() }
    }

    /// What stands below the input.
    pub(crate) fn below(&self) -> Vec<&'a str> {
        self.rows[self.below_start..].to_vec()
    }

    /// The rows of the input.
    pub(crate) fn input_rows(&self) -> Vec<&'a str> {
        self.input.map_or(Vec::new(), |(start, end)| self.rows[start..end].to_vec())
    }

    /// The rows of the input with those that frame it.
    pub(crate) fn frame_rows(&self) -> Vec<&'a str> {
        self.frame.map_or(Vec::new(), |(start, end)| self.rows[start..end].to_vec())
    }

    pub(crate) fn all(&self) -> &[&'a str] {
        &self.rows
    }

    /// The conversation: what stands above the input, or everything without one.
    pub(crate) fn body(&self) -> &[&'a str] {
        &self.rows[..self.above_end]
    }
}

#[derive(Clone, Copy)]
struct Found {
    input: (usize, usize),
    frame: (usize, usize),
}

impl InputSpec {
    fn find(&self, rows: &[&str]) -> Option<Found> {
        let found = match (&self.bottom, &self.top) {
            (Some(bottom), Some(top)) => self.find_framed(rows, bottom, top),
            (Some(bottom), None) => self.find_block(rows, bottom),
            (None, _) => self.find_row(rows),
        }?;
        let below = &rows[found.frame.1..];
        let filled = below.iter().filter(|row| !row.is_empty()).count();
        let dialog = below.iter().any(|row| self.never_below.iter().any(|never| never.is_match(row)));
        let status = self.below.as_ref().is_none_or(|status| below.iter().any(|row| status.is_match(row)));
        let inside = &rows[found.input.0..found.input.1];
        let other = inside.iter().any(|row| self.never_inside.iter().any(|never| never.is_match(row)));
        (filled <= self.below_max && status && !dialog && !other).then_some(found)
    }

    /// A rule above, a rule below, the prompt between: Claude Code.
    fn find_framed(&self, rows: &[&str], bottom: &Regex, top: &Regex) -> Option<Found> {
        let last = rows.iter().rposition(|row| bottom.is_match(row))?;
        let first = rows[..last].iter().rposition(|row| top.is_match(row))?;
        let prompt = rows.get(first + 1)?;
        (first + 1 < last && self.prompt.is_match(prompt))
            .then_some(Found { input: (first + 1, last), frame: (first, last + 1) })
    }

    /// Rows that all look like the prompt, closed by the bottom row: OpenCode.
    fn find_block(&self, rows: &[&str], bottom: &Regex) -> Option<Found> {
        let last = rows.iter().rposition(|row| bottom.is_match(row))?;
        let menu = |row: &&str| self.menu.as_ref().is_some_and(|menu| menu.is_match(row));
        let other = |row: &&str| !self.prompt.is_match(row) || menu(row);
        let first = rows[..last].iter().rposition(other).map_or(0, |row| row + 1);
        (first < last).then_some(Found { input: (first, last), frame: (first, last + 1) })
    }

    /// The last row that starts with the prompt, up to the next blank one: Codex.
    fn find_row(&self, rows: &[&str]) -> Option<Found> {
        let first = rows.iter().rposition(|row| self.prompt.is_match(row))?;
        let end =
            rows[first..].iter().position(|row| row.is_empty()).map_or(rows.len(), |blank| first + blank);
        Some(Found { input: (first, end), frame: (first, end) })
    }

    /// What is typed in the input: its rows without the prompt; nothing where it only shows a
    /// placeholder.
    pub(crate) fn text(&self, rows: &[&str]) -> String {
        // Some draw their cursor with a blank of no width.
        let blank = |c: char| c.is_whitespace() || c == '\u{200b}' || self.sides.contains(c);
        let mut lines: Vec<&str> = rows
            .iter()
            .enumerate()
            .map(|(n, row)| match self.prompt.find(row) {
                Some(prompt) if n == 0 || self.top.is_none() => row[prompt.end()..].trim_matches(blank),
                _ => row.trim_matches(blank),
            })
            .collect();
        if self.top.is_none() && self.bottom.is_some() {
            // The last row of such a block names mode and model.
            lines.pop();
        }
        let text = lines.join("\n").trim().to_owned();
        if self.placeholders.iter().any(|placeholder| placeholder.is_match(&text)) {
            String::new()
        } else {
            text
        }
    }
}
