//! Lines to read and scroll: the help, an explanation.
//!
//! Not here: the lines (`client`).

use kraal_api::layout::Rect;
use kraal_term::keys::{KeyCode, KeyEvent};

use super::{Reply, centred};
use crate::chord::Chord;
use crate::draw::Canvas;
use crate::grid::at;

/// A line of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Stands over what follows.
    Heading(String),
    /// Keys and what they do.
    Keys(String, String),
    /// Plain text.
    Text(String),
}

/// A titled text.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    title: String,
    lines: Vec<Line>,
    top: usize,
    shown: usize,
}

/// Cells for the keys of a line.
const KEYS: u16 = 26;

impl Page {
    /// A page.
    pub(crate) fn new(title: impl Into<String>, lines: Vec<Line>) -> Self {
        Page { title: title.into(), lines, top: 0, shown: 1 }
    }

    pub(super) fn key(&mut self, key: &KeyEvent) -> Reply {
        let page = i32::try_from(self.shown.saturating_sub(1)).unwrap_or(1);
        match Chord::of(key).code {
            KeyCode::Escape | KeyCode::Enter | KeyCode::Char('q') => return Reply::Close,
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::PageUp => self.step(-page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.step(page),
            KeyCode::Home | KeyCode::Char('g') => self.top = 0,
            KeyCode::End | KeyCode::Char('G') => self.step(i32::MAX),
            _ => return Reply::Ignored,
        }
        Reply::Taken
    }

    /// Scrolls: down when positive.
    pub(super) fn step(&mut self, by: i32) {
        let last = self.lines.len().saturating_sub(self.shown);
        self.top = self.top.saturating_add_signed(by as isize).min(last);
    }

    pub(super) fn draw(&mut self, canvas: &mut Canvas<'_>, area: Rect) {
        let height = u16::try_from(self.lines.len() + 2).unwrap_or(u16::MAX);
        let rect = centred(area, 76, height.min(area.h.saturating_sub(2).max(3)));
        let inner = canvas.panel(rect, &self.title);
        self.shown = usize::from(inner.h).max(1);
        self.step(0);
        let limit = inner.x + inner.w;
        for (y, line) in (inner.y..inner.y + inner.h).zip(self.lines.iter().skip(self.top)) {
            let looks = canvas.theme.looks.clone();
            match line {
                Line::Heading(words) => drop(canvas.text(at(inner.x, y, limit), words, looks.heading)),
                Line::Text(words) => {
                    let words = canvas.fit(words, inner.w);
                    canvas.text(at(inner.x, y, limit), &words, looks.text);
                }
                Line::Keys(keys, words) => {
                    let keys = canvas.fit(keys, KEYS - 2);
                    let end = canvas.text(at(inner.x + 1, y, limit), &keys, looks.key);
                    let words = canvas.fit(words, inner.w.saturating_sub(KEYS));
                    canvas.text(at((inner.x + KEYS).max(end + 1), y, limit), &words, looks.text);
                }
            }
        }
        if self.lines.len() > self.shown && rect.w > 20 && rect.h > 2 {
            let place = format!(" {}-{} of {} ", self.top + 1, self.top + self.shown, self.lines.len());
            canvas.text_right(
                at(rect.x + 2, rect.y + rect.h - 1, rect.x + rect.w - 2),
                &place,
                canvas.theme.looks.key,
            );
        }
    }
}
