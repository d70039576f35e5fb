//! Installing hooks with the real binary: which files, through links, beside other writers, and that
//! whatever cannot be understood stays as it is.
//!
//! Not here: every form of text (`agents`), what hooks report (`hooks`).

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;

use kraal_testkit::{Sandbox, await_true};
use serde_json::Value;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

fn at(home: &Sandbox, path: &str) -> PathBuf {
    home.root().join("home").join(path)
}

fn write(home: &Sandbox, path: &str, text: &str) -> PathBuf {
    let path = at(home, path);
    std::fs::create_dir_all(path.parent().expect("it is below the home")).expect("a folder");
    std::fs::write(&path, text).expect("a file");
    path
}

fn read(path: &PathBuf) -> String {
    std::fs::read_to_string(path).expect("it is there")
}

fn states(home: &Sandbox) -> Vec<(String, String)> {
    let rows = home.json(&["integration", "status", "--json"]);
    let text = |row: &Value, key: &str| row[key].as_str().expect("a text").to_owned();
    rows.as_array().expect("a list").iter().map(|row| (text(row, "agent"), text(row, "state"))).collect()
}

#[test]
fn hooks_come_and_go_and_the_settings_are_as_they_were() {
    let home = sandbox();
    let before = "\u{feff}{\r\n\t// mine\r\n\t\"model\": \"opus\",\r\n}\r\n";
    let settings = write(&home, ".claude/settings.json", before);
    let done = home.ok(&["integration", "install", "claude"]);
    assert!(done.contains("installed in") && done.contains("settings.json"), "{done}");
    let after = read(&settings);
    assert!(after.starts_with('\u{feff}') && after.contains("// mine") && after.contains("hook claude Stop"));
    assert_eq!(read(&at(&home, ".claude/settings.json.kraal-bak")), before);
    assert!(home.ok(&["integration", "install", "claude"]).contains("already"));
    assert_eq!(read(&settings), after);
    assert!(states(&home).contains(&("claude".into(), "installed".into())));
    home.ok(&["integration", "uninstall", "claude"]);
    assert_eq!(read(&settings), before);
    assert!(!at(&home, ".claude/settings.json.kraal-bak").exists());
    assert!(states(&home).contains(&("claude".into(), "missing".into())));
}

#[test]
fn all_means_those_that_are_used_here() {
    let home = sandbox();
    for folder in [".gemini", ".kimi-code", ".factory", ".pi/agent"] {
        std::fs::create_dir_all(at(&home, folder)).unwrap();
    }
    // Its hooks stand where the user's are.
    write(
        &home,
        ".factory/settings.json",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say\"}]}]}}",
    );
    home.ok(&["integration", "install", "all"]);
    let installed: Vec<String> =
        states(&home).into_iter().filter(|(_, state)| state == "installed").map(|(agent, _)| agent).collect();
    assert_eq!(installed, ["claude", "codex", "droid", "gemini", "kimi", "pi"]);
    for path in [
        ".claude/settings.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".kimi-code/config.toml",
        ".pi/agent/extensions/kraal.ts",
    ] {
        assert!(read(&at(&home, path)).contains("kraal"), "{path}");
    }
    assert!(!at(&home, ".factory/hooks.json").exists() && !at(&home, ".qwen").exists());
    let before = states(&home);
    // Folders that were there stay, those that kraal made go, and one in which there is more by now stays.
    write(&home, ".codex/auth.json", "{}");
    home.ok(&["integration", "uninstall", "all"]);
    assert!(
        !at(&home, ".pi/agent/extensions/kraal.ts").exists() && !at(&home, ".gemini/settings.json").exists()
    );
    assert!(read(&at(&home, ".factory/settings.json")).contains("say"));
    assert!(at(&home, ".gemini").is_dir() && at(&home, ".pi/agent").is_dir());
    assert!(!at(&home, ".claude").exists() && !at(&home, ".pi/agent/extensions").exists());
    assert!(at(&home, ".codex/auth.json").exists());
    assert_ne!(before, states(&home));
    assert!(
        states(&home).iter().all(|(_, state)| state == "missing" || state == "unused"),
        "{:?}",
        states(&home)
    );
}

/// BR-36.
#[test]
fn links_stay_links_and_modes_are_kept() {
    let home = sandbox();
    let real = write(&home, "dotfiles/claude.json", "{}\n");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(at(&home, ".claude")).unwrap();
    let link = at(&home, ".claude/settings.json");
    symlink("../dotfiles/claude.json", &link).unwrap();
    home.ok(&["integration", "install", "claude"]);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(read(&real).contains("hook claude"));
    assert_eq!(std::fs::metadata(&real).unwrap().mode() & 0o7777, 0o640);
    assert!(at(&home, "dotfiles/claude.json.kraal-bak").exists());
    home.ok(&["integration", "uninstall", "claude"]);
    assert_eq!(read(&real), "{}\n");
}

