//! The lab's recordings of the real agents, where they are at hand: each must give the state that
//! its name says, at every size, by way of a detector that saw what came before. What must always
//! pass is in `catalog.rs` with the samples of this crate.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use kraal_agents::{Catalog, Detector, Evidence, HookReport, Meaning, ScreenShot};
use kraal_api::State;

fn folder() -> Option<PathBuf> {
    let folder = env::var_os("KRAAL_LAB_CAPTURES")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/lab/captures"));
    folder.is_dir().then_some(folder)
}

/// Recordings whose name says something else than they show, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    // The turn ended, a shell that it started still runs.
    ("claude/*/done-background-shell-running", "working background"),
    ("claude/*/working-subagent", "working background"),
    // The limit note of the step before is the last thing said, until somebody types.
    ("claude/80x24/idle-plan-mode", "blocked limit"),
    ("claude/80x24/mode-3", "blocked limit"),
    // Recorded while the agent still worked (the spinner and the title show it).
    ("claude/120x40/done-todo", "working"),
    ("claude/120x40/error-529-interrupted", "working"),
    ("claude/120x40/mode-1", "working"),
    ("claude/120x40/mode-2", "working"),
    ("claude/120x40/mode-3", "working"),
    ("opencode/120x40/done-after-question", "working"),
    ("opencode/120x40/done-todo", "working"),
    ("opencode/120x40/error-401", "working"),
    ("opencode/120x40/permission-rejecting", "working"),
    ("opencode/120x40/question-dismissed", "working"),
    // It tries again by itself.
    ("claude/*/error-529-retrying", "working"),
    ("opencode/*/error-429-retrying", "working"),
    // Retrying was over.
    ("codex/*/error-500-retrying", "done error"),
    // An interruption, worded as one.
    ("opencode/120x40/error-429-interrupted", "done"),
    // Dialogs that the name does not call so.
    ("claude/*/menu-model", "blocked question"),
    ("claude/*/resume-picker", "blocked question"),
    ("claude/*/resumed", "blocked question"),
    ("claude/*/ctrl-c-once", "blocked question"),
    ("claude/*/exited-by-ctrl-c", "blocked question"),
    ("opencode/*/menu-commands", "blocked question"),
    // A login is what it needs.
    ("codex/*/error-401", "blocked login"),
    // Outside plan mode the tool answered by itself; the plan was plain text, or not sent.
    ("codex/*/question", "done"),
    ("codex/*/plan-approval", "done"),
    // A background subagent leaves no sign, and 7501 says done.
    ("codex/*/working-subagent", "done"),
    // Another view: nothing of this conversation's state is on the screen.
    ("codex/*/agents-view", "unknown"),
    // An edit that was not asked for, over.
    ("codex/*/tool-edit", "done"),
    ("codex/*/status-command", "idle"),
    ("opencode/120x40/mode-plan", "idle"),
    // A refused turn above another error.
    ("opencode/80x24/mode-plan", "idle"),
    // Blank when it was recorded.
    ("qwen/*/idle", "unknown"),
    ("qwen/*/auto-mode-start", "idle"),
    // While an answer streams it shows nothing; what flows keeps the state.
    ("aider/*/working-streaming", "unknown"),
    ("auggie/*/welcome", "blocked question"),
];

fn truth(agent: &str, size: &str, name: &str) -> String {
    let path = format!("{agent}/{size}/{name}");
    let any = format!("{agent}/*/{name}");
    if let Some((_, state)) = EXCEPTIONS.iter().find(|(key, _)| *key == path || *key == any) {
        return (*state).to_owned();
    }
    let refused = ["-rejected", "-rejecting", "-declined", "-cancelled", "-answered"];
    if refused.iter().any(|end| name.ends_with(end))
        || name.ends_with("-dismissed") && !name.starts_with("limit")
    {
        return "done".to_owned();
    }
    let first = name.split('-').next().unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit());
    match first {
        "startup" | "plan" | "question" | "trust" => "blocked question",
        "login" => "blocked login",
        "permission" => "blocked permission",
        "limit" => "blocked limit",
        "error" => "done error",
        "interrupted" | "finished" => "done",
        "interrupt" => "working",
        "exited" => "unknown",
        other => other,
    }
    .to_owned()
}

/// The sizes at which an agent was recorded.
fn sizes(folder: &Path, agent: &str) -> Vec<(String, String)> {
    let Ok(entries) = fs::read_dir(folder.join(agent)) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_size = |name: &String| name.split_once('x').is_some_and(|(cols, _)| cols.parse::<u16>().is_ok());
    names.filter(is_size).map(|size| (agent.to_owned(), size)).collect()
}

