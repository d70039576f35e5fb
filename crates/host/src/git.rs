//! Facts about a git repository: where its parts are, by looking; how its checkout stands, by asking git.
//!
//! git runs without optional locks, without hooks, without a file-system monitor, pager or prompt, whatever the
//! repository configures, and never for longer than it is given. (What it still may run are the clean filters that
//! the repository's own configuration defines for changed files: without them every such file would count as
//! changed.) Whether a checkout may be removed, or what to show of it, is decided elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use thiserror::Error;

use crate::clock::monotonic_ms;
use crate::process;

/// More of git's output than this is not read: what stands in it by then is told.
const MOST_OUTPUT: usize = 1 << 20;

/// The longest `.git`, `commondir` or `HEAD` file.
const LONGEST_POINTER: u64 = 16 * 1024;

/// Settings that keep git from running what a repository names.
const SETTINGS: [&str; 6] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.untrackedCache=keep",
    "submodule.recurse=false",
    "status.renames=false",
];

/// Where a checkout's parts are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Repository {
    /// The checkout's top folder.
    pub root: PathBuf,
    /// Its own git folder (`HEAD`, `index`).
    pub git_dir: PathBuf,
    /// What it shares with other worktrees (`refs`, `objects`); the same as `git_dir` in the main one.
    pub common_dir: PathBuf,
}

/// How a checkout stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// The branch checked out (also one without a commit yet).
    pub branch: Option<String>,
    /// The commit checked out without a branch, in full.
    pub detached: Option<String>,
    /// Commits that the upstream lacks; `None` without an upstream.
    pub ahead: Option<u32>,
    /// Commits of the upstream that the branch lacks.
    pub behind: Option<u32>,
    /// Whether a tracked file differs from the commit, or a merge left conflicts.
    pub changed: bool,
    /// Whether there are untracked files that are not ignored.
    pub untracked: bool,
}

/// Why git did not tell: one sentence.
#[derive(Debug, Error)]
pub enum GitError {
    /// There is no git to run.
    #[error("cannot run git: {0}")]
    Run(#[from] io::Error),
    /// It took too long and was ended.
    #[error("git did not answer for {root} within {ms} ms", ms = .limit.as_millis())]
    Late {
        /// The checkout.
        root: PathBuf,
        /// The time it had.
        limit: Duration,
    },
    /// It refused.
    #[error("git refused for {root}: {message}")]
    Refused {
        /// The checkout.
        root: PathBuf,
        /// Its last line.
        message: String,
    },
}

/// The repository that `dir` is in, by looking for `.git` from there up. Starts no process and runs nothing. Bare
/// repositories have no checkout and are not found.
pub fn find(dir: &Path) -> Option<Repository> {
    dir.ancestors().find_map(at)
}

/// The repository whose checkout's top folder is `root`.
pub fn at(root: &Path) -> Option<Repository> {
    let dot_git = root.join(".git");
    let git_dir = match fs::symlink_metadata(&dot_git).ok()? {
        found if found.is_file() => {
            let text = crate::files::read_capped(&dot_git, LONGEST_POINTER).ok()?;
            join(root, text.strip_prefix(b"gitdir:")?)
        }
        _ => dot_git,
    };
    if !git_dir.join("HEAD").is_file() {
        return None;
    }
    let common_dir = match crate::files::read_capped(&git_dir.join("commondir"), LONGEST_POINTER) {
        Ok(text) => join(&git_dir, &text),
        Err(_) => git_dir.clone(),
    };
    Some(Repository { root: root.to_owned(), git_dir, common_dir })
}

/// `base` joined with a path from a file, `.` and `..` resolved by their letters.
fn join(base: &Path, text: &[u8]) -> PathBuf {
    let joined = base.join(Path::new(OsStr::from_bytes(text.trim_ascii())));
    let mut plain = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The branch of `repository` by its `HEAD` alone: starts no process. `None` when detached or unreadable.
pub fn branch(repository: &Repository) -> Option<String> {
    let head = crate::files::read_capped(&repository.git_dir.join("HEAD"), LONGEST_POINTER).ok()?;
    let name = head.strip_prefix(b"ref:")?.trim_ascii();
    Some(String::from_utf8_lossy(name.strip_prefix(b"refs/heads/").unwrap_or(name)).into_owned())
}

/// How the checkout stands. Runs git, for `limit` at most: call it off the loop.
pub fn status(repository: &Repository, limit: Duration) -> Result<Status, GitError> {
    let mut command = command(&repository.root);
    command.args(["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal"]);
    let output = output(command, &repository.root, limit)?;
    Ok(parse_status(&output))
}

/// `git` in `root`, tamed.
fn command(root: &Path) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_bytes().starts_with(b"GIT_")) {
        command.env_remove(name);
    }
    let quiet = [
        ("LC_ALL", "C"),
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_PAGER", "cat"),
        ("GIT_ASKPASS", "true"),
    ];
    command.envs(quiet).arg("--no-optional-locks").arg("-C").arg(root);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    // A group of its own, so that whatever it starts ends with it.
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A group that is killed and a child that is waited for, whatever happens.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        process::signal_group(self.0.id(), libc::SIGKILL);
        let _ = self.0.wait();
    }
}

