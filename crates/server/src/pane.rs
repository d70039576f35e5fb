//! A pane on the machine's side: its terminal, its journal, its pty, and what waits to be typed.
//!
//! Not here: which agent runs in it (`watch`), who is shown its rows (`screens`), what its notices
//! lead to (`notices`).

use std::io;

use kraal_host::journal::{Journal, Phase, ReadOutcome};
use kraal_host::keeper::Exit;
use kraal_term::{Options, Outbox, Size, Terminal};
use rustix::fd::{AsFd, OwnedFd};

use crate::history::JournalBlocks;
use crate::queue::Queue;
use crate::watch::Watch;

/// The most a pane reads before another has its turn, in bytes.
const SLICE: usize = 64 * 1024;
/// The most that waits to be typed into a pane, in bytes: what is over is refused, not lost silently.
pub(crate) const INPUT_MAX: usize = 64 * 1024 * 1024;

/// The most that may wait when a program's questions are answered: who asks and never reads loses
/// answers, as with any terminal whose input is full.
const REPLIES_MAX: usize = 256 * 1024;

/// A pane's terminal and what feeds it.
pub(crate) struct Pane {
    pub(crate) terminal: Terminal,
    journal: Option<Journal>,
    pub(crate) program: Option<Program>,
    /// The program ended; told to the world once its last output is read.
    pub(crate) ended: Option<Exit>,
    /// What the program is to read.
    pub(crate) input: Queue,
    /// Its program is on its way.
    starting: bool,
    /// The loop waits for the pty to take more input.
    pub(crate) blocked: bool,
    pub(crate) watch: Watch,
    /// When the program began the frame it is writing (mode 2026), in monotonic ms.
    pub(crate) sync_since: Option<u64>,
    /// It wrote whole lines since that was last asked: more than the echo of keys.
    pub(crate) wrote_lines: bool,
    /// Changed since it was last saved to disk.
    pub(crate) unsaved: bool,
    snapshot: Vec<u8>,
    poison: Option<String>,
}

/// A program that runs in a pane.
pub(crate) struct Program {
    /// Our end of its terminal.
    pub(crate) master: OwnedFd,
    /// Its process, which leads its own process session.
    pub(crate) pid: u32,
}

/// What a slice of reading came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slice {
    /// There may be more.
    More,
    /// Nothing now.
    Rest,
    /// The pty is closed and read to its end.
    Closed,
}

impl Pane {
    /// A pane whose program is being started: its terminal exists, nothing feeds it yet.
    pub(crate) fn new(size: Size, options: Options) -> Self {
        Pane {
            terminal: Terminal::new(size, options),
            journal: None,
            program: None,
            starting: false,
            ended: None,
            input: Queue::default(),
            blocked: false,
            watch: Watch::default(),
            sync_since: None,
            wrote_lines: false,
            unsaved: true,
            snapshot: Vec::new(),
            poison: std::env::var("KRAAL_TEST_POISON").ok(),
        }
    }

    /// Takes a journal that is new: the terminal begins anew, its history in the journal's blocks.
    pub(crate) fn adopt_journal(&mut self, fd: &OwnedFd, options: Options) -> io::Result<()> {
        if self.journal.is_some() {
            // The keeper hands the same memory out at every start of the pane's program.
            return Ok(());
        }
        let mut journal = Journal::open(fd)?;
        let size = self.terminal.size();
        if let Some(blocks) = journal.take_blocks() {
            self.terminal = Terminal::with_history(size, options, Box::new(JournalBlocks(blocks)));
        }
        self.journal = Some(journal);
        // Without a snapshot a replay would add lines to the history that the blocks have already.
        self.store_snapshot()
    }

