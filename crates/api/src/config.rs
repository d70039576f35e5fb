//! The configuration: one table of options, from which parsing, the default file, its check and
//! the documentation follow.
//!
//! Not here: where the file is (`host::dirs`), which actions keys may name (`tui::actions`).

use std::fmt::Write as _;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What the user chose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Lines of history a pane keeps.
    pub scrollback: u32,
    /// The program of a pane without a command; `$SHELL`, then `/bin/sh`, unless given.
    pub shell: Option<String>,
    /// How the client looks.
    pub theme: Theme,
    /// Whether the sidebar shows.
    pub sidebar: Sidebar,
    /// Where notifications go, and of what there are any.
    pub notifications: Notifications,
    /// Whether programs may set the clipboard (OSC 52).
    pub clipboard: Clipboard,
    /// Which keys do what.
    pub keys: Keys,
    /// How many Workers a lead may run at once.
    pub worker_limit: u32,
    /// How new worktrees are prepared, and their ports.
    pub worktrees: Worktrees,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            scrollback: 10_000,
            shell: None,
            theme: Theme::Default,
            sidebar: Sidebar::Auto,
            notifications: Notifications::default(),
            clipboard: Clipboard::Write,
            keys: Keys::default(),
            worker_limit: 16,
            worktrees: Worktrees::default(),
        }
    }
}

/// What the user wants of the worktrees of every repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktrees {
    /// Copied from the main checkout into a new worktree, after what its repository asks for.
    pub copy: Vec<String>,
    /// Run in a new worktree, after what its repository asks for.
    pub setup: Vec<String>,
    /// `KRAAL_PORT_OFFSET` is a worktree's number times this.
    pub port_step: u32,
    /// `PORT` is this and the offset; it is not set unless given.
    pub port_base: Option<u32>,
}

impl Default for Worktrees {
    fn default() -> Self {
        Worktrees { copy: Vec::new(), setup: Vec::new(), port_step: 10, port_base: None }
    }
}

/// How the client looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Rounded frames and colours.
    #[default]
    Default,
    /// Plain ASCII.
    Ascii,
    /// Strong colours.
    HighContrast,
}

/// Whether the sidebar shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sidebar {
    /// By the width of the terminal.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// Notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notifications {
    /// Where they go.
    pub mode: NotifyMode,
    /// Of agents that wait for the user.
    pub on_blocked: bool,
    /// Of agents that ended their turn.
    pub on_done: bool,
}

impl Default for Notifications {
    fn default() -> Self {
        Notifications { mode: NotifyMode::Terminal, on_blocked: true, on_done: true }
    }
}

/// Where notifications go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotifyMode {
    /// The attached terminal (OSC 777, 9 or 99), else `notify-send`.
    #[default]
    Terminal,
    /// `notify-send` always.
    System,
    /// The attached terminal, and `notify-send`.
    Both,
    /// Nowhere.
    Off,
}

impl NotifyMode {
    /// Whether an attached terminal shows them.
    pub fn in_terminal(self) -> bool {
        matches!(self, NotifyMode::Terminal | NotifyMode::Both)
    }
}

/// What programs may do with the clipboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clipboard {
    /// Nothing.
    Off,
    /// Set it.
    #[default]
    Write,
}

/// Which keys do what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keys {
    /// The prefix key.
    pub prefix: String,
    /// The set of bindings to start from.
    pub preset: Preset,
    /// A key, or `prefix` and a key, with the action it runs; an empty action takes a binding away.
    pub bind: Vec<(String, String)>,
}

impl Default for Keys {
    fn default() -> Self {
        Keys { prefix: "ctrl+b".into(), preset: Preset::Kraal, bind: Vec::new() }
    }
}

/// The sets of bindings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// kraal's own.
    #[default]
    Kraal,
    /// tmux's default keys.
    Tmux,
}

/// Something wrong in the file; the rest of it applies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// 1-based; 0 when it concerns the whole file.
    pub line: u32,
    /// One sentence that says what to do.
    pub message: String,
}

