//! Puts a file in another's place, or takes it away, only where that other is still what it was: what
//! somebody wrote meanwhile stays, or comes back.
//!
//! Not here: when to try again, what is written (`edit`).

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Gid, Mode, RenameFlags, Uid};

/// How often somebody may write over what is just put back.
const SWAPS: usize = 100;

/// A name of its own in the same folder.
fn beside_name(path: &Path) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(path.with_file_name(format!(".{name}.{:016x}.new", u64::from_ne_bytes(random))))
}

pub(super) fn beside(path: &Path, text: &str, mode: u32) -> io::Result<PathBuf> {
    let new = beside_name(path)?;
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        let old = fs::metadata(path).ok();
        if let Some(old) = &old {
            owned_as(&file, old);
        }
        let mode = old.map_or(mode, |old| old.mode() & 0o7777);
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    })();
    match written {
        Ok(()) => Ok(new),
        Err(error) => {
            let _ = fs::remove_file(&new);
            Err(error)
        }
    }
}

/// Gives a file the owner of another. Who may not give files away keeps them: the text counts.
fn owned_as(file: &File, old: &Metadata) {
    if file.metadata().is_ok_and(|made| (made.uid(), made.gid()) != (old.uid(), old.gid())) {
        let (uid, gid) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
        let _ = rustix::fs::fchown(file.as_fd(), Some(uid), Some(gid));
    }
}

pub(super) fn put_where_nothing_is(new: &Path, path: &Path) -> io::Result<bool> {
    match fs::hard_link(new, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// How long ago a file was written; none where that is not known, or lies in the future.
pub(super) fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

pub(super) fn wait_until_older(path: &Path, quiet: Duration) {
    if let Some(age) = age(path).filter(|age| *age < quiet) {
        std::thread::sleep(quiet.saturating_sub(age));
    }
}

fn holds(path: &Path, text: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// Waits until nobody has written the file for a moment; whether it then still is what was read.
fn settled(path: &Path, before: &str, quiet: Duration) -> bool {
    wait_until_older(path, quiet);
    holds(path, before) && age(path).is_none_or(|age| age >= quiet)
}

/// Swaps the two, looks whether what came out is what was read, and swaps back where it is not.
pub(super) fn exchange(
    new: &Path,
    path: &Path,
    (before, text): (&str, &str),
    quiet: Duration,
) -> io::Result<bool> {
    // Between the swaps others would read a text that lacks their last change.
    if !settled(path, before, quiet) {
        return Ok(false);
    }
    match swap(new, path) {
        Ok(()) if holds(new, before) => Ok(true),
        Ok(()) => give_back(new, path, text).map(|()| false),
        Err(rustix::io::Errno::NOENT) => Ok(false),
        // A file system that cannot: looked at right before.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => match holds(path, before) {
            true => fs::rename(new, path).map(|()| true),
            false => Ok(false),
        },
        Err(error) => Err(error.into()),
    }
}

fn swap(one: &Path, other: &Path) -> rustix::io::Result<()> {
    let here = rustix::fs::CWD;
    rustix::fs::renameat_with(here, one, here, other, RenameFlags::EXCHANGE)
}

/// Puts back what came out in a swap. What was written over our text meanwhile is newer, and goes in its
/// place instead.
fn give_back(new: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut stood = text.as_bytes().to_vec();
    for _ in 0..SWAPS {
        let theirs = fs::read(new)?;
        swap(new, path)?;
        if fs::read(new)? == stood {
            break;
        }
        stood = theirs;
    }
    Ok(())
}

/// Removes the file; not where somebody else wrote meanwhile.
pub(super) fn remove(path: &Path, before: &str, quiet: Duration) -> io::Result<bool> {
    if !settled(path, before, quiet) {
        return Ok(false);
    }
    let out = beside_name(path)?;
    fs::rename(path, &out)?;
    if holds(&out, before) {
        fs::remove_file(&out)?;
        sync_folder(path)?;
        return Ok(true);
    }
    // Theirs goes back, unless they have written a newer one by now.
    let back = fs::hard_link(&out, path);
    fs::remove_file(&out)?;
    match back {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(false),
    }
}

/// Makes sure that the names in a file's folder last.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_over_ours_meanwhile_is_not_lost() {
        let root = tempfile::tempdir().unwrap();
        let (path, new) = (root.path().join("settings"), root.path().join("new"));
        for (stands, came_out, kept) in [("ours", "theirs", "theirs"), ("newer", "theirs", "newer")] {
            fs::write(&path, stands).unwrap();
            fs::write(&new, came_out).unwrap();
            give_back(&new, &path, "ours").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), kept);
        }
    }
}
