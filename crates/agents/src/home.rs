//! Where an agent keeps its own files: its home, the transcripts of its conversations, the file in
//! which it says live what it does.
//!
//! Not here: reading any of them (`server`, `host`), what is written there (`integrate`).

use kraal_api::{Kind, State};
use serde::Deserialize;
use serde_json::Value;

use crate::hooks::{HookFile, HookRule, Meaning, at};

/// `[home]`: the agent's own folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HomeFile {
    /// The variable that names another.
    #[serde(default)]
    pub variable: Option<String>,
    /// The variable that names another home of the user's for it, in which `folder` is.
    #[serde(default)]
    pub home_variable: Option<String>,
    /// Where it is otherwise, in the user's home.
    pub folder: String,
    /// A conversation's transcript beneath it: `{id}`, and `*` for one unknown folder or part of a name.
    #[serde(default)]
    pub transcripts: Option<String>,
    /// The file beneath it in which a running agent says what it does: `{pid}`.
    #[serde(default)]
    pub live: Option<String>,
    /// Where in that file the conversation's id stands, as a dotted path.
    #[serde(default)]
    pub live_conversation: Option<String>,
}

/// `[[live]]`: what the live file means. The first that fits decides.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiveFile {
    /// Dotted paths into it and what must stand there.
    pub when: std::collections::BTreeMap<String, crate::hooks::Condition>,
    /// A state as in a rule.
    pub means: String,
}

/// An agent's own folder, and what is in it.
#[derive(Clone, Debug)]
pub struct Home {
    file: HomeFile,
    live: Vec<HookRule>,
}

/// What a live file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Live {
    /// The state, where the file's words are known.
    pub state: Option<(State, Option<Kind>)>,
    /// The conversation.
    pub conversation: Option<String>,
}

impl Home {
    pub(crate) fn compile(file: &HomeFile, live: &[LiveFile]) -> Result<Home, String> {
        let rule = |one: &LiveFile| {
            HookRule::compile(&HookFile {
                event: String::new(),
                when: one.when.clone(),
                means: one.means.clone(),
            })
        };
        Ok(Home { file: file.clone(), live: live.iter().map(rule).collect::<Result<_, _>>()? })
    }

    /// The variable that names another folder: `CLAUDE_CONFIG_DIR`.
    pub fn variable(&self) -> Option<&str> {
        self.file.variable.as_deref()
    }

    /// The variable that names another home of the user's, in which [`Home::folder`] is: `GEMINI_CLI_HOME`.
    pub fn home_variable(&self) -> Option<&str> {
        self.file.home_variable.as_deref()
    }

    /// The folder in the user's home when the variable is not set: `.claude`.
    pub fn folder(&self) -> &str {
        &self.file.folder
    }

    /// Where the transcript of a conversation is beneath the folder, with `*` for what is not known;
    /// none where its file does not say, or the id is no plain name.
    pub fn transcript(&self, conversation: &str) -> Option<String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let named =
            !conversation.is_empty() && conversation.chars().all(plain) && !conversation.starts_with('.');
        let pattern = self.file.transcripts.as_ref().filter(|_| named)?;
        Some(pattern.replace("{id}", conversation))
    }

    /// Where a running agent says live what it does, beneath the folder.
    pub fn live_file(&self, pid: u32) -> Option<String> {
        Some(self.file.live.as_ref()?.replace("{pid}", &pid.to_string()))
    }

    /// What that file says.
    pub fn read_live(&self, content: &Value) -> Live {
        let rule = self.live.iter().find(|rule| rule.fits("", content));
        let state = match rule.map(HookRule::means) {
            Some(Meaning::Is(state, kind)) => Some((state, kind)),
            _ => None,
        };
        let path = self.file.live_conversation.as_ref();
        let conversation = path.and_then(|path| at(content, path)).and_then(Value::as_str);
        Live { state, conversation: conversation.map(str::to_owned) }
    }
}
