//! The verbs `StartAgent`, `Lead` and `Unlead`.
//!
//! Not here: opening the pane (`panes`), resuming a conversation.

use kraal_api::agents::StartAgent;
use kraal_api::{Refusal, Response};

use crate::desk::Desk;
use crate::house::House;
use crate::outbox::{Answer, Change, Reply};
use crate::panes::{NewPane, open_asked};
use crate::rights::Permit;
use crate::words::{did_you_mean, line};

/// Verb `StartAgent`.
pub(crate) fn start(desk: &mut Desk<'_>, permit: &Permit, ask: &StartAgent) -> Answer {
    let argv = launch(desk.house, &ask.agent, &ask.args)?;
    let new = NewPane { argv, lead: ask.lead, ..NewPane::default() };
    open_asked(desk, permit, new, &ask.opening)
}

/// The command line of an agent.
///
/// # Errors
///
/// `bad_request` for one that is not known.
pub(crate) fn launch(house: &House, name: &str, args: &[String]) -> Result<Vec<String>, Refusal> {
    let catalog = &house.setup.catalog;
    let Some(agent) = catalog.get(name) else {
        let known: Vec<&str> =
            catalog.iter().filter(|agent| !agent.hidden()).map(|agent| agent.name()).collect();
        let hint = did_you_mean(name, known.iter().copied());
        let said = line(name);
        // Thirty names are of use only to somebody who is not near one.
        let list = if hint.is_empty() { format!(" (known: {})", known.join(", ")) } else { String::new() };
        return Err(Refusal::bad_request(format!("kraal knows no agent {said}{hint}{list}")));
    };
    Ok(agent.launch_argv(args))
}

/// Verb `Lead`.
pub(crate) fn lead(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    let pane = permit.pane()?;
    let Some(state) = desk.tree.pane_mut(pane).filter(|state| state.runs_agent()) else {
        return Err(Refusal::failed(format!("no agent runs in pane {pane}: start one first")));
    };
    state.lead = true;
    desk.out.note(Change::Saved);
    Ok(Reply::Now(Response::Ok))
}

/// Verb `Unlead`.
pub(crate) fn unlead(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    if let Some(state) = desk.tree.pane_mut(permit.pane()?) {
        state.lead = false;
        desk.out.note(Change::Saved);
    }
    Ok(Reply::Now(Response::Ok))
}