#[test]
fn what_cannot_be_understood_is_left_alone_and_said() {
    let home = sandbox();
    let refused = |home: &Sandbox, agent: &str, word: &str| {
        let done = home.kraal(&["integration", "install", agent]);
        assert_eq!(done.code, Some(1), "{done:?}");
        assert_eq!(done.stderr.lines().count(), 1, "{done:?}");
        assert!(done.stderr.contains(word), "{done:?}");
    };
    for text in ["{\"a\": ", "[]", "{\"hooks\": []}", "{\"a\": 1, \"a\": 2}"] {
        let settings = write(&home, ".claude/settings.json", text);
        refused(&home, "claude", "settings.json");
        assert_eq!(read(&settings), text);
        assert!(!at(&home, ".claude/settings.json.kraal-bak").exists());
    }
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(5 * 1024 * 1024));
    let settings = write(&home, ".gemini/settings.json", &large);
    refused(&home, "gemini", "settings.json");
    assert_eq!(read(&settings).len(), large.len());
    std::fs::create_dir_all(at(&home, ".qwen")).unwrap();
    symlink("nowhere.json", at(&home, ".qwen/settings.json")).unwrap();
    refused(&home, "qwen", "nowhere.json");
    rustix::fs::mkfifoat(rustix::fs::CWD, at(&home, ".qwen/fifo"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::remove_file(at(&home, ".qwen/settings.json")).unwrap();
    for other in ["fifo", "."] {
        symlink(other, at(&home, ".qwen/settings.json")).unwrap();
        refused(&home, "qwen", "no file");
        assert!(home.ok(&["integration", "status", "qwen"]).contains("unclear"));
        std::fs::remove_file(at(&home, ".qwen/settings.json")).unwrap();
    }
    // A file where the folder should be stops root too; a mode would not.
    std::fs::write(at(&home, ".cursor"), "").unwrap();
    refused(&home, "cursor", "hooks.json");
    let foreign = write(&home, ".config/opencode/plugins/kraal.js", "// somebody's\n");
    home.ok(&["integration", "status"]);
    let config = at(&home, ".config");
    let done = home
        .program(env!("CARGO_BIN_EXE_kraal"))
        .env("XDG_CONFIG_HOME", &config)
        .args(["integration", "install", "opencode"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    assert_eq!(read(&foreign), "// somebody's\n");
}

/// BR-38.
#[test]
fn the_agents_variables_say_where() {
    let home = sandbox();
    let install = |variable: &str, value: &str, agent: &str| {
        let mut command = home.program(env!("CARGO_BIN_EXE_kraal"));
        let done = command.env(variable, value).args(["integration", "install", agent]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    install("CLAUDE_CONFIG_DIR", "a place/of mine/", "claude");
    assert!(home.work().join("a place/of mine/settings.json").exists());
    install("CODEX_HOME", &at(&home, "codex").display().to_string(), "codex");
    assert!(at(&home, "codex/config.toml").exists());
    install("GEMINI_CLI_HOME", "gemini home/", "gemini");
    assert!(home.work().join("gemini home/.gemini/settings.json").exists());
    install("FACTORY_HOME_OVERRIDE", "./f", "droid");
    assert!(home.work().join("f/.factory/hooks.json").exists());
    install("XDG_CONFIG_HOME", &at(&home, "con fig/").display().to_string(), "kilo");
    assert!(at(&home, "con fig/kilo/plugin/kraal.js").exists());
    for (variable, agent, file) in [
        ("QWEN_HOME", "qwen", "settings.json"),
        ("COPILOT_HOME", "copilot", "hooks/kraal.json"),
        ("PI_CODING_AGENT_DIR", "pi", "extensions/kraal.ts"),
        ("CODEBUDDY_CONFIG_DIR", "codebuddy", "settings.json"),
    ] {
        install(variable, &format!("of/{agent}"), agent);
        assert!(home.work().join("of").join(agent).join(file).exists(), "{variable}");
    }
    install("KIMI_CODE_HOME", "", "kimi");
    assert!(at(&home, ".kimi-code/config.toml").exists());
}

#[test]
fn droids_hooks_follow_the_users_own() {
    let home = sandbox();
    let own = "[{\"hooks\": [{\"type\": \"command\", \"command\": \"say\"}]}]";
    let settings = write(&home, ".factory/settings.json", &format!("{{\"hooks\": {{\"Stop\": {own}}}}}\n"));
    home.ok(&["integration", "install", "droid"]);
    assert!(read(&settings).contains("hook droid SessionEnd"));
    // The user moves theirs: kraal's go along, at the next install.
    let hooks = write(&home, ".factory/hooks.json", &format!("{{\"SessionEnd\": {own}}}\n"));
    assert!(states(&home).contains(&("droid".into(), "outdated".into())));
    home.ok(&["integration", "install", "droid"]);
    assert!(states(&home).contains(&("droid".into(), "installed".into())));
    let (settings_now, hooks_now) = (read(&settings), read(&hooks));
    assert!(settings_now.contains("hook droid Stop") && !settings_now.contains("hook droid SessionEnd"));
    assert!(!hooks_now.contains("hook droid Stop") && hooks_now.contains("hook droid SessionEnd"));
    home.ok(&["integration", "uninstall", "droid"]);
    assert_eq!(read(&settings), format!("{{\"hooks\": {{\"Stop\": {own}}}}}\n"));
    assert_eq!(read(&hooks), format!("{{\"SessionEnd\": {own}}}\n"));
}

#[test]
fn hooks_that_are_turned_off_are_said() {
    let home = sandbox();
    write(&home, ".claude/settings.json", "{\"disableAllHooks\": true}\n");
    home.ok(&["integration", "install", "claude"]);
    assert!(states(&home).contains(&("claude".into(), "off".into())));
    assert!(home.ok(&["integration", "status", "claude"]).contains("disableAllHooks"));
    let noted = home.ok(&["integration", "install", "gemini"]);
    assert!(noted.contains("trust"), "{noted}");
}

#[test]
fn a_loop_that_rewrites_the_file_all_the_time_loses_no_key() {
    let home = sandbox();
    let settings = write(&home, ".claude/settings.json", "{}\n");
    let stop = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::SeqCst;
    let keys = std::thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let mut keys = 0;
            while !stop.load(order) {
                let mut value: Value = serde_json::from_str(&read(&settings)).unwrap();
                value[format!("key{keys}")] = true.into();
                let new = settings.with_extension("theirs");
                std::fs::write(&new, value.to_string()).unwrap();
                std::fs::rename(&new, &settings).unwrap();
                keys += 1;
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            keys
        });
        let install = || home.kraal(&["integration", "install", "claude"]);
        let installs: Vec<_> = (0..20).map(|_| scope.spawn(install)).collect();
        for install in installs {
            let done = install.join().unwrap();
            assert_eq!(done.code, Some(0), "{done:?}");
        }
        stop.store(true, order);
        agent.join().unwrap()
    });
    let value: Value = serde_json::from_str(&read(&settings)).unwrap();
    for key in 0..keys {
        assert_eq!(value[format!("key{key}")], true, "key {key} of {keys}");
    }
    assert_eq!(value["hooks"]["Stop"].as_array().map(Vec::len), Some(1));
}

/// BR-40.
#[test]
fn many_installs_beside_a_writing_agent_lose_nothing() {
    let home = sandbox();
    let settings = write(&home, ".claude/settings.json", "{}\n");
    // One change of the agent's at each beginning and end of an install.
    let events = std::sync::atomic::AtomicUsize::new(0);
    let order = std::sync::atomic::Ordering::SeqCst;
    let keys = std::thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let mut keys = 0;
            while keys < 40 {
                while events.load(order) <= keys {
                    std::thread::yield_now();
                }
                // As a careful agent does: what is there, and a key more, put in place at once.
                let mut value: Value = serde_json::from_str(&read(&settings)).unwrap();
                value[format!("key{keys}")] = true.into();
                let new = settings.with_extension("theirs");
                std::fs::write(&new, value.to_string()).unwrap();
                std::fs::rename(&new, &settings).unwrap();
                keys += 1;
            }
            keys
        });
        let installs: Vec<_> = (0..20)
            .map(|_| {
                scope.spawn(|| {
                    events.fetch_add(1, order);
                    let done = home.kraal(&["integration", "install", "claude"]);
                    events.fetch_add(1, order);
                    done
                })
            })
            .collect();
        for install in installs {
            let done = install.join().unwrap();
            assert_eq!(done.code, Some(0), "{done:?}");
        }
        agent.join().unwrap()
    });
    home.ok(&["integration", "install", "claude"]);
    let value: Value = serde_json::from_str(&read(&settings)).unwrap();
    for key in 0..keys {
        assert_eq!(value[format!("key{key}")], true, "key {key} of {keys}");
    }
    assert_eq!(value["hooks"]["Stop"].as_array().map(Vec::len), Some(1));
    let left = std::fs::read_dir(at(&home, ".claude")).unwrap().count();
    assert!(left <= 2, "{left} files");
}

