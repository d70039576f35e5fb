//! The impure shell around the client: the tty, the socket, signals, one loop.
//!
//! Not here: what anything means (`client`), finding or starting a server (the caller).

mod signals;
mod tty;
mod wire;

use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use kraal_api::config::Config;
use kraal_term::keys::{Decoder, Event};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};

use crate::client::{Client, Entry, Input, Now, Out, Outer, Settings, enter, leave};
use crate::paint::{Caps, Depth, Extra};

pub use crate::client::Ending;

use signals::{Signal, Signals};
use tty::{Got, Tty};
use wire::{Stands, Wire};

/// Asks for a new connection after one was lost: `None` is "not yet, ask again soon", an error
/// gives up.
pub type Reconnect = Box<dyn FnMut() -> anyhow::Result<Option<UnixStream>>>;

/// How a client runs.
pub struct Options {
    /// What the user chose.
    pub config: Config,
    /// The environment's name, as the user knows it.
    pub session: String,
    /// The workspace to show, made where there is none.
    pub workspace: Option<String>,
    /// The folder a new workspace starts in.
    pub folder: Option<String>,
    /// How a lost connection is made again.
    pub reconnect: Reconnect,
    /// A line for the bottom bar while there is nothing else to say.
    pub hint: Option<String>,
    /// `0.1.0`.
    pub version: String,
}

const TTY: Token = Token(0);
const SERVER: Token = Token(1);
const SIGNALS: Token = Token(2);

/// An escape that nothing follows for so long is the key.
const ESCAPE_AFTER: Duration = Duration::from_millis(30);
/// Between two tries to connect again: this at first, twice as long each time, never longer than
/// the second.
const RETRY: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(200));
/// A server that stays away longer is not coming back.
const GIVE_UP_AFTER: Duration = Duration::from_secs(30);
/// How long the answers to questions are awaited before the terminal is given back: they must not
/// end up in the shell.
const ANSWERS_WITHIN: Duration = Duration::from_millis(150);

/// Shows the session on this process's terminal until the user leaves or the session ends.
///
/// # Errors
///
/// When standard input and output are no terminal, the terminal fails, or the client itself does:
/// the terminal is given back first.
pub fn run(connection: UnixStream, options: Options) -> anyhow::Result<Ending> {
    let (caps, colourless) = caps_of_environment()?;
    let mut tty = Tty::open()?;
    let signals = Signals::new().context("signals cannot be watched")?;
    let settings = Settings {
        config: options.config,
        session: options.session,
        workspace: options.workspace,
        folder: options.folder,
        hint: options.hint,
        colourless,
    };
    let client = Client::new(settings, tty.size(), Outer::new(caps));
    tty.take(&enter(&caps, Entry::Afresh))?;
    let wire = Wire::new(connection, client.attach()).context("the connection cannot be used")?;
    let shell = Shell {
        tty,
        client,
        wire: None,
        signals,
        poll: Poll::new().context("there is nothing to wait with")?,
        decoder: Decoder::new(),
        tty_blocked: false,
        escape_at: None,
        away: None,
        reconnect: options.reconnect,
        started: Instant::now(),
    };
    guarded(shell, wire)
}

/// Runs the loop so that whatever happens in it, the terminal is given back before a word about it
/// is said.
fn guarded(mut shell: Shell, wire: Wire) -> anyhow::Result<Ending> {
    let panicked = Arc::new(Mutex::new(None));
    let hook = take_hook();
    let note = Arc::clone(&panicked);
    set_hook(Box::new(move |info| {
        *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.to_string());
    }));
    let result = catch_unwind(AssertUnwindSafe(|| shell.live(wire)));
    set_hook(hook);
    shell.give_back();
    match result {
        Ok(ending) => ending,
        Err(_) => {
            let what = panicked.lock().unwrap_or_else(PoisonError::into_inner).take();
            let what = what.unwrap_or_else(|| "for an unknown reason".to_owned());
            anyhow::bail!(
                "this terminal's client failed; the session runs on, attach again with `kraal`: {what}"
            )
        }
    }
}

/// Since when there is no connection, and when the next try is.
struct Away {
    since: Instant,
    next: Instant,
    wait: Duration,
}

