//! The rows of `List` and of the verb `Agents`, made from the tree.
//!
//! Not here: their changes over time (`stream`).

use kraal_agents::Catalog;
use kraal_api::agents::{AgentRow, AgentStatus};
use kraal_api::model::{Tab, Workspace};
use kraal_api::time::rfc3339;
use kraal_api::{PaneId, Response};

use crate::desk::Desk;
use crate::outbox::{Answer, Reply};
use crate::rights::Permit;
use crate::tree::{PaneState, Tree};

/// What runs in a pane, in the API's words.
fn harness(catalog: &Catalog, pane: &PaneState) -> Option<String> {
    match &pane.facts.agent {
        Some(agent) => {
            let known = catalog.get(&agent.name).map(|known| known.harness().to_owned());
            Some(known.unwrap_or_else(|| agent.label.clone()))
        }
        None => pane.facts.argv.is_empty().then(|| "Shell".to_owned()),
    }
}

/// The row of a pane, of its environment and nobody's own; None when there is no such pane.
pub(crate) fn row(tree: &Tree, catalog: &Catalog, environment: &str, pane: PaneId) -> Option<AgentRow> {
    let state = tree.pane(pane)?;
    let (workspace, _) = tree.place(pane)?;
    let harness = harness(catalog, state);
    let title =
        state.facts.name.clone().unwrap_or_else(|| {
            format!("{} · {pane}", harness.clone().unwrap_or_else(|| state.facts.called()))
        });
    Some(AgentRow {
        environment: Some(environment.to_owned()),
        terminal: pane,
        title,
        group: Some(workspace.name.clone()),
        state: state.state(),
        harness,
        is_self: false,
    })
}

/// As one caller sees a row.
pub(crate) fn seen_by(mut row: AgentRow, own: Option<PaneId>, outside: bool) -> AgentRow {
    row.is_self = own == Some(row.terminal);
    if !outside {
        row.environment = None;
    }
    row
}

/// `List` and `ListAll`: no Workers are closed yet, so both say the same.
pub(crate) fn list(desk: &Desk<'_>, permit: &Permit) -> Answer {
    let caller = permit.asked().caller;
    let outside = matches!(caller, crate::caller::Caller::Client(_));
    let setup = &desk.house.setup;
    let rows = desk
        .tree
        .in_order()
        .into_iter()
        .filter_map(|pane| row(desk.tree, &setup.catalog, &setup.environment, pane))
        .map(|row| seen_by(row, caller.sees_as(), outside));
    Ok(Reply::Now(Response::Agents(rows.collect())))
}

/// Verb `Agents`: every recognised agent.
pub(crate) fn statuses(desk: &Desk<'_>, _: &Permit) -> Answer {
    let rows = desk.tree.in_order().into_iter().filter_map(|pane| {
        let (workspace, tab) = desk.tree.place(pane)?;
        status(desk.tree.pane(pane)?, workspace, tab)
    });
    Ok(Reply::Now(Response::AgentStatuses(rows.collect())))
}

fn status(pane: &PaneState, workspace: &Workspace, tab: &Tab) -> Option<AgentStatus> {
    let agent = pane.facts.agent.as_ref()?;
    Some(AgentStatus {
        pane: pane.facts.id,
        name: pane.facts.name.clone(),
        workspace: workspace.name.clone(),
        tab: tab.id,
        agent: agent.name.clone(),
        label: agent.label.clone(),
        state: agent.verdict.state,
        kind: agent.verdict.kind,
        certain: agent.verdict.certain,
        source: agent.verdict.source,
        since: rfc3339(agent.since),
        branch: pane.facts.branch.as_ref().map(|branch| branch.name.clone()),
        account: agent.account.clone(),
        server: None,
    })
}
