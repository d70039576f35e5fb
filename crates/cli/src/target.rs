//! Which session a command is for, and the connection to it: found, or started first.
//!
//! Not here: what is asked over it (each command), how a server starts (`host::keeper`).

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kraal_api::{PaneId, PaneRef};
use kraal_host::dirs::{Dirs, EnvironmentDirs};
use kraal_host::keeper::{self, LaunchConfig};
use kraal_host::{lock, socket};

use crate::client::Client;
use crate::failure::Failure;

/// The session used unless another is named.
const MAIN: &str = "main";
/// How long a server that starts again is waited for.
const RESTART: Duration = Duration::from_secs(10);
/// How often it is looked for.
const AGAIN: Duration = Duration::from_millis(20);

/// The session a command is for.
#[derive(Clone)]
pub(crate) struct Target {
    /// Its name.
    pub(crate) name: String,
    own: Option<Own>,
    place: Place,
}

/// Where a session's files are.
#[derive(Clone, Debug)]
enum Place {
    /// Where this process's environment says.
    Environment,
    /// Elsewhere; its keeper and server are started with these variables.
    Given(Dirs, Vec<(OsString, Option<OsString>)>),
}

/// The pane this process runs in, by its environment, when it is one of the target's.
#[derive(Clone)]
struct Own {
    pane: Option<PaneId>,
    socket: Option<PathBuf>,
    token: Option<String>,
}

/// What can be said of a session without asking it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A server accepts.
    Live,
    /// Its keeper lives and its server is on its way.
    Starting,
    /// Its keeper stopped restarting the server, for this reason.
    Halted(String),
    /// Nothing runs.
    Down,
}

