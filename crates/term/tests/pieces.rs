//! Bytes in any pieces, saved and restored anywhere, give the same terminal; hostile bytes do no harm.

mod common;
use common::{Bench, dump};
use kraal_term::keys::Decoder;
use kraal_term::{HistoryBlocks, Options, Outbox, Size, Terminal};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};

/// A small generator with a fixed seed: the same run everywhere.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

/// Pieces that hostile streams are made of.
const SHREDS: &[&str] = &[
    "hello world ",
    "\r\n",
    "\n",
    "\t",
    "\x08",
    "\x1b[",
    "\x1b]",
    "\x1bP",
    "\x1b_",
    "\x1b\\",
    "\x07",
    "\x18",
    "\x1b",
    "世界",
    "e\u{301}",
    "\u{1f469}\u{200d}\u{1f4bb}",
    "\u{27a1}\u{fe0f}",
    "\u{1f1eb}\u{1f1f7}",
    "\u{200d}",
    "\x1b[31m",
    "\x1b[38;2;1;2;3m",
    "\x1b[44m\x1b[K",
    "\x1b[m",
    "\x1b[2J",
    "\x1b[3J",
    "\x1b[H",
    "\x1b[5;5H",
    "\x1b[?1049h",
    "\x1b[?1049l",
    "\x1b[2;5r",
    "\x1b[r",
    "\x1b[?69h",
    "\x1b[3;9s",
    "\x1b[?69l",
    "\x1b[?6h",
    "\x1b[?6l",
    "\x1b[L",
    "\x1b[3M",
    "\x1b[2@",
    "\x1b[2P",
    "\x1b[9X",
    "\x1bM",
    "\x1bD",
    "\x1b7",
    "\x1b8",
    "\x1b[99999b",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[?7l",
    "\x1b[?7h",
    "\x1b[?45h",
    "\x1b(0",
    "\x1b(B",
    "\x1b[3S",
    "\x1b[3T",
    "\x1b#8",
    "\x1bc",
    "\x1b[!p",
    "\x1b]8;;http://a\x07",
    "\x1b]8;;\x07",
    "\x1b]2;title\x07",
    "\x1b]52;c;aGVsbG8=\x07",
    "\x1b[6n",
    "\x1b[c",
    "\x1b[>1u",
    "\x1b[<u",
    "\x1b[?2026h",
    "\x1b[?2026l",
    "\x1b[1\"q",
    "\x1b[0\"q",
    "\x1b[?2K",
    "\x1b[?2J",
    "\x1b['}",
    "\x1b[ @",
    "\x1b6",
    "\x1b9",
    "\x1b[1;1:2;3",
    "\x1b[\n5C",
    "\x1b[65535;65535H",
    "\x1b[65535A",
    "\x1b]4;1;?;2;?\x07",
    "\x1bP$qm\x1b\\",
    "\x1bP+q544e\x1b\\",
    "\u{ff76}\u{ff9e}",
    "\x1b[22t",
    "\x1b[23t",
    "\x1b[g",
    "\x1bH",
    "\x1b[Z",
    "\x1b[5I",
];

fn hostile(rng: &mut Rng, n: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..n {
        match rng.below(12) {
            0 => bytes.push(rng.next() as u8),
            1 => bytes.extend((0..rng.below(8)).map(|_| rng.next() as u8 & 0x7f)),
            2 => bytes.extend(
                format!("\x1b[{};{}{}", rng.below(70), rng.below(70), (0x40 + rng.below(63) as u8) as char)
                    .bytes(),
            ),
            _ => bytes.extend(SHREDS[rng.below(SHREDS.len())].bytes()),
        }
    }
    bytes
}

#[test]
fn hostile_bytes_do_no_harm_at_any_size() {
    for seed in 1..=40u64 {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut b = Bench::new(1 + rng.below(20) as u16, 1 + rng.below(10) as u16);
        for _ in 0..40 {
            b.feed(hostile(&mut rng, 40));
            b.out.clear();
            if rng.below(3) == 0 {
                b.resize(1 + rng.below(40) as u16, 1 + rng.below(20) as u16);
            }
            let c = b.t.cursor();
            assert!(c.x < b.t.size().cols && c.y < b.t.size().rows);
            let all = dump(&b.t);
            assert!(!all.contains('\x1b'));
        }
        assert!(b.t.text(10).len() < 100_000 && b.t.text_ansi(10).len() < 1_000_000);
    }
}

#[test]
fn hostile_keys_do_no_harm() {
    for seed in 1..=40u64 {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut d = Decoder::new();
        let mut out = Vec::new();
        for _ in 0..200 {
            let mut bytes = hostile(&mut rng, 3);
            if rng.below(9) == 0 {
                bytes.extend_from_slice(b"\x1b[200~");
            }
            if rng.below(4) == 0 {
                bytes.extend_from_slice(b"\x1b[201~");
            }
            let cut = rng.below(bytes.len() + 1);
            d.feed(&bytes[..cut], &mut out);
            if rng.below(3) == 0 {
                d.flush_escape(&mut out);
            }
            d.feed(&bytes[cut..], &mut out);
        }
        assert!(!out.is_empty());
    }
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    any::<u64>().prop_map(|seed| hostile(&mut Rng(seed | 1), 60))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pieces_give_the_same(bytes in stream(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let whole = Bench::with(20, 6, &bytes);
        let mut cuts: Vec<usize> = cuts.iter().map(|c| c.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let mut pieces = Bench::new(20, 6);
        let mut from = 0;
        for cut in cuts.into_iter().chain([bytes.len()]) {
            pieces.feed(&bytes[from..cut]);
            from = cut;
        }
        prop_assert_eq!(dump(&whole.t), dump(&pieces.t));
        prop_assert_eq!(&whole.out.replies, &pieces.out.replies);
        let mut single = Bench::new(20, 6);
        for b in &bytes {
            single.feed([*b]);
        }
        prop_assert_eq!(dump(&whole.t), dump(&single.t));
    }

    #[test]
    fn saved_anywhere_and_restored_is_the_same(bytes in stream(), cut in any::<prop::sample::Index>(), more in 0..3usize) {
        let blocks = memory(8);
        let mut whole = Bench::with(20, 6, &bytes);
        let cut = cut.index(bytes.len() + 1);
        let size = Size { cols: 20, rows: 6 };
        let mut out = Outbox::default();
        let mut first = Terminal::with_history(size, Options::default(), Shared::open(&blocks));
        first.feed(&bytes[..cut], &mut out);
        let mut saved = Vec::new();
        first.save(&mut saved);
        // The lost server went on for a while; its bytes are fed again.
        let lost = cut + (bytes.len() - cut) * more / 2;
        first.feed(&bytes[cut..lost], &mut Outbox::default());
        drop(first);
        let mut second = Terminal::restore(&saved, Options::default(), Shared::open(&blocks)).expect("a snapshot");
        second.feed(&bytes[cut..], &mut out);
        prop_assert_eq!(dump(&whole.t), dump(&second));
        prop_assert_eq!(whole.t.screen_lines(), second.screen_lines());
        prop_assert_eq!(&whole.out.replies, &out.replies);
        for t in [&mut whole.t, &mut second] {
            t.resize(Size { cols: 13, rows: 9 });
        }
        prop_assert_eq!(whole.t.screen_lines(), second.screen_lines());
    }

    #[test]
    fn damaged_snapshots_are_refused_or_harmless(bytes in stream(), at in any::<prop::sample::Index>(), v in any::<u8>()) {
        let b = Bench::with(20, 6, &bytes);
        let mut saved = Vec::new();
        b.t.save(&mut saved);
        let i = at.index(saved.len());
        saved[i] ^= v;
        let blocks = Box::new(kraal_term::HeapBlocks::new(4));
        if let Ok(mut t) = Terminal::restore(&saved, Options::default(), blocks) {
            t.feed(&bytes, &mut Outbox::default());
            t.resize(Size { cols: 7, rows: 3 });
            dump(&t);
        }
    }
}

/// Memory of blocks that outlives a terminal, as the server's does.
type Kept = Arc<Mutex<Vec<Vec<u8>>>>;

/// Blocks lent from a copy of the memory, which is put back when the terminal goes.
struct Shared {
    kept: Kept,
    blocks: Vec<Vec<u8>>,
}

const BLOCK: usize = 4096;

fn memory(n: usize) -> Kept {
    Arc::new(Mutex::new(vec![vec![0; BLOCK]; n]))
}

impl Shared {
    fn open(kept: &Kept) -> Box<Self> {
        let blocks = kept.lock().expect("nobody panicked").clone();
        Box::new(Self { kept: kept.clone(), blocks })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Ok(mut kept) = self.kept.lock() {
            kept.clone_from(&self.blocks);
        }
    }
}

impl HistoryBlocks for Shared {
    fn block_size(&self) -> usize {
        BLOCK
    }
    fn count(&self) -> usize {
        self.blocks.len()
    }
    fn block(&self, i: usize) -> &[u8] {
        &self.blocks[i]
    }
    fn block_mut(&mut self, i: usize) -> &mut [u8] {
        &mut self.blocks[i]
    }
}
