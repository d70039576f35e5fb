//! What an agent shows of itself: the rules for screen and signals, the input box and the samples of
//! its file, compiled when they are first asked for.
//!
//! Patterns are what costs in a catalogue (about 1 MB and 4 ms an agent), and of thirty agents a
//! session sees a few. Not here: what the rules say (`reading`), evidence over time (`detector`).

use std::sync::OnceLock;

use crate::{
    agent::Sample,
    file::{InputFile, RuleFile, SampleFile, SignalFile},
    reading::{self, Expected, Rule, SignalRule},
    screen::{InputSpec, ScreenShot},
};

/// The tables of a file that tell what an agent shows.
#[derive(Clone, Debug)]
pub(crate) struct SightFile {
    pub input: Option<InputFile>,
    pub signals: Vec<SignalFile>,
    pub screens: Vec<RuleFile>,
    pub samples: Vec<SampleFile>,
}

/// The same, ready to be matched.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub input: Option<InputSpec>,
    pub signals: Vec<SignalRule>,
    pub rules: Vec<Rule>,
    pub samples: Vec<Sample>,
}

/// What an agent shows of itself.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    file: SightFile,
    compiled: OnceLock<Compiled>,
}

impl Sight {
    /// Unread: a mistake in the file would be found by `get`. For files that were tested before.
    pub(crate) fn unread(file: SightFile) -> Sight {
        Sight { file, compiled: OnceLock::new() }
    }

    /// Reads it now; the error is for a person.
    pub(crate) fn check(&self) -> Result<(), String> {
        let compiled = Compiled::of(&self.file)?;
        self.compiled.get_or_init(|| compiled);
        Ok(())
    }

    pub(crate) fn get(&self) -> &Compiled {
        self.compiled
            .get_or_init(|| Compiled::of(&self.file).expect("the catalogue test reads every built-in file"))
    }
}

impl Compiled {
    fn of(file: &SightFile) -> Result<Compiled, String> {
        let rules = file.screens.iter().map(Rule::compile).collect::<Result<Vec<_>, _>>()?;
        for (n, rule) in rules.iter().enumerate() {
            if rules[..n].iter().any(|other| other.id == rule.id) {
                return Err(format!("screen rule `{}` stands there twice", rule.id));
            }
        }
        Ok(Compiled {
            input: file.input.as_ref().map(reading::compile_input).transpose()?,
            signals: file.signals.iter().map(SignalRule::compile).collect::<Result<_, _>>()?,
            rules,
            samples: file.samples.iter().map(sample).collect::<Result<_, _>>()?,
        })
    }
}

fn sample(file: &SampleFile) -> Result<Sample, String> {
    let expected =
        Expected::parse(&file.state).map_err(|error| format!("sample `{}`: {error}", file.name))?;
    let screen = ScreenShot { title: file.title.clone(), ..ScreenShot::of_text(&file.screen) };
    Ok(Sample { name: file.name.clone(), expected, screen })
}
