//! Starting an environment, from a client: the keeper as a process of its own, detached from the client's terminal.
//!
//! It returns when the server accepts connections, or with the reason it does not. It attaches to nothing.
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::inotify;
use thiserror::Error;

use super::registry;
use super::run::probe_answer;
use crate::clock::monotonic_ms;
use crate::dirs::{DirsError, EnvironmentDirs, make_private};
use crate::{files, lock, process, socket};

/// What a pane sets for its program; keeper and server of another environment must not inherit it.
const PANE_VARS: [&str; 5] = ["KRAAL", "KRAAL_SOCKET", "KRAAL_SESSION", "KRAAL_PANE", "KRAAL_TOKEN"];

/// How long a server may take until it accepts.
const LIMIT_MS: u64 = 30_000;
/// How long a binary may take to say its version.
const PROBE_LIMIT_MS: u64 = 5_000;
/// A log larger than this is moved aside at the next launch.
const LARGEST_LOG: u64 = 4 << 20;

/// What to start.
#[derive(Debug, Clone)]
pub struct LaunchConfig {
    /// The environment's files. Keeper and server find the same ones by the `HOME` and `XDG_*` they inherit.
    pub dirs: EnvironmentDirs,
    /// The binary, by its real absolute path; keeper and servers are started from it, also later.
    pub exe: PathBuf,
    /// Variables to set or to remove for keeper and server. What a pane sets (`KRAAL…`) is removed anyway.
    pub vars: Vec<(OsString, Option<OsString>)>,
}

