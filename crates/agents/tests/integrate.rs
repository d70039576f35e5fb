//! Putting kraal's hooks into agents' files and taking them out: nothing else changes, a second time
//! changes nothing, what was there comes back to the byte.
//!
//! Not here: files, links and locks (the command line's tests).

use kraal_agents::{Agent, Catalog, Edit, Integration, Standing};
use serde_json::Value;

fn integrated() -> Vec<(String, Integration)> {
    let catalog = Catalog::builtin();
    let files = |agent: &std::sync::Arc<Agent>| {
        let name = agent.name().to_owned();
        agent.integrations().into_iter().map(move |file| (name.clone(), file)).collect::<Vec<_>>()
    };
    let found: Vec<(String, Integration)> = catalog.iter().flat_map(files).collect();
    assert!(found.len() >= 11, "{}", found.len());
    found
}

fn of(agent: &str) -> Integration {
    let catalog = Catalog::builtin();
    let agent = catalog.get(agent).expect("it is in the catalogue");
    agent.integrations().into_iter().next().expect("it has an integration")
}

fn new(edit: Edit) -> String {
    match edit {
        Edit::New(text) => text,
        other => panic!("no new text: {other:?}"),
    }
}

/// Everything that must hold for a text of the user's.
fn check(name: &str, file: &Integration, before: &str) {
    let shown = || format!("{name} {}\n{before}", file.file());
    let after = new(file.install(Some(before)).unwrap_or_else(|error| panic!("{error}: {}", shown())));
    assert_eq!(file.install(Some(&after)), Ok(Edit::Same), "twice: {}", shown());
    assert_eq!(file.standing(Some(&after)), Ok(Standing::Installed), "{}", shown());
    assert_eq!(file.standing(Some(before)), Ok(Standing::Missing), "{}", shown());
    if before.contains('\n') {
        let bare = |text: &str| text.replace("\r\n", "").contains('\n');
        assert_eq!(bare(&after), bare(before), "line ends: {}\n{after}", shown());
        assert_eq!(after.contains('\r'), before.contains('\r'), "line ends: {}\n{after}", shown());
    }
    // Only written into: all of the user's is still there, in its order.
    let mut written = after.chars();
    assert!(before.chars().all(|c| written.any(|other| other == c)), "{}\n{after}", shown());
    let without = file.uninstall(Some(&after)).expect("it parses");
    assert_eq!(without, Edit::New(before.to_owned()), "{}\n{after}", shown());
    assert_eq!(file.uninstall(Some(before)), Ok(Edit::Same), "{}", shown());
}

fn read(text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return serde_json::json!({});
    }
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default()).expect("JSON");
    parsed.value.expect("a value").into()
}

#[test]
fn every_integration_comes_and_goes() {
    for (name, file) in integrated() {
        let fresh = new(file.install(None).expect("a new file"));
        assert_eq!(file.install(Some(&fresh)), Ok(Edit::Same), "{name}");
        assert_eq!(file.uninstall(Some(&fresh)), Ok(Edit::Gone), "{name}");
        assert_eq!(file.standing(None), Ok(Standing::Missing), "{name}");
        assert!(fresh.ends_with('\n') && !fresh.contains("{agent}"), "{name}\n{fresh}");
        let program = format!("hook {name} ");
        assert!(
            fresh.contains(&program) || fresh.contains("\"hook\"") || fresh.contains("kraal-hook.sh"),
            "{name}\n{fresh}"
        );
        if file.is_own_file() {
            assert!(!file.was_edited(&fresh) && file.was_edited(&format!("{fresh}// mine\n")), "{name}");
            let foreign = "// somebody else's";
            assert!(file.install(Some(foreign)).is_err(), "{name}");
            assert_eq!(file.uninstall(Some(foreign)), Ok(Edit::Same), "{name}");
        } else if file.file().ends_with(".json") {
            let _: Value = serde_json::from_str(&fresh).expect("strict JSON for a new file");
            for text in [
                "",
                "\n",
                " ",
                "\u{feff}",
                "{}",
                "{}\n",
                "{ }",
                "{\n}\n",
                "{\n\n}",
                "{\"hooks\": {},}",
                "{\n  \"hooks\": {\n  }\n}\n",
                "{\n  \"hooks\": {\n    \"Stop\": [\n    ]\n  }\n}\n",
                "{\"hooks\":{\"Stop\":[ ]}}",
                "{\n  \"version\": 1\n}\n",
                "{\"version\": 1}",
                "{ // none yet\n}",
                "\u{feff}{\"a\": 1}",
                "{\r\n  \"a\": [1, 2]\r\n}\r\n",
                "{\"hooks\": {}}",
                "{\"hooks\":{\"Stop\":[]}}",
            ] {
                check(&name, &file, text);
            }
        } else {
            for text in [
                "",
                "\n",
                "# x",
                "\u{feff}",
                "a = 1\n",
                "a = 1",
                "a = 1\r\nb = 2",
                "a = [\n 1, # x\n]",
                "\u{feff}# x\r\na = 1\r\n[t]\r\nb = 2\r\n",
                "[t]\nb = 1 # c\n",
            ] {
                check(&name, &file, text);
            }
        }
    }
}

