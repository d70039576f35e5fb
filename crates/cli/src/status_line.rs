//! `kraal status-line AGENT [--through]`: what an installed status line runs. Hands what the agent says to
//! the session's server; with `--through` it also hands all of it on, to the user's own status line behind
//! it.
//!
//! Not here: what is done with it (`server`), where it is installed (`integrate`).

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};

use kraal_api::Request;
use kraal_api::hooks::StatusLine;

use crate::hook;

/// More is handed on, and not looked at.
const PAYLOAD_MAX: usize = 1024 * 1024;

/// Does it. Whatever goes wrong is nobody's concern here.
pub(crate) fn run(args: &[OsString]) {
    let through = args.get(1).is_some_and(|word| word == "--through");
    let payload = read(through);
    // Whoever reads behind this has all of it before the server is asked.
    if through && let Ok(nowhere) = std::fs::OpenOptions::new().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
    let agent = args.first().and_then(|agent| agent.to_str());
    let payload = payload.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let (Some(agent), Some(payload)) = (agent, payload) {
        let line = StatusLine { agent: agent.to_owned(), payload: hook::short(payload) };
        let _ = hook::tell(&Request::Status(line), hook::deadline());
    }
}

/// Everything on standard input, handed on as it comes where somebody is behind; none when it is too long.
fn read(mut through: bool) -> Option<Vec<u8>> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut bytes = Vec::new();
    let mut part = [0; 64 * 1024];
    loop {
        match input.read(&mut part) {
            Ok(0) => break,
            Ok(length) => {
                // Who is behind need not read what it is told.
                through = through && output.write_all(&part[..length]).and_then(|()| output.flush()).is_ok();
                if bytes.len() <= PAYLOAD_MAX {
                    bytes.extend_from_slice(&part[..length]);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    (bytes.len() <= PAYLOAD_MAX).then_some(bytes)
}
