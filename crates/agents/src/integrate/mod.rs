//! Installing kraal's hooks in an agent's own files, and taking them out: text in, text out.
//!
//! Only kraal's entries are added and only those are taken out; the rest stays byte for byte. A text
//! that cannot be understood is refused, never mended. Not here: reading and writing files (`host`),
//! which folder they are in (`home`), what a hook means (`hooks`).

mod command;
mod hooks_json;
mod json;
mod lists;
mod notify;
mod own;
mod share;
mod status_line;
mod tables;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::agent::Agent;

/// `[[integration]]`: one file in which kraal's part stands.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntegrationFile {
    pub kind: Kind,
    /// Beneath the agent's home.
    pub file: String,
    /// When it is written into, where hooks are read from several files.
    #[serde(default)]
    pub place: share::Place,
    /// The key at its top that, when true, turns the agent's hooks off.
    #[serde(default)]
    pub off: Option<String>,
    /// What the agent's hooks do not tell, for people.
    #[serde(default)]
    pub silent: Option<String>,
    /// What else there is to do or know, for people.
    #[serde(default)]
    pub note: Option<String>,
    /// The key under which the events stand; none: they are the file's own keys.
    #[serde(default)]
    pub root: Option<String>,
    #[serde(default)]
    pub shape: Shape,
    /// What a new file begins with, as JSON.
    #[serde(default)]
    pub base: Option<String>,
    /// Events that want a `matcher`, and which.
    #[serde(default)]
    pub matchers: BTreeMap<String, String>,
    /// How long the agent gives a hook, in its own unit.
    #[serde(default)]
    pub timeout: Option<i64>,
    /// The name it shows while a hook runs.
    #[serde(default)]
    pub name: Option<String>,
    /// What a hook must print.
    #[serde(default)]
    pub prints: Option<String>,
    /// Hooks run in the user's own shell, which may be none of POSIX's: the line is given to one.
    #[serde(default)]
    pub any_shell: bool,
    /// Hooks run this file of kraal's own, beneath the agent's home, instead of a command line.
    #[serde(default)]
    pub script: Option<String>,
    /// For `own-file`: the template's name.
    #[serde(default)]
    pub template: Option<String>,
}

/// How kraal's part is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Entries in a JSON file of the user's.
    JsonHooks,
    /// The status line in a JSON file of the user's.
    StatusLine,
    /// `[[hooks]]` tables in a TOML file of the user's.
    TomlHooks,
    /// The `notify` command in a TOML file of the user's.
    Notify,
    /// A file of kraal's own.
    OwnFile,
}

/// How the entries of an event stand in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    /// `EVENT: [ { "matcher": …, "hooks": [ { "type": "command", "command": … } ] } ]`.
    #[default]
    Groups,
    /// `EVENT: [ { "command": … } ]`.
    List,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It stays as it is.
    Same,
    /// It becomes this.
    New(String),
    /// It goes.
    Gone,
}

/// How kraal's part of a file stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// All of it is there, as this kraal writes it.
    Installed,
    /// Some of it is there, or as another kraal or somebody else wrote it.
    Outdated,
    /// None of it.
    Missing,
}

/// Why a file is left alone, as the rest of a sentence that begins with its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LeftAlone(pub(crate) String);

/// One file of an agent's integration, with every part of kraal's that stands in it.
#[derive(Clone, Debug)]
pub struct Integration {
    parts: Vec<Part>,
}

/// One part.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    agent: String,
    events: Vec<String>,
    file: IntegrationFile,
}

impl Integration {
    pub(crate) fn of(agent: &Agent, files: &[IntegrationFile]) -> Vec<Integration> {
        let events: Vec<String> = agent.hook_events().into_iter().map(str::to_owned).collect();
        let mut found: Vec<Integration> = Vec::new();
        for file in files {
            let part = Part { agent: agent.name().to_owned(), events: events.clone(), file: file.clone() };
            match found.iter_mut().find(|known| known.file() == file.file) {
                Some(known) => known.parts.push(part),
                None => found.push(Integration { parts: vec![part] }),
            }
        }
        found
    }

    fn first(&self) -> &Part {
        self.parts.first().expect("it was made with one")
    }

    /// Its place beneath the agent's home: `settings.json`.
    pub fn file(&self) -> &str {
        &self.first().file.file
    }

    /// Whether the whole file is kraal's.
    pub fn is_own_file(&self) -> bool {
        self.first().file.kind == Kind::OwnFile
    }

