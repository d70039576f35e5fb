//! A journal under its own use, and after a kill at any point of it.

use std::os::fd::OwnedFd;

use proptest::prelude::*;

use super::*;
use crate::memory::allocated;

const SMALL: Sizes = Sizes { ring: 128 * 1024, blocks: 3 };

/// A pipe stands in for the terminal: what matters is a non-blocking descriptor.
fn pipe() -> (OwnedFd, OwnedFd) {
    let flags = rustix::pipe::PipeFlags::CLOEXEC | rustix::pipe::PipeFlags::NONBLOCK;
    rustix::pipe::pipe_with(flags).unwrap()
}

/// Bytes without NULs that differ from their neighbours a lap away.
fn bytes(from: u64, count: usize) -> Vec<u8> {
    (from..from + count as u64).map(|n| (n % 251 + 1) as u8).collect()
}

/// Reads what the journal's next bytes are, without noting it: a server killed at that instant.
fn read_past_head(journal: &mut Journal, bytes: &[u8]) {
    journal.past_head(bytes.len()).copy_from_slice(bytes);
}

#[test]
fn read_parse_snapshot_replay() {
    let (mut journal, fd) = Journal::create(Sizes::default()).unwrap();
    let (output, input) = pipe();
    assert_eq!(journal.read_from(output.as_fd(), 4096).unwrap(), ReadOutcome::Empty);
    rustix::io::write(&input, b"hello world").unwrap();
    assert_eq!(journal.read_from(output.as_fd(), 5).unwrap(), ReadOutcome::Bytes(5));
    assert_eq!(journal.read_from(output.as_fd(), 4096).unwrap(), ReadOutcome::Bytes(6));
    assert_eq!(journal.unparsed(), b"hello world");
    journal.mark_parsed(6);
    journal.set_handled(6);
    journal.set_handled(2);
    assert_eq!(journal.unparsed(), b"world");
    assert_eq!(journal.append(b"!"), 1);
    journal.store_snapshot(6, b"snap").unwrap();
    drop(input);
    assert_eq!(journal.read_from(output.as_fd(), 4096).unwrap(), ReadOutcome::Closed);
    drop(journal);

    let mut journal = Journal::open(&fd).unwrap();
    assert_eq!(journal.snapshot(), Some((6, &b"snap"[..])));
    assert_eq!(journal.replay(), Replay { start: 6, bytes: b"world!", handled: 6 });
    journal.mark_replayed();
    assert_eq!((journal.parsed(), journal.handled()), (12, 12));
    assert!(journal.unparsed().is_empty());
}

#[test]
fn a_full_ring_waits_for_a_snapshot() {
    let (mut journal, _fd) = Journal::create(SMALL).unwrap();
    let (output, input) = pipe();
    let mut sent = 0;
    let outcome = loop {
        sent += rustix::io::write(&input, &bytes(sent, 5000)).map_or(0, |n| n as u64);
        match journal.read_from(output.as_fd(), 3000).unwrap() {
            ReadOutcome::Bytes(_) => {}
            other => break other,
        }
    };
    assert_eq!(outcome, ReadOutcome::Full);
    assert_eq!(journal.head() as usize, SMALL.ring - WINDOW);
    assert_eq!(journal.append(b"x"), 0);
    assert!(!journal.needs_snapshot() && journal.room() == 0);
    let head = journal.head();
    assert_eq!(journal.unparsed(), bytes(0, head as usize));
    journal.mark_parsed(head as usize);
    journal.store_snapshot(head - 10, b"s").unwrap();
    assert!(journal.room() > 0);
    assert!(matches!(journal.read_from(output.as_fd(), 3000).unwrap(), ReadOutcome::Bytes(_)));
    assert_eq!(journal.replay().bytes[..20], bytes(head - 10, 20));
}

