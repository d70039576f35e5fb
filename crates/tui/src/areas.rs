//! Where things are on the screen: bars, sidebar, panes, and which pane lies on which side.
//!
//! Not here: how a tab's layout becomes rectangles (`api::layout`, shared with the server), what is
//! drawn there (`draw`).

use kraal_api::PaneId;
use kraal_api::layout::Rect;
use kraal_api::model::Tab;
use kraal_api::panes::Direction;

/// Columns of the sidebar.
const SIDEBAR: u16 = 28;
/// Columns of the sidebar when it is folded.
const STRIP: u16 = 4;
/// The sidebar folds below this width of the screen.
const FOLD_BELOW: u16 = 84;
/// The sidebar goes below this one.
const NONE_BELOW: u16 = 40;
/// Below this height there is no bar on top.
const TABS_FROM: u16 = 6;
/// Below this height there is no bar below.
const BAR_FROM: u16 = 4;

/// The parts of the screen; a part that has no room is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Areas {
    /// The tabs, on top.
    pub(crate) tabs: Rect,
    /// The sidebar, on the left.
    pub(crate) side: Rect,
    /// The panes with their frames.
    pub(crate) panes: Rect,
    /// The bar below.
    pub(crate) bar: Rect,
}

/// Whether the user wants a sidebar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sidebar {
    /// As wide as there is room for.
    Auto,
    /// None.
    Off,
}

impl Areas {
    /// The parts of a screen of this size.
    pub(crate) fn new(cols: u16, rows: u16, sidebar: Sidebar) -> Self {
        let side = match (sidebar, cols) {
            (Sidebar::Off, _) | (_, 0..NONE_BELOW) => 0,
            (_, NONE_BELOW..FOLD_BELOW) => STRIP,
            _ => SIDEBAR,
        };
        let top = u16::from(rows >= TABS_FROM);
        let bottom = u16::from(rows >= BAR_FROM);
        let middle = rows - top - bottom;
        Areas {
            tabs: Rect { x: 0, y: 0, w: cols, h: top },
            side: Rect { x: 0, y: top, w: side, h: middle },
            panes: Rect { x: side, y: top, w: cols - side, h: middle },
            bar: Rect { x: 0, y: top + middle, w: cols, h: bottom },
        }
    }

    /// Whether the sidebar is folded to a strip.
    pub(crate) fn folded(&self) -> bool {
        self.side.w == STRIP
    }
}

/// The pane at a cell: of those in sight the one that is drawn last.
pub(crate) fn topmost(rects: &[(PaneId, Rect)], x: u16, y: u16) -> Option<(PaneId, Rect)> {
    rects.iter().rev().find(|(_, rect)| rect.contains(x, y)).copied()
}

/// The parts of a row, from `x` on and `w` cells long, over which none of these rectangles lies.
pub(crate) fn uncovered(over: &[(PaneId, Rect)], y: u16, (x, w): (u16, u16)) -> Vec<(u16, u16)> {
    let mut parts = vec![(x, x + w)];
    for (_, rect) in over.iter().filter(|(_, rect)| y >= rect.y && y - rect.y < rect.h) {
        let (from, to) = (rect.x, rect.x + rect.w);
        parts = parts.into_iter().flat_map(|(a, b)| [(a, b.min(from)), (a.max(to), b)]).collect();
        parts.retain(|(a, b)| a < b);
    }
    parts.into_iter().map(|(a, b)| (a, b - a)).collect()
}

/// The pane on one side of another that floats, or under it: the nearest that floats there, else the
/// tile under its middle.
pub(crate) fn from_float(tab: &Tab, area: Rect, pane: PaneId, towards: Direction) -> Option<PaneId> {
    let rects = tab.in_sight(area);
    let (_, own) = rects.iter().find(|(id, _)| *id == pane)?;
    let middle = |rect: &Rect| (i32::from(rect.x + rect.w / 2), i32::from(rect.y + rect.h / 2));
    let (x, y) = middle(own);
    let way = |rect: &Rect| {
        let (to_x, to_y) = middle(rect);
        match towards {
            Direction::Left => x - to_x,
            Direction::Right => to_x - x,
            Direction::Up => y - to_y,
            Direction::Down => to_y - y,
        }
    };
    let floating = rects.iter().filter(|(id, _)| *id != pane && tab.floats(*id));
    let nearest = floating.filter(|(_, rect)| way(rect) > 0).min_by_key(|(_, rect)| way(rect));
    let tiles = tab.layout.solve(area);
    let under = topmost(&tiles, own.x + own.w / 2, own.y + own.h / 2);
    nearest.copied().or(under).map(|(id, _)| id)
}

/// The pane on one side of another: of those it touches, the one it shares most with.
pub(crate) fn beside(rects: &[(PaneId, Rect)], pane: PaneId, towards: Direction) -> Option<PaneId> {
    let (_, from) = rects.iter().find(|(id, _)| *id == pane)?;
    let distance = |to: &Rect| match towards {
        Direction::Left => from.x.checked_sub(to.x + to.w),
        Direction::Right => to.x.checked_sub(from.x + from.w),
        Direction::Up => from.y.checked_sub(to.y + to.h),
        Direction::Down => to.y.checked_sub(from.y + from.h),
    };
    let shared = |to: &Rect| match towards {
        Direction::Left | Direction::Right => overlap((from.y, from.h), (to.y, to.h)),
        Direction::Up | Direction::Down => overlap((from.x, from.w), (to.x, to.w)),
    };
    rects
        .iter()
        .filter(|(id, to)| *id != pane && shared(to) > 0)
        .filter_map(|(id, to)| Some((distance(to)?, u16::MAX - shared(to), *id)))
        .min_by_key(|(far, unshared, _)| (*far, *unshared))
        .map(|(_, _, id)| id)
}

