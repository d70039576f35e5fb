//! Rows that left the screen, encoded in blocks.

mod blocks;

pub use blocks::{HeapBlocks, HistoryBlocks};
