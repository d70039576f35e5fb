//! Opening a pane: the verb `Run`, and the one way in which a pane comes to be.
//!
//! Not here: where it goes (`spot`), which command an agent has (`agents`).

use std::collections::BTreeMap;

use kraal_api::events::Happening;
use kraal_api::model::{Pane, Phase};
use kraal_api::panes::{AtEnd, Attention, Opened, Opening, Run};
use kraal_api::{PaneId, Refusal, Response};

use super::spot::{self, Origin, Spot};
use super::verbs::pane_name;
use crate::desk::Desk;
use crate::effect::Effect;
use crate::house::House;
use crate::jobs::Before;
use crate::outbox::{Answer, Reply};
use crate::rights::{Permit, Reach};
use crate::tree::{Asker, Opener, PaneState, Unwanted};
use crate::views;

/// What a new pane is to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NewPane {
    /// The user's shell when empty.
    pub(crate) argv: Vec<String>,
    pub(crate) name: Option<String>,
    pub(crate) cwd: String,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) at_end: AtEnd,
    pub(crate) opener: Opener,
    /// The user lets the agent in it lead.
    pub(crate) lead: bool,
    /// What is done before its program.
    pub(crate) before: Option<Before>,
}

/// Verb `Run`.
pub(crate) fn run(desk: &mut Desk<'_>, permit: &Permit, ask: &Run) -> Answer {
    if ask.argv.first().is_some_and(String::is_empty) {
        return Err(Refusal::bad_request("the name of the program is empty: say what to run"));
    }
    let new = NewPane { argv: ask.argv.clone(), ..NewPane::default() };
    open_asked(desk, permit, new, &ask.opening)
}

/// Opens a pane as a caller asked for it.
pub(crate) fn open_asked(desk: &mut Desk<'_>, permit: &Permit, new: NewPane, opening: &Opening) -> Answer {
    let asked = permit.asked();
    let name = opening.name.as_deref().map(pane_name).transpose()?;
    let origin = spot::origin(desk, permit, opening)?;
    let cwd = folder(desk, permit, opening, &origin);
    let spot = match origin {
        Origin::Pane(from) => spot::spot(desk.tree, from, opening.place)?,
        Origin::NewWorkspace(name) => spot::new_workspace(desk.tree, name.as_deref(), cwd.clone()),
    };
    let new = NewPane {
        name,
        cwd,
        env: opening.env.clone(),
        at_end: opening.at_end,
        opener: permit.opener(),
        ..new
    };
    desk.out.passed_on = asked.env.clone();
    let instead = matches!(spot, Spot::Instead(_));
    let opened = open(desk, new, spot)?;
    // Who looks at the session sees why a program does not start; anybody else is told.
    let attached = desk.clients.get(asked.conn).is_some();
    if let Some(state) = desk.tree.pane_mut(opened.pane).filter(|_| !attached) {
        let unwanted = if instead { Unwanted::Kept } else { Unwanted::Closed };
        state.asked = Some(Asker { ticket: asked.ticket, opened: opened.clone(), unwanted });
    }
    if opening.attention == Attention::Focus && !matches!(permit.reach(), Reach::Quietly(_)) {
        views::take_focus(desk, opened.pane);
        if let Some(conn) = views::follower(desk.tree, desk.clients, asked) {
            desk.clients.show(conn, opened.tab);
        }
    }
    match attached {
        true => Ok(Reply::Now(Response::PaneOpened(opened))),
        false => Ok(Reply::Later),
    }
}

/// Where the program starts: as asked, else where the pane it opens from works.
fn folder(desk: &Desk<'_>, permit: &Permit, opening: &Opening, origin: &Origin) -> String {
    let home = || desk.house.setup.home.clone();
    let base = match origin {
        Origin::Pane(from) => desk.tree.pane(*from).map_or_else(home, |pane| pane.facts.cwd.clone()),
        Origin::NewWorkspace(_) => permit.asked().cwd.clone().unwrap_or_else(home),
    };
    match opening.cwd.as_deref() {
        None | Some("") => base,
        Some(absolute) if absolute.starts_with('/') => absolute.to_owned(),
        Some(relative) => {
            let base = permit.asked().cwd.clone().unwrap_or(base);
            format!("{}/{relative}", base.trim_end_matches('/'))
        }
    }
}

/// Makes a pane and starts its program.
///
/// # Errors
///
/// `not_found` when what the spot names is gone.
pub(crate) fn open(desk: &mut Desk<'_>, new: NewPane, spot: Spot) -> Result<Opened, Refusal> {
    let pane = desk.tree.new_pane_id();
    let argv = new.argv.clone();
    let state = state(desk.house, pane, new);
    let tab = match spot {
        Spot::Beside(at, axis) => desk.tree.add_beside(at, axis, state),
        Spot::Floating(at) => desk.tree.add_floating(at, state),
        Spot::Tab(workspace, name) => {
            let tab = desk.tree.add_tab(workspace, name, state);
            tab.inspect(|tab| tell_tab(desk, *tab))
        }
        Spot::Workspace { name, folder } => {
            let (_, tab) = desk.tree.add_workspace(name.clone(), folder.clone(), state);
            desk.out.tell(Happening::WorkspaceOpened { workspace: name, folder });
            tell_tab(desk, tab);
            Some(tab)
        }
        Spot::Instead(old) => replace(desk, old, state),
    };
    let tab = tab.ok_or_else(|| Refusal::not_found("the place for the new pane is gone: ask again"))?;
    let workspace = desk.tree.tab(tab).map_or_else(String::new, |(workspace, _)| workspace.name.clone());
    desk.out.tell(Happening::PaneOpened { pane, tab, workspace, argv });
    desk.out.starts.insert(pane);
    desk.out.touched.insert(pane);
    desk.out.restructure();
    Ok(Opened { pane, tab })
}

fn state(house: &mut House, pane: PaneId, new: NewPane) -> PaneState {
    let facts = Pane {
        id: pane,
        name: new.name,
        title: String::new(),
        argv: new.argv,
        cwd: new.cwd,
        phase: Phase::Starting,
        branch: None,
        agent: None,
        progress: None,
    };
    PaneState {
        launches_agent: house.launches_agent(&facts.argv),
        facts,
        token: house.token(),
        pid: None,
        size: (1, 1),
        opener: new.opener,
        at_end: new.at_end,
        env: new.env,
        lead: new.lead,
        busy: None,
        run: None,
        asked: None,
        was_shell: false,
        before: new.before,
        rang_at: 0,
    }
}

fn tell_tab(desk: &mut Desk<'_>, tab: kraal_api::TabId) {
    let workspace = desk.tree.tab(tab).map_or_else(String::new, |(workspace, _)| workspace.name.clone());
    desk.out.tell(Happening::TabOpened { tab, workspace });
}

fn replace(desk: &mut Desk<'_>, old: PaneId, state: PaneState) -> Option<kraal_api::TabId> {
    let tab = desk.tree.replace(old, state)?;
    desk.out.act(Effect::Drop { pane: old });
    desk.out.tell(Happening::PaneClosed { pane: old });
    desk.out.touched.insert(old);
    Some(tab)
}