/// BR-39.
#[test]
fn what_was_taken_out_stays_out() {
    let home = sandbox();
    let settings = write(&home, ".claude/settings.json", "{ \"model\": \"opus\" }\n");
    home.ok(&["integration", "install", "claude"]);
    home.ok(&["integration", "uninstall", "claude"]);
    for _ in 0..2 {
        home.run(&["--", "sleep", "600"]);
        let client = home.attach(&[], 100, 30);
        client.wait_text("sleep");
        home.ok(&["restart"]);
        home.kraal(&["doctor"]);
        home.ok(&["kill"]);
        client.end();
    }
    assert_eq!(read(&settings), "{ \"model\": \"opus\" }\n");
    assert!(states(&home).contains(&("claude".to_owned(), "missing".to_owned())), "{:?}", states(&home));
}

#[test]
fn a_slip_is_named_and_an_agent_without_hooks_is_told() {
    let home = sandbox();
    let slip = home.kraal(&["integration", "install", "claud"]);
    assert_eq!(slip.code, Some(2));
    assert!(slip.stderr.contains("did you mean claude?"), "{slip:?}");
    let none = home.kraal(&["integration", "install", "amp"]);
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("screen"), "{none:?}");
}

#[test]
fn an_agent_may_not_install_hooks() {
    let home = sandbox();
    home.run(&["--", "sleep", "600"]);
    let out = home.work().join("out");
    // Neither another session nor another environment hides it.
    let kraal = env!("CARGO_BIN_EXE_kraal");
    let own = format!("{kraal} integration install claude");
    let other = format!("{kraal} -s other integration install claude");
    let bare = format!("env -u KRAAL_SOCKET -u KRAAL_SESSION -u KRAAL_PANE -u KRAAL_TOKEN {own}");
    let empty = format!("env -i HOME=\"$HOME\" {own}");
    let tried = format!("{{ {own}; {other}; {bare}; {empty}; }} >{} 2>&1", out.display());
    home.sample(&["--tab", "--no-focus"], &["--hook", &tried]);
    let refused = |text: String| text.matches("may not").count() >= 4;
    await_true("it was refused", || std::fs::read_to_string(&out).is_ok_and(refused));
    assert!(!at(&home, ".claude").exists());
    // A shell of the user's in a pane may.
    let done = home.work().join("done");
    let may = format!("{own} && : >{}", done.display());
    home.run(&["--tab", "--no-focus", "--", "sh", "-c", &may]);
    await_true("the user's shell may", || done.exists());
}

