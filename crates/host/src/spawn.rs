//! Starting a program: fork, exec, and an honest word when it cannot be.
//!
//! The child gets exactly what it is given: its environment, its folder, its standard streams, no other
//! descriptor, default signals, an empty mask. It becomes the leader of a session of its own when it gets a
//! terminal. Waiting for it, and signalling it, are the caller's business.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr, OsString};
use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use rustix::io::Errno;
use thiserror::Error;

/// Where a program without `/` is looked for when its environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A program to start.
#[derive(Debug, Clone, Copy)]
pub struct Program<'a> {
    /// Program and arguments.
    pub argv: &'a [OsString],
    /// The whole environment.
    pub env: &'a [(OsString, OsString)],
    /// Its folder.
    pub cwd: &'a Path,
    /// Its standard streams.
    pub streams: Streams<'a>,
    /// Descriptors it gets besides, as 3, 4, …
    pub pass: &'a [BorrowedFd<'a>],
    /// Its limit of open files (soft, hard); the caller's own when `None`.
    pub open_files: Option<(u64, u64)>,
}

/// A program's standard streams.
#[derive(Debug, Clone, Copy)]
pub enum Streams<'a> {
    /// All three are this terminal, which becomes its controlling one, in a new session.
    Terminal(BorrowedFd<'a>),
    /// The caller's own, in the caller's session.
    Inherit,
}

/// What could not be done for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A new process.
    Fork,
    /// Its session, terminal and descriptors.
    Setup,
    /// Going to its folder.
    Folder,
    /// Executing it.
    Exec,
}

/// Why a program does not run: one sentence that names it.
#[derive(Debug, Error)]
pub struct SpawnError {
    /// What failed.
    pub stage: Stage,
    /// The system's number for it, 0 for an argument with a NUL in it or none at all.
    pub errno: i32,
    /// The program, or the folder.
    pub subject: OsString,
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = self.subject.display();
        if self.errno == 0 {
            return write!(f, "cannot run {subject:?}: an argument is missing or has a NUL in it");
        }
        match (self.stage, self.errno) {
            (Stage::Exec, libc::ENOENT) => write!(f, "{subject} was not found: install it or name another"),
            (Stage::Exec, libc::EACCES) => write!(f, "{subject} cannot be executed: check its permissions"),
            (Stage::Exec, libc::E2BIG) => {
                write!(f, "the arguments and environment of {subject} are too long for the system")
            }
            (Stage::Folder, errno) => {
                write!(f, "cannot start in {subject}: {}", io::Error::from_raw_os_error(errno))
            }
            (_, errno) => write!(f, "cannot run {subject}: {}", io::Error::from_raw_os_error(errno)),
        }
    }
}

/// Starts `program` and returns its pid once it executes.
pub fn spawn(program: &Program<'_>) -> Result<u32, SpawnError> {
    let name = program.argv.first().cloned().unwrap_or_default();
    let error = |stage, errno, subject: &OsStr| SpawnError { stage, errno, subject: subject.to_owned() };
    let image = Image::new(program).ok_or_else(|| error(Stage::Exec, 0, &name))?;
    let setup = |errno: Errno| error(Stage::Fork, errno.raw_os_error(), &name);
    let (report, child_report) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(setup)?;

    // SAFETY: the child calls nothing but async-signal-safe functions on memory made before, then executes or
    // exits; it neither allocates nor unwinds.
    let pid = match unsafe { libc::fork() } {
        -1 => return Err(setup(last_errno())),
        // SAFETY: this is the fresh child.
        0 => unsafe { image.become_program(program, child_report.as_raw_fd()) },
        pid => pid,
    };
    drop(child_report);
    match read_report(&report) {
        None => Ok(pid as u32),
        Some((stage, errno)) => {
            // SAFETY: plain waitpid on our own child, which is about to exit.
            while unsafe { libc::waitpid(pid, ptr::null_mut(), 0) } == -1 && last_errno() == Errno::INTR {}
            let subject = if stage == Stage::Folder { program.cwd.as_os_str() } else { &name };
            Err(error(stage, errno, subject))
        }
    }
}

fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// What the child wrote before it gave up: nothing when it executes.
fn read_report(report: &OwnedFd) -> Option<(Stage, i32)> {
    let mut bytes = [0u8; 5];
    loop {
        match rustix::io::read(report, &mut bytes) {
            Err(Errno::INTR) => {}
            Ok(5) => break,
            _ => return None,
        }
    }
    let stage = match bytes[0] {
        0 => Stage::Setup,
        1 => Stage::Folder,
        _ => Stage::Exec,
    };
    Some((stage, i32::from_ne_bytes([bytes[1], bytes[2], bytes[3], bytes[4]])))
}