struct Shell {
    tty: Tty,
    client: Client,
    wire: Option<Wire>,
    signals: Signals,
    poll: Poll,
    decoder: Decoder,
    /// The loop waits for the terminal to take more.
    tty_blocked: bool,
    escape_at: Option<Instant>,
    away: Option<Away>,
    reconnect: Reconnect,
    started: Instant,
}

impl Shell {
    fn now(&self) -> Now {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Now {
            ms: u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX),
            unix_ms: u64::try_from(unix.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn live(&mut self, wire: Wire) -> anyhow::Result<Ending> {
        let registry = self.poll.registry();
        registry
            .register(&mut SourceFd(&self.tty.as_raw_fd()), TTY, Interest::READABLE)
            .context("the terminal cannot be watched")?;
        registry.register(&mut self.signals.pipe, SIGNALS, Interest::READABLE)?;
        self.connect(wire)?;
        let mut events = Events::with_capacity(16);
        let mut tty_ready = true;
        loop {
            let timeout = if tty_ready || self.wire.as_ref().is_some_and(|w| w.ready) {
                Some(Duration::ZERO)
            } else {
                self.timeout()
            };
            match self.poll.poll(&mut events, timeout) {
                Err(e) if e.kind() != std::io::ErrorKind::Interrupted => return Err(e.into()),
                _ => {}
            }
            for event in &events {
                match event.token() {
                    TTY => tty_ready |= event.is_readable() || event.is_read_closed() || event.is_error(),
                    SERVER => {
                        if let Some(wire) = &mut self.wire {
                            wire.ready |= event.is_readable() || event.is_read_closed() || event.is_error();
                        }
                    }
                    _ => {}
                }
            }
            let mut out = Out::default();
            // Keys before frames: what is typed never waits for what is drawn.
            self.take_signals(&mut out)?;
            if tty_ready {
                tty_ready = self.take_keys(&mut out);
            }
            self.take_frames(&mut out);
            self.take_time(&mut out)?;
            if let Some(ending) = self.perform(out)? {
                return Ok(ending);
            }
            self.await_room()?;
        }
    }

    fn connect(&mut self, mut wire: Wire) -> anyhow::Result<()> {
        self.poll
            .registry()
            .register(&mut wire.socket, SERVER, Interest::READABLE)
            .context("the connection cannot be watched")?;
        wire.flush();
        self.wire = Some(wire);
        Ok(())
    }

    /// Asks to be told when the terminal or the server takes more, only while something waits for it:
    /// being told always would wake the loop after every write.
    fn await_room(&mut self) -> anyhow::Result<()> {
        let registry = self.poll.registry();
        let waits = self.tty.has_pending();
        if std::mem::replace(&mut self.tty_blocked, waits) != waits {
            registry
                .reregister(&mut SourceFd(&self.tty.as_raw_fd()), TTY, interest(waits))
                .context("the terminal cannot be watched")?;
        }
        if let Some(wire) = &mut self.wire {
            let waits = wire.has_pending();
            if std::mem::replace(&mut wire.blocked, waits) != waits {
                registry
                    .reregister(&mut wire.socket, SERVER, interest(waits))
                    .context("the connection cannot be watched")?;
            }
        }
        Ok(())
    }

    fn timeout(&self) -> Option<Duration> {
        let now = self.now().ms;
        let client = self.client.deadline().map(|at| Duration::from_millis(at.saturating_sub(now)));
        let at = |at: Instant| at.saturating_duration_since(Instant::now());
        let escape = self.escape_at.map(at);
        let retry = self.away.as_ref().map(|away| at(away.next));
        [client, escape, retry].into_iter().flatten().min()
    }

    /// Reads what was typed; says whether there may be more.
    fn take_keys(&mut self, out: &mut Out) -> bool {
        let mut buffer = [0; 16 * 1024];
        match self.tty.read(&mut buffer) {
            Got::Some(n) => {
                let mut events = Vec::new();
                self.decoder.feed(&buffer[..n], &mut events);
                self.escape_at = self.decoder.pending().then(|| Instant::now() + ESCAPE_AFTER);
                self.give(events, out);
                true
            }
            Got::Nothing => false,
            Got::End => {
                out.end = Some(Ending::Detached);
                false
            }
        }
    }

    fn give(&mut self, events: Vec<Event>, out: &mut Out) {
        let now = self.now();
        for event in events {
            // What was typed after the key that leaves belongs to the shell; it cannot be given
            // back, but it must not reach a pane either.
            if out.end.is_some() {
                return;
            }
            self.client.handle(Input::Event(event), now, out);
        }
    }

    fn take_frames(&mut self, out: &mut Out) {
        let now = self.now();
        let Some(wire) = self.wire.as_mut().filter(|w| w.ready) else { return };
        if wire.pump(&mut self.client, now, out) == Stands::No && out.end.is_none() {
            self.lose(out);
        }
    }

    fn lose(&mut self, out: &mut Out) {
        if let Some(mut wire) = self.wire.take() {
            // It is closed anyway: there is nothing to do about a failure.
            drop(self.poll.registry().deregister(&mut wire.socket));
        }
        out.send.clear();
        out.hang_up = false;
        let now = Instant::now();
        let away = self.away.get_or_insert(Away { since: now, next: now, wait: RETRY.0 });
        away.next = now + away.wait;
        away.wait = (away.wait * 2).min(RETRY.1);
        let now = self.now();
        self.client.handle(Input::Lost, now, out);
    }

    fn take_time(&mut self, out: &mut Out) -> anyhow::Result<()> {
        let instant = Instant::now();
        if self.escape_at.is_some_and(|at| at <= instant) {
            self.escape_at = None;
            let mut events = Vec::new();
            self.decoder.flush_escape(&mut events);
            self.give(events, out);
        }
        let now = self.now();
        if self.client.deadline().is_some_and(|at| at <= now.ms) {
            self.client.handle(Input::Tick, now, out);
        }
        if self.client.is_live() {
            self.away = None;
        }
        if self.wire.is_none() && out.end.is_none() {
            self.try_again(instant, out)?;
        }
        Ok(())
    }

    fn try_again(&mut self, instant: Instant, out: &mut Out) -> anyhow::Result<()> {
        let Some(away) = &mut self.away else { return Ok(()) };
        if away.next > instant {
            return Ok(());
        }
        if instant.duration_since(away.since) > GIVE_UP_AFTER {
            let why = "the server is gone and did not come back: `kraal` starts it again";
            out.end = Some(Ending::Because(why.to_owned()));
            return Ok(());
        }
        away.next = instant + away.wait;
        away.wait = (away.wait * 2).min(RETRY.1);
        match (self.reconnect)() {
            Ok(Some(socket)) => {
                let now = self.now();
                self.client.handle(Input::Connected, now, out);
                let wire =
                    Wire::new(socket, self.client.attach()).context("the new connection cannot be used")?;
                self.connect(wire)?;
            }
            Ok(None) => {}
            Err(error) => out.end = Some(Ending::Because(format!("{error:#}"))),
        }
        Ok(())
    }

    fn take_signals(&mut self, out: &mut Out) -> anyhow::Result<()> {
        for signal in self.signals.take() {
            match signal {
                Signal::Resized => {
                    let (cols, rows) = self.tty.size();
                    let now = self.now();
                    self.client.handle(Input::Resize(cols, rows), now, out);
                }
                Signal::Terminate => {
                    let why = "this terminal's client was told to end; the session runs on";
                    out.end = Some(Ending::Because(why.to_owned()));
                }
                Signal::HungUp => out.end = Some(Ending::Detached),
                Signal::Stop => {
                    self.tty.give_back(&leave(self.client.outer()));
                    signals::stop_here();
                    // The signal that ended the stop says nothing new.
                    self.signals.take();
                    self.come_back(Entry::Afresh)?;
                    let (cols, rows) = self.tty.size();
                    let now = self.now();
                    self.client.handle(Input::Resize(cols, rows), now, out);
                }
                // After a stop that could not be caught the terminal is whoever's it was.
                Signal::Continued => self.come_back(Entry::Again)?,
            }
        }
        Ok(())
    }

    fn come_back(&mut self, entry: Entry) -> anyhow::Result<()> {
        let caps = *self.client.outer().caps();
        self.client.entered_again();
        self.tty.take(&enter(&caps, entry))?;
        self.client.forget_screen();
        Ok(())
    }

    /// Does what the client wants done, and draws when the terminal has taken what was drawn before.
    fn perform(&mut self, out: Out) -> anyhow::Result<Option<Ending>> {
        if out.hang_up && out.end.is_none() {
            let mut after = Out::default();
            self.lose(&mut after);
        }
        if let Some(wire) = &mut self.wire {
            wire.send(&out.send);
            wire.flush();
        }
        self.tty.aside(&out.write);
        if out.end.is_none() && self.client.wants_drawing() {
            // A slow terminal is not given frames to queue: it gets the newest when it is ready.
            self.tty.flush()?;
            if !self.tty.has_pending() {
                let now = self.now();
                self.client.draw(now, self.tty.frame());
            }
        }
        let written = self.tty.flush();
        match out.end {
            Some(ending) => Ok(Some(ending)),
            // A terminal that cannot be written to is gone; the session runs on.
            None if written.is_err() => Ok(Some(Ending::Detached)),
            None => Ok(None),
        }
    }

    fn give_back(&mut self) {
        let until = Instant::now() + ANSWERS_WITHIN;
        let mut buffer = [0; 4096];
        while !self.client.outer().has_answered() && Instant::now() < until {
            match self.tty.read(&mut buffer) {
                Got::Some(n) => {
                    let mut events = Vec::new();
                    self.decoder.feed(&buffer[..n], &mut events);
                    let replies = events.into_iter().filter(|e| matches!(e, Event::Reply(_)));
                    let mut out = Out::default();
                    self.give(replies.collect(), &mut out);
                    self.tty.aside(&out.write);
                }
                Got::Nothing => self.tty.wait_input(until),
                Got::End => break,
            }
        }
        self.tty.give_back(&leave(self.client.outer()));
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Nothing happens when it was given back already.
        self.tty.give_back(&leave(self.client.outer()));
    }
}

fn interest(waits: bool) -> Interest {
    if waits { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE }
}

/// What `TERM`, `COLORTERM` and `NO_COLOR` say of the terminal, and whether the chrome goes without
/// colours.
fn caps_of_environment() -> anyhow::Result<(Caps, bool)> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let caps = caps_of(&variable("TERM"), &variable("COLORTERM"))?;
    Ok((caps, !variable("NO_COLOR").is_empty()))
}

fn caps_of(term: &str, colorterm: &str) -> anyhow::Result<Caps> {
    let has = |words: &[&str]| words.iter().any(|word| term.contains(word));
    if term == "dumb" {
        anyhow::bail!("this terminal cannot place a cursor (TERM=dumb): use kraal's commands instead");
    }
    let bare = has(&["linux", "vt100", "vt102", "vt220", "ansi", "cons25"]);
    let depth = if matches!(colorterm, "truecolor" | "24bit")
        || has(&["direct", "kitty", "alacritty", "foot", "ghostty", "wezterm"])
    {
        Depth::True
    } else if has(&["vt1", "vt2", "mono"]) || term.ends_with("-m") {
        Depth::Mono
    } else if has(&["256color", "xterm", "screen", "tmux", "iterm"]) {
        Depth::Palette
    } else {
        Depth::Sixteen
    };
    let modern = if bare { Extra::Missing } else { Extra::Present };
    Ok(Caps { depth, sync: Extra::Missing, modern })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_known_by_their_names() {
        let depth = |term, colorterm| caps_of(term, colorterm).expect("a terminal").depth;
        assert_eq!(depth("xterm-256color", "truecolor"), Depth::True);
        assert_eq!(depth("xterm-256color", ""), Depth::Palette);
        assert_eq!(depth("linux", ""), Depth::Sixteen);
        assert_eq!(depth("vt100", ""), Depth::Mono);
        assert_eq!(depth("xterm-kitty", ""), Depth::True);
        assert_eq!(caps_of("linux", "").expect("a terminal").modern, Extra::Missing);
        assert!(caps_of("dumb", "").is_err());
    }
}
