//! `kraal config` with the real binary, and a running session that reads its configuration again.
//!
//! Not here: each option (`kraal_api::config`).

use kraal_testkit::Sandbox;

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_kraal"))
}

#[test]
fn the_default_file_is_fine_and_a_typo_is_named() {
    let home = sandbox();
    assert!(home.ok(&["config", "check"]).ends_with("is not there: the defaults apply"));
    home.configure(&home.ok(&["config", "default"]));
    assert!(home.ok(&["config", "check"]).ends_with("config/kraal/config.toml is fine"));
    let path = home.ok(&["config", "path"]);
    assert_eq!(
        std::fs::canonicalize(path).unwrap(),
        home.root().canonicalize().unwrap().join("config/kraal/config.toml")
    );

    home.configure("scrollback = 5\ntheem = \"ascii\"\n");
    let done = home.kraal(&["config", "check"]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), ""));
    assert!(
        done.stdout.trim_end().ends_with("config.toml:2: there is no option theem: did you mean theme?"),
        "{done:?}"
    );
    let done = home.kraal(&["config", "check", "--json"]);
    let problems: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(problems[0]["line"], 2);
}

#[test]
fn keys_are_listed_with_the_users_own() {
    let home = sandbox();
    let keys = home.json(&["config", "keys", "--json"]);
    let rows = keys.as_array().unwrap();
    assert!(!rows.is_empty());
    let detach = rows
        .iter()
        .find(|row| row["action"].as_str().unwrap().contains("detach"))
        .expect("an action that detaches");
    assert!(detach["keys"].as_array().unwrap().iter().any(|key| key == "ctrl+b d"), "{detach}");
    home.configure("[keys]\nprefix = \"ctrl+a\"\n");
    assert!(home.ok(&["config", "keys"]).contains("ctrl+a d"));
}

#[test]
fn a_running_session_reads_it_again_and_says_what_is_wrong() {
    let home = sandbox();
    home.run(&["--", "sleep", "60"]);
    assert_eq!(home.ok(&["config", "reload"]), "");
    home.configure("scrolback = 1\n");
    assert!(home.ok(&["config", "reload"]).contains("did you mean scrollback?"));
    // Attached terminals follow, and a wrong line costs only itself.
    let client = home.attach(&[], 100, 20);
    client.wait_for("its frames", |screen| screen.has("╭"));
    home.configure("theme = \"ascii\"\nscrolback = 1\n");
    home.ok(&["config", "reload"]);
    client.wait_for("plain frames", |screen| !screen.has("╭"));
}
