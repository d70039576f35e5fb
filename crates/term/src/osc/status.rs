//! OSC 7501, the Program Status Protocol (public document, revision 0.4; seen from Codex 0.171, Claude
//! Code 2.1.332, Vibe 3.0, pi 1.6). Parsed here; what a state means is not decided here.

use super::{clean, from_base64};
use crate::face::{BlockKind, Notice, ProgramState, ProgramStatus};
use crate::handler::Handler;

/// Bytes of a report that are looked at; a longer one is dropped.
const MAX_REPORT: usize = 8192;
/// Characters kept of a value.
const MAX_VALUE: usize = 1000;

/// The answer to the question whether anybody listens.
const ANSWER: &str =
    "\x1b]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,auth\x1b\\";

impl Handler<'_> {
    pub(super) fn program_status(&mut self, rest: &str) {
        if rest == "?" {
            self.reply(ANSWER);
        } else if rest.len() <= MAX_REPORT
            && let Some(status) = parse(rest)
        {
            self.notice(Notice::ProgramStatus(status));
        }
    }
}

/// Reads `key=value:…`; a bare `clear` stands for `state=clear`.
fn parse(report: &str) -> Option<ProgramStatus> {
    let mut status = ProgramStatus {
        state: ProgramState::Clear,
        kind: None,
        app: None,
        msg: None,
        id: None,
        title: None,
        progress: None,
    };
    let mut state = None;
    for pair in report.split(':') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let text = || Some(clean(value, MAX_VALUE)).filter(|v| !v.is_empty());
        match key {
            "state" => state = Some(parse_state(value)?),
            "clear" => state = Some(ProgramState::Clear),
            "kind" => status.kind = text().map(parse_kind),
            "app" => status.app = text(),
            "id" => status.id = text(),
            "msg" => status.msg = decoded(value),
            "title" => status.title = decoded(value).or_else(text),
            "progress" => status.progress = value.parse().ok().filter(|p| *p <= 100),
            _ => {}
        }
    }
    status.state = state?;
    Some(status)
}

fn parse_state(word: &str) -> Option<ProgramState> {
    match word {
        "idle" => Some(ProgramState::Idle),
        "working" => Some(ProgramState::Working),
        "blocked" => Some(ProgramState::Blocked),
        "done" => Some(ProgramState::Done),
        "error" => Some(ProgramState::Error),
        "clear" => Some(ProgramState::Clear),
        _ => None,
    }
}

fn parse_kind(word: String) -> BlockKind {
    match word.as_str() {
        "permission" => BlockKind::Permission,
        "question" => BlockKind::Question,
        "auth" => BlockKind::Auth,
        _ => BlockKind::Other(word),
    }
}

/// Base64 of UTF-8.
fn decoded(value: &str) -> Option<String> {
    let text = String::from_utf8(from_base64(value)?).ok()?;
    Some(clean(&text, MAX_VALUE)).filter(|t| !t.is_empty())
}