/// Everything the child needs, made before the fork.
struct Image {
    /// Where the program may be, in order.
    candidates: Vec<CString>,
    /// Argument and environment vectors point into these.
    #[expect(dead_code, reason = "kept alive for the pointers")]
    strings: Vec<CString>,
    argv: Vec<*const libc::c_char>,
    envp: Vec<*const libc::c_char>,
    /// For a script without `#!`: `/bin/sh`, a place for its path, its arguments.
    shell_argv: Vec<*const libc::c_char>,
    cwd: CString,
    /// A place for each descriptor to pass.
    aside: Vec<RawFd>,
}

impl Image {
    fn new(program: &Program<'_>) -> Option<Self> {
        let c = |text: &OsStr| CString::new(text.as_bytes()).ok();
        let name = program.argv.first().filter(|name| !name.is_empty())?;
        let args: Vec<CString> = program.argv.iter().map(|arg| c(arg)).collect::<Option<_>>()?;
        let vars: Vec<CString> = program
            .env
            .iter()
            .map(|(key, value)| {
                let mut var = key.clone();
                var.push("=");
                var.push(value);
                c(&var)
            })
            .collect::<Option<_>>()?;
        let pointers = |list: &[CString]| -> Vec<*const libc::c_char> {
            list.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
        };
        let (argv, envp) = (pointers(&args), pointers(&vars));
        let mut shell_argv = vec![c"/bin/sh".as_ptr(), ptr::null()];
        shell_argv.extend(&argv[1..]);
        let candidates = candidates(name, program.env).iter().map(|path| c(path)).collect::<Option<_>>()?;
        let cwd = c(program.cwd.as_os_str())?;
        // Moving the strings into one vector moves no character of them.
        let strings = args.into_iter().chain(vars).collect();
        let aside = vec![-1; program.pass.len()];
        Some(Self { candidates, strings, argv, envp, shell_argv, cwd, aside })
    }

    /// The child: sets itself up and executes, or reports why not and exits.
    ///
    /// # Safety
    /// Only in a fresh child of `fork`.
    unsafe fn become_program(mut self, program: &Program<'_>, report: RawFd) -> ! {
        // SAFETY: as this function's.
        unsafe {
            let first_free = 3 + program.pass.len() as RawFd;
            let report = libc::fcntl(report, libc::F_DUPFD_CLOEXEC, first_free);
            if set_up(program, &mut self.aside, first_free) == -1 {
                give_up(report, 0);
            }
            if libc::chdir(self.cwd.as_ptr()) == -1 {
                give_up(report, 1);
            }
            reset_signals();
            self.execute();
            give_up(report, 2);
        }
    }

    /// Tries every candidate, as a shell does; returns with `errno` set when none can be executed.
    ///
    /// # Safety
    /// Only in a fresh child of `fork`.
    unsafe fn execute(&mut self) {
        let mut denied = false;
        for index in 0..self.candidates.len() {
            let path = self.candidates[index].as_ptr();
            // SAFETY: all vectors end with a null and point to strings that live until the end.
            unsafe {
                libc::execve(path, self.argv.as_ptr(), self.envp.as_ptr());
                let mut errno = *libc::__errno_location();
                if errno == libc::ENOEXEC {
                    self.shell_argv[1] = path;
                    libc::execve(self.shell_argv[0], self.shell_argv.as_ptr(), self.envp.as_ptr());
                    errno = *libc::__errno_location();
                }
                match errno {
                    libc::ENOENT | libc::ENOTDIR => {}
                    libc::EACCES => denied = true,
                    _ => return,
                }
            }
        }
        // SAFETY: the address of this thread's errno.
        unsafe { *libc::__errno_location() = if denied { libc::EACCES } else { libc::ENOENT } };
    }
}

/// Where a shell would look for `name`.
fn candidates(name: &OsStr, env: &[(OsString, OsString)]) -> Vec<OsString> {
    if name.as_bytes().contains(&b'/') {
        return vec![name.to_owned()];
    }
    let path = env.iter().find(|(key, _)| key == "PATH").map_or(OsStr::new(DEFAULT_PATH), |(_, value)| value);
    std::env::split_paths(path).map(|folder| folder.join(name).into_os_string()).collect()
}

