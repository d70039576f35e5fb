//! The rules of an agent's file at work: what a screen or a signal says, and which rule and which
//! lines say so.
//!
//! Not here: time, other evidence, the verdict (`detector`). A screen read twice says the same.

use std::fmt;

use kraal_api::{Kind, State};
use regex::Regex;

use crate::{
    file::{InputWanted, Over, Provenance, Region, RuleFile, SignalFile, SignalFrom},
    screen::{InputSpec, Layout},
};

/// A state word of the agents' files: `working`, `blocked permission`, `done error`, `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No rule fits.
    Unknown,
    /// This state, and why.
    Is(State, Option<Kind>),
}

impl Expected {
    /// Reads the words; the error names what is wrong.
    pub(crate) fn parse(text: &str) -> Result<Expected, String> {
        let mut words = text.split_whitespace();
        let state = match words.next().unwrap_or_default() {
            "unknown" => return Ok(Expected::Unknown),
            "working" => State::Working,
            "blocked" => State::Blocked,
            "done" => State::Done,
            "idle" => State::Idle,
            other => return Err(format!("`{other}` is no state; use working, blocked, done or idle")),
        };
        let kind = match words.next() {
            None => None,
            Some("permission") => Some(Kind::Permission),
            Some("question") => Some(Kind::Question),
            Some("login") => Some(Kind::Login),
            Some("limit") => Some(Kind::Limit),
            Some("error") => Some(Kind::Error),
            Some("background") => Some(Kind::Background),
            Some(other) => return Err(format!("`{other}` is no kind")),
        };
        Ok(Expected::Is(state, kind))
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expected::Is(state, kind) = self else { return f.write_str("unknown") };
        f.write_str(state.word())?;
        match kind {
            None => Ok(()),
            Some(kind) => write!(f, " {}", kind.word()),
        }
    }
}

/// What a screen says by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The state, without what came before: an input box after a turn reads `idle`, unless a
    /// line above it says that a turn ended.
    pub state: State,
    /// Why.
    pub kind: Option<Kind>,
    /// The rule that fired.
    pub rule: String,
    /// The rows it fired on, trimmed.
    pub lines: Vec<String>,
    /// It rests on the input box alone: no sign that a turn ended, or that none runs.
    pub(crate) alone: bool,
    pub(crate) over: Vec<Over>,
    pub(crate) until_input: bool,
}

impl Reading {
    /// State and kind as the agents' files write them.
    pub fn expected(&self) -> Expected {
        Expected::Is(self.state, self.kind)
    }
}

/// One `[[screen]]` rule, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub id: String,
    pub state: State,
    pub kind: Option<Kind>,
    pub priority: i32,
    pub provenance: Provenance,
    region: Region,
    rows: usize,
    input: InputWanted,
    all: Vec<Regex>,
    any: Vec<Regex>,
    not: Vec<Regex>,
    over: Vec<Over>,
    until_input: bool,
}

/// A pattern: `^` and `$` are the ends of rows.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(&format!("(?m){text}")).map_err(|error| {
        let last = error.to_string().lines().last().unwrap_or("not a pattern").to_owned();
        format!("pattern `{text}`: {last}")
    })
}

pub(crate) fn patterns(texts: &[String]) -> Result<Vec<Regex>, String> {
    texts.iter().map(|text| pattern(text)).collect()
}

impl Rule {
    pub(crate) fn compile(file: &RuleFile) -> Result<Rule, String> {
        let inside = |error: String| format!("screen rule `{}`: {error}", file.id);
        let Expected::Is(state, kind) = Expected::parse(&file.state).map_err(inside)? else {
            return Err(inside("a rule needs a state".to_owned()));
        };
        if file.all.is_empty() && file.any.is_empty() && file.input != InputWanted::Present {
            return Err(inside("a rule needs `all`, `any` or `input = \"present\"`".to_owned()));
        }
        let (priority, rows) = (
            match state {
                State::Blocked => 300,
                State::Working => 200,
                State::Done => 100,
                State::Idle => 0,
            },
            if file.region == Region::Above { 12 } else { 16 },
        );
        Ok(Rule {
            id: file.id.clone(),
            state,
            kind,
            priority: file.priority.unwrap_or(priority),
            provenance: file.source,
            region: file.region,
            rows: file.rows.unwrap_or(rows),
            input: file.input,
            all: patterns(&file.all).map_err(inside)?,
            any: patterns(&file.any).map_err(inside)?,
            not: patterns(&file.not).map_err(inside)?,
            over: file.over.clone(),
            until_input: file.until_input,
        })
    }

