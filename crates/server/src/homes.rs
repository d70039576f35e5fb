//! What agents keep in their own folders: the live file that says what a running one does, and
//! whether a conversation has a transcript. Read on the pool; told by the kernel, never polled.
//!
//! Not here: what a live file means (`kraal_agents`), the verdict (`watch`).

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use kraal_agents::{Agent, Catalog, Evidence};
use kraal_api::PaneId;
use kraal_core::saved::{AgentRun, Saved};
use kraal_core::{Input, PaneChange};
use kraal_host::letters::{Folder, Letters};
use kraal_host::{files, process};

use crate::server::{Found, Server};

/// A live file that is longer is none.
const LIVE_MAX: u64 = 64 * 1024;

/// The live files that are watched.
pub(crate) struct LiveFiles {
    pub(crate) letters: Option<Letters>,
    watched: HashMap<PaneId, Watched>,
}

struct Watched {
    folder: Folder,
    name: OsString,
    path: PathBuf,
}

impl LiveFiles {
    pub(crate) fn new() -> Self {
        let letters = Letters::new();
        if let Err(error) = &letters {
            tracing::warn!(%error, "agents' state files cannot be watched");
        }
        LiveFiles { letters: letters.ok(), watched: HashMap::new() }
    }

    /// The pane's agent is gone.
    pub(crate) fn forget(&mut self, pane: PaneId) {
        let Some(old) = self.watched.remove(&pane) else { return };
        let shared = self.watched.values().any(|other| other.folder == old.folder);
        if let Some(letters) = self.letters.as_ref().filter(|_| !shared) {
            letters.unwatch(old.folder);
        }
    }

    fn watch(&mut self, pane: PaneId, path: PathBuf) -> Option<&Path> {
        if self.watched.get(&pane).is_some_and(|known| known.path == path) {
            return None;
        }
        self.forget(pane);
        let folder = self.letters.as_ref()?.watch(path.parent()?).ok()?;
        let name = path.file_name()?.to_owned();
        self.watched.insert(pane, Watched { folder, name, path });
        self.watched.get(&pane).map(|known| known.path.as_path())
    }

    fn written(&self, told: &[(Folder, OsString)]) -> Vec<(PaneId, PathBuf)> {
        let concerned = |known: &Watched| told.iter().any(|(f, n)| *f == known.folder && *n == known.name);
        self.watched.iter().filter(|(_, k)| concerned(k)).map(|(pane, k)| (*pane, k.path.clone())).collect()
    }
}

impl Server {
    /// The pane's agent may have begun to write its live file.
    pub(crate) fn look_for_live_file(&mut self, id: PaneId) {
        let Some(pane) = self.panes.all.get(&id) else { return };
        let (Some(detector), Some(pid)) = (&pane.watch.detector, pane.watch.process) else { return };
        let Some(home) = detector.agent().home() else { return };
        let Some(file) = home.live_file(pid) else { return };
        let agent = detector.agent().clone();
        let Some(folder) = home_of(&agent, &self.run_env(id), self.setting.vars.get("HOME")) else { return };
        if let Some(path) = self.live.watch(id, folder.join(file)) {
            let path = path.to_owned();
            self.read_live_file(id, path);
        }
    }

    /// Files in watched folders were written.
    pub(crate) fn hear_letters(&mut self) {
        let told = self.live.letters.as_ref().map(Letters::written).unwrap_or_default();
        for (pane, path) in self.live.written(&told) {
            self.read_live_file(pane, path);
        }
        if self.own.concerns(&told) {
            // A folder on the way to them may be another now.
            self.own.watch(self.live.letters.as_ref(), &self.setting.dirs);
            self.read_config(None);
        }
    }

    fn read_live_file(&self, pane: PaneId, path: PathBuf) {
        self.pool.run(move || {
            let bytes = files::read_capped(&path, LIVE_MAX).ok()?;
            Some(Found::Live(pane, path, serde_json::from_slice(&bytes).ok()?))
        });
    }

    /// A live file was read.
    pub(crate) fn live_file_says(&mut self, id: PaneId, path: &Path, content: &serde_json::Value) {
        if self.live.watched.get(&id).is_none_or(|known| known.path != path) {
            return;
        }
        let now = self.now();
        let Some(pane) = self.panes.all.get_mut(&id) else { return };
        let Some(agent) = pane.watch.detector.as_ref().map(|detector| detector.agent().clone()) else {
            return;
        };
        let Some(said) = agent.home().map(|home| home.read_live(content)) else { return };
        if let Some((state, kind)) = said.state
            && let Some(found) = pane.watch.observe(Evidence::File { state, kind }, now)
        {
            self.take_found(id, found);
        }
        if let Some(conversation) = said.conversation {
            self.conversation_is(id, conversation);
        }
    }

    /// The newest word on which conversation a pane's agent leads.
    pub(crate) fn conversation_is(&mut self, id: PaneId, conversation: String) {
        let Some(pane) = self.panes.all.get(&id) else { return };
        let Some(detector) = &pane.watch.detector else { return };
        let agent = detector.agent().name().to_owned();
        let argv = pane.watch.argv.clone();
        let run = AgentRun { agent, argv, conversation: Some(conversation), env: self.run_env(id) };
        self.feed(Input::Pane { pane: id, change: PaneChange::AgentRun(run) });
    }

    /// The variable by which the pane's agent was given a folder of its own.
    pub(crate) fn run_env(&self, id: PaneId) -> std::collections::BTreeMap<String, String> {
        let Some(pane) = self.panes.all.get(&id) else { return Default::default() };
        let variable = pane.watch.detector.as_ref().and_then(|detector| detector.agent().home()?.variable());
        let set = variable.zip(pane.watch.process).and_then(|(variable, pid)| {
            let value = process::var(pid, variable)?.into_string().ok()?;
            (!value.is_empty()).then(|| (variable.to_owned(), value))
        });
        set.into_iter().collect()
    }

    /// The agent of a pane ended: a conversation without a transcript is not taken up again.
    pub(crate) fn check_transcript(&self, id: PaneId) {
        let Some(run) = self.world.agent_run(id).cloned() else { return };
        let (catalog, home) = (self.setting.catalog.clone(), self.setting.vars.get("HOME").cloned());
        self.pool.run(move || {
            let conversation = run.conversation.clone()?;
            let there = has_transcript(&catalog, &run, home.as_ref())?;
            (!there).then(|| Found::NoTranscript(id, run.agent, conversation))
        });
    }
}

/// Forgets the conversations of a saved session that have no transcript: after a reboot they cannot
/// be taken up again.
pub(crate) fn forget_lost(saved: &mut Saved, catalog: &Catalog, home: Option<&String>) {
    for run in saved.panes.iter_mut().filter_map(|pane| pane.run.as_mut()) {
        if has_transcript(catalog, run, home) == Some(false) {
            run.conversation = None;
        }
    }
}

/// Whether the conversation of a run has a transcript; none where its agent's file does not say
/// where one would be.
fn has_transcript(catalog: &Catalog, run: &AgentRun, home: Option<&String>) -> Option<bool> {
    let agent = catalog.get(&run.agent)?;
    let pattern = agent.home()?.transcript(run.conversation.as_ref()?)?;
    Some(files::matches(&home_of(agent, &run.env, home)?, &pattern))
}

fn home_of(
    agent: &Agent,
    env: &std::collections::BTreeMap<String, String>,
    user: Option<&String>,
) -> Option<PathBuf> {
    let home = agent.home()?;
    let named = home.variable().and_then(|variable| env.get(variable)).map(PathBuf::from);
    named.or_else(|| Some(Path::new(user?).join(home.folder())))
}
