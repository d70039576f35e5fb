//! The tree: workspaces, their tabs, the panes in them, and the moves that keep it whole. Every pane
//! lies in exactly one layout, a tab's focus lies in its layout, nothing is empty.
//!
//! Not here: who may ask for a move (`rights`), what is told about it (`panes`, `sessions`).

pub(crate) mod arrange;
pub(crate) mod float;
pub(crate) mod layout;
pub(crate) mod names;
mod pane;
pub(crate) mod repair;

use std::collections::BTreeMap;

use kraal_api::layout::{Axis, Rect};
use kraal_api::model::{Model, Tab, Workspace};
use kraal_api::{PaneId, TabId, WorkspaceId};

pub(crate) use pane::{Asker, Opener, PaneState, Unwanted};

/// The room for panes before any client said its own: 80 by 24 with a line above and below.
pub(crate) const AREA_DEFAULT: Rect = Rect { x: 0, y: 0, w: 80, h: 22 };

/// All workspaces and panes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tree {
    workspaces: Vec<Workspace>,
    panes: BTreeMap<PaneId, PaneState>,
    /// The tab each workspace showed last.
    pub(crate) recent: BTreeMap<WorkspaceId, TabId>,
    /// The room each tab is laid out in.
    pub(crate) areas: BTreeMap<TabId, Rect>,
    /// The tab that was looked at last.
    pub(crate) looked_at: Option<TabId>,
    /// The next pane, tab and workspace.
    next: (u64, u64, u64),
}

/// What taking a pane out of its tab left behind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Removed {
    pub(crate) tab: TabId,
    /// The pane that took the focus over.
    pub(crate) focus: Option<PaneId>,
    /// The tab closed: what a client that showed it shows now.
    pub(crate) closed: Option<Closed>,
}

/// A tab that closed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Closed {
    /// None when nothing is left at all.
    pub(crate) neighbour: Option<TabId>,
    /// The workspace that closed with it.
    pub(crate) workspace: Option<String>,
}

impl Default for Tree {
    fn default() -> Self {
        Tree {
            workspaces: Vec::new(),
            panes: BTreeMap::new(),
            recent: BTreeMap::new(),
            areas: BTreeMap::new(),
            looked_at: None,
            next: (1, 1, 1),
        }
    }
}

impl Tree {
    pub(crate) fn workspaces(&self) -> &[Workspace] {
        &self.workspaces
    }

    pub(crate) fn panes(&self) -> impl Iterator<Item = &PaneState> {
        self.panes.values()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.workspaces.is_empty()
    }

    pub(crate) fn next(&self) -> (u64, u64, u64) {
        self.next
    }

    pub(crate) fn model(&self, environment: &str) -> Model {
        Model {
            environment: environment.to_owned(),
            workspaces: self.workspaces.clone(),
            panes: self.panes.values().map(|pane| pane.facts.clone()).collect(),
        }
    }

    pub(crate) fn pane(&self, id: PaneId) -> Option<&PaneState> {
        self.panes.get(&id)
    }

    pub(crate) fn pane_mut(&mut self, id: PaneId) -> Option<&mut PaneState> {
        self.panes.get_mut(&id)
    }

    /// The tab a pane lies in, with its workspace.
    pub(crate) fn place(&self, pane: PaneId) -> Option<(&Workspace, &Tab)> {
        self.tabs().find(|(_, tab)| tab.contains(pane))
    }

    /// Every tab with its workspace, in the order they are listed.
    pub(crate) fn tabs(&self) -> impl Iterator<Item = (&Workspace, &Tab)> {
        self.workspaces.iter().flat_map(|workspace| workspace.tabs.iter().map(move |tab| (workspace, tab)))
    }

    pub(crate) fn tab(&self, id: TabId) -> Option<(&Workspace, &Tab)> {
        self.tabs().find(|(_, tab)| tab.id == id)
    }

    pub(crate) fn tab_mut(&mut self, id: TabId) -> Option<&mut Tab> {
        self.workspaces.iter_mut().flat_map(|workspace| &mut workspace.tabs).find(|tab| tab.id == id)
    }

    pub(crate) fn workspace(&self, id: WorkspaceId) -> Option<&Workspace> {
        self.workspaces.iter().find(|workspace| workspace.id == id)
    }

    pub(crate) fn workspace_mut(&mut self, id: WorkspaceId) -> Option<&mut Workspace> {
        self.workspaces.iter_mut().find(|workspace| workspace.id == id)
    }

    pub(crate) fn workspace_named(&self, name: &str) -> Option<&Workspace> {
        self.workspaces.iter().find(|workspace| workspace.name == name)
    }

