//! Edits a text file of somebody else's, which others may write at the same time: whole or not at all,
//! through links, its mode and owner kept, a copy beside it first, and no change of another's lost.
//!
//! Not here: what the edit is.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, Gid, Mode, RenameFlags, Uid, flock};

use crate::files::{read_capped, write_atomic};

/// How often an edit is made again because somebody else wrote meanwhile.
const TRIES: usize = 100;
/// Who writes a file writes it again soon: it must have been left alone this long.
const QUIET: Duration = Duration::from_millis(15);
/// What is put behind the name of the copy.
pub const BACKUP: &str = ".kraal-bak";

/// What becomes of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing.
    Same,
    /// It gets this text. A copy of what was there is made first, if asked for.
    Text(String, Copy),
    /// It goes.
    Gone(Copy),
}

/// Whether a copy of the file as it was is made beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// Over an older copy.
    Make,
    /// No.
    None,
}

/// Why an edit was not made; the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError<E> {
    /// The edit itself refused.
    #[error("{0}")]
    Refused(E),
    /// A link that leads nowhere.
    #[error("is a link to {0}, which is not there: make it, or remove the link")]
    Dangling(PathBuf),
    /// Not text.
    #[error("is not UTF-8: mend it, then try again")]
    NotText,
    /// Others write it all the time.
    #[error("is being written by another program all the time: try again later")]
    Busy,
    /// What the system says.
    #[error("{what}: {source}")]
    Io {
        /// What failed.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
}

/// A file, and how it is edited.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The file; folders above it are made where a text is written.
    pub path: &'a Path,
    /// Held while it is edited, so that our own edits come one after the other.
    pub lock: &'a Path,
    /// More bytes are not read.
    pub most: u64,
    /// The mode of a new file.
    pub mode: u32,
}

fn io_error<E>(what: &'static str) -> impl FnOnce(io::Error) -> EditError<E> {
    move |source| EditError::Io { what, source }
}

/// Makes the edit; whether anything changed. `edit` gets the text and the copy that is beside it, none
/// where there is none, and may be called again when somebody else wrote meanwhile.
///
/// # Errors
///
/// As [`EditError`] says.
pub fn edit<E>(
    place: Place<'_>,
    mut edit: impl FnMut(Option<&str>, Option<&str>) -> Result<Change, E>,
) -> Result<bool, EditError<E>> {
    let _lock = held(place.lock).map_err(io_error("the lock cannot be taken"))?;
    let path = target(place.path)?;
    let mut before = read(&path, place.most)?;
    for _ in 0..TRIES {
        let copy = read::<E>(&backup_of(&path), place.most).ok().flatten();
        match edit(before.as_deref(), copy.as_deref()).map_err(EditError::Refused)? {
            Change::Same => return Ok(false),
            Change::Text(text, copy) => {
                copied(&path, before.as_deref(), copy)?;
                match replace(&path, before.as_deref(), &text, place.mode)? {
                    None => return Ok(true),
                    Some(now) => before = now,
                }
            }
            Change::Gone(copy) => {
                copied(&path, before.as_deref(), copy)?;
                let now = read(&path, place.most)?;
                if now == before {
                    fs::remove_file(&path).map_err(io_error("it cannot be removed"))?;
                    return Ok(true);
                }
                before = now;
            }
        }
    }
    Err(EditError::Busy)
}

/// Reads the text of a file and the copy beside it, without a lock.
///
/// # Errors
///
/// As [`EditError`] says.
pub fn look(path: &Path, most: u64) -> Result<Option<String>, EditError<std::convert::Infallible>> {
    read(&target(path)?, most)
}

/// Where the copy of a file is.
pub fn backup_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(BACKUP);
    PathBuf::from(name)
}

/// Removes the copy beside a file, for instance because the file is as it was again.
///
/// # Errors
///
/// What the system says; none is no error.
pub fn remove_backup(path: &Path) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::remove_file(backup_of(&path)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn held(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

/// The file behind links.
fn target<E>(path: &Path) -> Result<PathBuf, EditError<E>> {
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::read_link(path) {
            Ok(to) => Err(EditError::Dangling(to)),
            Err(_) => Ok(path.to_owned()),
        },
        Err(source) => Err(EditError::Io { what: "it cannot be reached", source }),
    }
}

fn read<E>(path: &Path, most: u64) -> Result<Option<String>, EditError<E>> {
    match read_capped(path, most) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| EditError::NotText),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(EditError::Io { what: "it cannot be read", source }),
    }
}

fn copied<E>(path: &Path, text: Option<&str>, copy: Copy) -> Result<(), EditError<E>> {
    let Some(text) = text.filter(|_| copy == Copy::Make) else { return Ok(()) };
    let mode = fs::metadata(path).map_or(0o600, |found| found.mode() & 0o7777);
    write_atomic(&backup_of(path), text.as_bytes(), mode).map_err(io_error("its copy cannot be written"))
}

/// Puts a text in the file's place. Where somebody else wrote meanwhile: what is there now, the text
/// not in its place. (The inner None: it is gone.)
fn replace<E>(
    path: &Path,
    before: Option<&str>,
    text: &str,
    mode: u32,
) -> Result<Option<Option<String>>, EditError<E>> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput);
    let folder = folder.map_err(|kind| io_error("it cannot be written")(kind.into()))?;
    if before.is_none() {
        fs::create_dir_all(folder).map_err(io_error("its folder cannot be made"))?;
    }
    let new = beside(folder, path, text, mode).map_err(io_error("it cannot be written"))?;
    let placed = match before {
        None => put_where_nothing_is(&new, path),
        Some(before) => exchange(&new, path, before),
    };
    // Whatever is left of it: the old text, or a new one that was not wanted.
    let _ = fs::remove_file(&new);
    match placed {
        Ok(true) => {
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(io_error("its folder cannot be written"))?;
            Ok(None)
        }
        Ok(false) => Ok(Some(read(path, u64::MAX / 2)?)),
        Err(source) => Err(EditError::Io { what: "it cannot be written", source }),
    }
}