#[test]
fn a_file_of_our_own_hands_over_every_event() {
    for (name, file) in integrated().into_iter().filter(|(_, file)| file.is_own_file() && !file.is_program())
    {
        let text = new(file.install(None).expect("a new file"));
        for event in Catalog::builtin().get(&name).expect("it is there").hook_events() {
            assert!(text.contains(&format!("\"{event}\"")), "{name}: {event}");
        }
    }
}

#[test]
fn hooks_stand_beside_the_users_own_of_the_same_event() {
    let droid = Catalog::builtin().get("droid").expect("it is there").clone();
    let own = "[{\"hooks\": [{\"type\": \"command\", \"command\": \"say\"}]}]";
    let top = |event: &str| Some(format!("{{\"{event}\": {own}}}"));
    let nested = |event: &str| Some(format!("{{\"hooks\": {{\"{event}\": {own}}}}}"));
    // What is in hooks.json, settings.json and hooks/hooks.json; where Stop and SessionEnd go.
    let cases = [
        ([None, None, None], [0, 0]),
        ([None, Some("{}".to_owned()), None], [0, 0]),
        ([None, nested("Stop"), None], [1, 1]),
        ([None, nested("Theirs"), None], [1, 1]),
        ([top("Stop"), None, None], [0, 0]),
        ([top("Theirs"), nested("Stop"), None], [1, 0]),
        ([top("Stop"), nested("Stop"), None], [0, 0]),
        ([None, None, top("Stop")], [2, 2]),
        ([None, nested("Stop"), top("Theirs")], [1, 2]),
        ([top("Stop"), None, top("Stop")], [0, 0]),
        ([Some("{\"hooksDisabled\": false}".to_owned()), nested("Stop"), None], [1, 1]),
    ];
    for (mut texts, expected) in cases {
        // A second time gives the same, with ours in it.
        for _ in 0..2 {
            let files = Integration::share_out(droid.integrations(), &texts).expect("they parse");
            for (at, file) in files.iter().enumerate().filter(|(_, file)| file.is_wanted()) {
                if let Edit::New(text) = file.install(texts[at].as_deref()).expect("it parses") {
                    texts[at] = Some(text);
                }
            }
            let places = ["Stop", "SessionEnd"].map(|event| {
                let ours = format!("hook droid {event} ");
                let holds = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains(&ours));
                let found: Vec<usize> = (0..texts.len()).filter(|at| holds(&texts[*at])).collect();
                assert_eq!(found.len(), 1, "{texts:?}");
                found[0]
            });
            assert_eq!(places, expected, "{texts:?}");
        }
    }
    let broken = Integration::share_out(droid.integrations(), &[Some("{".to_owned()), None, None]);
    assert!(matches!(broken, Err((0, _))));
}

#[test]
fn a_file_that_turns_hooks_off_is_told() {
    let claude = of("claude");
    for (text, key) in [
        ("{\"disableAllHooks\": true} // x", Some("disableAllHooks")),
        ("{\"disableAllHooks\": false}", None),
        ("{\"in\": {\"disableAllHooks\": true}}", None),
        ("{", None),
    ] {
        assert_eq!(claude.turned_off_by(text), key, "{text}");
    }
}

