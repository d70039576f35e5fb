//! Which processes are which agent: native, through interpreters, runners and wrappers, renamed;
//! and which are none.

use kraal_agents::{Catalog, Process, RunKind};

fn process(comm: &str, exe: &str, argv: &[&str]) -> Process {
    let exe = (!exe.is_empty()).then(|| exe.to_owned());
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    Process { pid: 1, comm: comm.to_owned(), argv, exe, script: None }
}

#[test]
fn every_way_an_agent_is_started_is_recognised() {
    let catalog = Catalog::builtin();
    let node = "/usr/local/bin/node";
    let nvm = "/home/u/.nvm/versions/node/v22.1.0/bin/node";
    let cases: Vec<(&str, Process)> = vec![
        ("claude", process("claude", "/home/u/.local/bin/claude", &["claude"])),
        // The native installer names the executable after its version.
        (
            "claude",
            process("claude", "/home/u/.local/share/claude/versions/2.1.332", &["claude", "--model", "opus"]),
        ),
        ("claude", process("MainThread", node, &["node", "/usr/local/bin/claude"])),
        (
            "claude",
            process(
                "MainThread",
                nvm,
                &[nvm, "--no-warnings", "/home/u/.nvm/versions/node/v22.1.0/bin/claude"],
            ),
        ),
        (
            "claude",
            process("node", node, &["node", "/x/node_modules/@anthropic-ai/claude-code/cli.js", "-c"]),
        ),
        ("claude", process("claude", node, &["claude"])),
        ("claude", process("bun", "/x/bun", &["bun", "/x/bin/claude"])),
        ("claude", process("bun", "/x/bun", &["bun", "x", "@anthropic-ai/claude-code"])),
        (
            "claude",
            process("node", node, &["npm", "exec", "--yes", "@anthropic-ai/claude-code@latest", "-c"]),
        ),
        ("claude", process("npx", node, &["npx", "-y", "@anthropic-ai/claude-code"])),
        ("claude", process("env", "/usr/bin/env", &["env", "-u", "A", "B=1", "claude"])),
        ("claude", process("sh", "/bin/dash", &["sh", "-c", "exec claude --continue"])),
        ("claude", process("bash", "/bin/bash", &["bash", "/home/u/bin/claude"])),
        ("claude", process("nice", "/usr/bin/nice", &["nice", "-n", "5", "claude"])),
        ("claude", process("claude", "/x/claude (deleted)", &["claude"])),
        ("claude", process("claude", "", &["/opt/agents/claude"])),
        ("codex", process("codex", "/x/vendor/x86_64-unknown-linux-musl/codex/codex", &["codex", "-m", "x"])),
        ("codex", process("MainThread", node, &["node", "/usr/local/bin/codex", "resume"])),
        ("codex", process("MainThread", node, &["node", "/x/node_modules/@openai/codex/bin/codex.js"])),
        ("codex", process("codex", "/x/codex", &["codex", "-c", "model=login", "resume", "abc"])),
        ("opencode", process("opencode", "/home/u/.opencode/bin/opencode", &["opencode"])),
        ("opencode", process("opencode", "/x/node_modules/opencode-ai/bin/.opencode", &["/x/.opencode"])),
        ("opencode", process("bunx", "/x/bun", &["bunx", "opencode-ai@latest"])),
        ("sample", process("kraal", "/x/target/debug/kraal", &["kraal", "__sample-agent", "--status"])),
        ("sample", process("kraal", "/x/kraal", &["/proc/self/exe", "__sample-agent"])),
    ];
    for (name, process) in cases {
        let found = catalog.recognise(std::slice::from_ref(&process)).map(|agent| agent.name());
        assert_eq!(found, Some(name), "{process:?}");
    }
}

