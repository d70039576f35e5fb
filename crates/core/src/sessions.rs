//! Tabs and workspaces: the API's sessions and groups, and kraal's own verbs on them.
//!
//! Not here: kraal's environments (a server each), the panes in a tab (`panes`).

use kraal_api::events::Happening;
use kraal_api::panes::{
    Arrange, CloseWorkspace, MoveTab, OnTab, OpenWorkspace, Opened, RenameTab, RenameWorkspace,
};
use kraal_api::sessions::{CloseSession, CreateSession, SessionRow};
use kraal_api::{Code, PaneId, Refusal, Response, TabId, WorkspaceId};

use crate::desk::Desk;
use crate::outbox::{Answer, Reply};
use crate::panes::{self, NewPane, Spot};
use crate::rights::{Permit, Reach, no_group};
use crate::tree::names::unique_workspace;
use crate::tree::{Opener, arrange, float};
use crate::views;
use crate::words::{did_you_mean, last_part, line, name};

const DONE: Answer = Ok(Reply::Now(Response::Ok));

fn no_tab(tab: TabId) -> Refusal {
    Refusal::not_found(format!("there is no session {tab}: Sessions names those there are"))
}

fn workspace_called(desk: &Desk<'_>, said: &str) -> Result<WorkspaceId, Refusal> {
    desk.tree.workspace_named(said).map(|workspace| workspace.id).ok_or_else(|| {
        let hint = did_you_mean(said, desk.tree.workspaces().iter().map(|workspace| workspace.name.as_str()));
        Refusal::not_found(format!("there is no workspace {}{hint}", line(said)))
    })
}

/// `Sessions`.
pub(crate) fn list(desk: &Desk<'_>, permit: &Permit) -> Answer {
    let asked = permit.asked();
    let group = asked.caller.group(desk.tree).ok_or_else(no_group)?;
    let current = match asked.caller.sees_as() {
        Some(own) => desk.tree.place(own).map(|(_, tab)| tab.id),
        None => views::on_screen(desk.tree, desk.clients, asked),
    };
    let rows =
        desk.tree.tabs().filter(|(workspace, _)| workspace.id == group).map(|(workspace, tab)| SessionRow {
            session: tab.id,
            name: tab.name.clone().unwrap_or_else(|| tab.id.to_string()),
            group: workspace.name.clone(),
            is_current: current == Some(tab.id),
            terminals: tab.panes(),
        });
    Ok(Reply::Now(Response::Sessions(rows.collect())))
}

/// `CreateSession`: a tab with a shell, in nobody's way.
pub(crate) fn create(desk: &mut Desk<'_>, permit: &Permit, ask: &CreateSession) -> Answer {
    let asked = permit.asked();
    let group = match &ask.group {
        Some(group) => workspace_called(desk, group)?,
        None => asked.caller.group(desk.tree).ok_or_else(no_group)?,
    };
    let cwd = desk.tree.workspace(group).map_or_else(String::new, |workspace| workspace.folder.clone());
    let tab_name = ask.name.as_deref().and_then(name);
    let new = NewPane { cwd, opener: permit.opener(), ..NewPane::default() };
    desk.out.passed_on = asked.env.clone();
    let opened = panes::open(desk, new, Spot::Tab(group, tab_name))?;
    Ok(Reply::Now(Response::SessionCreated { session: opened.tab }))
}

/// `CloseSession`: a tab of the lead's own group, but neither its own nor the last.
pub(crate) fn close_session(desk: &mut Desk<'_>, permit: &Permit, ask: &CloseSession) -> Answer {
    let session = ask.session;
    let (workspace, tab) = desk.tree.tab(session).ok_or_else(|| no_tab(session))?;
    if permit.reach() != Reach::Leading(workspace.id) {
        let message =
            format!("session {session} belongs to the group {}: only its own lead closes it", workspace.name);
        return Err(Refusal::new(Code::NotOwned, message));
    }
    if permit.asked().caller.pane().is_some_and(|own| tab.contains(own)) {
        return Err(Refusal::forbidden("this is the lead's own session: the user closes it"));
    }
    if workspace.tabs.len() == 1 {
        let message = format!(
            "session {session} is the last of the group {}: close the workspace instead",
            workspace.name
        );
        return Err(Refusal::failed(message));
    }
    close_whole(desk, session);
    Ok(Reply::Now(Response::SessionClosed { session }))
}

/// Closes a tab with its panes, the focused one last: the focus does not wander on the way.
fn close_whole(desk: &mut Desk<'_>, tab: TabId) {
    let Some((_, tab)) = desk.tree.tab(tab) else { return };
    let focus = tab.focus;
    let others: Vec<PaneId> = tab.panes().into_iter().filter(|pane| *pane != focus).collect();
    for pane in others.into_iter().chain([focus]) {
        panes::close(desk, pane);
    }
}

/// Verb `LookAt`.
pub(crate) fn look_at(desk: &mut Desk<'_>, permit: &Permit, ask: &OnTab) -> Answer {
    if desk.tree.tab(ask.tab).is_none() {
        return Err(no_tab(ask.tab));
    }
    views::go(desk, permit.asked(), ask.tab);
    DONE
}

