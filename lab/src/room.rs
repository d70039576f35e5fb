//! A room without a network: this program again, in namespaces of its own in which only loopback is up and whose
//! processes all end with it.
//!
//! Not here: what is done in it.

use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result};

/// Brings loopback up, then becomes the program.
const ENTER: &str = r#"ip link set lo up && exec "$0" "$@""#;

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--", "sh", "-c", ENTER]);
    command
}

/// Why there can be no such room here, if so.
pub(crate) fn obstacle() -> Option<String> {
    let output = unshare().arg("true").stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(format!(
            "a network namespace can't be made here: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )),
        Err(_) => Some("unshare is not installed".to_owned()),
    }
}

/// Runs this program with these arguments in such a room.
///
/// # Errors
///
/// That it can't be run.
pub(crate) fn run(args: &[String]) -> Result<ExitStatus> {
    let program = std::env::current_exe().context("this program's own path is not known")?;
    unshare().arg(program).args(args).stdin(Stdio::null()).status().context("unshare can't be run")
}
