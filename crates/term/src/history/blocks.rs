//! The memory history lives in: fixed blocks, here on the heap. What is written into them is
//! `encode`'s and `index`'s business.

/// Fixed blocks of memory. The server puts them in a shared file that outlives it; [`HeapBlocks`] is
/// plain memory.
pub trait HistoryBlocks: Send {
    /// Bytes of one block, at least 4096.
    fn block_size(&self) -> usize {
        64 * 1024
    }
    /// How many blocks there can be.
    fn count(&self) -> usize;
    /// Block `i`. A block never written may be returned as an empty slice.
    fn block(&self, i: usize) -> &[u8];
    /// Block `i` for writing, always `block_size` bytes.
    fn block_mut(&mut self, i: usize) -> &mut [u8];
    /// Block `i` holds nothing any more; its memory may be given back.
    fn release(&mut self, i: usize) {
        let _ = i;
    }
}

/// Blocks on the heap, allocated when first written, freed when released.
#[derive(Debug, Default)]
pub struct HeapBlocks {
    blocks: Vec<Option<Box<[u8]>>>,
}

impl HeapBlocks {
    /// Room for `count` blocks; none is allocated yet.
    pub fn new(count: usize) -> Self {
        Self { blocks: (0..count).map(|_| None).collect() }
    }

    /// Blocks with these contents, in this order.
    pub(crate) fn holding(contents: impl Iterator<Item = Box<[u8]>>) -> Self {
        Self { blocks: contents.map(Some).collect() }
    }

    /// Room for about `lines` rows of ordinary text.
    pub fn for_lines(lines: usize) -> Self {
        Self::new((lines / 100).max(4))
    }
}

impl HistoryBlocks for HeapBlocks {
    fn count(&self) -> usize {
        self.blocks.len()
    }

    fn block(&self, i: usize) -> &[u8] {
        self.blocks[i].as_deref().unwrap_or(&[])
    }

    fn block_mut(&mut self, i: usize) -> &mut [u8] {
        let size = self.block_size();
        self.blocks[i].get_or_insert_with(|| vec![0; size].into_boxed_slice())
    }

    fn release(&mut self, i: usize) {
        self.blocks[i] = None;
    }
}
