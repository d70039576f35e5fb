//! A request on its way: the caller, the door of rights, the handler.
//!
//! Not here: any rule or handler of its own.

use kraal_api::{Refusal, Request, Verb};

use super::World;
use crate::caller::{self, Asked};
use crate::desk::Desk;
use crate::effect::Effect;
use crate::input::{Peer, Ticket};
use crate::outbox::{Answer, Ending, Outbox, Reply};
use crate::rights::{self, Permit};
use crate::{agents, attach, events, hello, hooks, later, notify, panes, sessions, waits, worktrees};
use kraal_api::ConnId;
use kraal_api::Response;

/// A stream to open once everything of this input is told.
#[derive(Debug)]
pub(super) enum Opening {
    Events(kraal_api::events::Events),
    Agents(kraal_api::agents::SubscribeAgents),
}

/// Handles one request; the stream it opens, if it opens one, is the answer's second half.
pub(super) fn take(
    world: &mut World,
    out: &mut Outbox,
    (ticket, conn): (Ticket, ConnId),
    peer: Peer,
    request: &Request,
) -> Option<(Asked, Opening)> {
    let permit = match admit(world, (ticket, conn), peer, request) {
        Ok(permit) => permit,
        Err(refusal) => {
            out.answer = Some(Effect::Reply { ticket, answer: Err(refusal) });
            return None;
        }
    };
    let answer = dispatch(world, out, &permit, request);
    let opening =
        answer.as_ref().ok().and_then(|_| opening(request)).map(|opening| (permit.asked().clone(), opening));
    match answer {
        Ok(Reply::Now(response)) => out.answer = Some(Effect::Reply { ticket, answer: Ok(response) }),
        Ok(Reply::Later) => {}
        Err(refusal) => out.answer = Some(Effect::Reply { ticket, answer: Err(refusal) }),
    }
    opening
}

fn admit(
    world: &World,
    (ticket, conn): (Ticket, ConnId),
    peer: Peer,
    request: &Request,
) -> Result<Permit, Refusal> {
    let caller = caller::find(&world.tree, &world.clients, conn, &peer)?;
    let asked = Asked { ticket, conn, caller, cwd: peer.cwd, env: peer.env };
    let permit = rights::check(&world.tree, &world.house.setup.environment, asked, request)?;
    if world.ended {
        return Err(Refusal::busy("the session is ending: start it again in a moment"));
    }
    later::check(request)?;
    Ok(permit)
}

fn opening(request: &Request) -> Option<Opening> {
    match request {
        Request::SubscribeAgents(ask) => Some(Opening::Agents(ask.clone())),
        Request::Verb(Verb::Events(ask)) => Some(Opening::Events(ask.clone())),
        _ => None,
    }
}

fn dispatch(world: &mut World, out: &mut Outbox, permit: &Permit, request: &Request) -> Answer {
    let World { house, tree, clients, waits, .. } = world;
    let boot = world.log.boot();
    match request {
        Request::Wait(ask) => waits::wait(waits, tree, out, permit, ask),
        Request::Verb(Verb::WaitPane(ask)) => waits::wait_pane(waits, tree, out, permit, ask),
        Request::Verb(Verb::Events(ask)) => events::check(permit, ask),
        Request::Verb(Verb::Notify(ask)) => notify::notify(out, permit, ask),
        Request::SubscribeAgents(_) => Ok(Reply::Now(Response::Ok)),
        _ => {
            let (held, jobs) = (&mut world.held, &mut world.jobs);
            let desk = &mut Desk { tree, clients, house, out };
            match request {
                Request::Hello(ask) => hello::hello(desk, permit, ask),
                Request::List | Request::ListAll => agents::list(desk, permit),
                Request::Read(ask) => panes::read(desk, permit, ask),
                Request::Sessions => sessions::list(desk, permit),
                Request::CreateSession(ask) => sessions::create(desk, permit, ask),
                Request::CloseSession(ask) => sessions::close_session(desk, permit, ask),
                Request::CreateWorktree(ask) => worktrees::create(desk, jobs, permit, ask),
                Request::Verb(Verb::Worktrees(ask)) => worktrees::list(desk, jobs, permit, &ask.folder),
                Request::Verb(Verb::NewWorktree(ask)) => worktrees::new(desk, jobs, permit, ask),
                Request::Verb(Verb::SetupWorktree(ask)) => worktrees::setup(desk, jobs, permit, ask),
                Request::Verb(Verb::TrustWorktree(ask)) => worktrees::trust(desk, jobs, permit, ask),
                Request::Verb(Verb::RemoveWorktree(ask)) => worktrees::remove(desk, jobs, permit, ask),
                Request::Verb(Verb::PruneWorktrees(ask)) => worktrees::prune(desk, jobs, permit, ask),
                Request::Hook(ask) => hooks::hook(desk, permit, ask),
                Request::Status(ask) => hooks::status(desk, permit, ask),
                Request::Verb(Verb::Info) => hello::info(desk, permit, boot),
                Request::Verb(Verb::Attach(ask)) => attach::attach(desk, permit, boot, ask),
                Request::Verb(Verb::SendText(ask)) => panes::send_text(desk, held, permit, ask),
                Request::Verb(Verb::SendKeys(ask)) => panes::send_keys(desk, held, permit, ask),
                Request::Verb(verb) => on_verb(desk, permit, verb),
                // `later` answered for the rest.
                other => Err(Refusal::unsupported(format!("{} comes with a later version", other.name()))),
            }
        }
    }
}