/// An option: everything that is known about it, in one row.
pub struct Opt {
    /// Its path in the file: `theme`, `keys.prefix`.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// One line for people.
    pub doc: &'static str,
    /// Its value as TOML; None where it is not set.
    show: fn(&Config) -> Option<String>,
    set: fn(&mut Config, &Given<'_>),
}

/// What an option takes.
pub enum Takes {
    /// A whole number.
    Number {
        /// The smallest.
        min: u32,
        /// The largest.
        max: u32,
    },
    /// Any text but the empty one.
    Text,
    /// `true` or `false`.
    Switch,
    /// One of these words, each with its meaning.
    Word(fn() -> Vec<(&'static str, &'static str)>),
    /// A list of texts, none of them empty.
    List,
    /// A table of texts.
    Texts,
}

/// A value that an option takes, checked.
enum Given<'a> {
    Number(u32),
    Text(&'a str),
    Switch(bool),
    List(Vec<String>),
    Texts(Vec<(String, String)>),
}

impl<'a> Given<'a> {
    fn number(&self) -> u32 {
        match self {
            Given::Number(number) => *number,
            _ => 0,
        }
    }

    fn switch(&self) -> bool {
        matches!(self, Given::Switch(true))
    }

    fn list(&self) -> Vec<String> {
        match self {
            Given::List(texts) => texts.clone(),
            _ => Vec::new(),
        }
    }

    fn text(&self) -> &'a str {
        match self {
            Given::Text(text) => text,
            _ => "",
        }
    }
}

/// A set of words a person may write.
trait Words: Sized + Copy + PartialEq + 'static {
    const ALL: &'static [(Self, &'static str, &'static str)];

    fn listed() -> Vec<(&'static str, &'static str)> {
        Self::ALL.iter().map(|(_, word, meaning)| (*word, *meaning)).collect()
    }

    fn of(word: &str) -> Self {
        Self::ALL.iter().find(|row| row.1 == word).unwrap_or(&Self::ALL[0]).0
    }

    fn quoted(self) -> Option<String> {
        Self::ALL.iter().find(|row| row.0 == self).map(|row| quote(row.1))
    }
}

impl Words for Theme {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Theme::Default, "default", "rounded frames and colours"),
        (Theme::Ascii, "ascii", "plain ASCII"),
        (Theme::HighContrast, "high-contrast", "strong colours"),
    ];
}

impl Words for Sidebar {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Sidebar::Auto, "auto", "by the width of the terminal"), (Sidebar::Off, "off", "never")];
}

impl Words for NotifyMode {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (NotifyMode::Terminal, "terminal", "through the attached terminal, else notify-send"),
        (NotifyMode::System, "system", "always notify-send"),
        (NotifyMode::Both, "both", "through the attached terminal and notify-send"),
        (NotifyMode::Off, "off", "none"),
    ];
}

impl Words for Clipboard {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Clipboard::Write, "write", "programs may set it"), (Clipboard::Off, "off", "programs may not")];
}

impl Words for Preset {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Preset::Kraal, "kraal", "kraal's own"), (Preset::Tmux, "tmux", "tmux's default keys")];
}

