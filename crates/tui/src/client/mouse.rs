//! The mouse: clicks on what looks clickable, borders dragged, wheels, and what a pane's program
//! wants for itself.
//!
//! Not here: where things were drawn (`draw` notes it), encoding for programs (the server).

use kraal_api::PaneId;
use kraal_api::layout::Rect;
use kraal_api::panes::{Direction, ResizePane};
use kraal_api::request::Verb;
use kraal_api::screen::MouseWish;
use kraal_api::stream::{self, FromClient};
use kraal_term::keys::Mods;
use kraal_term::{MouseButton, MouseEvent, MouseKind};

use super::ask::Waits;
use super::{Client, Link, Now, Out};
use crate::areas::{border, border_at, topmost};
use crate::draw::Hit;

/// A border that follows the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Drag {
    pane: PaneId,
    side: Direction,
    /// Where the mouse is, on the border's axis.
    to: u16,
    /// A move was asked and not answered.
    asked: bool,
    /// Facts came since: the border may be elsewhere now.
    fresh: bool,
}

/// Rows a turn of the wheel scrolls.
const WHEEL: i32 = 3;

impl Client {
    pub(super) fn mouse(&mut self, mouse: &MouseEvent, now: Now, out: &mut Out) {
        let (x, y) = (mouse.x, mouse.y);
        if self.drag_mouse(mouse, out)
            || self.float_drag_mouse(mouse, out)
            || self.grabbed_mouse(mouse, out)
            || self.select_mouse(mouse, now, out)
        {
            return;
        }
        if !self.layers.is_empty() || self.prefix.is_some() {
            self.layer_mouse(mouse, now, out);
            return;
        }
        let hit = self.hit(x, y).filter(|_| !self.stage.areas.panes.contains(x, y));
        match (mouse.kind, mouse.button) {
            (MouseKind::Press, Some(MouseButton::Left)) if hit.is_some() => self.click(hit, now, out),
            _ => self.pane_mouse(mouse, now, out),
        }
    }

    /// What was drawn last at a cell.
    fn hit(&self, x: u16, y: u16) -> Option<Hit> {
        self.stage.hits.iter().rev().find(|(rect, _)| rect.contains(x, y)).map(|(_, hit)| hit.clone())
    }

    fn click(&mut self, hit: Option<Hit>, now: Now, out: &mut Out) {
        match hit {
            Some(Hit::Tab(tab)) => self.go_tab(tab, out),
            Some(Hit::Workspace(name)) => self.go_workspace(&name, now, out),
            Some(Hit::Pane(pane)) => self.show_pane(pane, out),
            Some(Hit::Action(action)) => self.act(action, now, out),
            Some(Hit::Menu(bound)) => {
                self.prefix = None;
                let reply = crate::layers::chosen(bound);
                self.reply(reply, now, out);
            }
            Some(Hit::Row(row)) => {
                if let Some(layer) = self.layers.last_mut() {
                    let reply = layer.click(row);
                    self.reply(reply, now, out);
                }
            }
            Some(Hit::Layer) | None => {}
        }
        self.redraw();
    }

    fn layer_mouse(&mut self, mouse: &MouseEvent, now: Now, out: &mut Out) {
        match (mouse.kind, mouse.button) {
            (MouseKind::WheelUp, _) => self.layers.last_mut().into_iter().for_each(|l| l.wheel(-1)),
            (MouseKind::WheelDown, _) => self.layers.last_mut().into_iter().for_each(|l| l.wheel(1)),
            (MouseKind::Press, Some(MouseButton::Left)) => match self.hit(mouse.x, mouse.y) {
                Some(Hit::Menu(bound)) => {
                    self.prefix = None;
                    // The entry of a theme's menu closes that menu.
                    let reply = crate::layers::chosen(bound);
                    self.reply(reply, now, out);
                }
                hit @ Some(Hit::Row(_)) => self.click(hit, now, out),
                Some(Hit::Layer) => {}
                // Beside it: away with it.
                _ => {
                    self.prefix = None;
                    self.layers.pop();
                }
            },
            _ => return,
        }
        self.redraw();
    }

    /// The pane at a cell, with its rectangle.
    pub(super) fn pane_at(&self, x: u16, y: u16) -> Option<(PaneId, Rect)> {
        let (_, tab) = self.mirror.tab()?;
        topmost(&tab.in_sight(self.stage.areas.panes), x, y)
    }

    fn pane_mouse(&mut self, mouse: &MouseEvent, now: Now, out: &mut Out) {
        let (x, y) = (mouse.x, mouse.y);
        let Some((pane, rect)) = self.pane_at(x, y) else { return };
        let pressed = mouse.kind == MouseKind::Press;
        if pressed {
            self.go_pane(pane, out);
        }
        if pressed && mouse.button == Some(MouseButton::Left) && self.drag_start(x, y) {
            return;
        }
        let inside = rect.inside_frame().contains(x, y);
        let wish = self.mirror.head(pane).mouse;
        let wheel = match mouse.kind {
            MouseKind::WheelUp => Some(WHEEL),
            MouseKind::WheelDown => Some(-WHEEL),
            _ => None,
        };
        match wheel {
            // On the alternate screen the server turns the wheel into arrows.
            Some(by) if wish == MouseWish::None && !self.on_alternate(pane) => {
                self.scroll_by(pane, by, now, out);
            }
            _ if inside && (wish != MouseWish::None || wheel.is_some()) => {
                self.send_mouse(pane, rect, mouse, out);
                if pressed {
                    self.hands.grabbed = Some(pane);
                }
            }
            _ if inside && pressed && mouse.button == Some(MouseButton::Left) => {
                self.select_start(pane, rect, mouse);
            }
            _ => {}
        }
    }

