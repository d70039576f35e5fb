//! Floating panes under the mouse and the keys: the top of the frame moves one, its other sides and
//! corners size it.
//!
//! Not here: borders between tiles (`mouse`), what the server makes of it.

use kraal_api::PaneId;
use kraal_api::layout::{FLOAT_MIN, Floating, Rect};
use kraal_api::model::Tab;
use kraal_api::panes::{Direction, PlaceFloat};
use kraal_api::request::Verb;
use kraal_term::{MouseEvent, MouseKind};

use super::ask::Waits;
use super::{Client, Out};

/// How far one press moves a floating pane, in columns and rows.
const STEP: (i32, i32) = (4, 2);

/// A floating pane that follows the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FloatDrag {
    pane: PaneId,
    grip: Grip,
    /// Where the mouse took it, and the pane's rectangle and room then.
    from: (u16, u16),
    rect: Rect,
    area: Rect,
    /// Where the mouse is.
    to: (u16, u16),
    /// The place that was asked for last, and whether that is answered.
    asked: Rect,
    waits: bool,
}

/// Which part of the frame is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grip {
    /// The top: all of it moves.
    All,
    /// A side, or two where they meet.
    Sides(Option<Direction>, Option<Direction>),
}

impl Client {
    pub(super) fn float_drag_start(&mut self, pane: PaneId, rect: Rect, (x, y): (u16, u16)) -> bool {
        let (right, bottom) = (x + 1 == rect.x + rect.w, y + 1 == rect.y + rect.h);
        let across = match (x == rect.x, right) {
            (true, _) => Some(Direction::Left),
            (_, true) => Some(Direction::Right),
            _ => None,
        };
        let grip = match (y == rect.y, across, bottom) {
            (true, ..) => Grip::All,
            (false, None, false) => return false,
            (false, across, bottom) => Grip::Sides(across, bottom.then_some(Direction::Down)),
        };
        let (area, at) = (self.stage.areas.panes, (x, y));
        let drag = FloatDrag { pane, grip, from: at, rect, area, to: at, asked: rect, waits: false };
        self.hands.float = Some(drag);
        true
    }

    pub(super) fn float_drag_mouse(&mut self, mouse: &MouseEvent, out: &mut Out) -> bool {
        let Some(drag) = &mut self.hands.float else { return false };
        drag.to = (mouse.x, mouse.y);
        match mouse.kind {
            MouseKind::Move => self.float_drag_pull(out),
            MouseKind::Release | MouseKind::Press => {
                if let Some(drag) = &mut self.hands.float {
                    // The last word on where it goes.
                    drag.waits = false;
                }
                self.float_drag_pull(out);
                self.hands.float = None;
            }
            _ => {}
        }
        true
    }

    fn float_drag_pull(&mut self, out: &mut Out) {
        let Some(drag) = self.hands.float else { return };
        // In another room, or out of sight, it is not what the mouse took.
        let (area, shown) = (self.stage.areas.panes, self.mirror.tab());
        let in_sight = |tab: &Tab| tab.zoomed.is_none() && !tab.floats_hidden && tab.floats(drag.pane);
        if drag.area != area || !shown.is_some_and(|(_, tab)| in_sight(tab)) {
            self.hands.float = None;
            return;
        }
        let rect = pulled(&drag);
        if drag.waits || rect == drag.asked {
            return;
        }
        let verb = Verb::PlaceFloat(placed(drag.pane, rect, area));
        let waits = self.ask(verb, Waits::Floating, out).is_some();
        self.hands.float = Some(FloatDrag { asked: rect, waits, ..drag });
    }

    pub(super) fn float_drag_answered(&mut self, well: bool, out: &mut Out) {
        let Some(drag) = &mut self.hands.float else { return };
        drag.waits = false;
        if well {
            self.float_drag_pull(out);
        } else {
            self.hands.float = None;
        }
    }