/// Every option, in the order of the default file: those without a section first.
pub const OPTIONS: &[Opt] = &[
    Opt {
        name: "scrollback",
        takes: Takes::Number { min: 0, max: 1_000_000 },
        doc: "lines of history a pane keeps",
        show: |c| Some(c.scrollback.to_string()),
        set: |c, given| c.scrollback = given.number(),
    },
    Opt {
        name: "shell",
        takes: Takes::Text,
        doc: "the program of a pane without a command; $SHELL, then /bin/sh, unless given",
        show: |c| c.shell.as_deref().map(quote),
        set: |c, given| c.shell = Some(given.text().to_owned()),
    },
    Opt {
        name: "theme",
        takes: Takes::Word(Theme::listed),
        doc: "how the client looks",
        show: |c| c.theme.quoted(),
        set: |c, given| c.theme = Theme::of(given.text()),
    },
    Opt {
        name: "sidebar",
        takes: Takes::Word(Sidebar::listed),
        doc: "when the sidebar shows",
        show: |c| c.sidebar.quoted(),
        set: |c, given| c.sidebar = Sidebar::of(given.text()),
    },
    Opt {
        name: "clipboard",
        takes: Takes::Word(Clipboard::listed),
        doc: "what programs may do with the clipboard (OSC 52)",
        show: |c| c.clipboard.quoted(),
        set: |c, given| c.clipboard = Clipboard::of(given.text()),
    },
    Opt {
        name: "notifications.mode",
        takes: Takes::Word(NotifyMode::listed),
        doc: "where notifications go",
        show: |c| c.notifications.mode.quoted(),
        set: |c, given| c.notifications.mode = NotifyMode::of(given.text()),
    },
    Opt {
        name: "notifications.on_blocked",
        takes: Takes::Switch,
        doc: "tell of agents that wait for you",
        show: |c| Some(c.notifications.on_blocked.to_string()),
        set: |c, given| c.notifications.on_blocked = given.switch(),
    },
    Opt {
        name: "notifications.on_done",
        takes: Takes::Switch,
        doc: "tell of agents that ended their turn",
        show: |c| Some(c.notifications.on_done.to_string()),
        set: |c, given| c.notifications.on_done = given.switch(),
    },
    Opt {
        name: "keys.prefix",
        takes: Takes::Text,
        doc: "the key that opens the menu",
        show: |c| Some(quote(&c.keys.prefix)),
        set: |c, given| given.text().clone_into(&mut c.keys.prefix),
    },
    Opt {
        name: "keys.preset",
        takes: Takes::Word(Preset::listed),
        doc: "the bindings to start from",
        show: |c| c.keys.preset.quoted(),
        set: |c, given| c.keys.preset = Preset::of(given.text()),
    },
    Opt {
        name: "keys.bind",
        takes: Takes::Texts,
        doc: "a key, or \"prefix\" and a key, with its action (kraal config keys lists them); \"\" unbinds",
        show: |_| None,
        set: |c, given| {
            if let Given::Texts(pairs) = given {
                c.keys.bind.clone_from(pairs);
            }
        },
    },
    Opt {
        name: "workers.limit",
        takes: Takes::Number { min: 0, max: 1000 },
        doc: "how many Workers a lead may run at once",
        show: |c| Some(c.worker_limit.to_string()),
        set: |c, given| c.worker_limit = given.number(),
    },
    Opt {
        name: "worktrees.copy",
        takes: Takes::List,
        doc: "copied from the main checkout into every new worktree, like a repository's own copy",
        show: |c| Some(quoted_list(&c.worktrees.copy)),
        set: |c, given| c.worktrees.copy = given.list(),
    },
    Opt {
        name: "worktrees.setup",
        takes: Takes::List,
        doc: "commands run in every new worktree, after the repository's own",
        show: |c| Some(quoted_list(&c.worktrees.setup)),
        set: |c, given| c.worktrees.setup = given.list(),
    },
    Opt {
        name: "worktrees.port_step",
        takes: Takes::Number { min: 1, max: 1000 },
        doc: "$KRAAL_PORT_OFFSET is a worktree's number times this",
        show: |c| Some(c.worktrees.port_step.to_string()),
        set: |c, given| c.worktrees.port_step = given.number(),
    },
    Opt {
        name: "worktrees.port_base",
        takes: Takes::Number { min: 1, max: 65_535 },
        doc: "$PORT in a worktree is this and its offset; not set unless given",
        show: |c| c.worktrees.port_base.map(|port| port.to_string()),
        set: |c, given| c.worktrees.port_base = Some(given.number()),
    },
];

impl Config {
    /// Reads the file. What is wrong is named with its line and the rest applies; a file that is no
    /// TOML gives one problem and the defaults.
    pub fn parse(text: &str) -> (Config, Vec<Problem>) {
        let mut reader = Reader { text, config: Config::default(), problems: Vec::new() };
        match DeTable::parse(text) {
            Ok(table) => reader.section("", table.get_ref()),
            Err(error) => {
                let what = error.message().lines().next().unwrap_or("it cannot be read");
                let message =
                    format!("the file is no TOML ({what}): correct this line, until then the defaults apply");
                reader.problem(&error.span().unwrap_or(0..0), message);
            }
        }
        reader.problems.sort_by_key(|problem| problem.line);
        (reader.config, reader.problems)
    }

