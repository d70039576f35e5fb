//! Facts about the machine and the clients on their way to the features they concern.
//!
//! Not here: requests, any rule.

use kraal_api::events::Happening;
use kraal_api::{ConnId, PaneId, Response};

use super::World;
use crate::desk::Desk;
use crate::effect::Effect;
use crate::input::{Input, Outcome, PaneChange, Settings, Ticket};
use crate::outbox::{Change, Outbox};
use crate::{agents, panes, words, worktrees};

/// Takes in whatever is no request.
pub(super) fn take(world: &mut World, out: &mut Outbox, input: Input) {
    match input {
        // `World::handle` takes requests to their own way.
        Input::Request { .. } | Input::Tick => {}
        Input::Closed { conn } => closed(world, out, conn),
        Input::ClientArea { conn, area } => {
            if let Some(client) = world.clients.get_mut(conn) {
                client.area = area;
                out.note(Change::Room);
            }
        }
        Input::ClientFocus { conn, focused } => {
            if let Some(client) = world.clients.get_mut(conn) {
                client.focused = Some(focused);
            }
            if focused && world.clients.active(conn) {
                out.note(Change::Room);
            }
        }
        Input::ClientActive { conn } => {
            if world.clients.active(conn) {
                out.note(Change::Room);
            }
        }
        Input::Done { ticket, outcome } => done(world, out, ticket, &outcome),
        Input::Worktrees { ticket, done } => {
            let World { house, tree, clients, jobs, .. } = world;
            worktrees::done(&mut Desk { tree, clients, house, out }, jobs, ticket, done);
        }
        Input::Problem(sentence) => problem(world, out, &sentence),
        Input::Mended(sentence) => {
            let sentence = words::line(&sentence);
            world.house.problems.retain(|known| *known != sentence);
        }
        Input::Configured { settings, problems, ticket } => {
            configured(world, out, (settings, problems), ticket);
        }
        Input::Started { pane, pid } => panes::started(&mut desk(world, out), pane, pid),
        Input::StartFailed { pane, reason } => panes::start_failed(&mut desk(world, out), pane, &reason),
        Input::Exited { pane, exit } => panes::exited(&mut desk(world, out), pane, exit),
        Input::Pane { pane, change } => on_pane(&mut desk(world, out), pane, change),
    }
}

fn desk<'a>(world: &'a mut World, out: &'a mut Outbox) -> Desk<'a> {
    Desk { tree: &mut world.tree, clients: &mut world.clients, house: &mut world.house, out }
}

fn on_pane(desk: &mut Desk<'_>, pane: PaneId, change: PaneChange) {
    match change {
        PaneChange::Agent { name, label, verdict } => agents::changed(desk, pane, (name, label), verdict),
        PaneChange::AgentRun(run) => agents::ran(desk, pane, run),
        PaneChange::NoTranscript { agent, conversation } => {
            agents::no_transcript(desk, pane, (&agent, &conversation));
        }
        PaneChange::AgentGone => agents::gone(desk, pane),
        other => panes::changed(desk, pane, other),
    }
}

fn closed(world: &mut World, out: &mut Outbox, conn: ConnId) {
    world.waits.closed(conn, out);
    world.log.closed(conn);
    world.rows.closed(conn);
    if world.clients.leave(conn) {
        out.note(Change::Room);
        out.tell(Happening::ClientDetached { clients: world.clients.count() });
    }
}

fn done(world: &mut World, out: &mut Outbox, ticket: Ticket, outcome: &Outcome) {
    if !world.waits.done(ticket, outcome, &world.tree, out) {
        // The server ended a stream, because its reader was too slow or left it.
        world.log.close(ticket);
        world.rows.close(ticket);
    }
}

fn problem(world: &mut World, out: &mut Outbox, sentence: &str) {
    let message = words::line(sentence);
    world.house.problem(&message);
    out.say(None, message.clone());
    out.tell(Happening::Problem { message });
}

fn configured(
    world: &mut World,
    out: &mut Outbox,
    (settings, problems): (Settings, Vec<String>),
    ticket: Option<Ticket>,
) {
    world.house.setup.settings = settings;
    out.tell(Happening::ConfigReloaded { problems: u32::try_from(problems.len()).unwrap_or(u32::MAX) });
    match ticket {
        Some(ticket) => {
            out.answer =
                Some(Effect::Reply { ticket, answer: Ok(Response::ConfigReloaded(problems.clone())) });
        }
        None => {
            if let Some(first) = problems.first() {
                out.say(None, first.clone());
            }
        }
    }
    world.house.config_problems = problems;
}
