//! What installed integrations send, on its way to the pane it concerns.
//!
//! Not here: what an event means (`kraal_agents`), whether its sender is the pane's agent or a run
//! inside it (`server`, which sees the processes).

use kraal_api::Response;
use kraal_api::hooks::{Hook, StatusLine};

use crate::desk::Desk;
use crate::effect::Effect;
use crate::outbox::{Answer, Reply};
use crate::rights::Permit;

/// `Hook`. An agent is told nothing of what comes of it.
pub(crate) fn hook(desk: &mut Desk<'_>, permit: &Permit, ask: &Hook) -> Answer {
    let asked = permit.asked();
    desk.out.act(Effect::Hook { ticket: asked.ticket, pane: asked.caller.sees_as(), hook: ask.clone() });
    Ok(Reply::Now(Response::Ok))
}

/// `Status`.
pub(crate) fn status(desk: &mut Desk<'_>, permit: &Permit, ask: &StatusLine) -> Answer {
    let asked = permit.asked();
    desk.out.act(Effect::StatusLine {
        ticket: asked.ticket,
        pane: asked.caller.sees_as(),
        line: ask.clone(),
    });
    Ok(Reply::Now(Response::Ok))
}
