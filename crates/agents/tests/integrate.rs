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
    assert_eq!(after.contains("\r\n"), before.contains("\r\n"), "line ends: {}\n{after}", shown());
    // With the copy that was made: to the byte.
    assert_eq!(file.uninstall(Some(&after), Some(before)), Ok(Edit::New(before.to_owned())), "{}", shown());
    // Without it: everything of the user's, and nothing of ours.
    let without = match file.uninstall(Some(&after), None).expect("it parses") {
        Edit::New(text) => text,
        Edit::Gone => String::new(),
        Edit::Same => panic!("nothing taken out: {}\n{after}", shown()),
    };
    assert!(!without.contains("KRAAL_SOCKET"), "{}\n{without}", shown());
    for comment in before.split("/*").skip(1).filter_map(|rest| rest.split("*/").next()) {
        assert!(without.contains(comment) && after.contains(comment), "a comment: {}\n{without}", shown());
    }
    if file.file().ends_with(".json") {
        assert_eq!(emptied(read(&without)), emptied(read(before)), "{}\n{without}", shown());
    } else {
        let table = |text: &str| text.trim_start_matches('\u{feff}').parse::<toml::Table>().expect("TOML");
        assert_eq!(table(&without), table(before), "{}\n{without}", shown());
    }
    assert_eq!(file.uninstall(Some(&without), None), Ok(Edit::Same), "{}", shown());
}

fn read(text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return serde_json::json!({});
    }
    let options = jsonc_parser::ParseOptions::default();
    let root = jsonc_parser::cst::CstRootNode::parse(text, &options).expect("JSON");
    root.to_serde_value().expect("a value")
}

/// Lists and objects that hold nothing say the same as none.
fn emptied(value: Value) -> Value {
    let Value::Object(map) = value else { return value };
    let kept = map.into_iter().map(|(key, value)| (key, emptied(value)));
    kept.filter(|(_, v)| *v != serde_json::json!({}) && *v != serde_json::json!([])).collect()
}

#[test]
fn every_integration_comes_and_goes() {
    for (name, file) in integrated() {
        let fresh = new(file.install(None).expect("a new file"));
        assert_eq!(file.install(Some(&fresh)), Ok(Edit::Same), "{name}");
        assert_eq!(file.uninstall(Some(&fresh), None), Ok(Edit::Gone), "{name}");
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
            assert_eq!(file.uninstall(Some(foreign), None), Ok(Edit::Same), "{name}");
        } else if file.file().ends_with(".json") {
            let _: Value = serde_json::from_str(&fresh).expect("strict JSON for a new file");
            for text in [
                "{}\n",
                "{ }",
                "\u{feff}{\"a\": 1}",
                "{\r\n  \"a\": [1, 2]\r\n}\r\n",
                "{\"hooks\": {}}",
                "{\"hooks\":{\"Stop\":[]}}",
            ] {
                check(&name, &file, text);
            }
        } else {
            for text in ["a = 1\n", "a = 1", "\u{feff}# x\r\na = 1\r\n[t]\r\nb = 2\r\n", "[t]\nb = 1 # c\n"] {
                check(&name, &file, text);
            }
        }
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
        "{\"statusLine\": \"x\"}",
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
    assert!(line.contains("status-line claude") && line.contains("eval"), "{line}");
    assert_eq!(value["statusLine"]["padding"], 0);
    // What somebody adds afterwards stays when ours goes.
    let edited = after.replacen("\"hooks\": {", "\"theirs\": true,\n  \"hooks\": {", 1);
    let without = new(claude.uninstall(Some(&edited), Some(before)).expect("it parses"));
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
    if depth == 0 && dice.roll(2) == 0 {
        let own = "{ \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }".to_owned();
        let stop = list(dice, ('[', ']'), &[own], 2, layout);
        let hooks = list(dice, ('{', '}'), &[format!("\"Stop\": {stop}")], 1, layout);
        items.push(format!("\"hooks\": {hooks}"));
    }
    if depth == 0 && dice.roll(4) == 0 {
        items.push("\"statusLine\": {\"type\": \"command\", \"command\": \"a 'b' \\\"c\\\"\"}".to_owned());
    }
    list(dice, ('{', '}'), &items, depth, layout)
}

fn list(dice: &mut Dice, ends: (char, char), items: &[String], depth: usize, layout: &Layout) -> String {
    let comment = |dice: &mut Dice| match dice.roll(8) {
        0 => format!(" /* {} */", dice.roll(1000)),
        _ => String::new(),
    };
    if items.is_empty() {
        return format!("{}{}{}", ends.0, comment(dice), ends.1);
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
        text.push_str(&format!("{inner}{item}{comma}{}{}", comment(dice), layout.newline));
    }
    text.push_str(&format!("{}{}", layout.indent.repeat(depth), ends.1));
    text
}

#[test]
fn a_thousand_random_settings_come_back_to_the_byte() {
    let files: Vec<(String, Integration)> = integrated()
        .into_iter()
        .filter(|(_, file)| !file.is_own_file() && file.file().ends_with(".json"))
        .filter(|(_, file)| !file.is_for_those_who_keep_theirs_here())
        .collect();
    for seed in 1..=1000u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let layout = Layout {
            newline: dice.pick(&["\n", "\n", "\r\n"]),
            indent: dice.pick(&["  ", "    ", "\t"]),
            dense: dice.roll(6) == 0,
        };
        let bom = dice.pick(&["", "", "", "\u{feff}"]);
        let end = dice.pick(&["", layout.newline]);
        let text = format!("{bom}{}{end}", object(&mut dice, 0, &layout));
        let (name, file) = &files[seed as usize % files.len()];
        check(name, file, &text);
    }
}
