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
    /// Where the script that it runs really is, when `Catalog::in_doubt` asked: package managers
    /// put links to a package's script on the `PATH`.
    pub script: Option<String>,
}

/// `[process]` of an agent's file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProcessRules {
    /// Names of the program itself, and of the script an interpreter runs as it, with its ending.
    pub names: Vec<String>,
    /// The interpreters that may run it; absent: any. Under another one the names are somebody
    /// else's.
    pub runtimes: Option<Vec<Runtime>>,
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
    /// Where it takes no other word first, the subcommands of an agent at work; empty: any. For a
    /// name that another tool has.
    pub sessions: Vec<String>,
    /// Names an interpreter's program gives itself (`process.title`): then argv[0] and comm are
    /// all there is, and the executable is still the interpreter.
    pub titles: Vec<String>,
    /// Further names that are ordinary words, each with what it takes to believe it.
    pub words: Vec<WordRule>,
}

/// A name that is an ordinary word.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WordRule {
    pub name: String,
    /// As in `ProcessRules`, for this name alone.
    #[serde(default)]
    pub proof: Vec<String>,
    #[serde(default)]
    pub subcommand: Vec<String>,
}

/// Whose scripts an interpreter runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Runtime {
    Node,
    Python,
}

/// What a process comes down to once wrappers and interpreters are looked through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command<'a> {
    /// Names it goes by: its own, and the script's.
    pub names: Vec<String>,
    /// The name of a script's file without its ending (`goose` of `goose.js`): anybody's file may be
    /// called so, where what a package puts on the `PATH` has no ending.
    pub file: Option<&'a str>,
    /// The interpreter or package runner that it runs by.
    pub runtime: Option<Runtime>,
    /// Paths that prove where it comes from: executable and script.
    pub paths: Vec<&'a str>,
    /// `python -m` module.
    pub module: Option<&'a str>,
    /// The script that an interpreter or a shell runs, as it was named.
    pub script: Option<&'a str>,
    /// The name that a program run by an interpreter gave itself.
    pub title: Option<&'a str>,
    /// The arguments meant for the program.
    pub args: Vec<&'a str>,
}

const NODE: [&str; 4] = ["node", "nodejs", "bun", "deno"];
/// Interpreters that no agent is written for: what their scripts are called says nothing.
const FOREIGN: [&str; 8] = ["ruby", "perl", "php", "lua", "luajit", "tclsh", "wish", "Rscript"];
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