fn output(mut command: Command, root: &Path, limit: Duration) -> Result<Vec<u8>, GitError> {
    let late = monotonic_ms() + limit.as_millis() as u64;
    let mut running = Running(command.spawn()?);
    let mut stdout = running.0.stdout.take().expect("stdout is piped");
    let mut stderr = running.0.stderr.take().expect("stderr is piped");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let (mut is_out_open, mut is_err_open) = (true, true);
    while is_out_open || is_err_open {
        let left = late.saturating_sub(monotonic_ms());
        if left == 0 {
            return Err(GitError::Late { root: root.to_owned(), limit });
        }
        let timeout = Timespec { tv_sec: (left / 1000) as i64, tv_nsec: (left % 1000 * 1_000_000) as _ };
        let wanted = |open: bool| if open { PollFlags::IN } else { PollFlags::empty() };
        let mut fds = [PollFd::new(&stdout, wanted(is_out_open)), PollFd::new(&stderr, wanted(is_err_open))];
        match rustix::event::poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        let ready = fds.map(|fd| !fd.revents().is_empty());
        if is_out_open && ready[0] {
            is_out_open = read_some(&mut stdout, &mut out)?;
        }
        if is_err_open && ready[1] {
            is_err_open = read_some(&mut stderr, &mut err)?;
        }
        if out.len() >= MOST_OUTPUT {
            return Ok(out);
        }
    }
    let status = running.0.wait()?;
    if status.success() {
        return Ok(out);
    }
    let text = String::from_utf8_lossy(&err);
    let message = text.lines().last().unwrap_or("it gave no reason").chars().take(300).collect();
    Err(GitError::Refused { root: root.to_owned(), message })
}

/// Reads once; whether the pipe is still open. What would exceed the limit is dropped.
fn read_some(pipe: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<bool> {
    let mut buffer = [0; 16 * 1024];
    match pipe.read(&mut buffer) {
        Ok(0) => Ok(false),
        Ok(read) => {
            let room = MOST_OUTPUT.saturating_sub(bytes.len());
            bytes.extend_from_slice(&buffer[..read.min(room)]);
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error) => Err(error),
    }
}

/// Reads `git status --porcelain=v2 --branch -z`: entries ended by NULs, headers after `# `.
fn parse_status(output: &[u8]) -> Status {
    let mut status = Status::default();
    let mut oid = None;
    let mut entries = output.split(|byte| *byte == 0);
    while let Some(entry) = entries.next() {
        let text = String::from_utf8_lossy(entry);
        match entry.first() {
            Some(b'#') => header(&text, &mut status, &mut oid),
            Some(b'?') => status.untracked = true,
            Some(b'1' | b'u') => status.changed = true,
            Some(b'2') => {
                status.changed = true;
                // A rename's former path is an entry of its own.
                entries.next();
            }
            _ => {}
        }
    }
    if status.branch.is_none() {
        status.detached = oid;
    }
    status
}

fn header(text: &str, status: &mut Status, oid: &mut Option<String>) {
    if let Some(found) = text.strip_prefix("# branch.oid ") {
        *oid = Some(found.to_owned());
    } else if let Some(found) = text.strip_prefix("# branch.head ") {
        status.branch = (found != "(detached)").then(|| found.to_owned());
    } else if let Some(found) = text.strip_prefix("# branch.ab ") {
        let mut numbers =
            found.split(' ').map(|number| number.get(1..).and_then(|digits| digits.parse().ok()));
        status.ahead = numbers.next().flatten();
        status.behind = numbers.next().flatten();
    }
}

#[cfg(test)]
mod tests;
