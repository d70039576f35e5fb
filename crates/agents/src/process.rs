//! Which command a process really is: through interpreters, wrappers and renamed processes to the
//! names an agent's file lists.
//!
//! Not here: reading `/proc` (`host`), nor any agent's name (the catalogue's files).

use serde::Deserialize;

/// One process of a pane's foreground group, as the machine reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Its pid.
    pub pid: i32,
    /// `/proc/PID/comm`: 15 bytes at most, and programs set it to what they like.
    pub comm: String,
    /// Its arguments; a program that sets its title has one, with the title in it.
    pub argv: Vec<String>,
    /// The path behind `/proc/PID/exe`, when it may be read.
    pub exe: Option<String>,
}

/// `[process]` of an agent's file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProcessRules {
    /// Names of the program itself, and of the script an interpreter runs as it.
    pub names: Vec<String>,
    /// Packages (npm, PyPI): `node_modules/<package>/` or `site-packages/<package>/` in the
    /// path of the script or executable.
    pub packages: Vec<String>,
    /// Modules for `python -m`.
    pub modules: Vec<String>,
    /// Words that must come first among the arguments (`chat`, `rovodev run`).
    pub subcommand: Vec<String>,
    /// For a name that is an ordinary word: one of these must stand in the path of the
    /// executable or script.
    pub proof: Vec<String>,
    /// Subcommands that are no agent at work: `login`, `mcp`, `serve`.
    pub tools: Vec<String>,
}

/// What a process comes down to once wrappers and interpreters are looked through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command<'a> {
    /// Names it goes by: its own, and the script's.
    pub names: Vec<String>,
    /// Paths that prove where it comes from: executable and script.
    pub paths: Vec<&'a str>,
    /// `python -m` module.
    pub module: Option<&'a str>,
    /// The arguments meant for the program.
    pub args: Vec<&'a str>,
}

const NODE: [&str; 4] = ["node", "nodejs", "bun", "deno"];
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "fish"];
/// Wrappers that run the rest of their arguments, with their options that take a value.
const WRAPPERS: [(&str, &[&str]); 10] = [
    ("env", &["-u", "--unset", "-C", "--chdir"]),
    ("nice", &["-n", "--adjustment"]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("time", &["-f", "-o"]),
    ("timeout", &["-k", "-s", "--signal", "--kill-after"]),
    ("ionice", &["-c", "-n"]),
    ("command", &[]),
    ("exec", &["-a"]),
];
/// Package runners: `npx claude`, `uvx aider-chat`, `pnpm dlx …`; the words before the package.
const RUNNERS: [(&str, &[&str]); 9] = [
    ("npx", &[]),
    ("bunx", &[]),
    ("uvx", &[]),
    ("pnpx", &[]),
    ("npm", &["exec", "x"]),
    ("pnpm", &["dlx", "exec"]),
    ("yarn", &["dlx", "exec"]),
    ("bun", &["x"]),
    ("pipx", &["run"]),
];
const RUNNER_VALUES: [&str; 6] = ["-p", "--package", "--from", "--with", "--python", "-c"];
/// Interpreter options that take a value as a word of their own.
const SCRIPT_VALUES: [&str; 11] = [
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-W",
    "-X",
    "--conditions",
    "-C",
    "--env-file",
    "--title",
];

/// The last part of a path, without `.exe` and the kernel's mark of a removed file.
pub(crate) fn base(path: &str) -> &str {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".exe").unwrap_or(name)
}

