//! What the sample agent writes: lines that stay, and below them a few last lines that are redrawn
//! in place. Bytes only; writing them is `play`'s.
//!
//! Not here: the lines' meaning (the catalogue's `sample.toml` says what each is).

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::scenario::Leave;

/// The columns of a dialog, its borders included, where there is room.
const BOX: usize = 50;

/// The screen as it was written so far.
#[derive(Debug)]
pub(super) struct Screen {
    cols: usize,
    /// Rows of the last lines on the screen.
    below: usize,
    /// Whether the last line that stays is text: a blank one goes between it and what follows.
    after_text: bool,
    out: String,
}

impl Screen {
    pub(super) fn new(cols: usize) -> Self {
        Screen { cols: cols.max(2), below: 0, after_text: false, out: String::new() }
    }

    /// The bytes to write.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    pub(super) fn resize(&mut self, cols: usize) {
        self.cols = cols.max(2);
    }

    /// Bytes that draw nothing: modes, titles, reports.
    pub(super) fn control(&mut self, bytes: &str) {
        self.out.push_str(bytes);
    }

    /// A line that stays; the last lines make way.
    pub(super) fn line(&mut self, text: &str) {
        self.clear_below();
        self.out.push_str(text);
        self.out.push_str("\r\n");
        self.after_text = true;
    }

    /// A line that stays with a blank one before it, where text stands, and one after it.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.clear_below();
        self.gap();
        self.line(text);
        self.gap();
    }

    /// The last lines: a working line, a dialog, a prompt.
    pub(super) fn below(&mut self, lines: &[String]) {
        self.clear_below();
        let gap = if self.after_text { &[String::new()][..] } else { &[] };
        let all: Vec<String> = gap.iter().chain(lines).map(|line| self.fitted(line)).collect();
        self.out.push_str(&all.join("\r\n"));
        self.below = all.len();
    }

    fn gap(&mut self) {
        if self.after_text {
            self.out.push_str("\r\n");
            self.after_text = false;
        }
    }

    fn clear_below(&mut self) {
        if self.below == 0 {
            return;
        }
        self.out.push('\r');
        if self.below > 1 {
            self.out.push_str(&format!("\x1b[{}A", self.below - 1));
        }
        self.out.push_str("\x1b[J");
        self.below = 0;
    }

    /// A last line must not wrap, or it could not be found again.
    fn fitted(&self, line: &str) -> String {
        cut(line, self.cols.saturating_sub(1))
    }

    /// The prompt with its draft; of a long one, its end.
    pub(super) fn prompt(&self, draft: &str) -> String {
        let draft: String = draft.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let room = self.cols.saturating_sub(3);
        if draft.width() <= room {
            return format!("> {draft}");
        }
        let mut tail = draft.as_str();
        while tail.width() + 1 > room {
            let mut chars = tail.chars();
            if chars.next().is_none() {
                break;
            }
            tail = chars.as_str();
        }
        format!("> …{tail}")
    }

    /// A permission dialog.
    pub(super) fn permission(&self, leave: &Leave, chosen: usize) -> Vec<String> {
        let (what, which) = match leave {
            Leave::Run(command) => ("Run a command", command),
            Leave::Edit(file) => ("Edit a file", file),
        };
        let inside = [
            what.to_owned(),
            format!("  {which}"),
            String::new(),
            "Allow this?".into(),
            option(0, "Yes", chosen),
            option(1, "No", chosen),
        ];
        self.dialog(&inside, "  ↑↓ choose · enter confirm · esc reject")
    }

    /// A question.
    pub(super) fn question(&self, chosen: usize) -> Vec<String> {
        let inside = [
            "Which colour should the button have?".to_owned(),
            String::new(),
            option(0, "Green", chosen),
            option(1, "Blue", chosen),
        ];
        self.dialog(&inside, "  ↑↓ choose · enter answer · esc dismiss")
    }

    fn dialog(&self, inside: &[String], keys: &str) -> Vec<String> {
        let width = BOX.min(self.cols.saturating_sub(1)).max(6) - 2;
        let mut lines = vec![format!("╭{}╮", "─".repeat(width))];
        for line in inside {
            let line = cut(line, width - 2);
            let blank = " ".repeat(width - 1 - line.width());
            lines.push(format!("│ {line}{blank}│"));
        }
        lines.push(format!("╰{}╯", "─".repeat(width)));
        lines.push(keys.to_owned());
        lines
    }
}

fn option(number: usize, text: &str, chosen: usize) -> String {
    let mark = if number == chosen { '❯' } else { ' ' };
    format!("{mark} {}. {text}", number + 1)
}

fn cut(line: &str, cols: usize) -> String {
    let mut used = 0;
    line.chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= cols
        })
        .collect()
}

/// The working line.
pub(super) fn working(seconds: u64) -> String {
    format!("* Thinking… ({seconds}s · esc to interrupt)")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The samples of the catalogue are the contract: the same lines must come out here.
    fn sample(name: &str) -> String {
        let files = kraal_agents::Catalog::builtin_files();
        let (_, text) = files.iter().find(|(file, _)| file.contains("sample")).unwrap();
        let marker = format!("name = \"{name}\"");
        let after = text.split(&marker).nth(1).unwrap();
        after.split("'''").nth(1).unwrap().trim_start_matches('\n').to_owned()
    }

    #[test]
    fn dialogs_are_the_contracts() {
        let screen = Screen::new(80);
        let dialog = screen.permission(&Leave::Run("cargo test login".into()), 0).join("\n");
        assert!(sample("permission").ends_with(&dialog), "{dialog}");
        let dialog = screen.permission(&Leave::Edit("src/login.rs".into()), 1).join("\n");
        assert_eq!(sample("permission, no chosen"), dialog);
        assert!(sample("question").ends_with(&screen.question(0).join("\n")));
        assert!(sample("working").ends_with(&working(3)));
    }

    #[test]
    fn last_lines_are_redrawn_and_never_wrap() {
        let mut screen = Screen::new(20);
        screen.line("text");
        screen.below(&["* one".into()]);
        assert_eq!(screen.take(), "text\r\n\r\n* one");
        screen.below(&["a line that is longer than the screen".into()]);
        assert_eq!(screen.take(), "\r\x1b[1A\x1b[J\r\na line that is long");
        screen.paragraph("* Finished in 1s");
        assert_eq!(screen.take(), "\r\x1b[1A\x1b[J\r\n* Finished in 1s\r\n\r\n");
        screen.below(&["> ".into()]);
        assert_eq!(screen.take(), "> ");
        for cols in 0..8 {
            let screen = Screen::new(cols);
            assert!(screen.permission(&Leave::Run("x".into()), 0).len() == 9);
            assert!(screen.prompt("a long draft 漢字").starts_with("> "));
        }
    }
}
