//! The server's talk with its keeper, and what is stored where the next server finds it.
//!
//! Not here: the keeper itself (`host::keeper`), files' places (`store`).

use std::io;

use kraal_api::PaneId;
use kraal_api::stream::ToClient;
use kraal_core::Input;
use kraal_host::clock;
use kraal_host::keeper::{ToKeeper, ToServer};
use kraal_term::{Copied, Options};
use rustix::fd::OwnedFd;

use crate::boot::Memory;
use crate::pane::Pane;
use crate::server::{Found, Server};
use crate::store::Files;

impl Server {
    /// What the keeper says.
    pub(crate) fn hear_keeper(&mut self) {
        loop {
            match self.keeper.link.recv() {
                Ok(None) => break,
                Ok(Some((message, fds))) => self.keeper_says(message, fds),
                Err(error) => {
                    tracing::error!(%error, "the link to the keeper broke");
                    if self.ending.is_none() {
                        self.orphaned();
                    }
                    return;
                }
            }
        }
        if self.keeper.link.wants_write()
            && let Err(error) = self.keeper.link.flush()
        {
            tracing::error!(%error, "the keeper was not reached");
        }
    }

    fn keeper_says(&mut self, message: ToServer, fds: Vec<OwnedFd>) {
        match message {
            ToServer::Spawned { pane, pid } => self.spawned(PaneId(pane), pid, fds),
            ToServer::SpawnFailed { pane, message, .. } => {
                self.start_failed(PaneId(pane));
                self.feed(Input::StartFailed { pane: PaneId(pane), reason: message });
            }
            ToServer::Reserved { pane } => self.reserved(PaneId(pane), &fds),
            ToServer::Exited { pane, exit } => {
                let id = PaneId(pane);
                if self.keeper.ending.remove(&id).is_some() {
                    self.ask_keeper(&ToKeeper::Forget { pane: id.0 }, None);
                    return;
                }
                let Some(pane) = self.panes.all.get_mut(&id) else { return };
                pane.ended = Some(exit);
                // What it wrote last may still be unread.
                if !self.panes.ready.contains(&id) {
                    self.panes.ready.push_back(id);
                }
            }
            ToServer::Upgraded => self.upgraded(Ok(())),
            ToServer::UpgradeFailed { message } => self.upgraded(Err(message)),
            ToServer::Hello { .. } | ToServer::Pane { .. } => {}
        }
    }

    pub(crate) fn start_failed(&mut self, id: PaneId) {
        if let Some(pane) = self.panes.all.get_mut(&id) {
            pane.start_failed();
        }
    }

    fn spawned(&mut self, id: PaneId, pid: u32, fds: Vec<OwnedFd>) {
        let Ok([journal, master]) = <[OwnedFd; 2]>::try_from(fds) else {
            self.feed(Input::StartFailed { pane: id, reason: "the keeper sent no terminal".into() });
            return;
        };
        if !self.panes.all.contains_key(&id) {
            // Closed while it was being started.
            self.ask_keeper(&ToKeeper::Forget { pane: id.0 }, None);
            return;
        }
        self.take_journal(id, &journal);
        let (cols, rows) = self.world.pane_size(id);
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        pane.adopt_program(master, pid);
        self.panes.by_pid.insert(pid, id);
        // It may have been resized while it was being started.
        if let Some(program) = &pane.program
            && let Err(error) =
                kraal_host::pty::set_size(&program.master, kraal_host::pty::Size { cols, rows })
        {
            tracing::warn!(pane = id.0, %error, "a pane cannot be resized");
        }
        self.watch_program(id);
        self.feed(Input::Started { pane: id, pid: pid as i32 });
        // What was typed while it was being started.
        if let Some(pane) = self.panes.all.get_mut(&id) {
            pane.flush_input();
        }
        if let Some(cwd) = self.world.pane_facts(id).map(|facts| facts.cwd) {
            self.pane_moved(id, cwd);
        }
        let now = self.now();
        if let Some(pane) = self.panes.all.get_mut(&id) {
            pane.watch.activity(now);
        }
    }

    fn reserved(&mut self, id: PaneId, fds: &[OwnedFd]) {
        if let Some(journal) = fds.first()
            && self.panes.all.contains_key(&id)
        {
            self.take_journal(id, journal);
        }
    }

    /// A pane's journal came: its terminal lives in it from now on, beginning with what the pane
    /// showed before the reboot.
    fn take_journal(&mut self, id: PaneId, journal: &OwnedFd) {
        let options = self.term_options();
        let old = self.saving.old_texts.iter().position(|pane| *pane == id);
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        if let Err(error) = pane.adopt_journal(journal, options) {
            // It shows its output all the same; only a server's death would lose it.
            tracing::error!(pane = id.0, %error, "a pane has no journal");
        }
        if let Some(at) = old {
            self.saving.old_texts.swap_remove(at);
            if let Some(text) = self.saving.files.load_text(id) {
                self.show_old(id, &text);
            }
        }
        self.facts_changed();
    }