/// Why there is no server: one sentence.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The folders are not fit.
    #[error(transparent)]
    Dirs(#[from] DirsError),
    /// The system did not start the keeper.
    #[error("cannot start {exe}: {source}")]
    Start {
        /// The binary.
        exe: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Keeper or server said why it cannot run.
    #[error("the session was not started: {0}")]
    Refused(String),
    /// Neither a server nor a reason.
    #[error("the session was not started and left no reason; see {0}")]
    Silent(PathBuf),
    /// The server does not accept.
    #[error("the session's server does not answer; see {0}")]
    Late(PathBuf),
    /// The binary is no kraal that can go on with this environment.
    #[error("{0} does not answer as a kraal that can take over this session")]
    Stranger(PathBuf),
}

/// Starts keeper and server of an environment unless they run, and wakes a keeper that has given up restarting.
/// Returns when the server accepts.
pub fn launch(config: &LaunchConfig) -> Result<(), LaunchError> {
    let dirs = &config.dirs;
    if socket::is_live(&dirs.socket) {
        return Ok(());
    }
    dirs.create_runtime()?;
    // Said by the server, which runs without it.
    let _ = make_private(&dirs.state);
    let late = monotonic_ms() + LIMIT_MS;
    loop {
        let answer = start(config, late)?;
        let (word, rest) = answer.trim_end().split_once(' ').unwrap_or((answer.trim_end(), ""));
        return match word {
            "ok" => Ok(()),
            "failed" => Err(LaunchError::Refused(rest.to_owned())),
            // Gone before it was awaited: then its place is free.
            "held" if !await_other(dirs, rest.parse().unwrap_or(0), late)? => continue,
            "held" => Ok(()),
            _ => Err(LaunchError::Silent(dirs.log.clone())),
        };
    }
}

/// Starts a keeper and hears what becomes of it: `ok`, `failed <reason>`, `held <pid>` or nothing.
fn start(config: &LaunchConfig, late: u64) -> Result<String, LaunchError> {
    let failed = |source| LaunchError::Start { exe: config.exe.clone(), source };
    let (hear, tell) = io::pipe().map_err(failed)?;
    let (hear, tell) = (OwnedFd::from(hear), OwnedFd::from(tell));
    let log = files::open_log(&config.dirs.log, LARGEST_LOG).map_or_else(|_| Stdio::null(), Stdio::from);
    let mut command = Command::new(&config.exe);
    command.arg("__keeper").arg(&config.dirs.name).arg("--exe").arg(&config.exe);
    command.arg("--ready").arg(tell.as_raw_fd().to_string());
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    for name in PANE_VARS {
        command.env_remove(name);
    }
    for (name, value) in &config.vars {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    detach(&mut command, tell.as_raw_fd());
    let mut between = command.spawn().map_err(failed)?;
    drop(tell);
    between.wait().map_err(failed)?;
    read_until(&hear, late).ok_or_else(|| LaunchError::Late(config.dirs.log.clone()))
}

/// Makes the command run in a session of its own, as nobody's child, with `keep` left open.
fn detach(command: &mut Command, keep: i32) {
    // SAFETY: the hook calls only async-signal-safe functions, in a child with one thread.
    unsafe {
        command.pre_exec(move || {
            if libc::fcntl(keep, libc::F_SETFD, 0) == -1 || libc::setsid() == -1 {
                return Err(io::Error::last_os_error());
            }
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => Ok(()),
                _ => libc::_exit(0),
            }
        });
    }
}

/// Everything written into the pipe until its other end is closed; `None` when that takes too long.
fn read_until(pipe: &OwnedFd, late: u64) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        let left = late.checked_sub(monotonic_ms())?;
        match rustix::event::poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&timespec(left))) {
            Ok(0) => return None,
            Err(rustix::io::Errno::INTR) => continue,
            _ => {}
        }
        match rustix::io::read(pipe, &mut buffer) {
            Ok(0) | Err(_) => return Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

fn timespec(ms: u64) -> Timespec {
    Timespec { tv_sec: (ms / 1000) as i64, tv_nsec: (ms % 1000 * 1_000_000) as _ }
}

/// Waits for the server of a keeper that was there before, which is woken when it has given up. `Ok(false)` when
/// that keeper goes away instead.
fn await_other(dirs: &EnvironmentDirs, pid: u32, late: u64) -> Result<bool, LaunchError> {
    let changes = watch_folder(&dirs.runtime);
    if fs::remove_file(&dirs.halted).is_ok() {
        let keepers = registry::registered(&dirs.keepers);
        if keepers.iter().any(|found| found.keeper.pid == pid && found.environment == dirs.name) {
            process::signal(pid, libc::SIGUSR1);
        }
    }
    loop {
        if socket::is_live(&dirs.socket) {
            return Ok(true);
        }
        if let Ok(reason) = fs::read_to_string(&dirs.halted) {
            return Err(LaunchError::Refused(reason));
        }
        if lock::holder(&dirs.lock).is_none() && lock::holder(&dirs.runtime.join("lock")).is_none() {
            return Ok(false);
        }
        if monotonic_ms() > late {
            return Err(LaunchError::Late(dirs.log.clone()));
        }
        // Woken by a change in the folder; now and then for a lock that was let go, which changes no folder.
        let tick = timespec(100);
        match &changes {
            Some(changes) => {
                let mut fds = [PollFd::new(changes, PollFlags::IN)];
                let _ = rustix::event::poll(&mut fds, Some(&tick));
                let _ = rustix::io::read(changes, &mut [0; 4096]);
            }
            None => drop(rustix::event::poll(&mut [], Some(&tick))),
        }
    }
}

fn watch_folder(folder: &Path) -> Option<OwnedFd> {
    use inotify::{CreateFlags, WatchFlags};
    let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
    inotify::add_watch(&fd, folder, WatchFlags::CREATE | WatchFlags::MOVED_TO).ok()?;
    Some(fd)
}

/// Asks the binary at `exe` whether it can take over from this keeper: before [`super::ToKeeper::Upgrade`], which
/// has no way back. Waits up to five seconds: call it off the loop.
pub fn probe(exe: &Path) -> Result<(), LaunchError> {
    let failed = |source| LaunchError::Start { exe: exe.to_owned(), source };
    let mut command = Command::new(exe);
    command.args(["__keeper", "--probe"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let mut answer = Vec::new();
    if let Some(mut stdout) = child.stdout.take() {
        let late = monotonic_ms() + PROBE_LIMIT_MS;
        let mut buffer = [0; 256];
        while answer.len() < 256 && is_readable(&stdout, late) {
            match stdout.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(read) => answer.extend_from_slice(&buffer[..read]),
            }
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    if answer == probe_answer().as_bytes() { Ok(()) } else { Err(LaunchError::Stranger(exe.to_owned())) }
}

fn is_readable(fd: &impl AsFd, late: u64) -> bool {
    let left = timespec(late.saturating_sub(monotonic_ms()));
    matches!(rustix::event::poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&left)), Ok(1))
}
