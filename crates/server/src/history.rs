//! Joins the journal's blocks to the terminal's history: what scrolls off a screen is encoded
//! straight into memory that outlives this server.
//!
//! Not here: what stands in a block (`term`), whose memory it is (`host::journal`).

use kraal_host::journal::BlocksMap;
use kraal_term::HistoryBlocks;

/// A journal's blocks as a terminal wants them.
pub(crate) struct JournalBlocks(pub(crate) BlocksMap);

impl HistoryBlocks for JournalBlocks {
    fn block_size(&self) -> usize {
        self.0.block_size()
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn block(&self, index: usize) -> &[u8] {
        self.0.block(index)
    }

    fn block_mut(&mut self, index: usize) -> &mut [u8] {
        self.0.block_mut(index)
    }

    fn release(&mut self, index: usize) {
        self.0.release(index);
    }
}