    /// The place of a floating pane one step further; none when it does not float.
    pub(super) fn float_moved(&self, pane: PaneId, towards: Direction) -> Option<PlaceFloat> {
        let (_, tab) = self.mirror.tab()?;
        let area = self.stage.areas.panes;
        let rect = tab.floating.iter().find(|float| float.pane == pane)?.rect(area);
        let (dx, dy) = match towards {
            Direction::Left => (-STEP.0, 0),
            Direction::Right => (STEP.0, 0),
            Direction::Up => (0, -STEP.1),
            Direction::Down => (0, STEP.1),
        };
        Some(placed(pane, moved(rect, (dx, dy), area), area))
    }
}

fn placed(pane: PaneId, rect: Rect, area: Rect) -> PlaceFloat {
    let Floating { pane, x, y, w, h } = Floating::of_rect(pane, rect, area);
    PlaceFloat { pane: pane.into(), x, y, w, h }
}

fn moved(rect: Rect, (dx, dy): (i32, i32), area: Rect) -> Rect {
    let along = |at: u16, by: i32, from: u16, room: u16, len: u16| {
        let last = from + room.saturating_sub(len);
        (i32::from(at) + by).clamp(i32::from(from), i32::from(last)) as u16
    };
    Rect {
        x: along(rect.x, dx, area.x, area.w, rect.w),
        y: along(rect.y, dy, area.y, area.h, rect.h),
        ..rect
    }
}

fn pulled(drag: &FloatDrag) -> Rect {
    let area = drag.area;
    let by = (i32::from(drag.to.0) - i32::from(drag.from.0), i32::from(drag.to.1) - i32::from(drag.from.1));
    let (across, down) = match drag.grip {
        Grip::All => return moved(drag.rect, by, area),
        Grip::Sides(across, down) => (across, down),
    };
    let mut rect = drag.rect;
    let least = (FLOAT_MIN.0.min(area.w), FLOAT_MIN.1.min(area.h));
    let within = |len: u16, by: i32, least: u16, most: u16| {
        (i32::from(len) + by).clamp(i32::from(least.min(most)), i32::from(most)) as u16
    };
    match across {
        Some(Direction::Right) => rect.w = within(rect.w, by.0, least.0, area.x + area.w - rect.x),
        Some(Direction::Left) => {
            let end = rect.x + rect.w;
            rect.w = within(rect.w, -by.0, least.0, end - area.x);
            rect.x = end - rect.w;
        }
        _ => {}
    }
    if down.is_some() {
        rect.h = within(rect.h, by.1, least.1, area.y + area.h - rect.y);
    }
    rect
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drag(grip: Grip, to: (u16, u16)) -> Rect {
        let rect = Rect { x: 20, y: 5, w: 40, h: 10 };
        let from = (30, 5);
        let area = Rect { x: 4, y: 1, w: 100, h: 30 };
        pulled(&FloatDrag { pane: PaneId(1), grip, from, rect, area, to, asked: rect, waits: false })
    }

    #[test]
    fn a_pane_follows_the_mouse_and_stays_in_its_room() {
        assert_eq!(drag(Grip::All, (35, 8)), Rect { x: 25, y: 8, w: 40, h: 10 });
        assert_eq!(drag(Grip::All, (0, 0)), Rect { x: 4, y: 1, w: 40, h: 10 });
        assert_eq!(drag(Grip::All, (400, 400)), Rect { x: 64, y: 21, w: 40, h: 10 });
        let corner = Grip::Sides(Some(Direction::Right), Some(Direction::Down));
        assert_eq!(drag(corner, (40, 8)), Rect { x: 20, y: 5, w: 50, h: 13 });
        assert_eq!(drag(corner, (0, 0)), Rect { x: 20, y: 5, w: 12, h: 5 });
        let left = Grip::Sides(Some(Direction::Left), None);
        assert_eq!(drag(left, (20, 9)), Rect { x: 10, y: 5, w: 50, h: 10 });
        assert_eq!(drag(left, (90, 9)), Rect { x: 48, y: 5, w: 12, h: 10 });
    }
}
