//! A pane's journal: the memory file that lets a new server show what the dead one showed.
//!
//! It holds a ring of the bytes a program wrote since the last snapshot, two slots for snapshots (one whole while
//! the other is being written), and blocks for encoded history. The keeper makes it and holds its descriptor; one
//! server at a time maps it. It knows offsets and bytes: what a byte means, what a snapshot contains and how
//! history is encoded are the server's and the terminal's business.
//!
//! Offsets are absolute: byte 0 is the first the pane ever got. `start <= handled, parsed <= head`.
//!
//! **Nothing read is lost.** [`Journal::read_from`] reads straight into the ring and moves the head after. Should
//! the server be killed between the two, the bytes stand past the head. So the [`WINDOW`] past the head is kept
//! zero, and [`Journal::open`] takes everything in it up to the last byte that is not NUL. (NULs at the very end
//! of such a read are lost: a terminal ignores them.)
//!
//! **Costs.** All areas are sparse: a pane that prints a screen costs a few pages. While reading, each byte is
//! written twice: once by the read, once as zero a window ahead, and only after the ring's first lap.

#![allow(unsafe_code)]

mod blocks;
mod layout;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use rustix::io::Errno;

pub use blocks::BlocksMap;
pub use layout::{Guard, LARGEST_SNAPSHOT, Phase, Sizes, WINDOW, allocate};
use layout::{Layout, Word};

use crate::memory::{Map, checksum};

/// What one [`Journal::read_from`] brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadOutcome {
    /// So many new bytes; there may be more.
    Bytes(usize),
    /// Nothing to read now.
    Empty,
    /// No room: parse what is there and store a snapshot first. The program waits meanwhile.
    Full,
    /// Every process has closed its end of the terminal, and everything has been read.
    Closed,
}

/// What is left to play over the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replay<'a> {
    /// The offset of the first byte.
    pub start: u64,
    /// All bytes from there to the head.
    pub bytes: &'a [u8],
    /// Up to this offset (`start <= handled`) a former server has acted on them: play those without effects.
    pub handled: u64,
}

/// A pane's journal, mapped by the server.
#[derive(Debug)]
pub struct Journal {
    map: Arc<Map>,
    layout: Layout,
    /// Whether the snapshot that the header names is whole.
    snapshot_whole: bool,
    blocks_taken: bool,
}

impl Journal {
    /// A new journal and the descriptor that keeps it.
    pub fn create(sizes: Sizes) -> io::Result<(Self, OwnedFd)> {
        let fd = allocate(sizes)?;
        Ok((Self::open(&fd)?, fd))
    }

    /// Maps the journal behind `fd`, and takes what a killed server read without moving the head.
    ///
    /// Only one process, and in it only one `Journal`, may have it open at a time.
    pub fn open(fd: impl AsFd) -> io::Result<Self> {
        let layout = Layout::read(&fd)?;
        let map = Arc::new(Map::new(&fd, &layout.pieces())?);
        let mut journal = Self { map, layout, snapshot_whole: false, blocks_taken: false };
        journal.snapshot_whole = journal.check_snapshot();
        journal.take_past_head(&fd)?;
        let head = journal.head();
        for word in [Word::Parsed, Word::Handled] {
            let value = journal.get(word).clamp(journal.start(), head);
            journal.set(word, value);
        }
        Ok(journal)
    }

    /// The offset after the last byte read.
    pub fn head(&self) -> u64 {
        self.get(Word::Head)
    }

    /// The offset after the last byte parsed.
    pub fn parsed(&self) -> u64 {
        self.get(Word::Parsed)
    }

    /// The offset after the last byte whose effects (answers, notices, clipboard) are done.
    pub fn handled(&self) -> u64 {
        self.get(Word::Handled)
    }

    /// The offset of the oldest byte kept: the snapshot's, when there is one.
    pub fn start(&self) -> u64 {
        self.get(Word::Start)
    }

    /// How many bytes can be read before a snapshot is due at the latest.
    pub fn room(&self) -> usize {
        self.layout.ring - WINDOW - (self.head() - self.start()) as usize
    }

