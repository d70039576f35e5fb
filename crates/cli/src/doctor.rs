//! `kraal doctor`: what there is to know before kraal works well here, and what to do about it.
//!
//! Not here: repairing anything.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use kraal_host::dirs::Dirs;
use kraal_server::own;
use serde::Serialize;

use crate::failure::{Done, Failure};
use crate::output::{Cell, Output, Paint, clean};
use crate::target::{Standing, Target, standing};

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Ok,
    Warn,
    Fail,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    /// What was found.
    found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    todo: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Finding { check, verdict: Verdict::Ok, found: found.into(), todo: None }
    }

    fn warn(check: &'static str, found: impl Into<String>, todo: impl Into<String>) -> Self {
        Finding { check, verdict: Verdict::Warn, found: found.into(), todo: Some(todo.into()) }
    }

    fn fail(check: &'static str, found: impl Into<String>, todo: impl Into<String>) -> Self {
        Finding { verdict: Verdict::Fail, ..Finding::warn(check, found, todo) }
    }
}

pub(crate) fn run(target: &Target, output: &Output) -> Done {
    let mut findings = terminal(|name| std::env::var(name).ok());
    findings.extend(size());
    findings.push(git());
    findings.push(agents(target));
    match target.roots() {
        Ok(dirs) => {
            findings.extend(folders(&dirs));
            findings.extend(sessions(&dirs, &target.name));
        }
        Err(failure) => findings.push(Finding::fail("folders", failure.to_string(), "set it")),
    }
    findings.extend(configuration(target));
    if output.is_json() {
        output.json(&findings)?;
    } else {
        findings.iter().try_for_each(|finding| said(finding, output))?;
    }
    let failed = findings.iter().any(|finding| finding.verdict == Verdict::Fail);
    if failed { Err(Failure::Said(1)) } else { Ok(()) }
}

fn said(finding: &Finding, output: &Output) -> Done {
    let (word, paint) = match finding.verdict {
        Verdict::Ok => ("ok  ", Paint::Green),
        Verdict::Warn => ("warn", Paint::Yellow),
        Verdict::Fail => ("fail", Paint::Red),
    };
    let text = match &finding.todo {
        Some(todo) => format!("{}: {todo}", finding.found),
        None => finding.found.clone(),
    };
    output.cells(&[Cell::new(word, paint), format!("{:<10}", finding.check).into(), text.into()])
}

/// What the environment says of the terminal.
fn terminal(var: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let mut findings = vec![match set("TERM") {
        None => {
            Finding::fail("terminal", "TERM is not set", "set it to what your terminal is, as xterm-256color")
        }
        Some(term) if term == "dumb" => {
            Finding::fail("terminal", "TERM is dumb", "attach from a terminal that can move its cursor")
        }
        Some(term) => Finding::ok("terminal", term),
    }];
    let term = set("TERM").unwrap_or_default();
    findings.push(match set("COLORTERM") {
        _ if set("NO_COLOR").is_some() => Finding::ok("colours", "off by NO_COLOR"),
        Some(colours) if colours == "truecolor" || colours == "24bit" => Finding::ok("colours", "16 million"),
        _ if term.contains("256color") || term.contains("direct") => Finding::ok("colours", "256"),
        _ => Finding::warn("colours", "maybe only 16", "set COLORTERM=truecolor where the terminal has them"),
    });
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let folded = locale.to_lowercase().replace('-', "");
    findings.push(if folded.contains("utf8") {
        Finding::ok("locale", locale)
    } else {
        let found =
            if locale.is_empty() { "none is set".to_owned() } else { format!("{locale} is not UTF-8") };
        Finding::warn(
            "locale",
            found,
            "set LANG to a UTF-8 locale such as C.UTF-8, or programs in panes show ?",
        )
    });
    findings
}

fn size() -> Option<Finding> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    let found = format!("{} columns, {} rows", size.ws_col, size.ws_row);
    Some(if size.ws_col < 40 || size.ws_row < 10 {
        Finding::warn("size", found, "make the window larger")
    } else {
        Finding::ok("size", found)
    })
}

/// The oldest git that can check merges without a checkout.
const GIT_WANTED: (u32, u32) = (2, 38);