fn beside(folder: &Path, path: &Path, text: &str, mode: u32) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let new = folder.join(format!(".{name}.{:016x}.new", u64::from_ne_bytes(random)));
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        let old = fs::metadata(path).ok();
        if let Some(old) = &old
            && let Ok(made) = file.metadata()
            && (made.uid(), made.gid()) != (old.uid(), old.gid())
        {
            // Who may not give files away keeps them: the text counts.
            let (uid, gid) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
            let _ = rustix::fs::fchown(file.as_fd(), Some(uid), Some(gid));
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

fn put_where_nothing_is(new: &Path, path: &Path) -> io::Result<bool> {
    match fs::hard_link(new, path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Waits until nobody has written the file for a moment; whether it then still is what was read.
fn settled(path: &Path, before: &str) -> bool {
    let age = || fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
    // A time that lies in the future says nothing.
    if let Some(age) = age().filter(|age| *age < QUIET) {
        std::thread::sleep(QUIET - age);
    }
    fs::read(path).is_ok_and(|bytes| bytes == before.as_bytes()) && age().is_none_or(|age| age >= QUIET)
}

/// Swaps the two, looks whether what came out is what was read, and swaps back where it is not.
fn exchange(new: &Path, path: &Path, before: &str) -> io::Result<bool> {
    let here = rustix::fs::CWD;
    let swap = || rustix::fs::renameat_with(here, new, here, path, RenameFlags::EXCHANGE);
    let is_before = |path: &Path| fs::read(path).is_ok_and(|bytes| bytes == before.as_bytes());
    // Between the swaps others would read a text that lacks their last change.
    if !settled(path, before) {
        return Ok(false);
    }
    match swap() {
        Ok(()) if is_before(new) => Ok(true),
        Ok(()) => {
            swap()?;
            Ok(false)
        }
        Err(rustix::io::Errno::NOENT) => Ok(false),
        // A file system that cannot: looked at right before.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => match is_before(path) {
            true => fs::rename(new, path).map(|()| true),
            false => Ok(false),
        },
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn append(root: &Path, path: &Path, line: &str) -> Result<bool, EditError<Infallible>> {
        let lock = root.join("lock");
        let place = Place { path, lock: &lock, most: 1 << 20, mode: 0o644 };
        edit(place, |text, _| {
            let text = text.unwrap_or_default();
            Ok(Change::Text(format!("{text}{line}\n"), Copy::Make))
        })
    }

    #[test]
    fn a_link_stays_and_its_target_keeps_mode_and_gets_a_copy() {
        let root = tempfile::tempdir().unwrap();
        let (file, link) = (root.path().join("real/settings"), root.path().join("link"));
        fs::create_dir(root.path().join("real")).unwrap();
        fs::write(&file, "one\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real/settings", &link).unwrap();
        assert!(append(root.path(), &link, "two").unwrap());
        assert_eq!(fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(fs::read_to_string(backup_of(&file)).unwrap(), "one\n");
        assert_eq!(fs::read_dir(root.path().join("real")).unwrap().count(), 2, "nothing else is left");
        remove_backup(&link).unwrap();
        assert!(!backup_of(&file).exists());
    }

    #[test]
    fn what_cannot_be_edited_is_said_and_left() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("link");
        symlink("nowhere", &link).unwrap();
        assert!(matches!(append(root.path(), &link, "x"), Err(EditError::Dangling(_))));
        let folder = root.path().join("folder");
        fs::create_dir(&folder).unwrap();
        assert!(matches!(append(root.path(), &folder, "x"), Err(EditError::Io { .. })));
        let binary = root.path().join("binary");
        fs::write(&binary, b"\xff\xfe").unwrap();
        assert!(matches!(append(root.path(), &binary, "x"), Err(EditError::NotText)));
        fs::write(root.path().join("file"), "").unwrap();
        let below = root.path().join("file/settings");
        assert!(append(root.path(), &below, "x").is_err());
        let large = root.path().join("large");
        fs::write(&large, vec![b'x'; (1 << 20) + 1]).unwrap();
        assert!(append(root.path(), &large, "x").is_err());
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("new/settings");
        std::thread::scope(|scope| {
            for n in 0..20 {
                let (root, path) = (root.path(), &path);
                scope.spawn(move || append(root, path, &format!("line {n}")).unwrap());
            }
        });
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 20, "{text}");
    }

    #[test]
    fn another_program_that_replaces_the_file_loses_nothing() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("settings");
        fs::write(&path, "").unwrap();
        let mut written = 0;
        let lock = root.path().join("lock");
        let place = Place { path: &path, lock: &lock, most: 1 << 20, mode: 0o644 };
        // Another's change comes between the look and the edit, again and again.
        let done = edit::<Infallible>(place, |text, _| {
            let text = text.unwrap_or_default().to_owned();
            if written < 5 {
                written += 1;
                let theirs = root.path().join("theirs");
                fs::write(&theirs, format!("{text}theirs {written}\n")).unwrap();
                fs::rename(&theirs, &path).unwrap();
            }
            Ok(Change::Text(format!("{text}ours\n"), Copy::None))
        });
        assert!(done.unwrap());
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "theirs 1\ntheirs 2\ntheirs 3\ntheirs 4\ntheirs 5\nours\n");
    }
}
