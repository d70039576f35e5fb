//! The history's part of a journal: raw blocks of one size.
//!
//! What stands in them, which of them are used and in which order, is written in them by their owner.
#![allow(unsafe_code)]

use std::sync::Arc;

use super::layout::{BLOCK, Layout};
use crate::memory::Map;

/// The blocks of one journal, owned apart from it, so that history can be written by another thread or while the
/// journal is borrowed. There is one for a journal at most: see [`super::Journal::take_blocks`].
#[derive(Debug)]
pub struct BlocksMap {
    map: Arc<Map>,
    first: usize,
    count: usize,
}

impl BlocksMap {
    pub(super) fn new(map: Arc<Map>, layout: &Layout) -> Self {
        Self { map, first: layout.first_block(), count: layout.blocks }
    }

    /// Bytes in a block.
    pub fn block_size(&self) -> usize {
        BLOCK
    }

    /// How many blocks there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Block `index`; one never written is zero. Panics past [`BlocksMap::count`].
    pub fn block(&self, index: usize) -> &[u8] {
        // SAFETY: the blocks have this one owner, which is borrowed.
        unsafe { self.map.bytes(self.place(index), BLOCK) }
    }

    /// Block `index`, to write. Panics past [`BlocksMap::count`].
    pub fn block_mut(&mut self, index: usize) -> &mut [u8] {
        // SAFETY: the blocks have this one owner, which is borrowed mutably.
        unsafe { self.map.bytes_mut(self.place(index), BLOCK) }
    }

    /// Gives the memory of block `index` back; it reads as zero then.
    pub fn release(&mut self, index: usize) {
        // SAFETY: the blocks have this one owner, which is borrowed mutably. Should the system refuse, the block
        // is cleared by hand.
        unsafe {
            if self.map.release(self.place(index), BLOCK).is_err() {
                self.map.bytes_mut(self.place(index), BLOCK).fill(0);
            }
        }
    }

    fn place(&self, index: usize) -> usize {
        assert!(index < self.count, "block {index} of {}", self.count);
        self.first + index * BLOCK
    }
}
