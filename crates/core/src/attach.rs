//! A client comes: it gets a tab to show, and what there is none of is made.
//!
//! Not here: what it draws (`tui`), the stream (`server`).

use kraal_api::events::Happening;
use kraal_api::stream::{Attach, Attached, STREAM};
use kraal_api::{Code, Refusal, Response, TabId};

use crate::desk::Desk;
use crate::outbox::{Answer, Reply};
use crate::rights::Permit;
use crate::sessions;

/// Verb `Attach`.
pub(crate) fn attach(desk: &mut Desk<'_>, permit: &Permit, boot: &str, ask: &Attach) -> Answer {
    if ask.stream != STREAM {
        let message = format!(
            "the client speaks stream {} and this server {STREAM}: use the kraal it was started with, or `kraal restart`",
            ask.stream
        );
        return Err(Refusal::new(Code::UnsupportedVersion, message));
    }
    let conn = permit.asked().conn;
    if desk.clients.get(conn).is_some() {
        return Err(Refusal::bad_request("this connection is attached already: open another"));
    }
    let tab = tab_for(desk, permit, ask)?;
    desk.clients.attach(conn, tab, ask.area);
    desk.out.tell(Happening::ClientAttached { clients: desk.clients.count() });
    let setup = &desk.house.setup;
    Ok(Reply::Now(Response::Attached(Attached {
        client: conn,
        app: setup.app.clone(),
        environment: setup.environment.clone(),
        boot: boot.to_owned(),
    })))
}

/// The tab it showed before, that of the workspace it names, else the one that was looked at last.
fn tab_for(desk: &mut Desk<'_>, permit: &Permit, ask: &Attach) -> Result<TabId, Refusal> {
    if let Some(tab) = ask.tab.filter(|tab| desk.tree.tab(*tab).is_some()) {
        return Ok(tab);
    }
    let known = match &ask.workspace {
        Some(name) => desk.tree.workspace_named(name).map(|workspace| desk.tree.recent_tab(workspace)),
        None => desk.tree.last_tab(),
    };
    if let Some(tab) = known {
        return Ok(tab);
    }
    let asked = permit.asked();
    desk.out.passed_on = asked.env.clone();
    let folder = ask.folder.clone().or_else(|| asked.cwd.clone());
    Ok(sessions::make_workspace(desk, ask.workspace.as_deref(), folder, permit.opener())?.tab)
}