/// As seen on the real agents, or as their packages install them.
#[test]
fn every_agent_is_recognised_as_it_really_runs() {
    let catalog = Catalog::builtin();
    let node = "/usr/local/bin/node";
    let link = |name: &str| process("MainThread", node, &["node", &format!("/usr/local/bin/{name}")]);
    let linked = |name: &str, script: &str| Process { script: Some(script.to_owned()), ..link(name) };
    let titled = |name: &str| process(name, node, &[name, "", "", ""]);
    let in_package = |path: &str, options: &[&str]| {
        let path = format!("/usr/local/lib/node_modules/{path}");
        let argv: Vec<&str> = ["node"].iter().chain(options).copied().chain([path.as_str()]).collect();
        process("MainThread", node, &argv)
    };
    let native = |comm: &str, exe: &str| process(comm, exe, &[comm]);
    let cursor = "/home/u/.local/share/cursor-agent/versions/2026.09.01";
    let cases: Vec<(&str, Process)> = vec![
        ("gemini", link("gemini")),
        ("gemini", process("node", node, &["node", "--max-old-space-size=4096", "/usr/local/bin/gemini"])),
        ("gemini", process("node", node, &["npm", "exec", "@google/gemini-cli", "-m", "x"])),
        ("qwen", link("qwen")),
        ("qwen", in_package("@qwen-code/qwen-code/cli.js", &["--expose-gc", "--max-old-space-size=4096"])),
        ("copilot", link("copilot")),
        (
            "copilot",
            process("MainThread", "/x/@github/copilot-linux-x64/copilot", &["/x/copilot", "--banner"]),
        ),
        ("kilo", link("kilo")),
        ("kilo", link("kilocode")),
        ("kilo", native(".kilo", "/usr/local/lib/node_modules/@kilocode/cli/bin/.kilo")),
        ("kimi", link("kimi")),
        ("kimi", titled("kimi-code")),
        ("kimi", process("kimi", "/usr/bin/python3.13", &["python3", "/home/u/.local/bin/kimi"])),
        ("pi", titled("pi")),
        ("pi", process("pi", node, &["pi"])),
        ("pi", linked("pi", "/usr/local/lib/node_modules/@earendil-works/pi-coding-agent/dist/cli.js")),
        ("pi", in_package("@earendil-works/pi-coding-agent/dist/cli.js", &[])),
        ("pi", process("npx", node, &["npx", "@earendil-works/pi-coding-agent"])),
        ("vibe", native("vibe-rs", "/home/u/.venv/lib/python3.13/site-packages/vibe/_bin/vibe-rs")),
        ("vibe", process("uvx", "/usr/bin/uv", &["uvx", "mistral-vibe"])),
        (
            "vibe",
            Process {
                script: Some("/home/u/.local/share/uv/tools/mistral-vibe/bin/vibe".to_owned()),
                ..process("vibe", "/usr/bin/python3.13", &["python", "/home/u/.local/bin/vibe"])
            },
        ),
        ("droid", native("droid", "/home/u/.local/bin/droid")),
        ("droid", link("droid")),
        ("amp", native("amp", "/x/node_modules/@ampcode/cli-linux-x64/amp.exe")),
        ("amp", process("npx", node, &["npx", "@sourcegraph/amp"])),
        ("cursor", native("cursor-agent", "/home/u/.local/bin/cursor-agent")),
        // Its script runs the node beside it under the name that it was called by.
        (
            "cursor",
            process(
                "MainThread",
                &format!("{cursor}/node"),
                &["/home/u/.local/bin/agent", "--use-system-ca", &format!("{cursor}/index.js"), "--force"],
            ),
        ),
        (
            "cursor",
            Process {
                script: Some(format!("{cursor}/cursor-agent")),
                ..process("bash", "/bin/bash", &["bash", "/home/u/.local/bin/agent"])
            },
        ),
        ("kiro", native("kiro-cli", "/home/u/.local/bin/kiro-cli")),
        ("kiro", process("kiro-cli", "/home/u/.local/bin/kiro-cli", &["kiro-cli", "chat", "--resume"])),
        ("kiro", process("q", "/home/u/.local/bin/q", &["q", "chat"])),
        ("kiro", native("qchat", "/home/u/.local/bin/qchat")),
        ("crush", native("crush", "/usr/bin/crush")),
        ("crush", process("env", "/usr/bin/env", &["env", "A=1", "crush", "--yolo"])),
        ("copilot", process("sh", "/bin/dash", &["sh", "-c", "exec copilot --allow-all"])),
        ("qwen", process("bash", "/bin/bash", &["bash", "/home/u/bin/qwen"])),
    ];
    for (name, process) in cases {
        let found = catalog.recognise(std::slice::from_ref(&process)).map(|agent| agent.name());
        assert_eq!(found, Some(name), "{process:?}");
    }
}

