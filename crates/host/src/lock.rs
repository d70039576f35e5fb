//! The lock that keeps a second keeper off an environment's files.
//!
//! A `flock` on a file of the state folder, which the keeper takes at its start and hands, as a descriptor, to
//! every server it starts: it is free again only when the last process that holds it is gone, so a server that
//! outlives its keeper by a second still keeps the next one out. The pid in the file is for messages; the lock
//! alone decides.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use thiserror::Error;

/// Why the lock was not taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another process has it.
    #[error("the session is already kept by {}: end it first ({path})", holder_text(*.pid))]
    Held {
        /// The lock file.
        path: PathBuf,
        /// What its holder wrote into it, `None` when that is unreadable.
        pid: Option<u32>,
    },
    /// The file cannot be opened or locked.
    #[error("cannot take the lock {path}: {source}")]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn holder_text(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

/// The held lock. It ends when the last duplicate of its descriptor is closed.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// Takes the lock at once or says who has it, and writes this process's pid into the file.
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        let failed = |source| LockError::Io { path: path.to_owned(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                return Err(LockError::Held { path: path.to_owned(), pid: read_pid(&mut file) });
            }
            Err(error) => return Err(failed(error.into())),
        }
        // A pid that cannot be written (a full disk) costs a word in a message, not the lock.
        let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self(file))
    }

    /// The lock behind a descriptor that another process took it with.
    pub fn adopt(fd: OwnedFd) -> Self {
        Self(File::from(fd))
    }
}

impl AsFd for Lock {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Who holds the lock at `path`: `None` when nobody does, `Some(None)` when somebody without a readable pid.
pub fn holder(path: &Path) -> Option<Option<u32>> {
    let mut file = File::open(path).ok()?;
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Err(rustix::io::Errno::WOULDBLOCK) => Some(read_pid(&mut file)),
        _ => None,
    }
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("lock");
        assert_eq!(holder(&path), None);
        let lock = Lock::acquire(&path).unwrap();
        assert_eq!(holder(&path), Some(Some(std::process::id())));
        let error = Lock::acquire(&path).unwrap_err();
        assert!(matches!(error, LockError::Held { pid: Some(pid), .. } if pid == std::process::id()));

        // A duplicate, as the server has one, holds it on.
        let copy = Lock::adopt(lock.as_fd().try_clone_to_owned().unwrap());
        drop(lock);
        assert!(Lock::acquire(&path).is_err());
        drop(copy);
        // Another test's fork may hold it for a moment longer.
        while holder(&path).is_some() {
            std::thread::yield_now();
        }
        drop(Lock::acquire(&path).unwrap());
    }

    #[test]
    fn a_missing_folder_is_said() {
        let error = Lock::acquire(Path::new("/nonexistent/lock")).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/lock"), "{error}");
    }
}
