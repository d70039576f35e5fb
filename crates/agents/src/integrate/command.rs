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
    let agent = &part.agent;
    let hand_over = format!("[ -z \"$KRAAL_SOCKET\" ] || {}{event} 2>/dev/null || :", mark(agent));
    match &part.file.prints {
        None => hand_over,
        Some(prints) => format!("{hand_over}; printf '%s' '{prints}'"),
    }
}

/// A word for a POSIX shell.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The word that `quoted` made, where it stands at the beginning of `text`.
pub(super) fn unquoted(text: &str) -> Option<String> {
    let mut word = String::new();
    let mut rest = text.strip_prefix('\'')?;
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        match after.strip_prefix("\\''") {
            Some(more) => {
                word.push('\'');
                rest = more;
            }
            None => return Some(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_as_they_were() {
        for word in ["", "a b", "it's", "''", "'; rm -rf /; '", "\\'", "$(x) `y` \"z\""] {
            assert_eq!(unquoted(&format!("{} rest 'x'", quoted(word))).as_deref(), Some(word));
        }
        assert_eq!(unquoted("x"), None);
        assert_eq!(unquoted("'never ends"), None);
    }
}
