//! The verb `Prompt`: who and what for; the rest is looking and typing, which the server does.
//!
//! Not here: when an agent is ready (`kraal_agents::Prompting`).

use kraal_api::Refusal;
use kraal_api::panes::Prompt;

use crate::desk::Desk;
use crate::effect::Effect;
use crate::outbox::{Answer, Reply};
use crate::rights::Permit;

/// The longest prompt, in bytes.
const TEXT_MAX: usize = 1024 * 1024;

/// Verb `Prompt`.
pub(crate) fn prompt(desk: &mut Desk<'_>, permit: &Permit, ask: &Prompt) -> Answer {
    let (pane, ticket) = (permit.pane()?, permit.asked().ticket);
    if ask.text.trim().is_empty() {
        return Err(Refusal::bad_request("the prompt is empty: say what the agent is to do"));
    }
    if ask.text.len() > TEXT_MAX {
        return Err(Refusal::bad_request("the prompt is over 1 MiB: put it into a file and name that"));
    }
    let Some(state) = desk.tree.pane(pane).filter(|state| state.lives()) else {
        return Err(Refusal::failed(format!(
            "no program runs in pane {pane}, so nothing was typed: run it first"
        )));
    };
    if !state.runs_agent() {
        return Err(Refusal::failed(format!(
            "no agent runs in pane {pane}, so nothing was typed: `kraal send` types into any program"
        )));
    }
    desk.out.act(Effect::Prompt { ticket, pane, text: ask.text.clone() });
    Ok(Reply::Later)
}