/// Session, terminal, streams, descriptors and limits; -1 with `errno` set when one fails. `aside` has a place for
/// every descriptor to pass.
///
/// # Safety
/// Only in a fresh child of `fork`.
unsafe fn set_up(program: &Program<'_>, aside: &mut [RawFd], first_free: RawFd) -> libc::c_int {
    // SAFETY: plain system calls on descriptors that are open, on memory that is ours.
    unsafe {
        // A source could stand where another must go: first all out of the way, then each to its place.
        for (fd, aside) in program.pass.iter().zip(aside.iter_mut()) {
            *aside = libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, first_free);
            if *aside == -1 {
                return -1;
            }
        }
        if let Streams::Terminal(slave) = program.streams {
            let slave = libc::fcntl(slave.as_raw_fd(), libc::F_DUPFD_CLOEXEC, first_free);
            if slave == -1 || libc::setsid() == -1 || libc::ioctl(slave, libc::TIOCSCTTY as _, 0) == -1 {
                return -1;
            }
            for stream in 0..3 {
                if libc::dup2(slave, stream) == -1 {
                    return -1;
                }
            }
        }
        for (target, fd) in (3..).zip(aside.iter()) {
            if libc::dup2(*fd, target) == -1 {
                return -1;
            }
        }
        // Everything of ours is close-on-exec already; this is for what we inherited ourselves. A kernel without
        // the call (before 5.11) does without.
        libc::syscall(
            libc::SYS_close_range,
            first_free as libc::c_uint,
            libc::c_uint::MAX,
            CLOSE_RANGE_CLOEXEC,
        );
        if let Some((soft, hard)) = program.open_files {
            let limit = libc::rlimit { rlim_cur: soft as libc::rlim_t, rlim_max: hard as libc::rlim_t };
            return libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
        0
    }
}

const CLOSE_RANGE_CLOEXEC: libc::c_uint = 4;

/// Default action for every signal, none blocked.
///
/// # Safety
/// Only in a fresh child of `fork`.
unsafe fn reset_signals() {
    // The kernel's own form of `sigaction`, all zero: the default. The C library's refuses the two signals it
    // keeps for itself, which may well be ignored by inheritance.
    let default = [0u64; 4];
    // SAFETY: plain system calls; signals that cannot be set answer an error that is of no interest.
    unsafe {
        for signal in 1..=64 {
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), ptr::null::<u64>(), 8);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
    }
}