    /// The commented file for `kraal config default`: as it stands it changes nothing.
    pub fn default_file() -> String {
        let config = Config::default();
        let mut out = String::from(
            "# kraal's configuration. Every option, with its default; take away the # to change one.\n",
        );
        let mut section = "";
        for option in OPTIONS {
            let (within, key) = option.split();
            if matches!(option.takes, Takes::Texts) {
                let _ = write!(out, "\n# {}\n[{}]\n# \"alt+x\" = \"pane-new\"\n", option.doc, option.name);
                section = option.name;
                continue;
            }
            out.push('\n');
            if within != section {
                let _ = writeln!(out, "[{within}]");
                section = within;
            }
            let _ = writeln!(out, "# {}", option.doc);
            if let Takes::Word(words) = option.takes {
                for (word, meaning) in words() {
                    let _ = writeln!(out, "#   {word}: {meaning}");
                }
            }
            let _ = writeln!(out, "# {key} = {}", (option.show)(&config).unwrap_or_else(|| "\"…\"".into()));
        }
        out
    }

    /// The table of options in Markdown, for the documentation.
    pub fn docs() -> String {
        let config = Config::default();
        let mut out = String::from("| option | takes | default | |\n|---|---|---|---|\n");
        for option in OPTIONS {
            let default = (option.show)(&config).map_or(String::new(), |shown| format!("`{shown}`"));
            let _ =
                writeln!(out, "| `{}` | {} | {default} | {} |", option.name, option.takes.said(), option.doc);
        }
        out
    }
}

impl Opt {
    /// Its section and its key in it.
    fn split(&self) -> (&'static str, &'static str) {
        self.name.rsplit_once('.').unwrap_or(("", self.name))
    }

    /// Its value in a configuration, as TOML; None where it is not set.
    pub fn shown(&self, config: &Config) -> Option<String> {
        (self.show)(config)
    }
}

impl Takes {
    /// In words, for a message and the documentation.
    pub fn said(&self) -> String {
        match self {
            Takes::Number { min, max } => format!("a number from {min} to {max}"),
            Takes::Text => "a text in quotes".to_owned(),
            Takes::Switch => "true or false".to_owned(),
            Takes::Word(words) => {
                let words: Vec<String> = words().iter().map(|(word, _)| quote(word)).collect();
                match words.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => words.concat(),
                }
            }
            Takes::List => "a list of texts, each in quotes".to_owned(),
            Takes::Texts => "keys and actions, each in quotes".to_owned(),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    config: Config,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn section(&mut self, section: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let written = key.get_ref().as_ref();
            let name = if section.is_empty() { written.to_owned() } else { format!("{section}.{written}") };
            if let Some(option) = OPTIONS.iter().find(|option| option.name == name) {
                self.option(option, value);
            } else if is_section(&name) {
                match value.get_ref() {
                    DeValue::Table(inner) => self.section(&name, inner),
                    _ => self.problem(
                        &value.span(),
                        format!("{name} is a section: write [{name}] on a line of its own"),
                    ),
                }
            } else {
                self.problem(&key.span(), unknown(&name));
            }
        }
    }