#[test]
fn settings_that_cannot_be_understood_are_left_alone() {
    for (name, file) in integrated().into_iter().filter(|(_, file)| !file.is_own_file()) {
        let wrong: &[&str] = if file.file().ends_with(".json") {
            &["{", "[1]", "\"x\"", "{\"a\": 1,, }", "{\"a\": 1, \"a\": 2}", "nonsense"]
        } else {
            &["a = ", "[t", "a = 1\na = 2\n", "hooks = 3\nnotify = 3\n"]
        };
        for text in wrong {
            let refused = file.install(Some(text)).expect_err(text).to_string();
            assert!(refused.contains("try again"), "{name}: {refused}");
        }
    }
    let claude = of("claude");
    for text in [
        "{\"hooks\": []}",
        "{\"hooks\": {\"Stop\": {}}}",
        "{\"hooks\": {\"Stop\": [], \"Stop\": []}}",
        "{\"hooks\": {\"Stop\": null}}",
        "{\"statusLine\": \"x\"}",
        "{\"env\": {\"A\": 1, \"A\": 2}}",
        "{\"a\": 'x'}",
        "{a: 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": 1} {\"b\": 2}",
        &"[".repeat(1_000_000),
        &format!("{{\"a\": {}", "{\"a\":".repeat(1_000_000)),
    ] {
        assert!(claude.install(Some(text)).is_err(), "{text}");
    }
}

#[test]
fn the_users_own_hooks_stay() {
    let claude = of("claude");
    let before = r#"{
  // mine
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }, // keep
    ],
  },
  "statusLine": { "type": "command", "command": "it's \"mine\" | cat", "padding": 0 },
}
"#;
    check("claude", &claude, before);
    let after = new(claude.install(Some(before)).expect("it parses"));
    let value = read(&after);
    assert_eq!(value["hooks"]["Stop"].as_array().map(Vec::len), Some(2));
    let line = value["statusLine"]["command"].as_str().expect("a command");
    assert!(line.contains("status-line claude") && line.contains("it's \"mine\" | cat"), "{line}");
    assert_eq!(value["statusLine"]["padding"], 0);
    // What somebody adds afterwards stays when ours goes.
    let edited = after.replacen("\"hooks\": {", "\"theirs\": true,\n  \"hooks\": {", 1);
    let without = new(claude.uninstall(Some(&edited)).expect("it parses"));
    assert_eq!(read(&without)["theirs"], true);
    assert_eq!(read(&without)["statusLine"]["command"], "it's \"mine\" | cat");
    assert!(without.contains("// keep") && without.contains("say done"));
}

#[test]
fn what_an_older_kraal_wrote_is_replaced() {
    let claude = of("claude");
    let old = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "[ -z x ] || \"${KRAAL_EXE:-kraal}\" hook claude Stop --old"}]}]}}"#;
    assert_eq!(claude.standing(Some(old)), Ok(Standing::Outdated));
    let after = new(claude.install(Some(old)).expect("it parses"));
    assert!(!after.contains("--old"));
    assert_eq!(read(&after)["hooks"]["Stop"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_notify_of_the_users_runs_behind_ours_and_comes_back() {
    let codex = of("codex");
    let before = "model = \"x\" # why\nnotify = [\"/bin/say\", \"it's\"] # loud\n\n[mcp]\na = 1\n";
    check("codex", &codex, before);
    let after = new(codex.install(Some(before)).expect("it parses"));
    let table: toml::Table = after.parse().expect("TOML");
    let words: Vec<&str> =
        table["notify"].as_array().expect("a list").iter().filter_map(|w| w.as_str()).collect();
    assert_eq!((words[0], words[1], &words[4..]), ("sh", "-c", &["/bin/say", "it's"][..]));
    assert!(after.contains("# loud") && after.contains("# why"));
    // At the top level, whatever tables follow.
    let fresh = new(codex.install(Some("[mcp]\na = 1\n")).expect("it parses"));
    assert!(fresh.parse::<toml::Table>().expect("TOML").contains_key("notify"), "{fresh}");
}

#[test]
fn hooks_that_the_user_wrote_as_one_list_are_added_to() {
    let kimi = of("kimi");
    check("kimi", &kimi, "hooks = [{ event = \"Stop\", command = \"say\" }]\n");
    check("kimi", &kimi, "[[hooks]]\nevent = \"Stop\"\ncommand = \"say\"\n\n[providers.x]\nkey = \"k\"\n");
}

/// A small generator: the same seed gives the same settings.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len() as u64) as usize]
    }
}