fn script_name(path: &str) -> &str {
    let name = base(path);
    [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

impl<'a> Command<'a> {
    /// What this process is.
    pub(crate) fn of(process: &'a Process) -> Command<'a> {
        let argv: Vec<&str> = process.argv.iter().map(String::as_str).collect();
        let mut command = Command::of_words(&argv, 0);
        let exe = process.exe.as_deref();
        let first = argv.first().map(|word| base(word)).unwrap_or_default();
        // A program that renamed itself keeps only the new name; an interpreter's own name is
        // already looked through.
        if !process.comm.is_empty() && (!is_plain(first) || !command.names.iter().any(|name| name != first)) {
            command.names.push(process.comm.clone());
        }
        if let Some(exe) = exe {
            command.paths.push(exe);
            if !is_plain(base(exe)) {
                command.names.push(base(exe).to_owned());
            }
        }
        command
    }

    fn of_words(argv: &[&'a str], depth: u8) -> Command<'a> {
        let empty = Command { names: Vec::new(), paths: Vec::new(), module: None, args: Vec::new() };
        let Some((first, rest)) = argv.split_first() else { return empty };
        // A login shell's name starts with a dash.
        let name = base(first.trim_start_matches('-'));
        if depth < 4 {
            if let Some((_, values)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
                return Command::of_words(unwrap(name, rest, values), depth + 1);
            }
            if let Some(inner) = runner(name, rest) {
                return package_command(inner);
            }
            if SHELLS.contains(&name) {
                return Command::of_shell(first, rest, depth).unwrap_or(empty);
            }
            if NODE.contains(&name) || is_python(name) {
                return Command::of_script(first, rest);
            }
        }
        Command { names: vec![name.to_owned()], paths: vec![first], module: None, args: rest.to_vec() }
    }

    /// `node [options] script args`, `python -m module args`.
    fn of_script(first: &'a str, rest: &[&'a str]) -> Command<'a> {
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            if *word == "-m" {
                let module = words.next().copied();
                return Command {
                    names: Vec::new(),
                    paths: vec![first],
                    module,
                    args: words.copied().collect(),
                };
            }
            if matches!(*word, "-e" | "--eval" | "-c" | "-p") {
                break;
            }
            if *word == "run" && base(first) == "bun" {
                continue;
            }
            if word.starts_with('-') {
                if SCRIPT_VALUES.contains(word) {
                    words.next();
                }
                continue;
            }
            return Command {
                names: vec![script_name(word).to_owned()],
                paths: vec![first, word],
                module: None,
                args: words.copied().collect(),
            };
        }
        Command { names: vec![base(first).to_owned()], paths: vec![first], module: None, args: Vec::new() }
    }

    /// `bash script args`, `sh -c 'A=B exec claude --continue'`. A script text with more than
    /// one simple command is no command: its children are processes of their own.
    fn of_shell(first: &'a str, rest: &[&'a str], depth: u8) -> Option<Command<'a>> {
        let at = rest.iter().position(|word| !word.starts_with('-') || is_dash_c(word))?;
        if is_dash_c(rest[at]) {
            let text = rest.get(at + 1)?;
            if text.contains([';', '|', '&', '\n', '`', '(', ')', '<', '>', '\'', '"', '$']) {
                return None;
            }
            let words: Vec<&str> = text.split_whitespace().skip_while(|word| is_assignment(word)).collect();
            return Some(Command::of_words(&words, depth + 1));
        }
        Some(Command {
            names: vec![script_name(rest[at]).to_owned()],
            paths: vec![first, rest[at]],
            module: None,
            args: rest[at + 1..].to_vec(),
        })
    }
}

fn is_dash_c(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(key, _)| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Whether this name says only how the program is run, not what it is.
fn is_plain(name: &str) -> bool {
    NODE.contains(&name)
        || is_python(name)
        || SHELLS.contains(&name)
        || WRAPPERS.iter().any(|(wrapper, _)| *wrapper == name)
        || RUNNERS.iter().any(|(runner, _)| *runner == name)
}

/// The words a wrapper runs.
fn unwrap<'b, 'a>(name: &str, mut words: &'b [&'a str], values: &[&str]) -> &'b [&'a str] {
    let mut left = usize::from(name == "timeout");
    while let Some((word, rest)) = words.split_first() {
        if values.contains(word) {
            words = rest.get(1..).unwrap_or_default();
        } else if word.starts_with('-') || (name == "env" && is_assignment(word)) {
            words = rest;
        } else if left > 0 {
            left -= 1;
            words = rest;
        } else {
            break;
        }
    }
    words
}

