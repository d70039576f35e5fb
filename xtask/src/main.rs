//! Chores of the repository: `tidy` checks the rules that the compiler can't, `picture` draws a
//! captured screen, `licences` stands in for cargo-deny, `docs` and `schema` write what follows from the code.
//!
//! Not part of the product: nothing here is shipped, and no crate depends on it.

mod docs;
mod licences;
mod picture;
mod tidy;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  tidy                 check the rules of ARCHITECTURE.md; exit 1 and a list when one is broken
  docs                 write the generated tables of docs/ anew
  schema               the JSON Schema of every request and response
  licences             check licences and sources against deny.toml, where cargo-deny can't be had
  lab ARGS             real agents in panes, without a network, held against the truth; see lab/README.md
  picture FILE.ansi    an SVG of a captured screen (tmux capture-pane -e -p, kraal read --ansi)
";

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["tidy"] => run_tidy(),
        ["docs"] => run_docs(),
        ["schema"] => {
            say(&format!("{:#}\n", kraal_api::schema()))?;
            Ok(ExitCode::SUCCESS)
        }
        ["licences"] => run_licences(),
        ["lab", args @ ..] => run_lab(args),
        ["picture", file] => {
            let ansi = std::fs::read_to_string(file)
                .with_context(|| format!("{file} can't be read as a captured screen"))?;
            say(&picture::svg(&ansi))?;
            Ok(ExitCode::SUCCESS)
        }
        ["help" | "--help" | "-h"] => {
            say(USAGE)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("unknown command\n{USAGE}"),
    }
}

fn run_tidy() -> Result<ExitCode> {
    let repository = tidy::Repository::read(&root())?;
    let findings = tidy::check(&repository);
    for finding in &findings {
        say(&format!("{finding}\n"))?;
    }
    if findings.is_empty() {
        say(&format!("tidy: {} files, nothing to do\n", repository.len()))?;
        return Ok(ExitCode::SUCCESS);
    }
    say(&format!("tidy: {} to do\n", findings.len()))?;
    Ok(ExitCode::FAILURE)
}

/// Builds what the lab needs, and becomes it: figures are those of the release build, a check takes what the tests
/// have built.
fn run_lab(args: &[&str]) -> Result<ExitCode> {
    let check = args.contains(&"--check");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = |packages: &[&str], release: bool| -> Result<()> {
        let mut command = Command::new(&cargo);
        command.current_dir(root()).args(["build", "--quiet"]).args(release.then_some("--release"));
        for package in packages {
            command.args(["--package", package]);
        }
        if !command.status().context("cargo can't be run")?.success() {
            bail!("{} can't be built", packages.join(" and "));
        }
        Ok(())
    };
    build(&["kraal-cli"], !check)?;
    build(&["kraal-lab"], false)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let kraal = target.join(if check { "debug" } else { "release" }).join("kraal");
    let status = Command::new(target.join("debug/kraal-lab"))
        .arg("--kraal")
        .arg(kraal)
        .arg("--store")
        .arg(target.join("lab"))
        .args(args)
        .status()
        .context("the lab can't be run")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_docs() -> Result<ExitCode> {
    let read = |path: &str| {
        std::fs::read_to_string(root().join(path)).with_context(|| format!("{path} can't be read"))
    };
    for (path, text) in docs::stale(read)? {
        std::fs::write(root().join(path), text).with_context(|| format!("{path} can't be written"))?;
        say(&format!("{path}: written anew\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn run_licences() -> Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = std::process::Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cargo metadata can't be run")?;
    let deny = std::fs::read_to_string(root().join("deny.toml")).context("deny.toml can't be read")?;
    let problems = licences::check(&String::from_utf8_lossy(&output.stdout), &deny)?;
    for problem in &problems {
        say(&format!("{problem}\n"))?;
    }
    if problems.is_empty() {
        say("licences and sources: fine\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

/// The folder of the workspace, which is the parent of this package's.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("the package is a folder of the workspace").to_path_buf()
}

fn say(text: &str) -> Result<()> {
    std::io::stdout().write_all(text.as_bytes()).context("stdout is closed")
}
