//! Draws the whole screen into a grid: tabs on top, the sidebar, panes in frames, the bar below.
//! While drawing it notes what can be clicked where.
//!
//! Not here: what lies over it (`layers`), how the grid reaches the terminal (`paint`).

mod bar;
mod panes;
mod sidebar;
mod tabs;

use kraal_api::layout::Rect;
use kraal_api::model::{AgentFacts, Branch, Pane, Workspace};
use kraal_api::state::Kind;
use kraal_api::{PaneId, State, TabId};

use crate::actions::Action;
use crate::areas::Areas;
use crate::grid::{At, Cell, Glyph, Grid, Pool, at};
use crate::keymap::{Bound, Keymap};
use crate::look::Look;
use crate::mirror::Mirror;
use crate::text;
use crate::theme::Theme;

pub(crate) use bar::Mood;

/// What a click meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// A tab.
    Tab(TabId),
    /// A workspace, by name.
    Workspace(String),
    /// A pane, by its row in a list.
    Pane(PaneId),
    /// Something that runs an action.
    Action(&'static Action),
    /// An entry of the menu.
    Menu(Bound),
    /// A row of the layer on top.
    Row(usize),
    /// The layer on top, where nothing is to be clicked.
    Layer,
}

/// Where drawing goes.
pub(crate) struct Canvas<'a> {
    /// The cells.
    pub(crate) grid: &'a mut Grid,
    /// The texts of cells.
    pub(crate) pool: &'a mut Pool,
    /// Looks and signs.
    pub(crate) theme: &'a Theme,
    /// What can be clicked; the last that holds a cell counts.
    pub(crate) hits: &'a mut Vec<(Rect, Hit)>,
}

impl Canvas<'_> {
    /// Writes a text; says where it ended.
    pub(crate) fn text(&mut self, from: At, text: &str, look: Look) -> u16 {
        self.grid.text(from, text, look, self.pool)
    }

    /// Writes a text so that it ends at the limit; says where it began.
    pub(crate) fn text_right(&mut self, from: At, text: &str, look: Look) -> u16 {
        let x = from.limit.saturating_sub(text::width(text)).max(from.x);
        self.text(At { x, ..from }, text, look);
        x
    }

    /// Shortens a text to so many cells.
    pub(crate) fn fit(&self, text: &str, cols: u16) -> String {
        text::fit(text, cols, self.theme.signs.more)
    }

    /// Notes what a click in a rectangle means.
    pub(crate) fn hit(&mut self, rect: Rect, hit: Hit) {
        if rect.w > 0 && rect.h > 0 {
            self.hits.push((rect, hit));
        }
    }

    /// Draws a frame with an empty inside, where there is room for one.
    pub(crate) fn frame(&mut self, rect: Rect, look: Look) {
        let signs = &self.theme.signs;
        let cell = |c| Cell { glyph: Glyph::narrow(c), look };
        if rect.w == 0 || rect.h == 0 {
            return;
        }
        let (right, bottom) = (rect.x + rect.w - 1, rect.y + rect.h - 1);
        if rect.h > 2 {
            self.grid.fill(Rect { h: 1, ..rect }, cell(signs.across));
            self.grid.fill(Rect { y: bottom, h: 1, ..rect }, cell(signs.across));
        }
        if rect.w > 2 {
            self.grid.fill(Rect { w: 1, ..rect }, cell(signs.upright));
            self.grid.fill(Rect { x: right, w: 1, ..rect }, cell(signs.upright));
        }
        if rect.w > 2 && rect.h > 2 {
            let places = [(rect.x, rect.y), (right, rect.y), (rect.x, bottom), (right, bottom)];
            for ((x, y), corner) in places.into_iter().zip(signs.corners) {
                self.grid.put(x, y, u16::MAX, cell(corner));
            }
        }
    }

    /// Draws a box for something that lies over the panes, with a title; says what is inside it.
    pub(crate) fn panel(&mut self, rect: Rect, title: &str) -> Rect {
        self.grid.fill(rect, Cell::BLANK);
        self.frame(rect, self.theme.looks.focus);
        self.hit(rect, Hit::Layer);
        if rect.h > 2 && rect.w > 6 && !title.is_empty() {
            let title = format!(" {} ", self.fit(title, rect.w - 6));
            self.text(at(rect.x + 2, rect.y, rect.x + rect.w - 2), &title, self.theme.looks.focus_name);
        }
        let inner = rect.inside_frame();
        let side = u16::from(inner.w > 10);
        Rect { x: inner.x + side, w: inner.w - 2 * side, ..inner }
    }
}

