//! The detector over time: streams of evidence with their times, and the verdicts that follow,
//! compared whole. The screens are the samples of the catalogue.

use std::{fs, path::Path, sync::Arc};

use kraal_agents::{
    Agent, Catalog, Detector, Evidence, Expected, HookReport, Meaning, Process, ScreenShot, StatusReport,
};
use kraal_api::{Kind, State, Verdict};

/// One agent watched: evidence goes in at a time, deadlines are met on the way, changes are noted.
struct Watch {
    detector: Detector,
    now: u64,
    log: Vec<String>,
    seq: u64,
}

fn line(at: u64, verdict: &Verdict) -> String {
    let doubt = if verdict.certain { "" } else { " ?" };
    let source = format!("{:?}", verdict.source).to_lowercase();
    format!("{at} {}{doubt} ({source})", Expected::Is(verdict.state, verdict.kind))
}

impl Watch {
    fn new(agent: &str) -> Watch {
        Watch::over(Catalog::builtin().get(agent).expect("known").clone())
    }

    fn over(agent: Arc<Agent>) -> Watch {
        Watch { detector: Detector::new(agent, 0), now: 0, log: Vec::new(), seq: 0 }
    }

    /// Lets time pass, meeting every deadline on the way.
    fn at(&mut self, at: u64) -> &mut Self {
        while let Some(deadline) = self.detector.next_deadline().filter(|deadline| *deadline <= at) {
            assert!(
                deadline > self.now || self.now == 0,
                "a deadline in the past: {deadline} at {}",
                self.now
            );
            self.now = deadline;
            let changed = self.detector.tick(deadline);
            self.note(changed);
        }
        self.now = at;
        let changed = self.detector.tick(at);
        self.note(changed);
        self
    }

    fn note(&mut self, changed: Option<Verdict>) {
        if let Some(verdict) = changed {
            assert_eq!(&verdict, self.detector.verdict());
            self.log.push(line(self.now, &verdict));
        }
    }

    fn give(&mut self, evidence: Evidence) -> &mut Self {
        let changed = self.detector.observe(evidence, self.now);
        self.note(changed);
        self
    }

