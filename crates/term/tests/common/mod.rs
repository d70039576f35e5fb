//! What the terminal's tests share: a terminal with its outbox, and its content in forms to compare.
#![allow(dead_code, reason = "each test file uses its part")]

use kraal_term::{Options, Outbox, Size, Terminal};

/// A terminal and everything that left it.
pub(crate) struct Bench {
    pub(crate) t: Terminal,
    pub(crate) out: Outbox,
}

impl Bench {
    pub(crate) fn new(cols: u16, rows: u16) -> Self {
        Self { t: Terminal::new(Size { cols, rows }, Options::default()), out: Outbox::default() }
    }

    pub(crate) fn with(cols: u16, rows: u16, bytes: impl AsRef<[u8]>) -> Self {
        let mut b = Self::new(cols, rows);
        b.feed(bytes);
        b
    }

    pub(crate) fn feed(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.t.feed(bytes.as_ref(), &mut self.out);
        self
    }

    pub(crate) fn resize(&mut self, cols: u16, rows: u16) -> &mut Self {
        self.t.resize(Size { cols, rows });
        self
    }

    /// Visible rows joined by newlines, blank rows at the end dropped.
    pub(crate) fn screen(&self) -> String {
        self.t.screen_lines().join("\n").trim_end_matches('\n').to_owned()
    }

    /// Cursor as (x, y).
    pub(crate) fn at(&self) -> (u16, u16) {
        (self.t.cursor().x, self.t.cursor().y)
    }

    /// The answers so far, ESC written as `E`.
    pub(crate) fn replies(&mut self) -> String {
        let bytes = std::mem::take(&mut self.out.replies);
        String::from_utf8(bytes).expect("answers are text").replace('\x1b', "E")
    }

    /// The history, oldest row first.
    pub(crate) fn history(&self) -> Vec<String> {
        let n = self.t.history_len();
        let rows = usize::from(self.t.size().rows);
        (0..n)
            .map(|i| {
                let offset = n - i;
                self.t.view_row(offset.max(1), (i + offset - n) as u16).text()
            })
            .take(n.max(rows))
            .collect()
    }
}

/// Everything a reader can see, for comparing two terminals.
pub(crate) fn dump(t: &Terminal) -> String {
    use std::fmt::Write;
    let mut s =
        format!("{:?} {:?} {:?}\n", t.cursor(), t.modes(), (t.title(), t.icon(), t.cwd(), t.progress()));
    let rows = (0..t.size().rows).map(|y| t.row(y));
    let history = t.history_len();
    let old = (0..history).map(|i| t.view_row(history - i, 0));
    for row in rows.chain(old) {
        let _ = writeln!(s, "{}{:?}", if row.wrapped() { "+" } else { "=" }, row.runs().collect::<Vec<_>>());
    }
    s
}
