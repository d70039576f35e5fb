//! The floating panes of a tab: over the tiled ones, moved and sized, raised and hidden. Beside the
//! layout's own operations, these keep a tab whole that has both: at least one pane is tiled, and what
//! has the focus is in sight.
//!
//! Not here: the tree of tiled panes (`layout`), how a floating pane gets its rectangle
//! (`kraal_api::layout`).

use kraal_api::PaneId;
use kraal_api::layout::{Axis, Floating, Layout, Rect, WHOLE};
use kraal_api::model::Tab;

use super::layout;

/// Where the first one floats; each further one a little lower and to the right.
const FIRST: (u16, u16) = (180, 160);
/// How far.
const STEP: u16 = 30;
/// How many steps before it begins anew.
const STEPS: u16 = 6;
/// Width and height of a new one.
const SIZE: (u16, u16) = (620, 620);

/// Lets a new pane float, above all others and in sight.
pub(crate) fn add(tab: &mut Tab, pane: PaneId) {
    let step = STEP * (tab.floating.len() as u16 % STEPS);
    let (x, y) = (FIRST.0 + step, FIRST.1 + step);
    tab.floating.push(Floating { pane, x, y, w: SIZE.0, h: SIZE.1 });
    tab.floats_hidden = false;
}

/// Puts a pane after another that is tiled; beside a floating one it is tiled after the last tile.
pub(crate) fn put_beside(tab: &mut Tab, at: PaneId, axis: Axis, new: PaneId) {
    let tiles = tab.layout.panes();
    let at = if tab.layout.contains(at) { Some(at) } else { tiles.last().copied() };
    if let Some(at) = at {
        layout::split(&mut tab.layout, at, axis, new);
    }
}

/// Takes a pane out and gives its focus on; the pane that gets it is the answer's second half. None
/// when it was the only one.
pub(crate) fn take_out(tab: &mut Tab, pane: PaneId) -> Option<Option<PaneId>> {
    let heir = if let Some(at) = tab.floating.iter().position(|float| float.pane == pane) {
        tab.floating.remove(at);
        let above = tab.floating.last().filter(|_| !tab.floats_hidden).map(|float| float.pane);
        above.or_else(|| tile(tab))?
    } else if tab.layout == Layout::Pane(pane) {
        // The last tile goes: the topmost of those that float takes its room.
        let heir = tab.floating.pop()?.pane;
        tab.layout = Layout::Pane(heir);
        heir
    } else {
        layout::remove(&mut tab.layout, pane)?
    };
    tab.came_from = tab.came_from.map(|tile| if tile == pane { heir } else { tile });
    tab.zoomed = tab.zoomed.filter(|zoomed| *zoomed != pane);
    let passed_on = (tab.focus == pane).then_some(heir);
    focus(tab, passed_on.unwrap_or(tab.focus));
    Some(passed_on)
}

/// Gives a pane of the tab the focus. What fills the tab is what keys go to: another one makes way.
pub(crate) fn focus(tab: &mut Tab, pane: PaneId) {
    if tab.layout.contains(tab.focus) {
        tab.came_from = Some(tab.focus);
    }
    tab.focus = pane;
    tab.zoomed = tab.zoomed.filter(|zoomed| *zoomed == pane);
    settle(tab);
}

/// Only what floats can be hidden, and only a floating pane's focus goes back to a tile.
pub(crate) fn settle(tab: &mut Tab) {
    tab.floats_hidden &= !tab.floating.is_empty();
    let floats = tab.floats(tab.focus);
    tab.came_from = tab.came_from.filter(|tile| floats && tab.layout.contains(*tile));
}

/// The tile that gets the focus when no floating pane has it any more.
pub(crate) fn tile(tab: &Tab) -> Option<PaneId> {
    let known = tab.came_from.filter(|tile| tab.layout.contains(*tile));
    known.or_else(|| tab.layout.panes().first().copied())
}

/// Every pane under another number.
pub(crate) fn renumber(tab: &mut Tab, number: &impl Fn(PaneId) -> PaneId) {
    layout::renumber(&mut tab.layout, number);
    tab.floating.iter_mut().for_each(|float| float.pane = number(float.pane));
    tab.came_from = tab.came_from.map(number);
}

/// Two panes of the tab change places. The focus goes with its pane, and stays in sight.
pub(crate) fn swap(tab: &mut Tab, exchanged: &impl Fn(PaneId) -> PaneId) {
    renumber(tab, exchanged);
    if tab.floats(tab.focus) {
        tab.came_from = tab.came_from.or(Some(exchanged(tab.focus)));
        raise(tab, tab.focus);
    }
    settle(tab);
}

/// Lets a tiled pane float, or tiles a floating one. False when it is the only tile and stays.
pub(crate) fn toggle(tab: &mut Tab, pane: PaneId, axis: Axis) -> bool {
    if tab.floats(pane) {
        tab.floating.retain(|float| float.pane != pane);
        put_beside(tab, pane, axis, pane);
        settle(tab);
        return true;
    }
    let Some(heir) = layout::remove(&mut tab.layout, pane) else { return false };
    if tab.focus == pane || tab.came_from == Some(pane) {
        tab.came_from = Some(heir);
    }
    add(tab, pane);
    settle(tab);
    true
}

/// Brings a floating pane above the others and into sight. False when it was there already, or is
/// tiled.
pub(crate) fn raise(tab: &mut Tab, pane: PaneId) -> bool {
    let Some(at) = tab.floating.iter().position(|float| float.pane == pane) else { return false };
    let shown = std::mem::replace(&mut tab.floats_hidden, false);
    if at + 1 == tab.floating.len() {
        return shown;
    }
    let float = tab.floating.remove(at);
    tab.floating.push(float);
    true
}

/// Hides the floating panes. What has the focus stays in sight: the tile that gets it is the answer,
/// where another pane had it.
pub(crate) fn hide(tab: &mut Tab) -> Option<PaneId> {
    tab.floats_hidden = true;
    let wanted = if tab.floats(tab.focus) { tile(tab) } else { None };
    focus(tab, wanted.unwrap_or(tab.focus));
    wanted
}

/// Whether a floating pane in sight lies over this one.
pub(crate) fn covers(tab: &Tab, pane: PaneId, area: Rect) -> bool {
    let in_sight = tab.in_sight(area);
    let own = in_sight.iter().position(|(id, _)| *id == pane);
    own.is_some_and(|own| {
        let over = in_sight[own + 1..].iter().filter(|(id, _)| tab.floats(*id));
        over.into_iter().any(|(_, rect)| rect.meets(in_sight[own].1))
    })
}

/// Shows the floating panes again; the topmost gets the focus and is the answer.
pub(crate) fn show(tab: &mut Tab) -> Option<PaneId> {
    tab.floats_hidden = false;
    let wanted = tab.floating.last().map(|float| float.pane);
    focus(tab, wanted.unwrap_or(tab.focus));
    wanted
}

/// Moves and sizes a floating pane. False when nothing changed.
pub(crate) fn place(tab: &mut Tab, to: Floating) -> bool {
    let Some(float) = tab.floating.iter_mut().find(|float| float.pane == to.pane) else { return false };
    let (w, h) = (to.w.clamp(1, WHOLE), to.h.clamp(1, WHOLE));
    // Shares are rounded up: at the far edge the two may be a little more than the whole, and
    // `Floating::rect` keeps it inside.
    let to = Floating { x: to.x.min(WHOLE), y: to.y.min(WHOLE), w, h, ..to };
    std::mem::replace(float, to) != to
}
