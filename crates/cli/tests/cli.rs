//! The command line itself: what it says when it cannot do what was asked, with the real binary.
//!
//! Not here: what commands do in a session (`panes`, `agents`, …).

use kraal_testkit::Sandbox;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

/// Status and the one line on standard error.
fn fails(home: &Sandbox, args: &[&str]) -> (i32, String) {
    let done = home.kraal(args);
    let lines: Vec<&str> = done.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "kraal {args:?} must say one line: {done:?}");
    (done.code.expect("no signal"), lines[0].to_owned())
}

#[test]
fn a_session_that_does_not_run_is_status_3() {
    let home = sandbox();
    for args in [
        &["panes"][..],
        &["agents", "--json"],
        &["read", "-p", "1"],
        &["send", "-p", "1", "x"],
        &["wait", "-p", "1"],
        &["events"],
        &["kill"],
        &["restart"],
        &["config", "reload"],
        &["notify", "x"],
    ] {
        let said = "kraal: no session 'main' runs: start it with `kraal -s main`".to_owned();
        assert_eq!(fails(&home, args), (3, said), "{args:?}");
    }
    let krad = home.krad(&["-s", "work", "list"]);
    assert_eq!((krad.code, krad.stderr.contains("no session 'work' runs")), (Some(3), true), "{krad:?}");
    assert_eq!(home.ok(&["ls"]), "no sessions: `kraal` starts one");
    assert_eq!(home.json(&["ls", "--json"]), serde_json::json!([]));
}

#[test]
fn wrong_usage_is_status_2_and_says_what_was_meant() {
    let home = sandbox();
    for (args, says) in [
        (&["run", "--nmae", "x"][..], "--name"),
        (&["agnets"], "did you mean `kraal agents`?"),
        (&["config", "chekc"], "'check'"),
        (&["events", "agent.chnaged"], "did you mean agent.changed?"),
        (&["read"], "which pane? Name it with -p"),
        (&["wait", "-p", "1", "--state", "bloked"], "did you mean blocked?"),
        (&["run", "--tab", "--right", "ls"], "cannot be used with"),
        (&["demo"], "must be a terminal"),
        (&[], "must be a terminal"),
        (&["attach"], "must be a terminal"),
    ] {
        let (code, line) = fails(&home, args);
        assert_eq!(code, 2, "{args:?}: {line}");
        assert!(line.contains(says), "{args:?}: {line}");
    }
    assert!(!home.socket_of("main").exists(), "nothing was started");
}

#[test]
fn bad_names_and_folders_are_one_sentence() {
    let mut home = sandbox();
    let (code, line) = fails(&home, &["-s", "a/b", "panes"]);
    assert!(code == 1 && line.contains("is no session name"), "{line}");
    let (code, line) = fails(&home, &["run", "--cwd", "/nonexistent", "ls"]);
    assert!(code == 1 && line.contains("/nonexistent"), "{line}");

    let long = home.root().join("r".repeat(120));
    home.set("XDG_RUNTIME_DIR", long.to_str().unwrap());
    let (code, line) = fails(&home, &["run", "ls"]);
    assert!(code == 1 && line.contains("XDG_RUNTIME_DIR"), "{line}");
    assert!(!long.exists(), "nothing half made");
}

#[test]
fn something_else_on_the_socket_is_told() {
    let home = sandbox();
    let socket = home.socket_of("main");
    let listener = kraal_host::socket::bind(&socket).unwrap();
    let stranger = std::thread::spawn(move || {
        use std::io::Write as _;
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"220 mail.example ESMTP\r\n").unwrap();
        std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    });
    let (code, line) = fails(&home, &["panes"]);
    assert!(code == 1 && line.contains("is not kraal"), "{line}");
    stranger.join().unwrap();

    std::fs::remove_file(&socket).unwrap();
    std::fs::write(&socket, "").unwrap();
    let (code, line) = fails(&home, &["run", "ls"]);
    assert!(code == 1 && line.contains("is no socket"), "{line}");
}

#[test]
fn a_runtime_folder_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        return; // Only root can give a folder away.
    }
    let home = sandbox();
    let folder = home.root().join("run/kraal");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::chown(&folder, Some(12345), None).unwrap();
    for args in [&["panes"][..], &["run", "ls"]] {
        let (code, line) = fails(&home, args);
        assert!(code == 1 && line.contains("belongs to user 12345"), "{args:?}: {line}");
    }
    std::os::unix::fs::chown(&folder, Some(0), None).unwrap();
}

#[test]
fn what_shells_and_man_need_comes_from_the_declaration() {
    let home = sandbox();
    for shell in ["bash", "zsh", "fish"] {
        let script = home.ok(&["completions", shell]);
        assert!(script.contains("kraal") && script.contains("close-on-exit"), "{shell}");
        assert!(!script.contains("__keeper"), "hidden commands stay hidden");
    }
    let page = home.ok(&["man"]);
    assert!(page.contains(".TH kraal") && page.contains("no\\-focus"), "{}", &page[..200]);
    assert!(home.ok(&["--version"]).starts_with("kraal 0."));
    assert!(home.ok(&["--help"]).contains("Exit status"));
    let schema: serde_json::Value = serde_json::from_str(&home.krad(&["schema"]).stdout).unwrap();
    assert!(schema["request"]["oneOf"].is_array() || schema["request"]["anyOf"].is_array(), "{schema}");
}

#[test]
fn doctor_says_what_to_do() {
    let mut home = sandbox();
    home.configure("them = 1\n");
    let found = home.json(&["doctor", "--json"]);
    let find = |check: &str| found.as_array().unwrap().iter().find(|f| f["check"] == check).cloned().unwrap();
    assert_eq!(find("terminal")["verdict"], "ok");
    assert_eq!(find("settings")["verdict"], "warn");
    assert!(find("settings")["found"].as_str().unwrap().contains("config.toml:1: there is no option them"));
    assert!(find("session")["found"].as_str().unwrap().contains("main does not run"));
    home.set("TERM", "dumb");
    let done = home.kraal(&["doctor"]);
    assert_eq!(done.code, Some(1));
    assert!(
        done.stdout.lines().any(|line| line.starts_with("fail") && line.contains("TERM is dumb")),
        "{done:?}"
    );
    assert!(!done.stdout.contains('\x1b'), "no colour into a pipe");
}

#[test]
fn output_into_a_closed_pipe_is_no_failure() {
    use std::process::Stdio;
    let home = sandbox();
    let mut child = home
        .program(env!("CARGO_BIN_EXE_kraal"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), String::from_utf8_lossy(&done.stderr).as_ref()), (Some(0), ""));
}
