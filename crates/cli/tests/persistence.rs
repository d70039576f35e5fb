//! What outlives a session: after `kill`, after a reboot, after `kill -9` of both its processes.
//!
//! Not here: the server alone dying (`restart`).

use kraal_api::model::Phase;
use kraal_testkit::{Sandbox, await_true};

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

/// A shell with something said in it, and a named command in a tab of its own.
fn filled(home: &Sandbox) {
    let client = home.attach(&["api"], 100, 30);
    client.wait_text("$ ");
    client.type_text("echo remem''ber\r");
    client.wait_text("remember");
    client.keys(&["ctrl+b", "d"]);
    client.end();
    let job =
        home.run(&["--tab", "--no-focus", "--name", "job", "--", "sh", "-c", "echo job output; sleep 600"]);
    home.await_text(job, "job output");
}

/// What must be there again.
fn check(home: &Sandbox) {
    let client = home.attach(&["api"], 100, 30);
    client.wait_text("remember");
    client.wait_text("$ ");
    let rows = home.panes();
    assert_eq!(rows.len(), 2, "{rows:?}");
    let job = rows.iter().find(|row| row.name.as_deref() == Some("job")).expect("the command's pane");
    assert_eq!((job.workspace.as_str(), &job.phase), ("api", &Phase::Waiting), "a command waits for Enter");
    assert_eq!(job.argv[0], "sh");
    home.await_text(job.pane, "job output");
    home.ok(&["focus", "-p", "job"]);
    client.wait_text("job output");
    client.keys(&["enter"]);
    await_true("Enter runs it", || home.pane(job.pane).is_some_and(|row| row.phase == Phase::Running));
}

#[test]
fn a_killed_session_comes_back_as_it_was() {
    let home = sandbox();
    filled(&home);
    home.ok(&["kill"]);
    assert!(home.processes().is_empty(), "nothing runs on");
    let listed = home.json(&["ls", "--json"]);
    assert_eq!((&listed[0]["session"], &listed[0]["state"]), (&"main".into(), &"saved".into()));
    check(&home);
}

#[test]
fn both_processes_killed_lose_at_most_a_second() {
    let home = sandbox();
    filled(&home);
    let info = home.info();
    // What the last second changed may be lost: wait until what was said is on disk.
    let on_disk = |text: &str| {
        let files = std::fs::read_dir(home.state_of("main").join("panes")).into_iter().flatten().flatten();
        // One that is being written has another name still.
        let files = files.filter(|file| file.path().extension().is_some_and(|e| e == "ansi"));
        files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).any(|saved| saved.contains(text))
    };
    await_true("both panes' text is on disk", || on_disk("job output") && on_disk("remember"));
    for pid in [info.keeper, info.pid] {
        kraal_host::process::signal(u32::try_from(pid).unwrap(), 9);
    }
    await_true("the session is down", || home.kraal(&["panes"]).code == Some(3));
    check(&home);
}

#[test]
fn a_damaged_file_is_set_aside_and_said() {
    let home = sandbox();
    filled(&home);
    home.ok(&["kill"]);
    let mut damaged = 0;
    for entry in std::fs::read_dir(home.state_of("main")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && name != "lock" && name != "log" {
            std::fs::write(entry.path(), b"\x00damaged").unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0);
    let client = home.attach(&[], 100, 30);
    client.wait_text("$ ");
    let problems = home.info().problems;
    assert!(problems.iter().any(|problem| problem.contains("moved to")), "{problems:?}");
    let kept = std::fs::read_dir(home.state_of("main"))
        .unwrap()
        .flatten()
        .any(|entry| std::fs::read(entry.path()).is_ok_and(|bytes| bytes == b"\x00damaged"));
    assert!(kept, "the damaged file is still there, under another name");
}

#[test]
fn a_state_folder_that_cannot_be_written_costs_only_the_saving() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = sandbox();
    let state = home.root().join("state");
    // A file where the folder should be stops root too; a mode would not.
    std::fs::write(state.join("kraal"), "").unwrap();
    let pane = home.run(&["--", "sh", "-c", "echo runs; sleep 600"]);
    home.await_text(pane, "runs");
    let problems = home.info().problems;
    assert!(problems.iter().any(|problem| problem.contains("state")), "{problems:?}");
    home.ok(&["kill"]);
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o700)).unwrap();
}

/// A state folder on a file system of its own that can be filled: in a mount namespace, which needs
/// leave of the machine.
#[test]
fn a_full_disk_costs_only_the_saving_and_is_saved_once_there_is_room() {
    let home = sandbox();
    let state = home.root().join("state");
    let own = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let small = format!("mount -t tmpfs -o size=256k none {}", state.display());
    let allowed = home.program("unshare").args([own, "sh", "-c", &small]).output();
    if !allowed.is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: no file system can be mounted here");
        return;
    }
    let kraal = env!("CARGO_BIN_EXE_kraal");
    let start = format!("{small} && exec {kraal} run --name job -- sh -c 'echo runs; exec cat'");
    let done = home.program("unshare").args([own, "sh", "-c", &start]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let pane = home.panes()[0].pane;
    home.await_text(pane, "runs");

    // Seen from outside through the server's own root.
    let inside = std::path::PathBuf::from(format!("/proc/{}/root{}", home.info().pid, state.display()));
    let filler = inside.join("filler");
    let filled = std::fs::write(&filler, vec![0; 1024 * 1024]);
    assert!(filled.is_err(), "it is full");
    home.ok(&["rename", "-p", &pane.to_string(), "while-full"]);
    let told =
        |home: &Sandbox| home.info().problems.iter().any(|problem| problem.contains("cannot be saved"));
    await_true("it is said", || told(&home));
    assert!(home.kraal(&["doctor"]).stdout.contains("cannot be saved"));
    home.say(pane, "goes on");
    home.await_text(pane, "goes on");

    std::fs::remove_file(&filler).unwrap();
    let saved = |text: &str| {
        let files = std::fs::read_dir(inside.join("kraal/main")).into_iter().flatten().flatten();
        files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).any(|saved| saved.contains(text))
    };
    await_true("it is saved by itself once there is room", || saved("while-full"));
    await_true("and is a problem no more", || !told(&home));
    home.ok(&["kill"]);
}

#[test]
fn programs_that_ignore_hangups_are_not_left_behind() {
    let home = sandbox();
    let pane =
        home.run(&["--", "sh", "-c", "trap '' HUP TERM INT; echo stubborn; while :; do sleep 1; done"]);
    home.await_text(pane, "stubborn");
    let pid = home.pid(pane);
    home.ok(&["kill"]);
    assert!(!std::path::Path::new(&format!("/proc/{pid}/exe")).exists());
}

#[test]
fn a_closed_panes_program_ends_even_when_it_ignores_hangups() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let pane =
        home.run(&["--", "sh", "-c", "trap '' HUP TERM INT; echo stubborn; while :; do sleep 1; done"]);
    home.await_text(pane, "stubborn");
    let pid = home.pid(pane);
    home.ok(&["close", "-p", &pane.to_string()]);
    await_true("it is killed", || !std::path::Path::new(&format!("/proc/{pid}/exe")).exists());
    assert_eq!(home.panes().len(), 1);
}
