//! The attached client, on a terminal whose screen our own `term` reads.
//!
//! Not here: what each view looks like (`tui`'s own tests).

use kraal_testkit::{Attached, Sandbox, await_true};

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

/// Attaches, and waits for the shell's prompt.
fn attached(home: &Sandbox) -> Attached {
    let client = home.attach(&[], 100, 30);
    client.wait_text("$ ");
    client
}

#[test]
fn a_shell_is_there_and_detaching_leaves_it() {
    let home = sandbox();
    let client = attached(&home);
    client.type_text("echo one$((1+1))\r");
    client.wait_text("one2");
    let pane = home.panes()[0].pane;
    let pid = home.pid(pane);
    client.keys(&["ctrl+b", "d"]);
    let (code, screen) = client.end();
    assert_eq!(code, 0, "{}", screen.text());
    assert!(screen.has("[detached from session main]") && !screen.alternate, "{}", screen.text());
    assert_eq!(home.pid(pane), pid, "the shell lives on");

    let client = home.attach(&["attach"], 100, 30);
    client.wait_text("one2");
    assert_eq!(home.info().clients, 1);
}

#[test]
fn the_terminal_is_left_as_it_was_whatever_ends_the_client() {
    let home = sandbox();
    for signal in [15, 1] {
        let client = attached(&home);
        assert!(client.screen().alternate);
        client.signal(signal);
        let (_, screen) = client.end();
        assert!(!screen.alternate, "after signal {signal}: {}", screen.text());
        await_true("the server noticed", || home.info().clients == 0);
    }
    let client = attached(&home);
    home.ok(&["kill"]);
    let (code, screen) = client.end();
    assert!(code == 0 && !screen.alternate && screen.has("session main ended"), "{code} {}", screen.text());
}

#[test]
fn panes_split_close_and_zoom_by_keys() {
    let home = sandbox();
    let client = attached(&home);
    client.keys(&["alt+n"]);
    await_true("two panes", || home.panes().len() == 2);
    client.type_text("echo second\r");
    client.wait_text("second");
    let row = home.panes().into_iter().find(|row| row.focused).unwrap();
    let narrow = row.cols;
    client.keys(&["ctrl+b", "z"]);
    await_true("it fills the tab", || home.pane(row.pane).is_some_and(|now| now.cols > narrow));
    client.keys(&["ctrl+b", "z"]);
    await_true("and no longer", || home.pane(row.pane).is_some_and(|now| now.cols == narrow));
    client.type_text("exit\r");
    await_true("its pane closed with the shell", || home.panes().len() == 1);
}

#[test]
fn the_last_shell_ends_the_session() {
    let home = sandbox();
    let client = attached(&home);
    client.type_text("exit\r");
    let (code, screen) = client.end();
    assert!(code == 0 && screen.has("[session main ended"), "{code} {}", screen.text());
    await_true("nothing is left running", || home.processes().is_empty());
}

#[test]
fn any_size_will_do() {
    let home = sandbox();
    let client = attached(&home);
    for (cols, rows) in [(1, 1), (600, 200), (20, 5), (80, 24), (2, 60), (100, 30)] {
        client.resize(cols, rows);
    }
    await_true("the pane has the terminal's width again", || {
        home.panes().first().is_some_and(|row| (41..=100).contains(&row.cols) && row.rows <= 30)
    });
    client.type_text("echo still here\r");
    client.wait_for("the echo's own line", |s| {
        s.rows.iter().filter(|row| row.contains("still here")).count() >= 2
    });
}

#[test]
fn a_workspace_is_opened_by_its_name() {
    let home = sandbox();
    let client = home.attach(&["api"], 100, 30);
    client.wait_text("api");
    client.wait_text("$ ");
    assert_eq!(home.panes()[0].workspace, "api");
}

#[test]
fn two_clients_each_have_their_size() {
    let home = sandbox();
    let first = attached(&home);
    let second = home.attach(&[], 60, 20);
    second.wait_text("$ ");
    first.type_text("echo shared\r");
    second.wait_text("shared");
    first.wait_text("shared");
    assert_eq!(home.info().clients, 2);
    // One that stopped reading holds up nobody.
    second.signal(19);
    first.type_text("seq 1 20000; echo flood over\r");
    first.wait_for("the flood's end", |s| {
        s.rows.iter().any(|row| row.trim_matches(['│', ' ']) == "flood over")
    });
    second.signal(18);
    second.wait_text("flood over");
}