fn on_verb(desk: &mut Desk<'_>, permit: &Permit, verb: &Verb) -> Answer {
    match verb {
        Verb::Panes => panes::list(desk, permit),
        Verb::Agents => agents::statuses(desk, permit),
        Verb::Explain(_) => panes::explain(desk, permit),
        Verb::ReadPane(ask) => panes::read_pane(desk, permit, ask),
        Verb::Run(ask) => panes::run(desk, permit, ask),
        Verb::StartAgent(ask) => agents::start(desk, permit, ask),
        Verb::Prompt(ask) => agents::prompt(desk, permit, ask),
        Verb::Focus(_) => panes::focus(desk, permit),
        Verb::Reveal(_) => panes::reveal(desk, permit),
        Verb::Rename(ask) => panes::rename(desk, permit, ask),
        Verb::ClosePane(_) => panes::close_pane(desk, permit),
        Verb::Rerun(_) => panes::rerun(desk, permit),
        Verb::Zoom(_) => panes::zoom(desk, permit),
        Verb::ResizePane(ask) => panes::resize(desk, permit, ask),
        Verb::MovePane(ask) => panes::move_pane(desk, permit, ask),
        Verb::SwapPane(_) => panes::swap(desk, permit),
        Verb::Float(_) => panes::float(desk, permit),
        Verb::PlaceFloat(ask) => panes::place_float(desk, permit, ask),
        Verb::HideFloats(ask) => sessions::hide_floats(desk, permit, ask),
        Verb::Arrange(ask) => sessions::arrange(desk, permit, ask),
        Verb::LookAt(ask) => sessions::look_at(desk, permit, ask),
        Verb::CloseTab(ask) => sessions::close_tab(desk, permit, ask),
        Verb::RenameTab(ask) => sessions::rename_tab(desk, permit, ask),
        Verb::MoveTab(ask) => sessions::move_tab(desk, permit, ask),
        Verb::OpenWorkspace(ask) => sessions::open_workspace(desk, permit, ask),
        Verb::RenameWorkspace(ask) => sessions::rename_workspace(desk, permit, ask),
        Verb::CloseWorkspace(ask) => sessions::close_workspace(desk, permit, ask),
        Verb::Lead(_) => agents::lead(desk, permit),
        Verb::Unlead(_) => agents::unlead(desk, permit),
        Verb::ReloadConfig => {
            desk.out.act(Effect::ReloadConfig { ticket: permit.asked().ticket });
            Ok(Reply::Later)
        }
        Verb::Restart => end(desk, Ending::Restart(permit.asked().ticket)),
        Verb::Kill => end(desk, Ending::Killed(permit.asked().ticket)),
        other => Err(Refusal::unsupported(format!("{} comes with a later version", other.name()))),
    }
}

fn end(desk: &mut Desk<'_>, ending: Ending) -> Answer {
    desk.out.ending = Some(ending);
    Ok(Reply::Later)
}
