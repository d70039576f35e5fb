//! Restart under load: the server is killed at a hundred random instants of a seeded run while
//! panes flood, repaint, ask their terminal and set the clipboard.
//!
//! Not here: a single kill (`restart`), the keeper alone (`host`).

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kraal_api::events::Events;
use kraal_api::{PaneId, Request, Verb};
use kraal_term::Notice;
use kraal_testkit::{Sandbox, await_true};

const KILLS: u32 = 100;
const LINES: u32 = 9_500;

#[test]
fn a_hundred_kills_lose_and_double_nothing() {
    let home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    home.configure("scrollback = 60000\n");
    let go_on = home.work().join("go-on");
    std::fs::write(&go_on, "").expect("a file");
    let flood = home.run(&["--name", "flood", "--", "sh", "-c", &flood_script()]);
    let paint =
        home.run(&["--name", "paint", "--tab", "--no-focus", "--", "sh", "-c", &paint_script(&go_on)]);
    let asker = start_asker(&home, &go_on);
    let client = home.attach(&[], 120, 40);
    client.wait_text("flood");
    let pids: HashMap<PaneId, i32> = [flood, paint, asker].map(|pane| (pane, home.pid(pane))).into();

    let mut events = Log::default();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..KILLS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // The instant is what is random: this waits for nothing.
        std::thread::sleep(Duration::from_micros(random % 60_000));
        home.kill_server();
        events.follow(&home);
        for (pane, pid) in &pids {
            let row = home.pane(*pane).expect("the pane is there");
            assert_eq!(row.pid, Some(*pid), "the program of pane {pane} lives");
        }
    }
    std::fs::remove_file(&go_on).expect("removed");
    assert_eq!(home.info().restarts, KILLS);
    await_true("the client is attached again", || home.info().clients == 1);

    await_true("the flood is written", || home.read(flood).contains("all written"));
    let text = home.ok(&["read", "-p", "flood", "--lines", "10000"]);
    let numbers: Vec<u32> =
        text.lines().filter_map(|line| line.strip_prefix("line ")?.parse().ok()).collect();
    let expected: Vec<u32> = (1..=LINES).collect();
    let first_wrong = numbers.iter().zip(&expected).position(|(a, b)| a != b);
    assert_eq!((numbers.len(), first_wrong), (LINES as usize, None), "each line once, in order");

    home.await_text(asker, "asked");
    let told = home.ok(&["read", "-p", "asker", "--lines", "50"]);
    let report = told.lines().find(|line| line.contains("asked")).expect("a report");
    assert!(report.contains("doubled 0"), "an answer came twice: {report}");

    home.await_text(paint, "painted");
    await_true("clipboard writes stop coming", || client.notices().is_empty());
    events.check();
}

#[test]
fn the_clipboard_is_set_once_over_kills() {
    let home = Sandbox::new(env!("CARGO_BIN_EXE_kraal"));
    let go_on = home.work().join("go-on");
    std::fs::write(&go_on, "").expect("a file");
    let client = home.attach(&[], 100, 30);
    client.wait_text("$");
    // Each write says another number, in base 64: an own little table of digits would be no proof.
    let script = format!(
        "i=0; while [ -e {} ]; do i=$((i+1)); printf '\\033]52;c;%s\\007' \"$(printf 'copy %d' $i | base64)\"; done; echo done; sleep 600",
        go_on.display()
    );
    if std::process::Command::new("base64").arg("--version").output().is_err() {
        println!("skipped: this machine has no base64");
        return;
    }
    let pane = home.run(&["--", "sh", "-c", &script]);
    let mut seen: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut take = |notices: Vec<Notice>| {
        for notice in notices {
            if let Notice::ClipboardSet { data, .. } = notice {
                *seen.entry(data).or_default() += 1;
            }
        }
    };
    for _ in 0..10 {
        await_true("the client is attached again", || home.info().clients == 1);
        let mut some = false;
        await_true("a clipboard write comes through", || {
            let notices = client.notices();
            some |= notices.iter().any(|n| matches!(n, Notice::ClipboardSet { .. }));
            take(notices);
            some
        });
        home.kill_server();
    }
    std::fs::remove_file(&go_on).expect("removed");
    home.await_text(pane, "done");
    take(client.notices());
    let twice: Vec<_> = seen.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty() && seen.len() >= 10, "{} writes, twice: {twice:?}", seen.len());
}

fn flood_script() -> String {
    format!(
        "i=0; while [ $i -lt {LINES} ]; do i=$((i+1)); echo line $i; [ $((i % 50)) -eq 0 ] && sleep 0.05; done; echo all written; sleep 600"
    )
}