/// What is drawn.
pub(crate) struct Scene<'a> {
    /// The facts.
    pub(crate) mirror: &'a Mirror,
    /// The bindings, which the bar names.
    pub(crate) keymap: &'a Keymap,
    /// Where things are.
    pub(crate) areas: Areas,
    /// What the bar says.
    pub(crate) mood: Mood,
}

/// Draws everything but the layers.
pub(crate) fn all(scene: &Scene<'_>, canvas: &mut Canvas<'_>) {
    canvas.grid.clear();
    canvas.hits.clear();
    tabs::draw(scene, canvas);
    sidebar::draw(scene, canvas);
    panes::draw(scene, canvas);
    bar::draw(scene, canvas);
}

/// Draws only the rows of panes that changed since the last time.
pub(crate) fn changed_rows(scene: &Scene<'_>, grid: &mut Grid) {
    panes::changed_rows(scene, grid);
}

/// `blocked · permission`, `working?` while it is not certain.
pub(crate) fn state_words(agent: &AgentFacts, theme: &Theme) -> String {
    let mut words = agent.verdict.state.word().to_owned();
    if let Some(kind) = agent.verdict.kind {
        words = format!("{words} {} {}", theme.signs.dot, kind_word(kind));
    }
    if !agent.verdict.certain {
        words.push('?');
    }
    words
}

/// The short form, for where there is little room.
pub(crate) fn state_word(agent: &AgentFacts) -> String {
    let mark = if agent.verdict.certain { "" } else { "?" };
    format!("{}{mark}", agent.verdict.state.word())
}

pub(crate) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Permission => "permission",
        Kind::Question => "question",
        Kind::Login => "login",
        Kind::Limit => "usage limit",
        Kind::Error => "error",
        Kind::Background => "in the background",
    }
}

/// `⎇ main*? ↑2`
pub(crate) fn branch_words(branch: &Branch, theme: &Theme) -> String {
    let mut words = format!("{}{}", theme.signs.branch, text::clean(&branch.name));
    if branch.changed {
        words.push('*');
    }
    if branch.untracked {
        words.push('?');
    }
    if branch.ahead > 0 {
        words = format!("{words} {}{}", theme.signs.ahead, branch.ahead);
    }
    words
}

/// What to call a pane, cleaned.
pub(crate) fn called(pane: &Pane) -> String {
    text::clean(&pane.called())
}

/// What to call a tab: its name, or that of the pane in it that has the focus.
pub(crate) fn tab_called(tab: &kraal_api::model::Tab, mirror: &Mirror) -> String {
    match &tab.name {
        Some(name) => text::clean(name),
        None => mirror.model().pane(tab.focus).map(called).unwrap_or_default(),
    }
}

/// The most urgent agent among panes: its state and whether that is certain.
pub(crate) fn most_urgent(panes: impl Iterator<Item = PaneId>, mirror: &Mirror) -> Option<(State, bool)> {
    panes
        .filter_map(|pane| mirror.model().pane(pane)?.agent.as_ref())
        .min_by_key(|agent| (agent.verdict.state.urgency(), !agent.verdict.certain))
        .map(|agent| (agent.verdict.state, agent.verdict.certain))
}

/// The panes of a workspace.
pub(crate) fn panes_of(workspace: &Workspace) -> impl Iterator<Item = PaneId> {
    workspace.tabs.iter().flat_map(|tab| tab.panes())
}

/// Every pane with an agent, in the order of workspaces and tabs.
pub(crate) fn agents(mirror: &Mirror) -> Vec<(&Workspace, &Pane, &AgentFacts)> {
    let model = mirror.model();
    model
        .workspaces
        .iter()
        .flat_map(|w| panes_of(w).map(move |pane| (w, pane)))
        .filter_map(|(w, pane)| {
            let pane = model.pane(pane)?;
            Some((w, pane, pane.agent.as_ref()?))
        })
        .collect()
}
