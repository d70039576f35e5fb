//! Edits a text file of somebody else's, which others may write at the same time: whole or not at all,
//! through links, its mode and owner kept, a copy beside it first, and no change of another's lost.
//!
//! Not here: what the edit is.

mod swap;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use crate::files::read_capped;
use swap::{age, beside, exchange, put_where_nothing_is, remove, sync_folder, wait_until_older};

/// How often an edit is made again because somebody else wrote meanwhile.
const TRIES: usize = 300;
/// Who writes a file writes it again soon: it must have been left alone this long.
const QUIET: Duration = Duration::from_millis(15);
/// What is enough from these tries on, where somebody leaves it alone for less.
const LESS_QUIET: [(usize, Duration); 2] = [(20, Duration::from_millis(5)), (40, Duration::from_millis(1))];
/// A file that was written this lately may be written again by who read it before us: it is looked at twice.
const LATELY: Duration = Duration::from_secs(1);
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
    let mut disturbed = age(&path).is_some_and(|age| age < LATELY);
    let mut changed = false;
    for turn in 0..TRIES {
        let copy = read::<E>(&backup_of(&path), place.most).ok().flatten();
        let wanted = match edit(before.as_deref(), copy.as_deref()) {
            Ok(wanted) => wanted,
            Err(error) => {
                // What is half written is read again.
                wait_until_older(&path, QUIET);
                let now = read(&path, place.most)?;
                if now == before {
                    return Err(EditError::Refused(error));
                }
                before = now;
                continue;
            }
        };
        let quiet = quiet(turn, before.as_deref());
        let (placed, text) = match wanted {
            Change::Same => return Ok(changed),
            Change::Text(text, copy) => {
                copied(&path, before.as_deref(), copy)?;
                (replace(&path, before.as_deref(), &text, (place.mode, quiet))?, Some(text))
            }
            Change::Gone(copy) => {
                copied(&path, before.as_deref(), copy)?;
                let gone = remove(&path, before.as_deref().unwrap_or_default(), quiet);
                (gone.map_err(io_error("it cannot be removed"))?, None)
            }
        };
        changed |= placed;
        if placed && disturbed {
            // Who read it before us may write what it read.
            std::thread::sleep(QUIET);
        }
        if placed && !disturbed {
            return Ok(true);
        }
        disturbed = true;
        before = read(&path, place.most)?;
        if placed && before == text {
            return Ok(true);
        }
    }
    Err(EditError::Busy)
}

/// How long a file must have been left alone before it is changed.
fn quiet(turn: usize, before: Option<&str>) -> Duration {
    // An empty one is likely about to be written.
    let less = LESS_QUIET.iter().rev().find(|(from, _)| turn >= *from);
    let less = less.filter(|_| before.is_some_and(|text| !text.trim().is_empty()));
    less.map_or(QUIET, |(_, quiet)| *quiet)
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
    // With the mode and owner of the file.
    let placed = beside(path, text, 0o600).and_then(|new| {
        let renamed = fs::rename(&new, backup_of(path));
        renamed.inspect_err(|_| drop(fs::remove_file(&new)))
    });
    placed.and_then(|()| sync_folder(path)).map_err(io_error("its copy cannot be written"))
}