#[test]
fn wrong_snapshots_are_refused_and_torn_ones_not_used() {
    let (mut journal, fd) = Journal::create(SMALL).unwrap();
    journal.append(b"0123456789");
    journal.store_snapshot(5, b"five").unwrap();
    assert!(journal.store_snapshot(4, b"before the start").is_err());
    assert!(journal.store_snapshot(11, b"after the head").is_err());
    assert!(journal.store_snapshot(6, &vec![0; LARGEST_SNAPSHOT + 1]).is_err());
    // Killed while the other slot was half written.
    let other = journal.layout.slot(1 - journal.slot().unwrap());
    // SAFETY: this test alone has the mapping.
    unsafe { journal.map.bytes_mut(other, 3).copy_from_slice(b"six") };
    journal.set(Word::SlotAt(1), 6);
    drop(journal);
    let journal = Journal::open(&fd).unwrap();
    assert_eq!(journal.snapshot(), Some((5, &b"five"[..])));
    // Memory gone bad: no snapshot rather than a wrong one.
    let place = journal.layout.slot(journal.slot().unwrap());
    // SAFETY: this test alone has the mapping.
    unsafe { journal.map.bytes_mut(place, 1)[0] ^= 1 };
    drop(journal);
    assert_eq!(Journal::open(&fd).unwrap().snapshot(), None);
}

#[test]
fn a_fault_is_kept_then_forgotten() {
    let (mut journal, fd) = Journal::create(SMALL).unwrap();
    journal.append(b"fine");
    journal.store_snapshot(4, b"snap").unwrap();
    journal.append(b"poison");
    let guard = Guard::open(&fd).unwrap();
    assert_eq!(guard.phase(), Phase::Rest);
    let mark = journal.marking(Phase::Parsing);
    assert_eq!(guard.phase(), Phase::Parsing);
    drop(mark);
    assert_eq!(guard.phase(), Phase::Rest);
    let caught = std::panic::catch_unwind(|| {
        let _mark = journal.marking(Phase::Replaying);
        panic!("the parser");
    });
    assert!(caught.is_err());
    assert_eq!(guard.phase(), Phase::Replaying, "a panic leaves the mark");
    guard.rest();
    guard.set_fault();
    drop(journal);

    let mut journal = Journal::open(&fd).unwrap();
    assert!(journal.is_faulty());
    assert_eq!(journal.replay().bytes, b"poison");
    journal.forget_fault();
    assert!(!journal.is_faulty() && journal.snapshot().is_none());
    journal.append(b"on");
    drop(journal);
    let journal = Journal::open(&fd).unwrap();
    assert_eq!(journal.replay(), Replay { start: 10, bytes: b"on", handled: 10 });
}

#[test]
fn blocks_have_one_owner_and_survive() {
    let (mut journal, fd) = Journal::create(SMALL).unwrap();
    let mut blocks = journal.take_blocks().unwrap();
    assert!(journal.take_blocks().is_none());
    assert_eq!((blocks.block_size(), blocks.count()), (65_536, 3));
    assert!(blocks.block(2).iter().all(|byte| *byte == 0));
    blocks.block_mut(2)[65_535] = 9;
    blocks.block_mut(0)[0] = 1;
    journal.append(b"x");
    drop(journal);
    let blocks = std::thread::spawn(move || {
        blocks.block_mut(1)[1] = 5;
        blocks
    });
    drop(blocks.join().unwrap());
    let mut again = Journal::open(&fd).unwrap().take_blocks().unwrap();
    assert_eq!((again.block(0)[0], again.block(1)[1], again.block(2)[65_535]), (1, 5, 9));
    again.release(2);
    assert_eq!(again.block(2)[65_535], 0);
    assert!(std::panic::catch_unwind(|| again.block(3)[0]).is_err());
}

#[test]
fn idle_panes_are_cheap_and_large_snapshots_go_back() {
    let (mut journal, fd) = Journal::create(Sizes { ring: 512 * 1024, blocks: 1024 }).unwrap();
    journal.append(b"$ ");
    journal.store_snapshot(2, &[1; 3000]).unwrap();
    journal.take_blocks().unwrap().block_mut(0)[0] = 1;
    assert!(allocated(&fd).unwrap() <= 32 * 1024, "{}", allocated(&fd).unwrap());
    journal.store_snapshot(2, &[1; 3000]).unwrap();
    journal.store_snapshot(2, &vec![1; 8 << 20]).unwrap();
    journal.store_snapshot(2, &[1; 3000]).unwrap();
    journal.store_snapshot(2, &[1; 3000]).unwrap();
    assert!(allocated(&fd).unwrap() < 256 * 1024, "{}", allocated(&fd).unwrap());
}

