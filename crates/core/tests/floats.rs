//! Floating panes: what has the focus stays in sight, and goes back where it came from.
//!
//! Not here: the transcript of moving and sizing them (`panes`), any order at all (`properties`).

mod common;

use common::Scene;
use kraal_api::PaneId;
use kraal_api::layout::Rect;
use kraal_api::model::{Exit, Tab};
use kraal_core::Input;

/// Tiles 1, 2 and 3, and the focus on the second.
fn tiles() -> Scene {
    let mut scene = Scene::attached();
    for place in ["right", "down"] {
        scene.running(&format!(r#"{{"Run":{{"argv":["top"],"opening":{{"place":"{place}"}}}}}}"#));
    }
    scene.user(r#"{"Focus":{"pane":2}}"#);
    scene
}

fn float(scene: &mut Scene) -> PaneId {
    scene.running(r#"{"Run":{"argv":["top"],"opening":{"place":"floating"}}}"#)
}

fn tab(scene: &Scene) -> Tab {
    scene.world.model().workspaces[0].tabs[0].clone()
}

fn focus(scene: &Scene) -> u64 {
    let tab = tab(scene);
    let in_sight = tab.in_sight(Rect::sized(80, 24));
    assert!(in_sight.iter().any(|(pane, _)| *pane == tab.focus), "out of sight: {tab:?}");
    tab.focus.0
}

#[test]
fn nothing_is_hidden_where_nothing_floats() {
    let goes: [fn(&mut Scene); 3] = [
        |scene| drop(scene.user(r#"{"ClosePane":{"pane":4}}"#)),
        |scene| drop(scene.user(r#"{"Float":{"pane":4}}"#)),
        |scene| drop(scene.user(r#"{"MovePane":{"pane":4}}"#)),
    ];
    for go in goes {
        let mut scene = tiles();
        float(&mut scene);
        scene.user(r#"{"HideFloats":{"tab":1}}"#);
        assert!(tab(&scene).floats_hidden);
        go(&mut scene);
        let tab = tab(&scene);
        assert!(tab.floating.is_empty() && !tab.floats_hidden, "{tab:?}");
    }
    // The last tile goes: what was hidden takes its room.
    let mut scene = Scene::attached();
    float(&mut scene);
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    scene.user(r#"{"ClosePane":{"pane":1}}"#);
    assert!(!tab(&scene).floats_hidden && focus(&scene) == 2);
}

#[test]
fn a_pane_that_floats_in_anothers_stead_keeps_the_focus_in_sight() {
    let mut scene = tiles();
    float(&mut scene);
    float(&mut scene);
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    assert_eq!(focus(&scene), 2);
    scene.user(r#"{"SwapPane":{"pane":2,"with":4}}"#);
    assert_eq!(focus(&scene), 2, "it goes with its pane");
    let tab = tab(&scene);
    assert!(
        !tab.floats_hidden && tab.floating.last().is_some_and(|float| float.pane == PaneId(2)),
        "{tab:?}"
    );
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    assert_eq!(focus(&scene), 4, "that is where it was");
}

#[test]
fn the_focus_goes_back_to_the_tile_it_came_from() {
    let goes: [fn(&mut Scene); 4] = [
        |scene| drop(scene.user(r#"{"ClosePane":{"pane":4}}"#)),
        |scene| drop(scene.user(r#"{"HideFloats":{"tab":1}}"#)),
        |scene| drop(scene.user(r#"{"MovePane":{"pane":4}}"#)),
        |scene| drop(scene.input(Input::Exited { pane: PaneId(4), exit: Exit::Code(0) })),
    ];
    for go in goes {
        let mut scene = tiles();
        scene.running(r#"{"Run":{"opening":{"place":"floating"}}}"#);
        assert_eq!(focus(&scene), 4);
        go(&mut scene);
        assert_eq!(focus(&scene), 2);
    }
    // Over another floating one, over a new server, and with its neighbour when it is gone.
    let mut scene = tiles();
    float(&mut scene);
    float(&mut scene);
    scene.restart(kraal_core::Revival::Running { alive: (1..=5).map(|pane| (PaneId(pane), None)).collect() });
    scene.attach(1, 82, 26, None);
    scene.user(r#"{"ClosePane":{"pane":5}}"#);
    assert_eq!(focus(&scene), 4);
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    assert_eq!(focus(&scene), 2);
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    scene.user(r#"{"ClosePane":{"pane":2}}"#);
    assert_eq!(focus(&scene), 4);
    scene.user(r#"{"ClosePane":{"pane":4}}"#);
    assert_eq!(focus(&scene), 3);
}

#[test]
fn going_to_a_pane_hides_what_floats_over_it_however_often() {
    let mut scene = tiles();
    float(&mut scene);
    scene.note("two tiles are gone to at once, both under the floating one");
    scene.user(r#"{"Reveal":{"pane":2}}"#);
    scene.user(r#"{"Reveal":{"pane":3}}"#);
    assert!(tab(&scene).floats_hidden);
    assert_eq!(focus(&scene), 3);
    scene.note("what has the focus already may be covered");
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    scene.user(r#"{"Focus":{"pane":3}}"#);
    assert!(!tab(&scene).floats_hidden);
    scene.user(r#"{"Reveal":{"pane":3}}"#);
    scene.user(r#"{"Reveal":{"pane":3}}"#);
    assert!(tab(&scene).floats_hidden);
    scene.note(
        "nothing lies over one that floats, nor over a tile beside it, nor over one that fills the tab",
    );
    scene.user(r#"{"Reveal":{"pane":4}}"#);
    assert!(!tab(&scene).floats_hidden);
    assert_eq!(focus(&scene), 4);
    scene.user(r#"{"PlaceFloat":{"pane":4,"x":700,"y":700,"w":200,"h":200}}"#);
    scene.user(r#"{"Reveal":{"pane":1}}"#);
    assert!(!tab(&scene).floats_hidden);
    assert_eq!(focus(&scene), 1);
    scene.user(r#"{"Zoom":{"pane":3}}"#);
    scene.user(r#"{"Reveal":{"pane":3}}"#);
    assert_eq!((tab(&scene).floats_hidden, tab(&scene).zoomed), (false, Some(PaneId(3))));
}