#[test]
fn a_status_line_runs_the_users_own_unchanged() {
    let home = sandbox();
    let own = "printf '%s|' 'it'\\''s'; cat; exit 3";
    let settings = serde_json::json!({ "statusLine": { "type": "command", "command": own, "padding": 1 } });
    let path = write(&home, ".claude/settings.json", &settings.to_string());
    home.ok(&["integration", "install", "claude"]);
    let value: Value = serde_json::from_str(&read(&path)).unwrap();
    assert_eq!(value["statusLine"]["padding"], 1);
    let line = value["statusLine"]["command"].as_str().unwrap();
    let input = "{\"session_id\": \"x\"}\n";
    // In a pane, outside of kraal, and where kraal is gone: the same.
    for (socket, exe) in
        [("/nowhere", env!("CARGO_BIN_EXE_kraal")), ("", "kraal"), ("/nowhere", "no-such-program")]
    {
        let mut command = home.program("sh");
        command.args(["-c", line]).env("KRAAL_SOCKET", socket).env("KRAAL_EXE", exe);
        let done = fed(command, input);
        assert_eq!((done.0, done.1.as_str()), (Some(3), &*format!("it's|{input}")), "{socket} {exe}");
    }
}

#[test]
fn the_notify_of_the_users_gets_the_same_argument() {
    let home = sandbox();
    let path = write(&home, ".codex/config.toml", "notify = [\"printf\", \"%s|\", \"own\"]\n");
    home.ok(&["integration", "install", "codex"]);
    let table: toml_edit::DocumentMut = read(&path).parse().unwrap();
    let words: Vec<String> =
        table["notify"].as_array().unwrap().iter().filter_map(|w| w.as_str()).map(str::to_owned).collect();
    let mut command = home.program(&words[0]);
    command.args(&words[1..]).arg("{\"type\": \"agent-turn-complete\"}");
    let done = fed(command, "");
    assert_eq!((done.0, done.1.as_str()), (Some(0), "own|{\"type\": \"agent-turn-complete\"}|"));
}

fn fed(mut command: std::process::Command, input: &str) -> (Option<i32>, String) {
    use std::io::Write as _;
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("it runs");
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
}
