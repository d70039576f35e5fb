//! The envelope a request travels in: one JSON object a line, both ways. Parsed in two steps, so
//! that a request nobody knows is still answered with its id.
//!
//! Not here: reading lines from a socket (`server`), what a request may do (`core::rights`).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::refusal::{Code, Refusal};
use crate::request::{Request, Response, Verb};

/// The envelope version that is served.
pub const VERSION: u64 = 1;
/// The longest line, in bytes, without its newline.
pub const LINE_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A caller's own name for a request, echoed in its answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Id {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(n) => n.fmt(f),
            Id::Text(text) => f.write_str(text),
        }
    }
}

/// A request that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The caller's.
    pub id: Id,
    /// A pane's token, for what the kernel cannot place.
    pub token: Option<String>,
    /// What is asked.
    pub request: Request,
}

/// Why a line is no request.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    /// The id, where it could be read.
    pub id: Option<Id>,
    /// What to answer.
    pub refusal: Refusal,
    /// Whether the connection closes after the answer: the line was no JSON object at all.
    pub hang_up: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Outer<'a> {
    v: Option<u64>,
    id: Option<Id>,
    #[serde(default)]
    token: Option<String>,
    #[serde(borrow)]
    request: Option<&'a RawValue>,
}

/// Only what is needed to answer an envelope that is wrong otherwise.
#[derive(Deserialize)]
struct OnlyId {
    #[serde(default)]
    id: Option<Id>,
}

/// Reads one line.
///
/// # Errors
///
/// Says what to answer when it is no request.
pub fn read(line: &[u8]) -> Result<Call, Unread> {
    let unread = |id: Option<Id>, refusal: Refusal| Unread { id, refusal, hang_up: false };
    let not_json =
        |message: String| Unread { id: None, refusal: Refusal::bad_request(message), hang_up: true };
    if line.len() > LINE_BYTES_MAX {
        return Err(not_json(format!("the line is over {LINE_BYTES_MAX} bytes: send less at once")));
    }
    let text = std::str::from_utf8(line).map_err(|_| not_json("the line is not UTF-8".into()))?;
    let known = match serde_json::from_str::<OnlyId>(text) {
        Ok(known) if text.trim_start().starts_with('{') => known,
        _ if text.trim_start().starts_with('{')
            && serde_json::from_str::<serde_json::Value>(text).is_ok() =>
        {
            return Err(unread(None, Refusal::bad_request("the id must be a number or a string")));
        }
        _ => return Err(not_json("the line is no JSON object: send one request a line".into())),
    };
    let outer: Outer<'_> = serde_json::from_str(text).map_err(|e| {
        unread(known.id.clone(), Refusal::bad_request(format!("the envelope: {}", plain(&e))))
    })?;
    if outer.v != Some(VERSION) {
        let said = outer.v.map_or("none".to_owned(), |v| v.to_string());
        let refusal = Refusal::new(
            Code::UnsupportedVersion,
            format!("envelope version {said} is not served: send \"v\":{VERSION}"),
        );
        return Err(unread(known.id, refusal));
    }
    let Some(id) = outer.id else {
        return Err(unread(None, Refusal::bad_request("the envelope has no id: send a number or a string")));
    };
    let Some(request) = outer.request else {
        return Err(unread(Some(id), Refusal::bad_request("the envelope has no request")));
    };
    match serde_json::from_str::<Request>(request.get()) {
        Ok(request) => Ok(Call { id, token: outer.token, request }),
        Err(error) => Err(unread(Some(id), explain(request.get(), &error))),
    }
}

/// An unknown name is `unsupported`; a known one with wrong fields is `bad_request`.
fn explain(request: &str, error: &serde_json::Error) -> Refusal {
    let name_of = |value: &serde_json::Value| match value {
        serde_json::Value::String(name) => Some(name.clone()),
        serde_json::Value::Object(map) if map.len() == 1 => map.keys().next().cloned(),
        _ => None,
    };
    let value: serde_json::Value = serde_json::from_str(request).unwrap_or_default();
    let Some(name) = name_of(&value) else {
        return Refusal::bad_request("a request is a name, or an object with the name as its only key");
    };
    let (name, names) = match value.get("Verb").and_then(name_of) {
        Some(verb) => (verb, Verb::NAMES),
        None => (name, Request::NAMES),
    };
    if !names.contains(&name.as_str()) {
        let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
        let near = names.iter().min_by_key(|known| strsim::damerau_levenshtein(known, &name));
        let hint = near.map_or(String::new(), |near| format!(": did you mean {near}?"));
        return Refusal::unsupported(format!("this kraal knows no request {shown}{hint}"));
    }
    Refusal::bad_request(format!("{name}: {}", plain(error)))
}

/// serde's sentence without its line and column, as a request is one line, and without control
/// characters: it quotes what was sent.
fn plain(error: &serde_json::Error) -> String {
    let text: String = error.to_string().chars().filter(|c| !c.is_control()).collect();
    match text.rfind(" at line ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// A line that asks.
pub fn request_line(id: &Id, token: Option<&str>, request: &Request) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u64,
        id: &'a Id,
        #[serde(skip_serializing_if = "Option::is_none")]
        token: Option<&'a str>,
        request: &'a Request,
    }
    to_line(&Line { v: VERSION, id, token, request })
}

