//! Laying the tiled panes of a tab out anew: columns, rows, one large and the rest beside it, a grid.
//!
//! Not here: changing one border or one place (`layout`).

use kraal_api::PaneId;
use kraal_api::layout::{Arrangement, Axis, Layout};

/// Those that `Next` goes through.
const ROUND: [Arrangement; 5] =
    [Arrangement::Columns, Arrangement::Rows, Arrangement::MainLeft, Arrangement::MainTop, Arrangement::Grid];
/// The share of the large pane against the others together.
const MAIN: (u32, u32) = (3, 2);

/// The layout of the same panes, in the same order.
pub(crate) fn arranged(layout: &Layout, how: Arrangement) -> Layout {
    let panes = layout.panes();
    let how = match how {
        Arrangement::Next => {
            let now = ROUND.iter().position(|known| made(&panes, *known) == *layout);
            ROUND[now.map_or(0, |at| (at + 1) % ROUND.len())]
        }
        other => other,
    };
    made(&panes, how)
}

fn made(panes: &[PaneId], how: Arrangement) -> Layout {
    match (how, panes) {
        (_, [one]) => Layout::Pane(*one),
        (Arrangement::Columns | Arrangement::Next, _) => even(Axis::Row, panes),
        (Arrangement::Rows, _) => even(Axis::Column, panes),
        (Arrangement::MainLeft, [main, rest @ ..]) => with_main(Axis::Row, *main, rest),
        (Arrangement::MainTop, [main, rest @ ..]) => with_main(Axis::Column, *main, rest),
        (Arrangement::Grid | Arrangement::MainLeft | Arrangement::MainTop, _) => grid(panes),
    }
}

fn even(axis: Axis, panes: &[PaneId]) -> Layout {
    match panes {
        [one] => Layout::Pane(*one),
        _ => Layout::Split { axis, children: panes.iter().map(|pane| (1, Layout::Pane(*pane))).collect() },
    }
}

fn with_main(axis: Axis, main: PaneId, rest: &[PaneId]) -> Layout {
    let across = if axis == Axis::Row { Axis::Column } else { Axis::Row };
    Layout::Split { axis, children: vec![(MAIN.0, Layout::Pane(main)), (MAIN.1, even(across, rest))] }
}

/// As many columns as rows, or one more; the last row may have fewer.
fn grid(panes: &[PaneId]) -> Layout {
    let columns = (1..=panes.len()).find(|columns| columns * columns >= panes.len()).unwrap_or(1);
    let rows: Vec<(u32, Layout)> = panes.chunks(columns).map(|row| (1, even(Axis::Row, row))).collect();
    match <[(u32, Layout); 1]>::try_from(rows) {
        Ok([(_, only)]) => only,
        Err(rows) => Layout::Split { axis: Axis::Column, children: rows },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kraal_api::layout::Rect;

    #[test]
    fn every_arrangement_keeps_every_pane_and_next_goes_round() {
        for count in 1..12u64 {
            let panes: Vec<PaneId> = (1..=count).map(PaneId).collect();
            let mut layout = even(Axis::Row, &panes);
            for _ in 0..ROUND.len() * 2 {
                layout = arranged(&layout, Arrangement::Next);
                assert_eq!(layout.panes(), panes);
                let rects = layout.solve(Rect::sized(120, 60));
                assert!(rects.iter().all(|(_, rect)| rect.w > 0 && rect.h > 0), "{count}: {layout:?}");
            }
            if count > 4 {
                let first = arranged(&even(Axis::Column, &panes), Arrangement::Columns);
                let mut seen = vec![first.clone()];
                let mut now = first.clone();
                loop {
                    now = arranged(&now, Arrangement::Next);
                    if now == first {
                        break;
                    }
                    seen.push(now.clone());
                }
                assert_eq!(seen.len(), ROUND.len());
            }
        }
    }
}
