//! `kraal config`: the default file, what is wrong with the own one, where it is, the keys.
//!
//! Not here: the options (`kraal_api::config`), what a key may run (`tui::actions`).

use std::path::{Path, PathBuf};

use clap::Subcommand;
use kraal_agents::Catalog;
use kraal_api::config::{Config, Problem};
use kraal_server::own;
use kraal_tui::{actions, keymap};
use serde::Serialize;

use crate::failure::{Done, Failure};
use crate::output::{Cell, Output, Paint, clean};
use crate::sessions;
use crate::target::Target;

/// A configuration is text that a person wrote; nothing longer is read.
const LONGEST: u64 = 1 << 20;

/// `kraal config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Prints a file with every option and its default.
    Default,
    /// Says what is wrong with the configuration and with agents of your own.
    Check {
        /// Another file.
        file: Option<PathBuf>,
    },
    /// Prints where the configuration is.
    Path,
    /// Lists every action and its keys.
    Keys,
    /// Makes a running session read the configuration again.
    Reload,
}

pub(crate) fn run(command: ConfigCommand, target: &Target, output: &Output) -> Done {
    match command {
        ConfigCommand::Default if output.is_json() => output.json(&Config::default()),
        ConfigCommand::Default => output.text(&Config::default_file()),
        ConfigCommand::Check { file } => check(file, target, output),
        ConfigCommand::Path if output.is_json() => output.json(&path(target)?),
        ConfigCommand::Path => output.line(path(target)?.display().to_string()),
        ConfigCommand::Keys => keys(target, output),
        ConfigCommand::Reload => sessions::reload(target, output),
    }
}

/// Where the configuration is, or would be.
pub(crate) fn path(target: &Target) -> Result<PathBuf, Failure> {
    Ok(target.roots()?.config.join("config.toml"))
}

/// The user's configuration with all its problems; the defaults where there is none.
pub(crate) fn load(target: &Target) -> (Config, Vec<Problem>) {
    match path(target) {
        Ok(path) => read(&path).unwrap_or_else(|problem| (Config::default(), vec![problem])),
        Err(_) => (Config::default(), Vec::new()),
    }
}

/// A configuration with all its problems; none is there is the defaults.
pub(crate) fn read(path: &Path) -> Result<(Config, Vec<Problem>), Problem> {
    let problem = |message: String| Problem { line: 0, message };
    let bytes = match kraal_host::files::read_capped(path, LONGEST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok((Config::default(), Vec::new()));
        }
        Err(error) => return Err(problem(format!("cannot be read: {error}"))),
    };
    let text = String::from_utf8(bytes).map_err(|_| problem("is not UTF-8: save it as that".to_owned()))?;
    let (config, mut problems) = Config::parse(&text);
    problems.extend(keymap::check(&config.keys));
    Ok((config, problems))
}

fn check(file: Option<PathBuf>, target: &Target, output: &Output) -> Done {
    let own = file.is_none();
    let path = match file {
        Some(file) if !file.exists() => {
            return Err(Failure::Failed(format!("there is no file {}", file.display())));
        }
        Some(file) => file,
        None => path(target)?,
    };
    let agents = path.parent().and_then(Path::file_name).is_some_and(|folder| folder == "agents");
    let mut wrong = if agents { in_agent(&path) } else { in_config(&path) };
    let mut fine = vec![&path];
    let texts = own::texts(&target.roots()?);
    let files: Vec<PathBuf> = texts.iter().map(|(file, _)| PathBuf::from(file)).collect();
    if own {
        wrong.extend(own::catalog(&texts).1.into_iter().map(Wrong::from));
        fine.extend(&files);
    }
    if output.is_json() {
        output.json(&wrong)?;
    } else {
        fine.retain(|path| !wrong.iter().any(|one| one.file == path.display().to_string()));
        for path in fine {
            let found = if path.exists() { "is fine" } else { "is not there: the defaults apply" };
            output.line(format!("{} {found}", clean(&path.display().to_string())))?;
        }
        wrong.iter().try_for_each(|one| output.line(one.said()))?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Said(1)) }
}

/// What is wrong in the user's files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Wrong {
    file: String,
    /// 1-based; 0 when it concerns the whole file.
    line: u32,
    message: String,
}

impl Wrong {
    /// `path:line: what is wrong`.
    pub(crate) fn said(&self) -> String {
        let line = if self.line > 0 { format!("{}:", self.line) } else { String::new() };
        clean(&format!("{}:{line} {}", self.file, self.message))
    }

    fn of(path: &Path, problem: Problem) -> Self {
        Wrong { file: path.display().to_string(), line: problem.line, message: problem.message }
    }
}

impl From<kraal_agents::Problem> for Wrong {
    fn from(problem: kraal_agents::Problem) -> Self {
        let line = problem.line.and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
        Wrong { file: problem.file, line, message: problem.message }
    }
}

/// All that is wrong in the configuration and in the user's own agents.
pub(crate) fn all_wrong(target: &Target) -> Vec<Wrong> {
    let Ok(dirs) = target.roots() else { return Vec::new() };
    let mut wrong = in_config(&dirs.config.join("config.toml"));
    wrong.extend(own::catalog(&own::texts(&dirs)).1.into_iter().map(Wrong::from));
    wrong
}

fn in_config(path: &Path) -> Vec<Wrong> {
    let problems = match read(path) {
        Ok((_, problems)) => problems,
        Err(problem) => vec![problem],
    };
    problems.into_iter().map(|problem| Wrong::of(path, problem)).collect()
}

fn in_agent(path: &Path) -> Vec<Wrong> {
    let file = path.display().to_string();
    let read = own::text(path)
        .map_err(|message| kraal_agents::Problem { file: file.clone(), line: None, message })
        .and_then(|text| Catalog::read_file(&file, &text));
    read.err().map(Wrong::from).into_iter().collect()
}

fn keys(target: &Target, output: &Output) -> Done {
    let rows = actions::table(&load(target).0);
    if output.is_json() {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| serde_json::json!({ "action": row.name, "title": row.title, "group": row.group, "keys": row.keys }))
            .collect();
        return output.json(&rows);
    }
    let shown: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| {
            vec![
                row.name.into(),
                row.keys.join(", ").into(),
                row.title.into(),
                Cell::new(row.group, Paint::Dim),
            ]
        })
        .collect();
    output.table(&["ACTION", "KEYS", "DOES", "GROUP"], &shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_the_defaults_and_a_bad_one_is_said() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("config.toml");
        assert_eq!(read(&path), Ok((Config::default(), Vec::new())));
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(in_config(&path)[0].said().ends_with("config.toml: is not UTF-8: save it as that"));
        std::fs::write(&path, "\nthem = \"ascii\"\n").unwrap();
        let said = in_config(&path)[0].said();
        assert!(said.ends_with("config.toml:2: there is no option them: did you mean theme?"), "{said}");
    }
}