    /// The workspace whose folder holds this one; the deepest when several do.
    pub(crate) fn workspace_around(&self, folder: &str) -> Option<&Workspace> {
        let holds = |workspace: &&Workspace| {
            let root = workspace.folder.trim_end_matches('/');
            folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.workspaces
            .iter()
            .filter(holds)
            .max_by_key(|workspace| workspace.folder.trim_end_matches('/').len())
    }

    /// The tab a workspace showed last, else its first.
    pub(crate) fn recent_tab(&self, workspace: &Workspace) -> TabId {
        let recent = self.recent.get(&workspace.id);
        let known = workspace.tabs.iter().find(|tab| Some(&tab.id) == recent);
        known.or_else(|| workspace.tabs.first()).expect("no workspace is empty").id
    }

    /// The tab to show to somebody who asks for none.
    pub(crate) fn last_tab(&self) -> Option<TabId> {
        let looked_at = self.looked_at.filter(|tab| self.tab(*tab).is_some());
        // One that is being made has no tab yet.
        let made = || self.workspaces.iter().find(|workspace| !workspace.tabs.is_empty());
        looked_at.or_else(|| made().map(|workspace| self.recent_tab(workspace)))
    }

    /// Every pane in workspace, tab, pane order.
    pub(crate) fn in_order(&self) -> Vec<PaneId> {
        self.tabs().flat_map(|(_, tab)| tab.panes()).collect()
    }

    pub(crate) fn area(&self, tab: TabId) -> Rect {
        self.areas.get(&tab).copied().unwrap_or(AREA_DEFAULT)
    }

    /// The rectangle of a pane in its tab, as it is tiled or floats.
    pub(crate) fn rect(&self, pane: PaneId) -> Option<Rect> {
        let (_, tab) = self.place(pane)?;
        tab.solve(self.area(tab.id)).into_iter().find(|(id, _)| *id == pane).map(|(_, rect)| rect)
    }

    pub(crate) fn new_pane_id(&mut self) -> PaneId {
        self.next.0 += 1;
        PaneId(self.next.0 - 1)
    }

    /// A pane came with a number of its own: later ones get higher ones.
    pub(crate) fn number_above(&mut self, pane: PaneId) {
        self.next.0 = self.next.0.max(pane.0.saturating_add(1));
    }

    /// A workspace with a tab with this pane.
    pub(crate) fn add_workspace(
        &mut self,
        name: String,
        folder: String,
        pane: PaneState,
    ) -> (WorkspaceId, TabId) {
        let id = WorkspaceId(self.next.2);
        self.next.2 += 1;
        self.workspaces.push(Workspace { id, name, folder, tabs: Vec::new() });
        let tab = self.add_tab(id, None, pane).expect("the workspace was just made");
        (id, tab)
    }

    /// A tab with this pane; None when there is no such workspace.
    pub(crate) fn add_tab(
        &mut self,
        workspace: WorkspaceId,
        name: Option<String>,
        pane: PaneState,
    ) -> Option<TabId> {
        let focus = pane.facts.id;
        let id = self.add_tab_for(workspace, name, focus)?;
        self.panes.insert(focus, pane);
        Some(id)
    }

    fn add_tab_for(&mut self, workspace: WorkspaceId, name: Option<String>, focus: PaneId) -> Option<TabId> {
        let id = TabId(self.next.1);
        let area = self.last_tab().map(|tab| self.area(tab));
        let tab = Tab::of_pane(id, name, focus);
        self.workspace_mut(workspace)?.tabs.push(tab);
        self.next.1 += 1;
        self.areas.extend(area.map(|area| (id, area)));
        Some(id)
    }

    /// Puts a new pane beside another; None when that one is not there.
    pub(crate) fn add_beside(&mut self, at: PaneId, axis: Axis, pane: PaneState) -> Option<TabId> {
        let tab = self.place(at)?.1.id;
        float::put_beside(self.tab_mut(tab)?, at, axis, pane.facts.id);
        self.panes.insert(pane.facts.id, pane);
        Some(tab)
    }

    /// Puts a new pane over the tiled ones of another's tab; None when that one is not there.
    pub(crate) fn add_floating(&mut self, at: PaneId, pane: PaneState) -> Option<TabId> {
        let tab = self.place(at)?.1.id;
        float::add(self.tab_mut(tab)?, pane.facts.id);
        self.panes.insert(pane.facts.id, pane);
        Some(tab)
    }

    /// Puts a new pane where another is, which goes; None when that one is not there.
    pub(crate) fn replace(&mut self, old: PaneId, pane: PaneState) -> Option<TabId> {
        let id = self.place(old)?.1.id;
        let new = pane.facts.id;
        let renumbered = |pane| if pane == old { new } else { pane };
        let tab = self.tab_mut(id)?;
        float::renumber(tab, &renumbered);
        tab.focus = renumbered(tab.focus);
        tab.zoomed = tab.zoomed.map(renumbered);
        self.panes.remove(&old);
        self.panes.insert(new, pane);
        Some(id)
    }

    /// Takes a pane out of its tab, and the tab and the workspace when they are empty then. The pane
    /// itself is forgotten.
    pub(crate) fn remove(&mut self, pane: PaneId) -> Option<Removed> {
        let removed = self.take_out(pane)?;
        self.panes.remove(&pane);
        Some(removed)
    }

    fn take_out(&mut self, pane: PaneId) -> Option<Removed> {
        let id = self.place(pane)?.1.id;
        let tab = self.tab_mut(id)?;
        match float::take_out(tab, pane) {
            Some(focus) => Some(Removed { tab: id, focus, closed: None }),
            None => Some(Removed { tab: id, focus: None, closed: Some(self.close_tab(id)?) }),
        }
    }

    /// Takes an emptied tab out.
    fn close_tab(&mut self, id: TabId) -> Option<Closed> {
        let at =
            self.workspaces.iter().position(|workspace| workspace.tabs.iter().any(|tab| tab.id == id))?;
        let workspace = &mut self.workspaces[at];
        let index = workspace.tabs.iter().position(|tab| tab.id == id)?;
        workspace.tabs.remove(index);
        self.areas.remove(&id);
        let beside = workspace.tabs.get(index.saturating_sub(1)).map(|tab| tab.id);
        if self.recent.get(&workspace.id) == Some(&id) {
            self.recent.remove(&workspace.id);
            self.recent.extend(beside.map(|tab| (workspace.id, tab)));
        }
        let closed = match beside {
            Some(tab) => Closed { neighbour: Some(tab), workspace: None },
            None => {
                let gone = self.workspaces.remove(at);
                let next = self.workspaces.get(at.saturating_sub(1));
                Closed { neighbour: next.map(|next| self.recent_tab(next)), workspace: Some(gone.name) }
            }
        };
        if self.looked_at == Some(id) {
            self.looked_at = closed.neighbour;
        }
        Some(closed)
    }

    /// Moves a pane beside another one, of another tab or its own.
    pub(crate) fn move_beside(&mut self, pane: PaneId, at: PaneId, axis: Axis) -> Option<Removed> {
        if pane == at || self.place(at).is_none() {
            return None;
        }
        let removed = self.take_out(pane)?;
        let tab = self.place(at)?.1.id;
        float::put_beside(self.tab_mut(tab)?, at, axis, pane);
        Some(removed)
    }

    /// Moves a pane to a new tab of its workspace; None when it has one to itself already.
    pub(crate) fn move_to_tab(&mut self, pane: PaneId) -> Option<(Removed, TabId)> {
        let (workspace, tab) = self.place(pane)?;
        if tab.panes() == [pane] {
            return None;
        }
        let workspace = workspace.id;
        let removed = self.take_out(pane)?;
        let tab = self.add_tab_for(workspace, None, pane)?;
        Some((removed, tab))
    }

    /// Two panes change places. Within a tab the focus goes with its pane; between tabs each tab keeps
    /// its own.
    pub(crate) fn swap(&mut self, one: PaneId, other: PaneId) {
        let exchanged = |pane| match pane {
            _ if pane == one => other,
            _ if pane == other => one,
            _ => pane,
        };
        for tab in self.workspaces.iter_mut().flat_map(|workspace| &mut workspace.tabs) {
            if tab.contains(one) && tab.contains(other) {
                float::swap(tab, &exchanged);
                return;
            }
            float::renumber(tab, &exchanged);
            tab.focus = exchanged(tab.focus);
            tab.zoomed = tab.zoomed.map(exchanged);
        }
    }

    /// Moves a tab by that many places in its workspace. False when it stays.
    pub(crate) fn move_tab(&mut self, id: TabId, by: i32) -> bool {
        for workspace in &mut self.workspaces {
            let Some(from) = workspace.tabs.iter().position(|tab| tab.id == id) else { continue };
            let last = workspace.tabs.len() as i64 - 1;
            let to = (from as i64 + i64::from(by)).clamp(0, last) as usize;
            let tab = workspace.tabs.remove(from);
            workspace.tabs.insert(to, tab);
            return from != to;
        }
        false
    }

    pub(crate) fn rename_workspace(&mut self, id: WorkspaceId, name: String) {
        if let Some(workspace) = self.workspace_mut(id) {
            workspace.name = name;
        }
    }
}
