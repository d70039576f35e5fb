//! Which rows history holds and where: blocks in the order of their first row, records within. Blocks
//! describe themselves, so the index can be rebuilt from their memory after a crash at any instant: a
//! block's used length is written after the record it covers, and a record is whole or not there.
//!
//! A block: magic (4), used bytes (u32), number of its first row (u64), records; a record: length (u32),
//! body (see `encode`). A free block has no magic.

use super::blocks::{HeapBlocks, HistoryBlocks};
use super::encode;
use std::collections::VecDeque;
use std::sync::atomic::{Ordering, compiler_fence};

const MAGIC: [u8; 4] = *b"kHB1";
pub(crate) const HEADER: usize = 16;
const RECORD_HEADER: usize = 4;

/// What the index keeps of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    offset: u32,
    pub(crate) cols: u16,
    pub(crate) flags: u8,
}

/// A block that holds rows.
#[derive(Debug)]
struct Live {
    block: usize,
    first: u64,
    used: usize,
    entries: Vec<Entry>,
}

/// The blocks in use, oldest first.
pub(crate) struct Index {
    blocks: Box<dyn HistoryBlocks>,
    live: VecDeque<Live>,
    /// Free blocks; the lowest is last.
    free: Vec<usize>,
    next: u64,
}

impl Index {
    /// Reads what the blocks hold of rows below number `before`; the rest is made free.
    pub(crate) fn open(blocks: Box<dyn HistoryBlocks>, before: u64) -> Self {
        let mut found: Vec<Live> =
            (0..blocks.count()).filter_map(|i| scan(blocks.block(i), i, before)).collect();
        found.sort_by_key(|l| l.first);
        // Rows must follow each other: what is older than a hole is not shown.
        let mut from = found.len().saturating_sub(1);
        while from > 0 && found[from - 1].end() == found[from].first {
            from -= 1;
        }
        let live: VecDeque<Live> = found.drain(from..).collect();
        let mut index = Self { blocks, live, free: Vec::new(), next: 0 };
        index.next = index.live.back().map_or(0, Live::end);
        for i in (0..index.blocks.count()).rev() {
            match index.live.iter().find(|l| l.block == i) {
                None => index.wipe(i),
                Some(live) if index.blocks.block(i)[4..8] != (live.used as u32).to_le_bytes() => {
                    let used = live.used;
                    index.blocks.block_mut(i)[4..8].copy_from_slice(&(used as u32).to_le_bytes());
                }
                Some(_) => {}
            }
        }
        index
    }

    /// The blocks in use, copied.
    pub(crate) fn copy(&self) -> HeapBlocks {
        let size = self.blocks.block_size();
        HeapBlocks::holding(self.live.iter().map(|live| {
            let mut copy = vec![0; size].into_boxed_slice();
            copy[..live.used].copy_from_slice(&self.blocks.block(live.block)[..live.used]);
            copy
        }))
    }

    /// The longest body a block takes.
    pub(crate) fn room(&self) -> usize {
        self.blocks.block_size() - HEADER - RECORD_HEADER
    }

    /// The number the next row gets.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    /// Starts counting at `next`; only where nothing is held.
    pub(crate) fn start_at(&mut self, next: u64) {
        if self.live.is_empty() {
            self.next = next;
        }
    }

    /// The oldest row held, or `next` when there is none.
    pub(crate) fn first(&self) -> u64 {
        self.live.front().map_or(self.next, |l| l.first)
    }

    /// Appends a row. Evicts the oldest block when no other is free. Without blocks it is only counted.
    pub(crate) fn push(&mut self, body: &[u8]) {
        let need = RECORD_HEADER + body.len();
        let size = self.blocks.block_size();
        if self.live.back().is_none_or(|l| l.used + need > size) && !self.open_block() {
            self.next += 1;
            return;
        }
        let Some(live) = self.live.back_mut() else { return };
        let memory = self.blocks.block_mut(live.block);
        let at = live.used;
        memory[at..at + RECORD_HEADER].copy_from_slice(&(body.len() as u32).to_le_bytes());
        memory[at + RECORD_HEADER..at + need].copy_from_slice(body);
        live.used += need;
        // The length counts only after what it covers is there: a process killed between the two has lost
        // the row, not its shape.
        compiler_fence(Ordering::Release);
        memory[4..8].copy_from_slice(&(live.used as u32).to_le_bytes());
        let (cols, flags) = encode::peek(body);
        live.entries.push(Entry { offset: at as u32, cols, flags });
        self.next += 1;
    }

