//! Where a new pane goes: what the caller says, else where there is room.
//!
//! Not here: splitting itself (`tree::layout`).

use kraal_api::layout::Axis;
use kraal_api::panes::{Opening, Place};
use kraal_api::{PaneId, Refusal, WorkspaceId};

use crate::desk::Desk;
use crate::rights::Permit;
use crate::tree::{Tree, layout, names};
use crate::views;
use crate::words;

/// A place for a new pane.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spot {
    /// After another pane, along an axis.
    Beside(PaneId, Axis),
    /// Over the tiled panes of another pane's tab.
    Floating(PaneId),
    /// In a tab of its own, with this name.
    Tab(WorkspaceId, Option<String>),
    /// In a workspace of its own.
    Workspace { name: String, folder: String },
    /// Instead of another pane.
    Instead(PaneId),
}

/// What a new pane is opened from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    /// A pane.
    Pane(PaneId),
    /// None: a workspace of this name is made.
    NewWorkspace(Option<String>),
}

/// The pane that an opening is from.
///
/// # Errors
///
/// `bad_request` for a pane and a workspace that do not go together.
pub(crate) fn origin(desk: &Desk<'_>, permit: &Permit, opening: &Opening) -> Result<Origin, Refusal> {
    let tree = &*desk.tree;
    let asked = permit.asked();
    let focus = |tab| tree.tab(tab).map(|(_, tab)| tab.focus);
    let own = asked.caller.pane().filter(|pane| tree.pane(*pane).is_some());
    let near = permit
        .named_pane()
        .or(own)
        .or_else(|| {
            asked.caller.group(tree).filter(|_| desk.clients.get(asked.conn).is_none()).and_then(|group| {
                let workspace = tree.workspace(group)?;
                focus(tree.recent_tab(workspace))
            })
        })
        .or_else(|| views::on_screen(tree, desk.clients, asked).and_then(focus));
    let Some(name) = &opening.workspace else {
        return Ok(near.map_or(Origin::NewWorkspace(None), Origin::Pane));
    };
    let Some(workspace) = tree.workspace_named(name) else {
        return match permit.named_pane() {
            Some(_) => Err(apart(name)),
            None => Ok(Origin::NewWorkspace(Some(name.clone()))),
        };
    };
    let lies_there = |pane: &PaneId| tree.place(*pane).is_some_and(|(own, _)| own.id == workspace.id);
    match near.filter(lies_there) {
        Some(near) => Ok(Origin::Pane(near)),
        None if permit.named_pane().is_some() => Err(apart(name)),
        None => Ok(focus(tree.recent_tab(workspace)).map_or(Origin::NewWorkspace(None), Origin::Pane)),
    }
}

fn apart(workspace: &str) -> Refusal {
    let workspace = words::line(workspace);
    Refusal::bad_request(format!(
        "the pane to open from is not in the workspace {workspace}: name one of the two"
    ))
}

/// The spot beside, below, instead of a pane, or in a tab of its own.
///
/// # Errors
///
/// `failed` when there is no room where the caller insists, `busy` when the pane to replace runs.
pub(crate) fn spot(tree: &Tree, from: PaneId, place: Place) -> Result<Spot, Refusal> {
    let gone = || Refusal::not_found(format!("there is no pane {from}: `kraal panes` lists them"));
    let (workspace, tab) = tree.place(from).ok_or_else(gone)?;
    let rect = tree.rect(from).ok_or_else(gone)?;
    // Beside one that floats there is as much room as the tiles have.
    let rect = match tab.layout.panes().last() {
        Some(last) if tab.floats(from) => tree.rect(*last).ok_or_else(gone)?,
        _ => rect,
    };
    let along = |axis, side: &str| match layout::divisible(rect, axis) {
        true => Ok(Spot::Beside(from, axis)),
        false => {
            Err(Refusal::failed(format!("there is no room {side} pane {from}: open it in a tab of its own")))
        }
    };
    match place {
        Place::Right => along(Axis::Row, "right of"),
        Place::Down => along(Axis::Column, "below"),
        Place::Tab => Ok(Spot::Tab(workspace.id, None)),
        Place::Floating => Ok(Spot::Floating(from)),
        Place::Here if tree.pane(from).is_some_and(|pane| pane.lives()) => {
            Err(Refusal::busy(format!("the program of pane {from} still runs: close it, or open beside it")))
        }
        Place::Here => Ok(Spot::Instead(from)),
        Place::Auto => {
            let here = layout::auto_axis(rect).map(|axis| Spot::Beside(from, axis));
            let roomiest = || {
                let rects = tab.layout.solve(tree.area(tab.id));
                let roomy =
                    rects.into_iter().filter_map(|(pane, rect)| Some((pane, rect, layout::auto_axis(rect)?)));
                let largest = roomy.max_by_key(|(_, rect, _)| u32::from(rect.w) * u32::from(rect.h));
                largest.map(|(pane, _, axis)| Spot::Beside(pane, axis))
            };
            Ok(here.or_else(roomiest).unwrap_or(Spot::Tab(workspace.id, None)))
        }
    }
}

/// A new workspace's spot: named as asked, else by its folder, and never like another.
pub(crate) fn new_workspace(tree: &Tree, name: Option<&str>, folder: String) -> Spot {
    let name =
        name.and_then(words::name).or_else(|| words::last_part(&folder)).unwrap_or_else(|| "main".to_owned());
    Spot::Workspace { name: names::unique_workspace(tree, &name, None), folder }
}
