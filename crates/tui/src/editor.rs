//! One line of input: typed, pasted, edited by cluster and word.
//!
//! Not here: where it is drawn, what becomes of the text.

use kraal_term::keys::{KeyCode, KeyEvent, Mods};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::chord::{Chord, text_of};
use crate::text;

/// Longer lines are cut: nothing that is asked for here needs more.
const BYTES_MAX: usize = 64 * 1024;

/// A line with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Editor {
    text: String,
    at: usize,
}

impl Editor {
    /// A line with the cursor at its end.
    pub(crate) fn new(text: &str) -> Self {
        let text = text::clean(text);
        Editor { at: text.len(), text }
    }

    /// The line.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes a key; says whether it was one for a line of input.
    pub(crate) fn key(&mut self, key: &KeyEvent) -> bool {
        if let Some(typed) = text_of(key) {
            self.insert(&typed);
            return true;
        }
        let Chord { code, mods } = Chord::of(key);
        let ctrl = mods.contains(Mods::CTRL);
        let word = ctrl || mods.contains(Mods::ALT);
        match code {
            KeyCode::Left if word => self.at = self.word_before(),
            KeyCode::Right if word => self.at = self.word_after(),
            KeyCode::Char('b') if mods == Mods::ALT => self.at = self.word_before(),
            KeyCode::Char('f') if mods == Mods::ALT => self.at = self.word_after(),
            KeyCode::Left => self.at = self.before(),
            KeyCode::Right => self.at = self.after(),
            KeyCode::Char('b') if ctrl => self.at = self.before(),
            KeyCode::Char('f') if ctrl => self.at = self.after(),
            KeyCode::Home => self.at = 0,
            KeyCode::Char('a') if ctrl => self.at = 0,
            KeyCode::End => self.at = self.text.len(),
            KeyCode::Char('e') if ctrl => self.at = self.text.len(),
            KeyCode::Backspace if word => self.cut(self.word_before(), self.at),
            KeyCode::Char('w') if ctrl => self.cut(self.word_before(), self.at),
            KeyCode::Backspace => self.cut(self.before(), self.at),
            KeyCode::Char('h') if ctrl => self.cut(self.before(), self.at),
            KeyCode::Delete if word => self.cut(self.at, self.word_after()),
            KeyCode::Char('d') if mods == Mods::ALT => self.cut(self.at, self.word_after()),
            KeyCode::Delete => self.cut(self.at, self.after()),
            KeyCode::Char('d') if ctrl => self.cut(self.at, self.after()),
            KeyCode::Char('u') if ctrl => self.cut(0, self.at),
            KeyCode::Char('k') if ctrl => self.cut(self.at, self.text.len()),
            _ => return false,
        }
        true
    }

    /// Puts text at the cursor; line ends become blanks, other control characters go.
    pub(crate) fn insert(&mut self, text: &str) {
        let line: String = text
            .chars()
            .filter_map(|c| match c {
                '\n' | '\r' | '\t' => Some(' '),
                _ if c.is_control() => None,
                _ => Some(c),
            })
            .collect();
        if self.text.len() + line.len() <= BYTES_MAX {
            self.text.insert_str(self.at, &line);
            self.at += line.len();
        }
    }

    /// The part that shows in so many cells, and the cursor's column in it.
    pub(crate) fn view(&self, cols: u16) -> (&str, u16) {
        let room = cols.saturating_sub(1);
        let mut start = self.at;
        let mut column = 0;
        for (at, cluster) in self.text[..self.at].grapheme_indices(true).rev() {
            let cells = text::cluster_width(cluster);
            if column + cells > room {
                break;
            }
            column += cells;
            start = at;
        }
        (&self.text[start..], column)
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.text.drain(from..to);
        self.at = from;
    }

    fn before(&self) -> usize {
        self.text[..self.at].grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let next = self.text[self.at..].graphemes(true).next();
        self.at + next.map_or(0, str::len)
    }

    fn word_before(&self) -> usize {
        let mut words = self.text[..self.at].unicode_word_indices();
        words.next_back().map_or(0, |(at, _)| at)
    }

    fn word_after(&self) -> usize {
        let next = self.text[self.at..].unicode_word_indices().next();
        next.map_or(self.text.len(), |(at, word)| self.at + at + word.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[&str]) -> Editor {
        let mut editor = Editor::default();
        for name in keys {
            editor.key(&kraal_term::keys::parse_name(name).expect(name));
        }
        editor
    }

    #[test]
    fn a_line_is_edited_by_cluster_and_word() {
        let mut editor = typed(&["a", "b", "left", "X", "home", "Y", "end", "Z"]);
        assert_eq!(editor.text(), "YaXbZ");
        editor = Editor::new("one two 👨‍👩‍👧‍👦");
        editor.key(&KeyEvent::new(KeyCode::Backspace, Mods::empty()));
        assert_eq!(editor.text(), "one two ");
        editor.key(&KeyEvent::new(KeyCode::Char('w'), Mods::CTRL));
        assert_eq!(editor.text(), "one ");
        editor.key(&KeyEvent::new(KeyCode::Char('u'), Mods::CTRL));
        assert_eq!(editor.text(), "");
    }

    #[test]
    fn a_paste_is_one_line() {
        let mut editor = Editor::default();
        editor.insert("a\nb\x1b[31m\tc");
        assert_eq!(editor.text(), "a b[31m c");
    }

    #[test]
    fn a_long_line_shows_its_cursor() {
        let editor = Editor::new("漢字漢字漢字");
        assert_eq!(editor.view(7), ("字漢字", 6));
        assert_eq!(editor.view(1), ("", 0));
        assert_eq!(editor.view(0), ("", 0));
    }
}
