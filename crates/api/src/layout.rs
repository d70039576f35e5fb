//! How panes share a tab: a tree of splits, and the one way it becomes rectangles. The server sizes
//! ptys with it and every client draws with it, so both always agree.
//!
//! Not here: the operations that change a layout (`core::layout`), frames and their looks (`tui`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::PaneId;

/// Which way a split lays out its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Side by side.
    Row,
    /// One above the other.
    Column,
}

/// A tree of tiled panes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// One pane.
    Pane(PaneId),
    /// Two or more children that share the space by weight.
    Split {
        /// The direction.
        axis: Axis,
        /// Each child with its weight (a share, not cells; never 0).
        children: Vec<(u32, Layout)>,
    },
}

/// A pane that floats over the tiled ones: its rectangle in thousandths of the tab's room, so that it
/// fits a client of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Floating {
    /// The pane.
    pub pane: PaneId,
    /// Left edge.
    pub x: u16,
    /// Top edge.
    pub y: u16,
    /// Width.
    pub w: u16,
    /// Height.
    pub h: u16,
}

/// The whole of a tab's room, in the units of [`Floating`].
pub const WHOLE: u16 = 1000;
/// A floating pane has at least so many columns and rows, frame included, where there is room.
pub const FLOAT_MIN: (u16, u16) = (12, 5);

impl Floating {
    /// Its rectangle in a room; never outside of it, and never without a cell where the room has one.
    pub fn rect(&self, area: Rect) -> Rect {
        let along = |at: u16, len: u16, room: u16, least: u16| {
            let cells = |part: u16| (u32::from(part.min(WHOLE)) * u32::from(room) / u32::from(WHOLE)) as u16;
            let len = cells(len).clamp(least.min(room), room);
            (cells(at).min(room - len), len)
        };
        let (x, w) = along(self.x, self.w, area.w, FLOAT_MIN.0);
        let (y, h) = along(self.y, self.h, area.h, FLOAT_MIN.1);
        Rect { x: area.x + x, y: area.y + y, w, h }
    }

    /// Where a pane floats whose rectangle in a room is this one.
    pub fn of_rect(pane: PaneId, rect: Rect, area: Rect) -> Floating {
        let part = |cells: u16, room: u16| {
            // Rounded up: the cells that it is made from come out again.
            let share = (u32::from(cells) * u32::from(WHOLE)).div_ceil(u32::from(room.max(1)));
            share.min(u32::from(WHOLE)) as u16
        };
        Floating {
            pane,
            x: part(rect.x.saturating_sub(area.x), area.w),
            y: part(rect.y.saturating_sub(area.y), area.h),
            w: part(rect.w, area.w),
            h: part(rect.h, area.h),
        }
    }
}

/// How the tiled panes of a tab are laid out anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrangement {
    /// Side by side, equally wide.
    Columns,
    /// One above the other, equally high.
    Rows,
    /// The first on the left, the others stacked on its right.
    MainLeft,
    /// The first on top, the others side by side below.
    MainTop,
    /// In rows and columns, all about equally large.
    Grid,
    /// The one after that which the tab has now.
    Next,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    /// Left edge, 0-based.
    pub x: u16,
    /// Top edge, 0-based.
    pub y: u16,
    /// Columns.
    pub w: u16,
    /// Rows.
    pub h: u16,
}

impl Rect {
    /// A rectangle at the origin.
    pub fn sized(w: u16, h: u16) -> Self {
        Rect { x: 0, y: 0, w, h }
    }

    /// Whether the cell lies inside.
    pub fn contains(&self, x: u16, y: u16) -> bool {
        x >= self.x && y >= self.y && x - self.x < self.w && y - self.y < self.h
    }

    /// Whether they have a cell in common.
    pub fn meets(&self, other: Rect) -> bool {
        let apart =
            |from: u16, length: u16, other: u16| u32::from(from) + u32::from(length) <= u32::from(other);
        !(apart(self.x, self.w, other.x)
            || apart(other.x, other.w, self.x)
            || apart(self.y, self.h, other.y)
            || apart(other.y, other.h, self.y))
    }

    /// What a pane's program gets of its rectangle: all but the frame, and never less than one cell.
    pub fn inside_frame(&self) -> Rect {
        let inset = |at: u16, len: u16| if len > 2 { (at + 1, len - 2) } else { (at, len.max(1)) };
        let (x, w) = inset(self.x, self.w);
        let (y, h) = inset(self.y, self.h);
        Rect { x, y, w, h }
    }
}

impl Layout {
    /// Every pane, in reading order.
    pub fn panes(&self) -> Vec<PaneId> {
        let mut all = Vec::new();
        self.visit(&mut |pane| all.push(pane));
        all
    }

