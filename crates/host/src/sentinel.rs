//! Tells when a socket's file was taken away from under its listener: by a cleaner of temporary folders, by hand.
//!
//! It only tells; making the socket again is the server's business. No polling: the kernel says it (inotify).

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

/// Watches one file's place.
#[derive(Debug)]
pub struct Sentinel {
    fd: OwnedFd,
    path: PathBuf,
    name: OsString,
}

impl Sentinel {
    /// Watches the folder of `path`, which must exist.
    ///
    /// # Errors
    ///
    /// What the system says: no watches left, no such folder.
    pub fn new(path: &Path) -> io::Result<Self> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let sentinel = Self {
            fd: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?,
            path: path.to_owned(),
            name,
        };
        sentinel.watch()?;
        Ok(sentinel)
    }

    /// Watches again: after the folder itself went and was made anew.
    ///
    /// # Errors
    ///
    /// As [`Sentinel::new`].
    pub fn watch(&self) -> io::Result<()> {
        let folder = self.path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let what =
            WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF;
        inotify::add_watch(&self.fd, folder, what)?;
        Ok(())
    }

    /// Whether the file is gone, after the descriptor became readable.
    pub fn is_gone(&self) -> bool {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        let mut concerned = false;
        loop {
            match reader.next() {
                Ok(event) => {
                    let named = event.file_name().is_some_and(|name| name.to_bytes() == self.name.as_bytes());
                    concerned |= named || event.file_name().is_none();
                }
                Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
        concerned && std::fs::symlink_metadata(&self.path).is_err()
    }
}

impl AsFd for Sentinel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_removed_file_is_noticed_and_another_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("api.sock");
        std::fs::write(&path, "").expect("a file");
        std::fs::write(folder.path().join("other"), "").expect("a file");
        let sentinel = Sentinel::new(&path).expect("a watch");
        std::fs::remove_file(folder.path().join("other")).expect("removed");
        assert!(!sentinel.is_gone());
        std::fs::remove_file(&path).expect("removed");
        assert!(sentinel.is_gone());
    }

    #[test]
    fn a_removed_folder_is_noticed_and_watched_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run").join("api.sock");
        std::fs::create_dir(folder.path().join("run")).expect("a folder");
        std::fs::write(&path, "").expect("a file");
        let sentinel = Sentinel::new(&path).expect("a watch");
        std::fs::remove_dir_all(folder.path().join("run")).expect("removed");
        assert!(sentinel.is_gone());
        std::fs::create_dir(folder.path().join("run")).expect("a folder");
        std::fs::write(&path, "").expect("a file");
        sentinel.watch().expect("watched anew");
        std::fs::remove_file(&path).expect("removed");
        assert!(sentinel.is_gone());
    }
}