/// The package and arguments of `npx …`, `npm exec -- …`.
fn runner<'b, 'a>(name: &str, words: &'b [&'a str]) -> Option<&'b [&'a str]> {
    let (_, verbs) = RUNNERS.iter().find(|(runner, _)| *runner == name)?;
    let mut words = words;
    if !verbs.is_empty() {
        let (verb, rest) = words.split_first()?;
        if !verbs.contains(verb) {
            return None;
        }
        words = rest;
    }
    while let Some((word, rest)) = words.split_first() {
        if !word.starts_with('-') {
            return Some(words);
        }
        words = if RUNNER_VALUES.contains(word) { rest.get(1..).unwrap_or_default() } else { rest };
    }
    None
}

/// `@scope/name@1.2 args`: the package is proof, its last part a name.
fn package_command<'a>(words: &[&'a str]) -> Command<'a> {
    let package = words[0];
    let bare = match package.get(1..).and_then(|tail| tail.find('@')) {
        Some(at) => &package[..=at],
        None => package,
    };
    Command { names: vec![base(bare).to_owned()], paths: vec![bare], module: None, args: words[1..].to_vec() }
}

impl ProcessRules {
    /// Whether this command is the agent; `values` are its options that take a value, so that a
    /// subcommand is found behind them.
    pub(crate) fn matches(&self, command: &Command<'_>, values: &[String]) -> bool {
        let named = self.names.iter().any(|name| command.names.iter().any(|n| same_name(n, name)));
        let packaged = self.packages.iter().any(|package| {
            command.paths.iter().any(|path| {
                *path == package.as_str()
                    || path.contains(&format!("node_modules/{package}/"))
                    || path.contains(&format!("site-packages/{package}/"))
            })
        });
        let module = command.module.is_some_and(|module| self.modules.iter().any(|m| m == module));
        if !(named || packaged || module) {
            return false;
        }
        let proven = self.proof.is_empty()
            || packaged
            || module
            || self.proof.iter().any(|proof| command.paths.iter().any(|path| path.contains(proof)));
        if !proven {
            return false;
        }
        let words = plain_words(&command.args, values);
        let wanted = self.subcommand.iter().map(String::as_str);
        words.iter().copied().take(self.subcommand.len()).eq(wanted)
            && !words.first().is_some_and(|word| self.tools.iter().any(|tool| tool == word))
    }
}

fn same_name(seen: &str, name: &str) -> bool {
    // comm is cut at 15 bytes.
    seen == name || (seen.len() == 15 && name.starts_with(seen))
}

/// The arguments that are neither options nor their values, up to `--`.
pub(crate) fn plain_words<'a>(args: &[&'a str], values: &[String]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if *word == "--" {
            break;
        }
        if values.iter().any(|value| value == word) {
            words.next();
        } else if !word.starts_with('-') {
            found.push(*word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(argv: &[&str]) -> Vec<String> {
        Command::of_words(argv, 0).names
    }

    #[test]
    fn wrappers_and_interpreters_are_looked_through() {
        assert_eq!(names(&["env", "-u", "X", "A=B", "claude", "-c"]), ["claude"]);
        assert_eq!(names(&["/usr/bin/node", "--no-warnings", "/x/bin/codex", "resume"]), ["codex"]);
        assert_eq!(names(&["python3.12", "/x/bin/aider"]), ["aider"]);
        assert_eq!(names(&["sh", "-c", "A=1 exec claude --continue"]), ["claude"]);
        assert_eq!(names(&["bash", "-lc", "exec env X=1 opencode"]), ["opencode"]);
        assert_eq!(names(&["timeout", "-k", "5", "60", "codex"]), ["codex"]);
        assert_eq!(names(&["npx", "-y", "@openai/codex@latest", "exec"]), ["codex"]);
        assert!(names(&["bash", "-c", "echo claude; true"]).is_empty());
    }

    #[test]
    fn words_behind_options() {
        let values = ["-m".to_owned()];
        assert_eq!(plain_words(&["-m", "opus", "exec", "x", "--", "login"], &values), ["exec", "x"]);
    }
}
