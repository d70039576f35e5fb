//! Changes of git folders, told once for a burst.
//!
//! Watches the few folders where git leaves its marks (`HEAD` and `index`; branches), never a whole tree. What to
//! do about a change is decided elsewhere; working files are not watched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ::notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::git::Repository;

/// Tells of changes in the watched repositories, from one thread of its own (and one of the `notify` crate's),
/// however many there are.
#[derive(Debug)]
pub struct Watcher {
    inner: RecommendedWatcher,
    to_thread: Sender<Word>,
    /// How often each repository is watched.
    repositories: BTreeMap<Repository, usize>,
    /// How many repositories look at each folder.
    folders: BTreeMap<PathBuf, usize>,
}

#[derive(Debug)]
enum Word {
    Watch(Repository),
    Unwatch(Repository),
    Changed(Vec<PathBuf>),
    End,
}

impl Watcher {
    /// Calls `changed`, on the watcher's thread, with a repository `debounce` after the first change of a burst.
    pub fn new(
        debounce: Duration,
        changed: impl Fn(&Repository) + Send + 'static,
    ) -> Result<Self, ::notify::Error> {
        let (to_thread, words) = channel();
        let events = to_thread.clone();
        let inner = RecommendedWatcher::new(
            move |event: ::notify::Result<Event>| {
                if let Ok(event) = event
                    && !event.kind.is_access()
                {
                    // A thread that is gone has nobody left to tell.
                    let _ = events.send(Word::Changed(event.paths));
                }
            },
            Config::default(),
        )?;
        let thread = thread::Builder::new().name("kraal-watch".to_owned());
        thread.spawn(move || tell(&words, debounce, &changed)).map_err(::notify::Error::io)?;
        Ok(Self { inner, to_thread, repositories: BTreeMap::new(), folders: BTreeMap::new() })
    }

    /// Watches `HEAD`, index and branches of a repository. Each call wants an [`Watcher::unwatch`].
    pub fn watch(&mut self, repository: &Repository) -> Result<(), ::notify::Error> {
        let count = self.repositories.entry(repository.clone()).or_default();
        *count += 1;
        if *count > 1 {
            return Ok(());
        }
        let _ = self.to_thread.send(Word::Watch(repository.clone()));
        for folder in folders(repository) {
            let count = self.folders.entry(folder.clone()).or_default();
            *count += 1;
            if *count == 1
                && let Err(error) = self.inner.watch(&folder, RecursiveMode::NonRecursive)
                && folder == repository.git_dir
            {
                self.unwatch(repository);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes one [`Watcher::watch`] back.
    pub fn unwatch(&mut self, repository: &Repository) {
        let Some(count) = self.repositories.get_mut(repository) else { return };
        *count -= 1;
        if *count > 0 {
            return;
        }
        self.repositories.remove(repository);
        let _ = self.to_thread.send(Word::Unwatch(repository.clone()));
        for folder in folders(repository) {
            let Some(count) = self.folders.get_mut(&folder) else { continue };
            *count -= 1;
            if *count == 0 {
                self.folders.remove(&folder);
                // Removed folders are not watched any more in any case.
                let _ = self.inner.unwatch(&folder);
            }
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.to_thread.send(Word::End);
    }
}

/// Where a repository's marks are. The own folder first: it is the one that must be there.
fn folders(repository: &Repository) -> Vec<PathBuf> {
    let mut folders = vec![
        repository.git_dir.clone(),
        repository.common_dir.clone(),
        repository.common_dir.join("refs/heads"),
    ];
    folders.dedup();
    folders
}

/// Whether a change at `path` says something of `repository`: lock files come and go with every look of git.
fn concerns(repository: &Repository, path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "lock") {
        return false;
    }
    let Some(folder) = path.parent() else { return false };
    let name = path.file_name().unwrap_or_default();
    if folder == repository.git_dir {
        return ["HEAD", "index", "FETCH_HEAD", "MERGE_HEAD", "config", "packed-refs"]
            .iter()
            .any(|known| *known == name);
    }
    folder == repository.common_dir.join("refs/heads")
        || folder == repository.common_dir && ["config", "packed-refs"].iter().any(|known| *known == name)
}

/// The thread: gathers changes, and tells of each repository once a burst.
fn tell(words: &Receiver<Word>, debounce: Duration, changed: &dyn Fn(&Repository)) {
    let mut watched = BTreeSet::new();
    let mut due: BTreeMap<Repository, Instant> = BTreeMap::new();
    loop {
        let word = match due.values().min() {
            Some(at) => words.recv_timeout(at.saturating_duration_since(Instant::now())),
            None => words.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match word {
            Ok(Word::Watch(repository)) => drop(watched.insert(repository)),
            Ok(Word::Unwatch(repository)) => {
                watched.remove(&repository);
                due.remove(&repository);
            }
            Ok(Word::Changed(paths)) => {
                let at = Instant::now() + debounce;
                for repository in watched.iter().filter(|one| paths.iter().any(|path| concerns(one, path))) {
                    due.entry(repository.clone()).or_insert(at);
                }
            }
            Ok(Word::End) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        due.retain(|repository, at| {
            let is_due = *at <= now;
            if is_due {
                changed(repository);
            }
            !is_due
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn repository(root: &Path) -> Repository {
        let git_dir = root.join(".git");
        fs::create_dir_all(git_dir.join("refs/heads")).unwrap();
        fs::write(git_dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        crate::git::at(root).unwrap()
    }

    #[test]
    fn a_burst_is_told_once() {
        let base = tempfile::tempdir().unwrap();
        let (first, second) = (repository(&base.path().join("a")), repository(&base.path().join("b")));
        let (send, told) = channel();
        let mut watcher = Watcher::new(Duration::from_millis(40), move |repository| {
            let _ = send.send(repository.clone());
        })
        .unwrap();
        for one in [&first, &first, &second] {
            watcher.watch(one).unwrap();
        }
        fs::write(first.git_dir.join("index.lock"), "x").unwrap();
        for number in 0..50 {
            fs::write(first.git_dir.join("index"), number.to_string()).unwrap();
        }
        assert_eq!(told.recv_timeout(LONG).unwrap(), first);
        fs::write(second.common_dir.join("refs/heads/topic"), "x").unwrap();
        // The first burst may have been told twice on a slow machine, never fifty times.
        let told_before: Vec<_> =
            std::iter::from_fn(|| told.recv_timeout(LONG).ok().filter(|one| *one == first)).collect();
        assert!(told_before.len() < 10);

        watcher.unwatch(&first);
        fs::rename(first.git_dir.join("index.lock"), first.git_dir.join("HEAD")).unwrap();
        assert_eq!(told.recv_timeout(LONG).unwrap(), first, "watched once more than unwatched");
        watcher.unwatch(&first);
        watcher.unwatch(&first);
        assert!(watcher.repositories.len() == 1 && watcher.folders.len() == 2);
        drop(watcher);
        assert!(
            matches!(told.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected)),
            "the thread has ended"
        );
    }

    #[test]
    fn a_missing_folder_is_said() {
        let base = tempfile::tempdir().unwrap();
        let gone = Repository {
            root: base.path().to_owned(),
            git_dir: base.path().join("none"),
            common_dir: base.path().join("none"),
        };
        let mut watcher = Watcher::new(Duration::ZERO, |_| ()).unwrap();
        assert!(watcher.watch(&gone).is_err());
        assert!(watcher.repositories.is_empty() && watcher.folders.is_empty());
    }
}
