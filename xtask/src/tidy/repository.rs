//! The files of the repository, read once.
//!
//! It lists what lies in the folder, tracked by git or not, without build folders and hidden ones
//! (`.ci`, `.cargo` and `.github` excepted).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};

use super::source::Source;

/// Texts up to this size are read; recordings and pictures beyond it are only known to exist.
const LARGEST_TEXT: u64 = 512 * 1024;

/// A crate of `crates/`.
#[derive(Debug)]
pub(crate) struct Crate {
    /// The folder's name, which is the package's without `kraal-`.
    pub(crate) name: String,
    /// Its `Cargo.toml`.
    pub(crate) manifest: String,
    /// Every Rust file of it, `src/` and the rest.
    pub(crate) sources: Vec<Source>,
}

impl Crate {
    /// Path of the manifest from the root.
    pub(crate) fn manifest_path(&self) -> String {
        format!("crates/{}/Cargo.toml", self.name)
    }

    /// The sources under `src/`, each with its module path (`[]` for the root).
    pub(crate) fn modules(&self) -> impl Iterator<Item = (Vec<String>, &Source)> {
        let src = format!("crates/{}/src/", self.name);
        self.sources.iter().filter_map(move |source| {
            let inside = source.path.strip_prefix(&src)?.strip_suffix(".rs")?;
            let mut path: Vec<String> = inside.split('/').map(str::to_owned).collect();
            let last = path.last().map(String::as_str);
            if last == Some("mod") || path.len() == 1 && matches!(last, Some("lib" | "main")) {
                path.pop();
            }
            Some((path, source))
        })
    }
}

/// Everything that tidy looks at.
#[derive(Debug, Default)]
pub(crate) struct Repository {
    /// The crates by name.
    pub(crate) crates: Vec<Crate>,
    /// Rust files outside `crates/`.
    others: Vec<Source>,
    texts: BTreeMap<String, String>,
    /// Every file and folder.
    entries: BTreeSet<String>,
}

impl Repository {
    /// Reads the repository whose root this is.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut repository = Self::default();
        repository.walk(root, "")?;
        repository.sort_into_crates();
        Ok(repository)
    }

    /// The number of files known.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// A text file by its path from the root.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// All text files.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Whether a file or folder exists.
    pub(crate) fn exists(&self, path: &str) -> bool {
        path.is_empty() || self.entries.contains(path)
    }

    /// All Rust files.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.crates.iter().flat_map(|krate| &krate.sources).chain(&self.others)
    }

    fn walk(&mut self, folder: &Path, prefix: &str) -> Result<()> {
        let list =
            std::fs::read_dir(folder).with_context(|| format!("{} can't be listed", folder.display()))?;
        for entry in list {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            if kind.is_dir() && !is_passed_over(&entry.path(), &name) {
                self.entries.insert(path.clone());
                self.walk(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file() && !name.starts_with('.') {
                self.entries.insert(path.clone());
                if entry.metadata()?.len() <= LARGEST_TEXT
                    && let Ok(text) = std::fs::read_to_string(entry.path())
                {
                    self.texts.insert(path, text);
                }
            }
        }
        Ok(())
    }

    fn sort_into_crates(&mut self) {
        let names: BTreeSet<&str> = self
            .texts
            .keys()
            .filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"))
            .filter(|name| !name.contains('/'))
            .collect();
        self.crates = names
            .into_iter()
            .map(|name| Crate {
                name: name.to_owned(),
                manifest: self.texts[&format!("crates/{name}/Cargo.toml")].clone(),
                sources: sources(&self.texts, |path| path.starts_with(&format!("crates/{name}/"))),
            })
            .collect();
        self.others = sources(&self.texts, |path| !path.starts_with("crates/"));
    }
}

fn is_passed_over(path: &Path, name: &str) -> bool {
    let hidden = name.starts_with('.') && !matches!(name, ".ci" | ".cargo" | ".github");
    hidden || name == "__pycache__" || name == "target" && path.join("CACHEDIR.TAG").exists()
}

/// The Rust files among the texts, with files of `#[cfg(test)] mod x;` marked as tests.
fn sources(texts: &BTreeMap<String, String>, wanted: impl Fn(&str) -> bool) -> Vec<Source> {
    let mut sources: Vec<Source> = texts
        .iter()
        .filter(|(path, _)| path.ends_with(".rs") && wanted(path))
        .map(|(path, text)| {
            let all_test = path.split('/').any(|part| matches!(part, "tests" | "benches" | "tests.rs"));
            Source::new(path, text, all_test)
        })
        .collect();
    let test_files: Vec<String> = sources.iter().flat_map(test_files).collect();
    for source in &mut sources {
        let path = &source.path;
        if test_files.iter().any(|stem| {
            path.strip_prefix(stem.as_str()).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        }) {
            source.mark_all_test();
        }
    }
    sources
}

/// Where the test modules that a file declares can be, without `.rs`.
fn test_files(source: &Source) -> Vec<String> {
    let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let base = match file {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => source.path.trim_end_matches(".rs").to_owned(),
    };
    source.test_modules.iter().map(|name| format!("{base}/{name}")).collect()
}

#[cfg(test)]
pub(super) fn sample_crate(name: &str, manifest: &str, files: &[(&str, &str)]) -> Crate {
    let texts =
        files.iter().map(|(path, text)| (format!("crates/{name}/{path}"), (*text).to_owned())).collect();
    Crate { name: name.to_owned(), manifest: manifest.to_owned(), sources: sources(&texts, |_| true) }
}

#[cfg(test)]
impl Repository {
    /// A repository of these texts, with every folder above them.
    pub(super) fn of_texts(files: &[(&str, &str)]) -> Self {
        let mut repository = Self::default();
        for (path, text) in files {
            repository.texts.insert((*path).to_owned(), (*text).to_owned());
            repository.entries.insert((*path).to_owned());
            for (at, _) in path.match_indices('/') {
                repository.entries.insert(path[..at].to_owned());
            }
        }
        repository.sort_into_crates();
        repository
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_know_their_module_and_test_files_are_marked() {
        let krate = sample_crate(
            "x",
            "",
            &[
                ("src/lib.rs", "mod a;"),
                ("src/a/mod.rs", "#[cfg(test)] mod checks; mod b;"),
                ("src/a/b.rs", "fn f() {}"),
                ("src/a/checks.rs", "fn f() {}"),
                ("tests/it.rs", "fn f() {}"),
            ],
        );
        let modules: Vec<(String, bool)> = krate
            .modules()
            .map(|(path, source)| (path.join("::"), source.tokens.iter().all(|token| token.in_test)))
            .collect();
        let expected = [("a::b", false), ("a::checks", true), ("a", false), ("", false)];
        assert_eq!(modules, expected.map(|(path, test)| (path.to_owned(), test)));
        assert!(krate.sources.iter().any(|s| s.path.ends_with("it.rs") && s.tokens[0].in_test));
    }
}
