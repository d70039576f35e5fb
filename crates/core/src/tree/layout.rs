//! The operations that change a layout: split, remove, move a border, exchange. Pure functions on
//! `Layout`; weights are shares, so nothing here depends on a size but where a border is moved.
//!
//! Not here: how a layout becomes rectangles (`kraal_api::layout`), which pane is meant (`names`).

use kraal_api::PaneId;
use kraal_api::layout::{Axis, Layout, Rect, shares};
use kraal_api::panes::Direction;

/// The fewest columns a pane is given on purpose, its frame included.
pub(crate) const COLS_MIN: u16 = 4;
/// The fewest rows.
pub(crate) const ROWS_MIN: u16 = 3;
/// The fewest columns of a pane that is placed without being told where.
const AUTO_COLS_MIN: u16 = 20;
/// The fewest rows.
const AUTO_ROWS_MIN: u16 = 6;
/// Weights are drawn down before their sum passes this.
const WEIGHT_MAX: u64 = 1 << 24;

/// A cell is about twice as high as it is wide.
fn longer_side(rect: Rect) -> Axis {
    if u32::from(rect.w) >= 2 * u32::from(rect.h) { Axis::Row } else { Axis::Column }
}

/// Along which axis a pane of this size is split when nobody says, if it has the room.
pub(crate) fn auto_axis(rect: Rect) -> Option<Axis> {
    let roomy = |axis: &Axis| match axis {
        Axis::Row => rect.w / 2 >= AUTO_COLS_MIN && rect.h >= AUTO_ROWS_MIN,
        Axis::Column => rect.h / 2 >= AUTO_ROWS_MIN && rect.w >= AUTO_COLS_MIN,
    };
    let first = longer_side(rect);
    let second = if first == Axis::Row { Axis::Column } else { Axis::Row };
    [first, second].into_iter().find(roomy)
}

/// Whether a pane of this size can be split along the axis at all.
pub(crate) fn divisible(rect: Rect, axis: Axis) -> bool {
    match axis {
        Axis::Row => rect.w / 2 >= COLS_MIN,
        Axis::Column => rect.h / 2 >= ROWS_MIN,
    }
}

/// Puts `new` after `at`, which gives half of its room. False when `at` is not in the tree.
pub(crate) fn split(layout: &mut Layout, at: PaneId, axis: Axis, new: PaneId) -> bool {
    match layout {
        Layout::Pane(pane) if *pane == at => {
            let children = vec![(1, Layout::Pane(at)), (1, Layout::Pane(new))];
            *layout = Layout::Split { axis, children };
            true
        }
        Layout::Pane(_) => false,
        Layout::Split { axis: own, children } => {
            let direct = children.iter().position(|(_, child)| *child == Layout::Pane(at));
            match direct {
                Some(index) if *own == axis => {
                    insert_after(children, index, new);
                    true
                }
                _ => children.iter_mut().any(|(_, child)| split(child, at, axis, new)),
            }
        }
    }
}

fn insert_after(children: &mut Vec<(u32, Layout)>, index: usize, new: PaneId) {
    if children[index].0 < 2 {
        children.iter_mut().for_each(|(weight, _)| *weight = weight.saturating_mul(2));
    }
    let half = children[index].0 / 2;
    children[index].0 -= half;
    children.insert(index + 1, (half, Layout::Pane(new)));
    tame(children);
}

/// Takes a pane out; its neighbour takes the room and is the answer. None when the pane is not in
/// the tree or is all of it.
pub(crate) fn remove(layout: &mut Layout, pane: PaneId) -> Option<PaneId> {
    let Layout::Split { axis, children } = layout else { return None };
    let heir = match children.iter().position(|(_, child)| *child == Layout::Pane(pane)) {
        Some(index) => {
            let (room, _) = children.remove(index);
            let heir = index.saturating_sub(1);
            children[heir].0 = children[heir].0.saturating_add(room);
            let panes = children[heir].1.panes();
            if index == 0 { panes.first().copied() } else { panes.last().copied() }
        }
        None => children.iter_mut().find_map(|(_, child)| remove(child, pane)),
    };
    if heir.is_some() {
        if children.len() == 1 {
            *layout = children.remove(0).1;
        } else {
            flatten(*axis, children);
        }
    }
    heir
}

