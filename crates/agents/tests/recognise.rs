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
}