/// Reports stage and `errno`, and exits.
///
/// # Safety
/// Only in a fresh child of `fork`.
unsafe fn give_up(report: RawFd, stage: u8) -> ! {
    // SAFETY: the address of this thread's errno, a write of five bytes of ours, and the end.
    unsafe {
        let [a, b, c, d] = (*libc::__errno_location()).to_ne_bytes();
        let bytes = [stage, a, b, c, d];
        libc::write(report, bytes.as_ptr().cast(), bytes.len());
        libc::_exit(127)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::fd::AsFd;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::pty::{self, Size};

    /// By another process: a file that this one has open to write cannot be executed, and a fork of another test
    /// would hold it open a moment longer.
    pub(crate) fn write_script(path: &Path, text: &str) {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "printf %s \"$2\" >\"$1\" && chmod 755 \"$1\"", "sh"]).arg(path).arg(text);
        assert!(command.status().unwrap().success());
    }

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    fn vars(vars: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        vars.iter().map(|(key, value)| (key.into(), value.into())).collect()
    }

    /// Runs to its end in a terminal; everything it printed.
    fn output(argv: &[&str], env: &[(&str, &str)], pass: &[BorrowedFd<'_>]) -> Result<String, SpawnError> {
        let pty = pty::open(Size { cols: 80, rows: 24 }).unwrap();
        let (argv, env) = (words(argv), vars(env));
        let streams = Streams::Terminal(pty.slave.as_fd());
        let program = Program {
            argv: &argv,
            env: &env,
            cwd: Path::new("/"),
            streams,
            pass,
            open_files: Some((64, 64)),
        };
        let pid = spawn(&program)?;
        drop(pty.slave);
        let mut text = Vec::new();
        let mut buffer = [0; 4096];
        let late = Instant::now() + Duration::from_secs(20);
        loop {
            match pty::read(&pty.master, &mut buffer).unwrap() {
                Some(0) => break,
                Some(read) => text.extend_from_slice(&buffer[..read]),
                None => {
                    assert!(Instant::now() < late, "no end of {argv:?}");
                    let mut fds = [rustix::event::PollFd::new(&pty.master, rustix::event::PollFlags::IN)];
                    let second = rustix::time::Timespec { tv_sec: 1, tv_nsec: 0 };
                    rustix::event::poll(&mut fds, Some(&second)).unwrap();
                }
            }
        }
        let pid = rustix::process::Pid::from_raw(pid as i32);
        rustix::process::waitpid(pid, rustix::process::WaitOptions::empty()).unwrap();
        Ok(String::from_utf8_lossy(&text).replace("\r\n", "\n"))
    }

    #[test]
    fn a_program_gets_what_it_is_given_and_nothing_else() {
        let script = "echo $0 $1; env | sort | grep -v -e ^_ -e ^SHLVL -e ^PWD -e ^OLDPWD; pwd; ulimit -n; \
                      ps() { cat /proc/$$/stat; }; set -- $(ps); echo pgrp $(($5 == $1)) sid $(($6 == $1)) fg $(($8 == $1)); \
                      grep -e SigBlk -e SigIgn /proc/self/status; tty >/dev/null && echo tty; ls /proc/$$/fd";
        let shown =
            output(&["sh", "-c", script, "zero", "one"], &[("A", "1"), ("PATH", "/usr/bin:/bin")], &[]);
        let shown = shown.unwrap();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[..5], ["zero one", "A=1", "PATH=/usr/bin:/bin", "/", "64"], "{shown}");
        assert_eq!(lines[5], "pgrp 1 sid 1 fg 1", "{shown}");
        assert!(
            lines[6].ends_with(" 0000000000000000") || lines[6].ends_with("\t0000000000000000"),
            "{shown}"
        );
        assert!(lines[7].ends_with("\t0000000000000000"), "{shown}");
        assert_eq!(lines[8], "tty");
        // 10 and 255 are what shells keep for themselves.
        let fds = lines[9..].iter().flat_map(|line| line.split_whitespace());
        let fds: Vec<&str> = fds.filter(|fd| !["10", "255"].contains(fd)).collect();
        assert_eq!(fds, ["0", "1", "2"], "{shown}");
    }

    #[test]
    fn descriptors_are_passed_in_order() {
        let (a, b) = (std::fs::File::open("/dev/null").unwrap(), std::fs::File::open("/dev/zero").unwrap());
        let script = "readlink /proc/$$/fd/3 /proc/$$/fd/4 /proc/$$/fd/5";
        let path = &[("PATH", "/usr/bin:/bin")];
        let shown = output(&["sh", "-c", script], path, &[b.as_fd(), a.as_fd(), b.as_fd()]).unwrap();
        assert_eq!(shown, "/dev/zero\n/dev/null\n/dev/zero\n");
    }

    #[test]
    fn failures_are_sentences() {
        let said = |argv: &[&str], env| output(argv, env, &[]).unwrap_err();
        let missing = said(&["no-such-shell"], &[("PATH", "/bin")]);
        assert_eq!((missing.stage, missing.errno), (Stage::Exec, libc::ENOENT));
        assert_eq!(missing.to_string(), "no-such-shell was not found: install it or name another");
        assert_eq!(said(&["/etc/passwd"], &[]).errno, libc::EACCES);
        assert_eq!(said(&[], &[]).errno, 0);
        assert_eq!(said(&["a\0b"], &[]).errno, 0);
        let huge = "x".repeat(200_000);
        let long = said(&["/bin/true"], &[("HUGE", &huge)]);
        assert_eq!(long.errno, libc::E2BIG);

        let (argv, env) = (words(&["true"]), vars(&[]));
        let cwd = Path::new("/no/such/folder");
        let program =
            Program { argv: &argv, env: &env, cwd, streams: Streams::Inherit, pass: &[], open_files: None };
        let error = spawn(&program).unwrap_err();
        assert_eq!(error.stage, Stage::Folder);
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }

    #[test]
    fn a_large_environment_and_a_script_without_its_first_line() {
        let part = "x".repeat(100_000);
        let env = &[("A", part.as_str()), ("B", &part), ("PATH", "/usr/bin:/bin")];
        assert_eq!(output(&["sh", "-c", "echo ${#A} ${#B}"], env, &[]).unwrap(), "100000 100000\n");

        let root = tempfile::tempdir().unwrap();
        let script = root.path().join("plain");
        write_script(&script, "echo plain $1\n");
        let path = root.path().to_str().unwrap();
        assert_eq!(output(&["plain", "x"], &[("PATH", path)], &[]).unwrap(), "plain x\n");
    }
}
