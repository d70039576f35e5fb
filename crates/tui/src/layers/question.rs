//! A question with few answers, each with its key. No answer is chosen by Enter alone: what is
//! asked here cannot be taken back.
//!
//! Not here: when something needs asking (`client`).

use kraal_api::layout::Rect;
use kraal_term::keys::{KeyCode, KeyEvent};

use super::{Reply, Then, centred};
use crate::chord::Chord;
use crate::draw::{Canvas, Hit};
use crate::grid::at;
use crate::text;

/// One answer: its key, its words, what it does; nothing when it only closes the question.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    key: char,
    words: String,
    then: Option<Then>,
}

/// A question.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    title: String,
    lines: Vec<String>,
    choices: Vec<Choice>,
}

impl Question {
    /// A question that `y` answers with yes; `n` and Esc close it.
    pub(crate) fn new(title: impl Into<String>, yes: impl Into<String>, then: Then) -> Self {
        let choices = vec![
            Choice { key: 'y', words: yes.into(), then: Some(then) },
            Choice { key: 'n', words: "no".into(), then: None },
        ];
        Question { title: title.into(), lines: Vec::new(), choices }
    }

    /// With a line that says what is at stake.
    #[must_use]
    pub(crate) fn line(mut self, line: impl Into<String>) -> Self {
        self.lines.push(line.into());
        self
    }

    /// With another answer, before `no`.
    #[must_use]
    pub(crate) fn or(mut self, key: char, words: &str, then: Then) -> Self {
        let at = self.choices.len() - 1;
        self.choices.insert(at, Choice { key, words: words.to_owned(), then: Some(then) });
        self
    }

    pub(super) fn key(&mut self, key: &KeyEvent) -> Reply {
        let chord = Chord::of(key);
        if chord.code == KeyCode::Escape {
            return Reply::Close;
        }
        let typed = chord.typed().map(|c| c.to_ascii_lowercase());
        match self.choices.iter().position(|choice| Some(choice.key) == typed) {
            Some(choice) => self.click(choice),
            // ctrl+c means no wherever a person is asked.
            None if chord.code == KeyCode::Char('c') => Reply::Close,
            None => Reply::Ignored,
        }
    }

    pub(super) fn click(&mut self, choice: usize) -> Reply {
        match self.choices.get(choice).map(|choice| &choice.then) {
            Some(Some(then)) => Reply::Do(then.clone(), String::new()),
            Some(None) => Reply::Close,
            None => Reply::Ignored,
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let height = self.lines.len() as u16 + if self.lines.is_empty() { 3 } else { 4 };
        let inner = canvas.panel(centred(area, 64, height), &self.title);
        let limit = inner.x + inner.w;
        let bottom = inner.y + inner.h;
        let mut y = inner.y;
        for line in &self.lines {
            // The answers matter most: lines give way to them.
            if y + 1 >= bottom {
                break;
            }
            let line = canvas.fit(&text::clean(line), inner.w);
            canvas.text(at(inner.x, y, limit), &line, canvas.theme.looks.text);
            y += 1;
        }
        y = if y + 1 < bottom && !self.lines.is_empty() { y + 1 } else { y };
        if y >= bottom {
            return;
        }
        let mut x = inner.x;
        for (i, choice) in self.choices.iter().enumerate() {
            let from = x;
            x = canvas.text(at(x, y, limit), &choice.key.to_string(), canvas.theme.looks.key);
            x = canvas.text(at(x + 1, y, limit), &choice.words, canvas.theme.looks.text);
            canvas.hit(Rect { x: from, y, w: x.saturating_sub(from), h: 1 }, Hit::Row(i));
            x += 3;
        }
    }
}