    /// Takes the last row away again.
    pub(crate) fn pop(&mut self) {
        let Some(live) = self.live.back_mut() else { return };
        if let Some(entry) = live.entries.pop() {
            self.next -= 1;
            live.used = entry.offset as usize;
            let used = (live.used as u32).to_le_bytes();
            self.blocks.block_mut(live.block)[4..8].copy_from_slice(&used);
        }
        if live.entries.is_empty() {
            let block = live.block;
            self.live.pop_back();
            self.wipe(block);
        }
    }

    /// Gives back blocks that hold only rows before `seq`.
    pub(crate) fn drop_before(&mut self, seq: u64) {
        while self.live.front().is_some_and(|l| l.end() <= seq) {
            self.evict();
        }
    }

    /// The body of row `seq`.
    pub(crate) fn body(&self, seq: u64) -> Option<&[u8]> {
        let (live, entry) = self.find(seq)?;
        let block = self.blocks.block(live.block);
        let at = entry.offset as usize;
        let len = u32::from_le_bytes(block.get(at..at + RECORD_HEADER)?.try_into().ok()?) as usize;
        block.get(at + RECORD_HEADER..at + RECORD_HEADER + len)
    }

    /// What the index knows of row `seq`.
    pub(crate) fn entry(&self, seq: u64) -> Option<Entry> {
        self.find(seq).map(|(_, e)| e)
    }

    /// Entries of the rows `from..to`, in order.
    pub(crate) fn entries(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, Entry)> + '_ {
        let start = self.live.partition_point(|l| l.end() <= from);
        self.live
            .range(start..)
            .flat_map(|l| l.entries.iter().enumerate().map(move |(i, e)| (l.first + i as u64, *e)))
            .skip_while(move |(seq, _)| *seq < from)
            .take_while(move |(seq, _)| *seq < to)
    }

    fn find(&self, seq: u64) -> Option<(&Live, Entry)> {
        let at = self.live.partition_point(|l| l.end() <= seq);
        let live = self.live.get(at)?;
        let i = seq.checked_sub(live.first)?;
        live.entries.get(i as usize).map(|e| (live, *e))
    }

    fn open_block(&mut self) -> bool {
        if self.free.is_empty() {
            self.evict();
        }
        let Some(block) = self.free.pop() else { return false };
        let memory = self.blocks.block_mut(block);
        memory[8..16].copy_from_slice(&self.next.to_le_bytes());
        memory[4..8].copy_from_slice(&(HEADER as u32).to_le_bytes());
        compiler_fence(Ordering::Release);
        memory[..4].copy_from_slice(&MAGIC);
        self.live.push_back(Live { block, first: self.next, used: HEADER, entries: Vec::new() });
        true
    }

    fn evict(&mut self) {
        if let Some(old) = self.live.pop_front() {
            self.wipe(old.block);
        }
    }

    fn wipe(&mut self, block: usize) {
        if self.blocks.block(block).get(..4).is_some_and(|m| m != [0; 4]) {
            self.blocks.block_mut(block)[..4].fill(0);
        }
        self.blocks.release(block);
        let at = self.free.partition_point(|&b| b > block);
        self.free.insert(at, block);
    }
}

impl Live {
    fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }
}

