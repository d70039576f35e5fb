//! A terminal as it stood at one instant, to be read elsewhere while the terminal goes on.
//!
//! Not here: taking the copy (`Terminal::copy`), keeping it (a snapshot and blocks of one's own do that).

use crate::face::{Options, RestoreError};
use crate::history::HeapBlocks;
use crate::terminal::Terminal;

/// What a terminal showed and held.
#[derive(Debug)]
pub struct Copied {
    pub(crate) snapshot: Vec<u8>,
    pub(crate) blocks: HeapBlocks,
}

impl Copied {
    /// A terminal of its own with what was copied.
    ///
    /// # Errors
    ///
    /// None for a copy of this version's making; the snapshot is read as any other.
    pub fn open(self, options: Options) -> Result<Terminal, RestoreError> {
        Terminal::restore(&self.snapshot, options, Box::new(self.blocks))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, Outbox, Size, Terminal};

    #[test]
    fn a_copy_says_what_the_terminal_said_and_no_more() {
        let mut terminal = Terminal::new(Size { cols: 40, rows: 5 }, Options::default());
        let mut out = Outbox::default();
        for line in 0..3000 {
            terminal.feed(format!("\x1b[3{}mline {line}\x1b[0m\r\n", line % 8).as_bytes(), &mut out);
        }
        let (said, copy) = (terminal.text_ansi(10_000), terminal.copy());
        terminal.feed(b"more\r\n".repeat(100).as_slice(), &mut out);
        let copied = copy.open(Options::default()).expect("our own snapshot");
        assert_eq!(copied.text_ansi(10_000), said);
        assert_ne!(terminal.text_ansi(10_000), said);
    }
}
