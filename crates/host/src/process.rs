//! Facts about processes, from `/proc`.
//!
//! Every answer is a moment's: a process may be gone by the time it is read, which is `None` or a missing entry,
//! never an error. Which agent a process is, is decided elsewhere. (macOS: `libproc` would stand here.)

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::process::{Pid, Signal};

use crate::pty;

/// More of a command line than this is not read.
const LONGEST_CMDLINE: u64 = 64 * 1024;

/// A walk up or down a tree looks at no more processes than this.
const MOST_PROCESSES: usize = 4096;

/// What `/proc/<pid>/stat` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// The name the kernel keeps: up to 15 bytes of the executable's, or what the process made of it.
    pub comm: String,
    /// Whether it has ended and waits for its parent to take note.
    pub is_zombie: bool,
    /// Its parent.
    pub ppid: u32,
    /// Its process group.
    pub pgrp: u32,
    /// Its session.
    pub session: u32,
    /// When it started, in clock ticks since the boot: with the pid, who it is.
    pub start: u64,
}

/// A process among [`ancestors`]: pid and start time name it for as long as the machine is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// Its pid.
    pub pid: u32,
    /// Its start time, as [`Stat::start`].
    pub start: u64,
}

/// A process of a pane, for who recognises it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its pid.
    pub pid: u32,
    /// Its parent.
    pub ppid: u32,
    /// Its process group.
    pub pgrp: u32,
    /// The kernel's name for it.
    pub comm: String,
    /// Its command line; empty when unreadable.
    pub argv: Vec<OsString>,
    /// Its executable; ` (deleted)` at its end when it was removed or replaced.
    pub exe: Option<PathBuf>,
    /// Its folder.
    pub cwd: Option<PathBuf>,
}