    fn show_old(&mut self, id: PaneId, text: &[u8]) {
        let mut shown = Vec::with_capacity(text.len() + 64);
        for line in text.split(|byte| *byte == b'\n') {
            shown.extend_from_slice(line);
            shown.extend_from_slice(b"\x1b[0m\r\n");
        }
        if let Some(pane) = self.panes.all.get_mut(&id)
            && let Err(error) = pane.say(&shown)
        {
            tracing::error!(pane = id.0, %error, "a pane's old text cannot be shown");
        }
    }

    /// A pane that waits has a terminal too, for what it showed before.
    pub(crate) fn reserve(&mut self, id: PaneId) {
        let (cols, rows) = self.world.pane_size(id);
        let options = self.term_options();
        let size = kraal_term::Size { cols, rows };
        self.panes.all.entry(id).or_insert_with(|| Pane::new(size, options));
        let history = self.history_blocks();
        self.ask_keeper(&ToKeeper::Reserve { pane: id.0, history }, None);
    }

    /// Stores the world where the next server finds it, if it changed.
    pub(crate) fn store_world(&mut self) {
        if !std::mem::take(&mut self.saving.dirty) {
            return;
        }
        let detectors = self
            .panes
            .all
            .iter()
            .filter_map(|(id, pane)| Some((*id, pane.watch.detector.as_ref()?.save())))
            .collect();
        let followed = self.panes.all.iter().filter_map(|(id, pane)| {
            pane.watch.followed.as_ref().map(|followed| (*id, followed.who.pid, followed.who.start))
        });
        let followed = followed.collect();
        let memory = Memory { world: self.world.save(), detectors, followed };
        let bytes = serde_json::to_vec(&memory).expect("our own types have string keys");
        if let Err(error) = self.keeper.slots.store(&bytes) {
            tracing::error!(%error, "the session cannot be kept over this server's death");
        }
    }

    /// Writes what is due to disk, on the pool.
    pub(crate) fn save_due(&mut self, now: u64) {
        if self.saving.schedule.next_deadline().is_none_or(|at| at > now) {
            return;
        }
        let world = self.saving.schedule.take_world(now).then(|| self.world.save().to_bytes());
        let text = self.saving.schedule.take_text(now).and_then(|id| Some((id, self.copy_of(id)?)));
        if world.is_none() && text.is_none() {
            return;
        }
        self.saving.schedule.writing = true;
        let files = self.saving.files.clone();
        let options = self.term_options();
        self.pool.run(move || {
            let world = world.map_or(Ok(()), |bytes| files.save_world(&bytes));
            let begun = clock::monotonic_ms();
            let pane = text.as_ref().map(|(id, _)| *id);
            let text = text.map_or(Ok(()), |(id, copied)| save_text(&files, id, copied, options));
            let took = pane.map(|id| (id, clock::monotonic_ms() - begun));
            Some(Found::Saved(took, world.and(text).map_err(|error| error.to_string())))
        });
    }

    /// What a pane shows and holds, if it changed since it was last saved. Only copied here: making
    /// text of it takes long, and is the pool's.
    fn copy_of(&mut self, id: PaneId) -> Option<Copied> {
        let pane = self.panes.all.get_mut(&id)?;
        std::mem::take(&mut pane.unsaved).then(|| pane.terminal.copy())
    }

    /// A write of saved state ended.
    pub(crate) fn saved(&mut self, took: Option<(PaneId, u64)>, outcome: Result<(), String>) {
        self.saving.schedule.writing = false;
        if let Some((id, ms)) = took {
            let now = self.now();
            self.saving.schedule.took(id, ms, now);
        }
        match (outcome, self.saving.schedule.trouble.take()) {
            (Ok(()), None) => {}
            (Ok(()), Some(said)) => {
                self.feed(Input::Mended(said));
                self.tell_kept(None, &ToClient::Say("the session is saved again".to_owned()));
            }
            (Err(why), said) => {
                // Tried again with the next change, after a while, and at the end.
                let now = self.now();
                self.saving.schedule.retry(now);
                if let Some((id, _)) = took {
                    self.saving.schedule.text_changed(id, now);
                }
                let first = said.is_none();
                let folder = self.setting.environment.state.display();
                let sentence = said.unwrap_or_else(|| {
                    format!("the session cannot be saved in {folder} ({why}): it runs on, but a reboot would lose it")
                });
                self.saving.schedule.trouble = Some(sentence.clone());
                if first {
                    self.feed(Input::Problem(sentence));
                }
            }
        }
    }

    /// Writes everything to disk before the session ends.
    pub(crate) fn save_now(&mut self) {
        let files = self.saving.files.clone();
        let ids: Vec<PaneId> = self.panes.all.keys().copied().collect();
        let options = self.term_options();
        for id in ids {
            if let Some(copied) = self.copy_of(id)
                && let Err(error) = save_text(&files, id, copied, options.clone())
            {
                tracing::error!(pane = id.0, %error, "a pane's text cannot be saved");
            }
        }
        if let Err(error) = files.save_world(&self.world.save().to_bytes()) {
            tracing::error!(%error, "the session cannot be saved");
        }
    }
}

/// Writes the text of a copied pane: all its lines, with colours.
fn save_text(files: &Files, id: PaneId, copied: Copied, options: Options) -> io::Result<()> {
    let lines = options.scrollback_lines;
    let terminal = copied
        .open(options)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))?;
    files.save_text(id, &terminal.text_ansi(lines))
}
