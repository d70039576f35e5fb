//! A question with one line to fill in.
//!
//! Not here: what becomes of the text.

use kraal_api::layout::Rect;
use kraal_term::keys::{KeyCode, KeyEvent, Mods};

use super::{Reply, Then, centred};
use crate::chord::Chord;
use crate::draw::Canvas;
use crate::editor::Editor;
use crate::grid::at;

/// A title, a line, and what it is for.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    title: String,
    help: &'static str,
    line: Editor,
    then: Then,
}

impl Form {
    /// A form that starts with a text.
    pub(crate) fn new(title: impl Into<String>, help: &'static str, text: &str, then: Then) -> Self {
        Form { title: title.into(), help, line: Editor::new(text), then }
    }

    pub(super) fn key(&mut self, key: &KeyEvent) -> Reply {
        let chord = Chord::of(key);
        match chord.code {
            KeyCode::Enter => Reply::Do(self.then.clone(), self.line.text().trim().to_owned()),
            KeyCode::Escape => Reply::Close,
            KeyCode::Char('c' | 'g') if chord.mods == Mods::CTRL => Reply::Close,
            _ if self.line.key(key) => Reply::Taken,
            _ => Reply::Ignored,
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.line.insert(text);
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) -> Option<(u16, u16)> {
        let inner = canvas.panel(centred(area, 64, 4), &self.title);
        if inner.w == 0 || inner.h == 0 {
            return None;
        }
        let (text, column) = self.line.view(inner.w);
        canvas.text(at(inner.x, inner.y, inner.x + inner.w), text, canvas.theme.looks.text);
        if inner.h > 1 {
            let help = canvas.fit(self.help, inner.w);
            canvas.text(at(inner.x, inner.y + 1, inner.x + inner.w), &help, canvas.theme.looks.faint);
        }
        Some((inner.x + column, inner.y))
    }
}