/// The facts of `pid`'s stat line.
pub fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(bytes: &[u8]) -> Option<Stat> {
    // The name may contain blanks and parentheses: it ends at the last one.
    let open = bytes.iter().position(|byte| *byte == b'(')?;
    let close = bytes.iter().rposition(|byte| *byte == b')')?;
    let comm = String::from_utf8_lossy(bytes.get(open + 1..close)?).into_owned();
    let rest = std::str::from_utf8(&bytes[close + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i64>().ok();
    Some(Stat {
        comm,
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
        ppid: number(1)? as u32,
        pgrp: number(2)? as u32,
        session: number(3)? as u32,
        start: number(19)? as u64,
    })
}

/// Who `pid` is now.
pub fn identity(pid: u32) -> Option<Identity> {
    stat(pid).map(|stat| Identity { pid, start: stat.start })
}

/// Whether that very process still lives. A zombie doesn't.
pub fn is_alive(who: Identity) -> bool {
    stat(who.pid).is_some_and(|stat| stat.start == who.start && !stat.is_zombie)
}

/// `pid`'s command line; empty for a kernel thread or a zombie, cut at 64 KiB.
pub fn cmdline(pid: u32) -> Option<Vec<OsString>> {
    let mut bytes = Vec::new();
    fs::File::open(format!("/proc/{pid}/cmdline"))
        .ok()?
        .take(LONGEST_CMDLINE)
        .read_to_end(&mut bytes)
        .ok()?;
    if bytes.last() == Some(&0) {
        bytes.pop();
    }
    if bytes.is_empty() {
        return Some(Vec::new());
    }
    Some(bytes.split(|byte| *byte == 0).map(|arg| OsString::from_vec(arg.to_vec())).collect())
}

/// `pid`'s executable.
pub fn exe(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// `pid`'s folder.
pub fn cwd(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// A variable of `pid`'s environment, as it was when the program began.
pub fn var(pid: u32, name: &str) -> Option<OsString> {
    let environ = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environ.split(|byte| *byte == 0).find_map(|pair| {
        let value = pair.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(OsString::from_vec(value.to_vec()))
    })
}

/// `pid` itself, its parent, and so on up, as far as they can be seen.
pub fn ancestors(pid: u32) -> Vec<Identity> {
    let mut line: Vec<Identity> = Vec::new();
    let mut next = pid;
    while next != 0 && line.len() < MOST_PROCESSES && line.iter().all(|who| who.pid != next) {
        let Some(stat) = stat(next) else { break };
        line.push(Identity { pid: next, start: stat.start });
        next = stat.ppid;
    }
    line
}

/// `pid`'s children, zombies too.
pub fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for task in tasks.flatten() {
        match fs::read_to_string(task.path().join("children")) {
            Ok(text) => found.extend(text.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok())),
            // A thread that just ended is no reason to look at every process; a kernel without the file is.
            Err(_) if !kernel_lists_children() => return children_by_scan(pid),
            Err(_) => {}
        }
    }
    found
}

fn kernel_lists_children() -> bool {
    let pid = std::process::id();
    fs::exists(format!("/proc/{pid}/task/{pid}/children")).unwrap_or(false)
}

fn children_by_scan(parent: u32) -> Vec<u32> {
    all().into_iter().filter(|pid| stat(*pid).is_some_and(|stat| stat.ppid == parent)).collect()
}

/// Every pid there is.
pub fn all() -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// Everything below `root` that has not ended, except `stop`s and what is below them. Parents before children.
pub fn descendants(root: u32, stop: &BTreeSet<u32>) -> Vec<(u32, Stat)> {
    let mut found = BTreeMap::new();
    let mut order = Vec::new();
    let mut queue: Vec<u32> = children(root);
    while let Some(pid) = queue.pop() {
        if stop.contains(&pid) || found.len() >= MOST_PROCESSES || found.contains_key(&pid) {
            continue;
        }
        let Some(stat) = stat(pid) else { continue };
        queue.extend(children(pid));
        found.insert(pid, stat);
        order.push(pid);
    }
    order
        .into_iter()
        .filter_map(|pid| Some((pid, found.remove(&pid)?)))
        .filter(|(_, s)| !s.is_zombie)
        .collect()
}

/// The processes of group `pgid` among `child` and what is below it, and below the group's leader: other
/// processes of the machine are not looked at. By rising pid.
pub fn group(child: u32, pgid: u32) -> Vec<Process> {
    let mut members = BTreeMap::new();
    let mut roots = vec![child];
    if pgid != child {
        roots.push(pgid);
    }
    for root in roots {
        let itself = stat(root).filter(|stat| !stat.is_zombie).map(|stat| (root, stat));
        for (pid, stat) in itself.into_iter().chain(descendants(root, &BTreeSet::new())) {
            if stat.pgrp == pgid {
                members.insert(pid, stat);
            }
        }
    }
    members.into_iter().map(|(pid, stat)| describe(pid, stat)).collect()
}

/// The processes in the foreground of a pane's terminal, `child` being the program it was started with. `None`
/// when the terminal has no foreground.
pub fn foreground(master: impl AsFd, child: u32) -> Option<Vec<Process>> {
    pty::foreground(master).map(|pgid| group(child, pgid))
}

/// The process `pid`, unless it has ended.
pub fn look(pid: u32) -> Option<Process> {
    stat(pid).filter(|stat| !stat.is_zombie).map(|stat| describe(pid, stat))
}

/// A descriptor that is readable once that very process has ended.
///
/// # Errors
///
/// It is gone, or the kernel has no descriptor to give.
pub fn exit_fd(who: Identity) -> std::io::Result<OwnedFd> {
    let gone = || std::io::Error::from(std::io::ErrorKind::NotFound);
    let pid = i32::try_from(who.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    let fd = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())?;
    // The pid may have been another's by the time it was opened.
    if is_alive(who) { Ok(fd) } else { Err(gone()) }
}

fn describe(pid: u32, stat: Stat) -> Process {
    Process {
        pid,
        ppid: stat.ppid,
        pgrp: stat.pgrp,
        comm: stat.comm,
        argv: cmdline(pid).unwrap_or_default(),
        exe: exe(pid),
        cwd: cwd(pid),
    }
}

/// Sends a signal to one process; whether it was there and ours. Pids below 2 are refused.
pub fn signal(pid: u32, number: i32) -> bool {
    match (i32::try_from(pid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw), named(number)) {
        (Some(pid), Some(signal)) => rustix::process::kill_process(pid, signal).is_ok(),
        _ => false,
    }
}

/// Sends a signal to a process group; whether it was there and ours. Groups below 2 are refused.
pub fn signal_group(pgid: u32, number: i32) -> bool {
    match (i32::try_from(pgid).ok().filter(|pid| *pid > 1).and_then(Pid::from_raw), named(number)) {
        (Some(pgid), Some(signal)) => rustix::process::kill_process_group(pgid, signal).is_ok(),
        _ => false,
    }
}

/// Sends a signal to every process of a session, wherever in the tree it hangs: for a server whose keeper is gone.
/// Looks at every process of the machine. Answers how many it was sent to.
pub fn signal_session(session: u32, number: i32) -> usize {
    let members = all().into_iter().filter(|pid| stat(*pid).is_some_and(|stat| stat.session == session));
    members.filter(|pid| signal(*pid, number)).count()
}

fn named(number: i32) -> Option<Signal> {
    Signal::from_named_raw(number)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command, Stdio};

    use super::*;

    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn cat() -> Running {
        let mut command = Command::new("cat");
        Running(
            command.arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).current_dir("/").spawn().unwrap(),
        )
    }

    #[test]
    fn a_stat_line_with_a_nasty_name() {
        let line = b"42 (a) R 7 (b)) S 1 2 3 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2";
        let stat = parse_stat(line).unwrap();
        assert_eq!(stat.comm, "a) R 7 (b)");
        assert_eq!((stat.ppid, stat.pgrp, stat.session, stat.start), (1, 2, 3, 98765));
        assert_eq!(parse_stat(b"42 (a"), None);
        assert_eq!(parse_stat(b"42 (a) S 1"), None);
    }

    #[test]
    fn facts_of_a_child() {
        let child = cat();
        let pid = child.0.id();
        let me = std::process::id();
        assert_eq!(stat(pid).unwrap().ppid, me);
        // A child is there a moment before its command line is.
        while cmdline(pid).is_some_and(|argv| argv.is_empty()) {
            std::thread::yield_now();
        }
        assert_eq!(cmdline(pid).unwrap(), ["cat", "-"]);
        assert_eq!(cwd(pid).unwrap(), PathBuf::from("/"));
        assert!(exe(pid).is_some());
        assert!(children(me).contains(&pid));
        assert!(children_by_scan(me).contains(&pid));
        let line = ancestors(pid);
        assert_eq!((line[0].pid, line[1].pid), (pid, me));
        let who = identity(pid).unwrap();
        assert!(is_alive(who));
        assert!(!is_alive(Identity { start: who.start + 1, ..who }));
        let group = group(pid, stat(pid).unwrap().pgrp);
        assert!(group.iter().any(|process| process.pid == pid && process.comm == "cat"));
        assert!(descendants(me, &BTreeSet::from([pid])).iter().all(|(found, _)| *found != pid));
        drop(child);
        assert_eq!(stat(pid), None);
        assert!(!is_alive(who));
        assert!(ancestors(pid).is_empty());
    }

    #[test]
    fn nobody_is_signalled_by_accident() {
        for pid in [0, 1, u32::MAX] {
            assert!(!signal(pid, 9) && !signal_group(pid, 9));
        }
        assert!(!signal(std::process::id(), 12345));
    }
}
