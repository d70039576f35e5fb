//! Agents whose own signals and screens disagree for a while: what each tells over time, as it was
//! recorded from the real ones, with the samples of the catalogue as screens.

use std::fs;

use kraal_agents::{Catalog, Detector, Evidence, Expected, ScreenShot, StatusReport};

struct Watch {
    detector: Detector,
    now: u64,
}

impl Watch {
    fn new(agent: &str) -> Watch {
        let agent = Catalog::builtin().get(agent).expect("known").clone();
        Watch { detector: Detector::new(agent, 0), now: 0 }
    }

    fn give(&mut self, evidence: Evidence) -> &mut Self {
        self.detector.observe(evidence, self.now);
        self
    }

    /// A sample's screen, without its title.
    fn sees(&mut self, sample: &str) -> &mut Self {
        let agent = self.detector.agent().name();
        let file = format!("{}/catalog/samples/{agent}/100x30/{sample}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("no sample {file}"));
        let (_, screen) = text.split_once("---\n").expect("a sample has a head");
        self.give(Evidence::Screen(ScreenShot::of_text(screen)))
    }

    fn title(&mut self, title: &str) -> &mut Self {
        self.give(Evidence::Title(title.to_owned()))
    }

    fn status(&mut self, payload: &str) -> &mut Self {
        self.give(Evidence::Status(StatusReport::parse(payload).expect("a report")))
    }

    fn osc777(&mut self, payload: &str) -> &mut Self {
        self.give(Evidence::Signal { osc: 777, payload: payload.to_owned() })
    }

    /// The state this much later, deadlines met on the way.
    fn after(&mut self, ms: u64) -> String {
        self.now += ms;
        while let Some(deadline) = self.detector.next_deadline().filter(|deadline| *deadline <= self.now) {
            self.detector.tick(deadline);
        }
        self.detector.tick(self.now);
        let verdict = self.detector.verdict();
        let doubt = if verdict.certain { "" } else { " ?" };
        format!("{}{doubt}", Expected::Is(verdict.state, verdict.kind))
    }
}

/// What was recorded of its OSC 7501 in a whole session, and what each report must become.
fn replay(agent: &str, reports: &[(&str, &str)]) {
    let mut watch = Watch::new(agent);
    for (payload, state) in reports {
        assert_eq!(watch.status(payload).after(400), *state, "{agent}: {payload}");
    }
}

#[test]
fn the_status_reports_of_pi_and_vibe() {
    replay(
        "pi",
        &[
            ("state=idle:app=pi", "idle"),
            ("state=working:app=pi", "working"),
            ("state=done:app=pi", "done"),
            ("state=working:app=pi", "working"),
            ("state=blocked:app=pi:kind=permission:msg=TGFiIGdhdGU=", "blocked permission"),
            ("state=working:app=pi", "working"),
            ("state=done:app=pi", "done"),
            ("state=working:app=pi", "working"),
            ("state=error:app=pi:msg=NDAwOiB7fQ==", "done error"),
            ("state=working:app=pi", "working"),
            // Cancelled: rest after a turn is done until somebody looks.
            ("state=idle:app=pi", "done"),
        ],
    );
    replay(
        "vibe",
        &[
            ("state=idle:app=vibe", "idle"),
            ("state=working:app=vibe:msg=VmliZQ==", "working"),
            ("state=done:app=vibe:msg=VmliZQ==", "done"),
            ("state=done:app=vibe:msg=TGFiIHRpdGxl", "done"),
            ("state=working:app=vibe:msg=TGFiIHRpdGxl", "working"),
            ("state=blocked:kind=permission:app=vibe:msg=UnVubmluZyBjb21tYW5k", "blocked permission"),
            ("state=working:app=vibe:msg=TGFiIHRpdGxl", "working"),
            ("state=blocked:kind=question:app=vibe:msg=V2hpY2g=", "blocked question"),
            ("state=working:app=vibe:msg=TGFiIHRpdGxl", "working"),
            ("state=error:app=vibe:msg=Q2xpZW50IGVycm9y", "done error"),
        ],
    );
}

#[test]
fn a_title_that_lags_keeps_vibe_in_no_state() {
    let mut watch = Watch::new("vibe");
    watch.title("Vibe").sees("finished");
    assert_eq!(watch.after(400), "idle");
    watch.title(">> Vibe").sees("working-waiting");
    assert_eq!(watch.after(400), "working");
    watch.title("Vibe - Action Required").sees("permission2");
    assert_eq!(watch.after(400), "blocked permission");
    // Approved: the title still says what it said.
    watch.sees("working-tool");
    assert_eq!(watch.after(400), "working");
    watch.sees("interrupted");
    assert_eq!(watch.after(400), "done");
    // And a title that says "working" does not outlive the turn.
    watch.title(">> Vibe").sees("working-waiting").after(400);
    watch.sees("interrupted");
    assert_eq!(watch.after(4_000), "done");
}

#[test]
fn kilos_activity_is_its_state_while_it_is_repeated() {
    let mut watch = Watch::new("kilo");
    watch.osc777("kilo;activity;1;idle;1701").sees("idle");
    assert_eq!(watch.after(400), "idle");
    // Before anything is drawn.
    watch.osc777("kilo;activity;1;busy;12");
    assert_eq!(watch.after(400), "working");
    for _ in 0..5 {
        watch.osc777("kilo;activity;1;busy;5012");
        assert_eq!(watch.after(5_000), "working");
    }
    watch.osc777("kilo;activity;1;waiting;3");
    assert_eq!(watch.after(400), "blocked");
    watch.sees("question");
    assert_eq!(watch.after(400), "blocked question");
    watch.osc777("kilo;activity;1;busy;3").sees("working-tool");
    assert_eq!(watch.after(400), "working");
    watch.osc777("kilo;activity;1;done;3").sees("finished");
    assert_eq!(watch.after(400), "done");
    watch.osc777("kilo;activity;1;busy;3").after(400);
    watch.osc777("kilo;activity;1;error;3");
    assert_eq!(watch.after(400), "done error");
    // A version that this file does not know says nothing, nor does one that fell silent.
    watch.osc777("kilo;activity;2;busy;3");
    assert_eq!(watch.after(400), "done error");
    watch.osc777("kilo;activity;1;busy;3");
    assert_eq!(watch.after(400), "working");
    assert_eq!(watch.after(13_000), "done");
}

#[test]
fn geminis_title_tells_where_its_screen_does_not() {
    let padded = |title: &str| format!("{title:<80}");
    let mut watch = Watch::new("gemini");
    watch.title(&padded("◇  Ready (demo)")).sees("idle");
    assert_eq!(watch.after(400), "idle");
    // It has taken the prompt and drawn nothing yet.
    watch.title(&padded("✦  Working… (demo)"));
    assert_eq!(watch.after(400), "working");
    watch.title(&padded("✋  Action Required (demo)")).sees("permission");
    assert_eq!(watch.after(400), "blocked permission");
    watch.title(&padded("✦  Reading the tests (demo)")).sees("working-tool");
    assert_eq!(watch.after(400), "working");
    watch.title(&padded("◇  Ready (demo)")).sees("permission-declined");
    assert_eq!(watch.after(400), "done");
}

#[test]
fn qwens_title_tells_where_its_screen_does_not() {
    let mut watch = Watch::new("qwen");
    watch.title("Qwen - demo").sees("auto-mode-start");
    assert_eq!(watch.after(400), "idle");
    watch.title("◐\u{fe0e} Qwen - demo");
    assert_eq!(watch.after(400), "working");
    watch.title("✳\u{fe0e} Qwen - demo").sees("question");
    assert_eq!(watch.after(400), "blocked question");
    watch.title("Qwen - demo").sees("question-cancelled");
    assert_eq!(watch.after(400), "done");
}

#[test]
fn a_quoted_hint_in_an_answer_changes_nothing() {
    let quoted = [
        "⠙ Thinking... (9s · esc to cancel)",
        "⠸ Thinking... (esc to cancel, 2s)",
        "● 1. Allow once",
        "3. No, suggest changes (esc)",
        "Do you trust the files in this folder?",
        "── ⠏ Working ─────────────",
        "🌕 · Tip: x",
        "◉ Working · 1 B esc esc interrupt",
        "⣄  Generating… (3s Esc/Ctrl+C to interrupt)",
        "Waiting for user confirmation...",
        "✕ [API Error: 400]",
        "Request cancelled.",
    ];
    for agent in ["gemini", "qwen", "copilot", "kilo", "kimi", "pi", "vibe"] {
        let sample = if agent == "qwen" || agent == "kimi" { "finished-after-tool" } else { "finished" };
        let file = format!("{}/catalog/samples/{agent}/100x30/{sample}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(&file).expect("a sample");
        let (head, screen) = text.split_once("---\n").expect("a sample has a head");
        let state = head.lines().find_map(|line| line.strip_prefix("state: ")).expect("a state");
        let catalog = Catalog::builtin();
        let read = |text: &str| {
            let reading = catalog.get(agent).expect("known").read(&ScreenShot::of_text(text));
            reading.map_or("unknown".to_owned(), |reading| reading.expected().to_string())
        };
        assert_eq!(read(&format!("{}\n\n{screen}", quoted.join("\n"))), state, "{agent}");
        // The last words of the answer, each line and all of them, where the agent writes an answer.
        let said = ["Finished: the lab task is complete.", "Hello, this is the lab model answering."];
        let rows: Vec<&str> = screen.lines().collect();
        let place = |row: &&str| said.iter().find_map(|words| row.find(words));
        let Some(at) = rows.iter().rposition(|row| place(row).is_some()) else { continue };
        let column = rows[at][..place(&rows[at]).expect("there")].chars().count();
        let all = [quoted.as_slice()].into_iter();
        for quoted in quoted.iter().map(std::slice::from_ref).chain(all) {
            let mut rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
            let quoted = quoted.iter().map(|line| format!("{}{line}", " ".repeat(column)));
            rows.splice(at + 1..=at, quoted.clone());
            let quoted: Vec<String> = quoted.collect();
            assert_eq!(read(&rows.join("\n")), state, "{agent}: {quoted:?}");
        }
    }
}

#[test]
fn an_end_that_is_said_comes_sooner_than_one_that_is_not() {
    // By its title, by its row of status, by its frame; and by nothing but an input box.
    for (agent, working, rest, title, ms) in [
        ("gemini", "working-waiting", "finished", "◇  Ready (demo)", 400),
        ("copilot", "working-streaming", "finished", "", 400),
        ("qwen", "working-tool", "finished-after-tool", "", 400),
        ("pi", "working-streaming", "finished", "", 400),
        ("kimi", "working-tool", "finished-after-tool", "", 400),
        ("vibe", "working-waiting", "finished", "", 1_050),
    ] {
        let mut watch = Watch::new(agent);
        watch.sees(rest).after(2_000);
        watch.sees(working);
        assert_eq!(watch.after(2_000), "working", "{agent}");
        if !title.is_empty() {
            watch.title(title);
        }
        watch.sees(rest);
        assert_eq!(watch.after(ms - 60), "working", "{agent}");
        assert_eq!(watch.after(60), "done", "{agent}");
    }
}

#[test]
fn a_turn_that_fails_before_it_is_seen_to_run_is_told() {
    let mut watch = Watch::new("qwen");
    watch.sees("finished-after-tool");
    assert_eq!(watch.after(2_000), "idle");
    // Nobody asked: an old conversation is shown.
    watch.sees("error");
    assert_eq!(watch.after(2_000), "idle");
    watch.sees("finished-after-tool").after(2_000);
    watch.give(Evidence::Input).sees("error");
    assert_eq!(watch.after(400), "done error");
    watch.detector.looked_at(watch.now);
    assert_eq!(watch.after(2_000), "idle");
}
