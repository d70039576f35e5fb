//! The register of this user's keepers: a file each in the runtime folder.
//!
//! It answers who is a keeper, by pid and start time, so that a process can be told from one that merely has the
//! pid of a keeper long gone. It decides nothing: whom a keeper's programs
//! may talk to is the caller's verdict.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files;
use crate::process::{self, Identity};

/// A living keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// Who it is.
    pub keeper: Identity,
    /// The environment it keeps.
    pub environment: String,
}

/// Registers this process as the keeper of `environment` in the folder `keepers`.
pub(super) fn register(keepers: &Path, environment: &str) -> io::Result<PathBuf> {
    let pid = std::process::id();
    let who = process::identity(pid).ok_or_else(|| io::Error::other("/proc does not know this process"))?;
    let path = keepers.join(pid.to_string());
    files::write_atomic(&path, format!("{} {environment}\n", who.start).as_bytes(), 0o600)?;
    Ok(path)
}

/// The living keepers that are registered in the folder `keepers` ([`crate::dirs::Dirs::keepers`]), by rising pid.
/// Files of dead ones are removed.
pub fn registered(keepers: &Path) -> Vec<Registered> {
    let Ok(entries) = fs::read_dir(keepers) else { return Vec::new() };
    let mut living: Vec<Registered> = entries
        .flatten()
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let found = read(&entry.path(), pid)?;
            if process::is_alive(found.keeper) {
                return Some(found);
            }
            let _ = fs::remove_file(entry.path());
            None
        })
        .collect();
    living.sort_unstable_by_key(|found| found.keeper);
    living
}

/// Whether that very process is registered in the folder `keepers`. Cheap for processes that are none.
pub fn is_keeper(keepers: &Path, who: Identity) -> bool {
    read(&keepers.join(who.pid.to_string()), who.pid).is_some_and(|found| found.keeper == who)
}

/// The pids of other living keepers, with what is below them no business of ours.
pub(super) fn others(keepers: &Path) -> BTreeSet<u32> {
    let me = std::process::id();
    registered(keepers).into_iter().map(|found| found.keeper.pid).filter(|pid| *pid != me).collect()
}

fn read(path: &Path, pid: u32) -> Option<Registered> {
    let text = fs::read_to_string(path).ok()?;
    let (start, environment) = text.trim_end().split_once(' ')?;
    let keeper = Identity { pid, start: start.parse().ok()? };
    Some(Registered { keeper, environment: environment.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_living_stay_and_the_dead_go() {
        let root = tempfile::tempdir().unwrap();
        let keepers = root.path();
        let path = register(keepers, "main").unwrap();
        let me = process::identity(std::process::id()).unwrap();
        fs::write(keepers.join("4194304"), "1 gone\n").unwrap();
        fs::write(keepers.join("not-a-pid"), "x").unwrap();
        let found = registered(keepers);
        assert_eq!(found, [Registered { keeper: me, environment: "main".to_owned() }]);
        assert!(!keepers.join("4194304").exists());
        assert!(is_keeper(keepers, me));
        assert!(!is_keeper(keepers, Identity { start: me.start + 1, ..me }));
        assert!(others(keepers).is_empty());
        // The same pid, another process: a leftover.
        fs::write(&path, format!("{} main\n", me.start + 1)).unwrap();
        assert!(registered(keepers).is_empty());
        assert!(!path.exists());
    }
}