    /// Whether the pane is in this tree.
    pub fn contains(&self, pane: PaneId) -> bool {
        let mut found = false;
        self.visit(&mut |p| found |= p == pane);
        found
    }

    fn visit(&self, each: &mut impl FnMut(PaneId)) {
        match self {
            Layout::Pane(pane) => each(*pane),
            Layout::Split { children, .. } => children.iter().for_each(|(_, child)| child.visit(each)),
        }
    }

    /// The rectangle of every pane within `area`, in reading order. The last child takes what
    /// rounding leaves. In an area too small for all, panes may get no cells; none overlap.
    pub fn solve(&self, area: Rect) -> Vec<(PaneId, Rect)> {
        let mut out = Vec::new();
        self.solve_into(area, &mut out);
        out
    }

    fn solve_into(&self, area: Rect, out: &mut Vec<(PaneId, Rect)>) {
        match self {
            Layout::Pane(pane) => out.push((*pane, area)),
            Layout::Split { axis, children } => {
                let length = match axis {
                    Axis::Row => area.w,
                    Axis::Column => area.h,
                };
                let mut at = 0;
                for ((_, child), part) in children.iter().zip(shares(children, length)) {
                    let rect = match axis {
                        Axis::Row => Rect { x: area.x + at, w: part, ..area },
                        Axis::Column => Rect { y: area.y + at, h: part, ..area },
                    };
                    child.solve_into(rect, out);
                    at += part;
                }
            }
        }
    }
}

/// Divides `length` cells by weight; the parts always add up to `length`.
pub fn shares<T>(children: &[(u32, T)], length: u16) -> Vec<u16> {
    let total: u64 = children.iter().map(|(weight, _)| u64::from(*weight)).sum::<u64>().max(1);
    let mut passed = 0u64;
    let mut at = 0u16;
    let mut parts = Vec::with_capacity(children.len());
    for (weight, _) in children {
        passed += u64::from(*weight);
        // Cumulative rounding: no child drifts by more than half a cell from its true share.
        let end = ((u64::from(length) * passed + total / 2) / total).min(u64::from(length)) as u16;
        parts.push(end.saturating_sub(at));
        at = end.max(at);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(axis: Axis, parts: &[(u32, Layout)]) -> Layout {
        Layout::Split { axis, children: parts.to_vec() }
    }

    #[test]
    fn parts_fill_the_area_without_overlap() {
        let tree = split(
            Axis::Row,
            &[
                (1, Layout::Pane(PaneId(1))),
                (
                    2,
                    split(
                        Axis::Column,
                        &[
                            (1, Layout::Pane(PaneId(2))),
                            (1, Layout::Pane(PaneId(3))),
                            (1, Layout::Pane(PaneId(4))),
                        ],
                    ),
                ),
            ],
        );
        for w in 0..70u16 {
            for h in 0..30u16 {
                let rects = tree.solve(Rect::sized(w, h));
                let cells: u32 = rects.iter().map(|(_, r)| u32::from(r.w) * u32::from(r.h)).sum();
                assert_eq!(cells, u32::from(w) * u32::from(h), "{w}x{h}");
            }
        }
    }

    #[test]
    fn a_floating_pane_stays_inside_and_keeps_its_cells() {
        for (w, h) in [(0, 0), (1, 1), (5, 3), (80, 24), (600, 200)] {
            let area = Rect { x: 4, y: 1, w, h };
            for float in [
                Floating { pane: PaneId(1), x: 0, y: 0, w: 0, h: 0 },
                Floating { pane: PaneId(1), x: 900, y: 900, w: 600, h: 600 },
                Floating { pane: PaneId(1), x: 200, y: 200, w: 600, h: 600 },
                Floating { pane: PaneId(1), x: u16::MAX, y: 7, w: u16::MAX, h: u16::MAX },
            ] {
                let rect = float.rect(area);
                assert!(rect.x >= area.x && rect.x + rect.w <= area.x + area.w, "{rect:?} in {area:?}");
                assert!(rect.y >= area.y && rect.y + rect.h <= area.y + area.h, "{rect:?} in {area:?}");
                assert!(w == 0 || h == 0 || rect.w > 0 && rect.h > 0);
                let again = Floating::of_rect(PaneId(1), rect, area);
                assert_eq!(again.rect(area), rect);
            }
        }
    }

    #[test]
    fn a_frame_leaves_at_least_one_cell() {
        assert_eq!(Rect::sized(1, 1).inside_frame(), Rect::sized(1, 1));
        assert_eq!(Rect::sized(80, 24).inside_frame(), Rect { x: 1, y: 1, w: 78, h: 22 });
    }
}