#[test]
fn names_that_are_ordinary_words_prove_nothing() {
    let catalog = Catalog::builtin();
    let node = "/usr/local/bin/node";
    let cases = vec![
        process("agent", "/home/u/bin/agent", &["agent"]),
        process("agent", "/usr/bin/agent", &["agent", "--daemon"]),
        process("MainThread", node, &["node", "/home/u/bin/agent"]),
        process("MainThread", node, &["node", "agent.js"]),
        process("bash", "/bin/bash", &["bash", "./agent.sh"]),
        process("python3", "/usr/bin/python3.13", &["python3", "agent.py"]),
        process("pi", "/home/u/bin/pi", &["pi", "1000"]),
        process("node", node, &["node", "pi.js"]),
        process("MainThread", node, &["node", "/home/u/bin/pi"]),
        process("python3", "/usr/bin/python3.13", &["python3", "/home/u/pi.py"]),
        process("vibe", "/usr/local/bin/vibe", &["vibe"]),
        process("python3", "/usr/bin/python3.13", &["python3", "/home/u/bin/vibe"]),
        process("q", "/usr/bin/q", &["q", "select * from -"]),
        process("q", "/usr/bin/q", &["q"]),
        process("amp", "/usr/bin/amp", &["amp", "file.txt"]),
        process("vim", "/usr/bin/vim", &["vim", "gemini"]),
        process("vim", "/usr/bin/vim", &["vim", "/usr/local/lib/node_modules/@github/copilot/index.js"]),
        process("man", "/usr/bin/man", &["man", "crush"]),
        process("gemini", "/usr/bin/gemini", &["gemini", "mcp", "list"]),
        process("kiro-cli", "/usr/bin/kiro-cli", &["kiro-cli", "login"]),
        process("cursor-agent", "/usr/bin/cursor-agent", &["cursor-agent", "status"]),
        process("droid-helper", "/usr/bin/droid-helper", &["droid-helper"]),
        process("vibe-app-server", "/usr/bin/python3.13", &["python", "/x/vibe-app-server"]),
        // A link to something else.
        Process {
            script: Some("/home/u/src/mine/index.js".to_owned()),
            ..process("MainThread", node, &["node", "/home/u/bin/pi"])
        },
    ];
    for process in cases {
        let found = catalog.recognise(std::slice::from_ref(&process)).map(|agent| agent.name());
        assert_eq!(found, None, "{process:?}");
    }
    // Where a name is in doubt, and only there, the file behind the link is looked at.
    assert_eq!(catalog.in_doubt(&process("MainThread", node, &["node", "/usr/bin/pi"])), Some("/usr/bin/pi"));
    assert_eq!(catalog.in_doubt(&process("MainThread", node, &["node", "/usr/bin/gemini"])), None);
    assert_eq!(catalog.in_doubt(&process("vim", "/usr/bin/vim", &["vim", "/usr/bin/pi"])), None);
}