    fn option(&mut self, option: &Opt, value: &Spanned<DeValue<'_>>) {
        let given = match (&option.takes, value.get_ref()) {
            (Takes::Number { min, max }, DeValue::Integer(number)) => {
                u32::from_str_radix(&number.as_str().replace('_', ""), number.radix())
                    .ok()
                    .filter(|number| (min..=max).contains(&number))
                    .map(Given::Number)
            }
            (Takes::Text, DeValue::String(text)) if !text.is_empty() => Some(Given::Text(text)),
            (Takes::Switch, DeValue::Boolean(on)) => Some(Given::Switch(*on)),
            (Takes::Word(words), DeValue::String(text)) => {
                let words = words();
                if !words.iter().any(|(word, _)| *word == text.as_ref()) {
                    let near = nearest(text, words.iter().map(|(word, _)| *word));
                    let hint = near.map_or_else(
                        || format!("write {}", option.takes.said()),
                        |near| format!("did you mean {}?", quote(near)),
                    );
                    return self.problem(
                        &value.span(),
                        format!("{}: there is no {}: {hint}", option.name, quote(&printable(text))),
                    );
                }
                Some(Given::Text(text))
            }
            (Takes::List, DeValue::Array(values)) => values
                .iter()
                .map(|value| match value.get_ref() {
                    DeValue::String(text) if !text.is_empty() => Some(text.to_string()),
                    _ => None,
                })
                .collect::<Option<Vec<_>>>()
                .map(Given::List),
            (Takes::Texts, DeValue::Table(table)) => Some(Given::Texts(self.texts(option.name, table))),
            _ => None,
        };
        match given {
            Some(given) => (option.set)(&mut self.config, &given),
            None => self.problem(&value.span(), format!("{} takes {}", option.name, option.takes.said())),
        }
    }

