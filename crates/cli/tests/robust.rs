//! Bad input and bad days, with the real binary: what no caller's bytes and no lack may do.
//!
//! Not here: rights (`rights`), floods and slow readers (`load`), deaths of the server (`restart`,
//! `kills`).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

use kraal_api::model::Phase;
use kraal_api::{PaneId, Verb};
use kraal_testkit::{PATIENCE, Sandbox, await_some, await_true, is_running};
use serde_json::Value;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

/// Ends the session; says who stays when it does not.
fn end(home: &Sandbox) {
    let done = home.kraal(&["kill"]);
    let told = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let left: Vec<String> = home.processes().iter().map(|who| told(who.pid)).collect();
    assert_eq!(done.code, Some(0), "{done:?}, left: {left:#?}");
}

/// A connection below the envelope.
struct Raw(BufReader<UnixStream>);

impl Raw {
    fn connect(home: &Sandbox) -> Self {
        let stream = UnixStream::connect(home.socket_of("main")).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Raw(BufReader::new(stream))
    }

    /// Writes as far as the server takes it: it may hang up in between.
    fn say(&mut self, bytes: &[u8]) {
        let _ = self.0.get_mut().write_all(bytes);
    }

    /// The next answer; none at the end.
    fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => None,
            // Closed with bytes of ours unread.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))),
            Err(error) => panic!("nothing came: {error}"),
        }
    }
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("ok")
}

#[test]
fn what_is_no_request_ends_its_own_connection_only() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let server = home.info().pid;
    let mut other = home.api();
    let long = [vec![b'{'; 9 * 1024 * 1024], b"\n".to_vec()].concat();
    let unended = vec![b'x'; 9 * 1024 * 1024];
    let cases: [(&str, &[u8]); 6] = [
        ("9 MiB in a line", &long),
        ("9 MiB without an end", &unended),
        ("no JSON", b"List\n"),
        ("no object", b"[1,2]\n"),
        ("no UTF-8", b"{\"v\":1,\"id\":1,\"request\":\"\xff\"}\n"),
        ("an empty line", b"\n"),
    ];
    for (what, bytes) in cases {
        let mut raw = Raw::connect(&home);
        raw.say(bytes);
        if bytes.len() < 1024 {
            // Answered; a longer one may find the door closed before it has said everything.
            let answer = raw.hear().unwrap_or_else(|| panic!("{what}: no answer"));
            assert_eq!(code(&answer), "bad_request", "{what}: {answer}");
        }
        while let Some(answer) = raw.hear() {
            assert_eq!(code(&answer), "bad_request", "{what}: {answer}");
        }
        other.verb(Verb::Panes).unwrap_or_else(|e| panic!("{what}: another connection got {e}"));
    }
    assert_eq!(home.info().pid, server);
}

