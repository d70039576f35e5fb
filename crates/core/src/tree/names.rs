//! Which pane a person means: by number, by name, or by `workspace:name`.
//!
//! Not here: whether the caller may touch it (`rights`).

use kraal_api::model::Workspace;
use kraal_api::{PaneId, PaneRef, Refusal, WorkspaceId};

use super::Tree;
use crate::words::did_you_mean;

/// The pane that is meant.
///
/// # Errors
///
/// `not_found` with a hint; `bad_request` that lists the candidates when there are several.
pub(crate) fn resolve(tree: &Tree, said: &PaneRef) -> Result<PaneId, Refusal> {
    match said {
        PaneRef::Id(id) if tree.pane(*id).is_some() => Ok(*id),
        PaneRef::Id(id) => {
            Err(Refusal::not_found(format!("there is no pane {id}: `kraal panes` lists them")))
        }
        PaneRef::Name(name) => by_name(tree, name),
    }
}

fn by_name(tree: &Tree, said: &str) -> Result<PaneId, Refusal> {
    let mut found = matching(tree, |_, name| name == said);
    if found.is_empty() {
        found = matching(tree, |workspace, name| {
            said.strip_prefix(workspace.name.as_str()).and_then(|rest| rest.strip_prefix(':')) == Some(name)
        });
    }
    match found.as_slice() {
        [(one, _)] => Ok(*one),
        [] => {
            let all = matching(tree, |_, _| true);
            let full = all.iter().map(|(_, full)| full.as_str());
            let known =
                full.clone().chain(full.map(|full| full.split_once(':').map_or(full, |(_, name)| name)));
            let hint = did_you_mean(said, known);
            let hint = if hint.is_empty() { ": `kraal panes` lists them" } else { hint.as_str() };
            Err(Refusal::not_found(format!("there is no pane called {}{hint}", crate::words::line(said))))
        }
        several => {
            let list: Vec<String> = several.iter().map(|(id, full)| format!("{full} (pane {id})")).collect();
            let message =
                format!("several panes are called {}: say {}", crate::words::line(said), list.join(" or "));
            Err(Refusal::bad_request(message))
        }
    }
}

/// The named panes that fit, each with its `workspace:name`, in the order they are listed.
fn matching(tree: &Tree, fits: impl Fn(&Workspace, &str) -> bool) -> Vec<(PaneId, String)> {
    let mut found = Vec::new();
    for workspace in tree.workspaces() {
        for pane in workspace.tabs.iter().flat_map(|tab| tab.panes()) {
            let Some(name) = tree.pane(pane).and_then(|state| state.facts.name.as_deref()) else { continue };
            if fits(workspace, name) {
                found.push((pane, format!("{}:{name}", workspace.name)));
            }
        }
    }
    found
}

/// A name that no workspace but this one has: the word itself, else with `-2`, `-3`, …
pub(crate) fn unique_workspace(tree: &Tree, name: &str, own: Option<WorkspaceId>) -> String {
    let taken = |name: &str| tree.workspace_named(name).is_some_and(|workspace| Some(workspace.id) != own);
    if !taken(name) {
        return name.to_owned();
    }
    let mut numbered = (2u64..).map(|number| format!("{name}-{number}"));
    numbered.find(|name| !taken(name)).expect("there are finitely many workspaces")
}