/// JSON with comments, trailing commas and any layout.
fn value(dice: &mut Dice, depth: usize, layout: &Layout) -> String {
    match dice.roll(if depth > 3 { 4 } else { 6 }) {
        0 => dice.pick(&["true", "false", "null"]).to_owned(),
        1 => dice.pick(&["0", "-1.5", "1e9"]).to_owned(),
        2 | 3 => dice.pick(&["\"\"", "\"x\"", "\"ü \\u00e9 \\\" {[//\"", "\"kraal\""]).to_owned(),
        4 => {
            let items: Vec<String> = (0..dice.roll(4)).map(|_| value(dice, depth + 1, layout)).collect();
            list(dice, ('[', ']'), &items, depth, layout)
        }
        _ => object(dice, depth, layout),
    }
}

struct Layout {
    newline: &'static str,
    indent: &'static str,
    dense: bool,
}

fn object(dice: &mut Dice, depth: usize, layout: &Layout) -> String {
    let mut names = vec!["a", "permissions", "hooks2", "model", "env", "ü"];
    let mut items = Vec::new();
    for _ in 0..dice.roll(5) {
        let name = names.remove(dice.roll(names.len() as u64) as usize);
        items.push(format!(
            "\"{name}\":{}{}",
            if layout.dense { "" } else { " " },
            value(dice, depth + 1, layout)
        ));
    }
    if depth == 0 && dice.roll(3) > 0 {
        let own = "{ \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }".to_owned();
        let mut events = Vec::new();
        for event in ["Stop", "Notification", "SessionStart", "stop", "Theirs"] {
            if dice.roll(2) == 0 {
                let mine = vec![own.clone(); dice.roll(3) as usize];
                events.push(format!("\"{event}\": {}", list(dice, ('[', ']'), &mine, 2, layout)));
            }
        }
        let hooks = list(dice, ('{', '}'), &events, 1, layout);
        let at = dice.roll(items.len() as u64 + 1) as usize;
        items.insert(at, format!("\"hooks\": {hooks}"));
    }
    if depth == 0 && dice.roll(4) == 0 {
        let line = dice.pick(&["a 'b' \\\"c\\\"", "", "x\\u0020\\/y \\\\", "é # no"]).to_owned();
        items.push(format!("\"statusLine\": {{\"type\": \"command\", \"command\": \"{line}\"}}"));
    }
    list(dice, ('{', '}'), &items, depth, layout)
}

fn list(dice: &mut Dice, ends: (char, char), items: &[String], depth: usize, layout: &Layout) -> String {
    let comment = |dice: &mut Dice| match dice.roll(8) {
        0 => format!(" /* {} */", dice.roll(1000)),
        1 if !layout.dense => format!(" // https://x/[{{ \"{}\",", dice.roll(1000)),
        _ => String::new(),
    };
    if items.is_empty() {
        let apart = if layout.dense { "" } else { dice.pick(&["", " ", "\n"]) };
        let note = comment(dice);
        let apart = if note.contains("//") { "\n" } else { apart };
        return format!("{}{note}{}{}", ends.0, apart.replace('\n', layout.newline), ends.1);
    }
    let trailing = if dice.roll(4) == 0 { "," } else { "" };
    if layout.dense {
        let joined = items.join(",");
        return format!("{}{joined}{trailing}{}", ends.0, ends.1);
    }
    let inner = layout.indent.repeat(depth + 1);
    let mut text = format!("{}{}", ends.0, layout.newline);
    for (n, item) in items.iter().enumerate() {
        let comma = if n + 1 < items.len() { "," } else { trailing };
        let (before, blank) = (dice.roll(20) == 0, dice.pick(&["", "", "", "", layout.newline]));
        let note = comment(dice);
        let (first, second) = if before && !note.contains("//") { (&*note, comma) } else { (comma, &*note) };
        text.push_str(&format!("{inner}{item}{first}{second}{}{blank}", layout.newline));
    }
    text.push_str(&format!("{}{}", layout.indent.repeat(depth), ends.1));
    text
}

/// The same text of the user's with something more of theirs, as they would write it before or after an
/// install.
fn with_theirs(text: &str) -> String {
    let at = text.find('{').expect("an object") + 1;
    format!("{}\"theirs\": {{}}, {}", &text[..at], &text[at..])
}

