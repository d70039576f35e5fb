//! `kraal hook AGENT EVENT`: what installed hooks run. Hands the event to the session's server and
//! ends, within 50 ms whatever anybody else does, prints nothing and never fails: it runs inside an
//! agent's turn.
//!
//! Not here: what an event means (`kraal_agents`), where hooks are installed (`integrate`).

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use kraal_api::Request;
use kraal_api::envelope::{self, Id};
use kraal_api::hooks::Hook;
use kraal_host::process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

/// All it may take in ms, its own start aside, unless `KRAAL_HOOK_MS` says otherwise.
const TIME_MS: u64 = 35;
/// An agent waits for its hooks: no user wants more.
const TIME_MS_MAX: u64 = 5_000;
/// A payload that is longer is refused.
const PAYLOAD_MAX: usize = 1024 * 1024;
/// No text of a payload is handed on longer than this, in characters: what decides is short.
const TEXT_MAX: usize = 512;
/// No list is handed on longer than this, from its end.
const LIST_MAX: usize = 16;
/// What is nested deeper is left out.
const DEPTH_MAX: usize = 6;
/// Clock ticks of the kernel's start times are a hundredth of a second on every Linux.
const TICK_MS: u64 = 10;

/// Does it. Whatever goes wrong is nobody's concern here.
pub(crate) fn run(args: &[OsString]) {
    let _ = hand_over(args, deadline());
}

/// When it gives up.
pub(crate) fn deadline() -> Instant {
    let given = std::env::var("KRAAL_HOOK_MS").ok().and_then(|ms| ms.parse().ok());
    Instant::now() + Duration::from_millis(given.unwrap_or(TIME_MS).min(TIME_MS_MAX))
}

fn hand_over(args: &[OsString], deadline: Instant) -> Option<()> {
    std::env::var_os("KRAAL_SOCKET").filter(|path| !path.is_empty())?;
    let [agent, event, rest @ ..] = args else { return None };
    let given = rest.first().map(|payload| payload.to_string_lossy().into_owned().into_bytes());
    let payload = match given.or_else(|| stdin(deadline)) {
        Some(bytes) if bytes.len() > PAYLOAD_MAX => refused("it is over 1 MiB"),
        Some(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => json!({}),
        Some(bytes) => match serde_json::from_slice(&bytes) {
            Ok(payload @ Value::Object(_)) => short(payload),
            Ok(_) => refused("it is no JSON object"),
            Err(_) => refused("it is no JSON"),
        },
        None => refused("it did not come in time"),
    };
    let hook = Hook {
        agent: agent.to_str()?.to_owned(),
        event: event.to_str()?.to_owned(),
        started_ms: started_ms(),
        payload,
    };
    tell(&Request::Hook(hook), deadline)
}

/// Hands a request to the server of this pane; nothing outside of one, or where it does not listen in
/// time.
pub(crate) fn tell(request: &Request, deadline: Instant) -> Option<()> {
    let socket = std::env::var_os("KRAAL_SOCKET").filter(|path| !path.is_empty())?;
    // A server that hangs lets its queue fill up: then nobody waits.
    let stream = kraal_host::socket::connect_at_once(Path::new(&socket)).ok()?;
    let token = std::env::var("KRAAL_TOKEN").ok();
    let line = envelope::request_line(&Id::Number(1), token.as_deref(), request);
    send(&stream, line.as_bytes(), deadline)?;
    // The answer says that the server has seen which process this is.
    await_answer(&stream, deadline)
}

fn refused(why: &str) -> Value {
    json!({ "kraal_refused": why })
}

/// Everything on standard input, as far as it comes in time; none when it does not end in time.
fn stdin(deadline: Instant) -> Option<Vec<u8>> {
    let input = io::stdin();
    let mut stdin = input.lock();
    let mut bytes = Vec::new();
    let mut part = [0; 64 * 1024];
    while ready(input.as_fd(), PollFlags::IN, deadline) {
        match stdin.read(&mut part) {
            Ok(0) => return Some(bytes),
            // Read to its end all the same: an agent must not be told that nobody reads.
            Ok(length) if bytes.len() <= PAYLOAD_MAX => bytes.extend_from_slice(&part[..length]),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    (bytes.len() > PAYLOAD_MAX).then_some(bytes)
}

fn send(mut stream: &UnixStream, mut line: &[u8], deadline: Instant) -> Option<()> {
    while !line.is_empty() {
        match stream.write(line) {
            Ok(length) => line = &line[length..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                ready(stream.as_fd(), PollFlags::OUT, deadline).then_some(())?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(())
}

fn await_answer(mut stream: &UnixStream, deadline: Instant) -> Option<()> {
    ready(stream.as_fd(), PollFlags::IN, deadline).then_some(())?;
    stream.read(&mut [0; 256]).ok().map(|_| ())
}

fn ready(fd: BorrowedFd<'_>, wanted: PollFlags, deadline: Instant) -> bool {
    let left = deadline.saturating_duration_since(Instant::now());
    let time = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
    poll(&mut [PollFd::new(&fd, wanted)], Some(&time)).is_ok_and(|found| found > 0)
}

/// When the agent started this: the shell it may have started for it counts.
fn started_ms() -> u64 {
    let Some(own) = process::stat(std::process::id()) else { return 0 };
    let by_shell = process::cmdline(own.ppid)
        .is_some_and(|argv| argv.iter().any(|word| word.to_string_lossy().contains("kraal hook")));
    let parent = process::stat(own.ppid).filter(|_| by_shell).map(|stat| stat.start);
    parent.unwrap_or(own.start) * TICK_MS
}

/// A payload with long texts cut, long lists shortened and what is deep left out.
pub(crate) fn short(payload: Value) -> Value {
    shortened(payload, DEPTH_MAX)
}

fn shortened(value: Value, depth: usize) -> Value {
    match value {
        Value::String(text) if text.chars().count() > TEXT_MAX => {
            Value::String(text.chars().take(TEXT_MAX).collect())
        }
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::Null,
        Value::Array(list) => {
            let skipped = list.len().saturating_sub(LIST_MAX);
            list.into_iter().skip(skipped).map(|item| shortened(item, depth - 1)).collect()
        }
        Value::Object(map) => map.into_iter().map(|(key, item)| (key, shortened(item, depth - 1))).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_is_kept_and_what_is_long_is_cut() {
        let long = "ü".repeat(TEXT_MAX + 9);
        let list: Vec<u32> = (0..100).collect();
        let payload = json!({ "a": { "b": "c" }, "text": long, "list": list, "yes": true });
        let short = short(payload);
        assert_eq!((&short["a"]["b"], &short["yes"]), (&"c".into(), &true.into()));
        assert_eq!(short["text"].as_str().unwrap().chars().count(), TEXT_MAX);
        assert_eq!(short["list"].as_array().unwrap().len(), LIST_MAX);
        assert_eq!(short["list"][LIST_MAX - 1], 99);
    }

    #[test]
    fn what_is_deep_is_left_out() {
        let mut deep = json!("end");
        for _ in 0..200 {
            deep = json!({ "in": deep });
        }
        let text = short(deep).to_string();
        assert!(text.len() < 80 && text.contains("null"), "{text}");
    }
}
