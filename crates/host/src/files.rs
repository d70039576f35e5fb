//! Files that are never half written, never read without end, and never lost when they cannot be read.
//!
//! Bytes only; formats are their owners' business.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Replaces `path` by a file of `bytes` with the given mode, so that a crash at any instant leaves the old file or
/// the new one: written beside it, synced, renamed, the folder synced. A link is replaced, not followed.
pub fn write_atomic(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = folder_of(path);
    let beside = beside(path)?;
    let written = write_new(&beside, bytes, mode).and_then(|()| fs::rename(&beside, path));
    if let Err(error) = written {
        let _ = fs::remove_file(&beside);
        return Err(error);
    }
    File::open(folder)?.sync_all()
}

fn write_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    // The umask took its part of the mode.
    rustix::fs::fchmod(&file, rustix::fs::Mode::from_raw_mode(mode))?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name of its own in the same folder.
fn beside(path: &Path) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{:016x}.new", u64::from_ne_bytes(random)));
    Ok(path.with_file_name(beside))
}

/// The bytes of `path`; an error of kind `FileTooLarge` when there are more than `most`. Only regular files are
/// read: a pipe or a device in a file's place does not block.
pub fn read_capped(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} is no file", path.display())));
    }
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let text = format!("{} has more than {most} bytes", path.display());
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// Moves a file that cannot be read out of the way, to `<path>.broken-<n>`, over nothing that is there; answers
/// where it went.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    for number in 1..10_000 {
        let mut aside = path.as_os_str().to_owned();
        aside.push(format!(".broken-{number}"));
        let aside = PathBuf::from(aside);
        match rename_onto_nothing(path, &aside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Ok(()) => return Ok(aside),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("too many broken copies of {}: remove some", path.display())))
}

fn rename_onto_nothing(from: &Path, to: &Path) -> io::Result<()> {
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    let here = rustix::fs::CWD;
    match rustix::fs::renameat_with(here, from, here, to, flags) {
        // A file system that cannot: nobody else moves files here, so looking first is good enough.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => match fs::symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        other => Ok(other?),
    }
}

/// Opens a log to append to (0600), after moving one larger than `most` bytes to `<path>.old`.
pub fn open_log(path: &Path, most: u64) -> io::Result<File> {
    if fs::metadata(path).is_ok_and(|found| found.len() > most) {
        let mut old = path.as_os_str().to_owned();
        old.push(".old");
        fs::rename(path, old)?;
    }
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// Whether there is a file that fits `pattern` beneath `root`: parts between `/`, in each at most one
/// `*` for anything within that part. Folders are looked into, links followed, nothing is opened.
pub fn matches(root: &Path, pattern: &str) -> bool {
    let (part, rest) = match pattern.split_once('/') {
        Some((part, rest)) => (part, Some(rest)),
        None => (pattern, None),
    };
    let fits_on = |path: &Path| match rest {
        Some(rest) => matches(path, rest),
        None => path.is_file(),
    };
    let Some((before, after)) = part.split_once('*') else { return fits_on(&root.join(part)) };
    let Ok(entries) = fs::read_dir(root) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { return false };
        let fits =
            name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after);
        fits && fits_on(&entry.path())
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn atomic_writes() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        write_atomic(&path, b"one", 0o640).unwrap();
        write_atomic(&path, b"two", 0o666).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o666);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "nothing left beside it");
        fs::create_dir(root.path().join("folder")).unwrap();
        assert!(write_atomic(&root.path().join("folder"), b"x", 0o600).is_err());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2, "nothing left after a failure");
        assert!(write_atomic(Path::new("/"), b"x", 0o600).is_err());
    }

    #[test]
    fn capped_reads() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_capped(&path, 5).unwrap(), b"12345");
        assert_eq!(read_capped(&path, 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(read_capped(Path::new("/dev/zero"), 5).is_err());
        let fifo = root.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(read_capped(&fifo, 5).is_err(), "and does not wait for a writer");
    }

    #[test]
    fn broken_files_are_kept() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("world.json");
        for (number, text) in ["first", "second"].iter().enumerate() {
            fs::write(&path, text).unwrap();
            let aside = set_aside(&path).unwrap();
            assert_eq!(aside, root.path().join(format!("world.json.broken-{}", number + 1)));
            assert_eq!(&fs::read_to_string(aside).unwrap(), text);
            assert!(!path.exists());
        }
        assert!(set_aside(&path).is_err());
    }

    #[test]
    fn logs_rotate() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("log");
        open_log(&path, 4).unwrap().write_all(b"12345").unwrap();
        open_log(&path, 4).unwrap().write_all(b"6").unwrap();
        open_log(&path, 4).unwrap().write_all(b"7").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"67");
        assert_eq!(fs::read(root.path().join("log.old")).unwrap(), b"12345");
    }

    #[test]
    fn patterns_find_files_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("projects/-home-x/dir.jsonl")).unwrap();
        fs::write(root.path().join("projects/-home-x/id-1.jsonl"), "").unwrap();
        assert!(matches(root.path(), "projects/*/id-1.jsonl"));
        assert!(matches(root.path(), "projects/*/*-1.jsonl"));
        assert!(matches(root.path(), "projects/-home-x/id-1.jsonl"));
        assert!(!matches(root.path(), "projects/*/id-2.jsonl"));
        assert!(!matches(root.path(), "projects/*/dir.jsonl"));
        assert!(!matches(root.path(), "missing/*/id-1.jsonl"));
        assert!(!matches(root.path(), "projects/*/id-1.jsonl/*"));
    }
}
