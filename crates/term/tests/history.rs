//! History: its memory, its end, and readers in it.

mod common;
use common::Bench;
use kraal_term::{HistoryBlocks, Options, Outbox, Size, Terminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Blocks that count how many are in use.
struct Counted {
    blocks: Vec<Vec<u8>>,
    used: Arc<AtomicUsize>,
}

impl HistoryBlocks for Counted {
    fn count(&self) -> usize {
        self.blocks.len()
    }
    fn block(&self, i: usize) -> &[u8] {
        &self.blocks[i]
    }
    fn block_mut(&mut self, i: usize) -> &mut [u8] {
        if self.blocks[i].is_empty() {
            self.used.fetch_add(1, Ordering::Relaxed);
            self.blocks[i] = vec![0; self.block_size()];
        }
        &mut self.blocks[i]
    }
    fn release(&mut self, i: usize) {
        if !self.blocks[i].is_empty() {
            self.used.fetch_sub(1, Ordering::Relaxed);
            self.blocks[i] = Vec::new();
        }
    }
}

#[test]
fn ten_thousand_rows_take_about_their_text() {
    let used = Arc::new(AtomicUsize::new(0));
    let blocks = Counted { blocks: vec![Vec::new(); 200], used: used.clone() };
    let mut t = Terminal::with_history(Size { cols: 80, rows: 24 }, Options::default(), Box::new(blocks));
    let mut out = Outbox::default();
    for i in 0..15_000 {
        t.feed(format!("{i:06} \x1b[32m{}\x1b[m\r\n", "x".repeat(70)).as_bytes(), &mut out);
    }
    assert_eq!(t.history_len(), 10_000);
    assert!(used.load(Ordering::Relaxed) * 64 <= 1200, "{} blocks", used.load(Ordering::Relaxed));
    assert!(t.view_row(10_000, 0).text().starts_with("004977"));
    t.feed(b"\x1b[3J", &mut out);
    assert_eq!(t.history_len(), 0);
    t.drop_cleared();
    assert!(used.load(Ordering::Relaxed) <= 1);
}

/// BR-04: a repaint that clears the history does not move a reader who scrolled up.
#[test]
fn a_reader_stays_when_history_is_cleared() {
    let mut b = Bench::new(20, 5);
    for i in 0..100 {
        b.feed(format!("row {i}\r\n"));
    }
    let (offset, at) = (20, b.t.lines_scrolled());
    let seen: Vec<String> = (0..5).map(|y| b.t.view_row(offset, y).text()).collect();
    let stamps: Vec<u64> = (0..5).map(|y| b.t.view_row_stamp(offset, y)).collect();
    for _ in 0..30 {
        b.feed("\x1b[?2026h\x1b[2J\x1b[3J\x1b[H");
        for i in 0..50 {
            b.feed(format!("again {i}\r\n"));
        }
        b.feed("\x1b[?2026l");
    }
    let offset = offset + (b.t.lines_scrolled() - at) as usize;
    assert!(offset > b.t.history_len() && offset <= b.t.held_len());
    assert_eq!((0..5).map(|y| b.t.view_row(offset, y).text()).collect::<Vec<_>>(), seen);
    assert_eq!((0..5).map(|y| b.t.view_row_stamp(offset, y)).collect::<Vec<_>>(), stamps);
    assert!(!b.t.text(1000).contains("row "), "what was cleared is no text");
    b.t.drop_cleared();
}

#[test]
fn no_scrollback_is_none() {
    let options = Options { scrollback_lines: 0, ..Options::default() };
    let mut t = Terminal::new(Size { cols: 10, rows: 2 }, options);
    t.feed("a\r\nb\r\nc\r\nd".as_bytes(), &mut Outbox::default());
    t.resize(Size { cols: 3, rows: 1 });
    assert_eq!(t.history_len(), 0);
    assert_eq!(t.text(10), "d\n");
}

#[test]
fn a_row_too_big_for_a_block_loses_only_its_ornaments() {
    let mut b = Bench::new(1000, 1);
    for i in 0..1000 {
        b.feed(format!("\x1b]8;;http://{i}/{}\x07x", "y".repeat(1000)));
    }
    b.feed("\x1b]8;;\x07\r\n");
    assert_eq!(b.t.view_row(1, 0).text(), "x".repeat(1000));
}