    /// Whether it must be executable.
    pub fn is_program(&self) -> bool {
        self.is_own_file() && self.file().ends_with(".sh")
    }

    /// What the agent's hooks do not tell, for people.
    pub fn silent(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| part.file.silent.as_deref())
    }

    /// What else there is to do or know once it is installed, for people.
    pub fn note(&self) -> Option<&str> {
        self.parts.iter().find_map(|part| part.file.note.as_deref())
    }

    /// The key by which a text turns the agent's hooks off, where it does.
    pub fn turned_off_by(&self, text: &str) -> Option<&str> {
        let keys = self.parts.iter().filter_map(|part| part.file.off.as_deref());
        keys.into_iter().find(|key| json::is_true(text, key))
    }

    /// What the file becomes when kraal's part is put in. `None` is a file that is not there.
    ///
    /// # Errors
    ///
    /// The text cannot be understood, or is not kraal's to write.
    pub fn install(&self, text: Option<&str>) -> Result<Edit, LeftAlone> {
        let mut wanted = text.map(str::to_owned);
        for part in &self.parts {
            wanted = Some(part.install(wanted.as_deref())?);
        }
        let Some(wanted) = wanted.filter(|wanted| text != Some(wanted.as_str())) else {
            return Ok(Edit::Same);
        };
        match text {
            Some(text) if !self.gives_back(text, &wanted)? => Err(LeftAlone(
                "is laid out in a way that could not be given back: write it anew, then try again".to_owned(),
            )),
            _ => Ok(Edit::New(wanted)),
        }
    }

    /// Whether what was without kraal's part would come back when that is taken out again.
    fn gives_back(&self, before: &str, after: &str) -> Result<bool, LeftAlone> {
        if self.is_own_file() || self.uninstall(Some(before))? != Edit::Same {
            return Ok(true);
        }
        Ok(self.uninstall(Some(after)).is_ok_and(|back| back == Edit::New(before.to_owned())))
    }

    /// What the file becomes when kraal's part is taken out: where nothing else changed since, what it was,
    /// to the byte.
    ///
    /// # Errors
    ///
    /// As `install`.
    pub fn uninstall(&self, text: Option<&str>) -> Result<Edit, LeftAlone> {
        let Some(text) = text else { return Ok(Edit::Same) };
        if self.is_own_file() {
            return Ok(own::uninstall(self.first(), text));
        }
        let mut without = text.to_owned();
        for part in self.parts.iter().rev() {
            match part.uninstall(&without)? {
                Some(text) => without = text,
                None => return Ok(Edit::Gone),
            }
        }
        Ok(if without == text { Edit::Same } else { Edit::New(without) })
    }

    /// How kraal's part of the text stands.
    ///
    /// # Errors
    ///
    /// As `install`.
    pub fn standing(&self, text: Option<&str>) -> Result<Standing, LeftAlone> {
        let out = self.uninstall(text)?;
        if out == Edit::Same {
            return Ok(Standing::Missing);
        }
        Ok(if self.install(text)? == Edit::Same { Standing::Installed } else { Standing::Outdated })
    }

    /// Whether a file of kraal's own was edited since kraal wrote it: it is copied before it changes or
    /// goes.
    pub fn was_edited(&self, text: &str) -> bool {
        self.is_own_file() && self.install(None).is_ok_and(|wanted| wanted != Edit::New(text.to_owned()))
    }
}

impl Part {
    fn install(&self, text: Option<&str>) -> Result<String, LeftAlone> {
        match self.file.kind {
            Kind::JsonHooks => hooks_json::install(self, text),
            Kind::StatusLine => status_line::install(&self.agent, text.unwrap_or("{\n}\n")),
            Kind::TomlHooks => tables::install(self, text),
            Kind::Notify => notify::install(self, text),
            Kind::OwnFile => own::install(self, text),
        }
    }

    /// None: nothing was there but kraal's own.
    fn uninstall(&self, text: &str) -> Result<Option<String>, LeftAlone> {
        match self.file.kind {
            Kind::JsonHooks => hooks_json::uninstall(self, text),
            Kind::StatusLine => status_line::uninstall(&self.agent, text),
            Kind::TomlHooks => tables::uninstall(self, text),
            Kind::Notify => notify::uninstall(self, text),
            // The whole file goes: see `Integration::uninstall`.
            Kind::OwnFile => Ok(Some(text.to_owned())),
        }
    }
}

/// A text without its byte order mark, and the mark.
fn without_bom(text: &str) -> (&'static str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    }
}
