//! The user's own agents: `agents/*.toml` in the configuration folder, each a new agent or in the
//! place of a built-in one. Read at the start, again when the kernel tells of a change, and on
//! `ReloadConfig`.
//!
//! Not here: what a file may say (`kraal_agents`), the rest of the configuration (`boot`).

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kraal_agents::{Catalog, Problem};
use kraal_api::PaneId;
use kraal_host::dirs::Dirs;
use kraal_host::files;
use kraal_host::letters::{Folder, Letters};

use crate::server::Server;

/// An agent's file is text that a person wrote; nothing longer is read.
const LONGEST: u64 = 1 << 20;

/// The files as they were read: path and text, or why there is none.
pub type Texts = Vec<(String, Result<String, String>)>;

/// Reads the user's files, by name. No folder is no files.
pub fn texts(dirs: &Dirs) -> Texts {
    let Ok(entries) = std::fs::read_dir(folder(dirs)) else { return Texts::new() };
    let mut paths: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|p| is_agent(p)).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.display().to_string(), text(&path))).collect()
}

/// The text of one file, or why there is none.
pub fn text(path: &Path) -> Result<String, String> {
    let bytes = files::read_capped(path, LONGEST).map_err(|error| format!("cannot be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "is not UTF-8: save it as that".to_owned())
}

/// The built-in agents with these over them; a file with a mistake is left out and said.
pub fn catalog(texts: &Texts) -> (Catalog, Vec<Problem>) {
    let read = texts.iter().filter_map(|(file, text)| Some((file.clone(), text.clone().ok()?)));
    let (catalog, mut problems) = Catalog::builtin().with_overrides(read);
    problems.extend(texts.iter().filter_map(|(file, text)| {
        let message = text.as_ref().err()?.clone();
        Some(Problem { file: file.clone(), line: None, message })
    }));
    (catalog, problems)
}

fn folder(dirs: &Dirs) -> PathBuf {
    dirs.config.join("agents")
}

fn is_agent(path: &Path) -> bool {
    let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !hidden && path.extension() == Some(OsStr::new("toml"))
}

/// What the server keeps of the files, and where it is told that they changed.
#[derive(Default)]
pub(crate) struct OwnAgents {
    texts: Texts,
    /// Folders on the way to the files that are there, with the name that counts in each; the
    /// files' own folder has none.
    watched: Vec<(Folder, Option<OsString>)>,
}

impl OwnAgents {
    pub(crate) fn of(texts: Texts) -> Self {
        OwnAgents { texts, watched: Vec::new() }
    }

    /// Watches the folder of the files, and those above it in which it may come to be.
    pub(crate) fn watch(&mut self, letters: Option<&Letters>, dirs: &Dirs) {
        let Some(letters) = letters else { return };
        let files = folder(dirs);
        let way = [(Some(files.as_path()), None), (files.parent(), files.file_name())];
        let above = dirs.config.parent().map(|above| (Some(above), dirs.config.file_name()));
        let watched = way
            .into_iter()
            .chain(above)
            .filter_map(|(path, name)| Some((letters.watch_names(path?).ok()?, name.map(OsStr::to_owned))));
        self.watched = watched.collect();
    }

    /// Whether any of these tells that the files may be others now.
    pub(crate) fn concerns(&self, told: &[(Folder, OsString)]) -> bool {
        told.iter().any(|(folder, name)| {
            self.watched.iter().any(|(watched, wanted)| {
                watched == folder
                    && match wanted {
                        Some(wanted) => wanted == name,
                        None => is_agent(Path::new(name)),
                    }
            })
        })
    }
}

impl Server {
    /// The files were read again.
    pub(crate) fn own_agents_are(&mut self, texts: Texts, catalog: Catalog) {
        if texts == self.own.texts {
            return;
        }
        self.own.texts = texts;
        self.setting.catalog = Arc::new(catalog);
        let now = self.now();
        let panes: Vec<PaneId> = self.panes.all.keys().copied().collect();
        for id in panes {
            let Some(pane) = self.panes.all.get_mut(&id) else { continue };
            let found = pane.watch.relearn(&self.setting.catalog, now);
            self.take_found(id, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(root: &Path) -> Dirs {
        Dirs::from_vars(|name| (name == "HOME").then(|| root.into()), 1).expect("folders")
    }

    #[test]
    fn mistakes_are_said_with_their_place_and_cost_one_file() {
        let root = tempfile::tempdir().expect("a folder");
        let dirs = dirs(root.path());
        assert_eq!(texts(&dirs), Texts::new());
        std::fs::create_dir_all(folder(&dirs)).expect("made");
        let put =
            |name: &str, bytes: &[u8]| std::fs::write(folder(&dirs).join(name), bytes).expect("written");
        put("a.toml", b"[agent]\nname = \"mine\"\nlabel = \"Mine\"\n[process]\nnames = [\"mine\"]\n");
        put("b.toml", b"[agent]\nname = \"other\"\nlabel = 3\n");
        put("c.toml", &[0xff]);
        put(".d.toml", b"not read");
        put("e.toml~", b"not read");
        let (catalog, problems) = catalog(&texts(&dirs));
        assert_eq!(catalog.get("mine").map(|agent| agent.label().to_owned()), Some("Mine".to_owned()));
        let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let place = folder(&dirs).display().to_string();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with(&format!("{place}/b.toml:3: ")), "{said:?}");
        assert_eq!(said[1], format!("{place}/c.toml: is not UTF-8: save it as that"));
    }

    #[test]
    fn the_folder_is_watched_from_before_it_is_there() {
        let root = tempfile::tempdir().expect("a folder");
        let dirs = dirs(root.path());
        std::fs::create_dir_all(dirs.config.parent().expect("a folder above")).expect("made");
        let letters = Letters::new().expect("a watch");
        let mut own = OwnAgents::default();
        own.watch(Some(&letters), &dirs);
        std::fs::create_dir(&dirs.config).expect("made");
        assert!(own.concerns(&letters.written()));
        own.watch(Some(&letters), &dirs);
        std::fs::write(dirs.config.join("config.toml"), "").expect("written");
        assert!(!own.concerns(&letters.written()));
        std::fs::create_dir(folder(&dirs)).expect("made");
        assert!(own.concerns(&letters.written()));
        own.watch(Some(&letters), &dirs);
        std::fs::write(folder(&dirs).join("a.toml"), "").expect("written");
        assert!(own.concerns(&letters.written()));
        std::fs::write(folder(&dirs).join("a.txt"), "").expect("written");
        assert!(!own.concerns(&letters.written()));
        std::fs::remove_file(folder(&dirs).join("a.toml")).expect("removed");
        assert!(own.concerns(&letters.written()));
    }
}
