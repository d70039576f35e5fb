//! Does what the rules say, one effect after the other.
//!
//! Not here: why (`core`).

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kraal_api::agents::{AgentEvent, Decision};
use kraal_api::config::NotifyMode;
use kraal_api::events::{Event, Happening};
use kraal_api::stream::{Bye, ToClient};
use kraal_api::{PaneId, Refusal, Response, envelope};
use kraal_core::jobs::Done;
use kraal_core::{Effect, Input, Outcome, Start, Ticket};
use kraal_host::keeper::{self, Spawn, ToKeeper};
use kraal_term::keys::parse_name;
use kraal_term::{Options, Outbox, Size};

use signal_hook::consts::{SIGHUP, SIGKILL};

use crate::boot::ConfigRead;
use crate::conn::{Asker, Conn};
use crate::pane::{INPUT_MAX, Pane};
use crate::server::{Ending, Found, Server};

/// Programs have this long between HUP and KILL when a session or a pane ends, in ms.
pub(crate) const GRACE: u32 = 1500;
/// Bytes of history a line is reckoned with: what is over costs the oldest lines, never memory.
const LINE_BYTES: u64 = 400;

/// Shells that take `-ic` and single quotes.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish"];

/// A command line as a person would type it into a shell: what the shell's own files set holds. The
/// command itself where the shell is not known to understand it.
fn through_shell(shell: String, argv: Vec<String>) -> Vec<String> {
    let name = Path::new(&shell).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !SHELLS.contains(&name) {
        return argv;
    }
    let words: Vec<String> = argv.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    vec![shell, "-ic".to_owned(), format!("exec {}", words.join(" "))]
}