fn paint_script(go_on: &Path) -> String {
    format!(
        "i=0; while [ -e {} ]; do i=$((i+1)); printf '\\033[?2026h\\033[2J\\033[3J\\033[H'; \
         for row in 1 2 3 4 5 6 7 8; do printf 'frame %d row %d\\r\\n' $i $row; done; \
         printf '\\033[?2026l\\007'; sleep 0.02; done; echo painted; sleep 600",
        go_on.display()
    )
}

/// Events over all lives of the server: each number once, in order.
#[derive(Default)]
struct Log {
    boot: Option<String>,
    seqs: Vec<u64>,
}

impl Log {
    /// Takes what came since the last look, until what this server said of its own start.
    fn follow(&mut self, home: &Sandbox) {
        let request = Events {
            types: Vec::new(),
            since: Some(self.seqs.last().copied().unwrap_or(0)),
            boot: self.boot.clone(),
        };
        let restarts = home.info().restarts;
        let mut stream = home.api().stream(&Request::Verb(Verb::Events(request)));
        while let Some(event) = stream.event() {
            assert_ne!(event["type"], "lost", "the log reaches back: {event}");
            self.boot = event["boot"].as_str().map(str::to_owned);
            self.seqs.push(event["seq"].as_u64().expect("a number"));
            if event["type"] == "server.started" && event["restarts"] == restarts {
                return;
            }
        }
    }

    fn check(&self) {
        for pair in self.seqs.windows(2) {
            assert_eq!(pair[1], pair[0] + 1, "each event once, in order");
        }
    }
}

/// A pane that asks its terminal, each question another number, and counts the answers.
fn start_asker(home: &Sandbox, go_on: &Path) -> PaneId {
    let exe = std::env::current_exe().expect("this test's own binary");
    let (exe, go_on) = (exe.display().to_string(), format!("ASKER={}", go_on.display()));
    home.run(&[
        "--name",
        "asker",
        "--tab",
        "--no-focus",
        "--",
        "env",
        &go_on,
        &exe,
        "--exact",
        "asker_in_a_pane",
        "--nocapture",
    ])
}

/// Not a test of its own: what runs in the asker's pane. Without its variable it does nothing.
#[test]
fn asker_in_a_pane() {
    let Some(go_on) = std::env::var_os("ASKER").map(PathBuf::from) else { return };
    let stdin = std::io::stdin();
    let mut modes = rustix::termios::tcgetattr(&stdin).expect("a terminal");
    modes.make_raw();
    // A read comes back after a tenth of a second with nothing.
    modes.special_codes[rustix::termios::SpecialCodeIndex::VMIN] = 0;
    modes.special_codes[rustix::termios::SpecialCodeIndex::VTIME] = 1;
    rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Now, &modes).expect("raw mode");
    let mut answers: HashMap<u32, u32> = HashMap::new();
    let mut heard = Vec::new();
    let mut asked = 0u32;
    while go_on.exists() || asked == 0 {
        asked += 1;
        // Numbers end at 65,535: not so fast that they would run out.
        std::thread::sleep(Duration::from_millis(3));
        // DECRQM of a private mode nobody knows: the answer names it.
        print!("\x1b[?{}$p", 10_000 + asked);
        std::io::stdout().flush().expect("written");
        hear(&mut heard, &mut answers, |answers| answers.contains_key(&asked), Duration::from_millis(500));
    }
    hear(&mut heard, &mut answers, |_| false, Duration::from_millis(500));
    let doubled = answers.values().filter(|times| **times > 1).count();
    print!("asked {asked}, answered {}, doubled {doubled}\r\n", answers.len());
    std::io::stdout().flush().expect("written");
    loop {
        std::thread::park();
    }
}

fn hear(
    heard: &mut Vec<u8>,
    answers: &mut HashMap<u32, u32>,
    enough: impl Fn(&HashMap<u32, u32>) -> bool,
    limit: Duration,
) {
    let deadline = Instant::now() + limit;
    let mut buffer = [0; 256];
    while Instant::now() < deadline && !enough(answers) {
        let count = std::io::stdin().read(&mut buffer).unwrap_or(0);
        heard.extend_from_slice(&buffer[..count]);
        while let Some(end) = heard.iter().position(|byte| *byte == b'y') {
            let answer: String = heard.drain(..=end).map(char::from).collect();
            let number =
                answer.rsplit('?').next().and_then(|rest| rest.split(';').next()?.parse::<u32>().ok());
            if let Some(number) = number.and_then(|number| number.checked_sub(10_000)) {
                *answers.entry(number).or_default() += 1;
            }
        }
    }
}
