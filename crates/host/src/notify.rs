//! A notification on the user's desktop, by `notify-send` where it is installed.
//!
//! Whether and when to notify is decided elsewhere, and so is cleaning the text of control characters.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where `notify-send` is, if it is installed.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("notify-send"))
        .find(|file| rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file())
}

/// Shows a notification. Waits for the program, which may take as long as the desktop: call it off the loop.
/// `Ok(false)` when there is no such program.
pub fn send(title: &str, body: &str) -> io::Result<bool> {
    let Some(program) = program() else { return Ok(false) };
    send_by(&program, title, body)
}

fn send_by(program: &std::path::Path, title: &str, body: &str) -> io::Result<bool> {
    let mut command = Command::new(program);
    command.args(["--app-name=kraal", "--", title, body]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status()?;
    if status.success() {
        return Ok(true);
    }
    Err(io::Error::other(format!("notify-send ended with {status}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_an_argument_not_a_command() {
        let root = tempfile::tempdir().unwrap();
        let out = root.path().join("out");
        let script = root.path().join("notify-send");
        // Written by another process: see `write_script`'s reason in the tests of `spawn`.
        let text = format!("#!/bin/sh\nprintf '%s|' \"$@\" >'{}'\n", out.display());
        crate::spawn::tests::write_script(&script, &text);
        assert!(send_by(&script, "-t $(id)", "a;b").unwrap());
        assert_eq!(std::fs::read_to_string(out).unwrap(), "--app-name=kraal|--|-t $(id)|a;b|");
        assert!(send_by(std::path::Path::new("/bin/false"), "a", "b").is_err());
    }
}
