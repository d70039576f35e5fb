//! A saved screen as an agent's rules see it.
//!
//! Not here: the rules.

use kraal_agents::ScreenShot;
use kraal_term::{Options, Outbox, Size, Terminal};

/// The widest and highest that a screen without a size is made.
const MOST: u16 = 1000;

/// The screen after these bytes: rows of text, perhaps with colours, or what a program wrote to its
/// terminal. Without a size, a text has as much room as it needs, and a program 80 columns of 24 rows.
pub fn saved_screen(bytes: &[u8], size: Option<(u16, u16)>) -> ScreenShot {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let drawn = draws(bytes);
    let (cols, rows) = size.unwrap_or_else(|| if drawn { (80, 24) } else { extent(bytes) });
    let options = Options { scrollback_lines: 0, ..Options::default() };
    let mut terminal = Terminal::new(Size { cols, rows }, options);
    let mut out = Outbox::default();
    for (n, row) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        // In a text, the end of one row is the start of the next.
        if n > 0 && !drawn {
            terminal.feed(b"\r", &mut out);
        }
        terminal.feed(row, &mut out);
    }
    crate::watch::shot(&terminal)
}

/// Whether a program drew this, moving its cursor: it holds control sequences other than colours.
fn draws(bytes: &[u8]) -> bool {
    bytes.windows(2).enumerate().filter(|(_, pair)| pair == b"\x1b[").any(|(at, _)| {
        let rest = &bytes[at + 2..];
        rest.iter().find(|b| (0x40..=0x7e).contains(*b)).is_some_and(|last| *last != b'm')
    })
}

/// The size that holds every row whole.
fn extent(bytes: &[u8]) -> (u16, u16) {
    let rows = bytes.split(|b| *b == b'\n');
    let widest = rows.clone().map(<[u8]>::len).max().unwrap_or(0);
    let fit = |count: usize, least: u16| u16::try_from(count).unwrap_or(MOST).clamp(least, MOST);
    (fit(widest, 80), fit(rows.count(), 24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_text_and_what_a_program_drew_are_both_screens() {
        let rows = |bytes: &[u8], size| saved_screen(bytes, size).rows;
        assert_eq!(rows(b"one\ntwo\r\n\x1b[31mthree\x1b[m\n", None)[..3], ["one", "two", "three"]);
        assert_eq!(rows(b"\x1b[2;3Hx\x1b[Hy\nz", None)[..2], ["y", " zx"]);
        let long = "x".repeat(200);
        assert_eq!(rows(long.as_bytes(), None)[0], long);
        assert_eq!(rows(b"1\n2\n3\n", Some((80, 2))), ["2", "3"]);
        assert_eq!(saved_screen(b"\x1b]2;busy\x07\x1b[H", None).title, "busy");
    }
}