impl Target {
    /// By `-s`, else the session this pane belongs to, else `main`.
    pub(crate) fn new(named: Option<&str>) -> Self {
        Self::from_vars(named, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn from_vars(named: Option<&str>, var: impl Fn(&str) -> Option<String>) -> Self {
        let inside = var("KRAAL_SESSION");
        let name = named.map(str::to_owned).or_else(|| inside.clone()).unwrap_or_else(|| MAIN.to_owned());
        let own = (inside.as_deref() == Some(name.as_str())).then(|| Own {
            pane: var("KRAAL_PANE").and_then(|id| id.parse().ok()).map(PaneId),
            // A session named on the command line is looked for where sessions are; the variable may be stale.
            socket: var("KRAAL_SOCKET").map(PathBuf::from).filter(|_| named.is_none()),
            token: var("KRAAL_TOKEN"),
        });
        Target { name, own, place: Place::Environment }
    }

    /// A session whose files are elsewhere, with the variables its programs get.
    pub(crate) fn given(name: &str, dirs: Dirs, vars: Vec<(OsString, Option<OsString>)>) -> Self {
        Target { name: name.to_owned(), own: None, place: Place::Given(dirs, vars) }
    }

    /// The same session for somebody else, who is in none of its panes.
    pub(crate) fn seen_from_outside(&self) -> Self {
        Target { name: self.name.clone(), own: None, place: self.place.clone() }
    }

    /// The folders it is in.
    pub(crate) fn roots(&self) -> Result<Dirs, Failure> {
        match &self.place {
            Place::Environment => Ok(Dirs::from_env()?),
            Place::Given(dirs, _) => Ok(dirs.clone()),
        }
    }

    /// The pane of the target that this process runs in.
    pub(crate) fn own_pane(&self) -> Option<PaneId> {
        self.own.as_ref().and_then(|own| own.pane)
    }

    /// The pane a command is for: the named one, else the own.
    pub(crate) fn pane(&self, named: Option<&str>) -> Result<PaneRef, Failure> {
        match (named, self.own_pane()) {
            (Some(""), _) => Err(Failure::Usage("the pane's name is empty: `kraal panes` lists them".into())),
            (Some(word), _) => Ok(PaneRef::parse(word)),
            (None, Some(own)) => Ok(PaneRef::Id(own)),
            (None, None) => {
                Err(Failure::Usage("which pane? Name it with -p: `kraal panes` lists them".into()))
            }
        }
    }

    /// Its files.
    pub(crate) fn dirs(&self) -> Result<EnvironmentDirs, Failure> {
        Ok(self.roots()?.environment(&self.name)?)
    }

    /// A client of the running session; exit status 3 when there is none.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        Ok(self.wrap(self.connect()?))
    }

    /// A client of the session, started first where needed, without a terminal attached.
    pub(crate) fn client_or_start(&self) -> Result<Client, Failure> {
        Ok(self.wrap(self.connect_or_start()?))
    }

    /// A connection to the running session.
    pub(crate) fn connect(&self) -> Result<UnixStream, Failure> {
        let deadline = Instant::now() + RESTART;
        let (path, dirs) = match self.own.as_ref().and_then(|own| own.socket.as_ref()) {
            // Its keeper is looked at only where this is the place we would look ourselves.
            Some(path) => (path.clone(), self.dirs().ok().filter(|dirs| dirs.socket == *path)),
            None => {
                let dirs = self.dirs()?;
                (dirs.socket.clone(), Some(dirs))
            }
        };
        loop {
            match open(&path)? {
                Some(stream) => return Ok(stream),
                None => match dirs.as_ref().map_or(Standing::Down, standing_without_server) {
                    Standing::Halted(reason) => {
                        return Err(Failure::Failed(format!("{reason}: `kraal restart` tries again")));
                    }
                    Standing::Live | Standing::Starting if Instant::now() < deadline => {
                        std::thread::sleep(AGAIN);
                    }
                    Standing::Live | Standing::Starting => return Err(self.silent()),
                    Standing::Down => return Err(Failure::no_session(&self.name)),
                },
            }
        }
    }

    /// A connection to the session, started first where needed.
    pub(crate) fn connect_or_start(&self) -> Result<UnixStream, Failure> {
        match self.connect() {
            Err(Failure::NoSession(_)) => {}
            other => return other,
        }
        self.start()?;
        self.connect()
    }

    /// Starts keeper and server, or makes a keeper that stopped try again.
    pub(crate) fn start(&self) -> Result<(), Failure> {
        let exe = std::env::current_exe()
            .map_err(|error| Failure::failed(format!("cannot find this program's own file: {error}")))?;
        let vars = match &self.place {
            Place::Environment => Vec::new(),
            Place::Given(_, vars) => vars.clone(),
        };
        let config = LaunchConfig { dirs: self.dirs()?, exe, vars };
        keeper::launch(&config).map_err(Failure::failed)
    }

    /// A connection again after one was lost: None while the server is on its way.
    pub(crate) fn reconnect(&self) -> Result<Option<UnixStream>, Failure> {
        let dirs = self.dirs()?;
        match open(&dirs.socket)? {
            Some(stream) => Ok(Some(stream)),
            None => match standing_without_server(&dirs) {
                Standing::Halted(reason) => Err(Failure::Failed(reason)),
                Standing::Down => Err(Failure::Failed(format!("session '{}' ended", self.name))),
                Standing::Live | Standing::Starting => Ok(None),
            },
        }
    }

    /// Waits until neither keeper nor server is left; false when they stay.
    pub(crate) fn await_end(&self, time: Duration) -> Result<bool, Failure> {
        let dirs = self.dirs()?;
        let deadline = Instant::now() + time;
        while standing(&dirs) != Standing::Down {
            if Instant::now() > deadline {
                return Ok(false);
            }
            std::thread::sleep(AGAIN);
        }
        Ok(true)
    }

    pub(crate) fn wrap(&self, stream: UnixStream) -> Client {
        let token = self.own.as_ref().and_then(|own| own.token.clone());
        let target = self.clone();
        Client::new(stream, &self.name, token).lasting(Box::new(move || target.connect()))
    }

    fn silent(&self) -> Failure {
        let name = &self.name;
        Failure::Failed(format!(
            "session '{name}' is kept but no server accepts: see `kraal -s {name} doctor`"
        ))
    }
}

/// How a session stands.
pub(crate) fn standing(dirs: &EnvironmentDirs) -> Standing {
    if socket::is_live(&dirs.socket) { Standing::Live } else { standing_without_server(dirs) }
}

fn standing_without_server(dirs: &EnvironmentDirs) -> Standing {
    let kept = lock::holder(&dirs.lock).is_some()
        || keeper::registered(&dirs.keepers).iter().any(|found| found.environment == dirs.name);
    if !kept {
        return Standing::Down;
    }
    match std::fs::read_to_string(&dirs.halted) {
        Ok(reason) => Standing::Halted(reason.trim().trim_end_matches('.').to_owned()),
        Err(_) => Standing::Starting,
    }
}

/// Connects: None when nobody accepts there. Another user's socket is refused.
fn open(path: &Path) -> Result<Option<UnixStream>, Failure> {
    let me = rustix::process::geteuid().as_raw();
    let stream = match socket::connect(path) {
        Ok(stream) => stream,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => match foreign(path, me) {
                    Some(failure) => Err(failure),
                    None => Ok(None),
                },
                _ => Err(foreign(path, me).unwrap_or_else(|| {
                    Failure::Failed(format!(
                        "cannot connect to {}: {error}: see `kraal doctor`",
                        path.display()
                    ))
                })),
            };
        }
    };
    let peer = socket::peer(&stream).map_err(|error| {
        Failure::Failed(format!("cannot tell who listens on {}: {error}", path.display()))
    })?;
    if peer.uid != me {
        return Err(Failure::Failed(format!(
            "user {} listens on {}, not you: set XDG_RUNTIME_DIR to a folder of yours",
            peer.uid,
            path.display()
        )));
    }
    Ok(Some(stream))
}