#[test]
fn alt_a_goes_to_the_agent_that_needs_you() {
    let home = sandbox();
    let client = attached(&home);
    let pane = home.sample(
        &["--tab", "--no-focus", "--name", "asker"],
        &["--scenario", "work:500ms,ask,work:500ms,done"],
    );
    home.ok(&["wait", "-p", "asker", "--state", "blocked"]);
    client.wait_text("blocked");
    client.keys(&["alt+a"]);
    client.wait_text("Allow this?");
    client.keys(&["enter"]);
    client.wait_text("Finished in");
    // It is looked at, so a finished turn is no news.
    client.focus(true);
    await_true("it is idle", || {
        let rows = home.json(&["agents", "--json"]);
        rows[0]["pane"] == pane.0 && rows[0]["state"] == "idle"
    });
}

#[test]
fn a_paste_arrives_as_one() {
    let home = sandbox();
    let client = attached(&home);
    let pane = home.panes()[0].pane;
    client.type_text("stty -echo; printf '\\033[?2004hrea''dy\\n'; cat -v\r");
    client.wait_text("ready");
    client.paste("one\ntwo\x1b[201~three\n");
    client.wait_text("two");
    client.type_text("\r");
    await_true("start and end of the paste arrived once each", || {
        let shown = home.read(pane);
        shown.contains("^[[200~one") && shown.matches("^[[201~").count() == 1
    });
}

#[test]
fn the_demo_shows_its_agents_and_leaves_nothing() {
    let mut home = sandbox();
    let temporary = home.root().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    home.set("TMPDIR", temporary.to_str().unwrap());
    let client = home.attach(&["demo"], 120, 40);
    client.wait_text("alt+a: the agent that needs you");
    client.wait_text("Fix the login redirect");
    client.keys(&["ctrl+b", "d"]);
    let (code, screen) = client.end();
    assert_eq!(code, 0, "{}", screen.text());
    assert!(screen.has("left nothing behind"), "{}", screen.text());
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    assert!(!home.root().join("state/kraal").exists(), "the user's own folders are untouched");

    let client = home.attach(&["demo"], 120, 40);
    client.wait_text("alt+a: the agent that needs you");
    client.signal(1);
    client.end();
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "also when the terminal closes");
}

#[test]
fn a_floating_pane_is_opened_moved_hidden_and_tiled() {
    use kraal_term::{MouseButton, MouseEvent, MouseKind};
    let home = sandbox();
    let client = attached(&home);
    client.type_text("echo be''low\r");
    client.wait_text("below");
    let pane = home.run(&["--floating", "--name", "notes", "--", "sh", "-c", "echo over; exec cat"]);
    let shown = client.wait_text("over");
    assert!(shown.has("below") && home.pane(pane).is_some_and(|row| row.floating && row.focused));
    client.type_text("typed into it\r");
    home.await_text(pane, "typed into it");

    // Its frame's top moves it, its corner sizes it.
    let drag = |from: (u16, u16), to: (u16, u16)| {
        let event = |kind, (x, y)| MouseEvent {
            kind,
            button: Some(MouseButton::Left),
            x,
            y,
            mods: kraal_term::keys::Mods::empty(),
        };
        client.mouse(&event(MouseKind::Press, from));
        client.mouse(&event(MouseKind::Move, to));
        client.mouse(&event(MouseKind::Release, to));
    };
    let corner = |screen: &kraal_testkit::Screen| screen.find("╭─ notes");
    let (x, y) = corner(&client.screen()).expect("its frame");
    drag((x + 10, y), (x + 10, y + 5));
    client.wait_for("it moved down", |screen| corner(screen) == Some((x, y + 5)));
    let before = home.pane(pane).expect("it is there");
    let (right, bottom) = (x + before.cols + 1, y + 5 + before.rows + 1);
    drag((right, bottom), (right - 6, bottom - 2));
    await_true("its program has fewer cells", || {
        home.pane(pane).is_some_and(|row| (row.cols, row.rows) == (before.cols - 6, before.rows - 2))
    });

    client.keys(&["ctrl+b", "ctrl+f"]);
    client.wait_for("it is out of sight", |screen| !screen.has("typed into it") && screen.has("+1"));
    client.type_text("echo be''neath\r");
    client.wait_text("beneath");
    client.keys(&["ctrl+b", "ctrl+f"]);
    client.wait_text("typed into it");

    // It comes back as it was, and is tiled.
    home.kill_server();
    home.ok(&["rename", "-p", &pane.to_string(), "noted"]);
    // The client is there again.
    client.wait_for("it is as it was", |screen| screen.has("╭─ noted") && screen.has("typed into it"));
    client.keys(&["ctrl+b", "F"]);
    await_true("it is tiled", || home.pane(pane).is_some_and(|row| !row.floating));
    assert!(home.ok(&["panes"]).lines().count() == 3);
}
