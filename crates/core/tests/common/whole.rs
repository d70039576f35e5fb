//! What holds of every world, whatever came in or was read.
//!
//! Not here: what comes in.

use std::collections::BTreeSet;

use kraal_api::layout::Rect;
use kraal_api::model::Tab;
use kraal_api::{ConnId, PaneId};
use kraal_core::World;

/// Rooms that a tab may have.
const ROOMS: [Rect; 4] = [
    Rect { x: 0, y: 0, w: 1, h: 1 },
    Rect { x: 28, y: 1, w: 3, h: 2 },
    Rect { x: 0, y: 0, w: 80, h: 22 },
    Rect { x: 4, y: 1, w: 317, h: 83 },
];

/// SplitMix64: enough for tests, and the same on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u64) as usize]
    }
}

/// What holds of every tab.
fn check_tab(tab: &Tab) {
    assert!(tab.zoomed.is_none_or(|zoomed| zoomed == tab.focus), "{tab:?}");
    assert!(!tab.floats_hidden || !tab.floating.is_empty(), "nothing is hidden: {tab:?}");
    let back = tab.came_from;
    assert!(back.is_none_or(|tile| tab.floats(tab.focus) && tab.layout.contains(tile)), "{tab:?}");
    for area in ROOMS {
        let in_sight = tab.in_sight(area);
        assert!(in_sight.iter().any(|(pane, _)| *pane == tab.focus), "keys go out of sight: {tab:?}");
        for float in &tab.floating {
            let rect = float.rect(area);
            let within =
                |at: u16, length: u16, from: u16, room: u16| at >= from && at + length <= from + room;
            assert!(within(rect.x, rect.w, area.x, area.w), "{rect:?} in {area:?}");
            assert!(within(rect.y, rect.h, area.y, area.h), "{rect:?} in {area:?}");
        }
    }
}

/// What holds after every input.
pub fn check_whole(world: &World, now: u64) {
    let model = world.model();
    let mut placed = BTreeSet::new();
    for workspace in &model.workspaces {
        assert!(!workspace.tabs.is_empty(), "{workspace:?}");
        for tab in &workspace.tabs {
            check_tab(tab);
            for pane in tab.panes() {
                assert!(placed.insert(pane), "{pane} lies in two places");
                let (cols, rows) = world.pane_size(pane);
                assert!(cols >= 1 && rows >= 1);
            }
        }
    }
    let known: BTreeSet<PaneId> = model.panes.iter().map(|pane| pane.id).collect();
    assert_eq!(placed, known);
    let names: BTreeSet<&str> = model.workspaces.iter().map(|workspace| workspace.name.as_str()).collect();
    assert_eq!(names.len(), model.workspaces.len());
    assert!(world.next_deadline().is_none_or(|deadline| deadline > now));
    if !model.workspaces.is_empty() {
        for conn in (0..5).map(ConnId) {
            assert!(world.view(conn).is_none_or(|tab| model.tab(tab).is_some()));
        }
    }
}