    /// The rows this rule fires on, or none.
    pub(crate) fn fires(&self, layout: &Layout<'_>) -> Option<Vec<String>> {
        match self.input {
            InputWanted::Present if layout.input.is_none() => return None,
            InputWanted::Absent if layout.input.is_some() => return None,
            _ => {}
        }
        let rows = match self.region {
            Region::Bottom => layout.bottom(self.rows),
            Region::Above => layout.above(self.rows),
            Region::LastBlock => layout.last_block(),
            Region::Input => layout.input_rows(),
            Region::Frame => layout.frame_rows(),
            Region::Below => layout.below(),
            Region::Screen => layout.all().to_vec(),
        };
        let text = rows.join("\n");
        let mut lines = Vec::new();
        for pattern in &self.all {
            quote(&text, pattern, &mut lines)?;
        }
        if !self.any.is_empty() {
            self.any.iter().find_map(|pattern| quote(&text, pattern, &mut lines))?;
        }
        if self.not.iter().any(|pattern| pattern.is_match(&text)) {
            return None;
        }
        if lines.is_empty() {
            lines.extend(layout.input_rows().first().map(|row| row.trim().to_owned()));
        }
        Some(lines)
    }
}

/// Adds the rows that the pattern's last match touches.
fn quote(text: &str, pattern: &Regex, lines: &mut Vec<String>) -> Option<()> {
    let found = pattern.find_iter(text).last()?;
    let start = text[..found.start()].rfind('\n').map_or(0, |at| at + 1);
    let end = text[found.end()..].find('\n').map_or(text.len(), |at| found.end() + at);
    for row in text[start..end].lines().map(str::trim).filter(|row| !row.is_empty()) {
        if lines.len() < 4 && !lines.iter().any(|line| line == row) {
            lines.push(row.to_owned());
        }
    }
    Some(())
}

/// What these rules make of a screen: the rule of the highest priority that fires; of equal ones
/// the first in the file.
pub(crate) fn read(rules: &[Rule], layout: &Layout<'_>) -> Option<Reading> {
    let mut best: Option<Reading> = None;
    let mut priority = i32::MIN;
    for rule in rules {
        if rule.priority <= priority {
            continue;
        }
        if let Some(lines) = rule.fires(layout) {
            priority = rule.priority;
            best = Some(Reading {
                state: rule.state,
                kind: rule.kind,
                rule: rule.id.clone(),
                lines,
                alone: rule.all.is_empty() && rule.any.is_empty(),
                over: rule.over.clone(),
                until_input: rule.until_input,
            });
        }
    }
    best
}

/// One `[[signal]]` rule, compiled.
#[derive(Clone, Debug)]
pub(crate) struct SignalRule {
    pub id: String,
    pub provenance: Provenance,
    pub from: SignalFrom,
    pub pattern: Regex,
    /// None: `resting`, which only says that no turn runs unseen.
    pub state: Option<(State, Option<Kind>)>,
    pub fresh_ms: u64,
}

impl SignalRule {
    pub(crate) fn compile(file: &SignalFile) -> Result<SignalRule, String> {
        let inside = |error: String| format!("signal `{}`: {error}", file.id);
        let state = match file.state.as_str() {
            "resting" => None,
            text => match Expected::parse(text).map_err(inside)? {
                Expected::Is(state, kind) => Some((state, kind)),
                Expected::Unknown => return Err(inside("a signal needs a state".to_owned())),
            },
        };
        Ok(SignalRule {
            id: file.id.clone(),
            provenance: file.source,
            from: file.from,
            pattern: pattern(&file.pattern).map_err(inside)?,
            state,
            fresh_ms: file.fresh_ms,
        })
    }
}

pub(crate) fn compile_input(file: &crate::file::InputFile) -> Result<InputSpec, String> {
    let optional = |text: &Option<String>| text.as_deref().map(pattern).transpose();
    let inside = |error: String| format!("input: {error}");
    Ok(InputSpec {
        top: optional(&file.top).map_err(inside)?,
        prompt: pattern(&file.prompt).map_err(inside)?,
        bottom: optional(&file.bottom).map_err(inside)?,
        below: optional(&file.below).map_err(inside)?,
        never_below: patterns(&file.never_below).map_err(inside)?,
        below_max: file.below_max,
        skip: patterns(&file.skip).map_err(inside)?,
        placeholders: patterns(&file.placeholders).map_err(inside)?,
        never_inside: patterns(&file.never_inside).map_err(inside)?,
        menu: optional(&file.menu).map_err(inside)?,
        edge: file.edge.as_ref().map(|edge| pattern(&format!("(?:{edge})$"))).transpose().map_err(inside)?,
        sides: file.sides.clone(),
    })
}
