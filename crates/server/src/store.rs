//! What outlives a reboot: the world and the panes' text, written off the loop with atomic renames.
//!
//! A kill at any instant loses at most the last second's changes and never the whole; a file that
//! cannot be read is set aside, never written over. Not here: memory that outlives only this server
//! (`host::journal`, `host::slots`), what is in a saved world (`core::saved`).

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use kraal_api::PaneId;
use kraal_host::files;

/// A change is on disk after this long at the latest, in ms.
const WORLD: u64 = 500;
/// A pane's text is written this often at most, in ms.
const TEXT: u64 = 1000;
/// A pane's text that took long to gather is written more rarely: this many times what it took.
const PATIENCE: u64 = 20;
/// A write that failed is tried again after this long, in ms.
const RETRY: u64 = 10_000;
/// The largest text of a pane that is read back, in bytes.
const TEXT_MAX: u64 = 64 * 1024 * 1024;
/// The largest world that is read back, in bytes.
const WORLD_MAX: u64 = 256 * 1024 * 1024;

/// Where an environment's files are.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    folder: PathBuf,
}

impl Files {
    /// In this folder of the state directory.
    pub(crate) fn new(folder: &Path) -> Self {
        Files { folder: folder.to_owned() }
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn world(&self) -> PathBuf {
        self.folder.join("session.json")
    }

    fn text(&self, pane: PaneId) -> PathBuf {
        self.folder.join("panes").join(format!("{pane}.ansi"))
    }

    /// Writes the world.
    pub(crate) fn save_world(&self, bytes: &[u8]) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        files::write_atomic(&self.world(), bytes, 0o600)
    }

    /// Writes a pane's text.
    pub(crate) fn save_text(&self, pane: PaneId, text: &str) -> io::Result<()> {
        std::fs::create_dir_all(self.folder.join("panes"))?;
        files::write_atomic(&self.text(pane), text.as_bytes(), 0o600)
    }

    /// Keeps bytes that stopped the server twice, for a report.
    pub(crate) fn save_fault(&self, pane: PaneId, bytes: &[u8]) -> io::Result<PathBuf> {
        std::fs::create_dir_all(self.folder.join("panes"))?;
        let path = self.folder.join("panes").join(format!("{pane}.fault"));
        files::write_atomic(&path, bytes, 0o600)?;
        Ok(path)
    }

    /// The saved world, if there is one.
    pub(crate) fn load_world(&self) -> io::Result<Option<Vec<u8>>> {
        match files::read_capped(&self.world(), WORLD_MAX) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Moves a world that cannot be used out of the way; gives its new place.
    pub(crate) fn set_world_aside(&self) -> io::Result<PathBuf> {
        files::set_aside(&self.world())
    }

    /// A pane's saved text, if there is any.
    pub(crate) fn load_text(&self, pane: PaneId) -> Option<Vec<u8>> {
        files::read_capped(&self.text(pane), TEXT_MAX).ok()
    }

    /// A pane is gone, and with it its text.
    pub(crate) fn forget_text(&self, pane: PaneId) {
        // One that stays costs disk and nothing else: its id is never used again.
        let _ = std::fs::remove_file(self.text(pane));
    }

    /// Removes the texts of panes that are gone.
    pub(crate) fn sweep(&self, alive: &[PaneId]) {
        let Ok(entries) = std::fs::read_dir(self.folder.join("panes")) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                // A write that a kill cut short; whole files have another name.
                let _ = std::fs::remove_file(entry.path());
            }
            let Some(id) = name.strip_suffix(".ansi").and_then(|id| id.parse().ok()) else { continue };
            if !alive.contains(&PaneId(id)) {
                self.forget_text(PaneId(id));
            }
        }
    }
}

/// When what is due.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    world: Option<u64>,
    texts: HashMap<PaneId, u64>,
    /// Being written now.
    pub(crate) writing: bool,
    /// What went wrong the last time, so that it is said once.
    pub(crate) trouble: Option<String>,
}

impl Schedule {
    /// Something that is saved changed.
    pub(crate) fn world_changed(&mut self, now: u64) {
        self.world.get_or_insert(now + WORLD);
    }

    /// A pane's text changed.
    pub(crate) fn text_changed(&mut self, pane: PaneId, now: u64) {
        self.texts.entry(pane).or_insert(now + TEXT);
    }

    /// A pane is gone.
    pub(crate) fn forget(&mut self, pane: PaneId) {
        self.texts.remove(&pane);
    }

    /// Writing a pane's text took this long: it has time until it is due again. One that did not
    /// change by then is not written.
    pub(crate) fn took(&mut self, pane: PaneId, ms: u64, now: u64) {
        if ms * PATIENCE > TEXT {
            self.texts.insert(pane, now + ms * PATIENCE);
        }
    }

    /// The last write failed: the world is tried again, not at once.
    pub(crate) fn retry(&mut self, now: u64) {
        self.world.get_or_insert(now + RETRY);
    }

    /// When something is due.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        if self.writing {
            return None;
        }
        self.world.into_iter().chain(self.texts.values().copied()).min()
    }

    /// Whether the world is due; it is then no more.
    pub(crate) fn take_world(&mut self, now: u64) -> bool {
        self.world.take_if(|at| *at <= now).is_some()
    }

    /// One pane whose text is due: one at a time, so that the loop is never held up by many.
    pub(crate) fn take_text(&mut self, now: u64) -> Option<PaneId> {
        let pane =
            self.texts.iter().filter(|(_, at)| **at <= now).min_by_key(|(_, at)| **at).map(|(p, _)| *p)?;
        self.texts.remove(&pane);
        Some(pane)
    }
}
