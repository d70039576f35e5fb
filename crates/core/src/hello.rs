//! What the server says of itself and of its caller: `Hello` and the verb `Info`.
//!
//! Not here: how the caller was found (`caller`).

use kraal_api::hello::{API, Hello, HelloAnswer, Limits};
use kraal_api::request::Info;
use kraal_api::{Code, Refusal, Response};

use crate::caller::Caller;
use crate::clients::Introduction;
use crate::desk::Desk;
use crate::later;
use crate::outbox::{Answer, Reply};
use crate::rights::Permit;
use crate::words::{did_you_mean, line};

/// `Hello`.
pub(crate) fn hello(desk: &mut Desk<'_>, permit: &Permit, ask: &Hello) -> Answer {
    if ask.api != API {
        let message = format!("API {} is not served: this kraal serves {API}", ask.api);
        return Err(Refusal::new(Code::UnsupportedVersion, message));
    }
    let asked = permit.asked();
    let mut caller = asked.caller;
    if let (Some(group), Caller::Client(_)) = (&ask.group, caller) {
        let Some(workspace) = desk.tree.workspace_named(group) else {
            let known = desk.tree.workspaces().iter().map(|workspace| workspace.name.as_str());
            let hint = did_you_mean(group, known);
            return Err(Refusal::not_found(format!("there is no group {}{hint}", line(group))));
        };
        caller = Caller::Client(Some(workspace.id));
    }
    desk.clients.introduce(asked.conn, Introduction { group: ask.group.clone() });
    Ok(Reply::Now(Response::Hello(HelloAnswer {
        api: API,
        app: desk.house.setup.app.clone(),
        environment: desk.house.setup.environment.clone(),
        caller: caller.facts(desk.tree),
        requests: later::served(),
        limits: Limits::default(),
    })))
}

/// Verb `Info`.
pub(crate) fn info(desk: &Desk<'_>, _: &Permit, boot: &str) -> Answer {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let waiting =
        desk.tree.panes().filter_map(|pane| pane.facts.agent.as_ref()).filter(|agent| agent.needs_you());
    let house = &desk.house;
    Ok(Reply::Now(Response::Info(Info {
        app: house.setup.app.clone(),
        environment: house.setup.environment.clone(),
        boot: boot.to_owned(),
        restarts: house.restarts,
        pid: house.setup.pid,
        keeper: house.setup.keeper,
        clients: desk.clients.count(),
        workspaces: count(desk.tree.workspaces().len()),
        tabs: count(desk.tree.tabs().count()),
        panes: count(desk.tree.panes().count()),
        waiting: count(waiting.count()),
        problems: house.problems.iter().chain(&house.config_problems).cloned().collect(),
    })))
}
