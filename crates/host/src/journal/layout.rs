//! Where things stand in a journal's memory file, and what the keeper needs of it.
//!
//! The file: a header of 64-bit words, the ring, two snapshot slots, the history's blocks. The mapping: the same,
//! with the ring twice in a row. It moves no offset: reading, parsing and replaying are [`super::Journal`]'s.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::memory::{self, ALIGN, Map, Piece};

const MAGIC: u64 = u64::from_le_bytes(*b"krljrnl\0");
const VERSION: u64 = 1;
const HEADER: usize = ALIGN;
const RINGS: std::ops::RangeInclusive<usize> = 2 * WINDOW..=64 << 20;
const MOST_BLOCKS: usize = 1 << 16;

/// Bytes past the head that are kept zero; one read takes no more.
pub const WINDOW: usize = 64 * 1024;

/// Bytes of one history block.
pub(super) const BLOCK: usize = 64 * 1024;

/// The largest snapshot a journal takes.
pub const LARGEST_SNAPSHOT: usize = 16 << 20;

/// How large a journal can become; only what is written costs memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the ring: a multiple of 64 KiB from 128 KiB to 64 MiB.
    pub ring: usize,
    /// History blocks of 64 KiB, up to 65,536.
    pub blocks: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { ring: 512 * 1024, blocks: 64 }
    }
}

/// What the server does with a pane's bytes just now: whom the keeper suspects when it dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Phase {
    /// Nothing.
    Rest = 0,
    /// It restores the snapshot and plays the ring after a restart.
    Replaying = 1,
    /// It parses new bytes.
    Parsing = 2,
}

/// The header's words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Word {
    Head,
    Parsed,
    Handled,
    Start,
    Snapshot,
    Phase,
    Fault,
    SlotAt(usize),
    SlotLength(usize),
    SlotSum(usize),
}

impl Word {
    /// Words 0 to 3 are magic, version, ring size and block count.
    pub(super) fn index(self) -> usize {
        match self {
            Self::Head => 4,
            Self::Parsed => 5,
            Self::Handled => 6,
            Self::Start => 7,
            Self::Snapshot => 8,
            Self::Phase => 9,
            Self::Fault => 10,
            Self::SlotAt(slot) => 16 + slot * 4,
            Self::SlotLength(slot) => 17 + slot * 4,
            Self::SlotSum(slot) => 18 + slot * 4,
        }
    }
}

/// A new, empty journal's memory file, unmapped: all the keeper needs to make one.
pub fn allocate(sizes: Sizes) -> io::Result<OwnedFd> {
    let layout = Layout { ring: sizes.ring, blocks: sizes.blocks };
    layout.check()?;
    let fd = memory::create("kraal-journal", layout.file_length())?;
    let words = [MAGIC, VERSION, sizes.ring as u64, sizes.blocks as u64];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    rustix::io::pwrite(&fd, &bytes, 0)?;
    Ok(fd)
}

/// The places in a journal of given sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) ring: usize,
    pub(super) blocks: usize,
}

impl Layout {
    /// The sizes that the header of `fd` names.
    pub(super) fn read(fd: impl AsFd) -> io::Result<Self> {
        let mut bytes = [0; 32];
        let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text.to_owned());
        if rustix::io::pread(&fd, &mut bytes, 0)? < bytes.len() {
            return Err(invalid("the journal is empty"));
        }
        let word = |index: usize| {
            u64::from_ne_bytes(bytes[index * 8..index * 8 + 8].try_into().expect("a word has 8 bytes"))
        };
        if word(0) != MAGIC {
            return Err(invalid("this memory file is no journal"));
        }
        if word(1) != VERSION {
            return Err(invalid(&format!(
                "a journal of layout {}, this kraal reads layout {VERSION}",
                word(1)
            )));
        }
        let layout = Self { ring: word(2) as usize, blocks: word(3) as usize };
        layout.check()?;
        Ok(layout)
    }

    fn check(&self) -> io::Result<()> {
        if RINGS.contains(&self.ring) && self.ring.is_multiple_of(ALIGN) && self.blocks <= MOST_BLOCKS {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidInput, "a journal cannot have these sizes"))
    }

    fn file_length(&self) -> u64 {
        (HEADER + self.ring + 2 * LARGEST_SNAPSHOT + self.blocks * BLOCK) as u64
    }

    pub(super) fn pieces(&self) -> [Piece; 3] {
        let ring = (HEADER as u64, self.ring);
        let rest = 2 * LARGEST_SNAPSHOT + self.blocks * BLOCK;
        [(0, HEADER + self.ring), ring, ((HEADER + self.ring) as u64, rest)]
    }

    /// Where in the mapping the byte of an absolute offset stands, with at least a ring's size after it.
    pub(super) fn at(&self, offset: u64) -> usize {
        HEADER + (offset % self.ring as u64) as usize
    }

    /// The same, in the file.
    pub(super) fn in_file(&self, offset: u64) -> u64 {
        self.at(offset) as u64
    }

    pub(super) fn slot(&self, slot: usize) -> usize {
        HEADER + 2 * self.ring + slot * LARGEST_SNAPSHOT
    }

    pub(super) fn first_block(&self) -> usize {
        self.slot(2)
    }

    /// Gives back what a slot no longer needs when it once held much more.
    pub(super) fn release_tail(&self, map: &Map, slot: usize, now: usize, before: usize) {
        let from = now.next_multiple_of(ALIGN);
        let to = before.next_multiple_of(ALIGN);
        if to > from + ALIGN {
            // SAFETY: past the snapshot's length a slot is read by nobody. A refusal costs memory, nothing else.
            let _ = unsafe { map.release(self.slot(slot) + from, to - from) };
        }
    }
}

/// The keeper's hold on a journal: its header alone.
#[derive(Debug)]
pub struct Guard(Map);

impl Guard {
    /// Maps the header of the journal behind `fd`.
    pub fn open(fd: impl AsFd) -> io::Result<Self> {
        Layout::read(&fd)?;
        Ok(Self(Map::new(&fd, &[(0, HEADER)])?))
    }

    /// What the server was doing with it, when it died.
    pub fn phase(&self) -> Phase {
        match self.0.word(Word::Phase.index()).load(Acquire) {
            0 => Phase::Rest,
            1 => Phase::Replaying,
            _ => Phase::Parsing,
        }
    }

    /// Clears the mark, before the next server starts.
    pub fn rest(&self) {
        self.0.word(Word::Phase.index()).store(Phase::Rest as u64, Release);
    }

    /// Sets the ring aside: the next server keeps its bytes for a report and does not play them.
    pub fn set_fault(&self) {
        self.0.word(Word::Fault.index()).store(1, Release);
    }
}
