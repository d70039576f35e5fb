//! Changes of git folders.
use crate::git::Repository;
use std::time::Duration;
/// Tells of changes in the watched repositories, from a thread of its own.
#[derive(Debug)]
pub struct Watcher {}
impl Watcher {
    /// Calls `changed` (on the watcher's thread) with a repository `debounce` after the first of a burst of changes.
    pub fn new(
        _debounce: Duration,
        _changed: impl Fn(&Repository) + Send + 'static,
    ) -> Result<Self, ::notify::Error> {
        Ok(Self {})
    }
    /// Watches HEAD, index and branches of a repository; once more each time it is called.
    pub fn watch(&mut self, _repository: &Repository) -> Result<(), ::notify::Error> {
        Ok(())
    }
    /// Takes one [`Watcher::watch`] back.
    pub fn unwatch(&mut self, _repository: &Repository) {}
}
