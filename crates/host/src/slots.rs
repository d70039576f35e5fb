//! Shared memory for one value that is replaced as a whole: the world, as the server last knew it.
//!
//! Two slots in a memory file, written in turn; each carries a number, a length and a checksum, so a kill at any
//! instant leaves the last value or the new one. It knows bytes only. One process writes at a time.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::{Errno, pread, pwrite};

use crate::memory;

/// The largest value: each slot owns this much of a sparse file.
pub const LARGEST: u64 = 1 << 30;

const MAGIC: u64 = u64::from_le_bytes(*b"krlslot\x01");
const HEADER: u64 = 4096;
const HEAD_BYTES: usize = 40;

/// A memory file with two slots.
#[derive(Debug)]
pub struct Slots {
    fd: OwnedFd,
    /// The slot that holds the value, its number and its length.
    current: Option<(u64, Head)>,
}

#[derive(Debug, Clone, Copy)]
struct Head {
    number: u64,
    length: u64,
    sum: u64,
}

/// A new, empty memory file for [`Slots::open`]; its pages come as they are written.
pub fn allocate() -> io::Result<OwnedFd> {
    memory::create("kraal-world", 2 * (HEADER + LARGEST))
}

impl Slots {
    /// The slots behind `fd`, with the newest whole value as the current one.
    pub fn open(fd: OwnedFd) -> io::Result<Self> {
        let mut slots = Self { fd, current: None };
        let mut heads = Vec::new();
        for slot in 0..2 {
            heads.extend(slots.head(slot)?.map(|head| (slot, head)));
        }
        heads.sort_unstable_by_key(|(_, head)| std::cmp::Reverse(head.number));
        for (slot, head) in heads {
            if slots.read(slot, head)?.is_some() {
                slots.current = Some((slot, head));
                break;
            }
        }
        Ok(slots)
    }

    /// Replaces the value.
    pub fn store(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "more than a slot can hold"));
        }
        let (slot, number) = self.current.map_or((0, 1), |(slot, head)| (1 - slot, head.number + 1));
        let before = self.head(slot)?.map_or(0, |head| head.length);
        let head = Head { number, length: bytes.len() as u64, sum: memory::checksum(bytes) };
        // The slot's old head must not stand over half-new bytes with a checksum that happens to fit nothing:
        // it is the older of the two in any case, so a torn slot only means that the other one counts.
        write_all(&self.fd, bytes, place(slot) + HEADER)?;
        write_all(&self.fd, &head.encode(), place(slot))?;
        self.current = Some((slot, head));
        release_tail(&self.fd, slot, head.length, before);
        Ok(())
    }

    /// The value, if one was ever stored.
    pub fn load(&self) -> io::Result<Option<Vec<u8>>> {
        match self.current {
            Some((slot, head)) => self.read(slot, head),
            None => Ok(None),
        }
    }

    fn head(&self, slot: u64) -> io::Result<Option<Head>> {
        let mut bytes = [0; HEAD_BYTES];
        read_all(&self.fd, &mut bytes, place(slot))?;
        Ok(Head::decode(&bytes))
    }

    fn read(&self, slot: u64, head: Head) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = vec![0; head.length as usize];
        read_all(&self.fd, &mut bytes, place(slot) + HEADER)?;
        Ok((memory::checksum(&bytes) == head.sum).then_some(bytes))
    }
}

impl AsFd for Slots {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Head {
    fn encode(self) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            [MAGIC, self.number, self.length, self.sum].iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.extend(memory::checksum(&bytes).to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8; HEAD_BYTES]) -> Option<Self> {
        let word = |index: usize| {
            u64::from_le_bytes(bytes[index * 8..index * 8 + 8].try_into().expect("a word has 8 bytes"))
        };
        let whole = word(0) == MAGIC && word(4) == memory::checksum(&bytes[..32]) && word(2) <= LARGEST;
        whole.then(|| Self { number: word(1), length: word(2), sum: word(3) })
    }
}

fn place(slot: u64) -> u64 {
    slot * (HEADER + LARGEST)
}

/// Gives back the pages of a former, longer value. A refusal costs memory, nothing else.
fn release_tail(fd: &OwnedFd, slot: u64, now: u64, before: u64) {
    let from = now.next_multiple_of(4096);
    if before > from {
        let mode = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let _ = fallocate(fd, mode, place(slot) + HEADER + from, before - from);
    }
}

fn write_all(fd: &OwnedFd, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match pwrite(fd, bytes, at) {
            Ok(written) => {
                bytes = &bytes[written..];
                at += written as u64;
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn read_all(fd: &OwnedFd, bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match pread(fd, &mut bytes[done..], at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                done += read;
                at += read as u64;
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reopen(slots: &Slots) -> Option<Vec<u8>> {
        Slots::open(slots.as_fd().try_clone_to_owned().unwrap()).unwrap().load().unwrap()
    }

    #[test]
    fn the_last_value_comes_back() {
        let mut slots = Slots::open(allocate().unwrap()).unwrap();
        assert_eq!(slots.load().unwrap(), None);
        assert_eq!(reopen(&slots), None);
        for value in [&b"one"[..], b"", &[7; 300_000], b"four"] {
            slots.store(value).unwrap();
            assert_eq!(slots.load().unwrap().unwrap(), value);
            assert_eq!(reopen(&slots).unwrap(), value);
        }
        slots.store(b"five").unwrap();
        assert!(memory::allocated(&slots).unwrap() < 100_000, "the long value's pages went back");
    }

    #[test]
    fn a_torn_write_leaves_the_former_value() {
        let mut slots = Slots::open(allocate().unwrap()).unwrap();
        slots.store(b"first").unwrap();
        slots.store(b"second").unwrap();
        slots.store(b"third").unwrap();
        // Killed while the next one's bytes went over the older slot.
        write_all(&slots.fd, b"fou", place(1) + HEADER).unwrap();
        assert_eq!(reopen(&slots).unwrap(), b"third");
        // Killed inside its head.
        write_all(&slots.fd, &[1, 2, 3], place(1) + 8).unwrap();
        assert_eq!(reopen(&slots).unwrap(), b"third");
        // The newest torn as well: the one before counts, when whole.
        let mut slots = Slots::open(allocate().unwrap()).unwrap();
        slots.store(b"first").unwrap();
        slots.store(b"second").unwrap();
        write_all(&slots.fd, b"X", place(1) + HEADER).unwrap();
        assert_eq!(reopen(&slots).unwrap(), b"first");
    }
}