const SCRIPT_ENDS: [&str; 6] = [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"];

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn is_foreign(name: &str) -> bool {
    FOREIGN.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

fn runtime(name: &str) -> Option<Runtime> {
    let python = is_python(name) || ["uvx", "pipx"].contains(&name);
    let node = NODE.contains(&name) || RUNNERS.iter().any(|(runner, _)| *runner == name);
    python.then_some(Runtime::Python).or(node.then_some(Runtime::Node))
}

fn is_interpreter(name: &str) -> bool {
    NODE.contains(&name) || is_python(name)
}

impl<'a> Command<'a> {
    /// What this process is.
    pub(crate) fn of(process: &'a Process) -> Command<'a> {
        let argv: Vec<&str> = process.argv.iter().map(String::as_str).collect();
        let exe = process.exe.as_deref();
        let first = argv.first().map(|word| base(word)).unwrap_or_default();
        let program = exe.map_or(first, base);
        if is_foreign(program) {
            return Command { names: vec![program.to_owned()], ..Command::default() };
        }
        let mut command = Command::of_words(&argv, 0);
        // A program that renamed itself keeps only the new name; an interpreter's own name is
        // already looked through.
        if !process.comm.is_empty() && (!is_plain(first) || !command.names.iter().any(|name| name != first)) {
            command.names.push(process.comm.clone());
        }
        if let Some(exe) = exe {
            command.paths.push(exe);
            if !is_plain(base(exe)) {
                command.names.push(base(exe).to_owned());
            } else if !is_plain(first) && is_interpreter(base(exe)) {
                command.renamed(argv[0], runtime(base(exe)));
            }
        }
        if command.script.is_some() {
            command.paths.extend(process.script.as_deref());
        }
        command
    }

    /// An interpreter under another name: a program that set its title, or `exec -a` with the
    /// script still among the arguments.
    fn renamed(&mut self, title: &'a str, runtime: Option<Runtime>) {
        self.title = Some(title);
        self.runtime = runtime;
        let script = self.args.iter().position(|word| !word.starts_with('-'));
        let Some(at) = script.filter(|at| SCRIPT_ENDS.iter().any(|end| self.args[*at].ends_with(end))) else {
            return;
        };
        self.script = Some(self.args[at]);
        self.paths.push(self.args[at]);
        self.args.drain(..=at);
    }

    fn plain(name: &str, paths: Vec<&'a str>, args: &[&'a str]) -> Command<'a> {
        Command { names: vec![name.to_owned()], paths, args: args.to_vec(), ..Command::default() }
    }

    fn of_words(argv: &[&'a str], depth: u8) -> Command<'a> {
        let Some((first, rest)) = argv.split_first() else { return Command::default() };
        // A login shell's name starts with a dash.
        let name = base(first.trim_start_matches('-'));
        if depth < 4 {
            if let Some((_, values)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
                return Command::of_words(unwrap(name, rest, values), depth + 1);
            }
            if let Some(inner) = runner(name, rest) {
                return Command { runtime: runtime(name), ..package_command(inner) };
            }
            if SHELLS.contains(&name) {
                return Command::of_shell(first, rest, depth).unwrap_or_default();
            }
            if is_interpreter(name) {
                return Command::of_script(first, rest);
            }
        }
        Command::plain(name, vec![first], rest)
    }

    /// `node [options] script args`, `python -m module args`.
    fn of_script(first: &'a str, rest: &[&'a str]) -> Command<'a> {
        let runtime = runtime(base(first));
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            if *word == "-m" {
                let module = words.next().copied();
                let args = words.copied().collect();
                return Command { paths: vec![first], module, args, runtime, ..Command::default() };
            }
            if matches!(*word, "-e" | "--eval" | "-c" | "-p") {
                break;
            }
            if *word == "run" && ["bun", "deno"].contains(&base(first)) {
                continue;
            }
            if word.starts_with('-') {
                if SCRIPT_VALUES.contains(word) {
                    words.next();
                }
                continue;
            }
            return Command { runtime, ..Command::script(first, word, words.as_slice()) };
        }
        Command::plain(base(first), vec![first], &[])
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
        Some(Command::script(first, rest[at], &rest[at + 1..]))
    }

    fn script(first: &'a str, path: &'a str, args: &[&'a str]) -> Command<'a> {
        let name = base(path);
        let file = SCRIPT_ENDS.iter().find_map(|end| name.strip_suffix(end));
        Command { file, script: Some(path), ..Command::plain(name, vec![first, path], args) }
    }
}

impl Command<'_> {
    fn goes_by(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.names.iter().any(|seen| same_name(seen, name)))
    }

    /// Whether its file is called so.
    fn is_file_of(&self, names: &[String]) -> bool {
        self.file.is_some_and(|file| names.iter().any(|name| name == file))
    }

    fn is_proven(&self, proof: &[String]) -> bool {
        proof.iter().any(|proof| self.paths.iter().any(|path| path.contains(proof)))
    }

    /// Whether it has one of these names, with what it takes to believe it.
    fn is_believed(&self, names: &[String], proof: &[String]) -> bool {
        match self.is_proven(proof) {
            true => self.goes_by(names) || self.is_file_of(names),
            false => proof.is_empty() && self.goes_by(names),
        }
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
    Command::plain(base(bare), vec![bare], &words[1..])
}

impl ProcessRules {
    /// Whether this command is the agent; `values` are its options that take a value, so that a
    /// subcommand is found behind them.
    pub(crate) fn matches(&self, command: &Command<'_>, values: &[String]) -> bool {
        let words = plain_words(&command.args, values);
        let begins = |wanted: &[String]| words.iter().copied().take(wanted.len()).eq(wanted);
        let packaged = self.packages.iter().any(|package| {
            command.paths.iter().any(|path| {
                *path == package.as_str()
                    || path.contains(&format!("node_modules/{package}/"))
                    || path.contains(&format!("site-packages/{package}/"))
            })
        });
        let module = command.module.is_some_and(|module| self.modules.iter().any(|m| m == module));
        let titled = command.title.is_some_and(|title| self.titles.iter().any(|known| known == title));
        let own = |runtimes: &Vec<Runtime>| command.runtime.is_none_or(|runtime| runtimes.contains(&runtime));
        let named = command.is_believed(&self.names, &self.proof) && self.runtimes.as_ref().is_none_or(own);
        let by_word = self.words.iter().any(|word| {
            command.is_believed(std::slice::from_ref(&word.name), &word.proof) && begins(&word.subcommand)
        });
        let works = |word: &str| {
            !self.tools.iter().any(|tool| tool == word)
                && (self.sessions.is_empty() || self.sessions.iter().any(|known| known == word))
        };
        (packaged || module || titled || named || by_word)
            && begins(&self.subcommand)
            && words.first().is_none_or(|word| works(word))
    }

    /// Whether this command has the agent's name, proven or not.
    pub(crate) fn is_named(&self, command: &Command<'_>) -> bool {
        let words = self.words.iter().map(|word| std::slice::from_ref(&word.name));
        let mut names = words.chain([self.names.as_slice()]);
        names.any(|names| command.goes_by(names) || command.is_file_of(names))
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
        // A file's ending belongs to its name.
        assert_eq!(names(&["node", "/x/codex.js"]), ["codex.js"]);
        assert_eq!(names(&["deno", "run", "-A", "mine.ts"]), ["mine.ts"]);
    }

    #[test]
    fn words_behind_options() {
        let values = ["-m".to_owned()];
        assert_eq!(plain_words(&["-m", "opus", "exec", "x", "--", "login"], &values), ["exec", "x"]);
    }
}
