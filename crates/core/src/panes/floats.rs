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
    let far =
        |from: u16, by: i32| u16::try_from(i32::from(from).saturating_add(by).max(0)).unwrap_or(u16::MAX);
    let (right, bottom) = (area.x + area.w, area.y + area.h);
    // A room may be smaller than the least that floats.
    let sized = |wanted: u16, least: u16, room: u16| wanted.clamp(least.min(room), room);
    let rect = match ask.direction {
        Direction::Right => Rect { w: sized(far(rect.w, ask.cells), FLOAT_MIN.0, right - rect.x), ..rect },
        Direction::Down => Rect { h: sized(far(rect.h, ask.cells), FLOAT_MIN.1, bottom - rect.y), ..rect },
        Direction::Left => {
            let end = rect.x + rect.w;
            let x = far(rect.x, ask.cells.saturating_neg())
                .clamp(area.x, end.saturating_sub(FLOAT_MIN.0).max(area.x));
            Rect { x, w: end - x, ..rect }
        }
        Direction::Up => {
            let end = rect.y + rect.h;
            let y = far(rect.y, ask.cells.saturating_neg())
                .clamp(area.y, end.saturating_sub(FLOAT_MIN.1).max(area.y));
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

#[cfg(test)]
mod tests {
    use super::*;

    const SIDES: [Direction; 4] = [Direction::Left, Direction::Right, Direction::Up, Direction::Down];

    #[test]
    fn any_room_and_any_number_of_cells_will_do() {
        let pane = PaneId(1);
        let float = Floating { pane, x: 300, y: 200, w: 400, h: 400 };
        for (w, h) in (1..=30).flat_map(|w| (1..=12).map(move |h| (w, h))) {
            let area = Rect { x: 3, y: 2, w, h };
            for direction in SIDES {
                for cells in [1, -1, 7, i32::MAX, i32::MIN] {
                    let ask = ResizePane { pane: pane.into(), direction, cells };
                    let rect = grown(float, area, &ask).rect(area);
                    let inside = rect.x >= area.x && rect.x + rect.w <= area.x + area.w;
                    assert!(inside && rect.y >= area.y && rect.y + rect.h <= area.y + area.h, "{rect:?}");
                }
            }
        }
    }

    #[test]
    fn a_float_reaches_the_far_edges() {
        let pane = PaneId(1);
        for (w, h) in (20..=200).map(|w| (w, w / 2)) {
            let area = Rect::sized(w, h);
            let wanted = Rect { x: w - 15, y: h - 7, w: 15, h: 7 };
            let mut tab = Tab::of_pane(TabId(1), None, PaneId(2));
            tab.floating = vec![Floating { pane, x: 0, y: 0, w: 400, h: 400 }];
            float::place(&mut tab, Floating::of_rect(pane, wanted, area));
            assert_eq!(floating(&tab, pane).map(|float| float.rect(area)), Some(wanted), "{w}x{h}");
        }
    }
}
