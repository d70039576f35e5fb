//! The floating panes of a tab: over the tiled ones, moved and sized, raised and hidden. Beside the
//! layout's own operations, these keep a tab whole that has both: at least one pane is tiled, and what
//! has the focus is in sight.
//!
//! Not here: the tree of tiled panes (`layout`), how a floating pane gets its rectangle
//! (`kraal_api::layout`).

use kraal_api::PaneId;
use kraal_api::layout::{Axis, Floating, Layout, WHOLE};
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

/// Takes a pane out; the pane that takes its place in the focus is the answer. None when it was the
/// only one.
pub(crate) fn take_out(tab: &mut Tab, pane: PaneId) -> Option<PaneId> {
    if let Some(at) = tab.floating.iter().position(|float| float.pane == pane) {
        tab.floating.remove(at);
        let above = tab.floating.last().filter(|_| !tab.floats_hidden).map(|float| float.pane);
        return above.or_else(|| tab.layout.panes().first().copied());
    }
    match layout::remove(&mut tab.layout, pane) {
        Some(heir) => Some(heir),
        // The last tile goes: the topmost of those that float takes its room.
        None if tab.layout == Layout::Pane(pane) => {
            let heir = tab.floating.pop()?.pane;
            tab.layout = Layout::Pane(heir);
            Some(heir)
        }
        None => None,
    }
}

/// Every pane under another number.
pub(crate) fn renumber(tab: &mut Tab, number: &impl Fn(PaneId) -> PaneId) {
    layout::renumber(&mut tab.layout, number);
    tab.floating.iter_mut().for_each(|float| float.pane = number(float.pane));
}

/// Lets a tiled pane float, or tiles a floating one. False when it is the only tile and stays.
pub(crate) fn toggle(tab: &mut Tab, pane: PaneId, axis: Axis) -> bool {
    if tab.floats(pane) {
        tab.floating.retain(|float| float.pane != pane);
        put_beside(tab, pane, axis, pane);
        return true;
    }
    if layout::remove(&mut tab.layout, pane).is_none() {
        return false;
    }
    add(tab, pane);
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

/// Hides the floating panes, or shows them. What has the focus stays in sight: the pane that gets it
/// is the answer, where another one does.
pub(crate) fn hide(tab: &mut Tab) -> Option<PaneId> {
    if tab.floating.is_empty() {
        return None;
    }
    tab.floats_hidden = !tab.floats_hidden;
    let wanted = match tab.floats_hidden {
        true if tab.floats(tab.focus) => tab.layout.panes().first().copied(),
        true => None,
        false => tab.floating.last().map(|float| float.pane),
    }?;
    tab.focus = wanted;
    tab.zoomed = tab.zoomed.filter(|zoomed| *zoomed == wanted);
    Some(wanted)
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
