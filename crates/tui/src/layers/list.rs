//! Rows to choose from, narrowed by typing: the palette, agents, panes, tabs, workspaces.
//!
//! Not here: the rows (`client`), what choosing one does.

use kraal_api::layout::Rect;
use kraal_term::keys::{KeyCode, KeyEvent, Mods};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::{Reply, Then, centred};
use crate::chord::Chord;
use crate::draw::{Canvas, Hit};
use crate::editor::Editor;
use crate::grid::at;
use crate::look::Look;
use crate::text;

/// A row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// A sign before it, with its look.
    pub(crate) dot: Option<(&'static str, Look)>,
    /// What it is called; this is what a search looks at first.
    pub(crate) words: String,
    /// What else there is to say, searched too.
    pub(crate) more: String,
    /// On the right: keys, a state.
    pub(crate) right: String,
    /// What choosing it does.
    pub(crate) then: Then,
}

impl Row {
    /// A row of words alone.
    pub(crate) fn new(words: impl Into<String>, then: Then) -> Self {
        Row { dot: None, words: words.into(), more: String::new(), right: String::new(), then }
    }
}

/// Rows with a line that narrows them.
#[derive(Clone, Debug)]
pub(crate) struct List {
    title: &'static str,
    query: Editor,
    rows: Vec<Row>,
    shown: Vec<Shown>,
    chosen: usize,
    top: usize,
    height: usize,
}

/// A row that the query finds.
#[derive(Clone, Debug)]
struct Shown {
    row: usize,
    /// Which chars of its words were found.
    found: Vec<u32>,
}

impl List {
    /// A list with the first row chosen.
    pub(crate) fn new(title: &'static str, rows: Vec<Row>) -> Self {
        let mut list =
            List { title, query: Editor::default(), rows, shown: Vec::new(), chosen: 0, top: 0, height: 1 };
        list.search();
        list
    }

    /// With another row chosen.
    #[must_use]
    pub(crate) fn choosing(mut self, row: usize) -> Self {
        self.chosen = row.min(self.shown.len().saturating_sub(1));
        self
    }

    pub(super) fn key(&mut self, key: &KeyEvent) -> Reply {
        let chord = Chord::of(key);
        let ctrl = chord.mods == Mods::CTRL;
        let page = i32::try_from(self.height.saturating_sub(1)).unwrap_or(1);
        match chord.code {
            KeyCode::Escape => return Reply::Close,
            KeyCode::Char('c' | 'g') if ctrl => return Reply::Close,
            KeyCode::Enter => return self.choose(),
            KeyCode::Up => self.step(-1),
            KeyCode::Down => self.step(1),
            KeyCode::Char('p') if ctrl => self.step(-1),
            KeyCode::Char('n') if ctrl => self.step(1),
            KeyCode::Tab if chord.mods == Mods::SHIFT => self.step(-1),
            KeyCode::Tab => self.step(1),
            KeyCode::PageUp => self.step(-page),
            KeyCode::PageDown => self.step(page),
            _ => {
                let before = self.query.text().to_owned();
                if !self.query.key(key) {
                    return Reply::Ignored;
                }
                if before != self.query.text() {
                    self.search();
                }
            }
        }
        Reply::Taken
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.query.insert(text);
        self.search();
    }

    pub(super) fn click(&mut self, shown: usize) -> Reply {
        self.chosen = shown;
        self.choose()
    }