/// The runtime folder of another user, when that is what stands in the way.
fn foreign(socket: &Path, me: u32) -> Option<Failure> {
    let folders = socket.ancestors().skip(1).take(2);
    folders.filter_map(|folder| Some((folder, std::fs::metadata(folder).ok()?.uid()))).find_map(|(folder, owner)| {
        (owner != me).then(|| {
            Failure::Failed(format!(
                "{} belongs to user {owner}, not to you: remove it or set XDG_RUNTIME_DIR to a folder of yours",
                folder.display()
            ))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(named: Option<&str>, vars: &[(&str, &str)]) -> Target {
        Target::from_vars(named, |name| {
            vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    const INSIDE: &[(&str, &str)] =
        &[("KRAAL_SESSION", "work"), ("KRAAL_PANE", "4"), ("KRAAL_SOCKET", "/s"), ("KRAAL_TOKEN", "t")];

    #[test]
    fn the_own_session_and_pane_are_meant_inside_a_pane() {
        let inside = target(None, INSIDE);
        assert_eq!((inside.name.as_str(), inside.own_pane()), ("work", Some(PaneId(4))));
        assert_eq!(inside.pane(None).unwrap(), PaneRef::Id(PaneId(4)));
        assert_eq!(inside.pane(Some("api")).unwrap(), PaneRef::Name("api".into()));
        assert_eq!(target(Some("work"), INSIDE).own_pane(), Some(PaneId(4)));
        let other = target(Some("main"), INSIDE);
        assert!(other.own.is_none());
        assert_eq!(other.pane(None).unwrap_err().code(), 2);
        assert_eq!(target(None, &[]).name, "main");
    }

    #[test]
    fn nobody_there_is_no_error_yet() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("api.sock");
        assert!(open(&path).unwrap().is_none());
        let listener = socket::bind(&path).unwrap();
        assert!(open(&path).unwrap().is_some());
        drop(listener);
        assert!(open(&path).unwrap().is_none());
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(open(&path).unwrap().is_none(), "a folder accepts nothing");
    }
}
