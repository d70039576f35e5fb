//! Transcripts of panes, tabs and workspaces: what is asked, what happens, what the tree is then.
//!
//! Not here: who may ask (`rights`), agents (`agents`).

mod common;

use common::{Scene, astray, inside, outside, request, verb};
use kraal_api::model::Exit;
use kraal_api::stream::Area;
use kraal_api::{ConnId, PaneId};
use kraal_core::Input;

#[test]
fn the_first_client_finds_a_shell() {
    let mut scene = Scene::default();
    scene.attach(1, 82, 26, None);
    scene.input(Input::Started { pane: PaneId(1), pid: 101 });
    scene.note("a second one, larger, shows the same tab; then the first one types");
    scene.attach(2, 122, 42, None);
    scene.input(Input::ClientActive { conn: ConnId(1) });
    scene.input(Input::ClientArea { conn: ConnId(1), area: Area { cols: 1, rows: 0 } });
    scene.input(Input::Closed { conn: ConnId(1) });
    scene.note("another workspace by name");
    scene.attach(3, 80, 24, Some("web"));
    scene.tree();
    insta::assert_snapshot!(scene.text);
}

#[test]
fn panes_split_move_and_close() {
    let mut scene = Scene::attached();
    scene.running(
        r#"{"Run":{"argv":["vi","a b"],"opening":{"name":"edit","env":{"A":"1","KRAAL_TOKEN":"mine"}}}}"#,
    );
    scene.running(r#"{"Run":{"opening":{"place":"down","cwd":"sub","from":"edit"}}}"#);
    scene.tree();
    scene.note("borders, zoom, swap");
    scene.user(r#"{"ResizePane":{"pane":1,"direction":"right","cells":10}}"#);
    scene.user(r#"{"Zoom":{"pane":"api:edit"}}"#);
    scene.user(r#"{"Zoom":{"pane":2}}"#);
    scene.user(r#"{"SwapPane":{"pane":1,"with":3}}"#);
    scene.tree();
    scene.note("to a tab of its own, and back beside the focus of the first");
    scene.user(r#"{"MovePane":{"pane":3}}"#);
    scene.user(r#"{"MovePane":{"pane":3,"to":1}}"#);
    scene.tree();
    scene.note("a shell that ends closes its pane, the neighbour takes room and focus");
    scene.input(Input::Exited { pane: PaneId(3), exit: Exit::Code(0) });
    scene.tree();
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_command_stays_when_it_ends() {
    let mut scene = Scene::attached();
    scene.running(r#"{"Run":{"argv":["make"],"opening":{"name":"build"}}}"#);
    scene.input(Input::Exited { pane: PaneId(2), exit: Exit::Code(2) });
    scene.user(r#"{"SendText":{"pane":"build","text":"x"}}"#);
    scene.note("Enter runs it again; text waits until it runs");
    scene.user(r#"{"Rerun":{"pane":"build"}}"#);
    scene.user(r#"{"Rerun":{"pane":"build"}}"#);
    scene.user(r#"{"SendText":{"pane":"build","text":"yes"}}"#);
    scene.user(r#"{"SendKeys":{"pane":"build","keys":["enter"]}}"#);
    scene.input(Input::Started { pane: PaneId(2), pid: 7 });
    scene.note("it cannot be started; then another takes its place");
    scene.input(Input::Exited { pane: PaneId(2), exit: Exit::Signal(9) });
    scene.user(r#"{"Rerun":{"pane":"build"}}"#);
    scene.user(r#"{"SendText":{"pane":"build","text":"lost?"}}"#);
    scene.input(Input::StartFailed { pane: PaneId(2), reason: "make: no such\u{1b}[2J program".to_owned() });
    scene.user(r#"{"Run":{"argv":["ninja"],"opening":{"place":"here","from":"build","at_end":"close"}}}"#);
    scene.input(Input::Started { pane: PaneId(3), pid: 8 });
    scene.user(r#"{"Run":{"opening":{"place":"here"}}}"#);
    scene.note("one that closes at its end");
    scene.input(Input::Exited { pane: PaneId(3), exit: Exit::Code(0) });
    scene.tree();
    insta::assert_snapshot!(scene.text);
}

#[test]
fn names_find_panes_or_say_why_not() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        scene.running(r#"{"Rename":{"pane":1,"name":"logs"}}"#);
        scene.user(r#"{"OpenWorkspace":{"name":"web","folder":"/src/web"}}"#);
        scene.user(r#"{"Rename":{"pane":2,"name":"logs"}}"#);
        scene.user(r#"{"Run":{"opening":{"name":"web:tests"}}}"#);
    });
    for pane in
        [r#""logs""#, r#""api:logs""#, r#""web:logs""#, r#""lgos""#, r#""web:tests""#, r#""tests""#, "9"]
    {
        scene.user(&format!(r#"{{"ReadPane":{{"pane":{pane}}}}}"#));
    }
    scene.user(r#"{"Rename":{"pane":1,"name":"12"}}"#);
    scene.user(r#"{"Rename":{"pane":1,"name":"\u001b\u0007"}}"#);
    scene.user(r#"{"Rename":{"pane":1,"name":null}}"#);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn tabs_and_workspaces_come_and_go() {
    let mut scene = Scene::attached();
    scene.note("a tab in the background, then looked at");
    scene.ask(5, inside(1), request(r#"{"CreateSession":{"name":"Docs"}}"#));
    scene.ask(5, inside(1), request(r#""Sessions""#));
    scene.user(r#"{"LookAt":{"tab":2}}"#);
    scene.user(r#"{"LookAt":{"tab":9}}"#);
    scene.user(r#"{"MoveTab":{"tab":2,"by":-5}}"#);
    scene.user(r#"{"RenameTab":{"tab":2,"name":"  Read\tme "}}"#);
    scene.note("workspaces of the same name; one is known by its folder");
    scene.user(r#"{"OpenWorkspace":{"folder":"/other/api"}}"#);
    scene.user(r#"{"OpenWorkspace":{"folder":"/src/api"}}"#);
    scene.user(r#"{"RenameWorkspace":{"workspace":"api-2","name":"api"}}"#);
    scene.user(r#"{"RenameWorkspace":{"workspace":"apo","name":"x"}}"#);
    scene.tree();
    scene.note("a client that showed what closes shows its neighbour");
    scene.user(r#"{"CloseTab":{"tab":2}}"#);
    scene.user(r#"{"CloseWorkspace":{"workspace":"api"}}"#);
    scene.tree();
    scene.note("the end of the last pane is the end");
    scene.user(r#"{"ClosePane":{"pane":3}}"#);
    scene.user(r#"{"Run":{}}"#);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn a_lead_closes_sessions_of_its_group_only() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        scene.user(r#"{"OpenWorkspace":{"name":"web","folder":"/src/web"}}"#);
    });
    let close = |session: u64| request(&format!(r#"{{"CloseSession":{{"session":{session}}}}}"#));
    scene.ask(5, outside(), close(1));
    scene.ask(5, outside(), request(r#"{"CreateSession":{}}"#));
    scene.ask(5, outside(), close(2));
    scene.ask(5, outside(), close(3));
    scene.ask(5, outside(), close(8));
    scene.note("by the name of a group, and in none");
    scene.ask(6, outside(), request(r#"{"Hello":{"api":1,"group":"wbe"}}"#));
    scene.ask(6, outside(), request(r#"{"Hello":{"api":1,"name":"script 1","group":"web"}}"#));
    scene.ask(6, outside(), close(2));
    scene.ask(7, kraal_core::Peer::default(), close(2));
    scene.ask(8, astray(), close(2));
    scene.ask(9, outside(), request(r#"{"Hello":{"api":2}}"#));
    insta::assert_snapshot!(scene.text);
}

#[test]
fn panes_open_where_there_is_room() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        for _ in 0..9 {
            scene.user(r#"{"Run":{"argv":["top"]}}"#);
        }
    });
    scene.tree();
    scene.user(r#"{"Run":{"argv":["top"],"opening":{"place":"right","from":2}}}"#);
    scene.input(Input::ClientArea { conn: ConnId(1), area: Area { cols: 6, rows: 4 } });
    scene.user(r#"{"Run":{"argv":["top"],"opening":{"place":"right"}}}"#);
    scene.note("without a client, in a workspace that is made; from a pane of another one");
    scene.quietly(|scene| {
        scene.input(Input::Closed { conn: ConnId(1) });
    });
    scene.ask(
        3,
        outside(),
        verb(r#"{"Run":{"argv":["top"],"opening":{"workspace":"new","attention":"background"}}}"#),
    );
    scene.ask(3, outside(), verb(r#"{"Run":{"argv":["top"],"opening":{"workspace":"new","from":1}}}"#));
    scene.ask(3, outside(), verb(r#"{"Run":{"argv":[""]}}"#));
    insta::assert_snapshot!(scene.text);
}

#[test]
fn who_asks_for_a_pane_is_told_whether_its_program_runs() {
    let mut scene = Scene::attached();
    scene.note("it runs");
    scene.ask(5, outside(), verb(r#"{"Run":{"argv":["make"]}}"#));
    scene.input(Input::Started { pane: PaneId(2), pid: 20 });
    scene.note("it cannot be started: the pane goes");
    scene.ask(5, outside(), verb(r#"{"Run":{"argv":["mkae"]}}"#));
    let reason = "mkae was not found: install it or name another".to_owned();
    scene.input(Input::StartFailed { pane: PaneId(3), reason: reason.clone() });
    scene.note("it took another's place: the pane stays and says why");
    scene.input(Input::Exited { pane: PaneId(2), exit: Exit::Code(0) });
    scene.ask(5, outside(), verb(r#"{"Run":{"argv":["mkae"],"opening":{"place":"here","from":2}}}"#));
    scene.input(Input::StartFailed { pane: PaneId(4), reason: reason.clone() });
    scene.note("who looks at the session sees it in the pane");
    scene.user(r#"{"Run":{"argv":["mkae"]}}"#);
    scene.input(Input::StartFailed { pane: PaneId(5), reason });
    scene.note("closed before it ran");
    scene.ask(5, outside(), verb(r#"{"Run":{"argv":["slow"]}}"#));
    scene.user(r#"{"ClosePane":{"pane":6}}"#);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn panes_float_over_the_tiled_ones() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        scene.running(r#"{"Run":{"argv":["top"],"opening":{"place":"floating"}}}"#);
    });
    scene.tree();
    scene.note("a second one; it is moved, sized, out of reach, and grown by keys");
    scene.quietly(|scene| {
        scene.running(r#"{"Run":{"argv":["log"],"opening":{"place":"floating"}}}"#);
    });
    scene.user(r#"{"PlaceFloat":{"pane":3,"x":900,"y":0,"w":500,"h":250}}"#);
    scene.user(r#"{"ResizePane":{"pane":3,"direction":"left","cells":4}}"#);
    scene.user(r#"{"PlaceFloat":{"pane":1,"x":0,"y":0,"w":500,"h":250}}"#);
    scene.note("the lower one is raised by its focus; hidden, the focus goes to a tile");
    scene.user(r#"{"Focus":{"pane":2}}"#);
    scene.tree();
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    scene.tree();
    scene.user(r#"{"Focus":{"pane":3}}"#);
    scene.tree();
    scene.note("tiled, and the only tile cannot float");
    scene.user(r#"{"Float":{"pane":3}}"#);
    scene.user(r#"{"Float":{"pane":3}}"#);
    scene.quietly(|scene| {
        scene.user(r#"{"ClosePane":{"pane":3}}"#);
    });
    scene.user(r#"{"Float":{"pane":1}}"#);
    scene.note("the last tile closes: what floats takes its room");
    scene.user(r#"{"ClosePane":{"pane":1}}"#);
    scene.tree();
    scene.user(r#"{"HideFloats":{"tab":1}}"#);
    insta::assert_snapshot!(scene.text);
}

#[test]
fn floating_panes_come_back_as_they_were() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        scene.running(r#"{"Run":{"argv":["top"],"opening":{"place":"floating"}}}"#);
        scene.user(r#"{"PlaceFloat":{"pane":2,"x":10,"y":20,"w":300,"h":400}}"#);
    });
    let before = scene.world.model().workspaces;
    scene.restart(kraal_core::Revival::Running { alive: vec![(PaneId(1), None), (PaneId(2), None)] });
    assert_eq!(scene.world.model().workspaces, before);
}