    /// Chooses a row further down, or up when negative.
    pub(super) fn step(&mut self, by: i32) {
        let last = self.shown.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by as isize).min(last);
    }

    fn choose(&self) -> Reply {
        match self.shown.get(self.chosen) {
            Some(shown) => Reply::Do(self.rows[shown.row].then.clone(), String::new()),
            None => Reply::Ignored,
        }
    }

    /// Narrows the rows to those the query finds, best first; equals keep their order.
    fn search(&mut self) {
        (self.chosen, self.top) = (0, 0);
        let query = self.query.text().trim();
        if query.is_empty() {
            self.shown = (0..self.rows.len()).map(|row| Shown { row, found: Vec::new() }).collect();
            return;
        }
        let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored = Vec::new();
        for (row, facts) in self.rows.iter().enumerate() {
            let all = format!("{} {} {}", facts.words, facts.more, facts.right);
            let mut found = Vec::new();
            let Some(score) = pattern.indices(Utf32Str::new(&all, &mut buffer), &mut matcher, &mut found)
            else {
                continue;
            };
            found.sort_unstable();
            scored.push((score, Shown { row, found }));
        }
        scored.sort_by_key(|(score, shown)| (std::cmp::Reverse(*score), shown.row));
        self.shown = scored.into_iter().map(|(_, shown)| shown).collect();
    }

    pub(super) fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) -> Option<(u16, u16)> {
        let height = u16::try_from(self.rows.len()).unwrap_or(u16::MAX).saturating_add(4);
        let most = (u32::from(area.h) * 3 / 4) as u16;
        let rect = centred(area, 78, height.min(most.max(5)));
        let inner = canvas.panel(rect, self.title);
        if inner.w == 0 || inner.h == 0 {
            return None;
        }
        let limit = inner.x + inner.w;
        let start = canvas.text(at(inner.x, inner.y, limit), "> ", canvas.theme.looks.key);
        let (query, column) = self.query.view(limit.saturating_sub(start));
        canvas.text(at(start, inner.y, limit), query, canvas.theme.looks.text);
        let rows = Rect { y: inner.y + 2, h: inner.h.saturating_sub(2), ..inner };
        self.height = usize::from(rows.h).max(1);
        self.top = self.top.min(self.chosen).max((self.chosen + 1).saturating_sub(self.height));
        if self.shown.is_empty() && rows.h > 0 {
            canvas.text(at(rows.x, rows.y, limit), "nothing is called so", canvas.theme.looks.faint);
        }
        for i in 0..usize::from(rows.h) {
            let Some(shown) = self.shown.get(self.top + i) else { break };
            let line = Rect { y: rows.y + i as u16, h: 1, ..rows };
            draw_row(canvas, &self.rows[shown.row], &shown.found, line);
            if self.top + i == self.chosen {
                canvas.text(
                    at(line.x.saturating_sub(1), line.y, limit),
                    canvas.theme.signs.pointer,
                    canvas.theme.looks.key,
                );
                let chosen = canvas.theme.looks.chosen;
                canvas
                    .grid
                    .restyle(line, |look| look.without(kraal_api::screen::attr::DIM).with(chosen.attrs()));
            }
            canvas.hit(line, Hit::Row(self.top + i));
        }
        self.count(canvas, rect);
        Some((start + column, inner.y))
    }

    fn count(&self, canvas: &mut Canvas<'_>, rect: Rect) {
        if rect.w > 20 && rect.h > 2 && self.shown.len() > self.height {
            let words = format!(" {} of {} ", self.chosen + 1, self.shown.len());
            canvas.text_right(
                at(rect.x + 2, rect.y + rect.h - 1, rect.x + rect.w - 2),
                &words,
                canvas.theme.looks.key,
            );
        }
    }
}

fn draw_row(canvas: &mut Canvas<'_>, row: &Row, found: &[u32], line: Rect) {
    let looks = canvas.theme.looks.clone();
    let mut limit = line.x + line.w;
    let mut x = line.x;
    if let Some((dot, look)) = row.dot {
        canvas.text(at(x, line.y, limit), dot, look);
        x += 2;
    }
    if !row.right.is_empty() && text::width(&row.right) + 8 < line.w {
        limit = canvas.text_right(at(x, line.y, limit), &row.right, looks.faint).saturating_sub(2);
    }
    for (i, (cluster, _)) in text::clusters(&row.words).enumerate() {
        let look = if found.contains(&(i as u32)) { looks.found } else { looks.text };
        let end = canvas.text(at(x, line.y, limit), cluster, look);
        if end == x {
            break;
        }
        x = end;
    }
    if !row.more.is_empty() {
        let more = canvas.fit(&row.more, limit.saturating_sub(x + 2));
        canvas.text(at(x + 2, line.y, limit), &more, looks.faint);
    }
}