/// What a package puts on the `PATH` has no ending and its interpreter; anything else of that name is
/// somebody's own.
#[test]
fn scripts_that_only_have_an_agents_name_are_none() {
    let catalog = Catalog::builtin();
    let (node, python) = ("/usr/local/bin/node", "/usr/bin/python3.13");
    let none = |process: Process| {
        let found = catalog.recognise(std::slice::from_ref(&process)).map(|agent| agent.name());
        assert_eq!(found, None, "{process:?}");
    };
    let commands = catalog.iter().filter(|agent| !agent.hidden()).flat_map(|agent| agent.commands());
    for name in commands {
        for folder in ["", "./", "/home/u/src/mine/", "/usr/local/bin/"] {
            for end in [".js", ".mjs", ".cjs", ".ts"] {
                none(process("MainThread", node, &["node", &format!("{folder}{name}{end}")]));
                none(process("bun", "/x/bun", &["bun", "run", &format!("{folder}{name}{end}")]));
            }
            none(process("python3", python, &["python3", &format!("{folder}{name}.py")]));
            none(process(&format!("{name}.py"), python, &["python3", &format!("{folder}{name}.py")]));
            none(process("bash", "/bin/bash", &["bash", &format!("{folder}{name}.sh")]));
            // With its own line for the interpreter the kernel calls it by the script's name.
            for other in ["ruby", "/usr/bin/perl", "php8.2", "lua5.4"] {
                let exe = format!("/usr/bin/{}", other.trim_start_matches("/usr/bin/"));
                none(process(name, &exe, &[other, &format!("{folder}{name}")]));
            }
        }
    }
    for (name, packages) in [("claude", "@anthropic-ai/claude-code"), ("kode", "@shareai-lab/kode")] {
        let real = format!("/usr/local/lib/node_modules/{packages}/{name}.js");
        let script = process("MainThread", node, &["node", &format!("./{name}.js")]);
        assert_eq!(catalog.in_doubt(&script), Some(format!("./{name}.js").as_str()));
        let linked = Process { script: Some(real), ..script };
        assert_eq!(catalog.recognise(&[linked]).map(|agent| agent.name()), Some(name));
    }
    for (argv, comm, exe) in [
        (["node", "/usr/local/bin/aider"], "MainThread", node),
        (["node", "/usr/local/bin/goose"], "MainThread", node),
        (["npx", "goose"], "npx", node),
        (["npx", "openhands"], "npx", node),
        (["uvx", "goose"], "uvx", "/usr/bin/uv"),
        (["deno", "goose.ts"], "deno", "/usr/bin/deno"),
        // A tool that looks through genomes, one that deploys.
        (["python3", "/usr/bin/gemini"], "gemini", python),
        (["copilot", "svc"], "copilot", "/usr/local/bin/copilot"),
    ] {
        none(process(comm, exe, &argv));
    }
}

/// A tool for databases has the name too: it has options before its words.
#[test]
fn the_migration_tool_goose_is_not_the_agent() {
    let catalog = Catalog::builtin();
    let goose = |args: &[&str]| {
        let argv: Vec<&str> = ["goose"].iter().chain(args).copied().collect();
        let process = process("goose", "/home/u/go/bin/goose", &argv);
        catalog.recognise(&[process]).map(|agent| agent.name().to_owned())
    };
    for args in [
        "up",
        "status",
        "-dir D up",
        "-dir=D up",
        "--dir D status",
        "-v -table x up",
        "-s create add sql",
        "-dir db postgres user=x down-to 3",
        "postgres user=x up",
        "-env none -dir D sqlite3 ./a.db up",
        "configure",
        "mcp developer",
        "session-old",
    ] {
        assert_eq!(goose(&args.split(' ').collect::<Vec<_>>()), None, "goose {args}");
    }
    for args in ["session", "session --resume", "s -n mine", "run -s -t hello", "session --max-turns 3"] {
        assert_eq!(goose(&args.split(' ').collect::<Vec<_>>()).as_deref(), Some("goose"), "goose {args}");
    }
    assert_eq!(goose(&[]).as_deref(), Some("goose"));
}

#[test]
fn other_programs_are_no_agent() {
    let catalog = Catalog::builtin();
    let cases = vec![
        process("vim", "/usr/bin/vim", &["vim", "claude"]),
        process("cat", "/bin/cat", &["cat", "/x/node_modules/@openai/codex/README.md"]),
        process("node", "/x/node", &["node", "server.js", "codex"]),
        process("node", "/x/node", &["node", "-e", "claude"]),
        process("npm", "/x/node", &["npm", "run", "claude"]),
        process("bash", "/bin/bash", &["bash"]),
        process("bash", "/bin/bash", &["bash", "-c", "echo claude; sleep 1"]),
        process("tail", "/bin/tail", &["tail", "-f", "claude.log"]),
        process("codex-helper", "/x/codex-helper", &["codex-helper"]),
        process("claude", "/x/claude", &["claude", "mcp", "serve"]),
        process("codex", "/x/codex", &["codex", "-c", "a=b", "app-server", "--listen", "unix://"]),
        process("opencode", "/x/opencode", &["opencode", "serve", "--port", "1"]),
        process("kraal", "/x/kraal", &["kraal", "attach"]),
        process("kraal", "/x/kraal", &["kraal", "run", "--", "__sample-agent"]),
        process("", "", &[]),
    ];
    for process in cases {
        let found = catalog.recognise(std::slice::from_ref(&process)).map(|agent| agent.name());
        assert_eq!(found, None, "{process:?}");
    }
}

