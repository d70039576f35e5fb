//! The tests themselves.

use std::fs;

use kraal_host::keeper::{LaunchError, probe};
use kraal_host::process;

use super::place::{Place, until};

pub(crate) type Test = (&'static str, fn());

pub(crate) const TESTS: &[Test] = &[
    ("launch_run_end", launch_run_end),
    ("a_killed_server_loses_nothing", a_killed_server_loses_nothing),
    ("a_flood_over_many_kills_is_whole", a_flood_over_many_kills_is_whole),
    ("bytes_past_the_head_come_back", bytes_past_the_head_come_back),
    ("exits_while_no_server_ran_are_told", exits_while_no_server_ran_are_told),
    ("a_poisonous_pane_is_set_aside", a_poisonous_pane_is_set_aside),
    ("five_deaths_halt_until_asked", five_deaths_halt_until_asked),
    ("a_first_start_that_fails_leaves_nothing", a_first_start_that_fails_leaves_nothing),
    ("an_upgrade_keeps_everything", an_upgrade_keeps_everything),
    ("an_upgrade_that_fails_changes_nothing", an_upgrade_that_fails_changes_nothing),
    ("the_end_kills_what_ignores_it", the_end_kills_what_ignores_it),
    ("a_session_within_belongs_to_itself", a_session_within_belongs_to_itself),
    ("what_cannot_run_is_said", what_cannot_run_is_said),
    ("no_descriptors_left", no_descriptors_left),
    ("a_large_environment", a_large_environment),
    ("many_panes_come_back", many_panes_come_back),
    ("the_keepers_death_ends_the_server", the_keepers_death_ends_the_server),
    ("two_launches_make_one_keeper", two_launches_make_one_keeper),
    ("signals_and_a_second_run", signals_and_a_second_run),
    ("a_term_ends_it", a_term_ends_it),
];

fn launch_run_end() {
    let place = Place::up();
    place.script(1, "echo hello; read line; echo got $line; read line");
    place.shows(1, "hello");
    place.order(&["write", "1", "abc\n"]);
    place.shows(1, "got abc");
    assert!(place.launch().is_ok(), "a second launch finds it");
    place.order(&["end", "10000"]);
    place.ended();
}

fn a_killed_server_loses_nothing() {
    let place = Place::up();
    let first = place.script(1, "echo before; while read line; do echo did $line; done");
    let second = place.script(2, "read x");
    place.shows(1, "before");
    place.order(&["set-world", "the world as it was"]);
    for round in 1..4 {
        place.kill_server();
        place.order(&["write", "1", &format!("{round}\n")]);
        place.shows(1, &format!("did {round}"));
        assert_eq!((place.pid(1), place.pid(2)), (first, second));
        assert!(place.lives(first) && place.lives(second));
        assert_eq!(place.order(&["info"]), format!("{round} the server was ended by signal 9"));
        assert_eq!(place.order(&["world"]), "the world as it was");
    }
    place.printed(1, b"before\r\n1\r\ndid 1\r\n2\r\ndid 2\r\n3\r\ndid 3\r\n");
}

fn a_flood_over_many_kills_is_whole() {
    let place = Place::up();
    let lines = 150_000;
    let script = format!("read x; seq 1 {lines}; printf 'end\\0\\0'; read x");
    for pane in [1, 2] {
        place.script(pane, &script);
        place.order(&["write", &pane.to_string(), "\n"]);
    }
    let count = |pane: u64| -> u64 {
        let answer = place.order(&["tally", &pane.to_string()]);
        answer.split(' ').next().unwrap().parse().unwrap()
    };
    // The kill comes wherever the server happens to be in its reading.
    for _ in 0..12 {
        let before = count(1);
        until("progress", || (count(1) > before || before > 900_000).then_some(()));
        place.kill_server();
    }
    let mut whole = b"\r\n".to_vec();
    (1..=lines).for_each(|line| whole.extend(format!("{line}\r\n").bytes()));
    whole.extend(b"end\0\0");
    for pane in [1, 2] {
        place.printed(pane, &whole);
    }
}

fn bytes_past_the_head_come_back() {
    let place = Place::up();
    place.script(1, "stty -echo; echo one; read x; printf two; read x; echo three; read x");
    place.shows(1, "one");
    place.order(&["hold"]);
    place.order(&["write", "1", "\n"]);
    until("unread output", || (place.order(&["read-past-head", "1"]) == "3").then_some(()));
    place.kill_server();
    place.shows(1, "two");
    place.order(&["write", "1", "\n"]);
    place.printed(1, b"one\r\ntwothree\r\n");
}

fn exits_while_no_server_ran_are_told() {
    let place = Place::up();
    let pid = place.script(1, "read x; echo last words; exit 7");
    let killed = place.script(2, "read x");
    place.order(&["hold"]);
    // A stopped server cannot read; its successor must.
    let server = place.server();
    process::signal(server, 19);
    process::signal(killed, 9);
    until("its end", || (!place.lives(killed)).then_some(()));
    assert!(place.lives(pid));
    process::signal(server, 9);
    until("the exit", || place.try_order(&["exit-of", "2"]).filter(|exit| exit == "Signal(9)"));
    place.order(&["write", "1", "\n"]);
    until("the exit", || place.try_order(&["exit-of", "1"]).filter(|exit| exit == "Code(7)"));
    place.kill_server();
    until("the exit", || place.try_order(&["exit-of", "1"]).filter(|exit| exit == "Code(7)"));
    place.printed(1, b"\r\nlast words\r\n");
}

fn a_poisonous_pane_is_set_aside() {
    let place = Place::up();
    let good = place.script(1, "while read x; do echo fine $x; done");
    let bad = place.script(2, "read x; echo POI''SON; while read x; do echo on $x; done");
    place.order(&["write", "1", "a\n"]);
    place.shows(1, "fine a");
    place.order(&["write", "2", "\n"]);
    let fault = until("a pane set aside", || place.try_order(&["fault", "2"]));
    assert!(fault.contains("POISON"), "its bytes are kept for a report: {fault:?}");
    assert!(place.lives(good) && place.lives(bad));
    place.shows(1, "fine a");
    for pane in ["1", "2"] {
        place.order(&["write", pane, "b\n"]);
    }
    place.shows(1, "fine b");
    place.shows(2, "on b");
    assert_eq!(place.order(&["info"]), "2 the server was ended by signal 6");
    assert!(place.log().contains("pane 2"), "{}", place.log());
}

fn five_deaths_halt_until_asked() {
    let place = Place::up();
    let program = place.script(1, "while read x; do echo fine $x; done");
    let refuse = place.main().state.join("refuse");
    fs::write(&refuse, "no such luck").unwrap();
    place.kill_server();
    let halted = until("a halt", || fs::read_to_string(place.main().halted).ok());
    assert!(halted.contains("five times") && halted.ends_with("no such luck"), "{halted}");
    assert!(place.lives(program));
    let error = place.launch().unwrap_err().to_string();
    assert!(error.contains("no such luck"), "{error}");
    assert!(place.lives(program));
    fs::remove_file(refuse).unwrap();
    place.launch().unwrap();
    assert!(!place.main().halted.exists());
    place.order(&["write", "1", "x\n"]);
    place.shows(1, "fine x");
}

fn a_first_start_that_fails_leaves_nothing() {
    let place = Place::new();
    place.main().create().unwrap();
    fs::write(place.main().state.join("refuse"), "the moon is wrong").unwrap();
    let error = place.launch().unwrap_err();
    assert!(matches!(&error, LaunchError::Refused(reason) if reason == "the moon is wrong"), "{error}");
    until("the keeper's end", || place.keeper_of("main").is_none().then_some(()));
    until("the lock", || kraal_host::lock::holder(&place.main().lock).is_none().then_some(()));
    fs::remove_file(place.main().state.join("refuse")).unwrap();
    place.launch().unwrap();
}

fn an_upgrade_keeps_everything() {
    let place = Place::up();
    let first = place.script(1, "echo start; while read x; do echo did $x; done");
    let dying = place.script(2, "read x; exit 3");
    place.order(&["reserve", "3"]);
    place.heard("Reserved { pane: 3 }");
    place.shows(1, "start");
    place.order(&["set-world", "kept"]);
    let keeper = place.keeper();
    let new = place.copy_of_exe();
    probe(&new).unwrap();
    for round in 1..3 {
        let server = process::identity(place.server()).unwrap();
        place.order(&["upgrade", new.to_str().unwrap()]);
        until("the old server's end", || (!process::is_alive(server)).then_some(()));
        assert_eq!(place.order(&["info"]), format!("{round} "));
        assert_eq!(place.keeper(), keeper, "the same process");
        assert_eq!(process::exe(keeper).unwrap(), new);
        assert_eq!(process::exe(place.server()).unwrap(), new);
        assert_eq!((place.pid(1), place.pid(2)), (first, dying));
        place.order(&["write", "1", &format!("{round}\n")]);
        place.shows(1, &format!("did {round}"));
    }
    assert_eq!(place.order(&["world"]), "kept");
    place.order(&["write", "2", "\n"]);
    until("an exit", || place.try_order(&["exit-of", "2"]).filter(|exit| exit == "Code(3)"));
    // The new keeper restarts a server, and from the new binary.
    place.kill_server();
    place.printed(1, b"start\r\n1\r\ndid 1\r\n2\r\ndid 2\r\n");
    assert_eq!(process::exe(place.server()).unwrap(), new);
    place.order(&["end", "10000"]);
    place.ended();
}

fn an_upgrade_that_fails_changes_nothing() {
    let place = Place::up();
    let program = place.script(1, "while read x; do echo did $x; done");
    assert!(matches!(probe("/bin/true".as_ref()), Err(LaunchError::Stranger(_))));
    assert!(matches!(probe("/no/such".as_ref()), Err(LaunchError::Start { .. })));
    place.order(&["upgrade", "/no/such/kraal"]);
    assert!(place.heard("UpgradeFailed").contains("/no/such/kraal"));
    place.order(&["write", "1", "1\n"]);
    place.shows(1, "did 1");
    assert_eq!(place.order(&["info"]), "0 ");
    // No descriptor was left open for the next program.
    let next = place.script(2, "echo up; read x");
    place.shows(2, "up");
    let fds = fs::read_dir(format!("/proc/{next}/fd")).unwrap();
    // 10 and 255 are what shells keep for themselves.
    let mut fds: Vec<String> = fds.map(|fd| fd.unwrap().file_name().into_string().unwrap()).collect();
    fds.retain(|fd| !["10", "255"].contains(&fd.as_str()));
    fds.sort();
    assert_eq!(fds, ["0", "1", "2"]);
    assert!(place.lives(program));
}

fn the_end_kills_what_ignores_it() {
    let place = Place::up();
    let stubborn = "trap '' HUP TERM INT; echo ready $$; while :; do read x || read x </dev/null; done";
    place.script(1, stubborn);
    place.shows(1, "ready");
    // One that left its terminal's session and its parent.
    place.script(
        2,
        &format!(
            "(setsid sh -c \"{}\" & ) ; read x",
            "trap '' HUP TERM; echo \\$\\$ > /dev/fd/1; exec sleep 1000"
        ),
    );
    let tail = until("a pid", || place.try_order(&["tail", "2"]).filter(|tail| tail.ends_with('\n')));
    place.note(tail.trim().parse().unwrap());
    place.script(3, "sleep 1000 & echo $!; read x");
    let tail = until("a pid", || place.try_order(&["tail", "3"]).filter(|tail| tail.ends_with('\n')));
    place.note(tail.trim().parse().unwrap());
    // And one stopped.
    let stopped = place.script(4, "read x");
    process::signal(stopped, 19);
    place.order(&["end", "200"]);
    place.ended();
}

fn a_session_within_belongs_to_itself() {
    let place = Place::up();
    let exe = std::env::current_exe().unwrap();
    let root = place.root.path().display().to_string();
    let vars = format!("HOME={root} XDG_RUNTIME_DIR={root}");
    place.script(1, &format!("{vars} {} __keeper inner --exe {} & read x", exe.display(), exe.display()));
    let inner = until("an inner keeper", || place.keeper_of("inner"));
    assert!(process::ancestors(inner).iter().any(|who| who.pid == place.keeper()));
    until("an inner server", || {
        kraal_host::socket::is_live(&place.dirs.environment("inner").ok()?.socket).then_some(())
    });
    let outer = place.keeper();
    place.order(&["end", "0"]);
    until("the outer keeper's end", || place.keeper_of("main").is_none().then_some(()));
    until("the outer keeper's end", || (!place.lives(outer)).then_some(()));
    assert!(place.lives(inner));
    assert_eq!(place.keeper_of("inner"), Some(inner));
    place.note(inner);
}

fn what_cannot_run_is_said() {
    let place = Place::up();
    place.order(&["spawn", "1", "/", "no-such-shell"]);
    let heard = place.heard("SpawnFailed { pane: 1, errno: 2");
    assert!(heard.contains("no-such-shell was not found"), "{heard}");
    place.order(&["spawn", "2", "/no/such/folder", "sh"]);
    place.heard("cannot start in /no/such/folder");
    place.script(3, "read x");
    place.order(&["spawn", "3", "/", "sh"]);
    place.heard("pane 3 still runs");
    assert_eq!(place.order(&["pid", "1"]), "no such pane");
    place.order(&["end", "0"]);
    place.ended();
}

fn no_descriptors_left() {
    let place = Place::up();
    let program = place.script(1, "while read x; do echo did $x; done");
    place.order(&["spawn-starved", "2", "/", "sh", "-c", "read x"]);
    place.heard("SpawnFailed { pane: 2, errno: 24, message: \"no descriptors are left");
    place.heard("Exited { pane: 2, exit: Signal(9) }");
    place.order(&["write", "1", "x\n"]);
    place.shows(1, "did x");
    assert!(place.lives(program));
}

fn a_large_environment() {
    let place = Place::up();
    place.order(&["spawn-env", "1", "2"]);
    until("its length", || {
        place
            .try_order(&["tail", "1"])?
            .trim()
            .parse()
            .ok()
            .filter(|length: &u64| (200_000..201_000).contains(length))
    });
    place.note(place.pid(1));
    place.order(&["spawn-env", "2", "30"]);
    let heard = place.heard("SpawnFailed { pane: 2, errno: 7");
    assert!(heard.contains("too long for the system"), "{heard}");
    let said = place.order(&["spawn-env", "3", "45"]);
    assert!(said.contains("the keeper takes"), "{said}");
}

fn many_panes_come_back() {
    let place = Place::up();
    let panes: Vec<u64> = (1..=60).collect();
    for pane in &panes {
        place.order(&["spawn", &pane.to_string(), "/", "sh", "-c", &format!("echo pane {pane}; read x")]);
    }
    let pids: Vec<u32> = panes.iter().map(|pane| place.pid(*pane)).collect();
    panes.iter().for_each(|pane| drop(place.shows(*pane, &format!("pane {pane}\r\n"))));
    place.kill_server();
    for (pane, pid) in panes.iter().zip(&pids) {
        assert_eq!(place.pid(*pane), *pid);
        place.printed(*pane, format!("pane {pane}\r\n").as_bytes());
    }
    place.order(&["forget", "7"]);
    until("a hangup", || (!place.lives(pids[6])).then_some(()));
    place.order(&["end", "10000"]);
    place.ended();
}

fn the_keepers_death_ends_the_server() {
    let place = Place::up();
    place.script(1, "read x");
    place.note(place.server());
    process::signal(place.keeper(), 9);
    // The server sees the end of its link and goes, the program is hung up with its terminal.
    until("the end", || place.is_gone().then_some(()));
    assert_eq!(kraal_host::lock::holder(&place.main().lock), None);
    place.launch().unwrap();
    assert_eq!(place.order(&["pid", "1"]), "no such pane");
}

fn two_launches_make_one_keeper() {
    let place = Place::new();
    let (config, vars) = (place.main(), place.vars());
    let exe = std::env::current_exe().unwrap();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let config = kraal_host::keeper::LaunchConfig {
                    dirs: config.clone(),
                    exe: exe.clone(),
                    vars: vars.clone(),
                };
                scope.spawn(move || kraal_host::keeper::launch(&config))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap().unwrap());
    });
    place.note(place.keeper());
    until("one keeper", || (kraal_host::keeper::registered(&place.dirs.keepers()).len() == 1).then_some(()));
}