fn overlap(a: (u16, u16), b: (u16, u16)) -> u16 {
    let start = a.0.max(b.0);
    let end = (a.0 + a.1).min(b.0 + b.1);
    end.saturating_sub(start)
}

/// A border the mouse can drag: the pane and the side of it.
pub(crate) fn border_at(rects: &[(PaneId, Rect)], area: Rect, x: u16, y: u16) -> Option<(PaneId, Direction)> {
    let (pane, rect) = rects.iter().find(|(_, rect)| rect.contains(x, y))?;
    let inner = rect.inside_frame();
    if inner.contains(x, y) {
        return None;
    }
    let (right, bottom) = (rect.x + rect.w, rect.y + rect.h);
    // The screen's own edges do not move; a corner moves sideways.
    let sides = [
        (x == rect.x && rect.x > area.x, Direction::Left),
        (x + 1 == right && right < area.x + area.w, Direction::Right),
        (y == rect.y && rect.y > area.y, Direction::Up),
        (y + 1 == bottom && bottom < area.y + area.h, Direction::Down),
    ];
    sides.into_iter().find(|(there, _)| *there).map(|(_, side)| (*pane, side))
}

/// Where a pane's border is on its axis.
pub(crate) fn border(rects: &[(PaneId, Rect)], pane: PaneId, side: Direction) -> Option<u16> {
    let (_, rect) = rects.iter().find(|(id, _)| *id == pane)?;
    Some(match side {
        Direction::Left => rect.x,
        Direction::Right => (rect.x + rect.w).saturating_sub(1),
        Direction::Up => rect.y,
        Direction::Down => (rect.y + rect.h).saturating_sub(1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kraal_api::layout::{Axis, Layout};

    #[test]
    fn the_parts_cover_every_screen() {
        for cols in 0..130 {
            for rows in 0..30 {
                for sidebar in [Sidebar::Auto, Sidebar::Off] {
                    let a = Areas::new(cols, rows, sidebar);
                    let cells = |r: Rect| u32::from(r.w) * u32::from(r.h);
                    let sum = cells(a.tabs) + cells(a.side) + cells(a.panes) + cells(a.bar);
                    assert_eq!(sum, u32::from(cols) * u32::from(rows), "{cols}x{rows}");
                    assert!(rows == 0 || cols == 0 || (a.panes.w > 0 && a.panes.h > 0));
                }
            }
        }
        let side = |cols| Areas::new(cols, 24, Sidebar::Auto).side.w;
        assert_eq!([side(39), side(40), side(83), side(84)], [0, 4, 4, 28]);
    }

    #[test]
    fn what_floats_covers_rows_and_is_met_first() {
        let at = |x, y, w, h| Rect { x, y, w, h };
        let over = [(PaneId(8), at(10, 2, 20, 5)), (PaneId(9), at(25, 4, 10, 5))];
        assert_eq!(uncovered(&over, 1, (0, 80)), [(0, 80)]);
        assert_eq!(uncovered(&over, 3, (0, 80)), [(0, 10), (30, 50)]);
        assert_eq!(uncovered(&over, 5, (0, 80)), [(0, 10), (35, 45)]);
        assert_eq!(uncovered(&over, 5, (12, 10)), []);
        let rects = [(PaneId(1), Rect::sized(80, 20)), over[0], over[1]];
        assert_eq!(topmost(&rects, 26, 5).map(|(id, _)| id.0), Some(9));
        assert_eq!(topmost(&rects, 12, 5).map(|(id, _)| id.0), Some(8));
        assert_eq!(topmost(&rects, 2, 5).map(|(id, _)| id.0), Some(1));
    }

    fn three() -> Vec<(PaneId, Rect)> {
        let column = Layout::Split {
            axis: Axis::Column,
            children: vec![(1, Layout::Pane(PaneId(2))), (1, Layout::Pane(PaneId(3)))],
        };
        let row =
            Layout::Split { axis: Axis::Row, children: vec![(1, Layout::Pane(PaneId(1))), (1, column)] };
        row.solve(Rect::sized(80, 20))
    }

    #[test]
    fn neighbours_are_found() {
        let rects = three();
        let go = |from, to| beside(&rects, PaneId(from), to).map(|p| p.0);
        assert_eq!(go(1, Direction::Right), Some(2));
        assert_eq!(go(2, Direction::Down), Some(3));
        assert_eq!(go(3, Direction::Left), Some(1));
        assert_eq!(go(1, Direction::Up), None);
    }

    #[test]
    fn borders_between_panes_can_be_dragged_and_the_edges_not() {
        let rects = three();
        let area = Rect::sized(80, 20);
        let at = |x, y| border_at(&rects, area, x, y).map(|(p, d)| (p.0, d));
        assert_eq!(at(39, 5), Some((1, Direction::Right)));
        assert_eq!(at(40, 5), Some((2, Direction::Left)));
        assert_eq!(at(60, 9), Some((2, Direction::Down)));
        assert_eq!(at(60, 10), Some((3, Direction::Up)));
        assert_eq!(at(0, 5), None);
        assert_eq!(at(5, 5), None);
        assert_eq!(border(&rects, PaneId(1), Direction::Right), Some(39));
    }
}