    /// A sample of the catalogue: `120x40/working-waiting`, without its title.
    fn sees(&mut self, sample: &str) -> &mut Self {
        let agent = self.detector.agent().name();
        let file = format!("{}/catalog/samples/{agent}/{sample}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(Path::new(&file)).unwrap_or_else(|_| panic!("no sample {file}"));
        let (_, screen) = text.split_once("---\n").expect("a sample has a head");
        self.give(Evidence::Screen(ScreenShot::of_text(screen)))
    }

    fn rows(&mut self, screen: &str) -> &mut Self {
        self.give(Evidence::Screen(ScreenShot::of_text(screen)))
    }

    fn status(&mut self, payload: &str) -> &mut Self {
        self.give(Evidence::Status(StatusReport::parse(payload).expect("a report")))
    }

    fn hook(&mut self, event: &str, state: State, kind: Option<Kind>) -> &mut Self {
        self.seq += 1;
        let seq = self.seq;
        self.give(Evidence::Hook(HookReport {
            meaning: Meaning::Is(state, kind),
            seq,
            event: event.to_owned(),
        }))
    }

    fn looked(&mut self) -> &mut Self {
        let changed = self.detector.looked_at(self.now);
        self.note(changed);
        self
    }

    #[track_caller]
    fn said(&mut self, expected: &[&str]) {
        assert_eq!(self.log, expected);
        self.log.clear();
    }
}

#[test]
fn a_claude_turn_with_a_permission_and_esc_by_its_screen_alone() {
    let mut watch = Watch::new("claude");
    watch.at(0).sees("120x40/idle-fresh");
    watch.at(5_000).sees("120x40/working-waiting");
    watch.at(6_000).sees("120x40/working-tool-shell");
    watch.at(8_000).sees("120x40/permission-write");
    watch.at(12_000).sees("120x40/permission-rejected");
    watch.at(14_000).looked();
    watch.at(20_000).sees("120x40/working-streaming");
    watch.at(23_000).sees("120x40/interrupted");
    watch.at(40_000).said(&[
        "350 idle (screen)",
        "5350 working (screen)",
        "8350 blocked permission (screen)",
        "12350 done (screen)",
        "14000 idle (screen)",
        "20350 working (screen)",
        "23350 done (screen)",
    ]);
}

#[test]
fn the_same_with_its_status_protocol_follows_at_once() {
    let mut watch = Watch::new("claude");
    watch.at(0).status("state=blocked:app=claude-code:msg=ZGlhbG9n").sees("120x40/startup-trust");
    watch.at(2_000).status("state=idle:app=claude-code").sees("120x40/idle-fresh");
    watch.at(5_000).status("state=working:app=claude-code").sees("120x40/working-waiting");
    watch.at(8_000).status("state=blocked:app=claude-code:kind=permission").sees("120x40/permission-write");
    watch.at(9_000).status("state=working:app=claude-code").sees("120x40/working-tool-shell");
    watch.at(12_000).status("state=done:app=claude-code").sees("120x40/done-markdown");
    watch.at(20_000).status("state=working:app=claude-code").sees("120x40/working-waiting");
    watch.at(22_000).status("state=error:app=claude-code").sees("120x40/error-400");
    watch.at(30_000).looked();
    watch.at(31_000).status("state=clear");
    watch.at(40_000).said(&[
        "0 blocked (status)",
        "0 blocked question (status)",
        "2150 idle (status)",
        "5000 working (status)",
        "8000 blocked permission (status)",
        "9000 working (status)",
        "12150 done (status)",
        "20000 working (status)",
        "22150 done error (status)",
        "30000 idle (status)",
        "31350 idle (screen)",
    ]);
}

#[test]
fn a_status_report_counts_only_for_the_program_it_names() {
    let mut watch = Watch::new("claude");
    watch.at(0).sees("120x40/idle-fresh");
    watch.at(1_000).status("state=working:app=codex").status("state=blocked:kind=permission");
    // A subagent's record is not the agent's, and a query is no report.
    watch.at(2_000).status("state=working:app=claude-code:id=7:title=eA==");
    assert_eq!(StatusReport::parse("?"), None);
    watch.at(9_000).said(&["350 idle (screen)"]);
}

#[test]
fn a_streaming_codex_works_by_its_title_or_its_status() {
    // By the title: the sign turns, the screen shows no hint at all.
    let mut watch = Watch::new("codex");
    watch.at(0).sees("80x24/idle-draft");
    watch.at(1_000).sees("80x24/working-waiting");
    for n in 0..100_u64 {
        let sign = ['⠋', '⠙', '⠹', '⠸'][n as usize % 4];
        watch.at(2_000 + n * 100).give(Evidence::Title(format!("{sign} proj")));
        if n % 5 == 0 {
            watch.sees("80x24/working-streaming");
        }
    }
    watch.at(12_000).give(Evidence::Title("proj".to_owned())).sees("80x24/done-text");
    watch.at(20_000).said(&["350 idle (screen)", "1350 working (screen)", "12350 done (screen)"]);

    // By its status: the screen contradicts, the text flows, and nothing flips.
    let mut watch = Watch::new("codex");
    watch.at(0).sees("80x24/idle-draft");
    watch.at(1_000).status("state=working:app=codex");
    for n in 0..40 {
        watch.at(2_000 + n * 200).rows(&format!("› go\n\n• words {n}\n\n› \n\n  gpt · ~/proj"));
    }
    watch.at(12_000).status("state=done:app=codex");
    // At the next key it says idle: the turn stays done until it is looked at.
    watch.at(13_000).status("state=idle:app=codex");
    watch.at(14_000).looked();
    watch.at(20_000).said(&[
        "350 idle (screen)",
        "1000 working (status)",
        "12150 done (status)",
        "14000 idle (status)",
    ]);
}

#[test]
fn a_stale_title_does_not_keep_an_agent_working() {
    let mut watch = Watch::new("codex");
    watch.at(0).give(Evidence::Title("⠋ codex, killed now".to_owned())).sees("80x24/idle-draft");
    watch.at(20_000).said(&["350 working (signal)", "5350 done (screen)"]);
    // One that stood there before the agent was watched counts for nothing at all.
    let mut watch = Watch::new("codex");
    let rows = ["› a", "", "  gpt · ~/proj"].map(str::to_owned).to_vec();
    watch.at(0).give(Evidence::Screen(ScreenShot {
        rows,
        title: "⠋ dead".to_owned(),
        ..ScreenShot::default()
    }));
    watch.at(20_000).said(&["350 idle (screen)"]);
}

#[test]
fn codex_dialogs_of_which_its_status_says_nothing_come_from_the_screen() {
    let mut watch = Watch::new("codex");
    watch.at(0).sees("80x24/idle-draft");
    watch.at(1_000).status("state=idle:app=codex").sees("80x24/startup-trust");
    watch.at(4_000).sees("80x24/idle-draft");
    watch.at(5_000).status("state=working:app=codex").sees("80x24/working-waiting");
    watch.at(6_000).status("state=error:app=codex").sees("80x24/limit");
    watch.at(9_000).status("state=idle:app=codex").give(Evidence::Input).sees("120x40/limit");
    watch.at(30_000).said(&[
        "350 idle (screen)",
        "1000 idle (status)",
        "1350 blocked question (screen)",
        "4150 idle (status)",
        "5000 working (status)",
        "6350 blocked limit (screen)",
    ]);
}

#[test]
fn a_limit_note_is_read_when_the_user_types() {
    let mut watch = Watch::new("claude");
    watch.at(0).sees("120x40/working-waiting");
    watch.at(2_000).sees("120x40/limit-api-key");
    watch.at(60_000).give(Evidence::Input).sees("120x40/limit-api-key");
    watch.at(70_000).sees("120x40/working-waiting");
    watch.at(72_000).sees("120x40/limit-api-key");
    watch.at(80_000).said(&[
        "350 working (screen)",
        "2350 blocked limit (screen)",
        "60350 idle (screen)",
        "70350 working (screen)",
        "72350 blocked limit (screen)",
    ]);
}

#[test]
fn quoted_words_change_nothing() {
    for agent in ["claude", "codex", "opencode"] {
        let mut watch = Watch::new(agent);
        watch.at(0).sees("80x24/working-waiting");
        watch.at(2_000).sees("80x24/quoted-words");
        watch.at(9_000).said(&["350 working (screen)", "2350 done (screen)"]);
    }
}

#[test]
fn an_unknown_layout_is_doubt_and_never_rest() {
    let mut watch = Watch::new("claude");
    watch.at(0).rows("something\nnobody knows");
    watch.at(3_000).sees("120x40/idle-fresh");
    watch.at(5_000).sees("120x40/working-waiting");
    watch.at(8_000).rows("a new release\ndraws otherwise");
    watch.at(20_000).sees("120x40/permission-write");
    watch.at(23_000).rows("again");
    watch.at(30_000).sees("120x40/done-text");
    watch.at(40_000).said(&[
        "3350 idle (screen)",
        "5350 working (screen)",
        "9500 working ? (screen)",
        "20350 blocked permission (screen)",
        "24500 blocked permission ? (screen)",
        "30350 done (screen)",
    ]);
}

/// BR-44.
#[test]
fn a_long_answer_without_any_hint_keeps_working_until_it_settles() {
    // 60 lines, one per 200 ms: with an input box on the screen, and with nothing known on it.
    for tail in ["\n\n› \n\n  gpt · ~/proj", ""] {
        let mut watch = Watch::new("codex");
        watch.at(0).sees("80x24/working-waiting");
        for n in 0..60 {
            watch.at(1_000 + n * 200).rows(&format!("line {n}\nline {}{tail}", n + 1));
            watch.give(Evidence::Output { bytes: 40 });
        }
        let expected: [&str; 2] = if tail.is_empty() {
            ["350 working (screen)", "14300 working ? (screen)"]
        } else {
            ["350 working (screen)", "13800 done (screen)"]
        };
        watch.at(30_000).said(&expected);
    }
}

#[test]
fn echoes_of_typing_do_not_count_as_output() {
    let mut watch = Watch::new("claude");
    watch.at(0).sees("120x40/working-waiting");
    watch.at(2_000).sees("120x40/done-after-compact");
    for n in 0..20 {
        watch.at(2_000 + n * 100).give(Evidence::Input).give(Evidence::Output { bytes: 9 });
    }
    watch.at(9_000).said(&["350 working (screen)", "3000 done (screen)"]);
}

#[test]
fn flickers_do_not_flap() {
    let mut watch = Watch::new("claude");
    watch.at(0).sees("120x40/idle-fresh");
    for n in 0..10 {
        watch.at(1_000 + n * 600).sees("120x40/working-waiting");
        watch.at(1_300 + n * 600).sees("120x40/idle-fresh");
    }
    watch.at(10_000).sees("120x40/working-waiting");
    for n in 0..10 {
        watch.at(11_000 + n * 600).sees("120x40/idle-fresh");
        watch.at(11_300 + n * 600).sees("120x40/working-waiting");
        watch.at(11_500 + n * 600).sees("120x40/permission-write");
        watch.at(11_550 + n * 600).rows("half drawn");
    }
    watch.at(18_000).said(&["350 idle (screen)", "10350 working (screen)"]);
    // A queued prompt: the end and the next start some milliseconds apart.
    let mut watch = Watch::new("claude");
    watch.at(0).status("state=working:app=claude-code");
    watch.at(1_000).status("state=done:app=claude-code");
    watch.at(1_020).status("state=working:app=claude-code");
    watch.at(9_000).said(&["0 working (status)"]);
}

/// BR-46.
#[test]
fn an_idle_agent_is_idle_within_two_seconds_and_not_done() {
    for (agent, sample) in [
        ("claude", "120x40/idle-fresh"),
        ("claude", "120x40/done-text"),
        ("codex", "80x24/done-text"),
        ("opencode", "80x24/idle-fresh"),
    ] {
        let mut watch = Watch::new(agent);
        watch.at(0).sees(sample);
        watch.at(60_000).said(&["350 idle (screen)"]);
    }
}

/// BR-45.
#[test]
fn background_work_after_a_turn_is_working_and_ends_once() {
    let mut watch = Watch::new("claude");
    watch.at(0).status("state=working:app=claude-code").sees("120x40/working-waiting");
    watch.at(3_000).status("state=done:app=claude-code").sees("120x40/done-background-shell-running");
    watch.at(30_000).status("state=working:app=claude-code").sees("120x40/working-thinking");
    watch.at(33_000).status("state=done:app=claude-code").sees("120x40/done-text");
    watch.at(60_000).said(&[
        "0 working (status)",
        "3350 working background (screen)",
        "30000 working (status)",
        "33150 done (status)",
    ]);
}

#[test]
fn esc_of_which_no_hook_tells_is_seen_on_the_screen() {
    let mut watch = Watch::new("claude");
    watch.at(0).hook("UserPromptSubmit", State::Working, None).sees("120x40/working-waiting");
    watch.at(3_000).sees("120x40/interrupted");
    // A new prompt, while the old note still stands there for a moment.
    watch.at(9_000).hook("UserPromptSubmit", State::Working, None).sees("120x40/interrupted");
    watch.at(9_300).sees("120x40/working-waiting");
    watch
        .at(12_000)
        .hook("PermissionRequest", State::Blocked, Some(Kind::Permission))
        .sees("120x40/permission-write");
    // Allowed: the next hook comes when the tool has run.
    watch.at(20_000).sees("120x40/working-tool-shell");
    watch.at(30_000).hook("PostToolUse", State::Working, None);
    watch.at(31_000).hook("Stop", State::Done, None).sees("120x40/done-text");
    // A minute later it says that it waits: that is no news.
    watch.at(91_000).hook("Notification idle_prompt", State::Idle, None);
    watch.at(99_000).said(&[
        "0 working (hooks)",
        "3350 done (screen)",
        "9000 working (hooks)",
        "12000 blocked permission (hooks)",
        "20550 working (screen)",
        "30000 working (hooks)",
        "31150 done (hooks)",
    ]);
}

/// BR-42.
#[test]
fn hooks_out_of_order_or_twice_change_nothing() {
    let mut watch = Watch::new("claude");
    let meaning = |state| Meaning::Is(state, None);
    let report =
        |seq, state| Evidence::Hook(HookReport { meaning: meaning(state), seq, event: "late".to_owned() });
    watch.at(0).give(report(10, State::Working)).give(report(12, State::Done)).give(report(12, State::Done));
    watch.at(1_000).give(report(11, State::Working));
    watch.at(2_000).looked();
    watch.at(3_000).give(report(12, State::Done));
    watch.at(9_000).said(&["0 working (hooks)", "150 done (hooks)", "2000 idle (hooks)"]);
}

#[test]
fn an_error_stays_the_reason_of_the_end_it_led_to() {
    let mut watch = Watch::new("opencode");
    watch.hook("session.status", State::Working, None);
    watch.at(1_000).hook("session.error", State::Done, Some(Kind::Error));
    watch.at(1_010).hook("session.idle", State::Done, None);
    watch.at(5_000).said(&["0 working (hooks)", "1150 done error (hooks)"]);
}

#[test]
fn the_end_of_a_conversation_takes_back_what_its_hooks_said() {
    let mut watch = Watch::new("claude");
    watch.hook("UserPromptSubmit", State::Working, None);
    watch.at(100).give(Evidence::Hook(HookReport {
        meaning: Meaning::End,
        seq: 9,
        event: "SessionEnd".to_owned(),
    }));
    watch.at(200).give(Evidence::Hook(HookReport {
        meaning: Meaning::Start,
        seq: 10,
        event: "SessionStart".to_owned(),
    }));
    watch.at(5_000).said(&["0 working (hooks)", "350 done (hooks)"]);
}

#[test]
fn a_hook_that_the_screen_contradicts_gives_way() {
    let mut watch = Watch::new("opencode");
    watch.at(0).hook("busy", State::Working, None).sees("80x24/idle-fresh");
    watch.at(9_000).said(&["0 working (hooks)", "1850 done (screen)"]);
    let last = watch.detector.explain().pop().expect("a decision");
    assert_eq!(
        (last.rule.as_str(), last.evidence.last().map(String::as_str)),
        ("prompt", Some("gave way: hook busy"))
    );
    // A dialog that the status protocol does not know.
    let mut watch = Watch::new("codex");
    watch.at(0).status("state=working:app=codex");
    watch.at(5_000).sees("80x24/permission-shell");
    watch.at(9_000).said(&["0 working (status)", "6850 blocked permission (screen)"]);
}

#[test]
fn a_state_file_tells_what_hooks_do_not() {
    let mut watch = Watch::new("claude");
    watch.at(0).hook("UserPromptSubmit", State::Working, None);
    watch.at(5_000).give(Evidence::File { state: State::Idle, kind: None });
    watch.at(9_000).said(&["0 working (hooks)", "6350 done (file)"]);
}

#[test]
fn progress_counts_where_the_agents_file_says_what_it_means() {
    let mut watch = Watch::new("claude");
    let osc = |payload: &str| Evidence::Signal { osc: 9, payload: payload.to_owned() };
    watch.at(0).sees("120x40/idle-fresh");
    watch.at(1_000).give(osc("4;3;"));
    watch.at(5_000).give(osc("4;0;"));
    watch.at(9_000).said(&["350 idle (screen)", "1350 working (signal)", "5350 done (screen)"]);
    let mut watch = Watch::new("codex");
    watch.at(0).sees("80x24/idle-draft");
    watch.at(1_000).give(osc("4;3;"));
    watch.at(9_000).said(&["350 idle (screen)"]);
}

#[test]
fn a_restart_of_the_server_changes_nothing() {
    let mut watch = Watch::new("claude");
    watch.at(0).status("state=working:app=claude-code").sees("120x40/working-waiting");
    watch.at(5_000);
    watch.log.clear();
    let saved = serde_json::to_string(&watch.detector.save()).expect("saves");
    let restored =
        Detector::restore(watch.detector.agent().clone(), serde_json::from_str(&saved).expect("reads"));
    assert_eq!(restored.verdict(), watch.detector.verdict());
    assert_eq!(restored.since(), 0);
    assert_eq!(restored.explain(), watch.detector.explain());
    watch.detector = restored;
    // Its reports are not sent again; the screen comes back, and the end of the turn.
    watch.at(7_000).sees("120x40/working-waiting");
    watch.at(30_000).said(&[]);
    watch.status("state=done:app=claude-code").sees("120x40/done-text");
    watch.at(40_000).said(&["30150 done (status)"]);
    // Done and looked at before the restart: not done again.
    watch.looked();
    let saved = watch.detector.save();
    watch.detector = Detector::restore(watch.detector.agent().clone(), saved);
    watch.at(41_000).sees("120x40/done-text");
    watch.at(50_000).said(&["40000 idle (status)"]);
}

#[test]
fn a_killed_agent_leaves_no_state_behind() {
    let mut watch = Watch::new("codex");
    watch.at(0).status("state=working:app=codex").sees("80x24/working-waiting");
    watch.at(5_000).give(Evidence::Gone);
    watch.at(6_000).status("state=working:app=codex").sees("80x24/working-waiting");
    assert_eq!(watch.detector.next_deadline(), None);
    watch.said(&["0 working (status)", "5000 done (status)"]);
    let mut watch = Watch::new("codex");
    watch.at(0).sees("80x24/idle-draft");
    watch.at(5_000).give(Evidence::Gone);
    watch.said(&["350 idle (screen)"]);
}

/// Gemini tells of no refusal: what it said before is of before, also once other words stand last on its screen.
#[test]
fn an_end_that_hooks_are_silent_about_is_the_end_of_what_they_said() {
    let mut watch = Watch::new("gemini");
    watch.at(0).hook("BeforeAgent", State::Working, None).sees("100x30/working-waiting");
    watch.at(1_000).hook("Notification", State::Blocked, Some(Kind::Permission)).sees("100x30/permission");
    watch.at(5_000).sees("100x30/interrupted");
    watch.at(5_500).sees("100x30/idle");
    watch.at(9_000).said(&["0 working (hooks)", "1000 blocked permission (hooks)", "5350 done (screen)"]);
}

/// A report that was lost costs less than a second.
#[test]
fn a_dialog_that_no_hook_told_of_is_seen_on_the_screen() {
    let mut watch = Watch::new("opencode");
    watch.at(0).hook("session.status", State::Working, None).sees("120x40/working-waiting");
    watch.at(2_000).sees("120x40/permission-shell");
    watch.at(6_000).said(&["0 working (hooks)", "2850 blocked permission (screen)"]);
}

/// After the answer only the end of the tool is told.
#[test]
fn an_answered_dialog_is_over_once_the_screen_says_so() {
    let mut watch = Watch::new("gemini");
    watch.at(0).hook("BeforeAgent", State::Working, None).sees("100x30/working-waiting");
    watch.at(900).sees("100x30/permission");
    watch.at(1_000).hook("Notification", State::Blocked, Some(Kind::Permission));
    watch.at(5_000).sees("100x30/working-waiting");
    watch.at(9_000).said(&["0 working (hooks)", "1000 blocked permission (hooks)", "5550 working (screen)"]);
}

/// Aider shows nothing of its own while an answer streams, not even at its first prompt.
#[test]
fn an_answer_that_streams_is_work_at_an_agent_that_shows_nothing_else() {
    let mut watch = Watch::new("aider");
    watch.at(0).sees("100x30/idle");
    let mut screen = "diff> tell me\n\nOnce".to_owned();
    watch.at(2_000).give(Evidence::Input).rows(&screen);
    for at in (2_500..6_000).step_by(300) {
        screen.push_str("\nupon a time");
        watch.at(at).give(Evidence::Output { bytes: 12 }).rows(&screen);
    }
    watch.at(6_300).sees("100x30/idle");
    watch.at(9_000).said(&["350 idle (screen)", "2850 working (screen)", "6650 done (screen)"]);
    // Silence is doubt, as everywhere.
    let mut watch = Watch::new("aider");
    watch.at(0).sees("100x30/idle");
    watch.at(3_000).rows("words that nobody knows");
    watch.at(9_000).said(&["350 idle (screen)", "4500 idle ? (screen)"]);
}

/// Codex 0.171 reports working and idle while it brings up its daemon.
#[test]
fn work_before_anybody_asked_is_no_turn() {
    let unasked = || {
        let agent = Catalog::builtin().get("codex").expect("known").clone();
        Watch { detector: Detector::unasked(agent, 0), now: 0, log: Vec::new(), seq: 0 }
    };
    let begins = |watch: &mut Watch| {
        watch.at(100).status("state=working:app=codex");
        watch.at(400).status("state=idle:app=codex").at(2_000);
    };
    let mut watch = unasked();
    begins(&mut watch);
    watch.said(&["400 idle (status)"]);
    watch.at(3_000).give(Evidence::Input).status("state=working:app=codex");
    watch.at(5_000).status("state=idle:app=codex").at(6_000);
    watch.said(&["3000 working (status)", "5150 done (status)"]);
    // Work that lasts is told of, but its end is still no turn's, also by a server that came in between.
    let mut watch = unasked();
    watch.at(100).status("state=working:app=codex").at(1_000);
    watch.said(&["700 working (status)"]);
    let saved = watch.detector.save();
    watch.detector = Detector::restore(watch.detector.agent().clone(), saved);
    watch.at(2_000).status("state=idle:app=codex").at(3_000);
    watch.said(&["2150 idle (status)"]);
}

/// BR-49.
#[test]
fn a_one_shot_run_works_until_it_ends() {
    let catalog = Catalog::builtin();
    let argv = ["claude", "-p", "fix it"].map(str::to_owned).to_vec();
    let group = [Process { argv, ..Process::default() }];
    let agent = catalog.recognise(&group).expect("claude");
    let mut detector = Detector::one_shot(agent.clone(), 0);
    assert_eq!(line(0, detector.verdict()), "0 working (screen)");
    let words = ScreenShot::of_text("API Error: 401\nDo you want to proceed?\n ❯ 1. Yes");
    assert_eq!(detector.observe(Evidence::Screen(words), 100), None);
    assert_eq!(detector.next_deadline(), None);
    let ended = detector.observe(Evidence::Gone, 5_000).expect("ends");
    assert_eq!(line(5_000, &ended), "5000 done (screen)");
}

#[test]
fn an_explanation_quotes_the_rows_it_rests_on() {
    let mut watch = Watch::new("claude");
    watch.at(0).sees("80x24/permission-write");
    watch.at(1_000);
    let last = watch.detector.explain().pop().expect("a decision");
    assert_eq!((last.at_ms, last.rule.as_str()), (350, "permission"));
    assert_eq!(last.evidence, ["Do you want to create new.txt?", "❯ 1. Yes"]);
    // The ring is bounded.
    for n in 1..200 {
        let state = if n % 2 == 0 { "working" } else { "blocked" };
        watch.at(1_000 * n + 1_000).status(&format!("state={state}:app=claude-code"));
    }
    assert_eq!(watch.detector.explain().len(), 32);
}

#[test]
fn the_sample_agent_shows_every_state() {
    let catalog = Catalog::builtin();
    let agent = catalog.get("sample").expect("built in").clone();
    let mut watch = Watch::new("sample");
    let order =
        ["start", "working", "permission", "working", "question", "working", "finished", "working", "failed"];
    for (n, name) in order.iter().enumerate() {
        let sample = agent.samples().iter().find(|sample| sample.name == *name).expect("documented");
        watch.at(n as u64 * 1_000).give(Evidence::Screen(sample.screen.clone()));
    }
    watch.at(20_000).said(&[
        "350 idle (screen)",
        "1350 working (screen)",
        "2350 blocked permission (screen)",
        "3350 working (screen)",
        "4350 blocked question (screen)",
        "5350 working (screen)",
        "6350 done (screen)",
        "7350 working (screen)",
        "8350 done error (screen)",
    ]);
    let mut watch = Watch::new("sample");
    watch.at(0).status("state=working:app=sample");
    watch.said(&["0 working (status)"]);
}

#[test]
fn no_stream_of_evidence_leaves_a_state_stuck_or_a_deadline_in_the_past() {
    let screens = [
        "120x40/idle-fresh",
        "120x40/working-waiting",
        "120x40/permission-write",
        "120x40/interrupted",
        "120x40/limit-api-key",
        "120x40/done-background-shell-running",
        "120x40/startup-trust",
    ];
    let agent = Catalog::builtin().get("claude").expect("known").clone();
    for seed in 1..200_u64 {
        let mut watch = Watch::over(agent.clone());
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        let mut now = 0;
        for _ in 0..40 {
            now += next(1_500);
            watch.at(now);
            let state = [State::Working, State::Blocked, State::Done, State::Idle][next(4) as usize];
            match next(8) {
                0..=2 => watch.sees(screens[next(7) as usize]),
                3 => watch.status(&format!("state={}:app=claude-code", state.word())),
                4 => watch.hook("Event", state, None),
                5 => {
                    watch.give(Evidence::Title(format!("{} Claude Code", ['◐', '◑', '✳'][next(3) as usize])))
                }
                6 => watch.give(Evidence::File { state, kind: None }),
                _ => watch.give(Evidence::Input).give(Evidence::Output { bytes: 1 }),
            };
            if next(6) == 0 {
                watch.looked();
            }
        }
        watch.sees("120x40/done-text").at(now + 20_000);
        let verdict = watch.detector.verdict();
        let told = watch.detector.explain();
        assert!(
            verdict.certain && matches!(verdict.state, State::Done | State::Idle),
            "seed {seed}: {told:#?}"
        );
        // The same answer whether or not somebody asks in between.
        assert_eq!(watch.detector.next_deadline(), None, "seed {seed}");
    }
}
