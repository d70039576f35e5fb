//! What the stand-in server makes of a pane's bytes: enough to tell whether each came once, in order.

/// The bytes so far: how many, a hash over all of them in order, and the last few.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    pub(crate) hash: u64,
    pub(crate) tail: Vec<u8>,
}

impl Tally {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut tally = Self::default();
        tally.feed(bytes);
        tally
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.count += bytes.len() as u64;
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(4096)..]);
        let over = self.tail.len().saturating_sub(4096);
        self.tail.drain(..over);
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        [&self.count.to_le_bytes()[..], &self.hash.to_le_bytes(), &self.tail].concat()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Self {
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        Self { count: word(0), hash: word(8), tail: bytes[16..].to_vec() }
    }
}
