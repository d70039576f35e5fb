//! How a pane's agent is taken up again, after a reboot and on Enter: by its conversation, never by
//! its prompt.
//!
//! Not here: what a command line of an agent means (`kraal_agents`), whether a transcript is there
//! (`server`).

use kraal_agents::Resume;

use crate::house::House;
use crate::tree::PaneState;

/// What to do with an agent that ran in a pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    /// Run this.
    Run(Vec<String>),
    /// Show this and wait for Enter.
    Show(Vec<String>),
    /// Nothing is known of a conversation, or it was a one-shot run.
    No,
}

/// Decides it.
pub(crate) fn again(house: &House, pane: &PaneState) -> Again {
    let Some(run) = &pane.run else { return Again::No };
    let Some(agent) = house.setup.catalog.get(&run.agent) else { return Again::No };
    let Some(conversation) = &run.conversation else { return Again::No };
    let begun = [pane.facts.argv.first(), run.argv.first()];
    match agent.resume(&run.argv, conversation) {
        Resume::Run(argv) => Again::Run(by_path(argv, begun)),
        Resume::Show(argv) => Again::Show(by_path(argv, begun)),
        Resume::None => Again::No,
    }
}

/// The same program by the path it was started by, where it was.
fn by_path(mut argv: Vec<String>, begun: [Option<&String>; 2]) -> Vec<String> {
    let Some(name) = argv.first_mut() else { return argv };
    let same = |path: &&String| path.rsplit_once('/').is_some_and(|(_, last)| last == name);
    if let Some(path) = begun.into_iter().flatten().find(same) {
        name.clone_from(path);
    }
    argv
}