/// A split in a split of the same axis is one split.
fn flatten(axis: Axis, children: &mut Vec<(u32, Layout)>) {
    let same =
        |(_, child): &(u32, Layout)| matches!(child, Layout::Split { axis: inner, .. } if *inner == axis);
    while let Some(index) = children.iter().position(same) {
        let (weight, child) = children.remove(index);
        let Layout::Split { children: inner, .. } = child else { continue };
        let total: u64 = inner.iter().map(|(weight, _)| u64::from(*weight)).sum();
        for (outer, _) in children.iter_mut() {
            *outer = clamp(u64::from(*outer) * total);
        }
        let scaled =
            inner.into_iter().map(|(inner, child)| (clamp(u64::from(inner) * u64::from(weight)), child));
        children.splice(index..index, scaled);
        tame(children);
    }
}

fn clamp(weight: u64) -> u32 {
    u32::try_from(weight).unwrap_or(u32::MAX).max(1)
}

/// Keeps the sum of weights far from overflow; shares change by less than a cell.
fn tame(children: &mut [(u32, Layout)]) {
    let total: u64 = children.iter().map(|(weight, _)| u64::from(*weight)).sum();
    if total > WEIGHT_MAX {
        let by = total / (WEIGHT_MAX / 256);
        children.iter_mut().for_each(|(weight, _)| *weight = clamp(u64::from(*weight) / by));
    }
}

/// Every pane under another number.
pub(crate) fn renumber(layout: &mut Layout, number: &impl Fn(PaneId) -> PaneId) {
    match layout {
        Layout::Pane(pane) => *pane = number(*pane),
        Layout::Split { children, .. } => children.iter_mut().for_each(|(_, child)| renumber(child, number)),
    }
}

/// What moves where: a pane's border in an area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push {
    pub(crate) pane: PaneId,
    pub(crate) direction: Direction,
    pub(crate) cells: i32,
}

/// Moves the pane's border on that side, else the opposite one that way. False when it has neither.
pub(crate) fn push_border(layout: &mut Layout, area: Rect, push: Push) -> bool {
    push_side(layout, area, push, Side::Ahead) || push_side(layout, area, push, Side::Behind)
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Ahead,
    Behind,
}

fn push_side(layout: &mut Layout, area: Rect, push: Push, side: Side) -> bool {
    let Layout::Split { axis, children } = layout else { return false };
    let Some(index) = children.iter().position(|(_, child)| child.contains(push.pane)) else { return false };
    let length = if *axis == Axis::Row { area.w } else { area.h };
    let parts = shares(children, length);
    let inner = match axis {
        Axis::Row => Rect { w: parts[index], ..area },
        Axis::Column => Rect { h: parts[index], ..area },
    };
    if push_side(&mut children[index].1, inner, push, side) {
        return true;
    }
    let forward = matches!(push.direction, Direction::Right | Direction::Down);
    let after = forward == (side == Side::Ahead);
    let before_border = if after { Some(index) } else { index.checked_sub(1) };
    match before_border {
        Some(low) if *axis == push.direction.axis() && low + 1 < children.len() => {
            let cells = i64::from(push.cells) * if forward { 1 } else { -1 };
            move_border(*axis, children, &parts, (low, cells));
            true
        }
        _ => false,
    }
}

fn move_border(axis: Axis, children: &mut [(u32, Layout)], parts: &[u16], (low, cells): (usize, i64)) {
    let least = |at: usize| i64::from(least_length(&children[at].1, axis).min(parts[at]));
    let both = i64::from(parts[low]) + i64::from(parts[low + 1]);
    let size = (i64::from(parts[low]) + cells).clamp(least(low), both - least(low + 1));
    // Weights in cells from here on, so that the border stands exactly where it was put.
    for (at, (weight, _)) in children.iter_mut().enumerate() {
        let cells = match at {
            _ if at == low => size,
            _ if at == low + 1 => both - size,
            _ => i64::from(parts[at]),
        };
        *weight = clamp(cells.max(1).unsigned_abs());
    }
}

