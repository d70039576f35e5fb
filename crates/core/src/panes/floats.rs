//! The verbs on panes that float: letting one float or tiling it, moving and sizing it.
//!
//! Not here: what a tab with floating panes must keep to (`tree::float`), hiding them (`sessions`).

use kraal_api::layout::{Axis, FLOAT_MIN, Floating, Rect};
use kraal_api::model::Tab;
use kraal_api::panes::{Direction, PlaceFloat, ResizePane};
use kraal_api::{PaneId, Refusal, Response, TabId};

use crate::desk::Desk;
use crate::outbox::{Answer, Reply};
use crate::rights::Permit;
use crate::tree::float;
use crate::tree::layout::auto_axis;
use crate::views;

const DONE: Answer = Ok(Reply::Now(Response::Ok));

/// Where a pane floats, if it does.
fn floating(tab: &Tab, pane: PaneId) -> Option<Floating> {
    tab.floating.iter().find(|float| float.pane == pane).copied()
}

/// A floating pane whose border on one side moves outwards by so many cells.
fn grown(float: Floating, area: Rect, ask: &ResizePane) -> Floating {
    let rect = float.rect(area);
    let far = |from: u16, by: i32| u16::try_from((i32::from(from) + by).max(0)).unwrap_or(u16::MAX);
    let (right, bottom) = (area.x + area.w, area.y + area.h);
    let rect = match ask.direction {
        Direction::Right => Rect { w: far(rect.w, ask.cells).clamp(FLOAT_MIN.0, right - rect.x), ..rect },
        Direction::Down => Rect { h: far(rect.h, ask.cells).clamp(FLOAT_MIN.1, bottom - rect.y), ..rect },
        Direction::Left => {
            let end = rect.x + rect.w;
            let x = far(rect.x, -ask.cells).clamp(area.x, end.saturating_sub(FLOAT_MIN.0).max(area.x));
            Rect { x, w: end - x, ..rect }
        }
        Direction::Up => {
            let end = rect.y + rect.h;
            let y = far(rect.y, -ask.cells).clamp(area.y, end.saturating_sub(FLOAT_MIN.1).max(area.y));
            Rect { y, h: end - y, ..rect }
        }
    };
    Floating::of_rect(float.pane, rect, area)
}

fn put(desk: &mut Desk<'_>, tab: TabId, to: Floating) -> Answer {
    if desk.tree.tab_mut(tab).is_some_and(|tab| float::place(tab, to)) {
        desk.out.restructure();
    }
    DONE
}

/// Verb `PlaceFloat`.
pub(crate) fn place_float(desk: &mut Desk<'_>, permit: &Permit, ask: &PlaceFloat) -> Answer {
    let pane = permit.pane()?;
    let Some(tab) = desk.tree.place(pane).filter(|(_, tab)| tab.floats(pane)).map(|(_, tab)| tab.id) else {
        return Err(Refusal::bad_request(format!("pane {pane} does not float: let it float first")));
    };
    put(desk, tab, Floating { pane, x: ask.x, y: ask.y, w: ask.w, h: ask.h })
}

/// Verb `Float`: a tiled pane floats, a floating one is tiled.
pub(crate) fn float(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    let pane = permit.pane()?;
    let Some(id) = desk.tree.place(pane).map(|(_, tab)| tab.id) else { return DONE };
    let last = desk.tree.tab(id).and_then(|(_, tab)| tab.layout.panes().last().copied());
    let axis = last.and_then(|last| desk.tree.rect(last)).and_then(auto_axis).unwrap_or(Axis::Row);
    let Some(tab) = desk.tree.tab_mut(id) else { return DONE };
    if !float::toggle(tab, pane, axis) {
        return Err(Refusal::failed(format!(
            "pane {pane} is the only one that is tiled in its tab: open another beside it first"
        )));
    }
    views::take_focus(desk, pane);
    desk.out.restructure();
    DONE
}

/// Verb `ResizePane` on a pane that floats; none when it is tiled.
pub(super) fn resize(desk: &mut Desk<'_>, (id, pane): (TabId, PaneId), ask: &ResizePane) -> Option<Answer> {
    let area = desk.tree.area(id);
    let float = desk.tree.tab(id).and_then(|(_, tab)| floating(tab, pane))?;
    Some(put(desk, id, grown(float, area, ask)))
}