impl Server {
    /// Does one thing.
    pub(crate) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Reply { ticket, answer } => self.reply(ticket, answer),
            Effect::Event { ticket, event } => self.event_item(ticket, &event),
            Effect::AgentEvent { ticket, event } => self.agent_item(ticket, &event),
            Effect::Start { pane, start } => self.start(pane, start),
            Effect::Drop { pane } => self.drop_pane(pane),
            Effect::Resize { pane, cols, rows } => self.resize(pane, Size { cols, rows }),
            Effect::TypeText { ticket, pane, text } => self.type_text(ticket, pane, &text),
            Effect::PressKeys { ticket, pane, keys } => self.press_keys(ticket, pane, &keys),
            Effect::ReadScreen { ticket, pane, lines, ansi } => self.read_screen(ticket, pane, lines, ansi),
            Effect::Explain { ticket, pane } => self.explain(ticket, pane),
            Effect::Prompt { ticket, pane, text } => self.prompt(ticket, pane, text),
            Effect::Hook { ticket, pane, hook } => self.hook(ticket, pane, &hook),
            Effect::StatusLine { ticket, pane, line } => self.status_line(ticket, pane, &line),
            Effect::AwaitText { ticket, pane, text } => {
                self.conns.texts.insert(ticket, (pane, text));
                self.look_for_texts(pane);
            }
            Effect::ForgetText { ticket } => {
                self.conns.texts.remove(&ticket);
            }
            Effect::Seen { pane } => {
                let now = self.now();
                let found = self.panes.all.get_mut(&pane).and_then(|pane| pane.watch.seen(now));
                if let Some(found) = found {
                    self.take_found(pane, found);
                }
            }
            Effect::PaneFocus { pane, gained } => {
                if let Some(target) = self.panes.all.get_mut(&pane) {
                    let mut report = Vec::new();
                    target.terminal.encode_focus(gained, &mut report);
                    target.report(&report);
                }
            }
            Effect::Facts => self.facts_changed(),
            Effect::PaneFacts { pane } => self.pane_facts_changed(pane),
            Effect::View { conn, tab } => {
                self.facts_changed();
                self.tell_clients(Some(conn), &ToClient::View { tab });
            }
            Effect::Say { conn, text } => self.tell_kept(conn, &ToClient::Say(text)),
            Effect::Notify { title, body, pane } => self.notify(title, body, pane),
            Effect::Bell { pane } => self.bell(pane),
            Effect::Save => {
                self.saving.dirty = true;
                let now = self.now();
                self.saving.schedule.world_changed(now);
            }
            Effect::Bye { conn, why } => {
                self.tell_clients(Some(conn), &ToClient::Bye(why));
                self.end_conn(conn);
            }
            Effect::Worktrees { ticket, .. } => {
                let done = Done::Answer(Err(Refusal::unsupported("worktrees come with a later version")));
                self.feed(Input::Worktrees { ticket, done });
            }
            Effect::ReloadConfig { ticket } => self.read_config(Some(ticket)),
            Effect::Restart { ticket } => self.restart(ticket),
            Effect::End { ticket } => self.end(ticket),
        }
    }

    /// Answers a request.
    pub(crate) fn reply(&mut self, ticket: Ticket, answer: Result<Response, Refusal>) {
        let Some(pending) = self.conns.tickets.get(ticket).cloned() else { return };
        if matches!(pending.asker, Asker::Stream(_)) && answer.is_ok() {
            // Its items are the answer.
            return;
        }
        self.conns.tickets.take(ticket);
        let Some(conn) = self.conns.all.get_mut(&pending.conn) else { return };
        match pending.asker {
            Asker::Frame(id) => conn.control(&ToClient::Answer { id, answer }),
            Asker::Line(id) | Asker::Stream(id) => conn.line(&envelope::answer_line(&id, &answer)),
            Asker::Attach(id, attach) => {
                conn.line(&envelope::answer_line(&id, &answer));
                if matches!(answer, Ok(Response::Attached(_))) {
                    self.attached(pending.conn, &attach);
                    self.facts_changed();
                }
            }
        }
    }

    fn event_item(&mut self, ticket: Ticket, event: &Event) {
        let lagged = Event { what: Happening::Lagged {}, ..event.clone() };
        self.item(ticket, event, &lagged);
    }

    fn agent_item(&mut self, ticket: Ticket, event: &AgentEvent) {
        let seq = match event {
            AgentEvent::Snapshot { seq, .. } | AgentEvent::Lagged { seq } => *seq,
            AgentEvent::Opened(c) | AgentEvent::Changed(c) | AgentEvent::Closed(c) => c.seq,
            AgentEvent::Lost { to, .. } => *to,
        };
        self.item(ticket, event, &AgentEvent::Lagged { seq: seq.saturating_sub(1) });
    }

    fn item(&mut self, ticket: Ticket, item: &impl serde::Serialize, lagged: &impl serde::Serialize) {
        let Some(pending) = self.conns.tickets.get(ticket) else { return };
        let Asker::Stream(id) = pending.asker.clone() else { return };
        let conn = pending.conn;
        let Some(conn) = self.conns.all.get_mut(&conn) else { return };
        if !conn.item(&id, item, lagged) {
            // Told: the stream is over.
            self.conns.tickets.take(ticket);
            self.feed(Input::Done { ticket, outcome: Outcome::Ok });
        }
    }

    /// What a pane's terminal is made with.
    pub(crate) fn term_options(&self) -> Options {
        Options {
            scrollback_lines: self.config.scrollback as usize,
            name: self.setting.app.clone(),
            colours: self.colours.clone(),
            ..Options::default()
        }
    }

    /// Blocks of a journal's history for the configured lines.
    pub(crate) fn history_blocks(&self) -> u32 {
        (u64::from(self.config.scrollback) * LINE_BYTES / 65_536 + 8).min(65_536) as u32
    }

    fn start(&mut self, id: PaneId, start: Start) {
        let size = Size { cols: start.cols, rows: start.rows };
        let options = self.term_options();
        let pane = match self.panes.all.entry(id) {
            Entry::Vacant(entry) => entry.insert(Pane::new(size, options)),
            Entry::Occupied(entry) => {
                let pane = entry.into_mut();
                // What the program before left set (mouse, alternate screen, colours) is not the next one's.
                if let Err(error) = pane.say(FRESH_START) {
                    tracing::warn!(pane = id.0, %error, "a pane cannot be reset");
                }
                pane
            }
        };
        pane.awaits_program();
        let mut out = Outbox::default();
        if let Err(error) = pane.resize(size, &mut out) {
            tracing::warn!(pane = id.0, %error, "a pane cannot be resized");
        }
        let argv = match start.argv {
            argv if argv.is_empty() => vec![self.shell()],
            argv if start.by_shell => through_shell(self.shell(), argv),
            argv => argv,
        };
        let cwd = match PathBuf::from(&start.cwd) {
            cwd if cwd.is_dir() => cwd,
            _ => self.home(),
        };
        let spawn = Spawn {
            pane: id.0,
            argv: argv.into_iter().map(OsString::from).collect(),
            env: self.pane_vars(id, start.env, &cwd),
            cwd,
            size: kraal_host::pty::Size { cols: size.cols.max(1), rows: size.rows.max(1) },
            history: self.history_blocks(),
        };
        self.ask_keeper(&ToKeeper::Spawn(spawn), Some(id));
    }

    fn shell(&self) -> String {
        self.config
            .shell
            .clone()
            .or_else(|| self.setting.vars.get("SHELL").filter(|s| !s.is_empty()).cloned())
            .unwrap_or_else(|| "/bin/sh".to_owned())
    }

    fn home(&self) -> PathBuf {
        self.setting.vars.get("HOME").map(PathBuf::from).filter(|p| p.is_dir()).unwrap_or_else(|| "/".into())
    }

    fn pane_vars(&self, id: PaneId, own: BTreeMap<String, String>, cwd: &Path) -> Vec<(OsString, OsString)> {
        let mut vars: HashMap<String, String> = self.setting.vars.clone();
        for (name, value) in [
            ("TERM", "xterm-256color".to_owned()),
            ("COLORTERM", "truecolor".to_owned()),
            ("TERM_PROGRAM", "kraal".to_owned()),
            ("TERM_PROGRAM_VERSION", env!("CARGO_PKG_VERSION").to_owned()),
            ("KRAAL", "1".to_owned()),
            ("KRAAL_SOCKET", self.setting.environment.socket.to_string_lossy().into_owned()),
            ("KRAAL_SESSION", self.setting.environment.name.clone()),
            ("KRAAL_PANE", id.to_string()),
            // What installed hooks run: a program that is not in the path is found all the same.
            ("KRAAL_EXE", self.setting.exe.to_string_lossy().into_owned()),
            ("PWD", cwd.to_string_lossy().into_owned()),
        ] {
            vars.insert(name.to_owned(), value);
        }
        for (name, value) in self.setting.catalog.pane_vars() {
            vars.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        vars.extend(own);
        vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// Asks the keeper. What cannot be asked is the pane's failure, not the session's.
    pub(crate) fn ask_keeper(&mut self, message: &ToKeeper, pane: Option<PaneId>) {
        if let Err(error) = self.keeper.link.send(message) {
            tracing::error!(%error, "the keeper was not reached");
            if let Some(pane) = pane {
                self.start_failed(pane);
                let reason = format!("the program was not started: {error}");
                self.feed(Input::StartFailed { pane, reason });
            }
        }
    }

    fn drop_pane(&mut self, id: PaneId) {
        let runs = self.panes.all.get(&id).is_some_and(|pane| pane.program.is_some());
        self.drop_program(id);
        self.panes.all.remove(&id);
        self.marks.forget(id);
        self.saving.schedule.forget(id);
        self.conns.texts.retain(|_, (pane, _)| *pane != id);
        if runs {
            // A program that ignores the hang-up is killed; the keeper keeps the pane until then.
            self.ask_keeper(&ToKeeper::Signal { pane: id.0, signal: SIGHUP }, None);
            let now = self.now();
            self.keeper.ending.insert(id, now + u64::from(GRACE));
        } else {
            self.ask_keeper(&ToKeeper::Forget { pane: id.0 }, None);
        }
        let files = self.saving.files.clone();
        self.pool.run(move || {
            files.forget_text(id);
            None
        });
    }

    /// Kills the programs of closed panes that did not go by themselves in time.
    pub(crate) fn end_stubborn(&mut self, now: u64) {
        let due: Vec<PaneId> =
            self.keeper.ending.iter().filter(|(_, at)| **at <= now).map(|(pane, _)| *pane).collect();
        for id in due {
            self.keeper.ending.remove(&id);
            self.ask_keeper(&ToKeeper::Signal { pane: id.0, signal: SIGKILL }, None);
            self.ask_keeper(&ToKeeper::Forget { pane: id.0 }, None);
        }
    }

    fn resize(&mut self, id: PaneId, size: Size) {
        let mut out = Outbox::default();
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        if let Err(error) = pane.resize(size, &mut out) {
            tracing::warn!(pane = id.0, %error, "a pane cannot be resized");
        }
        self.type_bytes(id, &out.replies);
    }

    fn type_text(&mut self, ticket: Ticket, id: PaneId, text: &str) {
        let answer = match self.panes.all.get_mut(&id).filter(|pane| pane.program.is_some()) {
            None => Err(nothing_runs(id)),
            Some(pane) if pane.input.len() + text.len() > INPUT_MAX => {
                Err(Refusal::busy(format!("pane {id} has not read what was typed before: try again later")))
            }
            Some(pane) => {
                if text.contains(['\n', '\r']) {
                    pane.terminal.encode_paste(text.as_bytes(), pane.input.tail());
                } else {
                    pane.input.tail().extend_from_slice(text.as_bytes());
                }
                self.typed(id);
                Ok(Response::Ok)
            }
        };
        self.reply(ticket, answer);
    }

    fn press_keys(&mut self, ticket: Ticket, id: PaneId, names: &[String]) {
        let keys: Result<Vec<_>, _> = names.iter().map(|name| parse_name(name)).collect();
        let answer = match (keys, self.panes.all.get_mut(&id).filter(|pane| pane.program.is_some())) {
            (Err(error), _) => Err(Refusal::bad_request(error.to_string())),
            (Ok(_), None) => Err(nothing_runs(id)),
            (Ok(keys), Some(pane)) => {
                for key in &keys {
                    pane.terminal.encode_key(key, pane.input.tail());
                }
                self.typed(id);
                Ok(Response::Ok)
            }
        };
        self.reply(ticket, answer);
    }

    fn read_screen(&mut self, ticket: Ticket, id: PaneId, lines: Option<u32>, ansi: bool) {
        self.catch_up(id);
        let answer = match self.panes.all.get(&id) {
            None => Ok(Response::Screen(String::new())),
            Some(pane) => {
                let terminal = &pane.terminal;
                let text = match (lines, ansi) {
                    (None, false) => terminal.screen_lines().join("\n"),
                    (None, true) => terminal.screen_ansi(),
                    (Some(lines), false) => terminal.text(lines as usize),
                    (Some(lines), true) => terminal.text_ansi(lines as usize),
                };
                Ok(Response::Screen(text))
            }
        };
        self.reply(ticket, answer);
    }

    fn explain(&mut self, ticket: Ticket, id: PaneId) {
        let decisions = self.panes.all.get(&id).and_then(|pane| pane.watch.detector.as_ref());
        let decisions = decisions.map(|detector| detector.explain()).unwrap_or_default();
        let told = decisions
            .into_iter()
            .map(|d| Decision {
                at: kraal_api::time::rfc3339(d.at_ms),
                verdict: d.verdict,
                rule: d.rule,
                evidence: d.evidence,
            })
            .collect();
        self.reply(ticket, Ok(Response::Explained(told)));
    }

    /// Waits for a text on this pane's screen that are over.
    pub(crate) fn look_for_texts(&mut self, id: PaneId) {
        if self.conns.texts.is_empty() {
            return;
        }
        let Some(pane) = self.panes.all.get(&id) else { return };
        let screen = pane.terminal.text(usize::from(pane.terminal.size().rows));
        let shown: Vec<Ticket> = self
            .conns
            .texts
            .iter()
            .filter(|(_, (at, text))| *at == id && screen.contains(text.as_str()))
            .map(|(ticket, _)| *ticket)
            .collect();
        for ticket in shown {
            self.conns.texts.remove(&ticket);
            self.feed(Input::Done { ticket, outcome: Outcome::TextShown });
        }
    }

    fn bell(&mut self, pane: PaneId) {
        for conn in self.conns.all.values_mut() {
            if let Some(client) = conn.client().filter(|client| client.shown.contains(&pane)) {
                client.tell(ToClient::Bell);
            }
        }
    }

    fn notify(&mut self, title: String, body: String, pane: Option<PaneId>) {
        let mode = self.config.notifications.mode;
        let first = self.conns.all.values().find(|c| c.is_client()).map(|c| c.id);
        let terminal = self.conns.active.or(first).filter(|_| mode.in_terminal());
        let system = match mode {
            NotifyMode::Off => false,
            NotifyMode::Terminal => terminal.is_none(),
            NotifyMode::System | NotifyMode::Both => true,
        };
        if terminal.is_some() {
            let (title, body) = (title.clone(), body.clone());
            self.tell_kept(terminal, &ToClient::Notification { title, body, pane });
        }
        if system {
            self.pool.run(move || {
                if let Err(error) = kraal_host::notify::send(&title, &body) {
                    tracing::warn!(%error, "notify-send failed");
                }
                None
            });
        }
    }

    /// Reads the configuration, on the pool.
    pub(crate) fn read_config(&mut self, ticket: Option<Ticket>) {
        self.config_reads.0 += 1;
        let (number, dirs) = (self.config_reads.0, self.setting.dirs.clone());
        self.pool.run(move || Some(Found::Config(Box::new(ConfigRead::of(&dirs, number, ticket)))));
    }

    fn restart(&mut self, ticket: Ticket) {
        if self.keeper.upgrading.is_some() {
            let refusal = Refusal::busy("the session restarts already");
            self.reply(ticket, Err(refusal));
            return;
        }
        self.keeper.upgrading = Some(ticket);
        // Once the keeper has become another binary there is no way back: it is asked first.
        let exe = self.setting.exe.clone();
        self.pool.run(move || Some(Found::Probed(keeper::probe(&exe).map_err(|error| error.to_string()))));
    }

    /// The binary to restart with was asked whether it can.
    pub(crate) fn probed(&mut self, outcome: Result<(), String>) {
        let exe = self.setting.exe.clone();
        let asked = outcome.and_then(|()| {
            let sent = self.keeper.link.send(&ToKeeper::Upgrade { exe });
            sent.map_err(|error| format!("the keeper was not reached: {error}"))
        });
        if let Err(why) = asked {
            self.upgraded(Err(why));
        }
    }

    /// The keeper took over, or said why not.
    pub(crate) fn upgraded(&mut self, outcome: Result<(), String>) {
        let Some(ticket) = self.keeper.upgrading.take() else { return };
        match outcome {
            Err(why) => self.reply(ticket, Err(Refusal::failed(why))),
            Ok(()) => {
                self.reply(ticket, Ok(Response::Ok));
                self.bye(&Bye::Restarting);
                self.saving.dirty = true;
                self.store_world();
                self.flush_all();
                self.ending = Some(Ending::Handover);
            }
        }
    }

    fn end(&mut self, ticket: Option<Ticket>) {
        self.save_now();
        let why = if ticket.is_some() { Bye::Killed } else { Bye::Empty };
        self.bye(&why);
        if let Some(ticket) = ticket {
            self.reply(ticket, Ok(Response::Ok));
        }
        self.flush_all();
        self.ask_keeper(&ToKeeper::End { grace_ms: GRACE }, None);
        self.ending = Some(Ending::Over);
    }

    /// Hands over what can be handed over now: the server is about to go.
    fn flush_all(&mut self) {
        for conn in self.conns.all.values_mut() {
            let Conn { stream, .. } = conn;
            // Blocking for a moment at most: a client that does not read is not waited for.
            let _ = rustix::net::sockopt::set_socket_timeout(
                &*stream,
                rustix::net::sockopt::Timeout::Send,
                Some(std::time::Duration::from_millis(200)),
            );
            let _ = rustix::io::ioctl_fionbio(&*stream, false);
            let _ = conn.flush();
        }
    }
}

/// Soft reset, main screen, no mouse, no kitty keys, the cursor shown, on a new line.
const FRESH_START: &[u8] =
    b"\x1b[?1049l\x1b[!p\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[?2026l\x1b[<9u\x1b[0m\x1b[?25h";

fn nothing_runs(id: PaneId) -> Refusal {
    Refusal::failed(format!("no program runs in pane {id}: start it again with Enter in the pane"))
}
