//! The folders that an install made, so that an uninstall takes them away again, and no others.
//!
//! Not here: the files in them.

use std::path::{Path, PathBuf};

use kraal_host::edit::{self, Change, Copy, Place};

/// More is not read: a line is a path.
const MOST: u64 = 1024 * 1024;

/// The folders above a file that are not there, the uppermost first.
pub(super) fn missing_above(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).take_while(|folder| std::fs::symlink_metadata(folder).is_err());
    let mut missing: Vec<PathBuf> = above.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Writes down what was made.
pub(super) fn remember(lock: &Path, made: &[PathBuf]) -> Result<(), String> {
    let made: Vec<&str> = made.iter().filter_map(|folder| folder.to_str()).collect();
    change(lock, |kept| {
        let new: Vec<&str> = made.iter().copied().filter(|folder| !kept.contains(folder)).collect();
        kept.into_iter().chain(new).map(str::to_owned).collect()
    })
}

/// Removes those above a file that were made for it and are empty now.
pub(super) fn remove_made(lock: &Path, path: &Path) -> Result<(), String> {
    let above: Vec<&Path> = path.ancestors().skip(1).collect();
    change(lock, |kept| {
        let mut left: Vec<String> = kept.iter().map(|folder| (*folder).to_owned()).collect();
        for folder in &above {
            let was_made = |kept: &String| Path::new(kept) == *folder;
            // One that is not empty stays, and so does what is above it.
            if left.iter().any(was_made) && std::fs::remove_dir(folder).is_ok() {
                left.retain(|kept| !was_made(kept));
            }
        }
        left
    })
}

fn change(lock: &Path, new: impl Fn(Vec<&str>) -> Vec<String>) -> Result<(), String> {
    let list = lock.with_extension("folders");
    let place = Place { path: &list, lock, most: MOST, mode: 0o600 };
    let done = edit::edit::<std::convert::Infallible>(place, |text, _| {
        let kept: Vec<&str> = text.unwrap_or_default().lines().collect();
        let lines = new(kept.clone());
        Ok(match lines == kept {
            true => Change::Same,
            false if lines.is_empty() => Change::Gone(Copy::None),
            false => Change::Text(lines.join("\n") + "\n", Copy::None),
        })
    });
    done.map(|_| ()).map_err(|error| format!("{} {error}", list.display()))
}