    /// The pairs of a table of texts, in the order they are written.
    fn texts(&mut self, name: &str, table: &DeTable<'_>) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for (key, value) in table {
            match value.get_ref() {
                DeValue::String(text) => {
                    pairs.push((key.span().start, key.get_ref().to_string(), text.to_string()));
                }
                _ => {
                    let message =
                        format!("{name}: {} takes a text in quotes", quote(&printable(key.get_ref())));
                    self.problem(&value.span(), message);
                }
            }
        }
        pairs.sort();
        pairs.into_iter().map(|(_, key, text)| (key, text)).collect()
    }

    fn problem(&mut self, at: &Range<usize>, message: String) {
        let before = &self.text.as_bytes()[..at.start.min(self.text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        self.problems.push(Problem { line: u32::try_from(line).unwrap_or(u32::MAX), message });
    }
}

fn is_section(name: &str) -> bool {
    OPTIONS.iter().any(|option| option.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

fn unknown(name: &str) -> String {
    let sections =
        OPTIONS.iter().filter_map(|option| option.name.split_once('.')).map(|(section, _)| section);
    let near = nearest(name, OPTIONS.iter().map(|option| option.name).chain(sections));
    let hint = near
        .map_or_else(|| "kraal config default lists all".to_owned(), |near| format!("did you mean {near}?"));
    format!("there is no option {}: {hint}", printable(name))
}

/// The closest of some names, when it is close enough to be meant.
pub fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|name| (strsim::damerau_levenshtein(name, &word.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn quote(text: &str) -> String {
    format!("\"{text}\"")
}

/// Texts as a list in TOML, with what TOML needs escaped.
fn quoted_list(texts: &[String]) -> String {
    let texts: Vec<toml::Value> = texts.iter().map(|text| toml::Value::from(text.as_str())).collect();
    toml::Value::from(texts).to_string()
}

/// Another's text within our sentence: one line, no control characters, not endless.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        Config::parse(text).1.iter().map(|p| format!("{}: {}", p.line, p.message)).collect()
    }

    #[test]
    fn every_option_is_read() {
        let text = "scrollback = 1_000\nshell = \"/bin/zsh\"\ntheme = \"high-contrast\"\nsidebar = \"off\"\n\
                    clipboard = \"off\"\n[notifications]\nmode = \"both\"\non_blocked = true\non_done = false\n[keys]\nprefix = \"ctrl+a\"\n\
                    preset = \"tmux\"\n[keys.bind]\n\"prefix z\" = \"zoom\"\n\"alt+x\" = \"pane-new\"\n[workers]\nlimit = 0x8\n\
                    [worktrees]\ncopy = [\".env*\"]\nsetup = [\"npm ci\", \"echo \\\"a\\\"\"]\nport_step = 20\nport_base = 3000\n";
        let expected = Config {
            scrollback: 1000,
            shell: Some("/bin/zsh".into()),
            theme: Theme::HighContrast,
            sidebar: Sidebar::Off,
            notifications: Notifications { mode: NotifyMode::Both, on_blocked: true, on_done: false },
            clipboard: Clipboard::Off,
            keys: Keys {
                prefix: "ctrl+a".into(),
                preset: Preset::Tmux,
                bind: vec![("prefix z".into(), "zoom".into()), ("alt+x".into(), "pane-new".into())],
            },
            worker_limit: 8,
            worktrees: Worktrees {
                copy: vec![".env*".into()],
                setup: vec!["npm ci".into(), "echo \"a\"".into()],
                port_step: 20,
                port_base: Some(3000),
            },
        };
        assert_eq!(quoted_list(&expected.worktrees.setup), r#"["npm ci", 'echo "a"']"#);
        assert_eq!(Config::parse(text), (expected, Vec::new()));
        assert_eq!(Config::parse(""), (Config::default(), Vec::new()));
    }

    #[test]
    fn mistakes_are_named_with_their_line_and_the_rest_applies() {
        let text = "scrolback = 5\ntheme = \"asci\"\nsidebar = 3\nscrollback = -1\nclipboard = \"off\"\n[keyz]\nprefix = \"a\"\n[keys]\nprefx = \"b\"\n[keys.bind]\n\"alt+x\" = 1\n\"alt+y\" = \"quit\"\n[elsewhere]\na = 1\n";
        assert_eq!(
            problems(text),
            [
                "1: there is no option scrolback: did you mean scrollback?",
                "2: theme: there is no \"asci\": did you mean \"ascii\"?",
                "3: sidebar takes \"auto\" or \"off\"",
                "4: scrollback takes a number from 0 to 1000000",
                "6: there is no option keyz: did you mean keys?",
                "9: there is no option keys.prefx: did you mean keys.prefix?",
                "11: keys.bind: \"alt+x\" takes a text in quotes",
                "13: there is no option elsewhere: kraal config default lists all",
            ]
        );
        let (config, _) = Config::parse(text);
        assert_eq!(
            (config.clipboard, config.scrollback, config.theme),
            (Clipboard::Off, 10_000, Theme::Default)
        );
        assert_eq!(config.keys.bind, [("alt+y".to_owned(), "quit".to_owned())]);
        assert_eq!(problems("keys = 1"), ["1: keys is a section: write [keys] on a line of its own"]);
        assert_eq!(problems("shell = \"\""), ["1: shell takes a text in quotes"]);
        for list in ["1", "\"npm ci\"", "[1]", "[\"\"]"] {
            let text = format!("worktrees.setup = {list}");
            assert_eq!(
                problems(&text),
                ["1: worktrees.setup takes a list of texts, each in quotes"],
                "{list}"
            );
        }
    }

    #[test]
    fn a_file_that_is_no_toml_is_one_problem() {
        for text in
            ["\n\nnot toml at all", "a = 1\na = 2", "[", "\u{1b}[31m", "theme = \"ascii\"\nscrollback = "]
        {
            let (config, problems) = Config::parse(text);
            assert_eq!((config, problems.len()), (Config::default(), 1), "{text:?}");
            assert!(problems[0].line > 0 && !problems[0].message.contains(char::is_control), "{problems:?}");
        }
        assert_eq!(Config::parse("\n\nnot toml at all").1[0].line, 3);
    }

    #[test]
    fn the_default_file_names_all_and_changes_nothing() {
        let file = Config::default_file();
        assert_eq!(Config::parse(&file), (Config::default(), Vec::new()));
        let without_marks: String = file
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(rest) if rest.contains(" = ") && !rest.contains('…') => format!("{rest}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let (config, problems) = Config::parse(&without_marks);
        assert_eq!(problems, [], "{without_marks}");
        assert_eq!(config.keys.bind.len(), 1);
        for option in OPTIONS {
            assert!(file.contains(option.doc) && Config::docs().contains(option.doc), "{}", option.name);
        }
    }
}