#[test]
fn a_thousand_random_settings_come_back_to_the_byte() {
    let files: Vec<(String, Integration)> = integrated()
        .into_iter()
        .filter(|(_, file)| !file.is_own_file() && file.file().ends_with(".json"))
        .collect();
    for seed in 1..=1000u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let layout = Layout {
            newline: dice.pick(&["\n", "\n", "\r\n"]),
            indent: dice.pick(&["  ", "    ", "\t", " "]),
            dense: dice.roll(6) == 0,
        };
        let bom = dice.pick(&["", "", "", "\u{feff}"]);
        let head = dice.pick(&["", "", "", "// head", "/* [{ */"]);
        let head = if head.is_empty() { String::new() } else { format!("{head}{}", layout.newline) };
        let end = dice.pick(&["", layout.newline]);
        let text = format!("{bom}{head}{}{end}", object(&mut dice, 0, &layout));
        let (name, file) = &files[seed as usize % files.len()];
        check(name, file, &text);
        if !read(&text).as_object().expect("an object").is_empty() && !head.contains('{') {
            let after = with_theirs(&new(file.install(Some(&text)).expect("it parses")));
            let without = file.uninstall(Some(&after));
            assert_eq!(without, Ok(Edit::New(with_theirs(&text))), "{name}\n{text}\n{after}");
        }
    }
}

/// A text with something changed in a place or three.
fn spoilt(dice: &mut Dice, text: &str) -> String {
    let mut text: Vec<char> = text.chars().chain([' ']).collect();
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(text.len() as u64) as usize;
        let signs = [
            "", "\n", " ", ",", "\"", "'", "{", "}", "[", "]", "/", "*", "#", "=", "\r", "\\", "ü",
            "\u{feff}",
        ];
        let new = dice.pick(&signs);
        match dice.roll(2) {
            0 => drop(text.splice(at..at + 1, new.chars())),
            _ => drop(text.splice(at..at, new.chars())),
        }
        text.push(' ');
    }
    text.into_iter().collect()
}

#[test]
fn whatever_a_text_is_it_is_refused_or_comes_back() {
    let files: Vec<(String, Integration)> =
        integrated().into_iter().filter(|(_, file)| !file.is_own_file()).collect();
    let (mut refused, mut came_back) = (0, 0);
    for seed in 1..=2000u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let layout = Layout { newline: "\n", indent: "  ", dense: dice.roll(2) == 0 };
        let (name, file) = &files[seed as usize % files.len()];
        let text = match file.file().ends_with(".json") {
            true => object(&mut dice, 0, &layout),
            false => toml_text(&mut dice),
        };
        let text = spoilt(&mut dice, &text);
        match file.install(Some(&text)) {
            Err(_) => refused += 1,
            Ok(Edit::New(after)) => {
                let without = file.uninstall(Some(&after));
                assert_eq!(without, Ok(Edit::New(text)), "{name}\n{after}");
                came_back += 1;
            }
            Ok(other) => panic!("{name}: {other:?}\n{text}"),
        }
    }
    assert!(refused > 300 && came_back > 300, "{refused} {came_back}");
}

#[test]
fn a_text_that_would_not_come_back_is_refused() {
    // Of two marks at its start the second would be kept for the text.
    let refused = of("codex").install(Some("\u{feff}\u{feff} ")).expect_err("it would lose a mark");
    assert!(refused.to_string().contains("could not be given back"), "{refused}");
}

#[test]
fn layouts_that_once_did_not_come_back_do() {
    let claude = of("claude");
    // A comment ends at a lone return too; a list's line moves when one before it in the line gets longer.
    check("claude", &claude, "{\n  \"hooks\": {\n    \"Theirs\": [\n] // x\r,\n  }\n}");
    check("claude", &claude, "{\"hooks\": {\"Stop\": [],\"SessionStart\": [\n],\"Theirs\": [1]}}");
}

