//! Text selected with the mouse in a pane whose program leaves the mouse alone: shown while the
//! button is down, copied to the clipboard when it goes up.
//!
//! Not here: selecting by keys, in history beyond the shown rows.

use kraal_api::PaneId;
use kraal_api::layout::Rect;
use kraal_api::screen::attr;
use kraal_term::{MouseEvent, MouseKind};

use super::{Client, Now, Out};
use crate::areas::uncovered;
use crate::grid::{Grid, Pool};

/// From the cell where the button went down to the one where the mouse is, in a pane's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selection {
    pane: PaneId,
    from: (u16, u16),
    to: (u16, u16),
}

impl Selection {
    /// Its ends in reading order; nothing while the mouse has not moved.
    fn ends(&self) -> Option<((u16, u16), (u16, u16))> {
        let key = |(x, y): (u16, u16)| (y, x);
        match key(self.from).cmp(&key(self.to)) {
            std::cmp::Ordering::Less => Some((self.from, self.to)),
            std::cmp::Ordering::Greater => Some((self.to, self.from)),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// The selected columns of each row: first, and the one after the last.
    fn rows(&self, cols: u16) -> impl Iterator<Item = (u16, u16, u16)> {
        let ends = self.ends();
        ends.into_iter().flat_map(move |(first, last)| {
            (first.1..=last.1).map(move |y| {
                let start = if y == first.1 { first.0 } else { 0 };
                let end = if y == last.1 { last.0 + 1 } else { cols };
                (y, start, end.min(cols))
            })
        })
    }

    fn text(&self, grid: &Grid, pool: &Pool) -> String {
        let mut lines = Vec::new();
        for (y, start, end) in self.rows(grid.cols()) {
            let mut line = Vec::new();
            for cell in grid.row(y).iter().take(usize::from(end)).skip(usize::from(start)) {
                cell.glyph.write(pool, &mut line);
            }
            lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        lines.join("\n")
    }
}

impl Client {
    /// The button went down in a pane.
    pub(super) fn select_start(&mut self, pane: PaneId, rect: Rect, mouse: &MouseEvent) {
        let cell = cell_at(rect, mouse);
        self.hands.selection = Some(Selection { pane, from: cell, to: cell });
    }

    /// What the mouse does while text is being selected; says whether it was for that.
    pub(super) fn select_mouse(&mut self, mouse: &MouseEvent, now: Now, out: &mut Out) -> bool {
        let Some(mut selection) = self.hands.selection else { return false };
        let Some(rect) = self.pane_rect(selection.pane) else {
            self.hands.selection = None;
            return false;
        };
        match mouse.kind {
            MouseKind::Move => {
                selection.to = cell_at(rect, mouse);
                self.hands.selection = Some(selection);
            }
            MouseKind::Release => {
                self.hands.selection = None;
                self.copy(&selection, now, out);
            }
            _ => {
                self.hands.selection = None;
                self.redraw();
                return false;
            }
        }
        self.redraw();
        true
    }

    fn copy(&mut self, selection: &Selection, now: Now, out: &mut Out) {
        if selection.ends().is_none() {
            return;
        }
        let Some(screen) = self.mirror.screen(selection.pane) else { return };
        let text = selection.text(&screen.grid, &self.pool);
        let count = text.chars().count();
        if count > 0 {
            self.outer.clipboard("c", text.as_bytes(), &mut out.write);
            self.say(format!("copied {count} characters"), now);
        }
    }

    /// Shows what is selected, on the drawn screen.
    pub(super) fn show_selection(&mut self) {
        let Some(selection) = self.hands.selection.filter(|s| s.ends().is_some()) else { return };
        let Some(rect) = self.pane_rect(selection.pane) else { return };
        let inner = rect.inside_frame();
        let Some((_, tab)) = self.mirror.tab() else { return };
        let mut over = tab.in_sight(self.stage.areas.panes);
        let above = over.iter().position(|(pane, _)| *pane == selection.pane).map_or(over.len(), |at| at + 1);
        over.drain(..above);
        over.retain(|(pane, _)| tab.floats(*pane));
        for (y, start, end) in selection.rows(inner.w).filter(|(y, ..)| *y < inner.h) {
            let row = (inner.x + start, end.saturating_sub(start));
            for (x, w) in uncovered(&over, inner.y + y, row) {
                let part = Rect { x, y: inner.y + y, w, h: 1 };
                self.stage.grid.restyle(part, |look| match look.attrs() & attr::INVERSE {
                    0 => look.with(attr::INVERSE),
                    _ => look.without(attr::INVERSE),
                });
            }
        }
    }
}

fn cell_at(rect: Rect, mouse: &MouseEvent) -> (u16, u16) {
    let inner = rect.inside_frame();
    let x = mouse.x.clamp(inner.x, inner.x + inner.w - 1) - inner.x;
    let y = mouse.y.clamp(inner.y, inner.y + inner.h - 1) - inner.y;
    (x, y)
}