/// Verb `HideFloats`: its floating panes are hidden, or shown again.
pub(crate) fn hide_floats(desk: &mut Desk<'_>, _: &Permit, ask: &OnTab) -> Answer {
    let Some(tab) = desk.tree.tab_mut(ask.tab) else { return Err(no_tab(ask.tab)) };
    if tab.floating.is_empty() {
        return Err(Refusal::failed(format!("nothing floats in tab {}: let a pane float first", ask.tab)));
    }
    let focus = if tab.floats_hidden { float::show(tab) } else { float::hide(tab) };
    if let Some(pane) = focus {
        desk.out.tell(Happening::PaneFocused { pane });
    }
    desk.out.restructure();
    DONE
}

/// Verb `Arrange`: its tiled panes are laid out anew.
pub(crate) fn arrange(desk: &mut Desk<'_>, _: &Permit, ask: &Arrange) -> Answer {
    let Some(tab) = desk.tree.tab_mut(ask.tab) else { return Err(no_tab(ask.tab)) };
    tab.layout = arrange::arranged(&tab.layout, ask.how);
    tab.zoomed = None;
    desk.out.restructure();
    DONE
}

/// Verb `CloseTab`.
pub(crate) fn close_tab(desk: &mut Desk<'_>, _: &Permit, ask: &OnTab) -> Answer {
    if desk.tree.tab(ask.tab).is_none() {
        return Err(no_tab(ask.tab));
    }
    close_whole(desk, ask.tab);
    DONE
}

/// Verb `RenameTab`.
pub(crate) fn rename_tab(desk: &mut Desk<'_>, _: &Permit, ask: &RenameTab) -> Answer {
    let tab = desk.tree.tab_mut(ask.tab).ok_or_else(|| no_tab(ask.tab))?;
    tab.name = ask.name.as_deref().and_then(name);
    desk.out.restructure();
    DONE
}

/// Verb `MoveTab`.
pub(crate) fn move_tab(desk: &mut Desk<'_>, _: &Permit, ask: &MoveTab) -> Answer {
    if desk.tree.tab(ask.tab).is_none() {
        return Err(no_tab(ask.tab));
    }
    if desk.tree.move_tab(ask.tab, ask.by) {
        desk.out.restructure();
    }
    DONE
}

/// Verb `OpenWorkspace`: goes there, and makes it first where there is none.
pub(crate) fn open_workspace(desk: &mut Desk<'_>, permit: &Permit, ask: &OpenWorkspace) -> Answer {
    let asked = permit.asked();
    if ask.name.is_none() && ask.folder.is_none() {
        return Err(Refusal::bad_request("say which workspace: a name, a folder, or both"));
    }
    let known = match (&ask.name, &ask.folder) {
        (Some(name), _) => desk.tree.workspace_named(name),
        (None, folder) => {
            desk.tree.workspaces().iter().find(|workspace| Some(&workspace.folder) == folder.as_ref())
        }
    };
    if let Some(tab) = known.map(|workspace| desk.tree.recent_tab(workspace)) {
        views::go(desk, asked, tab);
        return DONE;
    }
    desk.out.passed_on = asked.env.clone();
    let opened = make_workspace(desk, ask.name.as_deref(), ask.folder.clone(), permit.opener())?;
    views::go(desk, asked, opened.tab);
    Ok(Reply::Now(Response::PaneOpened(opened)))
}

/// A workspace with a shell in its folder; the home folder unless given.
///
/// # Errors
///
/// `bad_request` for a name that shows nothing.
pub(crate) fn make_workspace(
    desk: &mut Desk<'_>,
    said: Option<&str>,
    folder: Option<String>,
    opener: Opener,
) -> Result<Opened, Refusal> {
    let named = match said {
        Some(said) => Some(name(said).ok_or_else(|| Refusal::bad_request("the name is empty: say another"))?),
        None => folder.as_deref().and_then(last_part),
    };
    let name = unique_workspace(desk.tree, &named.unwrap_or_else(|| "main".to_owned()), None);
    let folder = folder.filter(|folder| !folder.is_empty()).unwrap_or_else(|| desk.house.setup.home.clone());
    let new = NewPane { cwd: folder.clone(), opener, ..NewPane::default() };
    panes::open(desk, new, Spot::Workspace { name, folder })
}

/// Verb `RenameWorkspace`.
pub(crate) fn rename_workspace(desk: &mut Desk<'_>, _: &Permit, ask: &RenameWorkspace) -> Answer {
    let id = workspace_called(desk, &ask.workspace)?;
    let new = name(&ask.name).ok_or_else(|| Refusal::bad_request("the name is empty: say another"))?;
    if desk.tree.workspace(id).is_some_and(|workspace| workspace.name == new) {
        return DONE;
    }
    let new = unique_workspace(desk.tree, &new, Some(id));
    desk.tree.rename_workspace(id, new);
    let panes = desk.tree.tabs().filter(|(workspace, _)| workspace.id == id).flat_map(|(_, tab)| tab.panes());
    desk.out.touched.extend(panes);
    desk.out.restructure();
    DONE
}

/// Verb `CloseWorkspace`.
pub(crate) fn close_workspace(desk: &mut Desk<'_>, _: &Permit, ask: &CloseWorkspace) -> Answer {
    let id = workspace_called(desk, &ask.workspace)?;
    let tabs = desk.tree.tabs().filter(|(workspace, _)| workspace.id == id).map(|(_, tab)| tab.id);
    for tab in tabs.collect::<Vec<_>>() {
        close_whole(desk, tab);
    }
    DONE
}
