//! What an agent's file can say beyond what any one agent of the catalogue needs, on files made up
//! here: odd input boxes, signals of other OSCs, proofs for ordinary names, variables for panes.

use kraal_agents::{Catalog, Detector, Evidence, Process, ScreenShot};
use kraal_api::{Source, State};

const HEAD: &str = "[agent]\nname = \"mine\"\nlabel = \"Mine\"\n[launch]\ncommand = [\"mine\"]\n";

/// The catalogue with this file in it, and what is wrong with it.
fn with(rest: &str) -> (Catalog, Vec<String>) {
    let process = if rest.contains("[process]") { "" } else { "[process]\nnames = [\"mine\"]\n" };
    let file = ("mine.toml".to_owned(), format!("{HEAD}{process}{rest}"));
    let (catalog, problems) = Catalog::builtin().with_overrides([file].into_iter());
    (catalog, problems.iter().map(ToString::to_string).collect())
}

fn mine(rest: &str) -> Catalog {
    let (catalog, problems) = with(rest);
    assert_eq!(problems, [""; 0]);
    catalog
}

#[test]
fn an_input_box_with_sides_a_scroll_bar_and_dialogs_in_its_place() {
    let catalog = mine(
        r#"
        [input]
        top = '^(╭─{4,}|── \S+ ─{4,})'
        prompt = '^│ >'
        bottom = '^╰─{4,}╯$'
        edge = ' +┃'
        sides = "│"
        never_inside = ['^│ choose']
        [[screen]]
        id = "working"
        state = "working"
        region = "frame"
        all = ['\A── busy ─']
        [[screen]]
        id = "ended"
        state = "done"
        region = "last_block"
        all = ['\AThe end$']
        "#,
    );
    let agent = catalog.get("mine").expect("added");
    let text = |screen: &str| agent.input_box(&ScreenShot::of_text(screen)).map(|input| input.text);
    let boxed =
        |above: &str, top: &str, first: &str| format!("{above}\n{top}\n{first}\n│   two   │\n╰─────────╯\n");
    assert_eq!(text(&boxed("x", "╭─────────╮", "│ > one   │")).as_deref(), Some("one\ntwo"));
    assert_eq!(text(&boxed("x", "╭─────────╮", "│ > choose│").replace("│   two", "│ choose")), None);
    let rule = |screen: &str| agent.read(&ScreenShot::of_text(screen)).map(|reading| reading.rule);
    assert_eq!(rule(&boxed("x", "── busy ──────", "│ >       │")).as_deref(), Some("working"));
    assert_eq!(rule(&boxed("── busy ──────", "╭─────────╮", "│ >       │")), None);
    let scrolled = boxed("text  ┃\n      ┃\nThe end        ┃", "╭─────────╮", "│ >       │");
    assert_eq!(rule(&scrolled).as_deref(), Some("ended"));
}

#[test]
fn another_osc_is_evidence_for_as_long_as_it_is_repeated() {
    let catalog = mine(
        r#"
        [[signal]]
        id = "busy"
        from = "osc777"
        pattern = '\Amine;busy;'
        state = "working"
        fresh_ms = 1000
        [[signal]]
        id = "rest"
        from = "osc777"
        pattern = '\Amine;rest;'
        state = "idle"
        "#,
    );
    let mut detector = Detector::new(catalog.get("mine").expect("added").clone(), 0);
    let mut say = |payload: &str, at: u64| {
        let signal = Evidence::Signal { osc: 777, payload: payload.to_owned() };
        detector.observe(signal, at);
        while let Some(deadline) = detector.next_deadline().filter(|deadline| *deadline <= at + 900) {
            detector.tick(deadline);
        }
        (detector.verdict().state, detector.verdict().certain, detector.verdict().source)
    };
    assert_eq!(say("somebody;busy;1", 100), (State::Idle, false, Source::Screen));
    assert_eq!(say("mine;busy;1", 1_100), (State::Working, true, Source::Signal));
    assert_eq!(say("mine;busy;1", 2_050), (State::Working, true, Source::Signal));
    assert_eq!(say("somebody;else;1", 2_900).0, State::Working);
    assert_eq!(say("mine;rest;1", 3_800), (State::Done, true, Source::Signal));
}

fn process(exe: &str, argv: &[&str]) -> Process {
    let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
    Process { pid: 1, comm: "MainThread".to_owned(), argv, exe: Some(exe.to_owned()), script: None }
}

#[test]
fn ordinary_names_need_their_proof() {
    let catalog = mine(
        r#"
        [process]
        names = ["mine-cli"]
        packages = ["@me/mine"]
        titles = ["mine-title"]
        tools = ["login"]
        [[process.words]]
        name = "m"
        subcommand = ["chat"]
        [[process.words]]
        name = "assistant"
        proof = ["/mine-cli/"]
        "#,
    );
    let is = |process: &Process| catalog.recognise(std::slice::from_ref(process)).is_some();
    assert!(is(&process("/usr/bin/mine-cli", &["mine-cli"])));
    assert!(is(&process("/usr/bin/m", &["m", "chat"])));
    assert!(!is(&process("/usr/bin/m", &["m", "file.txt"])));
    assert!(!is(&process("/usr/bin/m", &["m"])));
    assert!(is(&process("/usr/bin/node", &["mine-title", "", ""])));
    assert!(!is(&process("/usr/bin/mine-title", &["mine-title"])));
    assert!(!is(&process("/home/u/bin/assistant", &["assistant"])));
    assert!(is(&process(
        "/home/u/.local/share/mine-cli/node",
        &["/home/u/bin/assistant", "--x", "/s/index.js"]
    )));
    assert!(!is(&process("/home/u/mine-cli/node", &["/home/u/bin/assistant", "/s/index.js", "login"])));

    // A link on the PATH says nothing; what it is a link to does.
    let mut linked = process("/usr/bin/node", &["node", "/usr/bin/assistant"]);
    assert!(!is(&linked));
    assert_eq!(catalog.in_doubt(&linked), Some("/usr/bin/assistant"));
    linked.script = Some("/opt/mine-cli/index.js".to_owned());
    assert!(is(&linked));
    assert_eq!(catalog.in_doubt(&linked), None);
    assert_eq!(catalog.in_doubt(&process("/usr/bin/node", &["node", "/srv/server.js", "/usr/bin/m"])), None);
    assert_eq!(catalog.in_doubt(&process("/usr/bin/vim", &["vim", "/usr/bin/assistant"])), None);
    let commands: Vec<&str> =
        catalog.get("mine").expect("added").commands().iter().map(String::as_str).collect();
    assert_eq!(commands, ["mine-cli", "m", "assistant"]);
}

#[test]
fn a_file_may_ask_for_variables_of_its_own_only() {
    let catalog = mine("[pane]\nenv = { MINE_SIGNALS = \"1\" }\n");
    assert!(catalog.pane_vars().any(|var| var == ("MINE_SIGNALS", "1")));
    for name in ["PATH", "KRAAL_TOKEN", "LD_PRELOAD", "lower", "WITH-DASH"] {
        let (catalog, problems) = with(&format!("[pane]\nenv = {{ \"{name}\" = \"1\" }}\n"));
        assert!(problems[0].starts_with("mine.toml: pane: "), "{problems:?}");
        assert!(!catalog.pane_vars().any(|var| var.0 == name));
    }
}
