//! Where things live: configuration, state and runtime folders, and an environment's place in them.
//!
//! Computes paths and makes folders with the right owner and mode. It reads no file in them.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The longest path a Unix socket can be bound to: `sun_path` holds 108 bytes on Linux, one of them a NUL.
pub const LONGEST_SOCKET_PATH: usize = 107;

/// Folder of the runtime folder that keepers register in; no environment may have this name.
const KEEPERS: &str = "keepers";

/// Why there is no place for an environment's files.
#[derive(Debug, Error)]
pub enum DirsError {
    /// Neither `HOME` nor the XDG variable that would do instead is set.
    #[error("HOME is not set: set it, or {0}, to a folder")]
    NoHome(&'static str),
    /// A name that cannot be a folder of its own.
    #[error("{0:?} is no session name: use up to 64 letters, digits, '.', '_' and '-', no '.' first")]
    Name(String),
    /// A name that kraal uses itself.
    #[error("{0:?} is a name kraal keeps for itself: choose another")]
    Reserved(String),
    /// The socket's path does not fit into the address of a Unix socket.
    #[error(
        "the socket path {path} has {length} bytes, the system takes {LONGEST_SOCKET_PATH}: \
         set XDG_RUNTIME_DIR to a shorter folder or use a shorter session name"
    )]
    TooLong {
        /// The path that does not fit.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
    },
    /// Somebody else's folder stands where ours should be.
    #[error(
        "{path} belongs to user {owner}, not to you: remove it or set XDG_RUNTIME_DIR to a folder of yours"
    )]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// The uid that owns it.
        owner: u32,
    },
    /// A link or a file stands where the folder should be.
    #[error("{0} is a link or a file, not a folder: remove it")]
    NotAFolder(PathBuf),
    /// The folder cannot be made or its mode not set.
    #[error("cannot make the folder {path}: {source}")]
    Make {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The three roots, each `kraal`'s own folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dirs {
    /// `$XDG_CONFIG_HOME/kraal`, by default `~/.config/kraal`.
    pub config: PathBuf,
    /// `$XDG_STATE_HOME/kraal`, by default `~/.local/state/kraal`.
    pub state: PathBuf,
    /// `$XDG_RUNTIME_DIR/kraal`, by default `/tmp/kraal-<uid>`.
    pub runtime: PathBuf,
}

/// The files of one environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentDirs {
    /// The environment's name.
    pub name: String,
    /// `<runtime>/<name>`: 0700, what need not outlive a boot.
    pub runtime: PathBuf,
    /// `<runtime>/<name>/api.sock`: 0600.
    pub socket: PathBuf,
    /// `<runtime>/<name>/halted`: one sentence, there while the keeper has stopped restarting the server.
    pub halted: PathBuf,
    /// `<runtime>/keepers`: the register of this user's keepers, shared by all environments.
    pub keepers: PathBuf,
    /// `<state>/<name>`: what outlives a boot.
    pub state: PathBuf,
    /// `<state>/<name>/lock`: held by the keeper for the environment's whole life.
    pub lock: PathBuf,
    /// `<state>/<name>/log`: what keeper and server print.
    pub log: PathBuf,
}

impl Dirs {
    /// The roots by this process's environment. Relative `XDG_*` values are ignored, as their standard asks.
    /// Makes nothing.
    pub fn from_env() -> Result<Self, DirsError> {
        Self::from_vars(|name| std::env::var_os(name), rustix::process::geteuid().as_raw())
    }

    /// The roots by a given environment and uid.
    pub fn from_vars(var: impl Fn(&str) -> Option<OsString>, uid: u32) -> Result<Self, DirsError> {
        let absolute = |name: &str| var(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let under_home = |xdg: &'static str, default: &str| match absolute(xdg) {
            Some(base) => Ok(base.join("kraal")),
            None => match absolute("HOME") {
                Some(home) => Ok(home.join(default).join("kraal")),
                None => Err(DirsError::NoHome(xdg)),
            },
        };
        Ok(Self {
            config: under_home("XDG_CONFIG_HOME", ".config")?,
            state: under_home("XDG_STATE_HOME", ".local/state")?,
            runtime: match absolute("XDG_RUNTIME_DIR") {
                Some(base) => base.join("kraal"),
                None => PathBuf::from(format!("/tmp/kraal-{uid}")),
            },
        })
    }

    /// The files of the environment `name`. Makes nothing.
    pub fn environment(&self, name: &str) -> Result<EnvironmentDirs, DirsError> {
        validate_name(name)?;
        let runtime = self.runtime.join(name);
        let socket = runtime.join("api.sock");
        let length = socket.as_os_str().len();
        if length > LONGEST_SOCKET_PATH {
            return Err(DirsError::TooLong { path: socket, length });
        }
        let state = self.state.join(name);
        Ok(EnvironmentDirs {
            name: name.to_owned(),
            socket,
            halted: runtime.join("halted"),
            keepers: self.keepers(),
            runtime,
            lock: state.join("lock"),
            log: state.join("log"),
            state,
        })
    }

