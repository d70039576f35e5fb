//! How a command fails: its exit status and one line that says what failed and what to do.
//!
//! Not here: what the server refuses and why (`core`).

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use kraal_api::{Code, Refusal};

use crate::output::clean;

/// Why a command did not do what was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments are wrong: 2.
    Usage(String),
    /// The server refused: 1.
    Refused(Refusal),
    /// Something went wrong: 1.
    Failed(String),
    /// The connection broke: the server restarts, or is gone: 1.
    Gone(String),
    /// No such session runs: 3.
    NoSession(String),
    /// Whoever read our output stopped: nothing to say.
    ReaderGone,
    /// It was all said already; only the exit status is left.
    Said(u8),
}

pub(crate) type Done = Result<(), Failure>;

impl Failure {
    pub(crate) fn failed(what: impl fmt::Display) -> Self {
        Failure::Failed(what.to_string())
    }

    pub(crate) fn no_session(name: &str) -> Self {
        Failure::NoSession(format!("no session '{name}' runs: start it with `kraal -s {name}`"))
    }

    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Refused(_) | Failure::Failed(_) | Failure::Gone(_) => 1,
            Failure::NoSession(_) => 3,
            Failure::ReaderGone => 0,
            Failure::Said(code) => *code,
        }
    }

    /// The refusal's code, when it is one.
    pub(crate) fn refusal(&self) -> Option<Code> {
        match self {
            Failure::Refused(refusal) => Some(refusal.code),
            _ => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) | Failure::Failed(text) | Failure::Gone(text) | Failure::NoSession(text) => {
                f.write_str(&clean(text))
            }
            Failure::Refused(refusal) => f.write_str(&clean(&refusal.to_string())),
            Failure::ReaderGone | Failure::Said(_) => Ok(()),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Failure::Refused(refusal)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Failed(format!("{error:#}"))
    }
}

impl From<kraal_host::dirs::DirsError> for Failure {
    fn from(error: kraal_host::dirs::DirsError) -> Self {
        Failure::failed(error)
    }
}

/// Of writing to standard output; other input and output says itself what it was about.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Failed(format!("the output cannot be written: {error}")),
        }
    }
}

/// A line about one of several things that went wrong.
pub(crate) fn say(program: &str, line: &str) {
    // Nobody is left to be told when this fails.
    let _ = writeln!(io::stderr(), "{program}: {}", clean(line));
}

/// Says how it went, and with which status to exit.
pub(crate) fn report(program: &str, done: Done) -> ExitCode {
    let Err(failure) = done else { return ExitCode::SUCCESS };
    let line = failure.to_string();
    if !line.is_empty() {
        // Nobody is left to be told when this fails.
        let _ = writeln!(io::stderr(), "{program}: {line}");
    }
    ExitCode::from(failure.code())
}

/// What clap has to say: help and versions as they are, a mistake as one line.
pub(crate) fn of_clap(error: &clap::Error) -> Failure {
    use clap::error::ErrorKind;
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayVersion
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    ) {
        let code = u8::from(error.use_stderr()) * 2;
        let _ = error.print();
        return Failure::Said(code);
    }
    Failure::Usage(one_line(&error.render().to_string()))
}

/// The first paragraph and the tips of clap's message.
fn one_line(message: &str) -> String {
    let paragraph: Vec<&str> =
        message.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let mut line = paragraph.join(" ").trim_start_matches("error: ").to_owned();
    for tip in message.lines().filter_map(|line| line.trim().strip_prefix("tip: ")) {
        line.push_str("; ");
        line.push_str(tip);
    }
    line.push_str("; see --help");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claps_words_fit_one_line() {
        let message = "error: unexpected argument '--nmae' found\n\n  tip: a similar argument exists: '--name'\n\nUsage: kraal run [OPTIONS]\n\nFor more information, try '--help'.\n";
        assert_eq!(
            one_line(message),
            "unexpected argument '--nmae' found; a similar argument exists: '--name'; see --help"
        );
        let message =
            "error: the following required arguments were not provided:\n  <TEXT>\n\nUsage: kraal send\n";
        assert_eq!(
            one_line(message),
            "the following required arguments were not provided: <TEXT>; see --help"
        );
    }

    #[test]
    fn a_failure_is_one_clean_line() {
        let failure = Failure::Refused(Refusal::failed("a\nb\u{1b}[31m"));
        assert_eq!((failure.to_string().as_str(), failure.code()), ("a b[31m (failed)", 1));
        assert_eq!(Failure::no_session("work").code(), 3);
    }
}
