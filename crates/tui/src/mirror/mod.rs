//! The mirror of facts: the model, which tab is shown, and the screens of its panes, as the server
//! told them. Beside the facts stands what this client asked and expects to become one: the tab and
//! the pane it went to, so that a key typed right after goes where the user looks.
//!
//! Not here: what is drawn of it (`draw`), the asking (`client`).

mod screen;

use std::collections::HashMap;

use kraal_api::model::{Model, Pane, Tab, Workspace};
use kraal_api::screen::{Head, Malformed, read};
use kraal_api::{PaneId, TabId};

use crate::grid::{Grid, Pool};

pub(crate) use screen::Screen;

/// What the server told.
#[derive(Debug, Default)]
pub(crate) struct Mirror {
    model: Model,
    view: Option<TabId>,
    screens: HashMap<PaneId, Screen>,
    going: Option<Going>,
}

/// Where this client asked to go, until the facts say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Going {
    pane: PaneId,
    /// The request; none once it was answered.
    ask: Option<u64>,
}

impl Mirror {
    /// All facts.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// Takes new facts; screens of panes that are gone are forgotten.
    pub(crate) fn facts(&mut self, model: Model) {
        self.model = model;
        let model = &self.model;
        self.screens.retain(|pane, _| model.pane(*pane).is_some());
        if self.view.is_some_and(|tab| model.tab(tab).is_none()) {
            self.view = None;
        }
        if let Some(going) = self.going {
            let there = model.place(going.pane).map(|(_, tab)| tab.focus == going.pane);
            // Facts that follow the answer are the truth, whatever was expected.
            if there != Some(false) || going.ask.is_none() {
                self.going = None;
            }
        }
    }

    /// Takes new facts of one pane.
    pub(crate) fn pane_facts(&mut self, pane: Pane) {
        match self.model.panes.iter_mut().find(|p| p.id == pane.id) {
            Some(known) => *known = pane,
            None => self.model.panes.push(pane),
        }
    }

    /// The server shows this client a tab, or will: which pane of it has the focus, the facts say.
    pub(crate) fn view(&mut self, tab: TabId) {
        self.view = Some(tab);
    }

    /// Takes a screen frame; says which pane it was of. Texts of its cells go to the pool.
    ///
    /// # Errors
    ///
    /// When the bytes are no screen frame.
    pub(crate) fn screen_frame(&mut self, payload: &[u8], pool: &mut Pool) -> Result<PaneId, Malformed> {
        let id = payload.first_chunk::<8>().ok_or(Malformed)?;
        let pane = PaneId(u64::from_le_bytes(*id));
        let screen = self.screens.entry(pane).or_default();
        read(payload, &mut screen::Apply { screen, pool, at: (0, 0) })?;
        Ok(pane)
    }

    /// The connection is gone: what is shown stays, what was expected will not come.
    pub(crate) fn lost(&mut self) {
        self.going = None;
    }

    /// The screen of a pane, as far as it came.
    pub(crate) fn screen(&self, pane: PaneId) -> Option<&Screen> {
        self.screens.get(&pane)
    }

    /// The head of a pane's screen.
    pub(crate) fn head(&self, pane: PaneId) -> Head {
        self.screens.get(&pane).map(|s| s.head).unwrap_or_default()
    }

    /// Calls every row of every screen drawn.
    pub(crate) fn settle(&mut self) {
        self.screens.values_mut().for_each(|screen| screen.grid.settle());
    }

    /// The tab that is shown, with its workspace.
    pub(crate) fn tab(&self) -> Option<(&Workspace, &Tab)> {
        match self.view {
            Some(tab) => self.model.tab(tab),
            None => self.model.workspaces.iter().find_map(|w| w.tabs.first().map(|t| (w, t))),
        }
    }

    /// The shown tab's number as the server said it.
    pub(crate) fn tab_id(&self) -> Option<TabId> {
        self.view
    }

    /// The pane that keys go to.
    pub(crate) fn focus(&self) -> Option<PaneId> {
        let (_, tab) = self.tab()?;
        match self.going {
            Some(going) if tab.contains(going.pane) => Some(going.pane),
            _ => Some(tab.focus),
        }
    }

    /// The facts of the pane that keys go to.
    pub(crate) fn focused(&self) -> Option<&Pane> {
        self.model.pane(self.focus()?)
    }

    /// The pane that fills the shown tab.
    pub(crate) fn zoomed(&self) -> Option<PaneId> {
        let (_, tab) = self.tab()?;
        tab.zoomed
    }

    /// This client asked to go to a pane: from now on keys go there.
    pub(crate) fn go_to(&mut self, pane: PaneId, ask: u64) {
        if let Some((_, tab)) = self.model.place(pane) {
            self.view = Some(tab.id);
        }
        self.going = Some(Going { pane, ask: Some(ask) });
    }

    /// A request was answered, well or not.
    pub(crate) fn answered(&mut self, ask: u64, well: bool) {
        if let Some(going) = &mut self.going
            && going.ask == Some(ask)
        {
            going.ask = None;
            if !well {
                self.going = None;
            }
        }
        let there = self.going.and_then(|g| Some(self.model.place(g.pane)?.1.focus == g.pane));
        if there == Some(true) && self.going.is_some_and(|g| g.ask.is_none()) {
            self.going = None;
        }
    }

    /// The cells of every screen, for moving them to another pool.
    pub(crate) fn grids(&mut self) -> impl Iterator<Item = &mut Grid> {
        self.screens.values_mut().map(|screen| &mut screen.grid)
    }
}

#[cfg(test)]
mod tests;
