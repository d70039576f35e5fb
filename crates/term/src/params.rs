//! A control sequence taken apart: prefix, numbers, intermediate, final byte. Not here: what it
//! does (`csi`).

/// Numbers kept of one sequence; more are dropped.
pub(crate) const MAX_PARAMS: usize = 32;

/// The numbers of a sequence; those after a colon belong to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Params {
    values: [u16; MAX_PARAMS],
    /// Bit i: value i came after a colon.
    colons: u32,
    len: u8,
}

impl Params {
    #[inline]
    pub(crate) fn push(&mut self, value: u16, colon: bool) {
        let at = usize::from(self.len);
        if at < MAX_PARAMS {
            self.values[at] = value;
            self.colons |= u32::from(colon) << at;
            self.len += 1;
        }
    }

    /// All values, colons or not.
    #[inline]
    pub(crate) fn all(&self) -> &[u16] {
        &self.values[..usize::from(self.len)]
    }

    /// Value `i`, 0 when it was left out.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> u16 {
        self.all().get(i).copied().unwrap_or(0)
    }

    /// Value `i`, at least 1.
    #[inline]
    pub(crate) fn count(&self, i: usize) -> usize {
        usize::from(self.get(i)).max(1)
    }

    /// The group that starts at value `i`: it and what follows by colons.
    #[inline]
    pub(crate) fn group(&self, i: usize) -> &[u16] {
        let mut end = i + 1;
        while end < usize::from(self.len) && self.colons >> end & 1 == 1 {
            end += 1;
        }
        &self.values[i..end]
    }
}

/// A control sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Csi {
    /// One of `<=>?`, or 0.
    pub(crate) prefix: u8,
    /// 0x20–0x2f, or 0.
    pub(crate) intermediate: u8,
    pub(crate) last: u8,
    pub(crate) params: Params,
}

/// What [`parse_csi`] found.
pub(crate) enum Parsed {
    Csi(Csi, usize),
    Incomplete,
    /// Not of the ordinary shape.
    Odd,
}

/// Reads what follows `ESC [`.
#[inline]
pub(crate) fn parse_csi(bytes: &[u8]) -> Parsed {
    let mut csi = Csi::default();
    let mut i = 0;
    if let Some(&b @ b'<'..=b'?') = bytes.first() {
        csi.prefix = b;
        i = 1;
    }
    let (mut value, mut colon) = (0u32, false);
    loop {
        let Some(&b) = bytes.get(i) else { return Parsed::Incomplete };
        i += 1;
        match b {
            b'0'..=b'9' => value = (value * 10 + u32::from(b - b'0')).min(0xffff),
            b';' | b':' => {
                csi.params.push(value as u16, colon);
                value = 0;
                colon = b == b':';
            }
            0x40..=0x7e => {
                csi.params.push(value as u16, colon);
                csi.last = b;
                return Parsed::Csi(csi, i);
            }
            0x20..=0x2f if csi.intermediate == 0 => {
                csi.intermediate = b;
                match bytes.get(i) {
                    Some(0x40..=0x7e) | None => {}
                    Some(_) => return Parsed::Odd,
                }
            }
            _ => return Parsed::Odd,
        }
    }
}

impl Csi {
    /// The same from the `vte` parser's parts; `None` for one with intermediates not known here.
    pub(crate) fn from_vte(params: &vte::Params, intermediates: &[u8], last: char) -> Option<Self> {
        let mut csi = Self { last: u8::try_from(last).ok()?, ..Self::default() };
        for &b in intermediates {
            match b {
                b'<'..=b'?' if csi.prefix == 0 => csi.prefix = b,
                _ if csi.intermediate == 0 => csi.intermediate = b,
                _ => return None,
            }
        }
        for group in params {
            for (i, &value) in group.iter().enumerate() {
                csi.params.push(value, i > 0);
            }
        }
        if params.is_empty() {
            csi.params.push(0, false);
        }
        Some(csi)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects what the `vte` parser makes of a sequence.
    #[derive(Default)]
    struct Seen(Option<Csi>);

    impl vte::Perform for Seen {
        fn csi_dispatch(&mut self, params: &vte::Params, intermediates: &[u8], ignore: bool, action: char) {
            self.0 = Csi::from_vte(params, intermediates, action).filter(|_| !ignore);
        }
    }

    #[test]
    fn our_loop_reads_what_the_parser_reads() {
        let mut state = 1u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut compared = 0;
        for _ in 0..50_000 {
            let mut bytes = Vec::new();
            if below(3) == 0 {
                bytes.push(b"<=>?"[below(4)]);
            }
            for _ in 0..below(12) {
                bytes.push(b"0123456789;;;:"[below(14)]);
            }
            if below(4) == 0 {
                bytes.push(b" !$\"'"[below(5)]);
            }
            bytes.push(0x40 + below(63) as u8);
            let Parsed::Csi(csi, len) = parse_csi(&bytes) else { continue };
            assert_eq!(len, bytes.len());
            let mut seen = Seen::default();
            vte::Parser::<1024>::new().advance(&mut seen, &[b"\x1b[", &bytes[..]].concat());
            assert_eq!(Some(csi), seen.0, "{:?}", String::from_utf8_lossy(&bytes));
            compared += 1;
        }
        assert!(compared > 40_000);
    }
}