fn signals_and_a_second_run() {
    let place = Place::up();
    place.script(1, "trap 'echo winch' WINCH; echo first; while :; do read x; done");
    place.shows(1, "first");
    place.order(&["signal", "1", "28"]);
    place.order(&["write", "1", "\n"]);
    place.shows(1, "winch");
    // Killing takes the whole session along.
    place.script(2, "sleep 1000 & echo $!; read x");
    let tail = until("a pid", || place.try_order(&["tail", "2"]).filter(|tail| tail.ends_with('\n')));
    let child: u32 = tail.trim().parse().unwrap();
    place.note(child);
    place.order(&["signal", "2", "9"]);
    until("the child's death", || (!place.lives(child)).then_some(()));
    until("an exit", || place.try_order(&["exit-of", "2"]).filter(|exit| exit == "Signal(9)"));
    // The pane's second program goes on in the same journal.
    place.script(2, "echo again; read x");
    place.shows(2, "again");
    let second = place.pid(2);
    place.kill_server();
    assert_eq!(place.pid(2), second);
    place.printed(2, format!("{child}\r\nagain\r\n").as_bytes());
}

fn a_term_ends_it() {
    let place = Place::up();
    place.script(1, "trap '' HUP; echo ready; read x");
    place.shows(1, "ready");
    place.note(place.server());
    process::signal(place.keeper(), 15);
    place.ended();
}
