//! Bytes that wait for a descriptor to take them, in order.
//!
//! Not here: when it can (the loop is told), what they mean.

use std::io;

use rustix::fd::BorrowedFd;

/// A first-in, first-out buffer that is written as far as the other end takes it.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    bytes: Vec<u8>,
    sent: usize,
}

/// Written bytes are dropped from the front once there are this many.
const COMPACT: usize = 256 * 1024;

impl Queue {
    /// Bytes still waiting.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where new bytes are appended.
    pub(crate) fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.sent = 0;
    }

    /// Writes what the other end takes now. False when it is gone.
    pub(crate) fn flush(&mut self, fd: BorrowedFd<'_>) -> bool {
        while self.sent < self.bytes.len() {
            match rustix::io::write(fd, &self.bytes[self.sent..]) {
                Ok(0) => return false,
                Ok(n) => self.sent += n,
                Err(rustix::io::Errno::INTR) => {}
                Err(e) if io::Error::from(e).kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return false,
            }
        }
        if self.sent == self.bytes.len() {
            self.clear();
            if self.bytes.capacity() > 4 * COMPACT {
                self.bytes = Vec::new();
            }
        } else if self.sent > COMPACT {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fd::AsFd;

    #[test]
    fn a_full_pipe_keeps_the_rest_in_order() {
        let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK).expect("a pipe");
        let mut queue = Queue::default();
        let all: Vec<u8> = (0..1_000_000u32).map(|i| i as u8).collect();
        queue.tail().extend_from_slice(&all);
        let mut got = Vec::new();
        let mut buffer = [0u8; 65536];
        while got.len() < all.len() {
            assert!(queue.flush(write.as_fd()));
            while let Ok(n) = rustix::io::read(&read, &mut buffer) {
                got.extend_from_slice(&buffer[..n]);
            }
        }
        assert!(got == all && queue.is_empty());
        drop(read);
        queue.tail().push(1);
        assert!(!queue.flush(write.as_fd()));
    }
}
