//! Branch marks of panes in git repositories: refreshed when `.git` changes, when a command
//! finished and when a pane falls quiet; never by polling, never by watching a whole tree.
//!
//! Not here: running git (`host::git`, on the pool), where marks show (`tui`).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kraal_api::PaneId;
use kraal_api::model::Branch;
use kraal_host::git::{self, Repository};
use kraal_host::watch::Watcher;

use crate::pool::Pool;
use crate::server::Found;

/// A repository is not asked more often than this, in ms.
const PACE: u64 = 1000;
/// A pane's output has ended this long ago: its command may have changed files. In ms.
const QUIET: u64 = 600;
/// Git is given this long.
const LIMIT: Duration = Duration::from_secs(5);

/// Which panes show which repository's branch.
#[derive(Default)]
pub(crate) struct Marks {
    panes: HashMap<PaneId, PathBuf>,
    repositories: HashMap<PathBuf, Mark>,
    watcher: Option<Watcher>,
    /// Panes with output since their mark was refreshed, and when they count as quiet.
    noisy: HashMap<PaneId, u64>,
}

struct Mark {
    repository: Repository,
    branch: Option<Branch>,
    asked: u64,
    /// When to ask next.
    due: Option<u64>,
    running: bool,
}

impl Marks {
    /// Marks whose watcher reports through the pool.
    pub(crate) fn new(pool: &Pool<Found>) -> Self {
        let tell = pool.sender();
        let watcher = Watcher::new(Duration::from_millis(200), move |repository: &Repository| {
            tell(Found::Changed(repository.root.clone()));
        });
        Marks { watcher: watcher.ok(), ..Marks::default() }
    }

    /// A pane works in this folder now. Gives its mark, where it is known already.
    pub(crate) fn pane_in(&mut self, pane: PaneId, cwd: &Path, now: u64) -> Option<Option<Branch>> {
        // Looking for `.git` upwards is a handful of stat calls: no process.
        let Some(repository) = git::find(cwd) else {
            return self.forget(pane).then_some(None);
        };
        let root = repository.root.clone();
        if self.panes.get(&pane) == Some(&root) {
            return None;
        }
        self.forget(pane);
        self.panes.insert(pane, root.clone());
        let mark = self.repositories.entry(root).or_insert_with(|| {
            if let Some(watcher) = &mut self.watcher {
                // Without a watch the mark still follows commands and quiet panes.
                let _ = watcher.watch(&repository);
            }
            Mark { repository, branch: None, asked: 0, due: None, running: false }
        });
        mark.due = Some(mark.due.unwrap_or(now));
        Some(mark.branch.clone())
    }

    /// A pane is gone, or left its repository. True when it had one.
    pub(crate) fn forget(&mut self, pane: PaneId) -> bool {
        self.noisy.remove(&pane);
        let Some(root) = self.panes.remove(&pane) else { return false };
        if !self.panes.values().any(|r| *r == root)
            && let Some(mark) = self.repositories.remove(&root)
            && let Some(watcher) = &mut self.watcher
        {
            watcher.unwatch(&mark.repository);
        }
        true
    }

    /// The pane's program wrote: its repository is asked once it falls quiet.
    pub(crate) fn output(&mut self, pane: PaneId, now: u64) {
        if self.panes.contains_key(&pane) {
            self.noisy.insert(pane, now + QUIET);
        }
    }

    /// A command of the pane finished, or its repository's files changed.
    pub(crate) fn refresh(&mut self, root: &Path, now: u64) {
        if let Some(mark) = self.repositories.get_mut(root) {
            let at = now.max(mark.asked + PACE);
            mark.due = Some(mark.due.map_or(at, |due| due.min(at)));
        }
    }

    /// The repository a pane is in.
    pub(crate) fn root_of(&self, pane: PaneId) -> Option<PathBuf> {
        self.panes.get(&pane).cloned()
    }

    /// When something is due.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        let due = self.repositories.values().filter(|m| !m.running).filter_map(|m| m.due);
        due.chain(self.noisy.values().copied()).min()
    }

    /// Asks git, on the pool, about what is due.
    pub(crate) fn tick(&mut self, pool: &Pool<Found>, now: u64) {
        let quiet: Vec<PaneId> = self.noisy.iter().filter(|(_, at)| **at <= now).map(|(p, _)| *p).collect();
        for pane in quiet {
            self.noisy.remove(&pane);
            if let Some(root) = self.root_of(pane) {
                self.refresh(&root, now);
            }
        }
        for (root, mark) in &mut self.repositories {
            if mark.running || mark.due.is_none_or(|due| due > now) {
                continue;
            }
            mark.due = None;
            mark.running = true;
            mark.asked = now;
            let (root, repository) = (root.clone(), mark.repository.clone());
            pool.run(move || Some(Found::Branch(root, ask(&repository))));
        }
    }

    /// Git answered. Gives the panes whose mark changed, with the mark.
    pub(crate) fn answered(&mut self, root: &Path, branch: Option<&Branch>) -> Vec<(PaneId, Option<Branch>)> {
        let Some(mark) = self.repositories.get_mut(root) else { return Vec::new() };
        mark.running = false;
        if mark.branch.as_ref() == branch {
            return Vec::new();
        }
        mark.branch = branch.cloned();
        self.panes.iter().filter(|(_, r)| r.as_path() == root).map(|(p, _)| (*p, branch.cloned())).collect()
    }
}

fn ask(repository: &Repository) -> Option<Branch> {
    let status = git::status(repository, LIMIT).ok()?;
    Some(Branch {
        name: status.branch.or(status.detached)?,
        changed: status.changed,
        untracked: status.untracked,
        ahead: status.ahead.unwrap_or(0),
    })
}