/// The last line of a state counts.
fn titles(states: &str) -> BTreeMap<String, String> {
    let lines = states.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    lines
        .filter_map(|line| Some((line["state"].as_str()?.to_owned(), line["title"].as_str()?.to_owned())))
        // An APC that the recorder took for a title.
        .map(|(state, title)| (state, if title.starts_with("Gi=") { String::new() } else { title }))
        .collect()
}

/// What a detector says of this screen, after a turn where the truth is one that ends a turn.
fn verdict(catalog: &Catalog, agent: &str, shot: &ScreenShot, wanted: &str) -> String {
    let agent = catalog.get(agent).expect("known");
    let mut detector = Detector::new(agent.clone(), 0);
    if wanted.starts_with("done") {
        // A turn was seen to run; the report itself says nothing from here on.
        let report =
            HookReport { meaning: Meaning::Is(State::Working, None), seq: 1, event: "test".to_owned() };
        detector.observe(Evidence::Hook(report), 1);
    }
    detector.observe(Evidence::Title(shot.title.clone()), 9);
    detector.observe(Evidence::Screen(shot.clone()), 10);
    for _ in 0..20 {
        let Some(deadline) = detector.next_deadline().filter(|deadline| *deadline < 4_000) else { break };
        detector.tick(deadline);
    }
    let verdict = detector.verdict();
    if !verdict.certain {
        return "unknown".to_owned();
    }
    kraal_agents::Expected::Is(verdict.state, verdict.kind).to_string()
}

#[test]
fn every_recording_gives_its_state() {
    let Some(folder) = folder() else {
        println!("skipped: no recordings at hand (set KRAAL_LAB_CAPTURES)");
        return;
    };
    let catalog = Catalog::builtin();
    let (mut count, mut wrong) = (0, Vec::new());
    for (agent, size) in catalog.iter().flat_map(|agent| sizes(&folder, agent.name())) {
        let (agent, size) = (agent.as_str(), size.as_str());
        let dir = folder.join(agent).join(size);
        // Titles were recorded for some only.
        let titles = titles(&fs::read_to_string(dir.join("states.jsonl")).unwrap_or_default());
        for entry in fs::read_dir(&dir).expect("there") {
            let file = entry.expect("readable").file_name().into_string().expect("plain names");
            let Some(name) = file.strip_suffix(".txt") else { continue };
            let mut shot = ScreenShot::of_text(&fs::read_to_string(dir.join(&file)).expect("text"));
            let wanted = truth(agent, size, name);
            // The title only where the screen cannot tell.
            if agent == "codex" && (name.starts_with("working-streaming") || name == "working-thinking") {
                assert_ne!(
                    verdict(&catalog, agent, &shot, &wanted),
                    wanted,
                    "{agent}/{size}/{name} needs no title now"
                );
                shot.title = titles.get(name).cloned().unwrap_or_default();
            }
            let got = verdict(&catalog, agent, &shot, &wanted);
            count += 1;
            if got != wanted {
                wrong.push(format!("{agent}/{size}/{name}: should be {wanted}, is {got}"));
            }
            // And the title, where there is one, changes nothing.
            shot.title = titles.get(name).cloned().unwrap_or_default();
            let titled = verdict(&catalog, agent, &shot, &wanted);
            if titled != got && got == wanted {
                wrong.push(format!("{agent}/{size}/{name}: with the title `{}` it is {titled}", shot.title));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{count} recordings");
}

#[test]
fn no_agents_rules_fire_on_anothers_recordings() {
    let Some(folder) = folder() else {
        println!("skipped: no recordings at hand (set KRAAL_LAB_CAPTURES)");
        return;
    };
    let catalog = Catalog::builtin();
    let family = |name: &str| catalog.get(name).and_then(|agent| agent.family());
    let mut wrong = Vec::new();
    for (owner, size) in catalog.iter().flat_map(|agent| sizes(&folder, agent.name())) {
        let dir = folder.join(&owner).join(&size);
        for entry in fs::read_dir(&dir).expect("there") {
            let file = entry.expect("readable").file_name().into_string().expect("plain names");
            if !file.ends_with(".txt") {
                continue;
            }
            let shot = ScreenShot::of_text(&fs::read_to_string(dir.join(&file)).expect("text"));
            for agent in catalog.iter().filter(|agent| agent.name() != owner) {
                if agent.family().is_some() && agent.family() == family(&owner) {
                    continue;
                }
                if let Some(reading) = agent.read(&shot) {
                    let (name, rule) = (agent.name(), &reading.rule);
                    wrong.push(format!(
                        "{owner}/{size}/{file}: {name} reads {} by `{rule}`",
                        reading.expected()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
