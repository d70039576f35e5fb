//! The catalogue test: every agent's file parses and is alone with its names, every sample gives
//! its state and no other agent's rules fire on it, every rule that claims to be seen is seen, and
//! no resume repeats a prompt. It needs nothing outside this crate.

use std::{collections::BTreeSet, fs, path::Path};

use kraal_agents::{Agent, Catalog, Resume, RunKind, ScreenShot};

struct Sample {
    agent: String,
    name: String,
    state: String,
    screen: ScreenShot,
}

/// `state: …`, `title: …`, `note: …`, `---`, the screen.
fn parse(agent: &str, name: &str, text: &str) -> Sample {
    let (head, screen) = text.split_once("---\n").unwrap_or_else(|| panic!("{agent} {name}: no `---` line"));
    let field = |key: &str| head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    let state = field("state").unwrap_or_else(|| panic!("{agent} {name}: no state")).to_owned();
    let mut screen = ScreenShot::of_text(screen);
    screen.title = field("title").unwrap_or_default().to_owned();
    Sample { agent: agent.to_owned(), name: name.to_owned(), state, screen }
}

fn walk(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("readable").path();
        if path.is_dir() { walk(&path, found) } else { found.push(path) }
    }
}

fn samples(catalog: &Catalog) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/samples");
    let mut samples = Vec::new();
    for agent in catalog.iter() {
        let mut files = Vec::new();
        walk(&folder.join(agent.name()), &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(&folder).expect("inside").display().to_string();
            samples.push(parse(agent.name(), &name, &fs::read_to_string(&file).expect("text")));
        }
        for sample in agent.samples() {
            samples.push(Sample {
                agent: agent.name().to_owned(),
                name: format!("{}.toml: {}", agent.name(), sample.name),
                state: sample.expected.to_string(),
                screen: sample.screen.clone(),
            });
        }
    }
    samples
}

#[test]
fn names_are_unique_and_files_are_named_after_their_agent() {
    let catalog = Catalog::builtin();
    let mut names = BTreeSet::new();
    for agent in catalog.iter() {
        assert!(names.insert(agent.name().to_owned()), "{} is there twice", agent.name());
        let label = agent.label();
        assert!(label == agent.name() || names.insert(label.to_owned()), "{label} is there twice");
    }
    let files: Vec<&str> =
        Catalog::builtin_files().iter().map(|(file, _)| file.trim_end_matches(".toml")).collect();
    let agents: Vec<&str> = catalog.iter().map(|agent| agent.name()).collect();
    assert_eq!(files, agents);
}

