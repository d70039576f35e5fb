//! Tells which files of a folder were written: those in which running agents say what they do.
//!
//! One descriptor for all folders, no thread, no polling (inotify). Not here: reading the files.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

/// Watches folders for files that are written or put in place.
#[derive(Debug)]
pub struct Letters {
    fd: OwnedFd,
}

/// A watched folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Folder(i32);

impl Letters {
    /// Watches nothing yet.
    ///
    /// # Errors
    ///
    /// The system has no more watches to give.
    pub fn new() -> io::Result<Self> {
        Ok(Letters { fd: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)? })
    }

    /// Watches a folder; the same folder gives the same name.
    ///
    /// # Errors
    ///
    /// It is not there, or no watches are left.
    pub fn watch(&self, folder: &Path) -> io::Result<Folder> {
        let what = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
        Ok(Folder(inotify::add_watch(&self.fd, folder, what)?))
    }

    /// The same, and told as well of what is made, taken away or given another name in it.
    ///
    /// # Errors
    ///
    /// As `watch`.
    pub fn watch_names(&self, folder: &Path) -> io::Result<Folder> {
        let names = WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MOVED_FROM | WatchFlags::MASK_ADD;
        let what = names | WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR;
        Ok(Folder(inotify::add_watch(&self.fd, folder, what)?))
    }

    /// Stops watching a folder.
    pub fn unwatch(&self, folder: Folder) {
        // One that went is not watched any more in any case.
        let _ = inotify::remove_watch(&self.fd, folder.0);
    }

    /// What was written since this was last asked, each once.
    pub fn written(&self) -> Vec<(Folder, OsString)> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        let mut found = Vec::new();
        loop {
            match reader.next() {
                Ok(event) => {
                    let Some(name) = event.file_name() else { continue };
                    let one = (Folder(event.wd()), OsString::from_vec(name.to_bytes().to_vec()));
                    if !found.contains(&one) {
                        found.push(one);
                    }
                }
                Err(Errno::INTR) => {}
                Err(_) => return found,
            }
        }
    }
}

impl AsFd for Letters {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_and_what_is_put_in_place_is_told_once() {
        let root = tempfile::tempdir().expect("a folder");
        let letters = Letters::new().expect("a watch");
        let folder = letters.watch(root.path()).expect("watched");
        assert_eq!(letters.watch(root.path()).expect("watched"), folder);
        std::fs::write(root.path().join("1.json"), "a").expect("written");
        std::fs::write(root.path().join("1.json"), "b").expect("written");
        std::fs::rename(root.path().join("1.json"), root.path().join("2.json")).expect("moved");
        let found = letters.written();
        assert_eq!(found, [(folder, "1.json".into()), (folder, "2.json".into())]);
        letters.unwatch(folder);
        std::fs::write(root.path().join("3.json"), "c").expect("written");
        assert!(letters.written().is_empty());
        assert!(letters.watch(&root.path().join("missing")).is_err());
    }
}