#[test]
fn the_outermost_agent_of_a_group_is_the_one() {
    let catalog = Catalog::builtin();
    let wrapper = process("MainThread", "/x/node", &["node", "/x/bin/codex", "--search"]);
    let native = process("codex", "/x/vendor/codex", &["/x/vendor/codex", "--search"]);
    let group = [wrapper.clone(), native];
    let (agent, found) = catalog.recognise_process(&group).expect("codex");
    assert_eq!((agent.name(), found), ("codex", &wrapper));

    // A shell wrapper that runs it as a child, and an agent that runs another.
    let shell = process("start.sh", "/bin/bash", &["/bin/bash", "./start.sh"]);
    let claude = process("claude", "/x/claude", &["claude"]);
    let nested = process("codex", "/x/codex", &["codex", "exec", "look"]);
    let group = [shell, claude, nested];
    assert_eq!(catalog.recognise(&group).map(|agent| agent.name()), Some("claude"));
}

#[test]
fn one_shot_runs_are_recognised_as_such() {
    let catalog = Catalog::builtin();
    let run = |argv: &[&str]| {
        let process = process("", "", argv);
        let group = [process];
        let (agent, process) = catalog.recognise_process(&group).expect("an agent");
        agent.run_kind(&process.argv)
    };
    assert_eq!(run(&["claude", "-p", "fix it"]), RunKind::OneShot);
    assert_eq!(run(&["env", "A=1", "claude", "--model", "opus", "--print"]), RunKind::OneShot);
    assert_eq!(run(&["codex", "exec", "fix it"]), RunKind::OneShot);
    assert_eq!(run(&["node", "/x/bin/codex", "-m", "exec", "fix it"]), RunKind::Interactive);
    assert_eq!(run(&["opencode", "run", "fix it"]), RunKind::OneShot);
    assert_eq!(run(&["claude", "what does -p mean"]), RunKind::Interactive);
    assert_eq!(run(&["gemini", "-p", "fix it"]), RunKind::OneShot);
    assert_eq!(run(&["gemini", "-i", "fix it"]), RunKind::Interactive);
    assert_eq!(run(&["droid", "exec", "fix it"]), RunKind::OneShot);
    assert_eq!(run(&["crush", "run", "fix it"]), RunKind::OneShot);
    assert_eq!(run(&["kilo", "run", "fix it"]), RunKind::OneShot);
}