#[test]
fn other_files_are_refused() {
    let fd = crate::memory::create("x", 1 << 20).unwrap();
    assert!(Journal::open(&fd).is_err());
    assert!(Guard::open(&fd).is_err());
    for sizes in [
        Sizes { ring: 0, blocks: 0 },
        Sizes { ring: 100_000, blocks: 0 },
        Sizes { ring: 1 << 40, blocks: 0 },
        Sizes { ring: 1 << 20, blocks: 1 << 40 },
    ] {
        assert!(allocate(sizes).is_err(), "{sizes:?}");
    }
    let (journal, fd) = Journal::create(SMALL).unwrap();
    drop(journal);
    rustix::io::pwrite(&fd, &9u64.to_ne_bytes(), 8).unwrap();
    assert!(Journal::open(&fd).unwrap_err().to_string().contains("layout 9"));
}

/// A step in a pane's life.
#[derive(Debug, Clone)]
enum Step {
    /// The program writes so many bytes, the server reads at most so many at once.
    Read(usize, usize),
    /// The server parses part of what there is, in thousandths.
    Parse(usize),
    /// It stores a snapshot where it has parsed to.
    Snapshot,
    /// It is killed, having read so many more bytes without noting it.
    Kill(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0usize..40_000, 1usize..80_000).prop_map(|(count, max)| Step::Read(count, max)),
        2 => (0usize..=1000).prop_map(Step::Parse),
        2 => Just(Step::Snapshot),
        2 => (0usize..5_000).prop_map(Step::Kill),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever happens, snapshot and replay together are all bytes that were read, each once, in order.
    #[test]
    fn nothing_is_lost_or_doubled(steps in proptest::collection::vec(step(), 1..60)) {
        let (mut journal, fd) = Journal::create(SMALL).unwrap();
        let (output, input) = pipe();
        // Written into the pipe, and read out of it.
        let (mut written, mut read) = (0u64, 0u64);
        for step in steps {
            match step {
                Step::Read(count, max) => {
                    written += rustix::io::write(&input, &bytes(written, count)).unwrap_or(0) as u64;
                    match journal.read_from(output.as_fd(), max).unwrap() {
                        ReadOutcome::Bytes(got) => {
                            prop_assert!(got <= max);
                            read += got as u64;
                        }
                        ReadOutcome::Empty => prop_assert!(written == read),
                        ReadOutcome::Full => prop_assert!(journal.room() == 0),
                        ReadOutcome::Closed => prop_assert!(false),
                    }
                }
                Step::Parse(part) => {
                    let count = journal.unparsed().len() * part / 1000;
                    prop_assert_eq!(journal.unparsed(), bytes(journal.parsed(), journal.unparsed().len()));
                    journal.mark_parsed(count);
                    let parsed = journal.parsed();
                    journal.set_handled(parsed);
                }
                Step::Snapshot => {
                    let at = journal.parsed();
                    journal.store_snapshot(at, &at.to_le_bytes()).unwrap();
                }
                Step::Kill(count) => {
                    let count = count.min(journal.room());
                    read_past_head(&mut journal, &bytes(read, count));
                    // They never were in the pipe.
                    let mut gone = vec![0; (written - read) as usize];
                    if !gone.is_empty() {
                        rustix::io::read(&output, &mut gone).unwrap();
                    }
                    read += count as u64;
                    written = read;
                    let handled = journal.handled();
                    drop(journal);
                    journal = Journal::open(&fd).unwrap();
                    let start = journal.start();
                    if let Some((at, bytes)) = journal.snapshot() {
                        prop_assert_eq!(at, start);
                        prop_assert_eq!(bytes, at.to_le_bytes());
                    }
                    let replay = journal.replay();
                    prop_assert_eq!(replay.start, start);
                    prop_assert_eq!(replay.handled, handled.max(start));
                    prop_assert_eq!(replay.bytes, bytes(start, (read - start) as usize));
                    journal.mark_replayed();
                }
            }
            prop_assert_eq!(journal.head(), read);
        }
    }
}