    /// What follows a press in a pane goes to that pane, wherever the mouse is.
    fn grabbed_mouse(&mut self, mouse: &MouseEvent, out: &mut Out) -> bool {
        let Some(pane) = self.hands.grabbed else { return false };
        if mouse.kind == MouseKind::Release {
            self.hands.grabbed = None;
        }
        match self.pane_rect(pane) {
            Some(rect) => self.send_mouse(pane, rect, mouse, out),
            None => self.hands.grabbed = None,
        }
        true
    }

    fn send_mouse(&self, pane: PaneId, rect: Rect, mouse: &MouseEvent, out: &mut Out) {
        if self.link != Link::Live {
            return;
        }
        let inner = rect.inside_frame();
        let button = match mouse.button {
            Some(MouseButton::Left) | None => 0,
            Some(MouseButton::Middle) => 1,
            Some(MouseButton::Right) => 2,
            Some(MouseButton::Other(n)) => n,
        };
        let kind = match mouse.kind {
            MouseKind::Press => stream::MouseKind::Press(button),
            MouseKind::Release => stream::MouseKind::Release(button),
            MouseKind::Move if mouse.button.is_some() => stream::MouseKind::Drag(button),
            MouseKind::Move => stream::MouseKind::Move,
            MouseKind::WheelUp => stream::MouseKind::WheelUp,
            MouseKind::WheelDown => stream::MouseKind::WheelDown,
            MouseKind::WheelLeft => stream::MouseKind::WheelLeft,
            MouseKind::WheelRight => stream::MouseKind::WheelRight,
        };
        let mods = mouse.mods & (Mods::SHIFT | Mods::ALT | Mods::CTRL);
        let event = stream::Mouse {
            kind,
            x: mouse.x.clamp(inner.x, inner.x + inner.w - 1) - inner.x,
            y: mouse.y.clamp(inner.y, inner.y + inner.h - 1) - inner.y,
            mods: mods.bits(),
        };
        out.tell(&FromClient::Mouse { pane, event });
    }

    fn drag_start(&mut self, x: u16, y: u16) -> bool {
        let Some((_, tab)) = self.mirror.tab() else { return false };
        if tab.zoomed.is_some() {
            return false;
        }
        let area = self.stage.areas.panes;
        if let Some((pane, rect)) = self.pane_at(x, y).filter(|(pane, _)| tab.floats(*pane)) {
            return self.float_drag_start(pane, rect, (x, y));
        }
        let tiles = tab.layout.solve(area);
        let Some((pane, side)) = border_at(&tiles, area, x, y) else { return false };
        let to = if side.axis() == kraal_api::layout::Axis::Row { x } else { y };
        self.hands.drag = Some(Drag { pane, side, to, asked: false, fresh: false });
        true
    }

    fn drag_mouse(&mut self, mouse: &MouseEvent, out: &mut Out) -> bool {
        let Some(drag) = &mut self.hands.drag else { return false };
        drag.to = if drag.side.axis() == kraal_api::layout::Axis::Row { mouse.x } else { mouse.y };
        match mouse.kind {
            MouseKind::Move => self.drag_pull(out),
            MouseKind::Release | MouseKind::Press => {
                self.drag_pull(out);
                self.hands.drag = None;
            }
            _ => {}
        }
        true
    }

    /// Asks for the way from the border to the mouse; one request at a time, so that none is
    /// reckoned from where the border no longer is.
    fn drag_pull(&mut self, out: &mut Out) {
        let (Some(drag), Some((_, tab))) = (self.hands.drag, self.mirror.tab()) else { return };
        let Some(at) = border(&tab.layout.solve(self.stage.areas.panes), drag.pane, drag.side) else {
            self.hands.drag = None;
            return;
        };
        let way = i32::from(drag.to) - i32::from(at);
        if drag.asked || way == 0 {
            return;
        }
        let cells = match drag.side {
            Direction::Right | Direction::Down => way,
            Direction::Left | Direction::Up => -way,
        };
        let resize = ResizePane { pane: drag.pane.into(), direction: drag.side, cells };
        let asked = self.ask(Verb::ResizePane(resize), Waits::Dragging, out).is_some();
        self.hands.drag = Some(Drag { asked, fresh: false, ..drag });
    }

    pub(super) fn drag_answered(&mut self, well: bool, out: &mut Out) {
        let Some(drag) = &mut self.hands.drag else { return };
        drag.asked = false;
        if !well {
            self.hands.drag = None;
        } else if drag.fresh {
            self.drag_pull(out);
        }
    }

    pub(super) fn drag_facts(&mut self, out: &mut Out) {
        if let Some(drag) = &mut self.hands.drag {
            drag.fresh = true;
            self.drag_pull(out);
        }
    }
}