    /// Takes a journal of an earlier server: restores the snapshot, then plays the ring. Effects of
    /// bytes an earlier server handled are dropped; what is recovered holds those of the rest.
    pub(crate) fn recover_journal(&mut self, fd: &OwnedFd, options: Options) -> io::Result<Recovered> {
        let mut journal = Journal::open(fd)?;
        let mut recovered = Recovered { out: Outbox::default(), set_aside: None };
        if journal.is_faulty() {
            recovered.set_aside = Some(journal.replay().bytes.to_vec());
            journal.forget_fault();
        }
        let guard = journal.marking(Phase::Replaying);
        let blocks =
            journal.take_blocks().ok_or_else(|| io::Error::other("the journal's blocks are taken"))?;
        let blocks = Box::new(JournalBlocks(blocks));
        let size = self.terminal.size();
        self.terminal = match journal.snapshot() {
            Some((_, bytes)) => Terminal::restore(bytes, options, blocks)
                .map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e.to_string()))?,
            None => Terminal::with_history(size, options, blocks),
        };
        let replay = journal.replay();
        let known = usize::try_from(replay.handled - replay.start).unwrap_or(0).min(replay.bytes.len());
        check_poison(self.poison.as_deref(), replay.bytes);
        self.terminal.feed(&replay.bytes[..known], &mut Outbox::default());
        self.terminal.feed(&replay.bytes[known..], &mut recovered.out);
        drop(guard);
        journal.mark_replayed();
        self.journal = Some(journal);
        Ok(recovered)
    }

    /// The pty of a program that was started, or that outlived a server.
    pub(crate) fn adopt_program(&mut self, master: OwnedFd, pid: u32) {
        self.program = Some(Program { master, pid });
        self.ended = None;
        self.blocked = false;
        self.starting = false;
    }

    /// A program is being started: what is typed meanwhile waits for it.
    pub(crate) fn awaits_program(&mut self) {
        self.input.clear();
        self.starting = true;
    }

    /// The program could not be started: what was typed for it goes nowhere.
    pub(crate) fn start_failed(&mut self) {
        self.input.clear();
        self.starting = false;
    }

    /// Lets the program go: it ended and everything is read.
    pub(crate) fn take_program(&mut self) -> Option<Program> {
        self.input.clear();
        self.program.take()
    }

    /// Reads and parses one slice. What leaves the terminal is in `out`; the bytes count as handled
    /// before anything acts on them, so that nothing is done twice should this server die now.
    pub(crate) fn read_slice(&mut self, out: &mut Outbox) -> io::Result<Slice> {
        let (Some(journal), Some(program)) = (self.journal.as_mut(), self.program.as_ref()) else {
            return Ok(Slice::Rest);
        };
        match journal.read_from(program.master.as_fd(), SLICE)? {
            ReadOutcome::Bytes(_) => {
                self.parse(out)?;
                Ok(Slice::More)
            }
            ReadOutcome::Full => {
                self.parse(out)?;
                self.store_snapshot()?;
                Ok(Slice::More)
            }
            ReadOutcome::Empty => Ok(Slice::Rest),
            ReadOutcome::Closed => Ok(Slice::Closed),
        }
    }

    /// Writes the server's own words into the pane, as if its program had: a note, an old screen.
    pub(crate) fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut muted = Outbox::default();
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(journal) = self.journal.as_mut() else {
                self.terminal.feed(rest, &mut muted);
                return Ok(());
            };
            let taken = journal.append(rest);
            rest = &rest[taken..];
            self.parse(&mut muted)?;
            if taken == 0 || !rest.is_empty() {
                self.store_snapshot()?;
            }
        }
        Ok(())
    }

    fn parse(&mut self, out: &mut Outbox) -> io::Result<()> {
        let Some(journal) = self.journal.as_mut() else { return Ok(()) };
        let guard = journal.marking(Phase::Parsing);
        let bytes = journal.unparsed();
        check_poison(self.poison.as_deref(), bytes);
        self.terminal.feed(bytes, out);
        self.watch.output += bytes.len() as u64;
        self.wrote_lines |= bytes.contains(&b'\n');
        let count = bytes.len();
        journal.mark_parsed(count);
        journal.set_handled(journal.parsed());
        let due = journal.needs_snapshot();
        drop(guard);
        self.unsaved = true;
        if due { self.store_snapshot() } else { Ok(()) }
    }

    /// What the screen is now goes into the journal, which forgets the bytes before it. Also after
    /// whatever changes the terminal without bytes: a resize.
    pub(crate) fn store_snapshot(&mut self) -> io::Result<()> {
        let Some(journal) = self.journal.as_mut() else { return Ok(()) };
        self.snapshot.clear();
        self.terminal.save(&mut self.snapshot);
        journal.store_snapshot(journal.parsed(), &self.snapshot)
    }

    /// Gives the terminal and the pty a new size.
    pub(crate) fn resize(&mut self, size: Size, out: &mut Outbox) -> io::Result<()> {
        if self.terminal.size() == size.clamped() {
            return Ok(());
        }
        self.terminal.resize(size);
        self.terminal.report_resize(out);
        self.unsaved = true;
        if let Some(Program { master, .. }) = &self.program {
            let size = self.terminal.size();
            kraal_host::pty::set_size(master, kraal_host::pty::Size { cols: size.cols, rows: size.rows })?;
        }
        self.store_snapshot()
    }

    /// Bytes of the terminal's own for the program: answers, reports.
    pub(crate) fn report(&mut self, bytes: &[u8]) {
        if self.input.len() + bytes.len() <= REPLIES_MAX {
            self.input.tail().extend_from_slice(bytes);
        }
        self.flush_input();
    }

    /// Hands waiting input to the pty. False when the pty takes nothing any more.
    pub(crate) fn flush_input(&mut self) -> bool {
        match &self.program {
            Some(Program { master, .. }) => self.input.is_empty() || self.input.flush(master.as_fd()),
            None if self.starting => true,
            None => {
                self.input.clear();
                false
            }
        }
    }
}

/// What a recovery brought.
pub(crate) struct Recovered {
    /// Effects that no server has acted on.
    pub(crate) out: Outbox,
    /// The bytes that killed the server twice, for a report.
    pub(crate) set_aside: Option<Vec<u8>>,
}

/// The hidden switch of the crash tests: bytes that stand for a fault of the parser.
fn check_poison(poison: Option<&str>, bytes: &[u8]) {
    if let Some(poison) = poison
        && !poison.is_empty()
        && bytes.windows(poison.len()).any(|window| window == poison.as_bytes())
    {
        std::process::abort();
    }
}
