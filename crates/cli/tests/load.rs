//! Floods, slow readers, large pastes, hostile output and odd terminals, through the whole real stack.
//!
//! Not here: bad requests (`robust`), deaths of the server (`kills`).

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use kraal_api::{PaneId, Request, Verb};
use kraal_host::process;
use kraal_term::{Modes, Notice};
use kraal_testkit::{Attached, Sandbox, await_some, await_true};

const STOP: i32 = 19;
const CONTINUE: i32 = 18;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

fn attached(home: &Sandbox) -> Attached {
    let client = home.attach(&[], 100, 30);
    client.wait_text("$ ");
    client
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

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// Memory of its own that a process has in RAM, in MiB: no shared pages, which are the journals'.
fn own_memory(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("the kernel says it");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") / 1024
}

/// A pane that prints a file over and over, until `stop` is there, and then says so.
fn flood(home: &Sandbox, name: &str, bytes: &[u8]) -> (PaneId, PathBuf) {
    let (file, stop) = (home.work().join(format!("{name}.bytes")), home.work().join(format!("{name}.stop")));
    std::fs::write(&file, bytes).expect("written");
    let script = format!(
        "stty raw -echo; while ! [ -e {} ]; do cat {}; done; stty sane -echo; printf '\\033c'; echo {name} is over; sleep 600",
        stop.display(),
        file.display()
    );
    (home.run(&["--name", name, "--tab", "--no-focus", "--", "sh", "-c", &script]), stop)
}

/// A pane that answers each line.
fn echo(home: &Sandbox) -> PaneId {
    let pane = home.run(&[
        "--name",
        "echo",
        "--tab",
        "--no-focus",
        "--",
        "sh",
        "-c",
        "stty -echo; echo ready; while read x; do echo got $x; done",
    ]);
    home.await_text(pane, "ready");
    pane
}

#[test]
fn floods_hold_up_no_other_pane() {
    let home = sandbox();
    let client = attached(&home);
    let echo = echo(&home);
    let shown = home.panes().iter().find(|row| row.name.is_none()).expect("the shell").pane;
    let many = |text: &dyn Fn(u32) -> String| (0..5_000).map(text).collect::<String>().into_bytes();
    let floods: [(&str, Vec<u8>); 7] = [
        ("lines", many(&|n| format!("line {n} of a flood\r\n"))),
        ("titles", many(&|n| format!("\x1b]2;title {n}\x07"))),
        ("folders", many(&|n| format!("\x1b]7;file:///tmp/{n}/a/b/c\x07"))),
        ("bells", vec![7; 100_000]),
        ("notes", many(&|n| format!("\x1b]9;note {n}\x07\x1b]9;4;1;{}\x07", n % 100))),
        ("marks", many(&|n| format!("\x1b]133;C\x07\x1b]133;D;{n}\x07\x1b]52;c;{n:08}\x07"))),
        ("questions", many(&|_| "\x1b[c\x1b[6n\x1b]11;?\x07".to_owned())),
    ];
    let stops: Vec<_> = floods.iter().map(|(name, bytes)| (*name, flood(&home, name, bytes))).collect();
    for round in 0..10 {
        home.say(echo, &format!("round {round}"));
        home.await_text(echo, &format!("got round {round}"));
        client.type_text(&format!("echo typed $((1000+{round}))\r"));
        client.wait_text(&format!("typed {}", 1000 + round));
    }
    assert!(home.pane(shown).is_some());
    for (_, (_, stop)) in &stops {
        std::fs::write(stop, "").expect("written");
    }
    for (name, (pane, _)) in &stops {
        home.await_text(*pane, &format!("{name} is over"));
    }
    assert_eq!(home.info().restarts, 0);
}

#[test]
fn who_stops_reading_is_kept_costs_nothing_and_catches_up() {
    let home = sandbox();
    let client = attached(&home);
    let (shell, server) = (home.panes()[0].pane, home.info().pid);
    // A stream that is attached and never reads.
    let mut silent = BufReader::new(UnixStream::connect(home.socket_of("main")).expect("a connection"));
    silent
        .get_mut()
        .write_all(
            b"{\"v\":1,\"id\":1,\"request\":{\"Verb\":{\"Attach\":{\"stream\":1,\"area\":{\"cols\":90,\"rows\":25}}}}}\n",
        )
        .expect("written");
    let mut line = String::new();
    silent.read_line(&mut line).expect("read");
    assert!(line.contains("Attached"), "{line}");
    assert_eq!(home.info().clients, 2);
    client.signal(STOP);

    // Frames, and what is beside them: about 60 MB, were it kept.
    let text = "eW91IGhhdmUgYmVlbiBjb3BpZWQg".repeat(40);
    let round: String = (0..200)
        .map(|n| format!("\x1b]52;c;{text}\x07\x1b]2;title {n}\x07\x1b]9;note {n}\x07\x07row {n}\r\n"))
        .collect();
    let file = home.work().join("round");
    std::fs::write(&file, round).expect("written");
    let before = own_memory(server);
    let script =
        format!("i=0; while [ $i -lt 60 ]; do cat {}; i=$((i+1)); done; echo rounds $i", file.display());
    home.say(shell, &script);
    home.await_text(shell, "rounds 60");
    let echo = echo(&home);
    home.say(echo, "meanwhile");
    home.await_text(echo, "got meanwhile");
    let after = own_memory(server);
    assert!(after < before + 24, "{before} MiB grew to {after} MiB");
    assert_eq!(home.info().clients, 2, "neither is dropped");

    home.say(shell, "clear; echo newest $((40+2))");
    home.await_text(shell, "newest 42");
    client.signal(CONTINUE);
    client.wait_text("newest 42");
    client.type_text("echo on $((1+1))\r");
    client.wait_text("on 2");
    drop(silent);
    await_true("the stream's end is noticed", || home.info().clients == 1);
}

#[test]
fn a_program_that_asks_and_never_reads_costs_nothing() {
    let home = sandbox();
    let questions = "\x1b[c\x1b[>q\x1b[6n\x1b]10;?\x07\x1bP+q544e\x1b\\".repeat(20_000);
    let file = home.work().join("questions");
    std::fs::write(&file, &questions).expect("written");
    let pane = home.run(&[
        "--",
        "sh",
        "-c",
        &format!(
            "stty raw -echo; echo ready; cat {0} {0} {0} {0} {0}; echo asked; sleep 600",
            file.display()
        ),
    ]);
    home.await_text(pane, "ready");
    let server = home.info().pid;
    home.await_text(pane, "asked");
    // About 8 MB of answers, were they kept.
    assert!(own_memory(server) < 24, "{} MiB", own_memory(server));
    // It is still typed into: what a person types is not an answer.
    home.ok(&["send", "-p", &pane.to_string(), "x"]);
}

/// A pane that writes what it reads into a file, its terminal raw.
fn recorder(home: &Sandbox, client: &Attached, modes: &str) -> PathBuf {
    let file = home.work().join("got");
    client.type_text(&format!("stty raw -echo; printf '{modes}re''ady'; exec cat > {}\r", file.display()));
    client.wait_text("ready");
    file
}

fn lines(count: u32) -> String {
    (0..count).map(|n| format!("{n:08} of the paste\n")).collect()
}

/// What arrived once it ends so.
fn arrived(file: &Path, end: &str) -> String {
    await_some("the whole paste arrived", || {
        std::fs::read_to_string(file).ok().filter(|text| text.ends_with(end))
    })
    .replace('\r', "\n")
}

#[test]
fn a_bracketed_megabyte_arrives_whole_and_before_what_follows() {
    let home = sandbox();
    let client = attached(&home);
    let file = recorder(&home, &client, "\\033[?2004h");
    let text = lines(50_000);
    let pasted = format!("{}\x1b[201~evil\x1b[201~{}", &text[..500_000], &text[500_000..]);
    assert!(pasted.len() > 1_000_000, "{}", pasted.len());
    client.paste(&pasted);
    client.type_text("after");
    let got = arrived(&file, "after");
    let body = got.strip_prefix("\x1b[200~").expect("a beginning");
    let body = body.strip_suffix("\x1b[201~after").expect("one end, then the keys");
    assert_eq!(body.matches("\x1b[201~").count(), 0, "an end in the middle");
    assert!(body.starts_with(&text[..500_000]) && body.ends_with(&text[500_000..]), "{} bytes", body.len());
    // The same from a caller, whose bytes no terminal has cleaned.
    let done = home.kraal_fed(&["send", "-p", &home.panes()[0].pane.to_string(), "-"], "a\x1b[201~b\nc");
    assert_eq!(done.code, Some(0), "{done:?}");
    let got = arrived(&file, "c\x1b[201~");
    assert_eq!(got.matches("\x1b[201~").count(), 2, "{:?}", &got[got.len() - 40..]);
}

#[test]
fn a_plain_megabyte_arrives_whole_and_holds_up_nobody() {
    let home = sandbox();
    let client = attached(&home);
    let echo = echo(&home);
    let file = recorder(&home, &client, "");
    let text = lines(50_000);
    client.paste(&text);
    client.type_text("after");
    assert!(arrived(&file, "after").strip_suffix("after") == Some(&text), "whole and in order");

    // A program that reads nothing: the paste waits, others do not.
    let deaf = home.run(&["--", "sh", "-c", "stty raw -echo; echo deaf; sleep 600"]);
    client.wait_text("deaf");
    client.paste(&text);
    home.say(echo, "meanwhile");
    home.await_text(echo, "got meanwhile");
    home.ok(&["close", "-p", &deaf.to_string()]);
    home.say(echo, "afterwards");
    home.await_text(echo, "got afterwards");
}

/// Every text that reached the outer terminal beside its cells.
fn texts(notices: &[Notice]) -> Vec<String> {
    notices
        .iter()
        .flat_map(|notice| match notice {
            Notice::Title(text) | Notice::Icon(text) => vec![text.clone()],
            Notice::Notification { title, body, .. } => vec![title.clone(), body.clone()],
            Notice::ClipboardSet { data, .. } => vec![String::from_utf8_lossy(data).into_owned()],
            Notice::Bell | Notice::Progress(_) | Notice::SyncStarted | Notice::SyncEnded => Vec::new(),
            other => panic!("this acts on the outer terminal: {other:?}"),
        })
        .collect()
}

#[test]
fn hostile_words_do_not_act_on_the_outer_terminal() {
    let home = sandbox();
    let client = attached(&home);
    let before = client.screen().modes;
    let bytes: Vec<u8> = [
        // C1 and escapes in a title, a notification, a folder, a mark; a title of a megabyte.
        &b"\x1b]2;title\xc2\x9b31mred\xc2\x9d52;c;AAAA\xc2\x9c\x0d\x0aend\x07"[..],
        b"\x1b]9;note \xc2\x9d0;evil\xc2\x9c\x0d\x0a[end]\x07",
        b"\x1b]777;notify;head \xc2\x9b?1049l;body \xc2\x9b2J\x07",
        b"\x1b]99;i=1;ninety \xc2\x9bnine\x07",
        b"\x1b]7;file:///tmp/%1b]0;evil%07x\x07",
        // Empty and broken clipboards, a question for the clipboard.
        b"\x1b]52;c;\x07\x1b]52;;\x07\x1b]52;c;!!!!\x07\x1b]52;c;?\x07",
        // Modes and resets that are the pane's own affair.
        b"\x1b[?1003h\x1b[?2004l\x1b[?1049l\x1b[?25l\x1b[>1u\x1b[>4;2m\x1b[8;10;10t\x1b[?5h\x1b#8",
    ]
    .concat();
    let huge = [
        b"\x1b]2;".to_vec(),
        vec![b'h'; 3_000_000],
        b"\x07\x1bPq".to_vec(),
        vec![b'd'; 3_000_000],
        b"\x1b\\".to_vec(),
    ]
    .concat();
    std::fs::write(home.work().join("words"), bytes).expect("written");
    std::fs::write(home.work().join("huge"), huge).expect("written");
    client.type_text("cat words huge; printf '\\033c'; echo shown $((2+3))\r");
    client.wait_text("shown 5");
    home.ok(&["rename", "-p", "1", "na\u{9b}31mme\x1b]0;evil\x07"]);
    home.ok(&["notify", "out\x1b]0;evil\x07side\u{9d}0;evil\u{9c}"]);
    client.type_text("echo again $((3+3))\r");
    let screen = client.wait_text("again 6");
    let words = texts(&client.notices());
    for text in &words {
        assert!(!text.chars().any(char::is_control), "{text:?}");
        assert!(text.chars().count() < 5_000, "{} characters", text.chars().count());
    }
    // What is the client's own by its pane's wish, the mouse, may change; the rest may not.
    let own = Modes::MOUSE_MOTION | Modes::MOUSE_DRAG;
    assert_eq!(screen.modes - own, before - own);
    assert!(own_memory(home.info().pid) < 64);
}

#[test]
fn floods_of_random_bytes_leave_a_client_that_draws() {
    let home = sandbox();
    let client = attached(&home);
    let before = client.screen().modes;
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..6 {
        let mut bytes = random.bytes(300_000);
        if round % 2 == 0 {
            // Mostly sequences: an escape or an introducer every few bytes.
            for at in (0..bytes.len()).step_by(5) {
                bytes[at] = b"\x1b\x1b\x9b]["[at / 5 % 5];
            }
        }
        std::fs::write(home.work().join(format!("random{round}")), bytes).expect("written");
    }
    // The answers to what the bytes ask are read by nobody, so that they are typed at no shell.
    client.type_text(
        "exec sh -c 'stty raw -echo; for i in 0 1 2 3 4 5; do cat random$i; done; \
         printf \"\\030\\033\\\\\\033c\"; echo all $((60+6)); sleep 600'\r",
    );
    client.wait_text("all 66");
    let words = texts(&client.notices());
    assert!(words.iter().all(|text| !text.chars().any(char::is_control)), "{words:?}");
    client.keys(&["alt+n"]);
    await_true("a second pane", || home.panes().len() == 2);
    client.type_text("echo fresh $((7+7))\r");
    let screen = client.wait_text("fresh 14");
    let own = Modes::MOUSE_MOTION | Modes::MOUSE_DRAG;
    assert_eq!(screen.modes - own, before - own);
    let info = home.info();
    assert_eq!(info.restarts, 0);
    assert!(own_memory(info.pid) < 64, "{} MiB", own_memory(info.pid));
}

#[test]
fn terminals_of_any_size_and_a_storm_of_them() {
    let home = sandbox();
    home.run(&["--", "sh"]);
    for (cols, rows) in [(1, 1), (600, 200)] {
        let client = home.attach(&[], cols, rows);
        client.wait_for("it has the terminal", |screen| screen.alternate);
        client.type_text(&format!("touch at-{cols}\r"));
        await_true(&format!("what is typed at {cols} columns arrives"), || {
            home.work().join(format!("at-{cols}")).exists()
        });
        client.keys(&["ctrl+b", "d"]);
        assert_eq!(client.end().0, 0);
    }
    let client = home.attach(&[], 100, 30);
    client.wait_text("$");
    client.keys(&["alt+n"]);
    await_true("two panes", || home.panes().len() == 2);
    client.type_text("seq 1 100000\r");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..300 {
        client.resize(1 + (random.next() % 300) as u16, 1 + (random.next() % 100) as u16);
    }
    client.resize(100, 30);
    client.type_text("echo after the storm $((5+5))\r");
    client.wait_text("after the storm 10");
    await_true("the panes have the room there is", || {
        let rows = home.panes();
        rows.iter().all(|row| row.cols <= 100 && row.rows <= 30 && row.cols > 20)
    });
    assert_eq!(home.info().restarts, 0);
}

#[test]
fn the_outer_terminal_is_given_back_as_it_was() {
    let home = sandbox();
    let plain = home.attach(&["ls"], 100, 30).end().1.modes;
    let end = |client: Attached, what: &str| {
        let (code, screen) = client.end();
        assert!(screen.cooked, "{what}: the line discipline is still raw");
        assert_eq!(screen.modes, plain, "{what}");
        (code, screen)
    };
    for (what, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
        let client = attached(&home);
        let screen = client.screen();
        assert!(!screen.cooked && screen.modes != plain, "{what}: it had the terminal");
        client.signal(number);
        end(client, what);
    }
    let client = attached(&home);
    client.keys(&["ctrl+b", "d"]);
    end(client, "detached");
    // With a program in front that set everything there is.
    let client = attached(&home);
    client.type_text("printf '\\033[?1003h\\033[?1006h\\033[>31u\\033[?25l\\033[?1049hs''et'; read x\r");
    client.wait_text("set");
    client.signal(15);
    end(client, "TERM with a program's modes");

    // Keeper and server gone at once: nobody brings the session back under the client.
    let client = home.attach(&[], 100, 30);
    client.wait_text("set");
    let info = home.info();
    for pid in [info.keeper, info.pid] {
        process::signal(u32::try_from(pid).expect("a pid"), 9);
    }
    let (code, screen) = end(client, "a dead session");
    assert!(code != 0 && screen.has("session 'main' ended"), "{code}: {}", screen.text());
}

#[test]
fn a_slow_reader_of_events_is_told_and_let_go() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let events = home.api().stream(&Request::Verb(Verb::Events(Default::default())));
    // Far more than a socket holds and a reader may owe.
    let mut api = home.api();
    let body = "n".repeat(1000);
    for n in 0..1_600 {
        let request = format!(r#"{{"Verb":{{"Notify":{{"title":"{n}","body":"{body}"}}}}}}"#);
        api.ask(&serde_json::from_str(&request).expect("a request")).expect("told");
    }
    let mut events = events;
    let mut seen = Vec::new();
    let last = loop {
        let event = events.event().expect("the last word comes before the end");
        if event["type"] == "lagged" {
            break event;
        }
        seen.push(event["seq"].as_u64().expect("a number"));
    };
    assert!(seen.windows(2).all(|pair| pair[1] == pair[0] + 1), "each once, in order");
    assert!(seen.len() >= 1000 && last["seq"].as_u64() >= seen.last().copied(), "{last}");
}