    /// `<runtime>/keepers`: the register of this user's keepers.
    pub fn keepers(&self) -> PathBuf {
        self.runtime.join(KEEPERS)
    }

    /// Names of the environments that have a state or a runtime folder, sorted; alive or not.
    pub fn environments(&self) -> Vec<String> {
        let mut names: Vec<String> = [&self.state, &self.runtime]
            .into_iter()
            .filter_map(|root| fs::read_dir(root).ok())
            .flatten()
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| validate_name(name).is_ok())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl EnvironmentDirs {
    /// Makes the runtime folders (0700, refused when they are links or another user's) and the state folder.
    /// A state folder that cannot be made is an error here; who can live without it calls
    /// [`EnvironmentDirs::create_runtime`] alone.
    pub fn create(&self) -> Result<(), DirsError> {
        self.create_runtime()?;
        make_private(&self.state)
    }

    /// Makes the runtime folders only.
    pub fn create_runtime(&self) -> Result<(), DirsError> {
        let root = self.runtime.parent().expect("a runtime folder has the root above it");
        make_private(root)?;
        make_private(&self.keepers)?;
        make_private(&self.runtime)
    }
}

/// Whether `name` can be an environment's.
pub fn validate_name(name: &str) -> Result<(), DirsError> {
    let fits = !name.is_empty()
        && name.len() <= 64
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    match (fits, name) {
        (false, _) => Err(DirsError::Name(name.to_owned())),
        (true, KEEPERS) => Err(DirsError::Reserved(name.to_owned())),
        (true, _) => Ok(()),
    }
}

/// Makes `path` a folder of mode 0700 that is ours; its parents get the default mode.
pub fn make_private(path: &Path) -> Result<(), DirsError> {
    let failed = |source| DirsError::Make { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(failed(error)),
        _ => {}
    }
    let found = fs::symlink_metadata(path).map_err(failed)?;
    if !found.is_dir() {
        return Err(DirsError::NotAFolder(path.to_owned()));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(DirsError::Foreign { path: path.to_owned(), owner: found.uid() });
    }
    if found.mode() & 0o7777 != 0o700 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dirs(vars: &[(&str, &str)]) -> Result<Dirs, DirsError> {
        Dirs::from_vars(|name| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into()), 1000)
    }

    #[test]
    fn defaults_and_overrides() {
        let plain = dirs(&[("HOME", "/home/a")]).unwrap();
        assert_eq!(plain.config, Path::new("/home/a/.config/kraal"));
        assert_eq!(plain.state, Path::new("/home/a/.local/state/kraal"));
        assert_eq!(plain.runtime, Path::new("/tmp/kraal-1000"));
        let xdg = dirs(&[
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_STATE_HOME", "/s"),
            ("XDG_RUNTIME_DIR", "/r"),
            ("HOME", "relative"),
        ])
        .unwrap();
        assert_eq!(xdg.config, Path::new("/c/kraal"));
        assert_eq!(xdg.environment("main").unwrap().socket, Path::new("/r/kraal/main/api.sock"));
        assert_eq!(xdg.environment("main").unwrap().lock, Path::new("/s/kraal/main/lock"));
        assert!(matches!(dirs(&[("XDG_CONFIG_HOME", "relative")]), Err(DirsError::NoHome(_))));
    }

    #[test]
    fn names() {
        for good in ["main", "a.b-c_d", "9", &"x".repeat(64)] {
            assert!(validate_name(good).is_ok(), "{good}");
        }
        for bad in ["", ".hidden", "..", "a/b", "a b", "ü", "a\n", &"x".repeat(65)] {
            assert!(matches!(validate_name(bad), Err(DirsError::Name(_))), "{bad}");
        }
        assert!(matches!(validate_name("keepers"), Err(DirsError::Reserved(_))));
    }

    #[test]
    fn a_long_path_is_one_sentence() {
        let base = format!("/{}", "r".repeat(90));
        let dirs = dirs(&[("HOME", "/h"), ("XDG_RUNTIME_DIR", &base)]).unwrap();
        let error = dirs.environment("main").unwrap_err().to_string();
        assert!(error.contains("111 bytes") && error.contains("XDG_RUNTIME_DIR"), "{error}");
        assert!(!error.contains('\n'));
    }

    #[test]
    fn folders_are_private_and_ours() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        make_private(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        make_private(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        let link = root.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(make_private(&link), Err(DirsError::NotAFolder(_))));
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(12345), None).unwrap();
            assert!(matches!(make_private(&path), Err(DirsError::Foreign { owner: 12345, .. })));
        }
    }

    #[test]
    fn environments_are_listed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().to_str().unwrap();
        let dirs = dirs(&[("HOME", root), ("XDG_RUNTIME_DIR", root)]).unwrap();
        assert!(dirs.environments().is_empty());
        for name in ["work", "main"] {
            dirs.environment(name).unwrap().create().unwrap();
        }
        assert_eq!(dirs.environments(), ["main", "work"]);
    }
}
