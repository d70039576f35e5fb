//! The kitty keyboard protocol's flags of one screen, with what was pushed. Which bytes keys give
//! under them is `encode`'s business.

use serde::{Deserialize, Serialize};

/// Pushes kept; one more forgets the oldest.
const DEPTH: usize = 32;
/// The five flags of the protocol.
pub(crate) const ALL_FLAGS: u8 = 31;

/// Flags in force and those under them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyStack {
    current: u8,
    below: Vec<u8>,
}

impl KeyStack {
    pub(crate) fn flags(&self) -> u8 {
        self.current
    }

    /// CSI > flags u.
    pub(crate) fn push(&mut self, flags: u8) {
        if self.below.len() == DEPTH {
            self.below.remove(0);
        }
        self.below.push(self.current);
        self.current = flags & ALL_FLAGS;
    }

    /// CSI < n u.
    pub(crate) fn pop(&mut self, n: usize) {
        for _ in 0..n.clamp(1, DEPTH + 1) {
            self.current = self.below.pop().unwrap_or(0);
        }
    }

    /// CSI = flags ; how u: 1 sets, 2 adds, 3 takes away.
    pub(crate) fn change(&mut self, flags: u8, how: u16) {
        let flags = flags & ALL_FLAGS;
        match how {
            0 | 1 => self.current = flags,
            2 => self.current |= flags,
            3 => self.current &= !flags,
            _ => {}
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pushing_for_ever_stays_bounded_and_pops_to_zero() {
        let mut s = KeyStack::default();
        (0..5000).for_each(|_| s.push(1));
        assert_eq!((s.below.len(), s.flags()), (DEPTH, 1));
        s.pop(usize::MAX);
        assert_eq!(s, KeyStack::default());
    }
}
