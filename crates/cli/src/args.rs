//! The arguments of `kraal`: one enum of commands, each with its own struct beside its code.
//!
//! Not here: what a command does.

use std::ffi::OsString;

use clap::{CommandFactory, Parser, Subcommand};

use crate::failure::{self, Done, Failure};
use crate::output::{Format, Output};
use crate::target::Target;
use crate::{agents, config, demo, doctor, events, integrations, panes, sessions, shell};

/// A terminal workspace for people who run coding agents.
#[derive(Debug, Parser)]
#[command(name = "kraal", version, max_term_width = 100, disable_help_subcommand = true)]
#[command(after_help = "Without a command: attaches to the session, and starts it where needed.\n\
    Exit status: 0, 1 refused or failed, 2 usage, 3 no such session runs.")]
pub(crate) struct Cli {
    /// The workspace to show; made where there is none.
    #[arg(value_name = "WORKSPACE")]
    pub(crate) workspace: Option<String>,
    /// The session [default: that of this pane, else main].
    #[arg(short, long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Prints for programs: JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows a session on this terminal.
    Attach(sessions::Attach),
    /// Lists the sessions.
    Ls,
    /// Saves a session and ends its programs.
    Kill,
    /// Renews a session's server under its running programs.
    Restart,
    /// A throwaway session with sample agents, to look around in.
    Demo,
    /// Runs a command in a new pane and prints the pane's id.
    Run(panes::RunArgs),
    /// Starts an agent in a new pane and prints the pane's id.
    Agent(agents::AgentArgs),
    /// Types text into a pane.
    Send(panes::SendArgs),
    /// Gives an agent a prompt, and ends once its turn began.
    Prompt(panes::PromptArgs),
    /// Presses keys in a pane.
    Keys(panes::KeysArgs),
    /// Prints what a pane shows.
    Read(panes::ReadArgs),
    /// Waits for a pane.
    Wait(panes::WaitArgs),
    /// Lists the panes.
    Panes,
    /// Goes to a pane.
    Focus(panes::OnePane),
    /// Names a pane.
    Rename(panes::RenameArgs),
    /// Closes a pane and ends its program.
    Close(panes::OnePane),
    /// Lists the agents and what they do.
    Agents(agents::AgentsArgs),
    /// Prints what happens, as JSON lines.
    Events(events::EventsArgs),
    /// Shows a notification.
    Notify(events::NotifyArgs),
    /// Hooks in agents' own settings, for exact states.
    #[command(subcommand)]
    Integration(integrations::IntegrationCommand),
    /// The configuration.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Prints completions for a shell.
    Completions(shell::CompletionsArgs),
    /// Prints the man page.
    Man,
    /// Checks the terminal, git, agents, folders and sessions, and says what to do.
    Doctor,
}

/// The arguments as clap knows them, for completions and the man page.
pub(crate) fn command() -> clap::Command {
    Cli::command()
}

/// Reads the arguments and does what they say.
pub(crate) fn run(args: Vec<OsString>) -> Done {
    let cli = Cli::try_parse_from(args).map_err(|error| failure::of_clap(&error))?;
    let target = Target::new(cli.session.as_deref());
    let output = Output::new(if cli.json { Format::Json } else { Format::Table });
    match (cli.command, cli.workspace) {
        (None, workspace) => {
            if let Some(word) = &workspace {
                refuse_typo(word, &target)?;
            }
            sessions::attach(&target, workspace)
        }
        (Some(_), Some(word)) => {
            let word = crate::output::clean(&word);
            Err(Failure::Usage(format!("there is no command '{word}': see --help")))
        }
        (Some(command), None) => dispatch(command, &target, &output),
    }
}

fn dispatch(command: Command, target: &Target, output: &Output) -> Done {
    match command {
        Command::Attach(args) => sessions::attach(target, args.workspace),
        Command::Ls => sessions::ls(output),
        Command::Kill => sessions::kill(target, output),
        Command::Restart => sessions::restart(target, output),
        Command::Demo => demo::run(),
        Command::Run(args) => panes::run(args, target, output),
        Command::Agent(args) => agents::start(args, target, output),
        Command::Send(args) => panes::send(&args, target, output),
        Command::Prompt(args) => panes::prompt(&args, target, output),
        Command::Keys(args) => panes::keys(args, target, output),
        Command::Read(args) => panes::read(&args, target, output),
        Command::Wait(args) => panes::wait(&args, target, output),
        Command::Panes => panes::list(target, output),
        Command::Focus(args) => panes::focus(&args, target, output),
        Command::Rename(args) => panes::rename(&args, target, output),
        Command::Close(args) => panes::close(&args, target, output),
        Command::Agents(args) => agents::run(args, target, output),
        Command::Events(args) => events::run(args, target, output),
        Command::Notify(args) => events::notify(args, target, output),
        Command::Integration(command) => integrations::run(command, target, output),
        Command::Config(args) => config::run(args, target, output),
        Command::Completions(args) => shell::completions(&args),
        Command::Man => shell::man(),
        Command::Doctor => doctor::run(target, output),
    }
}

/// A word that is nearly a command is more likely a slip than a new workspace: unless there is a
/// workspace of that name, it is refused.
fn refuse_typo(word: &str, target: &Target) -> Done {
    let command = command();
    let names = command.get_subcommands().map(clap::Command::get_name).filter(|name| is_slip(word, name));
    let Some(near) = kraal_api::config::nearest(word, names) else { return Ok(()) };
    if panes::workspaces(target).iter().any(|name| name == word) {
        return Ok(());
    }
    let shown = crate::output::clean(word);
    Err(Failure::Usage(format!(
        "there is no command '{shown}': did you mean `kraal {near}`? A workspace of that name opens with `kraal attach {shown}`"
    )))
}

/// Whether `word` is one slip away from `name`.
fn is_slip(word: &str, name: &str) -> bool {
    word != name
        && name.len() > 2
        && kraal_api::config::nearest(word, std::iter::once(name)).is_some()
        && word.len().abs_diff(name.len()) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Cli {
        Cli::try_parse_from(line.split(' ')).unwrap()
    }

    #[test]
    fn the_declaration_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn commands_are_read() {
        assert!(matches!(parse("kraal"), Cli { workspace: None, command: None, .. }));
        assert_eq!(parse("kraal api").workspace.as_deref(), Some("api"));
        let cli = parse("kraal -s S run --tab --name a --cwd /d -- env A=1 sh -c x -s y --json");
        assert_eq!((cli.session.as_deref(), cli.json), (Some("S"), false));
        let Some(Command::Run(args)) = cli.command else { panic!("{cli:?}") };
        assert_eq!(args.argv, ["env", "A=1", "sh", "-c", "x", "-s", "y", "--json"]);
        assert!(parse("kraal agents --json").json);
        assert!(matches!(parse("kraal keys -p 4 enter").command, Some(Command::Keys(_))));
        for wrong in ["kraal run --tab --right x", "kraal wait --exit --state idle", "kraal send", "kraal -s"]
        {
            assert!(Cli::try_parse_from(wrong.split(' ')).is_err(), "{wrong}");
        }
    }

    #[test]
    fn slips_are_told_from_names() {
        assert!(is_slip("agnets", "agents") && is_slip("atach", "attach") && is_slip("pane", "panes"));
        assert!(!is_slip("api", "run") && !is_slip("web", "wait") && !is_slip("agents", "agents"));
    }
}
