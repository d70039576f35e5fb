//! Command lines: how an agent is started, whether a command line is a one-shot run, and how an
//! ended one is taken up again without ever sending its prompt twice.
//!
//! Not here: finding the conversation's id, or running anything.

use crate::{
    agent::{Agent, RunKind},
    process::{Command, Process, plain_words},
};

/// What to do with a pane whose agent ended or whose server stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Run this.
    Run(Vec<String>),
    /// Show this and wait for Enter: an option is unknown, so what follows it may be its value
    /// or a prompt.
    Show(Vec<String>),
    /// Nothing: a one-shot run, or an agent that cannot resume.
    None,
}

impl Agent {
    pub(crate) fn is_command(&self, command: &Command<'_>) -> bool {
        self.process.matches(command, &self.value_options())
    }

    /// The command line of a new run with these arguments of the user's.
    pub fn launch_argv(&self, args: &[String]) -> Vec<String> {
        self.launch.command.iter().chain(args).cloned().collect()
    }

    /// Whether this command line (whole, with wrappers) is a one-shot run.
    pub fn run_kind(&self, argv: &[String]) -> RunKind {
        let process = Process { argv: argv.to_vec(), ..Process::default() };
        let command = Command::of(&process);
        let launch = &self.launch;
        let options = command.args.iter().take_while(|word| **word != "--");
        let by_option = launch_option(options, &launch.one_shot_options);
        let words = plain_words(&command.args, &self.value_options());
        let by_word = words.first().is_some_and(|word| launch.one_shot_commands.iter().any(|c| c == word));
        if by_option || by_word { RunKind::OneShot } else { RunKind::Interactive }
    }

    /// Whether a command line may hold a prompt: only one of bare options surely holds none.
    pub fn is_asked(&self, argv: &[String]) -> bool {
        let process = Process { argv: argv.to_vec(), ..Process::default() };
        Command::of(&process)
            .args
            .iter()
            .any(|word| *word == "--" || !word.starts_with('-') || word.contains('='))
    }

    /// Whether it is known how its conversations are taken up again.
    pub fn resumes(&self) -> bool {
        !self.launch.resume.is_empty()
    }

    /// How the conversation `conversation` of the run `argv` is taken up again. The prompt of
    /// the old command line is never part of the answer.
    pub fn resume(&self, argv: &[String], conversation: &str) -> Resume {
        let launch = &self.launch;
        if launch.resume.is_empty() || self.run_kind(argv) == RunKind::OneShot {
            return Resume::None;
        }
        // An id is what an agent reported: never let it be read as an option.
        if conversation.is_empty() || conversation.starts_with('-') || conversation.contains(char::is_control)
        {
            return Resume::None;
        }
        let process = Process { argv: argv.to_vec(), ..Process::default() };
        let command = Command::of(&process);
        let kept = self.kept(&command.args);
        let mut resumed: Vec<String> =
            launch.resume.iter().map(|word| word.replace("{id}", conversation)).collect();
        resumed.extend(kept.words);
        if kept.certain { Resume::Run(resumed) } else { Resume::Show(resumed) }
    }

    /// The conversation that this command line takes up by name: `codex resume ID`.
    pub fn conversation_named(&self, argv: &[String]) -> Option<String> {
        let at = self.launch.resume.iter().position(|word| word == "{id}")?;
        let before = self.launch.resume.get(at.checked_sub(1)?)?;
        let process = Process { argv: argv.to_vec(), ..Process::default() };
        let command = Command::of(&process);
        let joined =
            command.args.iter().find_map(|word| word.strip_prefix(before.as_str())?.strip_prefix('='));
        let next = command.args.windows(2).find(|pair| pair[0] == before).map(|pair| pair[1]);
        let named = joined.or(next)?;
        (!named.is_empty() && !named.starts_with('-')).then(|| named.to_owned())
    }

    /// The options its file knows, each with values where it takes some, and the names of those
    /// that carry a prompt: for completions and the catalogue test.
    pub fn options(&self) -> (Vec<Vec<String>>, Vec<String>) {
        let launch = &self.launch;
        let alone =
            [&launch.flags, &launch.session_flags].into_iter().flatten().map(|name| vec![name.clone()]);
        let valued = [&launch.values, &launch.session_values].into_iter().flatten();
        let valued = valued.map(|name| vec![name.clone(), "value".to_owned()]);
        let mut known: Vec<Vec<String>> = alone.chain(valued).collect();
        known.extend(launch.session_optional.iter().map(|name| vec![name.clone(), "value".to_owned()]));
        known.push(Vec::new());
        (known, launch.prompt_values.clone())
    }

    /// Whether words that are no option are folders or files, and not the prompt.
    pub fn takes_paths(&self) -> bool {
        self.launch.positional_paths
    }

    /// Every option that takes a value of its own.
    fn value_options(&self) -> Vec<String> {
        let launch = &self.launch;
        [&launch.values, &launch.lists, &launch.session_values, &launch.prompt_values]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    fn kept(&self, args: &[&str]) -> Kept {
        let launch = &self.launch;
        let has = |list: &[String], word: &str| list.iter().any(|known| known == word);
        let mut kept = Kept { words: Vec::new(), certain: true };
        let mut rest = args;
        let mut first_word = true;
        while let Some((word, tail)) = rest.split_first() {
            rest = tail;
            if *word == "--" {
                break;
            }
            if !word.starts_with('-') || *word == "-" {
                if first_word && has(&launch.session_commands, word) {
                    // `codex resume OLD prompt`: all words are dropped anyway.
                } else if launch.positional_paths {
                    kept.words.push((*word).to_owned());
                }
                first_word = false;
                continue;
            }
            let (name, joined) = word.split_once('=').map_or((*word, false), |(name, _)| (name, true));
            let next = rest.first().copied().filter(|next| !next.starts_with('-'));
            if has(&launch.flags, name) {
                kept.words.push((*word).to_owned());
            } else if has(&launch.values, name) {
                kept.words.push((*word).to_owned());
                if !joined {
                    kept.words.extend(rest.first().map(|value| (*value).to_owned()));
                    rest = rest.get(1..).unwrap_or_default();
                }
            } else if has(&launch.lists, name) {
                let count =
                    if joined { 0 } else { rest.iter().take_while(|value| !value.starts_with('-')).count() };
                kept.words.push((*word).to_owned());
                kept.words.extend(rest[..count].iter().map(|value| (*value).to_owned()));
                rest = &rest[count..];
            } else if has(&launch.session_flags, name) {
            } else if has(&launch.session_values, name) || has(&launch.prompt_values, name) {
                rest = if joined { rest } else { rest.get(1..).unwrap_or_default() };
            } else if has(&launch.session_optional, name) {
                rest = if joined || next.is_none() { rest } else { &rest[1..] };
            } else {
                kept.unknown(word);
                // What follows may be its value or a prompt. A word without blanks is shown for
                // the user to judge; anything longer looks like a prompt and is never repeated.
                if let (Some(next), false) = (next, joined) {
                    if !next.contains(char::is_whitespace) {
                        kept.words.push(next.to_owned());
                    }
                    rest = &rest[1..];
                }
            }
        }
        kept
    }
}

struct Kept {
    words: Vec<String>,
    certain: bool,
}

impl Kept {
    fn unknown(&mut self, word: &str) {
        self.words.push(word.to_owned());
        self.certain = false;
    }
}

fn launch_option<'a>(mut words: impl Iterator<Item = &'a &'a str>, options: &[String]) -> bool {
    words.any(|word| {
        let name = word.split_once('=').map_or(*word, |(name, _)| name);
        options.iter().any(|option| option == name)
    })
}
