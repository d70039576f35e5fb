//! `kraal status-line AGENT [COMMAND]`: what an installed status line runs. Hands what the agent says
//! to the session's server, then runs the user's own status line with the same input.
//!
//! Not here: what is done with it (`server`), where it is installed (`integrate`).

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use kraal_api::Request;
use kraal_api::hooks::StatusLine;

use crate::hook;

/// More is handed on to the user's own, and not looked at.
const PAYLOAD_MAX: u64 = 1024 * 1024;

/// Runs it; the status is that of the user's own.
pub(crate) fn run(args: &[OsString]) -> ExitCode {
    let mut input = Vec::new();
    // What cannot be read is nothing.
    let _ = std::io::stdin().lock().read_to_end(&mut input);
    if let Some(agent) = args.first().and_then(|agent| agent.to_str())
        && input.len() as u64 <= PAYLOAD_MAX
        && let Ok(payload) = serde_json::from_slice(&input)
    {
        let line = StatusLine { agent: agent.to_owned(), payload: hook::short(payload) };
        let _ = hook::tell(&Request::Status(line), Instant::now() + hook::TIME);
    }
    match args.get(1) {
        Some(own) => behind(own, &input),
        None => ExitCode::SUCCESS,
    }
}

fn behind(own: &OsString, input: &[u8]) -> ExitCode {
    let started = Command::new("sh").arg("-c").arg(own).stdin(Stdio::piped()).spawn();
    let Ok(mut child) = started else { return ExitCode::FAILURE };
    if let Some(mut stdin) = child.stdin.take() {
        // It need not read what it is told.
        let _ = stdin.write_all(input);
    }
    let code = child.wait().ok().and_then(|status| status.code());
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