fn git() -> Finding {
    let mut command = Command::new("git");
    command.arg("--version").stdin(Stdio::null()).stderr(Stdio::null());
    let said = command.output().ok().filter(|out| out.status.success());
    let Some(said) = said.and_then(|out| String::from_utf8(out.stdout).ok()) else {
        return Finding::warn("git", "not found", "install it: without, panes show no branches");
    };
    let version = said.trim().trim_start_matches("git version ").to_owned();
    match numbers(&version) {
        Some(found) if found < GIT_WANTED => {
            Finding::warn("git", version, "2.38 or later sees that a branch was merged by squash or rebase")
        }
        _ => Finding::ok("git", version),
    }
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn agents(target: &Target) -> Finding {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (catalog, _) = own::catalog(&target.roots().map(|dirs| own::texts(&dirs)).unwrap_or_default());
    let found: Vec<&str> = catalog
        .iter()
        .filter(|agent| !agent.hidden() && agent.commands().iter().any(|command| on_path(command, &path)))
        .map(|agent| agent.label())
        .collect();
    if found.is_empty() {
        return Finding::warn(
            "agents",
            "none of the known ones is on PATH",
            "install one, or look at `kraal demo`",
        );
    }
    Finding::ok("agents", found.join(", "))
}

fn on_path(command: &str, path: &OsStr) -> bool {
    std::env::split_paths(path).any(|folder| {
        fs::metadata(folder.join(command))
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

fn folders(dirs: &Dirs) -> Vec<Finding> {
    [("config", &dirs.config), ("state", &dirs.state), ("runtime", &dirs.runtime)]
        .into_iter()
        .map(|(check, path)| folder(check, path))
        .collect()
}

/// Whether a folder is ours and can be written; one that is not there yet, whether it can be made.
fn folder(check: &'static str, path: &Path) -> Finding {
    let shown = crate::output::folder(&path.display().to_string());
    let Ok(found) = fs::symlink_metadata(path) else {
        let above = path.ancestors().find(|above| above.exists()).unwrap_or(Path::new("/"));
        return if writable(above) {
            Finding::ok(check, format!("{shown}, not made yet"))
        } else {
            Finding::warn(
                check,
                format!("{shown} cannot be made"),
                format!("make {} writable", above.display()),
            )
        };
    };
    let me = rustix::process::geteuid().as_raw();
    if check != "config" && !found.is_dir() {
        return Finding::fail(check, format!("{shown} is a link or a file"), "remove it");
    }
    if found.uid() != me {
        return Finding::fail(
            check,
            format!("{shown} belongs to user {}", found.uid()),
            "remove it, or set XDG_* to folders of yours",
        );
    }
    if check == "runtime" && found.mode() & 0o077 != 0 {
        return Finding::warn(check, format!("{shown} is open to others"), format!("chmod 700 {shown}"));
    }
    match (check, writable(path)) {
        (_, true) | ("config", false) => Finding::ok(check, shown),
        ("state", false) => Finding::warn(
            check,
            format!("{shown} cannot be written"),
            "make it writable, or sessions are not saved",
        ),
        (_, false) => Finding::fail(check, format!("{shown} cannot be written"), "make it writable"),
    }
}

fn writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
}

fn sessions(dirs: &Dirs, asked: &str) -> Vec<Finding> {
    let mut names = dirs.environments();
    if !names.iter().any(|name| name == asked) {
        names.push(asked.to_owned());
    }
    names
        .iter()
        .flat_map(|name| session(dirs, name, name == asked).into_iter().chain(problems(dirs, name)))
        .collect()
}

/// What a running session says is wrong.
fn problems(dirs: &Dirs, name: &str) -> Vec<Finding> {
    let info = dirs.environment(name).ok().and_then(|files| crate::sessions::answers(&files, name));
    let problems = info.map(|info| info.problems).unwrap_or_default();
    let warn = |said: &String| Finding {
        verdict: Verdict::Warn,
        ..Finding::ok("session", format!("{name}: {}", clean(said)))
    };
    problems.iter().map(warn).collect()
}

fn session(dirs: &Dirs, name: &str, asked: bool) -> Option<Finding> {
    let files = match dirs.environment(name) {
        Ok(files) => files,
        Err(error) => return asked.then(|| Finding::fail("session", error.to_string(), "then try again")),
    };
    match standing(&files) {
        Standing::Live => Some(Finding::ok("session", format!("{name} runs"))),
        Standing::Starting => Some(Finding::warn(
            "session",
            format!("{name} is kept, but no server accepts"),
            format!("wait a moment; if it stays so, see {}", files.log.display()),
        )),
        Standing::Halted(reason) => Some(Finding::fail(
            "session",
            format!("{name}: {reason}"),
            format!("`kraal -s {name} restart` tries again"),
        )),
        Standing::Down if files.socket.exists() => Some(Finding::ok(
            "session",
            format!("{name} ended and left its socket; the next start replaces it"),
        )),
        Standing::Down => {
            asked.then(|| Finding::ok("session", format!("{name} does not run; `kraal -s {name}` starts it")))
        }
    }
}

fn configuration(target: &Target) -> Vec<Finding> {
    let Ok(path) = crate::config::path(target) else { return Vec::new() };
    let wrong = crate::config::all_wrong(target);
    if wrong.is_empty() {
        let shown = crate::output::folder(&path.display().to_string());
        let found = if path.exists() { shown } else { format!("{shown} is not there: the defaults apply") };
        return vec![Finding::ok("settings", found)];
    }
    let todo = "correct it, then `kraal config reload`";
    wrong.iter().map(|one| Finding::warn("settings", one.said(), todo)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(vars: &[(&str, &str)]) -> Vec<Verdict> {
        let find =
            |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        terminal(find).iter().map(|finding| finding.verdict).collect()
    }

    #[test]
    fn terminals_are_judged_by_their_variables() {
        use Verdict::{Fail, Ok, Warn};
        assert_eq!(verdicts(&[]), [Fail, Warn, Warn]);
        assert_eq!(verdicts(&[("TERM", "dumb"), ("LANG", "C")]), [Fail, Warn, Warn]);
        assert_eq!(verdicts(&[("TERM", "xterm-256color"), ("LANG", "de_DE.UTF-8")]), [Ok, Ok, Ok]);
        assert_eq!(
            verdicts(&[("TERM", "foot"), ("COLORTERM", "truecolor"), ("LC_ALL", "C.utf8")]),
            [Ok, Ok, Ok]
        );
    }

    #[test]
    fn versions_compare() {
        assert!(numbers("2.9.1") < Some(GIT_WANTED) && numbers("2.43.0") >= Some(GIT_WANTED));
        assert_eq!(numbers("unknown"), None);
    }

    #[test]
    fn folders_are_looked_at_and_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let missing = root.path().join("a/b");
        assert_eq!(folder("state", &missing).verdict, Verdict::Ok);
        assert!(!missing.exists());
        fs::write(root.path().join("file"), "").unwrap();
        assert_eq!(folder("runtime", &root.path().join("file")).verdict, Verdict::Fail);
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(folder("runtime", root.path()).verdict, Verdict::Warn);
    }
}
