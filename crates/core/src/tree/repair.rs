//! A tree out of saved parts, whatever they hold: what does not fit together is left out, so that the
//! tree is whole again.
//!
//! Not here: the format of what is saved (`saved`), what became of the programs (`world`).

use std::collections::{BTreeMap, BTreeSet};

use kraal_api::layout::{Layout, Rect};
use kraal_api::model::{Tab, Workspace};
use kraal_api::{PaneId, TabId, WorkspaceId};

use super::{PaneState, Tree, float};

/// The parts of a tree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) workspaces: Vec<Workspace>,
    pub(crate) panes: BTreeMap<PaneId, PaneState>,
    pub(crate) recent: BTreeMap<WorkspaceId, TabId>,
    pub(crate) areas: BTreeMap<TabId, Rect>,
    pub(crate) looked_at: Option<TabId>,
    pub(crate) next: (u64, u64, u64),
}

/// A number above this one was never given: no session makes a thing each microsecond for centuries.
const NUMBER_MAX: u64 = 1 << 53;

impl Tree {
    pub(crate) fn of_parts(parts: Parts) -> Tree {
        let Parts { workspaces, mut panes, mut recent, mut areas, looked_at, next } = parts;
        panes.retain(|pane, _| pane.0 <= NUMBER_MAX);
        let mut seen = Seen::default();
        let workspaces: Vec<Workspace> = workspaces
            .into_iter()
            .filter_map(|workspace| whole_workspace(workspace, &panes, &mut seen))
            .collect();
        panes.retain(|pane, _| seen.panes.contains(pane));
        recent.retain(|workspace, tab| seen.workspaces.contains(workspace) && seen.tabs.contains(tab));
        areas.retain(|tab, _| seen.tabs.contains(tab));
        // A room begins at the origin and has a cell.
        areas.values_mut().for_each(|area| *area = Rect::sized(area.w.max(1), area.h.max(1)));
        let above = |known: Option<u64>, next: u64| next.min(NUMBER_MAX).max(known.unwrap_or(0) + 1);
        let next = (
            above(seen.panes.last().map(|id| id.0), next.0),
            above(seen.tabs.last().map(|id| id.0), next.1),
            above(seen.workspaces.last().map(|id| id.0), next.2),
        );
        let looked_at = looked_at.filter(|tab| seen.tabs.contains(tab));
        Tree { workspaces, panes, recent, areas, looked_at, next }
    }
}

/// What was placed already: nothing is placed twice.
#[derive(Default)]
struct Seen {
    panes: BTreeSet<PaneId>,
    tabs: BTreeSet<TabId>,
    workspaces: BTreeSet<WorkspaceId>,
    names: BTreeSet<String>,
}

fn whole_workspace(
    mut workspace: Workspace,
    panes: &BTreeMap<PaneId, PaneState>,
    seen: &mut Seen,
) -> Option<Workspace> {
    if workspace.id.0 > NUMBER_MAX || !seen.workspaces.insert(workspace.id) {
        return None;
    }
    workspace.tabs = workspace.tabs.into_iter().filter_map(|tab| whole_tab(tab, panes, seen)).collect();
    while !seen.names.insert(workspace.name.clone()) {
        workspace.name.push_str("-2");
    }
    (!workspace.tabs.is_empty()).then_some(workspace)
}

fn whole_tab(mut tab: Tab, panes: &BTreeMap<PaneId, PaneState>, seen: &mut Seen) -> Option<Tab> {
    if tab.id.0 > NUMBER_MAX || seen.tabs.contains(&tab.id) {
        return None;
    }
    let layout = whole_layout(tab.layout, panes, seen);
    tab.floating.retain(|float| panes.contains_key(&float.pane) && seen.panes.insert(float.pane));
    // Without a tile the topmost of those that float becomes one.
    tab.layout = layout.or_else(|| tab.floating.pop().map(|float| Layout::Pane(float.pane)))?;
    seen.tabs.insert(tab.id);
    if !tab.contains(tab.focus) || (tab.floats_hidden && tab.floats(tab.focus)) {
        tab.focus = float::tile(&tab)?;
    }
    tab.zoomed = tab.zoomed.filter(|zoomed| *zoomed == tab.focus);
    float::settle(&mut tab);
    Some(tab)
}

fn whole_layout(layout: Layout, panes: &BTreeMap<PaneId, PaneState>, seen: &mut Seen) -> Option<Layout> {
    match layout {
        Layout::Pane(pane) => (panes.contains_key(&pane) && seen.panes.insert(pane)).then_some(layout),
        Layout::Split { axis, children } => {
            let mut children: Vec<(u32, Layout)> = children
                .into_iter()
                .filter_map(|(weight, child)| Some((weight.max(1), whole_layout(child, panes, seen)?)))
                .collect();
            match children.len() {
                0 => None,
                1 => children.pop().map(|(_, child)| child),
                _ => Some(Layout::Split { axis, children }),
            }
        }
    }
}
