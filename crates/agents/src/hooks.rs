//! What an agent's own hooks say: its native events, as its file explains them, read as a state,
//! the conversation they speak of and the edges of a conversation.
//!
//! Not here: where hooks are installed (`integrate`), whose pane a report belongs to (`server`),
//! what becomes of it over time (`detector`).

use std::collections::BTreeMap;

use kraal_api::{Kind, State};
use serde::Deserialize;
use serde_json::Value;

use crate::{agent::Agent, reading::Expected};

/// `[report]`: where in a payload things stand, as dotted paths.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ReportFile {
    /// The id of the conversation.
    pub conversation: Option<String>,
    /// Where something stands only in reports of a subagent.
    pub child: Vec<String>,
    /// The process that reports, where the payload names it.
    pub process: Option<String>,
    /// The hooks run under a daemon that panes share: a report's pane is found by its conversation,
    /// at first by the prompt (the last of the strings there) that its screen shows.
    pub shared_by_prompt: Option<String>,
}

/// `[[hook]]`: what one native event means. The first that fits decides.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HookFile {
    /// The agent's name for it.
    pub event: String,
    /// Dotted paths into the payload and what must stand there.
    #[serde(default)]
    pub when: BTreeMap<String, Condition>,
    /// A state as in a rule; `nothing`, `start`, `end`.
    pub means: String,
}

/// What must stand at a path.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Condition {
    /// True or false, as said.
    Is(bool),
    /// This text; `+` for anything that is not empty, `-` for nothing.
    Text(String),
    /// One of these.
    Any(Vec<String>),
}

/// A `[[hook]]`, ready.
#[derive(Clone, Debug)]
pub(crate) struct HookRule {
    event: String,
    when: BTreeMap<String, Condition>,
    means: Meaning,
}

/// What a native event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing about the state.
    Nothing,
    /// A conversation begins, or another one is taken up: the agent waits for a prompt.
    Start,
    /// The conversation is over.
    End,
    /// The agent is in this state.
    Is(State, Option<Kind>),
}

/// A report of an agent's hook, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What it means.
    pub meaning: Meaning,
    /// The conversation it speaks of.
    pub conversation: Option<String>,
    /// It is of a subagent: it says nothing of the agent itself.
    pub child: bool,
    /// The process that reports, where the payload names it.
    pub process: Option<u32>,
    /// The last prompt of the conversation, for agents whose daemon reports.
    pub prompt: Option<String>,
}

impl HookRule {
    pub(crate) fn compile(file: &HookFile) -> Result<HookRule, String> {
        let means = match file.means.as_str() {
            "nothing" => Meaning::Nothing,
            "start" => Meaning::Start,
            "end" => Meaning::End,
            other => match Expected::parse(other) {
                Ok(Expected::Is(state, kind)) => Meaning::Is(state, kind),
                Ok(Expected::Unknown) => {
                    return Err(format!("hook `{}`: a report is never unknown", file.event));
                }
                Err(error) => return Err(format!("hook `{}`: {error}, nothing, start or end", file.event)),
            },
        };
        Ok(HookRule { event: file.event.clone(), when: file.when.clone(), means })
    }

    pub(crate) fn means(&self) -> Meaning {
        self.means
    }

    pub(crate) fn fits(&self, event: &str, payload: &Value) -> bool {
        self.event == event && self.when.iter().all(|(path, wanted)| wanted.fits(at(payload, path)))
    }
}

impl Condition {
    fn fits(&self, found: Option<&Value>) -> bool {
        let there = found.is_some_and(|value| !is_empty(value));
        match self {
            Condition::Is(wanted) => found.and_then(Value::as_bool).unwrap_or(false) == *wanted,
            Condition::Text(wanted) => match wanted.as_str() {
                "+" => there,
                "-" => !there,
                text => found.and_then(Value::as_str) == Some(text),
            },
            Condition::Any(wanted) => {
                found.and_then(Value::as_str).is_some_and(|found| wanted.iter().any(|text| text == found))
            }
        }
    }
}

impl Agent {
    /// The native events its file explains, each once, in the file's order: those an integration
    /// installs hooks for.
    pub fn hook_events(&self) -> Vec<&str> {
        let mut events: Vec<&str> = Vec::new();
        for rule in &self.hooks {
            if !events.contains(&rule.event.as_str()) {
                events.push(&rule.event);
            }
        }
        events
    }

    /// What a report of its hooks says; none for an event its file does not explain.
    pub fn report(&self, event: &str, payload: &Value) -> Option<Report> {
        let rule = self.hooks.iter().find(|rule| rule.fits(event, payload))?;
        let fields = &self.report;
        let text = |path: &Option<String>| path.as_ref().and_then(|path| at(payload, path));
        let process = text(&fields.process).and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
        Some(Report {
            meaning: rule.means,
            conversation: self.conversation_of(payload),
            child: fields.child.iter().any(|path| at(payload, path).is_some_and(|value| !is_empty(value))),
            process,
            prompt: text(&fields.shared_by_prompt).and_then(last_text).map(str::to_owned),
        })
    }

    /// The conversation that a payload of its hooks or its status line names.
    pub fn conversation_of(&self, payload: &Value) -> Option<String> {
        let path = self.report.conversation.as_ref()?;
        at(payload, path).and_then(Value::as_str).map(str::to_owned)
    }

    /// Whether its hooks run under a daemon that panes share, so that no process tells whose a
    /// report is.
    pub fn reports_are_shared(&self) -> bool {
        self.report.shared_by_prompt.is_some()
    }
}

pub(crate) fn at<'a>(payload: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(payload, |value, key| value.get(key))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn last_text(value: &Value) -> Option<&str> {
    match value {
        Value::Array(list) => list.last()?.as_str(),
        other => other.as_str(),
    }
}
