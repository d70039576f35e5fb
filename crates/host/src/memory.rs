//! Memory files and their mapping: what outlives the server because the keeper holds the descriptor.
//!
//! Only bytes and atomics; what they mean is [`crate::journal`]'s and [`crate::slots`]'s business.
//!
//! One process writes a mapping at a time (the server that the keeper runs); the keeper touches nothing but the
//! atomics of a header. That is the contract every `SAFETY` comment here leans on: it cannot be proven to the
//! compiler, as with any shared memory, and the keeper keeps it by starting a server only after the last is gone.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr;
use std::sync::atomic::AtomicU64;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::mm::{Advice, MapFlags, ProtFlags};

/// Every offset and length that is mapped is a multiple of this, which is a multiple of every page size in use.
pub const ALIGN: usize = 64 * 1024;

/// A new memory file of `length` zero bytes (none of them allocated), close-on-exec, its size sealed: nobody can
/// cut it short under a mapping.
pub fn create(name: &str, length: u64) -> io::Result<OwnedFd> {
    let fd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    rustix::fs::ftruncate(&fd, length)?;
    rustix::fs::fcntl_add_seals(&fd, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(fd)
}

/// How many bytes of the file `fd` are really allocated.
pub fn allocated(fd: impl AsFd) -> io::Result<u64> {
    Ok(rustix::fs::fstat(fd)?.st_blocks as u64 * 512)
}

/// A stretch of a file: (offset, length), both multiples of [`ALIGN`].
pub type Piece = (u64, usize);

/// Pieces of one file, mapped shared and writable, one after the other. A piece may come twice.
#[derive(Debug)]
pub struct Map {
    base: *mut u8,
    length: usize,
}

// SAFETY: a mapping belongs to no thread; who may touch which bytes is decided by the callers of the unsafe
// accessors, and the atomics are atomics.
unsafe impl Send for Map {}
// SAFETY: as above; `&Map` gives out references only through atomics or unsafe functions.
unsafe impl Sync for Map {}

impl Map {
    /// Maps `pieces` of `fd` in their order.
    pub fn new(fd: impl AsFd, pieces: &[Piece]) -> io::Result<Self> {
        let size = rustix::fs::fstat(&fd)?.st_size as u64;
        for &(offset, length) in pieces {
            let aligned = offset % ALIGN as u64 == 0 && length % ALIGN == 0 && length > 0;
            if !aligned || offset + length as u64 > size {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a memory file is too short"));
            }
        }
        let length = pieces.iter().map(|piece| piece.1).sum();
        // SAFETY: a fresh reservation at an address of the kernel's choice touches no memory of ours.
        let base = unsafe {
            rustix::mm::mmap_anonymous(ptr::null_mut(), length, ProtFlags::empty(), MapFlags::PRIVATE)?
        };
        let map = Self { base: base.cast(), length };
        let mut at = 0;
        for &(offset, piece) in pieces {
            // SAFETY: `at + piece <= length`, so the fixed mapping replaces only our own reservation.
            unsafe {
                rustix::mm::mmap(
                    map.base.add(at).cast(),
                    piece,
                    ProtFlags::READ | ProtFlags::WRITE,
                    MapFlags::SHARED | MapFlags::FIXED,
                    &fd,
                    offset,
                )?;
            }
            at += piece;
        }
        Ok(map)
    }

    /// The `index`th 64-bit word of the mapping, which every process may read and write.
    pub fn word(&self, index: usize) -> &AtomicU64 {
        assert!((index + 1) * 8 <= self.length, "a word inside the mapping");
        // SAFETY: in bounds by the assertion, aligned because the base is page-aligned, alive as long as `self`;
        // words are only ever accessed atomically.
        unsafe { AtomicU64::from_ptr(self.base.cast::<u64>().add(index)) }
    }

    /// Bytes of the mapping.
    ///
    /// # Safety
    /// Nobody, in this process or another, writes them while the slice lives.
    pub unsafe fn bytes(&self, at: usize, length: usize) -> &[u8] {
        self.check(at, length);
        // SAFETY: in bounds by the check; stable while borrowed by the caller's promise.
        unsafe { std::slice::from_raw_parts(self.base.add(at), length) }
    }

    /// Bytes of the mapping, to write.
    ///
    /// # Safety
    /// Nobody, in this process or another, reads or writes them while the slice lives.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn bytes_mut(&self, at: usize, length: usize) -> &mut [u8] {
        self.check(at, length);
        // SAFETY: in bounds by the check; exclusive by the caller's promise.
        unsafe { std::slice::from_raw_parts_mut(self.base.add(at), length) }
    }

    /// Gives the memory behind whole [`ALIGN`]ed bytes back to the system; they read as zero from then on.
    ///
    /// # Safety
    /// As for [`Map::bytes_mut`].
    pub unsafe fn release(&self, at: usize, length: usize) -> io::Result<()> {
        self.check(at, length);
        // SAFETY: in bounds by the check; a shared mapping of a memory file is what this advice is for.
        unsafe { Ok(rustix::mm::madvise(self.base.add(at).cast(), length, Advice::LinuxRemove)?) }
    }

    fn check(&self, at: usize, length: usize) {
        assert!(at.checked_add(length).is_some_and(|end| end <= self.length), "bytes inside the mapping");
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the whole mapping is ours and no borrow of it outlives `self`.
        let _ = unsafe { rustix::mm::munmap(self.base.cast(), self.length) };
    }
}

/// A checksum of `bytes`: against halves of a write that a kill cut short, not against an adversary.
pub fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(PRIME).rotate_left(29);
    let chunks = bytes.chunks_exact(8);
    let mut tail = [0; 8];
    tail[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    let sum = chunks.fold((bytes.len() as u64 + 1).wrapping_mul(PRIME), |sum, chunk| {
        mix(sum, u64::from_le_bytes(chunk.try_into().expect("chunks have 8 bytes")))
    });
    mix(mix(sum, u64::from_le_bytes(tail)), PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_mapped_twice_is_one() {
        let fd = create("test", 3 * ALIGN as u64).unwrap();
        let map = Map::new(&fd, &[(0, ALIGN), (ALIGN as u64, ALIGN), (ALIGN as u64, ALIGN)]).unwrap();
        // SAFETY: this test alone has the mapping.
        unsafe {
            map.bytes_mut(2 * ALIGN - 1, 3).copy_from_slice(b"abc");
            assert_eq!(map.bytes(ALIGN, 2), b"bc");
            assert_eq!(map.bytes(3 * ALIGN - 1, 1), b"a");
            let before = allocated(&fd).unwrap();
            map.release(ALIGN, ALIGN).unwrap();
            assert!(allocated(&fd).unwrap() < before);
            assert_eq!(map.bytes(ALIGN, 2), [0, 0]);
        }
        assert!(Map::new(&fd, &[(2 * ALIGN as u64, 2 * ALIGN)]).is_err(), "past the end");
        assert!(rustix::fs::ftruncate(&fd, 0).is_err(), "sealed");
    }

    #[test]
    fn checksums_differ() {
        let mut seen = std::collections::HashSet::new();
        for length in 0..64 {
            assert!(seen.insert(checksum(&vec![0; length])), "{length} zeros");
            assert!(seen.insert(checksum(&vec![7; length + 1])), "{length} sevens");
        }
        assert_ne!(checksum(b"abcdefgh12345678"), checksum(b"12345678abcdefgh"));
    }
}