#[test]
fn every_sample_gives_its_state_and_only_to_its_own_agent() {
    let catalog = Catalog::builtin();
    let samples = samples(&catalog);
    let mut wrong = Vec::new();
    for sample in &samples {
        let own = catalog.get(&sample.agent).expect("of the catalogue");
        let read = |agent: &Agent| agent.read(&sample.screen);
        let got = read(own);
        let state = got.as_ref().map_or("unknown".to_owned(), |reading| reading.expected().to_string());
        if state != sample.state {
            wrong.push(format!("{}: should be {}, is {state}: {got:?}", sample.name, sample.state));
        }
        for other in catalog.iter().filter(|other| other.name() != own.name()) {
            if other.family().is_some() && other.family() == own.family() {
                continue;
            }
            if let Some(reading) = read(other) {
                wrong.push(format!("{}: {} fires on it: {reading:?}", sample.name, other.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(samples.len() > 210, "only {} samples", samples.len());
}

#[test]
fn every_rule_that_is_not_from_documents_is_seen_in_a_sample() {
    let catalog = Catalog::builtin();
    let mut fired = BTreeSet::new();
    for sample in samples(&catalog) {
        let agent = catalog.get(&sample.agent).expect("of the catalogue");
        for rule in agent.firing(&sample.screen) {
            fired.insert((sample.agent.clone(), rule.to_owned()));
        }
    }
    for agent in catalog.iter() {
        let seen: Vec<&str> = agent.rules().filter(|(.., seen)| *seen).map(|(id, ..)| id).collect();
        for id in seen {
            let key = (agent.name().to_owned(), id.to_owned());
            assert!(
                fired.contains(&key),
                "{}: no sample shows rule `{id}`; mark it source = \"documents\"",
                agent.name()
            );
        }
    }
}

#[test]
fn both_sizes_of_every_recorded_agent_show_every_kind_of_state() {
    let catalog = Catalog::builtin();
    let samples = samples(&catalog);
    for agent in ["claude", "codex", "opencode"] {
        for size in ["80x24", "120x40"] {
            for state in ["idle", "working", "blocked permission", "blocked question", "done", "done error"] {
                let found =
                    samples.iter().any(|s| s.agent == agent && s.name.contains(size) && s.state == state);
                assert!(found, "{agent} {size}: no sample of {state}");
            }
        }
    }
}

fn argv(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_resume_never_repeats_a_prompt() {
    let catalog = Catalog::builtin();
    let prompt = "delete everything in src";
    for agent in catalog.iter().filter(|agent| agent.resumes()) {
        let (options, prompts) = agent.options();
        for option in &options {
            for unknown in [None, Some("--never-heard-of")] {
                let mut words = agent.launch_argv(&argv(&[]));
                words.extend(unknown.map(str::to_owned));
                words.extend(option.iter().cloned());
                if !agent.takes_paths() {
                    words.push(prompt.to_owned());
                }
                for name in &prompts {
                    words.extend([name.clone(), prompt.to_owned()]);
                    words.push(format!("{name}={prompt}"));
                }
                match agent.resume(&words, "id-1") {
                    Resume::Run(argv) => {
                        assert!(unknown.is_none(), "{words:?} has an unknown option, yet {argv:?} would run");
                        assert!(!argv.join(" ").contains("delete"), "{words:?} gives {argv:?}");
                        assert!(argv.iter().any(|word| word == "id-1"), "{argv:?} resumes nothing");
                    }
                    Resume::Show(argv) => {
                        assert!(unknown.is_some(), "{words:?} is known, yet {argv:?} waits");
                        assert!(!argv.join(" ").contains("delete"), "{words:?} gives {argv:?}");
                    }
                    Resume::None => panic!("{words:?} is not resumed"),
                }
            }
        }
    }
}

#[test]
fn resumes_as_each_agent_wants_it() {
    let catalog = Catalog::builtin();
    let run = |agent: &str, words: &[&str]| catalog.get(agent).expect("known").resume(&argv(words), "abc");
    let cases: [(&str, &[&str], Resume); 26] = [
        ("claude", &["claude"], Resume::Run(argv(&["claude", "--resume", "abc"]))),
        ("claude", &["claude", "fix it"], Resume::Run(argv(&["claude", "--resume", "abc"]))),
        (
            "claude",
            &["claude", "--model", "opus", "-r", "old", "--add-dir", "a", "b", "--verbose", "--", "-x"],
            Resume::Run(argv(&[
                "claude",
                "--resume",
                "abc",
                "--model",
                "opus",
                "--add-dir",
                "a",
                "b",
                "--verbose",
            ])),
        ),
        (
            "claude",
            &["claude", "--model=opus", "-c"],
            Resume::Run(argv(&["claude", "--resume", "abc", "--model=opus"])),
        ),
        (
            "claude",
            &["env", "A=1", "claude", "--new-option", "value"],
            Resume::Show(argv(&["claude", "--resume", "abc", "--new-option", "value"])),
        ),
        (
            "claude",
            &["claude", "--new-option", "fix the bug", "now"],
            Resume::Show(argv(&["claude", "--resume", "abc", "--new-option"])),
        ),
        ("claude", &["claude", "-p", "fix it"], Resume::None),
        ("claude", &["claude", "--model", "opus", "--print", "fix it"], Resume::None),
        ("codex", &["codex", "-m", "x", "fix it"], Resume::Run(argv(&["codex", "resume", "abc", "-m", "x"]))),
        ("codex", &["codex", "resume", "old", "go on"], Resume::Run(argv(&["codex", "resume", "abc"]))),
        ("codex", &["codex", "-c", "a=b", "exec", "fix it"], Resume::None),
        (
            "opencode",
            &["opencode", "-s", "old", "proj"],
            Resume::Run(argv(&["opencode", "-s", "abc", "proj"])),
        ),
        ("opencode", &["opencode", "--prompt", "fix it"], Resume::Run(argv(&["opencode", "-s", "abc"]))),
        ("opencode", &["opencode", "run", "fix it"], Resume::None),
        (
            "gemini",
            &["gemini", "-m", "pro", "-i", "fix it", "-r", "latest"],
            Resume::Run(argv(&["gemini", "--resume", "abc", "-m", "pro"])),
        ),
        ("qwen", &["qwen", "-c", "fix it"], Resume::Run(argv(&["qwen", "--resume", "abc"]))),
        (
            "copilot",
            &["copilot", "--allow-all", "--continue", "-i", "fix it"],
            Resume::Run(argv(&["copilot", "--resume", "abc", "--allow-all"])),
        ),
        ("copilot", &["copilot", "-p", "fix it"], Resume::None),
        (
            "kilo",
            &["kilo", "-s", "old", "--prompt", "fix it", "proj"],
            Resume::Run(argv(&["kilo", "--session", "abc", "proj"])),
        ),
        ("kimi", &["kimi", "-S", "old", "-y"], Resume::Run(argv(&["kimi", "--session", "abc", "-y"]))),
        // It blanked its own arguments.
        ("pi", &["pi", "", "", ""], Resume::Run(argv(&["pi", "--session", "abc"]))),
        ("vibe", &["vibe", "--resume", "old", "fix it"], Resume::Run(argv(&["vibe", "--resume", "abc"]))),
        ("droid", &["droid", "fix it"], Resume::Run(argv(&["droid", "--resume", "abc"]))),
        (
            "cursor",
            &["cursor-agent", "--resume=old", "--force", "fix it"],
            Resume::Run(argv(&["cursor-agent", "--resume", "abc", "--force"])),
        ),
        (
            "kiro",
            &["kiro-cli", "chat", "--resume-id", "old", "-a", "fix it"],
            Resume::Run(argv(&["kiro-cli", "chat", "--resume-id", "abc", "-a"])),
        ),
        (
            "amp",
            &["amp", "threads", "continue", "T-old"],
            Resume::Run(argv(&["amp", "threads", "continue", "abc"])),
        ),
    ];
    for (agent, words, expected) in cases {
        assert_eq!(run(agent, words), expected, "{words:?}");
    }
    assert_eq!(
        run("claude", &["claude"]),
        catalog.get("claude").expect("known").resume(&argv(&["claude"]), "abc")
    );
    let claude = catalog.get("claude").expect("known");
    assert_eq!(claude.resume(&argv(&["claude"]), "--dangerously-skip-permissions"), Resume::None);
    assert_eq!(claude.run_kind(&argv(&["claude", "-p", "x"])), RunKind::OneShot);
    assert_eq!(claude.run_kind(&argv(&["claude", "--", "-p"])), RunKind::Interactive);
}

#[test]
fn a_users_file_adds_overrides_or_is_named_with_its_mistake() {
    let mine = r#"
        [agent]
        name = "mine"
        label = "Mine"
        [process]
        names = ["mine"]
        [launch]
        command = ["mine"]
    "#;
    let other = mine.replace("\"mine\"", "\"codex\"");
    let typo = "[agent]\nname = \"typo\"\nlabl = \"Typo\"\n";
    let bad = mine.replace("name = \"mine\"", "name = \"bad\"")
        + "[[screen]]\nid = \"x\"\nstate = \"idle\"\nall = ['(']\n";
    let files = [("mine.toml", mine), ("codex.toml", &other), ("typo.toml", typo), ("bad.toml", &bad)];
    let count = Catalog::builtin().iter().count();
    let (catalog, problems) = Catalog::builtin()
        .with_overrides(files.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())));
    assert_eq!(catalog.iter().count(), count + 1);
    assert_eq!(catalog.get("codex").expect("overridden").label(), "Mine");
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("typo.toml:3: unknown field `labl`"), "{said:?}");
    assert!(said[1].starts_with("bad.toml: screen rule `x`: pattern `(`"), "{said:?}");
}

#[test]
fn input_boxes_tell_a_draft_from_a_placeholder() {
    let catalog = Catalog::builtin();
    for sample in samples(&catalog) {
        let agent = catalog.get(&sample.agent).expect("known");
        let text = agent.input_box(&sample.screen).map(|input| input.text);
        if sample.name.contains("idle-draft") {
            assert_eq!(text.as_deref(), Some("a typed draft that was not sent"), "{}", sample.name);
        } else if sample.name.contains("idle-fresh") || sample.name.contains("/done-") {
            assert_eq!(text.as_deref(), Some(""), "{}", sample.name);
        } else if sample.name.ends_with("80x24/working-streaming-draft.txt") {
            assert_eq!(text.as_deref(), Some("draft while working"), "{}", sample.name);
        } else if sample.state.starts_with("blocked permission") {
            assert_eq!(text, None, "{}", sample.name);
        }
    }
}