/// Reads one block's records up to row `before`.
fn scan(block: &[u8], number: usize, before: u64) -> Option<Live> {
    if block.get(..4)? != MAGIC {
        return None;
    }
    let used = u32::from_le_bytes(block.get(4..8)?.try_into().ok()?) as usize;
    let first = u64::from_le_bytes(block.get(8..16)?.try_into().ok()?);
    // Nobody pushes that many rows: such a number is damage.
    if first > u64::MAX / 2 {
        return None;
    }
    let used = block.get(..used)?;
    let mut live = Live { block: number, first, used: HEADER, entries: Vec::new() };
    while live.end() < before {
        let at = live.used;
        let Some(len) = used.get(at..at + RECORD_HEADER).and_then(|b| b.try_into().ok()) else { break };
        let end = at + RECORD_HEADER + u32::from_le_bytes(len) as usize;
        let Some(body) = used.get(at + RECORD_HEADER..end) else { break };
        let (cols, flags) = encode::peek(body);
        live.entries.push(Entry { offset: at as u32, cols, flags });
        live.used = end;
    }
    (!live.entries.is_empty()).then_some(live)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::HeapBlocks;

    /// Blocks that were left by a killed process.
    struct Left(Vec<Vec<u8>>);

    impl HistoryBlocks for Left {
        fn block_size(&self) -> usize {
            4096
        }
        fn count(&self) -> usize {
            self.0.len()
        }
        fn block(&self, i: usize) -> &[u8] {
            &self.0[i]
        }
        fn block_mut(&mut self, i: usize) -> &mut [u8] {
            &mut self.0[i]
        }
    }

    fn body(i: u64) -> Vec<u8> {
        format!("\0\x08\0row {i:04}").into_bytes()
    }

    fn filled(rows: u64) -> Index {
        let mut index = Index::open(Box::new(Left(vec![vec![0; 4096]; 6])), u64::MAX);
        (0..rows).for_each(|i| index.push(&body(i)));
        index
    }

    fn memory(index: &Index) -> Vec<Vec<u8>> {
        (0..index.blocks.count()).map(|i| index.blocks.block(i).to_vec()).collect()
    }

    fn reopen(memory: Vec<Vec<u8>>, before: u64) -> Index {
        Index::open(Box::new(Left(memory)), before)
    }

    #[test]
    fn the_index_is_rebuilt_from_the_blocks() {
        let index = filled(3000);
        let (first, next) = (index.first(), index.next());
        assert!(first > 0 && next == 3000);
        let again = reopen(memory(&index), u64::MAX);
        assert_eq!((again.first(), again.next()), (first, next));
        for seq in first..next {
            assert_eq!(again.body(seq), Some(&body(seq)[..]));
        }
    }

    #[test]
    fn a_row_half_written_is_not_there() {
        let index = filled(300);
        let whole = memory(&index);
        let (last, used) = (index.live[1].block, index.live[1].used);
        for cut in HEADER..used {
            let mut blocks = whole.clone();
            blocks[last][4..8].copy_from_slice(&(cut as u32).to_le_bytes());
            let mut again = reopen(blocks, u64::MAX);
            let next = again.next();
            assert!(next <= 300 && (again.first()..next).all(|seq| again.body(seq) == Some(&body(seq)[..])));
            again.push(&body(next));
            assert_eq!(again.body(next), Some(&body(next)[..]));
        }
    }

    #[test]
    fn rows_after_a_snapshot_are_dropped_for_good() {
        let whole = memory(&filled(300));
        let mut again = reopen(whole, 250);
        assert_eq!(again.next(), 250);
        again.push(b"\0\x01\0x");
        let third = reopen(memory(&again), u64::MAX);
        assert_eq!((third.next(), third.body(250)), (251, Some(&b"\0\x01\0x"[..])));
    }

    #[test]
    fn garbage_is_no_history() {
        let mut noise = vec![vec![0u8; 4096]; 3];
        let mut state = 7u32;
        for byte in noise.iter_mut().flatten() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *byte = (state >> 24) as u8;
        }
        noise[1][..4].copy_from_slice(&MAGIC);
        let mut index = reopen(noise, u64::MAX);
        let next = index.next();
        index.push(&body(1));
        assert!(index.next() > next || next == u64::MAX);
    }

    #[test]
    fn the_lowest_blocks_are_used_first() {
        let mut index = Index::open(Box::new(HeapBlocks::new(10)), u64::MAX);
        (0..20_000).for_each(|i| index.push(&body(i)));
        index.drop_before(19_990);
        index.drop_before(20_000);
        index.push(&body(0));
        assert_eq!(index.live[0].block, 0);
    }
}