fn least_length(layout: &Layout, along: Axis) -> u16 {
    match layout {
        Layout::Pane(_) if along == Axis::Row => COLS_MIN,
        Layout::Pane(_) => ROWS_MIN,
        Layout::Split { axis, children } => {
            let each = children.iter().map(|(_, child)| least_length(child, along));
            if *axis == along { each.fold(0, u16::saturating_add) } else { each.max().unwrap_or(0) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { x: 0, y: 0, w: 80, h: 24 };

    fn pane(id: u64) -> Layout {
        Layout::Pane(PaneId(id))
    }

    fn rects(layout: &Layout) -> Vec<(u64, u16, u16, u16, u16)> {
        layout.solve(AREA).into_iter().map(|(p, r)| (p.0, r.x, r.y, r.w, r.h)).collect()
    }

    fn three() -> Layout {
        let mut layout = pane(1);
        assert!(split(&mut layout, PaneId(1), Axis::Row, PaneId(2)));
        assert!(split(&mut layout, PaneId(2), Axis::Column, PaneId(3)));
        layout
    }

    #[test]
    fn a_split_gives_half_of_the_pane() {
        assert_eq!(rects(&three()), [(1, 0, 0, 40, 24), (2, 40, 0, 40, 12), (3, 40, 12, 40, 12)]);
        let mut row = pane(1);
        split(&mut row, PaneId(1), Axis::Row, PaneId(2));
        split(&mut row, PaneId(1), Axis::Row, PaneId(3));
        assert_eq!(rects(&row), [(1, 0, 0, 20, 24), (3, 20, 0, 20, 24), (2, 40, 0, 40, 24)]);
        assert!(!split(&mut row, PaneId(9), Axis::Row, PaneId(4)));
    }

    #[test]
    fn the_neighbour_takes_the_room() {
        let mut layout = three();
        assert_eq!(remove(&mut layout, PaneId(2)), Some(PaneId(3)));
        assert_eq!(rects(&layout), [(1, 0, 0, 40, 24), (3, 40, 0, 40, 24)]);
        assert_eq!(remove(&mut layout, PaneId(3)), Some(PaneId(1)));
        assert_eq!(layout, pane(1));
        assert_eq!(remove(&mut layout, PaneId(1)), None);
    }

    #[test]
    fn a_split_that_loses_its_cross_axis_joins_its_parent() {
        let mut layout = three();
        split(&mut layout, PaneId(3), Axis::Row, PaneId(4));
        remove(&mut layout, PaneId(2));
        let Layout::Split { axis: Axis::Row, children } = &layout else { panic!("{layout:?}") };
        assert_eq!(children.len(), 3, "{layout:?}");
        assert_eq!(rects(&layout), [(1, 0, 0, 40, 24), (3, 40, 0, 20, 24), (4, 60, 0, 20, 24)]);
    }

    #[test]
    fn borders_move_by_cells_and_stop_at_the_least() {
        let push = |layout: &mut Layout, id, direction, cells| {
            push_border(layout, AREA, Push { pane: PaneId(id), direction, cells })
        };
        let mut layout = three();
        assert!(push(&mut layout, 1, Direction::Right, 5));
        assert_eq!(rects(&layout)[0], (1, 0, 0, 45, 24));
        // Pane 2 has no border on its right: the one on its left moves to the right.
        assert!(push(&mut layout, 2, Direction::Right, 3));
        assert_eq!(rects(&layout)[0], (1, 0, 0, 48, 24));
        assert!(push(&mut layout, 3, Direction::Up, 100));
        assert_eq!(rects(&layout)[1], (2, 48, 0, 32, ROWS_MIN));
        assert!(push(&mut layout, 1, Direction::Right, -1000));
        assert_eq!(rects(&layout)[0].3, COLS_MIN);
        assert!(!push(&mut layout, 1, Direction::Down, 1));
        assert!(!push(&mut pane(1), 1, Direction::Down, 1));
    }

    #[test]
    fn panes_are_placed_along_their_longer_side() {
        assert_eq!(auto_axis(Rect::sized(80, 24)), Some(Axis::Row));
        assert_eq!(auto_axis(Rect::sized(40, 24)), Some(Axis::Column));
        assert_eq!(auto_axis(Rect::sized(39, 11)), None);
        assert!(divisible(Rect::sized(8, 1), Axis::Row) && !divisible(Rect::sized(80, 5), Axis::Column));
    }

    #[test]
    fn weights_never_overflow() {
        let mut layout = pane(0);
        for id in 1..400 {
            assert!(split(&mut layout, PaneId(id - 1), Axis::Row, PaneId(id)));
        }
        let Layout::Split { children, .. } = &layout else { panic!() };
        assert!(children.iter().all(|(weight, _)| *weight >= 1));
        assert!(children.iter().map(|(weight, _)| u64::from(*weight)).sum::<u64>() <= WEIGHT_MAX * 2);
    }
}
