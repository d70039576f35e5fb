//! The command lines that installed hooks are.
//!
//! They exit 0 and print nothing whatever happens, and do nothing outside kraal: the agent runs them
//! in its own turn. Not here: where they are written.

use super::Part;

/// The program: as the pane names it, else by the path.
const KRAAL: &str = "\"${KRAAL_EXE:-kraal}\"";

/// What marks a command line as kraal's for this agent.
pub(super) fn mark(agent: &str) -> String {
    format!("{KRAAL} hook {agent} ")
}

/// Whether a command line is kraal's for this agent.
pub(super) fn is_ours(agent: &str, command: &str) -> bool {
    command.contains(&mark(agent))
}

/// The line that a shell runs for an event.
pub(super) fn shell_line(part: &Part, event: &str) -> String {
    let hand_over = format!("[ -z \"$KRAAL_SOCKET\" ] || {}{event} 2>/dev/null || :", mark(&part.agent));
    let line = match &part.file.prints {
        None => hand_over,
        Some(prints) => format!("{hand_over}; printf %s \"{prints}\""),
    };
    match part.file.any_shell {
        // Nothing in it is a single quote, so any shell hands it on as it is.
        true => format!("sh -c '{line}'"),
        false => line,
    }
}