    /// Reads up to `max` bytes from the terminal's non-blocking `master` into the ring.
    pub fn read_from(&mut self, master: BorrowedFd<'_>, max: usize) -> io::Result<ReadOutcome> {
        let mut total = 0;
        let ended = loop {
            let room = self.room().min(max - total).min(WINDOW);
            if room == 0 {
                break if total < max { ReadOutcome::Full } else { ReadOutcome::Bytes(total) };
            }
            match rustix::io::read(master, self.past_head(room)) {
                Ok(0) | Err(Errno::IO) => break ReadOutcome::Closed,
                Ok(read) => {
                    self.move_head(read);
                    total += read;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break ReadOutcome::Empty,
                Err(error) if total == 0 => return Err(error.into()),
                Err(_) => break ReadOutcome::Empty,
            }
        };
        Ok(if total > 0 { ReadOutcome::Bytes(total) } else { ended })
    }

    /// Puts bytes of the server's own (a note on the screen) where a program's would come; answers how many fit.
    pub fn append(&mut self, bytes: &[u8]) -> usize {
        let mut taken = 0;
        while taken < bytes.len() {
            let length = self.room().min(bytes.len() - taken).min(WINDOW);
            if length == 0 {
                break;
            }
            self.past_head(length).copy_from_slice(&bytes[taken..taken + length]);
            self.move_head(length);
            taken += length;
        }
        taken
    }

    /// All bytes read and not yet parsed, in one piece.
    pub fn unparsed(&self) -> &[u8] {
        self.ring(self.parsed(), self.head())
    }

    /// Says that the next `count` unparsed bytes are parsed.
    pub fn mark_parsed(&mut self, count: usize) {
        let parsed = self.parsed() + count as u64;
        assert!(parsed <= self.head(), "only bytes that were read can be parsed");
        self.set(Word::Parsed, parsed);
    }

    /// Says that effects are done up to `offset`. Never goes back.
    pub fn set_handled(&mut self, offset: u64) {
        self.set(Word::Handled, offset.clamp(self.handled(), self.head()));
    }

    /// Whether the ring is more than half full since the snapshot.
    pub fn needs_snapshot(&self) -> bool {
        self.head() - self.start() > self.layout.ring as u64 / 2
    }

    /// Stores what the screen and modes are at offset `at`, and forgets the bytes before it. A kill at any instant
    /// leaves the old snapshot or the new one. At most [`LARGEST_SNAPSHOT`] bytes.
    pub fn store_snapshot(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > LARGEST_SNAPSHOT || at < self.start() || at > self.head() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a snapshot too large, or of no byte kept",
            ));
        }
        let slot = 1 - self.slot().unwrap_or(1);
        let before = self.get(Word::SlotLength(slot)) as usize;
        let place = self.layout.slot(slot);
        // SAFETY: the slot that the header does not name is borrowed by nobody: `snapshot` borrows the named one,
        // and `self` is borrowed mutably.
        unsafe { self.map.bytes_mut(place, bytes.len()).copy_from_slice(bytes) };
        self.set(Word::SlotAt(slot), at);
        self.set(Word::SlotLength(slot), bytes.len() as u64);
        self.set(Word::SlotSum(slot), checksum(bytes));
        self.set(Word::Snapshot, slot as u64 + 1);
        self.set(Word::Start, at);
        self.snapshot_whole = true;
        self.layout.release_tail(&self.map, slot, bytes.len(), before);
        Ok(())
    }

    /// The last snapshot and its offset.
    pub fn snapshot(&self) -> Option<(u64, &[u8])> {
        let slot = self.slot().filter(|_| self.snapshot_whole)?;
        let length = self.get(Word::SlotLength(slot)) as usize;
        // SAFETY: the named slot is written by nobody while `self` is borrowed.
        let bytes = unsafe { self.map.bytes(self.layout.slot(slot), length) };
        Some((self.get(Word::SlotAt(slot)), bytes))
    }

    /// What to play over the snapshot after a restart. Then call [`Journal::mark_replayed`].
    pub fn replay(&self) -> Replay<'_> {
        let start = self.start();
        Replay { start, bytes: self.ring(start, self.head()), handled: self.handled().max(start) }
    }

    /// Says that all of [`Journal::replay`] is parsed and its effects are done.
    pub fn mark_replayed(&mut self) {
        let head = self.head();
        self.set(Word::Parsed, head);
        self.set(Word::Handled, head);
    }

    /// Whether the keeper has set the ring aside because playing or parsing it has killed the server twice.
    pub fn is_faulty(&self) -> bool {
        self.get(Word::Fault) != 0
    }

    /// After a fault: forgets snapshot and bytes (save [`Journal::replay`]'s for a report first) and goes on after
    /// them. History blocks stay as they are.
    pub fn forget_fault(&mut self) {
        let head = self.head();
        self.set(Word::Snapshot, 0);
        for word in [Word::Start, Word::Parsed, Word::Handled] {
            self.set(word, head);
        }
        self.set(Word::Phase, Phase::Rest as u64);
        self.set(Word::Fault, 0);
    }

    /// Marks, until the guard is dropped, what the server does with this pane's bytes. A guard dropped by a panic
    /// leaves the mark, for the keeper to see.
    #[must_use]
    pub fn marking(&self, phase: Phase) -> PhaseGuard {
        self.set(Word::Phase, phase as u64);
        PhaseGuard(Arc::clone(&self.map))
    }

    /// The history's blocks. Only the first call gets them: they have one owner.
    pub fn take_blocks(&mut self) -> Option<BlocksMap> {
        let first = !std::mem::replace(&mut self.blocks_taken, true);
        first.then(|| BlocksMap::new(Arc::clone(&self.map), &self.layout))
    }

    fn get(&self, word: Word) -> u64 {
        self.map.word(word.index()).load(Acquire)
    }

    fn set(&self, word: Word, value: u64) {
        self.map.word(word.index()).store(value, Release);
    }

    fn slot(&self) -> Option<usize> {
        (self.get(Word::Snapshot) as usize).checked_sub(1).filter(|slot| *slot < 2)
    }

    fn check_snapshot(&self) -> bool {
        let Some(slot) = self.slot() else { return false };
        let length = self.get(Word::SlotLength(slot)) as usize;
        if length > LARGEST_SNAPSHOT {
            return false;
        }
        // SAFETY: nobody writes while the journal is being opened.
        let bytes = unsafe { self.map.bytes(self.layout.slot(slot), length) };
        // A kill between naming the slot and moving the start leaves the start behind.
        self.set(Word::Start, self.get(Word::SlotAt(slot)));
        checksum(bytes) == self.get(Word::SlotSum(slot))
    }

    /// Bytes of the ring, which is mapped twice in a row: every range up to its size is in one piece.
    fn ring(&self, from: u64, to: u64) -> &[u8] {
        // SAFETY: the bytes between start and head are written by nobody while `self` is borrowed.
        unsafe { self.map.bytes(self.layout.at(from), (to - from) as usize) }
    }

    fn past_head(&mut self, length: usize) -> &mut [u8] {
        let at = self.layout.at(self.head());
        // SAFETY: the window past the head is nobody else's while `self` is borrowed mutably.
        unsafe { self.map.bytes_mut(at, length) }
    }

    /// Zeroes the window's new end, then moves the head: in this order a kill between the two loses nothing.
    fn move_head(&mut self, count: usize) {
        let head = self.head();
        let window_end = head + WINDOW as u64;
        // Until its first lap the ring is zero as it came.
        let dirty_from = window_end.max(self.layout.ring as u64);
        let dirty_to = window_end + count as u64;
        if dirty_from < dirty_to {
            let at = self.layout.at(dirty_from);
            // SAFETY: `room` keeps the window's end behind the start, so these bytes are no longer anybody's.
            unsafe { self.map.bytes_mut(at, (dirty_to - dirty_from) as usize).fill(0) };
        }
        self.map.word(Word::Head.index()).store(head + count as u64, Release);
    }

    /// Reads the window by the descriptor: looking at it through the mapping would allocate its pages.
    fn take_past_head(&mut self, fd: impl AsFd) -> io::Result<()> {
        let mut past = vec![0; self.room().min(WINDOW)];
        let mut done = 0;
        while done < past.len() {
            let at = self.head() + done as u64;
            let to_the_end = self.layout.ring - (at % self.layout.ring as u64) as usize;
            let length = to_the_end.min(past.len() - done);
            match rustix::io::pread(&fd, &mut past[done..done + length], self.layout.in_file(at)) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => done += read,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(last) = past.iter().rposition(|byte| *byte != 0) {
            self.move_head(last + 1);
        }
        Ok(())
    }
}

/// While it lives, the header says what the server does. See [`Journal::marking`].
#[derive(Debug)]
pub struct PhaseGuard(Arc<Map>);

impl Drop for PhaseGuard {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.0.word(Word::Phase.index()).store(Phase::Rest as u64, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