#[test]
fn only_a_command_line_of_bare_options_surely_holds_no_prompt() {
    let codex = Catalog::builtin().get("codex").expect("known").clone();
    let asked =
        |words: &[&str]| codex.is_asked(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    for bare in [&["codex"][..], &["codex", "--yolo"], &["env", "A=1", "node", "/x/bin/codex", "-s"]] {
        assert!(!asked(bare), "{bare:?}");
    }
    for maybe in
        [&["codex", "fix it"][..], &["codex", "--", "-x"], &["codex", "-m", "o4"], &["codex", "--prompt=x"]]
    {
        assert!(asked(maybe), "{maybe:?}");
    }
}

/// The rest of the thirty, as their packages and installers start them.
#[test]
fn agents_of_all_kinds_of_packages_are_recognised() {
    let catalog = Catalog::builtin();
    let node = "/usr/local/bin/node";
    let python = "/usr/bin/python3.13";
    let link = |name: &str| process("MainThread", node, &["node", &format!("/usr/local/bin/{name}")]);
    let linked = |name: &str, script: &str| Process { script: Some(script.to_owned()), ..link(name) };
    let native = |name: &str, args: &[&str]| {
        let argv: Vec<&str> = [name].iter().chain(args).copied().collect();
        process(name, &format!("/home/u/.local/bin/{name}"), &argv)
    };
    let cases = [
        ("aider", process("aider", python, &["python", "/home/u/.local/bin/aider", "--model", "x"])),
        ("aider", process("python3", python, &["python3", "-m", "aider", "--model", "x"])),
        ("aider", process("uvx", "/x/uv", &["uvx", "--from", "aider-chat", "aider"])),
        ("openhands", process("openhands", python, &["python", "/home/u/.local/bin/openhands"])),
        ("auggie", link("auggie")),
        ("cline", native("cline", &[])),
        ("cn", linked("cn", "/usr/local/lib/node_modules/@continuedev/cli/dist/cn.js")),
        ("grok", linked("grok", "/usr/local/lib/node_modules/@vibe-kit/grok-cli/dist/index.js")),
        ("qoder", link("qodercli")),
        ("qoder", link("qoder")),
        ("goose", native("goose", &[])),
        ("goose", native("goose", &["session", "--resume"])),
        ("codebuff", link("codebuff")),
        ("codebuddy", link("codebuddy")),
        ("junie", native("junie", &[])),
        ("llxprt", link("llxprt")),
        ("kode", link("kode")),
        ("letta", linked("letta", "/usr/local/lib/node_modules/@letta-ai/letta-code/letta.js")),
        ("rovo", native("acli", &["rovodev", "run"])),
    ];
    for (name, process) in &cases {
        let found = catalog.recognise(std::slice::from_ref(process)).map(|agent| agent.name());
        assert_eq!(found, Some(*name), "{process:?}");
    }
    for other in [
        native("acli", &["jira", "workitem", "list"]),
        native("acli", &["rovodev", "auth", "login"]),
        native("goose", &["up"]),
        native("goose", &["postgres", "user=x", "up"]),
        native("cn", &[]),
        linked("cn", "/home/u/bin/cn.js"),
        linked("grok", "/home/u/src/grok/main.js"),
        process("vim", "/usr/bin/vim", &["vim", "aider"]),
        process("python3", python, &["python3", "/home/u/aider_stats.py"]),
        process("python3", python, &["python3", "-m", "http.server"]),
    ] {
        let found = catalog.recognise(std::slice::from_ref(&other)).map(|agent| agent.name());
        assert_eq!(found, None, "{other:?}");
    }
}

/// The agents that the documents promise, by the words they are started with.
#[test]
fn thirty_agents_are_known_by_their_names() {
    let catalog = Catalog::builtin();
    let promised = [
        ("Claude Code", "claude"),
        ("Codex", "codex"),
        ("OpenCode", "opencode"),
        ("Gemini CLI", "gemini"),
        ("Qwen Code", "qwen"),
        ("GitHub Copilot CLI", "copilot"),
        ("Cursor CLI", "cursor-agent"),
        ("droid", "droid"),
        ("Augment", "auggie"),
        ("Kiro CLI", "kiro-cli"),
        ("Kimi Code", "kimi"),
        ("Kilo", "kilo"),
        ("Cline", "cline"),
        ("Continue", "cn"),
        ("Amp", "amp"),
        ("Aider", "aider"),
        ("Goose", "goose"),
        ("Crush", "crush"),
        ("pi", "pi"),
        ("Grok", "grok"),
        ("Codebuff", "codebuff"),
        ("Qoder", "qoder"),
        ("CodeBuddy", "codebuddy"),
        ("Junie", "junie"),
        ("LLxprt Code", "llxprt"),
        ("Kode", "kode"),
        ("OpenHands", "openhands"),
        ("Mistral Vibe", "vibe"),
        ("Letta Code", "letta"),
        ("Rovo Dev", "acli"),
    ];
    let shown: Vec<&str> =
        catalog.iter().filter(|agent| !agent.hidden()).map(|agent| agent.label()).collect();
    assert_eq!(shown.len(), promised.len(), "{shown:?}");
    for (label, command) in promised {
        let known = catalog.iter().find(|agent| agent.label() == label);
        let agent = known.unwrap_or_else(|| panic!("no {label}: {shown:?}"));
        assert!(agent.commands().iter().any(|known| known == command), "{label}: {:?}", agent.commands());
    }
}