/// A line that answers.
pub fn answer_line(id: &Id, answer: &Result<Response, Refusal>) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u64,
        id: &'a Id,
        #[serde(flatten)]
        answer: Body<'a>,
    }
    let answer = match answer {
        Ok(response) => Body::Response(response),
        Err(refusal) => Body::Error(refusal),
    };
    to_line(&Line { v: VERSION, id, answer })
}

/// A line that refuses what could not be read.
pub fn unread_line(unread: &Unread) -> String {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u64,
        id: &'a Option<Id>,
        error: &'a Refusal,
    }
    to_line(&Line { v: VERSION, id: &unread.id, error: &unread.refusal })
}

/// A line of a stream.
pub fn event_line(id: &Id, event: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Line<'a, T> {
        v: u64,
        id: &'a Id,
        event: &'a T,
    }
    to_line(&Line { v: VERSION, id, event })
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Body<'a> {
    Response(&'a Response),
    Error(&'a Refusal),
}

fn to_line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("our own types have string keys");
    line.push('\n');
    line
}

/// What a caller reads back.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Answer {
    /// The id that was sent; null when the line could not be read at all.
    pub id: Option<Id>,
    /// The answer, when it went well.
    #[serde(default)]
    pub response: Option<serde_json::Value>,
    /// Why not.
    #[serde(default)]
    pub error: Option<Refusal>,
    /// An item of a stream.
    #[serde(default)]
    pub event: Option<serde_json::Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> (Option<Id>, Code, String, bool) {
        let unread = read(line.as_bytes()).expect_err("must be refused");
        (unread.id, unread.refusal.code, unread.refusal.message, unread.hang_up)
    }

    #[test]
    fn the_seeds_forms_are_read() {
        for (request, name) in [
            ("\"List\"", "List"),
            (r#"{"Wait":{"target":4,"timeout_secs":600}}"#, "Wait"),
            (r#"{"Wait":{"target":{"environment":"work","terminal":4}}}"#, "Wait"),
            (r#"{"Close":{"target":{"agent":12},"when_working":"refuse","worktree":"keep"}}"#, "Close"),
            (r#"{"Close":{"target":"all_idle"}}"#, "Close"),
            (r#"{"SubscribeAgents":{"filter":{"group":"api"}}}"#, "SubscribeAgents"),
            (r#"{"CreateSession":{"name":"Docs","group":null}}"#, "CreateSession"),
            (r#"{"RunKraddie":{"name":"owl","prompt":null}}"#, "RunKraddie"),
            (r#"{"Verb":{"Run":{"argv":["ls"]}}}"#, "Verb"),
        ] {
            let call = read(format!(r#"{{"v":1,"id":7,"request":{request}}}"#).as_bytes()).expect(request);
            assert_eq!((call.id, call.request.name()), (Id::Number(7), name));
        }
    }

    #[test]
    fn wrong_lines_say_what_is_wrong() {
        let (id, code, message, hang_up) = refused(r#"{"v":1,"id":"a","request":"Lst"}"#);
        assert_eq!((id, code, hang_up), (Some(Id::Text("a".into())), Code::Unsupported, false));
        assert!(message.contains("did you mean List"), "{message}");

        let (_, code, message, _) = refused(r#"{"v":1,"id":1,"request":{"Wait":{"target":4,"secs":1}}}"#);
        assert_eq!(code, Code::BadRequest);
        assert!(message.contains("secs"), "{message}");

        let (_, code, message, _) = refused(r#"{"v":2,"id":1,"request":"List"}"#);
        assert_eq!(code, Code::UnsupportedVersion);
        assert!(message.contains('2') && message.contains('1'), "{message}");

        let (_, code, message, hang_up) = refused(r#"{"v":1,"id":1,"request":"List","extra":1}"#);
        assert_eq!((code, hang_up), (Code::BadRequest, false));
        assert!(message.contains("extra"), "{message}");

        for line in ["", "[]", "7", "{", "nonsense"] {
            assert!(refused(line).3, "{line:?} must hang up");
        }
        assert!(!refused(r#"{"v":1,"id":[1],"request":"List"}"#).3);
    }

    #[test]
    fn answers_have_the_seeds_shape() {
        let settled = Response::Settled(crate::messages::Settled {
            target: crate::ids::Target::Here(crate::ids::PaneId(4)),
            state: crate::agents::TerminalState::WaitingForInput,
        });
        assert_eq!(
            answer_line(&Id::Number(7), &Ok(settled)),
            "{\"v\":1,\"id\":7,\"response\":{\"Settled\":{\"target\":4,\"state\":\"waiting-for-input\"}}}\n"
        );
        assert_eq!(
            answer_line(&Id::Number(7), &Ok(Response::TimedOut)),
            "{\"v\":1,\"id\":7,\"response\":\"TimedOut\"}\n"
        );
        assert_eq!(
            answer_line(&Id::Number(7), &Err(Refusal::not_found("no terminal 4"))),
            "{\"v\":1,\"id\":7,\"error\":{\"code\":\"not_found\",\"message\":\"no terminal 4\"}}\n"
        );
    }
}