#[test]
fn settings_that_an_agent_wrote_anew_still_hold_ours_and_lose_only_ours() {
    for (name, file) in integrated().into_iter().filter(|(_, file)| file.file().ends_with(".json")) {
        if file.is_own_file() {
            continue;
        }
        let before = "{ \"model\": \"x\", // why\n \"hooks\": {\"Theirs\": [{\"command\": \"mine\"}]} }";
        let after = read(&new(file.install(Some(before)).expect("it parses")));
        for anew in [after.to_string(), serde_json::to_string_pretty(&after).expect("JSON")] {
            assert_eq!(file.standing(Some(&anew)), Ok(Standing::Installed), "{name}");
            assert_eq!(file.install(Some(&anew)), Ok(Edit::Same), "{name}");
            let without = new(file.uninstall(Some(&anew)).expect("it parses"));
            assert_eq!(read(&without), read(before), "{name}\n{anew}");
        }
        let fresh = read(&new(file.install(None).expect("a new file")));
        let pretty = serde_json::to_string_pretty(&fresh).expect("JSON");
        match file.uninstall(Some(&pretty)) {
            Ok(Edit::Gone) => {}
            Ok(Edit::New(rest)) => {
                assert_eq!(read(&rest), serde_json::json!({ "version": 1 }), "{name}\n{pretty}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// TOML with comments, blank lines and any layout.
fn toml_text(dice: &mut Dice) -> String {
    let newline = dice.pick(&["\n", "\n", "\r\n"]);
    let note = |dice: &mut Dice| dice.pick(&["", "", " # \"why\" [x]"]).to_owned();
    let mut lines = Vec::new();
    let mut keys =
        vec!["model = \"x\"", "\"a b\" = 1", "list = [1, 2]", "t = { a = 1 }", "long = \"\"\"x\"\"\""];
    for _ in 0..dice.roll(4) {
        lines.push(format!("{}{}", keys.remove(dice.roll(keys.len() as u64) as usize), note(dice)));
        if dice.roll(3) == 0 {
            lines.push(dice.pick(&["", "# note", "  # [hooks]"]).to_owned());
        }
    }
    if dice.roll(3) == 0 {
        lines.push(format!(
            "notify = {}{}",
            dice.pick(&[
                "[]",
                "[ ]",
                "[\"say\"]",
                "[ 'a b', \"it's\", ]",
                "['x' , # why\n  \"y\"\n]",
                "[\n  \"x\",\n  # more\n]"
            ]),
            note(dice)
        ));
    }
    match dice.roll(3) {
        0 => lines.push(
            dice.pick(&[
                "hooks = []",
                "hooks = [ ]",
                "hooks = [{ event = \"Stop\", command = \"say\" }]",
                "hooks = [\n  { event = \"Stop\", command = \"say\" }, # mine\n  # end\n]",
                "hooks = [\n    # none\n]",
            ])
            .to_owned(),
        ),
        1 => lines.push("[[hooks]]\nevent = \"Stop\"\ncommand = \"say\" # mine".to_owned()),
        _ => {}
    }
    for table in ["[mcp]", "[[more]]", "[a.b]"] {
        if dice.roll(3) == 0 {
            lines.push(format!("{table}{}\nx = 1", note(dice)));
        }
    }
    let end = dice.pick(&["", newline, newline]);
    let bom = dice.pick(&["", "", "", "\u{feff}"]);
    format!("{bom}{}{end}", lines.join("\n").replace('\n', newline))
}

#[test]
fn a_thousand_random_toml_files_come_back_to_the_byte() {
    let (codex, kimi) = (of("codex"), of("kimi"));
    for seed in 1..=1000u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let text = toml_text(&mut dice);
        for (name, file) in [("codex", &codex), ("kimi", &kimi)] {
            check(name, file, &text);
            let after = format!("theirs = 1\n{}", new(file.install(Some(&text)).expect("it parses")));
            if !text.starts_with('\u{feff}') && !text.is_empty() {
                let theirs = Ok(Edit::New(format!("theirs = 1\n{text}")));
                assert_eq!(file.uninstall(Some(&after)), theirs, "{name}\n{after}");
            }
        }
    }
}

#[test]
fn hooks_that_an_agent_wrote_anew_without_the_marks_go_too() {
    let kimi = of("kimi");
    let before = "default = \"x\"\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"say\"\n";
    let after = new(kimi.install(Some(before)).expect("it parses"));
    let table: toml::Table = after.parse().expect("TOML");
    let anew = toml::to_string(&table).expect("TOML");
    assert_eq!(kimi.standing(Some(&anew)), Ok(Standing::Installed));
    assert_eq!(kimi.install(Some(&anew)), Ok(Edit::Same));
    let without = new(kimi.uninstall(Some(&anew)).expect("it parses"));
    assert_eq!(without.parse::<toml::Table>().expect("TOML"), before.parse().expect("TOML"), "{without}");
}