#[test]
fn what_is_no_good_request_is_answered_and_the_connection_goes_on() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let mut raw = Raw::connect(&home);
    for (line, wanted, names) in [
        (r#"{"v":1,"id":1,"request":"List","colour":"red"}"#, "bad_request", "colour"),
        (r#"{"v":1,"id":1,"request":{"Read":{"target":1,"linse":4}}}"#, "bad_request", "linse"),
        (r#"{"v":1,"id":1,"request":{"Verb":{"Focus":{"pane":1,"soft":true}}}}"#, "bad_request", "soft"),
        (r#"{"v":2,"id":1,"request":"List"}"#, "unsupported_version", "1"),
        (r#"{"v":1,"id":1,"request":{"Hello":{"api":9}}}"#, "unsupported_version", "1"),
        (r#"{"v":1,"id":1}"#, "bad_request", "request"),
        (r#"{"v":1,"id":[],"request":"List"}"#, "bad_request", "id"),
        (r#"{"v":1,"id":1,"request":"Lits"}"#, "unsupported", "List"),
        (r#"{"v":1,"id":1,"request":{"Read":{"target":99}}}"#, "not_found", "99"),
        (r#"{"v":1,"id":1,"request":{"Read":{"target":-1}}}"#, "bad_request", ""),
    ] {
        raw.say(format!("{line}\n").as_bytes());
        let answer = raw.hear().expect("an answer");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(code(&answer) == wanted && message.contains(names), "{line}: {answer}");
    }
    // Nested as deep as it likes.
    let deep = format!("{{\"v\":1,\"id\":1,\"request\":{}}}\n", "[".repeat(500_000));
    raw.say(deep.as_bytes());
    assert_eq!(code(&raw.hear().expect("an answer")), "bad_request");
    home.info();
}

#[test]
fn requests_of_one_connection_run_side_by_side() {
    let home = sandbox();
    let pane = home.run(&["--", "sleep", "600"]);
    let mut raw = Raw::connect(&home);
    let line = |id: &str, request: &str| format!("{{\"v\":1,\"id\":{id},\"request\":{request}}}\n");
    let wait = format!(r#"{{"Verb":{{"WaitPane":{{"pane":{pane},"until":{{"text":"never shown"}}}}}}}}"#);
    let all = [
        line("1", &wait),
        line("\"two\"", "\"List\""),
        line("3", "\"List\""),
        line("4", r#"{"Verb":"Info"}"#),
    ];
    // In pieces that end anywhere.
    for piece in all.concat().as_bytes().chunks(7) {
        raw.say(piece);
    }
    for wanted in [Value::from("two"), 3.into(), 4.into()] {
        let answer = raw.hear().expect("an answer");
        assert!(answer["id"] == wanted && code(&answer) == "ok", "{answer}");
    }
    // Closing one's own half leaves the answers to be read, and ends what waits.
    raw.say(line("5", r#"{"Verb":"Panes"}"#).as_bytes());
    raw.0.get_ref().shutdown(Shutdown::Write).expect("half closed");
    assert_eq!(raw.hear().expect("an answer")["id"], 5);
    assert_eq!(raw.hear(), None);
}

/// An xorshift generator: the same numbers in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }
}

/// Bytes that are nearly what the server expects: requests with pieces flipped, cut and doubled.
fn nearly(random: &mut Random) -> Vec<u8> {
    const SEEDS: [&str; 5] = [
        r#"{"v":1,"id":1,"request":"List"}"#,
        r#"{"v":1,"id":"a","token":"x","request":{"Read":{"target":1,"lines":3}}}"#,
        r#"{"v":1,"id":2,"request":{"Verb":{"SendText":{"pane":1,"text":"hello"}}}}"#,
        r#"{"v":1,"id":3,"request":{"Verb":{"Attach":{"stream":1,"area":{"cols":80,"rows":24}}}}}"#,
        r#"{"v":1,"id":4,"request":{"Verb":{"Events":{"types":["pane"]}}}}"#,
    ];
    let mut bytes = Vec::new();
    for _ in 0..=random.below(4) {
        bytes.extend_from_slice(SEEDS[random.below(SEEDS.len())].as_bytes());
        bytes.push(b'\n');
        if random.below(3) == 0 {
            // Perhaps frames of an attached client: a length and a kind.
            let length = random.below(40) as u32;
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend((0..length).map(|_| random.next() as u8));
        }
    }
    for _ in 0..random.below(6) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.next() as u8,
            1 => bytes.truncate(at.max(1)),
            2 => bytes.insert(at, random.next() as u8),
            _ => bytes.extend_from_within(at..),
        }
    }
    bytes
}

#[test]
fn random_bytes_on_the_socket_harm_nobody() {
    let home = sandbox();
    let pane = home.run(&["--", "sh", "-c", "stty -echo; echo here; sleep 600"]);
    home.await_text(pane, "here");
    let server = home.info().pid;
    let mut other = home.api();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..400 {
        let mut raw = Raw::connect(&home);
        let bytes = match round % 3 {
            0 => (0..random.below(3000)).map(|_| random.next() as u8).collect(),
            _ => nearly(&mut random),
        };
        raw.say(&bytes);
        if round % 2 == 0 {
            // What it makes of them, to the end.
            let _ = raw.0.get_ref().shutdown(Shutdown::Write);
            let mut rest = Vec::new();
            let _ = raw.0.read_to_end(&mut rest);
        }
        if round % 20 == 0 {
            other.verb(Verb::Panes).expect("another connection is served");
        }
    }
    let info = home.info();
    assert_eq!((info.pid, info.restarts), (server, 0));
    assert!(home.read(pane).contains("here"));
    await_true("none of them is attached any more", || home.info().clients == 0);
}

#[test]
fn without_descriptors_new_panes_are_refused_and_the_rest_goes_on() {
    let home = sandbox();
    let start = format!(
        "ulimit -Hn 96; ulimit -n 96; exec {} run -- sh -c 'echo first; sleep 600'",
        env!("CARGO_BIN_EXE_kraal")
    );
    let started = home.program("sh").args(["-c", &start]).output().expect("a shell");
    assert!(started.status.success(), "{started:?}");
    let mut refused = None;
    for _ in 0..60 {
        let done = home.kraal(&["run", "--tab", "--no-focus", "--", "sleep", "600"]);
        let why = if done.code == Some(0) {
            let pane = PaneId(done.stdout.trim().parse().expect("an id"));
            await_some("it started or not", || match home.pane(pane)?.phase {
                Phase::Starting => None,
                Phase::Failed(why) => Some(why),
                _ => Some(String::new()),
            })
        } else {
            done.stderr
        };
        if !why.is_empty() {
            refused = Some(why);
            break;
        }
    }
    let refused = refused.expect("at some pane there are no descriptors left");
    assert!(refused.contains("no descriptors are left"), "{refused}");
    let first = home.panes()[0].pane;
    assert!(home.ok(&["panes"]).contains("sleep"));
    home.await_text(first, "first");

    // Callers that hold every descriptor: who comes then is served when they leave, not before and
    // not never.
    let held: Vec<UnixStream> =
        (0..200).map_while(|_| UnixStream::connect(home.socket_of("main")).ok()).collect();
    let mut waits = Raw::connect(&home);
    waits.say(b"{\"v\":1,\"id\":1,\"request\":\"List\"}\n");
    drop(held);
    assert_eq!(code(&waits.hear().expect("an answer")), "ok");
    assert!(home.info().restarts == 0 && home.ok(&["panes"]).contains("sleep"));
}

#[test]
fn what_is_missing_is_said_in_one_sentence() {
    let mut home = sandbox();
    // A shell that is not there: its pane says so, the session lives.
    home.set("SHELL", "/no/such/shell");
    let first = home.run(&["--", "sh", "-c", "echo one; sleep 600"]);
    let failed = |home: &Sandbox, args: &[&str], what: &str| {
        let done = home.kraal(args);
        assert!(done.code == Some(1) && done.stdout.is_empty() && done.stderr.contains(what), "{done:?}");
        assert_eq!(done.stderr.lines().count(), 1, "{done:?}");
        assert_eq!(home.panes().len(), 1, "nothing is left of it");
    };
    failed(&home, &["run", "--tab"], "/no/such/shell");
    // A program, and an agent, that is not installed.
    failed(&home, &["run", "--", "no-such-program"], "no-such-program");
    failed(&home, &["agent", "gemini"], "gemini");
    // Who looks at the session sees it in the pane, and has it to close.
    let client = home.attach(&[], 100, 30);
    client.wait_text("one");
    client.keys(&["ctrl+b", "n"]);
    client.wait_text("/no/such/shell");
    client.keys(&["ctrl+b", "d"]);
    client.end();
    let shell = home.panes().last().expect("two panes").pane;
    let why = await_some("the failure", || match home.pane(shell)?.phase {
        Phase::Failed(why) => Some(why),
        _ => None,
    });
    assert!(why.contains("/no/such/shell") && why.lines().count() == 1, "{why}");
    home.await_text(first, "one");

    // A folder that is not there.
    let done = home.kraal(&["run", "--cwd", "/no/such/folder", "--", "pwd"]);
    match done.code {
        Some(0) => home.await_text(PaneId(done.stdout.trim().parse().expect("an id")), "home"),
        _ => assert!(done.stderr.contains("/no/such/folder") && done.stderr.lines().count() == 1, "{done:?}"),
    }
    end(&home);

    // A runtime path that no socket fits in: said, and nothing half started.
    let deep = home.root().join("d".repeat(60)).join("e".repeat(60));
    std::fs::create_dir_all(&deep).expect("folders");
    home.set("XDG_RUNTIME_DIR", &deep.display().to_string());
    let done = home.kraal(&["run", "--", "true"]);
    assert!(done.code == Some(1) && done.stderr.trim().lines().count() == 1, "{done:?}");
    assert!(done.stderr.contains("shorter"), "{done:?}");
    assert!(!any_file(&deep), "a server left something behind");
}

fn any_file(folder: &Path) -> bool {
    std::fs::read_dir(folder)
        .is_ok_and(|entries| entries.flatten().any(|entry| !entry.path().is_dir() || any_file(&entry.path())))
}

#[test]
fn a_state_folder_that_takes_nothing_costs_the_state_only() {
    let mut home = sandbox();
    // A file where the folder should be: root could write into any folder.
    let file = home.root().join("no-folder");
    std::fs::write(&file, "mine").expect("a file");
    home.set("XDG_STATE_HOME", &file.display().to_string());
    let pane = home.run(&["--", "sh", "-c", "echo runs; sleep 600"]);
    home.await_text(pane, "runs");
    let said = await_some("it says that nothing is saved", || {
        home.info().problems.into_iter().find(|problem| problem.contains("cannot be saved in"))
    });
    assert!(said.contains("no-folder") && said.lines().count() == 1, "{said}");
    // What a death of the server costs does not change.
    home.kill_server();
    home.await_text(pane, "runs");
    // Two starts still make one session.
    let again = home.run(&["--", "sleep", "600"]);
    assert_eq!(home.panes().len(), 2, "{again}");
    end(&home);
    assert_eq!(std::fs::read_to_string(file).expect("it is there"), "mine");
}

#[test]
fn a_typo_in_the_configuration_costs_its_line_only() {
    let home = sandbox();
    home.configure("scrolback = 100\nscrollback = 50\n[keys]\nzoom = 7\n");
    let pane = home.run(&["--", "sh", "-c", "seq 1 2000; sleep 600"]);
    home.await_text(pane, "2000");
    let problems = home.info().problems.join("\n");
    assert!(problems.contains("line 1") && problems.contains("scrollback"), "{problems}");
    let text = home.ok(&["read", "-p", &pane.to_string(), "--lines", "2000"]);
    assert!(text.lines().count() < 1900, "the rest applies: {} lines", text.lines().count());
    // No TOML at all.
    home.configure("= = =\n\u{0}\u{1b}]0;evil\u{7}");
    home.kraal(&["config", "reload"]);
    let shown = home.kraal(&["config", "check"]);
    let text = format!("{}{}", shown.stdout, shown.stderr);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert!(home.read(pane).contains("2000"));
}

#[test]
fn a_socket_that_nobody_serves_is_replaced() {
    let home = sandbox();
    let socket = home.socket_of("main");
    let folder = socket.parent().expect("a folder").to_owned();
    std::fs::create_dir_all(&folder).expect("a folder");
    for folder in [folder.as_path(), folder.parent().expect("a folder")] {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).expect("private");
    }
    drop(UnixListener::bind(&socket).expect("a socket"));
    assert!(socket.exists());
    let pane = home.run(&["--", "sh", "-c", "echo served; sleep 600"]);
    home.await_text(pane, "served");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&socket)), (0o700, 0o600));
}

#[test]
fn twenty_starts_at_once_make_one_session() {
    let home = sandbox();
    let starts: Vec<_> = (0..20)
        .map(|_| {
            let mut command = home.program(env!("CARGO_BIN_EXE_kraal"));
            command.args(["run", "--tab", "--no-focus", "--", "sleep", "600"]).spawn().expect("it runs")
        })
        .collect();
    let mut panes: Vec<String> = starts
        .into_iter()
        .map(|start| {
            let output = start.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).expect("text").trim().to_owned()
        })
        .collect();
    panes.sort();
    panes.dedup();
    assert_eq!(panes.len(), 20, "each has its own pane: {panes:?}");
    let rows = home.panes();
    let opened = rows.iter().filter(|row| row.argv.first().is_some_and(|arg| arg == "sleep")).count();
    assert_eq!(opened, 20);
    let keepers = std::fs::read_dir(home.root().join("run/kraal/keepers")).expect("the register").count();
    assert_eq!((keepers, home.info().restarts), (1, 0));
}

#[test]
fn bytes_that_kill_the_parser_cost_their_own_ring_only() {
    let mut home = sandbox();
    home.set("KRAAL_TEST_POISON", "p0ison");
    let calm = home.run(&["--name", "calm", "--", "sh", "-c", "seq 1 300; echo calm; sleep 600"]);
    home.await_text(calm, "calm");
    let pid = home.pid(calm);
    let script = "stty -echo; echo before; read x; printf 'p0%s\\n' ison; read x; echo after $x; sleep 600";
    let bad = home.run(&["--name", "bad", "--tab", "--no-focus", "--", "sh", "-c", script]);
    home.await_text(bad, "before");
    let bad_pid = home.pid(bad);
    // Its answer may be cut off by what it leads to.
    home.kraal(&["keys", "-p", "bad", "enter"]);
    await_true("the server came back without the pane's bytes", || {
        home.kraal(&["read", "-p", "bad"]).stdout.contains("set aside")
    });
    assert_eq!((home.pid(calm), home.pid(bad)), (pid, bad_pid), "the programs live");
    let text = home.ok(&["read", "-p", "calm", "--lines", "301"]);
    assert_eq!((text.lines().count(), text.lines().next()), (301, Some("1")));
    home.say(bad, "more");
    home.await_text(bad, "after more");
    let info = home.info();
    assert!(info.restarts > 0 && info.problems.iter().any(|p| p.contains("set aside")), "{info:?}");
    // They are kept for a report.
    assert!(
        std::fs::read_dir(home.state_of("main"))
            .is_ok_and(|entries| { entries.flatten().any(|e| tree_has(&e.path(), b"p0ison")) })
    );
}

fn tree_has(path: &Path, bytes: &[u8]) -> bool {
    if path.is_dir() {
        return std::fs::read_dir(path).is_ok_and(|all| all.flatten().any(|e| tree_has(&e.path(), bytes)));
    }
    std::fs::read(path).is_ok_and(|text| text.windows(bytes.len()).any(|window| window == bytes))
}

#[test]
fn nothing_is_left_after_a_kill() {
    let mut home = sandbox();
    let temporary = home.root().join("tmp");
    std::fs::create_dir(&temporary).expect("a folder");
    home.set("TMPDIR", temporary.to_str().expect("text"));
    let stubborn = "trap '' HUP TERM INT; echo stays; while :; do sleep 1; done";
    let pane = home.run(&["--", "sh", "-c", stubborn]);
    // One that left its pane, too.
    let away = home.run(&["--tab", "--", "sh", "-c", &format!("(({stubborn}) &); echo gone; sleep 600")]);
    home.await_text(pane, "stays");
    home.await_text(away, "gone");
    let before = home.processes();
    assert!(before.len() >= 6, "{before:?}");
    end(&home);
    await_true("no process is left", || !before.iter().any(|who| is_running(*who)));
    await_true("no socket and no entry is left", || {
        !home.socket_of("main").exists()
            && std::fs::read_dir(home.root().join("run/kraal/keepers")).map_or(0, Iterator::count) == 0
    });
    let mut left = Vec::new();
    files_below(&home.root().join("run"), &mut left);
    files_below(&temporary, &mut left);
    left.retain(|path| path.file_name().is_none_or(|name| name != "lock"));
    assert!(left.is_empty(), "{left:?}");
    let mut saved = Vec::new();
    files_below(&home.state_of("main"), &mut saved);
    assert!(
        !saved.iter().any(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains("tmp"))),
        "{saved:?}"
    );
    assert_eq!(home.kraal(&["panes"]).code, Some(3));
}

fn files_below(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}