/// Puts a text in the file's place; not where somebody else wrote meanwhile.
fn replace<E>(
    path: &Path,
    before: Option<&str>,
    text: &str,
    (mode, quiet): (u32, Duration),
) -> Result<bool, EditError<E>> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput);
    let folder = folder.map_err(|kind| io_error("it cannot be written")(kind.into()))?;
    if before.is_none() {
        fs::create_dir_all(folder).map_err(io_error("its folder cannot be made"))?;
    }
    let new = beside(path, text, mode).map_err(io_error("it cannot be written"))?;
    let placed = match before {
        None => put_where_nothing_is(&new, path),
        Some(before) => exchange(&new, path, (before, text), quiet),
    };
    // Whatever is left of it: the old text, or a new one that was not wanted.
    let _ = fs::remove_file(&new);
    match placed {
        Ok(true) => {
            sync_folder(path).map_err(io_error("its folder cannot be written"))?;
            Ok(true)
        }
        Ok(false) => Ok(false),
        Err(source) => Err(EditError::Io { what: "it cannot be written", source }),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

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
        assert_eq!(fs::metadata(backup_of(&file)).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(fs::read_dir(root.path().join("real")).unwrap().count(), 2, "nothing else is left");
        remove_backup(&link).unwrap();
        assert!(!backup_of(&file).exists());
    }

    #[test]
    fn the_owner_stays_and_the_copy_has_it_too() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("settings");
        fs::write(&file, "one\n").unwrap();
        // Whoever may not give files away looks at their own.
        let _ = std::os::unix::fs::chown(&file, Some(12345), Some(12346));
        let owner = |path: &Path| fs::metadata(path).map(|found| (found.uid(), found.gid())).unwrap();
        let before = owner(&file);
        assert!(append(root.path(), &file, "two").unwrap());
        assert_eq!((owner(&file), owner(&backup_of(&file))), (before, before));
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

    /// Another program that reads the file, adds a line and puts it in place, with a pause.
    fn writes_along(path: &Path, pause: Duration, stop: &std::sync::atomic::AtomicBool) -> usize {
        let mut lines = 0;
        while !stop.load(std::sync::atomic::Ordering::Relaxed) {
            let text = fs::read_to_string(path).unwrap();
            let theirs = path.with_extension("theirs");
            fs::write(&theirs, format!("{text}theirs {lines}\n")).unwrap();
            fs::rename(&theirs, path).unwrap();
            lines += 1;
            std::thread::sleep(pause);
        }
        lines
    }

    #[test]
    fn a_program_that_writes_all_the_time_keeps_every_line() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("settings");
        fs::write(&path, "").unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        let lock = root.path().join("lock");
        let place = Place { path: &path, lock: &lock, most: 1 << 20, mode: 0o644 };
        let lines = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| writes_along(&path, Duration::from_millis(8), &stop));
            for _ in 0..3 {
                let put = edit::<Infallible>(place, |text, _| {
                    let text = text.unwrap_or_default();
                    match text.contains("ours\n") {
                        true => Ok(Change::Same),
                        false => Ok(Change::Text(format!("ours\n{text}"), Copy::None)),
                    }
                });
                put.unwrap();
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            theirs.join().unwrap()
        });
        let text = fs::read_to_string(&path).unwrap();
        for line in 0..lines {
            assert!(text.contains(&format!("theirs {line}\n")), "line {line} of {lines}\n{text}");
        }
        assert_eq!(text.matches("ours\n").count(), 1, "{text}");
    }

    #[test]
    fn a_file_that_another_wrote_is_not_removed() {
        let root = tempfile::tempdir().unwrap();
        let (path, lock) = (root.path().join("settings"), root.path().join("lock"));
        fs::write(&path, "ours").unwrap();
        let mut calls = 0;
        let place = Place { path: &path, lock: &lock, most: 1 << 20, mode: 0o644 };
        let done = edit::<Infallible>(place, |text, _| {
            calls += 1;
            match text {
                Some("ours") => {
                    fs::write(&path, "theirs").unwrap();
                    Ok(Change::Gone(Copy::None))
                }
                _ => Ok(Change::Same),
            }
        });
        assert!(!done.unwrap());
        assert_eq!((calls, fs::read_to_string(&path).unwrap().as_str()), (2, "theirs"));
    }

    #[test]
    fn what_is_half_written_is_read_again() {
        let root = tempfile::tempdir().unwrap();
        let (path, lock) = (root.path().join("settings"), root.path().join("lock"));
        fs::write(&path, "hal").unwrap();
        let place = Place { path: &path, lock: &lock, most: 1 << 20, mode: 0o644 };
        let done = edit(place, |text, _| match text {
            Some("hal") => {
                fs::write(&path, "half and half").unwrap();
                Err("half")
            }
            Some(text) => Ok(Change::Text(format!("{text}, ours"), Copy::None)),
            None => Err("gone"),
        });
        assert!(matches!(done, Ok(true)), "{done:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "half and half, ours");
        let refused = edit(place, |_, _| Err::<Change, _>("no"));
        assert!(matches!(refused, Err(EditError::Refused("no"))));
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
